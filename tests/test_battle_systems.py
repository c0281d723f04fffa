"""The forms of battle of other rule systems, each on a ruleset of a few rows: d6 with support and first strikes, faces looked up,
sums compared. Exact figures are from published calculations and from worked examples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wteaw.battle.batch import Batch
from wteaw.battle.plan import Plan
from wteaw.battle.rounds import Rounds, start
from wteaw.battle.samplers import RealDice
from wteaw.core.dice import ScriptedDice, Stream
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.odds import Odds, Question, exact, odds, sample
from wteaw.odds.ask import plan_of
from wteaw.world.world import World

FIELDS = ("attack", "defense", "hits", "tech", "landed")


def by_id(*rows: Row) -> dict[str, Row]:
    return {r["id"]: r for r in rows}


def rules(battles: list[Row], units: list[Row], **forms: list[Row]) -> Ruleset:
    fields = [{"id": f, "of": ["unit"], "type": "number", "default": 1 if f == "hits" else 0} for f in FIELDS]
    table: dict[str, list[Row]] = {
        "battles": battles,
        "units": units,
        "fields": fields,
        "nations": [{"id": "one"}, {"id": "two"}, {"id": "ally"}],
        "places": [{"id": "here", "kind": "land"}, {"id": "there", "kind": "land"}, {"id": "sea", "kind": "sea"}],
        "links": [{"id": "here--there", "between": ["here", "there"], "kind": "land"}],
        "stats": [{"id": q, "of": "unit", "base": f"unit.{q}"} for q in ("attack", "defense")],
        **forms,
    }  # fmt: skip
    return Ruleset("test", "Test", {form: by_id(*rows) for form, rows in table.items()})


def world(ruleset: Ruleset) -> World:
    return World(ruleset, State({"game": {"game": {"turn": 1}}}))


def ask(ruleset: Ruleset, attackers: dict[str, int], defenders: dict[str, int], **more: Any) -> Question:
    battle = next(iter(ruleset.rows("battles")))
    return Question(
        battle, {("one", k): n for k, n in attackers.items()}, {("two", k): n for k, n in defenders.items()}, "here",
        more.pop("start", "there"), **more,
    )  # fmt: skip


def roll(plan: Plan, batch: Batch, *dice: int, number: int = 1) -> tuple[Batch, Rounds]:
    """One round with these dice, in order; all must be used."""
    source = ScriptedDice(list(dice))

    def open_(stage: str, side: int, round_: int) -> Stream:
        return source.stream(step="s", rule="r", subject=f"{stage}:{side}:{round_}")

    rounds = Rounds(plan, RealDice(open_))
    batch = rounds.fight(batch, number)
    assert not source.unused()
    return batch, rounds


def numbers(plan: Plan, batch: Batch) -> dict[tuple[int, str, Any], int]:
    """Side, kind and condition -> units still fighting in the first row."""
    out: dict[tuple[int, str, Any], int] = {}
    for index, group in enumerate(plan.groups):
        n = int(batch.n[0, index])
        if n:
            key = (group.side, group.kind, group.fields.get("damage") or group.fields.get("condition"))
            out[key] = out.get(key, 0) + n
    return out


# ---- d6, support pairs, gas, works of two hits, first strikes

SIX_UNITS: list[Row] = [
    {"id": "foot", "attack": 1, "defense": 2, "tags": ["helped"]},
    {"id": "gun", "attack": 2, "defense": 2, "tags": ["helps"]},
    {"id": "heavy", "attack": 2, "defense": 4, "tags": ["helps"]},
    {"id": "works", "attack": 0, "defense": 0, "hits": 2, "tags": ["works"]},
    {"id": "cloud", "attack": 4, "defense": 0, "tags": ["cloud", "aside"]},
    {"id": "plane", "attack": 2, "defense": 3, "tags": ["helps", "flies"]},
    {"id": "airship", "attack": 1, "defense": 2, "tags": ["helps", "flies"]},
    {"id": "flak", "attack": 0, "defense": 0, "tags": ["flak", "aside"]},
    {"id": "diver", "attack": 2, "defense": 1, "tags": ["dives"]},
    {"id": "hunter", "attack": 2, "defense": 2, "tags": ["hunts"]},
    {"id": "cruiser", "attack": 3, "defense": 3, "tags": []},
    {"id": "castle", "attack": 4, "defense": 4, "hits": 2, "tags": ["shells"]},
]
SIX_TERMS: list[Row] = [
    {"id": f"is_{t}", "of": ["unit"], "is": f"'{t}' in unit.tags"} for t in ("flies", "hunts", "works", "aside", "helped", "helps", "dives", "cloud", "flak")
]  # fmt: skip


def six(pooled: bool = False, ashore: bool = False) -> Ruleset:
    shells = {
        "id": "shells", "rounds": 1, "side": "attacker", "who": "unit.kind == 'castle'", "value": "attack", "most": "=count(mine, 'is_helped')",
    }  # fmt: skip
    battle: Row = {
        "id": "six",
        "die": "1d6",
        "holds": "not is_aside(unit)" + (" and unit.kind != 'castle'" if ashore else ""),
        "never_hit": "is_aside(unit)" + (" or unit.kind == 'castle'" if ashore else ""),
        "stages": [
            {
                "id": "flak", "rounds": 1, "side": "defender", "who": "is_flak(unit)", "dice": {"side": "=count(foe, 'is_flies')"}, "value": 1,
                "hits": "is_flies(unit)", "losses": "at_once", "resolve": {"roll_under": {"pooled": pooled}},
            },
            *([shells] if ashore else []),
            {
                "id": "cloud", "rounds": 1, "side": "attacker", "who": "is_cloud(unit)", "value": "attack", "never_hits": "is_works(unit)",
                "losses": "at_once", "spent": True,
            },
            {"id": "first", "who": "is_dives(unit)", "when": "not any(foe, 'is_hunts')", "value": {"attacker": "attack", "defender": "defense"}, "losses": "at_once"},
            {"id": "fire", "who": "not is_aside(unit)" + (" and unit.kind != 'castle'" if ashore else ""), "value": {"attacker": "attack", "defender": "defense"}},
        ],
        "support": [{"id": "support", "side": "attacker", "giver": "is_helps(unit)", "taker": "is_helped(unit)", "add": 1}],
        "alone": [{"id": "powerless", "side": "defender", "when": "sum(mine, 'defense') == 0 and sum(foe, 'attack') > 0"}],
    }  # fmt: skip
    return rules([battle], SIX_UNITS, definitions=SIX_TERMS)


ORACLE = [
    ("plain", {"foot": 8}, {"foot": 4}, ["foot"], ["foot"], (0.867979, 0.125808, 0.006213)),
    ("support", {"foot": 6, "gun": 3}, {"foot": 6}, ["foot", "gun"], ["foot"], (0.931184, 0.063533, 0.005283)),
    ("bench", {"foot": 10, "gun": 4}, {"foot": 8, "works": 2}, ["foot", "gun"], ["works", "foot"], (0.847841, 0.146895, 0.005264)),
    ("works", {"foot": 6}, {"foot": 2, "works": 2}, ["foot"], ["works", "foot"], (0.475909, 0.50893, 0.015161)),
    ("gas", {"foot": 4, "cloud": 3}, {"foot": 4, "works": 1}, ["foot"], ["works", "foot"], (0.384366, 0.598241, 0.017393)),
    ("defending gas", {"foot": 6}, {"foot": 3, "cloud": 3}, ["foot"], ["foot"], (0.827845, 0.161572, 0.010583)),
    ("submarines", {"diver": 4}, {"castle": 1, "cruiser": 1}, ["diver"], ["castle", "cruiser", "castle"], (0.72958, 0.27042, 0.0)),
    ("a hunter", {"diver": 4}, {"hunter": 1, "cruiser": 1}, ["diver"], ["hunter", "cruiser"], (0.939199, 0.059657, 0.001144)),
    ("flak", {"foot": 3, "plane": 4}, {"foot": 4, "flak": 1}, ["foot", "plane"], ["foot"], (0.913232, 0.07808, 0.008687)),
    ("aircraft", {"foot": 6, "plane": 2, "airship": 1}, {"foot": 5, "heavy": 1}, ["foot", "airship", "plane"], ["foot", "heavy"], (0.793199, 0.188017, 0.018784)),
]  # fmt: skip


def six_odds(
    ruleset: Ruleset,
    attackers: dict[str, int],
    defenders: dict[str, int],
    one: list[str],
    two: list[str],
    **more: Any,
) -> Odds:
    return odds(world(ruleset), ask(ruleset, attackers, defenders, orders={"one": one, "two": two}), **more)


@pytest.mark.parametrize(
    ("name", "attackers", "defenders", "one", "two", "expected"), ORACLE, ids=[o[0] for o in ORACLE]
)
def test_exact_odds_agree_with_the_published_calculation(
    name: str,
    attackers: dict[str, int],
    defenders: dict[str, int],
    one: list[str],
    two: list[str],
    expected: tuple[float, float, float],
) -> None:
    found = six_odds(six(), attackers, defenders, one, two)
    assert (found.win, found.loss, found.draw) == pytest.approx(expected, abs=1e-5)
    assert found.open == pytest.approx(0, abs=1e-9)


def test_pooled_dice_leave_only_the_rest_to_chance() -> None:
    found = six_odds(
        six(pooled=True), {"foot": 3, "plane": 4}, {"foot": 4, "flak": 1}, ["foot", "plane"], ["foot"]
    )
    assert (found.win, found.loss, found.draw) == pytest.approx((0.934742, 0.057672, 0.007586), abs=1e-5)


def test_ships_shell_the_coast_once_and_who_is_hit_still_fires() -> None:
    found = six_odds(six(ashore=True), {"foot": 4, "castle": 2}, {"foot": 4}, ["foot"], ["foot"])
    assert (found.win, found.loss, found.draw) == pytest.approx((0.451408, 0.522013, 0.026579), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "attackers", "defenders", "one", "two", "expected"), ORACLE, ids=[o[0] for o in ORACLE]
)
def test_samples_agree_with_exact_odds(
    name: str,
    attackers: dict[str, int],
    defenders: dict[str, int],
    one: list[str],
    two: list[str],
    expected: tuple[float, float, float],
) -> None:
    trials = 40_000
    found = six_odds(six(), attackers, defenders, one, two, trials=trials, seed=7)
    for got, chance in zip((found.win, found.loss, found.draw), expected, strict=True):
        assert abs(got - chance) <= 4 * (chance * (1 - chance) / trials) ** 0.5 + 1e-5


def test_the_short_way_gives_the_same_odds_as_the_long_one() -> None:
    ruleset = six()
    row = {**ruleset.row("battles", "six"), "alone": []}
    row["stages"] = [{"id": "fire", "value": {"attacker": "attack", "defender": "defense"}}]
    plain = rules([row], SIX_UNITS, definitions=SIX_TERMS)
    plan = plan_of(world(plain), ask(plain, {"foot": 5, "gun": 2}, {"foot": 4, "castle": 1}))
    short, long = exact(plan), exact(plan, fast=False)
    assert short.to_json()["lost"]["attacker"]["one"] == pytest.approx(
        long.to_json()["lost"]["attacker"]["one"], abs=1e-9
    )
    assert (short.win, short.draw, short.loss) == pytest.approx((long.win, long.draw, long.loss), abs=1e-12)


# ---- faces looked up: pairs over works, kills before wounds

TOKEN_UNITS: list[Row] = [{"id": "foot", "tags": ["foot"]}, {"id": "gun", "tags": ["gun"]}]
CLASH: Row = {
    "id": "clash",
    "die": "1d6",
    "step_losses": {"field": "condition", "values": ["healthy", "wounded"]},
    "never_hit": "unit.kind == 'gun'",
    "stages": [
        {
            "id": "dice",
            "who": {
                "attacker": "unit.condition != 'wounded'",
                "defender": "unit.condition != 'wounded' and unit.kind == 'foot'",
            },
            "resolve": {"face": {"table": {"3..4": "wound", "5..6": "kill"}, "order": ["kill", "wound"]}},
            "dice": "dice",
            "value": "needed",
        }
    ],
}
TOKEN_QUANTITIES: list[Row] = [
    {"id": "dice", "of": "unit", "base": 1},
    {"id": "needed", "of": "unit", "base": 1},
]
TOKEN_ADJUSTS: list[Row] = [
    {
        "id": "pairs",
        "of": "needed",
        "for": "foot",
        "when": "battle.attacks and link.works == 'trench'",
        "base": 2,
    },
    {
        "id": "double",
        "of": "dice",
        "for": "foot",
        "when": "not battle.attacks and any(foe, 'over_works')",
        "base": 2,
    },
]


def tokens() -> Ruleset:
    terms = [{"id": "over_works", "of": ["unit"], "is": "unit.link.works == 'trench'"}]
    return rules([CLASH], TOKEN_UNITS, stats=TOKEN_QUANTITIES, modifiers=TOKEN_ADJUSTS, definitions=terms)


def test_over_works_the_attackers_need_pairs_and_the_defender_rolls_double() -> None:
    ruleset = tokens()
    plan = plan_of(world(ruleset), ask(ruleset, {"foot": 4, "gun": 1}, {"foot": 3}, works="trench"))
    batch, _ = roll(plan, start(plan), 4, 5, 6, 3, 4, 1, 1, 2, 2, 3, 6)
    assert numbers(plan, batch) == {
        (0, "foot", None): 2,
        (0, "foot", "wounded"): 1,
        (0, "gun", None): 1,
        (1, "foot", "wounded"): 2,
    }


def test_an_unpaired_five_counts_with_a_three() -> None:
    ruleset = tokens()
    plan = plan_of(world(ruleset), ask(ruleset, {"foot": 3}, {"foot": 2}, works="trench"))
    batch, _ = roll(plan, start(plan), 5, 3, 1, 1, 1, 1, 2)
    assert numbers(plan, batch) == {(0, "foot", None): 3, (1, "foot", None): 1, (1, "foot", "wounded"): 1}


def test_kills_are_taken_before_wounds_and_surplus_is_lost() -> None:
    ruleset = tokens()
    plan = plan_of(world(ruleset), ask(ruleset, {"foot": 4}, {"foot": 2}))
    batch, _ = roll(plan, start(plan), 3, 3, 5, 1, 1, 2)
    assert numbers(plan, batch) == {(0, "foot", None): 4, (1, "foot", "wounded"): 1}


def test_exact_and_sampled_faces_agree() -> None:
    ruleset = tokens()
    plan = plan_of(
        world(ruleset),
        ask(ruleset, {"foot": 3, "gun": 1}, {"foot": 3}, works="trench", limits={0: {"rounds": 2}}),
    )
    true, tried = exact(plan), sample(plan, 40_000, seed=3)
    for side in ("attacker", "defender"):
        assert np.array(tried.losses[side]) == pytest.approx(
            np.array(true.losses[side][: len(tried.losses[side])]), abs=0.012
        )


# ---- sums of dice compared

SUM: Row = {
    "id": "invasion",
    "most_rounds": 1,
    "never_hit": "unit.kind == 'gun'",
    "stages": [
        {
            "id": "dice",
            "who": "unit.kind == 'foot'",
            "die": "=lookup('die', maximum(mine, 'tech'))",
            "value": 0,
            "resolve": {"sum": {"each_die": "modifier", "tie": "defender", "loss": {"base": 1, "per": 10}}},
        }
    ],
}
SUM_UNITS: list[Row] = [
    {"id": "foot", "tech": 3, "tags": []},
    {"id": "recruit", "tech": 2, "tags": []},
    {"id": "gun", "tech": 2, "tags": ["gun"]},
]
SUM_FORMS: dict[str, list[Row]] = {
    "stats": [{"id": "modifier", "of": "nation", "base": 0}],
    "modifiers": [
        {"id": "origins", "of": "modifier", "when": "battle.attacks", "add": "=battle.origins"},
        {"id": "attacked-from", "of": "modifier", "when": "not battle.attacks", "add": "=-battle.origins"},
        {
            "id": "mountains",
            "of": "modifier",
            "when": "not battle.attacks and place.terrain == 'mountains'",
            "add": 3,
        },
        {"id": "guns", "of": "modifier", "when": "battle.attacks", "add": "=min(2, count(mine, 'is_gun'))"},
    ],
    "definitions": [{"id": "is_gun", "of": ["unit"], "is": "'gun' in unit.tags"}],
    "tables": [{"id": "die", "rows": {2: "1d6", 3: "1d6"}}],
}


def sums(who: str = "unit.kind == 'foot'", terrain: str = "plains") -> Ruleset:
    stage = {**SUM["stages"][0], "who": who}
    places = [{"id": "here", "kind": "land", "terrain": terrain}, {"id": "there", "kind": "land"}]
    fields = [
        *({"id": f, "of": ["unit"], "type": "number", "default": 0} for f in FIELDS),
        {"id": "terrain", "of": ["place"], "type": "id"},
    ]
    return rules([{**SUM, "stages": [stage]}], SUM_UNITS, **{**SUM_FORMS, "places": places, "fields": fields})


def test_sums_with_a_modifier_on_every_die_are_compared() -> None:
    ruleset = sums("unit.kind != 'gun'")
    plan = plan_of(world(ruleset), ask(ruleset, {"foot": 3}, {"recruit": 4}))
    batch, rounds = roll(plan, start(plan), 4, 3, 5, 4, 3, 2, 1)
    assert rounds.compared.difference == 15 - 6
    assert numbers(plan, batch) == {(0, "foot", None): 3, (1, "recruit", None): 3}


def test_every_full_ten_of_the_difference_costs_one_more() -> None:
    ruleset = sums()
    plan = plan_of(world(ruleset), ask(ruleset, {"foot": 4, "gun": 3}, {"foot": 2}))
    batch, rounds = roll(plan, start(plan), 6, 6, 6, 6, 1, 1)
    assert rounds.compared.difference == (24 + 4 * 3) - (2 - 2)
    assert numbers(plan, batch) == {(0, "foot", None): 4, (0, "gun", None): 3}


def test_a_tie_is_the_defenders() -> None:
    ruleset = sums(terrain="mountains")
    plan = plan_of(world(ruleset), ask(ruleset, {"foot": 2}, {"foot": 2}))
    batch, rounds = roll(plan, start(plan), 3, 3, 2, 2)
    assert rounds.compared.difference == (6 + 2) - (4 + 4)
    assert numbers(plan, batch) == {(0, "foot", None): 1, (1, "foot", None): 2}


def test_sampled_sums_agree_with_exact_ones() -> None:
    ruleset = sums()
    plan = plan_of(world(ruleset), ask(ruleset, {"foot": 3}, {"foot": 3}))
    true, tried = exact(plan), sample(plan, 40_000, seed=5)
    assert np.array(tried.losses["defender"]) == pytest.approx(np.array(true.losses["defender"]), abs=0.01)
