"""Every order a nation may give, as it sees the world: acts with their targets and prices, purchases with their sites, moves
with their destinations.

One finite list serves template, policies and the hints of the checker. Moves are grouped: the units of a place that can go the
same ways are one entry with the numbers as maxima and the destinations as `targets`. What needs a text, a number or a list of
units stands in `open`; everything else is filled in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ..core.model import Row, Ruleset
from ..core.state import Entity
from ..economy.catalogue import Market, Offer
from ..ruleset.expressions import parse
from ..ruleset.expressions.parse import ExpressionError, conjuncts, strip_mark
from ..ruleset.expressions.reads import reads
from ..ruleset.limits import needs_of
from ..turn import acts as act
from ..turn.context import OrderContext
from ..units import deploy
from ..world import routes
from ..world import treasury as stores
from ..world.selections import as_set, id_of
from ..world.world import World
from . import ways
from .grammar import Slot, slot_of
from .names import FORM_OF, Names
from .rows import is_purchase, open_to, orders_now
from .text import order_text

MAX_WAYS = 400
"""Fillings of one act's slots that are tried; rows with more are given with their slots open."""

ENUMERABLE = {"nation", "place", "side", "tech", "gate", "resource", "unit-kind", "choice", "force", "item"}


@dataclass(frozen=True, slots=True)
class Legal:
    """One order that may be given, or a group of moves.

    `cost` is what it costs each time (of purchases: each piece), `most` how many pieces or units in all, `targets` the places
    that the slot `target` may hold, `bounds` slot -> (least, most) of numbers, `open` the slots that the player must fill.
    """

    order: str
    nation: str
    slots: Mapping[str, Any]
    cost: Mapping[str, Any] = field(default_factory=dict)
    most: int = 1
    targets: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    open: tuple[str, ...] = ()

    def text(self, names: Names) -> str:
        """The line of an order file; open slots as `<slot>`."""
        return order_text(names.ruleset, names, {"order": self.order, "slots": self.slots})


