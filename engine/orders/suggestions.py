"""What a player may have meant in the place of a line that does not count: orders that are allowed, ready to be sent.

Of a line that is not understood the forms that come nearest are known (`free.py`); here those that the nation may give come
first, and those that it may not are left out. Of an order that is refused the slot is known that it is refused for: it is
filled with what the list of legal orders has for it, the nearest first, and what does not stand then is left out, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..core.model import Row
from ..ruleset.order_syntax import slot_of
from ..turn.context import Order
from ..turn.validated_orders import Refusal, RefusalCode
from ..world.passages import kind_matches
from ..world.world import World
from . import movement
from .compound import LineReader
from .fuzzy import ways_of
from .grammar import Grammar
from .legal import legal_orders
from .match import ALL, is_every
from .names import EVERY, Names
from .order_kinds import mode_of_order, open_to, orders_now, unit_slots
from .text import order_text
from .validate import OrderBook, Understood, understand
from .validate.units import units_left

MOST = 3
MOST_TRIED = 12
"""Orders that are tried in the place of one."""
MOST_NUMBER = 10_000
"""Numbers beyond which none is looked for."""


def open_orders(world: World, nation: str, *, ever: bool = False) -> set[str]:
    """The orders ("form/id") that are taken now and are open to a nation; with `ever` those of other moments, too."""
    now = None if ever else orders_now(world)
    out = set()
    for form in ("orders", "acts", "decisions"):
        for id_, row in world.ruleset.rows(form).items():
            key = f"{form}/{id_}"
            if (now is None or key in now) and ("for" not in row or form == "decisions" or open_to(world, row["for"], nation)):
                out.add(key)
    return out


def proposable(world: World, nation: str) -> Callable[[str, Mapping[str, Any]], bool]:
    """Whether an order ("form/id") with these slots makes sense now: it is open, and some of its units go that way at all."""
    now = open_orders(world, nation)
    kinds = world.ruleset.rows("units")

    def fits(key: str, slots: Mapping[str, Any]) -> bool:
        mode = mode_of_order(world.ruleset, {"order": key})
        units = slots.get(movement.UNITS)
        if mode is None or not units:
            return key in now
        tag = next(iter(units)).removeprefix(EVERY) if is_every(units) else None
        meant = units if tag is None else [k for k in kinds if kind_matches(world, tag or None, k)]
        return key in now and any(movement.goes_by(world, mode, k) for k in meant)

    return fits


def possible(world: World, nation: str, lines: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Of lines that were proposed those that stand, then those that are still to be filled in; if there is none, why the first
    does not stand."""
    reader = LineReader(world.ruleset, Names(world.ruleset, world.state), nation, "")
    stand, open_, refused = [], [], ""
    now = orders_now(world)
    for line in lines[:MOST_TRIED]:
        if "?" in line:
            open_.append(line)
            continue
        found = reader.word_for_word(1, line)
        orders = found.orders or ((reader.freely(1, line) or found).orders)
        book = OrderBook(world, nation)
        for order in (r for o in orders for r in (o, *o.get("readings", ()))):
            answer = understand(book, order, now)
            if isinstance(answer, Understood):
                stand.append(order_text(world.ruleset, reader.names, order, agree=True))
                break
            refused = refused or f"`{line}` would not stand: {answer.text}"
    return tuple(dict.fromkeys([*stand, *open_])), "" if stand or open_ else refused


def in_place_of(book: OrderBook, order: Order, why: Refusal, now: set[str] | None, most: int = MOST) -> tuple[str, ...]:
    """Orders like one that is refused which stand, as lines."""
    out: dict[str, None] = {}
    fewer = _fewer(book, order, why, now)
    for tried, other in enumerate((*fewer, *_others(book, order, why))):
        if tried >= MOST_TRIED or len(out) >= most:
            break
        found = understand(book, other, now)
        stand = [other] if isinstance(found, Understood) else [] if out else _fewer(book, other, found, now)
        for one in stand:
            out[order_text(book.ruleset, book.names, one, agree=True)] = None
    return tuple(out)


def _fewer(book: OrderBook, order: Order, why: Refusal, now: set[str] | None) -> list[Order]:
    """The same with as much as would do in a slot that holds a number, or units of one kind; nothing where less does not help."""
    slot = why.slot
    slots = order.get("slots", {})
    value, kind = slots.get(slot), ""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, value),) = value.items()
    if not isinstance(value, int) or isinstance(value, bool):
        return []

    def of(n: int) -> Order:
        return {**order, "slots": {**slots, slot: {kind: n} if kind else n}}

    stands, falls = 0, min(value, MOST_NUMBER)
    while falls - stands > 1:
        n = (stands + falls) // 2
        if isinstance(understand(book, of(n), now), Understood):
            stands = n
        else:
            falls = n
    return [of(stands)] if stands else []


