"""What fails is taken back whole: an act with its price and its count, an event with its flag, what was said, and the facts."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.dice import KeyedDice
from wteaw.core.journal import Fact, replay
from wteaw.core.messages import plain
from wteaw.core.model import Ruleset
from wteaw.core.registry import VERBS
from wteaw.core.state import State
from wteaw.turn import acts as act
from wteaw.turn import counters
from wteaw.turn.context import Turn
from wteaw.turn.effects import EffectError, whole
from wteaw.turn.events import first_look, settle

from . import small

NOBODYS = {"id": "elm", "kind": "land"}
TOO_DEAR = {"pay": {"from": "=self", "what": "gold", "amount": 99}}
FIELDS = [
    {"id": "shade", "of": ["place"], "type": "number", "default": 0},
    {"id": "worn", "of": ["unit"], "type": "flag", "default": False},
]

DOES: dict[str, dict[str, Any]] = {
    "shift": {"shift": {"who": "gray", "track": "mood", "up": True, "by": 7}},
    "change": {"change": {"of": "ash", "field": "shade", "to": 4}},
    "pay": {"pay": {"from": "=self", "to": "blue", "what": "gold", "amount": 3}},
    "learn": {"learn": {"who": "=self", "tech": "bows"}},
    "flag": {"flag": {"who": "=self", "as": "tired", "turns": 1}},
    "clear": {"clear": {"who": "blue", "as": "proud"}},
    "relate": {"relate": {"a": "red", "b": "gray", "stance": "war", "declared": True}},
    "join": {"join": {"who": "gray", "side": "west"}},
    "leave": {"leave": {"who": "blue"}},
    "own": {"own": {"places": "dale", "to": "red", "captured": True}},
    "know": {"know": {"who": "red", "what": "strength", "of": "blue"}},
    "say": {"say": {"text": "Blue hears of it.", "to": "blue"}},
    "command": {"command": {"nation": "gray", "by": "somebody"}},
    "found": {"found": {"nation": "gray"}},
    "absorb": {"absorb": {"nation": "gray", "into": "red"}},
    "vote": {
        "vote": {"of": "nation('blue')", "ask": "mercy", "then": [{"flag": {"who": "blue", "as": "kind"}}]}
    },
    "end": {"end": {"between": ["red", "blue"]}},
    "create": {"create": {"units": "horse", "n": 2, "for": "=self", "at": "birch"}},
    "remove": {"remove": {"at": "birch", "of": "red", "n": 1}},
    "convert": {"convert": {"units": "units(owner='red')", "set": {"worn": True}}},
    "relocate": {"relocate": {"units": "units(owner='red')", "to": "ash"}},
    "queue": {"queue": {"what": "horse", "n": 1, "at": "ash", "due": 3}},
    "cancel": {"cancel": {"under_way": "all"}},
    "record": {"record": {"what": "grave", "set": {"by": "red"}}},
    "react": {"react": {"matrix": "talk", "row": "raid", "object": "blue"}},
    "release": {"release": {"step": {"step": "go"}}},
    "strike": {"strike": {"records": "records()"}},
    "deal": {"deal": {"from": "deck", "to": "hand"}},
    "play": {"play": {"card": "volley"}},
}
"""What each verb does that changes anything in the small ruleset."""


def rules(**forms: Any) -> Ruleset:
    return small.ruleset(
        places=[NOBODYS], links=[{"between": ["dale", "elm"]}], fields=FIELDS, technologies=[{"id": "bows", "name": "Bows"}],
        decisions=[{"id": "mercy", "from": ["accept", "refuse"], "default": "accept"}],
        records=[{"id": "grave", "fields": ["by"]}],
        matrices=[{"id": "talk", "track": "mood", "for": "nations()", "columns": [{"any": "rest"}], "rows": [
            {"id": "raid", "on": {"declared": {}}, "cells": {"any": {"against": "actor", "by": 2}}}]}],
        piles=[{"id": "deck"}, {"id": "hand", "per": "nation"}],
        cards=[{"id": "volley", "name": "Volley", "in": "deck", "copies": 3, "effects": [{"clear": {"who": "blue", "as": "proud"}}]}],
        **forms,
    )  # fmt: skip


def state(**tables: Any) -> State:
    return small.state(
        flags={"nation:blue": {"proud": {"since": 1}}},
        under_way={"red#0001": {"nation": "red", "what": "foot", "n": 1, "since": 1}},
        piles={"game": {"deck": {"volley": 3}}},
        records={"grave#0001": {"kind": "grave", "since": 1}},
        delayed={
            "h": {
                "rule": "test/held",
                "until": {"step": {"step": "go"}},
                "names": {},
                "effects": [{"clear": {"who": "blue", "as": "proud"}}],
            }
        },
        **tables,
    )


def do(effects: list[Any], dice: Any = (), *, times: int = 1, **row: Any) -> Turn:
    """An act of red's with these effects, ordered so many times."""
    turn = small.turn(
        rules(actions=[{"id": "try", "syntax": "try", "cost": 2, "effects": effects, **row}]), state(), dice
    )
    with turn.journal.entry("test/orders"):
        for number in range(1, times + 1):
            turn.journal.put_row(
                "orders", f"red/{number:04d}", {"nation": "red", **small.order("try", number)}
            )
    turn.journal.entries.clear()
    act.run({"step": "actions", "actions": ["try"]}, turn)
    return turn