def legal_orders(
    world: World,
    nation: str,
    only: Iterable[str] | None = None,
    *,
    items: frozenset[str] | None = None,
    tried: int = MAX_WAYS,
) -> Iterator[Legal]:
    """Every order that the nation may give now (`only`: of these rows, "form/id"). `world` is the nation's view.

    `items` keeps to purchases of these. `tried`: how many fillings of one act's slots are tried.
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
        yield from legal_acts(world, nation, row, tried)
    for id_, row in taken("orders"):
        if "for" in row and not open_to(world, row["for"], nation):
            continue
        if (step := deploy.deploys(world.ruleset, f"orders/{id_}")) is not None:
            yield from legal_deployments(world, nation, row, step)
        elif is_purchase(world.ruleset, row):
            yield from legal_purchases(world, nation, row, items)
        elif ways.mode_of(world.ruleset, row) is not None:
            yield from legal_moves(world, nation, row)
        elif items is None and (ways.UNITS not in row.get("slots", {}) or ways.places_with_units(world, nation)):
            yield _blank(nation, f"orders/{id_}", row)
    for id_, row in world.ruleset.rows("decisions").items():
        if "form" in row and wanted is not None and f"decisions/{id_}" in wanted:
            yield _blank(nation, f"decisions/{id_}", row)


def _blank(nation: str, key: str, row: Row) -> Legal:
    """An order of which only the player can say what goes into its slots."""
    slots = [slot_of(name, kind) for name, kind in row.get("slots", {}).items()]
    return Legal(key, nation, {}, open=tuple(s.name for s in slots if not s.optional))


# ---- acts


def legal_acts(world: World, nation: str, row: Row, tried: int = MAX_WAYS) -> list[Legal]:
    """Every way to give an act that its needs, limits and price allow."""

    def make() -> list[Legal]:
        return list(_acts(world, nation, row, tried))

    return world.keep(("legal", nation, row["id"], tried), None, make)  # type: ignore[no-any-return]


def _acts(world: World, nation: str, row: Row, tried: int) -> Iterator[Legal]:
    context = OrderContext(world)
    me = Entity("nation", nation)
    base: dict[str, Any] = {"self": me, "nation": me, "act": row["id"]}
    if act.closed(context, row, nation) is not None:
        return
    slots = [slot_of(name, kind) for name, kind in row.get("slots", {}).items()]
    base |= {s.name: None for s in slots if s.optional}
    free = {s.name for s in slots}
    early, late = _split_needs(world.ruleset, row, free)
    if not all(world.test(text, base) for text in early):
        return
    closed = [s for s in slots if s.kind in ENUMERABLE and not s.many and not s.optional]
    open_ = tuple(s.name for s in slots if s not in closed and s.kind != "number" and not s.optional)
    numbers = [s for s in slots if s.kind == "number"]
    domains = []
    for s in closed:
        held = _held(world, nation, s, late)
        values = domain(world, row, s.name, base) if held is None else held
        alone = [text for text in late if parse(text).names & free == {s.name}]  # tested once a value, not once a filling
        domains.append(_passing(context, alone, values, base, s, row["slots"][s.name]))
    size = 1
    for d in domains:
        size *= max(1, len(d))
    if size > tried:
        yield Legal(f"acts/{row['id']}", nation, {}, open=tuple(s.name for s in slots))
        return
    fixed = act.price(context, row, base) if isinstance(row.get("cost"), int) else None
    for filling in product(*domains):
        filled: dict[str, Any] = dict(zip((s.name for s in closed), filling, strict=True))
        names = {**base, **{s.name: context.slot_value(row["slots"][s.name], filled[s.name]) for s in closed}}
        bounds = {}
        for s in numbers:
            declared = row["slots"][s.name]
            rule = declared if isinstance(declared, dict) else {}
            least = int(world.number(rule.get("least", 1), names))
            most = int(world.number(rule["most"], names)) if "most" in rule else 999
            if most < least:
                break
            bounds[s.name] = (least, most)
            filled[s.name] = names[s.name] = least
        if len(bounds) < len(numbers):
            continue
        order = {"nation": nation, "order": f"acts/{row['id']}", "slots": filled}
        try:
            why = act.exhausted(context, row, names) if open_ else act.forbidden(context, row, order, names, act.Spent())
            if why is not None and not open_ and (none := [n for n, (least, most) in bounds.items() if least == 0 < most]):
                for name in none:  # nothing at all may be too little where one would do
                    bounds[name] = (1, bounds[name][1])
                    filled[name] = names[name] = 1
                why = act.forbidden(context, row, order, names, act.Spent())
            if why is not None:
                continue
            cost = act.price(context, row, names) if fixed is None else fixed
            if act.lacking(context, cost, nation) is not None:
                continue
        except ExpressionError:
            if not open_:
                raise
            cost = {}
        yield Legal(f"acts/{row['id']}", nation, filled, {k: v for k, v in cost.items() if v}, bounds=bounds, open=open_)


def _passing(
    context: OrderContext, tests: list[str], values: list[str], base: Mapping[str, Any], slot: Slot, declared: Any
) -> list[str]:
    """The values of a slot that pass tests which ask for nothing but the slot and the nation. Acts share many such tests."""
    if not tests:
        return values
    out = []
    asked = [(text, _answers(context.world, text, base["nation"], slot)) for text in tests]
    for value in values:
        names: dict[str, Any] | None = None
        for text, known in asked:
            holds = known.get(value)
            if holds is None:
                names = names or {**base, slot.name: context.slot_value(declared, value)}
                holds = known[value] = context.world.test(text, names)
            if not holds:
                break
        else:
            out.append(value)
    return out


def _answers(world: World, text: str, nation: Entity, slot: Slot) -> dict[str, bool]:
    """Answers known so far to a test of a slot's value; none of a test that reads the act too."""
    tables = world.ruleset.derived(f"tables of {text}", lambda: reads(world.ruleset, text))
    if tables is None or not parse(text).names <= {"self", "nation", slot.name}:
        return {}
    return world.memo(("slot", text, nation, slot.kind), tables)


