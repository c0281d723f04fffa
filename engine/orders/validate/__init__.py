"""One understanding of an order: `understand` gives what it comes to at a position, or a typed refusal.

There is one module for each kind of order form, with two functions: `understand(book, row, order)`, which raises `Refused`, and
if it knows better `advise(book, row, order, refusal)`, which says what would do. To add a kind, write its module and add its
line to `KINDS`. The tests themselves stand beside the mechanics that carry the orders out, which call them, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from types import ModuleType

from ...core.model import Row, Ruleset
from ...economy import transfer
from ...turn.context import Order
from ...turn.validated_orders import Refusal, RefusalCode
from ...units import deploy
from ..order_kinds import is_placing, is_purchase
from .book import OrderBook, OrderRefused, Understood

__all__ = ["OrderBook", "OrderRefused", "Understood", "advise", "understand"]

KINDS: tuple[tuple[str, Callable[[Ruleset, str, Row], bool]], ...] = (
    ("acts", lambda ruleset, key, row: key.startswith("acts/")),
    ("answers", lambda ruleset, key, row: key.startswith("decisions/")),
    ("deployments", lambda ruleset, key, row: deploy.deploys(ruleset, key) is not None),
    ("purchases", lambda ruleset, key, row: is_purchase(ruleset, row)),
    ("placings", lambda ruleset, key, row: is_placing(ruleset, row)),
    ("shipments", lambda ruleset, key, row: transfer.kind_of(ruleset, key) is not None),
    ("units", lambda ruleset, key, row: True),
)
"""The kinds of order forms: the module of each, and which rows are of it (the first that fits)."""


def understand(book: OrderBook, order: Order, now: set[str] | None = None) -> Understood | Refusal:
    """What an order comes to. `now` are the orders that are taken at this moment of the game (None: all). Changes nothing."""
    row = _row(book.ruleset, order)
    if row is None:
        return Refusal(RefusalCode.CLOSED, "there is no such order")
    if now is not None and order["order"] not in now:
        return Refusal(RefusalCode.CLOSED, "this order is not taken now")
    try:
        found: Understood = _kind(book.ruleset, order["order"], row).understand(book, row, order)
    except OrderRefused as refused:
        return refused.refusal
    if "warns" in row:
        more = book.warned(row, book.context.order_names(found.intent.order))  # type: ignore[arg-type]
        found.intent = replace(found.intent, remarks=(*found.intent.remarks, *more))
    return found


def advise(book: OrderBook, order: Order, why: Refusal) -> str:
    """What would do in place of what is refused, in words; empty if nobody knows."""
    row = _row(book.ruleset, order)
    if why.hint or row is None:
        return why.hint
    if why.choices:
        declared = row.get("slots", {}).get(why.slot)
        shown = book.printed(declared["kind"] if isinstance(declared, dict) else str(declared), why.choices[:5])
        return f"allowed: {shown}{' ...' if len(why.choices) > 5 else ''}"
    module = _kind(book.ruleset, order["order"], row)
    return str(module.advise(book, row, order, why)) if hasattr(module, "advise") else ""


def _row(ruleset: Ruleset, order: Order) -> Row | None:
    form, _, id_ = order["order"].partition("/")
    return ruleset.rows(form).get(id_)


def _kind(ruleset: Ruleset, key: str, row: Row) -> ModuleType:
    kinds: dict[str, str] = ruleset.derived("kinds of orders", dict)
    if key not in kinds:
        kinds[key] = next(name for name, fits in KINDS if fits(ruleset, key, row))
    return import_module(f".{kinds[key]}", __name__)
