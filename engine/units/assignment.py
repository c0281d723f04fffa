"""Whether forces can do what they are ordered to: who may take part in a task, where, with whom, and whom
they may name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from ..core.choices import as_slot
from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Order, OrderContext
from ..world import routes
from ..world.messages import fill
from .fleet import Fleet, Voyage, mission_row


def missions_refusal(turn: OrderContext, voyage: Voyage, fleet: Fleet) -> str | None:
    """Why a force cannot do the tasks of its plan: who may take part, who may not, who must, and cargo."""
    tried = set()
    for point, entry in enumerate(voyage.plan, 1):
        mission, units = entry.get("mission"), fleet.present(voyage, point)
        if mission and (mission, *units) not in tried:
            tried.add((mission, *units))
            why = mission_refusal(turn, mission, units, loaded=bool(voyage.cargo) or voyage.loaded)
            if why:
                return why
        why = place_refusal(turn, voyage.nation, mission, str(entry["place"])) if mission else None
        if why:
            return why
    return _options_refusal(turn, voyage)


def place_refusal(turn: OrderContext, nation: str, mission: str, place: str) -> str | None:
    """Why a task cannot be done in a place (`where` of its row)."""
    row = mission_row(turn.ruleset, mission)
    names = {
        "self": Entity("nation", nation),
        "nation": Entity("nation", nation),
        "place": Entity("place", place),
    }
    if turn.world.test(row.get("where"), names):
        return None
    return f"{row.get('name', mission)}: {fill(turn.world, row.get('message', 'not in {place}'), names)}"


def _options_refusal(turn: OrderContext, voyage: Voyage) -> str | None:
    """Why an order may not name whom it protects or looks for: none of its tasks does that."""
    rows = [mission_row(turn.ruleset, e.get("mission")) for e in voyage.plan]
    for key, gives in (("charge", ("charge",)), ("aims", ("targets", "prefers"))):
        named = any(turn.options_giving(voyage.order.get("options"), g) for g in gives)
        if (
            named
            and not any(r.get(key) for r in rows)
            and any(key in r for r in turn.ruleset.rows("missions").values())
        ):
            fit = ", ".join(r.get("name", i) for i, r in turn.ruleset.rows("missions").items() if r.get(key))
            return (
                f"none of its tasks {'protects' if key == 'charge' else 'looks for'} anybody; these do: {fit}"
            )
    for charge in charges_of(turn, voyage.order):
        nation = str(charge).rpartition("/")[0]
        if nation and not turn.world.allied(voyage.nation, nation):
            return (
                f"{routes.name_of(turn.world, 'nations', nation)} is no ally: it protects forces of its "
                "own side"
            )
    return None


def notes(turn: OrderContext, voyage: Voyage) -> Iterator[str]:
    """What is strange about an order that stands: a guard that protects nobody, a named nation that is no
    enemy yet.
    """
    for mission in dict.fromkeys(e.get("mission") for e in voyage.plan):
        row = mission_row(turn.ruleset, mission)
        if row.get("charge") and not turn.options_giving(voyage.order.get("options"), "charge"):
            yield f"{row.get('name', mission)} that protects nobody"
    for _, value in turn.options_giving(voyage.order.get("options"), "targets"):
        nation = str(value.get("nation") if isinstance(value, Mapping) else value)
        if turn.ruleset.has("nations", nation) and not turn.world.hostile(voyage.nation, nation):
            yield f"{routes.name_of(turn.world, 'nations', nation)} is no enemy as things stand"


def mission_refusal(
    turn: OrderContext, mission: str, units: Mapping[str, int], *, loaded: bool
) -> str | None:
    """Why these units together cannot do a task, and which they could."""
    world = turn.world
    row = turn.ruleset.rows("missions").get(mission)
    if row is None:
        return f"there is no task {mission}"
    name = row.get("name", mission)
    for kind in units:
        if not _may(turn, row, kind):
            return (
                f"{routes.name_of(world, 'units', kind)} cannot take part in "
                f"{name}{_rather(turn, units, loaded)}"
            )
    if "must_include" in row and not any(routes.kind_matches(world, row["must_include"], k) for k in units):
        rows = turn.ruleset.rows("units")
        kinds = " or ".join(
            routes.name_of(world, "units", k)
            for k in rows
            if routes.kind_matches(world, row["must_include"], k)
        )
        return f"{name} needs a {kinds} among the ships{_rather(turn, units, loaded)}"
    if "loaded" in row and bool(row["loaded"]) != loaded:
        return f"{name} is only for ships {'with' if row['loaded'] else 'without'} cargo"
    return None


def _rather(turn: OrderContext, units: Mapping[str, int], loaded: bool) -> str:
    """The tasks that these units could do instead, as the end of a refusal."""
    world = turn.world
    tasks = [row.get("slots", {}).get("tasks") for row in turn.ruleset.rows("orders").values()]
    choices = set(chain.from_iterable(as_slot(slot).get("choices", ()) for slot in tasks))
    fine = [
        id_.replace("-", " ")  # as it is written in orders
        for id_, row in turn.ruleset.rows("missions").items()
        if (not choices or id_ in choices)
        and all(_may(turn, row, k) for k in units)
        and (
            "must_include" not in row
            or any(routes.kind_matches(world, row["must_include"], k) for k in units)
        )
        and ("loaded" not in row or bool(row["loaded"]) == loaded)
    ]
    return f"; they can: {', '.join(fine)}" if fine else ""


def _may(turn: OrderContext, row: Row, kind: str) -> bool:
    """Whether a kind of unit may take part in a mission at all."""
    return routes.kind_matches(turn.world, row.get("members"), kind)


def faults(turn: OrderContext, fleet: Fleet, orders: Iterable[Order]) -> Iterator[tuple[Order, str]]:
    """Orders that name a force by a number that does not fit: whom to protect, whom to join, whom to
    cover.
    """
    for order in orders:
        mine = int(order.get("number") or 0)
        covered = order.get("slots", {}).get("covers")
        for number in (
            *(charge for charge in charges_of(turn, order) if isinstance(charge, int)),
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


def union_refusal(turn: OrderContext, voyage: Voyage, fleet: Fleet, number: int) -> str | None:
    """Why a force cannot join another one when its own way is over."""
    other, points = fleet.voyages.get(number), len(voyage.plan)
    if other is None or number == voyage.number:
        return f"there is no other force {number} to join; listed are {_all(fleet)}"
    here, there = voyage.target, other.place_after(points)
    if here != there:
        where = routes.name_of(turn.world, "places", there)
        return (
            f"after {points} points force {number} is in {where}, not in "
            f"{routes.name_of(turn.world, 'places', here)}"
        )
    units = [Entity("unit", k) for k, _ in voyage.picks]
    most = (
        routes.Going(turn.world, voyage.nation, voyage.mode, units).allowance(voyage.start) if units else None
    )
    if most is not None and len(other.plan) > most:
        return f"force {number} goes on for {len(other.plan)} points, they have {most}"
    for point in range(points + 1, len(other.plan) + 1):
        together = fleet.present(other, point)
        for kind, n in voyage.units.items():
            together[kind] = together.get(kind, 0) + n
        why = mission_refusal(
            turn, other.plan[point - 1].get("mission", ""), together, loaded=bool(other.cargo)
        )
        if why:
            return why
    return None


def named_by(turn: OrderContext, order: Order, gives: str) -> list[Any]:
    """The values of an order's options with this `gives`, lists opened."""
    values = [value for _, value in turn.options_giving(order.get("options"), gives)]
    return [v for value in values for v in (value if isinstance(value, list | tuple) else [value])]


def charges_of(turn: OrderContext, order: Order) -> list[int | str]:
    """The forces that an order protects: those of its own nation by number, an ally's as `nation/number`."""
    out: list[int | str] = []
    for value in named_by(turn, order, "charge"):
        if not isinstance(value, Mapping):
            out.append(int(value))
            continue
        numbers = value["n"] if isinstance(value["n"], list | tuple) else [value["n"]]
        out += [int(n) if value["nation"] == order["nation"] else f"{value['nation']}/{n}" for n in numbers]
    return out


def numbers_of(turn: OrderContext, order: Order, gives: str) -> list[int]:
    """The numbers of forces that options of an order with this `gives` name."""
    return [int(v) for v in named_by(turn, order, gives)]
