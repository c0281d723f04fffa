"""The kinds of orders: one module for each, and this list of them.

To add a kind, write its module, with a subclass of `OrderKind`, and add it to `KINDS`. `order_kind` gives the
kind of an order's row, which everything that deals with orders asks; `understand` and `advise` ask it for one
order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from ...core.choices import as_slot
from ...core.model import Row, Ruleset, derived_of
from ...turn.context import Order
from ...turn.sequence import places_of
from ...turn.slots import readable
from ...turn.validated_orders import Note, Refusal, RefusalCode, Remark
from ..input_points import is_left_out
from ..legal_entry import says_nothing
from .acts import Acts
from .answers import Answers
from .book import OrderBook, OrderRefused, Understood
from .deployments import Deployments
from .looks import Looks
from .marches import Marches
from .order_kind import OrderKind
from .placings import Placings
from .purchases import Purchases
from .transfers import Transfers
from .unit_orders import UnitOrders
from .voyages import Voyages

__all__ = [
    "KINDS",
    "OrderBook",
    "OrderKind",
    "Understood",
    "advise",
    "of_class",
    "order_kind",
    "order_kinds",
    "understand",
]

KINDS: Final[list[type[OrderKind]]] = [
    Acts,
    Answers,
    Deployments,
    Placings,
    Purchases,
    Transfers,
    Voyages,
    Marches,
    Looks,
    UnitOrders,
]
"""Every kind of order. A row is of the first that recognizes it; the last takes what is left."""

FORMS = ("actions", "orders", "decisions")
"""The tables of what a player may write, in the order in which the list of legal orders has them."""

T = TypeVar("T", bound=OrderKind)


@derived_of()
def order_kinds(ruleset: Ruleset) -> Mapping[str, OrderKind]:
    """The kinds of all orders of a ruleset, by their keys ("form/id")."""
    out: dict[str, OrderKind] = {}
    for form in FORMS:
        for id_, row in ruleset.rows(form).items():
            key = f"{form}/{id_}"
            out[key] = _class_of(ruleset, form, row)(ruleset, key, row)
    return out


def _class_of(ruleset: Ruleset, form: str, row: Row) -> type[OrderKind]:
    return next(kind for kind in KINDS if kind.recognizes(ruleset, form, row))


def order_kind(ruleset: Ruleset, key: str) -> OrderKind | None:
    """The kind of an order ("form/id"); None if the ruleset has no such order."""
    return order_kinds(ruleset).get(key)


def of_class(ruleset: Ruleset, wanted: type[T]) -> list[T]:
    """The orders of a ruleset that are of one kind, in the order of their table."""
    return [kind for kind in order_kinds(ruleset).values() if isinstance(kind, wanted)]


def understand(book: OrderBook, order: Order, now: set[str] | None = None) -> Understood | Refusal:
    """What an order comes to. `now` are the orders that are taken at this moment of the game (None: all).
    Changes nothing."""
    kind = order_kind(book.ruleset, order["order"])
    if kind is None:
        return Refusal(RefusalCode.CLOSED, "there is no such order")
    if now is not None and kind.key not in now:
        return Refusal(RefusalCode.CLOSED, "this order is not taken now", hint=_when_taken(book, kind))
    try:
        understood = kind.understand(book, order)
    except OrderRefused as refused:
        return refused.refusal
    warnings = (*_warnings(book, kind, understood.intent.order), *_idle(book, kind, understood.intent.order))
    if warnings:
        understood.intent = replace(understood.intent, remarks=(*understood.intent.remarks, *warnings))
    return understood


def _warnings(book: OrderBook, kind: OrderKind, order: Mapping[str, Any]) -> tuple[Remark, ...]:
    """What its row warns of as things stand."""
    return book.warned(kind.row, book.context.order_names(dict(order))) if "warns" in kind.row else ()


def _idle(book: OrderBook, kind: OrderKind, order: Mapping[str, Any]) -> tuple[Remark, ...]:
    """That an order says nothing, for it has none of the options that it is for."""
    if order.get("options") or not says_nothing(kind.row, order["slots"]):
        return ()
    rows = book.ruleset.rows("order_options")
    ways = " or ".join(f"`{readable(rows[o])}`" for o in kind.row.get("options", ()) if o in rows)
    return (Remark(Note.WARNED, f"by itself it changes nothing; after a colon it may say {ways}"),)


def _when_taken(book: OrderBook, kind: OrderKind) -> str:
    """In which phase orders of a kind are carried out, and whether this turn has it."""
    phase = next((name for _, name, _ in places_of(book.ruleset, kind.key)), "")
    if phase and is_left_out(book.world, kind.key):
        return f"its phase {phase!r} does not take place in this turn"
    return f"it is for the phase {phase!r}" if phase else ""


def advise(book: OrderBook, order: Order, why: Refusal) -> str:
    """What would do in place of what is refused, in words; empty if nobody knows."""
    kind = order_kind(book.ruleset, order["order"])
    if why.hint or kind is None:
        return why.hint
    if why.choices:
        declared = as_slot(kind.row.get("slots", {}).get(why.slot))
        shown = book.printed(str(declared.get("kind")), why.choices[:5])
        return f"allowed: {shown}{' ...' if len(why.choices) > 5 else ''}"
    return kind.advise(book, order, why)
