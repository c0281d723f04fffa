"""Purchases of a policy: each treasury is shared out over the items of the row's mix, at the sites nearest to
the front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..core.model import Row
from ..orders.kinds import of_class, order_kind
from ..orders.kinds.purchases import Purchases
from ..orders.legal import legal_orders
from ..orders.legal_entry import Legal, LegalSearch
from ..turn.context import OrderContext
from ..world.treasury import main_purse, purse_at
from .front import FAR, Front
from .give import Giver


def give_purchases(giver: Giver, rules: Sequence[Row], front: Front | None) -> None:
    """Spend by each rule in turn: `share` of what a treasury holds, over its `mix` of items."""
    if not rules:
        return
    world = giver.world
    catalogue = world.ruleset.rows("production")
    names = OrderContext(world).order_names({"nation": giver.nation, "order": "", "slots": {}})
    mixes = []
    for rule in rules:
        mix = {
            item: int(world.number(weight, names))
            for item, weight in rule["mix"].items()
            if item in catalogue
        }
        share = Fraction(world.number(rule.get("share", 1), names))
        if share > 0:
            mixes.append((rule, share, {item: weight for item, weight in mix.items() if weight > 0}))
    wanted = frozenset(item for _, _, mix in mixes for item in mix)
    if not wanted:
        return
    keys = [kind.key for kind in of_class(world.ruleset, Purchases)]
    open_offers = [
        o for o in legal_orders(world, giver.nation, keys, LegalSearch(items=wanted)) if not o.open
    ]
    open_offers = [
        o for o in open_offers if "site" in o.slots or catalogue[_item(giver, o)].get("hand") != "may"
    ]  # none is placed later
    for rule, share, mix in mixes:
        offers = [o for o in open_offers if _item(giver, o) in mix]
        by_purse: dict[tuple[str, str], list[Legal]] = {}
        for offer in offers:
            what = next(iter(offer.cost), "")
            by_purse.setdefault((_purse(giver, offer, what), what), []).append(offer)
        for (purse, what), group in sorted(by_purse.items()):
            budget = Fraction(giver.checker.market.left(purse, what)) * share
            _spend(giver, rule, mix, group, what, budget, front)


def _kind(giver: Giver, offer: Legal) -> Purchases:
    """The order by which something is bought."""
    kind = order_kind(giver.world.ruleset, offer.order)
    assert isinstance(kind, Purchases)
    return kind


def _item(giver: Giver, offer: Legal) -> str:
    """What would be bought."""
    return _kind(giver, offer).item(offer.slots)


def _purse(giver: Giver, offer: Legal, what: str) -> str:
    site = offer.slots.get("site")
    if site is None:
        return main_purse(giver.world, giver.nation, what)
    return purse_at(giver.world, giver.nation, str(site), what)


def _spend(
    giver: Giver,
    rule: Row,
    mix: dict[str, int],
    offers: list[Legal],
    what: str,
    budget: Any,
    front: Front | None,
) -> None:
    """One treasury: money for each item by its weight, what is left over to the next; dear items come first,
    while there is any."""
    items: dict[str, list[Legal]] = {}
    for offer in offers:
        items.setdefault(_item(giver, offer), []).append(offer)
    total = sum(mix[i] for i in items)
    parts = {item: Fraction(budget * mix[item]) / total for item in items}
    prices = {item: min(o.cost.get(what, 0) for o in offered) for item, offered in items.items()}
    order = sorted(items, key=lambda i: (-mix[i], i))
    over: Any = 0
    for item in (
        i for i in order if parts[i] < prices[i]
    ):  # now and then, with the odds that make up for the price
        there = giver.checker.market.left(_purse(giver, items[item][0], what), what)
        lucky = prices[item] <= there and giver.percent(int(100 * parts[item] / prices[item]))
        over += parts[item] - (
            _buy(giver, rule, items[item], what, Fraction(prices[item]), front) if lucky else 0
        )
    for item in (i for i in order if parts[i] >= prices[i]):
        part = parts[item] + over
        over = part - _buy(giver, rule, items[item], what, part, front)
    if rule.get("rest"):
        for item in order:
            over -= _buy_more(giver, items[item], what, over, front)


def _buy_more(giver: Giver, offers: list[Legal], what: str, money: Any, front: Front | None) -> Any:
    """Of an item as much as an amount of money and the room at its sites still take. Returns what was
    spent."""
    spent: Any = 0
    for offer in sorted(
        offers, key=lambda o: (o.cost.get(what, 0), -_wanted_at(front, o), str(o.slots.get("site")))
    ):
        price = offer.cost.get(what, 0)
        n = (
            min(offer.most, int((money - spent) // price), _room(giver, front, offer))
            if price > 0 and "n" in offer.slots
            else 0
        )
        while n > 0 and not _give(giver, front, offer, {**offer.slots, "n": n}, n):
            n //= 2
        spent += max(0, n) * price
    return spent


def _buy(giver: Giver, rule: Row, offers: list[Legal], what: str, money: Any, front: Front | None) -> Any:
    """Buy an item for an amount of money at the best sites. Returns what was spent."""
    spent: Any = 0
    needed = bool(rule.get("needed"))
    far = (lambda o: -_wanted_at(front, o)) if needed else (lambda o: _far_from_front(front, o))
    sites = sorted(offers, key=lambda o: (o.cost.get(what, 0), far(o), str(o.slots.get("site"))))
    most_sites = int(rule.get("sites", 3))
    share = -(-len(sites[:most_sites]) // 1)
    for index, offer in enumerate(sites[:most_sites]):
        price = offer.cost.get(what, 0)
        left = money - spent
        if price <= 0 or left < price:
            continue
        n = min(offer.most, int(left // price), _room(giver, front, offer))
        if n <= 0:
            continue
        if index + 1 < share and n > 1:
            n = _part(front, sites[index:most_sites], n) if needed else (n + 1) // 2
        slots = dict(offer.slots)
        if offer.targets:
            facing = _facing(front, offer)
            if not facing:
                continue
            kind = _kind(giver, offer)
            slots.update(
                {kind.facing_slot: facing} if kind.facing_slot in kind.slots else {}
            )  # else it faces everybody
            n = 1
        elif "n" in slots:
            slots["n"] = n
        if _give(giver, front, offer, slots, n):
            spent += n * price
    return spent


def _give(giver: Giver, front: Front | None, offer: Legal, slots: Mapping[str, Any], n: int) -> bool:
    """Buy, and count at the front the units that come, or those that are at hand for nothing else while it is
    done to them."""
    if front is None:
        return giver.give(offer.order, slots)
    row = giver.world.ruleset.rows("production")[_item(giver, offer)]
    busy = giver.understood(offer.order, slots) if row.get("fits", {}).get("idle") else None
    if not giver.give(offer.order, slots):
        return False
    if busy is not None and "makes" in row:
        front.use(busy.site, {row["makes"]: n})
    elif offer.slots.get("site") is not None and _makes(giver, offer):
        front.come(str(offer.slots["site"]), n)
    return True


def _room(giver: Giver, front: Front | None, offer: Legal) -> int:
    """How many units the front wants at a site, of what is no unit any number; and none for which a stock
    would run short."""
    site = offer.slots.get("site")
    within = giver.checker.market.within(_item(giver, offer), str(site or ""))
    return (
        within
        if front is None or site is None or not _makes(giver, offer)
        else min(within, front.room(str(site)))
    )


def _makes(giver: Giver, offer: Legal) -> bool:
    """Whether an item is units that stand at the site."""
    row = giver.world.ruleset.rows("production")[_item(giver, offer)]
    return "makes" in row and not {"works", "sets", "fits", "effects", "appears"} & row.keys()


def _far_from_front(front: Front | None, offer: Legal) -> int:
    site = offer.slots.get("site")
    if front is None or site is None:
        return 0
    return front.distance.get(str(site), FAR)


def _wanted_at(front: Front | None, offer: Legal) -> Fraction:
    """How much the front wants what is bought at a site."""
    site = offer.slots.get("site")
    return Fraction(0) if front is None or site is None else front.pull(str(site))


def _part(front: Front | None, sites: Sequence[Legal], n: int) -> int:
    """The part of a number that the first of several sites gets, by how much each is wanted at."""
    wanted = [_wanted_at(front, site) for site in sites]
    total = sum(wanted)
    return (n + 1) // 2 if not total else max(1, round(n * wanted[0] / total))


def _facing(front: Front | None, offer: Legal) -> str | None:
    """The most dangerous neighbor that works could face."""
    if front is None:
        return None
    among = [t for t in offer.targets if t in front.enemy_places]
    return max(among, key=lambda t: (front.defenders(t, "attack")[1], t), default=None)
