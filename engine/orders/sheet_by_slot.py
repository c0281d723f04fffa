"""Lines of the order sheet for orders that differ in one slot: with a `?` there, and what the slot may hold
beside it.

Slots that the list of legal orders leaves open are filled in first, with something that stands; orders of
which only the player can say what goes there have no line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..economy.catalogue import PLENTY
from ..ruleset.order_syntax import Slot
from ..turn.context import OrderContext
from ..units.forces import unit_slots
from . import movement
from .legal_entry import Legal
from .sheet_line import BLANK, Offered
from .sheet_writer import LONG, MOST_TRIED, SheetWriter
from .slot_values import ENUMERABLE, domain, unfitting

MOST_GROUPS = 3
"""Lines of one order that differ in more than what is to be chosen."""
MANY_WAYS = 2000
"""Fillings of one act's slots that are tried for the sheet, which is made once a turn."""


def lines_by_slot(
    writer: SheetWriter, key: str, row: Row, shapes: Mapping[str, Slot], entries: Sequence[Legal]
) -> Iterator[Offered]:
    """Orders that differ in one slot on one line, with what the slot may hold; of the others the first
    few."""
    lines = _SlotLines(writer, key, row, shapes)
    full = [done for entry in entries for done in lines.completed(entry)][:MANY_WAYS]
    if full := lines.wholes(full):
        yield from lines.grouped(full)


