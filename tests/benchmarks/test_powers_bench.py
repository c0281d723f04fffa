"""Times of a game in which each power has a turn of its own: one power's orders carried out."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice
from wteaw.core.package_data import scenarios
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.ruleset import Ruleset
from wteaw.turn.referee import Inputs, Position, resolve, start, waiting_seats
from wteaw.world.geography import Geography
from wteaw.world.view import Viewer
from wteaw.world.world import World

pytestmark = pytest.mark.benchmark(group="powers")

KEY = "5a" * 32


def dice(position: Position) -> KeyedDice:
    return KeyedDice(KEY, position.turn, marks=position.marks if position.dice_turn == position.turn else ())


@cache
def turns(name: str, last: int) -> tuple[Ruleset, Geography, list[tuple[Position, Inputs]]]:
    """Where each power gave its orders in the turns up to the last, and these orders."""
    scenario, ruleset, found = load_scenario(scenarios() / f"{name}.yaml")
    assert scenario is not None and ruleset is not None, found
    geography = Geography(ruleset)
    here = start(ruleset, initial_state(ruleset, scenario), KeyedDice(KEY, 1), geography=geography).position
    out = []
    while here.turn <= last:
        viewer, orders = Viewer(ruleset, here.state, geography=geography), {}
        for nation in waiting_seats(ruleset, here):
            world = World(ruleset, viewer.view(nation), moments=here.moments, geography=geography)
            stream = dice(here).stream(step="input", rule="policies/plan", subject=nation, audience=nation)
            orders[nation] = [dict(o) for o in plan(world, nation, stream)]
            world.close()
        out.append((here, Inputs(orders)))
        here = resolve(ruleset, *out[-1], dice(here), geography=geography).position
    return ruleset, geography, out


def test_every_power_of_five_turns(benchmark: Any) -> None:
    """`extra_info`: how many turns of powers that is; the figure divided by it is one power's turn."""
    ruleset, geography, given = turns("no-mans-land", 5)

    def once() -> None:
        for here, inputs in given:
            resolve(ruleset, here, inputs, dice(here), geography=geography)

    benchmark.extra_info.update(
        turns=len(given), orders=sum(len(o) for _, i in given for o in i.orders.values())
    )
    benchmark.pedantic(once, rounds=3, warmup_rounds=1)


def test_the_largest_turn_of_a_power(benchmark: Any) -> None:
    """Of the power that gave most orders in one of the first five turns."""
    ruleset, geography, given = turns("no-mans-land", 5)
    here, inputs = max(given, key=lambda one: sum(map(len, one[1].orders.values())))
    benchmark.extra_info.update(orders=sum(map(len, inputs.orders.values())))
    benchmark.pedantic(
        lambda: resolve(ruleset, here, inputs, dice(here), geography=geography), rounds=10, warmup_rounds=1
    )
