"""Orders of units: who is told to do something, and where they stand.

What they do is said by the modules of its kind (`marches`, `voyages`, `looks`); an order that does none of
these (to hold a place, to retreat from a battle) only takes its units.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...battle.targets import no_loss
from ...core.choices import as_slot
from ...core.model import Row, Ruleset
from ...core.rows import MovementRow
from ...core.state import Fields
from ...turn.context import Order
from ...turn.slots import unfit
from ...turn.validated_orders import Note, Refusal, RefusalCode, Remark, ValidatedOrder
from ...units import forces, land_orders
from ...units.forces import unit_slots
from ...world import routes
from ...world.passages import kind_matches
from ...world.world import World
from .. import movement
from ..fuzzy import ways_of
from ..grammar import Grammar
from ..legal_entry import ANY, Legal, LegalSearch
from ..match import ALL, is_every
from ..movement import CARGO, ORIGIN, TARGET, UNITS, VIA
from ..names import EVERY, Names
from .book import Move, OrderBook, OrderRefused, Understood
from .order_kind import OrderKind


@dataclass(slots=True)
class Ordered(Understood):
    """Units that may do what they are told. `picked`: how many of each stack; `move`: how they go, if they
    do."""

    picked: Mapping[str, int] = field(default_factory=dict)
    move: Move | None = None

    def warn(self, warning: str | None) -> None:
        """Remark that it would begin a war that nobody has declared."""
        if warning is not None:
            remarks = (*self.intent.remarks, Remark(Note.UNDECLARED, warning, TARGET))
            self.intent = replace(self.intent, remarks=remarks)


class UnitOrders(OrderKind):
    """Who does something, by the units that its slots name."""

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Whatever else the table `orders` has."""
        return form == "orders"

    @cached_property
    def mode(self) -> MovementRow:
        """The mode that its units go by; empty if they go nowhere."""
        return self.ruleset.row_or_empty("movement", self.row.get("does", ""))

    @property
    def commits(self) -> bool:
        """Whether units that have such an order are free for no other."""
        return "commits" in self.row

    # ---- the check

    def understand(self, book: OrderBook, order: Order) -> Ordered:
        """Units that may do what they are ordered. Raises OrderRefused."""
        order = self._counted(book, order)
        slots = order["slots"]
        names = {**book.context.order_names(order), "earlier": _earlier(book, str(slots.get(ORIGIN)))}
        book.check(unfit(book.context, self.row, order, names, secrets=False))
        book.check(no_loss(book.world, order))
        unlike = land_orders.unlike(book.context, order, book.first.get(self.key))
        book.check_text(RefusalCode.CHOICE, unlike, next(iter(self.row.get("alike", ())), ""))
        understood = Ordered(
            ValidatedOrder(order, units=dict(slots.get(UNITS) or {}), site=str(slots.get(TARGET) or "")),
            [lambda: book.first.setdefault(self.key, order)],
        )
        understood.picked = self._picked(book, order, understood.uses)
        self.go(book, order, understood)
        if self.commits:
            picked = understood.picked  # not the order itself, which would hold what holds it
            understood.uses.append(lambda: _commit(book, picked))
        cost, remarks = book.cost(self.row, order, names)
        understood.uses.append(lambda: book.spend(cost))
        remarks = [*understood.intent.remarks, *remarks]
        understood.intent = replace(understood.intent, cost=cost, remarks=tuple(remarks))
        return understood

    def go(self, book: OrderBook, order: Order, understood: Ordered) -> None:
        """Add to what an order comes to what its units do, and what that uses up. Raises OrderRefused."""

    def makes_sense(self, world: World, slots: Mapping[str, Any]) -> bool:
        """Whether some of the units go that way at all."""
        units = slots.get(UNITS)
        if not self.mode or not units:
            return True
        meant = units
        if is_every(units):
            tag = next(iter(units)).removeprefix(EVERY) or None
            meant = [kind for kind in world.ruleset.rows("units") if kind_matches(world, tag, kind)]
        return any(movement.goes_by(world, self.mode, kind) for kind in meant)

    # ---- who

    def _counted(self, book: OrderBook, order: Order) -> Order:
        """The order with numbers in the place of `all`."""
        slots = dict(order.get("slots", {}))
        for name, where in unit_slots(self.row):
            if slots.get(name) and slots.get(where) is not None:
                whose = self._whose(book, slots, name)
                slots[name] = self._numbers(book, slots[name], str(slots[where]), name, whose)
        return {**order, "slots": slots}

    def _whose(self, book: OrderBook, slots: Mapping[str, Any], slot: str) -> tuple[str, str]:
        """Whose units a slot names, and aboard whose carriers those of other slots of the order may be."""
        voyage = book.fleet.voyages.get(int(slots.get("aboard") or 0))
        host = (
            voyage.host if voyage is not None and voyage.host else forces.whose(self.row, slots, book.nation)
        )
        return forces.whose(self.row, slots, book.nation, slot), host

    def _numbers(
        self, book: OrderBook, wanted: Mapping[str, Any], origin: str, slot: str, whose: tuple[str, str]
    ) -> dict[str, Any]:
        """Units of a place by kind with numbers in the place of `all`."""
        left = self.units_left(book, origin, whose)
        if (every := book.every(wanted, left)) is not None:
            by_mode = bool(self.mode) and slot == UNITS
            fits = {
                k: n for k, n in every.items() if not by_mode or movement.goes_by(book.world, self.mode, k)
            }
            if not fits:
                where = book.names.printed("place", origin)
                raise OrderRefused(
                    Refusal(RefusalCode.UNITS, f"no units in {where} are free to go this way", slot)
                )
            return self._without_garrison(book, fits, fits, origin, slot)
        counts = {}
        for kind, number in wanted.items():
            counts[kind] = left.get(kind, 0) if number == ALL else int(number)
            if counts[kind] <= 0 and number != ALL:
                raise OrderRefused(Refusal(RefusalCode.NUMBER, "the number must be at least 1", slot))
            if counts[kind] <= 0:
                raise OrderRefused(_too_many(book, kind, 1, origin, left, slot, whose[0]))
        every_one = {k: n for k, n in counts.items() if wanted[k] == ALL}
        return self._without_garrison(book, counts, every_one, origin, slot) if every_one else counts

    def _without_garrison(
        self, book: OrderBook, units: Mapping[str, int], every: Mapping[str, int], origin: str, slot: str
    ) -> dict[str, int]:
        """The units of an order that asks for all of some kinds (`every`), without those that must stay."""
        most = self._may_leave(book, origin) if slot == UNITS else None
        if most is None or sum(units.values()) <= most:
            return dict(units)
        others = {k: n for k, n in units.items() if k not in every}
        found = {**others, **movement.fewer(every, max(0, most - sum(others.values())))}
        return found or dict(units)  # nobody may go: that is what the check says

    def _gone(self, book: OrderBook, place: str) -> int:
        """How many units orders that stand so far lead away from a place."""
        modes, rows = self.ruleset.rows("movement"), self.ruleset.rows("orders")
        return sum(
            n for row, where, _, n in book.taken if where == place and rows[row].get("does", "") in modes
        )

    def _may_leave(self, book: OrderBook, place: str) -> int | None:
        """How many units may leave a place by the order's mode beside earlier orders; None: any number."""
        return routes.may_leave(book.world, book.nation, self.mode, place, self._gone(book, place))

    def _picked(self, book: OrderBook, order: Order, uses: list[Callable[[], object]]) -> dict[str, int]:
        """The units that an order takes, stack by stack. Raises OrderRefused if there are too few."""
        slots = order["slots"]
        picked: dict[str, int] = {}
        for name, where in unit_slots(self.row):
            wanted, place = slots.get(name), slots.get(where)
            if not wanted or place is None:
                continue
            whose = self._whose(book, slots, name)
            left = self.units_left(book, str(place), whose)
            for kind, number in wanted.items():
                if number > left.get(kind, 0):
                    most = self._may_leave(book, str(place)) if name == UNITS else None
                    raise OrderRefused(_too_many(book, kind, number, str(place), left, name, whose[0], most))
            for key, n in forces.pick(self._stacks(book, str(place), whose), wanted) or ():
                picked[key] = picked.get(key, 0) + n
            if whose[0] != book.nation:
                continue
            taken = [(self.row["id"], str(place), kind, int(n)) for kind, n in wanted.items()]
            uses.append(lambda those=taken: book.taken.extend(those))  # type: ignore[misc]
        return picked

    def _stacks(self, book: OrderBook, place: str, whose: tuple[str, str]) -> list[tuple[str, Fields]]:
        """The stacks at a place that are free to go; for orders that commit units, less what earlier ones
        took."""
        owner, host = whose
        free = routes.free_stacks(book.world, owner, place, again=bool(self.mode.get("again")))
        if CARGO in self.slots and owner == book.nation:
            free = [*free, *forces.afloat_at(book.world.state, owner, place, host)]
        if not self.commits:
            return free
        now = [(k, {**r, "n": book.left.get(k, int(r["n"]))}) for k, r in free]
        return [(k, r) for k, r in now if r["n"] > 0]

    def units_left(self, book: OrderBook, place: str, whose: tuple[str, str] | None = None) -> dict[str, int]:
        """Units at a place that this order may still take: one that commits none counts those it has had
        itself."""
        left: dict[str, int] = {}
        for _, stack in self._stacks(book, place, whose or (book.nation, book.nation)):
            left[stack["kind"]] = left.get(stack["kind"], 0) + int(stack["n"])
        for other, where, kind, number in book.taken:
            if where == place and other == self.row["id"] and not self.commits:
                left[kind] = left.get(kind, 0) - number
        return left

    # ---- what would do in its place

    def alternatives(self, book: OrderBook, order: Order, why: Refusal) -> Iterator[Order]:
        """As of any order; then other orders by which the same units go the same way."""
        yield from super().alternatives(book, order, why)
        slots = self._fewer(book, order, why) or order.get("slots", {})
        if not {UNITS, ORIGIN, TARGET} <= slots.keys():
            return
        for way in sorted(ways_of(Grammar.of(self.ruleset)), key=lambda w: not w.form.row.get("bare")):
            if way.carries and way.form.key != self.key and set(way.form.row.get("slots", {})) >= set(slots):
                yield {**order, "order": way.form.key, "slots": slots, "options": {}}

    def likely(self, book: OrderBook, order: Order, why: Refusal) -> Iterator[Order]:
        """The same with those units that can go there, with fewer, or with those of an ally."""
        slots = order.get("slots", {})
        if (
            why.code == RefusalCode.WAY
            and isinstance(slots.get(UNITS), dict)
            and {ORIGIN, TARGET} <= slots.keys()
        ):
            yield from self._those_who_can(book, order)
        if slots := self._fewer(book, order, why):
            yield {**order, "slots": slots}
        if why.code == RefusalCode.UNITS:
            yield from self._of_allies(book, order, why.slot)

    def _those_who_can(self, book: OrderBook, order: Order) -> Iterator[Order]:
        """The same without the kinds that may not go there: from the list of legal orders."""
        slots = order["slots"]
        wanted = slots[UNITS]
        for legal in self.legal(book.world, book.nation):
            if legal.slots.get(ORIGIN) != slots[ORIGIN] or slots[TARGET] not in legal.targets:
                continue
            there = {k: int(n) for k, n in legal.slots.get(UNITS, {}).items()}
            able = book.every(wanted, there)
            if able is None:
                named = {k: n for k, n in there.items() if k in wanted}
                able = {k: n if wanted[k] == ALL else min(int(wanted[k]), n) for k, n in named.items()}
                able = able if able.keys() == wanted.keys() else {}  # never a part of what was named
            if able:
                yield {**order, "slots": {**slots, UNITS: able}}

    def _fewer(self, book: OrderBook, order: Order, why: Refusal) -> dict[str, Any]:
        """The slots of an order that names more units than there are with those that are there; empty if of
        any kind there are none."""
        slots = order.get("slots", {})
        if (
            why.code != RefusalCode.UNITS
            or not isinstance(slots.get(UNITS), dict)
            or slots.get(ORIGIN) is None
        ):
            return {}
        left = self.units_left(book, str(slots[ORIGIN]))
        fewer = {k: min(n, left.get(k, 0)) for k, n in slots[UNITS].items() if isinstance(n, int)}
        fewer = movement.fewer(fewer, self._may_leave(book, str(slots[ORIGIN])))
        named = slots[UNITS].keys()
        return {**slots, UNITS: fewer} if fewer.keys() == named and all(fewer.values()) else {}

    def _of_allies(self, book: OrderBook, order: Order, slot: str) -> Iterator[Order]:
        """The same with an ally's units, where the slot may name those of others (`of`)."""
        of, slots = as_slot(self.row.get("slots", {}).get(slot)).get("of"), order["slots"]
        if of is None or slots.get(of):
            return
        owners = sorted(book.world.state.owners_at(str(slots.get(dict(unit_slots(self.row))[slot]))))
        for ally in (o for o in owners if o != book.nation and book.world.allied(o, book.nation)):
            yield {**order, "slots": {**slots, of: ally}}

    def slot_of_place(self, why: Refusal) -> str:
        """Of units that are not there, the place where they start."""
        return ORIGIN if why.code == RefusalCode.UNITS else why.slot

    def agrees(self, legal: Legal, slots: Mapping[str, Any], but: str) -> bool:
        """Whether the units could go where they are sent, too, if they started elsewhere."""
        if but == ORIGIN and legal.targets and slots.get(TARGET) not in legal.targets:
            return False
        return super().agrees(legal, slots, but)

    # ---- the list

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> Iterable[Legal]:
        """One entry, which leaves open who does it."""
        if search.items is None and (UNITS not in self.slots or movement.places_with_units(world, nation)):
            yield self.blank(nation)

    def filled(self, world: World, nation: str, entry: Legal) -> Iterator[Legal]:
        """One that leaves open who does it: the units of each place, as far as they go its way."""
        named = next((s.name for s in self.slots.values() if s.kind == "units"), "")
        bound = [s for s in self.wanted if self.slots[s].kind == "place" and s not in entry.slots]
        if entry.slots or not (bound or named):
            yield entry
            return
        if not bound:  # they are where another order brings them
            yield replace(entry, slots={named: self._anywhere(world, nation)})
            return
        where = dict(unit_slots(self.row)).get(named) or (ORIGIN if ORIGIN in bound else bound[0])
        for place in movement.places_with_units(world, nation):
            for able in self._able(world, nation, place):
                slots = {where: place, **({named: able.slots[UNITS]} if named else {})}
                done = {*slots, *((TARGET,) if able.targets else ())}
                yield replace(
                    entry,
                    slots=slots,
                    targets=able.targets,
                    open=tuple(s for s in entry.open if s not in done),
                )

    def _anywhere(self, world: World, nation: str) -> dict[str, int]:
        """All units of a nation that could do it, wherever they are."""
        units: Counter[str] = Counter()
        for place in movement.places_with_units(world, nation):
            units.update(movement.free_units(world, nation, place))
        return {k: n for k, n in units.items() if not self.mode or movement.goes_by(world, self.mode, k)}

    def _able(self, world: World, nation: str, place: str) -> Iterator[Legal]:
        """The units of a place that can be told to do it, with where they can do it, if that can be known."""
        units = movement.free_units(world, nation, place)
        if units:
            yield Legal(self.key, nation, {UNITS: units})

    # ---- what a player reads

    def read_back(self, names: Names, intent: ValidatedOrder) -> str:
        """An attack as such, anything else in the words of its row."""
        slots = intent.slots
        if not intent.attacks or set(slots) - {VIA} != {UNITS, ORIGIN, TARGET}:
            return super().read_back(names, intent)
        spoken = names.in_sentences()
        target, where = (spoken.printed("place", str(p)) for p in (intent.attacks[0], slots[ORIGIN]))
        way = ", ".join(spoken.printed("place", str(p)) for p in slots.get(VIA) or ())
        attack = f"Attack on {target}: {names.units(slots[UNITS])} from {where}"
        return f"{attack} by way of {way}" if way else attack

    def sends(self, world: World, nation: str, intent: ValidatedOrder) -> Iterator[str]:
        """The kinds that it names, with those that live on them where they set out (`bears`)."""
        yield from super().sends(world, nation, intent)
        bears: Row = self.mode.get("bears") or {}
        for _, stack in (
            world.state.stacks(at=str(intent.slots.get(ORIGIN, "")), owner=nation) if bears else ()
        ):
            if kind_matches(world, bears["who"], stack["kind"]):
                yield str(stack["kind"])


