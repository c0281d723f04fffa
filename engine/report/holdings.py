"""How much each nation held at the end of each year: the table that players of such games follow, where a
ruleset asks for one.

A ruleset says in `map/marks.yaml` what is counted: `counted: {FIELD: TITLE}`, places whose field is true, for
their holders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..play.proofs import position_after
from ..store import Game
from ..turn.calendar import date
from ..turn.referee import Position
from ..world.world import World
from .document import ReportPart, Table


@dataclass(frozen=True)
class Holdings:
    """The title, the years (the first column is the start), and of each nation its name and how much it held
    then.
    """

    title: str
    years: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


def holdings(game: Game, turn: int, seen: Callable[[Position], World]) -> Holdings | None:
    """The table after a turn; None where the ruleset asks for none. `seen`: a position as the reader sees it.

    A year that is not over after the turn is not counted.
    """
    counted = game.marks().get("counted")
    if not counted:
        return None
    field, title = next(iter(counted.items()))
    calendar, now = game.ruleset.calendar, game.stage().position
    last = {str(date(calendar, number)[0]): number for number in range(game.first_turn(), turn + 1)}
    if not (now.ended and turn == now.turn):
        last.pop(str(date(calendar, turn + 1)[0]), None)
    at = {"start": game.stage(1).position} | {year: position_after(game, n) for year, n in last.items()}
    found = {year: _counted(seen(position), str(field)) for year, position in at.items()}
    names = {n: str(row.get("name", n)) for n, row in game.ruleset.rows("nations").items()}
    rows = [(name, tuple(of.get(nation, 0) for of in found.values())) for nation, name in names.items()]
    held = sorted(
        (row for row in rows if any(row[1])),
        key=lambda row: (tuple(-n for n in reversed(row[1])), row[0]),
    )
    return Holdings(str(title), tuple(at), tuple(held))


def part_on_holdings(found: Holdings) -> ReportPart:
    """The table as a part of a report."""
    rows = tuple((name, *map(str, counts)) for name, counts in found.rows)
    right = tuple(range(1, len(found.years) + 1))
    return ReportPart(f"{found.title} by year", (Table(("", *found.years), rows, right),))


def _counted(world: World, field: str) -> dict[str, int]:
    out: dict[str, int] = {}
    for place, row in world.ruleset.rows("places").items():
        holder = world.holder_of(place) if row.get(field) else None
        if holder is not None:
            out[holder] = out.get(holder, 0) + 1
    return out
