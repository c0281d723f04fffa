"""Facts that a state keeps of what has happened, found by word and turn instead of being looked through
whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from ..core.state import Fields, State

TABLE = "facts"


class FactsByWord:
    """The facts of a state as they are whenever it is asked; new ones are sorted in, and nothing else is
    looked at again.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._rows: dict[str, dict[int, list[Fields]]] = {}  # word -> turn -> facts, as they came
        self._seen = 0
        self._version = 0

    def of(self, word: str, turn: int | None = None) -> Iterable[Fields]:
        """The facts of a word, in this turn or (None) in all."""
        version = self._state.versions.get(TABLE, 0)
        if version != self._version or not self._seen:
            self._catch_up(version)
        found = self._rows.get(word, {})
        return chain.from_iterable(found.values()) if turn is None else found.get(turn, ())

    def _catch_up(self, version: int) -> None:
        facts = self._state.tables.get(TABLE, {})
        # a change that added none: one went, or is another
        if len(facts) - self._seen != version - self._version:
            self._rows.clear()
            self._seen = 0
        latest = list(islice(reversed(facts.values()), len(facts) - self._seen))
        for row in reversed(latest):
            self._rows.setdefault(row["word"], {}).setdefault(int(row["turn"]), []).append(row)
        self._seen, self._version = len(facts), version
