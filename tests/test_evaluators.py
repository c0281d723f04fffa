"""What runs expressions gives what simpleeval, their definition, gives: every expression of every ruleset, and whole turns."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pytest

from wteaw.core.dice import KeyedDice
from wteaw.core.package_data import scenarios
from wteaw.core.state import Entity
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.ruleset.expressions.definition import Definition
from wteaw.ruleset.expressions.parse import Expression, ExpressionError, parse
from wteaw.ruleset.expressions.vocabulary import KINDS
from wteaw.turn.referee import start
from wteaw.world.geography import Geography
from wteaw.world.world import World

from .long_ones import LONG

SCENARIOS = sorted(p.stem for p in scenarios().glob("*.yaml"))
TIMES = 3
"""How often each expression is tried, each time with other things for its names."""
POINTS = 12
"""Input points that a game is played for at most: a turn of some rules asks for orders at dozens."""


@cache
def world_of(name: str) -> World:
    """A scenario's position when its first turn has begun."""
    scenario, ruleset, findings = load_scenario(scenarios() / f"{name}.yaml")
    assert scenario is not None and ruleset is not None, findings
    geography = Geography(ruleset)
    position = start(
        ruleset, initial_state(ruleset, scenario), KeyedDice("5a" * 32, 1), geography=geography
    ).position
    return World(ruleset, position.state, moments=position.moments, geography=geography)


def texts(value: Any) -> Iterator[str]:
    """Every text in a row, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)


def expressions(world: World) -> list[Expression]:
    """Whatever a row says that can be read as an expression; plain words among them only fail alike."""
    found: dict[str, Expression] = {}
    rows = [row for form in world.ruleset.forms for row in world.ruleset.rows(form).values()]
    for text in texts([*rows, *world.ruleset.sequence]):
        try:
            expression = parse(text)
        except ExpressionError:
            continue
        if expression.names or expression.functions:
            found[expression.text] = expression
    return list(found.values())


def things(world: World) -> dict[str, list[Entity]]:
    """Things of every kind that the position has, units among them."""
    found = {
        kind: [Entity(kind, i) for i in world.ruleset.rows(form)]
        for kind, form in KINDS.items()
        if form and kind != "unit"
    }
    found["unit"] = [Entity("unit", key) for key, _ in world.state.stacks()]
    return {kind: some for kind, some in found.items() if some}


def outcome(run: Any) -> Any:
    try:
        return run()
    except Exception as error:
        return f"fails: {isinstance(error, ExpressionError | ValueError | TypeError | KeyError | ArithmeticError)}"


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_expression_comes_to_the_same_by_both(name: str) -> None:
    world = world_of(name)
    evaluator = world.evaluator
    definition = Definition(evaluator.functions, evaluator.lookup)
    pools, luck, answered = things(world), random.Random(name), 0
    asked = expressions(world)
    for expression in asked:
        for _ in range(TIMES):
            names = {
                n: luck.choice(pools.get(n) or pools[luck.choice(sorted(pools))])
                for n in sorted(expression.names)
            }
            scope = world._scope(names)
            fast = outcome(lambda e=expression, s=scope: evaluator._code(e)(evaluator, s))
            slow = outcome(lambda e=expression, s=scope: definition.value(e.tree, s))
            assert repr(fast) == repr(slow), (expression.text, names)
            answered += not (isinstance(fast, str) and fast.startswith("fails: "))
    assert answered > len(asked), "too few of the expressions had a value to compare"


@LONG
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_seeded_game_is_the_same_by_both(name: str) -> None:
    assert by_simpleeval()[name] == turns(name) != ""


@cache
def by_simpleeval() -> dict[str, str]:
    """What `turns` gives of each scenario where simpleeval runs the expressions: in one process of its own for all of them."""
    code = "from tests.test_evaluators import SCENARIOS, json, turns; print(json.dumps({n: turns(n) for n in SCENARIOS}))"
    path = os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "WTEAW_EVALUATOR": "simpleeval"}
    told = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, str] = json.loads(told)
    return found


def turns(name: str) -> str:
    """The state and the head of the journal after a turn of bots, or so many input points of it."""
    import tempfile
    from pathlib import Path

    from wteaw.play.begin import new_game
    from wteaw.play.resolve import resolutions

    scenario, ruleset, findings = load_scenario(scenarios() / f"{name}.yaml")
    assert scenario is not None and ruleset is not None, findings
    with tempfile.TemporaryDirectory() as folder:
        game = new_game(Path(folder) / "game", scenario, ruleset, id_=name, seed=b"\x60" * 32)
        for _ in islice(resolutions(game, 1), POINTS):
            pass
        return f"{game.stage().position.state.hash()} {game.stage().position.head}"


def test_an_unknown_evaluator_is_refused() -> None:
    env = {**os.environ, "WTEAW_EVALUATOR": "magic"}
    code = "import wteaw.ruleset.expressions.evaluate"
    told = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert told.returncode != 0 and "there are compiled and simpleeval" in told.stderr
