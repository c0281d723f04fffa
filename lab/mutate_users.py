"""Rows that help others: which clauses depend on a term, a table, a group or a quantity that cites none
itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wteaw.core.model import Ruleset
from wteaw.core.nested import inside
from wteaw.ruleset.checks.rules import is_helper
from wteaw.testing.coverage import sources

__all__ = ["users_of"]

_WORD = re.compile(r"[A-Za-z0-9_-]+")
_PIECE = re.compile(r"[A-Za-z0-9_]+")


def users_of(ruleset: Ruleset) -> Mapping[str, tuple[str, ...]]:
    """Id of a helper to the clauses of the rows that name it; a helper that cites nothing passes on those of
    its own users.
    """
    ids = {id_ for form, rows in ruleset.forms.items() for id_, row in rows.items() if is_helper(form, row)}
    named_by: dict[str, list[tuple[str, ...]]] = {}
    through: dict[str, set[str]] = {}
    for form, rows in ruleset.forms.items():
        for id_, row in rows.items():
            clauses = tuple(dict.fromkeys(sources(row)))
            for word in _words(row) & ids - {id_}:
                if clauses:
                    named_by.setdefault(word, []).append(clauses)
                elif is_helper(form, row):
                    through.setdefault(word, set()).add(id_)
    for node in ruleset.sequence:
        clauses = tuple(dict.fromkeys(sources(node)))
        for word in _words(node) & ids:
            named_by.setdefault(word, []).append(clauses)
    return {id_: tuple(_all(id_, named_by, through, set())) for id_ in ids}


def _all(
    id_: str, named_by: Mapping[str, list[tuple[str, ...]]], through: Mapping[str, set[str]], seen: set[str]
) -> dict[str, None]:
    seen.add(id_)
    out = dict.fromkeys(clause for clauses in named_by.get(id_, ()) for clause in clauses)
    for helper in sorted(through.get(id_, set()) - seen):
        out |= _all(helper, named_by, through, seen)
    return out


def _words(value: Any) -> set[str]:
    return {word for text in _texts(value) for word in (*_WORD.findall(text), *_PIECE.findall(text))}


def _texts(value: Any) -> Iterator[str]:
    for _, part in inside(value, _NO_WORDS):
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            yield from (key for key in part if key not in _NO_WORDS)


_NO_WORDS = ("id", "source", "note", "text")
