"""What a nation can order now, as lists to choose from: of each place what can be done there, and what hangs on no place.

Everything is taken from the list of legal orders (`wteaw.orders.legal`), so that what is chosen stands by itself; what is made of
a choice is the line that the player could have typed. All calls of the engine that choosing needs are in this module.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from wteaw.core.faults import StoreError
from wteaw.core.model import Row
from wteaw.economy.catalogue import PLENTY
from wteaw.orders import movement
from wteaw.orders.grammar import Grammar
from wteaw.orders.input_points import by_phase
from wteaw.orders.kinds import order_kinds
from wteaw.orders.kinds.purchases import market
from wteaw.orders.kinds.voyages import Voyages
from wteaw.orders.legal import legal_orders
from wteaw.orders.legal_entry import Legal
from wteaw.orders.lookahead import at_its_step
from wteaw.orders.names import Names
from wteaw.orders.slot_values import ENUMERABLE, domain
from wteaw.orders.text import order_in_words, order_text
from wteaw.play.dice_statistics import chance_of
from wteaw.ruleset.expressions.parse import ExpressionError
from wteaw.ruleset.order_syntax import Either, Pattern, Slot, always_there, read_form, slot_of, slots_in
from wteaw.turn.acts import forbidden
from wteaw.turn.context import OrderContext
from wteaw.turn.effects import roll_limit
from wteaw.turn.slots import ruled_out
from wteaw.turn.validated_orders import Refusal, ValidatedOrder
from wteaw.world import treasury as stores
from wteaw.world.world import World

MOST_WAYS = 6000
"""Fillings of one order's open slots that are tried for its list."""
MOST_LISTED = 500
"""Of more than this a player chooses slot by slot."""
MOST_CHOICES = 12
"""Numbers up to which each is offered in a list."""
LIMITS = {"at_most": "less", "from": "more"}
"""The keys of a roll's limit, and on which side of it success lies."""
LONGEST = 600
"""Letters of a line that may be made of a choice."""


@dataclass(frozen=True, slots=True)
class Way:
    """One choice: what it fills in (JSON of slots), its name, what is to be said of it, the heading that it stands under, and the
    place that it leads to."""

    value: str
    label: str
    note: str = ""
    group: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Units:
    """Units of one kind that can be sent: `slot` of the order, how many stand there, how many are ordered already."""

    slot: str
    kind: str
    name: str
    there: int
    ordered: int = 0

    @property
    def left(self) -> int:
        return max(0, self.there - self.ordered)


@dataclass(frozen=True, slots=True)
class Blank:
    """Something else to fill in: `shape` is `one` or `many` of `ways`, `text`, or `number` (`most` 0: no bound)."""

    slot: str
    label: str
    shape: str
    ways: tuple[Way, ...] = ()
    least: int = 0
    most: int = 0
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that an order may carry after its colon: its words, and between them what is to be filled in."""

    id: str
    parts: tuple[str | Blank, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One kind of order to be given by choosing: `fixed` is what is chosen already (JSON of slots)."""

    key: str
    id: str
    title: str
    fixed: str
    ways: tuple[Way, ...] = ()
    units: tuple[Units, ...] = ()
    blanks: tuple[Blank, ...] = ()
    conditions: tuple[Condition, ...] = ()
    help: str = ""
    place: str = ""
    usual: bool = True
    """Whether it makes sense to most now, as its row says."""


@dataclass(frozen=True)
class Menu:
    """All that a nation can order: the kinds of each place, those of each phase, and the places by name with how many kinds."""

    places: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    phases: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    toward: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Place -> the places from which something can be sent there, with the names of the orders that send it."""

    def at(self, place: str, given: Iterable[ValidatedOrder]) -> tuple[Choice, ...]:
        """What can be ordered at a place, less the units that orders which stand have taken."""
        taken: dict[tuple[str, str], int] = {}
        for order in given:
            if place in (order.slots.get(movement.ORIGIN), order.path[0] if order.path else None):
                for kind, n in order.units.items():
                    taken[movement.UNITS, kind] = taken.get((movement.UNITS, kind), 0) + int(n)
        return tuple(
            replace(one, units=tuple(replace(u, ordered=min(u.there, taken.get((u.slot, u.kind), 0))) for u in one.units))
            for one in self.places.get(place, ())
        )


def menu_of(world: World, nation: str) -> Menu:
    """Everything that a nation may order, as lists. `world` is the nation's view."""
    return _Maker(world, nation).menu()


