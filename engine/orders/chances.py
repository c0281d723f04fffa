"""What an order's own throw promises: how many chances it has, by what its nation knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from ..core.die import distribution, parse_die
from ..core.model import Row
from ..turn.context import OrderContext
from ..turn.effects import Need, roll_need
from ..turn.validated_orders import ValidatedOrder
from ..world.world import World

UNKNOWN = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError)
"""What comes of an expression that can be worked out only where the throw is made, or by who knows more."""


def chance_of(world: World, nation: str, intent: ValidatedOrder) -> str:
    """The chances of the throw that decides an order, in words; empty if there is none, or nobody can tell
    yet.

    `world` is the view of the nation; throws that an order leads to only after another are left out.
    """
    row = world.ruleset.named(intent.verb) or {}
    rolls = list(_rolls(row))
    if not rolls:
        return ""
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


def chance_of_roll(
    world: World, roll: Mapping[str, Any], scope: Mapping[str, Any]
) -> tuple[Fraction, int, Need] | None:
    """The chance of one throw of a roll, how many are made, and what each must show.

    None where nobody can tell yet.
    """
    try:
        need, _ = roll_need(world, roll, dict(scope))
        dice = int(world.number(roll["dice"], scope)) if "dice" in roll else 1
    except UNKNOWN:
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
    for part in (row, *row.get("effects", ())):
        roll = part.get("roll") if isinstance(part, Mapping) and not part.keys() & {"when", "for"} else None
        if isinstance(roll, Mapping):
            yield roll
