"""Why a value is what it is: the changes of it that the journal holds, found by words such as `NATION TRACK`.

Words are names as players write them (of nations, places, kinds of units, technologies), ids and names of any
row, and the tables, fields and values of the state. A change counts when it has to do with every one of them.
A word that means nothing in the game is an error with the nearest that does: an empty answer must mean that
nothing has changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.diagnostics import nearest
from ..core.journal import Entry
from ..core.state import State
from ..core.words import Word, normal, run_together, split
from ..orders.names import Names
from ..ruleset import Ruleset
from ..ruleset.expressions.vocabulary import BUILT_IN
from ..ruleset.order_syntax import FORM_OF

SMALL_WORDS = frozenset(
    {"a", "and", "at", "by", "for", "from", "in", "is", "of", "on", "s", "the", "to", "why", "with"}
)
KEPT_APART = frozenset(
    {"orders", "facts", "becomes", "uses", "once", "delayed", "knowledge", "forces", "loads"}
)
"""Tables that note what was asked, seen or happened: they answer only when they are named."""
_APART = re.compile(r"[/:@.\[\]>=,|#]|--")


class Unknown(ValueError):
    """A word that nothing in the game goes by."""


class ValueChange(NamedTuple):
    """One changed value: table, row and field (`*`: a row that came or went), before and after (None:
    nothing).
    """

    table: str
    id: str
    field: str
    before: Any
    after: Any


class Cell(NamedTuple):
    """One value of the present state."""

    table: str
    id: str
    field: str
    value: Any


class Answer(NamedTuple):
    """What stands now, the entries that changed it, each with those of its changes that were asked for, and
    what was asked for.

    `terms`: for each name in the question the ids that it may mean.
    """

    now: list[Cell]
    history: list[tuple[Entry, list[ValueChange]]]
    terms: list[frozenset[str]]


def why(ruleset: Ruleset, state: State, entries: Iterable[Entry], what: str) -> Answer:
    """The present values that `what` names, and every change of them in the order of the journal.

    Unknown for a strange word.
    """
    entries = list(entries)
    terms = _terms(ruleset, state, entries, what)
    left_out = KEPT_APART.difference(*terms)

    def met(table: str, id_: str, field: str, *values: Any) -> bool:
        tokens = _tokens(table, id_, field, *values)
        return table not in left_out and all(not term.isdisjoint(tokens) for term in terms)

    history = [(entry, [ValueChange(*c) for c in entry.changes if met(*c)]) for entry in entries]
    return Answer(
        [c for c in _cells(state) if met(*c)],
        [(entry, changes) for entry, changes in history if changes],
        terms,
    )


def _cells(state: State) -> Iterator[Cell]:
    for table in sorted(state.tables):
        for id_, row in sorted(state.table(table).items()):
            named = _tokens(table, id_, "")
            for field, value in sorted(row.items()):
                # what the row is named after says nothing new
                if not isinstance(value, str) or value not in named:
                    yield Cell(table, id_, field, value)


def _tokens(table: str, id_: str, field: str, *values: Any) -> set[str]:
    """Every id in a change: those its row is named after, its field, and the ids it was or becomes."""
    found = {table, id_, *_APART.split(id_), field, *_APART.split(field)}
    for value in values:
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, Mapping):
            found |= {str(key) for key in value}
            found |= {v for v in value.values() if isinstance(v, str) and " " not in v}
        elif isinstance(value, Sequence):
            found |= {v for v in value if isinstance(v, str)}
    return found


# ---- from words to ids


def _terms(ruleset: Ruleset, state: State, entries: Sequence[Entry], what: str) -> list[frozenset[str]]:
    """For each name in the text, the ids it may mean; the longest names first, so that two words may be one
    name.
    """
    names = Names(ruleset, state)
    shared = _vocabulary(ruleset, state, entries)
    words = [w for w in split(what.replace("_", " ")) if w.norm and any(c.isalnum() for c in w.norm)]
    terms: list[frozenset[str]] = []
    at = 0
    while at < len(words):
        for length in range(min(6, len(words) - at), 0, -1):
            ids = _means(names, shared, words[at : at + length])
            if ids:
                terms.append(ids)
                at += length
                break
        else:
            if words[at].norm not in SMALL_WORDS:
                raise Unknown(_strange(names, shared, words[at]))
            at += 1
    if not terms:
        raise Unknown("say what: a nation, place, kind of unit, field or table, such as `PLACE holder`")
    return terms


def _means(names: Names, shared: Mapping[str, frozenset[str]], words: Sequence[Word]) -> frozenset[str]:
    key = run_together(words)
    found = {id_ for kind in FORM_OF for id_ in names.find(kind, key)}
    if not (len(words) == 1 and key in SMALL_WORDS):
        found |= shared.get(key, frozenset()) | shared.get(key.removesuffix("s"), frozenset())
    return frozenset(found)


def _strange(names: Names, shared: Mapping[str, frozenset[str]], word: Word) -> str:
    near = [guess for kind in FORM_OF for guess in names.guesses(kind, word.norm, 1)]
    near += [min(shared[key]) for key in nearest(word.norm, shared, count=2)]
    hint = f"; did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""
    return f"nothing in this game is called {word.text!r}{hint}"


def _vocabulary(ruleset: Ruleset, state: State, entries: Sequence[Entry]) -> dict[str, frozenset[str]]:
    """Compared spelling -> ids: ids and names of all rows, other spellings of them, and whatever the state
    ever held.
    """
    found: dict[str, set[str]] = {}

    def add(text: Any, id_: str) -> None:
        found.setdefault("".join(normal(p) for p in re.split(r"[\s_.-]+", str(text))), set()).add(id_)

    for form, rows in ruleset.forms.items():
        for id_, row in rows.items():
            if form == "aliases":
                add(id_, row["for"])
                continue
            add(id_, id_)
            for text in (row.get("name"), row.get("plural"), *row.get("aliases", ())):
                if isinstance(text, str):
                    add(text, id_)
    # before anything has changed one
    tokens: set[str] = {field for fields in BUILT_IN.values() for field in fields}
    for cell in _cells(state):
        tokens |= _tokens(*cell[:3], cell.value)
    for entry in entries:
        for change in entry.changes:
            tokens |= _tokens(*change)
    for token in tokens:
        add(token, token)
    return {key: frozenset(ids) for key, ids in found.items() if key}
