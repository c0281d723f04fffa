"""Looks: units that look for enemies in a place (a row of the table `detection`)."""

from __future__ import annotations

from ...battle import active_recon
from ...core.model import Row, Ruleset
from ...turn.context import Order
from ...turn.validated_orders import Refusal, RefusalCode
from .. import movement
from ..match import is_every
from ..movement import ORIGIN, TARGET, UNITS
from .book import OrderBook
from .unit_orders import Ordered, UnitOrders


class Looks(UnitOrders):
    """Who looks, and where."""

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Orders that do a row of reconnaissance."""
        return form == "orders" and ruleset.has("detection", row.get("does"))

    @property
    def contact(self) -> Row:
        """The row of reconnaissance."""
        return self.ruleset.row("detection", self.row["does"])

    def go(self, book: OrderBook, order: Order, understood: Ordered) -> None:
        """Whether they can look there."""
        if order["slots"].get(UNITS):
            look = active_recon.understand(book.context, order, self.contact, dict(book.left))
            book.check_text(RefusalCode.WAY, look if isinstance(look, str) else None, TARGET)

    def advise(self, book: OrderBook, order: Order, why: Refusal) -> str:
        """What could look, or be looked at."""
        slots = order.get("slots", {})
        origin, target, units = slots.get(ORIGIN), slots.get(TARGET), slots.get(UNITS)
        if why.code != RefusalCode.WAY or why.slot != TARGET or None in (origin, target) or is_every(units):
            return ""
        able, places = active_recon.choices(book.context, order, self.contact, list(slots[UNITS]))
        if any(kind not in able for kind in slots[UNITS]):
            where = book.names.printed("place", str(origin))
            names = [book.names.printed("unit-kind", kind, 2) for kind in able]
            return f"in {where} these can: {', '.join(names)}" if names else f"nobody in {where} can"
        near = movement.nearest_of(book.world, places, str(target))
        return f"they can look at {book.printed('place', near)}" if near else "they can look nowhere"
