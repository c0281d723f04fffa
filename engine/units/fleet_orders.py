"""Orders of forces understood: who sails, along which way, with what task on every point, carrying whom.

Slots read: `units` (those that sail), `origin`, `target` and `via` (places of the way; the same place twice
means to stay there for a point), `tasks` (missions, one a point). With a slot `cargo`, `origin` and `target`
are where the cargo comes aboard and goes ashore, and `zone` is where the carriers are. Forces are numbered as
they are listed: `part_of` is the number of the one that units leave after `after` points; `cargo` without
`units` goes aboard the one numbered `aboard`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.frame import nodes_in
from ..core.model import SEQUENCE, Row, Ruleset, derived_of
from ..core.rows import MovementRow
from ..core.state import Entity, Fields
from ..turn.context import Order, OrderContext
from ..world import routes
from . import forces
from .assignment import missions_refusal
from .cargo_loading import beaches_of, quays_of, stays_afloat, stowed
from .cargo_room import burden, room_of, size_of, size_of_kinds
from .fleet import Fleet, Parcel, Voyage, mission_row
from .land_orders import earlier_gone, none_left


def understand(
    turn: OrderContext,
    order: Order,
    mode: MovementRow,
    left: dict[str, int],
    fleet: Fleet | None = None,
    number: int = 0,
) -> Voyage | Parcel | str:
    """One order as a voyage, or as more cargo for one, or why it cannot be.

    `left` counts what earlier orders leave of each stack, `fleet` knows the earlier orders themselves. The
    needs of its row are asked before (`turn/slots.unmet`).
    """
    fleet = fleet if fleet is not None else Fleet()
    row = turn.ruleset.row_or_empty("orders", order["order"].partition("/")[2])
    slots = order.get("slots", {})
    if "part_of" in slots:
        return _parting(turn, order, row, mode, fleet, number)
    if "units" not in slots:
        return _parcel(turn, order, mode, fleet, left)
    start = slots.get(forces.starts_at(row))
    world, nation = turn.world, str(order["nation"])
    wanted = forces.wanted(slots["units"])
    if isinstance(wanted, str) or start is None:
        return wanted if isinstance(wanted, str) else "it names no place to start from"
    host = forces.whose(row, slots, nation)
    stacks = routes.free_stacks(world, host, start, again=bool(mode.get("again")))
    picks = forces.pick_left(stacks, wanted, left)
    if picks is None:
        return routes.too_few(turn.world, host, start, wanted)
    gone = earlier_gone(world, host, start, left)
    if short := none_left(world, host, mode, start, sum(n for _, n in picks), gone):
        return short.text
    voyage = Voyage(
        order, mode, start, picks, [], [], wanted, host=host if host != nation else "", number=number
    )
    if voyage.host and not world.allied(host, nation):
        return f"{routes.name_of(world, 'nations', host)} is no ally"
    going = routes.Going(world, nation, mode, [Entity("unit", k) for k, _ in picks])
    refused = routes.going_refusal(going, start)
    if refused:
        return refused
    found = _way_or_through_gates(turn, going, voyage, row, fleet, left)
    if isinstance(found, str):
        return found
    voyage.plan, voyage.cargo, after = found
    voyage.burden = burden(turn, mode, host, start, picks, left)
    voyage.gate = routes.shut_on(going, start, (entry["place"] for entry in voyage.plan))
    why = (
        _too_far(turn, voyage, voyage.plan, fleet)
        or missions_refusal(turn, voyage, fleet)
        or _overladen(turn, voyage)
    )
    why = why or _no_end(going, voyage.target)
    if why:
        return why
    left.update(after)
    forces.take(world.state, picks, left)
    return voyage


def _way_or_through_gates(
    turn: OrderContext, going: routes.Going, voyage: Voyage, row: Row, fleet: Fleet, left: Mapping[str, int]
) -> tuple[list[Fields], list[Fields], dict[str, int]] | str:
    """The plan of a voyage and its cargo, with what its cargo leaves of each stack; or why there is no way.

    Where no way is open, or it is too long, one through shut passages is good if that is short enough: they
    may be open when the voyage comes to them.
    """
    slots, start, picks = voyage.order.get("slots", {}), voyage.start, voyage.picks
    after = dict(left)
    found = _way(turn, going, row, slots, start, picks, after)
    if isinstance(found, str) or _too_far(turn, voyage, found[0], fleet):
        wide = routes.Going(turn.world, voyage.nation, voyage.mode, going.units, open_gates=True)
        after_wide = dict(left)
        through = _way(turn, wide, row, slots, start, picks, after_wide)
        if not isinstance(through, str) and not _too_far(turn, voyage, through[0], fleet):
            return (*through, after_wide)
    return found if isinstance(found, str) else (*found, after)


def _parting(
    turn: OrderContext, order: Order, row: Row, mode: MovementRow, fleet: Fleet, number: int
) -> Voyage | str:
    """Units that leave a force on its way and go on as one of their own."""
    slots, world, nation = order["slots"], turn.world, str(order["nation"])
    parent, after = fleet.voyages.get(int(slots["part_of"])), int(slots.get("after") or 0)
    if parent is None:
        return f"there is no force {slots['part_of']} to leave; {fleet.those()}"
    if parent.parent or not 0 < after <= len(parent.plan):
        most = (
            f"after at most {len(parent.plan)} points"
            if not parent.parent
            else "only those that set out by themselves are parted"
        )
        return f"they cannot leave force {parent.number} then: {most}"
    wanted = forces.wanted(slots["units"])
    if isinstance(wanted, str):
        return wanted
    gone: dict[str, int] = {}
    for earlier in fleet.voyages.values():
        for kind, n in earlier.units.items() if earlier.parent == parent.number else ():
            gone[kind] = gone.get(kind, 0) + n
    for kind, n in wanted.items():
        there = parent.units.get(kind, 0) - gone.get(kind, 0)
        if n > there:
            name = routes.name_of(world, "units", kind)
            return f"{n} of {name} are to leave force {parent.number}, which has {max(0, there)} left"
    if all(wanted.get(k, 0) + gone.get(k, 0) >= n for k, n in parent.units.items()):
        return f"somebody must stay with force {parent.number}"
    here = parent.place_after(after)
    picks = [(k, n) for k, n in parent.picks if world.state.get("units", k, "kind") in wanted]
    going = routes.Going(world, nation, mode, [Entity("unit", k) for k, _ in picks], open_gates=True)
    plan = _plan(turn, going, row, slots, here)
    if isinstance(plan, str):
        return plan
    behind: list[Fields] = [{}] * after
    voyage = Voyage(
        order, mode, here, [], behind + plan, [], wanted, number=number, parent=parent.number, after=after
    )
    voyage.gate = routes.shut_on(
        routes.Going(world, nation, mode, going.units), here, (entry["place"] for entry in plan)
    )
    most = going.allowance(parent.start)
    if most is not None and len(voyage.plan) > most:
        with_it = f"{after} of them with force {parent.number}"
        return f"they have {most} moves, {with_it}: {most - after} left, and it takes {len(plan)}"
    why = missions_refusal(turn, voyage, fleet)
    if why:
        return why
    return voyage


def _way(
    turn: OrderContext, going: routes.Going, row: Row, slots: Mapping[str, Any], start: str,
    picks: Sequence[forces.Pick], left: dict[str, int],
) -> tuple[list[Fields], list[Fields]] | str:  # fmt: skip
    """The plan of an order, and its cargo if it carries any."""
    if "cargo" in slots:
        return _with_cargo(turn, going, row, slots, start, picks, left)
    made = _plan(turn, going, row, slots, start)
    return made if isinstance(made, str) else (made, [])


def _no_end(going: routes.Going, place: str) -> str | None:
    """Why the way cannot end where it does, by the mode's `end`."""
    if going.test("end", place, f"{place}>{place}", (place,)):
        return None
    return f"they cannot end in {routes.name_of(going.world, 'places', place)}"


