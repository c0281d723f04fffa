"""What stands at a line and column of a file of rows: the row, the path within it, and the word.

Lines and columns count from 1, as findings do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wteaw.ruleset.checks.subject import Marked
from wteaw.ruleset.forms import Annotation, Forms, annotated
from wteaw.ruleset.nodes import Node, plain_value
from wteaw.ruleset.overlay import FRAME, row_id

from .project import Project

__all__ = ["Spot", "marks_at", "spot_at", "word_at"]

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a row: `path` leads to the value, `is_key` if the cursor is on the last key of the path."""

    form: str
    id: str
    row: Node
    path: tuple[str | int, ...]
    is_key: bool


def spot_at(tree: Node, line: int, column: int, schema: str = "") -> Spot | None:
    """The deepest key or value that begins at or before a position; None above the first row.

    `schema`: that of the whole file, of one that holds no rows: the file stands for a row then.
    """
    if schema:
        return _deepest(schema, "", tree, line, column)
    best: tuple[int, int] = (0, 0)
    chosen: tuple[str, Node] | None = None
    number = 0
    for form, rows in tree.items():
        for index, row in enumerate(rows.members()):
            if best <= (row.line, row.column) <= (line, column):
                best, chosen, number = (row.line, row.column), (form, row), index
    if chosen is None:
        return None
    form, row = chosen
    return _deepest(form, str(number) if form == FRAME else row_id(row) or "", row, line, column)


def _deepest(form: str, id_: str, row: Node, line: int, column: int) -> Spot:
    path: tuple[str | int, ...] = ()
    is_key = False
    at = (row.line, row.column)
    for place, found, key in _starts(row, ()):
        if at <= place <= (line, column):
            at, path, is_key = place, found, key
    return Spot(form, id_, row, path, is_key)


def _starts(
    node: Node, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[int, int], tuple[str | int, ...], bool]]:
    for key, value in node.items():
        _, line, column = node.keys[key]
        yield (line, column), (*path, key), True
        yield from _value_starts(value, (*path, key))
    for index, member in enumerate(node.members()):
        yield from _value_starts(member, (*path, index))


def _value_starts(
    node: Node, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[int, int], tuple[str | int, ...], bool]]:
    if not (node.is_map or node.is_list) or not node.value:
        yield (node.line, node.column), path, False
    yield from _starts(node, path)


def marks_at(project: Project, spot: Spot) -> list[Marked]:
    """What the schemas say of the value (or key) at a spot: its references, words and expressions."""
    return [
        Marked(spot.form, spot.id, spot.row, mark)
        for mark in marks_of_row(project.known, spot.form, spot.row)
        if mark.is_key == spot.is_key
        and (mark.path == spot.path or (not spot.is_key and mark.path == spot.path[:-1]))
    ]


def marks_of_row(known: Forms, form: str, row: Node) -> Iterator[Annotation]:
    """The marked places of one row as it stands in its file."""
    if known.has_file(form):
        yield from annotated(known, form, plain_value(row))


def word_at(line: str, column: int, *, name: bool = False) -> tuple[str, int]:
    """The word under a column of a line of text, and the column where it begins; an empty word if there is
    none.

    `name`: a name of an expression, in which a minus is a minus, unless it stands in quotes.
    """
    index = column - 1
    quoted = line[:index].count("'") % 2 == 1
    for found in (_NAME if name and not quoted else _WORD).finditer(line):
        if found.start() <= index <= found.end():
            return found[0], found.start() + 1
    return "", column
