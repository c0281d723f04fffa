"""`purchase`: orders to buy are priced against the catalogue, paid, and what is bought goes under way.

Orders are taken nation by nation, line by line, each whole or not at all; a treasury, a stock or a room that
one line has used is used for the next. Nothing appears on the map here, unless an item is ready at once:
`complete` does that.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import chain
from typing import Any

from ..core.messages import Message, thing
from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Order, OrderContext, Turn
from ..turn.slots import unfit
from ..turn.validated_orders import Refusal
from ..turn.verbs_later import put_under_way
from ..world import treasury as stores
from ..world.messages import much, say
from . import commitments, complete
from .catalogue import Market, Offer, Quote, item_of
from .quotes import so_many, tested_again

__all__ = ["Offer", "facing_slot", "run"]


def run(node: Row, turn: Turn) -> None:
    """Carry out the orders to buy of this step; inside a nation's own turn, only that nation's.

    `orders` names the order rows (absent: those whose `step` is this one); `absent: true` lets the rows of
    the setting `without_orders` buy for nations that sent no orders.
    """
    unite_purses(turn)
    step = str(node.get("step", turn.journal.step))
    ids = node.get("orders") or [i for i, r in turn.ruleset.rows("orders").items() if r.get("step") == step]
    orders: dict[str, list[Order]] = {}
    for order in turn.orders([f"orders/{i}" for i in ids], turn.mover) if ids else ():
        if order.get("status") is None:
            orders.setdefault(order["nation"], []).append(order)
    for nation in sorted(orders):
        market = Market(turn.world, nation)
        for order in orders[nation]:
            found = asked(turn, market, order)
            if isinstance(found, Refusal):
                turn.drop_order(order, found.text, found.code)
                continue
            buy(turn, found, order)
            count(market, found)
    if node.get("absent"):
        for nation in turn.world.nations():
            if turn.mover in (None, nation) and not turn.orders(None, nation):
                _for_absent(turn, nation)


def unite_purses(turn: Turn, nations: Iterable[str] | None = None) -> None:
    """Treasuries of some nations (None: of all) whose regions have met become one, for every resource that is
    kept by region.
    """
    for resource in turn.ruleset.rows("resources"):
        if stores.division(turn.ruleset, resource)["per"] != "region":
            continue
        for nation in turn.world.nations() if nations is None else nations:
            if not stores.divided(turn.world, nation, resource):
                continue
            with turn.journal.entry(
                f"resources/{resource}", subject=nation, audience=(nation,), keep=False
            ) as entry:
                stores.unite(turn.world, turn.journal, nation, resource)
                if entry.changes:
                    entry.data = {"united": resource}


def count(market: Market, quote: Quote) -> None:
    """A market goes on after a purchase: the money is gone from the state already, rooms and later uses are
    counted here.
    """
    market.forget()
    market.rooms.fill(quote.rooms)
    for what, purse, amount, taken in quote.uses:
        if taken != "purchase":
            market.reserve(purse, what, amount)


def facing_slot(slots: Container[str]) -> str:
    """The slot of an order to buy that holds where works face:

    `facing`, or `target` where there is no such slot.
    """
    return "facing" if "facing" in slots else "target"


def asked(turn: OrderContext, market: Market, order: Order, *, secrets: bool = True) -> Quote | Refusal:
    """What an order to buy comes to. Slots: item (or the row's `does`), n, site, into, facing (or target),
    kind.

    Without `secrets` only the needs are tested that its nation may test.
    """
    row = turn.ruleset.row_or_empty("orders", order["order"].partition("/")[2])
    names = turn.order_names(order)
    why = unfit(turn, row, order, names, secrets=secrets)
    if why is not None:
        return why
    slots = order.get("slots", {})
    facing = slots.get(facing_slot(slots))
    return market.quote(
        item_of(row, slots),
        slots.get("site"),
        int(names.get("n") or 1),
        into=slots.get("into"),
        facing=(facing,) if isinstance(facing, str) else tuple(facing or ()),
        kind=slots.get("kind"),
    )


def buy(turn: Turn, quote: Quote, order: Order | None = None) -> str:
    """Pay for a purchase (that an order asked for) and put it under way; returns its id there."""
    row = turn.ruleset.row("production", quote.item)
    journal = turn.journal
    before = turn.state.get("treasuries", quote.purse, quote.what, 0)
    what, due = _what(row), _due(turn, row, quote)
    with journal.entry(
        f"production/{quote.item}",
        subject=f"{quote.nation}:{quote.site}",
        says=_says(turn.world, quote),
        audience=(quote.nation,),
        data={
            "order": order.get("text", "") if order else "",
            "item": quote.item,
            "n": quote.n,
            "site": quote.site,
            "price": str(quote.price),
            "fee": str(quote.fee),
            "dear": quote.dear,
            "cost": str(quote.cost),
            "purse": quote.purse,
            "before": str(before),
            "rows": list(quote.rows),
        },
    ):
        if order is not None:
            journal.set("orders", order["key"], "status", "done")
        key = put_under_way(
            turn,
            quote.nation,
            what,
            quote.made,
            quote.site or None,
            due if due is not None else journal.step,
            if_lost=row.get("if_lost"),
            item=quote.item,
            into=quote.into or None,
            facing=list(quote.facing) or None,
            uses=_pay(turn, quote) or None,
            rooms=[list(r) for r in quote.rooms] or None,
            cost=quote.cost or None,
            purse=quote.purse,
            kind=quote.kind or None,
            dear=quote.dear or None,
            site_kind=tested_again(row, quote.variant),
        )
        if row.get("fits", {}).get("idle"):
            _keep_busy(turn, row, quote)
        if quote.cost:
            journal.fact("paid", by=quote.nation, what=quote.what, amount=quote.cost, item=quote.item)
        journal.fact(
            "built",
            by=quote.nation,
            item=quote.item,
            kind=what,
            place=quote.site or None,
            n=quote.made,
            dear=quote.dear,
        )
    if due is None:
        complete.finish(turn, key)
    return key


def _due(turn: Turn, row: Row, quote: Quote) -> str | int | None:
    """When what is bought is complete; None: at once."""
    if row.get("hand") and not quote.site:
        return complete.IN_HAND
    due: str | int | None = row.get("due", complete.IN_HAND if row.get("hand") else None)
    if not isinstance(due, str) or not due.startswith("="):
        return due
    nation = Entity("nation", quote.nation)
    names = {"self": nation, "nation": nation, "item": Entity("item", quote.item)}
    if quote.site:
        names["place"] = Entity("place", quote.site)
    return int(turn.world.number(due, names))


def _pay(turn: Turn, quote: Quote) -> list[list[Any]]:
    """Pay what is due now. Returns what is used up only when the purchase is complete: resource, treasury and
    amount.
    """
    if quote.cost:
        stores.pay(turn.journal, quote.purse, quote.what, quote.cost)
    later = []
    for resource, purse, amount, taken in quote.uses:
        if taken == "complete":
            later.append([resource, purse, amount])
        else:
            stores.pay(turn.journal, purse, resource, amount)
    return later + [list(part) for part in quote.beyond]


def _keep_busy(turn: Turn, row: Row, quote: Quote) -> None:
    """The units that are altered do nothing else until it is done; those that other orders have taken are
    left to them.
    """
    left = quote.n
    free = commitments.alterable(
        turn.world, quote.nation, quote.into or quote.site, row["fits"], quote.kind or None
    )
    for key, n in free.items():
        part = min(left, n, int(turn.state.get("units", key, "n", 0)))
        if part > 0:
            turn.journal.alter_units(key, part, busy=True)
            left -= part


def _what(row: Row) -> str:
    if any(k in row for k in ("works", "sets", "fits")):
        return str(row["id"])
    return str(row.get("makes", row["id"]))


def _says(world: Any, quote: Quote) -> Message:
    row = world.ruleset.row("production", quote.item)
    n, name = so_many(world.ruleset, row, str(row.get("makes", quote.item)), quote.made)
    about: dict[str, Any] = {"site": Entity("place", quote.site)} if quote.site else {}
    about |= {"facing": [Entity("place", p) for p in quote.facing]} if quote.facing else {}
    where = f"{' for {site}' if quote.site else ''}{' facing {facing}' if quote.facing else ''}"
    about |= {"nation": Entity("nation", quote.nation), "n": n, "what": thing("item", quote.item, name)}
    return say(
        world,
        f"{{nation}} {{buys|buy}} {{n}} {{what}}{where}: {{cost}}.",
        **about,
        cost=much(world, quote.cost, quote.what),
    )


# ---- nations that sent nothing


def _for_absent(turn: Turn, nation: str) -> None:
    """Buy for a nation without orders as the first that fits of `without_orders` says: in turns of its cycle,
    up to its share.
    """
    world = turn.world
    who = Entity("nation", nation)
    names = {"nation": who, "self": who}
    row = next(
        (
            r
            for r in turn.ruleset.players.get("without_orders", ())
            if "spends" in r and world.test(r.get("when"), names)
        ),
        None,
    )
    if row is None:
        return
    rule = row["spends"]
    left = world.number(rule["most"], names)
    cycle = list(rule["cycle"])
    out: set[str] = set()
    while left > 0 and len(out) < len(set(cycle)):
        for item in cycle:
            if item in out:
                continue
            quote = _best(turn, nation, item, left)
            if quote is None:
                out.add(item)
                continue
            buy(turn, quote)
            left -= quote.cost


def _best(turn: Turn, nation: str, item: str, most: Any) -> Quote | None:
    """One of an item for at most this much, where the nation's enemies are nearest."""
    market = Market(turn.world, nation)
    row = turn.ruleset.rows("production").get(item)
    if row is None or market.closed(row) is not None:
        return None
    found = []
    for site in stores.held_places(turn.world, nation):
        quote = market.quote(item, site, 1)
        if isinstance(quote, Quote) and quote.cost <= most:
            near = (turn.state.stacks(at=place) for place in turn.world.geography.next_to(site))
            stacks = (stack for _, stack in chain.from_iterable(near))
            threat = sum(stack["n"] for stack in stacks if turn.world.hostile(nation, stack["owner"]))
            found.append((quote.cost, -threat, site, quote))
    return min(found, key=lambda f: f[:3])[3] if found else None
