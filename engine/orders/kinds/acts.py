"""Acts: what a nation does by its word alone, for a price, so and so often (the table `actions`)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from ...core.choices import as_slot
from ...core.model import Row, Ruleset
from ...economy.catalogue import PLENTY
from ...ruleset.action_changes import needs_of, test_of
from ...ruleset.expressions import parse
from ...ruleset.expressions.parse import ExpressionError, conjuncts, strip_mark
from ...ruleset.expressions.reads import Tables, reads_of
from ...ruleset.order_syntax import Slot
from ...turn import acts
from ...turn.bounds import bounds as number_bounds
from ...turn.context import Order, OrderContext
from ...turn.slots import SlotTest, parts, ruled_out, unmet
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...world import treasury as stores
from ...world.world import World
from .. import movement
from ..fillings import fillings
from ..legal_entry import ANY, Legal, LegalSearch
from ..lookahead import Lookahead
from ..match import ALL
from ..slot_values import ENUMERABLE, domain, likely, must_be_held, passing
from .book import OrderBook, OrderRefused, Understood
from .order_kind import OrderKind

_ONLY_CHANGES = frozenset(
    {"id", "name", "syntax", "slots", "for", "offer", "requires", "limit", "counts_as", "effects"}
    | {"warns", "audience", "outcomes", "told_as", "read_back", "help", "note", "source", "text"}
)
"""Keys of an act that does nothing but what its effects are."""
_CHANGED, _SET = frozenset({"when", "change"}), frozenset({"of", "field", "to"})
"""Keys of an effect that sets a field, and of what it sets."""
MOST_LISTED = 500
"""Of more ways to give an act that names no place a player chooses slot by slot."""
HINTED = ("nation", "place", "side", "tech", "passage")
"""The kinds of things that are named in place of one that an act may not be done to."""


class Acts(OrderKind):
    """Whether a nation may give an act, what it costs, how often."""

    mechanics = ("act",)

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Every row of the table `actions`."""
        return form == "actions"

    # ---- the check

    def understand(self, book: OrderBook, order: Order) -> Understood:
        """An act that may be given. Raises OrderRefused."""
        order = self._with_numbers(book, order)
        context, names = book.context, book.context.order_names(order)
        why = acts.forbidden(context, self.row, order, names, book.spent)
        if why is not None and why.code == RefusalCode.UNMET and self.key in book.given:
            why = (
                acts.exhausted(context, self.row, names, book.spent) or why
            )  # it is the earlier line that stands in its way
        book.check(why)
        cost, remarks = book.cost(self.row, order, names)
        at = acts.paid_at(context, self.row, names)
        understood = Understood(ValidatedOrder(order, cost=cost, paid_at=at, remarks=tuple(remarks)))
        understood.uses += [lambda: book.spend(cost, at), lambda: book.given.add(self.key)]
        if book.prospect is None or self.alters is not None:
            understood.uses.append(lambda: book.spent.count(acts.use_keys(context, self.row, names)))
        return understood

    def _with_numbers(self, book: OrderBook, order: Order) -> Order:
        """The act with numbers in the place of `all`: of the units that stand in the place that it names
        first."""
        slots = dict(order.get("slots", {}))
        first = next(
            (name for name, shape in self.slots.items() if shape.kind == "place" and slots.get(name)), ""
        )
        whose = str(slots.get("whose") or book.nation)
        for name, shape in self.slots.items():
            wanted = slots.get(name)
            if shape.kind != "units" or not isinstance(wanted, dict) or ALL not in wanted.values():
                continue
            place = str(slots.get(as_slot(self.row["slots"][name]).get("at", first)) or "")
            counts = book.numbers(wanted, movement.free_units(book.world, whose, place))
            if not any(counts.values()):
                where = (
                    f"no such units of yours in {book.names.printed('place', place)}"
                    if place
                    else "no such units"
                )
                raise OrderRefused(Refusal(RefusalCode.UNITS, where, name))
            slots[name] = {k: n for k, n in counts.items() if n}
        return {**order, "slots": slots}

    def advise(self, book: OrderBook, order: Order, why: Refusal) -> str:
        """What the first slot could hold in place of what it holds."""
        slot = next(iter(order.get("slots", {})), "")
        kind = self.slot(slot).kind if slot else ""
        if why.code != RefusalCode.UNMET or kind not in HINTED or self.begins_war:
            return ""
        allowed: list[str] = []
        for value in domain(book.context, self.row, slot, book.context.order_names(order)):
            try:
                other = self._with_numbers(book, {**order, "slots": {**order["slots"], slot: value}})
            except OrderRefused:  # there is nobody of whom `all` could be
                continue
            if unmet(book.context, self.row, book.context.order_names(other), secrets=False) is None:
                allowed.append(value)
            if len(allowed) > 4:
                break
        return (
            f"allowed: {book.printed(kind, allowed[:4])}{' ...' if len(allowed) > 4 else ''}"
            if allowed
            else ""
        )

    # ---- the list

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> list[Legal]:
        """Every way to give the act that its needs, limits and price allow."""

        def make() -> list[Legal]:
            return list(_ActionChoices(self, world, nation, search).all())

        return world.keep(("legal", nation, self.row["id"], search), None, make)

    def filled(self, world: World, nation: str, entry: Legal) -> Iterator[Legal]:
        """One with too many fillings for the list: those that are found slot by slot."""
        ways = _ActionChoices(self, world, nation, ANY)
        extra = [s.name for s in self.slots.values() if s.kind == "choice" and s.optional and not s.many]
        listed = None
        if entry.open and not ways.open:
            open_ = [s for s in self.wanted if s not in entry.slots]
            listed = fillings(ways.context, self, nation, entry.slots, [*open_, *extra])
        placed = any(slot.kind == "place" for slot in self.slots.values())
        if listed is None or (len(listed) > MOST_LISTED and not placed):
            yield entry
            return
        found = (ways.of(slots) for slots in listed)
        yield from (way for way in found if way is not None)

    # ---- the look ahead

    @cached_property
    def asks(self) -> Tables | None:
        """What its needs, its slots, its price and its warnings read."""
        if any(slot.kind == "units" for slot in self.slots.values()):
            return None
        tests = [test_of(need, secrets=False) for need in needs_of(self.ruleset, self.row)]
        slots = [slot for slot in self.row.get("slots", {}).values() if isinstance(slot, dict)]
        asked = [slot[key] for slot in slots for key in slot.keys() - {"kind", "choices"}]
        asked += [self.row.get("cost"), *(keys for keys, _ in acts.limits(self.row))]
        return reads_of(
            self.ruleset, tests, asked, [warning["when"] for warning in self.row.get("warns", ())]
        )

    @cached_property
    def alters(self) -> Tables | None:
        """The fields of places that its effects change."""
        effects = self.row.get("effects", ())
        if not _ONLY_CHANGES.issuperset(self.row) or not all(_CHANGED.issuperset(e) for e in effects):
            return None
        changes = [effect["change"] for effect in effects if "change" in effect]
        fields = {str(change["field"]) for change in changes}
        if len(changes) < len(effects) or not all(_SET.issuperset(change) for change in changes):
            return None
        declared = self.ruleset.rows("fields")
        if any(field not in declared or declared[field]["of"] != ["place"] for field in fields):
            return None
        return frozenset(f"places.{field}" for field in fields)

    @property
    def teaches(self) -> bool:
        """Whether the nation learns something by it, whatever the dice say."""
        return "roll" not in self.row and any("learn" in effect for effect in self.row.get("effects", ()))

    def carry_out(self, position: Lookahead, found: Understood, filed: Order) -> None:
        """The act itself, with all its effects."""
        del found
        acts.carry_out(position.turn, self.row, filed, position.turn.order_names(filed))


