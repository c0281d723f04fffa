"""Company: who stands beside whom when a turn ends.

Two nations may stand in one place as the `share` of their stance says: always (also where it says nothing),
never, or at sea only. Of units whose battle is left open, or who have nowhere to go, the rows know; they are
told apart by having a force.
"""

from __future__ import annotations

from itertools import combinations

from ..core.model import Ruleset
from ..core.state import State
from .book import Book
from .played import RecordedGame
from .relations import stance


def company(played: RecordedGame, book: Book) -> None:
    """Every place with units of several nations at the end of every turn."""
    for turn, state in played.ends():
        for place in sorted(state.occupied_places()):
            _place(turn, state, played.ruleset, place, book)


def _place(turn: int, state: State, ruleset: Ruleset, place: str, book: Book) -> None:
    row = ruleset.row_or_empty("places", place)
    for a, b in combinations(sorted(state.owners_at(place)), 2):
        how = stance(ruleset, state, a, b)
        share = ruleset.row_or_empty("stances", how).get("share", "always")
        fine = share == "always" or (share == "sea" and row.get("kind") == "sea")
        kinds = ["+".join(sorted({r["kind"] for _, r in state.stacks(at=place, owner=n)})) for n in (a, b)]
        book.check_turn(
            fine,
            turn,
            f"{a} and {b}",
            f"{how} in one place",
            f"shared {share}",
            f"{place} ({kinds[0]}; {kinds[1]})",
            f"stances/{how}",
        )
