"""Buying: prices, purses, sites, fees, what is used up, rooms, and refusals that change nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.core.model import Row, Ruleset
from wteaw.economy import purchase
from wteaw.economy.catalogue import Market, Quote
from wteaw.turn.context import Turn
from wteaw.turn.validated_orders import Refusal, RefusalCode
from wteaw.world.world import World

from .economy import BY_REGION, ORDERS, position, refusals, rules, turn_of

FOOT: Row = {
    "id": "foot", "makes": "foot", "due": "placement", "site": "place.holder == self", "site_message": "not yours",
    "sites": [{"id": "town", "when": "place.town"}, {"id": "country", "when": "place.kind == 'land'", "fee": 5}],
    "uses": {"men": {"each": 1, "taken": "complete", "short": {"times": 2}}}, "if_lost": "lost",
}  # fmt: skip
GUN: Row = {
    "id": "gun",
    "makes": "gun",
    "due": "placement",
    "site": "place.holder == self and place.mill",
    "site_message": "needs a mill",
}
DITCH: Row = {"id": "ditch", "price": 5, "works": "ditch", "due": "placement", "site": "place.holder == self",
              "facing": {"among": "neighbors(place, 'land')", "when": "border(target, place).works == 'none'"}}  # fmt: skip
NODE: Row = {"step": "build", "do": "purchase"}


def shop(*items: Row, **forms: list[Row]) -> Ruleset:
    return rules(production=list(items) or [FOOT, GUN, DITCH], **forms)


def bought(
    ruleset: Ruleset, stores: dict[str, dict[str, int]], *orders: tuple[str, dict[str, Any]], **more: Any
) -> Turn:
    turn = turn_of(ruleset, position(stores, **more), [("red", order, slots) for order, slots in orders])
    purchase.run(NODE, turn)
    return turn


def buy(n: int, item: str, site: str) -> tuple[str, dict[str, Any]]:
    return "buy", {"n": n, "item": item, "site": site}


def test_a_purchase_is_paid_and_goes_under_way() -> None:
    turn = bought(shop(), {"red": {"coin": 30, "men": 9}}, buy(3, "foot", "a"))
    assert turn.state.get("treasuries", "red", "coin") == 12
    (row,) = turn.state.table("under_way").values()
    assert (row["what"], row["n"], row["at"], row["due"], row["cost"]) == ("foot", 3, "a", "placement", 18)
    assert not turn.state.table("units")


def test_prices_are_those_of_the_buyers_own_kind() -> None:
    assert Market(World(shop(), position({"blue": {"coin": 8, "men": 2}})), "blue").price(FOOT)[0] == 4


def test_a_line_that_cannot_be_paid_is_refused_whole_and_the_next_is_tried() -> None:
    turn = bought(shop(), {"red": {"coin": 20, "men": 9}}, buy(4, "foot", "a"), buy(3, "foot", "a"))
    assert refusals(turn) == ["costs 24 coin, 20 left there"]
    assert turn.state.get("treasuries", "red", "coin") == 2


def test_lines_are_paid_from_the_top() -> None:
    turn = bought(shop(), {"red": {"coin": 20, "men": 9}}, buy(1, "gun", "a"), buy(2, "foot", "a"))
    assert refusals(turn) == ["costs 12 coin, 11 left there"]


def test_the_fee_of_a_kind_of_site_is_added_to_each() -> None:
    turn = bought(shop(), {"red": {"coin": 40, "men": 9}}, buy(3, "foot", "b"))
    assert turn.state.get("treasuries", "red", "coin") == 40 - 3 * (6 + 5)


def test_what_is_short_multiplies_the_price_but_not_the_fee() -> None:
    turn = bought(shop(), {"red": {"coin": 99, "men": 1}}, buy(3, "foot", "b"))
    assert turn.state.get("treasuries", "red", "coin") == 99 - (6 + 12 + 12 + 3 * 5)
    built = next(f for e in turn.journal.entries for f in e.facts if f.word == "built")
    assert built.roles["dear"] == 2


def test_what_is_ordered_in_one_line_is_short_for_the_next() -> None:
    turn = bought(shop(), {"red": {"coin": 99, "men": 2}}, buy(2, "foot", "a"), buy(1, "foot", "a"))
    assert turn.state.get("treasuries", "red", "coin") == 99 - 2 * 6 - 12
    assert turn.state.get("treasuries", "red", "men") == 2, "taken only when the units appear"


def test_an_item_may_be_refused_where_its_stock_is_short() -> None:
    turn = bought(
        shop({**FOOT, "uses": {"men": 2}}),
        {"red": {"coin": 99, "men": 5}},
        buy(3, "foot", "a"),
        buy(2, "foot", "a"),
    )
    assert refusals(turn) == ["there is men for 2 only"]
    assert turn.state.get("treasuries", "red", "men") == 1


@pytest.mark.parametrize(("item", "site", "why"), [("foot", "c", "not yours"), ("gun", "b", "needs a mill"), ("tower", "a", "nothing called tower can be bought")])  # fmt: skip
def test_a_site_is_refused_in_the_rows_words(item: str, site: str, why: str) -> None:
    assert refusals(bought(shop(), {"red": {"coin": 99, "men": 9}}, buy(1, item, site))) == [why]


def test_a_region_pays_from_its_own_purse() -> None:
    stores = {"red/a": {"coin": 50, "men": 9}, "red/e": {"coin": 7, "men": 1}}
    turn = bought(shop(resources=BY_REGION), stores, buy(2, "foot", "e"), buy(1, "foot", "e"))
    assert refusals(turn) == ["costs 18 coin, 7 left there"], "one man there: the second costs double"
    assert turn.state.get("treasuries", "red/e", "coin") == 1
    assert turn.state.get("treasuries", "red/a", "coin") == 50


def test_works_name_the_border_and_are_dug_there_once() -> None:
    orders = [
        ("dig", {"site": "b", "target": "c"}),
        ("dig", {"site": "b", "target": "c"}),
        ("dig", {"site": "b", "target": "d"}),
    ]
    turn = bought(shop(), {"red": {"coin": 99, "men": 9}}, *orders)
    assert refusals(turn) == ["it is bought already where it would face c", "it cannot face d"]
    assert [r["facing"] for r in turn.state.table("under_way").values()] == [["c"]]


def test_all_borders_at_once_for_one_price() -> None:
    ring = {**DITCH, "id": "ring", "price": "=10", "facing": {**DITCH["facing"], "all": True}}
    orders = [{**ORDERS[1], "id": "ring", "does": "ring"}]
    turn = bought(shop(ring, orders=orders), {"red": {"coin": 12}}, ("ring", {"site": "b"}))
    assert turn.state.get("treasuries", "red", "coin") == 2
    assert [r["facing"] for r in turn.state.table("under_way").values()] == [["a", "c"]]


BOAT: Row = {"id": "boat", "makes": "boat", "due": "placement", "site": "place.holder == self and place.town",
             "site_message": "no yard", "appears": "neighbors(place, 'shore')"}  # fmt: skip


@pytest.mark.parametrize("site", ["a", "z"])
def test_ships_are_ordered_for_the_yard_or_for_the_water_beside_it(site: str) -> None:
    turn = bought(shop(BOAT), {"red": {"coin": 25}}, buy(1, "boat", site))
    (row,) = turn.state.table("under_way").values()
    assert row["into"] == "z"
    assert row["at"] in ("a", "e")


def test_a_room_counts_what_the_turn_has_bought_already() -> None:
    room = {
        "id": "country",
        "of": "place",
        "is": "=place.worth",
        "for": ["foot"],
        "when": "not place.town",
        "words": "{n} more",
    }
    turn = bought(
        shop(placement_limits=[room]),
        {"red": {"coin": 99, "men": 9}},
        buy(2, "foot", "b"),
        buy(2, "foot", "b"),
        buy(9, "foot", "a"),
    )
    assert refusals(turn) == ["1 more"]


def test_a_site_without_a_room_of_its_own_draws_on_others_the_emptiest_first() -> None:
    room = {
        "id": "yard",
        "of": "place",
        "is": "=place.worth",
        "for": ["gun"],
        "draws": "places(holder=self, town=True)",
    }
    market = Market(
        World(
            shop({**GUN, "site": "place.holder == self"}, placement_limits=[room]),
            position({"red": {"coin": 99}}),
        ),
        "red",
    )
    quote = market.quote("gun", "b", 6)
    assert isinstance(quote, Quote)
    assert quote.rooms == (("yard", "a", 5), ("yard", "e", 1))
    market.take(quote)
    assert market.quote("gun", "b", 2) == Refusal(RefusalCode.SITE, "there is room for 1 only", "n")


def test_a_lot_gives_several_for_one_price_and_hand_items_need_no_site() -> None:
    turn = bought(
        shop({**GUN, "hand": True, "lot": 2, "due": "hand"}),
        {"red": {"coin": 20}},
        ("buy", {"n": 2, "item": "gun"}),
    )
    (row,) = turn.state.table("under_way").values()
    assert (row["n"], row.get("at"), turn.state.get("treasuries", "red", "coin")) == (4, None, 2)


def test_what_is_bought_into_hand_waits_there_until_it_is_placed() -> None:
    turn = bought(
        shop({**{k: v for k, v in GUN.items() if k != "due"}, "hand": True}),
        {"red": {"coin": 20}},
        ("buy", {"n": 1, "item": "gun"}),
    )
    (row,) = turn.state.table("under_way").values()
    assert (row["n"], row["due"], row.get("at")) == (1, "hand", None)


@pytest.mark.parametrize(("price", "coin"), [(7, 13), ("=7", 13), ("dear", 9), (None, 14)])
def test_a_price_is_a_number_an_expression_or_a_quantity(price: int | str | None, coin: int) -> None:
    quantities = [{"id": "price", "of": "item", "base": 6}, {"id": "dear", "of": "item", "base": 11}]
    ruleset = shop({**FOOT, "uses": {}, **({"price": price} if price is not None else {})}, stats=quantities)
    turn = bought(ruleset, {"red": {"coin": 20}}, buy(1, "foot", "a"))
    assert turn.state.get("treasuries", "red", "coin") == coin


def test_a_room_is_for_groups_too() -> None:
    rooms = [{"id": "depot", "of": "nation", "for": ["arms"], "is": 1}]
    groups = [{"id": "arms", "of": "units", "members": ["gun"]}]
    ruleset = shop(GUN, FOOT, placement_limits=rooms, groups=groups)
    turn = bought(ruleset, {"red": {"coin": 99, "men": 9}}, buy(2, "gun", "a"), buy(2, "foot", "a"))
    assert [r["what"] for r in turn.state.table("under_way").values()] == ["foot"]


def test_something_due_in_a_later_turn_says_which() -> None:
    turn = bought(shop({**GUN, "due": "=turn + 3"}), {"red": {"coin": 20}}, buy(1, "gun", "a"))
    assert [r["due"] for r in turn.state.table("under_way").values()] == [8]


def test_what_is_ready_at_once_appears_at_once() -> None:
    turn = bought(shop({**GUN, "due": None}), {"red": {"coin": 20}}, buy(1, "gun", "a"))
    assert turn.state.get("units", "red.gun@a", "n") == 1


def test_the_absent_buy_in_turns_up_to_their_share() -> None:
    gone = [
        {
            "when": "nation.id == 'red'",
            "spends": {"most": 25, "cycle": ["foot", "foot", "gun"]},
        }
    ]
    rules = replace(shop(), manifest={"settings": {"players": {"without_orders": gone}}})
    turn = turn_of(rules, position({"red": {"coin": 99, "men": 9}, "blue": {"coin": 99}}))
    purchase.run({**NODE, "absent": True}, turn)
    got = [r["what"] for r in turn.state.table("under_way").values()]
    assert got == ["foot", "foot", "gun"], "21 of 25: nothing more fits"
    assert turn.state.get("treasuries", "red", "coin") == 78


def test_others_do_not_read_what_was_bought() -> None:
    turn = bought(shop(), {"red": {"coin": 30, "men": 9}}, buy(3, "foot", "a"))
    assert {e.audience for e in turn.journal.entries if e.changes} == {("red",)}


@given(
    coin=st.integers(0, 120),
    men=st.integers(0, 12),
    n=st.integers(1, 15),
    site=st.sampled_from(["a", "b", "e"]),
)
def test_an_offer_names_exactly_the_most_that_can_be_bought(coin: int, men: int, n: int, site: str) -> None:
    world = World(
        shop(FOOT, placement_limits=[{"id": "r", "of": "place", "is": 9, "when": "place.town"}]),
        position({"red": {"coin": coin, "men": men}}),
    )
    most = next((o.most for o in Market(world, "red").offers() if o.site == site), 0)
    assert isinstance(Market(world, "red").quote("foot", site, n), Quote) == (n <= most)


@given(
    st.lists(
        st.tuples(st.sampled_from(["foot", "gun"]), st.sampled_from(["a", "b", "e"]), st.integers(1, 4)),
        max_size=6,
    )
)
def test_the_checker_and_the_purchase_agree(lines: list[tuple[str, str, int]]) -> None:
    state = position({"red": {"coin": 60, "men": 5}})
    world = World(shop(), state.copy())
    market, said = Market(world, "red"), []
    for item, site, n in lines:
        found = market.quote(item, site, n)
        if isinstance(found, Quote):
            market.take(found)
        else:
            said.append(found.text)
    turn = turn_of(shop(), state, [("red", *buy(n, item, site)) for item, site, n in lines])
    purchase.run(NODE, turn)
    assert refusals(turn) == said
