"""Looks: units that look for enemies in a place (a row of the table `detection`)."""

from __future__ import annotations

from collections.abc import Iterator

from ...battle import active_recon
from ...core.model import Row, Ruleset
from ...turn.context import Order, OrderContext
from ...turn.slots import ruled_out
from ...turn.validated_orders import Refusal, RefusalCode
from ...world.world import World
from .. import movement
from ..legal_entry import Legal
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

    def _able(self, world: World, nation: str, place: str) -> Iterator[Legal]:
        """The units that can look, with the places where those can that look together."""
        context = OrderContext(world)
        order = {"nation": nation, "order": self.key, "slots": {ORIGIN: place}}
        counts = movement.free_units(world, nation, place)
        able, _ = active_recon.choices(context, order, self.contact, ())
        ends = {kind: tuple(active_recon.choices(context, order, self.contact, [kind])[1]) for kind in able}
        for kinds, targets in movement.grouped({k: counts[k] for k in able if k in counts}, ends):
            asked = ((t, self.names_of(context, nation, {ORIGIN: place, TARGET: t})) for t in targets)
            fit = [t for t, names in asked if not ruled_out(context, self.row, names, {ORIGIN, TARGET})]
            if fit:
                yield Legal(self.key, nation, {UNITS: kinds}, targets=tuple(fit))

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
