"""Battles whose units tire, preludes, shots at those who leave, units of many hits: small rulesets, in odds and in games alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from wteaw.core.dice import KeyedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import Entity, State
from wteaw.odds import Odds, Question, odds
from wteaw.world.world import World

from .battlefield import Field
from .long_ones import LONG
from .test_battle_systems import FIELDS, rules, world

UNITS: list[Row] = [
    {"id": "flyer", "attack": 4, "defense": 2, "breath": 3, "tags": ["air"]},
    {"id": "gunner", "attack": 0, "defense": 5, "tags": ["guns"]},
    {"id": "foot", "attack": 3, "defense": 4, "tags": []},
    {"id": "hulk", "attack": 5, "defense": 5, "hits": 3, "tags": []},
]
STAGE: Row = {"id": "fire", "value": {"attacker": "attack", "defender": "defense"}}


def small(*battles: Row, **forms: list[Row]) -> Ruleset:
    names = (*FIELDS, "breath", "left")
    fields = [
        {"id": f, "of": ["unit"], "type": "number", "default": {"hits": 1, "left": -1}.get(f, 0)} for f in names
    ]  # fmt: skip
    terms = [
        {"id": "breath_now", "of": ["unit"], "is": "unit.left if unit.left >= 0 else unit.breath"},
        {"id": "flies", "of": ["unit"], "is": "'air' in unit.tags"},
        {"id": "is_gun", "of": ["unit"], "is": "'guns' in unit.tags"},
    ]
    return rules(
        [{"die": "1d10", **b} for b in battles], UNITS, **{"fields": fields, "definitions": terms, **forms}
    )


def ask(ruleset: Ruleset, attackers: dict[str, int], defenders: dict[str, int], **more: Any) -> Odds:
    battle = next(iter(ruleset.rows("battles")))
    one = {("one", k): n for k, n in attackers.items()}
    two = {("two", k): n for k, n in defenders.items()}
    return odds(world(ruleset), Question(battle, one, two, "here", **more))


TIRING: Row = {
    "id": "duel", "who": "not flies(unit) or breath_now(unit) >= 1", "stages": [STAGE],
    "spends": {"field": "left", "full": "breath", "by": 1, "who": "flies(unit)"},
}  # fmt: skip


def test_who_tires_fights_so_many_rounds_and_leaves() -> None:
    found = ask(small(TIRING, stats=_quantities()), {"flyer": 1}, {"foot": 1})
    go_on = Fraction(6, 10) * Fraction(6, 10)
    rounds = sum((go_on**k for k in range(3)), Fraction(0))
    assert found.win == pytest.approx(float(Fraction(24, 100) * rounds))
    assert found.loss == pytest.approx(float(Fraction(24, 100) * rounds))
    assert found.open == pytest.approx(float(go_on**3))


def _quantities() -> list[Row]:
    return [{"id": q, "of": "unit", "base": f"unit.{q}"} for q in ("attack", "defense", "breath")]


PRELUDE: Row = {
    "id": "guns", "who": {"attacker": "flies(unit)", "defender": "is_gun(unit)"}, "most_rounds": 1,
    "stages": [{"id": "shot", "side": "defender", "value": "defense"}],
}  # fmt: skip


def test_a_prelude_takes_its_losses_before_the_battle() -> None:
    main = {"id": "main", "preludes": ["guns"], "who": "not is_gun(unit)", "stages": [STAGE]}
    with_guns = ask(small(main, PRELUDE), {"flyer": 1}, {"foot": 1, "gunner": 1})
    without = ask(small(main, PRELUDE), {"flyer": 1}, {"foot": 1})
    assert with_guns.win == pytest.approx(without.win / 2)
    assert with_guns.loss == pytest.approx(0.5 + without.loss / 2)
    assert sum(with_guns.losses["attacker"]) == pytest.approx(1)
    assert with_guns.lost["attacker"]["one"]["flyer"] == pytest.approx(
        0.5 + without.lost["attacker"]["one"]["flyer"] / 2
    )


def test_rounds_of_a_prelude_use_up_what_the_battle_needs() -> None:
    chase: Row = {**TIRING, "id": "chase", "who": {"attacker": "flies(unit) and breath_now(unit) >= 1", "defender": "is_gun(unit)"},
                  "most_rounds": 2, "stages": [{"id": "nothing", "value": 0}]}  # fmt: skip
    main: Row = {
        **TIRING,
        "id": "main",
        "preludes": ["chase"],
        "who": "not is_gun(unit) and (not flies(unit) or breath_now(unit) >= 1)",
    }
    ruleset = small(main, chase, stats=_quantities())
    assert ask(ruleset, {"flyer": 1}, {"foot": 1, "gunner": 1}).win == pytest.approx(
        0.24
    )  # three breaths, two are gone
    assert ask(ruleset, {"flyer": 1}, {"foot": 1}).open == pytest.approx(0.36**3)


def test_those_who_leave_are_fired_at_and_only_they() -> None:
    row: Row = {
        "id": "raid",
        "stages": [
            STAGE,
            {
                "id": "parting",
                "fire_on_retreat": "attacker",
                "side": "defender",
                "value": 10,
                "hits": "flies(unit)",
            },
        ],
        "leave": {"attacker": {"after": 1}},
    }
    found = ask(
        small(row), {"flyer": 1, "foot": 1}, {"hulk": 1}, limits={0: {"rounds": 1}}, orders={"one": ["foot"]}
    )
    stays_away = Fraction(
        1, 2
    )  # that the defender misses in the round: then the flyer falls as it leaves, and the foot does not
    assert found.left["attacker"]["one"]["flyer"] == pytest.approx(0)
    assert found.left["attacker"]["one"]["foot"] == pytest.approx(float(stays_away))


def test_a_unit_of_many_hits_takes_as_many_in_one_round() -> None:
    row: Row = {
        "id": "shelling",
        "most_rounds": 1,
        "stages": [{"id": "sure", "side": "attacker", "value": 10}],
    }
    assert ask(small(row), {"foot": 3}, {"hulk": 1}).win == pytest.approx(1)
    assert ask(small(row), {"foot": 2}, {"hulk": 1}).win == pytest.approx(0)
    assert ask(small(row), {"foot": 5}, {"hulk": 2}).losses["defender"] == pytest.approx((0, 1))


@pytest.mark.parametrize(("order", "left"), [((), {"foot": 1}), (("foot",), {}), (("foot", "shield"), {})])
def test_a_stand_in_may_be_spared_by_an_order(order: tuple[str, ...], left: dict[str, int]) -> None:
    row: Row = {
        "id": "wall", "most_rounds": 1,
        "stages": [{"id": "sure", "side": "attacker", "value": 10}],
        "virtual": [{"id": "shield", "unit": "gunner", "side": "defender", "n": 1, "lost": "spared", "fires": False}],
    }  # fmt: skip
    found = ask(small(row), {"foot": 1}, {"foot": 1}, orders={"two": list(order)} if order else {})
    assert found.left["defender"]["two"]["foot"] == pytest.approx(left.get("foot", 0))


def test_what_is_late_is_not_held_by_the_bounds() -> None:
    ruleset = small(
        {"id": "main", "most_rounds": 1, "stages": [{"id": "fire", "side": "attacker", "value": "attack"}]},
        stats=[{"id": q, "of": "unit", "base": f"unit.{q}", "at_least": 1} for q in ("attack", "defense")],
        modifiers=[
            {"id": "works", "of": "attack", "add": -9},
            {"id": "half", "of": "attack", "for": "hulk", "times": "1/2", "round": "down", "late": True},
        ],
    )
    there = World(ruleset, State({"units": {"u": {"owner": "one", "kind": "hulk", "place": "here", "n": 1}}}))
    assert there.quantity("attack", Entity("unit", "u")) == 0  # 5 - 9, at least 1, halved
    assert ask(ruleset, {"foot": 1}, {"foot": 1}).win == pytest.approx(0.1)
    assert ask(ruleset, {"hulk": 1}, {"foot": 1}).win == pytest.approx(0)


@LONG
def test_real_battles_come_out_as_the_odds_say() -> None:
    """Aircraft, guns, interceptors and fuel, as the base ruleset has them: the means of many battles fought."""
    trials, sums = 400, {"a": 0, "d": 0}
    for seed in range(trials):
        field = _air_battle(Field())
        field.turn.dice = KeyedDice(f"seed {seed}".encode(), 1)
        from wteaw.battle import fight

        fight.run({"battles": ["land"]}, field.turn)
        for owner in sums:
            sums[owner] += sum(r["n"] for _, r in field.state.stacks(owner=owner))
    asked = _air_battle(Field())
    found = odds(
        World(asked.rules, State({"game": {"game": {"turn": 1}}, "relations": {"a--d": {"stance": "war"}}})),
        Question(
            "land",
            {("a", "infantry"): 2, ("a", "fighter"): 2},
            {("d", "infantry"): 1, ("d", "fighter"): 1, ("d", "anti-air-gun"): 1},
            "p",
            "x",
        ),
    )
    for owner, side in (("a", "attacker"), ("d", "defender")):
        mean = sum(found.left[side][owner].values())
        assert sums[owner] / trials == pytest.approx(mean, abs=0.25), side


def _air_battle(field: Field) -> Field:
    field.units("d", "p", infantry=1, fighter=1)
    field.put("d", "anti-air-gun", "p", 1)
    field.attack("a", "x", "p", infantry=2)
    force = field.attack("a", "x", "p", fighter=2)
    for key, row in list(field.state.stacks(owner="a")):
        if row.get("force") == force:
            with field.turn.journal.entry("test/setup"):
                field.turn.journal.alter_units(key, row["n"], fuel_left=2, fuel_home=1)
    return field