def _too_far(turn: OrderContext, voyage: Voyage, plan: Sequence[Row], fleet: Fleet) -> str | None:
    """Why the way is too long for those who are to go all of it."""
    last = fleet.present(voyage, len(plan))
    units = [Entity("unit", k) for k, _ in voyage.picks if turn.state.get("units", k, "kind") in last]
    most = (
        routes.Going(turn.world, voyage.nation, voyage.mode, units).allowance(voyage.start) if units else None
    )
    points = points_of(turn, voyage.start, plan)
    if most is None or points <= most:
        return None
    reached = routes.name_of(turn.world, "places", str(plan[most - 1]["place"]) if most > 0 else voyage.start)
    return f"the way and the tasks on it take {points} moves, they have {most} and come as far as {reached}"


def points_of(turn: OrderContext, start: str, plan: Sequence[Row]) -> int:
    """The points of movement that a plan takes: one for each entry, but where the mission is `free` only
    those that move.
    """
    before = [start, *(entry.get("place") for entry in plan)]
    return sum(
        place != entry.get("place") or not mission_row(turn.ruleset, entry.get("mission")).get("free")
        for place, entry in zip(before, plan, strict=False)
    )


# ---- ways and tasks


def _zones(going: routes.Going, start: str, stops: Sequence[str]) -> list[str] | str:
    """Every place of the way after the start: to a place that is not next the shortest way; a repeated one
    means to stay.
    """
    out: list[str] = []
    here = start
    for goal in stops:
        if out and goal != here and _stopped(going, (start, *out)):
            return f"they cannot go on from {routes.name_of(going.world, 'places', here)}"
        if goal == here:
            out.append(here)
            continue
        path = routes.find_path(going, here, goal)
        if path is None:
            return f"no way to {routes.name_of(going.world, 'places', goal)} is open"
        out.extend(path[1:])
        here = goal
    return out


