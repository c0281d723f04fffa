"""What the map looks like when the moves of a file have been made as their nation hopes: attacks won, nobody lost.

Orders for a later phase of the same file start from there (`again` of a mode): a unit moves on from where an earlier line
takes it. The resolution tests them again, on what has really happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Order, Turn
from ..units import forces
from ..units.cargo_loading import stays_afloat
from ..units.fleet import Voyage
from ..world import routes

Move = routes.Path | Voyage
"""How units of an order go: the places of their way, or a voyage."""


def make(turn: Turn, nation: str, order: Order, mode: Row, move: Move) -> None:
    """Make one move in a position that is nobody else's."""
    with turn.journal.entry(order["order"], keep=False):
        if isinstance(move, Voyage):
            _sail(turn, nation, mode, move)
        else:
            _go(turn, nation, mode, order, move)


def _go(turn: Turn, nation: str, mode: Row, order: Order, path: routes.Path) -> None:
    """Units at the end of their way, with what they have left of their allowance."""
    free = routes.free_stacks(turn.world, nation, path[0], again=bool(mode.get("again")))
    picks = forces.pick(free, _numbers(order["slots"]["units"]))
    if not picks or len(path) < 2:
        return
    going, home = _group(turn, nation, mode, picks), mode.get("way_home")
    kept = {key: routes.kept_of(going, Entity("unit", key), path) for key, _ in picks}
    for place in path[-1:] if mode.get("passes_over") else path[1:]:
        _win(turn, nation, place, mode)
    for key, n in picks:
        left = {field: value for field, value in kept[key].items() if field != home}
        turn.journal.alter_units(key, n, **{**dict.fromkeys(forces.PASSING), "moved": True, "place": path[-1], **left})


def _sail(turn: Turn, nation: str, mode: Row, voyage: Voyage) -> None:
    """Ships where their plan ends, and their cargo ashore."""
    keeps = mode.get("keeps")
    places = [voyage.start, *(entry["place"] for entry in voyage.plan)]
    spent = sum(a != b for a, b in pairwise(places))
    if not voyage.host:
        _win(turn, nation, voyage.target, mode)
    last = turn.ruleset.rows("missions").get(voyage.plan[-1].get("mission") or "", {}) if voyage.plan else {}
    free = routes.free_stacks(turn.world, nation, voyage.start, again=bool(mode.get("again")))
    if voyage.host:
        lent = turn.state.stacks(at=voyage.start, owner=voyage.host) if voyage.lands else ()
        for key, n in forces.pick(lent, voyage.units) or ():
            turn.journal.alter_units(key, n, **last.get("marks", {}))
        free = []
    for key, n in forces.pick(free, voyage.units) or ():
        left = {keeps: (_group(turn, nation, mode, [(key, n)]).allowance(voyage.start) or 0) - spent} if keeps else {}
        fields = {**dict.fromkeys(forces.PASSING), **last.get("marks", {}), **left}
        turn.journal.alter_units(key, n, **{**fields, "moved": True, "place": voyage.target})
    shore = turn.ruleset.rows("modes").get(mode.get("ashore", ""), mode)
    for parcel in voyage.cargo:
        start, to = parcel["from"], parcel["to"]
        waits = forces.afloat_at(turn.state, nation, start, voyage.host)
        there = waits if start == voyage.start else routes.free_stacks(turn.world, nation, start, again=True)
        aboard = forces.AFLOAT if stays_afloat(turn, mode, to) else None
        if aboard is None:
            _win(turn, nation, to, shore)
        for key, n in forces.pick(there, parcel["units"]) or ():
            on = {"aboard": aboard, "host": voyage.host or None if aboard else None}
            turn.journal.alter_units(key, n, **{**dict.fromkeys(forces.PASSING), "moved": True, "place": to, **on})


def _win(turn: Turn, nation: str, place: str, mode: Row) -> None:
    """A place that is attacked falls; one that flying units or ships attack is only cleared, be it held by somebody or not."""
    cleared = bool(mode.get("passes_over") or mode.get("tasks"))
    attack = routes.is_attack(turn.world, nation, place)
    for key, stack in list(turn.state.stacks(at=place)) if attack or cleared else ():
        beaten = not turn.world.allied(nation, stack["owner"]) if attack else turn.world.hostile(nation, stack["owner"])
        if beaten:
            turn.journal.put_row("units", key, None)
    if attack and not cleared:
        turn.journal.set("places", place, "holder", nation)


def _group(turn: Turn, nation: str, mode: Row, picks: list[forces.Pick]) -> routes.Going:
    return routes.Going(turn.world, nation, mode, [Entity("unit", k) for k, _ in picks])


def _numbers(units: Mapping[str, Any]) -> dict[str, int]:
    return {k: int(n) for k, n in units.items() if int(n) > 0}
