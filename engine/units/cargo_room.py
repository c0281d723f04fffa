"""Room aboard: how much carriers take, how much cargo needs, and what is taken by what is aboard already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.rows import MovementRow
from ..core.state import Entity
from ..turn.context import OrderContext
from ..world import routes
from . import forces


def size_of_kinds(turn: OrderContext, mode: MovementRow, nation: str, kinds: Mapping[str, int]) -> Any:
    """The room that kinds need, computed as those of the nation stand somewhere."""
    total: Any = 0
    for kind, n in kinds.items():
        key = next((k for k, r in turn.state.stacks(owner=nation) if r["kind"] == kind), None)
        total += n * figure_of(turn, mode["carries"]["size"], key) if key is not None else 0
    return total


def room_of(turn: OrderContext, mode: MovementRow, picks: Sequence[forces.Pick]) -> Any:
    """How much cargo some units take."""
    carries = mode["carries"]
    total: Any = 0
    for key, n in picks:
        if routes.kind_matches(
            turn.world, carries.get("carriers"), str(turn.state.get("units", key, "kind"))
        ):
            total += n * figure_of(turn, carries["room"], key)
    return total


def size_of(turn: OrderContext, mode: MovementRow, picks: Sequence[forces.Pick]) -> Any:
    """How much room some units need."""
    return sum(n * figure_of(turn, mode["carries"]["size"], key) for key, n in picks)


def figure_of(turn: OrderContext, figure: Any, key: str) -> Any:
    """A number, a stat or a field of a unit, or `=` an expression."""
    unit = Entity("unit", key)
    return turn.world.figure(figure, {"unit": unit, "self": turn.world.field(unit, "owner")}, unit)


def burden(
    turn: OrderContext,
    mode: MovementRow,
    nation: str,
    place: str,
    picks: Sequence[forces.Pick],
    left: Mapping[str, int] | None = None,
) -> Any:
    """The room of these carriers of a nation that cargo afloat in a place needs, because that of the others
    there is too small.

    `left`: how many of each stack earlier orders leave.
    """
    going, left = dict(picks), left or {}
    there = forces.carried_at(turn.state, nation, place) if "carries" in mode else []
    afloat = [(k, left.get(k, int(r["n"]))) for k, r in there]
    room = room_of(turn, mode, picks) if afloat else 0
    if not room:
        return 0
    free = routes.free_stacks(turn.world, nation, place)
    others = [(k, max(0, left.get(k, int(r["n"])) - going.get(k, 0))) for k, r in free]
    return max(0, min(room, size_of(turn, mode, afloat) - room_of(turn, mode, others)))
