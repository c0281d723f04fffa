"""Placings: what is in hand, or will be by earlier lines of the file, put at a site."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from ...economy.complete import in_hand
from ...turn.context import Order, OrderContext
from ...turn.slots import ruled_out, unfit
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...world import treasury as stores
from ...world.world import World
from ..legal_entry import ANY, Legal, LegalSearch
from .book import OrderBook, OrderRefused, Understood
from .purchases import ItemOrders, market


class Placings(ItemOrders):
    """Items out of the hand put on the map."""

    mechanics = ("complete",)

    def understand(self, book: OrderBook, order: Order) -> Understood:
        """Something that can be placed there. Raises OrderRefused."""
        names = book.context.order_names(order)
        book.check(unfit(book.context, self.row, order, names, secrets=False))
        slots = order["slots"]
        item, site, n = self.item(slots), str(slots["site"]), int(slots.get("n") or 1)
        there = _in_hand(book.world, book.nation, item) - book.placed.get(item, 0)
        if n > there:
            hint = f"at most {there}" if there else "buy it first"
            raise OrderRefused(Refusal(RefusalCode.UNITS, f"{n} to be placed, {there} in hand", "n", hint))
        prices = book.market
        placing = prices.placing(item, site, n, into=slots.get("into"))
        if isinstance(placing, str):
            raise OrderRefused(Refusal(RefusalCode.SITE, placing, "site"))

        def use() -> None:
            book.placed[item] = book.placed.get(item, 0) + n
            prices.rooms.fill(placing.rooms)

        return Understood(ValidatedOrder(order, item=item, number=n, site=placing.into or site), [use])

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> list[Legal]:
        """What is in hand, at every site that takes it, with the most."""
        asked = ("placings", nation, self.row["id"])
        offered: list[Legal] = world.keep(asked, None, lambda: list(self._offered(world, nation)))
        return offered

    def _offered(self, world: World, nation: str) -> Iterator[Legal]:
        context = OrderContext(world)
        if ruled_out(context, self.row, self.names_of(context, nation, {}), set()):
            return
        for item in self.ruleset.rows("production") if "item" in self.slots else [self.item({})]:
            there = _in_hand(world, nation, item)
            for site in stores.held_places(world, nation) if there else ():
                slots: dict[str, Any] = {**({"item": item} if "item" in self.slots else {}), "site": site}
                if ruled_out(context, self.row, self.names_of(context, nation, slots), slots.keys()):
                    continue
                most = _most(world, nation, item, site, there)
                if most and "n" in self.slots:
                    yield Legal(self.key, nation, {**slots, "n": most}, most=most)
                elif most:
                    yield Legal(self.key, nation, slots)


def _in_hand(world: World, nation: str, item: str) -> int:
    return sum(int(row["n"]) for _, row in in_hand(world.state, nation, item))


def _most(world: World, nation: str, item: str, site: str, there: int) -> int:
    """How many of an item, of so many that are there, a site takes."""

    def none_left(n: int) -> bool:
        return isinstance(market(world, nation).placing(item, site, n), str)

    return bisect_left(range(1, there + 1), True, key=none_left)