def _earlier(book: OrderBook, place: str) -> dict[str, int]:
    """What the orders that stand so far take from a place, by kind."""
    earlier: Counter[str] = Counter()
    for _, where, kind, number in book.taken:
        if where == place:
            earlier[kind] += number
    return dict(earlier)


def _too_many(
    book: OrderBook,
    kind: str,
    number: int,
    origin: str,
    left: Mapping[str, int],
    slot: str,
    whose: str,
    most: int | None = None,
) -> Refusal:
    """That so many units of a kind are not there, with those that are (`most` of them may go), or where there
    are any."""
    there = movement.free_units(book.world, whose, origin).get(kind, 0)
    where = book.names.printed("place", origin)
    what = book.names.printed("unit-kind", kind, number)
    ordered = there - left.get(kind, 0)
    rows = book.ruleset.rows("orders")
    to_do = dict.fromkeys(
        str(rows[r].get("name", r)) for r, p, k, _ in book.taken if (p, k) == (origin, kind)
    )
    told = f", {ordered} of them ordered already ({', '.join(to_do)})" if ordered else ""
    of = "" if whose == book.nation else f" of {book.names.printed('nation', whose)}"
    stacks = book.world.state.stacks(at=origin, owner=whose)
    standing = max(there, sum(int(stack["n"]) for _, stack in stacks if stack["kind"] == kind))
    free = f", {there} of them free" if standing > there else ""
    text = f"{number} {what}{of} ordered, {standing} in {where}{free}{told}"
    if there:
        fit = left.get(kind, 0) if most is None else min(left.get(kind, 0), most)
        return Refusal(RefusalCode.UNITS, text, slot, f"at most {fit}" if fit > 0 else "")
    return Refusal(RefusalCode.UNITS, text, slot, _elsewhere(book, kind, origin, whose))


def _elsewhere(book: OrderBook, kind: str, origin: str, whose: str) -> str:
    """Where there are units of a kind that are still free to go, the nearest place; if earlier orders have
    taken them all, that they have."""
    places = movement.places_with_units(book.world, whose)
    held = {p: movement.free_units(book.world, whose, p).get(kind, 0) for p in places}
    left = {p: n - (_earlier(book, p).get(kind, 0) if whose == book.nation else 0) for p, n in held.items()}
    several = book.names.printed("unit-kind", kind, 2)
    if near := movement.nearest_of(book.world, [p for p, n in left.items() if n > 0], origin):
        return f"there are {several} in {book.printed('place', near)}"
    if near := movement.nearest_of(book.world, [p for p, n in held.items() if n], origin):
        return f"the {several} in {book.printed('place', near)} are ordered already: name where they start"
    return ""


def _commit(book: OrderBook, picked: Mapping[str, int]) -> None:
    """Units that have such an order are free for no other."""
    forces.take(book.world.state, picked.items(), book.left)
