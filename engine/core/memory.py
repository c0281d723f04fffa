"""How often what is no longer needed is looked for."""

from __future__ import annotations

import gc

__all__ = ["collect_seldom"]


def collect_seldom() -> None:
    """For commands: rules and states stay as long as one runs, so that looking through them for cycles frees next to nothing."""
    gc.set_threshold(200_000, 20, 20)
