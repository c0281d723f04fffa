"""Purses: one for each connected part of a nation's land; they divide, meet and unite."""

from __future__ import annotations

from wteaw.world import treasury as stores
from wteaw.world.world import World

from .economy import BY_REGION, REGION, position, rules, turn_of


def world(purses: dict[str, dict[str, int]], **places: str) -> World:
    table = {p: {"holder": h} for p, h in places.items()}
    return World(rules(resources=BY_REGION), position(purses, places=table) if table else position(purses))


def test_places_that_hang_together_draw_on_one_purse() -> None:
    w = world({"red/a": {"coin": 4}, "red/e": {"coin": 3}})
    assert stores.purse_at(w, "red", "b", "coin") == "red/a"
    assert stores.purse_at(w, "red", "e", "coin") == "red/e"
    assert stores.stock(w, w.thing("red"), "coin") == 7


def test_a_part_without_a_purse_gets_one_seated_at_the_capital_or_its_first_place() -> None:
    w = world({})
    assert stores.purse_at(w, "red", "b", "coin") == "red/a"
    assert stores.purse_at(w, "red", "e", "coin") == "red/e"
    assert stores.purse_at(w, "blue", "d", "coin") == "blue/c"


def test_land_of_allies_joins_parts_but_belongs_to_none() -> None:
    w = world({"red/a": {"coin": 4}, "red/d": {"coin": 3}}, d="red")
    assert stores.purse_at(w, "red", "d", "coin") == "red/d", "the enemy holds c between them"
    w.state.put("relations", "blue--red", "*", {"stance": "pact"})
    assert stores.regions(w, "red", REGION) == [("a", "b", "d"), ("e",)]


def test_an_enemy_in_a_place_cuts_it_off() -> None:
    w = world({"red/a": {"coin": 4}})
    w.state.put("units", "blue.foot@b", "*", {"owner": "blue", "kind": "foot", "place": "b", "n": 1})
    assert stores.regions(w, "red", REGION) == [("a",), ("e",)]


def test_purses_that_meet_become_one_at_the_capital() -> None:
    turn = turn_of(
        rules(resources=BY_REGION),
        position({"red/a": {"coin": 4}, "red/c": {"coin": 9}}, places={"c": {"holder": "red"}}),
    )
    with turn.journal.entry("resources/coin"):
        stores.unite(turn.world, turn.journal, "red", "coin")
    assert turn.state.table("treasuries") == {"red/a": {"coin": 13}}


def test_one_purse_for_a_nation_without_a_row() -> None:
    w = World(rules(), position({"red": {"coin": 4}}))
    assert stores.purse_at(w, "red", "e", "coin") == "red"


def test_a_purse_is_out_of_reach_while_another_holds_its_seat() -> None:
    w = world({"red/a": {"coin": 4}, "red/e": {"coin": 9}}, e="blue")
    assert stores.stock(w, w.thing("red"), "coin") == 4
    w.state.put("places", "e", "holder", "red")
    assert stores.stock(w, w.thing("red"), "coin") == 13


def test_what_a_landless_nation_was_given_finds_a_seat() -> None:
    turn = turn_of(rules(resources=BY_REGION), position({"red": {"coin": 4}, "red/a": {"coin": 1}}))
    with turn.journal.entry("resources/coin"):
        stores.unite(turn.world, turn.journal, "red", "coin")
    assert turn.state.table("treasuries") == {"red/a": {"coin": 5}}
