"""Acts: whether a nation may give one, what it costs, how often."""

from __future__ import annotations

from ...core.model import Row
from ...turn import acts
from ...turn.context import Order
from ...turn.intents import Code, Intent, Refusal
from ...turn.slots import unmet
from ..grammar import slot_of
from ..legal import domain
from .book import Book, Understood


def understand(book: Book, row: Row, order: Order) -> Understood:
    """An act that may be given. Raises Refused."""
    desk, names = book.context, book.context.order_names(order)
    why = acts.forbidden(desk, row, order, names, book.spent)
    if why is not None and why.code == Code.UNMET and order["order"] in book.given:
        why = acts.exhausted(desk, row, names, book.spent) or why  # it is the earlier line that stands in its way
    book.check(why)
    cost, remarks = book.cost(row, order, names)
    uses = [lambda: book.spend(cost), lambda: book.given.add(order["order"])]
    if book.prospect is None:
        uses.append(lambda: book.spent.count(acts.use_keys(desk, row, names)))
    return Understood(Intent(order, cost=cost, remarks=tuple(remarks)), [*uses])


def advise(book: Book, row: Row, order: Order, why: Refusal) -> str:
    """What the first slot could hold in place of what it holds."""
    slot = next(iter(order.get("slots", {})), "")
    kind = slot_of(slot, row.get("slots", {}).get(slot)).kind if slot else ""
    if why.code != Code.UNMET or kind not in ("nation", "place", "side", "tech", "gate"):
        return ""
    out: list[str] = []
    for value in domain(book.world, row, slot, book.context.order_names(order)):
        other = {**order, "slots": {**order["slots"], slot: value}}
        if unmet(book.context, row, book.context.order_names(other), secrets=False) is None:
            out.append(value)
        if len(out) > 4:
            break
    return f"allowed: {book.printed(kind, out[:4])}{' ...' if len(out) > 4 else ''}" if out else ""
