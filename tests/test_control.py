"""Who holds what after moves and battles: capture, liberation, works, presence, and the standing of nations."""

from __future__ import annotations

from typing import Any

from wteaw.core.dice import KeyedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.turn.context import Turn
from wteaw.units import control

CAPTURE: Row = {
    "id": "take", "how": "capture", "by": "takes", "to": ["first_owner_if_ally", "agreed", "largest"], "agreed": "for-nation",
    "value": "attack", "clears": True, "sets": {"ready": False, "since": "=turn"}, "loses_under_way": True,
}  # fmt: skip
UNITS: list[Row] = [
    {"id": "foot", "tags": ["takes"], "attack": 2},
    {"id": "guard", "tags": ["takes"], "attack": 5},
    {"id": "plane", "tags": ["air"], "attack": 9},
]


def begin(
    units: dict[str, dict[str, int]], rows: list[Row], *, owners: dict[str, str] | None = None, holders: dict[str, str] | None = None,
    relations: dict[str, str] | None = None, **tables: dict[str, Row],
) -> Turn:  # fmt: skip
    owned = {"a": "red", "b": "blue", "c": "green", **(owners or {})}
    forms: dict[str, list[Row]] = {
        "places": [{"id": p, "kind": "land", "owner": o or None} for p, o in owned.items()],
        "links": [{"id": "a--b", "between": ["a", "b"]}, {"id": "b--c", "between": ["b", "c"]}, {"id": "a--c", "between": ["a", "c"]}],
        "stances": [{"id": "peace", "default": True, "enter": "never"}, {"id": "pact", "enter": "free", "friendly": True},
                    {"id": "war", "enter": "fight", "hostile": True}],
        "nations": [{"id": n} for n in ("red", "rose", "blue", "green")],
        "units": UNITS,
        "fields": [{"id": "attack", "of": ["unit"], "type": "number", "default": 0},
                   *({"id": f, "of": ["place"], "type": "truth", "default": True} for f in ("ready",))],
        "capture": rows,
        "order_options": [{"id": "for-nation", "syntax": "for {nation}"}],
    }  # fmt: skip
    state = State({"game": {"game": {"turn": 4}}, **tables})
    for pair, stance in {
        "blue--red": "war",
        "blue--rose": "war",
        "red--rose": "pact",
        **(relations or {}),
    }.items():
        state.put("relations", pair, "*", {"stance": stance})
    began = state.copy()
    for place, holder in (holders or {}).items():
        state.put("places", place, "holder", holder)
    for where, kinds in units.items():
        owner, place = where.split()
        for kind, n in kinds.items():
            state.put(
                "units",
                f"{owner}.{kind}@{place}",
                "*",
                {"owner": owner, "kind": kind, "place": place, "n": n},
            )
    ruleset = Ruleset("t", "T", {form: {r["id"]: r for r in those} for form, those in forms.items()})
    return Turn(ruleset, state, KeyedDice("11", 1), moments={"game": began})


def run(turn: Turn, **node: Any) -> Turn:
    control.run({"do": "capture", **node}, turn)
    return turn


def facts(turn: Turn, word: str) -> list[dict[str, Any]]:
    return [f.roles for e in turn.journal.entries for f in e.facts if f.word == word]


def test_units_that_can_take_a_place_take_it_with_all_that_falls_with_it() -> None:
    works = {"a--b": {"works@b": "wall", "works@a": "wall"}, "b--c": {"works@b": "wall", "works@c": "wall"}}
    due = {
        "blue#1": {"nation": "blue", "what": "foot", "n": 1, "at": "b"},
        "blue#2": {"nation": "blue", "what": "foot", "n": 1, "at": "c"},
    }
    turn = run(begin({"red b": {"foot": 1}}, [CAPTURE], links=works, under_way=due))
    assert turn.state.row("places", "b") == {"holder": "red", "ready": False, "since": 4}
    assert turn.state.table("links") == {"a--b": {"works@a": "wall"}, "b--c": {"works@c": "wall"}}
    assert sorted(turn.state.table("under_way")) == ["blue#2"]
    assert facts(turn, "captured") == [
        {"by": "red", "of": "blue", "place": "b", "taken_by": "red", "first_owner": "blue"}
    ]


def test_only_those_who_can_take_places_do_and_not_beside_an_armed_enemy() -> None:
    turn = run(begin({"red b": {"plane": 3}}, [CAPTURE]))
    assert turn.world.holder_of("b") == "blue"
    assert facts(turn, "emptied") == [{"of": "blue", "place": "b"}]
    turn = run(begin({"red b": {"foot": 3}, "blue b": {"plane": 1}}, [CAPTURE]))
    assert turn.world.holder_of("b") == "blue"
    turn = run(begin({"red b": {"foot": 3}, "blue b": {"plane": 1}}, [{**CAPTURE, "held_by": "takes"}]))
    assert turn.world.holder_of("b") == "red"


def test_a_place_is_emptied_once_and_not_anew_by_every_step_that_looks() -> None:
    turn = run(run(begin({"red b": {"plane": 3}}, [CAPTURE])))
    assert facts(turn, "emptied") == [{"of": "blue", "place": "b"}]
    since_before = begin({"red b": {"plane": 3}}, [CAPTURE])
    since_before.world.remember("turn", since_before.state.copy())
    assert facts(run(since_before), "emptied") == []
    held_before = begin({"red b": {"plane": 3}}, [CAPTURE])
    earlier = held_before.state.copy()
    earlier.put("units", "blue.foot@b", "*", {"owner": "blue", "kind": "foot", "place": "b", "n": 1})
    held_before.world.remember("turn", earlier)
    assert facts(run(held_before), "emptied") == [{"of": "blue", "place": "b"}]


