"""What a player may have meant in the place of a line that does not count: orders that are allowed, ready to
be sent.

Of a line that is not understood the forms that come nearest are known (`fuzzy.py`); here those that the
nation may give come first, and those that it may not are left out. Of an order that is refused the slot is
known that it is refused for: it is filled with what the list of legal orders has for it, the nearest first,
and what does not stand then is left out, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.words import split
from ..turn.context import Order
from ..turn.validated_orders import Refusal
from ..world.world import World
from .compound import LineReader
from .input_points import orders_now
from .kinds import OrderBook, Understood, order_kind, order_kinds, understand
from .legal_entry import says_nothing
from .movement import TARGET, VIA
from .names import Names
from .plain import plainly
from .sheet_line import BLANK
from .text import order_text
from .tokens import MOST_WORDS, Recognizer

MOST = 3
MOST_TRIED = 12
"""Orders that are tried in the place of one."""
MOST_NUMBER = 10_000
"""Numbers beyond which none is looked for."""


def open_orders(world: World, nation: str, *, ever: bool = False) -> set[str]:
    """The orders ("form/id") that are taken now and are open to a nation; with `ever` those of other moments,
    too."""
    now = None if ever else orders_now(world)
    kinds = order_kinds(world.ruleset)
    return {key for key, kind in kinds.items() if (now is None or key in now) and kind.is_open(world, nation)}


def proposable(world: World, nation: str) -> Callable[[str, Mapping[str, Any]], bool]:
    """Whether an order ("form/id") with these slots makes sense now: it is open, and could be one at all."""
    kinds = order_kinds(world.ruleset)
    now: set[str] | None = None  # asked for at the first line that does not stand as it is written

    def makes_sense(key: str, slots: Mapping[str, Any]) -> bool:
        nonlocal now
        if now is None:
            now = open_orders(world, nation)
        return key in now and kinds[key].makes_sense(world, slots)

    return makes_sense


def not_ours(world: World, nation: str) -> Callable[[str], bool]:
    """Whether a place is held by somebody who is neither the nation nor its ally."""

    def foreign(place: str) -> bool:
        holder = world.holder_of(place)
        return holder is not None and holder != nation and not world.allied(nation, holder)

    return foreign


def _begins_a_fight(book: OrderBook, order: Order, understood: Understood) -> bool:
    """Whether an order proposed in the place of another attacks somebody with whom there is no war, or
    attacks at all, where that one did not."""

    def hostile(place: Any) -> bool:
        return isinstance(place, str) and book.world.held_by_enemy(book.nation, place)

    named = order.get("slots", {}).values()
    fights = any(hostile(place) for place in named)
    return any(place not in named and not (fights and hostile(place)) for place in understood.intent.attacks)


def possible(world: World, nation: str, lines: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Of lines that were proposed those that stand and say something, then those that are still to be filled
    in; if there is none, why the first does not stand."""
    reader = LineReader(world.ruleset, Names(world.ruleset, world.state), nation, "")
    stand, open_, refused = [], [], ""
    now = orders_now(world)
    for line in lines[:MOST_TRIED]:
        if "?" in line:
            open_.append(line)
            continue
        reading = reader.word_for_word(1, line)
        orders = reading.orders or ((reader.freely(1, line) or reading).orders)
        book = OrderBook(world, nation)
        for order in (r for o in orders for r in (o, *o.get("readings", ()))):
            answer = understand(book, order, now)
            if isinstance(answer, Understood):
                if _says_nothing(book, order):
                    break
                stand.append(order_text(world.ruleset, reader.names, order, agree=True))
                break
            refused = refused or f"`{line}` would not be valid: {answer.text}"
    return tuple(dict.fromkeys([*stand, *open_])), "" if stand or open_ else refused


def with_places_of(world: World, nation: str, written: str, lines: Sequence[str]) -> tuple[str, list[str]]:
    """Lines with one blank, for a line that names another nation where they want a place: with places that it
    holds, those next to the nation's own first; and the name that it has there. Empty if it is not so."""
    blank = next((line for line in lines if line.split().count(BLANK) == 1), "")
    if not blank:
        return "", []
    names = Names(world.ruleset, world.state)
    tokens, _ = Recognizer(split(plainly(written))[:MOST_WORDS], names, nation).tokens()
    named = [t for t in tokens if "nation" in t.names and "place" not in t.names]
    if len(named) != 1:
        return "", []
    holder = named[0].names["nation"]
    held = [p for p in world.ruleset.rows("places") if world.holder_of(p) == holder]
    held.sort(key=lambda p: nation not in {world.holder_of(q) for q in world.geography.next_to(p)})
    reader = LineReader(world.ruleset, names, nation, "")
    filled = []
    for place in held[:MOST_TRIED]:
        line = blank.replace(BLANK, names.printed("place", place))
        if any(place in order["slots"].values() for order in reader.word_for_word(1, line).orders):
            filled.append(line)
    return names.printed("nation", holder), list(possible(world, nation, filled)[0][:MOST])


def _says_nothing(book: OrderBook, order: Order) -> bool:
    """Whether an order would change nothing as it is written."""
    row = book.ruleset.named(str(order["order"])) or {}
    return not order.get("options") and says_nothing(row, order["slots"])


def in_place_of(
    book: OrderBook, order: Order, why: Refusal, now: set[str] | None, most: int = MOST
) -> tuple[str, ...]:
    """Orders like one that is refused which stand, as lines."""
    out: dict[str, None] = {}
    kind = order_kind(book.ruleset, order["order"])
    others = kind.alternatives(book, order, why) if kind is not None and not kind.begins_war else ()
    for tried, other in enumerate((*_fewer(book, order, why, now), *map(_once, others))):
        if tried >= MOST_TRIED or len(out) >= most:
            break
        answer = understand(book, other, now)
        if isinstance(answer, Understood):
            stand = [] if _begins_a_fight(book, order, answer) else [other]
        else:
            stand = _fewer(book, other, answer, now) if not out else []
        for one in stand:
            out[order_text(book.ruleset, book.names, one, agree=True)] = None
    return tuple(out)


def _once(order: Order) -> Order:
    """An order that goes nowhere by way of where it ends."""
    slots = order["slots"]
    over = slots.get(VIA)
    if not isinstance(over, list) or slots.get(TARGET) not in over:
        return order
    rest = [place for place in over if place != slots[TARGET]]
    others = {name: value for name, value in slots.items() if name != VIA}
    return {**order, "slots": others | ({VIA: rest} if rest else {})}


def _fewer(book: OrderBook, order: Order, why: Refusal, now: set[str] | None) -> list[Order]:
    """The same with as much as would do in a slot that holds a number, or units of one kind; nothing where
    less does not help."""
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
