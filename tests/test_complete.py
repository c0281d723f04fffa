"""Completing: what was bought appears, or is lost, kept or paid back; what it uses up is taken only then."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.economy import complete, purchase
from wteaw.turn.context import Turn

from .economy import ORDERS, position, refusals, rules, standing, turn_of

STILL = "place.holder == self"
FOOT: Row = {"id": "foot", "makes": "foot", "due": "placement", "must_hold": STILL, "if_lost": "lost",
             "uses": {"men": {"each": 1, "taken": "complete", "short": {"times": 2}}}}  # fmt: skip
DITCH: Row = {
    "id": "ditch",
    "price": 5,
    "works": "ditch",
    "due": "placement",
    "must_hold": STILL,
    "facing": {},
}
MILL: Row = {"id": "mill", "price": 7, "sets": {"mill": True}, "due": "placement", "must_hold": STILL}
LAMP: Row = {"id": "lamp", "price": 2, "fits": {"units": "unit.kind == 'boat' and not unit.lamp", "set": {"lamp": True}},
             "due": "placement", "appears": "neighbors(place, 'shore')"}  # fmt: skip
NODE: Row = {"step": "placement", "do": "complete"}
PURSE = {"red": {"coin": 50, "men": 9}}


def shop(*items: Row, **forms: list[Row]) -> Ruleset:
    return rules(production=list(items) or [FOOT, DITCH, MILL, LAMP], **forms)


def bought(ruleset: Ruleset, state: State, *orders: tuple[str, dict[str, Any]]) -> Turn:
    turn = turn_of(ruleset, state, [("red", order, slots) for order, slots in orders])
    purchase.run({"step": "build", "do": "purchase"}, turn)
    assert not refusals(turn)
    turn.journal.step = "placement"
    return turn


def lose(turn: Turn, place: str) -> None:
    with turn.journal.entry("test/capture"):
        turn.journal.set("places", place, "holder", "blue")


def test_units_appear_and_use_up_what_they_need() -> None:
    turn = bought(shop(), position(PURSE), ("buy", {"n": 3, "item": "foot", "site": "a"}))
    complete.run(NODE, turn)
    assert standing(turn) == {"red foot a": 3}
    assert turn.state.get("treasuries", "red", "men") == 6
    assert not turn.state.table("under_way")
    assert [f.word for e in turn.journal.entries for f in e.facts if f.word == "placed"] == ["placed"]


def test_what_is_due_elsewhere_waits() -> None:
    turn = bought(
        shop({**FOOT, "due": "=turn + 1"}), position(PURSE), ("buy", {"n": 1, "item": "foot", "site": "a"})
    )
    complete.run(NODE, turn)
    assert standing(turn) == {}
    with turn.journal.entry("test/turn"):
        turn.journal.set("game", "game", "turn", 6)
    complete.run(NODE, turn)
    assert standing(turn) == {"red foot a": 1}


@pytest.mark.parametrize(("how", "coin", "kept"), [("lost", 32, 0), ("refund", 50, 0), ("hand", 32, 1)])
def test_a_site_that_is_lost(how: str, coin: int, kept: int) -> None:
    turn = bought(
        shop({**FOOT, "if_lost": how}), position(PURSE), ("buy", {"n": 3, "item": "foot", "site": "a"})
    )
    lose(turn, "a")
    complete.run(NODE, turn)
    assert standing(turn) == {}
    assert turn.state.get("treasuries", "red", "coin") == coin
    assert turn.state.get("treasuries", "red", "men") == 9, "nothing is used up with a site that is lost"
    assert len(turn.state.table("under_way")) == kept


def test_works_stand_on_the_border_they_face() -> None:
    turn = bought(shop(), position(PURSE), ("dig", {"site": "b", "target": "c"}))
    complete.run(NODE, turn)
    assert turn.world.value("border('c', 'b').works", {}) == "ditch"
    assert turn.world.value("border('b', 'c').works", {}) == "none"


def test_a_facility_becomes_a_field_of_its_place() -> None:
    turn = bought(shop(), position(PURSE), ("buy", {"n": 1, "item": "mill", "site": "b"}))
    complete.run(NODE, turn)
    assert turn.world.value("place('b').mill", {}) is True


def test_fittings_alter_as_many_units_as_were_bought() -> None:
    state = position(PURSE, {"red boat z": 3})
    turn = bought(shop(), state, ("buy", {"n": 2, "item": "lamp", "site": "a"}))
    complete.run(NODE, turn)
    assert {k: r["n"] for k, r in turn.state.table("units").items()} == {
        "red.boat@z": 1,
        "red.boat@z[lamp=True]": 2,
    }


def test_fittings_cannot_be_bought_for_more_units_than_there_are() -> None:
    state = position(PURSE, {"red boat z": 3})
    orders = [("red", "buy", {"n": 2, "item": "lamp", "site": "a"})] * 2
    turn = turn_of(shop(), state, orders)
    purchase.run({"step": "build", "do": "purchase"}, turn)
    assert refusals(turn) == ["nothing there can take it"]


def test_a_technology_comes_into_force() -> None:
    ruleset = shop(technologies=[{"id": "lenses", "levels": 2}])
    under = {"red#0001": {"nation": "red", "what": "lenses", "n": 1, "due": "placement", "since": 5}}
    turn = turn_of(ruleset, position(PURSE, under_way=under))
    assert turn.world.value("coming('red', 'lenses')", {}) == 1
    complete.run(NODE, turn)
    assert turn.world.value("level('red', 'lenses')", {}) == 1
    assert turn.world.value("coming('red', 'lenses')", {}) == 0


def test_what_is_in_hand_is_placed_within_the_room_of_the_site() -> None:
    room = {"id": "yard", "of": "place", "is": 2, "for": ["land"], "at": "complete"}
    put = {
        "id": "put",
        "syntax": "put {n} {item} in {site}",
        "slots": {"n": "number", "item": "item", "site": "place"},
        "step": "placement",
    }
    hand = {"red#0001": {"nation": "red", "what": "foot", "item": "foot", "n": 3, "due": "hand", "since": 4}}
    orders = [
        ("red", "put", {"n": n, "item": "foot", "site": s})
        for n, s in ((2, "a"), (1, "a"), (2, "b"), (1, "b"))
    ]
    turn = turn_of(
        shop(placement_limits=[room], orders=[*ORDERS, put]),
        position(PURSE, under_way=hand),
        orders,
        "placement",
    )
    complete.run({**NODE, "orders": ["put"]}, turn)
    assert standing(turn) == {"red foot a": 2, "red foot b": 1}
    assert refusals(turn) == ["there is room for 0 only", "there are not 2 of them in hand"]
    assert not turn.state.table("under_way")
