"""One reckoning of a number: whatever is shown of a thing is what it fights with, and what it costs."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wteaw.battle import compile
from wteaw.battle.arrays import Members
from wteaw.battle.plan import Plan, Setting
from wteaw.battle.rational_arrays import Figures
from wteaw.battle.values import compile_value
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import Entity, State, unit_key
from wteaw.odds import Question
from wteaw.odds.ask import plan_of
from wteaw.world.applies_to import is_for
from wteaw.world.world import World

from .battlefield import Field
from .test_battle_systems import rules

KINDS = ("foot", "gun", "horse")
UNITS: list[Row] = [
    {"id": "foot", "attack": 3, "tags": ["slow"]},
    {"id": "gun", "attack": 6, "tags": ["slow", "loud"]},
    {"id": "horse", "attack": 4, "tags": []},
]
TERMS: list[Row] = [
    {"id": "is_gun", "of": ["unit"], "is": "unit.kind == 'gun'"},
    {"id": "half", "of": ["unit"], "is": "unit.attack / 4"},
]
TABLES: list[Row] = [{"id": "relief", "keys": ["n"], "rows": {0: 0, 1: "1/2", 2: "5/3"}, "default": 2}]
GROUPS: list[Row] = [
    {"id": "heavy", "of": "units", "members": ["gun", "horse"]},
    {"id": "ours", "of": "nations", "members": ["one"]},
]
SIDES: list[Row] = [{"id": "north"}]
BATTLES: list[Row] = [{"id": "fight", "die": "1d10", "stages": [{"id": "fire", "value": "attack"}]}]

number = st.one_of(
    st.integers(-5, 9),
    st.sampled_from(["1/2", "-3/4", "7/3", "0", "=count(foe)", "=min(3, count(mine, 'is_gun'))", "=lookup('relief', min(3, count(foe)))",
                     "=sum(mine, 'half')", "=unit.attack / 4", "=2 if any(foe, 'is_gun') else 1/2", "=-battle.round"]),
)  # fmt: skip
positive = st.sampled_from(
    [1, 2, "1/2", "3/2", "2/3", "=1 + count(mine)", "=lookup('relief', min(3, count(mine)))"]
)
test = st.sampled_from(
    [None, "count(foe) > 2", "any(mine, 'is_gun')", "all(foe, 'is_gun')", "battle.round == 1", "unit.kind == 'foot'", "turn > 3",
     "count(mine) > count(foe) and not any(foe, 'is_gun')", "count_distinct(mine, 'kind') > 1 or self == 'two'"]
)  # fmt: skip
rounding = st.sampled_from([None, "up", "down", "nearest"])
wanted = st.sampled_from(
    [
        None,
        "foot",
        ["gun", "horse"],
        "loud",
        "heavy",
        "ours",
        "north",
        "=unit.attack > 3",
        ["=nations(side='north')", "foot"],
    ]
)


def _row(id_: int, **keys: Any) -> Row:
    return {
        "id": f"rule-{id_}",
        "of": "attack",
        **{k.removesuffix("_"): v for k, v in keys.items() if v is not None},
    }


adjust = st.builds(
    _row, st.just(0), for_=wanted, when=test, base=st.none() | number, add=st.none() | number, times=st.none() | positive, round=rounding,
    at_least=st.none() | st.integers(-2, 4), at_most=st.none() | st.integers(3, 9), late=st.sampled_from([None, None, True]),
    final=st.sampled_from([None, None, None, 4, "=count(foe)", "7/2"]),
)  # fmt: skip
quantity = st.builds(
    lambda base, how, low, high: {"id": "attack", "of": "unit", "base": base, **({"round": how} if how else {}),
                                  **({"at_least": low} if low is not None else {}), **({"at_most": high} if high is not None else {})},
    st.sampled_from(["unit.attack", "unit.attack / 2", 5]), rounding, st.none() | st.integers(0, 3), st.none() | st.integers(4, 8),
)  # fmt: skip
numbers = st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), min_size=1, max_size=6)


def country(row: Row, adjusts: list[Row]) -> Ruleset:
    return rules(
        BATTLES, UNITS, definitions=TERMS, tables=TABLES, groups=GROUPS, sides=SIDES, stats=[row],
        modifiers=[{**a, "id": f"rule-{n}"} for n, a in enumerate(adjusts)],
    )  # fmt: skip


def shown(ruleset: Ruleset, thing: tuple[str, str], there: dict[tuple[str, str], int], round_: int) -> Any:
    """The quantity of a unit as the world shows it, where just these units meet."""
    units = {
        unit_key(o, k, "here"): {"owner": o, "kind": k, "place": "here", "n": n}
        for (o, k), n in there.items()
    }
    world = World(
        ruleset, State({"game": {"game": {"turn": 2}}, "units": units, "nations": {"one": {"side": "north"}}})
    )
    mine = tuple(Entity("unit", unit_key(o, k, "here")) for o, k in there if o == thing[0])
    foe = tuple(Entity("unit", unit_key(o, k, "here")) for o, k in there if o != thing[0])
    about = {"attacks": thing[0] == "one", "round": round_, "kind": "fight"}
    return world.quantity(
        "attack", Entity("unit", unit_key(*thing, "here")), {"mine": mine, "foe": foe, "battle": about}
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    quantity,
    st.lists(adjust, max_size=5),
    numbers,
    st.sampled_from([("one", k) for k in KINDS] + [("two", "gun")]),
    st.integers(1, 2),
)
def test_the_figure_shown_is_the_figure_fought_with(
    row: Row, adjusts: list[Row], rows: list[list[int]], thing: tuple[str, str], round_: int
) -> None:
    ruleset = country(row, adjusts)
    columns = [(owner, kind) for owner in ("one", "two") for kind in KINDS]
    units = {unit_key(o, k, "here"): {"owner": o, "kind": k, "place": "here", "n": 1} for o, k in columns}
    world = World(
        ruleset, State({"game": {"game": {"turn": 2}}, "units": units, "nations": {"one": {"side": "north"}}})
    )
    sets = {}
    for name, is_mine in (("mine", True), ("foe", False)):
        which = tuple(i for i, (o, _) in enumerate(columns) if (o == thing[0]) is is_mine)
        sets[name] = Members(tuple(Entity("unit", unit_key(*columns[i], "here")) for i in which), which)
    counts = np.array(rows, dtype=np.int64)
    about = {"attacks": thing[0] == "one", "round": round_, "kind": "fight"}
    value = compile_value(
        world, "attack", Entity("unit", unit_key(*thing, "here")), {"battle": about}, sets, counts[:1], {}
    )
    found = value.exact(counts, round_)
    exact = found.fractions() if isinstance(found, Figures) else [Fraction(found)] * len(rows)
    exact = exact * len(rows) if len(exact) == 1 else exact
    whole = np.broadcast_to(np.asarray(value(counts, round_)), (len(rows),))
    for n, row_ in enumerate(rows):
        # a unit that is not there counts for nothing in a set: stacks of none are not asked by the battle either
        there = {c: k for c, k in zip(columns, row_, strict=True) if k}
        figure = shown(ruleset, thing, there, round_)
        assert exact[n] == figure
        assert whole[n] == Fraction(figure).__floor__()


def test_all_rows_of_the_base_rules_give_in_battle_what_they_give_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every unit of the game on either side, over every kind of border and works, in the first rounds."""
    makers: list[compile._BattleMaker] = []
    made = compile._BattleMaker.plan
    monkeypatch.setattr(
        compile._BattleMaker, "plan", lambda self, *told: makers.append(self) or made(self, *told)
    )
    field = Field()
    field.state.put("techs", "a", "*", {"improved-anti-aircraft": 1})
    kinds = [k for k, row in field.rules.rows("units").items() if "virtual" not in row.get("tags", ())]
    compared = 0
    for works in (None, "trench", "super-trench"):
        for battle in ("land", "sea", "dogfight", "flak", "meeting"):
            mine, theirs = {("a", k): 2 for k in kinds}, {("d", k): 1 for k in kinds}
            plan = plan_of(field.turn.world, Question(battle, mine, theirs, "p", "x", works=works))
            compared += _compared(plan, makers[-1])
    assert compared > 300


