"""Orders of units: who goes, looks, fires or sails, whence, where to, and whether it may be so.

Which test is asked depends on what the row does: a mode by which units move, a mode whose forces have tasks, a row of
reconnaissance; an order that does none of these only takes its units.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...battle import active_recon
from ...battle.targets import no_loss
from ...core.model import Row
from ...turn.context import Order
from ...turn.slots import unfit
from ...turn.validated_orders import Note, Refusal, RefusalCode, Remark, ValidatedOrder
from ...units import assignment, exploitation, fleet_orders, forces, land_orders
from ...units.attacking import Attack, follows
from ...units.fleet import Voyage
from ...world import routes
from .. import movement, undeclared_war
from ..expected_moves import Move
from ..match import ALL, is_every
from ..order_kinds import unit_slots
from .book import OrderBook, OrderRefused, Understood

Uses = list[Callable[[], object]]


def understand(book: OrderBook, row: Row, order: Order) -> Understood:
    """Units that may do what they are ordered. Raises Refused."""
    mode = movement.mode_of(book.ruleset, row)
    order = _counted(book, row, order, mode)
    slots = order["slots"]
    names = {**book.context.order_names(order), "earlier": _earlier(book, str(slots.get(movement.ORIGIN)))}
    book.check(unfit(book.context, row, order, names, secrets=False))
    book.check(no_loss(book.world, order))
    book.check_text(
        RefusalCode.CHOICE,
        land_orders.unlike(book.context, order, book.first.get(order["order"])),
        next(iter(row.get("alike", ())), ""),
    )
    uses: Uses = [lambda: book.first.setdefault(order["order"], order)]
    picked = _picked(book, row, order, uses)
    moves: list[Move] = []
    intent = ValidatedOrder(order, units=dict(slots.get(movement.UNITS) or {}), site=str(slots.get(movement.TARGET) or ""))
    tasked = book.ruleset.rows("modes").get(row.get("does", ""), {})
    if tasked.get("tasks"):
        intent = _sail(book, order, tasked, intent, uses, moves)
    elif mode is None and book.ruleset.has("contacts", row.get("does")) and slots.get(movement.UNITS):
        probe = active_recon.understand(book.context, order, book.ruleset.row("contacts", row["does"]), dict(book.left))
        book.check_text(RefusalCode.WAY, probe if isinstance(probe, str) else None, movement.TARGET)
    elif mode is not None and slots.get(movement.UNITS) and slots.get(movement.ORIGIN) is not None:
        intent = _march(book, mode, order, intent, uses)
        book.check(exploitation.unable(book.context, book.nation, mode, order, picked))
    remarks = [*intent.remarks, *_undeclared(book, mode, order)]
    if "commits" in row:
        uses.append(lambda: _commit(book, picked))
    cost, more = book.cost(row, order, names)
    uses.append(lambda: book.spend(cost))
    move = moves[0] if moves else intent.path or None
    return Understood(replace(intent, cost=cost, remarks=(*remarks, *more)), uses, move=move if mode or moves else None)


def advise(book: OrderBook, row: Row, order: Order, why: Refusal) -> str:
    """The nearest that could be ordered in place of what is refused."""
    slots = order.get("slots", {})
    origin, target = slots.get(movement.ORIGIN), slots.get(movement.TARGET)
    mode = movement.mode_of(book.ruleset, row)
    if (
        why.code != RefusalCode.WAY
        or why.slot != movement.TARGET
        or origin is None
        or target is None
        or is_every(slots.get(movement.UNITS))
    ):
        return ""
    if mode is None and book.ruleset.has("contacts", row.get("does")):
        return _other_look(book, order, book.ruleset.row("contacts", row["does"]))
    if mode is None or mode.get("tasks"):
        return ""
    ends = [set(movement.targets(book.world, book.nation, mode, str(origin), kind)) for kind in slots.get(movement.UNITS, ())]
    both = set.intersection(*ends) - {str(target)} if ends else set()
    near = movement.nearest_of(book.world, both, str(target))
    return f"they can go to {book.printed('place', near)}" if near else "they can go nowhere this way"


# ---- who


def _counted(book: OrderBook, row: Row, order: Order, mode: Row | None) -> Order:
    """The order with numbers in the place of `all`."""
    slots = dict(order.get("slots", {}))
    for name, where in unit_slots(row):
        if slots.get(name) and slots.get(where) is not None:
            whose = _whose(book, row, slots, name)
            slots[name] = _numbers(
                book, row, slots[name], str(slots[where]), mode if name == movement.UNITS else None, name, whose
            )
    return {**order, "slots": slots}


def _whose(book: OrderBook, row: Row, slots: Mapping[str, Any], slot: str) -> tuple[str, str]:
    """Whose units a slot names, and aboard whose carriers those of other slots of the order may be."""
    voyage = book.fleet.voyages.get(int(slots.get("aboard") or 0))
    host = voyage.host if voyage is not None and voyage.host else forces.whose(row, slots, book.nation)
    return forces.whose(row, slots, book.nation, slot), host


def _numbers(
    book: OrderBook, row: Row, wanted: Mapping[str, Any], origin: str, mode: Row | None, slot: str, whose: tuple[str, str]
) -> dict[str, Any]:
    left = units_left(book, row, origin, whose)
    if (every := book.every(wanted, left)) is not None:
        fits = {k: n for k, n in every.items() if mode is None or movement.goes_by(book.world, mode, k)}
        if not fits:
            where = book.names.printed("place", origin)
            raise OrderRefused(Refusal(RefusalCode.UNITS, f"no units in {where} are free to go this way", slot))
        return fits
    out = {}
    for kind, number in wanted.items():
        out[kind] = left.get(kind, 0) if number == ALL else int(number)
        if out[kind] <= 0 and number != ALL:
            raise OrderRefused(Refusal(RefusalCode.NUMBER, "the number must be at least 1", slot))
        if out[kind] <= 0:
            raise OrderRefused(_too_many(book, kind, 1, origin, left, slot, whose[0]))
    return out


def _picked(book: OrderBook, row: Row, order: Order, uses: Uses) -> dict[str, int]:
    """The units that an order takes, stack by stack. Raises Refused if there are too few."""
    slots = order["slots"]
    picked: dict[str, int] = {}
    for name, where in unit_slots(row):
        wanted, place = slots.get(name), slots.get(where)
        if not wanted or place is None:
            continue
        whose = _whose(book, row, slots, name)
        left = units_left(book, row, str(place), whose)
        for kind, number in wanted.items():
            if number > left.get(kind, 0):
                raise OrderRefused(_too_many(book, kind, number, str(place), left, name, whose[0]))
        for key, n in forces.pick(_stacks(book, row, str(place), whose), wanted) or ():
            picked[key] = picked.get(key, 0) + n
        if whose[0] != book.nation:
            continue
        taken = [(row["id"], str(place), kind, int(n)) for kind, n in wanted.items()]
        uses.append(lambda those=taken: book.taken.extend(those))  # type: ignore[misc]
    return picked


def _earlier(book: OrderBook, place: str) -> dict[str, int]:
    """What the orders that stand so far take from a place, by kind."""
    return dict(sum((Counter({kind: n}) for _, where, kind, n in book.taken if where == place), Counter()))


def _stacks(book: OrderBook, row: Row, place: str, whose: tuple[str, str]) -> list[tuple[str, Row]]:
    """The stacks at a place that are free to go; for orders that commit units, less what earlier ones took."""
    mode = book.ruleset.rows("modes").get(row.get("does", ""), {})
    owner, host = whose
    free = routes.free_stacks(book.world, owner, place, again=bool(mode.get("again")))
    if movement.CARGO in row.get("slots", {}) and owner == book.nation:
        free = [*free, *forces.afloat_at(book.world.state, owner, place, host)]
    if "commits" not in row:
        return free
    now = [(k, {**r, "n": book.left.get(k, int(r["n"]))}) for k, r in free]
    return [(k, r) for k, r in now if r["n"] > 0]


def units_left(book: OrderBook, row: Row, place: str, whose: tuple[str, str] | None = None) -> dict[str, int]:
    """Units at a place that this order may still take: an order that commits none counts those it has had itself."""
    left: dict[str, int] = {}
    for _, stack in _stacks(book, row, place, whose or (book.nation, book.nation)):
        left[stack["kind"]] = left.get(stack["kind"], 0) + int(stack["n"])
    for other, where, kind, number in book.taken:
        if where == place and other == row["id"] and "commits" not in row:  # those of orders that commit are no longer free
            left[kind] = left.get(kind, 0) - number
    return left


def _too_many(book: OrderBook, kind: str, number: int, origin: str, left: Mapping[str, int], slot: str, whose: str) -> Refusal:
    there = movement.free_units(book.world, whose, origin).get(kind, 0)
    where = book.names.printed("place", origin)
    what = book.names.printed("unit-kind", kind, number)
    ordered = there - left.get(kind, 0)
    rows = book.ruleset.rows("orders")
    to_do = dict.fromkeys(str(rows[r].get("name", r)) for r, p, k, _ in book.taken if (p, k) == (origin, kind))
    told = f", {ordered} of them ordered already ({', '.join(to_do)})" if ordered else ""
    of = "" if whose == book.nation else f" of {book.names.printed('nation', whose)}"
    text = f"{number} {what}{of} ordered, {there} in {where}{told}"
    if there:
        return Refusal(RefusalCode.UNITS, text, slot, f"at most {left[kind]}" if left.get(kind, 0) > 0 else "")
    places = movement.places_with_units(book.world, whose)
    held = [p for p in places if movement.free_units(book.world, whose, p).get(kind)]
    near = movement.nearest_of(book.world, held, origin)
    several = book.names.printed("unit-kind", kind, 2)
    return Refusal(RefusalCode.UNITS, text, slot, f"there are {several} in {book.printed('place', near)}" if near else "")


def _commit(book: OrderBook, picked: Mapping[str, int]) -> None:
    for key, n in picked.items():
        book.left[key] = book.left.get(key, int(book.world.state.get("units", key, "n", 0))) - n


# ---- where to


def _sail(book: OrderBook, order: Order, mode: Row, intent: ValidatedOrder, uses: Uses, moves: list[Move]) -> ValidatedOrder:
    """A force with tasks."""
    found = fleet_orders.understand(book.context, order, mode, dict(book.left), book.fleet, int(order.get("number") or 0))
    if isinstance(found, str):
        raise OrderRefused(Refusal(RefusalCode.WAY, found, movement.TARGET))
    uses.append(lambda: book.fleet.take(found))
    if not isinstance(found, Voyage):
        return intent
    moves.append(found)
    landings = _landings(book, order, mode, found)
    uses.append(lambda: book.attacks.extend(landings))
    remarks = [Remark(Note.READ, text, movement.UNITS) for text in assignment.notes(book.context, found)]
    if found.gate is not None:
        remarks.append(_closed(book, found.gate))
    path = (found.start, *(str(entry["place"]) for entry in found.plan if "place" in entry))
    attacks = tuple(dict.fromkeys(landing.target for landing in landings))
    return replace(intent, path=path, site=found.target, remarks=tuple(remarks), attacks=attacks)


def _landings(book: OrderBook, order: Order, mode: Row, voyage: Voyage) -> list[Attack]:
    """The landings of a voyage in the face of an enemy: attacks, into which some kinds go only beside others."""
    shore = book.ruleset.row("modes", mode["ashore"]) if "ashore" in mode else mode
    return [
        Attack(order.get("place"), book.nation, part["to"], True, shore, follows(book.world, shore, part["units"]))
        for part in voyage.lands
        if routes.is_attack(book.world, book.nation, str(part["to"]))
    ]


def _closed(book: OrderBook, gate: str) -> Remark:
    return Remark(Note.PASSAGE, f"{book.names.printed('gate', gate)} is closed as things stand", movement.TARGET)


def _march(book: OrderBook, mode: Row, order: Order, intent: ValidatedOrder, uses: Uses) -> ValidatedOrder:
    """Units that go from place to place by a mode."""
    slots = order["slots"]
    target = slots.get(movement.TARGET)
    if target is None:
        return intent
    taken = {place: n for (by, place), n in book.loads.items() if by == mode["id"]}
    found = land_orders.understand(book.context, order, mode, dict(book.left), taken, foreseen=True, claims=book.claims)
    if isinstance(found, str):
        raise OrderRefused(Refusal(RefusalCode.WAY, found, movement.TARGET))
    book.check(land_orders.only_attacks(book.context, found))
    if found.hostile:
        beside = follows(book.world, mode, slots[movement.UNITS])
        attack = Attack(order.get("place"), book.nation, str(target), bool(found.picks), mode, beside)
        uses.append(lambda: book.attacks.append(attack))
    if (claim := found.claim) is not None:
        uses.append(lambda: book.claims.append(claim))
    if mode.get("capacity"):
        uses.extend(_load(book, mode, found.path, found.count))
    remarks = () if found.gate is None else (_closed(book, found.gate),)
    return replace(intent, path=found.path, remarks=remarks, attacks=(str(target),) if found.hostile else ())


def _load(book: OrderBook, mode: Row, path: routes.Path, count: int) -> Uses:
    """Count units against the capacity of the places on their way, together with those of earlier lines."""
    drawn: dict[str, int] = {}  # a way that comes by a place twice takes its room twice
    for place in routes.drawn_places(mode, path):
        drawn[place] = drawn.get(place, 0) + count
    for place, needed in drawn.items():
        most = routes.capacity(book.world, mode, place)
        used = routes.used(book.world, mode, place) + book.loads.get((mode["id"], place), 0)
        left = None if most is None else most - used
        if left is not None and left < needed:
            hint = f"at most {left * count // needed}" if left * count >= needed else "earlier orders take all of it"
            raise OrderRefused(
                Refusal(RefusalCode.WAY, f"no room for {needed} in {book.names.printed('place', place)}", movement.UNITS, hint)
            )

    def use() -> None:
        for place, needed in drawn.items():
            book.loads[mode["id"], place] = book.loads.get((mode["id"], place), 0) + needed

    return [use]


def _undeclared(book: OrderBook, mode: Row | None, order: Order) -> list[Remark]:
    ashore = book.ruleset.rows("modes").get(mode["ashore"]) if mode and "ashore" in mode else mode
    warning = undeclared_war.unannounced(book.world, book.nation, ashore, order["slots"].get(movement.TARGET))
    return [] if warning is None else [Remark(Note.UNDECLARED, warning, movement.TARGET)]


def _other_look(book: OrderBook, order: Order, contact: Row) -> str:
    """What could look, or be looked at, in the place of an order to look that is not allowed."""
    slots = order["slots"]
    able, places = active_recon.choices(book.context, order, contact, list(slots[movement.UNITS]))
    if any(kind not in able for kind in slots[movement.UNITS]):
        where = book.names.printed("place", str(slots[movement.ORIGIN]))
        names = [book.names.printed("unit-kind", kind, 2) for kind in able]
        return f"in {where} these can: {', '.join(names)}" if names else f"nobody in {where} can"
    near = movement.nearest_of(book.world, places, str(slots.get(movement.TARGET)))
    return f"they can look at {book.printed('place', near)}" if near else "they can look nowhere"
