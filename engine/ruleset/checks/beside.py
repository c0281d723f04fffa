"""Is every key read, given what stands beside it? The schemas say what must (`x-with`): some key, or one with
a certain value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.diagnostics import Diagnostic
from ..nodes import Node, diagnose, find
from .subject import Subject

__all__ = ["keys_are_read"]


def keys_are_read(subject: Subject) -> Iterator[Diagnostic]:
    """A key that means nothing, because of what stands beside it, or does not."""
    for mark in subject.marked:
        asked: Mapping[str, Sequence[Any]] | None = mark.annotation.schema.get("x-with")
        if asked is None or mark.annotation.is_key:
            continue
        key = str(mark.annotation.path[-1])
        around = find(mark.row, mark.annotation.path[:-1])
        if not any(_stands(around, other, values) for other, values in asked.items()):
            yield diagnose(
                "E213", "error", _why_not(around, key, asked), around, key=key, hint=_instead(key, asked)
            )


def _stands(around: Node, other: str, values: Sequence[Any]) -> bool:
    """Whether a key is there, with one of some values if there are any; null among them: the key may be
    absent.
    """
    found = around.get(other)
    if found is None or found.value is None:
        return None in values
    return not values or found.value in values


def _why_not(around: Node, key: str, asked: Mapping[str, Sequence[Any]]) -> str:
    other, values = next(iter(asked.items()))
    found = around.get(other)
    if found is None or found.value is None:
        return f"{key!r} needs {' or '.join(_said(o, v) for o, v in asked.items())} beside it"
    return f"{key!r} is not read beside `{other}: {found.value}`, only beside {_said(other, values)}"


def _said(other: str, values: Sequence[Any]) -> str:
    if all(value is None for value in values) and values:
        return f"no {other!r}"
    return " or ".join(f"`{other}: {value}`" for value in values if value is not None) or repr(other)


def _instead(key: str, asked: Mapping[str, Sequence[Any]]) -> str:
    ways = " or ".join(_said(other, values) for other, values in asked.items())
    return f"leave {key!r} out, or {'have' if ways.startswith('no ') else 'write'} {ways}"
