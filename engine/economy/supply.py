"""`supply`: units or places are traced through a test; failures are counted, and at given counts something
happens.

A row of the form `traces` says what is traced (`over`), the test (`ok`), the counter that a failure raises
(`counter`: a field of the unit, or a counter of a place or nation), what clears it, and the effects at given
counts (`at`), on every failure (`miss`) or success (`met`). Rows are settled in listed order; within a row
everything is judged before anything changes.
"""

from __future__ import annotations

from typing import Any

from ..core.model import Row
from ..core.rows import TraceRow
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from ..turn.context import Turn, audience_ids
from ..turn.effects import EffectRunner, whole
from ..world.messages import message
from ..world.selections import as_set


def run(node: Row, turn: Turn) -> None:
    """Settle the traces that the node names (`rows`; absent: all)."""
    rows = turn.ruleset.rows("traces")
    for id_ in node.get("rows", rows):
        trace(turn, rows[id_])


def trace(turn: Turn, row: TraceRow) -> None:
    """One row: every thing tested, then its failures counted and acted upon."""
    things = as_set(turn.world, turn.world.value(strip_mark(str(row["over"])), turn.names()))
    judged = []
    for thing in sorted(things):
        names = names_of(turn, thing)
        good = turn.world.test(row["ok"], names)
        clear = good if "clear" not in row else turn.world.test(row["clear"], names)
        judged.append((thing, good, clear))
    for thing, good, clear in judged:
        settle(turn, row, thing, good=good, clear=clear)


def names_of(turn: Turn, thing: Entity) -> dict[str, Any]:
    """The thing by its kind, whose it is (`self`), and where it stands."""
    names: dict[str, Any] = {**turn.loops, thing.kind: thing}
    if thing.kind == "unit":
        names.update(self=turn.world.field(thing, "owner"), place=turn.world.field(thing, "place"))
    elif thing.kind == "place":
        names["self"] = turn.world.field(thing, "holder")
    elif thing.kind == "nation":
        names["self"] = thing
    names["nation"] = names.get("self")
    return names


def settle(turn: Turn, row: TraceRow, thing: Entity, *, good: bool, clear: bool) -> None:
    """Count a failure or clear the count, and carry out what the row says for it."""
    before = count(turn, row, thing)
    after = before if good else before + 1
    if clear:
        after = 0 if good else 1
    reached = [(at, what) for at, what in row.get("at", {}).items() if before < int(at) <= after]
    if after == before and not reached:
        return
    names = names_of(turn, thing)
    rule = f"traces/{row['id']}"
    readers = audience_ids(turn.world, "=self", names)
    data = {"ok": good, "count": after}
    with turn.journal.entry(
        rule, subject=f"{thing.kind}:{thing.id}", audience=readers, data=data, keep=False
    ) as entry:
        if "says" in row and not good:
            entry.tell(message(turn.world, row["says"], names))
        now = _write(turn, row, thing, after) if after != before else thing
        runner = EffectRunner(turn, entry, rule, thing.id)
        for what in (w for _, w in sorted(reached, key=lambda r: int(r[0]))):
            with whole(turn, rule, runner.subject):
                _carry_out(turn, runner, what, now)


def count(turn: Turn, row: TraceRow, thing: Entity) -> int:
    """How many failures are on a thing's account."""
    if "counter" not in row:
        return 0
    if thing.kind == "unit":
        return int(turn.state.get("units", thing.id, row["counter"], 0))
    return int(turn.state.get("counters", f"{thing.kind}:{thing.id}", row["counter"], 0))


def _write(turn: Turn, row: TraceRow, thing: Entity, value: int) -> Entity:
    """Set the counter. A stack becomes another by it: the entity of the new one is returned."""
    if "counter" not in row:
        return thing
    if thing.kind == "unit":
        n = int(turn.state.get("units", thing.id, "n", 0))
        return Entity("unit", turn.journal.alter_units(thing.id, n, **{row["counter"]: value or None}))
    turn.journal.set("counters", f"{thing.kind}:{thing.id}", row["counter"], value or None)
    return thing


def _carry_out(turn: Turn, runner: EffectRunner, effects: Any, thing: Entity) -> None:
    """Effects on a thing; on a stack, once for each of its units."""
    if not effects:
        return
    times = int(turn.state.get("units", thing.id, "n", 0)) if thing.kind == "unit" else 1
    for _ in range(times):
        runner.effects(effects, names_of(turn, thing))
