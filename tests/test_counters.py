"""Counters count what triggers bring, or times in a row; they act, and expressions read them."""

from __future__ import annotations

from typing import Any

from wteaw.core.model import Row
from wteaw.turn import events as watch
from wteaw.turn.context import Turn

from .economy import BY_REGION, position, rules, turn_of

CORDON: Row = {
    "id": "cordon", "of": "red", "on": {"step": "count"}, "while": "any(units(owner='blue', kind='boat', at='z'))", "from": 2,
    "effects": [{"pay": {"from": "=nation", "what": "men", "amount": "=3 * 2 ** (counter(nation, 'cordon') - 2)", "as_far_as": True}}],
}  # fmt: skip


def played(turn: Turn, blockaded: list[bool]) -> list[Any]:
    """The men left after each turn on which a hostile boat lies in the lake or not."""
    out = []
    for here in blockaded:
        with turn.journal.entry("test/boats"):
            now = int(turn.state.get("units", "blue.boat@z", "n", 0))
            turn.journal.units("blue", "boat", "z", int(here) - now)
        watch.step_over(turn, {"step": "count", "do": "moment"}, "count")
        out.append(turn.state.get("treasuries", "red", "men"))
    return out


def test_a_count_in_a_row_acts_from_its_count_on_and_starts_anew_after_a_gap() -> None:
    turn = turn_of(rules(counters=[CORDON]), position({"red": {"men": 100}}))
    assert played(turn, [True, True, True, True, False, True, True]) == [100, 97, 91, 79, 79, 79, 76]


def test_each_region_may_have_a_counter_of_its_own() -> None:
    row = {
        "id": "cut-off",
        "of": {"regions": "men"},
        "on": {"step": "count"},
        "while": "not reaches(place, set_of('b'), 'is_red')",
    }
    forms: dict[str, list[Row]] = {
        "counters": [row], "resources": BY_REGION, "definitions": [{"id": "is_red", "of": ["place"], "is": "place.holder == 'red' and place.kind == 'land'"}],
    }  # fmt: skip
    links = [r for r in rules().rows("links").values() if "z" not in r["between"]]
    turn = turn_of(rules(**forms, links=links), position({"red/a": {"men": 1}, "red/e": {"men": 1}}))
    watch.step_over(turn, {"step": "count", "do": "moment"}, "count")
    assert turn.state.table("counters") == {"place:e": {"cut-off": 1}}


def test_a_region_without_a_purse_draws_on_the_main_one() -> None:
    row = {
        "id": "cut-off", "of": {"regions": "men"}, "on": {"step": "count"}, "while": "not reaches(place, set_of('b'), 'is_red')",
        "effects": [{"pay": {"from": "=treasury", "what": "men", "amount": 1}}],
    }  # fmt: skip
    terms = [{"id": "is_red", "of": ["place"], "is": "place.holder == 'red' and place.kind == 'land'"}]
    links = [r for r in rules().rows("links").values() if "z" not in r["between"]]
    turn = turn_of(
        rules(counters=[row], resources=BY_REGION, definitions=terms, links=links),
        position({"red/a": {"men": 5}}),
    )
    watch.step_over(turn, {"step": "count", "do": "moment"}, "count")
    assert turn.state.table("counters") == {"place:e": {"cut-off": 1}}
    assert turn.state.table("treasuries")["red/a"]["men"] == 4


def test_a_counter_is_fed_by_triggers_and_weighs_them() -> None:
    rows: list[Row] = [
        {
            "id": "lost",
            "of": "event.target",
            "on": "destroyed",
            "by": "=event.n * model(event.target, event.kind).cost",
        },
        {"id": "inflicted", "of": "event.actor", "on": "destroyed", "by": "=event.n"},
    ]
    turn = turn_of(rules(counters=rows), position({}))
    with turn.journal.entry("test/battle"):
        turn.journal.fact("destroyed", of="blue", by="red", kind="foot", n=3, place="c")
        turn.journal.fact("destroyed", of="red", by="blue", kind="gun", n=2, place="c")
        turn.journal.fact("destroyed", of="red", kind="gun", n=1, place="c")
    watch.settle(turn)
    assert turn.state.table("counters") == {
        "nation:blue": {"lost": 12, "inflicted": 2},
        "nation:red": {"lost": 27, "inflicted": 3},
    }
    assert turn.world.value("counter('red', 'lost')", {}) == 27


def test_what_a_trigger_counts_acts_from_a_count_on_and_a_row_may_go_by_more_than_one() -> None:
    """`from` and `effects` serve both kinds: two lost in one go pass the mark of three; a broken row starts over."""
    rows: list[Row] = [
        {
            "id": "lost", "of": "event.target", "on": "destroyed", "by": "=event.n", "from": 3,
            "effects": [{"pay": {"from": "=nation", "what": "men", "amount": 1}}],
        },
        {"id": "by-two", "of": ["red"], "on": {"step": "count"}, "by": 2, "while": "counter('red', 'lost') < 3"},
    ]  # fmt: skip
    turn = turn_of(rules(counters=rows), position({"red": {"men": 10}}))
    left = []
    for n in (2, 2, 1):
        with turn.journal.entry("test/battle"):
            turn.journal.fact("destroyed", of="red", kind="foot", n=n, place="c")
        watch.step_over(turn, {"step": "count", "do": "moment"}, "count")
        counted = turn.state.table("counters")["nation:red"]
        left.append((counted["lost"], counted.get("by-two"), turn.state.get("treasuries", "red", "men")))
    assert left == [(2, 2, 10), (4, None, 9), (5, None, 8)]
