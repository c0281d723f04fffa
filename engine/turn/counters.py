"""Counters: numbers of things that triggers count up; `counter(x, id)` reads them.

A row says at which trigger it counts (`on`), for whom (`of`: a set, bound by its kind), and how much (`by`).
With `while` it says how many times in a row a test has held: when the test fails the count goes back to
nothing. From the count `from` on (1 if left out) its `effects` are carried out each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
        for thing, names in list(_subjects(turn, row, base)):
            count(turn, row, thing, names)


def count(turn: Turn, row: CounterRow, thing: Entity | None, names: dict[str, Any]) -> None:
    """Count once: so much more, or back to nothing where the test fails."""
    key = f"{thing.kind}:{thing.id}" if thing else THE_GAME
    before = turn.state.get("counters", key, row["id"], 0)
    in_a_row = "while" in row
    holds = not in_a_row or turn.world.test(row["while"], names)
    after = before + exact(turn.world.number(row.get("by", 1), names)) if holds else 0
    if after == before:
        return
    rule = f"counters/{row['id']}"
    readers = audience_ids(turn.world, row.get("audience", NOBODY), names)
    data = {"times": after} if in_a_row else {}
    with turn.journal.entry(rule, subject=key, audience=readers, data=data) as entry:
        turn.journal.set("counters", key, row["id"], after if holds else None)
        effects = row.get("effects") if holds and after >= row.get("from", 1) else None
        if effects:
            with whole(turn, rule, key):
                EffectRunner(turn, entry, rule, key).effects(effects, names)


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
