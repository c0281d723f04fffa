"""Lookup tables of a ruleset as tables of a book: those of one key side by side, the others one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.messages import capital, uncapital
from ..core.model import Row, Ruleset
from .blocks import FigureTable
from .phrases import title
from .values import by_size, labeled, named

WIDE = 9
"""Columns of a table that a page of paper holds."""
VALUE = "value"


def lookup_tables(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Each lookup table: a grid where its cells are most often filled, else a line for each cell."""
    for id_, row in ruleset.rows("tables").items():
        rows: Mapping[str, Any] = row.get("bands") or row.get("rows", {})
        if not rows:
            continue
        keys = ["at"] if row.get("bands") else [str(key) for key in row.get("keys", ())] or [""]
        if all(isinstance(v, Mapping) for v in rows.values()):
            made = _grid(ruleset, row, rows, keys)
        else:
            lines = tuple(
                (labeled(ruleset, row, key), named(ruleset, rows[key], row)) for key in by_size(rows)
            )
            made = FigureTable(_caption(row), (_head(row, keys[0]), _head(row, VALUE)), lines)
        yield "tables", [id_], made


def _caption(row: Row) -> str:
    return capital(title(row))


def _head(row: Row, key: str) -> str:
    return str(row.get("labels", {}).get(key, key.replace("-", " ").replace("_", " ")))


def _grid(ruleset: Ruleset, row: Row, rows: Mapping[str, Any], keys: Sequence[str]) -> FigureTable:
    """A table of two keys: columns for the second; where most cells would be empty, a line for each."""
    columns = by_size(dict.fromkeys(k for v in rows.values() for k in v))
    cells = sum(len(v) for v in rows.values())
    if len(columns) <= WIDE and 2 * cells > len(columns) * len(rows):
        lines = tuple(
            (labeled(ruleset, row, k), *(named(ruleset, v.get(c), row) for c in columns))
            for k, v in rows.items()
        )
        head = (_head(row, keys[0]), *(labeled(ruleset, row, c) for c in columns))
        return FigureTable(_caption(row), head, lines)
    if len(keys) == 2 and any(not isinstance(v, str) for inner in rows.values() for v in inner.values()):
        single = [(k, c) for k, v in rows.items() for c in by_size(v)]
        lines = tuple(
            (labeled(ruleset, row, k), labeled(ruleset, row, c), named(ruleset, rows[k][c], row))
            for k, c in single
        )
        head = (_head(row, keys[0]), _head(row, keys[1]), _head(row, VALUE))
        return FigureTable(_caption(row), head, lines)
    lines = tuple((labeled(ruleset, row, k), named(ruleset, v, row)) for k, v in rows.items())
    return FigureTable(_caption(row), (_head(row, keys[0]), _head(row, VALUE)), lines)


def joined(tables: Sequence[FigureTable]) -> Iterator[FigureTable]:
    """Tables of one column of values whose keys are the same ones, or some of them, side by side as one."""
    by_key: dict[str, list[FigureTable]] = {}
    for table in tables:
        if len(table.head) == 2 and table.head[1] == VALUE and table.caption:
            by_key.setdefault(table.head[0], []).append(table)
    done: set[str] = set()
    for table in tables:
        beside = by_key.get(table.head[0], [])
        if table not in beside or len(beside) < 2 or len(beside) >= WIDE or not _akin(beside):
            yield table
        elif table.head[0] not in done:
            done.add(table.head[0])
            yield _side_by_side(beside)


def _akin(tables: Sequence[FigureTable]) -> bool:
    """Whether the table with most keys has those of all others."""
    keys = [{row[0] for row in table.rows} for table in tables]
    most = max(keys, key=len)
    return all(found <= most for found in keys)


def _side_by_side(tables: Sequence[FigureTable]) -> FigureTable:
    longest = max(tables, key=lambda table: len(table.rows))
    columns = [{row[0]: row[1] for row in table.rows} for table in tables]
    head = (tables[0].head[0], *(uncapital(table.caption) for table in tables))
    rows = tuple((row[0], *(column.get(row[0], "") for column in columns)) for row in longest.rows)
    return FigureTable("", head, rows)
