"""The acts that a nation may give, with every filling of their slots: the part of the list of legal orders (`legal`) for acts.

A slot is narrowed by the parts of the needs that ask for it alone, then every filling of all slots is tried.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..economy.catalogue import PLENTY
from ..ruleset.expressions import parse
from ..ruleset.expressions.parse import ExpressionError, conjuncts, strip_mark
from ..ruleset.expressions.reads import reads
from ..ruleset.order_syntax import FORM_OF, Slot, slot_of
from ..turn import acts as act
from ..turn.bounds import bounds as number_bounds
from ..turn.context import Order, OrderContext
from ..turn.slots import SlotTest, choices, parts, ruled_out
from ..turn.validated_orders import Refusal
from ..world import treasury as stores
from ..world.world import World
from .legal_entry import Legal, names_of

MAX_WAYS = 400
"""Fillings of one act's slots that are tried; rows with more are given with their slots open."""

ENUMERABLE = {"nation", "place", "side", "tech", "gate", "resource", "unit-kind", "choice", "force", "item"}


def is_offered(context: OrderContext, entry: Legal) -> bool:
    """Whether an order that may be given makes sense to most, as its row says it (`offer`): forms and reminders show no other."""
    row = context.ruleset.row(*entry.order.split("/", 1))
    test = row.get("offer", True)
    if isinstance(test, bool):
        return test
    slots = row.get("slots", {})
    names = {s: context.slot_value(slots[s], v) for s, v in entry.slots.items() if s in slots}
    me = Entity("nation", entry.nation)
    return context.world.test(test, dict.fromkeys(slots) | names | {"self": me, "nation": me})


def legal_acts(
    world: World, nation: str, row: Row, tried: int = MAX_WAYS, where: str | bool | None = None, *, offered: bool = False
) -> list[Legal]:
    """Every way to give an act that its needs, limits and price allow.

    `where`: a test by which the caller chooses among them. What it plainly rules out is not tried, and may be left out. With
    `offered` the caller asks of each whether its row offers it (`is_offered`), so that what it does not may be left out, too.
    """

    def make() -> list[Legal]:
        wishes = _wishes(row, where, plain=True) + (_wishes(row, row.get("offer")) if offered else [])
        return list(_acts(world, nation, row, tried, wishes))

    return world.keep(("legal", nation, row["id"], tried, where, offered), None, make)  # type: ignore[no-any-return]


def _acts(world: World, nation: str, row: Row, tried: int, wishes: Sequence[SlotTest]) -> Iterator[Legal]:
    context = OrderContext(world)
    base = names_of(context, nation, f"acts/{row['id']}", {})
    if act.closed(context, row, nation) is not None or not _may_hold(context, [w for w in wishes if not w.slots], base):
        return
    if ruled_out(context, row, base, set()):
        return
    slots = [slot_of(name, kind) for name, kind in row.get("slots", {}).items()]
    late = [part for part in parts(world.ruleset, row) if part.slots]
    closed = [s for s in slots if s.kind in ENUMERABLE and not s.many and not s.optional]
    open_ = tuple(s.name for s in slots if s not in closed and s.kind != "number" and not s.optional)
    numbers = [s for s in slots if s.kind == "number"]
    alone = [[part.test for part in late if part.slots == {s.name}] for s in closed]  # tested once a value, not once a filling
    domains = [_values(context, row, s, tests, base) for s, tests in zip(closed, alone, strict=True)]
    if _fillings(domains) <= tried:  # of more, what the needs alone leave says whether they are tried
        domains = [_wished(context, wishes, d, base, s, row["slots"][s.name]) for s, d in zip(closed, domains, strict=True)]
    domains = [_passing(context, t, d, base, s, row["slots"][s.name]) for s, d, t in zip(closed, domains, alone, strict=True)]
    if _fillings(domains) > tried:
        yield Legal(f"acts/{row['id']}", nation, {}, open=tuple(s.name for s in slots))
        return
    together = [w for w in wishes if len(w.slots) > 1 and w.slots <= {s.name for s in closed}]
    fixed = act.price(context, row, base) if isinstance(row.get("cost"), int) else None
    for filling in product(*domains):
        filled: dict[str, Any] = dict(zip((s.name for s in closed), filling, strict=True))
        names = {**base, **{s.name: context.slot_value(row["slots"][s.name], filled[s.name]) for s in closed}}
        if not _may_hold(context, together, names):
            continue
        bounds = {}
        for s in numbers:
            declared = row["slots"][s.name]
            least, most = number_bounds(context, declared if isinstance(declared, dict) else {}, names)
            if (left_out := base.get(s.name)) is not None:
                least = max(least, left_out)  # one that may be left out begins at what it then counts as
            if most is not None and most < least:
                break
            bounds[s.name] = (int(least), PLENTY if most is None else int(most))
            filled[s.name] = names[s.name] = int(least)
        if len(bounds) < len(numbers):
            continue
        order = {"nation": nation, "order": f"acts/{row['id']}", "slots": filled}
        try:
            why = act.exhausted(context, row, names) if open_ else _refused(context, row, order, names)
            if why is not None and not open_ and (none := [n for n, (least, most) in bounds.items() if least == 0 < most]):
                for name in none:  # nothing at all may be too little where one would do
                    bounds[name] = (1, bounds[name][1])
                    filled[name] = names[name] = 1
                why = _refused(context, row, order, names)
            if why is not None:
                continue
            cost = act.price(context, row, names) if fixed is None else fixed
            if act.lacking(context, cost, nation) is not None:
                continue
            if not open_:
                bounds = {name: (least, _most(context, row, order, name, least, most)) for name, (least, most) in bounds.items()}
        except ExpressionError:
            if not open_:
                raise
            cost = {}
        yield Legal(f"acts/{row['id']}", nation, filled, {k: v for k, v in cost.items() if v}, bounds=bounds, open=open_)


