"""A season of seven powers by policies: its verdicts alone, and the whole resolution. Compare figures of one run."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice
from wteaw.core.frame import steps
from wteaw.core.package_data import scenarios
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.turn.acts import run as act
from wteaw.turn.context import Turn
from wteaw.turn.events import run as watch
from wteaw.turn.referee import Inputs, Position, resolve, start, take_in
from wteaw.world.verdicts import settled
from wteaw.world.view import view
from wteaw.world.world import World


@cache
def season() -> tuple[Any, Position, Inputs]:
    """Spring with the orders of all seven powers."""
    scenario, ruleset, _ = load_scenario(scenarios() / "diplomacy.yaml")
    assert scenario is not None and ruleset is not None
    position = start(ruleset, initial_state(ruleset, scenario), KeyedDice("", 0)).position
    dice = KeyedDice("00", 1)
    orders = {}
    for nation in ruleset.rows("nations"):
        world = World(ruleset, view(ruleset, position.state, nation))
        orders[nation] = plan(
            world, nation, dice.stream(step="input", rule="policies/plan", subject=nation, audience=nation)
        )
    return ruleset, position, Inputs(orders)


@pytest.mark.benchmark(group="season")
def test_verdicts_of_a_season(benchmark: Any) -> None:
    ruleset, position, inputs = season()
    turn = Turn(ruleset, position.state.copy(), KeyedDice("", 0), moments=position.moments)
    take_in(turn, inputs)
    nodes = {node.get("step", node["do"]): node for node in steps(ruleset.sequence)}
    act(nodes["orders-noted"], turn)
    watch(nodes["embarked"], turn)
    rows = [row for row in ruleset.rows("definitions").values() if "fixpoint" in row]

    def judge() -> int:
        return len(settled(World(ruleset, turn.state, moments=position.moments), rows))

    assert benchmark(judge) > 20


@pytest.mark.benchmark(group="season")
def test_a_season_resolved(benchmark: Any) -> None:
    ruleset, position, inputs = season()
    result = benchmark(lambda: resolve(ruleset, position, inputs, KeyedDice("", 0)))
    assert result.position.turn == 2