def _held(world: World, nation: str, slot: Slot, needs: list[str]) -> list[str] | None:
    """The nation's own places, if a need says that the slot must be one: then no other has to be tried."""
    if slot.kind != "place" or f"{slot.name}.holder == self" not in needs:
        return None
    return stores.held_places(world, nation)


def domain(world: World, row: Row, slot: str, names: Mapping[str, Any]) -> list[str]:
    """What a slot may hold before any need is tested, in order."""
    declared = row.get("slots", {}).get(slot)
    shape: Slot = slot_of(slot, declared)
    if isinstance(declared, dict) and "among" in declared:
        text = strip_mark(declared["among"])
        reads = parse(text).names
        if not reads & (set(row.get("slots", {})) - {slot}):
            return sorted(str(id_of(t)) for t in as_set(world, world.value(text, names)))
    if shape.kind == "choice":
        return list(shape.choices)
    if shape.kind == "nation":
        return [n for n in world.nations() if world.alive(n)]
    if shape.kind == "force":
        return sorted(world.state.table("forces"))
    return list(world.ruleset.rows(FORM_OF.get(shape.kind, "")))


def _split_needs(ruleset: Ruleset, row: Row, slots: set[str]) -> tuple[list[str], list[str]]:
    """The tests of an act that do not ask for its slots (tried once), and those that do (tried for every filling)."""
    early: list[str] = []
    late: list[str] = []
    for need in needs_of(ruleset, row):
        test = need["test"]
        if need.get("secret") or isinstance(test, bool):
            if test is False and not need.get("secret"):
                early.append("False")
            continue
        parts = conjuncts(test)
        for part in parts:
            (late if parse(part).names & slots else early).append(part)
    return early, late


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
        slots = {ways.UNITS: units, ways.TARGET: place}
        yield Legal(f"orders/{row['id']}", nation, slots, most=sum(units.values()), targets=tuple(others))


# ---- purchases


def legal_purchases(world: World, nation: str, row: Row, items: frozenset[str] | None = None) -> list[Legal]:
    """Every item at every site that takes it, with the price of each and the most."""

    def make() -> list[Legal]:
        out = []
        slots = row.get("slots", {})
        main = stores.money(world.ruleset)
        for offer in offers(world, nation, items):
            item = world.ruleset.row("catalogue", offer.item)
            if not offer.most or not _is_item_of(world, row, offer.item, nation):
                continue
            faces = "facing" in slots or "target" in slots
            if bool(item.get("works")) != faces and not (faces and _optional(slots.get("facing", slots.get("target")))):
                continue
            if bool(item.get("fits")) != ("kind" in slots) and not _optional(slots.get("kind")):
                continue
            if "into" in slots and "appears" not in item and not _optional(slots["into"]):
                continue
            if bool(offer.site) != ("site" in slots) and not _optional(slots.get("site")):
                continue
            filled: dict[str, Any] = {"item": offer.item} if "item" in slots else {}
            if "n" in slots and not item.get("works"):
                filled["n"] = offer.most
            if offer.site:
                filled["site"] = offer.site
            cost = {main: offer.price + offer.fee}
            unfilled = tuple(s for s in ("into", "kind") if s in slots and not _optional(slots[s]))
            out.append(Legal(f"orders/{row['id']}", nation, filled, cost, offer.most, targets=offer.facing, open=unfilled))
        return out

    return world.keep(("purchases", nation, row["id"], items), None, make)  # type: ignore[no-any-return]


def market(world: World, nation: str) -> Market:
    """A price list that nothing is taken from; do not `take` from it."""
    found: Market = world.keep(("market", nation), None, lambda: Market(world, nation))
    return found


def offers(world: World, nation: str, items: frozenset[str] | None = None) -> list[Offer]:
    """The nation's price list, made once."""
    found: list[Offer] = world.keep(("offers", nation, items), None, lambda: list(market(world, nation).offers(items=items)))
    return found


