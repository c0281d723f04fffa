"""What a nation can order now, as lists to choose from: of each place what can be done there, and what hangs
on no place.

Everything is taken from the list of legal orders (`wteaw.orders.legal`), and each kind of order says itself
how what it leaves open may be filled in (`filled`): so what is chosen stands by itself, and what is made of
it (`chosen_order`) is the line that the player could have typed. Nothing here asks of what kind an order is,
only what its slots hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wteaw.core.choices import as_slot
from wteaw.core.messages import capital
from wteaw.economy.catalogue import PLENTY
from wteaw.orders import movement
from wteaw.orders.chances import chance_of_roll
from wteaw.orders.kinds import OrderKind, order_kinds
from wteaw.orders.legal import legal_at_their_steps, phased_orders
from wteaw.orders.legal_entry import Legal
from wteaw.orders.lookahead import at_its_step
from wteaw.orders.movement import CARGO, ORIGIN, TARGET, UNITS
from wteaw.orders.names import Names
from wteaw.orders.readback import ANSWERS
from wteaw.orders.sheet_line import ENEMY, FREE, NEUTRAL, OWN
from wteaw.orders.sheet_writer import SheetWriter
from wteaw.orders.slot_values import ENUMERABLE, domain
from wteaw.orders.text import order_in_words
from wteaw.play.scenario_files import choice_in_words
from wteaw.ruleset.order_syntax import Slot, read_form, slots_in
from wteaw.turn.context import OrderContext
from wteaw.turn.slots import ruled_out
from wteaw.world import treasury as stores
from wteaw.world.world import World

from .chosen_order import label_of, shown
from .order_choices import Blank, Choice, Condition, Menu, Units, Way
from .order_places import neighbors_of

MOST_CHOICES = 12
"""Numbers up to which each is offered in a list."""
SITE = "site"
"""The slot of what is bought or built that says where."""
ENDS = {
    ENEMY: "Against an enemy",
    NEUTRAL: "Neutral land",
    FREE: "Where no enemy is known",
    OWN: "Yours and your allies'",
}
"""What the ends of a way are listed under."""
OPEN = "…"
"""What stands in words for what is filled in beside them."""
NO_PLACE = "no place yet"
"""Where something is bought that is placed later."""


def menu_of(world: World, nation: str) -> Menu:
    """Everything that a nation may order, as lists. `world` is the nation's view."""
    return _MenuMaker(world, nation).menu()