def places_of(world: World, nation: str) -> list[tuple[str, str]]:
    """The places that a nation holds or has units in, by name: id and name."""
    names = Names(world.ruleset, world.state)
    mine = {*stores.held_places(world, nation), *movement.places_with_units(world, nation)}
    return sorted(((p, names.printed("place", p)) for p in mine), key=lambda one: one[1])


def neighbors_of(world: World, place: str) -> list[tuple[str, str]]:
    """The places beside a place: id and name."""
    names = Names(world.ruleset, world.state)
    wholes = {place, world.whole_of(place), *world.ruleset.rows("places").get(place, {}).get("parts", ())}
    parts = {p for p, row in world.ruleset.rows("places").items() if row.get("part_of") in wholes}
    beside = {near for one in (wholes | parts) for near in world.geography.next_to(one)} - wholes - parts
    return sorted(((p, names.printed("place", p)) for p in beside), key=lambda one: one[1])


def subject_of(order: ValidatedOrder) -> str:
    """The place whose units or works an order is about; "" where it is about none."""
    slots = order.slots
    for name in (movement.ORIGIN, "site"):
        if isinstance(slots.get(name), str):
            return str(slots[name])
    return next((str(v) for k, v in slots.items() if k == "place" and isinstance(v, str)), order.path[0] if order.path else "")


def routes_of(world: World, order: ValidatedOrder) -> list[str]:
    """The places that an order names, from where it begins to where it leads."""
    if len(order.path) > 1:
        return list(order.path)
    table, _, id_ = order.verb.partition("/")
    row = world.ruleset.rows(table).get(id_, {})
    form = Grammar.of(world.ruleset).form(order.verb)
    named = dict.fromkeys([slot.name for slot in slots_in(form.pattern)] if form is not None else [])
    places = [s for s in named if slot_of(s, row.get("slots", {}).get(s)).kind == "place" and isinstance(order.slots.get(s), str)]
    if movement.ORIGIN in places:  # whence comes first, however the form puts it
        places.sort(key=lambda s: s != movement.ORIGIN)
    return [str(order.slots[s]) for s in places] or ([order.site] if order.site else [])


def composed(world: World, nation: str, form: Mapping[str, str]) -> str:
    """The line of what was chosen. StoreError, in words for the player, if something is missing or is not on the list."""
    rules = world.ruleset
    key = form.get("order", "")
    table, _, id_ = key.partition("/")
    row = rules.rows(table).get(id_) if table in ("orders", "actions", "decisions") else None
    if row is None or Grammar.of(rules).form(key) is None:
        raise StoreError("choose an order from the list")
    declared = {name: slot_of(name, kind) for name, kind in row.get("slots", {}).items()}
    slots = {**_read(form.get("fixed", ""), declared), **_read(form.get("way", ""), declared)}
    for name, slot in declared.items():
        if slot.kind == "units":
            able = slots.pop(name) if isinstance(slots.get(name), list) else None  # who can go where this way leads
            counts = {k: n for k, n in _counts(form, f"units-{name}-").items() if able is None or k in able}
            if counts:
                slots[name] = counts
            elif name not in slots and name in _wanted(rules, key, row):
                raise StoreError("choose how many units go")
        elif slot.kind == "number" and form.get(f"slot-{name}", "").strip():
            slots[name] = _number(form[f"slot-{name}"])
        elif slot.many and (chosen := _ticked(form, f"slot-{name}-")):
            slots[name] = chosen
        elif form.get(f"slot-{name}", "").strip():
            slots[name] = " ".join(form[f"slot-{name}"].split())
    if missing := [s for s in _wanted(rules, key, row) if s not in slots]:
        raise StoreError(f"still to be chosen: {', '.join(m.replace('_', ' ') for m in missing)}")
    options: dict[str, Any] = {}
    for option in row.get("options", ()):
        if form.get(f"option-{option}"):
            options[option] = _option(form, option, rules.rows("order_options")[option])
    try:
        line = order_text(rules, Names(rules, world.state), {"order": key, "slots": slots, "options": options}, agree=True)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise StoreError("this is not on the list; choose again") from None
    if not line.strip() or len(line) > LONGEST or "\n" in line or "<" in line:
        raise StoreError("this is not on the list; choose again")
    return line


