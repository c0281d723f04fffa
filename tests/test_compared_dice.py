"""Dice compared one against one (`resolve: compare`): exact, sampled and thrown, against a count of all throws."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from functools import cache
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_odds_laws import made
from wteaw.audit.battles import _pairs
from wteaw.audit.book import Book
from wteaw.battle.distributions import won_pairs
from wteaw.battle.rounds import Rounds, start
from wteaw.battle.samplers import Exact, RealDice
from wteaw.core.dice import ScriptedDice
from wteaw.core.journal import Entry
from wteaw.core.model import Row
from wteaw.odds import Question, exact, sample
from wteaw.odds.ask import plan_of
from wteaw.odds.estimate import estimate
from wteaw.odds.solve import depths
from wteaw.play.starter import begin
from wteaw.ruleset import load_ruleset

Side = tuple[tuple[int, int, int], ...]
"""Dice of a side: how many, their faces, what is added to each."""
RED, BLUE = ("ada", "spear"), ("ben", "spear")


def counted(first: Side, second: Side, tie: bool) -> list[float]:
    """Every throw of all dice, one by one: how often the first side wins 0, 1, 2 ... pairs."""
    dice = [[(faces, plus) for n, faces, plus in side for _ in range(n)] for side in (first, second)]
    found: Counter[int] = Counter()
    for throw in product(*(range(1 + plus, faces + plus + 1) for side in dice for faces, plus in side)):
        mine, theirs = sorted(throw[: len(dice[0])])[::-1], sorted(throw[len(dice[0]) :])[::-1]
        found[sum(a > b or (tie and a == b) for a, b in zip(mine, theirs, strict=False))] += 1
    return [found[n] / found.total() for n in range(min(map(len, dice)) + 1)]


@cache
def risk(attackers: int, defenders: int) -> float:
    """The chance that the attackers win with all that go in, throw by throw, by a count of its own."""
    if not attackers or not defenders:
        return float(attackers > 0)
    a, d = min(3, attackers), min(2, defenders)
    return sum(
        chance * risk(attackers - (min(a, d) - won), defenders - won)
        for won, chance in enumerate(counted(((a, 6, 0),), ((d, 6, 0),), False))
    )


def battle(**stage: Any) -> Row:
    """A battle of one stage in which three dice at most are compared with two."""
    return {
        "die": "1d6",
        "stages": [{"id": "throw", "resolve": "compare", "most": {"attacker": 3, "defender": 2}, **stage}],
    }


UNITS: dict[str, Row] = {"spear": {}, "bow": {"attack": 2}, "ram": {"hits": 2}}


def asked(attackers: int, defenders: int, row: Row | None = None, **more: Any) -> Any:
    question = Question("fray", {RED: attackers}, {BLUE: defenders}, "moor", **more)
    return plan_of(made({**(row or battle()), "step_losses": {"field": "damage"}}, UNITS), question)


def test_throws_of_three_against_two() -> None:
    """The published figures of every throw: how many the attacker wins."""
    published = {
        (3, 2): (29.26, 33.58, 37.17), (3, 1): (34.03, 65.97), (2, 2): (44.83, 32.41, 22.76),
        (2, 1): (42.13, 57.87), (1, 2): (74.54, 25.46), (1, 1): (58.33, 41.67),
    }  # fmt: skip
    for (attackers, defenders), figures in published.items():
        plan = asked(attackers, defenders)
        after = Rounds(plan, Exact()).fight(start(plan), 1)
        lost = defenders - after.n[:, plan.of_side[1]].sum(axis=1)
        chances = np.bincount(lost, weights=after.weight)
        assert [round(100 * p, 2) for p in chances] == list(figures)


@pytest.mark.parametrize(("attackers", "defenders", "wins"), [(10, 8, 0.723970), (5, 5, 0.506203)])
def test_whole_battles(attackers: int, defenders: int, wins: float) -> None:
    found = exact(asked(attackers, defenders))
    assert found.win == pytest.approx(wins, abs=5e-7)
    assert found.win == pytest.approx(risk(attackers, defenders), abs=1e-12) and found.draw == found.open == 0
    drawn = sample(asked(attackers, defenders), trials=40_000)
    assert abs(drawn.win - wins) < 4.5 * sqrt(wins * (1 - wins) / 40_000)


def test_whoever_wins_ties_and_throws_more_is_said_by_the_row() -> None:
    """Both sides of the threshold: a die more, a tie to the other side, and neither key."""
    plain = {"die": "1d6", "stages": [{"id": "throw", "resolve": "compare"}]}
    for stage, sides, tie in (
        ({}, (2, 2), False), ({"resolve": {"compare": {"tie": "defender"}}}, (2, 2), False), ({"resolve": {"compare": {"tie": "attacker"}}}, (2, 2), True), ({"most": 1}, (1, 1), False),
        ({"most": {"attacker": 1}}, (1, 2), False), ({"most": {"defender": "=count(mine) - 1"}}, (2, 1), False),
    ):  # fmt: skip
        plan = asked(2, 2, {**plain, "stages": [{**plain["stages"][0], **stage}]})  # type: ignore[dict-item]
        after = Rounds(plan, Exact()).fight(start(plan), 1)
        chances = np.bincount(2 - after.n[:, plan.of_side[1]].sum(axis=1), weights=after.weight)
        wanted = counted(((sides[0], 6, 0),), ((sides[1], 6, 0),), tie)
        assert chances == pytest.approx([*wanted, *[0] * (len(chances) - len(wanted))], abs=1e-12), stage


def test_who_throws_no_die_loses_none_and_wins_none() -> None:
    """A battle in which a side throws nothing is over at once: nobody can hurt anybody."""
    found = exact(asked(3, 3, battle(most={"attacker": 0, "defender": 2})))
    assert found.open == 1 and found.losses["attacker"][0] == found.losses["defender"][0] == 1


SOME = st.lists(st.tuples(st.integers(1, 2), st.sampled_from([2, 4, 6]), st.integers(-1, 2)), max_size=2).map(
    tuple
)


@settings(max_examples=60, deadline=None)
@given(SOME, SOME, st.booleans())
def test_all_dice_against_a_count_of_all_throws(first: Side, second: Side, tie: bool) -> None:
    """Dice of other faces and with other additions on either side: every throw counted."""
    assert won_pairs(first, second, tie=tie) == pytest.approx(counted(first, second, tie), abs=1e-12)


def test_what_is_added_to_the_dice_of_single_units() -> None:
    """Two kinds of units throw together: the archers' dice count one more (`value`), and hits fall in the order of losses."""
    row = battle(value="=1 if unit.kind == 'bow' else 0")
    world = made({**row, "step_losses": {"field": "damage"}, "order": ["=unit.attack"]}, UNITS)
    plan = plan_of(world, Question("fray", {RED: 1, ("ada", "bow"): 2}, {BLUE: 2}, "moor"))
    after = Rounds(plan, Exact()).fight(start(plan), 1)
    chances = np.bincount(2 - after.n[:, plan.of_side[1]].sum(axis=1), weights=after.weight)
    assert chances == pytest.approx(counted(((2, 6, 1), (1, 6, 0)), ((2, 6, 0),), False), abs=1e-12)


