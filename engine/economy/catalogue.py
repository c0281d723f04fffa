"""What a nation can buy, where, and for how much: the one answer that the purchase step, checkers, templates
and policies share.

A `Market` reads a world for one nation. It answers with a `Quote`, or with a `Refusal`; nothing is changed.
What has been bought before counts against rooms and stocks: from the state (`under_way`) and from quotes that
were `taken`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from ..turn.validated_orders import Refusal, RefusalCode
from ..world import treasury as stores
from ..world.applies_to import is_for
from ..world.messages import fill
from ..world.selections import as_set, id_of
from ..world.world import World, exact
from . import commitments
from .quotes import PLENTY, Offer, Quote, as_one, rounded_up
from .rooms import Rooms

__all__ = ["PLENTY", "Market", "Offer", "Quote", "item_of"]


def item_of(row: Row, slots: Mapping[str, Any]) -> str:
    """What an order buys or places: what its slot `item` names, else what its row always does (`does`)."""
    return str(id_of(slots.get("item", row.get("does"))))


class Market:
    """What one nation can buy in one world.

    Good until the state changes otherwise than by what is `taken` (then: `forget`).
    """

    def __init__(self, world: World, nation: str) -> None:
        self.world = world
        self.nation = nation
        self.who = Entity("nation", nation)
        self._names: dict[str, Any] = {"self": self.who, "nation": self.who}
        self._prices: dict[str, tuple[Any, tuple[str, ...]]] = {}
        self._closed: dict[str, str | None] = {}
        self._passing: dict[Any, list[str]] = {}
        self._purses: dict[tuple[str, str], str] = {}
        self._spent: dict[tuple[str, str], Any] = {}
        self._reserved: dict[tuple[str, str], Any] = {}
        self.rooms = Rooms(world, nation)
        # the orders of a file that is being checked; else those of the state
        self.orders: Sequence[Row] | None = None
        self._main = stores.money(world.ruleset)
        for row in world.state.table("under_way").values():
            # what alters a place is begun there once, no matter who began it and when it will be ready
            self.rooms.fill(
                _settings(world.ruleset.row_or_empty("production", row.get("item", "")), row.get("at"))
            )
            if row.get("nation") != nation:
                continue
            for what, purse, amount in row.get("uses", ()):
                self._reserved[purse, what] = self._reserved.get((purse, what), 0) + amount
            if row.get("since") == world.always()["turn"]:  # a position that was stored has lists there
                self.rooms.fill((room, where, n) for room, where, n in row.get("rooms", ()))

    # ---- asking

    def quote(
        self,
        item: str,
        site: str | None,
        n: int = 1,
        *,
        into: str | None = None,
        facing: Sequence[str] = (),
        kind: str | None = None,
    ) -> Quote | Refusal:
        """The purchase, or why it cannot be made.

        With a `kind` of unit: of what is fitted to units and makes the same.
        """
        row = self.world.ruleset.rows("production").get(item)
        if row is None:
            return Refusal(RefusalCode.NAME, f"nothing called {item} can be bought", "item")
        if n < 1:
            return Refusal(RefusalCode.NUMBER, "the number must be at least 1", "n")
        if kind is not None and "fits" not in row:
            fitted = self._fitted(row)
            if len(fitted) != 1:
                text = f"{self._called(row)} is not fitted to units"
                return Refusal(RefusalCode.SITE, text, "item", choices=fitted or self._fitted())
            row = self.world.ruleset.row("production", fitted[0])
        closed = self.closed(row)
        if closed is not None:
            return Refusal(RefusalCode.SITE, closed, "item")
        if row.get("hand") and (row["hand"] is True or site is None):
            return self._priced(row, "", {"id": ""}, n, "", (), kind)
        if site is None or not self.world.ruleset.has("places", site):
            return Refusal(RefusalCode.SITE, "a place must be named", "site")
        found = self._site(row, site, into)
        if isinstance(found, str):
            return Refusal(RefusalCode.SITE, found, "site")
        variant, site, into = found
        where = self.stands(row, site)
        if into is not None and into not in where:
            return Refusal(RefusalCode.SITE, self._not_there(row, into), "into")
        if not where:
            return Refusal(RefusalCode.SITE, "there is nowhere for it to appear", "site")
        if "works" in row:
            facing = self._faced(row, site, facing)
            if isinstance(facing, str):
                return Refusal(RefusalCode.SITE, facing, "facing")
            if n > (most := as_one(row, len(facing))):
                return Refusal(RefusalCode.NUMBER, f"{most} can be there, one where it faces", "n")
            n = len(facing)
        if "fits" in row:
            spots = [p for p in where if into is None or p == into]
            into = next((p for p in spots if self.fitting(row, p, kind) >= n), None)
            if into is None:
                return Refusal(RefusalCode.SITE, self._none_fits(row, spots, kind), "site")
        return self._priced(row, site, variant, n, into or where[0], tuple(facing), kind)

    def offers(self, *, items: Collection[str] | None = None) -> Iterator[Offer]:
        """Every item that the nation can buy now (`items`: of these), at every site that takes it; into hand
        without a site.
        """
        held = stores.held_places(self.world, self.nation)
        for item, row in self.world.ruleset.rows("production").items():
            if (items is not None and item not in items) or self.closed(row) is not None:
                continue
            if row.get("hand"):
                most = self._most(row, "", {"id": ""}, "", "")
                if most > 0:
                    yield Offer(item, "", self.price(row)[0], 0, most)
            if row.get("hand") is True:
                continue
            sites = [(p, v) for p in self._sites(row, held) if not isinstance(v := self.variant(row, p), str)]
            if sites and self.price(row)[0] <= max(
                stores.purses(self.world, self.nation, self._main).values(), default=0
            ):
                yield from filter(None, (self._offer(row, site, variant) for site, variant in sites))

    def _sites(self, row: Row, held: Sequence[str]) -> list[str]:
        """The places that pass an item's test of sites; items that test alike share the answer."""
        test = row.get("site")
        if test not in self._passing:
            self._passing[test] = [p for p in held if self.rooms.test(test, p)]
        return self._passing[test]

    def take(self, quote: Quote) -> None:
        """Count a purchase as made, so that the next quote knows it."""
        self._spent[quote.purse, quote.what] = self._spent.get((quote.purse, quote.what), 0) + quote.cost
        for what, purse, amount, _ in quote.uses:
            self._reserved[purse, what] = self._reserved.get((purse, what), 0) + amount
        self.rooms.fill(quote.rooms)

    def forget(self) -> None:
        """The state has changed: what was asked of it is asked again."""
        self.rooms.forget()
        for known in (self._prices, self._closed, self._passing, self._purses):
            known.clear()

    def spend(self, purse: str, what: str, amount: Any) -> None:
        """Something else is paid out of a treasury: there is less by so much for the next quote."""
        self._spent[purse, what] = self._spent.get((purse, what), 0) + amount

    def left(self, purse: str, what: str) -> Any:
        """What a treasury holds, less what has been spent."""
        return self.world.state.get("treasuries", purse, what, 0) - self._spent.get((purse, what), 0)

    def reserve(self, purse: str, what: str, amount: Any) -> None:
        """Something will be used up later: what is left of it is less by so much."""
        self._reserved[purse, what] = self._reserved.get((purse, what), 0) + amount

    def placing(self, item: str, site: str, n: int, *, into: str | None = None) -> Quote | str:
        """Where something already paid for can be put, or why it cannot.

        Rooms shared out at completion count.
        """
        row = self.world.ruleset.rows("production").get(item)
        if row is None or not self.world.ruleset.has("places", site):
            return f"there is no place called {site}" if row else f"nothing is called {item}"
        found = self._site(row, site, into)
        if isinstance(found, str):
            return found
        variant, site, into = found
        where = self.stands(row, site)
        if not where or (into is not None and into not in where):
            return "it cannot appear there"
        rooms = self.rooms.take(row, site, n, into or where[0], "complete")
        if isinstance(rooms, str):
            return rooms
        return Quote(
            item=item,
            nation=self.nation,
            site=site,
            n=n,
            made=n,
            variant=str(variant.get("id", "")),
            price=0,
            fee=0,
            dear=0,
            cost=0,
            what="",
            purse="",
            into=into or where[0],
            facing=(),
            uses=(),
            rooms=tuple(rooms),
        )

    # ---- the parts of an answer

    def closed(self, row: Row) -> str | None:
        """Why an item is not open to the nation at all."""
        item = row["id"]
        if item not in self._closed:
            why = None
            if "for" in row and not self._is_for(row["for"]):
                why = "this is not open to your nation"
            else:
                names = {**self._names, "item": Entity("item", item)}
                for need in row.get("requires", ()):
                    if not self.world.test(need["test"], names):
                        why = fill(self.world, need["message"], names)
                        break
            self._closed[item] = why
        return self._closed[item]

    def _is_for(self, wanted: Any) -> bool:
        return is_for(self.world, wanted, self.nation)

    def variant(self, row: Row, site: str) -> Row | str:
        """The kind of site that a place is for an item, or why it is none."""
        if not self.rooms.test(row.get("site"), site):
            return str(row.get("site_message", "it cannot be built there"))
        for variant in row.get("sites", ({"id": ""},)):
            if self.rooms.test(variant.get("when"), site):
                return dict(variant)
        last: Row = row["sites"][-1]
        return str(last.get("message") or row.get("site_message", "it cannot be built there"))

    def _at(self, site: str) -> dict[str, Any]:
        return {**self._names, "place": Entity("place", site)}

    def within(self, item: str, site: str) -> int:
        """How many of an item at a site the stocks still give that may run short, before more cost more."""
        stocks = self._stocks(self.world.ruleset.row("production", item), site)
        return min((enough for *_, times, enough in stocks if times is not None), default=PLENTY)

    def price(self, row: Row) -> tuple[Any, tuple[str, ...]]:
        """What one costs, without fees, and the modifiers in it."""
        item = row["id"]
        if item not in self._prices:
            self._prices[item] = self._price(row)
        return self._prices[item]

    def _price(self, row: Row) -> tuple[Any, tuple[str, ...]]:
        thing = Entity("item", row["id"])
        names = {**self._names, "item": thing}
        price = row.get("price", "price")
        if price in self.world.ruleset.rows("stats"):
            value, rows = self.world.quantity_with_rows(price, thing, names)
            return value, tuple(r["id"] for r in rows)
        return self.world.figure(price, names, thing) if "price" in row else 0, ()

    def stands(self, row: Row, site: str) -> list[str]:
        """Where what is bought for a site may stand: places without enemies first, else in the order of the
        row.
        """
        if "appears" not in row:
            return [site]
        found = [
            t.id for t in as_set(self.world, self.world.value(strip_mark(row["appears"]), self._at(site)))
        ]
        return sorted(found, key=lambda p: bool(self.world.enemies_at(self.nation, p)))

    def _site(self, row: Row, site: str, into: str | None) -> tuple[Row, str, str | None] | str:
        """The kind of site, the site and the place of appearing that an order means, or why there is none.

        An order may name the place where units are to appear instead of the site behind it.
        """
        variant = self.variant(row, site)
        if isinstance(variant, str) and into is None:
            near = self._sites_beside(row, site)
            fits = [p for p in near if site in self.stands(row, p)]
            if near and not fits and self.world.holder_of(site) is None:
                return self._not_there(row, site)  # no site that it lacks something for: nobody's ground
            if fits:
                into, site = site, max(fits, key=lambda p: (self._funds(p), p))
                variant = self.variant(row, site)
        return variant if isinstance(variant, str) else (variant, site, into)

    def _sites_beside(self, row: Row, zone: str) -> list[str]:
        """The sites next to a place for what may appear elsewhere than at its site."""
        if "appears" not in row:
            return []
        return [p for p in self.world.geography.next_to(zone) if not isinstance(self.variant(row, p), str)]

    def _not_there(self, row: Row, place: str) -> str:
        """That an item cannot appear in a place, be there a site for it next to it."""
        return f"{self._called(row)} cannot be placed in {self._name(place)}"

    def _called(self, row: Row) -> str:
        """An item's name: its own, or that of the unit that it makes."""
        made = self.world.ruleset.row_or_empty("units", row.get("makes", ""))
        return str(row.get("name") or made.get("name", row["id"]))

    def faces(self, row: Row, site: str) -> list[str]:
        """The places that works bought for a site may face."""
        rule = row.get("facing", {})
        names = self._at(site)
        among = rule.get("among")
        if among is None:
            found = list(self.world.geography.next_to(site))
        else:
            found = sorted(t.id for t in as_set(self.world, self.world.value(strip_mark(among), names)))
        mine = [
            p for p in found if self.world.test(rule.get("when"), {**names, "target": Entity("place", p)})
        ]
        return [p for p in mine if not self._bought_facing(row, site, p)]

    def _bought_facing(self, row: Row, site: str, place: str) -> bool:
        """Whether the works that an item makes are bought in this turn already where they would face a
        place.
        """
        return bool(self.rooms.filled.get((_works(row), f"{site}>{place}")))

    def _faced(self, row: Row, site: str, facing: Sequence[str]) -> tuple[str, ...] | str:
        may = self.faces(row, site)
        if row.get("facing", {}).get("all"):
            return tuple(may) if may else "there is no border left for it"
        if not facing:
            return tuple(may) if len(may) == 1 else "the order must say which place it faces"
        for place in facing:
            if place not in may and self._bought_facing(row, site, place):
                return f"it is bought already where it would face {self._name(place)}"
            if place not in may:
                return f"it cannot face {self._name(place)}"
        return tuple(dict.fromkeys(facing))

    def _fitted(self, row: Row | None = None) -> tuple[str, ...]:
        """The items that are fitted to units; of a row: those that make what it makes."""
        items = self.world.ruleset.rows("production").items()
        return tuple(
            i
            for i, r in items
            if "fits" in r and (row is None or r.get("makes") == row.get("makes", row["id"]))
        )

    def fitting(self, row: Row, place: str, kind: str | None = None) -> int:
        """How many units at a place can still be altered by an item."""
        n = sum(
            commitments.alterable(self.world, self.nation, place, row["fits"], kind, self.orders).values()
        )
        taken_kinds = ("", kind) if kind is not None else self._fitted_kinds(place)
        return n - sum(self.rooms.filled.get((_fits(row, k), place), 0) for k in taken_kinds)

    def _fitted_kinds(self, place: str) -> set[str]:
        """Kinds of units at a place, and no kind: those that purchases of an item may have named."""
        return {
            "",
            *(str(stack["kind"]) for _, stack in self.world.state.stacks(at=place, owner=self.nation)),
        }

    def _taken(self, place: str) -> dict[str, int]:
        """Units of each stack at a place that other orders of the turn have taken."""
        orders = commitments.of_nation(self.world, self.nation) if self.orders is None else self.orders
        return commitments.taken(self.world, self.nation, place, orders)

    def _none_fits(self, row: Row, spots: Sequence[str], kind: str | None) -> str:
        """Why there are not enough units to be altered: none such, or other orders have taken them."""
        rule = row["fits"]
        if rule.get("idle"):
            anyhow = {**row, "fits": {**rule, "idle": False}}
            if any(self.fitting(anyhow, p, kind) > 0 and self._taken(p) for p in spots):
                return f"{rule.get('message', 'it takes the whole turn')}, and another order has taken it"
        return "nothing there can take it"

    # ---- money, stocks and rooms

    def _begun(self, row: Row, site: str, n: int) -> str | None:
        """Why a place does not take so many of what alters it: there is one of it to a place."""
        if any(self.rooms.filled.get((counter, place)) for counter, place, _ in _settings(row, site)):
            return "it is under way there already"
        return "one to a place is enough" if n > 1 and _settings(row, site) else None

    def _funds(self, site: str) -> Any:
        """What is left of the money for a site."""
        return self.left(self._purse(site, self._main), self._main)

    def _purse(self, site: str, what: str) -> str:
        if (site, what) not in self._purses:
            mine = site and self.world.holder_of(site) == self.nation
            self._purses[site, what] = stores.purse_at(self.world, self.nation, site if mine else None, what)
        return self._purses[site, what]

    def _stocks(self, row: Row, site: str) -> list[tuple[str, str, int, str, Any, int]]:
        """What one uses up: (resource, treasury, each, when taken, multiple when short or None, how many are
        within it).
        """
        out = []
        for what, how in row.get("uses", {}).items():
            rule = how if isinstance(how, dict) else {"each": how}
            each = int(self.world.number(rule["each"], self._names))
            if each <= 0:
                continue
            purse = self._purse(site, what)
            left = self.world.state.get("treasuries", purse, what, 0) - self._reserved.get((purse, what), 0)
            short = rule.get("short", "refuse")
            times = self.world.number(short["times"], self._names) if isinstance(short, dict) else None
            out.append((what, purse, each, rule.get("taken", "purchase"), times, max(0, int(left // each))))
        return out

    def _priced(
        self, row: Row, site: str, variant: Row, n: int, into: str, facing: tuple[str, ...], kind: str | None
    ) -> Quote | Refusal:
        pack = self._several(row, "pack")
        if n % pack:
            return Refusal(RefusalCode.NUMBER, f"they are sold by {pack}", "n")
        price, rows = self.price(row)
        fee = self.world.number(variant.get("fee", 0), self._at(site) if site else self._names)
        paid = as_one(row, n)
        lot = self._several(row, "lot")
        if (full := self._begun(row, site, n)) is not None:
            return Refusal(RefusalCode.SITE, full, "n")
        rooms = self.rooms.take(row, site, n * lot, into)
        if isinstance(rooms, str):
            return Refusal(RefusalCode.SITE, rooms, "n")
        rooms += _settings(row, site)
        if facing:
            rooms += [(_works(row), f"{site}>{p}", 1) for p in facing]
        if "fits" in row:
            rooms.append((_fits(row, kind or ""), into, n))
        cost: Any = exact(paid * (price + fee))
        dear, uses, short = 0, [], []
        for what, purse, each, taken, times, within in self._stocks(row, site):
            if times is None:
                if n > within:
                    return Refusal(
                        RefusalCode.MEANS,
                        f"there is {stores.in_words(self.world.ruleset, what)} for {within} only",
                        "n",
                    )
                uses.append((what, purse, each * n, taken))
                continue
            beyond = max(0, n - within)
            dear = max(dear, beyond)
            cost += beyond * rounded_up(price * (times - 1))
            uses.append((what, purse, each * (n - beyond), taken))
            if taken == "complete" and beyond:
                short.append((what, purse, each * beyond))
        purse = self._purse(site, self._main)
        left = self.left(purse, self._main)
        if cost > left:
            return Refusal(
                RefusalCode.MEANS,
                f"costs {cost} {stores.in_words(self.world.ruleset, self._main)}, {left} left there",
                "n",
            )
        return Quote(
            item=row["id"],
            nation=self.nation,
            site=site,
            n=n,
            made=n * lot,
            variant=str(variant.get("id", "")),
            price=price,
            fee=fee,
            dear=dear,
            cost=cost,
            what=self._main,
            purse=purse,
            into=into,
            facing=facing,
            uses=tuple(u for u in uses if u[2]),
            rooms=tuple(rooms),
            rows=rows,
            kind=kind or "",
            beyond=tuple(short),
        )

    def _several(self, row: Row, key: str) -> int:
        """How many an item's `lot` or `pack` comes to: one where it works out to none."""
        return max(1, int(self.world.number(row.get(key, 1), self._names)))

    def _offer(self, row: Row, site: str, variant: Row) -> Offer | None:
        """An item at a site, if the nation can buy any there."""
        price = self.price(row)[0]
        fee = self.world.number(variant.get("fee", 0), self._at(site))
        purse = self._purse(site, self._main)
        pack = self._several(row, "pack")
        if pack * (price + fee) > self.left(purse, self._main):
            return None
        where = self.stands(row, site)
        facing = self.faces(row, site) if "works" in row else []
        if not where or ("works" in row and not facing):
            return None
        most = self._most(row, site, variant, where[0], purse)
        if facing and not row.get("facing", {}).get("all"):
            most = min(most, len(facing))
        if most > 0 and "fits" in row:
            most = min(most, max(self.fitting(row, p) for p in where))
        return (
            Offer(
                item=row["id"],
                site=site,
                price=price,
                fee=fee,
                most=most,
                facing=tuple(facing),
                into=tuple(where),
                purse=purse,
            )
            if most > 0
            else None
        )

    def _most(self, row: Row, site: str, variant: Row, into: str, purse: str) -> int:
        """The most that money, stocks and rooms allow."""
        left = self.left(purse or self._purse(site, self._main), self._main)
        price, _ = self.price(row)
        fee = self.world.number(variant.get("fee", 0), self._at(site) if site else self._names)
        most = PLENTY
        multiple: Any = None
        within = PLENTY
        for _, _, _, _, times, stock in self._stocks(row, site):
            if times is None:
                most = min(most, stock)
            else:
                multiple, within = times, min(within, stock)
        each = price + fee
        if each > 0:
            cheap = int(left // each)
            if multiple is not None and cheap > within:
                dearer = price + rounded_up(price * (multiple - 1)) + fee
                cheap = within + int((left - within * each) // dearer)
            most = min(most, max(0, cheap))
        if _settings(row, site):
            most = min(most, 0 if self._begun(row, site, 1) else 1)
        lot = self._several(row, "lot")
        most = min(most, self.rooms.most(row, site, into, lot))
        return most - most % self._several(row, "pack")

    def _name(self, place: str) -> str:
        return str(self.world.ruleset.row_or_empty("places", place).get("name", place))


def _works(row: Row) -> str:
    """The counter of the borders at which works are bought in a turn: one for all items that make the same
    works.
    """
    return f"works:{row['works']}"


def _settings(row: Row, site: str | None) -> list[tuple[str, str, int]]:
    """What an item that alters fields of a place takes there: each field once. What would stay in hand where
    the place does not take it may be bought as often as one likes.
    """
    if not site or row.get("if_lost") == "hand":
        return []
    return [(f"sets:{field}", site, 1) for field in row.get("sets", ())]


def _fits(row: Row, kind: str) -> str:
    """The counter of what has been bought in a turn to be fitted to units of a kind ("": of any)."""
    return f"fits:{row['id']}:{kind}" if kind else f"fits:{row['id']}"
