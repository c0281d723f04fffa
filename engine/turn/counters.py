"""Counters: numbers of things that triggers count up; `counter(x, id)` reads them.

A row says at which trigger it counts (`on`), for whom (`of`: a set, bound by its kind), and how much (`by`).
With `while` it says how many times in a row a test has held: when the test fails, or where `clear` holds, the
count goes back to nothing. From the count `from` on (1 if left out) its `effects` are carried out each time.
Units stand in stacks that come and go, so they keep their count in a `field` of their own.
All things that a trigger counts are judged before anything changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.journal import NOBODY, Fact
from ..core.model import Ruleset, derived_of
from ..core.rows import CounterRow
from ..core.state import THE_GAME, Entity
from ..world.selections import selection
from ..world.treasury import division, main_purse, purses, regions
from ..world.world import exact
from .context import Turn, audience_ids
from .effects import EffectRunner, whole
from .triggers import matches, triggers, view


def offer(turn: Turn, fact: Fact) -> None:
    """Count every counter that waits for this trigger."""
    rows = _index(turn.ruleset).get(fact.word)
    if not rows:
        return
    for row in rows:
        if not any(matches(turn, word, filters, fact) for word, filters in triggers(row)):
            continue
        base = {**turn.loops, "event": view(fact)}
        counted = [_judge(turn, row, thing, names) for thing, names in _subjects(turn, row, base)]
        if "field" in row:  # a stack that is counted becomes one of a higher count: that one goes first
            counted.sort(key=lambda one: -one.before)
        for one in counted:
            _count(turn, row, one)


class _Counted(NamedTuple):
    """One thing that is counted (None: the game), what is in scope of it, its count before and after, and
    whether it is counted: if not, its count stays or goes back to nothing.
    """

    thing: Entity | None
    names: dict[str, Any]
    before: Any
    after: Any
    holds: bool


def _judge(turn: Turn, row: CounterRow, thing: Entity | None, names: dict[str, Any]) -> _Counted:
    """What becomes of a count, on the state as it is."""
    if thing is not None and "field" in row:
        before = turn.state.get("units", thing.id, row["field"], 0)
    else:
        before = turn.state.get("counters", _key(thing), row["id"], 0)
    holds = "while" not in row or turn.world.test(row["while"], names)
    cleared = turn.world.test(row["clear"], names) if "clear" in row else not holds
    after = 0 if cleared else before
    if holds:
        after += exact(turn.world.number(row.get("by", 1), names))
    return _Counted(thing, names, before, after, holds)


def _count(turn: Turn, row: CounterRow, counted: _Counted) -> None:
    """Keep a count that has changed, and carry out what the row does from a count on."""
    thing, names, before, after, holds = counted
    gone = thing is not None and thing.kind == "unit" and not turn.state.get("units", thing.id, "n", 0)
    if after == before or gone:
        return
    key, rule = _key(thing), f"counters/{row['id']}"
    readers = audience_ids(turn.world, row.get("audience", NOBODY), names)
    data = {"times": after} if "while" in row else {}
    with turn.journal.entry(rule, subject=key, audience=readers, data=data) as entry:
        if thing is not None and "field" in row:
            n = int(turn.state.get("units", thing.id, "n", 0))
            stack = turn.journal.alter_units(thing.id, n, **{row["field"]: after or None})
            names = {**names, "unit": Entity("unit", stack)}
        else:
            turn.journal.set("counters", key, row["id"], after if holds else None)
        effects = row.get("effects") if holds and after >= row.get("from", 1) else None
        if effects:
            with whole(turn, rule, key):
                EffectRunner(turn, entry, rule, key).effects(effects, names)


def _key(thing: Entity | None) -> str:
    """Whose count it is, as the state has it."""
    return f"{thing.kind}:{thing.id}" if thing else THE_GAME


def _subjects(
    turn: Turn, row: CounterRow, names: dict[str, Any]
) -> Iterator[tuple[Entity | None, dict[str, Any]]]:
    wanted = row.get("of")
    if wanted is None:
        yield None, names
    elif isinstance(wanted, dict):
        yield from _regions(turn, wanted["regions"], names)
    else:
        for thing in selection(turn.world, wanted, names):
            bound = {**names, thing.kind: thing}
            if thing.kind == "nation":
                bound["self"] = thing
            elif thing.kind == "place":
                bound["self"] = bound["nation"] = turn.world.field(thing, "holder")
            elif thing.kind == "unit":
                bound["self"] = bound["nation"] = turn.world.field(thing, "owner")
                bound["place"] = turn.world.field(thing, "place")
            yield thing, bound


def _regions(turn: Turn, resource: str, names: dict[str, Any]) -> Iterator[tuple[Entity, dict[str, Any]]]:
    """Each region of each nation, by its seat; `purse` is the place that keeps what it draws on: its own, or
    the main one.
    """
    world = turn.world
    row = division(world.ruleset, resource)
    for nation in world.nations():
        kept = purses(world, nation, resource)
        main = main_purse(world, nation, resource)
        for part in regions(world, nation, row):
            own = [k for k in kept if k.partition("/")[2] in part]
            purse = max(own, key=lambda k: (kept[k], k)) if own else main
            there = Entity("place", purse.partition("/")[2])
            seat = there if own else Entity("place", part[0])
            who = Entity("nation", nation)
            yield seat, {**names, "place": seat, "treasury": there, "nation": who, "self": who}


@derived_of("counters")
def _index(ruleset: Ruleset) -> dict[str, list[CounterRow]]:
    out: dict[str, list[CounterRow]] = {}
    for row in ruleset.rows("counters").values():
        for word in {w for w, _ in triggers(row)}:
            out.setdefault(word, []).append(row)
    return out