def _compared(plan: Plan, maker: compile._BattleMaker) -> int:
    """How many values of a battle were compared with the figures of the world that it is fought in."""
    seen = 0
    things = [tuple(plan.groups[i].entity for i in plan.of_side[s]) for s in (0, 1)]
    for stage in plan.stages:
        for volley in stage.volleys:
            for fire in volley.fires:
                group = plan.groups[fire.group]
                text = fire.value.quantity.get("id")
                if text is None:
                    continue
                scope = maker.scope(group.side, group)
                sets = {"mine": _there(plan, things[group.side]), "foe": _there(plan, things[1 - group.side])}
                for round_ in (1, 2):
                    names = {**scope, **sets, "battle": {**scope["battle"], "round": round_}}
                    found = fire.value.exact(plan.start, round_)
                    fought = found.fractions()[0] if isinstance(found, Figures) else found
                    assert fought == plan.world.quantity(text, group.entity, names), (text, group)
                    seen += 1
    return seen


def _there(plan: Plan, things: tuple[Entity, ...]) -> tuple[Entity, ...]:
    there = {g.key for g in plan.groups if g.n}
    return tuple(t for t in things if t.id in there)


@pytest.mark.parametrize(
    ("wanted", "takes"),
    [("one", True), ("two", False), (["two", "one"], True), ("ours", True), ("north", True), ("south", False), ("=nations(side='north')", True),
     ("=nation == 'two'", False), (["south", "=nation == 'one'"], True)],
)  # fmt: skip
def test_a_for_means_the_same_wherever_it_stands(wanted: Any, takes: bool) -> None:
    ruleset = country({"id": "attack", "of": "unit", "base": 1}, [{"of": "attack", "for": wanted, "add": 5}])
    ruleset = Ruleset(
        ruleset.id,
        ruleset.title,
        {**ruleset.forms, "sides": {"north": {"id": "north"}, "south": {"id": "south"}}},
    )
    world = World(ruleset, State({"nations": {"one": {"side": "north"}}}))
    assert is_for(world, wanted, "one") is takes
    assert world.quantity("attack", Entity("unit", "one.foot@here")) == (6 if takes else 1)