def _others(book: OrderBook, order: Order, why: Refusal) -> Iterator[Order]:
    form, _, id_ = order["order"].partition("/")
    row = book.ruleset.rows(form).get(id_, {})
    slots = order.get("slots", {})
    for choice in why.choices[:2]:
        declared = row.get("slots", {}).get(why.slot)
        yield {**order, "slots": {**slots, why.slot: [choice] if slot_of(why.slot, declared).many else choice}}
    if why.code == RefusalCode.OPTION:
        yield {**order, "options": {}}
    if (
        why.code == RefusalCode.WAY
        and isinstance(slots.get(movement.UNITS), dict)
        and {movement.ORIGIN, movement.TARGET} <= slots.keys()
    ):
        yield from _those_who_can(book, order)
    if why.code == RefusalCode.UNITS and isinstance(slots.get(movement.UNITS), dict) and slots.get(movement.ORIGIN) is not None:
        left = units_left(book, row, str(slots[movement.ORIGIN]))
        fewer = {k: min(int(n), left.get(k, 0)) for k, n in slots[movement.UNITS].items() if isinstance(n, int)}
        if some := {k: n for k, n in fewer.items() if n > 0}:
            slots = {**slots, movement.UNITS: some}
            yield {**order, "slots": slots}
    if why.code == RefusalCode.UNITS:
        yield from _of_allies(book, order, row, why.slot)
    if why.code in (RefusalCode.WAY, RefusalCode.UNITS, RefusalCode.SITE, RefusalCode.UNMET, RefusalCode.CHOICE) and why.slot:
        yield from _elsewhere(book, order, row, why.slot if why.code != RefusalCode.UNITS else movement.ORIGIN)
    if movement.UNITS in slots and {movement.ORIGIN, movement.TARGET} <= slots.keys():
        for way in sorted(ways_of(Grammar.of(book.ruleset)), key=lambda w: not w.form.row.get("bare")):
            if way.carries and way.form.key != order["order"] and set(way.form.row.get("slots", {})) >= set(slots):
                yield {**order, "order": way.form.key, "slots": slots, "options": {}}


def _of_allies(book: OrderBook, order: Order, row: Row, slot: str) -> Iterator[Order]:
    """The same with an ally's units, where the slot may name those of others (`of`)."""
    declared, slots = row.get("slots", {}).get(slot), order["slots"]
    of = declared.get("of") if isinstance(declared, dict) else None
    if of is None or slots.get(of):
        return
    owners = sorted(book.world.state.owners_at(str(slots.get(dict(unit_slots(row))[slot]))))
    for ally in (o for o in owners if o != book.nation and book.world.allied(o, book.nation)):
        yield {**order, "slots": {**slots, of: ally}}


def _those_who_can(book: OrderBook, order: Order) -> Iterator[Order]:
    """The same without the kinds that may not go there: from the list of legal orders."""
    slots = order["slots"]
    wanted = slots[movement.UNITS]
    for legal in legal_orders(book.world, book.nation, {order["order"]}):
        if legal.slots.get(movement.ORIGIN) == slots[movement.ORIGIN] and slots[movement.TARGET] in legal.targets:
            there = {k: int(n) for k, n in legal.slots.get(movement.UNITS, {}).items()}
            able = book.every(wanted, there)
            if able is None:
                able = {k: n if wanted[k] == ALL else min(int(wanted[k]), n) for k, n in there.items() if k in wanted}
            if able:
                yield {**order, "slots": {**slots, movement.UNITS: able}}


def _elsewhere(book: OrderBook, order: Order, row: Row, slot: str) -> Iterator[Order]:
    """The same with another place in a slot, the nearest first: from the list of legal orders."""
    slots = order.get("slots", {})
    if slot_of(slot, row.get("slots", {}).get(slot)).kind != "place" or slots.get(slot) is None or isinstance(slots[slot], list):
        return
    found: dict[str, None] = {}
    for legal in legal_orders(book.world, book.nation, {order["order"]}):
        agrees = all(str(v) == str(slots.get(k)) for k, v in legal.slots.items() if k not in (slot, movement.UNITS, "n"))
        kinds = legal.slots.get(movement.UNITS)
        if not agrees or (kinds is not None and not set(slots.get(movement.UNITS) or ()) <= set(kinds)):
            continue
        values = legal.targets if slot not in legal.slots else (str(legal.slots[slot]),)
        if slot == movement.ORIGIN and legal.targets and slots.get(movement.TARGET) not in legal.targets:
            continue
        found.update(dict.fromkeys(values))
    for place in movement.nearest_of(book.world, found, str(slots[slot]), 2):
        yield {**order, "slots": {**slots, slot: place}}
