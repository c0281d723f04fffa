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
from ..units.stowage import room_of, size_of_kinds
from ..world import routes
from ..world.world import World
from . import ways
from .names import Names
from .rows import starts_at

Slots = dict[str, Any]


def crossings(world: World, nation: str, row: Row, mode: Row, ships: Mapping[str, Any]) -> Iterator[tuple[Slots, list[str]]]:
    """The slots of orders that carry troops in ships of a zone (`ships`: the slots that name both), each with the shores that
    the ships come to."""
    zone = str(ships[starts_at(row)])
    kind = max(ships[ways.UNITS], key=lambda k: int(ships[ways.UNITS][k]))
    shores = _shores(world, nation, mode, zone, kind)
    links = tuple(mode["carries"].get("link", ()))
    for origin in (zone, *sorted(world.geography.next_to(zone, links))):
        if (found := _load(world, nation, mode, zone, origin, {kind: int(ships[ways.UNITS][kind])})) is None:
            continue
        cargo, carriers = found
        ends = [place for place in shores if place != origin]
        if ends:
            yield {**ships, ways.CARGO: cargo, ways.ORIGIN: origin, ways.UNITS: carriers}, ends


def _shores(world: World, nation: str, mode: Row, zone: str, kind: str) -> list[str]:
    """The land next to where ships come, themselves and what they carry; without a fight if the mode knows none."""
    links = tuple(mode["carries"].get("link", ()))
    zones = dict.fromkeys((zone, *ways.targets(world, nation, mode, zone, kind)))
    found = {place for at in zones for place in world.geography.next_to(at, links)}
    peaceful = (world.ruleset.row("modes", mode["ashore"]) if "ashore" in mode else mode).get("fights") is False
    return sorted(p for p in found if not (peaceful and routes.is_attack(world, nation, p)))


def _load(
    world: World, nation: str, mode: Row, zone: str, origin: str, ships: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int]] | None:
    """The most numerous troops of a place that fit aboard, and as many of the ships as they need; None if there are none."""
    context, carries = OrderContext(world), mode["carries"]
    again = bool(mode.get("again"))
    afloat = origin == zone
    there = forces.afloat_at(world.state, nation, zone) if afloat else routes.free_stacks(world, nation, origin, again=again)
    troops: dict[str, int] = {}
    for _, stack in there:
        if routes.kind_matches(world, carries.get("who"), stack["kind"]):
            troops[stack["kind"]] = troops.get(stack["kind"], 0) + int(stack["n"])
    carriers = [(k, r) for k, r in routes.free_stacks(world, nation, zone, again=again) if r["kind"] in ships]
    if not troops or not carriers:
        return None
    kind = max(sorted(troops), key=lambda k: troops[k])
    size = size_of_kinds(context, mode, nation, {kind: 1})
    each = int(room_of(context, mode, [(carriers[0][0], 1)]) // size) if size else troops[kind]
    number = min(troops[kind], each * sum(ships.values()))
    return ({kind: number}, dict.fromkeys(ships, -(-number // each))) if number > 0 else None


def in_other_words(world: World, names: Names, text: str, slots: Mapping[str, Any]) -> Iterator[str]:
    """A line, and the line with other names of one of its places."""
    yield text
    for value in slots.values():
        row = world.ruleset.rows("places").get(str(value), {}) if isinstance(value, str) else {}
        for alias in row.get("aliases", ()):
            if set(names.find("place", joined(alias))) == {value}:
                yield text.replace(names.printed("place", str(value)), alias)
