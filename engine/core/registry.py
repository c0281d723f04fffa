"""What rulesets name and the engine does: mechanics and verbs, each with the function that carries it out.

To add one, write its function in the room it belongs to and add its line here; nothing else lists them. A
function is imported when it is first asked for, so that this table stands below all rooms, and a command
brings in only what it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final

MECHANICS: Final[dict[str, str | Callable[..., None]]] = {
    "deploy": "units.deploy:run",
    "act": "turn.acts:run",
    "moment": "turn.events:run",
    "purchase": "economy.purchase:run",
    "complete": "economy.complete:run",
    "move": "units.move:run",
    "detect": "battle.detect:run",
    "fight": "battle.fight:run",
    "capture": "units.control:run",
    "collect": "economy.collect:run",
    "transfer": "economy.transfer:run",
    "upkeep": "economy.upkeep:run",
    "inform": "turn.inform:run",
    "score": "turn.score:run",
    "settle": "turn.settle:run",
}
"""What a step of the sequence of play can `do` -> `run(node, turn)`: the function, or its module and name."""

VERBS: Final[dict[str, str]] = {
    "shift": "turn.verbs:shift",
    "change": "turn.verbs:change",
    "pay": "turn.verbs:pay",
    "learn": "turn.verbs:learn",
    "flag": "turn.verbs:mark",
    "clear": "turn.verbs:clear",
    "relate": "turn.verbs:relate",
    "join": "turn.verbs:join",
    "leave": "turn.verbs:leave",
    "own": "turn.verbs:own",
    "react": "turn.matrices:react",
    "release": "turn.events:release_as_if",
    "know": "turn.verbs:know",
    "say": "turn.verbs:say",
    "command": "turn.verbs:command",
    "found": "turn.verbs:found",
    "absorb": "turn.verbs:absorb",
    "vote": "turn.verbs:vote",
    "end": "turn.verbs:end",
    "create": "turn.verbs_units:create",
    "remove": "turn.verbs_units:remove",
    "convert": "turn.verbs_units:convert",
    "relocate": "turn.verbs_units:relocate",
    "queue": "turn.verbs_later:queue",
    "cancel": "turn.verbs_later:cancel",
    "record": "turn.verbs_records:record",
    "strike": "turn.verbs_records:strike",
    "deal": "turn.verbs_cards:deal",
    "play": "turn.verbs_cards:play",
    "fight": "battle.fight:fight_here",
}
"""What an effect can do -> `verb(runner, parameters, names)`."""

CHOOSERS: Final = ("first", "draw", "largest", "weakest", "cheapest", "nearest")
"""How the default of a decision may choose among its answers (`turn/decisions.default_answer`)."""


def mechanic(name: str) -> Callable[..., None]:
    """The function of a mechanic. Raises KeyError for a word that is none."""
    found = MECHANICS[name]
    function: Callable[..., None] = _function(found) if isinstance(found, str) else found
    return function


def verb(name: str) -> Callable[..., None]:
    """The function of a verb. Raises KeyError for a word that is none."""
    found: Callable[..., None] = _function(VERBS[name])
    return found


@cache
def _function(place: str) -> Any:
    module, _, function = place.partition(":")
    return getattr(import_module(f"...{module}", __name__), function)
