"""What an order's own throw promises: how many chances it has, by what its nation knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import comb
from typing import Any

from ..core.die import distribution, parse_die
from ..core.model import Row
from ..core.state import Entity
from ..turn.context import OrderContext
from ..turn.effects import Need, roll_need
from ..turn.validated_orders import ValidatedOrder
from ..world import piles
from ..world.messages import printed
from ..world.view import UNKNOWN
from ..world.world import World

SELF = "=self"
NOT_YET = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError)
"""What comes of an expression that can be worked out only where the throw is made, or by who knows more."""


def chance_of(world: World, nation: str, intent: ValidatedOrder) -> str:
    """The chances of the throw that decides an order, in words; empty if there is none, or nobody can tell
    yet.

    `world` is the view of the nation; throws that an order leads to only after another are left out.
    """
    row = world.ruleset.row_of(intent.verb)
    rolls = list(_rolls(row))
    if not rolls:
        return chance_of_draw(world, nation, row)
    roll = rolls[0]
    found = chance_of_roll(world, roll, OrderContext(world).order_names({**intent.order, "nation": nation}))
    if found is None:
        return ""
    one, dice, need = found
    if not one:
        return f"no chance as things stand: it would take {need.said} on {_die(roll['die'])}"
    die = parse_die(roll["die"])
    if dice == 1 and die.n == 1:
        return f"{int(one * die.faces)} in {die.faces} chances: it takes {need.said} on {_die(roll['die'])}"
    all_of = 1 - (1 - one) ** dice
    thrown = _die(roll["die"]) if dice == 1 else f"one of {dice} dice ({roll['die']})"
    return f"{round(100 * all_of)} in 100 chances: it takes {need.said} on {thrown}"


def chance_of_draw(world: World, nation: str, row: Row) -> str:
    """The chances of the cards that an order draws whatever else comes of it, in words; empty if it draws
    none, or its nation cannot know what lies there.
    """
    deal = next((d for d in _always(row, "deal") if "n" in d and "cards" not in d), None)
    if deal is None or deal.get("whose", SELF) != SELF or deal.get("who", SELF) != SELF:
        return ""
    there = _known_cards(world, piles.row_of(world.ruleset, deal["from"], nation), deal["from"])
    drawn, lie = deal["n"], there.total()
    if type(drawn) is not int or not 0 < drawn <= lie:
        return ""  # all that are there, and perhaps more from elsewhere
    chances = {card: 1 - Fraction(comb(lie - n, drawn), comb(lie, drawn)) for card, n in there.items()}
    told = [
        f"{printed(world, Entity('card', card))} {_out_of(chance, lie if drawn == 1 else 100)}"
        for card, chance in sorted(chances.items(), key=lambda one: (-one[1], one[0]))
    ]
    which = f"one of {lie} cards is" if drawn == 1 else f"{drawn} of {lie} cards are"
    return f"{which} drawn; chances to have it: {', '.join(told)}"


def _known_cards(world: World, row: str, pile: str) -> Counter[str]:
    """The cards of a pile as far as a view tells them exactly: those that it shows, or all that lie nowhere
    else.
    """
    here = Counter(piles.held(world.state, row, pile))
    hidden = here.pop(UNKNOWN, 0)
    if not hidden:
        return here
    seen: Counter[str] = Counter()
    for own in world.state.table("piles").values():
        for cards in own.values():
            seen.update(cards or {})
    unseen: Counter[str] = Counter()
    for own in piles.at_the_start(world.ruleset).values():
        for cards in own.values():
            unseen.update(cards)
    elsewhere = seen.pop(UNKNOWN, 0) - hidden
    unseen.subtract(seen)
    left = +unseen
    return here + left if not elsewhere and left.total() == hidden else Counter()


def _out_of(chance: Fraction, of: int) -> str:
    part = chance * of
    return f"{part if part.denominator == 1 else round(part)} in {of}"


def chance_of_roll(
    world: World, roll: Mapping[str, Any], scope: Mapping[str, Any]
) -> tuple[Fraction, int, Need] | None:
    """The chance of one throw of a roll, how many are made, and what each must show.

    None where nobody can tell yet.
    """
    try:
        need, _ = roll_need(world, roll, dict(scope))
        dice = int(world.number(roll["dice"], scope)) if "dice" in roll else 1
    except NOT_YET:
        return None
    if need is None or dice < 1:
        return None
    return (
        sum((p for total, p in distribution(roll["die"]).items() if need.fits(total)), Fraction(0)),
        dice,
        need,
    )


def _die(text: str) -> str:
    """A die as a player calls it."""
    die = parse_die(text)
    return f"a {die.faces}-sided die" if (die.n, die.plus, die.low) == (1, 0, 1) else str(die)


def _rolls(row: Row) -> Iterator[Mapping[str, Any]]:
    """The throws of a row that are made whatever else comes of it."""
    yield from _always(row, "roll")


def _always(row: Row, key: str) -> Iterator[Mapping[str, Any]]:
    """What stands under a key of a row, or of its effects, that depends on nothing."""
    for part in (row, *row.get("effects", ())):
        found = part.get(key) if isinstance(part, Mapping) and not part.keys() & {"when", "for"} else None
        if isinstance(found, Mapping):
            yield found
