"""Acts, events, matrices and the verbs: paid, rolled, carried out, told to the right readers."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.model import Ruleset
from wteaw.core.state import State
from wteaw.turn import acts as act
from wteaw.turn import events as watch
from wteaw.turn.context import Turn
from wteaw.turn.events import EventChain, settle

from . import small

COURT = {
    "id": "court",
    "syntax": "court {target}",
    "slots": {"target": "nation"},
    "requires": [{"test": "neutral(target)", "message": "{target} is not neutral"}],
    "cost": 10,
    "limit": {"1": ["nation", "target", "turn"]},
    "roll": {"die": "1d10", "at_least": 9},
    "effects": [{"shift": {"who": "=target", "track": "mood", "toward": "=self.side", "by": "0..8"}}],
    "audience": ["=self", "=target"],
}


def run_acts(
    rules: Ruleset, orders: dict[str, list[dict[str, Any]]], dice: Any = (), state: State | None = None
) -> Turn:
    turn = small.turn(rules, state, dice)
    with turn.journal.entry("test/orders"):
        for nation, listed in orders.items():
            for number, order in enumerate(listed, 1):
                turn.journal.put_row("orders", f"{nation}/{number:04d}", {"nation": nation, **order})
    turn.journal.entries.clear()
    act.run({"step": "actions", "actions": list(rules.rows("actions"))}, turn)
    return turn


def test_an_act_is_paid_and_rolled() -> None:
    turn = run_acts(small.ruleset(actions=[COURT]), {"red": [small.order("court", target="gray")]}, [9, 6])
    assert turn.state.get("tracks", "gray", "mood") == 6
    assert turn.state.get("treasuries", "red", "gold") == 10
    entry = turn.journal.entries[0]
    assert entry.audience == ("red", "gray")
    assert [d["faces"] for r in entry.dice for d in r["drawn"]] == [[9], [6]]
    assert entry.dice[0]["hit"] is True


def test_a_missed_roll_costs_and_does_nothing() -> None:
    turn = run_acts(small.ruleset(actions=[COURT]), {"red": [small.order("court", target="gray")]}, [8])
    assert turn.state.get("tracks", "gray", "mood") is None
    assert turn.state.get("treasuries", "red", "gold") == 10


@pytest.mark.parametrize(
    ("nation", "target", "says"),
    [("red", "blue", "Blue is not neutral"), ("blue", "gray", "costs 10 gold, 5 left")],
)
def test_a_refused_act_changes_nothing_but_says_why(nation: str, target: str, says: str) -> None:
    turn = run_acts(small.ruleset(actions=[COURT]), {nation: [small.order("court", target=target)]})
    entry = turn.journal.entries[0]
    assert entry.data["refused"] == says and entry.audience == (nation,)
    assert turn.state.table("treasuries") == small.state().table("treasuries")


def test_a_limit_holds_within_a_turn() -> None:
    twice = [small.order("court", 1, target="gray"), small.order("court", 2, target="gray")]
    state = small.state(treasuries={"red": {"gold": 50}})
    turn = run_acts(small.ruleset(actions=[COURT]), {"red": twice}, [1], state)
    assert turn.state.get("treasuries", "red", "gold") == 40
    assert turn.journal.entries[1].data["refused"] == "only once in a turn for each target"


def test_dice_of_one_act_do_not_depend_on_others() -> None:
    from wteaw.core.dice import KeyedDice

    def faces(orders: dict[str, list[dict[str, Any]]]) -> Any:
        rules = small.ruleset(actions=[COURT])
        turn = Turn(
            rules,
            small.state(treasuries={"red": {"gold": 90}, "blue": {"gold": 90}}),
            KeyedDice("ab" * 32, 1),
        )
        with turn.journal.entry("test/orders"):
            for nation, listed in orders.items():
                for number, order in enumerate(listed, 1):
                    turn.journal.put_row("orders", f"{nation}/{number:04d}", {"nation": nation, **order})
        act.run({"step": "actions", "actions": ["court"]}, turn)
        return next(e.dice for e in turn.journal.entries if e.subject == "red:gray")

    alone = faces({"red": [small.order("court", target="gray")]})
    assert alone == faces(
        {"blue": [small.order("court", target="gray")], "red": [small.order("court", target="gray")]}
    )


def fire(rules: Ruleset, word: str, dice: Any = (), state: State | None = None, **roles: Any) -> Turn:
    turn = small.turn(rules, state, dice)
    watch.first_look(turn)
    with turn.journal.entry("test/fact"):
        turn.journal.fact(word, **roles)
    settle(turn)
    return turn


def test_an_event_waits_for_its_fact_and_fires_once() -> None:
    event = {
        "id": "cheer",
        "on": {"declared": {"by": "red"}},
        "once": True,
        "effects": [{"pay": {"to": "red", "what": "gold", "amount": 3}}],
    }
    rules = small.ruleset(events=[event])
    assert fire(rules, "declared", by="blue").state.get("treasuries", "red", "gold") == 20
    turn = fire(rules, "declared", by="red")
    assert turn.state.get("treasuries", "red", "gold") == 23
    with turn.journal.entry("test/again"):
        turn.journal.fact("declared", by="red")
    settle(turn)
    assert turn.state.get("treasuries", "red", "gold") == 23


def test_becomes_fires_on_the_change_only() -> None:
    event = {
        "id": "rich",
        "for": "red",
        "becomes": "stock(nation, 'gold') >= 30",
        "effects": [{"flag": {"who": "red", "as": "rich"}}],
    }
    turn = fire(small.ruleset(events=[event]), "step", step="x")
    assert not turn.state.row("flags", "nation:red")
    with turn.journal.entry("test/gift"):
        turn.journal.set("treasuries", "red", "gold", 31)
        turn.journal.fact("step", step="x")
    settle(turn)
    assert turn.state.get("flags", "nation:red", "rich") == {"since": 1}


def test_thresholds_are_facts_and_events_chain() -> None:
    events = [
        {
            "id": "push",
            "on": {"step": "go"},
            "effects": [{"shift": {"who": "gray", "track": "mood", "toward": "west", "by": 6}}],
        },
        {
            "id": "joins",
            "on": {"reached": {"track": "mood", "at": -5}},
            "effects": [{"join": {"who": "=event.actor", "side": "west"}}],
        },
    ]
    turn = fire(small.ruleset(events=events), "step", step="go")
    assert turn.state.get("tracks", "gray", "mood") == -6
    assert (
        turn.world.side_of("gray") == "west"
        and turn.world.hostile("gray", "red")
        and turn.world.allied("gray", "blue")
    )


def test_events_without_end_are_an_error_that_names_them() -> None:
    events = [{"id": "echo", "on": "acted", "effects": [{"flag": {"who": "red", "as": "x"}}, {"pay": {"to": "red", "what": "gold", "amount": 1}}]},
              {"id": "again", "on": {"paid": {"of": "red"}}, "effects": [{"pay": {"to": "red", "what": "gold", "amount": 1}}]}]  # fmt: skip
    with pytest.raises(EventChain, match="again → again"):
        fire(small.ruleset(events=events), "acted", by="red")


def test_for_rolls_for_each_unit_by_itself() -> None:
    event = {"id": "desert", "on": {"step": "go"}, "effects": [
        {"for": "units(owner='red')", "roll": {"die": "1d10", "faces": "7..10"}, "effects": [{"convert": {"units": "=unit", "owner": "gray"}}]}]}  # fmt: skip
    turn = fire(small.ruleset(events=[event]), "step", [7, 1, 10, 6], step="go")
    assert turn.state.get("units", "red.foot@birch", "n") == 2
    assert turn.state.get("units", "gray.foot@birch", "n") == 2


def test_a_matrix_draws_one_die_per_onlooker() -> None:
    matrix = {
        "id": "opinion", "track": "mood", "for": "nations(neutral=True)", "columns": ["gray", {"others": "rest"}], "audience": ["=nation"],
        "rows": [{"id": "outrage", "on": {"declared": {"by": "red"}}, "cells": {"gray": {"against": "actor", "by": "0..4"}, "others": {"against": "actor", "by": 1}}}],
    }  # fmt: skip
    rules = small.ruleset(matrices=[matrix], nations=[{"id": "green", "name": "Green", "side": None}])
    turn = fire(rules, "declared", [4], by="red", of="blue")
    assert turn.state.get("tracks", "gray", "mood") == -4
    assert turn.state.get("tracks", "green", "mood") == -1
    told = [e for e in turn.journal.entries if e.rule == "matrices/opinion"]
    assert sorted(e.audience for e in told) == [("gray",), ("green",)]


def test_losses_by_share_are_spread_over_the_kinds() -> None:
    state = small.state(units={
        "red.foot@ash": {"owner": "red", "kind": "foot", "place": "ash", "n": 5},
        "red.horse@ash": {"owner": "red", "kind": "horse", "place": "ash", "n": 3}})  # fmt: skip
    effect = {"remove": {"of": "red", "at": "ash", "share": "1/2", "round": "up", "spread": "kind"}}
    turn = fire(
        small.ruleset(events=[{"id": "mutiny", "on": "step", "effects": [effect]}]),
        "step",
        state=state,
        step="x",
    )
    assert turn.state.get("units", "red.foot@ash", "n") == 3
    assert turn.state.get("units", "red.horse@ash", "n") == 1


def shift(by: int, toward: str = "east") -> dict[str, Any]:
    return {"shift": {"who": "gray", "track": "mood", "toward": toward, "by": by}}


def test_thresholds_are_read_when_all_of_a_step_is_in() -> None:
    events = [
        {"id": "one", "on": {"step": "go"}, "effects": [shift(7)]},
        {"id": "two", "on": {"step": "go"}, "effects": [shift(4, "west")]},
        {
            "id": "far",
            "on": {"reached": {"track": "mood"}},
            "effects": [{"flag": {"who": "gray", "as": "far"}}],
        },
    ]
    turn = fire(small.ruleset(events=events), "step", step="go")
    assert turn.state.get("tracks", "gray", "mood") == 3
    assert not turn.state.table("flags")
    turn = fire(small.ruleset(events=[events[0], events[2]]), "step", step="go")
    assert turn.state.get("flags", "nation:gray", "far")


def test_the_ends_of_a_range_may_be_expressions() -> None:
    grow = {
        "shift": {"who": "gray", "track": "mood", "up": True, "by": {"draw": [0, "=nation('gray').calm - 3"]}}
    }
    rules = small.ruleset(events=[{"id": "grow", "on": {"step": "go"}, "effects": [grow]}])
    turn = fire(rules, "step", [4], step="go")
    assert turn.state.get("tracks", "gray", "mood") == 4
    empty = fire(rules, "step", state=small.state(nations={"gray": {"calm": 2}}), step="go")
    assert empty.state.get("tracks", "gray", "mood") is None  # nothing to draw from: the lower end, no die


def test_voters_alone_are_bound_by_their_own_answer() -> None:
    vote = {"vote": {"of": "set_of(nation('red'), nation('blue'))", "ask": "mercy", "alone": True, "about": "gray",
                     "then": [{"flag": {"who": "=accepts", "as": "kind"}}], "else": [{"flag": {"who": "=refuses", "as": "hard"}}]}}  # fmt: skip
    rules = small.ruleset(
        events=[{"id": "plea", "on": {"step": "go"}, "effects": [vote]}],
        decisions=[{"id": "mercy", "from": ["accept", "refuse"], "default": "accept"}],
    )
    turn = fire(rules, "step", state=small.state(answers={"blue": {"mercy/gray": "refuse"}}), step="go")
    assert turn.state.get("flags", "nation:red", "kind") and not turn.state.get(
        "flags", "nation:blue", "kind"
    )
    assert turn.state.get("flags", "nation:blue", "hard")


def test_a_matrix_moves_the_actor_by_cells_toward_zero_only_and_multiplies() -> None:
    table = {
        "id": "talk", "track": "mood", "for": "difference(nations(), set_of(object))", "columns": [{"near": "nation == object"}, {"far": "rest"}],
        "delay": {"until": {"joined": {"by": "actor"}}, "if": "neutral(nation)", "when": "neutral(actor)"},
        "multiply": [{"column": "far", "when": "event.openly == False", "by": 2}],
        "rows": [{"id": "own", "on": {"declared": {"by": "gray"}}, "cells": {
                    "far": {"to_zero": True, "by": "0..6", "delay": "none", "when": "nation == actor"}}},
                 {"id": "raid", "on": {"declared": {}}, "cells": {"far": {"against": "actor", "by": "0..3"}}}],
    }  # fmt: skip
    rules = small.ruleset(matrices=[table])
    mild = fire(rules, "declared", [5], small.state(tracks={"gray": {"mood": 3}}), by="gray", of="blue")
    assert mild.state.get("tracks", "gray", "mood") == 0
    # `for` leaves out the object and the actor takes nothing against itself: only gray is left, and takes it twice
    raid = fire(rules, "declared", [3], by="red", of="blue", openly=False)
    assert raid.state.get("tracks", "gray", "mood") == -6 and not raid.state.table("held")


def test_lists_take_in_and_drop_what_somebody_says() -> None:
    events = [
        {"id": "add", "on": {"step": "go"}, "effects": [
            {"change": {"of": "gray", "field": "shuns", "add": "set_of('red', 'blue')", "said_by": "=nation('gray')"}}]},
        {"id": "drop", "on": {"step": "go"}, "effects": [
            {"change": {"of": "gray", "field": "shuns", "drop": "=nation('red')", "said_by": "=nation('gray')"}}]},
    ]  # fmt: skip
    rules = small.ruleset(
        events=events, fields=[{"id": "shuns", "of": ["nation"], "type": "list", "default": []}]
    )
    assert fire(rules, "step", step="go").state.get("nations", "gray", "shuns") == ["gray>blue"]


def test_fields_that_list_nations_give_nations() -> None:
    rules = small.ruleset(
        nations=[{"id": "gray", "name": "Gray", "side": None, "near": ["red"]}],
        fields=[{"id": "near", "of": ["nation"], "type": "list", "syntax": "nations", "default": []}],
    )
    turn = small.turn(rules)
    assert turn.world.value("count(nation('gray').near, 'neutral') == 0 and 'red' in nation('gray').near", {})


def test_a_field_is_changed_for_each_unit_of_a_stack() -> None:
    mark = {
        "for": "units(owner='red')",
        "effects": [{"change": {"of": "=unit", "field": "strength", "to": 9}}],
    }
    rules = small.ruleset(actions=[{"id": "drill", "syntax": "drill", "effects": [mark]}])
    turn = run_acts(rules, {"red": [small.order("drill")]})
    assert [(r["n"], r["strength"]) for _, r in turn.state.stacks(owner="red")] == [(4, 9)]
    assert ["strength" in r for _, r in turn.state.stacks(owner="blue")] == [False]