class _ActionChoices:
    """Every filling of an act's slots.

    A slot is narrowed by the parts of the needs that ask for it alone, then every filling of all slots is
    tried.
    """

    def __init__(self, kind: Acts, world: World, nation: str, search: LegalSearch) -> None:
        self.kind = kind
        self.row = kind.row
        self.nation = nation
        self.tried = search.tried
        self.within = dict(search.within)
        self.context = OrderContext(world)
        self.base = kind.names_of(self.context, nation, {})
        shapes = kind.slots.values()
        self.closed = [s for s in shapes if s.kind in ENUMERABLE and not s.many and not s.optional]
        self.numbers = [s for s in shapes if s.kind == "number"]
        self.open = tuple(
            s.name for s in shapes if s not in self.closed and s.kind != "number" and not s.optional
        )
        self.wishes = _tests_of(self.row, search.where, plain=True)
        if search.offered:
            self.wishes += _tests_of(self.row, self.row.get("offer"))

    def all(self) -> Iterator[Legal]:
        """One entry for each filling that may be given; one with all slots open, if there are too many to
        try."""
        if acts.closed(self.context, self.row, self.nation) is not None:
            return
        if not self._may_hold([w for w in self.wishes if not w.slots], self.base):
            return
        if ruled_out(self.context, self.row, self.base, set()):
            return
        if self._fixed is not None and not self._is_within(self._fixed):
            return
        domains = self._domains()
        if _fillings(domains) > self.tried:
            yield Legal(self.kind.key, self.nation, {}, open=tuple(self.kind.slots))
            return
        closed = {s.name for s in self.closed}
        together = [w for w in self.wishes if len(w.slots) > 1 and w.slots <= closed]
        for filling in product(*domains):
            slots: dict[str, Any] = dict(zip((s.name for s in self.closed), filling, strict=True))
            names = {**self.base, **{name: self._value(name, value) for name, value in slots.items()}}
            if self._may_hold(together, names) and (way := self._way(slots, names)) is not None:
                yield way

    def of(self, slots: Mapping[str, Any]) -> Legal | None:
        """The act with its slots filled so; None if it may not be given so."""
        names = {name: self._value(name, value) for name, value in slots.items()}
        return self._way(dict(slots), {**self.base, **names})

    # ---- each slot by itself

    def _domains(self) -> list[list[str]]:
        """What each slot may hold by itself; the wishes narrow it only if what the needs alone leave is few
        enough to try."""
        late = [part for part in parts(self.context.ruleset, self.row) if part.slots]
        alone = [[part.test for part in late if part.slots == {s.name}] for s in self.closed]
        tests = list(zip(self.closed, alone, strict=True))
        domains = [likely(self.context, self.row, s, needs, self.base) for s, needs in tests]
        if _fillings(domains) <= self.tried:
            domains = [self._wished(s, values) for s, values in zip(self.closed, domains, strict=True)]
        return [
            passing(self.context, needs, values, self.base, s, self.row["slots"][s.name])
            for (s, needs), values in zip(tests, domains, strict=True)
        ]

    def _wished(self, slot: Slot, values: list[str]) -> list[str]:
        """The values of a slot that wishes for this slot alone do not rule out."""
        own = [wish for wish in self.wishes if wish.slots == {slot.name}]
        if not own:
            return values
        if must_be_held(slot, [wish.test for wish in own]):
            held = set(stores.held_places(self.context.world, self.nation))
            values = [place for place in values if place in held]
        return [v for v in values if self._may_hold(own, {**self.base, slot.name: self._value(slot.name, v)})]

    def _value(self, slot: str, value: Any) -> Any:
        return self.context.slot_value(self.row["slots"][slot], value)

    def _may_hold(self, wishes: Sequence[SlotTest], names: Mapping[str, Any]) -> bool:
        """Whether tests hold, as far as they can be answered."""
        try:
            return all(self.context.world.test(wish.test, names) for wish in wishes)
        except ExpressionError:
            return True

    # ---- all slots together

    def _way(self, slots: dict[str, Any], names: dict[str, Any]) -> Legal | None:
        """The act with its slots filled, its numbers at their least; None if it may not be given so."""
        bounds = self._bounds(names)
        if bounds is None:
            return None
        least = {name: low for name, (low, _) in bounds.items()}
        slots, names = {**slots, **least}, {**names, **least}
        if self.open:
            cost = self._cost_while_open(names)
        else:
            if self._refused(slots, names) is not None:
                # nothing at all may be too little where one would do
                some = {name: 1 for name, (low, high) in bounds.items() if low == 0 < high}
                slots, names = {**slots, **some}, {**names, **some}
                bounds |= {name: (1, bounds[name][1]) for name in some}
                if not some or self._refused(slots, names) is not None:
                    return None
            cost = self._cost(names)
            if cost is not None:
                bounds = {
                    name: (low, self._most(slots, name, low, high)) for name, (low, high) in bounds.items()
                }
        if cost is None:
            return None
        cost = {what: amount for what, amount in cost.items() if amount}
        return Legal(self.kind.key, self.nation, slots, cost, bounds=bounds, open=self.open)

    def _bounds(self, names: dict[str, Any]) -> dict[str, tuple[int, int]] | None:
        """The least and the most of each number, one after another at its least; None if one has no room."""
        numbers: dict[str, tuple[int, int]] = {}
        for slot in self.numbers:
            declared = as_slot(self.row["slots"][slot.name])
            given = {**names, **{name: low for name, (low, _) in numbers.items()}}
            least, most = number_bounds(self.context, declared, given)
            if (left_out := self.base.get(slot.name)) is not None:
                least = max(least, left_out)  # one that may be left out begins at what it then counts as
            if most is not None and most < least:
                return None
            numbers[slot.name] = (int(least), PLENTY if most is None else int(most))
        return numbers

    @cached_property
    def _fixed(self) -> Mapping[str, Any] | None:
        """The price, where it does not depend on the slots."""
        return (
            acts.price(self.context, self.row, self.base) if isinstance(self.row.get("cost"), int) else None
        )

    def _cost(self, names: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What it costs; None if the nation has not as much."""
        cost = acts.price(self.context, self.row, names) if self._fixed is None else self._fixed
        if not self._is_within(cost):
            return None
        at = acts.paid_at(self.context, self.row, names)
        return cost if acts.lacking(self.context, cost, self.nation, at=at) is None else None

    def _is_within(self, cost: Mapping[str, Any]) -> bool:
        """Whether a price is no more than is paid by who wants the list."""
        return all(amount <= self.within.get(what, amount) for what, amount in cost.items())

    def _cost_while_open(self, names: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The same as far as it is known while some slots are open."""
        try:
            return None if acts.exhausted(self.context, self.row, names) is not None else self._cost(names)
        except ExpressionError:
            return {}

    def _refused(self, slots: Mapping[str, Any], names: Mapping[str, Any]) -> Refusal | None:
        """Why the act may not be given so, whatever it costs."""
        order = {"nation": self.nation, "order": self.kind.key, "slots": slots}
        return acts.forbidden(self.context, self.row, order, names, acts.Spent())

    def _most(self, slots: Mapping[str, Any], slot: str, least: int, most: int) -> int:
        """The most that a slot for a number may hold for the act to be allowed and paid for: less of a thing
        is as good."""

        def too_many(number: int) -> bool:
            other = {**slots, slot: number}
            names = self.kind.names_of(self.context, self.nation, other)
            why = self._refused(other, names) or acts.unpaid(self.context, self.row, names, self.nation)
            return why is not None

        return least + bisect_left(range(least + 1, most + 1), True, key=too_many) if too_many(most) else most


def _fillings(domains: Iterable[Sequence[str]]) -> int:
    """How many ways there are to fill slots; one that nothing fits counts as one."""
    return prod(max(1, len(values)) for values in domains)


def _tests_of(row: Row, test: str | bool | None, *, plain: bool = False) -> list[SlotTest]:
    """The parts of a test of an act's slots; with `plain` those that call nothing, and so cost next to
    nothing."""
    if not isinstance(test, str):
        return []
    slots = frozenset(row.get("slots", {}))
    each = {part: parse(part) for part in conjuncts(strip_mark(test))}
    return [
        SlotTest(part, read.names & slots) for part, read in each.items() if not (plain and read.functions)
    ]
