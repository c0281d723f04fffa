"""What the orders of a turn have taken already: the units that they send somewhere, stack by stack.

Asked by whatever alters units that must do nothing else in the turn. Orders are those of the state, or those
of a file that is being checked.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..units import forces
from ..world.travel_groups import free_stacks
from ..world.world import World

ALL = "*"
"""A kind that stands for all units of a place."""


def of_nation(world: World, nation: str) -> list[Row]:
    """The open orders of a nation in the state, in their order."""
    table = world.state.table("orders")
    return [o for _, o in sorted(table.items()) if o.get("nation") == nation and not o.get("status")]


def taken(
    world: World, nation: str, place: str, orders: Iterable[Mapping[str, Any]], last: Container[str] = ()
) -> dict[str, int]:
    """How many units of each stack at a place orders send somewhere (rows that `commits`), the plainest
    first.

    `last`: stacks that are wanted for something else; orders take of these only what the others do not
    suffice for.
    """
    there: dict[str, int] = {}
    free = free_stacks(world, nation, place)
    for _, stack in free:
        there[stack["kind"]] = there.get(stack["kind"], 0) + int(stack["n"])
    wanted: dict[str, int] = {}
    for order in orders:
        row = world.ruleset.row_or_empty("orders", order["order"].partition("/")[2])
        slots = order.get("slots", {})
        for name, where in forces.unit_slots(row) if "commits" in row else ():
            if slots.get(where) == place:
                for kind, n in (slots.get(name) or {}).items():
                    for one in there if kind == ALL else (kind,):
                        wanted[one] = wanted.get(one, 0) + (n if isinstance(n, int) else there.get(one, 0))
    picks = {k: min(n, there[k]) for k, n in wanted.items() if there.get(k)}
    return dict(forces.pick(free, picks, last) or ())


def alterable(
    world: World,
    nation: str,
    place: str,
    fits: Row,
    kind: str | None = None,
    orders: Iterable[Mapping[str, Any]] | None = None,
) -> dict[str, int]:
    """How many units of each stack at a place, or of a `kind` among them, can still be altered by what is
    fitted so (`fits`).

    Who is to do nothing else meanwhile (`idle`) is neither busy nor needed for orders: those of the state, if
    none are given.
    """
    idle = fits.get("idle")
    names = {
        "self": Entity("nation", nation),
        "nation": Entity("nation", nation),
        "place": Entity("place", place),
    }
    fit = {
        key: int(stack["n"])
        for key, stack in world.state.stacks(at=place, owner=nation)
        if kind in (None, stack["kind"])
        and not (idle and stack.get("busy"))
        and world.test(fits["units"], {**names, "unit": Entity("unit", key)})
    }
    gone = (
        taken(world, nation, place, of_nation(world, nation) if orders is None else orders, fit)
        if idle
        else {}
    )
    return {key: n - gone.get(key, 0) for key, n in fit.items()}
