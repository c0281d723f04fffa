"""A text of orders handed in for a nation: read, checked, and kept as far as it stands."""

from __future__ import annotations

from dataclasses import dataclass

from ..orders.intake import Intake, take_in
from ..orders.parse import QUESTION
from ..ruleset.randomness import rolls_dice
from ..store import Game, StoreError, Submission
from ..world.world import World
from .pending import stand_in
from .views import view_world


class NothingStands(StoreError):
    """Of a text too little stands to be handed in."""


@dataclass(frozen=True)
class HandedIn:
    """What was handed in: what the text came to, and the nation's salt in the dice of the turn ("" where it
    has none).
    """

    taken: Intake
    salt: str


def read(game: Game, nation: str, text: str, world: World | None = None) -> tuple[Intake, World]:
    """What a text of orders comes to at the present stage by what its nation knows, and that knowledge;
    nothing is kept.

    `world`: that knowledge, where it is at hand.
    """
    world = world or view_world(game, nation)
    taken = take_in(
        game.ruleset, text, lambda _: world, nation=nation, game=game.id, turn=game.stage().position.turn
    )
    return taken, world


def hand_in(
    game: Game,
    nation: str,
    text: str,
    by: str,
    *,
    taken: Intake | None = None,
    proxy: str = "",
    only_whole: bool = False,
) -> HandedIn:
    """Hand a text in, in place of what the nation sent before. `taken` is what it came to, where that is
    known already.

    `proxy`: the ally who gives it for a nation that has sent none. StoreError where nothing of it stands,
    where with `only_whole` not all does, or where the nation is not asked for orders now; what was there
    before stays then.
    """
    taken = taken or read(game, nation, text)[0]
    asks = any(d.code == QUESTION for d in taken.found)
    # an empty form is clean
    nothing = not (taken.orders or taken.answers) and (not taken.clean or bool(taken.passed) or asks)
    if taken.nation is None or nothing or (only_whole and not taken.clean):
        raise NothingStands(
            "none of these lines is valid, so nothing was submitted; what was there before still counts"
        )
    asked = list(game.asked())
    if nation not in asked:
        raise StoreError(
            f"{nation} is not asked for orders now" + (f": {', '.join(asked)} is" if len(asked) == 1 else "")
        )
    given = Submission(nation, text, list(taken.orders), dict(taken.answers), by)
    return HandedIn(taken, stand_in(game, proxy, given) if proxy else game.submit(given))


def part_in_dice(game: Game, nation: str, salt: str) -> str:
    """What a file that was handed in has to do with the dice of the turn, in a sentence; nothing where no
    player has a part, or nothing is rolled.
    """
    if not rolls_dice(game.ruleset):
        return ""
    stage = game.stage()
    turn = stage.position.turn
    if salt:
        return f"Your part in the dice of turn {turn}: {salt}"
    if not stage.commitment.seats:
        return ""
    if nation not in stage.commitment.seats:
        return (
            f"It has no part in the dice of turn {turn}: {nation} had no player when they were committed to."
        )
    return (
        f"It has no part in the dice of turn {turn}: all parts were fixed when the first stage of the turn "
        "was closed, for which "
        "nothing had come in from you."
    )