def _fillings(domains: Iterable[Sequence[str]]) -> int:
    """How many ways there are to fill slots; one that nothing fits counts as one."""
    return prod(max(1, len(values)) for values in domains)


def _wishes(row: Row, test: str | bool | None, *, plain: bool = False) -> list[SlotTest]:
    """The parts of a test of an act's slots; with `plain` those that call nothing, and so cost next to nothing."""
    if not isinstance(test, str):
        return []
    slots = frozenset(row.get("slots", {}))
    each = {part: parse(part) for part in conjuncts(strip_mark(test))}
    return [SlotTest(part, read.names & slots) for part, read in each.items() if not (plain and read.functions)]


def _may_hold(context: OrderContext, wishes: Sequence[SlotTest], names: Mapping[str, Any]) -> bool:
    """Whether tests hold, as far as they can be answered."""
    try:
        return all(context.world.test(wish.test, names) for wish in wishes)
    except ExpressionError:
        return True


def _wished(
    context: OrderContext, wishes: Sequence[SlotTest], values: list[str], base: Mapping[str, Any], slot: Slot, declared: Any
) -> list[str]:
    """The values of a slot that wishes for this slot alone do not rule out."""
    own = [wish for wish in wishes if wish.slots == {slot.name}]
    if not own:
        return values
    if _must_be_held(slot, [wish.test for wish in own]):
        held = set(stores.held_places(context.world, base["nation"].id))
        values = [place for place in values if place in held]
    return [v for v in values if _may_hold(context, own, {**base, slot.name: context.slot_value(declared, v)})]


def _refused(context: OrderContext, row: Row, order: Order, names: Mapping[str, Any]) -> Refusal | None:
    """Why an act of which all slots are filled may not be given, whatever it costs."""
    return act.forbidden(context, row, order, names, act.Spent())


def _most(context: OrderContext, row: Row, order: Order, slot: str, least: int, most: int) -> int:
    """The most that a slot for a number may hold for the act to be allowed and paid for: less of a thing is as good."""

    def too_many(number: int) -> bool:
        other = {**order, "slots": {**order["slots"], slot: number}}
        names = context.order_names(other)
        return (_refused(context, row, other, names) or act.unpaid(context, row, names, order["nation"])) is not None

    return least + bisect_left(range(least + 1, most + 1), True, key=too_many) if too_many(most) else most


def _passing(
    context: OrderContext, tests: list[str], values: list[str], base: Mapping[str, Any], slot: Slot, declared: Any
) -> list[str]:
    """The values of a slot that pass tests which ask for nothing but the slot and the nation. Acts share many such tests."""
    if not tests:
        return values
    out = []
    asked = [(text, _answers(context.world, text, base["nation"], slot)) for text in tests]
    for value in values:
        names: dict[str, Any] | None = None
        for text, known in asked:
            holds = known.get(value)
            if holds is None:
                names = names or {**base, slot.name: context.slot_value(declared, value)}
                holds = known[value] = context.world.test(text, names)
            if not holds:
                break
        else:
            out.append(value)
    return out


def unfitting(context: OrderContext, nation: str, key: str, slot: str, values: Sequence[Any]) -> set[Any]:
    """Of what might go into a slot of an order ("form/id") what its needs for this slot alone rule out."""
    row = context.ruleset.row(*key.split("/", 1))
    shape = slot_of(slot, row["slots"][slot])
    if shape.kind not in ENUMERABLE or shape.many:
        return set()
    tests = [part.test for part in parts(context.ruleset, row) if part.slots == {slot}]
    base = {"earlier": {}, **names_of(context, nation, key, {})}
    return {*values} - {*_passing(context, tests, list(values), base, shape, row["slots"][slot])}


def _answers(world: World, text: str, nation: Entity, slot: Slot) -> dict[str, bool]:
    """Answers known so far to a test of a slot's value; none of a test that reads the act too."""
    tables = world.ruleset.derived(f"tables of {text}", lambda: reads(world.ruleset, text))
    if tables is None or not parse(text).names <= {"self", "nation", slot.name}:
        return {}
    return world.memo(("slot", text, nation, slot.kind), tables)


def _values(context: OrderContext, row: Row, slot: Slot, needs: list[str], base: Mapping[str, Any]) -> list[str]:
    """What a slot may hold: the nation's own places, if a need says that it must be one; then no other has to be tried."""
    if _must_be_held(slot, needs):
        return stores.held_places(context.world, base["nation"].id)
    return domain(context, row, slot.name, base)


def _must_be_held(slot: Slot, tests: Iterable[str]) -> bool:
    """Whether one of some tests says that a slot holds a place of the nation itself."""
    return slot.kind == "place" and f"{slot.name}.holder == self" in tests


def domain(context: OrderContext, row: Row, slot: str, names: Mapping[str, Any]) -> list[str]:
    """What a slot may hold before any need is tested, in order."""
    world = context.world
    declared = row.get("slots", {}).get(slot)
    shape: Slot = slot_of(slot, declared)
    among = strip_mark(declared["among"]) if isinstance(declared, dict) and "among" in declared else None
    if among is not None and not parse(among).names & (set(row["slots"]) - {slot}):
        return sorted(choices(context, declared, names) or ())
    if shape.kind == "choice":
        return list(shape.choices)
    if shape.kind == "nation":
        return [n for n in world.nations() if world.alive(n)]
    if shape.kind == "force":
        return sorted(world.state.table("forces"))
    return list(world.ruleset.rows(FORM_OF.get(shape.kind, "")))
