"""Deployments: free units put in a place before play begins."""

from __future__ import annotations

from ...core.model import Row
from ...turn.context import Order
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...units import deploy
from ..movement import TARGET, UNITS, nearest_of
from ..names import EVERY
from .book import OrderBook, OrderRefused, Understood


def understand(book: OrderBook, row: Row, order: Order) -> Understood:
    """Units that may be put there, with what earlier lines have left of them. Raises Refused."""
    del row
    step = deploy.deploys(book.ruleset, order["order"])
    assert step is not None
    layout = book.layouts.setdefault(order["order"], deploy.UnitLayout(book.context, book.nation, step))
    left = layout.left()
    units = book.numbers(order["slots"][UNITS], left)
    if not units or min(units.values()) < 1:
        raise OrderRefused(Refusal(RefusalCode.NUMBER, "no units are left to be placed", UNITS))
    order = {**order, "slots": {**order["slots"], UNITS: units}}
    book.check(layout.refusal(order, secrets=False))
    return Understood(ValidatedOrder(order, units=units, site=str(order["slots"][TARGET])), [lambda: layout.take(order)])


def advise(book: OrderBook, row: Row, order: Order, why: Refusal) -> str:
    """The places where all of them may be put."""
    if why.code != RefusalCode.UNMET:
        return ""
    kinds = [kind for kind in order["slots"][UNITS] if not kind.startswith(EVERY)]
    open_to_all = [set(deploy.targets(book.world, book.nation, row, kind)) for kind in kinds]
    both = set.intersection(*open_to_all) if open_to_all else set()
    near = nearest_of(book.world, both, str(order["slots"][TARGET]))
    return f"allowed: {book.printed('place', near)}" if near else ""
