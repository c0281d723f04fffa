"""Values as they stand in the cells of a book: things by their names, ranges in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..core.model import Row, Ruleset

THINGS = (
    "units",
    "technologies",
    "resources",
    "nations",
    "places",
    "groups",
    "sides",
    "tracks",
    "victory",
    "production",
    "actions",
)
"""Tables in which the names of ids are looked up."""
_RANGE = re.compile(r"(\d*)\.\.(\d*)")


def cell(value: Any) -> str:
    """A value as it stands in a cell."""
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, Mapping):
        return ", ".join(f"{str(k).replace('_', ' ').replace('-', ' ')}: {cell(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(cell(v) for v in value)
    return str(value)


def name_of(ruleset: Ruleset, id_: Any) -> str:
    """What an id is called where there is a name for it, else the id as words."""
    for form in THINGS:
        row = ruleset.rows(form).get(str(id_))
        if row is not None and "name" in row:
            return str(row["name"])
    return range_in_words(cell(id_)).replace("_", " ").replace("-", " ")


def labeled(ruleset: Ruleset, row: Row, key: Any) -> str:
    """What a row calls a key, column or value of its own (`labels`), else the name of the thing."""
    labels = row.get("labels", {})
    return str(labels[str(key)]) if str(key) in labels else name_of(ruleset, key)


def named(ruleset: Ruleset, value: Any, row: Row | None = None) -> str:
    """Ids by name, as the row calls them if one is given; figures as they are."""
    own = row or {"id": ""}
    if isinstance(value, list | tuple):
        return ", ".join(named(ruleset, v, own) for v in value)
    if isinstance(value, Mapping):
        return ", ".join(_pair(ruleset, k, v, own) for k, v in value.items())
    known = str(value) in own.get("labels", {})
    return labeled(ruleset, own, value) if known or isinstance(value, str) else cell(value)


def _pair(ruleset: Ruleset, key: Any, value: Any, row: Row) -> str:
    called, said = labeled(ruleset, row, key), named(ruleset, value, row)
    if isinstance(value, Mapping):
        return f"{called} ({said})"
    return f"{called}: {said}" if said else called


def range_in_words(text: str) -> str:
    """A key of a table that is a range, in words; anything else as it is."""
    found = _RANGE.fullmatch(text)
    if found is None or not any(found.groups()):
        return text
    low, high = found.groups()
    if low and high:
        return f"{low} to {high}"
    return f"{low} or more" if low else f"{high} or less"


def by_size(keys: Iterable[Any]) -> list[Any]:
    """Keys of a table in their order; if all are numbers or ranges, from the least on."""
    listed = list(keys)
    ends = [re.fullmatch(r"(\d*)(?:\.\.(\d*))?", str(key)) for key in listed]
    if not all(ends):
        return listed
    least = {key: int(found[1] or -1) for key, found in zip(listed, ends, strict=True) if found}
    return sorted(listed, key=lambda key: (least[key], str(key)))
