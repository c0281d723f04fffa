"""What a policy writes into an order: at its slots (`slots`), and as the conditions that it carries
(`conditions`).

A row says a number, a word, a list in the order of preference, or units as kind to number; each of them may
be `=` an expression. Of a slot of several things an expression gives a set, which stands there in its order;
of a slot of one thing the first of it. Units stand for their kinds where a slot names kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..battle.targets import loss_options
from ..core.model import Row
from ..core.state import Entity
from ..orders.kinds.order_kind import OrderKind
from ..ruleset.expressions import ExpressionError
from ..ruleset.order_syntax import Slot, option_slots
from ..world.selections import id_of
from ..world.world import Names, World


def written(world: World, slot: Slot, said: Any, names: Names) -> Any:
    """What stands at a slot by what a row says of it, as an order writes it; None: the slot is left out."""
    if slot.kind == "units":
        counts = {kind: int(world.number(n, names)) for kind, n in said.items()}
        return {kind: n for kind, n in counts.items() if n > 0}
    if slot.kind == "number" and not slot.many:
        return int(world.number(said, names))
    values = list(_values(world, slot, said, names))
    if slot.many:
        return values or None
    return values[0] if values else None


def slots_written(
    world: World, kind: OrderKind, slots: Mapping[str, Any] | None, names: Names
) -> dict[str, Any]:
    """What a rule writes at the slots of an order; those of which it gives nothing are left out."""
    values = {name: written(world, kind.slot(name), said, names) for name, said in (slots or {}).items()}
    return {name: value for name, value in values.items() if value is not None}


def conditions(world: World, kind: OrderKind, wanted: Row | None, names: Names) -> dict[str, Any]:
    """The conditions that an order of a kind takes, of those that a row wants.

    Where the names have those who go (`going`) and they are of one kind, who is lost first is left out.
    """
    takes = set(kind.row.get("options", ()))
    if len({world.field(unit, "kind") for unit in names.get("going", ())}) == 1:
        takes -= loss_options(world.ruleset)
    out: dict[str, Any] = {}
    for option, said in (wanted or {}).items():
        if option not in takes:
            continue
        slots = option_slots(world.ruleset.row("order_options", option))
        if not slots or not isinstance(said, Mapping):
            said = dict.fromkeys(list(slots)[:1], said)
        values = {name: written(world, slots[name], text, names) for name, text in said.items()}
        if slots and (not values or None in values.values()):
            continue
        out[option] = values if len(values) > 1 else next(iter(values.values()), True)
    return out


def _values(world: World, slot: Slot, said: Any, names: Names) -> Iterator[Any]:
    """What a row says, thing by thing; of a set each thing once."""
    if isinstance(said, list):
        for each in said:
            yield from _values(world, slot, each, names)
        return
    thing = world.marked(said, names)
    several = isinstance(thing, tuple) and not isinstance(thing, Entity)
    plain = [_plain(world, slot, value) for value in (thing if several else (thing,))]
    yield from dict.fromkeys(value for value in plain if value is not None)


def _plain(world: World, slot: Slot, value: Any) -> Any:
    """A value as an order writes it."""
    if slot.kind == "number":
        return int(world.number(value, {}))
    if slot.kind == "unit-kind" and isinstance(value, Entity) and value.kind == "unit":
        return world.field(value, "kind")
    if slot.kind == "choice" and value is not None and value not in slot.choices:
        raise ExpressionError(f"{slot.name!r} is {' or '.join(slot.choices)}, and this gives {id_of(value)}")
    return None if value is None else str(id_of(value))
