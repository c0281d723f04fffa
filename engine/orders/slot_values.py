"""What a slot of an order may hold: everything of its kind, and what the needs that ask for this slot alone
leave of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.choices import as_slot
from ..core.model import Row
from ..core.state import Entity
from ..ruleset.expressions import parse
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.expressions.reads import MEANING, reads
from ..ruleset.order_syntax import FORM_OF, Slot, slot_of
from ..turn.context import OrderContext
from ..turn.slots import choices, parts
from ..world import treasury as stores
from ..world.world import World

ENUMERABLE = {
    "nation",
    "place",
    "side",
    "tech",
    "passage",
    "resource",
    "unit-kind",
    "choice",
    "force",
    "item",
    "card",
    "record",
}

Names = Mapping[str, Any]


def domain(context: OrderContext, row: Row, slot: str, names: Names) -> list[str]:
    """What a slot may hold before any need is tested, in order."""
    world = context.world
    shape, declared = slot_of(slot, row.get("slots", {}).get(slot)), as_slot(row.get("slots", {}).get(slot))
    among = strip_mark(declared["among"]) if "among" in declared else None
    if among is not None and not parse(among).names & (set(row["slots"]) - {slot}):
        return sorted(choices(context, declared, names) or ())
    if shape.kind == "choice":
        return list(shape.choices)
    if shape.kind == "nation":
        return [n for n in world.nations() if world.alive(n)]
    if shape.kind in ("force", "record"):
        return sorted(world.state.table(f"{shape.kind}s"))
    return list(world.ruleset.rows(FORM_OF.get(shape.kind, "")))


def likely(context: OrderContext, row: Row, slot: Slot, needs: Iterable[str], names: Names) -> list[str]:
    """The same; only the nation's own places, if a need says that it must be one: then no other has to be
    tried."""
    if must_be_held(slot, needs):
        return stores.held_places(context.world, names["nation"].id)
    return domain(context, row, slot.name, names)


def must_be_held(slot: Slot, tests: Iterable[str]) -> bool:
    """Whether one of some tests says that a slot holds a place of the nation itself."""
    return slot.kind == "place" and f"{slot.name}.holder == self" in tests


def passing(
    context: OrderContext, tests: Sequence[str], values: list[str], base: Names, slot: Slot, declared: Any
) -> list[str]:
    """The values of a slot that pass tests which ask for nothing but the slot and the nation. Acts share many
    such tests."""
    asked = [(text, _answers(context.world, text, base["nation"], slot)) for text in tests]

    def passes(value: str) -> bool:
        names: dict[str, Any] = {}
        for text, known in asked:
            if value not in known:
                names = names or {**base, slot.name: context.slot_value(declared, value)}
                known[value] = context.world.test(text, names)
            if not known[value]:
                return False
        return True

    return [value for value in values if passes(value)] if tests else values


def _answers(world: World, text: str, nation: Entity, slot: Slot) -> dict[str, bool]:
    """Answers known so far to a test of a slot's value; none of a test that reads the act too."""
    tables = world.ruleset.derived(f"tables of {text}", lambda: reads(world.ruleset, text), of=MEANING)
    if tables is None or not parse(text).names <= {"self", "nation", slot.name}:
        return {}
    return world.memo(("slot", text, nation, slot.kind), tables)


def unfitting(context: OrderContext, nation: str, key: str, slot: str, values: Sequence[Any]) -> set[Any]:
    """Of what might go into a slot of an order ("form/id") what its needs for this slot alone rule out."""
    row = context.ruleset.row_of(key)
    shape = slot_of(slot, row["slots"][slot])
    if shape.kind not in ENUMERABLE or shape.many:
        return set()
    tests = [part.test for part in parts(context.ruleset, row) if part.slots == {slot}]
    base = {"earlier": {}, **context.order_names({"nation": nation, "order": key, "slots": {}})}
    return {*values} - {*passing(context, tests, list(values), base, shape, row["slots"][slot])}
