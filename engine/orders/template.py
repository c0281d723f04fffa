"""The order file that a nation is sent: head, purse, and its legal orders with their prices as commented lines.

Everything is computed from the nation's view. Lines are grouped by the phase that carries them out. A line with one mark is an
order that stands as soon as its mark is taken away, with a comment after it; a line with two marks is to be read only. The
length is bounded: long lists are cut, and say how much was left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from ..core.model import Row, Ruleset
from ..core.state import Entity
from ..world import treasury as stores
from ..world.world import World
from . import ways
from .check import Checker
from .grammar import slot_of
from .legal import ENUMERABLE, Legal, domain, legal_orders
from .names import Names
from .rows import by_phase
from .text import order_text

MOST_LINES = 12
"""Lines of one order form with its targets written out; beyond that the targets share lines."""
MOST_TARGETS = 14
MOST_TRIED = 12
"""Fillings of one order's open slots that are tried before it is shown as a form only."""


def order_template(world: World, nation: str, *, game: str = "") -> str:
    """The order file of a nation, ready to be filled in. `world` is the nation's view."""
    names = Names(world.ruleset, world.state)
    legal = list(legal_orders(world, nation))
    out = [_head(world, nation, game, names), *_purse(world, nation), ""]
    out.append("## Take away the mark # in front of an order to give it; change numbers and places as you like.")
    by_row: dict[str, list[Legal]] = {}
    for entry in legal:
        by_row.setdefault(entry.order, []).append(entry)
    offer = _Offer(world, nation, names)
    listed = [*by_phase(world.ruleset), *(("", [key]) for key in sorted(by_row))]
    for title, keys in listed:
        lines: list[str] = []
        for key in keys:
            lines.extend(offer.lines(key, by_row.pop(key, [])))
        if lines:
            out.extend(["", *([f"## ---- {title}"] if title else []), *lines])
    options = _options(world.ruleset, {entry.order for entry in legal})
    if options:
        out.extend(["", "## After a colon an order may carry conditions:", *options])
    questions = [f"##   {_blanks(r['form'])}" for r in world.ruleset.rows("decisions").values() if "form" in r]
    if questions and legal:
        out.extend(["", "## What you may be asked can be answered beforehand:", *questions])
    return "\n".join(out) + "\n"


def _head(world: World, nation: str, game: str, names: Names) -> str:
    turn = world.always()["turn"]
    head = f"nation {names.printed('nation', nation)}   turn {turn}"
    return f"game {game}   {head}" if game else head


def _purse(world: World, nation: str) -> list[str]:
    """What the nation has, purse by purse."""
    out = []
    for what, row in world.ruleset.rows("resources").items():
        found = stores.purses(world, nation, what)
        parts = []
        for purse, amount in sorted(found.items(), key=lambda p: (-p[1], p[0])):
            seat = purse.partition("/")[2]
            name = world.ruleset.rows("places").get(seat, {}).get("name", seat)
            parts.append(f"{amount} in {name}" if seat else str(amount))
        if parts:
            out.append(f"## {row.get('name', what)}: {_cut(parts, 8)}")
    return out


