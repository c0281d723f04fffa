"""The states of a game's stages, as they are packed and read again.

A stage shares most tables with the one before, and with the starts of its turn and phase. What has been
written or read of these is known: a table that stays is neither written nor read again.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..core import canonical
from ..core.state import State, Table


class PackedState(NamedTuple):
    """A state to be kept: the hash that it is kept under, and what makes its content if it is not kept
    yet.
    """

    key: str
    content: Callable[[], bytes]


class _KnownTable:
    """A table with its text, and as reading that text gives it (its keys in order)."""

    __slots__ = ("_read", "_text", "table")

    def __init__(self, table: Table, text: bytes | None = None, *, read: bool = False) -> None:
        self.table = table
        self._text = text
        self._read = table if read else None

    @property
    def text(self) -> bytes:
        """Its canonical text."""
        if self._text is None:
            self._text = canonical.dumps(self.table)
        return self._text

    @property
    def read(self) -> Table:
        """What reading it from the game would give."""
        if self._read is None:
            self._read = canonical.loads(self.text)
        return self._read


class KnownStates:
    """The states of the present stage of a game, and those that were packed for the next one. They are never
    changed.
    """

    def __init__(self) -> None:
        self._states: dict[str, State] = {}
        self._packed: dict[str, dict[str, _KnownTable]] = {}
        self._tables: dict[int, _KnownTable] = {}
        """The tables of these states, by their identity."""

    def find(self, key: str) -> State | None:
        """The state that is kept under a hash, if it is known; it is as reading it from the game gives it."""
        found = self._states.get(key)
        if found is None and (parts := self._packed.get(key)) is not None:
            for part in parts.values():
                self._tables[id(part.read)] = _KnownTable(part.read, part.text, read=True)
            found = State({name: part.read for name, part in parts.items()})
        return found

    def hold(self, states: Mapping[str, State]) -> None:
        """From now on these are the states of the present stage, as they were read, by their hashes. What was
        known besides is forgotten.
        """
        tables = {id(table): table for state in states.values() for table in state.tables.values()}
        self._tables = {key: self._tables.get(key) or _KnownTable(t, read=True) for key, t in tables.items()}
        self._states, self._packed = dict(states), {}

    def packed(self, states: Sequence[State]) -> tuple[PackedState, ...]:
        """States as they are kept for the next stage."""
        tables = dict(self._tables)
        self._packed = {}
        return tuple([self._pack(state, tables) for state in states])

    def _pack(self, state: State, tables: dict[int, _KnownTable]) -> PackedState:
        for key, known in self._states.items():
            if known is state:
                return PackedState(key, lambda: zlib.compress(canonical.dumps(state.tables), 1))
        parts: dict[str, _KnownTable] = {}
        for name, table in sorted(state.tables.items()):
            parts[name] = tables.setdefault(id(table), _KnownTable(table))
        data = _text_of(parts.items())
        key = hashlib.sha256(data).hexdigest()  # the hash is that of `State.hash`
        self._packed[key] = parts
        content = zlib.compress(data, 1)  # made before anybody waits for it
        return PackedState(key, lambda: content)


def _text_of(parts: Iterable[tuple[str, _KnownTable]]) -> bytes:
    """The canonical text of a state's tables, from theirs."""
    return b"{" + b",".join([canonical.dumps(name) + b":" + part.text for name, part in parts]) + b"}"
