"""Orders of task forces understood: who sails, along which way, with what task on every point, carrying whom.

Slots read: `units` (those that sail), `origin`, `target` and `via` (places of the way; the same place twice means to stay
there for a point), `tasks` (missions, one a point). With a slot `cargo`, `origin` and `target` are where the cargo comes
aboard and goes ashore, and `zone` is where the carriers are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import forces, routes
from ..effects import fill
from ..ruleset.model import Row, Ruleset
from ..state import Entity
from ..turn import Desk, Order


@dataclass(slots=True)
class Voyage:
    """One order of a task force. `plan` is a list of {place, mission, load, land}, one entry a point of movement."""

    order: Order
    mode: Row
    start: str
    picks: list[forces.Pick]
    plan: list[Row]
    cargo: Row | None
    gate: str | None = None
    """A passage on the way that is shut to them as things stand: they stop before it unless it has been opened by then."""

    @property
    def nation(self) -> str:
        return str(self.order["nation"])

    @property
    def first_mission(self) -> str | None:
        return self.plan[0]["mission"] if self.plan else None

    @property
    def target(self) -> str:
        return str(self.plan[-1]["place"]) if self.plan else self.start


def mission_row(ruleset: Ruleset, mission: str | None) -> Row:
    return ruleset.rows("missions").get(mission or "", {})


def understand(turn: Desk, order: Order, mode: Row, left: dict[str, int]) -> Voyage | str:
    """One order as a voyage, or why it cannot be. `left` counts what earlier orders leave of each stack."""
    world, slots, nation = turn.world, order.get("slots", {}), str(order["nation"])
    row = turn.ruleset.rows("orders").get(order["order"].partition("/")[2], {})
    names = turn.order_names(order)
    for need in row.get("needs", ()):
        if not world.test(need["test"], names):
            return fill(world, need["else"], names)
    carrying = "cargo" in slots
    start = slots.get("zone") if carrying else slots.get("origin")
    wanted = {k: int(n) for k, n in slots.get("units", {}).items() if int(n) > 0}
    if not wanted or start is None:
        return "it names no units"
    free = [(k, {**r, "n": left.get(k, r["n"])}) for k, r in routes.free_stacks(world, nation, start)]
    picks = forces.pick([s for s in free if s[1]["n"]], wanted)
    if picks is None:
        return routes.too_few(turn.world, nation, start, wanted)
    going = routes.Going(world, nation, mode, [Entity("unit", k) for k, _ in picks])
    refused = routes.going_refusal(going, start)
    if refused:
        return refused
    try:
        via = routes.named_places(world, slots.get("via"))
    except ValueError as error:
        return str(error)
    after = dict(left)
    found = _way(turn, going, row, slots, start, via, picks, after)
    if isinstance(found, str) or _too_far(going, start, found[0]):
        wide, instead = OpenGates(world, nation, mode, going.units), dict(left)
        through = _way(turn, wide, row, slots, start, via, picks, instead)
        if not isinstance(through, str) and not _too_far(wide, start, through[0]):
            found, after = through, instead
    if isinstance(found, str):
        return found
    plan, cargo = found
    why = _too_far(going, start, plan) or missions_refusal(turn, plan, wanted, loaded=cargo is not None)
    if why:
        return why
    left.update(after)
    for key, n in picks:
        left[key] = left.get(key, world.state.get("units", key, "n", 0)) - n
    return Voyage(order, mode, start, picks, plan, cargo, _shut_on(going, start, plan))


class OpenGates(routes.Going):
    """A force for which every passage is open: those that are shut now may be open when it comes."""

    def shut(self, place: str, link: str) -> str | None:
        del place, link
        return None


def _way(
    turn: Desk, going: routes.Going, row: Row, slots: Mapping[str, Any], start: str, via: list[str],
    picks: Sequence[forces.Pick], left: dict[str, int],
) -> tuple[list[Row], Row | None] | str:  # fmt: skip
    """The plan of an order, and its cargo if it carries any."""
    if "cargo" in slots:
        return _with_cargo(turn, going, row, slots, going.nation, start, via, picks, left)
    made = _plan(turn, going, row, slots, start, via)
    return made if isinstance(made, str) else (made, None)


def _too_far(going: routes.Going, start: str, plan: Sequence[Row]) -> str | None:
    most = going.allowance(start)
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


def _plan(turn: Desk, going: routes.Going, row: Row, slots: Mapping[str, Any], start: str, via: list[str]) -> list[Row] | str:
    """Places and tasks put together: a task that stays spends its point where the force is, any other takes the next step."""
    target = slots.get("target")
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


def missions_refusal(turn: Desk, plan: Sequence[Row], units: Mapping[str, int], *, loaded: bool) -> str | None:
    """Why units cannot do the tasks of a plan: who may take part, who may not, who must, and cargo."""
    world = turn.world
    for mission in dict.fromkeys(e["mission"] for e in plan if e.get("mission")):
        row = turn.ruleset.rows("missions").get(mission)
        if row is None:
            return f"there is no task {mission}"
        name = row.get("name", mission)
        for kind in units:
            if not routes.concerns(world, row.get("members"), kind) or (
                "never" in row and routes.concerns(world, row["never"], kind)
            ):
                return f"{routes.name_of(world, 'units', kind)} cannot take part in {name}"
        if "needs" in row and not any(routes.concerns(world, row["needs"], k) for k in units):
            return f"{name} needs other ships"
        if "loaded" in row and bool(row["loaded"]) != loaded:
            return f"{name} is only for ships {'with' if row['loaded'] else 'without'} cargo"
    return None


# ---- cargo


def _with_cargo(
    turn: Desk, going: routes.Going, row: Row, slots: Mapping[str, Any], nation: str, zone: str, via: list[str],
    picks: Sequence[forces.Pick], left: dict[str, int],
) -> tuple[list[Row], Row] | str:  # fmt: skip
    """The plan of a voyage with cargo: to where it can come aboard, to where it can go ashore, and the landing."""
    from .move import attack_refusal

    world, carries = turn.world, going.mode.get("carries")
    origin, target = slots.get("origin"), slots.get("target")
    cargo = {k: int(n) for k, n in slots["cargo"].items() if int(n) > 0}
    if carries is None or origin is None or target is None or not cargo:
        return "it names no cargo"
    links = tuple(carries.get("link", ()))
    for kind in cargo:
        if not routes.concerns(world, carries.get("who"), kind):
            return f"{routes.name_of(world, 'units', kind)} cannot be carried"
    aboard = origin == zone  # left at sea by ships that did not come to land: they need only be taken up
    there = forces.afloat_at(world.state, nation, origin) if aboard else routes.free_stacks(world, nation, origin)
    free = [(k, {**r, "n": left.get(k, r["n"])}) for k, r in there]
    chosen = forces.pick([s for s in free if s[1]["n"]], cargo)
    if chosen is None:
        return routes.too_few(turn.world, nation, origin, cargo)
    names = {"self": Entity("nation", nation), "place": Entity("place", origin)}
    if not aboard and not world.test(carries.get("from"), names):
        return f"nobody can come aboard from {routes.name_of(world, 'places', origin)}"
    room, size = room_of(turn, going.mode, picks), size_of(turn, going.mode, chosen)
    if size > room:
        return f"the cargo takes {size} of {room} places aboard"
    shore = turn.ruleset.row("modes", going.mode["ashore"]) if "ashore" in going.mode else going.mode
    beaches = world.geography.next_to(target, links)
    hostile = routes.is_attack(world, nation, target)
    why = [attack_refusal(turn, shore, nation, (beach, target), chosen, hostile=hostile) for beach in beaches]
    if why and all(why):
        return str(why[0])
    quays = (origin,) if aboard else world.geography.next_to(origin, links)
    ways = _load_and_land(going, zone, via, quays, beaches)
    if isinstance(ways, str):
        return ways
    zones, loads = ways
    mission = row.get("mission")
    plan: list[Row] = [{"place": z, "mission": mission} for z in zones]
    plan.append({"place": zones[-1] if zones else zone, "mission": mission, "land": True})
    plan[loads]["load"] = True
    for key, n in chosen:
        left[key] = left.get(key, world.state.get("units", key, "n", 0)) - n
    return plan, {"units": cargo, "from": origin, "to": target}


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


def room_of(turn: Desk, mode: Row, picks: Sequence[forces.Pick]) -> Any:
    """How much cargo some units take."""
    carries = mode["carries"]
    total: Any = 0
    for key, n in picks:
        if routes.concerns(turn.world, carries.get("carriers"), str(turn.state.get("units", key, "kind"))):
            total += n * _figure(turn, carries["room"], key)
    return total


def size_of(turn: Desk, mode: Row, picks: Sequence[forces.Pick]) -> Any:
    """How much room some units need."""
    return sum(n * _figure(turn, mode["carries"]["size"], key) for key, n in picks)


def _figure(turn: Desk, figure: Any, key: str) -> Any:
    """A number, a quantity or a field of a unit."""
    unit = Entity("unit", key)
    if isinstance(figure, int):
        return figure
    if turn.ruleset.rows("quantities").get(figure, {}).get("of") == unit.kind:
        return turn.world.quantity(figure, unit)
    if str(figure).startswith("="):
        return turn.world.number(figure, {"unit": unit, "self": turn.world.field(unit, "owner")})
    return turn.world.field(unit, figure) or 0
