"""Amounts: whole numbers, ranges drawn evenly (their ends may be expressions), dice, fractions, `all`, or an
expression.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..core.dice import Stream
from ..core.die import Die, parse_die
from ..core.state import Entity
from .tables import in_range
from .world import Names, World, exact

ALL = "all"


def amount(world: World, value: Any, names: Names, stream: Callable[[], Stream], *, every: Any = None) -> Any:
    """The number an amount stands for.

    `every` is what `all` means here; `stream` opens dice when they are needed.
    """
    if isinstance(value, int):
        return value
    if isinstance(value, dict):
        low, high = (int(world.number(end, names)) for end in value["draw"])
        return low if high <= low else stream().roll(Die(1, high - low + 1, 0, low))
    if value == ALL:
        return every
    if isinstance(value, str):
        if value.startswith("="):
            found = world.value(value[1:].strip(), names)
            return exact(found) if not isinstance(found, Entity | str) else found
        if ".." in value or "d" in value:
            return stream().roll(parse_die(value))
        return exact(Fraction(value))
    raise ValueError(f"not an amount: {value!r}")


def face_fits(faces: str | int, total: int) -> bool:
    """Whether a die's total is among faces written `7` or `7..10`."""
    return in_range(faces, total)
