"""Games at random: legal orders drawn from the templates that the nations get, for properties that hold in any game."""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import strategies as st

from wteaw.core.dice import KeyedDice
from wteaw.orders.intake import take_in
from wteaw.orders.sheet import offers_of
from wteaw.play.scenario import initial_state
from wteaw.turn.referee import Inputs, Position, Resolution, resolve, start, waiting_seats
from wteaw.world.view import Viewer
from wteaw.world.world import World

from .world1914 import loaded, orders_by_policy

# Hypothesis tries numbers of 100 and more that stand in the source of whatever is loaded, so that the examples of a law would hang
# on which tests run beside it. Small numbers put together are the same ones everywhere.
SEEDS = st.tuples(*[st.integers(0, 99)] * 4).map(
    lambda parts: sum(part * 100**k for k, part in enumerate(parts))
)

_CHOICES = re.compile(r"<(?P<slot>[^>]+)>: (?P<names>[^;)]+)")
_REACH = re.compile(r"\(to (?P<names>[^)]+)\)")


def drawn_lines(world: World, nation: str, rng: random.Random, many: int) -> list[str]:
    """Lines of a nation's order form with their blanks and numbers filled at random, `many` at most."""
    lines = []
    for _, some in offers_of(world, nation):
        for one in some:
            filled = rng.choice(list(one.lines()))
            lines.append(re.sub(r"\b\d+\b", lambda m: str(rng.randint(1, max(1, int(m[0])))), filled))
    return rng.sample(lines, min(many, len(lines)))


def random_orders(
    position: Position, rng: random.Random, nations: int, many: int
) -> dict[str, list[dict[str, Any]]]:
    """What policies order, but for some nations orders drawn from their templates: those lines that stand."""
    _, ruleset, geography = loaded()
    viewer = Viewer(ruleset, position.state, geography=geography)
    orders = orders_by_policy(position)
    for nation in rng.sample(sorted(orders), min(nations, len(orders))):
        world = World(ruleset, viewer.view(nation), moments=position.moments, geography=geography)
        lines = drawn_lines(world, nation, rng, many)
        taken = take_in(
            ruleset, "\n".join(lines), lambda _, world=world: world, nation=nation, turn=position.turn
        )
        orders[nation] = [dict(o) for o in taken.orders]
    return orders


def random_game(
    seed: int, turns: int, *, nations: int = 12, many: int = 15
) -> list[tuple[Position, Inputs, Resolution]]:
    """A 1914 game: for every turn the position, what was ordered, and what came of it."""
    scenario, ruleset, geography = loaded()
    rng = random.Random(seed)
    key = f"{seed:064x}"
    here = start(ruleset, initial_state(ruleset, scenario), KeyedDice(key, 1), geography=geography).position
    out = []
    for _ in range(turns):
        inputs = Inputs(random_orders(here, rng, nations, many))
        marks = here.marks if here.dice_turn == here.turn else ()
        after = resolve(ruleset, here, inputs, KeyedDice(key, here.turn, marks=marks), geography=geography)
        out.append((here, inputs, after))
        here = after.position
        if here.ended or not waiting_seats(ruleset, here):
            break
    return out
