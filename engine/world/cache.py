"""Values kept by their arguments, for as long as the tables that they come from stay the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.model import Ruleset
from ..core.state import State
from ..ruleset.expressions import Expression
from ..ruleset.expressions.reads import EARLIER, Tables, reads


class Kept:
    """Values by arguments, good for as long as some tables stay as they are (None: as nothing at all changes)."""

    __slots__ = ("stamp", "tables", "values", "version")

    def __init__(self, tables: Iterable[str] | None) -> None:
        self.tables = None if tables is None else tuple(sorted(tables))
        self.version = -1
        self.stamp: Any = None
        self.values: dict[Any, Any] = {}

    def renew(self, state: State) -> None:
        """Forget the values if a table has changed since the last time."""
        self.version = state.version
        stamp = state.version if self.tables is None else tuple([state.versions.get(t, 0) for t in self.tables])
        if stamp != self.stamp:
            self.stamp = stamp
            self.values.clear()


def tables_of(ruleset: Ruleset, expression: Expression) -> Tables | None:
    """The tables that decide a term. What reads an earlier moment is asked anew: moments change apart from the tables."""
    found = reads(ruleset, expression.text)
    return None if found is None or EARLIER in found else found