@dataclass
class _SlotLines:
    writer: SheetWriter
    key: str
    row: Row
    shapes: Mapping[str, Slot]

    @cached_property
    def _place(self) -> str:
        """The first slot that holds a place."""
        return next((s for s, shape in self.shapes.items() if shape.kind == "place"), "")

    # ---- lines

    def grouped(self, entries: Sequence[Legal]) -> Iterator[Offered]:
        """The lines of orders of which every slot is filled."""
        values: dict[str, list[str]] = {}
        for entry in entries:
            for slot, value in entry.slots.items():
                values.setdefault(slot, []).append(str(value))
        at = next((s for s, shape in self.shapes.items() if shape.kind == "place" and s in values), "")
        of_units = bool(at) and set(values[at]) <= self.writer.standing
        varying = self._varying(values, at if of_units else "")
        chosen = varying[0] if varying else ""
        groups: dict[tuple[Any, ...], list[Legal]] = {}
        for entry in entries:
            groups.setdefault(tuple((s, str(v)) for s, v in entry.slots.items() if s != chosen), []).append(
                entry
            )
        shown = list(groups.values())
        if of_units and len(shown) > 1 and self.writer.any_bare and not self.row.get("bare"):
            yield self._example(shown, chosen, at)
            return
        most = len(shown) if of_units and len(varying) < 3 else MOST_GROUPS
        for number, group in enumerate(shown[:most], 1):
            line = self._line(group, chosen)
            if of_units and chosen != at:
                place = str(group[0].slots[at])
                line = replace(line, place=place, origin=self.writer.name("place", place))
            yield replace(line, more=len(shown) - most) if number == most else line

    def _varying(self, values: Mapping[str, Sequence[str]], at: str) -> list[str]:
        """The slots in which orders differ, the one that differs most first; `at`, where their units stand,
        last."""
        count = {slot: len(set(some)) for slot, some in values.items()}
        varying = sorted((s for s in values if count[s] > 1), key=lambda s: -count[s])
        varying = [s for s in varying if self.shapes[s].kind != "units"]
        return sorted(varying, key=lambda s: s == at)

    def _example(self, groups: Sequence[Sequence[Legal]], chosen: str, at: str) -> Offered:
        """The first of several orders of units, and where else units could be given such an order."""
        first = groups[0]
        others = {str(g[0].slots[at]): g[0] for g in groups[1:] if g[0].slots[at] != first[0].slots[at]}
        also = tuple(
            (self.writer.name("place", p), self.writer.text(self.key, e.slots)) for p, e in others.items()
        )
        rest = tuple(self._line(group, chosen) for group in groups[1:])
        return replace(self._line(first, chosen), also=also, also_word="or from", rest=rest)

    def _line(self, group: Sequence[Legal], chosen: str) -> Offered:
        """One line for orders that differ in one slot."""
        first, units = self._in_short(group[0], chosen)
        prices = {self.writer.price(e.cost) for e in group}
        said = "; ".join(filter(None, [prices.pop() if len(prices) == 1 else "", _bounds(first), units]))
        if not chosen or len(group) == 1:
            return Offered(self.key, self.writer.text(self.key, first.slots), said=said)
        kind = self.shapes[chosen].kind
        priced = bool(prices) and kind != "resource"
        names = tuple(
            (
                self.writer.value(kind, e.slots[chosen]),
                (self.writer.price(e.cost) or "free") if priced else "",
            )
            for e in group
        )
        return Offered(
            self.key, self.writer.text(self.key, {**first.slots, chosen: BLANK}), (("", names),), said
        )

    def _in_short(self, entry: Legal, chosen: str) -> tuple[Legal, str]:
        """An order whose line would be long, with `all` for the units that it names; and these, in words."""
        named = next((s for s, v in entry.slots.items() if isinstance(v, dict) and s != chosen), "")
        written = (
            self.writer.text(self.key, {**entry.slots, **({chosen: BLANK} if chosen else {})})
            if named
            else ""
        )
        every = {**entry.slots, named: {"*": "all"}}
        if len(written) <= LONG or not self.writer.stands(entry.order, every):
            return entry, ""
        return replace(entry, slots=every), self.writer.names.units(entry.slots[named])

    # ---- what the list leaves open

    def completed(self, entry: Legal) -> list[Legal]:
        """An order with its open slots filled in, in every way that stands; none if only the player can say
        what goes there."""
        open_ = [s for s in entry.open if not self.shapes[s].optional]
        if not open_:
            return [self._at_least_one(entry)]
        places = [s for s in self.shapes if self.shapes[s].kind == "place" and s in entry.slots]
        of_units = any(self.shapes[s].kind == "units" for s in open_)
        if of_units and places and str(entry.slots[places[0]]) not in self.writer.standing:
            return []
        domains = [self._domain(entry, s) for s in open_]
        context = OrderContext(self.writer.at(entry.order))
        misfits = [
            unfitting(context, self.writer.nation, self.key, s, d)
            for s, d in zip(open_, domains, strict=True)
        ]
        out = []
        for filling in islice(product(*domains), MOST_TRIED):
            if any(some and value in some for value, some in zip(filling, misfits, strict=True)):
                continue
            more = {
                s: [v] if self.shapes[s].many and not isinstance(v, dict) else v
                for s, v in zip(open_, filling, strict=True)
            }
            done = replace(entry, slots={**entry.slots, **more}, open=())
            if self.writer.is_offered(done) and self.writer.stands(entry.order, done.slots):
                out.append(done)
        return out

    def _at_least_one(self, entry: Legal) -> Legal:
        """An order with one in place of none where a number may be none, if that stands, too."""
        some = {
            s: 1 for s, (low, high) in entry.bounds.items() if low == 0 < high and entry.slots.get(s) == 0
        }
        slots = {**entry.slots, **some}
        return replace(entry, slots=slots) if some and self.writer.stands(entry.order, slots) else entry

    def _domain(self, entry: Legal, slot: str) -> list[Any]:
        """What is tried in an open slot: units that are there, one of anything counted, a place with units of
        one's own."""
        shape, writer = self.shapes[slot], self.writer
        if shape.kind == "units":
            at = dict(unit_slots(self.row))[slot]
            place = str(entry.slots.get(at, entry.slots.get("place", "")))
            mode = movement.mode_of(writer.world.ruleset, self.row)
            here = movement.able_to_leave(writer.world, writer.nation, mode, place)
            return [writer.in_order(here)] if here else []
        if shape.kind == "number":
            return [1]
        if shape.kind == "place":
            return sorted(writer.standing, key=lambda p: (not self._before_enemies(p), p))
        if shape.kind not in ENUMERABLE:
            return []
        me = Entity("nation", writer.nation)
        return domain(OrderContext(writer.world), self.row, slot, {"self": me, "nation": me})

    def _before_enemies(self, place: str) -> bool:
        return any(self.writer.enemies(p).least for p in self.writer.world.geography.next_to(place))

    def wholes(self, entries: list[Legal]) -> list[Legal]:
        """Without those that name a part of a place where units stand, if the whole does as well."""
        named = {str(e.slots.get(self._place)) for e in entries}
        divided = self.writer.world.geography.parts.items()
        parts = {part for whole, some in divided if whole in named for part in some}
        return [e for e in entries if str(e.slots.get(self._place)) not in parts]


def _bounds(entry: Legal) -> str:
    """How many, where a number may be chosen within limits."""
    return ", ".join(f"{low} to {high}" for low, high in entry.bounds.values() if low < high < PLENTY)
