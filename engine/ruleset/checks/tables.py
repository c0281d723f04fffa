"""Are tables of one cast? Every cell is as deep as the keys say and of the same kind, and bands leave no
number out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...core.diagnostics import Diagnostic
from ..expressions.lookups import kind_of_cell
from ..nodes import Node, diagnose
from .subject import Subject

TABLES = "tables"
_KINDS = {"number": "a number", "truth": "true or false", "id": "a word"}
_BAND = re.compile(r"(-?[0-9]+)?(\.\.)?(-?[0-9]+)?")


def cells_stand_under_all_keys(subject: Subject) -> Iterator[Diagnostic]:
    """A cell under fewer keys than the others, or than the table names, could never be looked up."""
    for id_, row, node in subject.each(TABLES):
        rows = node.get("rows")
        cells = list(_cells(rows)) if rows is not None else []
        if not cells:
            continue
        named = row.get("keys")
        wanted = len(named) if named is not None else cells[0][0]
        said = f"the table {id_!r} has the keys {', '.join(named)}" if named is not None else "the first has"
        for depth, at in cells:
            if depth != wanted:
                message = f"a cell under {_counted(depth)}; {said}" + (
                    "" if named is not None else f" {_counted(wanted)}"
                )
                yield diagnose("E215", message, at)
                break


def cells_are_alike(subject: Subject) -> Iterator[Diagnostic]:
    """What reads a table computes with numbers, or compares words: one cell of the other kind would stop a
    turn.
    """
    for id_ in subject.rows(TABLES):
        node = subject.nodes(TABLES)[id_]
        parts = [node.get(key) for key in ("rows", "bands", "default")]
        cells = [at for part in parts if part is not None for _, at in _cells(part)]
        kinds: dict[str, list[Node]] = {}
        for at in cells:
            kinds.setdefault(kind_of_cell(at.value), []).append(at)
        if len(kinds) > 1:
            usual = max(kinds, key=lambda kind: len(kinds[kind]))
            odd = next(at for at in cells if kind_of_cell(at.value) != usual)
            message = (
                f"a cell of {id_!r} is {_KINDS[kind_of_cell(odd.value)]}, the others are each {_KINDS[usual]}"
            )
            yield diagnose("E215", message, odd)


def bands_leave_nothing_out(subject: Subject) -> Iterator[Diagnostic]:
    """A whole number between two bands that no band holds, in a table without a default."""
    for id_, row, node in subject.each(TABLES):
        bands = node.get("bands")
        if bands is None or "default" in row:
            continue
        last: int | None = None
        for first, end, key in sorted(_spans(bands.value)):
            if last is not None and first > last + 1:
                gap = str(last + 1) if first == last + 2 else f"{last + 1} to {int(first) - 1}"
                hint = "widen a band, or say a `default`"
                yield diagnose("E215", f"no band of {id_!r} holds {gap}", bands, key=key, hint=hint)
            if end == float("inf"):
                break
            last = max(int(end), last if last is not None else int(end))


def _cells(node: Node, depth: int = 0) -> Iterator[tuple[int, Node]]:
    if node.is_map:
        for _, child in node.items():
            yield from _cells(child, depth + 1)
    else:
        yield depth, node


def _spans(keys: Iterable[str]) -> Iterator[tuple[float, float, str]]:
    for key in keys:
        if found := _BAND.fullmatch(key):
            first = float(found[1] or "-inf")
            yield first, float(found[3] or "inf") if found[2] else first, key


def _counted(keys: int) -> str:
    return "1 key" if keys == 1 else f"{keys} keys"
