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

from ..core.model import Ruleset
from ..world.world import World
from .input_points import by_phase, orders_now
from .kinds import order_kinds
from .legal_entry import ANY, Legal, LegalSearch
from .lookahead import at_its_step


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


def phased_orders(ruleset: Ruleset) -> list[tuple[str, str]]:
    """The orders that are listed ("form/id"), each after the name of its phase, in the order of the turn.

    Those of no phase come last, without a name.
    """
    titled = [(title, key) for title, keys in by_phase(ruleset) for key in keys]
    phased = {key for _, key in titled}
    others = (key for key, kind in order_kinds(ruleset).items() if kind.listed and key not in phased)
    return titled + [("", key) for key in others]


def legal_at_their_steps(
    world: World, nation: str, keys: Iterable[str], search: LegalSearch = ANY
) -> dict[str, list[Legal]]:
    """Every order that the nation may give, by its row, as things stand in its step if it is the only one."""
    positions: dict[int, tuple[World, list[str]]] = {}
    for key in dict.fromkeys(keys):
        at = at_its_step(world, nation, key)
        positions.setdefault(id(at), (at, []))[1].append(key)
    entries: dict[str, list[Legal]] = {}
    for at, some in positions.values():
        for entry in legal_orders(at, nation, some, search):
            entries.setdefault(entry.order, []).append(entry)
    return entries