def _stopped(going: routes.Going, path: routes.Path) -> bool:
    """Whether the way ends at a place that the order names on it; where all move tick by tick nobody can know
    yet.
    """
    here = f"{path[-2]}>{path[-1]}"
    return not _in_ticks(going.world.ruleset) and going.stops(path[-1], here, path[:-1])


@derived_of(SEQUENCE)
def _in_ticks(ruleset: Ruleset) -> bool:
    return any("ticks" in node for _, node, _ in nodes_in(ruleset.sequence))


def _plan(
    turn: OrderContext, going: routes.Going, row: Row, slots: Mapping[str, Any], start: str
) -> list[Fields] | str:
    """Places and tasks put together: a task that stays spends its point where the force is, any other takes
    the next step.
    """
    target = slots.get("target")
    try:
        via = routes.named_places(turn.world, slots.get("via"))
    except ValueError as error:
        return str(error)
    stops = [*via, *([target] if target and (not via or via[-1] != target) else [])]
    zones = _zones(going, start, stops)
    if isinstance(zones, str):
        return zones
    given = slots.get("tasks") or []
    tasks: list[str | None] = [given] if isinstance(given, str) else list(given)
    fallback = row.get("mission") or default_mission(turn, going, start)
    tasks = tasks or [fallback]
    plan: list[Fields] = []
    here, left = start, list(zones)
    for index in range(max(len(tasks), 1)):
        mission = tasks[index]
        last = index == len(tasks) - 1
        stays = bool(mission_row(turn.ruleset, mission).get("stays"))
        if stays and last and left:  # the way comes first, on the way nothing else is done
            moving = next(
                (t for t in reversed(tasks[:index]) if not mission_row(turn.ruleset, t).get("stays")),
                fallback,
            )
            plan.extend({"place": zone, "mission": moving} for zone in left)
            here, left = left[-1], []
        if not stays and left:
            steps = left if last else left[:1]
            plan.extend({"place": zone, "mission": mission} for zone in steps)
            here, left = steps[-1], left[len(steps) :]
        else:
            plan.append({"place": here, "mission": mission})
    return plan


