"""Orders, templates and policies on the world of 1914: everything a policy orders is legal, and reads back as it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice
from wteaw.core.words import joined
from wteaw.orders.check import check
from wteaw.orders.grammar import Grammar
from wteaw.orders.legal import legal_orders
from wteaw.orders.names import Names
from wteaw.orders.parse import parse_orders
from wteaw.orders.sheet_layout import order_template
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.ruleset.order_syntax import FORM_OF, slots_in
from wteaw.units.attacking import ALONE
from wteaw.world.geography import Geography
from wteaw.world.view import Viewer
from wteaw.world.world import World

ROOT = Path(__file__).parent.parent
NATIONS = (
    "german-empire",
    "french-empire",
    "russian-empire",
    "austria-hungary",
    "british-empire",
    "japan",
    "serbia",
    "italy",
)


@pytest.fixture(scope="module")
def start() -> dict[str, World]:
    """The world at the start as each of some nations knows it."""
    scenario, ruleset, _ = load_scenario(ROOT / "scenarios" / "1914.yaml")
    assert scenario is not None and ruleset is not None
    state = initial_state(ruleset, scenario)
    state.put("game", "game", "turn", 1)
    geography = Geography(ruleset)
    viewer = Viewer(ruleset, state, geography=geography)
    return {n: World(ruleset, viewer.view(n), moments={}, geography=geography) for n in NATIONS}


def given(world: World, nation: str) -> list[dict[str, Any]]:
    return plan(
        world, nation, KeyedDice(b"orders", 1).stream(step="input", rule="policies/plan", subject=nation)
    )


def test_every_form_can_be_read_and_names_its_slots(start: dict[str, World]) -> None:
    ruleset = start["serbia"].ruleset
    grammar = Grammar.of(ruleset)
    assert grammar.faults == {}
    for form in (*grammar.forms, *grammar.options):
        kinds, declared = {s.name: s.kind for s in slots_in(form.pattern)}, set(form.row.get("slots", {}))
        assert not declared - set(kinds), f"{form.key}: {declared - set(kinds)} stands nowhere in the form"
        unclear = {name for name, kind in kinds.items() if kind == "text"} - declared
        assert not unclear, f"{form.key}: {unclear} holds no kind of its name"


def test_every_thing_is_found_under_the_name_that_is_printed(start: dict[str, World]) -> None:
    ruleset = start["serbia"].ruleset
    names = Names(ruleset)
    for kind, form in FORM_OF.items():
        for id_ in ruleset.rows(form):
            assert names.find(kind, joined(names.printed(kind, id_))) == (id_,), f"{kind} {id_}"


@pytest.mark.parametrize("nation", NATIONS)
def test_what_a_policy_orders_is_legal_and_reads_back(start: dict[str, World], nation: str) -> None:
    world = start[nation]
    orders = given(world, nation)
    assert check(world, nation, orders).found == []
    text = "\n".join(o["text"] for o in orders)
    read, found = parse_orders(world.ruleset, text, nation=nation, turn=1, state=world.state)
    assert found == []
    accepted, found = (checked := check(world, nation, read)).orders, checked.found
    assert found == []
    assert [(o["order"], o["slots"], o["options"]) for o in accepted] == [
        (o["order"], o["slots"], o["options"]) for o in orders
    ]


def test_those_at_war_march_and_build(start: dict[str, World]) -> None:
    for nation in NATIONS[:4]:
        kinds = {o["order"] for o in given(start[nation], nation)}
        assert "orders/build" in kinds and "orders/move" in kinds, nation


@pytest.mark.parametrize("nation", ["german-empire", "serbia"])
def test_the_template_is_of_bounded_length_and_says_nothing_by_itself(
    start: dict[str, World], nation: str
) -> None:
    world = start[nation]
    text = order_template(world, nation, game="g")
    assert len(text) < 60_000 and max(map(len, text.split("\n"))) < 1_000
    assert parse_orders(world.ruleset, text, nation=nation, game="g", turn=1, state=world.state) == ([], [])


def test_policies_think_of_what_they_hold_and_of_zones_where_something_can_be_stopped() -> None:
    """Lost home ground may be named for incorporation before it is free, and submarines be sent against any trade anywhere: a
    player who knows the zones does neither."""
    scenario, ruleset, _ = load_scenario(ROOT / "scenarios" / "1914.yaml")
    assert scenario is not None and ruleset is not None
    state = initial_state(ruleset, scenario)
    state.put("game", "game", "turn", 6)
    state.put("places", "konigsberg", "holder", "russian-empire")
    state.put("places", "warsaw", "holder", "german-empire")
    state.put("places", "warsaw", "incorporated", False)
    for zone in ("baltic-sea", "middle-atlantic"):
        row = {"owner": "german-empire", "kind": "submarine", "place": zone, "n": 4}
        state.put("units", f"german-empire/submarine/{zone}", "*", row)
    world = World(ruleset, Viewer(ruleset, state).view("german-empire"))
    found: dict[str, set[str]] = {}
    sailed: set[str] = set()
    for seed in range(8):
        stream = KeyedDice(b"%d" % seed, 1).stream(step="input", rule="policies/plan", subject="")
        for order in plan(world, "german-empire", stream):
            found.setdefault(order["order"], set()).add(str(order["slots"].get("place")))
            leaves = order["slots"].get("target", order["slots"].get("origin")) != order["slots"].get(
                "origin"
            )
            if order["order"] == "orders/sail" and "submarine" in order["slots"]["units"] and leaves:
                sailed.add(
                    f"{order['slots']['units']['submarine']} submarine from {order['slots']['origin']}"
                )
    assert found["actions/incorporate"] == {"warsaw"}
    assert found["actions/hunt-trade"] == {"middle-atlantic"}
    assert "5 submarine from baltic-sea" in sailed  # where nothing can be stopped
    assert not any(order.endswith("middle-atlantic") for order in sailed)
    assert "actions/aim-submarines" not in found  # there is no unrestricted warfare to aim


def test_legal_orders_stand_when_they_are_given(start: dict[str, World]) -> None:
    world = start["serbia"]
    for entry in legal_orders(world, "serbia"):
        if entry.open:
            continue
        slots = dict(entry.slots)
        if "units" in slots:
            slots["units"] = {next(iter(slots["units"])): 1}
        if entry.targets:
            slots["target"] = entry.targets[0]
        order = {"nation": "serbia", "order": entry.order, "slots": slots, "options": {}}
        errors = [d.message for d in check(world, "serbia", [order]).found if d.severity == "error"]
        assert errors in ([], [ALONE]), slots  # guns that fire into a place want others that go in


def test_what_no_form_carries_is_refused_with_what_comes_nearest(start: dict[str, World]) -> None:
    world = start["british-empire"]
    lines = ("upgrade 2 tanks", "fit 1 radar to 1 destroyer in london", "fit 1 tank to destroyer in london")
    orders, unread = parse_orders(
        world.ruleset, "\n".join(lines), nation="british-empire", turn=1, state=world.state
    )
    accepted, refused = (checked := check(world, "british-empire", orders)).orders, checked.found
    assert accepted == [] and [(d.line, d.severity) for d in (*unread, *refused)] == [
        (n, "error") for n in (1, 2, 3)
    ]
    hints = [d.hint for d in (*unread, *refused)]
    assert unread[0].instead[0] == "upgrade ?" and "Tanks" in hints[0]
    assert unread[1].instead[0] == "fit 1 radar to ? in London"
    assert hints[2].startswith(
        "allowed: repair of a battleship, repair of an aircraft carrier, radar on a ship"
    )
