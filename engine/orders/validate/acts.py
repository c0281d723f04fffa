"""Acts: whether a nation may give one, what it costs, how often."""

from __future__ import annotations

from ...core.model import Row
from ...ruleset.order_syntax import slot_of
from ...turn import acts
from ...turn.context import Order
from ...turn.slots import unmet
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from .. import movement
from ..legal_acts import domain
from ..match import ALL
from .book import OrderBook, OrderRefused, Understood


def understand(book: OrderBook, row: Row, order: Order) -> Understood:
    """An act that may be given. Raises Refused."""
    order = _with_numbers(book, row, order)
    desk, names = book.context, book.context.order_names(order)
    why = acts.forbidden(desk, row, order, names, book.spent)
    if why is not None and why.code == RefusalCode.UNMET and order["order"] in book.given:
        why = acts.exhausted(desk, row, names, book.spent) or why  # it is the earlier line that stands in its way
    book.check(why)
    cost, remarks = book.cost(row, order, names)
    uses = [lambda: book.spend(cost), lambda: book.given.add(order["order"])]
    if book.prospect is None:
        uses.append(lambda: book.spent.count(acts.use_keys(desk, row, names)))
    return Understood(ValidatedOrder(order, cost=cost, remarks=tuple(remarks)), [*uses])


def _with_numbers(book: OrderBook, row: Row, order: Order) -> Order:
    """The act with numbers in the place of `all`: of the units that stand in the place that it names first."""
    slots = dict(order.get("slots", {}))
    shapes = {name: slot_of(name, declared) for name, declared in row.get("slots", {}).items()}
    first = next((name for name, shape in shapes.items() if shape.kind == "place" and slots.get(name)), "")
    whose = str(slots.get("whose") or book.nation)
    for name, shape in shapes.items():
        wanted = slots.get(name)
        if shape.kind != "units" or not isinstance(wanted, dict) or ALL not in wanted.values():
            continue
        declared = row["slots"][name]
        place = str(slots.get(declared.get("at", first) if isinstance(declared, dict) else first) or "")
        counts = book.numbers(wanted, movement.free_units(book.world, whose, place))
        if not any(counts.values()):
            where = book.names.printed("place", place)
            raise OrderRefused(
                Refusal(RefusalCode.UNITS, f"no such units of yours in {where}" if place else "no such units", name)
            )
        slots[name] = {k: n for k, n in counts.items() if n}
    return {**order, "slots": slots}


def advise(book: OrderBook, row: Row, order: Order, why: Refusal) -> str:
    """What the first slot could hold in place of what it holds."""
    slot = next(iter(order.get("slots", {})), "")
    kind = slot_of(slot, row.get("slots", {}).get(slot)).kind if slot else ""
    if why.code != RefusalCode.UNMET or kind not in ("nation", "place", "side", "tech", "gate"):
        return ""
    out: list[str] = []
    for value in domain(book.context, row, slot, book.context.order_names(order)):
        try:
            other = _with_numbers(book, row, {**order, "slots": {**order["slots"], slot: value}})
        except OrderRefused:  # there is nobody of whom `all` could be
            continue
        if unmet(book.context, row, book.context.order_names(other), secrets=False) is None:
            out.append(value)
        if len(out) > 4:
            break
    return f"allowed: {book.printed(kind, out[:4])}{' ...' if len(out) > 4 else ''}" if out else ""
