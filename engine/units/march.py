"""Orders to move as they are understood: which are open for a mode, and what one of them means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Order, Turn
from ..world import routes
from . import forces


@dataclass(slots=True)
class March:
    """One order to move, understood: who goes by which mode, along which way, and whether it ends in a fight."""

    order: Order
    mode: Row
    going: routes.Going
    path: routes.Path
    picks: list[forces.Pick]
    stays: list[forces.Pick]
    hostile: bool

    @property
    def nation(self) -> str:
        return str(self.order["nation"])

    @property
    def count(self) -> int:
        return sum(n for _, n in self.picks)

    @property
    def target(self) -> str:
        return self.path[-1]


def orders_of(turn: Turn, modes: Sequence[Row]) -> list[tuple[Order, Row]]:
    """Open orders whose row is done by one of these modes; inside a nation's own turn, only that nation's."""
    ids = {m["id"]: m for m in modes}
    tick = turn.loops.get("tick")
    mine = turn.loops.get("nation") or turn.loops.get("self")
    nation = mine.id if isinstance(mine, Entity) else None
    out = []
    for order in turn.orders(nation=nation):
        form, _, id_ = order["order"].partition("/")
        row = turn.ruleset.rows(form).get(id_, {})
        mode = ids.get(row.get("does", ""))
        due = tick is None or "point" not in row.get("slots", {}) or _point(order) == int(tick)
        if mode is not None and form == "orders" and order.get("status") is None and due:
            out.append((order, mode))
    return out


def _point(order: Order) -> int:
    """On which point of movement an order that may choose it is carried out."""
    return int(order.get("slots", {}).get("point") or 1)
