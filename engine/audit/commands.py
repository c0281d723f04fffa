"""Command: every nation that is in the game and has troops is asked for orders each turn, and only its
commander's are carried out.

Commanded is who handed in at an input of the turn, a policy included, or is the moderator's. A nation whose
row says `seat: none` is nobody's by design. Who appeared in the turn is not expected to be asked in it.
"""

from __future__ import annotations

from ..core.journal import Entry
from ..core.model import Ruleset
from ..core.state import State
from .book import Book
from .played import RecordedGame, rows_behind, rows_changed, said_in

NOBODY = ("none", "vacant")
NOT_ASKED = ("none", "moderator")


def commands(played: RecordedGame, book: Book) -> None:
    """Every turn, every nation with troops; every order that comes in or is done."""
    asked: set[str] = set()
    there = _with_troops(played.start)
    for entry, state in played.moments():
        if entry.rule == "sequence/input":
            asked.add(entry.subject)
            _handed_in(entry, state, book)
        _obeyed(entry, state, played.ruleset, book)
        if any(fact.word == "turn_end" for fact in entry.facts):
            for nation in sorted(there & _with_troops(state)):
                _turn(entry, state, played.ruleset, nation, nation in asked, book)
            asked, there = set(), _with_troops(state)


def _with_troops(state: State) -> set[str]:
    return {str(row["owner"]) for row in state.table("units").values()}


def _turn(entry: Entry, state: State, ruleset: Ruleset, nation: str, asked: bool, book: Book) -> None:
    row, now = ruleset.row_or_empty("nations", nation), state.row("nations", nation)
    alive = now.get("alive", row.get("alive")) is not False
    if not alive or row.get("seat") in NOT_ASKED or now.get("seat") == "moderator":
        return
    seat = str(now.get("seat") or row.get("seat") or "policy")
    n = sum(int(r["n"]) for _, r in state.stacks(owner=nation))
    book.check_turn(
        asked and seat not in NOBODY, entry.turn, nation, f"who commands its {n} units",
        "asked for orders, by a player, a bot or the moderator", f"seat {seat}, "
                                                                    f"{'asked' if asked else 'not asked'}",
    )  # fmt: skip


def _handed_in(entry: Entry, state: State, book: Book) -> None:
    """Orders that come in are those of whom they come from."""
    for key, _, row in rows_changed(entry, state, "orders"):
        if row:
            fine = row.get("nation") == entry.subject and key.startswith(f"{entry.subject}/")
            book.check(fine, entry, entry.subject, f"whose order {key} is", entry.subject, row.get("nation"))


def _obeyed(entry: Entry, state: State, ruleset: Ruleset, book: Book) -> None:
    """An order that is done moves nobody else's units, but where its row asks whose they are, or hands them
    over.
    """
    if not entry.rule.startswith("orders/"):
        return
    done = [c[1] for c in entry.changes if c[0] == "orders" and c[2] == "status" and c[4] == "done"]
    givers = {str(state.row("orders", key).get("nation")) for key in done}
    moved = {str(before["owner"]) for _, before, after in rows_changed(entry, state, "units") if before}
    if not givers or not moved:
        return
    others = moved - givers
    rows = rows_behind(ruleset, entry)
    stances = [s.get("enter") for s in ruleset.rows("stances").values()]
    free = any(said_in(row, word) for row in rows for word in ("of", "convert")) or any(
        said_in(s, "takes") for s in stances
    )
    book.check(
        not others or free,
        entry,
        ", ".join(sorted(givers)),
        "whose units an order moves",
        "their own",
        ", ".join(sorted(others)),
    )