def untouched(turn: Turn) -> dict[str, Any]:
    """The state but for the order, which is refused."""
    assert turn.state.get("orders", "red/0001", "status") == "refused"
    return {table: rows for table, rows in turn.state.to_json().items() if table not in ("orders", "answers")}


def of_play(turn: Turn) -> dict[str, Any]:
    """The state but for the orders."""
    return {table: rows for table, rows in turn.state.to_json().items() if table != "orders"}


def test_every_verb_is_tried() -> None:
    assert {*DOES, "fight"} == {
        *VERBS
    }  # a battle is changes of units and works, as `remove` and `change` make them


@pytest.mark.parametrize("verb", DOES)
def test_whatever_a_verb_did_is_undone(verb: str) -> None:
    before = state().to_json()
    alone = do([DOES[verb]], cost=0)
    assert of_play(alone) != before or len(alone.journal.entries) > 1  # it does something
    turn = do([{"say": "Red tries."}, DOES[verb], TOO_DEAR])
    assert of_play(turn) == before
    assert turn.state.get("orders", "red/0001", "status") == "refused"
    left = 15 if verb == "pay" else 18
    told = [(e.data.get("refused"), e.audience, e.text) for e in turn.journal.entries]
    why = f"Red cannot pay 99 gold, {left} left"
    assert told == [(why, ("red",), f"Not carried out: try ({why})")]
    assert not turn.journal.pending and not turn.moved


@pytest.mark.parametrize(
    ("effect", "why"),
    [
        ({"pay": {"from": "=self", "what": "gold", "amount": 19}}, "Red cannot pay 19 gold, 18 left"),
        ({"pay": {"from": "blue", "what": "gold", "amount": 6}}, "Blue cannot pay 6 gold"),
        ({"create": {"units": "foot", "at": "elm"}}, "nobody holds elm"),
        ({"create": {"units": "wheel", "at": "ash"}}, "no kind of unit, works or facility is called wheel"),
        ({"change": {"of": "east", "field": "name", "to": "Orient"}}, None),
        ({"change": {"of": "bows", "field": "name", "to": "Arrows"}}, "no field of a tech can be changed"),
        ({"record": {"what": "grave"}, "for": "nations()", "effects": []}, None),
        ({"queue": {"what": "foot", "for": []}}, None),
        ({"absorb": {"nation": "=nations()", "into": "red"}}, "is not one thing here"),
    ],
)
def test_each_way_to_fail(effect: dict[str, Any], why: str | None) -> None:
    turn = do([{"flag": {"who": "=self", "as": "tried"}}, effect])
    refused = [e.data["refused"] for e in turn.journal.entries if "refused" in e.data]
    if why is None:  # the neighbor: what looks alike and does not fail is done, and paid
        assert not refused and turn.state.get("treasuries", "red", "gold") == 18
        assert turn.state.get("flags", "nation:red", "tried")
    else:
        assert len(refused) == 1 and why in refused[0]
        assert turn.state.get("treasuries", "red", "gold") == 20
        assert turn.state.get("flags", "nation:red", "tried") is None


def test_an_exact_sum_is_enough() -> None:
    turn = do([{"pay": {"from": "=self", "what": "gold", "amount": 18}}])
    assert (
        not turn.state.get("treasuries", "red", "gold")
        and turn.state.get("orders", "red/0001", "status") == "done"
    )
    assert [f.word for f in turn.journal.pending] == ["paid", "acted"]


def test_what_failed_uses_up_no_limit() -> None:
    effects = [{"pay": {"from": "=self", "what": "gold", "amount": "1d20"}}]
    turn = do(effects, [19, 18], times=2, limit={"1": ["nation", "turn"]})
    assert [turn.state.get("orders", f"red/{n:04d}", "status") for n in (1, 2)] == ["refused", "done"]
    assert not turn.state.get("treasuries", "red", "gold")


def test_dice_lie_where_they_fell() -> None:
    """A throw that was taken back keeps its number: the next of the same name is another one, and all can be proved."""
    table = rules(actions=[{"id": "try", "syntax": "try", "cost": 2, "effects": [
        {"say": "A throw."}, {"pay": {"to": "=self", "what": "gold", "amount": "1d6"}},
        {"flag": {"who": "=self", "as": "tried"}, "audience": ["blue"]}, TOO_DEAR]}])  # fmt: skip
    turn = Turn(table, state(), KeyedDice("ab" * 32, 1))
    with turn.journal.entry("test/orders"):
        for number in (1, 2):
            turn.journal.put_row(
                "orders", f"red/{number:04d}", {"nation": "red", **small.order("try", number)}
            )
    turn.journal.entries.clear()
    start = turn.state.copy()
    act.run({"step": "actions", "actions": ["try"]}, turn)
    thrown = [e for e in turn.journal.entries if e.dice]
    assert [(e.dice[0]["use"], e.text, e.changes, e.facts, e.audience) for e in thrown] == [
        (n, "", [], [], ("everyone",)) for n in (0, 1)
    ]
    assert ["refused" in e.data for e in turn.journal.entries] == [False, True, False, True]
    assert replay(start, turn.journal.entries) == turn.state
    assert turn.state.get("treasuries", "red", "gold") == 20


