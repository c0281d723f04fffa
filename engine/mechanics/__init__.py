"""The mechanics: what a step of the frame can do. One module each; `mechanic(name)` gives its `run(node, turn)`."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from ..turn import Mechanic

MECHANICS: Final[tuple[str, ...]] = (
    "deploy",
    "act",
    "watch",
    "purchase",
    "complete",
    "move",
    "detect",
    "fight",
    "control",
    "collect",
    "transfer",
    "supply",
    "upkeep",
    "inform",
    "score",
)


def mechanic(name: str) -> Mechanic:
    """The function of a mechanic. Raises KeyError for a word that is none."""
    if name not in MECHANICS:
        raise KeyError(name)
    run: Mechanic = import_module(f".{name}", __name__).run
    return run
