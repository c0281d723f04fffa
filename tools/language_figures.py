"""How large the language of rulesets is, and how much of it the shipped rulesets use.

    python tools/language_figures.py

Counts tables, names of keys, functions, verbs and triggers; the paths of keys that rows use (`stages.loss.by`
of `battles`), how many of these only one ruleset or one row uses; and how the tables are written.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from wteaw.core.package_data import rulesets
from wteaw.core.registry import VERBS
from wteaw.ruleset.compile import parse_file
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.expressions.vocabulary import FACTS
from wteaw.ruleset.folder import find_rulesets, read_folder
from wteaw.ruleset.forms import forms
from wteaw.ruleset.nodes import plain_value
from wteaw.testing.equivalent import rows_of_file

LONG = 130
"""Columns from which on a line of a table is long."""
SOURCE = re.compile(r"source: (?:\[[^\]]*\]|\n(?:\s+- \S+\n)+)")
"""Where a row says which clauses it comes from."""
OF_EVERY_ROW = {"id", "source", "note", "silence", "remove", "append", "before", "after", "name"}
REGISTER = ("clauses", "chapters")
"""Tables in which the text of the rules is kept: they are no rules themselves."""


def main() -> None:
    """Print the figures."""
    names: set[str] = set()
    for name in (*forms().names, "common"):
        names.update(_names(forms().schema(name)))
    print(f"{len(forms().names)} tables, {len(names)} names of keys in their schemas,")
    most = sorted(((max(_offered(forms().schema(name))), name) for name in forms().names), reverse=True)[:5]
    print(f"most keys at one place: {', '.join(f'{name} {n}' for n, name in most)}")
    print(f"{len(FUNCTIONS)} functions, {len(VERBS)} verbs, {len(FACTS)} triggers")
    folders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    rows: Counter[tuple[str, ...]] = Counter()
    lines = long = letters = source = 0
    for folder in find_rulesets(rulesets()):
        for file in read_folder(folder, folder)[0]:
            tree, _ = parse_file(file)
            text = file.data.decode()
            if tree is None or REGISTER[0] in tree.value:
                continue
            lines += text.count("\n")
            long += sum(len(line) > LONG for line in text.splitlines())
            letters += len(text)
            source += sum(len(found) for found in SOURCE.findall(text))
            for table, _, row in rows_of_file(tree):
                for path in set(_paths(plain_value(row), (table,))):
                    folders[path].add(folder.name)
                    rows[path] += 1
    one_folder = sum(len(where) == 1 for where in folders.values())
    one_row = sum(n == 1 for n in rows.values())
    print(f"{len(rows):,} paths of keys in use, {one_folder / len(rows):.0%} of them in one ruleset alone,")
    print(f"{one_row / len(rows):.0%} in one row alone")
    battles = {path for path in rows if path[0] == "battles"}
    by = Counter(name for path in battles for name in folders[path])
    print(f"{len(battles)} paths of `battles`: " + ", ".join(f"{name} {n}" for name, n in by.most_common()))
    print(f"{lines:,} lines of tables, {long:,} longer than {LONG} columns")
    print(f"{source / letters:.0%} of their text says which clauses rows come from")


def _names(schema: Any) -> Iterator[str]:
    """The names of keys that a schema defines, however deep; a word that has a block of its own (`resolve:
    {sum: ...}`) is none: it is what another key says.
    """
    if isinstance(schema, dict):
        keys = schema.get("properties")
        if isinstance(keys, dict) and not _is_choice(schema):
            yield from keys
        for part in schema.values():
            yield from _names(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _names(part)


def _is_choice(schema: dict[str, Any]) -> bool:
    """Whether a map is one block of several, by its word."""
    return schema.get("minProperties") == 1 == schema.get("maxProperties")


def _offered(schema: Any) -> Iterator[int]:
    """How many keys each map of a schema offers, however deep."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield len(schema["properties"].keys() - OF_EVERY_ROW)
        for part in schema.values():
            yield from _offered(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _offered(part)


def _paths(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths of keys in a value; members of lists are one, and so are keys that are ids or ranges."""
    if isinstance(value, dict):
        known = _known()
        for key, inner in value.items():
            at = (*path, key if key in known else "*")
            yield at
            yield from _paths(inner, at)
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, path)


@cache
def _known() -> frozenset[str]:
    """The names of keys of all schemas."""
    return frozenset(key for schema in forms().files.values() for key in _names(schema))


if __name__ == "__main__":
    main()
