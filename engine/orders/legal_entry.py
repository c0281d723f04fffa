"""One entry of the list of legal orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..turn.context import OrderContext
from .names import Names
from .text import order_text


@dataclass(frozen=True, slots=True)
class Legal:
    """One order that may be given, or a group of moves.

    `cost` is what it costs each time (of purchases: each piece), `most` how many pieces or units in all, `targets` the places
    that the slot `target` may hold, `room` how many of the units can go to those on the way to which there is room for fewer,
    `bounds` slot -> (least, most) of numbers, `open` the slots that the player must fill.
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


def names_of(context: OrderContext, nation: str, key: str, slots: Mapping[str, Any]) -> dict[str, Any]:
    """The names that the expressions of an order ("form/id" of its row) may use, as far as its slots are filled."""
    return context.order_names({"nation": nation, "order": key, "slots": dict(slots)})