def test_friends_and_strangers_at_peace_take_nothing() -> None:
    turn = run(begin({"rose a": {"foot": 1}, "red c": {"foot": 1}}, [CAPTURE]))
    assert (turn.world.holder_of("a"), turn.world.holder_of("c")) == ("red", "green")


def test_without_war_only_those_who_came_to_fight_take_a_place() -> None:
    quarrel = {"blue--red": "quarrel", "blue--rose": "quarrel"}
    for came, holder in ((False, "blue"), (True, "red")):
        turn = begin({"red b": {"foot": 1}}, [CAPTURE], relations=quarrel)
        turn.ruleset.forms["stances"]["quarrel"] = {"id": "quarrel", "enter": "fight"}
        if came:
            turn.state.put("units", "red.foot@b", "force", "red#1")
            turn.state.put("forces", "red#1", "*", {"owner": "red", "at": "b"})
        assert run(turn).world.holder_of("b") == holder


def test_a_place_goes_back_to_its_first_owner_if_he_is_an_ally_of_who_takes_it() -> None:
    turn = run(begin({"rose a": {"foot": 2}}, [CAPTURE], holders={"a": "blue"}))
    assert turn.world.holder_of("a") == "red"
    assert facts(turn, "captured")[0]["freed"] and facts(turn, "captured")[0]["taken_by"] == "rose"


def test_allies_who_take_a_place_together_leave_it_to_whom_they_named_else_to_the_strongest() -> None:
    units = {"red b": {"foot": 3}, "rose b": {"guard": 1}}
    assert run(begin(units, [CAPTURE])).world.holder_of("b") == "red"  # 6 against 5
    said = {"red#1": {"owner": "red", "at": "b", "options": {"for-nation": "rose"}}}
    assert run(begin(units, [CAPTURE], forces=said)).world.holder_of("b") == "rose"


def test_rivals_who_fight_each_other_both_take_nothing_while_both_stand_there() -> None:
    turn = run(
        begin(
            {"red b": {"foot": 3}, "green b": {"foot": 3}},
            [CAPTURE],
            relations={"blue--green": "war", "green--red": "war"},
        )
    )
    assert turn.world.holder_of("b") == "blue"


def test_empty_places_taken_in_a_ring_all_change_hands_at_once() -> None:
    war = {"blue--red": "war", "blue--green": "war", "green--red": "war"}
    turn = run(
        begin({"red b": {"foot": 1}, "blue c": {"foot": 1}, "green a": {"foot": 1}}, [CAPTURE], relations=war)
    )
    assert [turn.world.holder_of(p) for p in "abc"] == ["green", "red", "blue"]


def test_possession_by_presence() -> None:
    row: Row = {"id": "hold", "how": "presence", "places": "places(kind='land')", "none": "unowned"}
    turn = run(begin({"red b": {"foot": 1}, "rose c": {"foot": 1}, "green c": {"foot": 1}}, [row]))
    assert [turn.world.holder_of(p) for p in "abc"] == [
        None,
        "red",
        "green",
    ]  # nobody, one, and the holder beside another


def test_occupation_lasts_while_enemies_alone_are_there() -> None:
    row: Row = {"id": "hold", "how": "presence", "places": "places()", "by": "takes", "none": "owner"}
    assert run(begin({"red b": {"foot": 1}}, [row])).world.holder_of("b") == "red"
    assert run(begin({}, [row], holders={"b": "red"})).world.holder_of("b") == "blue"  # they have left


def test_a_nation_falls_when_its_places_are_lost_and_rises_when_its_test_says_so() -> None:
    status: Row = {
        "id": "fallen", "how": "status", "for": "nations()", "flag": "fallen", "when": "nation.id == 'blue' and place('b').holder != nation",
        "until": "place('b').holder == nation", "trigger": "conquered", "end_trigger": "liberated", "says": "{nation} falls.",
    }  # fmt: skip
    turn = run(begin({"red b": {"foot": 1}}, [CAPTURE, status]))
    assert facts(turn, "conquered") == [{"of": "blue", "by": "red"}]
    assert turn.state.get("flags", "nation:blue", "fallen") == {"since": 4}
    assert facts(run(turn), "conquered") == [{"of": "blue", "by": "red"}]  # once
    turn.state.put("units", "red.foot@b", "*", None)
    turn.state.put("places", "b", "holder", "blue")
    assert facts(run(turn), "liberated") == [{"of": "blue"}]
    assert not turn.state.table("flags")


def test_units_that_keep_out_of_fights_neither_hold_a_place_nor_fall_with_it() -> None:
    away: Row = {**CAPTURE, "absent": "unit.away"}
    for holders, place in ({"a": "blue"}, "a"), ({}, None):
        turn = begin({"red b": {"foot": 1}}, [away], holders=holders)
        turn.state.put(
            "units",
            "blue.foot@b[away=True]",
            "*",
            {"owner": "blue", "kind": "foot", "place": "b", "n": 2, "away": True},
        )
        run(turn)
        assert turn.world.holder_of("b") == "red"
        assert [r["place"] for _, r in turn.state.stacks(owner="blue")] == ([place] if place else [])
