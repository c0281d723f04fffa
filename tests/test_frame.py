"""The frame and the referee: loops, stops and goes on, the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from wteaw.dice import KeyedDice
from wteaw.frame import inputs
from wteaw.journal import replay
from wteaw.referee import Inputs, resolve, start, waiting_seats
from wteaw.ruleset.model import Ruleset

from . import small

DICE = KeyedDice("ab" * 32, 1)


def noting(*steps: str) -> list[dict[str, Any]]:
    """Events that write a mark when a step of that name is run."""
    return [{"id": f"note-{s}", "on": {"step": s}, "effects": [{"say": f"{s} {{turn}}"}], "audience": "everyone"} for s in steps]


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
        {"phase": "work", "steps": [{"step": "one", "do": "watch"}, {"step": "two", "do": "watch"}]},
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
            "order": "these('blue', 'red')",
            "steps": [{"input": "orders", "from": "nation"}, {"step": "go", "do": "watch"}],
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
            "passes": {"over": "these('blue', 'red')", "while": "stock(self, 'gold') > 0"},
            "steps": [{"step": "use", "do": "watch"}],
        },
    ]
    rules = small.ruleset(frame, events=[use])
    opening = start(rules, small.state(game={"game": {"turn": 0}}, stores={"red": {"gold": 1}, "blue": {"gold": 2}}), DICE)
    assert told(resolve(rules, opening.position, Inputs(), DICE)) == ["Blue", "Red", "Blue"]


def test_ticks_and_conditions() -> None:
    frame = [
        {"input": "orders", "from": "everyone"},
        {
            "ticks": {"most": "2 + 1"},
            "steps": [{"step": "tick", "do": "watch"}, {"step": "late", "do": "watch", "when": "tick == 3"}],
        },
    ]
    rules = small.ruleset(frame, events=noting("tick", "late"))
    assert told(play(rules, {})[1]) == ["tick 1", "tick 1", "tick 1", "late 1"]


def test_a_pause_before_a_phase_changes_nothing() -> None:
    frame = [
        {"input": "orders", "from": "everyone"},
        {"phase": "a", "steps": [{"step": "one", "do": "watch"}]},
        {"phase": "b", "steps": [{"step": "two", "do": "watch"}]},
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
        frame, calendar=[{"id": "calendar", "start": "1910-11", "months": 3, "turns": 2, "seasons": ["wet", "dry"]}]
    )
    results = play(rules, {}, {})
    assert results[1].position.state.get("game", "game", "year") == 1911
    assert results[1].position.state.get("game", "game", "season") == "dry"
    assert results[2].position.ended and results[2].position.waiting is None


def test_marks_expire_and_say_so() -> None:
    mark = {"id": "m", "on": {"turn_start": 1}, "effects": [{"mark": {"who": "red", "as": "tired", "turns": 1}}]}
    gone = {"id": "g", "on": {"expired": "tired"}, "effects": [{"say": "rested"}], "audience": "everyone"}
    results = play(small.ruleset([{"input": "orders", "from": "everyone"}], events=[mark, gone]), {}, {})
    assert told(results[1]) == [] and told(results[2]) == ["rested"]


def test_resolving_is_pure_and_the_journal_rebuilds_it() -> None:
    frame = [{"input": "orders", "from": "everyone"}, {"phase": "p", "steps": [{"step": "s", "do": "watch"}]}]
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
        "from tests.test_frame import *\n"
        "frame=[{'input':'orders','from':'everyone'},{'phase':'p','steps':[{'step':'s','do':'watch'}]}]\n"
        "event={'id':'e','on':{'step':'s'},'for':'nations()','effects':[{'pay':{'to':'=nation','what':'gold','amount':'1d6'}}]}\n"
        "print([r.position.head for r in play(small.ruleset(frame,events=[event]),{},{})])"
    )
    found = set()
    for seed in ("0", "1", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": "."}
        found.add(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout)
    assert len(found) == 1


def test_input_points_are_found_however_deep() -> None:
    frame = [{"input": "a"}, {"phase": "p", "steps": [{"each": "nation", "steps": [{"input": "b"}]}]}]
    assert [n["input"] for n in inputs(frame)] == ["a", "b"]
