"""The calendar: the date of a turn, and what happens between turns: marks expire, orders are cleared,
once-a-turn things rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..core.messages import Message
from ..core.model import Row
from .context import Turn
from .events import settle


def date(row: Mapping[str, Any], turn: int) -> tuple[int, int]:
    """Year and month in which a turn begins, by a calendar. Without a start, year = turn and month = 1."""
    if "start" not in row:
        return turn, 1
    year, _, month = str(row["start"]).partition("-")
    months = int(year) * 12 + int(month) - 1 + (turn - 1) * int(row.get("months", 1))
    return months // 12, months % 12 + 1


def begin_turn(turn: Turn) -> None:
    """The next turn: its number and date, the moment that `was(.., 'turn')` reads, and the fact
    `turn_start`.
    """
    row = turn.ruleset.calendar
    number = turn.number + 1
    turn.journal.step = "turn-start"
    year, month = date(row, number)
    with turn.journal.entry(
        "sequence/turn-start",
        subject=str(number),
        says=Message("Turn {n}", {"n": number}),
        audience=("everyone",),
    ):
        journal = turn.journal
        journal.set("game", "game", "turn", number)
        journal.set("game", "game", "year", year)
        journal.set("game", "game", "month", month)
        seasons = row.get("seasons")
        if seasons:
            journal.set("game", "game", "season", seasons[(number - 1) % len(seasons)])
        now = turn.state.copy()
        turn.world.remember("turn", now)
        turn.world.remember("phase", now)
        journal.fact("turn_start", turn=number)


def end_turn(turn: Turn) -> None:
    """The end of a turn: `turn_end`, expiring marks, the orders laid away, and the last turn of the
    calendar.
    """
    journal = turn.journal
    journal.step = "turn-end"
    number = turn.number
    with journal.entry("sequence/turn-end", subject=str(number)):
        journal.fact("turn_end", turn=number)
    settle(turn)
    with journal.entry("sequence/turn-end", subject=str(number), keep=False):
        for key, order in sorted(turn.state.table("orders").items()):
            if not stands_on(turn, order):
                journal.put_row("orders", key, None)
        forget_answers(turn, sorted(turn.state.table("answers")), "turn")
    row = turn.ruleset.calendar
    goes_on = "unless" in row and turn.world.test(row["unless"], {})
    expire(turn)
    settle(turn)
    chosen = turn.state.get("game", "game", "turns") or row.get("turns")
    over = chosen is not None and number >= int(chosen) and not goes_on
    if over and not turn.state.get("game", "game", "ended"):
        with journal.entry(
            "sequence/turn-end",
            subject=str(number),
            says=Message("The game has ended."),
            audience=("everyone",),
        ):
            journal.set("game", "game", "ended", True)


def stands_on(turn: Turn, order: Row) -> bool:
    """Whether an order outlasts the turn, until its nation's own turn begins (`stands: own_turn` of its
    row).
    """
    return (
        order.get("status") != "refused" and turn.ruleset.row_of(order["order"]).get("stands") == "own_turn"
    )


def forget_answers(turn: Turn, nations: Iterable[str], stands: str) -> None:
    """The answers of nations to decisions that stand so long (`stands` of their rows) count no more. In an
    open entry.
    """
    lapsing = {d for d, row in turn.ruleset.rows("decisions").items() if row.get("stands") == stands}
    for nation in nations if lapsing else ():
        for said in sorted(turn.state.row("answers", nation)):
            if said.partition("/")[0] in lapsing:
                turn.journal.set("answers", nation, said, None)


def expire(turn: Turn) -> None:
    """Remove the marks whose last turn is over; each states the fact `expired`."""
    for thing, marks in sorted(turn.state.table("flags").items()):
        for name, mark in sorted(dict(marks).items()):
            if isinstance(mark, dict) and mark.get("until") is not None and mark["until"] <= turn.number:
                with turn.journal.entry("sequence/expire", subject=f"{thing}.{name}"):
                    turn.journal.set("flags", thing, name, None)
                    turn.journal.fact("expired", flag=name, of=thing.partition(":")[2])
