"""Answers to decisions: whether somebody may say this when he is asked."""

from __future__ import annotations

from ...core.model import Row
from ...turn.context import Order
from ...turn.intents import Intent
from ...turn.slots import misfit
from .book import Book, Understood


def understand(book: Book, row: Row, order: Order) -> Understood:
    """An answer that may be given. Raises Refused."""
    book.check(misfit(book.desk, row, order, book.desk.order_names(order)))
    return Understood(Intent(order))