def fire(effects: list[Any], gold: int, **row: Any) -> Turn:
    """Two facts that an event waits for, with so much gold in red's purse at the first, and 99 at the second."""
    event = {"id": "tax", "title": "The tax", "on": {"step": "go"}, "effects": effects, **row}
    turn = small.turn(rules(events=[event]), state(treasuries={"red": {"gold": gold}}))
    first_look(turn)
    for purse in (gold, 99):
        with turn.journal.entry("test/fact"):
            turn.journal.set("treasuries", "red", "gold", purse)
            turn.journal.fact("step", step="go")
        settle(turn)
    return turn


def test_an_event_that_fails_has_not_fired() -> None:
    effects = [
        {"flag": {"who": "red", "as": "taxed"}},
        {"pay": {"from": "red", "what": "gold", "amount": 30}},
    ]
    turn = fire(effects, 29, once=True, says="Red pays.")
    told = [(e.text, e.audience, e.data) for e in turn.journal.entries if e.rule == "events/tax"]
    assert told == [
        ("The tax came to nothing: Red cannot pay 30 gold.", ("nobody",), {"void": "Red cannot pay 30 gold"}),
        ("Red pays.", ("everyone",), {}),
    ]
    assert turn.state.get("treasuries", "red", "gold") == 69
    paid_at_once = fire(effects, 30, once=True, says="Red pays.")
    assert [e.text for e in paid_at_once.journal.entries if e.rule == "events/tax"] == ["Red pays."]
    assert (
        paid_at_once.state.get("treasuries", "red", "gold") == 99
    )  # the flag was used up: the second fact finds it set


def test_what_is_held_is_gone_though_its_effects_fail() -> None:
    turn = small.turn(
        rules(events=[{"id": "tax", "title": "The tax", "on": {"step": "never"}, "effects": []}]), state()
    )
    with turn.journal.entry("test/held"):
        effects = [
            {"flag": {"who": "red", "as": "taxed"}},
            {"pay": {"from": "red", "what": "gold", "amount": 30}},
        ]
        turn.journal.put_row(
            "delayed",
            "h1",
            {"rule": "events/tax", "until": {"step": {"step": "go"}}, "names": {}, "effects": effects},
        )
        turn.journal.fact("step", step="go")
    settle(turn)
    assert not turn.state.table("delayed") and turn.state.get("flags", "nation:red", "taxed") is None
    assert turn.journal.entries[-1].data == {"void": "Red cannot pay 30 gold"}


def test_a_streak_is_counted_though_its_effects_fail() -> None:
    row = {"id": "rest", "of": "nations()", "while": "nation == 'red'", "on": {"step": "go"}, "effects": [
        {"flag": {"who": "=nation", "as": "taxed"}}, {"pay": {"from": "=nation", "what": "gold", "amount": 30}}]}  # fmt: skip
    turn = small.turn(rules(counters=[row]), state())
    counters.offer(turn, Fact("step", {"step": "go"}))
    assert turn.state.get("counters", "nation:red", "rest") == 1
    assert turn.state.get("flags", "nation:red", "taxed") is None
    assert [e.data for e in turn.journal.entries] == [
        {"times": 1},
        {"void": "Red cannot pay 30 gold, 20 left"},
    ]


def test_changes_of_one_field_by_entries_inside_each_other_are_undone_in_order() -> None:
    turn = small.turn(rules(), state())
    journal = turn.journal
    with journal.entry("test/outer", says=plain("before")) as outer:
        journal.set("places", "ash", "shade", 1)
        outer.data["details"] = ["first"]
        with whole(turn) as attempt:
            with journal.entry("test/inner"):
                journal.set("places", "ash", "shade", 2)
                journal.units("red", "foot", "birch", -4)
                journal.units("red", "foot", "birch", 9)
            journal.set("places", "ash", "shade", 3)
            outer.tell(plain("after"))
            outer.data["details"].append("second")
            with whole(turn) as kept:
                journal.set("places", "ash", "shade", 4)
            raise EffectError("no")
    assert (attempt.failed, kept.failed) == ("no", None)
    assert turn.state.get("places", "ash", "shade") == 1
    assert turn.state.get("units", "red.foot@birch", "n") == 4
    assert [k for k, _ in turn.state.stacks(at="birch")] == ["red.foot@birch"]
    assert (outer.text, outer.data, len(outer.changes)) == ("before", {"details": ["first"]}, 1)
    assert journal.entries == [outer]
