"""The order form that a nation is sent: head, purse, and what makes sense now, with prices, as commented lines.

Everything is computed from the nation's view. Lines are grouped by the phase that carries them out. A line with one mark is an
order that stands as soon as its mark is taken away, with its price after it; a line with two marks is to be read only, and says
what else the order above it may name. The form is short: of orders of units beside those that simply go, it has one example
each; how everything is written stands in the reference (`reference.py`). Sent back as it stands it orders nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from ..core.state import Entity
from ..world import treasury as stores
from ..world.passages import is_attack
from ..world.world import World
from . import ways
from .check import Checker
from .grammar import slot_of
from .legal import ENUMERABLE, Legal, domain, legal_orders
from .letter import END
from .names import Names
from .rows import by_phase
from .text import order_text

WIDTH = 72
MOST_LINES = 3
"""Lines of one order form that differ in more than one slot; what differs in one shares a line."""
MOST_MORE = 2
"""Lines that say what else an order may name."""
MOST_TRIED = 12
"""Fillings of one order's open slots that are tried before it is shown as a form only."""


def order_template(world: World, nation: str, *, game: str = "") -> str:
    """The order file of a nation, ready to be filled in. `world` is the nation's view."""
    names = Names(world.ruleset, world.state)
    legal = list(legal_orders(world, nation))
    out = [_head(world, nation, game, names), *_purse(world, nation)]
    out += [
        "## Take away the mark # in front of an order to give it, and change",
        "## numbers and names as you like; lines of your own may stand anywhere.",
    ]
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
            out.extend(["", *([f"## {title.upper()}"] if title else []), *lines])
    return "\n".join([*out, "", END]) + "\n"


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
            if amount:
                parts.append(f"{amount} in {name}" if seat else str(amount))
        if parts:
            out += _more(f"{row.get('name', what)}:", parts, "## ", 1)
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
        whole = all(ways.TARGET in entry.slots for entry in entries)  # together they say where everything stands
        if ways.UNITS in row.get("slots", {}) and not row.get("bare") and not whole and len(entries) > 1:
            return self._example(entries)
        if all(entry.open for entry in entries):
            return list(dict.fromkeys(line for entry in entries[:MOST_LINES] for line in self._lines(entry)))
        if ways.UNITS in row.get("slots", {}):
            return [line for entry in entries for line in self._lines(entry)]
        if any("site" in entry.slots for entry in entries):
            return self._purchases(entries)
        return self._shared(entries)

    def _example(self, entries: Sequence[Legal]) -> list[str]:
        """The first of several orders of units that stands, and where else units could be given such an order."""
        for at, entry in enumerate(entries[:MOST_TRIED]):
            if found := self._lines(entry):
                others = [str(e.slots.get(ways.ORIGIN, e.slots.get("zone", ""))) for e in (*entries[:at], *entries[at + 1 :])]
                named = [
                    self.names.printed("place", o) for o in dict.fromkeys(others) if o and o != str(entry.slots.get(ways.ORIGIN))
                ]
                return [found[0], *(_more("or from:", named) if named else [])]
        return []

    def _lines(self, entry: Legal, title: str = "", others: Sequence[str] = ()) -> list[str]:
        """One order with the first of what it may name that stands, its price, and below it the others; none if none stands."""
        found = self._filled(entry)
        if found is None:
            return []
        slots, slot, values = found
        said = [_price(self.world, entry.cost), _bounds(entry)]
        text = order_text(self.world.ruleset, self.names, {"order": entry.order, "slots": slots}, agree=True)
        out = _commented(text, said)
        kind = self._kind(entry.order, slot) if values else ""
        hostile = [v for v in values if kind == "place" and ways.UNITS in slots and is_attack(self.world, self.nation, v)]
        free = [v for v in values if v not in hostile]
        for word, some in (("or:", free), ("attack:", hostile)):
            if some:
                out += _more(word, [self.names.printed(kind, v) for v in some])
        return out + (_more(title, others) if others else [])

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
            made = ((e, self._filled(e)) for e in ranked)
            best = next(((e, found[0]) for e, found in made if found is not None), None)
            if best is not None:
                text = order_text(self.world.ruleset, self.names, {"order": best[0].order, "slots": best[1]}, agree=True)
                out += _commented(text, [_price(self.world, best[0].cost, each=True)])
                out += _more("at most:", sites, most=1) if len(sites) > 1 else []
        return out

    def _shared(self, entries: Sequence[Legal]) -> list[str]:
        """Entries that differ in one slot, on one line with what the slot may hold."""
        last = list(entries[0].slots)[-1] if entries[0].slots else ""
        grouped: dict[tuple[Any, ...], list[Legal]] = {}
        for entry in entries:
            fixed = tuple((k, str(v)) for k, v in entry.slots.items() if k != last)
            grouped.setdefault((fixed, *sorted(entry.cost.items())), []).append(entry)
        out: list[str] = []
        for group in list(grouped.values())[:MOST_LINES]:
            kind = self._kind(group[0].order, last) if last else ""
            out += self._lines(group[0], "or:", [self.names.printed(kind, str(e.slots.get(last))) for e in group[1:]])
        if len(grouped) > MOST_LINES:
            out.append(f"##   and {len(grouped) - MOST_LINES} more lines of this kind")
        return out


def _commented(text: str, said: Iterable[str]) -> list[str]:
    """An order that is not given yet, with what is to be said of it after a second mark, or below it if that is too long."""
    more = "; ".join(filter(None, said))
    if not more:
        return [f"# {text}"]
    if len(text) + len(more) + 7 <= WIDTH:
        return [f"# {text}   # {more}"]
    return [f"# {text}", f"##   {more}"]


def _more(title: str, items: Sequence[str], mark: str = "##   ", most: int = MOST_MORE) -> list[str]:
    """Names in so many lines; how many are left out is said."""
    out = [f"{mark}{title}"]
    for at, item in enumerate(items):
        left = len(items) - at - 1
        word = f" {item}{',' if left else ''}"
        if len(out[-1]) + len(word) + (12 if left and len(out) == most else 0) > WIDTH:
            if len(out) == most:
                out[-1] += f" and {left + 1} more"
                return out
            out.append(f"{mark} ")
        out[-1] += word
    return out


def _price(world: World, cost: Mapping[str, Any], each: bool = False) -> str:
    if not cost:
        return ""
    rows = world.ruleset.rows("resources")
    parts = [f"{amount} {rows.get(what, {}).get('name', what)}" for what, amount in cost.items()]
    return f"{' and '.join(parts)}{' each' if each else ''}"


def _bounds(entry: Legal) -> str:
    parts = [f"{slot} {low} to {high}" if high < 999 else f"{slot} from {low}" for slot, (low, high) in entry.bounds.items()]
    return ", ".join(parts)