def _read(text: str, declared: Mapping[str, Slot]) -> dict[str, Any]:
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not found.keys() <= declared.keys():
        raise StoreError("this is not on the list; choose again")
    return found


def _counts(form: Mapping[str, str], prefix: str) -> dict[str, int]:
    found = {name.removeprefix(prefix): _number(n) for name, n in form.items() if name.startswith(prefix) and n.strip()}
    return {kind: n for kind, n in found.items() if n}


def _number(text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise StoreError(f"{text[:20]!r} is not a number")
    return int(text)


def _ticked(form: Mapping[str, str], prefix: str) -> list[str]:
    return [name.removeprefix(prefix) for name in form if name.startswith(prefix)]


def _option(form: Mapping[str, str], id_: str, row: Row) -> Any:
    values: dict[str, Any] = {}
    for slot in _shown_slots(row):
        name = f"option-{id_}-{slot.name}"
        given = form.get(name, "").strip()
        if slot.many and slot.kind == "number":
            values[slot.name] = [_number(n) for n in given.replace(",", " ").split()]
        elif slot.many:
            values[slot.name] = _ticked(form, f"{name}-")
        elif given:
            values[slot.name] = _number(given) if slot.kind == "number" else given
        if values.get(slot.name) in (None, [], ""):
            raise StoreError("a condition was ticked and not filled in")
    return values or True


def _wanted(rules: Any, key: str, row: Row) -> list[str]:
    """The slots without which an order is none."""
    form = Grammar.of(rules).form(key)
    always = always_there(form.pattern) if form is not None else frozenset()
    return [name for name, kind in row.get("slots", {}).items() if name in always and not slot_of(name, kind).optional]


class _Maker:
    def __init__(self, world: World, nation: str) -> None:
        self.world = world
        self.nation = nation
        self.names = Names(world.ruleset, world.state)
        self.main = stores.money(world.ruleset)
        self.numbered = 0
        self.toward: dict[str, dict[str, dict[str, None]]] = {}

    def menu(self) -> Menu:
        rules = self.world.ruleset
        titled = [(title, key) for title, keys in by_phase(rules) for key in keys]
        listed = {key for _, key in titled}
        titled += [("Orders", f"{f}/{i}") for f in ("actions", "orders") for i in rules.rows(f) if f"{f}/{i}" not in listed]
        titled += [("Answers", f"decisions/{i}") for i, row in rules.rows("decisions").items() if "syntax" in row]
        entries: dict[str, list[Legal]] = {}
        by_position: dict[int, list[str]] = {}
        for _, key in titled:
            by_position.setdefault(id(self._at(key)), []).append(key)
        for keys in by_position.values():
            for entry in legal_orders(self._at(keys[0]), self.nation, keys):
                entries.setdefault(entry.order, []).append(entry)
        places: dict[str, list[Choice]] = {}
        phases: dict[str, list[Choice]] = {}
        for title, key in titled:
            legal = entries.pop(key, [])
            usual = any(entry.is_offered(OrderContext(self._at(key))) for entry in legal)
            for choice in self._choices(key, legal):
                choice = replace(choice, usual=usual)
                if choice.place:
                    places.setdefault(choice.place, []).append(choice)
                else:
                    phases.setdefault(title, []).append(choice)
        return Menu(
            {
                p: tuple(sorted(some, key=lambda c: (not c.usual, not self._row(c.key).get("bare"), not c.units)))
                for p, some in places.items()
            },
            {t: tuple(some) for t, some in phases.items()},
            {p: tuple((o, ", ".join(names)) for o, names in sorted(some.items())) for p, some in self.toward.items()},
        )

    def _at(self, key: str) -> World:
        return at_its_step(self.world, self.nation, key)

    def _row(self, key: str) -> Row:
        return self.world.ruleset.row(*key.split("/", 1))

    def _slots(self, key: str, row: Row) -> dict[str, Slot]:
        """The slots of an order as its form has them, one after another."""
        form = Grammar.of(self.world.ruleset).form(key)
        named = [slot.name for slot in slots_in(form.pattern)] if form is not None else []
        declared = {name: slot_of(name, kind) for name, kind in row.get("slots", {}).items()}
        return {name: declared[name] for name in dict.fromkeys([*named, *declared]) if name in declared}

    # ---- of each kind of order

    def _choices(self, key: str, entries: Sequence[Legal]) -> Iterator[Choice]:
        if not entries:
            return
        row = self._row(key)
        slots = self._slots(key, row)
        mode = movement.mode_of(self.world.ruleset, row)
        if movement.CARGO in slots and mode is not None:
            yield from self._crossings(key, row, mode, [e for e in entries if e.slots.get(movement.UNITS)])
        elif any(movement.UNITS in e.slots for e in entries):
            yield from self._marches(key, row, [e for e in entries if movement.UNITS in e.slots])
        elif key.startswith("orders/") and any("site" in e.slots for e in entries):
            yield from self._purchases(key, row, entries)
        elif any(e.open for e in entries):
            yield from self._opened(key, row, slots, entries)
        else:
            yield from self._listed(key, row, slots, [(e.slots, e) for e in entries])

    def _marches(self, key: str, row: Row, entries: Sequence[Legal]) -> Iterator[Choice]:
        """Units of a place, and all the places that they can go to."""
        where = movement.ORIGIN if movement.ORIGIN in row["slots"] else movement.TARGET
        at: dict[str, list[Legal]] = {}
        for entry in entries:
            at.setdefault(str(entry.slots[where]), []).append(entry)
        for place, here in at.items():
            there: dict[str, int] = {}
            ends: dict[str, dict[str, None]] = {}
            for entry in here:
                for kind, n in entry.slots[movement.UNITS].items():
                    there[kind] = max(there.get(kind, 0), int(n))
                    for end in entry.targets:
                        ends.setdefault(end, {})[kind] = None
            ways = [
                self._way(
                    {movement.TARGET: end, **({movement.UNITS: [*kinds]} if len(kinds) < len(there) else {})},
                    self._name("place", end),
                    self._only(kinds, there),
                    place=end,
                )
                for end, kinds in ends.items()
            ]
            if not ways and movement.TARGET in _wanted(self.world.ruleset, key, row):
                continue
            for end in ends:
                self.toward.setdefault(end, {}).setdefault(place, {})[str(row.get("name", key))] = None
            fixed = {} if where == movement.TARGET else {where: place}
            units = tuple(Units(movement.UNITS, k, self._name("unit-kind", k, 2), n) for k, n in there.items())
            yield self._choice(key, row, fixed, place, ways=self._sorted(ways), units=units, filled={movement.TARGET})

    def _only(self, kinds: Iterable[str], there: Mapping[str, int]) -> str:
        some = list(kinds)
        return "" if len(some) == len(there) else f"{', '.join(self._name('unit-kind', k, 2) for k in some)} only"

    def _crossings(self, key: str, row: Row, mode: Row, entries: Sequence[Legal]) -> Iterator[Choice]:
        """Troops of a coast with the ships that can take them, and where these put them ashore."""
        kind = order_kinds(self.world.ruleset)[key]
        if not isinstance(kind, Voyages):
            return
        for entry in entries:
            for slots, ends in kind.crossings(self._at(key), self.nation, entry.slots):
                origin = str(slots[movement.ORIGIN])
                cargo = tuple(
                    Units(movement.CARGO, k, self._name("unit-kind", k, 2), n) for k, n in slots[movement.CARGO].items()
                )
                fixed = {k: v for k, v in slots.items() if k != movement.CARGO}
                ways = [self._way({movement.TARGET: end}, self._name("place", end), place=end) for end in ends]
                yield self._choice(key, row, fixed, origin, ways=ways, units=cargo, filled={movement.TARGET})

    def _purchases(self, key: str, row: Row, entries: Sequence[Legal]) -> Iterator[Choice]:
        """What can be bought at each place; and of each thing all the places where it can be had."""
        at: dict[str, list[tuple[Legal, Way]]] = {}
        every: list[tuple[Legal, Way]] = []
        for entry in entries:
            for slots in self._filled_in(entry):
                site = str(slots.get("site", ""))
                item = self._name("item", str(slots["item"])) if "item" in slots else ""
                rest = {k: v for k, v in slots.items() if k not in ("site", "n")}
                far = "".join(f" for {self._name('place', str(rest[s]))}" for s in ("into",) if s in rest)
                far += "".join(f" facing {self._name('place', str(v))}" for k, v in rest.items() if k == movement.TARGET)
                far += "".join(f" to {self._name('unit-kind', str(v))}" for k, v in rest.items() if k == "kind")
                note = "; ".join(
                    filter(None, (self._price(entry.cost), f"at most {entry.most}" if 1 < entry.most < PLENTY else ""))
                )
                label = f"{item}{far}".strip() or str(row.get("name", key))
                at.setdefault(site, []).append((entry, self._way(rest, label[:1].upper() + label[1:], note)))
                named = self._way({**rest, **({"site": site} if site else {})}, f"{self._name('place', site)}{far}", note, item)
                every.append((entry, named))
        if any(at):
            yield self._bought(key, row, {}, "", every)
        for site, some in at.items():
            yield self._bought(key, row, {"site": site} if site else {}, site, some)

    def _bought(self, key: str, row: Row, fixed: Mapping[str, Any], place: str, some: Sequence[tuple[Legal, Way]]) -> Choice:
        numbers: tuple[Blank, ...] = ()
        if "n" in row.get("slots", {}):
            most = max(int(entry.most) for entry, _ in some)
            optional = "n" not in _wanted(self.world.ruleset, key, row)
            numbers = (Blank("n", "how many", "number", least=1, most=most if most < PLENTY else 0, optional=optional),)
        return self._choice(
            key, row, fixed, place, ways=[way for _, way in some], blanks=numbers, filled=row.get("slots", {}).keys()
        )

    def _filled_in(self, entry: Legal) -> Iterator[dict[str, Any]]:
        """The slots of a purchase with each of the places it may face or appear at, and each of what else is open."""
        row = self._row(entry.order)
        wanted = [s for s in _wanted(self.world.ruleset, entry.order, row) if s not in entry.slots and s != "n"]
        if not wanted:
            yield dict(entry.slots)
        elif entry.targets and len(wanted) == 1:
            yield from ({**entry.slots, wanted[0]: target} for target in entry.targets)
        else:
            for one in self._ways(entry.order, row, entry.slots, wanted, self._beside(entry)) or ():
                if self._can_be_had(entry.order, one):
                    yield one

    def _beside(self, entry: Legal) -> list[str] | None:
        """The places next to the site of a purchase: what does not appear at the site appears there."""
        return [p for p, _ in neighbors_of(self.world, str(entry.slots["site"]))] if "site" in entry.slots else None

    def _can_be_had(self, key: str, slots: Mapping[str, Any]) -> bool:
        """Whether a purchase can be made as it is filled in."""
        given = {name: str(slots[name]) for name in ("into", "kind") if name in slots}
        quote = market(self._at(key), self.nation).quote(str(slots["item"]), str(slots["site"]), 1, **given)
        return not isinstance(quote, (str, Refusal))

    def _opened(self, key: str, row: Row, slots: Mapping[str, Slot], entries: Sequence[Legal]) -> Iterator[Choice]:
        """An order with something left to fill in: by one list if that is not too long, else slot by slot."""
        wanted = _wanted(self.world.ruleset, key, row)
        extra = [s for s in slots.values() if s.kind == "choice" and s.optional and not s.many]
        unfilled = [s for s in wanted if s not in entries[0].slots]
        if key.startswith("actions/") and all(slots[s].kind in ENUMERABLE and not slots[s].many for s in unfilled):
            ways = [self._ways(key, row, entry.slots, [*unfilled, *(s.name for s in extra)]) for entry in entries]
            if None not in ways:
                both = zip(ways, entries, strict=True)
                yield from self._listed(key, row, slots, [(one, entry) for some, entry in both for one in some or ()])
                return
        bound = [s for s in slots if slots[s].kind == "place" and s in unfilled]
        if key.startswith("orders/") and bound:
            where = movement.ORIGIN if movement.ORIGIN in bound else bound[0]
            for place in movement.places_with_units(self.world, self.nation):
                yield self._slot_by_slot(key, row, slots, {where: place}, place)
            return
        chosen = [self._of_line(key, slots, entry.slots, list(entry.slots), entry) for entry in entries if len(entries) > 1]
        fixed = {} if chosen else entries[0].slots
        yield self._slot_by_slot(key, row, slots, fixed, "", chosen, entries[0].slots.keys())

    def _slot_by_slot(
        self,
        key: str,
        row: Row,
        slots: Mapping[str, Slot],
        fixed: Mapping[str, Any],
        place: str,
        ways: Sequence[Way] = (),
        filled: Iterable[str] = (),
    ) -> Choice:
        units = tuple(
            Units(name, kind, self._name("unit-kind", kind, 2), n)
            for name, slot in slots.items()
            if slot.kind == "units" and name not in fixed and place
            for kind, n in movement.able_to_leave(
                self.world, self.nation, movement.mode_of(self.world.ruleset, row) or {}, place
            ).items()
        )
        made = self._choice(key, row, fixed, place, ways=self._sorted(ways), units=units, filled=filled)
        near = {p for p, _ in neighbors_of(self.world, place)} if place else set()
        return replace(made, blanks=tuple(self._nearest_first(blank, near, slots) for blank in made.blanks)) if near else made

    def _nearest_first(self, blank: Blank, near: Set[str], slots: Mapping[str, Slot]) -> Blank:
        """A list of places in which those next to the units come first."""
        if blank.shape != "one" or slots[blank.slot].kind != "place" or len(blank.ways) <= len(near):
            return blank
        beside = [replace(way, group="next to it") for way in blank.ways if way.value in near]
        return replace(blank, ways=(*beside, *(replace(way, group="farther off") for way in blank.ways if way.value not in near)))

    def _listed(
        self, key: str, row: Row, slots: Mapping[str, Slot], filled: Sequence[tuple[Mapping[str, Any], Legal]]
    ) -> Iterator[Choice]:
        """Orders that are complete: those of a place under it, all others in one list."""
        first = next((s for s, slot in slots.items() if slot.kind == "place"), "") if len(slots) else ""
        numbers = [s for s, slot in slots.items() if slot.kind == "number"]
        lines: list[tuple[dict[str, Any], Legal]] = []
        blanks: tuple[Blank, ...] = ()
        for given, entry in filled:
            bounds = {n: entry.bounds.get(n, (1, 0)) for n in numbers}
            if len(numbers) == 1 and bounds[numbers[0]][1] - bounds[numbers[0]][0] < MOST_CHOICES:
                low, high = bounds[numbers[0]]
                lines += [({**given, numbers[0]: n}, entry) for n in range(low, high + 1)]
            else:
                lines.append(({k: v for k, v in given.items() if k not in numbers}, entry))
                blanks = tuple(
                    Blank(n, n, "number", least=low, most=high if high < PLENTY else 0) for n, (low, high) in bounds.items()
                )
        varying = [s for s in slots if len({json.dumps(given.get(s)) for given, _ in lines}) > 1]
        if first and self._mine_first(key, first):
            at: dict[str, list[tuple[dict[str, Any], Legal]]] = {}
            for given, entry in lines:
                at.setdefault(self.world.whole_of(str(given.get(first, ""))), []).append((given, entry))
            for place, some in at.items():
                inner = [s for s in varying if s != first]
                ways = [self._of_line(key, slots, given, inner, entry) for given, entry in some]
                yield self._choice(key, row, {}, place, ways=self._sorted(ways), blanks=blanks, filled=slots.keys())
            if len(varying) > 1 or len(at) == len(lines):
                return
        else:
            ways = [self._of_line(key, slots, given, varying, entry) for given, entry in lines]
            yield self._choice(key, row, {}, "", ways=self._sorted(ways), blanks=blanks, filled=slots.keys())

    def _mine_first(self, key: str, slot: str) -> bool:
        """Whether the first place of an order is one where its nation is: only there it is looked for."""
        return key.startswith("actions/") and slot == "place"

    def _of_line(
        self, key: str, slots: Mapping[str, Slot], given: Mapping[str, Any], varying: Sequence[str], entry: Legal
    ) -> Way:
        if len(varying) == 1:
            value = given.get(varying[0])
            kind = slots[varying[0]].kind
            label = str(value) if kind in ("number", "choice", "text") else self._name(kind, str(value))
            label = label if value is not None else "without more"
        else:
            label = order_in_words(self.world.ruleset, self.names, {"order": key, "slots": given})
        place = next((str(given[s]) for s in reversed(varying) if slots[s].kind == "place" and s in given), "")
        note = "; ".join(filter(None, (self._price(entry.cost), self._chance(key, given))))
        return self._way(dict(given), label[:1].upper() + label[1:], note, place=place)

    def _chance(self, key: str, slots: Mapping[str, Any]) -> str:
        """The chance of an act that hangs on one roll against a limit, as far as the nation knows what changes it."""
        row = self._row(key)
        roll = row.get("roll")
        if not key.startswith("actions/") or not isinstance(roll, Mapping) or not LIMITS.keys() & roll.keys():
            return ""
        context = OrderContext(self._at(key))
        names = order_kinds(self.world.ruleset)[key].names_of(context, self.nation, slots)
        limit = next(name for name in LIMITS if name in roll)
        try:
            dice = int(context.world.number(roll["dice"], names)) if "dice" in roll else 1
            bound = roll_limit(context.world, roll, limit, names)[0]
        except ExpressionError:
            return ""  # it hangs on what is not chosen yet, or not known
        need = f"{bound} or {LIMITS[limit]}"
        return f"{100 * (1 - (1 - chance_of(str(roll['die']), need)) ** dice):.0f} % ({need})"

    # ---- ways to fill slots

    def _ways(
        self, key: str, row: Row, fixed: Mapping[str, Any], open_: Sequence[str], among: Sequence[str] | None = None
    ) -> list[dict[str, Any]] | None:
        """Every way to fill open slots that the needs of a row allow; None if there are too many to be tried or listed.

        `among`: the only places that are tried.
        """
        context = OrderContext(self._at(key))
        slots = {s: slot_of(s, row["slots"][s]) for s in open_}
        firm = {k: v for k, v in fixed.items() if not isinstance(v, (dict, list))}

        def named(filled: Mapping[str, Any]) -> dict[str, Any]:
            base = order_kinds(self.world.ruleset)[key].names_of(context, self.nation, firm)
            return base | {s: context.slot_value(row["slots"][s], v) for s, v in filled.items() if v is not None}

        domains: dict[str, list[Any]] = {}
        for name, slot in slots.items():
            values: list[Any] = (
                [None, slot.choices[0]]
                if slot.kind == "choice" and slot.optional
                else list(domain(context, row, name, named({})))
            )
            domains[name] = [v for v in values if v is None or not ruled_out(context, row, named({name: v}), {*firm, name})]
        order = sorted(slots, key=lambda s: slots[s].kind != "place")
        if prod(len(domains[s]) for s in order if slots[s].kind != "place") > MOST_WAYS:
            return None
        partial: list[dict[str, Any]] = [{}]
        for at, name in enumerate(order):
            if len(partial) * len(domains[name]) > MOST_WAYS * 10:
                return None
            known = {*firm, *order[: at + 1]}
            partial = [
                {**one, name: value}
                for one in partial
                for value in domains[name]
                if value is None or at == 0 or not ruled_out(context, row, named({**one, name: value}), known)
            ]
            if len(partial) > MOST_WAYS:
                return None
        out = []
        for one in partial:
            filled = {**fixed, **{k: v for k, v in one.items() if v is not None}}
            order_ = {"nation": self.nation, "order": key, "slots": filled}
            if not key.startswith("actions/") or forbidden(context, row, order_, context.order_names(order_)) is None:
                out.append(filled)
        return out if len(out) <= MOST_LISTED or any(s.kind == "place" for s in slots.values()) else None

    # ---- a choice with what is left to fill in

    def _choice(
        self,
        key: str,
        row: Row,
        fixed: Mapping[str, Any],
        place: str,
        *,
        ways: Sequence[Way] = (),
        units: Sequence[Units] = (),
        blanks: Sequence[Blank] = (),
        filled: Iterable[str] = (),
    ) -> Choice:
        self.numbered += 1
        done = {*fixed, *filled, *(u.slot for u in units), *(b.slot for b in blanks)}
        wanted = _wanted(self.world.ruleset, key, row)
        ends = [w.place for w in ways if w.place]
        more = [
            self._blank(name, slot_of(name, kind), key, row, ends, name not in wanted)
            for name, kind in row.get("slots", {}).items()
            if name not in done and not (slot_of(name, kind).optional and slot_of(name, kind).kind == "unit-kind")
        ]
        return Choice(
            key, f"{key.replace('/', '-')}-{self.numbered}", str(row.get("name", key.partition("/")[2])),
            json.dumps(dict(fixed), sort_keys=True), tuple(ways), tuple(units), (*blanks, *(b for b in more if b is not None)),
            tuple(self._condition(id_, place, ends) for id_ in row.get("options", ())), str(row.get("help", "")), place,
        )  # fmt: skip

    def _blank(self, name: str, slot: Slot, key: str, row: Row, ends: Sequence[str], optional: bool) -> Blank | None:
        label = name.replace("_", " ")
        if slot.kind == "number":
            declared = row["slots"][name]
            least = declared.get("least", 1) if isinstance(declared, dict) else 1
            most = declared.get("most", 0) if isinstance(declared, dict) else 0
            return Blank(
                name, label, "number", least=least if isinstance(least, int) else 0, most=most if isinstance(most, int) else 0,
                optional=optional,
            )  # fmt: skip
        if slot.kind == "text":
            return Blank(name, label, "text", optional=optional)
        values = self._values(name, slot, key, row, ends)
        ways = tuple(self._way_of(slot, v) for v in values)
        return Blank(name, label, "many" if slot.many else "one", ways, optional=optional) if ways else None

    def _values(self, name: str, slot: Slot, key: str, row: Row, ends: Sequence[str]) -> list[str]:
        if slot.choices:
            return list(slot.choices)
        if slot.kind == "place" and slot.many and ends:
            return list(dict.fromkeys(ends))
        if slot.kind not in ENUMERABLE:
            return []
        context = OrderContext(self._at(key))
        base = order_kinds(self.world.ruleset)[key].names_of(context, self.nation, {})
        return [
            v
            for v in domain(context, row, name, base)
            if not ruled_out(context, row, {**base, name: context.slot_value(row["slots"][name], v)}, {name})
        ]

    def _condition(self, id_: str, place: str, ends: Sequence[str]) -> Condition:
        row = self.world.ruleset.rows("order_options")[id_]
        parts: list[str | Blank] = []
        for part in _shown(read_form(row["syntax"], row.get("slots"))):
            if isinstance(part, str):
                parts = [*parts[:-1], f"{parts[-1]} {part}"] if parts and isinstance(parts[-1], str) else [*parts, part]
                continue
            label = part.name.replace("_", " ")
            if part.kind == "number":
                parts.append(Blank(part.name, label, "text" if part.many else "number"))
                continue
            ways = tuple(self._way_of(part, v) for v in self._condition_values(part, place, ends))
            parts.append(Blank(part.name, label, "many" if part.many else "one", ways))
        return Condition(id_, tuple(parts))

    def _condition_values(self, slot: Slot, place: str, ends: Sequence[str]) -> list[str]:
        if slot.kind == "place":
            return list(dict.fromkeys([*ends, *(p for p, _ in (neighbors_of(self.world, place) if place else ()))]))
        if slot.kind == "unit-kind":
            return list(self.world.ruleset.rows("units"))
        if slot.kind == "nation":
            return [n for n in self.world.nations() if self.world.alive(n)]
        return list(slot.choices)

    # ---- names

    def _way(self, slots: Mapping[str, Any], label: str, note: str = "", group: str = "", place: str = "") -> Way:
        return Way(json.dumps(dict(slots), sort_keys=True), label, note, group, place)

    def _way_of(self, slot: Slot, value: str) -> Way:
        return Way(value, value if slot.choices else self._name(slot.kind, value))

    def _sorted(self, ways: Iterable[Way]) -> list[Way]:
        return sorted(ways, key=lambda way: (way.group, way.label))

    def _name(self, kind: str, id_: str, n: int = 1) -> str:
        return self.names.printed(kind, id_, n)

    def _price(self, cost: Mapping[str, Any]) -> str:
        parts = [f"{n} {stores.in_words(self.world.ruleset, what)}" for what, n in cost.items() if n]
        return ", ".join(parts)


def _shown(pattern: Pattern) -> Iterator[str | Slot]:
    """The words and slots of a form as it is said: of alternatives the last, nothing that may be left out."""
    for node in pattern:
        if isinstance(node, Either):
            yield from () if () in node.ways else _shown(node.ways[-1])
        else:
            yield node if isinstance(node, Slot) else node.word


def _shown_slots(row: Row) -> list[Slot]:
    """What is to be filled in of a condition."""
    return [part for part in _shown(read_form(row["syntax"], row.get("slots"))) if isinstance(part, Slot)]
