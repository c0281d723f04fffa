"""What has changed without a case saying so. The engine's own book-keeping does not count."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from ..core.state import State, pair_key
from .values import NONE, shown

Touch = tuple[str, str, str]
"""A field of the state: table, id, field ("" for any)."""

BOOKKEEPING = frozenset(
    {"becomes", "facts", "foes_of_mates", "once", "orders", "uses", "answers", "snapshots"}
)


def unmentioned(before: State, after: State, then: Mapping[str, Any]) -> list[tuple[Touch, str]]:
    """Every change of the state that `then` does not mention, as (table, id, field) and in words."""
    old_tables, new_tables = before.tables, after.tables
    changed: list[tuple[Touch, str]] = []
    for table in sorted({*old_tables, *new_tables} - BOOKKEEPING - {"game"}):
        old, new = old_tables.get(table, {}), new_tables.get(table, {})
        for id_ in sorted({*old, *new}):
            a, b = old.get(id_, {}), new.get(id_, {})
            for field in sorted({*a, *b}):
                if a.get(field) != b.get(field) and not _mentioned(then, table, id_, field, a or b):
                    was = f"{table}/{id_}.{field}: {shown(a.get(field))} → {shown(b.get(field))}"
                    changed.append(((table, id_, field), was))
    return changed


def _mentioned(then: Mapping[str, Any], table: str, id_: str, field: str, row: Mapping[str, Any]) -> bool:
    nations, places = then.get("nations", {}), then.get("places", {})
    match table:
        case "units":
            place = row.get("place")
            counted = row.get("kind") in nations.get(row.get("owner"), {}).get("units", {})
            return counted or place in then.get("units", {}) or "units" in places.get(place, {})
        case "treasuries":
            nation = id_.partition("/")[0]
            stores = nations.get(nation, {}).get("treasury", {})
            return field in stores or any(field in v for v in stores.values() if isinstance(v, Mapping))
        case "piles":
            return field in then.get("piles", {})
        case "techs" | "tracks":
            return field in nations.get(id_, {}).get(table, {})
        case "flags" | "counters":
            kind, _, thing = id_.partition(":")
            return field in (then.get(f"{kind}s", {}).get(thing, {}).get(table) or ())
        case "nations" | "places":
            return field in then.get(table, {}).get(id_, {})
        case "relations":
            return (
                any(pair_key(*p) == id_ for pairs in then.get("relations", {}).values() for p in pairs)
                or "wars" in then
            )
        case "wars":
            pairs = chain.from_iterable(then.get("relations", {}).values())
            return "wars" in then or any(pair_key(*pair) == id_ for pair in pairs)
        case "links":
            place = field.partition("@")[2]
            return place in then.get("works", {}) or "works" in places.get(place, {})
    rows = then.get("state", {}).get(table, {})
    return id_ in rows and (rows[id_] in (None, NONE) or field in rows[id_])