def default_mission(turn: OrderContext, going: routes.Going, place: str) -> str | None:
    """The mission of ships that are given none: the first whose `default` holds for all of them."""
    for id_, row in turn.ruleset.rows("missions").items():
        if "default" not in row:
            continue
        if all(
            turn.world.test(row["default"], going.names(u, place, f"{place}>{place}", (place,)))
            for u in going.units
        ):
            return id_
    return None


# ---- cargo


def _with_cargo(
    turn: OrderContext, going: routes.Going, row: Row, slots: Mapping[str, Any], zone: str,
    picks: Sequence[forces.Pick], left: dict[str, int],
) -> tuple[list[Fields], list[Fields]] | str:  # fmt: skip
    """The plan of a voyage with cargo: to where it can come aboard, to where it can go ashore, and the
    landing.
    """
    try:
        via = routes.named_places(turn.world, slots.get("via"))
    except ValueError as error:
        return str(error)
    host = forces.whose(row, slots, going.nation)
    found = stowed(turn, going.mode, slots, going.nation, zone, left, host if host != going.nation else "")
    if isinstance(found, str):
        return found
    parcel, chosen = found
    room, size = room_of(turn, going.mode, picks), size_of(turn, going.mode, chosen)
    if size > room:
        return f"the cargo takes {size} of {room} places aboard"
    quays = quays_of(turn, going.mode, going.nation, parcel["from"], zone)
    if not quays:
        return f"nothing can come aboard from {routes.name_of(turn.world, 'places', parcel['from'])} now"
    ways = _load_and_land(
        going,
        zone,
        via,
        quays,
        beaches_of(turn, going.mode, parcel["to"]),
    )
    if isinstance(ways, str):
        return ways
    zones, loads = ways
    if zones and host != going.nation:
        ships, there = routes.name_of(turn.world, "nations", host), routes.name_of(turn.world, "places", zone)
        return f"ships of {ships} stay in {there}: troops come aboard, and go ashore, beside it"
    mission = row.get("mission")
    plan: list[Fields] = [{"place": z, "mission": mission} for z in zones]
    if not stays_afloat(turn, going.mode, parcel["to"]):
        plan.append({"place": zones[-1] if zones else zone, "mission": mission, "land": True})
    elif loads == len(plan):  # they take cargo aboard where they end
        plan.append({"place": zones[-1] if zones else zone, "mission": mission})
    plan[loads]["load"] = [0]
    forces.take(turn.state, chosen, left)
    return plan, [parcel]


