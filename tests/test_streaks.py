"""Streaks count times in a row, tallies count what facts bring; both act and are read through expressions."""

from __future__ import annotations

from typing import Any

from wteaw.core.model import Row
from wteaw.turn import events as watch
from wteaw.turn.context import Turn

from .economy import BY_REGION, position, rules, turn_of

CORDON: Row = {
    "id": "cordon", "of": "red", "at": {"step": "count"}, "while": "any(units(owner='blue', kind='boat', at='z'))", "from": 2,
    "effects": [{"pay": {"from": "=nation", "what": "men", "amount": "=3 * 2 ** (streak(nation, 'cordon') - 2)", "as_far_as": True}}],
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


def test_a_streak_acts_from_its_count_on_and_starts_anew_after_a_gap() -> None:
    turn = turn_of(rules(streaks=[CORDON]), position({"red": {"men": 100}}))
    assert played(turn, [True, True, True, True, False, True, True]) == [100, 97, 91, 79, 79, 79, 76]


def test_each_region_may_have_a_streak_of_its_own() -> None:
    row = {
        "id": "cut-off",
        "of": {"regions": "men"},
        "at": {"step": "count"},
        "while": "not reaches(place, set_of('b'), 'is_red')",
    }
    forms: dict[str, list[Row]] = {
        "streaks": [row], "treasuries": BY_REGION, "definitions": [{"id": "is_red", "of": ["place"], "is": "place.holder == 'red' and place.kind == 'land'"}],
    }  # fmt: skip
    links = [r for r in rules().rows("links").values() if "z" not in r["between"]]
    turn = turn_of(rules(**forms, links=links), position({"red/a": {"men": 1}, "red/e": {"men": 1}}))
    watch.step_over(turn, {"step": "count", "do": "moment"}, "count")
    assert turn.state.table("streaks") == {"place:e": {"cut-off": 1}}


def test_a_region_without_a_purse_draws_on_the_main_one() -> None:
    row = {
        "id": "cut-off", "of": {"regions": "men"}, "at": {"step": "count"}, "while": "not reaches(place, set_of('b'), 'is_red')",
        "effects": [{"pay": {"from": "=treasury", "what": "men", "amount": 1}}],
    }  # fmt: skip
    terms = [{"id": "is_red", "of": ["place"], "is": "place.holder == 'red' and place.kind == 'land'"}]
    links = [r for r in rules().rows("links").values() if "z" not in r["between"]]
    turn = turn_of(rules(streaks=[row], treasuries=BY_REGION, definitions=terms, links=links), position({"red/a": {"men": 5}}))
    watch.step_over(turn, {"step": "count", "do": "moment"}, "count")
    assert turn.state.table("streaks") == {"place:e": {"cut-off": 1}}
    assert turn.state.table("treasuries")["red/a"]["men"] == 4


def test_a_tally_is_fed_by_facts_and_weighs_them() -> None:
    rows: list[Row] = [
        {"id": "lost", "of": "nation", "on": "destroyed", "who": "of", "by": "=event.n * model(event.target, event.kind).cost"},
        {"id": "inflicted", "of": "nation", "on": "destroyed", "by": "=event.n"},
    ]
    turn = turn_of(rules(tallies=rows), position({}))
    with turn.journal.entry("test/battle"):
        turn.journal.fact("destroyed", of="blue", by="red", kind="foot", n=3, place="c")
        turn.journal.fact("destroyed", of="red", by="blue", kind="gun", n=2, place="c")
        turn.journal.fact("destroyed", of="red", kind="gun", n=1, place="c")
    watch.settle(turn)
    assert turn.state.table("tallies") == {
        "nation:blue": {"lost": 12, "inflicted": 2},
        "nation:red": {"lost": 27, "inflicted": 3},
    }
    assert turn.world.value("tally('red', 'lost')", {}) == 27
