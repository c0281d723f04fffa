"""Names on the command line: a nation, place or anything else by its id or by any of its names, as in
orders.
"""

from __future__ import annotations

from ..core.state import State
from ..core.words import joined
from ..orders.names import Names
from ..ruleset import Ruleset
from . import ExitCode, Stop

__all__ = ["nation_named", "one_named"]


def one_named(kind: str, text: str, ruleset: Ruleset, state: State | None = None) -> str:
    """The id of the one thing of a kind (a key of `orders.names.FORM_OF`) that goes by this name; Stop with
    the nearest.
    """
    names = Names(ruleset, state)
    ids = names.find(kind, joined(text))
    if len(ids) == 1:
        return ids[0]
    noun = kind.replace("-", " ")
    if ids:
        raise Stop(f"several {noun}s are called {text}: {', '.join(ids)}", ExitCode.CALL)
    near = names.guesses(kind, joined(text))
    raise Stop(
        f"no {noun} is called {text}" + (f"; did you mean {' or '.join(near)}?" if near else ""),
        ExitCode.CALL,
    )


def nation_named(text: str, ruleset: Ruleset, state: State | None = None) -> str:
    """The id of the nation that goes by this name, among those of the rules and those that a position has
    founded.
    """
    return one_named("nation", text, ruleset, state)
