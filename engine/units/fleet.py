"""The forces of one nation as they are being ordered: numbered as they are listed, with who parts from whom.

A `Voyage` is one order understood, a `Parcel` more cargo for one; a `Fleet` knows those of a nation that
stand so far.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..core.model import Row, Ruleset
from ..core.rows import MovementRow
from ..core.state import Fields
from ..turn.context import Order
from . import forces


@dataclass(slots=True)
class Voyage:
    """One order of a force. `plan` is a list of {place, mission, load, land}, one entry a point of movement.

    `cargo` is a list of {units, from, to}; an entry's `load` names those that come aboard before it, by their
    place in the list.
    """

    order: Order
    mode: MovementRow
    start: str
    picks: list[forces.Pick]
    plan: list[Fields]
    cargo: list[Fields]
    units: dict[str, int]
    host: str = ""
    """Whose the carriers are, if they are an ally's: they stay where they are, and their owner's."""
    gate: str | None = None
    """A passage on the way that is shut to them as things stand: they stop before it unless it has been
    opened by then.
    """
    burden: Any = 0
    """The room aboard them that is taken by cargo that is afloat where they set out."""
    number: int = 0
    parent: int = 0
    """The force that they leave after `after` points; 0: they set out by themselves."""
    after: int = 0

    @property
    def nation(self) -> str:
        return str(self.order["nation"])

    @property
    def loaded(self) -> bool:
        """Whether cargo that is afloat where they set out is aboard them."""
        return bool(self.burden > 0)

    @property
    def target(self) -> str:
        return str(self.plan[-1]["place"]) if self.plan else self.start

    @property
    def lands(self) -> list[Fields]:
        """The parts of its cargo that go ashore where it ends."""
        return self.cargo if any(entry.get("land") for entry in self.plan) else []

    def place_after(self, points: int) -> str:
        """Where it means to be when so many points are spent."""
        if 0 < points <= len(self.plan):
            return str(self.plan[points - 1]["place"])
        return self.target if points else self.start


@dataclass(frozen=True, slots=True)
class Parcel:
    """More cargo for a force that another order makes."""

    order: Order
    number: int
    cargo: Fields
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
                fleet.partings.setdefault(int(slots["part_of"]), []).append(
                    (int(slots.get("after") or 0), units)
                )
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
    return ruleset.row_or_empty("missions", mission or "")


def makes_one(ruleset: Ruleset, order: Order) -> bool:
    """Whether an order makes a force: its units go by a mode with tasks."""
    row = ruleset.row_of(order["order"])
    return bool(ruleset.row_or_empty("movement", row.get("does", "")).get("tasks")) and "units" in order.get(
        "slots", {}
    )
