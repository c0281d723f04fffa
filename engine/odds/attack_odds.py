"""The odds of attacks as they are written, where they can be had at once: one battle against enemies that
were counted.

The question and its answer are those of `wteaw odds --order`; whatever would have to be sampled, or would
take long, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..core import canonical
from ..turn.validated_orders import ValidatedOrder
from ..world.known import counted_units
from ..world.view import UNKNOWN
from ..world.world import World

if TYPE_CHECKING:
    from .result import Odds

CHEAP = 30_000
"""Outcomes that are followed for one attack."""
MOST_ATTACKS = 8


Known = Callable[[str, Callable[[], str]], str]
"""Gives the words of an attack by its key, made now by what is given with it or found where they are kept."""


def at_once(_: str, make: Callable[[], str]) -> str:
    """The words made now."""
    return make()


def odds_of_attacks(
    world: World, nation: str, intents: Iterable[ValidatedOrder], known: Known = at_once, *, most: int = CHEAP
) -> dict[str, tuple[int, str]]:
    """Place -> the last line that goes there, and what would come of all that go there, in words.

    `known` may keep the words: they are the same as long as the nation knows the same. `most` outcomes are
    followed for each.
    """
    going: dict[str, list[ValidatedOrder]] = {}
    for intent in intents:
        if len(intent.attacks) == 1:
            going.setdefault(intent.attacks[0], []).append(intent)
    out: dict[str, tuple[int, str]] = {}
    for place, those in list(going.items())[:MOST_ATTACKS]:

        def make(place: str = place, those: Sequence[ValidatedOrder] = those) -> str:
            found = _odds(world, nation, place, those, most)
            return in_words(found) if found is not None else ""

        key = canonical.digest(
            [place, *([i.order["order"], i.slots, i.order.get("options", {})] for i in those)]
        )
        if said := known(key, make):
            out[place] = (max(int(i.order.get("line", 0)) for i in those), said)
    return out


def _odds(world: World, nation: str, place: str, intents: Sequence[ValidatedOrder], most: int) -> Odds | None:
    """The odds of the only battle that these orders bring about; None if that is not all that chance
    decides.
    """
    from ..battle.samplers import TooManyWays  # brings NumPy, too
    from .as_written import NoBattle, as_written  # brings NumPy: only for who attacks
    from .chain import answer

    counted, defenders = _defenders(world, nation, place)
    if not counted:
        return None
    try:
        written = as_written(world, nation, [dict(i.order) for i in intents], place, defenders)
        return (
            None
            if written.question is None or written.refused
            else answer(written.world, written.question, most=most)
        )
    except (NoBattle, TooManyWays):
        return None


def _defenders(world: World, nation: str, place: str) -> tuple[bool, dict[Any, int] | None]:
    """Whether it is known who stands in a place, and who that is where the map does not show it."""
    if counted := counted_units(world, nation, place):
        return True, dict(counted)
    others = [row for _, row in world.state.stacks(at=place) if not world.allied(nation, str(row["owner"]))]
    return bool(others) and all(row["kind"] != UNKNOWN for row in others), None


def in_words(found: Odds) -> str:
    """The chance of taking the place, and the losses to expect."""
    return (
        f"against these you take it in {_often(found.field)}, losing {_of(found, 'attacker')} on average; "
        f"they lose {_of(found, 'defender')}"
    )


def _often(chance: Fraction | float) -> str:
    """A chance as so many of 100 cases; neither none nor all of them unless it is so."""
    if not chance:
        return "no case"
    if chance > 0.9999:
        return "every case"
    cases = round(100 * chance)
    if cases < 1:
        return "fewer than 1 of 100 cases"
    return f"{'more than 99' if cases > 99 else cases} of 100 cases"


def _of(found: Odds, side: str) -> str:
    began = sum(n for kinds in found.began.get(side, {}).values() for n in kinds.values())
    return f"{found.mean(side):.1f} of {began:g}"
