"""What every kind of order is asked for. One subclass, in a module of its own, is all there is of a kind
(`__init__`: the list).

An instance stands for the orders of one row of the tables `orders`, `acts` or `decisions`. Whatever lists,
checks, shows or carries out orders asks it, and tests nowhere else of what kind an order is:

| who | asks |
| --- | --- |
| the check of a file (`check`) | `understand`, and of what is refused `advise` and `alternatives` |
| the list of legal orders (`legal`), and the bots with it | `legal` |
| the order sheet (`sheet`) | `sheet_lines` |
| the read-back (`readback`) | `read_back`, `units_ordered`, `sends`, `unplaced`, `look_again` |
| the reference (`reference`) | `prices` |
| the look ahead (`lookahead`) | `foresee`, `asks`, `alters`, `moves_on`, `finds_moved`, `carry_out` |

In the turn itself the mechanics of the sequence carry orders out (`core/registry.py`); a kind names its own
in `mechanics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

from ...core.model import Row, Ruleset
from ...core.nested import inside
from ...ruleset.expressions.reads import Tables
from ...ruleset.order_syntax import Slot, always_there, slot_of
from ...turn.context import Order, OrderContext
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...units.forces import unit_slots, whose
from ...world.applies_to import is_for
from ...world.world import World
from .. import movement
from ..grammar import Grammar, OrderForm
from ..input_points import steps_that
from ..legal_entry import ANY, Legal, LegalSearch, says_nothing
from ..lookahead import Lookahead
from ..names import Names
from ..sheet_by_slot import lines_by_slot
from ..sheet_line import Offered
from ..sheet_writer import SheetWriter
from ..text import order_in_words
from .book import OrderBook, Understood

ELSEWHERE = frozenset(
    {RefusalCode.WAY, RefusalCode.UNITS, RefusalCode.SITE, RefusalCode.UNMET, RefusalCode.CHOICE}
)
"""The refusals that another place in the slot may mend."""


class OrderKind(ABC):
    """The orders of one row, as all that deal with orders ask about them."""

    mechanics: ClassVar[Sequence[str]] = ()
    """What a step of the sequence does that carries such orders out: rows that name such a step are of this
    kind."""
    listed: ClassVar[bool] = True
    """Whether the list of all legal orders has them; if not, they are listed where somebody asks for them by
    name."""

    def __init__(self, ruleset: Ruleset, key: str, row: Row) -> None:
        self.ruleset = ruleset
        self.key = key
        """ "form/id"."""
        self.row = row

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Whether the orders of a row of a form are of this kind."""
        return form == "orders" and row.get("step") in steps_that(ruleset, cls.mechanics)

    # ---- the words

    @property
    def name(self) -> str:
        """What the row calls itself."""
        return str(self.row.get("name", self.row["id"]))

    @cached_property
    def slots(self) -> Mapping[str, Slot]:
        """What its orders name, by slot."""
        return {name: slot_of(name, declared) for name, declared in self.row.get("slots", {}).items()}

    def slot(self, name: str) -> Slot:
        """What a slot holds that its form has, whether or not its row declares it."""
        return slot_of(name, self.row.get("slots", {}).get(name))

    @property
    def syntax(self) -> OrderForm | None:
        """How its orders are written; None if its row says nothing of it."""
        return Grammar.of(self.ruleset).form(self.key)

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """The slots without which its orders are none."""
        always = always_there(self.syntax.pattern) if self.syntax is not None else frozenset[str]()
        return tuple(name for name, slot in self.slots.items() if name in always and not slot.optional)

    @cached_property
    def begins_war(self) -> bool:
        """Whether its orders put nations into a hostile stance: such an order is nobody's to propose."""
        return _begins_war(self.ruleset, self.row)

    def names_of(self, context: OrderContext, nation: str, slots: Mapping[str, Any]) -> dict[str, Any]:
        """The names that the expressions of such an order may use, as far as its slots are filled."""
        return context.order_names({"nation": nation, "order": self.key, "slots": dict(slots)})

    # ---- the check

    def is_open(self, world: World, nation: str) -> bool:
        """Whether its orders are for a nation at all (`for`)."""
        return "for" not in self.row or is_for(world, self.row["for"], nation)

    @abstractmethod
    def understand(self, book: OrderBook, order: Order) -> Understood:
        """What an order comes to that stands with what the book has of earlier ones. Raises OrderRefused.
        Changes nothing."""

    def advise(self, book: OrderBook, order: Order, why: Refusal) -> str:
        """What would do in place of what is refused, in words; empty if nobody knows."""
        del book, order, why
        return ""

    def makes_sense(self, world: World, slots: Mapping[str, Any]) -> bool:
        """Whether an order that is read into somebody's words, and is filled so far, could be one at all, and
        says anything."""
        del world
        return not says_nothing(self.row, slots)

    def alternatives(self, book: OrderBook, order: Order, why: Refusal) -> Iterator[Order]:
        """Orders that may have been meant in place of one that is refused, the likeliest first; not all of
        them stand."""
        slots = order.get("slots", {})
        for choice in why.choices[:2]:
            yield {**order, "slots": {**slots, why.slot: [choice] if self.slot(why.slot).many else choice}}
        if why.code == RefusalCode.OPTION:
            yield from self._with_option_in_slot(order)
        yield from self.likely(book, order, why)
        if why.code in ELSEWHERE and why.slot:
            yield from self.elsewhere(book, order, self.slot_of_place(why))

    def _with_option_in_slot(self, order: Order) -> Iterator[Order]:
        """The same with a place that one of its conditions names in a slot of its own; without its conditions
        it would be half of what was meant."""
        slots = order.get("slots", {})
        empty = [
            name for name, s in self.slots.items() if s.kind == "place" and s.optional and not slots.get(name)
        ]
        for option, value in (order.get("options") or {}).items():
            rest = {k: v for k, v in order["options"].items() if k != option}
            for name in empty if isinstance(value, str) and value in self.ruleset.rows("places") else ():
                yield {**order, "slots": {**slots, name: value}, "options": rest}

    def likely(self, book: OrderBook, order: Order, why: Refusal) -> Iterable[Order]:
        """Those of them that only this kind knows of."""
        del book, order, why
        return ()

    def slot_of_place(self, why: Refusal) -> str:
        """The slot that another place may be tried in."""
        return why.slot

    def elsewhere(self, book: OrderBook, order: Order, slot: str) -> Iterator[Order]:
        """The same with another place in a slot, the nearest first: from the list of legal orders."""
        slots = order.get("slots", {})
        if self.slot(slot).kind != "place" or slots.get(slot) is None or isinstance(slots[slot], list):
            return
        places: dict[str, None] = {}
        for legal in self.legal(book.world, book.nation):
            if self.agrees(legal, slots, slot):
                places.update(
                    dict.fromkeys([str(legal.slots[slot])] if slot in legal.slots else legal.targets)
                )
        for place in movement.nearest_of(book.world, places, str(slots[slot]), 2):
            yield {**order, "slots": {**slots, slot: place}}

    def agrees(self, legal: Legal, slots: Mapping[str, Any], but: str) -> bool:
        """Whether an entry of the list of legal orders is like an order, whatever the slot `but` holds, and
        the numbers."""
        kinds = legal.slots.get(movement.UNITS)
        if kinds is not None and not set(slots.get(movement.UNITS) or ()) <= set(kinds):
            return False
        others = (name for name in legal.slots if name not in (but, movement.UNITS, "n"))
        return all(str(legal.slots[name]) == str(slots.get(name)) for name in others)

    # ---- what is left to do

    def unplaced(
        self, world: World, nation: str, intents: Sequence[ValidatedOrder]
    ) -> Mapping[str, Mapping[str, int]] | None:
        """The units that its orders place and these do not, place by place as they stand; None of a kind that
        places none."""
        del world, nation, intents
        return None

    def look_again(
        self, world: World, nation: str, names: Names, intents: Sequence[ValidatedOrder]
    ) -> Iterable[str]:
        """What to think of once more of all its orders that stand, in sentences."""
        del world, nation, names, intents
        return ()

    # ---- the list of legal orders

    @abstractmethod
    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> Iterable[Legal]:
        """Every such order that a nation may give as things stand in its view, whether or not it is taken
        now."""

    def filled(self, world: World, nation: str, entry: Legal) -> Iterable[Legal]:
        """An entry of the list with what it leaves open filled in, in every way that stands: what a player is
        given to choose from.

        What has too many ways, and what only they can say, stays open.
        """
        del world, nation
        return (entry,)

    def blank(self, nation: str) -> Legal:
        """An order of which only the player can say what goes into its slots."""
        return Legal(self.key, nation, {}, open=tuple(s.name for s in self.slots.values() if not s.optional))

    # ---- what a player reads

    def sheet_lines(self, writer: SheetWriter, entries: Sequence[Legal]) -> Iterator[Offered]:
        """The lines of the order sheet for entries of the list: those that differ in one slot share one."""
        return lines_by_slot(writer, self.key, self.row, self.slots, entries)

    def read_back(self, names: Names, intent: ValidatedOrder) -> str:
        """What an order that stands says in full words, without its options."""
        return order_in_words(self.ruleset, names, intent.order)

    def prices(self, world: World | None, nation: str) -> Sequence[str]:
        """What the reference tells below such orders: what can be had, and for how much each."""
        del world, nation
        return ()

    @property
    def names_units(self) -> bool:
        """Whether its orders say what units do: those without one are told to their player."""
        return bool(unit_slots(self.row)) or ({"kind", "place"} <= self.slots.keys() and not self._creates)

    @property
    def _creates(self) -> bool:
        """Whether the units that its orders name are not there yet."""
        return any("create" in effect for effect in self.row.get("effects", ()))

    def units_ordered(
        self, world: World, nation: str, slots: Mapping[str, Any]
    ) -> Iterator[tuple[str, str, int]]:
        """The units of a nation that an order names: place, kind, number."""
        for name, where in unit_slots(self.row):
            if whose(self.row, slots, nation, name) == nation:
                place = str(slots.get(where, slots.get("place")))
                yield from (
                    (place, kind, n if isinstance(n, int) else 0)
                    for kind, n in (slots.get(name) or {}).items()
                )
        if "kind" in self.slots and slots.get("place") is not None and not self._creates:
            place, named = str(slots["place"]), slots.get("kind")
            here = movement.free_units(world, nation, place)
            yield from ((place, kind, n) for kind, n in here.items() if named in (None, kind))
            if isinstance(named, str) and named not in here:  # they come from where they stand
                there = movement.places_with_units(world, nation)
                those = [p for p in there if named in movement.free_units(world, nation, p)]
                if len(those) == 1:
                    yield those[0], named, int(slots.get("n") or 1)

    def sends(self, world: World, nation: str, intent: ValidatedOrder) -> Iterable[str]:
        """The kinds of units that an order brings somewhere."""
        del world, nation
        return [kind for slot, _ in unit_slots(self.row) for kind in intent.slots.get(slot) or ()]

    # ---- the look ahead

    @property
    def teaches(self) -> bool:
        """Whether it brings something new into force for certain: what its nation buys may become dearer by
        it."""
        return False

    @property
    def moves_on(self) -> bool:
        """Whether units may start by such an order where those before it lead."""
        return False

    @property
    def finds_moved(self) -> bool:
        """Whether such an order may be about somebody whom those before it have moved."""
        return False

    @property
    def asks(self) -> Tables | None:
        """The tables that decide whether such an order stands; None: it may be any."""
        return None

    @property
    def alters(self) -> Tables | None:
        """The tables that its orders change beside the list of orders and the counters of limits, where they
        change some fields and do nothing else, whatever the dice; None: it may be any."""
        return None

    def foresee(self, position: Lookahead, found: Understood) -> None:
        """Carry an order that stands out in the position that later ones of its file are checked in: at once,
        or when somebody asks for what it changes."""
        if self.alters is None:
            position.catch_up()
            self._foresee(position, found)
        else:
            position.put_off(partial(self._foresee, position, found), self.alters)

    def _foresee(self, position: Lookahead, found: Understood) -> None:
        with position.carrying_out(dict(found.intent.order)) as filed:
            self.carry_out(position, found, filed)

    def carry_out(self, position: Lookahead, found: Understood, filed: Order) -> None:
        """What an order changes for later ones: if nothing else is known of it, what it costs is paid."""
        del filed
        position.pay(found.intent)


def _begins_war(ruleset: Ruleset, part: Any) -> bool:
    """Whether something in a row puts nations into a stance that is hostile, or opens one to attack."""
    for key, relate in inside(part):
        stance = relate.get("stance") if key == "relate" and isinstance(relate, dict) else None
        if isinstance(stance, str):
            row = ruleset.row_or_empty("stances", stance)
            if row.get("hostile") or (row.get("enter") == "fight" and not row.get("default")):
                return True
    return False
