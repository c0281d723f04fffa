"""Bills: what is kept must be paid for, place by place or for the whole nation; the unpaid leave or change sides."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.model import Row
from wteaw.economy import upkeep
from wteaw.turn.context import Turn

from .economy import position, rules, standing, turn_of

GARRISON: Row = {
    "id": "garrison", "per": "place", "price": 1, "all_or_none": True, "asks": "whom-to-pay", "default": "largest",
    "unpaid": [{"convert": {"units": "unpaid", "owner": "blue"}, "when": "place.kind == 'land'"}, {"remove": {"units": "unpaid"}, "when": "place.kind == 'sea'"}],
}  # fmt: skip
WINTER: Row = {
    "id": "winter",
    "per": "nation",
    "when": "season == 'winter'",
    "price": "=unit.cost // 3",
    "unpaid": [{"remove": {"units": "unpaid"}}],
}
UNITS = {"red foot a": 3, "red foot b": 2, "red boat z": 1}


def billed(row: Row, coin: int, *, season: str = "winter", answers: Any = None) -> Turn:
    state = position({"red": {"coin": coin}}, UNITS)
    state.put("game", "game", "season", season)
    if answers is not None:
        state.put("answers", "red", "whom-to-pay", answers)
    turn = turn_of(rules(upkeep=[row]), state, step="payment")
    upkeep.run({"step": "payment", "do": "upkeep"}, turn)
    return turn


def test_who_can_pay_keeps_everything() -> None:
    turn = billed(GARRISON, 6)
    assert standing(turn) == UNITS
    assert turn.state.get("treasuries", "red", "coin") == 0


def test_what_was_paid_is_told_with_what_it_was_for() -> None:
    said = [entry.text for entry in billed(GARRISON, 5).journal.entries]
    assert said[0].startswith("Paid 3 ") and said[0].endswith(" for 3 units in a.")
    assert said[-1] == "1 unit in z is not paid."
    (whole,) = (entry.text for entry in billed(WINTER, 100).journal.entries)
    assert whole.startswith("Red pays ") and whole.endswith(" for 6 units.")


def test_the_largest_garrison_is_paid_first_and_each_whole_or_not_at_all() -> None:
    turn = billed(GARRISON, 4)
    assert standing(turn) == {"red foot a": 3, "red boat z": 1, "blue foot b": 2}
    assert turn.state.get("treasuries", "red", "coin") == 0


def test_the_unpaid_at_sea_are_lost() -> None:
    assert standing(billed(GARRISON, 5)) == {"red foot a": 3, "red foot b": 2}


def test_the_owner_may_choose_whom_to_pay_and_leave_others_unpaid() -> None:
    turn = billed(GARRISON, 6, answers=["b", "z"])
    assert standing(turn) == {"blue foot a": 3, "red foot b": 2, "red boat z": 1}
    assert turn.state.get("treasuries", "red", "coin") == 3


@pytest.mark.parametrize(("coin", "foot", "left"), [(17, 5, 1), (9, 4, 1), (0, 0, 0)])
def test_a_bill_of_the_nation_is_paid_as_far_as_it_goes_the_cheapest_first(
    coin: int, foot: int, left: Any
) -> None:
    turn = billed(WINTER, coin)
    assert sum(n for k, n in standing(turn).items() if "foot" in k) == foot
    assert turn.state.get("treasuries", "red", "coin") == left


def test_no_bill_in_other_seasons() -> None:
    turn = billed(WINTER, 0, season="summer")
    assert standing(turn) == UNITS
    assert not turn.journal.entries
