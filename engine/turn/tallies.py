"""Tallies: counters of nations, places and other things, fed by the facts of the journal; `tally(x, id)` reads them.

A row says which fact feeds it (`on`), who gets it (`who`: a role of the fact, or `=` an expression), and how much (`by`).
"""

from __future__ import annotations

from typing import Any

from ..core.journal import Fact
from ..core.rows import TallyRow
from ..core.state import Entity
from ..world.selections import as_set
from ..world.world import exact
from .context import Turn
from .triggers import matches, triggers, view


def offer(turn: Turn, fact: Fact) -> None:
    """Feed every tally that waits for this fact."""
    rows = _index(turn).get(fact.word)
    if not rows:
        return
    event = view(turn, fact)
    for row in rows:
        if not any(matches(turn, word, filters, fact) for word, filters in triggers(row)):
            continue
        names = {**turn.loops, "event": event}
        for thing in _whose(turn, row, fact, names):
            amount = exact(turn.world.number(row.get("by", 1), {**names, thing.kind: thing}))
            if amount:
                _feed(turn, row, thing, amount)


def _feed(turn: Turn, row: TallyRow, thing: Entity, amount: Any) -> None:
    key = f"{thing.kind}:{thing.id}"
    with turn.journal.entry(f"tallies/{row['id']}", subject=key):
        turn.journal.add("tallies", key, row["id"], amount)


def _whose(turn: Turn, row: TallyRow, fact: Fact, names: dict[str, Any]) -> tuple[Entity, ...]:
    who = str(row.get("who", "by"))
    if who.startswith("="):
        return as_set(turn.world, turn.world.value(who[1:].strip(), names))
    value = fact.roles.get(who)
    return (Entity(row["of"], value),) if isinstance(value, str) else ()


def _index(turn: Turn) -> dict[str, list[TallyRow]]:
    def make() -> dict[str, list[TallyRow]]:
        out: dict[str, list[TallyRow]] = {}
        for row in turn.ruleset.rows("tallies").values():
            for word in {w for w, _ in triggers(row)}:
                out.setdefault(word, []).append(row)
        return out

    return turn.ruleset.derived("tally-index", make, of=("tallies",))  # type: ignore[no-any-return]
