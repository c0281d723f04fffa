"""How a policy spends: what is dear for its part of the money, and what is done to units that cannot act meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.model import Ruleset
from wteaw.core.state import State, unit_key

from .test_policy import BUILD, MOVE, Rows, orders, position, rules, sails, waters

ITEMS: Rows = [
    {"id": "foot", "makes": "foot", "price": 3, "due": "x"},
    {"id": "gun", "makes": "gun", "price": 20, "due": "x"},
]
MEND: dict[str, Any] = {
    "id": "mend",
    "syntax": "mend {n} (ship|ships) in {site}",
    "slots": {"n": "number", "site": "place"},
    "step": "build",
    "does": "mending",
}
MENDING: Rows = [
    {
        "id": "mending",
        "makes": "ship",
        "price": 20,
        "due": "x",
        "site": "place.id == 'c'",
        "appears": "neighbors(place, 'coast')",
        "fits": {"units": "unit.hurt", "set": {"hurt": None}, "idle": True},
    }
]


@pytest.mark.parametrize(
    ("face", "bought"),
    [
        (
            25,
            {"gun": 1, "foot": 3},
        ),  # a quarter of what a gun costs: with one in four it is bought, and what is left buys foot
        (26, {"foot": 10}),
    ],
)
def test_what_is_dear_is_bought_now_and_then_before_the_money_is_gone(
    face: int, bought: dict[str, int]
) -> None:
    policy = {"purchases": [{"sites": 1, "rest": True, "mix": {"foot": 5, "gun": 1}}]}
    found = orders(rules(policy, orders=[MOVE, BUILD], production=ITEMS), position(), *[face] * 9)
    assert {slots["item"]: slots["n"] for _, slots in found} == bought


@pytest.mark.parametrize(
    ("face", "given"),
    [
        (50, [("mend", {"n": 1, "site": "c"}), sails("p", "r", n=2)]),  # ten for what costs twenty
        (51, [sails("p", "r", n=3)]),
    ],
)
def test_a_ship_that_is_repaired_stays_in_port(face: int, given: list[tuple[str, Any]]) -> None:
    forms = waters({"stations": "=9 if place.id == 'r' else 0"}, production=MENDING).forms
    port = {"id": "c--p", "between": ["c", "p"], "kind": "coast"}
    policy = {**forms["policies"]["p"], "purchases": [{"share": "1/3", "mix": {"mending": 1}}]}
    more = {"links": {"c--p": port}, "orders": {"mend": MEND}, "policies": {"p": policy}}
    ruleset = Ruleset("t", "t", {form: {**rows, **more.get(form, {})} for form, rows in forms.items()})
    hurt = {"owner": "red", "kind": "ship", "place": "p", "n": 1, "hurt": True}
    state = position(("red", "ship", "p", 2))
    state.tables["units"][unit_key("red", "ship", "p", {"hurt": True})] = hurt
    assert orders(ruleset, State(state.tables), *[face] * 9) == given
