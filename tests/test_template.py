"""The order file that a nation is sent: every line that it offers stands as soon as its mark is taken away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wteaw.orders.check import check
from wteaw.orders.intake import take_in
from wteaw.orders.legal import legal_orders
from wteaw.orders.parse import parse_orders
from wteaw.orders.rows import orders_now
from wteaw.orders.template import order_template
from wteaw.turn.referee import waiting_seats
from wteaw.world.world import World

from .test_law_orders import begun, known_to

LEAST = {"1914": 60, "third-edition-1914": 40, "alliances-6": 5, "diplomacy": 3}
"""Lines that the template of the best supplied of some nations offers at least."""


def offered(world: World, nation: str) -> list[str]:
    text = order_template(world, nation, game="g")
    return [line for line in text.splitlines() if line.startswith("#") and not line.startswith("##")]


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("name", LEAST)
def test_every_line_stands_when_its_mark_is_taken_away(name: str, turn: int) -> None:
    ruleset, _, here = begun(name, turn)
    found: list[int] = []
    for nation in sorted(waiting_seats(ruleset, here), key=lambda n: -len(here.state.stacks(owner=n)))[:3]:
        world = known_to(name, here, nation)
        lines = offered(world, nation)
        found.append(len(lines))
        for line in lines:
            taken = take_in(ruleset, line.removeprefix("#"), lambda _, world=world: world, nation=nation)  # type: ignore[misc]
            wrong = [d.message for d in taken.found if d.severity != "note" and d.code not in ("O301", "O302", "O305")]
            assert (len(taken.intents), wrong) == (1, []), f"{nation}: {line}"
    assert max(found) >= LEAST[name]


def test_what_nobody_may_fill_in_is_shown_as_a_form_and_read_over() -> None:
    _, _, here = begun("1914", 1)
    text = order_template(known_to("1914", here, "german-empire"), "german-empire", game="g")
    assert "\n## (transport|ship) <cargo>" in text and "\n# (transport|ship)" not in text
    assert "\n# build 13 tanks in Berlin " in text and "13 tank " not in text
    assert "<tasks>: " in text
    assert not [line for line in text.splitlines() if "<" in line.partition("   #")[0] and not line.startswith("##")]


def test_where_ground_may_not_be_bombed_is_not_offered() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")
    entries = [e for e in legal_orders(world, "german-empire") if e.order == "orders/bomb-ground"]
    for entry in entries:
        for target in entry.targets:
            order = {"nation": "german-empire", "order": entry.order, "slots": {**entry.slots, "target": target}, "options": {}}
            assert [d.message for d in check(world, "german-empire", [order]).found if d.severity == "error"] == []


def test_a_game_that_has_ended_offers_nothing() -> None:
    ruleset, geography, here = begun("1914", 1)
    state = here.state.copy()
    state.put("game", "game", "ended", True)
    over = World(ruleset, state, moments=here.moments, geography=geography)
    assert list(legal_orders(over, "german-empire")) == [] and offered(over, "german-empire") == []
    assert (
        check(over, "german-empire", [{"nation": "german-empire", "order": "orders/build", "slots": {}, "options": {}}]).orders
        == []
    )


def test_the_orders_of_a_step_that_the_turn_does_not_have_are_not_taken() -> None:
    ruleset, geography, here = begun("alliances-6", 1)
    frame = [dict(node) for node in ruleset.frame]

    def world(test: str) -> World:
        changed = replace(ruleset, frame=({"phase": "only", "when": test, "steps": frame},))
        return World(changed, here.state.copy(), moments=here.moments, geography=geography)

    assert not [k for k in orders_now(world("turn == 3")) or () if k.startswith("acts/")]
    assert [
        k for k in orders_now(world("turn == 1 and option('mole') == option('mole')")) or ["acts/all"] if k.startswith("acts/")
    ]
    assert [k for k in orders_now(world("some(nations())")) or ["acts/all"] if k.startswith("acts/")]


def test_only_the_options_that_an_order_may_carry_are_named() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")
    line = "sail 1 destroyer from Adriatic Sea to Ionian Sea: carefully"
    _, found = parse_orders(world.ruleset, line, nation="german-empire", state=world.state)
    assert found[0].code == "O106" and found[0].message.count("against") == 1


def test_units_that_can_never_go_on_are_not_sent_on() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")
    line = "move 2 infantry from cologne to belgium: then break through to amiens"
    taken = take_in(world.ruleset, line, lambda _: world, nation="german-empire")
    assert taken.intents == () and [d.code for d in taken.found if d.severity == "error"] == ["O207"]
    assert take_in(world.ruleset, line.partition(":")[0], lambda _: world, nation="german-empire").intents
