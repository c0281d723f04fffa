"""Every order a nation may give, as it sees the world: acts with their targets and prices, purchases with
their sites, moves with their destinations.

One finite list serves the order sheet, the bots and the hints of the checker. Moves are grouped: the units of
a place that can go the same ways are one entry with the numbers as maxima and the destinations as `targets`.
What needs a text, a number or a list of units stands in `open`; everything else is filled in.

Each kind of order lists its own (`kinds/`), and leaves out what it would refuse, by the same tests
(`turn/slots`: what a slot may hold, the parts of needs; the market, the ways): whatever it gives stands by
itself, and what stands without a condition is in it (`tests/test_law_legal.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ..world.world import World
from .input_points import orders_now
from .kinds import order_kinds
from .legal_entry import ANY, Legal, LegalSearch


def legal_orders(
    world: World, nation: str, only: Iterable[str] | None = None, search: LegalSearch = ANY
) -> Iterator[Legal]:
    """Every order that the nation may give now (`only`: of these rows, "form/id"). `world` is the nation's
    view."""
    wanted: Collection[str] | None = None if only is None else set(only)
    now = orders_now(world)
    for key, kind in order_kinds(world.ruleset).items():
        asked_for = kind.listed if wanted is None else key in wanted
        if asked_for and (now is None or key in now) and kind.is_open(world, nation):
            yield from kind.legal(world, nation, search)
