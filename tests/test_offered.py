"""What an order form offers is what the door takes: into hand and out of it, on ways of short room, with means on the way."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.state import State, unit_key
from wteaw.orders.check import check
from wteaw.orders.legal import legal_orders
from wteaw.orders.parse import parse_orders
from wteaw.orders.sheet import offers_of
from wteaw.orders.sheet_layout import order_template
from wteaw.world.world import World

from .test_orders_check import MOVE, Rows, position, rules

ITEMS: Rows = [
    {
        "id": "foot",
        "makes": "foot",
        "price": 3,
        "hand": "may",
        "due": "place",
        "site": "place.holder == self",
    },
    {"id": "horse", "makes": "horse", "price": 5, "site": "place.id == 'ash'"},
]
BUY: dict[str, Any] = {
    "id": "buy",
    "syntax": "buy {n} {item} [in {site}]",
    "slots": {"n": "number", "item": "item", "site": {"kind": "place", "optional": True}},
    "step": "buy",
}
PLACE: dict[str, Any] = {
    "id": "put",
    "syntax": "place {n} {item} in {site}",
    "slots": {"n": "number", "item": "item", "site": "place"},
    "step": "place",
}
FRAME: Rows = [
    {"input": "orders"},
    {"do": "purchase", "step": "buy", "orders": ["buy"]},
    {"do": "complete", "step": "place", "orders": ["put"]},
]


def form(world: World) -> list[str]:
    """The lines that red is offered, each without its mark."""
    return [line[2:] for line in order_template(world, "red").splitlines() if line.startswith("# ")]


def all_stand(world: World) -> bool:
    """Whether the door takes every order that red is offered, each by itself."""
    lines = [text for _, some in offers_of(world, "red") for one in some for text in one.lines()]
    for line in lines:
        orders, unread = parse_orders(world.ruleset, line, nation="red", state=world.state)
        assert not unread and len(orders) == 1, line
        assert [d.message for d in check(world, "red", orders).found] == [], line
    return bool(lines)


def test_what_may_be_bought_into_hand_is_offered_without_a_place_too() -> None:
    world = World(rules(FRAME, orders=[BUY, PLACE], production=ITEMS), position())
    lines = form(world)
    assert any(line.startswith("buy 1 foot in ?") for line in lines) and all_stand(world)
    assert [line for line in lines if line.startswith("buy 1 foot ") and "placed later" in line]
    assert not [line for line in lines if line.startswith("buy 1 horse ") and "placed later" in line]
    bought = [(e.slots, e.most) for e in legal_orders(world, "red", ["orders/buy"]) if "site" not in e.slots]
    assert bought == [({"item": "foot", "n": 3}, 3)]


@pytest.mark.parametrize(("gold", "most"), [(2, []), (3, [1])])
def test_into_hand_goes_what_can_be_paid(gold: int, most: list[int]) -> None:
    world = World(
        rules(FRAME, orders=[BUY, PLACE], production=ITEMS), position(treasuries={"red": {"gold": gold}})
    )
    assert [e.most for e in legal_orders(world, "red", ["orders/buy"]) if "site" not in e.slots] == most


def test_an_order_that_must_name_a_place_does_not_buy_into_hand() -> None:
    buy = {**BUY, "syntax": "buy {n} {item} in {site}", "slots": {**BUY["slots"], "site": "place"}}
    world = World(rules(FRAME, orders=[buy], production=ITEMS), position())
    assert [e.slots["site"] for e in legal_orders(world, "red", ["orders/buy"])] == ["ash", "birch", "ash"]


def test_what_is_in_hand_is_offered_wherever_it_can_be_placed() -> None:
    hand = {"red#1": {"nation": "red", "what": "foot", "item": "foot", "n": 2, "due": "hand"}}
    room = {"id": "small", "of": "place", "is": 1, "at": "complete", "when": "place.id == 'birch'"}
    ruleset = rules(FRAME, orders=[BUY, PLACE], production=ITEMS, placement_limits=[room])
    world = World(ruleset, position(under_way=hand))
    found = {e.slots["site"]: e.slots["n"] for e in legal_orders(world, "red", ["orders/put"])}
    assert found == {"ash": 2, "birch": 1} and all_stand(world)
    assert any(line.startswith("place 1 foot in ?") for line in form(world))
    assert list(legal_orders(World(ruleset, position()), "red", ["orders/put"])) == []


@pytest.mark.parametrize(("hurt", "offered"), [(0, []), (1, [1]), (3, [3])])
def test_what_one_row_does_to_units_is_offered_where_they_are(hurt: int, offered: list[int]) -> None:
    mend = {"id": "mending", "makes": "foot", "price": 2, "due": "place", "site": "place.holder == self",
            "fits": {"units": "unit.hurt", "set": {"hurt": None}, "idle": True}}  # fmt: skip
    row = {
        "id": "mend",
        "syntax": "mend {n} [(foot|feet)] in {site}",
        "slots": {"n": "number", "site": "place"},
        "step": "buy",
        "does": "mending",
    }
    frame: Rows = [
        {"input": "orders"},
        {"do": "purchase", "step": "buy", "orders": ["mend"]},
        {"do": "complete", "step": "place"},
    ]
    foot = {"owner": "red", "kind": "foot", "place": "ash"}
    units = {unit_key("red", "foot", "ash"): {**foot, "n": 2}}
    if hurt:
        units[unit_key("red", "foot", "ash", {"hurt": True})] = {**foot, "n": hurt, "hurt": True}
    ruleset = rules(
        frame,
        orders=[row],
        production=[mend],
        fields=[{"id": "hurt", "of": ["unit"], "type": "bool", "default": False}],
    )
    world = World(ruleset, position(units=units))
    assert [e.most for e in legal_orders(world, "red", ["orders/mend"])] == offered
    assert all_stand(world)


RAIL: dict[str, Any] = {
    **MOVE,
    "id": "rail",
    "syntax": "rail {units} from {origin} to {target}",
    "does": "rail",
    "options": [],
}


def railway(room: dict[str, int], draws: list[str], feet: int = 4, **more: Any) -> World:
    places = [
        {"id": p, "name": p.title(), "kind": "land", "owner": "red", "track": room.get(p, 9)}
        for p in ("ash", "elm", "fir", "oak")
    ]
    links = [
        {"id": f"{a}--{b}", "between": [a, b]} for a, b in (("ash", "elm"), ("elm", "fir"), ("ash", "oak"))
    ]
    mode = {
        "id": "rail",
        "fights": False,
        "enter": "place.holder == self",
        "capacity": {"is": "place.track", "draws": draws},
    }
    ruleset = rules(
        places=places, links=links, passages=[], actions=[], movement=[mode], orders=[{k: v for k, v in RAIL.items() if k != "options"}],
        fields=[{"id": "track", "of": ["place"], "type": "number", "default": 0}],
    )  # fmt: skip
    feet_there = {"red/foot/ash": {"owner": "red", "kind": "foot", "place": "ash", "n": feet}}
    return World(ruleset, State({**BASE_STATE, "units": feet_there, **more}))


BASE_STATE: dict[str, Any] = {"game": {"game": {"turn": 1}}, "treasuries": {"red": {"gold": 10}}}


@pytest.mark.parametrize(
    ("room", "draws", "expected"),
    [
        ({"elm": 2, "fir": 3}, ["start", "pass", "end"], {"elm": 2, "fir": 2, "oak": 4}),
        ({"elm": 3, "fir": 2}, ["start", "pass", "end"], {"elm": 3, "fir": 2, "oak": 4}),
        ({"elm": 0}, ["start", "pass", "end"], {"oak": 4}),
        ({"elm": 0}, ["start", "end"], {"fir": 4, "oak": 4}),
        ({"ash": 3, "elm": 2}, ["start", "end"], {"elm": 2, "fir": 3, "oak": 3}),
        ({"elm": 4, "fir": 4}, ["start", "pass", "end"], {"elm": 4, "fir": 4, "oak": 4}),
    ],
)
def test_ways_are_listed_with_the_room_on_them(
    room: dict[str, int], draws: list[str], expected: dict[str, int]
) -> None:
    world = railway(room, draws)
    listed = {
        t: e.room.get(t, e.most) for e in legal_orders(world, "red", ["orders/rail"]) for t in e.targets
    }
    assert listed == expected
    for target in ("elm", "fir", "oak"):
        for n in range(1, 5):
            order = {
                "nation": "red",
                "order": "orders/rail",
                "slots": {"units": {"foot": n}, "origin": "ash", "target": target},
            }
            stands = bool(check(world, "red", [{**order, "options": {}}]).intents)
            assert stands == (n <= expected.get(target, 0)), (target, n)
    assert all_stand(world)


def test_what_has_gone_this_turn_takes_its_room_from_ways() -> None:
    loads = {"rail:oak": {"turn": 1, "n": 7}}
    world = railway({}, ["start", "pass", "end"], loads=loads)
    assert {t: e.room.get(t, e.most) for e in legal_orders(world, "red") for t in e.targets} == {
        "elm": 4,
        "fir": 4,
        "oak": 2,
    }
    assert [line.split("  ")[0] for line in form(world)] == ["rail 4 feet from Ash to ?"] and all_stand(world)


def test_where_there_is_room_for_none_of_all_the_most_that_can_go_are_offered() -> None:
    world = railway({"elm": 1, "oak": 3}, ["start", "pass", "end"])
    assert [line.split("  ")[0] for line in form(world)] == ["rail 3 feet from Ash to Oak"] and all_stand(
        world
    )


COLLECT: Rows = [
    {"input": "orders"},
    {"do": "act", "step": "early", "actions": ["court"]},
    {"each": "nations()", "as": "nation", "steps": [{"do": "collect", "step": "income"}]},
    {"do": "act", "step": "late", "actions": ["bet"]},
]


@pytest.mark.parametrize(
    ("gold", "income", "offered"),
    [(1, 0, []), (1, 1, ["bet 2"]), (0, 4, ["bet 2"]), (4, 0, ["bet 2", "court Gray"])],
)
def test_what_comes_in_before_an_act_pays_for_it(gold: int, income: int, offered: list[str]) -> None:
    yields = [{"id": "tax", "amount": f"={income}", "for": "red"}]
    ruleset = rules(COLLECT, orders=[], movement=[], income=yields)
    world = World(ruleset, position(treasuries={"red": {"gold": gold}}))
    lines = [line.split("  ")[0] for line in form(world)]
    assert sorted(lines) == offered
    for line in ("bet 2", "court Gray"):
        orders, _ = parse_orders(ruleset, line, nation="red", state=world.state)
        stands = [i for i in check(world, "red", orders).intents if not i.conditions]
        assert bool(stands) == (line in offered), line
