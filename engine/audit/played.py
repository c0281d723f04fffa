"""A game as it was played, as plain data: where it began, and what came of each resolution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.journal import Change, Entry
from ..core.model import Row, Ruleset
from ..core.nested import maps_in
from ..core.state import WHOLE_ROW, State
from .reading import Reader


@dataclass(frozen=True, slots=True)
class RecordedStage:
    """One resolution: the state it led to, and its entries.

    Both are read again each time they are asked for, so that a long game needs no more memory than a short
    one: `after` makes the state, `entries` can be gone through as often as is wanted.
    """

    number: int
    after: Callable[[], State]
    entries: Iterable[Entry]


@dataclass(frozen=True, slots=True)
class RecordedReport:
    """What one nation was told on a turn, and the states when its first orders were asked for and when the
    report was made.

    `told` are sentences with the words that stand out before them; `tables` the heads and rows of the tables
    of its forces,
    `accounts` heads, rows and notes of those of its resources.
    """

    nation: str
    turn: int
    before: State
    state: State
    told: tuple[tuple[str, str], ...]
    tables: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], ...]
    accounts: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game: its rules, the state before the first entry, its stages, and a way to the reports that nations
    have had.
    """

    ruleset: Ruleset
    start: State
    stages: tuple[RecordedStage, ...]
    reports: Callable[[], Iterator[RecordedReport]] = field(default=lambda: iter(()))

    def moments(self) -> Iterator[tuple[Entry, State]]:
        """Every entry with the state before it; the state is the same object, which goes on when the next one
        is asked for.
        """
        state = self.start.copy()
        for stage in self.stages:
            for entry in stage.entries:
                yield entry, state
                make(state, entry.changes)

    def readings(self) -> Iterator[tuple[Entry, Reader]]:
        """Every entry with a reader of the state before it, which knows how the game, the turn and the phase
        began.
        """
        reader: Reader | None = None
        for entry, state in self.moments():
            if reader is None:
                reader = Reader(self.ruleset, state)
                reader.past["game"] = reader.past["turn"] = reader.past["phase"] = Reader(
                    self.ruleset, self.start
                )
                reader.past["game"].past = reader.past
            yield entry, reader
            fields = {c[2] for c in entry.changes if c[0] == "game"}
            if fields & {"turn", "phase"}:
                then = state.copy()
                make(then, entry.changes)
                for moment in ("turn", "phase") if "turn" in fields else ("phase",):
                    reader.past[moment] = Reader(self.ruleset, then)
                    reader.past[moment].past = reader.past

    def ends(self) -> Iterator[tuple[int, State]]:
        """Every turn that is over, with the state in which it ended (before the next one began)."""
        for entry, state in self.moments():
            if any(fact.word == "turn_end" for fact in entry.facts):
                after = state.copy()
                make(after, entry.changes)
                yield entry.turn, after


def make(state: State, changes: list[Change]) -> None:
    """Make the changes of an entry."""
    for table, id_, name, _, after in changes:
        state.put(table, id_, name, after)


def rows_changed(
    entry: Entry, state: State, table: str
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """The rows of a table that an entry changes: id, the row before it and the row after it (empty where
    there is none).
    """
    before: dict[str, Mapping[str, Any]] = {}
    after: dict[str, dict[str, Any]] = {}
    for of, id_, name, _, value in entry.changes:
        if of != table:
            continue
        if id_ not in before:
            before[id_] = dict(state.row(table, id_))
            after[id_] = dict(before[id_])
        if name == WHOLE_ROW:
            after[id_] = dict(value or {})
        elif value is None:
            after[id_].pop(name, None)
        else:
            after[id_][name] = value
    for id_, row in before.items():
        yield id_, row, after[id_]


def rows_behind(ruleset: Ruleset, entry: Entry) -> list[Row]:
    """The row that caused an entry, and for an order the row that it does."""
    form, _, id_ = entry.rule.partition("/")
    row = ruleset.rows(form).get(id_)
    if row is None:
        return []
    does = row.get("does") if form == "orders" else None
    return [
        row,
        *(
            ruleset.rows(f)[does]
            for f in ("movement", "transfers")
            if does is not None and ruleset.has(f, does)
        ),
    ]


def said_in(row: Any, word: str) -> bool:
    """Whether a key of that name stands anywhere in a row."""
    return any(word in part for part in maps_in(row))
