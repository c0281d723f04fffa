"""The orders of a case go in by the door that a player's mail goes in by: the nation's view, the reader, the
checker.

What any of them refuses is a refusal of the case, what they warn of a note. A case whose matter lies behind
the door (what the resolution does with an order that the door would not let pass) says so, and its orders are
read only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.diagnostics import Diagnostic
from ..orders.intake import accept
from ..orders.kinds.answers import parted
from ..orders.parse import parse_orders
from ..orders.sheet import offers_of
from ..turn.context import Order, OrderContext, Turn
from ..turn.decisions import answer_refusal
from ..world.view import WorldViews

Said = tuple[int, str]
"""The number of an order in the case's list, and what is said of it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came in of one nation's orders: those that stand, answers to decisions, what is refused, what is
    warned of.
    """

    orders: tuple[Order, ...] = ()
    answers: dict[str, Any] = field(default_factory=dict)
    refused: tuple[Said, ...] = ()
    warned: tuple[Said, ...] = ()


class Door:
    """Takes in orders at the turn's present position."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        world = turn.world
        self._worlds = WorldViews(
            turn.ruleset,
            lambda moment: turn.state if moment == "now" else world.at(moment).state,
            world.moments,
            world.geography,
        )

    def take(self, nation: str, lines: Sequence[str | Order], *, past: bool = False) -> Taken:
        """A nation's orders, as lines or as orders already understood; `past` the door they are read, not
        checked.
        """
        world = self.turn.world if past else self._worlds.world(nation)
        understood, found = [], []
        for number, line in enumerate(lines, 1):
            if isinstance(line, str):
                orders, more = parse_orders(world.ruleset, line, nation=nation, state=world.state)
                understood += [_numbered(o, number) for o in orders]
                found += [(number, d) for d in more]
            else:
                understood.append(_numbered({**line, "nation": nation}, number))
        if past:
            bare = [
                {k: v for k, v in o.items() if k not in ("columns", "readings", "nation")} for o in understood
            ]
            orders, answers = parted(bare)
        else:
            taken = accept(world, nation, understood)
            found += [(d.line, d) for d in taken.found]
            orders = [{k: v for k, v in o.items() if k != "nation"} for o in taken.orders]
            answers = dict(taken.answers)
            world.close()
        return Taken(tuple(orders), answers, tuple(_said(found, "error")), tuple(_said(found, "warning")))

    def offered(self, nation: str) -> set[str]:
        """The orders ("form/id") that a nation's order sheet has a line of."""
        world = self._worlds.world(nation)
        found: set[str] = set()
        for _, lines in offers_of(world, nation):
            found.update(one.order for one in lines)
        world.close()
        return found

    def answers(self, nation: str, given: Mapping[str, Any]) -> dict[str, str]:
        """Which of a nation's answers to decisions may not be given, and why."""
        context = OrderContext(self._worlds.world(nation))
        found = {key: answer_refusal(context, nation, key, answer) for key, answer in given.items()}
        return {key: _with_hint(why.text, why.hint) for key, why in found.items() if why is not None}


def _numbered(order: Order, number: int) -> Order:
    readings = [{**r, "line": number} for r in order.get("readings", ())]
    return {**order, "line": number, **({"readings": readings} if readings else {})}


def _said(found: Sequence[tuple[int, Diagnostic]], severity: str) -> list[Said]:
    return [(n, _with_hint(d.message, d.hint)) for n, d in found if d.severity == severity]


def _with_hint(said: str, hint: str) -> str:
    return f"{said}; {hint}" if hint else said
