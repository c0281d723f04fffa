"""Purchases: what is bought where, for how much, out of which treasury."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...core.choices import as_slot
from ...core.model import Row, Ruleset
from ...economy import purchase
from ...economy.catalogue import Market, Offer, Quote, item_of
from ...turn.context import Order, OrderContext
from ...turn.slots import choices, parts, ruled_out
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...world import treasury as stores
from ...world.world import World
from .. import movement
from ..fillings import fillings
from ..legal_entry import ANY, Legal, LegalSearch
from ..lookahead import Lookahead
from ..movement import nearest_of
from ..names import Names
from ..sheet_line import BLANK, ENEMY, NEUTRAL, Offered
from ..sheet_writer import MOST_TRIED, SheetWriter
from .book import OrderBook, OrderRefused, Understood
from .order_kind import OrderKind


class ItemOrders(OrderKind):
    """Orders that name an item of the catalogue, and mostly the site where it is to be."""

    @property
    def finds_moved(self) -> bool:
        """Whether what it is for may stand on somebody whom earlier orders have moved."""
        return any("appears" in row for row in self.ruleset.rows("production").values())

    def item(self, slots: Mapping[str, Any]) -> str:
        """What an order is about: what it names, else what its row always does."""
        return item_of(self.row, slots)

    def sends(self, world: World, nation: str, intent: ValidatedOrder) -> list[str]:
        """The units that an item makes."""
        made = self.ruleset.row_or_empty("production", intent.item).get("makes", intent.item)
        return [*super().sends(world, nation, intent), *([str(made)] if intent.item else [])]

    def sheet_lines(self, writer: SheetWriter, entries: Sequence[Legal]) -> Iterator[Offered]:
        """What can be had at the same sites on one line, each with its price; works along a border with where
        they face."""
        if not any("site" in e.slots for e in entries):
            yield from super().sheet_lines(writer, entries)
            return
        prices: dict[tuple[Any, ...], list[Legal]] = {}
        for entry in entries:
            asked = (entry.slots.get("item"), "site" in entry.slots, *sorted(entry.cost.items()))
            prices.setdefault(asked, []).append(entry)
        same: dict[tuple[str, ...], list[list[Legal]]] = {}
        for group in prices.values():
            if any(e.open for e in group):
                continue
            if any(e.targets for e in group):
                yield from self._facing(writer, group)
            elif (sites := self._sites(writer, group)) is not None:
                same.setdefault(sites, []).append(group)
        for sites, groups in sorted(same.items(), key=lambda some: not some[0]):
            yield self._at_sites(writer, sites, groups)

    def _sites(self, writer: SheetWriter, group: Sequence[Legal]) -> tuple[str, ...] | None:
        """The sites at which an item can be had, none for what comes into the hand; None if it cannot be had
        at all."""
        one = _one(group[0])
        if "site" not in group[0].slots:
            return () if writer.stands(self.key, one) else None
        ranked = sorted(group, key=lambda e: -e.most)
        return writer.sound(self.key, one, "site", [str(e.slots["site"]) for e in ranked]) or None

    def _at_sites(
        self, writer: SheetWriter, sites: Sequence[str], groups: Sequence[Sequence[Legal]]
    ) -> Offered:
        """One line for what can be had at some sites."""
        first = groups[0][0]
        most = max(e.most for e in groups[0])
        notes = [writer.price(first.cost), f"at most {most}", "" if sites else "placed later"]
        also = []
        for group in groups[1:]:
            name = writer.name("item", self.item(group[0].slots))
            also.append((f"{name} {writer.price(group[0].cost)}", self._open_at(writer, group[0], sites)))
        names = tuple((writer.name("place", s), "") for s in sites) if len(sites) > 1 else ()
        choices = (("in", names),) if names else ()
        return Offered(
            self.key,
            self._open_at(writer, first, sites),
            choices,
            "; ".join(filter(None, notes)),
            tuple(also),
        )

    def _open_at(self, writer: SheetWriter, entry: Legal, sites: Sequence[str]) -> str:
        """The line of one of an item, with the site to choose if there are several."""
        site = {"site": BLANK if len(sites) > 1 else sites[0]} if sites else {}
        return writer.text(self.key, {**_one(entry), **site})

    def _facing(self, writer: SheetWriter, group: Sequence[Legal]) -> Iterator[Offered]:
        """Works along a border: toward enemies, where there are any."""
        slot = self.facing_slot
        if slot not in self.slots:
            return
        pairs = [(e, t) for e in group for t in e.targets]
        by_class = ([p for p in pairs if writer.kind_of_end(p[1]) == word] for word in (ENEMY, NEUTRAL))
        made = []
        for entry, target in next(filter(None, by_class), [])[:MOST_TRIED]:
            slots = {**_one(entry), slot: target}
            if writer.stands(self.key, slots):
                short = f"{writer.name('place', str(entry.slots['site']))} to {writer.name('place', target)}"
                made.append((short, writer.text(self.key, slots)))
        if made:
            yield Offered(self.key, made[0][1], said=writer.price(group[0].cost), also=tuple(made[1:]))

    @cached_property
    def facing_slot(self) -> str:
        """The slot that would hold where works face."""
        return purchase.facing_slot(self.slots)


def _one(entry: Legal) -> dict[str, Any]:
    """One of what is had."""
    return {**entry.slots, **({"n": 1} if "n" in entry.slots else {})}


@dataclass(slots=True)
class Bought(Understood):
    """A purchase that can be made. `quote`: how, unless its means are still to come in."""

    quote: Quote | None = None


class Purchases(ItemOrders):
    """Items bought for resources."""

    mechanics = ("purchase",)

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Rows of the steps that buy, and others that name an item, or do one of the catalogue."""
        names_item = "item" in row.get("slots", {}) or ruleset.has("production", row.get("does"))
        return super().recognizes(ruleset, form, row) or (form == "orders" and names_item)

    # ---- the check

    def understand(self, book: OrderBook, order: Order) -> Bought:
        """A purchase that can be made. Raises OrderRefused."""
        market = book.market
        quote = purchase.asked(book.context, market, order, secrets=False)
        if isinstance(quote, Refusal):
            if quote.code != RefusalCode.MEANS:
                raise OrderRefused(quote)
            return Bought(ValidatedOrder(order, remarks=tuple(book.short(order, quote))))

        def use() -> None:
            if book.prospect is None:
                market.take(quote)
                book.spent.pay(quote.purse, quote.what, quote.cost)

        uses: dict[str, Any] = {}
        for what, _, amount, _ in quote.uses:
            uses[what] = uses.get(what, 0) + amount
        intent = ValidatedOrder(
            order,
            cost={quote.what: quote.cost},
            purse=quote.purse,
            item=quote.item,
            number=quote.made,
            site=quote.into or quote.site,
            uses=uses,
        )
        return Bought(intent, [use], quote=quote)

    def advise(self, book: OrderBook, order: Order, why: Refusal) -> str:
        """Where the thing could be built, nearest to the place that was asked for, and how many."""
        if why.code not in (RefusalCode.SITE, RefusalCode.MEANS):
            return ""
        item, wanted = self.item(order["slots"]), order["slots"].get("site")
        offers = [o for o in book.market.offers() if o.item == item]
        here = next((o for o in offers if o.site == wanted), None)
        if here is None and not wanted:
            here = next((o for o in offers if not o.site), None)
        if here is not None:
            return f"at most {here.most}{' there' if here.site else ''}"
        places = [o.site for o in offers if o.site]
        if wanted is None or not places:
            return ""
        return f"allowed: {book.printed('place', nearest_of(book.world, places, wanted))}"

    # ---- the list

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> list[Legal]:
        """Every item at every site that takes it, or into hand, with the price of each and the most."""
        asked = ("purchases", nation, self.row["id"], search.items)
        offered: list[Legal] = world.keep(
            asked, None, lambda: list(self._offered(world, nation, search.items))
        )
        return offered

    def _offered(self, world: World, nation: str, items: frozenset[str] | None) -> Iterator[Legal]:
        context = OrderContext(world)
        base = self.names_of(context, nation, {})
        if ruled_out(context, self.row, base, set()):
            return
        late = any(part.slots for part in parts(self.ruleset, self.row))
        among = self._among(context, base)
        main = stores.money(self.ruleset)
        for offer in _offers(world, nation, items):
            if (among is not None and offer.item not in among) or not self._has_slots_for(offer):
                continue
            slots, most = self._filled(offer)
            if late and ruled_out(context, self.row, self.names_of(context, nation, slots), slots.keys()):
                continue
            open_ = tuple(s for s in ("into", "kind") if s in self.slots and not self.slots[s].optional)
            yield Legal(
                self.key,
                nation,
                slots,
                {main: offer.price + offer.fee},
                most,
                targets=offer.facing,
                open=open_,
            )

    def _among(self, context: OrderContext, base: Mapping[str, Any]) -> Collection[str] | None:
        """The items that such an order may be for; None: all."""
        if "item" not in self.slots:
            return {str(self.row.get("does"))}
        return choices(context, as_slot(self.row["slots"]["item"]), base)

    def _filled(self, offer: Offer) -> tuple[dict[str, Any], int]:
        """The slots of an order for as many of an item as can be had, and how many these are."""
        slots: dict[str, Any] = {"item": offer.item} if "item" in self.slots else {}
        most, works = offer.most, bool(self._catalogued(offer).get("works")) and bool(offer.site)
        if "n" in self.slots and not (works and self.slots["n"].optional):
            most = slots["n"] = 1 if works else most
        if offer.site:
            slots["site"] = offer.site
        return slots, most

    def _has_slots_for(self, offer: Offer) -> bool:
        """Whether an order has a slot for all that a purchase must name, and needs none that it has nothing
        for."""
        item, slots, facing, placed = self._catalogued(offer), self.slots, self.facing_slot, bool(offer.site)
        fitted = placed and bool(item.get("fits"))
        asks = {
            facing: placed and bool(item.get("works")) and not item.get("facing", {}).get("all"),
            "kind": fitted and "item" in slots,  # a row for one thing alone says to what it is done
            "site": placed,
        }
        may = {facing: bool(item.get("works")), "kind": fitted, "into": "appears" in item}
        for name in (facing, "kind", "site", "into"):
            if name in slots and not slots[name].optional and not may.get(name, asks.get(name, False)):
                return False
        return all(name in slots for name, asked in asks.items() if asked)

    def _catalogued(self, offer: Offer) -> Row:
        return self.ruleset.row("production", offer.item)

    def filled(self, world: World, nation: str, entry: Legal) -> Iterator[Legal]:
        """Each of the places that it may face or appear at, and each of what else is open."""
        open_ = [s for s in self.wanted if s not in entry.slots and s != "n"]
        if not open_:
            yield entry
        elif entry.targets and len(open_) == 1:
            yield from (replace(entry, slots={**entry.slots, open_[0]: t}, targets=()) for t in entry.targets)
        else:
            near = movement.beside(world, str(entry.slots["site"])) if "site" in entry.slots else None
            for slots in fillings(OrderContext(world), self, nation, entry.slots, open_, near) or ():
                if self._can_be_had(world, nation, slots):
                    yield replace(entry, slots=slots, open=())

    def _can_be_had(self, world: World, nation: str, slots: Mapping[str, Any]) -> bool:
        """Whether one of it can be bought as it is filled in."""
        given = {name: str(slots[name]) for name in ("into", "kind") if name in slots}
        quote = market(world, nation).quote(self.item(slots), str(slots["site"]), 1, **given)
        return not isinstance(quote, (str, Refusal))

    # ---- what a player reads, and what follows

    def prices(self, world: World | None, nation: str) -> list[str]:
        """What can be bought and for how much each: by a nation's price list, else as far as the rows say
        it."""
        prices: dict[str, set[Any]] = {}
        if world is not None:
            for offer in Market(world, nation).offers():
                prices.setdefault(offer.item, set()).add(offer.price + offer.fee)
        else:
            for item, row in self.ruleset.rows("production").items():
                if isinstance(row.get("price"), int):
                    prices.setdefault(item, set()).add(row["price"])
        names = Names(self.ruleset)
        return [
            f"{names.printed('item', item)} {' or '.join(str(p) for p in sorted(some))}"
            for item, some in sorted(prices.items())
        ]

    def carry_out(self, position: Lookahead, found: Understood, filed: Order) -> None:
        """It is paid and under way."""
        quote = found.quote if isinstance(found, Bought) else None
        if quote is None:
            super().carry_out(position, found, filed)
            return
        purchase.buy(position.turn, quote, filed)
        purchase.count(position.market, quote)


def market(world: World, nation: str) -> Market:
    """A price list that nothing is taken from; do not `take` from it."""
    price_list: Market = world.keep(("market", nation), None, lambda: Market(world, nation))
    return price_list


def _offers(world: World, nation: str, items: frozenset[str] | None = None) -> list[Offer]:
    """The nation's price list, made once."""
    asked = ("offers", nation, items)
    price_list: list[Offer] = world.keep(asked, None, lambda: list(market(world, nation).offers(items=items)))
    return price_list
