"""Transfers: what is sent from treasury to treasury, by a route or as a gift."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.model import Row, Ruleset
from ...economy import transfer
from ...turn.context import Order
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...world.selections import id_of
from ...world.treasury import purse_at
from ...world.world import World
from ..legal_entry import ANY, Legal, LegalSearch
from .book import OrderBook, OrderRefused, Understood
from .order_kind import OrderKind


class Transfers(OrderKind):
    """What may be sent, and how much."""

    mechanics = ("transfer",)

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Rows that do a route or a gift."""
        return transfer.kind_of(ruleset, f"{form}/{row['id']}") is not None

    def understand(self, book: OrderBook, order: Order) -> Understood:
        """What may be sent. Raises OrderRefused."""
        if not self.is_open(book.world, book.nation):
            raise OrderRefused(Refusal(RefusalCode.CLOSED, "this is not open to your nation"))
        why = transfer.refusal(book.context, order, secrets=False)
        remarks = book.short(order, why) if why is not None and why.code == RefusalCode.MEANS else []
        if not remarks:
            book.check(why)
        slots = order["slots"]
        kind = transfer.kind_of(self.ruleset, self.key)
        what = str(self.ruleset.row(*kind)["what"]) if kind is not None else ""
        sent = int(slots.get("amount") or 0)
        purse = purse_at(book.world, book.nation, slots.get("origin"), what)
        site = str(id_of(slots.get("target") or ""))
        return Understood(
            ValidatedOrder(
                order, cost={what: sent}, purse=purse, number=sent, site=site, remarks=tuple(remarks)
            )
        )

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> Iterator[Legal]:
        """One entry, which leaves open how much is sent, and whence and where to."""
        if search.items is None:
            yield self.blank(nation)
