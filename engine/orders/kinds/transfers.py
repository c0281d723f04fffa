"""Transfers: what is sent from treasury to treasury, by a route or as a gift."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from ...core.model import Row, Ruleset
from ...economy import transfer
from ...turn.context import Order, OrderContext
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...world import treasury
from ...world.selections import id_of
from ...world.treasury import purse_at
from ...world.world import World
from ..legal_entry import ANY, Legal, LegalSearch
from ..movement import ORIGIN, TARGET
from .book import OrderBook, OrderRefused, Understood
from .order_kind import OrderKind


class Transfers(OrderKind):
    """What may be sent, and how much."""

    mechanics = ("transfer",)

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Rows that do a route or a gift."""
        return transfer.row_of(ruleset, f"{form}/{row['id']}") is not None

    @cached_property
    def _what(self) -> str:
        """The resource that is sent."""
        row = transfer.row_of(self.ruleset, self.key)
        return row["what"] if row is not None else ""

    def understand(self, book: OrderBook, order: Order) -> Understood:
        """What may be sent. Raises OrderRefused."""
        if not self.is_open(book.world, book.nation):
            raise OrderRefused(Refusal(RefusalCode.CLOSED, "this is not open to your nation"))
        why = transfer.refusal(book.context, order, secrets=False)
        remarks = book.short(order, why) if why is not None and why.code == RefusalCode.MEANS else []
        if not remarks:
            book.check(why)
        slots = order["slots"]
        what = self._what
        sent = int(slots.get("amount") or 0)
        purse = purse_at(book.world, book.nation, slots.get("origin"), what)
        site = str(id_of(slots.get("target") or ""))
        return Understood(
            ValidatedOrder(
                order, cost={what: sent}, purse=purse, number=sent, site=site, remarks=tuple(remarks)
            )
        )

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> Iterator[Legal]:
        """One entry, which leaves open how much is sent, and from where and where to."""
        if search.items is None:
            yield self.blank(nation)

    def filled(self, world: World, nation: str, entry: Legal) -> Iterator[Legal]:
        """By a route: from each treasury that holds something, the places of others that it reaches."""
        if not {ORIGIN, TARGET, "amount"} <= self.slots.keys():
            yield entry
            return
        what = self._what
        purses = treasury.purses(world, nation, what)
        at: dict[str, str] = {}
        for place in treasury.held_places(world, nation):
            key = purse_at(world, nation, place, what)
            if key in purses and (key not in at or key.endswith(f"/{place}")):
                at[key] = place
        context = OrderContext(world)
        order = {"nation": nation, "order": self.key, "options": {}}
        for key, origin in at.items():
            asked = {ORIGIN: origin, "amount": 1}
            ends = [
                end
                for end in at.values()
                if end != origin
                and purses[key] > 0
                and transfer.refusal(context, {**order, "slots": {**asked, TARGET: end}}, secrets=False)
                is None
            ]
            if ends:
                bounds = {"amount": (1, int(purses[key]))}
                yield replace(entry, slots={ORIGIN: origin}, targets=tuple(ends), bounds=bounds, open=())
