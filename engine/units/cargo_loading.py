"""What ships take: whether cargo may come aboard and go ashore, and where; how much room there is says
`room`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.rows import MovementRow
from ..core.state import Entity, Fields
from ..turn.context import OrderContext
from ..world import routes
from ..world.world import World
from . import forces
from .attacking import attack_refusal


def stowed(
    turn: OrderContext,
    mode: MovementRow,
    slots: Mapping[str, Any],
    nation: str,
    zone: str | None,
    left: Mapping[str, int],
    host: str = "",
) -> tuple[Fields, list[forces.Pick]] | str:
    """What an order brings aboard, as {units, from, to}, and the stacks it is taken from; or why it cannot be
    carried.

    `host`: whose carriers they are, if they are not the nation's own.
    """
    world, carries = turn.world, mode.get("carries")
    origin, target = slots.get("origin"), slots.get("target")
    cargo = forces.wanted(slots["cargo"])
    if isinstance(cargo, str):
        return cargo
    if carries is None or origin is None or target is None or not cargo:
        return "it names no cargo"
    for kind in cargo:
        if not routes.kind_matches(world, carries.get("who"), kind):
            return f"{routes.name_of(world, 'units', kind)} cannot be carried"
    aboard = origin == zone  # left at sea by ships that did not come to land: they need only be taken up
    again = bool(mode.get("again"))
    there = (
        forces.afloat_at(world.state, nation, origin, host)
        if aboard
        else boarders(world, mode, nation, origin, again=again)
    )
    chosen = forces.pick_left(there, cargo, left)
    if chosen is None:
        able = " and able to come aboard" if "keeps" in mode and not aboard else ""
        return f"not that many units free to go{able} in {routes.name_of(world, 'places', origin)}"
    names = {"self": Entity("nation", nation), "place": Entity("place", origin)}
    if not aboard and not world.test(carries.get("from"), names):
        return f"nobody can come aboard from {routes.name_of(world, 'places', origin)}"
    if host and zone and not aboard and not lends(turn, mode, nation, host, zone):
        return f"nobody can come aboard in {routes.name_of(world, 'places', zone)}"
    if stays_afloat(turn, mode, target):
        return {"units": cargo, "from": origin, "to": target}, chosen
    shore = turn.ruleset.row("movement", mode["ashore"]) if "ashore" in mode else mode
    if routes.entry(world, nation, target, routes.step_of(world, mode)) == "never":
        return f"{routes.name_of(world, 'places', target)} may not be entered"
    hostile = routes.is_attack(world, nation, target)
    why = [
        attack_refusal(turn, shore, nation, (b, target), chosen, hostile=hostile)
        for b in beaches_of(turn, mode, target)
    ]
    if why and all(why):
        return str(why[0])
    return {"units": cargo, "from": origin, "to": target}, chosen


def boarders(
    world: World, mode: MovementRow, nation: str, place: str, *, again: bool
) -> list[tuple[str, Fields]]:
    """The stacks of a shore that may come aboard: it is a step of their own, and where the mode keeps count
    of steps (`keeps`) nobody takes it who has none left."""
    keeps = mode.get("keeps")
    free = routes.free_stacks(world, nation, place, again=again)
    return [(key, row) for key, row in free if keeps is None or row.get(keeps, 1) > 0]


def lends(turn: OrderContext, mode: MovementRow, nation: str, host: str, place: str) -> bool:
    """Whether carriers that lie in a place take cargo of an ally of theirs aboard now, and put it ashore
    (`shared`).
    """
    names = {"self": Entity("nation", nation), "place": Entity("place", place)}
    return turn.world.allied(host, nation) and turn.world.test(mode["carries"].get("shared", False), names)


def stays_afloat(turn: OrderContext, mode: MovementRow, target: str) -> bool:
    """Whether cargo sent to a place is still aboard there: carriers of the mode may end at sea, and it is one
    they go to.
    """
    return bool(mode["carries"].get("afloat")) and bool(
        turn.world.geography.next_to(target, tuple(mode.get("links", ())))
    )


def beaches_of(turn: OrderContext, mode: MovementRow, target: str) -> Sequence[str]:
    """The places from which cargo goes ashore in a place; where it stays aboard, the place itself."""
    if stays_afloat(turn, mode, target):
        return (target,)
    return turn.world.geography.next_to(target, tuple(mode["carries"].get("link", ())))


def quays_of(
    turn: OrderContext, mode: MovementRow, nation: str, origin: str, zone: str | None
) -> Sequence[str]:
    """The places where cargo of a nation comes aboard from a place; itself if it is afloat there."""
    if origin == zone:
        return (origin,)
    return [quay for quay in beaches_of(turn, mode, origin) if is_quay(turn, mode, nation, quay)]


def is_quay(turn: OrderContext, mode: MovementRow, nation: str, place: str) -> bool:
    """Whether carriers take cargo of a nation aboard in a place now (`at`)."""
    names = {"self": Entity("nation", nation), "place": Entity("place", place)}
    return turn.world.test(mode["carries"].get("at"), names)
