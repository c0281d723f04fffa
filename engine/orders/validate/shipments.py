"""Transfers: what is sent from purse to purse, by a route or as a gift."""

from __future__ import annotations

from ...core.model import Row
from ...economy.transfer import kind_of, refusal
from ...turn.context import Order
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...world.applies_to import is_for
from ...world.selections import id_of
from ...world.treasury import purse_at
from .book import OrderBook, OrderRefused, Understood


def understand(book: OrderBook, row: Row, order: Order) -> Understood:
    """What may be sent. Raises Refused."""
    if "for" in row and not is_for(book.world, row["for"], book.nation):
        raise OrderRefused(Refusal(RefusalCode.CLOSED, "this is not open to your nation"))
    why = refusal(book.context, order, secrets=False)
    remarks = [] if why is None or why.code != RefusalCode.MEANS else book.short(order, why)
    if not remarks:
        book.check(why)
    slots = order["slots"]
    kind = kind_of(book.ruleset, order["order"])
    what = str(book.ruleset.row(*kind)["what"]) if kind is not None else ""
    sent = int(slots.get("amount") or 0)
    purse = purse_at(book.world, book.nation, slots.get("origin"), what)
    site = str(id_of(slots.get("target") or ""))
    intent = ValidatedOrder(order, cost={what: sent}, purse=purse, number=sent, site=site, remarks=tuple(remarks))
    return Understood(intent, [])
