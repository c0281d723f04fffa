"""Every order a nation may give, as it sees the world: acts with their targets and prices, purchases with their sites, moves
with their destinations.

One finite list serves template, policies and the hints of the checker. Moves are grouped: the units of a place that can go the
same ways are one entry with the numbers as maxima and the destinations as `targets`. What needs a text, a number or a list of
units stands in `open`; everything else is filled in.

The list leaves out what `understand` would refuse, by the same tests (`turn/slots`: what a slot may hold, the parts of needs; the
market, the ways): whatever it gives stands by itself, and what stands without a condition is in it (`tests/test_law_legal.py`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.model import Row
from ..economy.catalogue import Market, Offer
from ..economy.complete import in_hand
from ..economy.purchase import facing_slot
from ..ruleset.order_syntax import Slot, slot_of
from ..turn.context import OrderContext
from ..turn.slots import choices, parts, ruled_out
from ..units import deploy
from ..world import routes
from ..world import treasury as stores
from ..world.world import World
from . import movement
from .legal_acts import MAX_WAYS, legal_acts
from .legal_entry import Legal, names_of
from .order_kinds import is_placing, is_purchase, open_to, orders_now, starts_at
from .overseas import can_reach


def legal_orders(
    world: World,
    nation: str,
    only: Iterable[str] | None = None,
    *,
    items: frozenset[str] | None = None,
    tried: int = MAX_WAYS,
    where: str | bool | None = None,
    offered: bool = False,
) -> Iterator[Legal]:
    """Every order that the nation may give now (`only`: of these rows, "form/id"). `world` is the nation's view.

    `items` keeps to purchases of these. Of acts, `tried` says how many fillings of one act's slots are tried; `where` is a test
    by which the caller chooses among them, and with `offered` he takes only what their rows offer (`legal_acts`).
    """
    wanted = None if only is None else set(only)
    now = orders_now(world)

    def taken(form: str) -> Iterator[tuple[str, Row]]:
        rows = world.ruleset.rows(form)
        ids: Iterable[str] = rows
        if wanted is not None:
            named = [key.partition("/")[2] for key in wanted if key.startswith(f"{form}/")]
            ids = [id_ for id_ in (rows if len(named) > 1 else named) if f"{form}/{id_}" in wanted and id_ in rows]
        return ((id_, rows[id_]) for id_ in ids if now is None or f"{form}/{id_}" in now)

    for _, row in taken("acts"):
        yield from legal_acts(world, nation, row, tried, where, offered=offered)
    for id_, row in taken("orders"):
        if "for" in row and not open_to(world, row["for"], nation):
            continue
        if (step := deploy.deploys(world.ruleset, f"orders/{id_}")) is not None:
            yield from legal_deployments(world, nation, row, step)
        elif is_purchase(world.ruleset, row):
            yield from legal_purchases(world, nation, row, items)
        elif is_placing(world.ruleset, row):
            yield from legal_placings(world, nation, row)
        elif movement.mode_of(world.ruleset, row) is not None:
            yield from legal_moves(world, nation, row)
        elif items is None and (movement.UNITS not in row.get("slots", {}) or movement.places_with_units(world, nation)):
            yield _blank(nation, f"orders/{id_}", row)
    for id_, row in world.ruleset.rows("decisions").items():
        if "form" in row and wanted is not None and f"decisions/{id_}" in wanted:
            yield _blank(nation, f"decisions/{id_}", row)


def _blank(nation: str, key: str, row: Row) -> Legal:
    """An order of which only the player can say what goes into its slots."""
    slots = [slot_of(name, kind) for name, kind in row.get("slots", {}).items()]
    return Legal(key, nation, {}, open=tuple(s.name for s in slots if not s.optional))


# ---- deployment


def legal_deployments(world: World, nation: str, row: Row, step: Row) -> Iterator[Legal]:
    """The free units as they stand if nothing is said, place by place, with where they could be put."""
    there: dict[str, dict[str, int]] = {}
    for kind, places in deploy.pool(world, nation, step).items():
        for place, n in places.items():
            there.setdefault(place, {})[kind] = n
    for place, units in sorted(there.items()):
        open_to_all = [set(deploy.targets(world, nation, row, kind)) for kind in units]
        others = sorted(set.intersection(*open_to_all) - {place})
        slots = {movement.UNITS: units, movement.TARGET: place}
        yield Legal(f"orders/{row['id']}", nation, slots, most=sum(units.values()), targets=tuple(others))


# ---- purchases


def legal_purchases(world: World, nation: str, row: Row, items: frozenset[str] | None = None) -> list[Legal]:
    """Every item at every site that takes it, or into hand, with the price of each and the most."""
    context = OrderContext(world)
    key = f"orders/{row['id']}"
    slots = {name: slot_of(name, declared) for name, declared in row.get("slots", {}).items()}

    def make() -> list[Legal]:
        base = names_of(context, nation, key, {})
        if ruled_out(context, row, base, set()):
            return []
        late = any(part.slots for part in parts(world.ruleset, row))
        named = row.get("slots", {}).get("item")
        among = choices(context, named, base) if isinstance(named, dict) else None if "item" in slots else {str(row.get("does"))}
        main = stores.money(world.ruleset)
        out = []
        for offer in offers(world, nation, items):
            item = world.ruleset.row("catalogue", offer.item)
            if (among is not None and offer.item not in among) or not _has_slots_for(slots, item, offer):
                continue
            filled: dict[str, Any] = {"item": offer.item} if "item" in slots else {}
            most, works = offer.most, bool(item.get("works")) and bool(offer.site)
            if "n" in slots and not (works and slots["n"].optional):
                most = filled["n"] = 1 if works else most
            if offer.site:
                filled["site"] = offer.site
            if late and ruled_out(context, row, names_of(context, nation, key, filled), filled.keys()):
                continue
            cost = {main: offer.price + offer.fee}
            unfilled = tuple(s for s in ("into", "kind") if s in slots and not slots[s].optional)
            out.append(Legal(key, nation, filled, cost, most, targets=offer.facing, open=unfilled))
        return out

    return world.keep(("purchases", nation, row["id"], items), None, make)  # type: ignore[no-any-return]


def legal_placings(world: World, nation: str, row: Row) -> list[Legal]:
    """What is in hand, at every site that takes it, with the most."""
    context = OrderContext(world)
    key = f"orders/{row['id']}"
    slots = row.get("slots", {})

    def make() -> list[Legal]:
        base = names_of(context, nation, key, {})
        out: list[Legal] = []
        if ruled_out(context, row, base, set()):
            return out
        for item in world.ruleset.rows("catalogue") if "item" in slots else [str(row.get("does"))]:
            there = sum(int(r["n"]) for _, r in in_hand(world.state, nation, item))
            for site in stores.held_places(world, nation) if there else ():
                filled: dict[str, Any] = {**({"item": item} if "item" in slots else {}), "site": site}
                if ruled_out(context, row, names_of(context, nation, key, filled), filled.keys()):
                    continue

                def none_left(n: int, item: str = item, site: str = site) -> bool:
                    return isinstance(market(world, nation).placing(item, site, n), str)

                most = bisect_left(range(1, there + 1), True, key=none_left)
                if most:
                    filled |= {"n": most} if "n" in slots else {}
                    out.append(Legal(key, nation, filled, most=most if "n" in slots else 1))
        return out

    return world.keep(("placings", nation, row["id"]), None, make)  # type: ignore[no-any-return]


def _has_slots_for(slots: Mapping[str, Slot], item: Row, offer: Offer) -> bool:
    """Whether an order has a slot for all that a purchase must name, and needs none that it has nothing for."""
    facing, placed = facing_slot(slots), bool(offer.site)
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


def market(world: World, nation: str) -> Market:
    """A price list that nothing is taken from; do not `take` from it."""
    found: Market = world.keep(("market", nation), None, lambda: Market(world, nation))
    return found


def offers(world: World, nation: str, items: frozenset[str] | None = None) -> list[Offer]:
    """The nation's price list, made once."""
    found: list[Offer] = world.keep(("offers", nation, items), None, lambda: list(market(world, nation).offers(items=items)))
    return found


