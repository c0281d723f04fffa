"""What is kept is what would be derived anew: after any changes a world answers like one that has never been asked before."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wteaw.battle.encounters import _forces_at
from wteaw.core.canonical import digest
from wteaw.core.journal import Entry
from wteaw.core.messages import plain
from wteaw.core.model import SEQUENCE
from wteaw.core.state import Entity, State, columns
from wteaw.turn.context import Turn
from wteaw.world import treasury as stores
from wteaw.world.view import chain_of
from wteaw.world.world import World

from . import small

NATIONS, PLACES, KINDS = ("red", "blue", "gray"), ("ash", "birch", "cedar", "dale"), ("foot", "horse")
RULES = small.ruleset(
    resources=[
        {
            "id": "gold",
            "name": "Gold",
            "treasury": {
                "region": {"seat": "capital", "through": "friendly(self, place) and place.worth > 1"}
            },
        }
    ],
    fields=[*small.BASE["fields"], {"id": "grade", "of": ["nation"], "type": "text", "default": None}],
    units=[{**row, "grades": {"poor": {"strength": 1}}} for row in small.BASE["units"]],
    definitions=[
        {"id": "mates", "of": ["nation"], "is": "nations(side=nation.side)"},
        {"id": "held", "of": ["nation"], "is": "places(holder=nation)"},
        {
            "id": "guarded",
            "of": ["place"],
            "is": "friendly(place.holder, place) and count(units(at=place)) > 0",
        },
        {"id": "threat", "of": ["place"], "is": "any(neighbors(place), 'foe_of', place.holder)"},
        {"id": "foe_of", "of": ["place", "nation"], "is": "enemy(nation, place)"},
        {"id": "calmness", "of": ["nation"], "is": "nation.calm + stock(nation, 'gold')"},
        {"id": "might", "of": ["unit"], "is": "unit.strength"},
        {"id": "foes", "of": ["nation"], "is": "enemies(nation)"},
        {"id": "loose", "of": ["nation"], "is": "neutral(nation) or not nation.alive"},
    ],
)

Change = Callable[[State], None]


def _change(table: str, id_: str, field: str, value: Any) -> Change:
    return lambda state: void(state.put(table, id_, field, value))


def void(_: Any) -> None:
    return None


nation, place, kind = st.sampled_from(NATIONS), st.sampled_from(PLACES), st.sampled_from(KINDS)
changes = st.one_of(
    st.builds(lambda n, s: _change("nations", n, "side", s), nation, st.sampled_from(["east", "west", "", None])),
    st.builds(lambda n, v: _change("nations", n, "calm", v), nation, st.sampled_from([None, 1, 2])),
    st.builds(lambda n, v: _change("nations", n, "alive", v), nation, st.sampled_from([None, False])),
    st.builds(lambda n, v: _change("nations", n, "grade", v), nation, st.sampled_from([None, {"foot": "poor"}])),
    st.builds(lambda there: _change("nations", "green", "*", {"side": "east"} if there else None), st.booleans()),
    st.builds(lambda p, n: _change("places", p, "holder", n), place, st.one_of(st.none(), nation, st.just(""))),
    st.builds(lambda p, n: _change("places", p, "*", n and {"owner": n}), place, st.one_of(st.none(), nation)),
    st.builds(lambda p, v: _change("places", p, "worth", v), place, st.sampled_from([None, 0, 9])),
    st.builds(
        lambda a, b, s: _change("relations", "--".join(sorted((a, b))), "*", s and {"stance": s}),
        nation, nation, st.sampled_from([None, "war", "friends", "peace"]),
    ),
    st.builds(
        lambda n, k, p, c: _change("units", f"{n}.{k}@{p}", "*", c and {"owner": n, "kind": k, "place": p, "n": c}),
        nation, kind, place, st.integers(0, 3).map(lambda c: c or None),
    ),
    st.builds(
        lambda n, p, c: _change("units", f"{n}.foot@{p}[force={n}#0001]", "*",
                                c and {"owner": n, "kind": "foot", "place": p, "n": c, "force": f"{n}#0001"}),
        nation, place, st.integers(0, 2).map(lambda c: c or None),
    ),
    st.builds(lambda n, p, v: _change("treasuries", f"{n}/{p}", "gold", v), nation, place, st.sampled_from([None, 4, 7])),
    st.builds(lambda n, f: _change("forces", f"{n}#0001", "*", f and {"at": f}), nation, st.one_of(st.none(), place)),
    st.builds(
        lambda n, i, row: _change("orders", f"{n}/{i:04d}", "*", row and {"nation": n, "order": row}),
        nation, st.integers(1, 2), st.sampled_from([None, "actions/wave", "orders/wave", "orders/go"]),
    ),
)  # fmt: skip


def answers(turn: Turn) -> dict[str, Any]:
    """All that a world is asked here, and keeps."""
    world, state = turn.world, turn.state
    out: dict[str, Any] = {"nations": world.nations(), "sides": world.by_side(), "forces": _forces_at(turn)}
    for a in world.nations():
        out[f"gold of {a}"] = stores.purses(world, a, "gold")
        out[f"land of {a}"] = stores.regions(world, a, stores.division(world.ruleset, "gold"))
        for b in world.nations():
            out[f"{a} to {b}"] = world.stance(a, b), world.hostile(a, b), world.allied(a, b)
        for term in ("mates", "held", "calmness", "foes", "loose"):
            out[f"{term} of {a}"] = world.value(f"{term}(x)", {"x": Entity("nation", a)})
    for p in PLACES:
        out[f"at {p}"] = (
            world.holder_of(p),
            state.owners_at(p),
            state.stacks(at=p),
            state.stacks(at=p, owner="red"),
        )
        for term in ("guarded", "threat"):
            out[f"{term} of {p}"] = world.value(f"{term}(x)", {"x": Entity("place", p)})
    for key, _ in state.stacks():
        out[f"might of {key}"] = world.value("might(x)", {"x": Entity("unit", key)})
    for n in NATIONS:
        out[f"army of {n}"] = world.value("units(force=x)", {"x": Entity("force", f"{n}#0001")})
    for wanted in (None, ["wave"], ["actions/wave", "go"]):
        out[f"orders {wanted}"] = turn.orders(wanted), turn.orders(wanted, "red")
    return out


@given(st.lists(changes, max_size=12))
def test_after_any_changes_a_world_answers_like_a_new_one(made: list[Change]) -> None:
    turn = small.turn(RULES)
    answers(turn)
    for change in made:
        change(turn.state)
        turn.state.put("game", "game", "tick", turn.state.version)  # something else changes all the time
        fresh = small.turn(RULES, State(turn.state.tables))
        assert answers(turn) == answers(fresh)
        assert State(turn.state.tables) == turn.state == turn.state.copy()
        assert answers(small.turn(RULES, turn.state.copy())) == answers(fresh)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), changes), max_size=4))
def test_worlds_that_share_what_is_kept_answer_each_for_itself(made: list[tuple[int, Change]]) -> None:
    """A world, and two over copies of its state: whichever changes, the others hear nothing of it."""
    turn = small.turn(RULES)
    first, second = (
        Turn(
            RULES,
            turn.state.copy(),
            turn.dice,
            moments=turn.world.moments,
            geography=turn.world.geography,
            copied=turn.world,
        )
        for _ in range(2)
    )
    answers(first)
    for which, change in made:
        change((turn, first, second)[which].state)
        for each in (second, turn, first):
            assert answers(each) == answers(small.turn(RULES, State(each.state.tables)))


def test_a_world_over_a_copy_takes_over_what_is_kept_until_a_table_changes() -> None:
    world = World(RULES, small.state())
    made: list[int] = []

    def ask(of: World) -> int:
        of.keep("x", ("places",), lambda: made.append(1))
        return len(made)

    copies = [World(RULES, world.state.copy(), copied=world) for _ in range(2)]
    assert [ask(copies[0]), ask(world), ask(copies[1])] == [1, 1, 1]
    copies[0].state.put("nations", "red", "calm", 3)
    assert ask(copies[0]) == 1
    copies[0].state.put("places", "ash", "worth", 3)
    assert [ask(copies[0]), ask(copies[1])] == [2, 2]
    assert ask(world) == 2


def test_regions_are_made_again_when_what_their_test_reads_changes() -> None:
    world = World(RULES, small.state(places={"ash": {"worth": 5}}))

    def land() -> list[tuple[str, ...]]:
        return stores.regions(world, "red", stores.division(world.ruleset, "gold"))

    assert land() == [("ash", "birch")]
    world.state.put("places", "ash", "worth", 1)
    assert land() == [("birch",)]


@pytest.mark.parametrize(
    ("table", "field", "again"),
    [
        ("nations", "side", True),
        ("nations", "calm", False),
        ("nations", "*", True),
        ("places", "side", False),
    ],
)
def test_what_reads_a_column_is_made_again_for_that_column_only(table: str, field: str, again: bool) -> None:
    world = World(RULES, small.state(nations={"red": {"calm": 1, "side": "east"}}))
    made: list[int] = []

    def ask() -> int:
        world.keep("x", columns("nations", "side"), lambda: made.append(1))
        return len(made)

    assert ask() == ask() == 1
    world.state.put(table, "red", field, {"side": "west"} if field == "*" else "west")
    assert ask() == (2 if again else 1)


def test_a_row_that_comes_or_goes_counts_for_every_column() -> None:
    state = small.state()
    before = dict(state.versions)
    state.put("nations", "red", "calm", 3)
    came = dict(state.versions)
    state.put("nations", "red", "calm", None)
    assert before.get("nations.*", 0) < came["nations.*"] < state.versions["nations.*"]


def test_a_world_that_is_closed_is_freed_without_the_collector() -> None:
    here = small.state()
    world = World(RULES, here, moments={"turn": here.copy()})
    assert world.value("was(x, 'calm', 'turn') + calmness(x)", {"x": Entity("nation", "red")})
    gone = weakref.ref(world)
    gc.disable()
    try:
        world.close()
        del world
        assert gone() is None
    finally:
        gc.enable()


def test_a_readers_chain_is_the_digest_of_what_each_entry_says_whoever_asked_before() -> None:
    def entry(n: int, text: str) -> Entry:
        return Entry(
            n=n,
            turn=1,
            step="s",
            rule="r/x",
            at="",
            subject="",
            happened=[plain(text)],
            dice=[{"die": "1d6"}],
            data={"n": n},
        )

    entries = [entry(1, "one"), entry(2, "two"), entry(0, "not sealed")]
    expected = "start"
    for e in entries:
        expected = digest([expected, e.turn, e.step, e.rule, e.told, e.dice, e.data])
    told: dict[int, bytes] = {}
    assert (
        chain_of(entries, "start")
        == chain_of(entries, "start", told)
        == chain_of(entries, "start", told)
        == expected
    )
    assert set(told) == {1, 2}
    assert chain_of([entry(0, "another")], "", told) != chain_of([entry(0, "not sealed")], "", told)


def test_states_that_share_rows_part_when_one_is_changed() -> None:
    rows = {"red": {"gold": 1}, "blue": {"gold": 2}}
    one, other = State({"treasuries": rows}), State({"treasuries": rows})
    one.put("treasuries", "red", "gold", 5)
    one.put("treasuries", "blue", "*", None)
    assert (one.row("treasuries", "red"), one.row("treasuries", "blue")) == ({"gold": 5}, {})
    assert other.tables == {"treasuries": {"red": {"gold": 1}, "blue": {"gold": 2}}}
    assert rows == {"red": {"gold": 1}, "blue": {"gold": 2}}


def test_changed_rules_take_over_what_follows_from_the_rows_that_they_leave_alone() -> None:
    RULES.derived("of all", dict)
    RULES.derived("of terms", lambda: sorted(RULES.rows("definitions")), of=("definitions",))
    units = replace(RULES, forms={**RULES.forms, "units": {}})
    units.take_over(RULES)
    assert units.derived("of terms", list, of=("definitions",)) is RULES.derived("of terms", list)
    assert units.derived("of all", list) == [] and RULES.derived("of all", list) == {}
    terms = replace(RULES, forms={**RULES.forms, "definitions": {}})
    terms.take_over(RULES)
    assert terms.derived("of terms", list, of=("definitions",)) == []


def test_what_changed_rules_make_of_rows_left_alone_is_made_once_for_all_of_them() -> None:
    one, other = (replace(RULES, forms={**RULES.forms, "units": {}}) for _ in range(2))
    framed = replace(RULES, sequence=({"step": "dawn", "do": "moment"},))
    for changed in (one, other, framed):
        changed.take_over(RULES)
    made = one.derived("of terms and steps", lambda: [1], of=("definitions", SEQUENCE))
    assert other.derived("of terms and steps", list, of=("definitions", SEQUENCE)) is made
    assert RULES.derived("of terms and steps", list) is made
    assert framed.derived("of terms and steps", list, of=("definitions", SEQUENCE)) == []
