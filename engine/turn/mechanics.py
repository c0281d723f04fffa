"""The mechanics: what a step of the frame can do. One module each; `mechanic(name)` gives its `run(node, turn)`.

To add one: write its module in the room it belongs to, with a function `run(node, turn)`, and add its line to `MECHANICS`.
Modules are imported when they are first asked for: the rooms of units, battles and economy stand above this one.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from .context import Mechanic

MECHANICS: Final[dict[str, str]] = {
    "deploy": "units.deploy",
    "act": "turn.acts",
    "watch": "turn.events",
    "purchase": "economy.purchase",
    "complete": "economy.complete",
    "move": "units.move",
    "detect": "units.detect",
    "fight": "battle.fight",
    "control": "units.control",
    "collect": "economy.collect",
    "transfer": "economy.transfer",
    "supply": "economy.supply",
    "upkeep": "economy.upkeep",
    "inform": "turn.inform",
    "score": "turn.score",
}
"""Name of a mechanic -> its module, as seen from the package."""


def mechanic(name: str) -> Mechanic:
    """The function of a mechanic. Raises KeyError for a word that is none."""
    run: Mechanic = import_module(f"...{MECHANICS[name]}", __name__).run
    return run
