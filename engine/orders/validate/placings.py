"""What is in hand, or will be by earlier lines of the file, put at a site."""

from __future__ import annotations

from ...core.model import Row
from ...economy.complete import in_hand
from ...turn.context import Order
from ...turn.slots import unfit
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from .book import OrderBook, OrderRefused, Understood


def understand(book: OrderBook, row: Row, order: Order) -> Understood:
    """Something that can be placed there. Raises Refused."""
    names = book.context.order_names(order)
    book.check(unfit(book.context, row, order, names, secrets=False))
    slots = order["slots"]
    item, site, n = str(slots.get("item", row.get("does"))), str(slots["site"]), int(slots.get("n") or 1)
    there = sum(int(r["n"]) for _, r in in_hand(book.world.state, book.nation, item)) - book.placed.get(item, 0)
    if n > there:
        hint = f"at most {there}" if there else "buy it first"
        raise OrderRefused(Refusal(RefusalCode.UNITS, f"{n} to be placed, {there} in hand", "n", hint))
    market = book.market
    found = market.placing(item, site, n, into=slots.get("into"))
    if isinstance(found, str):
        raise OrderRefused(Refusal(RefusalCode.SITE, found, "site"))

    def use() -> None:
        book.placed[item] = book.placed.get(item, 0) + n
        market.rooms.fill(found.rooms)

    return Understood(ValidatedOrder(order, item=item, number=n, site=found.into or site), [use])
