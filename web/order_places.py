"""The places that the orders page asks about: a nation's own, those beside one, and those that an order
names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wteaw.orders import movement
from wteaw.orders.kinds import order_kinds
from wteaw.orders.names import Names
from wteaw.ruleset.order_syntax import slots_in
from wteaw.turn.validated_orders import ValidatedOrder
from wteaw.world import treasury as stores
from wteaw.world.known import enemies_in, theater_names, theater_of
from wteaw.world.world import World


def places_of(world: World, nation: str) -> list[tuple[str, str]]:
    """The places that a nation holds or has units in, by name: id and name."""
    return _named(world, {*stores.held_places(world, nation), *movement.places_with_units(world, nation)})


def neighbors_of(world: World, place: str) -> list[tuple[str, str]]:
    """The places beside a place, by name: id and name."""
    return _named(world, movement.beside(world, place))


def by_importance(
    world: World, nation: str, places: Iterable[tuple[str, str]]
) -> list[list[tuple[str, str]]]:
    """Places (id and name) as somebody who looks at the map would take them: those beside known enemies, the
    most pressed first, then those beside enemy land, then all others; each theater by theater, by name.
    Groups with nothing in them are left out.
    """
    order = {theater: n for n, theater in enumerate(theater_names(world))}
    groups: tuple[list[tuple[tuple[Any, ...], tuple[str, str]]], ...] = ([], [], [])
    for place, name in places:
        near = [place, *movement.beside(world, place)]
        foes = sum(enemies_in(world, nation, p).least for p in near)
        held = any(world.held_by_enemy(nation, p) for p in near)
        where = (order.get(theater_of(world, place), len(order)), name)
        if foes:
            groups[0].append(((-foes, *where), (place, name)))
        else:
            groups[1 if held else 2].append((where, (place, name)))
    return [[one for _, one in sorted(group)] for group in groups if group]


def _named(world: World, places: Iterable[str]) -> list[tuple[str, str]]:
    names = Names(world.ruleset, world.state)
    return sorted(((p, names.printed("place", p)) for p in places), key=lambda one: one[1])


def subject_of(order: ValidatedOrder) -> str:
    """The place whose units or works an order is about; "" where it is about none."""
    slots = order.slots
    for name in (movement.ORIGIN, "site"):
        if isinstance(slots.get(name), str):
            return str(slots[name])
    return next(
        (str(v) for k, v in slots.items() if k == "place" and isinstance(v, str)),
        order.path[0] if order.path else "",
    )


def routes_of(world: World, order: ValidatedOrder) -> list[str]:
    """The places that an order names, from where it begins to where it leads."""
    if len(order.path) > 1:
        return list(order.path)
    kind = order_kinds(world.ruleset)[order.verb]
    named = dict.fromkeys(
        [slot.name for slot in slots_in(kind.syntax.pattern)] if kind.syntax is not None else []
    )
    places = [s for s in named if kind.slot(s).kind == "place" and isinstance(order.slots.get(s), str)]
    if movement.ORIGIN in places:  # the origin comes first, however the form puts it
        places.sort(key=lambda s: s != movement.ORIGIN)
    return [str(order.slots[s]) for s in places] or ([order.site] if order.site else [])


def units_taken(world: World, nation: str, place: str, given: Iterable[ValidatedOrder]) -> dict[str, int]:
    """How many units of each kind the orders that stand take from a place."""
    taken: dict[str, int] = {}
    for order in given:
        for where, unit, n in order_kinds(world.ruleset)[order.verb].units_ordered(
            world, nation, order.slots
        ):
            if where == place:
                taken[unit] = taken.get(unit, 0) + n
    return taken
