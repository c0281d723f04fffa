"""One entry of the list of legal orders, and what may be asked of the list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..ruleset.order_syntax import slot_of
from ..turn.context import OrderContext
from .names import Names
from .text import order_text

MAX_WAYS = 400
"""Fillings of one act's slots that are tried; rows with more are given with their slots open."""


def says_nothing(row: Row, slots: Mapping[str, Any]) -> bool:
    """Whether an order without options that fills these slots changes nothing (`by_options`)."""
    declared = row.get("slots", {})
    return bool(row.get("by_options")) and not any(
        slot_of(name, declared[name]).optional for name, value in slots.items() if value and name in declared
    )


@dataclass(frozen=True, slots=True)
class LegalSearch:
    """What of the list somebody wants.

    `items` keeps to orders that buy these (`None`: all orders). Of acts, `tried` says how many fillings of
    one act's slots are tried; `where` is a test by which the caller chooses among them, so that what it
    plainly rules out may be left out; `within`: resource -> the most that the caller pays, so that what costs
    more may be left out, too. With `offered` the caller takes only what the rows offer (`Legal.is_offered`).
    """

    items: frozenset[str] | None = None
    tried: int = MAX_WAYS
    where: str | bool | None = None
    within: tuple[tuple[str, Any], ...] = ()
    offered: bool = False


ANY = LegalSearch()


@dataclass(frozen=True, slots=True)
class Legal:
    """One order that may be given, or a group of moves.

    `cost` is what it costs each time (of purchases: each piece), `most` how many pieces or units in all,
    `targets` the places that the slot `target` may hold, `room` how many of the units can go to those on the
    way to which there is room for fewer, `bounds` slot -> (least, most) of numbers, `open` the slots that the
    player must fill.
    """

    order: str
    nation: str
    slots: Mapping[str, Any]
    cost: Mapping[str, Any] = field(default_factory=dict)
    most: int = 1
    targets: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    open: tuple[str, ...] = ()
    room: Mapping[str, int] = field(default_factory=dict)

    def text(self, names: Names) -> str:
        """The line of an order file; open slots as `<slot>`."""
        return order_text(names.ruleset, names, {"order": self.order, "slots": self.slots})

    def is_offered(self, context: OrderContext) -> bool:
        """Whether it makes sense to most, as its row says it (`offer`): forms and reminders show no other."""
        row = context.ruleset.row_of(self.order)
        test = row.get("offer", True)
        if isinstance(test, bool):
            return test
        slots = row.get("slots", {})
        names = {s: context.slot_value(slots[s], v) for s, v in self.slots.items() if s in slots}
        me = Entity("nation", self.nation)
        return context.world.test(test, dict.fromkeys(slots) | names | {"self": me, "nation": me})
