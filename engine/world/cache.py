"""Answers kept by their questions, for as long as the tables that decide them stay the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.state import State


class Cache:
    """Values by question, good for as long as some tables stay as they are (None: as nothing at all changes).

    `values` are looked up and filled by the caller, after a look at `version`: `if cache.version !=
    state.version: cache.renew(state)`. A cache made with that of the world of which its state is a copy
    (`copied`) shares its values until a table changes; what depends on all tables may hold the world itself
    and is not shared.
    """

    __slots__ = ("stamp", "tables", "values", "version")

    def __init__(self, tables: Iterable[str] | None, copied: Cache | None = None) -> None:
        self.tables = None if tables is None else tuple(sorted(tables))
        self.version = -1
        self.stamp: Any = None
        self.values: dict[Any, Any] = {}
        if copied is not None and self.tables is not None:
            self.stamp, self.values = (0,) * len(self.tables), copied.values

    def renew(self, state: State) -> None:
        """Forget the values if a table has changed since the last time."""
        self.version = state.version
        stamp = (
            state.version if self.tables is None else tuple([state.versions.get(t, 0) for t in self.tables])
        )
        if stamp != self.stamp:
            self.stamp = stamp
            self.values = {}  # the old ones may be shared
