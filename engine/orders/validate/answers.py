"""Answers to decisions: whether somebody may say this when he is asked."""

from __future__ import annotations

from ...core.model import Row
from ...turn.context import Order
from ...turn.decisions import answer_refusal
from ...turn.slots import misfit
from ...turn.validated_orders import ValidatedOrder
from ..order_kinds import answer_of
from .book import OrderBook, Understood


def understand(book: OrderBook, row: Row, order: Order) -> Understood:
    """An answer that may be given. Raises Refused."""
    names = book.context.order_names(order)
    if names.get("answer") is not None:  # left out, it is the default of its slot
        order = {**order, "slots": {**order["slots"], "answer": order["slots"].get("answer", names["answer"])}}
    book.check(misfit(book.context, row, order, names))
    book.check(answer_refusal(book.context, book.nation, *answer_of(order)))
    return Understood(ValidatedOrder(order))
