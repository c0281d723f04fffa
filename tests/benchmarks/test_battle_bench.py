"""How fast battles are: real rounds, exact odds, samples, estimates. Compare figures of one run with each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.battlefield import Field, ruleset
from wteaw.core.state import State
from wteaw.odds import Question, estimate, exact, odds, sample
from wteaw.odds.ask import plan_of
from wteaw.world.world import World

Benchmark = Any
SIZES = {"small": (4, 3), "middling": (14, 10), "thirty": (30, 30)}


def world() -> World:
    return World(ruleset(), State({"game": {"game": {"turn": 1}}, "relations": {"a--d": {"stance": "war"}}}))


FLEET = Question(
    "sea",
    {("a", "battleship"): 3, ("a", "destroyer"): 4, ("a", "submarine"): 2},
    {("d", "battleship"): 4, ("d", "destroyer"): 3},
    "sea",
)
TRENCH = Question(
    "land", {("a", "infantry"): 10, ("a", "artillery"): 4}, {("d", "infantry"): 8}, "p", "x", works="trench"
)
ALLIES = Question(
    "land",
    {("a", "infantry"): 6, ("b", "infantry"): 6, ("a", "artillery"): 3},
    {("d", "infantry"): 8},
    "p",
    "x",
)
FIGHTS = {"trench": TRENCH, "fleet": FLEET, "allies": ALLIES}


def question(attackers: int, defenders: int, guns: int = 0) -> Question:
    mine = {("a", "infantry"): attackers, **({("a", "artillery"): guns} if guns else {})}
    return Question("land", mine, {("d", "infantry"): defenders}, "p", "x")


@pytest.mark.parametrize("size", SIZES)
def test_exact_odds(benchmark: Benchmark, size: str) -> None:
    plan = plan_of(world(), question(*SIZES[size]))
    benchmark(exact, plan)


@pytest.mark.parametrize("size", SIZES)
def test_a_million_trials(benchmark: Benchmark, size: str) -> None:
    plan = plan_of(world(), question(*SIZES[size], guns=4))
    benchmark.pedantic(sample, args=(plan, 1_000_000), rounds=3)


@pytest.mark.parametrize("fight", FIGHTS)
def test_exact(benchmark: Benchmark, fight: str) -> None:
    benchmark(exact, plan_of(world(), FIGHTS[fight]))


@pytest.mark.parametrize("trials", [10_000, 1_000_000])
@pytest.mark.parametrize("fight", FIGHTS)
def test_sampled(benchmark: Benchmark, fight: str, trials: int) -> None:
    plan = plan_of(world(), FIGHTS[fight])
    sample(plan, trials)
    benchmark.pedantic(sample, args=(plan, trials), rounds=5)


def test_sampled_one_by_one(benchmark: Benchmark) -> None:
    """A hundred batches of one battle each: what batches save."""
    plan = plan_of(world(), TRENCH)
    benchmark.pedantic(lambda: [sample(plan, 1, seed) for seed in range(100)], rounds=3)


def test_exact_with_fights_in_the_air_before(benchmark: Benchmark) -> None:
    here = world()
    mine = {("a", "infantry"): 6, ("a", "fighter"): 2, ("a", "bomber"): 2}
    theirs = {("d", "infantry"): 5, ("d", "fighter"): 2, ("d", "anti-air-gun"): 1}
    benchmark.pedantic(odds, args=(here, Question("land", mine, theirs, "p", "x")), rounds=3)


def test_exact_odds_the_general_way(benchmark: Benchmark) -> None:
    plan = plan_of(world(), question(*SIZES["middling"]))
    benchmark(exact, plan, fast=False)


def test_making_a_plan(benchmark: Benchmark) -> None:
    here = world()
    benchmark(plan_of, here, question(14, 10, guns=4))


def test_an_estimate(benchmark: Benchmark) -> None:
    here = world()
    mine, theirs = {("a", "infantry"): 10, ("a", "artillery"): 4}, {("d", "infantry"): 8}
    estimate(here, "land", mine, theirs, "p", "x>p")
    benchmark(estimate, here, "land", mine, theirs, "p", "x>p")


def test_a_real_battle(benchmark: Benchmark) -> None:
    from wteaw.battle import fight
    from wteaw.core.dice import KeyedDice

    def ready() -> tuple[tuple[Any, ...], dict[str, Any]]:
        field = Field().units("d", "p", infantry=8)
        field.attack("a", "x", "p", infantry=14)
        field.turn.dice = KeyedDice(bytes(32), 1)
        return ({"battles": ["land"]}, field.turn), {}

    benchmark.pedantic(fight.run, setup=ready, rounds=20)