class _Offer:
    """The lines of a template: of each group of legal orders one that stands as it is written, with what else it may name."""

    def __init__(self, world: World, nation: str, names: Names) -> None:
        self.world = world
        self.nation = nation
        self.names = names

    def lines(self, key: str, entries: Sequence[Legal]) -> list[str]:
        """The lines of one order form; what nobody but the player can fill in is shown as a form."""
        if not entries:
            return []
        row = self.world.ruleset.row(*key.split("/", 1))
        help_ = [f"## {row['help']}"] if row.get("help") else []
        form = [f"## {_blanks(row['form'])}", *_choices(row)] if "form" in row else []
        if all(entry.open for entry in entries):
            stand = [line for entry in entries[:MOST_LINES] if (line := self._line(entry)) is not None]
            return [*help_, *form, *dict.fromkeys(stand)]
        if ways.UNITS in row.get("slots", {}):
            out = [line for entry in entries if (line := self._line(entry)) is not None]
            optional = [n for n, d in row["slots"].items() if slot_of(n, d).optional]
            return [*help_, *(form if optional else ()), *out] if out else []
        if any("site" in entry.slots for entry in entries):
            out = self._purchases(entries)
        elif len(entries) <= MOST_LINES:
            out = [line for entry in entries if (line := self._line(entry)) is not None]
        else:
            out = self._shared(row, entries)
        return [*help_, *out] if out else []

    def _line(self, entry: Legal, *more: str) -> str | None:
        """One order with the first of what it may name that stands, its price, and the others; None if none stands."""
        found = self._filled(entry)
        if found is None:
            return None
        slots, slot, others = found
        said = [_price(self.world, entry.cost), _bounds(entry), *more]
        if others:
            said.append(
                f"or {slot}: {_cut([self.names.printed(self._kind(entry.order, slot), o) for o in others], MOST_TARGETS)}"
            )
        return _commented(order_text(self.world.ruleset, self.names, {"order": entry.order, "slots": slots}), said)

    def _filled(self, entry: Legal) -> tuple[dict[str, Any], str, list[str]] | None:
        """The slots of an order that stands: the slot that was chosen for it, and what else that may hold."""
        slots = self.world.ruleset.row(*entry.order.split("/", 1)).get("slots", {})
        targets = next((s for s in (ways.TARGET, "facing") if s in slots and s not in entry.slots and entry.targets), "")
        chosen = [targets] if targets else list(entry.open)
        values: list[list[str]] = [list(entry.targets)] if targets else [self._domain(entry, slot) for slot in chosen]
        if not all(values):
            return None
        for tried, filling in enumerate(product(*values)):
            if tried >= MOST_TRIED:
                return None
            filled = {s: [v] if slot_of(s, slots[s]).many else v for s, v in zip(chosen, filling, strict=True)}
            every = {**entry.slots, **filled}
            if self._stands(entry.order, every):
                last = chosen[-1] if chosen else ""
                return every, last, [v for v in values[-1] if v != filling[-1]] if last == targets and last else []
        return None

    def _domain(self, entry: Legal, slot: str) -> list[str]:
        row = self.world.ruleset.row(*entry.order.split("/", 1))
        me = Entity("nation", self.nation)
        kind = self._kind(entry.order, slot)
        return domain(self.world, row, slot, {"self": me, "nation": me}) if kind in ENUMERABLE else []

    def _kind(self, key: str, slot: str) -> str:
        return slot_of(slot, self.world.ruleset.row(*key.split("/", 1))["slots"].get(slot)).kind

    def _stands(self, key: str, slots: Mapping[str, Any]) -> bool:
        """Whether an order stands that is the only one of its file."""
        checker = Checker(self.world, self.nation, quiet=True)
        found = checker.understood({"nation": self.nation, "order": key, "slots": dict(slots), "options": {}, "place": 1})
        return found is not None and not list(checker.unfit({1: found.intent}))

    def _purchases(self, entries: Sequence[Legal]) -> list[str]:
        """One line for each thing that can be bought and price, with its sites."""
        grouped: dict[tuple[Any, ...], list[Legal]] = {}
        for entry in entries:
            grouped.setdefault((entry.slots.get("item"), *sorted(entry.cost.items())), []).append(entry)
        out = []
        for group in grouped.values():
            ranked = sorted(group, key=lambda e: -e.most)
            sites = [f"{self.names.printed('place', e.slots['site'])} {e.most}" for e in ranked if "site" in e.slots]
            most = f"at most: {_cut(sites, MOST_TARGETS)}" if sites else ""
            made = ((e, self._filled(e)) for e in ranked)
            best = next(((e, found[0]) for e, found in made if found is not None), None)
            if best is not None:
                text = order_text(self.world.ruleset, self.names, {"order": best[0].order, "slots": best[1]})
                out.append(_commented(text, [_price(self.world, best[0].cost, each=True), most]))
        return out

    def _shared(self, row: Row, entries: Sequence[Legal]) -> list[str]:
        """Entries that differ in one slot, on one line with what the slot may hold."""
        last = list(entries[0].slots)[-1] if entries[0].slots else ""
        grouped: dict[tuple[Any, ...], list[Legal]] = {}
        for entry in entries:
            fixed = tuple((k, str(v)) for k, v in entry.slots.items() if k != last)
            grouped.setdefault((fixed, *sorted(entry.cost.items())), []).append(entry)
        out = []
        for group in list(grouped.values())[:MOST_LINES]:
            kind = self._kind(group[0].order, last) if last else ""
            values = [self.names.printed(kind, str(e.slots.get(last))) for e in group[1:]]
            line = self._line(group[0], *([f"or {last}: {_cut(values, 40)}"] if values else ()))
            out.extend([line] if line is not None else [])
        if len(grouped) > MOST_LINES:
            out.append(f"## ... and {len(grouped) - MOST_LINES} more of this kind: {_blanks(row['form'])}")
        return out


def _commented(text: str, said: Iterable[str]) -> str:
    """An order that is not given yet, with what is to be said of it after a second mark."""
    more = "; ".join(filter(None, said))
    return f"# {text}   # {more}" if more else f"# {text}"


def _choices(row: Row) -> list[str]:
    """What the slots of a form may hold of which there is a short list."""
    slots = [slot_of(name, kind) for name, kind in row.get("slots", {}).items()]
    return [f"##   <{s.name}>: {', '.join(s.choices)}" for s in slots if s.choices]


def _price(world: World, cost: Mapping[str, Any], each: bool = False) -> str:
    if not cost:
        return ""
    rows = world.ruleset.rows("resources")
    parts = [f"{amount} {rows.get(what, {}).get('name', what)}" for what, amount in cost.items()]
    return f"{' and '.join(parts)}{' each' if each else ''}"


def _bounds(entry: Legal) -> str:
    parts = [f"{slot} {low} to {high}" if high < 999 else f"{slot} from {low}" for slot, (low, high) in entry.bounds.items()]
    return ", ".join(parts)


def _options(ruleset: Ruleset, orders: Iterable[str]) -> list[str]:
    """The conditions that these orders (`form/id`) may carry."""
    carried = {option for key in orders for option in ruleset.row(*key.split("/", 1)).get("options", ())}
    out = []
    for row in ruleset.rows("order_options").values():
        if row["id"] not in carried:
            continue
        text = f"##   {_blanks(row['form'])}"
        out.append(f"{text:<64} {row.get('help', '')}".rstrip())
    return out


def _blanks(form: str) -> str:
    """A form text with its slots as blanks to be filled in."""
    return form.replace("{", "<").replace("}", ">")


def _cut(parts: Sequence[str], most: int) -> str:
    shown = ", ".join(parts[:most])
    return f"{shown} and {len(parts) - most} more" if len(parts) > most else shown