def test_a_row_whose_numbers_read_what_is_not_there_does_not_apply() -> None:
    ruleset = country({"id": "attack", "of": "unit", "base": 1}, [{"of": "attack", "add": "=count(foe)"}])
    assert World(ruleset, State()).quantity("attack", Entity("unit", "one.foot@here")) == 1


def test_a_label_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb that fights at once names adjusts that do not count, by their ids or tags."""
    monkeypatch.setattr("wteaw.odds.ask.Setting", partial(Setting, ignore=("mud",)))
    adjusts = [
        {"of": "attack", "add": 1, "label": "mud"},
        {"of": "attack", "add": 2, "tags": ["mud"]},
        {"of": "attack", "add": 4},
    ]
    ruleset = country({"id": "attack", "of": "unit", "base": 0}, adjusts)
    ruleset = Ruleset(ruleset.id, ruleset.title, {**ruleset.forms, "battles": {"fight": BATTLES[0]}})
    plan = plan_of(
        World(ruleset, State()), Question("fight", {("one", "foot"): 1}, {("two", "foot"): 1}, "here")
    )
    assert [fire.value.fixed for fire in plan.stages[0].volleys[0].fires] == [5]


def test_a_stage_throws_one_kind_of_die() -> None:
    ruleset = Ruleset(
        "t",
        "T",
        {
            **country({"id": "attack", "of": "unit", "base": 1}, []).forms,
            "battles": {"fight": {**BATTLES[0], "die": "2d6"}},
        },
    )
    with pytest.raises(ValueError, match="1d6, not 2d6"):
        plan_of(
            World(ruleset, State()), Question("fight", {("one", "foot"): 1}, {("two", "foot"): 1}, "here")
        )
