"""The frame and the referee: loops, stops and goes on, the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from wteaw.core.dice import KeyedDice, ScriptedDice
from wteaw.core.frame import inputs
from wteaw.core.journal import replay
from wteaw.core.model import Ruleset
from wteaw.turn.referee import Inputs, resolve, start, waiting_seats

from . import small

DICE = KeyedDice("ab" * 32, 1)


def noting(*steps: str) -> list[dict[str, Any]]:
    """Events that write a mark when a step of that name is run."""
    return [
        {"id": f"note-{s}", "on": {"step": s}, "effects": [{"say": f"{s} {{turn}}"}], "audience": "everyone"}
        for s in steps
    ]


def told(result: Any) -> list[str]:
    return [e.text for e in result.entries if e.rule.startswith("events/")]


def play(rules: Ruleset, *taken: dict[str, Any]) -> list[Any]:
    out = [start(rules, small.state(game={"game": {"turn": 0}}), DICE)]
    for orders in taken:
        out.append(resolve(rules, out[-1].position, Inputs(orders), DICE))
    return out


def test_a_turn_runs_from_input_to_input() -> None:
    frame = [
        {"input": "orders", "from": "everyone"},
        {"phase": "work", "steps": [{"step": "one", "do": "moment"}, {"step": "two", "do": "moment"}]},
    ]
    rules = small.ruleset(frame, events=noting("one", "two"))
    first, second, third = play(rules, {}, {})
    assert first.position.turn == 1 and told(first) == []
    assert told(second) == ["one 1", "two 1"] and second.position.turn == 2
    assert told(third) == ["one 2", "two 2"]
    assert waiting_seats(rules, first.position) == ["blue", "gray", "red"]


def test_each_and_inner_inputs_are_turns_of_players() -> None:
    frame = [
        {
            "each": "nation",
            "order": "set_of('blue', 'red')",
            "steps": [{"input": "orders", "from": "nation"}, {"step": "go", "do": "moment"}],
        }
    ]
    rules = small.ruleset(frame, events=noting("go"))
    first, second, third = play(rules, {}, {})
    assert waiting_seats(rules, first.position) == ["blue"]
    assert waiting_seats(rules, second.position) == ["red"] and second.position.turn == 1
    assert third.position.turn == 2 and waiting_seats(rules, third.position) == ["blue"]


def test_passes_go_round_until_nobody_has_any() -> None:
    use = {"id": "use", "on": {"step": "use"}, "when": "stock(nation, 'gold') > 0", "for": "=self", "effects": [
        {"pay": {"from": "=self", "what": "gold", "amount": 1}}, {"say": "{self}"}]}  # fmt: skip
    frame = [
        {"input": "orders", "from": "everyone"},
        {
            "passes": {"over": "set_of('blue', 'red')", "while": "stock(self, 'gold') > 0"},
            "steps": [{"step": "use", "do": "moment"}],
        },
    ]
    rules = small.ruleset(frame, events=[use])
    opening = start(
        rules,
        small.state(game={"game": {"turn": 0}}, treasuries={"red": {"gold": 1}, "blue": {"gold": 2}}),
        DICE,
    )
    assert told(resolve(rules, opening.position, Inputs(), DICE)) == ["Blue", "Red", "Blue"]


def test_ticks_and_conditions() -> None:
    frame = [
        {"input": "orders", "from": "everyone"},
        {
            "ticks": {"most": "2 + 1"},
            "steps": [
                {"step": "tick", "do": "moment"},
                {"step": "late", "do": "moment", "when": "tick == 3"},
            ],
        },
    ]
    rules = small.ruleset(frame, events=noting("tick", "late"))
    assert told(play(rules, {})[1]) == ["tick 1", "tick 1", "tick 1", "late 1"]


def test_a_pause_before_a_phase_changes_nothing() -> None:
    frame = [
        {"input": "orders", "from": "everyone"},
        {"phase": "a", "steps": [{"step": "one", "do": "moment"}]},
        {"phase": "b", "steps": [{"step": "two", "do": "moment"}]},
    ]
    rules = small.ruleset(frame, events=noting("one", "two"))
    opening = start(rules, small.state(game={"game": {"turn": 0}}), DICE)
    whole = resolve(rules, opening.position, Inputs(), DICE)
    half = resolve(rules, opening.position, Inputs(), DICE, until="b")
    assert half.position.waiting == {"pause": "b"} and told(half) == ["one 1"]
    rest = resolve(rules, half.position, Inputs(), DICE)
    assert told(rest) == ["two 1"]
    assert rest.position.state.hash() == whole.position.state.hash()


def test_the_last_turn_ends_the_game() -> None:
    frame = [{"input": "orders", "from": "everyone"}]
    rules = small.ruleset(
        frame,
        settings={"calendar": {"start": "1910-11", "months": 3, "turns": 2, "seasons": ["wet", "dry"]}},
    )
    results = play(rules, {}, {})
    assert results[1].position.state.get("game", "game", "year") == 1911
    assert results[1].position.state.get("game", "game", "season") == "dry"
    assert results[2].position.ended and results[2].position.waiting is None


def test_marks_expire_and_say_so() -> None:
    mark = {
        "id": "m",
        "on": {"turn_start": 1},
        "effects": [{"flag": {"who": "red", "as": "tired", "turns": 1}}],
    }
    gone = {"id": "g", "on": {"expired": "tired"}, "effects": [{"say": "rested"}], "audience": "everyone"}
    results = play(small.ruleset([{"input": "orders", "from": "everyone"}], events=[mark, gone]), {}, {})
    assert told(results[1]) == [] and told(results[2]) == ["rested"]


def test_resolving_is_pure_and_the_journal_rebuilds_it() -> None:
    frame = [
        {"input": "orders", "from": "everyone"},
        {"phase": "p", "steps": [{"step": "s", "do": "moment"}]},
    ]
    event = {
        "id": "e",
        "on": {"step": "s"},
        "for": "nations()",
        "effects": [{"pay": {"to": "=nation", "what": "gold", "amount": "1d6"}}],
    }
    rules = small.ruleset(frame, events=[event])
    opening = start(rules, small.state(game={"game": {"turn": 0}}), KeyedDice("ab" * 32, 1))
    before = opening.position.state.hash()
    results = [resolve(rules, opening.position, Inputs(), KeyedDice("ab" * 32, 1)) for _ in range(2)]
    assert results[0].position.state.hash() == results[1].position.state.hash()
    assert results[0].position.head == results[1].position.head
    assert opening.position.state.hash() == before
    assert replay(opening.position.state, results[0].entries) == results[0].position.state


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "from tests.test_sequence import *\n"
        "sequence=[{'input':'orders','from':'everyone'},{'phase':'p','steps':[{'step':'s','do':'moment'}]}]\n"
        "event={'id':'e','on':{'step':'s'},'for':'nations()','effects':[{'pay':{'to':'=nation','what':'gold','amount':'1d6'}}]}\n"
        "print([r.position.head for r in play(small.ruleset(sequence,events=[event]),{},{})])"
    )
    found = set()
    for seed in ("0", "1", "4242"):
        path = os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        found.add(
            subprocess.run(
                [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
            ).stdout
        )
    assert len(found) == 1


def test_input_points_are_found_however_deep() -> None:
    frame = [{"input": "a"}, {"phase": "p", "steps": [{"each": "nation", "steps": [{"input": "b"}]}]}]
    assert [n["input"] for n in inputs(frame)] == ["a", "b"]


# ---- turns of players


def own_turns(**more: Any) -> list[dict[str, Any]]:
    steps = [{"input": "orders", "from": "nation"}, {"step": "go", "do": "moment"}]
    return [{"id": "turns", "each": "nation", "order": "set_of('blue', 'red')", "steps": steps, **more}]


def test_an_order_of_play_is_rolled_anew_and_ties_roll_again() -> None:
    rules = small.ruleset(own_turns(rolled={"die": "1d10"}), events=noting("go"))
    dice = ScriptedDice({"sequence/turns@blue": [4, 7, 8], "sequence/turns@red": [9, 7, 2]})
    opening = start(rules, small.state(game={"game": {"turn": 0}}), dice)
    assert waiting_seats(rules, opening.position) == ["red"]
    second = resolve(rules, opening.position, Inputs(), dice)
    assert waiting_seats(rules, second.position) == ["blue"]
    third = resolve(rules, second.position, Inputs(), dice)
    assert third.position.turn == 2 and waiting_seats(rules, third.position) == ["blue"]
    rolled = next(e for e in third.entries if e.rule == "sequence/turns")
    assert rolled.data["order"] == ["blue", "red"]
    assert [d["subject"] for d in rolled.dice] == ["blue", "red"]


def test_an_order_of_play_may_be_rolled_under_a_condition() -> None:
    rules = small.ruleset(own_turns(rolled={"die": "1d10", "when": "turn > 1"}), events=noting("go"))
    opening = start(rules, small.state(game={"game": {"turn": 0}}), DICE)
    assert waiting_seats(rules, opening.position) == ["blue"]


def test_the_start_of_an_own_turn_is_the_start_of_the_turn() -> None:
    """What the first player did is there when the second player's own turn begins."""
    told_by = {"id": "t", "on": {"step": "go"}, "effects": [
        {"say": "{self} {was('red', 'calm', 'turn')}"},
        {"change": {"of": "red", "field": "calm", "by": 1}}], "audience": "everyone"}  # fmt: skip
    for own, expected in ((False, ["Blue 7", "Red 7"]), (True, ["Blue 7", "Red 8"])):
        results = play(small.ruleset(own_turns(own_turn=own), events=[told_by]), {}, {})
        assert [text for r in results for text in told(r)] == expected


