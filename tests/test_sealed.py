"""What sealed games need of the engine: things shown at a step, hands, answers in numbers, ways with their own allowance."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.faults import RuleError
from wteaw.core.state import Entity, State
from wteaw.orders.legal import legal_orders
from wteaw.turn.calendar import end_turn
from wteaw.turn.context import Turn
from wteaw.turn.decisions import decide
from wteaw.turn.effects import EffectRunner
from wteaw.turn.referee import Inputs, resolve, start
from wteaw.turn.sequence import run_step
from wteaw.units.land_orders import unlike
from wteaw.world import routes
from wteaw.world.view import view
from wteaw.world.world import World

from . import small
from .test_sequence import DICE

UNDER_WAY: dict[str, Any] = {"red#0001": {"nation": "red", "what": "horse", "at": "birch", "n": 2}}
SHOWS: small.Rows = [
    {"id": "closed", "what": "under_way", "to": "everyone", "as": "number"},
    {"id": "own", "what": "under_way", "to": "owner"},
    {"id": "open", "what": "under_way", "to": "everyone", "opens": "turn", "says": "Shown."},
]


def effects(turn: Turn, *effects: Any, **names: Any) -> None:
    with turn.journal.entry("actions/test") as entry:
        EffectRunner(turn, entry, "actions/test", "").effects(
            effects, {"self": Entity("nation", "red"), **names}
        )


def of(turn: Turn, reader: str) -> list[dict[str, Any]]:
    return list(view(turn.ruleset, turn.state, reader).table("under_way").values())


# ---- shown at a step


def test_only_the_number_shows_until_a_step_opens_the_row_and_only_for_the_turn() -> None:
    turn = small.turn(small.ruleset(visibility=SHOWS), small.state(under_way=UNDER_WAY))
    assert of(turn, "blue") == [{"nation": "red", "at": "birch", "what": "?", "n": 2}]
    assert [r["what"] for r in of(turn, "red")] == ["horse"]
    run_step(turn, {"step": "show", "do": "inform", "visibility": ["open"]})
    assert [r["what"] for r in of(turn, "blue")] == ["horse"]
    assert [e.text for e in turn.journal.entries if e.audience == ("everyone",) and e.data] == [
        "Shown. Red: 2 Horse in birch."
    ]
    turn.state.put("game", "game", "turn", 2)
    assert [r["what"] for r in of(turn, "blue")] == ["?"]


def test_a_row_opened_for_good_stays_open_and_is_told_to_those_it_is_for() -> None:
    rows: small.Rows = [{"id": "allies", "what": "under_way", "to": "side", "opens": "game", "says": "Look."}]
    turn = small.turn(small.ruleset(visibility=rows), small.state(under_way=UNDER_WAY))
    run_step(turn, {"step": "show", "do": "inform", "visibility": ["allies"]})
    assert {e.audience for e in turn.journal.entries if e.text.startswith("Look.")} == {("red",)}
    turn.state.put("game", "game", "turn", 9)
    assert of(turn, "red") and not of(turn, "blue")


# ---- orders of several input points


def test_orders_of_an_earlier_input_point_are_laid_away() -> None:
    frame = [
        {"input": "first", "from": "everyone"},
        {"step": "one", "do": "act", "actions": ["cheer"]},
        {"input": "second", "from": "everyone"},
        {"step": "two", "do": "act", "actions": ["cheer"]},
    ]
    acts: small.Rows = [
        {"id": "cheer", "syntax": "cheer", "effects": [{"change": {"of": "=self", "field": "calm", "by": 1}}]}
    ]
    rules = small.ruleset(frame, actions=acts)
    position = start(rules, small.state(game={"game": {"turn": 0}}), DICE).position
    position = resolve(
        rules, position, Inputs({"red": [small.order("cheer"), small.order("cheer", 2)]}), DICE
    ).position
    assert position.state.get("nations", "red", "calm") == 9
    position = resolve(rules, position, Inputs({"red": [small.order("cheer")]}), DICE).position
    assert position.state.get("nations", "red", "calm") == 10, (
        "the second of the first input is not carried out again"
    )


def test_a_pass_that_uses_nothing_up_is_told_instead_of_going_on_for_ever() -> None:
    frame = [
        {"passes": {"over": "set_of('red')", "while": "True"}, "steps": [{"step": "idle", "do": "moment"}]}
    ]
    with pytest.raises(RuleError, match="passes without end"):
        start(small.ruleset(frame), small.state(game={"game": {"turn": 0}}), DICE)


# ---- decisions


@pytest.mark.parametrize(
    ("answers", "expected"), [({}, 1), ({"red": 3}, 3), ({"red": 99}, 5), ({"blue": "all"}, 5)]
)
def test_a_number_is_asked_of_a_set_and_kept_in_its_bounds(answers: dict[str, Any], expected: int) -> None:
    row = {"id": "share", "asks": "=set_of('blue', 'red')", "least": 1, "most": "=2 + 3", "default": "none"}
    turn = small.turn(small.ruleset(), small.state(answers={n: {"share": a} for n, a in answers.items()}))
    assert decide(turn, row, {}, lambda: turn.stream("x/y", "")) == expected


def test_an_answer_about_one_thing_does_not_speak_for_another() -> None:
    row = {"id": "share", "about": "place", "most": 9, "default": 2}
    turn = small.turn(small.ruleset(), small.state(answers={"red": {"share/ash": 7}}))
    stream = lambda: turn.stream("x/y", "")  # noqa: E731
    names = {"self": Entity("nation", "red")}
    assert decide(turn, row, {**names, "place": Entity("place", "ash")}, stream) == 7
    assert decide(turn, row, {**names, "place": Entity("place", "birch")}, stream) == 2


def test_answers_that_stand_for_a_turn_lapse_at_its_end() -> None:
    rows: small.Rows = [{"id": "once", "stands": "turn"}, {"id": "always"}]
    turn = small.turn(
        small.ruleset(decisions=rows), small.state(answers={"red": {"once/ash": 1, "always": 2}})
    )
    end_turn(turn)
    assert turn.state.row("answers", "red") == {"always": 2}


def test_a_choice_binds_its_answer_for_the_effects() -> None:
    rows: small.Rows = [{"id": "gift", "most": "=stock(self, 'gold')", "default": "all"}]
    turn = small.turn(small.ruleset(decisions=rows), small.state(answers={"red": {"gift": 6}}))
    pay = {"pay": {"from": "=self", "to": "blue", "what": "gold", "amount": "=answer"}}
    effects(turn, {"choose": "gift", "effects": [pay]})
    assert (turn.state.get("treasuries", "red", "gold"), turn.state.get("treasuries", "blue", "gold")) == (
        14,
        11,
    )


# ---- units out of lists and pools


def test_lists_of_units_are_made_up_to_what_the_pool_holds() -> None:
    units: small.Rows = [
        {"id": "foot", "name": "Foot", "pieces": 6},
        {"id": "horse", "name": "Horse", "pieces": 3},
    ]
    turn = small.turn(small.ruleset(units=units))
    effects(
        turn,
        {"create": {"units": "=wanted", "for": "=self", "at": "ash", "pool": "pieces"}},
        wanted={"foot": 5, "horse": 2},
    )
    assert turn.state.get("units", "red.foot@ash", "n") == 2, "four of six stand elsewhere"
    assert turn.state.get("units", "red.horse@ash", "n") == 2


def test_a_condition_set_to_its_default_is_none_and_stacks_meet() -> None:
    fields: small.Rows = [{"id": "mood", "of": ["unit"], "type": "text", "default": "fresh"}]
    units = {
        "red.foot@ash": {"owner": "red", "kind": "foot", "place": "ash", "n": 1},
        "red.foot@ash[mood=tired]": {"owner": "red", "kind": "foot", "place": "ash", "n": 2, "mood": "tired"},
    }
    turn = small.turn(small.ruleset(fields=fields), small.state(units=units))
    effects(turn, {"change": {"of": "=units(at='ash', mood='tired')", "field": "mood", "to": "fresh"}})
    assert turn.state.table("units") == {"red.foot@ash": {**units["red.foot@ash"], "n": 3}}


def test_so_many_of_what_is_under_way_to_a_place_are_dropped() -> None:
    rows = {**UNDER_WAY, "blue#0001": {"nation": "blue", "what": "horse", "at": "birch", "n": 1}}
    turn = small.turn(small.ruleset(), small.state(under_way=rows))
    effects(turn, {"cancel": {"under_way": "horse", "of": "=self", "at": "birch", "n": 1}})
    assert turn.world.value("coming('red', 'horse', 'birch')", {}) == 1
    assert turn.world.value("coming('red', 'horse', 'ash')", {}) == 0
    assert turn.world.value("coming('blue', 'horse')", {}) == 1


def test_words_about_sets_and_lists() -> None:
    world = small.turn(small.ruleset()).world
    ids = lambda text, **names: [t.id for t in world.value(text, names)]  # noqa: E731
    assert ids("in_order(places(), 'worth')") == ["dale", "birch", "ash", "cedar"]
    assert ids("first(in_order(places(), 'worth'), 2)") == ["dale", "birch"]
    assert world.value("listed(units)", {"units": {"foot": 2, "horse": 1}}) == 3
    assert world.value("listed(units, 'army')", {"units": {"foot": 2, "horse": 1}}) == 2


# ---- ways with an allowance of their own, orders that must agree, units that cannot move

RING: dict[str, small.Rows] = {
    "places": [{"id": p, "kind": "land"} for p in ("home", "near", "wild", "goal")],
    "links": [{"between": b} for b in (["home", "near"], ["near", "goal"], ["home", "wild"], ["wild", "goal"])],
    "definitions": [{"id": "paved", "of": ["place"], "is": "place.id in set_of('home', 'near')"}],
    "movement": [
        {
            "id": "walk", "links": ["land"], "by_way": True, "steps": "=3 if all(path.places, 'paved') else 1",
            "cost": "=1 if path.last.id == 'wild' else (2 if path.last.id == 'near' else 1)",
        }
    ],
    "orders": [
        {
            "id": "go", "syntax": "go {units} from {origin} to {target}", "step": "going", "does": "walk", "alike": ["origin"],
            "slots": {"units": "units", "origin": "place", "target": "place"}, "requires": [{"test": "origin.id == 'home'", "message": "no"}],
        }
    ],
}  # fmt: skip


def ring(**more: Any) -> World:
    units = {
        "red.foot@home": {"owner": "red", "kind": "foot", "place": "home", "n": 3},
        "red.foot@near": {"owner": "red", "kind": "foot", "place": "near", "n": 1},
    }
    rules = small.ruleset(
        [{"input": "orders", "from": "everyone"}, {"step": "going", "do": "move", "movement": ["walk"]}],
        **RING,
        **more,
    )
    return World(rules, State({"game": {"game": {"turn": 1}}, "units": units}))


def test_a_dearer_way_is_taken_where_only_it_is_within_its_allowance() -> None:
    found = routes.reach(ring(), "red", "walk", "home", ["foot"])
    assert found["goal"] == (3, ("home", "near", "goal")), (
        "over the wild it would cost 2, but one point is all there is"
    )
    assert found["wild"][0] == 1


def test_orders_that_must_start_from_one_place_do() -> None:
    turn = Turn(ring().ruleset, ring().state, DICE)
    first = {"order": "orders/go", "slots": {"origin": "home"}}
    assert unlike(turn, {"order": "orders/go", "slots": {"origin": "home"}}, first) is None
    assert "same origin" in str(unlike(turn, {"order": "orders/go", "slots": {"origin": "near"}}, first))


def test_legal_moves_start_only_where_the_order_may() -> None:
    assert {legal.slots["origin"] for legal in legal_orders(ring(), "red", ["orders/go"])} == {"home"}


def test_units_that_are_unfit_are_not_free_to_move() -> None:
    world = ring()
    world.ruleset.manifest["settings"] = {"unfit": "unit.place.id == 'home'"}
    assert routes.free_stacks(world, "red", "home") == []
    assert len(routes.free_stacks(world, "red", "near")) == 1


def test_a_policy_weighs_goals_and_sends_what_its_rule_says() -> None:
    moves = [{"order": "go", "most": 1, "weight": "=5 if target.id == 'goal' else 0", "send": "=n - 1"}]
    world = ring(policies=[{"id": "mover", "moves": moves}])
    (order,) = plan(world, "red", DICE.stream(step="input", rule="policies/plan", subject="red"))
    assert order["slots"] == {"units": {"foot": 2}, "origin": "home", "target": "goal"}


@pytest.mark.parametrize(
    ("rule", "sent"), [({"send": "=n - 1"}, [2]), ({"send": 1}, [1, 1]), ({"send": 3}, [3])]
)
def test_a_policy_counts_as_left_whom_it_has_not_sent_yet(rule: dict[str, Any], sent: list[int]) -> None:
    moves = [
        {"order": "go", "most": 3, "when": "n > 1", **rule},
        {"order": "go", "when": "n > 1", "weight": 1},
    ]
    orders = plan(
        ring(policies=[{"id": "mover", "moves": moves}]),
        "red",
        DICE.stream(step="input", rule="plan", subject="red"),
    )
    assert [order["slots"]["units"]["foot"] for order in orders] == sent, "one stays where there were three"
