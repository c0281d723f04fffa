"""Streaks: how often in a row a test holds, counted each time a fact comes; `streak(x, id)` reads the count.

A row says when it is counted (`at` a fact), for whom (`of`: a set, bound by its kind), and while what holds. From the count
`from` on (1 if left out) its `effects` are carried out each time; when the test fails the count starts anew, and `reset` is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.journal import NOBODY, Fact
from ..core.rows import StreakRow
from ..core.state import Entity
from ..world.selections import selection
from ..world.treasury import main_purse, purses, regions, store_row
from .context import Turn, audience_ids
from .effects import EffectRunner, whole
from .triggers import matches, triggers, view


def offer(turn: Turn, fact: Fact) -> None:
    """Count every streak that is counted at this fact."""
    rows = _index(turn).get(fact.word)
    if not rows:
        return
    for row in rows:
        if not any(matches(turn, word, filters, fact) for word, filters in triggers({"on": row["at"]})):
            continue
        base = {**turn.loops, "event": view(turn, fact)}
        for thing, names in list(_subjects(turn, row, base)):
            count(turn, row, thing, names)


def count(turn: Turn, row: StreakRow, thing: Entity | None, names: dict[str, Any]) -> None:
    """One step of a streak: one more, or back to nothing."""
    key = f"{thing.kind}:{thing.id}" if thing else "game:game"
    now = int(turn.state.get("streaks", key, row["id"], 0))
    holds = turn.world.test(row["while"], names)
    if not holds and not now:
        return
    rule = f"streaks/{row['id']}"
    readers = audience_ids(turn.world, row.get("audience", NOBODY), names)
    with turn.journal.entry(rule, subject=key, audience=readers, data={"times": now + 1 if holds else 0}) as entry:
        turn.journal.set("streaks", key, row["id"], now + 1 if holds else None)
        effects = row.get("effects") if holds and now + 1 >= int(row.get("from", 1)) else None
        if effects:
            with whole(turn, rule, key):
                EffectRunner(turn, entry, rule, key).effects(effects, names)


def _subjects(turn: Turn, row: StreakRow, names: dict[str, Any]) -> Iterator[tuple[Entity | None, dict[str, Any]]]:
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
    """Each region of each nation, by its seat; `purse` is the place that keeps what it draws on: its own, or the main one."""
    world = turn.world
    row = store_row(world, resource)
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


def _index(turn: Turn) -> dict[str, list[StreakRow]]:
    def make() -> dict[str, list[StreakRow]]:
        out: dict[str, list[StreakRow]] = {}
        for row in turn.ruleset.rows("streaks").values():
            for word in {w for w, _ in triggers({"on": row["at"]})}:
                out.setdefault(word, []).append(row)
        return out

    return turn.ruleset.derived("streak-index", make, of=("streaks",))  # type: ignore[no-any-return]