def test_a_nation_that_is_no_more_has_no_turn_and_a_vacant_seat_is_not_waited_for() -> None:
    rules = small.ruleset(own_turns(says="{nation} has the turn."), events=noting("go"))
    gone = small.state(game={"game": {"turn": 0}}, nations={"blue": {"alive": False}})
    opening = start(rules, gone, DICE)
    assert waiting_seats(rules, opening.position) == ["red"]
    assert [e.text for e in opening.entries if e.rule == "sequence/turns"] == ["Red has the turn."]
    vacant = small.state(game={"game": {"turn": 0}}, nations={"blue": {"seat": "vacant"}})
    assert waiting_seats(rules, start(rules, vacant, DICE).position) == []


def test_only_the_mover_buys_and_gets_what_is_ready() -> None:
    steps = [
        {"input": "orders", "from": "nation"},
        {"step": "buy", "do": "purchase"},
        {"step": "get", "do": "complete"},
    ]
    frame = [{"each": "nation", "order": "set_of('blue', 'red')", "steps": steps}]
    item = {
        "id": "foot",
        "makes": "foot",
        "price": "=1",
        "due": "get",
        "site": "place.holder == self",
        "site_message": "no",
    }
    orders = [{"id": "build", "syntax": "build", "step": "buy", "slots": {"item": "item", "site": "place"}}]
    rules = small.ruleset(frame, production=[item], orders=orders)
    position = start(
        rules,
        small.state(
            game={"game": {"turn": 0}},
            treasuries={"red": {"gold": 5}, "blue": {"gold": 5}},
            under_way={
                "red#0001": {
                    "nation": "red",
                    "what": "foot",
                    "item": "foot",
                    "n": 1,
                    "at": "ash",
                    "due": "get",
                    "since": 0,
                }
            },
        ),
        DICE,
    ).position
    order = {"order": "orders/build", "slots": {"item": "foot", "site": "cedar"}, "text": "build", "line": 1}
    theirs = {"order": "orders/build", "slots": {"item": "foot", "site": "ash"}, "text": "build", "line": 1}
    after = resolve(rules, position, Inputs({"blue": [order], "red": [theirs]}), DICE).position

    def feet(at: str, state: Any) -> int:
        return sum(r["n"] for _, r in state.stacks(at=at) if r["kind"] == "foot")

    assert feet("cedar", after.state) == feet("cedar", position.state) + 1
    assert feet("ash", after.state) == feet("ash", position.state)
    assert after.state.get("treasuries", "red", "gold") == 5


