"""Laws of all odds, over battles of made-up rulesets: stages, dice, ways to resolve, ladders, shares and numbers by chance."""

from __future__ import annotations

import random
from math import sqrt
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from wteaw.battle.samplers import TooManyWays
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.odds import Odds, Question, exact, odds, sample
from wteaw.odds.ask import plan_of
from wteaw.odds.simple_battle import duel
from wteaw.world.world import World

NATIONS = ("ada", "ben", "cyd", "dot", "eve")
KINDS = ("spear", "bow", "ram")


def by_id(rows: list[Row]) -> dict[str, Row]:
    return {r["id"]: r for r in rows}


def made(battle: Row, units: dict[str, Row]) -> World:
    """A world with one battle, a few kinds of units and five nations."""
    numbers = ("attack", "defense", "hits", "dice")
    forms: dict[str, list[Row]] = {
        "battles": [{"id": "fray", **battle}],
        "units": [{"id": k, **row} for k, row in units.items()],
        "fields": [{"id": f, "of": ["unit"], "type": "number", "default": 1} for f in numbers],
        "stats": [{"id": q, "of": "unit", "base": f"unit.{q}"} for q in numbers],
        "nations": [{"id": n} for n in NATIONS],
        "places": [{"id": "moor"}],
        "links": [],
    }
    return World(
        Ruleset("made", "Made", {form: by_id(rows) for form, rows in forms.items()}),
        State({"game": {"game": {"turn": 1}}}),
    )


STAGE = st.fixed_dictionaries(
    {},
    optional={
        "rounds": st.sampled_from([1, "2..", "1..2"]), "losses": st.sampled_from(["at_once", "end_of_round"]),
        "dice": st.just("dice"), "resolve": st.just({"roll_under": {"pooled": True}}), "hits": st.sampled_from(["unit.kind != 'ram'", "unit.hits > 1"]),
        "who": st.sampled_from(["unit.kind != 'bow'", "unit.attack > 1"]), "again": st.just(True),
    },
)  # fmt: skip
UNIT = st.fixed_dictionaries(
    {
        "attack": st.integers(0, 5),
        "defense": st.integers(0, 5),
        "hits": st.integers(1, 2),
        "dice": st.integers(1, 2),
    }
)
BATTLE = st.fixed_dictionaries(
    {"die": st.sampled_from(["1d6", "1d8"]), "stages": st.lists(STAGE, min_size=1, max_size=3)},
    optional={
        "most_rounds": st.integers(1, 3),
        "shares": st.just({"attacker": "attack", "defender": "defense"}),
    },
)
UNITS = st.fixed_dictionaries(dict.fromkeys(KINDS, UNIT))
FORCE = st.dictionaries(
    st.tuples(st.sampled_from(NATIONS[:2]), st.sampled_from(KINDS)), st.integers(1, 3), min_size=1, max_size=3
)


def whole(battle: Row, value: Any) -> Row:
    """The battle as rows say it: every stage with an id and a value, hits that need several to destroy."""
    stages = [{"id": f"stage-{i}", "value": value, **stage} for i, stage in enumerate(battle["stages"])]
    return {**battle, "stages": stages, "step_losses": {"field": "damage"}, "order": ["=unit.attack"]}


BY_ROLE = {"attacker": "attack", "defender": "defense"}


def true(world: World, question: Question) -> Odds:
    """The exact odds; battles that would be sampled are left out."""
    found = odds(world, question)
    assume(not found.trials)
    return found


def theirs(force: dict[Any, int]) -> dict[Any, int]:
    """The same force of other nations."""
    names = dict(zip(NATIONS[:2], NATIONS[2:4], strict=True))
    return {(names[owner], kind): n for (owner, kind), n in force.items()}


def mirrored(found: Odds) -> tuple[Any, ...]:
    """What the odds say, seen from the other side, without names."""
    losses = found.losses
    return found.loss, found.draw, found.win, found.open, losses["defender"], losses["attacker"]


def said(found: Odds) -> tuple[Any, ...]:
    return found.win, found.draw, found.loss, found.open, found.losses["attacker"], found.losses["defender"]


def alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert one[:4] == pytest.approx(other[:4], abs=1e-9)
    for a, b in zip(one[4:], other[4:], strict=True):
        size = max(len(a), len(b))
        assert [*a, *[0.0] * (size - len(a))] == pytest.approx([*b, *[0.0] * (size - len(b))], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(BATTLE, UNITS, FORCE, FORCE)
def test_everything_adds_up(battle: Row, units: Any, mine: Any, foes: Any) -> None:
    found = true(made(whole(battle, BY_ROLE), units), Question("fray", mine, theirs(foes), "moor"))
    assert found.win + found.draw + found.loss + found.open == pytest.approx(1)
    for side in ("attacker", "defender"):
        assert sum(found.losses[side]) == pytest.approx(1)
        assert found.mean(side) == pytest.approx(
            sum(n for kinds in found.lost[side].values() for n in kinds.values()), abs=1e-9
        )
        for owner, kinds in found.began[side].items():
            for kind, n in kinds.items():
                assert found.lost[side][owner][kind] + found.left[side][owner][kind] == pytest.approx(n)
                assert len(found.each[side][owner][kind]) <= n + 1
                assert sum(found.each[side][owner][kind]) == pytest.approx(1)


@settings(max_examples=40, deadline=None)
@given(BATTLE, UNITS, FORCE)
def test_symmetric_battles_have_symmetric_odds(battle: Row, units: Any, force: Any) -> None:
    found = true(
        made(whole({**battle, "attacks": "both"}, "attack"), units),
        Question("fray", force, theirs(force), "moor"),
    )
    alike(said(found), mirrored(found))


@settings(max_examples=30, deadline=None)
@given(BATTLE, UNITS, FORCE, FORCE)
def test_where_both_attack_the_sides_can_change_places(battle: Row, units: Any, mine: Any, foes: Any) -> None:
    world = made(whole({**battle, "attacks": "both"}, "attack"), units)
    one = true(world, Question("fray", mine, theirs(foes), "moor"))
    other = true(world, Question("fray", theirs(foes), mine, "moor"))
    alike(said(one), mirrored(other))


@settings(max_examples=30, deadline=None)
@given(
    BATTLE,
    UNITS,
    st.permutations(NATIONS),
    st.dictionaries(
        st.tuples(st.sampled_from(NATIONS[:3]), st.sampled_from(KINDS)),
        st.integers(1, 2),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 3),
)
@example(  # one nation has all the share and one unit to lose: who of two equal ones takes the second hit goes by lot
    {"die": "1d6", "stages": [{"rounds": 1, "hits": "unit.kind != 'ram'"}]},
    {
        kind: {"attack": int(kind == "ram"), "defense": int(kind == "spear"), "hits": 1, "dice": 1}
        for kind in KINDS
    },
    ["ada", "cyd", "ben", "dot", "eve"],
    {("ada", "spear"): 1, ("ada", "ram"): 1, ("ben", "spear"): 1, ("cyd", "spear"): 1},
    2,
)
def test_names_and_the_order_of_nations_do_not_matter(
    battle: Row, units: Any, names: Any, mine: Any, foes: int
) -> None:
    battle = {**battle, "shares": BY_ROLE}
    other = dict(zip(NATIONS, names, strict=True))
    world = made(whole(battle, BY_ROLE), units)
    one = true(world, Question("fray", mine, {("eve", "spear"): foes}, "moor"))
    turned = {(other[owner], kind): n for (owner, kind), n in reversed(list(mine.items()))}
    two = true(world, Question("fray", turned, {(other["eve"], "spear"): foes}, "moor"))
    alike(said(one), said(two))
    for owner, kinds in one.lost["attacker"].items():
        for kind, n in kinds.items():
            assert two.lost["attacker"][other[owner]][kind] == pytest.approx(n, abs=1e-9)


def random_battle(chance: random.Random, plain: bool = False) -> tuple[World, Question]:
    """A battle by the lot, of any way to resolve; `plain`: of one kind of round, with one nation on a side."""
    way = "under" if plain else chance.choice(["under", "under", "under", "pooled", "face", "sum"])
    units = {k: {f: chance.randint(1, 4) for f in ("attack", "defense")} for k in KINDS}
    for row in units.values():
        row.update(hits=chance.randint(1, 2), dice=chance.randint(1, 2))
    stage: Row = {"id": "blow", "value": BY_ROLE}
    if way == "pooled":
        stage["resolve"] = {"roll_under": {"pooled": True}}
    elif way == "face":
        stage |= {
            "resolve": {"face": {"table": {"3..4": "wound", "5..6": "kill"}, "order": ["kill", "wound"]}},
            "value": 1,
        }
    elif way == "sum":
        stage |= {"resolve": {"sum": {"loss": {"base": 1, "per": 4}, "tie": "defender"}}}
    else:
        stage["losses"] = "end_of_round" if plain else chance.choice(["at_once", "end_of_round"])
    stages = [stage]
    if way == "under" and not plain and chance.random() < 0.5:
        stages = [
            {"id": "volley", "rounds": 1, "value": BY_ROLE, "who": "unit.kind == 'bow'", "losses": "at_once"},
            stage,
        ]
    battle: Row = {
        "die": "1d6",
        "stages": stages,
        "step_losses": {"field": "damage"},
        "order": ["=unit.attack"],
        "shares": BY_ROLE,
    }
    if way == "face":
        battle["ladder"] = {"field": "state", "values": ["whole", "hurt"]}
    if not plain and chance.random() < 0.3:
        battle["leave"] = {"attacker": {"after": 1, "to": [{"stay": True}]}}
    limits: dict[int, Any] = (
        {0: chance.choice([{"rounds": 2}, {"losses": 1}, {"kills": {"kills": 1, "left": 1}}])}
        if "leave" in battle
        else {}
    )
    forces = [
        {
            (chance.choice(group), chance.choice(KINDS)): chance.randint(1, 5)
            for _ in range(chance.randint(1, 3))
        }
        for group in ((NATIONS[:1], NATIONS[2:3]) if plain else (NATIONS[:2], NATIONS[2:4]))
    ]
    return made(battle, units), Question("fray", forces[0], forces[1], "moor", limits=limits)


def test_exact_odds_and_samples_agree_within_three_standard_errors() -> None:
    """Of many comparisons one in 370 is further off by chance alone; none is far off."""
    chance, trials = random.Random(1914), 20_000
    beyond, compared = 0, 0
    for number in range(60):
        world, question = random_battle(chance)
        plan = plan_of(world, question)
        try:
            true = exact(plan, fast=number % 2 == 0, most=300_000)
        except TooManyWays:
            continue
        tried = sample(plan, trials, seed=number)
        pairs = [
            (getattr(true, end), getattr(tried, end)) for end in ("win", "draw", "loss", "open", "field")
        ]
        for side in ("attacker", "defender"):
            pairs += zip(true.losses[side], [*tried.losses[side], *[0.0] * 99], strict=False)
        for p, q in pairs:
            error = sqrt(max(0.0, p * (1 - p)) / trials)
            assert abs(p - q) <= 4.5 * error + 1 / trials, (number, question, p, q)
            beyond += abs(p - q) > 3 * error + 0.5 / trials
            compared += p * trials > 5
        for side in ("attacker", "defender"):
            error = true.deviation(side) / sqrt(trials)
            assert abs(true.mean(side) - tried.mean(side)) <= 4.5 * error + 1e-9
        assert tried.rounds == pytest.approx(true.rounds, rel=0.05, abs=0.05)
    assert compared > 300
    assert beyond <= compared * 0.01


def test_the_general_way_and_the_short_way_say_the_same_of_everybody() -> None:
    chance = random.Random(7)
    for _ in range(25):
        world, question = random_battle(chance, plain=True)
        plan = plan_of(world, question)
        assert duel(plan) is not None
        one, other = exact(plan), exact(plan, fast=False)
        alike(said(one), said(other))
        assert one.rounds == pytest.approx(other.rounds, abs=1e-9)
