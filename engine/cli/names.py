"""Names on the command line: a nation, place or anything else by its id or by any of its names, as in
orders.
"""

from __future__ import annotations

from ..core.state import State
from ..core.words import joined
from ..orders.names import Names
from ..ruleset import Ruleset
from . import ExitCode, Stop


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
    raise Stop(f"no {noun} is called {text}{_nearest(names, kind, text)}", ExitCode.CALL)


MOST_LISTED = 12
"""So many names are listed whole, if none is near."""


def _nearest(names: Names, kind: str, text: str) -> str:
    """The names that come nearest to a wrong one, or that begin as it does; else all, where they are few."""
    near = list(names.guesses(kind, joined(text)))
    if not near:
        near = names.beginning(kind, joined(text))[:MOST_LISTED]
    if near:
        return f"; did you mean {' or '.join(near)}?"
    known = [names.printed(kind, id_) for id_ in names.all(kind)]
    return f"; there are {', '.join(known)}" if 0 < len(known) <= MOST_LISTED else ""


def nations_named(texts: list[str], ruleset: Ruleset) -> list[str]:
    """The ids of the nations that go by these names; one Stop names all that there are not."""
    found, wrong = [], []
    for text in texts:
        try:
            found.append(nation_named(text, ruleset))
        except Stop as stop:
            wrong.append(str(stop))
    if wrong:
        raise Stop("\n  ".join(wrong), ExitCode.CALL)
    return found


def nation_named(text: str, ruleset: Ruleset, state: State | None = None) -> str:
    """The id of the nation that goes by this name, among those of the rules and those that a position has
    founded.
    """
    return one_named("nation", text, ruleset, state)
