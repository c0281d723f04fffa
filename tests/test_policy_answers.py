"""Answers of the built-in policies to decisions: given beforehand, as a player gives them, by the rules of a row."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.dice import ScriptedDice
from wteaw.core.package_data import scenarios
from wteaw.core.state import unit_key
from wteaw.orders.check import check
from wteaw.orders.intake import accept
from wteaw.orders.kinds.answers import parted
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.world.world import World

from .test_alliances import played
from .test_policy import MOVE, dice, position, rules

TRIBUTE: dict[str, Any] = {
    "id": "tribute",
    "syntax": "take {answer} in {place}",
    "about": "place",
    "slots": {"place": "place", "answer": {"kind": "number", "least": 0}},
    "most": 9,
}
FLIGHT: dict[str, Any] = {
    "id": "flight",
    "syntax": "flee from {place} to {answer}",
    "about": "place",
    "slots": {"place": "place", "answer": "place"},
}


def answered(policy: dict[str, Any], *faces: int) -> dict[str, Any]:
    """What red answers, who has two units in c beside blue's d, and may march."""
    ruleset = rules(policy, orders=[MOVE], decisions=[TRIBUTE, FLIGHT])
    world = World(ruleset, position(("red", "foot", "c", 2), ("red", "foot", "a", 1), nations={}))
    found = plan(world, "red", dice(*faces))
    assert check(world, "red", found).found == []
    return parted(found)[1]


def test_a_number_is_said_for_each_thing_that_the_rule_names() -> None:
    rule = {
        "decision": "tribute",
        "each": "place",
        "among": {"place": "places(owner='blue')"},
        "slots": {"answer": "=count(neighbors(place))"},
    }
    assert answered({"answers": [rule]}) == {"tribute/d": 2, "tribute/e": 2, "tribute/f": 1}
    assert answered({"answers": [{**rule, "when": "place.id == 'f'"}]}) == {"tribute/f": 1}


@pytest.mark.parametrize(("face", "to"), [(1, "b"), (2, "d"), (4, "d")])
def test_among_what_may_be_answered_the_weight_decides(face: int, to: str) -> None:
    among = {"place": "set_of('c')", "answer": "neighbors(place)"}
    rule = {
        "decision": "flight",
        "each": "place",
        "among": among,
        "weight": "=1 if answer.owner == self else 3",
    }
    assert answered({"answers": [rule]}, face) == {"flight/c": to}


def test_an_answer_may_hang_on_what_was_ordered() -> None:
    rule = {"decision": "tribute", "each": "place", "among": {"place": "places(owner='blue')"}, "slots": {"answer": 1},
            "when": "ordered('orders/go', target=place) > 0"}  # fmt: skip
    go = {"order": "go", "when": "target.id == 'd'", "send": 1}
    assert answered({"answers": [rule]}) == {}
    assert answered({"answers": [rule], "moves": [go]}) == {"tribute/d": 1}


def test_what_policies_of_alliances_say_of_coins_is_paid_in_the_game() -> None:
    """Who says nothing takes none."""
    spoils = [entry for _, _, entries in played(5) for entry in entries if entry.rule == "events/spoils"]
    assert spoils
    for entry in spoils:
        (_, region, _, held, left), (_, taker, _, had, has) = entry.changes
        assert entry.subject == f"place:{region}" and left == 0 and has - had == held and taker != region


def of(
    scenario: str,
    nation: str,
    *units: tuple[str, str, str],
    holders: dict[str, str] | None = None,
    war: str = "",
) -> dict[str, Any]:
    """What a nation answers at the start of a game, with some more units (owner, kind, place), a war, and other holders of land."""
    data, ruleset, _ = load_scenario(scenarios() / f"{scenario}.yaml")
    assert data is not None and ruleset is not None
    state = initial_state(ruleset, data)
    for owner, kind, place in units:
        state.put(
            "units", unit_key(owner, kind, place), "*", {"owner": owner, "kind": kind, "place": place, "n": 2}
        )
    for place, holder in (holders or {}).items():
        state.put("places", place, "holder", holder)
    if war:
        state.put("relations", war, "*", {"stance": "war"})
    world = World(ruleset, state)
    found = plan(world, nation, ScriptedDice([1] * 5000).stream(step="input", rule="p", subject=nation))
    taken = accept(world, nation, found)
    assert not [
        d
        for d in taken.found
        if d.severity == "error"
        and d.line in {o["line"] for o in found if o["order"].startswith("decisions/")}
    ]
    return dict(taken.answers)


def test_submarines_without_ships_that_they_could_help_dive() -> None:
    alone = of("no-mans-land", "germany")
    assert alone["dive/sea-zone-23"] == 0
    joined = of("no-mans-land", "germany", ("germany", "cruiser", "sea-zone-23"))
    assert "dive/sea-zone-23" not in joined and joined.keys() == alone.keys() - {"dive/sea-zone-23"}


def test_a_general_at_the_front_goes_to_land_of_his_own_when_he_must() -> None:
    held = {"a3": "cressia", "a4": "aster", "a5": "aster", "b3": "borea"}
    general = ("aster", "general", "a4"), ("borea", "infantry", "b3")
    asked = {"general-retreats-to/a4": "a5"}
    assert of("empire-orders", "aster", *general, holders=held, war="aster--borea") == asked
    assert of("empire-orders", "aster", *general, holders=held) == {}
    assert of("empire-orders", "aster", *general[1:], holders=held, war="aster--borea") == {}