def test_a_unit_that_takes_two_hits() -> None:
    """Each pair lost is a hit, and a ram is lost by its second."""
    world = made({**battle(), "step_losses": {"field": "damage"}}, UNITS)
    plan = plan_of(world, Question("fray", {RED: 3}, {("ben", "ram"): 2}, "moor"))
    after = Rounds(plan, Exact()).fight(start(plan), 1)
    rams = after.n[:, plan.of_side[1]]
    hits = 4 - rams @ depths(plan)[plan.of_side[1]]
    assert [round(100 * p, 2) for p in np.bincount(hits, weights=after.weight)] == [29.26, 33.58, 37.17]
    assert (rams.sum(axis=1) == 2).all() and exact(plan).win < risk(
        3, 4
    )  # damaged, they throw as many dice as before


def test_bots_judge_it_by_its_odds() -> None:
    """What policies ask by the hundred is exact here, since the rounds do not grow with the numbers."""
    world = made({**battle(), "step_losses": {"field": "damage"}}, UNITS)
    for attackers, defenders in ((10, 8), (3, 6), (12, 2)):
        found = estimate(world, "fray", {RED: attackers}, {BLUE: defenders}, "moor")
        assert found.win == pytest.approx(risk(attackers, defenders), abs=1e-9)


FOUGHT: dict[str, Any] = {
    "fire": [
        {"stage": "throw", "side": "attacker", "owner": "ada", "kind": "spear", "n": 3, "die": 6, "value": 0, "dice": [1, 6, 4], "hits": 1},
        {"stage": "throw", "side": "defender", "owner": "ben", "kind": "spear", "n": 2, "die": 6, "value": 1, "dice": [4, 3], "hits": 1},
    ],
    "pairs": [
        {"stage": "throw", "attacker": 6, "defender": 5, "won": "attacker"},
        {"stage": "throw", "attacker": 4, "defender": 4, "won": "defender"},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ((), None), (("fire", 0, "dice", 1), 5), (("fire", 1, "value"), 0), (("fire", 0, "hits"), 2),
        (("pairs", 1, "won"), "attacker"), (("pairs", 0, "defender"), 4),
    ],
)  # fmt: skip
def test_the_auditor_reckons_the_pairs_again(where: tuple[str | int, ...], what: Any) -> None:
    """A round stands as it was fought; whatever is changed of dice, additions, pairs or hits is noticed."""
    data = deepcopy(FOUGHT)
    at: Any = data
    for key in where[:-1]:
        at = at[key]
    if where:
        at[where[-1]] = what
    book = Book("battles", made(battle(), UNITS).ruleset)
    _pairs(Entry(1, 1, "battles", "battles/fray", "", "moor", data=data), battle(tie="defender"), book)
    assert bool(book.found) == bool(where) and book.checked == 2


