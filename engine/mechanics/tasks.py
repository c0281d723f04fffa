"""Task forces: ships sail zone by zone, one task for every point of movement."""

from __future__ import annotations

from collections.abc import Sequence

from ..ruleset.model import Row
from ..turn import Turn


def run(node: Row, turn: Turn, modes: Sequence[Row]) -> None:
    """Not yet."""
