"""Tables as expressions read them: what their cells are, and whether who looks one up asks for what it
has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_FRACTION = re.compile(r"-?[0-9]+/[0-9]+")


class Unfit(NamedTuple):
    """What is wrong with a lookup: code, message, the node at fault, and the words among which a near one
    would do.
    """

    code: str
    message: str
    node: ast.AST
    known: tuple[str, ...] = ()


def kind_of_cell(value: object) -> str:
    """What a cell of a table is: a number (a fraction, too, written as text), a truth or a word."""
    if isinstance(value, bool):
        return "truth"
    return "number" if not isinstance(value, str) or _FRACTION.fullmatch(value) else "id"


def kind_of_cells(table: Mapping[str, Any]) -> str:
    """What every cell of a table is; anything if they differ, or there are none yet."""
    kinds = set(map(kind_of_cell, _cells(table)))
    return kinds.pop() if len(kinds) == 1 else "any"


def _cells(table: Mapping[str, Any]) -> Iterator[object]:
    """All values that a table can give."""
    due = [table[key] for key in ("rows", "bands", "default") if key in table]
    while due:
        value = due.pop()
        if isinstance(value, Mapping):
            due += value.values()
        else:
            yield value


def _depth(table: Mapping[str, Any]) -> int:
    """Under how many keys the cells of a table stand; 0 if it has none."""
    depth, value = 0, table.get("rows")
    while isinstance(value, Mapping) and value:
        depth, value = depth + 1, next(iter(value.values()))
    return depth


def unfit(name: str, table: Mapping[str, Any], call: ast.Call) -> Iterator[Unfit]:
    """What is wrong with a `lookup` or `band` of a table: as many keys as it has, and written ones among its
    rows.
    """
    id_, keys = table["id"], call.args[1:]
    if name == "band":
        if "bands" not in table:
            yield Unfit("E308", f"the table {id_} has no bands; ask lookup()", call)
        return
    rows, named = table.get("rows"), table.get("keys", ())
    deep = len(named) or _depth(table)
    if (deep or "rows" not in table) and len(keys) != deep:
        counted = f"{deep} key{'s' * (deep != 1)}" if deep else "bands only; ask band()"
        has = f"the keys {', '.join(named)}" if named else counted
        yield Unfit("E308", f"the table {id_} has {has}; here there are {len(keys)}", call)
    level = [rows] if isinstance(rows, Mapping) else []
    for key in keys:
        known = {str(k): part for part in level for k, part in part.items()}
        if isinstance(key, ast.Constant) and str(key.value) not in known:
            if level and "default" not in table and not any(".." in k for k in known):
                yield Unfit("E305", f"the table {id_} has no {key.value!r}", key, tuple(known))
            return
        chosen = (
            [part.get(str(key.value)) for part in level]
            if isinstance(key, ast.Constant)
            else [inner for part in level for inner in part.values()]
        )
        level = [part for part in chosen if isinstance(part, Mapping)]
