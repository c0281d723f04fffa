"""Which names an expression may use: what its mechanic binds, reported at file, line and column; and what battles can reckon."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.battle.arrays import Members, compile_array
from wteaw.core.state import Entity
from wteaw.ruleset.expressions import ExpressionError, parse
from wteaw.ruleset.expressions.living import array_problems
from wteaw.world.world import World

from . import small
from .folders import errors_are_told, found, own_cache, places  # noqa: F401

BASE = """\
nations:
- {id: n, name: N}
places:
- {id: a, kind: land, owner: n}
- {id: b, kind: land}
links:
- {between: [a, b]}
tracks:
- {id: mood}
"""
OUT_OF_SCOPE = [
    (
        'actions:\n- {id: ask, syntax: ask, requires: [{test: "foe == self", message: no}]}\n',
        ("E302", 11, 45),
        "foe",
    ),
    (
        "actions:\n- {id: ask, syntax: ask, effects: [{flag: {who: =place, as: x}}]}\n",
        ("E302", 11, 50),
        "place",
    ),
    (
        "actions:\n- {id: ask, syntax: ask, effects: [{flag: {who: =self, as: x}, when: result > 3}]}\n",
        ("E302", 11, 70),
        "result",
    ),
    ('events:\n- {id: e, becomes: unit.moved, for: "places()"}\n', ("E302", 11, 20), "unit"),
    (
        "events:\n- {id: e, on: step, effects: [{shift: {who: =unit.owner, track: mood, by: 1}}]}\n",
        ("E302", 11, 46),
        "unit",
    ),
    (
        'definitions:\n- {id: t, of: [nation], is: "t2(nation) or self.alive"}\n- {id: t2, of: [nation], is: t(nation)}\n',
        None,
        "self",
    ),
    ("visibility:\n- {id: s, what: units, to: owner, when: battle.round > 1}\n", ("E302", 11, 41), "battle"),
    ("capture:\n- {id: c, how: capture, over: self.alive}\n", None, "self"),
]


@pytest.mark.parametrize(("text", "at", "name"), OUT_OF_SCOPE)
def test_a_name_that_the_mechanic_does_not_bind(
    tmp_path: Path, text: str, at: tuple[str, int, int] | None, name: str
) -> None:
    said = [d for d in found(tmp_path, BASE + text) if d.code == "E302"]
    assert len(said) == 1 and said[0].message.startswith(f"no name {name} here; there are "), said
    assert "turn" in said[0].message, "the names that are there are told"
    if at is not None:
        assert places(said) == [at]


def test_the_nearest_name_is_proposed(tmp_path: Path) -> None:
    text = 'actions:\n- {id: ask, syntax: "ask {target}", slots: {target: nation}, requires: [{test: "traget.alive", message: no}]}\n'
    (said,) = [d for d in found(tmp_path, BASE + text) if d.code == "E302"]
    assert (
        said.hint == "did you mean target?"
        and "action, line, nation, season, self, step, target, turn, year" in said.message
    )


IN_SCOPE = [
    'actions:\n- {id: ask, syntax: "ask {target}", slots: {target: nation}, requires: [{test: "target != self", message: no}]}\n',
    "actions:\n- {id: ask, syntax: ask, roll: 1d10, effects: [{shift: {who: =self, track: mood, by: =result}}]}\n",
    'actions:\n- {id: ask, syntax: ask, effects: [{for: "places(owner=self)", flag: {who: =place, as: x}}]}\n',
    'actions:\n- {id: ask, syntax: ask, effects: [{for: "nations()", shift: {who: =nation, track: mood, by: 1}}]}\n',
    'events:\n- {id: e, becomes: place.occupied, for: "places()", effects: [{flag: {who: =place, as: x}}]}\n',
    "events:\n- {id: e, on: captured, when: event.place == place('a'), effects: [{flag: {who: =event.actor, as: x}}]}\n",
    'definitions:\n- {id: t, of: ["other:place", place], is: "distance(other, place) > turn"}\n',
]


@pytest.mark.parametrize("text", IN_SCOPE)
def test_what_structures_bind_is_in_scope(tmp_path: Path, text: str) -> None:
    assert [d for d in found(tmp_path, BASE + text) if d.code.startswith("E3")] == []


# ---- what can be compiled to arrays

REFUSED = [
    ("count(mine) / 2", 0),
    ("1 + count(mine) ** 2", 4),
    ("'horse' in foe", 0),
    ("mine", 0),
    ("where(mine, 'strength')", 0),
    ("count(neighbors(place('ash')), 'occupied') > count(mine, 'strength', count(foe))", 45),
    ("lookup(battle.round, 1)", 0),
    ("lookup('recovery', 1, foe.strength)", 22),
    ("min(2, count(mine), foe.strength)", 20),
    ("count(where(foe, 'strength'))", 0),
    ("battle.round > 1 and round(count(foe) * 2)", 21),
]
TAKEN = [
    "count(mine) * 2 > count(foe)",
    "ceil(count(mine) / 2)",
    "sum(foe, 'strength') // 3 if battle.round == 1 else 0",
    "min(count(mine), 4) + max(1, maximum(foe, 'strength'))",
    "any(foe) and not all(mine, 'strength')",
    "count(neighbors(place('ash'))) / 2",
]


@pytest.mark.parametrize(("text", "column"), [*REFUSED, *[(t, None) for t in TAKEN]])
def test_the_check_and_the_compiler_agree(text: str, column: int | None) -> None:
    world = World(small.ruleset(), small.state())
    mine = Members((Entity("unit", "red.foot@birch"),), (0,))
    foe = Members((Entity("unit", "blue.horse@cedar"),), (1,))
    problems = array_problems(text)
    if column is None:
        assert problems == [] and compile_array(world, parse(text), {}, {"mine": mine, "foe": foe})
        return
    assert [p.column for p in problems] == [column], problems
    with pytest.raises(ExpressionError):
        compile_array(world, parse(text), {}, {"mine": mine, "foe": foe})


def test_validate_tells_where_an_expression_of_a_battle_cannot_be_reckoned(tmp_path: Path) -> None:
    text = """units:\n- {id: u, name: U}\nbattles:\n- {id: land, stages: [{id: s, when: count(mine) / 2 > count(foe), die: 1d6, value: 3}]}\nstats:\n- {id: q, of: unit, base: 1}\nmodifiers:\n- {id: q-many, of: q, when: "'u' in mine", add: 1}\n"""
    said = [d for d in found(tmp_path, BASE + text) if d.code == "E309"]
    assert places(said) == [("E309", 13, 37), ("E309", 17, 30)]
    assert said[0].hint == "write // or ceil(a / b)"


THINGS = """\
nations: [{id: one, name: One, seat: player}]
resources: [{id: coin, name: Coin}]
stances: [{id: war, hostile: true, default: true}, {id: alliance, friendly: true}]
actions:
- {id: a, syntax: a, silence: {W602: for a test}, """


@pytest.mark.parametrize(
    ("rest", "codes"),
    [
        ("audience: =self}", ""),
        ("audience: =self.side or self}", ""),
        ("audience: =›not (self)}", "E307"),
        ("audience: [everyone, =›turn]}", "E307"),
        ("effects: [{flag: {who: =self, as: seen, seen_by: everyone}}]}", ""),
        ("effects: [{flag: {who: =›1 + 1, as: seen, seen_by: everyone}}]}", "E307"),
        ("effects: [{command: {nation: =self, by: =self.seat or 'vacant'}}]}", ""),
        ("effects: [{command: {nation: =self, by: =›self.alive}}]}", "E307"),
        ("effects: [{join: {who: =self, side: =self.side if self.side else opposite(self)}}]}", ""),
        ("cost: =(1 or turn) + 1}", ""),
        ("cost: =›None}", "E307"),
        ("cost: =1 if turn else None}", ""),
        ("cost: =1 + ›None}", "E306"),
        ("requires: [{test: self.side != None, message: wait}]}", ""),
        ("requires: [{test: ›None > 1, message: wait}]}", "E306"),
        ("cost: =(›not self or turn == 1) + 1}", "E306"),
    ],
)
def test_where_a_thing_is_named_no_number_and_no_truth_may_be_worked_out(
    tmp_path: Path, rest: str, codes: str
) -> None:
    errors_are_told(tmp_path, THINGS + rest + "\n", codes)
