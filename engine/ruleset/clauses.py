"""Which clauses of the published rules a row cites, itself or in a part of it (a need, a case, a row of a matrix)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["sources"]


def sources(value: Any) -> Iterator[str]:
    """Every clause id cited in a row, at any depth: the `source` of the row itself and of rows inside it."""
    if isinstance(value, Mapping):
        said = value.get("source")
        if isinstance(said, str):
            yield said
        elif isinstance(said, list):
            yield from (s for s in said if isinstance(s, str))
        for key, inner in value.items():
            if key != "source":
                yield from sources(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from sources(inner)