# ---- moves


def legal_moves(world: World, nation: str, row: Row) -> list[Legal]:
    """For every place with units that can go by the order's mode: what could go together, and where."""
    context = OrderContext(world)

    def may(slots: Mapping[str, str]) -> bool:
        return not ruled_out(context, row, names_of(context, nation, f"orders/{row['id']}", slots), slots.keys())

    def make() -> list[Legal]:
        mode = movement.mode_of(world.ruleset, row)
        out: list[Legal] = []
        if mode is None:
            return out
        if movement.CARGO in row.get("slots", {}):
            return _voyages(world, nation, row, mode)
        if movement.ORIGIN not in row.get("slots", {}):  # they start from where another order brings them
            return [_blank(nation, f"orders/{row['id']}", row)] if movement.places_with_units(world, nation) else []
        for place in movement.places_with_units(world, nation):
            counts = movement.free_units(world, nation, place)
            if not counts or not may({movement.ORIGIN: place}):
                continue
            if movement.TARGET not in row.get("slots", {}):
                fits = {k: n for k, n in counts.items() if movement.goes_by(world, mode, k)}
                if fits and movement.ORIGIN in row.get("slots", {}):
                    out.append(Legal(f"orders/{row['id']}", nation, {movement.UNITS: fits, movement.ORIGIN: place}))
                continue
            fits = {k: n for k, n in counts.items() if movement.goes_by(world, mode, k)}
            ends = {k: movement.targets(world, nation, mode, place, k) for k in fits}
            room = routes.room_left(world, mode, (place,)) if mode.get("capacity") else None
            for kinds, targets in movement.grouped(fits, ends):
                most = sum(kinds.values()) if room is None else min(int(room), sum(kinds.values()))
                kinds = {k: min(n, most) for k, n in kinds.items()}
                if row.get("needs"):
                    targets = tuple(t for t in targets if may({movement.ORIGIN: place, movement.TARGET: t}))
                less: dict[str, int] = {}
                if most > 0 and mode.get("capacity"):
                    reach = movement.room_to(world, nation, mode, place, kinds, targets, most)
                    targets = tuple(t for t in targets if t in reach)
                    less = {t: n for t, n in reach.items() if n < most}
                if most > 0 and targets:
                    slots = {movement.UNITS: kinds, movement.ORIGIN: place}
                    out.append(Legal(f"orders/{row['id']}", nation, slots, most=most, targets=targets, room=less))
        return out

    mode = movement.mode_of(world.ruleset, row)
    tables = None if row.get("needs") or mode is None else routes.decided_by(world, mode)
    return world.keep(("moves", nation, row["id"]), tables, make)  # type: ignore[no-any-return]


def _voyages(world: World, nation: str, row: Row, mode: Row) -> list[Legal]:
    """Orders to carry others: where the carriers are; whom, whence and where to is open."""
    carriers = mode.get("carries", {}).get("carriers")
    out = []
    of = next((s["of"] for s in row.get("slots", {}).values() if isinstance(s, dict) and "of" in s), "")
    others = world.ruleset.rows("nations") if of and mode.get("carries", {}).get("shared") else ()
    for host in (nation, *(other for other in others if other != nation and world.allied(other, nation))):
        for place in movement.places_with_units(world, host):
            if host != nation and not can_reach(world, nation, mode, place, host):
                continue
            counts = movement.free_units(world, host, place)
            fits = {
                k: n for k, n in counts.items() if movement.goes_by(world, mode, k) and routes.kind_matches(world, carriers, k)
            }
            if fits:
                whose = {of: host} if host != nation else {}
                slots = {movement.UNITS: fits, starts_at(row): place, **whose}
                out.append(Legal(f"orders/{row['id']}", nation, slots, open=(movement.CARGO, movement.ORIGIN, movement.TARGET)))
    return out