def test_an_event_of_a_step_is_for_the_mover_and_other_facts_are_for_all() -> None:
    of_step = {
        "id": "s",
        "on": {"step": "go"},
        "for": "nations()",
        "effects": [{"say": "step {nation}"}],
        "audience": "everyone",
    }
    of_turn = {
        "id": "t",
        "on": "turn_start",
        "for": "nations()",
        "effects": [{"say": "turn {nation}"}],
        "audience": "everyone",
    }
    first, second, _ = play(small.ruleset(own_turns(), events=[of_step, of_turn]), {}, {})
    assert told(first) == ["turn Blue", "turn Gray", "turn Red"]
    assert told(second) == ["step Blue"]


def test_only_the_mover_pays_what_he_owes() -> None:
    steps = [{"input": "orders", "from": "nation"}, {"step": "pay", "do": "transfer"}]
    frame = [{"each": "nation", "order": "set_of('blue', 'red')", "steps": steps}]
    levy = {"id": "due", "kind": "levy", "what": "gold", "of": "4", "share": "1/4", "turns": 3}
    owed = {"1": {"levy": "due", "from": "red", "to": {"blue": 1}, "left": 3}}
    at = small.state(
        game={"game": {"turn": 0}}, treasuries={"red": {"gold": 9}, "blue": {"gold": 0}}, agreements=owed
    )
    rules = small.ruleset(frame, transfers=[levy])
    opening = start(rules, at, DICE)
    blue = resolve(rules, opening.position, Inputs(), DICE)
    assert blue.position.state.get("treasuries", "red", "gold") == 9
    red = resolve(rules, blue.position, Inputs(), DICE)
    assert red.position.state.get("treasuries", "red", "gold") == 8
