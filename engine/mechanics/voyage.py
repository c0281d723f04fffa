"""Orders of forces understood: who sails, along which way, with what task on every point, carrying whom.

Slots read: `units` (those that sail), `origin`, `target` and `via` (places of the way; the same place twice means to stay
there for a point), `tasks` (missions, one a point). With a slot `cargo`, `origin` and `target` are where the cargo comes
aboard and goes ashore, and `zone` is where the carriers are. Forces are numbered as they are listed: `part_of` is the
number of the one that units leave after `after` points; `cargo` without `units` goes aboard the one numbered `aboard`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import forces, routes
from ..effects import fill
from ..ruleset.model import Row, Ruleset
from ..state import Entity
from ..turn import Desk, Order
from .stowage import beaches_of, quays_of, room_of, size_of, size_of_kinds, stowed


@dataclass(slots=True)
class Voyage:
    """One order of a force. `plan` is a list of {place, mission, load, land}, one entry a point of movement.

    `cargo` is a list of {units, from, to}; an entry's `load` names those that come aboard before it, by their place in the list.
    """

    order: Order
    mode: Row
    start: str
    picks: list[forces.Pick]
    plan: list[Row]
    cargo: list[Row]
    units: dict[str, int]
    gate: str | None = None
    """A passage on the way that is shut to them as things stand: they stop before it unless it has been opened by then."""
    number: int = 0
    parent: int = 0
    """The force that they leave after `after` points; 0: they set out by themselves."""
    after: int = 0

    @property
    def nation(self) -> str:
        return str(self.order["nation"])

    @property
    def target(self) -> str:
        return str(self.plan[-1]["place"]) if self.plan else self.start

    def place_after(self, points: int) -> str:
        """Where it means to be when so many points are spent."""
        return str(self.plan[points - 1]["place"]) if 0 < points <= len(self.plan) else self.target if points else self.start


@dataclass(frozen=True, slots=True)
class Parcel:
    """More cargo for a force that another order makes."""

    order: Order
    number: int
    cargo: Row
    point: int
    """Before which point of the way it comes aboard, counted from 0."""


@dataclass(slots=True)
class Fleet:
    """The forces of one nation, in the order in which it lists them, whether or not their orders stand."""

    voyages: dict[int, Voyage] = field(default_factory=dict)
    partings: dict[int, list[tuple[int, dict[str, int]]]] = field(default_factory=dict)
    """Number of a force -> who will leave it, after how many points."""
    listed: int = 0

    @classmethod
    def of(cls, ruleset: Ruleset, orders: Iterable[Order]) -> Fleet:
        """Nothing understood yet, but it is known who will leave whom."""
        fleet = cls()
        for order in orders:
            slots = order.get("slots", {})
            if "part_of" in slots and makes_one(ruleset, order):
                units = {k: int(n) for k, n in slots.get("units", {}).items() if isinstance(n, int)}
                fleet.partings.setdefault(int(slots["part_of"]), []).append((int(slots.get("after") or 0), units))
        return fleet

    def next(self) -> int:
        """The number of the force that is listed now."""
        self.listed += 1
        return self.listed

    def take(self, found: Voyage | Parcel) -> None:
        """An order that stands is part of the fleet from now on."""
        if isinstance(found, Voyage):
            self.voyages[found.number] = found
            return
        voyage = self.voyages[found.number]
        entry = voyage.plan[found.point]
        entry["load"] = [*entry.get("load", ()), len(voyage.cargo)]
        voyage.cargo.append(found.cargo)

    def those(self) -> str:
        """The numbers there are, in words."""
        known = ", ".join(str(n) for n in sorted(self.voyages))
        return f"forces listed above: {known}" if known else "no force is listed above"

    def present(self, voyage: Voyage, point: int) -> dict[str, int]:
        """Who is with a force on one of its points: those who have not left it."""
        out = dict(voyage.units)
        for after, units in self.partings.get(voyage.number, ()):
            for kind, n in units.items() if after < point else ():
                out[kind] = out.get(kind, 0) - n
        return {k: n for k, n in out.items() if n > 0}


def mission_row(ruleset: Ruleset, mission: str | None) -> Row:
    return ruleset.rows("missions").get(mission or "", {})


def makes_one(ruleset: Ruleset, order: Order) -> bool:
    """Whether an order makes a force: its units go by a mode with tasks."""
    form, _, id_ = order["order"].partition("/")
    row = ruleset.rows(form).get(id_, {})
    return bool(ruleset.rows("modes").get(row.get("does", ""), {}).get("tasks")) and "units" in order.get("slots", {})


def understand(
    turn: Desk, order: Order, mode: Row, left: dict[str, int], fleet: Fleet | None = None, number: int = 0
) -> Voyage | Parcel | str:
    """One order as a voyage, or as more cargo for one, or why it cannot be.

    `left` counts what earlier orders leave of each stack, `fleet` knows the earlier orders themselves.
    """
    fleet = fleet if fleet is not None else Fleet()
    row = turn.ruleset.rows("orders").get(order["order"].partition("/")[2], {})
    names = turn.order_names(order)
    for need in row.get("needs", ()):
        if not turn.world.test(need["test"], names):
            return fill(turn.world, need["else"], names)
    slots = order.get("slots", {})
    if "part_of" in slots:
        return _parting(turn, order, row, mode, fleet, number)
    if "units" not in slots:
        return _parcel(turn, order, mode, fleet, left)
    carrying = "cargo" in slots
    start = slots.get("zone") if carrying else slots.get("origin")
    world, nation = turn.world, str(order["nation"])
    wanted = {k: int(n) for k, n in slots["units"].items() if int(n) > 0}
    if not wanted or start is None:
        return "it names no units"
    free = [(k, {**r, "n": left.get(k, r["n"])}) for k, r in routes.free_stacks(world, nation, start)]
    picks = forces.pick([s for s in free if s[1]["n"]], wanted)
    if picks is None:
        return routes.too_few(turn.world, nation, start, wanted)
    voyage = Voyage(order, mode, start, picks, [], [], wanted, number=number)
    going = routes.Going(world, nation, mode, [Entity("unit", k) for k, _ in picks])
    refused = routes.going_refusal(going, start)
    if refused:
        return refused
    after = dict(left)
    found = _way(turn, going, row, slots, start, picks, after)
    if isinstance(found, str) or _too_far(turn, voyage, found[0], fleet):
        wide, instead = OpenGates(world, nation, mode, going.units), dict(left)
        through = _way(turn, wide, row, slots, start, picks, instead)
        if not isinstance(through, str) and not _too_far(turn, voyage, through[0], fleet):
            found, after = through, instead
    if isinstance(found, str):
        return found
    voyage.plan, voyage.cargo = found
    voyage.gate = _shut_on(going, start, voyage.plan)
    why = _too_far(turn, voyage, voyage.plan, fleet) or missions_refusal(turn, voyage, fleet)
    if why:
        return why
    left.update(after)
    for key, n in picks:
        left[key] = left.get(key, world.state.get("units", key, "n", 0)) - n
    return voyage


def _parting(turn: Desk, order: Order, row: Row, mode: Row, fleet: Fleet, number: int) -> Voyage | str:
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
    wanted = {k: int(n) for k, n in slots["units"].items() if int(n) > 0}
    gone: dict[str, int] = {}
    for earlier in fleet.voyages.values():
        for kind, n in earlier.units.items() if earlier.parent == parent.number else ():
            gone[kind] = gone.get(kind, 0) + n
    for kind, n in wanted.items():
        there = parent.units.get(kind, 0) - gone.get(kind, 0)
        if n > there:
            name = routes.name_of(world, "units", kind)
            return f"{n} of {name} are to leave force {parent.number}, which has {max(0, there)} left"
    if not wanted or all(wanted.get(k, 0) + gone.get(k, 0) >= n for k, n in parent.units.items()):
        return f"somebody must stay with force {parent.number}"
    here = parent.place_after(after)
    picks = [(k, n) for k, n in parent.picks if world.state.get("units", k, "kind") in wanted]
    going = OpenGates(world, nation, mode, [Entity("unit", k) for k, _ in picks])
    plan = _plan(turn, going, row, slots, here)
    if isinstance(plan, str):
        return plan
    voyage = Voyage(order, mode, here, [], [{}] * after + plan, [], wanted, number=number, parent=parent.number, after=after)
    voyage.gate = _shut_on(routes.Going(world, nation, mode, going.units), here, plan)
    most = going.allowance(parent.start)
    if most is not None and len(voyage.plan) > most:
        with_it = f"{after} of them with force {parent.number}"
        return f"they have {most} moves, {with_it}: {most - after} left, and it takes {len(plan)}"
    why = missions_refusal(turn, voyage, fleet)
    if why:
        return why
    return voyage


class OpenGates(routes.Going):
    """A force for which every passage is open: those that are shut now may be open when it comes."""

    def shut(self, place: str, link: str) -> str | None:
        del place, link
        return None


def _way(
    turn: Desk, going: routes.Going, row: Row, slots: Mapping[str, Any], start: str,
    picks: Sequence[forces.Pick], left: dict[str, int],
) -> tuple[list[Row], list[Row]] | str:  # fmt: skip
    """The plan of an order, and its cargo if it carries any."""
    if "cargo" in slots:
        return _with_cargo(turn, going, row, slots, start, picks, left)
    made = _plan(turn, going, row, slots, start)
    return made if isinstance(made, str) else (made, [])


def _too_far(turn: Desk, voyage: Voyage, plan: Sequence[Row], fleet: Fleet) -> str | None:
    """Why the way is too long for those who are to go all of it."""
    last = fleet.present(voyage, len(plan))
    units = [Entity("unit", k) for k, _ in voyage.picks if turn.state.get("units", k, "kind") in last]
    most = routes.Going(turn.world, voyage.nation, voyage.mode, units).allowance(voyage.start) if units else None
    return None if most is None or len(plan) <= most else f"it takes {len(plan)} moves, they have {most}"


def _shut_on(going: routes.Going, start: str, plan: Sequence[Row]) -> str | None:
    """The first passage on a way that is shut to the force now."""
    here = start
    for entry in plan:
        gate = going.shut(entry["place"], f"{here}>{entry['place']}") if entry["place"] != here else None
        if gate is not None:
            return gate
        here = entry["place"]
    return None


# ---- ways and tasks


def _zones(going: routes.Going, start: str, stops: Sequence[str]) -> list[str] | str:
    """Every place of the way after the start: to a place that is not next the shortest way; a repeated one means to stay."""
    out: list[str] = []
    here = start
    for goal in stops:
        if goal == here:
            out.append(here)
            continue
        path = routes.find_path(going, here, goal)
        if path is None:
            return f"no way to {routes.name_of(going.world, 'places', goal)} is open"
        out.extend(path[1:])
        here = goal
    return out


def _plan(turn: Desk, going: routes.Going, row: Row, slots: Mapping[str, Any], start: str) -> list[Row] | str:
    """Places and tasks put together: a task that stays spends its point where the force is, any other takes the next step."""
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
    tasks = [given] if isinstance(given, str) else list(given)
    fallback = row.get("mission") or default_mission(turn, going, start)
    tasks = tasks or [fallback]
    plan: list[Row] = []
    here, left = start, list(zones)
    for index in range(max(len(tasks), 1)):
        mission = tasks[index]
        last = index == len(tasks) - 1
        stays = bool(mission_row(turn.ruleset, mission).get("stays"))
        if stays and last and left:  # the way comes first, on the way nothing else is done
            moving = next((t for t in reversed(tasks[:index]) if not mission_row(turn.ruleset, t).get("stays")), fallback)
            plan.extend({"place": zone, "mission": moving} for zone in left)
            here, left = left[-1], []
        if not stays and left:
            steps = left if last else left[:1]
            plan.extend({"place": zone, "mission": mission} for zone in steps)
            here, left = steps[-1], left[len(steps) :]
        else:
            plan.append({"place": here, "mission": mission})
    return plan


def default_mission(turn: Desk, going: routes.Going, place: str) -> str | None:
    """The mission of ships that are given none: the first whose `default` holds for all of them."""
    for id_, row in turn.ruleset.rows("missions").items():
        if "default" not in row:
            continue
        if all(turn.world.test(row["default"], going.names(u, place, f"{place}>{place}", (place,))) for u in going.units):
            return id_
    return None


def missions_refusal(turn: Desk, voyage: Voyage, fleet: Fleet) -> str | None:
    """Why a force cannot do the tasks of its plan: who may take part, who may not, who must, and cargo."""
    tried = set()
    for point, entry in enumerate(voyage.plan, 1):
        mission, units = entry.get("mission"), fleet.present(voyage, point)
        if mission and (mission, *units) not in tried:
            tried.add((mission, *units))
            why = mission_refusal(turn, mission, units, loaded=bool(voyage.cargo))
            if why:
                return why
    return None


def mission_refusal(turn: Desk, mission: str, units: Mapping[str, int], *, loaded: bool) -> str | None:
    """Why these units together cannot do a task, and which they could."""
    world = turn.world
    row = turn.ruleset.rows("missions").get(mission)
    if row is None:
        return f"there is no task {mission}"
    name = row.get("name", mission)
    for kind in units:
        if not _may(turn, row, kind):
            return f"{routes.name_of(world, 'units', kind)} cannot take part in {name}{_rather(turn, units, loaded)}"
    if "needs" in row and not any(routes.concerns(world, row["needs"], k) for k in units):
        wanted = row["needs"] if isinstance(row["needs"], list) else [row["needs"]]
        kinds = " or ".join(routes.name_of(world, "units", k) for k in wanted)
        return f"{name} needs a {kinds} among the ships{_rather(turn, units, loaded)}"
    if "loaded" in row and bool(row["loaded"]) != loaded:
        return f"{name} is only for ships {'with' if row['loaded'] else 'without'} cargo"
    return None


def _rather(turn: Desk, units: Mapping[str, int], loaded: bool) -> str:
    """The tasks that these units could do instead, as the end of a refusal."""
    world = turn.world
    fine = [
        id_
        for id_, row in turn.ruleset.rows("missions").items()
        if all(_may(turn, row, k) for k in units)
        and ("needs" not in row or any(routes.concerns(world, row["needs"], k) for k in units))
        and ("loaded" not in row or bool(row["loaded"]) == loaded)
    ]
    return f"; they can: {', '.join(fine)}" if fine else ""


def _may(turn: Desk, row: Row, kind: str) -> bool:
    """Whether a kind of unit may take part in a mission at all."""
    kept_out = "never" in row and routes.concerns(turn.world, row["never"], kind)
    return routes.concerns(turn.world, row.get("members"), kind) and not kept_out


def faults(turn: Desk, fleet: Fleet, orders: Iterable[Order]) -> Iterator[tuple[Order, str]]:
    """Orders that name a force by a number that does not fit: whom to protect, whom to join, whom to cover."""
    for order in orders:
        mine = int(order.get("number") or 0)
        covered = order.get("slots", {}).get("covers")
        for number in (
            *numbers_of(turn, order, "charge"),
            *((int(covered),) if covered is not None and not _abroad(order) else ()),
        ):
            if number not in fleet.voyages or number == mine:
                yield order, f"there is no other force {number} to protect; listed are {_all(fleet)}"
        for number in numbers_of(turn, order, "joins"):
            why = union_refusal(turn, fleet.voyages[mine], fleet, number) if mine in fleet.voyages else None
            if why:
                yield order, why


def _abroad(order: Order) -> bool:
    """Whether an order names a force of another nation."""
    return order.get("slots", {}).get("whose") not in (None, order["nation"])


def _all(fleet: Fleet) -> str:
    return ", ".join(str(n) for n in sorted(fleet.voyages)) or "none"


def union_refusal(turn: Desk, voyage: Voyage, fleet: Fleet, number: int) -> str | None:
    """Why a force cannot join another one when its own way is over."""
    other, points = fleet.voyages.get(number), len(voyage.plan)
    if other is None or number == voyage.number:
        return f"there is no other force {number} to join; listed are {_all(fleet)}"
    here, there = voyage.target, other.place_after(points)
    if here != there:
        where = routes.name_of(turn.world, "places", there)
        return f"after {points} points force {number} is in {where}, not in {routes.name_of(turn.world, 'places', here)}"
    units = [Entity("unit", k) for k, _ in voyage.picks]
    most = routes.Going(turn.world, voyage.nation, voyage.mode, units).allowance(voyage.start) if units else None
    if most is not None and len(other.plan) > most:
        return f"force {number} goes on for {len(other.plan)} points, they have {most}"
    for point in range(points + 1, len(other.plan) + 1):
        together = fleet.present(other, point)
        for kind, n in voyage.units.items():
            together[kind] = together.get(kind, 0) + n
        why = mission_refusal(turn, other.plan[point - 1].get("mission", ""), together, loaded=bool(other.cargo))
        if why:
            return why
    return None


def numbers_of(turn: Desk, order: Order, gives: str) -> list[int]:
    """The numbers of forces that options of an order with this `gives` name."""
    out = []
    for id_, value in (order.get("options") or {}).items():
        if turn.ruleset.rows("order_options").get(id_, {}).get("gives") == gives:
            out += [int(v) for v in (value if isinstance(value, list | tuple) else [value])]
    return out


# ---- cargo


def _with_cargo(
    turn: Desk, going: routes.Going, row: Row, slots: Mapping[str, Any], zone: str,
    picks: Sequence[forces.Pick], left: dict[str, int],
) -> tuple[list[Row], list[Row]] | str:  # fmt: skip
    """The plan of a voyage with cargo: to where it can come aboard, to where it can go ashore, and the landing."""
    try:
        via = routes.named_places(turn.world, slots.get("via"))
    except ValueError as error:
        return str(error)
    found = stowed(turn, going.mode, slots, going.nation, zone, left)
    if isinstance(found, str):
        return found
    parcel, chosen = found
    room, size = room_of(turn, going.mode, picks), size_of(turn, going.mode, chosen)
    if size > room:
        return f"the cargo takes {size} of {room} places aboard"
    ways = _load_and_land(
        going, zone, via, quays_of(turn, going.mode, parcel["from"], zone), beaches_of(turn, going.mode, parcel["to"])
    )
    if isinstance(ways, str):
        return ways
    zones, loads = ways
    mission = row.get("mission")
    plan: list[Row] = [{"place": z, "mission": mission} for z in zones]
    plan.append({"place": zones[-1] if zones else zone, "mission": mission, "land": True})
    plan[loads]["load"] = [0]
    for key, n in chosen:
        left[key] = left.get(key, turn.state.get("units", key, "n", 0)) - n
    return plan, [parcel]


def _parcel(turn: Desk, order: Order, mode: Row, fleet: Fleet, left: dict[str, int]) -> Parcel | str:
    """More cargo for a force: where it passes, as far as it has room; ashore where it unloads."""
    slots, world, nation = order["slots"], turn.world, str(order["nation"])
    voyage = fleet.voyages.get(int(slots.get("aboard") or 0))
    if voyage is None:
        return f"there is no force {slots.get('aboard')}; {fleet.those()}"
    if not voyage.cargo:
        return f"force {voyage.number} carries no troops"
    found = stowed(turn, mode, slots, nation, None, left)
    if isinstance(found, str):
        return found
    parcel, chosen = found
    room = room_of(turn, mode, voyage.picks)
    size = size_of(turn, mode, chosen) + sum(size_of_kinds(turn, voyage.mode, voyage.nation, p["units"]) for p in voyage.cargo)
    if size > room:
        return f"the cargo takes {size} of {room} places aboard"
    quays = quays_of(turn, mode, parcel["from"], None)
    stops = [voyage.place_after(i) for i in range(len(voyage.plan))]
    point = next((i for i, place in enumerate(stops) if place in quays), None)
    if point is None:
        where = ", ".join(routes.name_of(world, "places", p) for p in dict.fromkeys(stops))
        return f"force {voyage.number} does not come to {routes.name_of(world, 'places', parcel['from'])}; it passes {where}"
    if voyage.target not in beaches_of(turn, mode, parcel["to"]):
        where = routes.name_of(world, "places", voyage.target)
        return f"{routes.name_of(world, 'places', parcel['to'])} is not next to {where}, where force {voyage.number} unloads"
    for key, n in chosen:
        left[key] = left.get(key, world.state.get("units", key, "n", 0)) - n
    return Parcel(order, voyage.number, parcel, point)


def _load_and_land(
    going: routes.Going, zone: str, via: list[str], quays: Sequence[str], beaches: Sequence[str]
) -> tuple[list[str], int] | str:
    """The places of the way and the index of the point on which cargo comes aboard (just before that point's move)."""
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
    found = routes.search(going, start, None)
    best = min((found[g] for g in goals if g in found), default=None)
    return list(best[1][1:]) if best else None
