"""Purchases: what is bought where, for how much, out of which purse."""

from __future__ import annotations

from typing import Any

from ...core.model import Row
from ...economy.catalogue import item_of
from ...economy.purchase import asked
from ...turn.context import Order
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ..movement import nearest_of
from .book import OrderBook, OrderRefused, Understood


def understand(book: OrderBook, row: Row, order: Order) -> Understood:
    """A purchase that can be made. Raises Refused."""
    del row
    market = book.market
    quote = asked(book.context, market, order, secrets=False)
    if isinstance(quote, Refusal):
        if quote.code != RefusalCode.MEANS:
            raise OrderRefused(quote)
        return Understood(ValidatedOrder(order, remarks=tuple(book.short(order, quote))))
    found = quote

    def use() -> None:
        if book.prospect is None:
            market.take(found)
            book.spent.paid[found.what] = book.spent.paid.get(found.what, 0) + found.cost

    uses: dict[str, Any] = {}
    for what, _, amount, _ in found.uses:
        uses[what] = uses.get(what, 0) + amount
    intent = ValidatedOrder(
        order,
        cost={found.what: found.cost},
        purse=found.purse,
        item=found.item,
        number=found.made,
        site=found.into or found.site,
        uses=uses,
    )
    return Understood(intent, [use], found)


def advise(book: OrderBook, row: Row, order: Order, why: Refusal) -> str:
    """Where the thing could be built, nearest to the place that was asked for, and how many."""
    if why.code not in (RefusalCode.SITE, RefusalCode.MEANS):
        return ""
    item, wanted = item_of(row, order["slots"]), order["slots"].get("site")
    offers = [o for o in book.market.offers() if o.item == item]
    here = next((o for o in offers if o.site == wanted), None)
    if here is not None or (here := next((o for o in offers if not wanted and not o.site), None)) is not None:
        return f"at most {here.most}{' there' if here.site else ''}"
    places = [o.site for o in offers if o.site]
    if wanted is None or not places:
        return ""
    return f"allowed: {book.printed('place', nearest_of(book.world, places, wanted))}"
