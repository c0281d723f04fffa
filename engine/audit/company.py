"""Company: who stands beside whom when a turn ends.

Two nations may stand in one place as the `share` of their stance says: always (also where it says nothing),
never, or at sea only. Whom a change of stance, such as a declaration of war, finds together has had no turn
to part in: they are passed over at the end of that turn, and found at the end of the next one.
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
    before = played.start
    for turn, state in played.ends():
        for place in sorted(state.occupied_places()):
            _place(turn, state, before, played.ruleset, place, book)
        before = state


def _place(turn: int, state: State, before: State, ruleset: Ruleset, place: str, book: Book) -> None:
    for a, b in combinations(sorted(state.owners_at(place)), 2):
        how = stance(ruleset, state, a, b)
        fine = _may_share(ruleset, how, place)
        together = {a, b} <= set(before.owners_at(place))
        if not fine and together and _may_share(ruleset, stance(ruleset, before, a, b), place):
            book.skip("troops beside each other whom a new stance parts")
            continue
        kinds = ["+".join(sorted({r["kind"] for _, r in state.stacks(at=place, owner=n)})) for n in (a, b)]
        book.check_turn(
            fine,
            turn,
            f"{a} and {b}",
            f"{how} in one place",
            f"shared {ruleset.row_or_empty('stances', how).get('share', 'always')}",
            f"{place} ({kinds[0]}; {kinds[1]})",
            f"stances/{how}",
        )


def _may_share(ruleset: Ruleset, how: str, place: str) -> bool:
    """Whether two nations of a stance may both have units in a place."""
    share = ruleset.row_or_empty("stances", how).get("share", "always")
    at_sea = ruleset.row_or_empty("places", place).get("kind") == "sea"
    return share == "always" or (share == "sea" and at_sea)
