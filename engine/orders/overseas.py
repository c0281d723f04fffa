"""What ships could carry from where they lie: troops of a shore next to them, or at sea with them, and where these go ashore.

Only what could be is proposed, one kind of troops at a time, as many as the ships take; whether it may be says the checker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.model import Row
from ..core.words import joined
from ..turn.context import OrderContext
from ..units import forces
from ..units.cargo_room import burden, room_of, size_of_kinds
from ..world import routes
from ..world.world import World
from . import movement
from .names import Names
from .order_kinds import starts_at

Slots = dict[str, Any]


def crossings(world: World, nation: str, row: Row, mode: Row, ships: Mapping[str, Any]) -> Iterator[tuple[Slots, list[str]]]:
    """The slots of orders that carry troops in ships of a zone (`ships`: the slots that name both), each with the shores that
    the ships come to."""
    zone = str(ships[starts_at(row)])
    host = forces.whose(row, ships, nation)
    kind = max(ships[movement.UNITS], key=lambda k: int(ships[movement.UNITS][k]))
    shores = _shores(world, nation, mode, zone, kind if host == nation else None)
    links = tuple(mode["carries"].get("link", ()))
    for origin in (zone, *sorted(world.geography.next_to(zone, links))):
        if (found := _load(world, nation, mode, zone, origin, {kind: int(ships[movement.UNITS][kind])}, host)) is None:
            continue
        cargo, carriers = found
        ends = [place for place in (*shores, *([] if host == nation else [zone])) if place != origin]
        if ends:
            yield {**ships, movement.CARGO: cargo, movement.ORIGIN: origin, movement.UNITS: carriers}, ends


def can_reach(world: World, nation: str, mode: Row, zone: str, host: str) -> bool:
    """Whether troops of a nation stand beside carriers of an ally that lie in a zone, or are aboard them."""
    near = world.geography.next_to(zone, tuple(mode["carries"].get("link", ())))
    return bool(forces.afloat_at(world.state, nation, zone, host)) or any(nation in world.state.owners_at(p) for p in near)


def _shores(world: World, nation: str, mode: Row, zone: str, kind: str | None) -> list[str]:
    """The land next to where ships of a kind come, themselves and what they carry (None: they stay); without a fight if the
    mode knows none."""
    links = tuple(mode["carries"].get("link", ()))
    zones = dict.fromkeys((zone, *(movement.targets(world, nation, mode, zone, kind) if kind is not None else ())))
    found = {place for at in zones for place in world.geography.next_to(at, links)}
    peaceful = (world.ruleset.row("modes", mode["ashore"]) if "ashore" in mode else mode).get("fights") is False
    return sorted(p for p in found if not (peaceful and routes.is_attack(world, nation, p)))


def _load(
    world: World, nation: str, mode: Row, zone: str, origin: str, ships: Mapping[str, int], host: str
) -> tuple[dict[str, int], dict[str, int]] | None:
    """The most numerous troops of a place that fit aboard, and as many of the ships as they need; None if there are none."""
    context, carries = OrderContext(world), mode["carries"]
    again = bool(mode.get("again"))
    afloat = origin == zone
    there = (
        forces.afloat_at(world.state, nation, zone, host) if afloat else routes.free_stacks(world, nation, origin, again=again)
    )
    troops: dict[str, int] = {}
    for _, stack in there:
        if routes.kind_matches(world, carries.get("who"), stack["kind"]):
            troops[stack["kind"]] = troops.get(stack["kind"], 0) + int(stack["n"])
    carriers = [(k, r) for k, r in routes.free_stacks(world, host, zone, again=again) if r["kind"] in ships]
    if not troops or not carriers:
        return None
    kind = max(sorted(troops), key=lambda k: troops[k])
    size = size_of_kinds(context, mode, nation, {kind: 1})
    each = int(room_of(context, mode, [(carriers[0][0], 1)]) // size) if size else troops[kind]
    number = min(troops[kind], each * sum(ships.values()))
    if host != nation and not afloat:  # they may be laden
        picks = [(k, int(r["n"])) for k, r in carriers]
        free = room_of(context, mode, picks) - burden(context, mode, host, zone, picks)
        number = min(number, int(free // size) if size else number)
        return ({kind: number}, dict(ships)) if number > 0 else None
    return ({kind: number}, dict.fromkeys(ships, -(-number // each))) if number > 0 else None


def in_other_words(world: World, names: Names, text: str, slots: Mapping[str, Any]) -> Iterator[str]:
    """A line, and the line with other names of one of its places."""
    yield text
    for value in slots.values():
        row = world.ruleset.rows("places").get(str(value), {}) if isinstance(value, str) else {}
        for alias in row.get("aliases", ()):
            if set(names.find("place", joined(alias))) == {value}:
                yield text.replace(names.printed("place", str(value)), alias)
