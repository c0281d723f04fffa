"""Clauses of the published rules: which a row cites, and what the register (the table `clauses`) says of
them.

The register holds each rule in a player's words. Where a ruleset has none, its clauses are mere names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.model import Row, Ruleset
from ..core.nested import maps_in
from .nodes import as_list

CLAUSES = "clauses"
DROPPED = "dropped"


def sources(value: Any) -> Iterator[str]:
    """Every clause id cited in a row, at any depth: the `source` of the row itself and of rows inside it."""
    for part in maps_in(value):
        yield from (said for said in as_list(part.get("source")) if isinstance(said, str))


def owner(rows: Mapping[str, Row], id_: str) -> str:
    """The clause that states the rule of a clause (`same_as`); itself if it does so or is not registered.

    A ring ends.
    """
    seen = {id_}
    while (above := rows.get(id_, {}).get("same_as")) is not None:
        id_ = str(above)
        if id_ in seen:
            break
        seen.add(id_)
    return id_


def dropped(rows: Mapping[str, Row], clauses: Iterable[str]) -> bool:
    """Whether a layer keeps none of some clauses (`status: dropped`), if there are any.

    `rows`: the register.
    """
    listed = list(clauses)
    return bool(listed) and all(rows.get(owner(rows, c), {}).get("status") == DROPPED for c in listed)


def clause_text(register: Ruleset | Mapping[str, Row], id_: str) -> str:
    """What a clause says, in a player's words; "" if it is not registered.

    `register`: a ruleset, or the rows of its register.
    """
    rows = register.rows(CLAUSES) if isinstance(register, Ruleset) else register
    return str(rows.get(owner(rows, id_), {}).get("text", ""))


def clauses_of_row(ruleset: Ruleset, form: str, id_: str) -> tuple[str, ...]:
    """The clauses that a row cites, each once; of a row that cites none, those that name it or its table
    (`tables`).
    """
    cited = tuple(dict.fromkeys(sources(ruleset.row_or_empty(form, id_))))
    if cited:
        return cited
    for key in (f"{form}/{id_}", form):
        found = tuple(c for c, row in ruleset.rows(CLAUSES).items() if key in row.get("tables", ()))
        if found:
            return found
    return ()
