"""Facts against what waits for them: the triggers of a row, whether a fact fits one, and what `event.x` reads
of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.compiled import ordinary
from ..core.journal import Fact
from ..core.model import Row
from ..core.state import Entity
from ..world.selections import as_set, fits
from .context import Turn

_ROLE_KIND = {
    "by": "nation",
    "of": "nation",
    "place": "place",
    "side": "side",
    "tech": "tech",
    "war": "war",
    "from": "place",
}
_ROLE_NAMES = {"by": "actor", "of": "target", "from": "origin"}


@ordinary
class EventView(dict[str, Any]):
    """What `event.x` reads: the roles of the fact as things."""

    def expression_field(self, name: str) -> Any:
        return self.get(name)


def triggers(row: Row) -> Iterator[tuple[str, Any]]:
    """The facts an event waits for, as (word, filters)."""
    on = row.get("on")
    if on is None:
        return
    for item in on if isinstance(on, list) else [on]:
        if isinstance(item, str):
            yield item, {}
        else:
            yield from item.items()


def matches(turn: Turn, word: str, filters: Any, fact: Fact) -> bool:
    """Whether a fact fits a trigger. A bare filter is the step's name or the turn's number."""
    if word != fact.word:
        return False
    if not isinstance(filters, Mapping):
        filters = {bare_role(word): filters}
    for name, wanted in filters.items():
        found = fact.roles.get(name)
        if name == "side" and found is None and "by" in fact.roles:
            found = turn.world.side_of(fact.roles["by"])
        if isinstance(wanted, str) and wanted.startswith("="):
            value = turn.world.value(wanted[1:], {"event": view(fact)})
            wanted = tuple(as_set(turn.world, value)) if not isinstance(value, str | int | bool) else value
        wanted = tuple(wanted) if isinstance(wanted, list) else wanted
        if not fits(turn.world, found, wanted):
            return False
    return True


def view(fact: Fact) -> EventView:
    out = EventView()
    for role, value in fact.roles.items():
        kind = _ROLE_KIND.get(role)
        thing = Entity(kind, value) if kind and isinstance(value, str) else value
        out[_ROLE_NAMES.get(role, role)] = thing
        out[role] = thing
    return out


def bare_role(word: str) -> str:
    """The role that a trigger's single value is about: the step's name, the turn's number, the mark, else the
    actor.
    """
    return {"step": "step", "turn_start": "turn", "turn_end": "turn", "expired": "flag"}.get(word, "by")
