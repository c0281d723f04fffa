"""Counters of units: penalties of those that are cut off, abandoned ships that decay; and what keeps a count without counting on."""

from __future__ import annotations

from wteaw.core.dice import KeyedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.turn import events
from wteaw.turn.context import Turn

# a - b - c in a line; a is the capital of red
CUT_OFF: Row = {
    "id": "cut-off", "on": {"step": "supply"}, "of": "units(tag='land')", "field": "misses",
    "while": "not reaches(place, set_of(place('a')), 'held_by', self)", "clear": "place.id == 'a'",
    "from": 4, "effects": [{"remove": {"units": "unit", "n": "all"}}],
}  # fmt: skip


def begin(rows: list[Row], units: dict[str, int], holders: dict[str, str]) -> Turn:
    forms: dict[str, list[Row]] = {
        "places": [{"id": p, "kind": "land", "owner": "red"} for p in "abc"],
        "links": [{"id": "a--b", "between": ["a", "b"]}, {"id": "b--c", "between": ["b", "c"]}],
        "nations": [{"id": "red"}, {"id": "blue"}],
        "units": [{"id": "foot", "tags": ["land"]}, {"id": "ship", "tags": ["ship"]}],
        "definitions": [{"id": "held_by", "of": ["place", "nation"], "is": "place.holder == nation"}],
        "counters": rows,
    }
    state = State({"game": {"game": {"turn": 1}}})
    for where, n in units.items():
        kind, place = where.split("@")
        state.put("units", f"red.{where}", "*", {"owner": "red", "kind": kind, "place": place, "n": n})
    for place, holder in holders.items():
        state.put("places", place, "holder", holder)
    return Turn(
        Ruleset("t", "T", {f: {r["id"]: r for r in those} for f, those in forms.items()}),
        state,
        KeyedDice("11", 1),
    )


def run(turn: Turn, times: int = 1) -> list[dict[str, object]]:
    for _ in range(times):
        events.step_over(turn, {"do": events.MOMENT}, "supply")
    return [dict(row) for _, row in turn.state.stacks()]


def test_units_that_are_cut_off_collect_penalties_and_leave_at_four() -> None:
    turn = begin([CUT_OFF], {"foot@c": 3}, {"b": "blue"})
    assert [r.get("misses") for r in run(turn)] == [1]
    assert [(r["n"], r.get("misses")) for r in run(turn, 2)] == [(3, 3)]
    assert run(turn) == []
    gone = [f.roles["n"] for e in turn.journal.entries for f in e.facts if f.word == "destroyed"]
    assert sum(gone) == 3  # type: ignore[arg-type]


def test_in_range_of_supply_old_penalties_stay_and_at_the_source_they_go() -> None:
    turn = begin([CUT_OFF], {"foot@c": 1}, {"b": "blue"})
    run(turn, 2)
    turn.state.put("places", "b", "holder", "red")
    assert [r["misses"] for r in run(turn)] == [2]
    key = next(k for k, _ in turn.state.stacks())
    with turn.journal.entry("test"):
        turn.journal.alter_units(key, 1, place="a")
    assert [r.get("misses") for r in run(turn)] == [None]


def test_a_stack_that_is_counted_is_not_counted_again_among_those_it_joins() -> None:
    turn = begin([CUT_OFF], {"foot@c": 1}, {"b": "blue"})
    turn.state.put(
        "units",
        "red.foot@c[misses=1]",
        "*",
        {"owner": "red", "kind": "foot", "place": "c", "n": 2, "misses": 1},
    )
    assert sorted((r["misses"], r["n"]) for r in run(turn)) == [(1, 1), (2, 2)]


def test_a_later_row_sees_what_an_earlier_one_did() -> None:
    lost: Row = {"id": "lost", "on": {"step": "supply"}, "of": "units(tag='ship')", "while": "unit.condition != 'adrift'",
                 "field": "misses", "from": 2, "effects": [{"convert": {"units": "unit", "condition": "adrift"}}]}  # fmt: skip
    decay: Row = {"id": "decay", "on": {"step": "supply"}, "of": "units(condition='adrift')", "field": "ticks",
                  "from": 4, "effects": [{"remove": {"units": "unit"}}]}  # fmt: skip
    turn = begin([lost, decay], {"ship@c": 1}, {})
    assert [(r.get("condition"), r.get("ticks")) for r in run(turn, 2)] == [("adrift", 1)]
    assert [r["ticks"] for r in run(turn, 2)] == [3]
    assert run(turn) == []


def test_places_are_counted_and_flagged_every_turn() -> None:
    line: Row = {"id": "cut", "on": {"step": "supply"}, "of": "places()",
                 "while": "not reaches(place, set_of(place('a')), 'held_by', 'red')",
                 "effects": [{"flag": {"who": "place", "as": "cut"}}]}  # fmt: skip
    turn = begin([line], {}, {"b": "blue"})
    run(turn, 2)
    assert turn.state.table("flags") == {"place:c": {"cut": {"since": 1}}}
    assert turn.state.table("counters") == {"place:c": {"cut": 2}}
    turn.state.put("places", "b", "holder", "red")
    run(turn)
    assert not turn.state.table("counters")
