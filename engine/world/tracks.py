"""Tracks that lean to sides: which way a side is on them, and which way a move goes."""

from __future__ import annotations

from ..core.model import Row, Ruleset
from ..core.state import State


def way_to(track: Row, side: str | None) -> int:
    """Which way a side lies on a track: 1 up, -1 down (`leans` of the track)."""
    return -1 if track.get("leans", {}).get(side) == "down" else 1


def tilt_to(ruleset: Ruleset, state: State, nation: str | None, track: str, side: str | None) -> int:
    """How far a nation leans toward a side on a track; 0 if it leans the other way."""
    return max(0, int(state.get("tracks", nation, track, 0)) * way_to(ruleset.row("tracks", track), side))


def way_to_zero(state: State, nation: str, track: str) -> int:
    """Which way leads a nation's track back to its middle."""
    return -1 if int(state.get("tracks", nation, track, 0)) > 0 else 1