class _MenuMaker:
    def __init__(self, world: World, nation: str) -> None:
        self.world = world
        self.nation = nation
        self.names = Names(world.ruleset, world.state)
        self.kinds = order_kinds(world.ruleset)
        self.sheet = SheetWriter(world, nation, lambda key, slots: True)
        self.numbered = 0
        self.toward: dict[str, dict[str, dict[str, None]]] = {}

    def menu(self) -> Menu:
        titled = [(title or "Orders", key) for title, key in phased_orders(self.world.ruleset)]
        titled += [
            (ANSWERS, key) for key, kind in self.kinds.items() if not kind.listed and kind.syntax is not None
        ]
        legal = legal_at_their_steps(self.world, self.nation, [key for _, key in titled])
        places: dict[str, list[Choice]] = {}
        phases: dict[str, list[Choice]] = {}
        for title, key in titled:
            kind = self.kinds[key]
            entries: list[Legal] = []
            for entry in legal.pop(key, ()):
                entries.extend(kind.filled(self._at(kind), self.nation, entry))
            usual = any(self._usual(kind, entry) for entry in entries)
            for choice in filter(None, self._choices(kind, entries)):
                choice = replace(choice, usual=usual)
                if choice.place:
                    places.setdefault(choice.place, []).append(choice)
                else:
                    phases.setdefault(title, []).append(choice)
        bare = {key for key, kind in self.kinds.items() if kind.row.get("bare")}
        return Menu(
            {
                p: tuple(sorted(some, key=lambda c: (not c.usual, c.key not in bare, not c.units)))
                for p, some in places.items()
            },
            {t: tuple(sorted(some, key=lambda c: not c.usual)) for t, some in phases.items()},
            {
                p: tuple((o, ", ".join(names)) for o, names in sorted(some.items()))
                for p, some in self.toward.items()
            },
        )

    def _at(self, kind: OrderKind) -> World:
        return at_its_step(self.world, self.nation, kind.key)

    def _usual(self, kind: OrderKind, entry: Legal) -> bool:
        """Whether an order makes sense to most: as its row says it, and of units only if it is known what
        they can do.
        """
        of_units = any(slot.kind == "units" for slot in kind.slots.values())
        return not (of_units and self._still(kind, entry)) and entry.is_offered(OrderContext(self._at(kind)))

    def _still(self, kind: OrderKind, entry: Legal) -> list[str]:
        """The slots of an entry that nothing is known of."""
        known = {*entry.slots, *entry.bounds, *((TARGET,) if entry.targets else ())}
        return [name for name in kind.wanted if name not in known]

    def _slots(self, kind: OrderKind) -> dict[str, Slot]:
        """The slots of an order as its form has them, one after another."""
        named = [slot.name for slot in slots_in(kind.syntax.pattern)] if kind.syntax is not None else []
        return {name: kind.slots[name] for name in dict.fromkeys([*named, *kind.slots]) if name in kind.slots}

    # ---- by what an order holds

    def _choices(self, kind: OrderKind, entries: Sequence[Legal]) -> Iterator[Choice | None]:
        """An order as lists: with whom and where to, what to buy where, whole, or slot by slot."""
        if not entries:
            return
        units = {name for name, slot in kind.slots.items() if slot.kind == "units"}
        if any(self._still(kind, e) for e in entries):
            yield from self._opened(kind, entries)
        elif any(SITE in e.slots for e in entries):
            yield from self._purchases(kind, entries)
        elif any(e.targets or units & e.slots.keys() for e in entries):
            yield from self._sent(kind, entries)
        else:
            yield from self._listed(kind, entries)

    def _sent(self, kind: OrderKind, entries: Sequence[Legal]) -> Iterator[Choice | None]:
        """Units or goods of a place, and all the places that they can go to."""
        where = ORIGIN if ORIGIN in kind.slots else TARGET
        at: dict[tuple[str, str], list[Legal]] = {}
        for entry in entries:
            # carriers are chosen with those whom they take along
            sent = CARGO if CARGO in entry.slots else UNITS
            fixed = {k: v for k, v in entry.slots.items() if k != sent and (k, where) != (TARGET, TARGET)}
            at.setdefault((str(entry.slots.get(where, "")), json.dumps(fixed, sort_keys=True)), []).append(
                entry
            )
        for (place, fixed_), here in at.items():
            sent = CARGO if CARGO in here[0].slots else UNITS
            there: dict[str, int] = {}
            ends: dict[str, dict[str, None]] = {}
            for entry in here:
                for unit, n in entry.slots.get(sent, {}).items():
                    there[unit] = max(there.get(unit, 0), int(n))
                for end in entry.targets:
                    ends.setdefault(end, {}).update(dict.fromkeys(entry.slots.get(sent, ())))
            ways = []
            for end, able in ends.items():
                to = {TARGET: end, **({sent: [*able]} if len(able) < len(there) else {})}
                room = max((e.room.get(end, 0) for e in here if end in e.targets), default=0)
                note = "; ".join(filter(None, (self._only(able, there), f"room for {room}" if room else "")))
                group = ENDS[self.sheet.kind_of_end(end)]
                ways.append(self._way(to, self._name("place", end), note, group, end))
                self.toward.setdefault(end, {}).setdefault(place, {})[kind.name] = None
            if len({way.group for way in ways}) == 1:
                ways = [replace(way, group="") for way in ways]
            units = tuple(Units(sent, k, self._name("unit-kind", k, 2), n) for k, n in there.items())
            blanks = self._numbers(kind, here)
            yield self._choice(
                kind,
                json.loads(fixed_),
                place,
                ways=self._sorted(ways),
                units=units,
                blanks=blanks,
                filled={TARGET},
            )

    def _only(self, able: Iterable[str], there: Mapping[str, int]) -> str:
        some = list(able)
        return (
            ""
            if len(some) == len(there)
            else f"{', '.join(self._name('unit-kind', k, 2) for k in some)} only"
        )

    def _purchases(self, kind: OrderKind, entries: Sequence[Legal]) -> Iterator[Choice | None]:
        """What can be bought at each place; and of each thing all the places where it can be had."""
        at: dict[str, list[tuple[Legal, Way]]] = {}
        every: list[tuple[Legal, Way]] = []
        for entry in entries:
            slots, site = entry.slots, str(entry.slots.get(SITE, ""))
            item = self._name("item", str(slots["item"])) if "item" in slots else ""
            rest = {k: v for k, v in slots.items() if k not in (SITE, "n")}
            far = f" for {self._name('place', str(rest['into']))}" if "into" in rest else ""
            far += f" facing {self._name('place', str(rest[TARGET]))}" if TARGET in rest else ""
            far += f" to {self._name('unit-kind', str(rest['kind']))}" if "kind" in rest else ""
            most = f"at most {entry.most}" if 1 < entry.most < PLENTY else ""
            note = "; ".join(filter(None, (self._price(entry.cost), most)))
            label = f"{item}{far}".strip() or kind.name
            at.setdefault(site, []).append((entry, self._way(rest, capital(label), note)))
            if site:  # a list that is closed shows its choice alone: it has to name both
                named = f"{capital(label)} in {self.names.in_sentences().printed('place', site)}"
                every.append((entry, self._way({**rest, SITE: site}, named, note, item)))
        if any(at):
            yield self._bought(kind, {}, "", every)
        for site, some in at.items():
            made = self._bought(kind, {SITE: site} if site else {}, site, some)
            # those of all places stand above it under the same name
            later = made is not None and not site and any(at)
            yield replace(made, title=f"{made.title}: {NO_PLACE}") if made and later else made

    def _bought(
        self, kind: OrderKind, fixed: Mapping[str, Any], place: str, some: Sequence[tuple[Legal, Way]]
    ) -> Choice | None:
        numbers: tuple[Blank, ...] = ()
        if "n" in kind.slots:
            most = max(int(entry.most) for entry, _ in some)
            most = most if most < PLENTY else 0
            numbers = (Blank("n", "how many", "number", least=1, most=most, optional="n" not in kind.wanted),)
        return self._choice(
            kind, fixed, place, ways=[way for _, way in some], blanks=numbers, filled=kind.slots
        )

    def _opened(self, kind: OrderKind, entries: Sequence[Legal]) -> Iterator[Choice | None]:
        """An order of which something is to be chosen slot by slot; of units one at each place."""
        slots = self._slots(kind)
        lists = any(slot.kind == "units" for slot in slots.values()) and any(
            ORIGIN in e.slots for e in entries
        )
        if lists or len(entries) == 1:
            for entry in entries:
                place = str(entry.slots.get(ORIGIN, ""))
                yield self._slot_by_slot(
                    kind, entry, {k: v for k, v in entry.slots.items() if slots[k].kind != "units"}, place
                )
            return
        context, chosen = OrderContext(self._at(kind)), []
        for entry in entries:
            given = {name: value for name, value in entry.slots.items() if name not in entry.bounds}
            names = kind.names_of(context, self.nation, given)
            if not ruled_out(context, kind.row, names, given.keys()):
                chosen.append(self._of_line(kind, given, list(given), entry))
        yield self._slot_by_slot(kind, entries[0], {}, "", chosen)

    def _slot_by_slot(
        self, kind: OrderKind, entry: Legal, fixed: Mapping[str, Any], place: str, ways: Sequence[Way] = ()
    ) -> Choice | None:
        found = []
        for name, slot in self._slots(kind).items():
            if slot.kind == "units":
                for unit, n in entry.slots.get(name, {}).items():
                    found.append(Units(name, unit, self._name("unit-kind", unit, 2), int(n)))
        units = tuple(found)
        made = self._choice(
            kind, fixed, place, ways=self._sorted(ways), units=units, blanks=self._numbers(kind, [entry]),
            filled=entry.slots.keys() if ways else (),
        )  # fmt: skip
        return self._nearest_first(kind, made)

    def _nearest_first(self, kind: OrderKind, made: Choice | None) -> Choice | None:
        """A choice in whose lists of places those next to its own come first."""
        if made is None:
            return None
        near = {p for p, _ in neighbors_of(self.world, made.place)} if made.place else set()
        blanks = []
        for blank in made.blanks:
            if (
                near
                and blank.shape == "one"
                and kind.slot(blank.slot).kind == "place"
                and len(blank.ways) > len(near)
            ):
                beside = [replace(way, group="next to it") for way in blank.ways if way.value in near]
                others = [replace(way, group="farther off") for way in blank.ways if way.value not in near]
                blank = replace(blank, ways=(*beside, *others))
            blanks.append(blank)
        return replace(made, blanks=tuple(blanks))

    def _listed(self, kind: OrderKind, entries: Sequence[Legal]) -> Iterator[Choice | None]:
        """Orders that are complete: those of a place under it, all others in one list."""
        slots = self._slots(kind)
        first = next((s for s, slot in slots.items() if slot.kind == "place"), "")
        lines: list[tuple[dict[str, Any], Legal]] = []
        open_: list[Legal] = []
        for entry in entries:
            (number, (low, high)) = next(iter(entry.bounds.items()), ("", (0, PLENTY)))
            if len(entry.bounds) == 1 and high - low < MOST_CHOICES:
                lines += [({**entry.slots, number: n}, entry) for n in range(low, high + 1)]
            else:
                lines.append(({k: v for k, v in entry.slots.items() if k not in entry.bounds}, entry))
                open_.append(entry)
        blanks = self._numbers(kind, open_)
        varying = [s for s in slots if len({json.dumps(given.get(s)) for given, _ in lines}) > 1]
        # of what may be left out only a place is asked for (one to fall back to): the rest are other words
        # for the same
        filled = [s for s, slot in slots.items() if s in kind.wanted or slot.kind != "place" or slot.many]
        if first != "place":  # so the slot is called that holds the place where what is ordered is done
            ways = [self._of_line(kind, given, varying, entry) for given, entry in lines]
            yield self._choice(kind, {}, "", ways=self._sorted(ways), blanks=blanks, filled=filled)
            return
        at: dict[str, list[tuple[dict[str, Any], Legal]]] = {}
        for given, entry in lines:
            at.setdefault(self.world.whole_of(str(given.get(first, ""))), []).append((given, entry))
        inner = [s for s in varying if s != first]
        for place, some in at.items():
            near = [one for one in some if self._is_next_door(kind, first, one[0])]
            apart = len(some) > MOST_CHOICES and 0 < len(near) < len(some)
            if apart:
                ways = [self._of_line(kind, given, [TARGET], entry) for given, entry in near]
                made = self._choice(kind, {}, place, ways=self._sorted(ways), blanks=blanks, filled=filled)
                yield self._nearest_first(kind, made)
                some = [one for one in some if one not in near]
            here = [s for s in inner if len({json.dumps(given.get(s)) for given, _ in some}) > 1] or inner
            ways = [self._of_line(kind, given, here, entry) for given, entry in some]
            made = self._choice(kind, {}, place, ways=self._sorted(ways), blanks=blanks, filled=filled)
            made = replace(made, title=f"{made.title}, farther off") if made and apart else made
            yield self._nearest_first(kind, made)

    def _is_next_door(self, kind: OrderKind, first: str, given: Mapping[str, Any]) -> bool:
        """Whether an order is of a place, and of one beside it, and of nothing more."""
        named = {name for name, value in given.items() if value not in (None, "", [])}
        beside = movement.beside(self.world, str(given.get(first, "")))
        return named == {first, TARGET} and kind.slots[TARGET].kind == "place" and given[TARGET] in beside

    def _numbers(self, kind: OrderKind, entries: Sequence[Legal]) -> tuple[Blank, ...]:
        """The numbers that entries bound, to be filled in."""
        bounds: dict[str, tuple[int, int]] = {}
        for entry in entries:
            for name, (low, high) in entry.bounds.items():
                least, most = bounds.get(name, (low, high))
                bounds[name] = (min(least, low), max(most, high))
        return tuple(
            Blank(name, label_of(kind, name), "number", least=low, most=high if high < PLENTY else 0)
            for name, (low, high) in bounds.items()
        )

    # ---- one way

    def _of_line(
        self, kind: OrderKind, given: Mapping[str, Any], varying: Sequence[str], entry: Legal
    ) -> Way:
        """A way that is named by what alone varies, else in the words of the whole order."""
        if len(varying) == 1:
            value, shape = given.get(varying[0]), kind.slots[varying[0]].kind
            label = self._printed(shape, value)
            label = label if value is not None else "without more"
        else:
            open_ = {s: OPEN for s, slot in kind.slots.items() if slot.kind in ("number", "text")}
            filled = {**{s: open_[s] for s in kind.wanted if s in open_}, **given}
            label = order_in_words(self.world.ruleset, self.names, {"order": kind.key, "slots": filled})
        place = next(
            (str(given[s]) for s in reversed(varying) if kind.slots[s].kind == "place" and s in given), ""
        )
        note = "; ".join(filter(None, (self._price(entry.cost), self._chance(kind, given))))
        return self._way(dict(given), capital(label), note, place=place)

    def _chance(self, kind: OrderKind, slots: Mapping[str, Any]) -> str:
        """The chance of what depends on one roll, as far as the nation knows what changes it."""
        roll = kind.row.get("roll")
        if not isinstance(roll, Mapping):
            return ""
        context = OrderContext(self._at(kind))
        found = chance_of_roll(context.world, roll, kind.names_of(context, self.nation, slots))
        if found is None:
            return ""  # it depends on what is not chosen yet, or not known
        one, dice, need = found
        return f"{100 * float(1 - (1 - one) ** dice):.0f} % ({need.said})"

    # ---- a choice with what is left to fill in

    def _choice(
        self,
        kind: OrderKind,
        fixed: Mapping[str, Any],
        place: str,
        *,
        ways: Sequence[Way] = (),
        units: Sequence[Units] = (),
        blanks: Sequence[Blank] = (),
        filled: Iterable[str] = (),
    ) -> Choice | None:
        """One kind of order with what is left to fill in; None if there is nothing to fill in of what it
        needs.
        """
        self.numbered += 1
        done = {*fixed, *filled, *(u.slot for u in units), *(b.slot for b in blanks)}
        ends = [w.place for w in ways if w.place]
        more = [
            self._blank(slot, kind, ends)
            for name, slot in self._slots(kind).items()
            if name not in done and not (slot.optional and slot.kind == "unit-kind")
        ]
        found = [blank for blank in more if blank is not None]
        if any(name not in done and all(blank.slot != name for blank in found) for name in kind.wanted):
            return None
        return Choice(
            key=kind.key,
            id=f"{kind.key.replace('/', '-')}-{self.numbered}",
            title=self._title(kind),
            fixed=json.dumps(dict(fixed), sort_keys=True),
            ways=tuple(ways),
            units=tuple(units),
            blanks=(*blanks, *found),
            conditions=tuple(self._condition(id_, place, ends) for id_ in kind.row.get("options", ())),
            help=str(kind.row.get("help", "")),
            place=place,
        )

    def _blank(self, slot: Slot, kind: OrderKind, ends: Sequence[str]) -> Blank | None:
        """What is still to be filled in of a slot; None if there is nothing to choose from."""
        label, optional = label_of(kind, slot.name), slot.name not in kind.wanted
        if slot.kind == "number":
            bounds = as_slot(kind.row["slots"][slot.name])
            least, most = (
                n if isinstance(n, int) else 0 for n in (bounds.get("least", 1), bounds.get("most", 0))
            )
            return Blank(slot.name, label, "number", least=least, most=most, optional=optional)
        if slot.kind == "text":
            return Blank(slot.name, label, "text", optional=optional)
        ways = tuple(self._way_of(slot, v) for v in self._values(slot, kind, ends))
        return (
            Blank(slot.name, label, "many" if slot.many else "one", ways, optional=optional) if ways else None
        )

    def _values(self, slot: Slot, kind: OrderKind, ends: Sequence[str]) -> list[str]:
        if slot.choices:
            return list(slot.choices)
        if slot.kind == "place" and slot.many and ends:
            return list(dict.fromkeys(ends))
        if slot.kind not in ENUMERABLE:
            return []
        context, row = OrderContext(self._at(kind)), kind.row
        asked = (
            (v, kind.names_of(context, self.nation, {slot.name: v}))
            for v in domain(context, row, slot.name, kind.names_of(context, self.nation, {}))
        )
        return [value for value, names in asked if not ruled_out(context, row, names, {slot.name})]

    def _condition(self, id_: str, place: str, ends: Sequence[str]) -> Condition:
        row = self.world.ruleset.rows("order_options")[id_]
        parts: list[str | Blank] = []
        for part in shown(read_form(row["syntax"], row.get("slots"))):
            if isinstance(part, str):
                parts = (
                    [*parts[:-1], f"{parts[-1]} {part}"]
                    if parts and isinstance(parts[-1], str)
                    else [*parts, part]
                )
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
            return list(
                dict.fromkeys([*ends, *(p for p, _ in (neighbors_of(self.world, place) if place else ()))])
            )
        if slot.kind == "unit-kind":
            return list(self.world.ruleset.rows("units"))
        if slot.kind == "nation":
            return [n for n in self.world.nations() if self.world.alive(n)]
        return list(slot.choices)

    # ---- names

    def _way(
        self, slots: Mapping[str, Any], label: str, note: str = "", group: str = "", place: str = ""
    ) -> Way:
        return Way(json.dumps(dict(slots), sort_keys=True), label, note, group, place)

    def _way_of(self, slot: Slot, value: str) -> Way:
        return Way(value, self._printed("choice" if slot.choices else slot.kind, value))

    def _title(self, kind: OrderKind) -> str:
        """What an order is called; one whose row has no name, by its id as words."""
        title = kind.name if "name" in kind.row else kind.name.replace("-", " ")
        return capital(title)

    def _printed(self, shape: str, value: Any) -> str:
        """What stands in a slot of a kind, by its name; a word to choose is read without its hyphens."""
        if shape == "choice":
            return choice_in_words(value)
        return str(value) if shape in ("number", "text") else self._name(shape, str(value))

    def _sorted(self, ways: Iterable[Way]) -> list[Way]:
        return sorted(ways, key=lambda way: (way.group, way.label))

    def _name(self, kind: str, id_: str, n: int = 1) -> str:
        return self.names.printed(kind, id_, n)

    def _price(self, cost: Mapping[str, Any]) -> str:
        parts = [stores.so_much(self.world.ruleset, n, what) for what, n in cost.items() if n]
        return ", ".join(parts)