def test_real_dice_are_told_pair_by_pair() -> None:
    """What the referee throws: the pairs in their order, and whose die has won each."""
    plan = asked(3, 2)
    dice = RealDice(
        lambda stage, side, number: ScriptedDice([[1, 6, 4], [4, 6]][side]).stream(
            step="s", rule="r", subject="x"
        )
    )
    after = Rounds(plan, dice).fight(start(plan), 1)
    assert [(p.first, p.second, p.winner) for p in dice.pairs] == [(6, 6, 1), (4, 4, 1)]
    assert [(r.side, r.faces, r.hits) for r in dice.rolled] == [(0, [1, 6, 4], 0), (1, [4, 6], 2)]
    assert int(after.n[0, plan.of_side[0]].sum()) == 1 and int(after.n[0, plan.of_side[1]].sum()) == 2


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("tie: defender", "tie: attacker", []),
        ("die: 1d6", "dice: 1", ["no die is said"]),
        ("losses: at_once", "side: attacker", ["have none to be compared with"]),
    ],
)
def test_a_stage_that_can_compare_nothing_is_told(
    old: str, new: str, told: list[str], tmp_path: Path
) -> None:
    folder = begin(tmp_path / "small", game="conquest").folder
    battles = folder / "tables" / "battles.yaml"
    text = battles.read_text(encoding="utf-8")
    assert old in text
    battles.write_text(text.replace(old, new), encoding="utf-8")
    messages = [one.message for one in load_ruleset(folder)[1]]
    assert len(messages) == len(told) and all(part in messages[n] for n, part in enumerate(told))