def _optional(slot: Any) -> bool:
    return slot is None or (isinstance(slot, dict) and bool(slot.get("optional")))


def _is_item_of(world: World, row: Row, item: str, nation: str) -> bool:
    declared = row.get("slots", {}).get("item")
    if declared is None:
        return bool(row.get("does") == item)
    if not isinstance(declared, dict) or "among" not in declared:
        return True
    me = Entity("nation", nation)
    found = world.value(strip_mark(declared["among"]), {"self": me, "nation": me})
    return item in {id_of(t) for t in as_set(world, found)}


# ---- moves


def _may(world: World, nation: str, row: Row, places: Mapping[str, str]) -> bool:
    """Whether the needs of an order that ask for no other slots than these (slot -> place) hold for them."""
    me = Entity("nation", nation)
    names = {"self": me, "nation": me, **{slot: Entity("place", place) for slot, place in places.items()}}
    others = set(row.get("slots", {})) - set(places)
    for need in row.get("needs", ()):
        if need.get("secret") or isinstance(need["test"], bool):
            continue
        for part in conjuncts(need["test"]):
            if not parse(part).names & others and not world.test(part, names):
                return False
    return True


def legal_moves(world: World, nation: str, row: Row) -> list[Legal]:
    """For every place with units that can go by the order's mode: what could go together, and where."""

    def make() -> list[Legal]:
        mode = ways.mode_of(world.ruleset, row)
        out: list[Legal] = []
        if mode is None:
            return out
        if "cargo" in row.get("slots", {}):
            return _voyages(world, nation, row, mode)
        if ways.ORIGIN not in row.get("slots", {}):  # they start from where another order brings them
            return [_blank(nation, f"orders/{row['id']}", row)] if ways.places_with_units(world, nation) else []
        for place in ways.places_with_units(world, nation):
            counts = ways.free_units(world, nation, place)
            if not counts or not _may(world, nation, row, {ways.ORIGIN: place}):
                continue
            if ways.TARGET not in row.get("slots", {}):
                fits = {k: n for k, n in counts.items() if ways.goes_by(world, mode, k)}
                if fits and ways.ORIGIN in row.get("slots", {}):
                    out.append(Legal(f"orders/{row['id']}", nation, {ways.UNITS: fits, ways.ORIGIN: place}))
                continue
            fits = {k: n for k, n in counts.items() if ways.goes_by(world, mode, k)}
            ends = {k: ways.targets(world, nation, mode, place, k) for k in fits}
            room = routes.room_left(world, mode, (place,)) if mode.get("capacity") else None
            for kinds, targets in ways.grouped(fits, ends):
                most = sum(kinds.values()) if room is None else min(int(room), sum(kinds.values()))
                kinds = {k: min(n, most) for k, n in kinds.items()}
                if row.get("needs"):
                    targets = tuple(t for t in targets if _may(world, nation, row, {ways.ORIGIN: place, ways.TARGET: t}))
                if most > 0 and targets:
                    slots = {ways.UNITS: kinds, ways.ORIGIN: place}
                    out.append(Legal(f"orders/{row['id']}", nation, slots, most=most, targets=targets))
        return out

    mode = ways.mode_of(world.ruleset, row)
    tables = None if row.get("needs") or mode is None else routes.decided_by(world, mode)
    return world.keep(("moves", nation, row["id"]), tables, make)  # type: ignore[no-any-return]


def _voyages(world: World, nation: str, row: Row, mode: Row) -> list[Legal]:
    """Orders to carry others: where the carriers are; whom, whence and where to is open."""
    carriers = mode.get("carries", {}).get("carriers")
    out = []
    for place in ways.places_with_units(world, nation):
        counts = ways.free_units(world, nation, place)
        fits = {k: n for k, n in counts.items() if ways.goes_by(world, mode, k) and routes.kind_matches(world, carriers, k)}
        if fits:
            slots = {ways.UNITS: fits, "zone": place}
            out.append(Legal(f"orders/{row['id']}", nation, slots, open=("cargo", ways.ORIGIN, ways.TARGET)))
    return out
