"""What the map looks like when the moves of a file have been made as their nation hopes: attacks won, nobody lost.

Orders for a later phase of the same file start from there (`again` of a mode): a unit moves on from where an earlier line
takes it. The resolution tests them again, on what has really happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ..core.journal import Journal
from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Order
from ..units import forces
from ..units.fleet import Voyage
from ..world import routes
from ..world.world import World


class Afterwards:
    """A copy of a nation's view in which its accepted moves are made one after another."""

    def __init__(self, world: World, nation: str) -> None:
        self.nation = nation
        self.moves = 0  # how many have been made
        state = world.state.copy()
        self.world = World(world.ruleset, state, moments=world.moments, geography=world.geography)
        self.journal = Journal(world.ruleset, state)

    def make(self, order: Order, mode: Row, found: routes.Path | Voyage) -> None:
        """Make one move that has been accepted."""
        self.moves += 1
        with self.journal.entry(order["order"], audience=("nobody",), keep=False):
            if isinstance(found, Voyage):
                self._sail(mode, found)
            else:
                self._go(mode, order, found)

    def _go(self, mode: Row, order: Order, path: routes.Path) -> None:
        """Units at the end of their way, with what they have left of their allowance."""
        free = routes.free_stacks(self.world, self.nation, path[0], again=bool(mode.get("again")))
        picks = forces.pick(free, _numbers(order["slots"]["units"]))
        if not picks or len(path) < 2:
            return
        going = routes.Going(self.world, self.nation, mode, [Entity("unit", k) for k, _ in picks])
        most = going.allowance(path[0])
        left = {} if most is None or "keeps" not in mode else {mode["keeps"]: most - routes.spent_on(going, path)}
        for place in path[1:]:
            self._win(place, mode)
        for key, n in picks:
            self.journal.alter_units(key, n, **{**dict.fromkeys(forces.PASSING), "moved": True, "place": path[-1], **left})

    def _sail(self, mode: Row, voyage: Voyage) -> None:
        """Ships where their plan ends, and their cargo ashore."""
        left: dict[str, Any] = {}
        if "keeps" in mode:
            going = routes.Going(self.world, self.nation, mode, [Entity("unit", k) for k, _ in voyage.picks])
            places = [voyage.start, *(entry["place"] for entry in voyage.plan)]
            left = {
                mode["keeps"]: (going.allowance(voyage.start) or 0)
                - sum(a != b for a, b in pairwise(places))
            }
        last = self.world.ruleset.rows("missions").get(voyage.plan[-1].get("mission") or "", {}) if voyage.plan else {}
        free = routes.free_stacks(self.world, self.nation, voyage.start, again=bool(mode.get("again")))
        for key, n in forces.pick(free, voyage.units) or ():
            fields = {**dict.fromkeys(forces.PASSING), **last.get("marks", {}), **left}
            self.journal.alter_units(key, n, **{**fields, "moved": True, "place": voyage.target})
        for parcel in voyage.cargo:
            aboard = parcel["from"] == voyage.start
            there = (
                forces.afloat_at(self.world.state, self.nation, parcel["from"])
                if aboard
                else free_at(self.world, self.nation, parcel["from"])
            )
            shore = self.world.ruleset.rows("modes").get(mode.get("ashore", ""), mode)
            if parcel.get("to"):
                self._win(parcel["to"], shore)
            for key, n in forces.pick(there, parcel["units"]) or ():
                where = {"place": parcel["to"]} if parcel.get("to") else {"place": voyage.target, "aboard": forces.AFLOAT}
                self.journal.alter_units(key, n, **{**dict.fromkeys(forces.PASSING), "moved": True, **where})

    def _win(self, place: str, mode: Row) -> None:
        """A place that is attacked falls, by whatever way; one that flying units or ships attack is only cleared."""
        if not routes.is_attack(self.world, self.nation, place):
            return
        for key, stack in list(self.world.state.stacks(at=place)):
            if not self.world.allied(self.nation, stack["owner"]):
                self.journal.put_row("units", key, None)
        if not mode.get("flies") and not mode.get("tasks"):
            self.journal.set("places", place, "holder", self.nation)


def free_at(world: World, nation: str, place: str) -> list[tuple[str, Row]]:
    return routes.free_stacks(world, nation, place, again=True)


def _numbers(units: Mapping[str, Any]) -> dict[str, int]:
    return {k: int(n) for k, n in units.items() if int(n) > 0}
