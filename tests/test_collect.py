"""Collecting: yields by place and purse, limits and rates of the whole, least and most of a row."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.core.model import Row
from wteaw.economy import collect
from wteaw.turn.context import Turn

from .economy import BY_REGION, position, rules, turn_of

LAND: Row = {"id": "land", "over": "places(holder=nation, mine=True)", "amount": "=place.worth"}
INCOME: Row = {"id": "income", "of": "nation", "base": 0, "round": "up"}
NODE: Row = {"step": "collect", "do": "collect", "total_stat": "income"}


def collected(
    *yields: Row, stores: dict[str, dict[str, int]] | None = None, node: Row = NODE, **forms: list[Row]
) -> Turn:
    ruleset = rules(**{"income": list(yields) or [LAND], "stats": [INCOME], **forms})
    turn = turn_of(ruleset, position(stores or {"red": {"coin": 1}}), step="collect")
    collect.run(node, turn)
    return turn


def test_what_places_yield_goes_into_the_store() -> None:
    turn = collected()
    assert turn.state.get("treasuries", "red", "coin") == 1 + 5 + 3 + 2
    assert turn.state.get("nations", "red", "income") == 10


def test_each_region_keeps_what_it_yields() -> None:
    ruleset = rules(income=[LAND], stats=[INCOME], resources=BY_REGION)
    turn = turn_of(ruleset, position({"red/a": {"coin": 1}}), step="collect")
    collect.run(NODE, turn)
    assert {k: v["coin"] for k, v in turn.state.table("treasuries").items()} == {
        "blue/c": 6,
        "red/a": 9,
        "red/e": 2,
    }


def test_what_a_distant_place_yields_may_go_to_another_purse() -> None:
    ruleset = rules(income=[{**LAND, "seat": "=place('a')"}], stats=[INCOME], resources=BY_REGION)
    turn = turn_of(ruleset, position({"red/a": {"coin": 1}}), step="collect")
    collect.run(NODE, turn)
    assert turn.state.table("treasuries")["red/a"]["coin"] == 11
    assert "red/e" not in turn.state.table("treasuries")


@pytest.mark.parametrize(("rate", "income"), [("1/2", 5), ("1/4", 3), ("3/4", 8)])
def test_a_rate_of_the_whole_is_rounded_once(rate: str, income: int) -> None:
    turn = collected(modifiers=[{"id": "idle", "of": "income", "for": "red", "times": rate}])
    assert turn.state.get("treasuries", "red", "coin") == 1 + income
    assert turn.state.get("treasuries", "blue", "coin") == 6


def test_halves_may_be_rounded_for_each_place() -> None:
    turn = collected({**LAND, "amount": "=place.worth / 2", "round": "up"})
    assert turn.state.get("nations", "red", "income") == 3 + 2 + 1


def test_a_cap_never_raises_what_is_gathered() -> None:
    for most, income in ((4, 4), (99, 10)):
        turn = collected(modifiers=[{"id": "cap", "of": "income", "for": "red", "at_most": most}])
        assert turn.state.get("nations", "red", "income") == income


def test_a_limited_total_is_shared_over_the_purses_and_the_rest_goes_home() -> None:
    ruleset = rules(
        income=[LAND],
        stats=[INCOME],
        resources=BY_REGION,
        modifiers=[{"id": "half", "of": "income", "for": "red", "times": "1/2"}],
    )
    turn = turn_of(ruleset, position({"red/a": {"coin": 0}, "red/e": {"coin": 0}}), step="collect")
    collect.run(NODE, turn)
    assert (turn.state.get("treasuries", "red/a", "coin"), turn.state.get("treasuries", "red/e", "coin")) == (
        4,
        1,
    )


def test_a_yield_outside_the_limit_is_paid_in_full() -> None:
    trade = {"id": "trade", "for": "red", "when": "turn == 5", "amount": 7, "limited": False}
    turn = collected(LAND, trade, modifiers=[{"id": "cap", "of": "income", "for": "red", "at_most": 4}])
    assert turn.state.get("treasuries", "red", "coin") == 1 + 4 + 7


def test_another_resource_may_come_in() -> None:
    turn = collected({**LAND, "amount": 1, "into": "men"})
    assert turn.state.get("treasuries", "red", "men") == 3


def test_nobody_reads_another_nations_income() -> None:
    assert {e.audience for e in collected().journal.entries if e.changes} == {("red",), ("blue",)}


@given(st.lists(st.integers(0, 30), min_size=1, max_size=6), st.integers(0, 100))
def test_sharing_gives_out_exactly_what_is_allowed(amounts: list[int], percent: int) -> None:
    ruleset = rules(resources=BY_REGION)
    turn = turn_of(ruleset, position({}))
    parts = {("coin", f"red/{i}"): a for i, a in enumerate(amounts)}
    total = sum(amounts)
    allowed = (total * percent) // 100
    shared = collect._share(turn.world, "red", parts, total, allowed, "coin")
    assert sum(shared.values()) == allowed
    for key, amount in parts.items():
        assert total == 0 or shared[key] >= Fraction(amount * allowed, total).__floor__()