def _parcel(
    turn: OrderContext, order: Order, mode: MovementRow, fleet: Fleet, left: dict[str, int]
) -> Parcel | str:
    """More cargo for a force: where it passes, as far as it has room; ashore where it unloads."""
    slots, world, nation = order["slots"], turn.world, str(order["nation"])
    voyage = fleet.voyages.get(int(slots.get("aboard") or 0))
    if voyage is None:
        return f"there is no force {slots.get('aboard')}; {fleet.those()}"
    if not voyage.cargo:
        return f"force {voyage.number} carries no troops"
    found = stowed(turn, mode, slots, nation, voyage.start, left, voyage.host)
    if isinstance(found, str):
        return found
    parcel, chosen = found
    room, size = room_of(turn, mode, voyage.picks), _laden(turn, voyage, parcel)
    if size > room:
        return f"the cargo takes {size} of {room} places aboard"
    quays = quays_of(turn, mode, voyage.nation, parcel["from"], voyage.start)
    stops = [voyage.place_after(i) for i in range(len(voyage.plan))]
    point = next((i for i, place in enumerate(stops) if place in quays), None)
    once = _loads_in(turn, voyage) if parcel["from"] != voyage.start else None
    if once is not None and point is not None:
        point = next((i for i, place in enumerate(stops) if place in quays and place == once), None)
        if point is None:
            there, coast = (routes.name_of(world, "places", p) for p in (once, parcel["from"]))
            return f"troops come aboard in one zone only, {there}, which is not next to {coast}"
    if point is None:
        where = ", ".join(routes.name_of(world, "places", p) for p in dict.fromkeys(stops))
        return (
            f"force {voyage.number} does not come to {routes.name_of(world, 'places', parcel['from'])}; "
            f"it passes {where}"
        )
    if voyage.target not in beaches_of(turn, mode, parcel["to"]):
        where = routes.name_of(world, "places", voyage.target)
        return (
            f"{routes.name_of(world, 'places', parcel['to'])} is not next to {where}, where force "
            f"{voyage.number} unloads"
        )
    shores = {part["to"] for part in voyage.cargo}
    if mode["carries"].get("one_shore") and parcel["to"] not in shores:
        there = ", ".join(routes.name_of(world, "places", p) for p in sorted(shores))
        return f"force {voyage.number} puts everybody ashore in one place, {there}"
    forces.take(world.state, chosen, left)
    return Parcel(order, voyage.number, parcel, point)


def _overladen(turn: OrderContext, voyage: Voyage) -> str | None:
    """Why a force cannot take its cargo beside what it has aboard already, or None."""
    if not voyage.cargo or not voyage.loaded:
        return None
    room, size = room_of(turn, voyage.mode, voyage.picks), _laden(turn, voyage)
    return f"the cargo takes {size} of {room} places aboard" if size > room else None


def _laden(turn: OrderContext, voyage: Voyage, more: Row | None = None) -> Any:
    """The room that the cargo of a force takes, with another part, and with what has been aboard and stays
    there.
    """
    afloat: Any = 0
    ashore: Any = 0
    for part in (*voyage.cargo, *([more] if more else ())):
        size = size_of_kinds(turn, voyage.mode, voyage.nation, part["units"])
        afloat, ashore = (afloat + size, ashore) if part["from"] == voyage.start else (afloat, ashore + size)
    return ashore + max(afloat, voyage.burden)


def _loads_in(turn: OrderContext, voyage: Voyage) -> str | None:
    """The only place where cargo of a force comes aboard, if its mode says that there is but one (`once`) and
    it is known.
    """
    names = {"self": Entity("nation", voyage.nation)}
    if not turn.world.test(voyage.mode["carries"].get("once", False), names):
        return None
    for point, entry in enumerate(voyage.plan):
        if any(voyage.cargo[index]["from"] != voyage.start for index in entry.get("load", ())):
            return voyage.place_after(point)
    return None


def _load_and_land(
    going: routes.Going, zone: str, via: list[str], quays: Sequence[str], beaches: Sequence[str]
) -> tuple[list[str], int] | str:
    """The places of the way and the index of the point on which cargo comes aboard (just before that point's
    move).
    """
    zones = _zones(going, zone, via)
    if isinstance(zones, str):
        return zones
    here = zones[-1] if zones else zone
    met = next((i for i, z in enumerate([zone, *zones]) if z in quays), None)
    if met is None:
        way = _nearest(going, here, quays)
        if way is None:
            return "the ships cannot come to where the cargo is"
        zones += way
        met, here = len(zones), way[-1] if way else here
    if here not in beaches:
        way = _nearest(going, here, beaches)
        if way is None:
            return "the ships cannot come to where the cargo is to go ashore"
        zones += way
    return zones, met


def _nearest(going: routes.Going, start: str, goals: Sequence[str]) -> list[str] | None:
    """The shortest way (without its start) to the nearest of some places."""
    if start in goals:
        return []
    found = routes.search(going, start, None, nearest_of=goals)
    best = min((found[g] for g in goals if g in found), default=None)
    return list(best[1][1:]) if best else None
