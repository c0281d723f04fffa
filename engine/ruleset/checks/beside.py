"""Is every key read, given what stands beside it? The schemas say what must (`x-with`): some key, or one with
a certain value, in the same map or elsewhere in the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.choices import word_in
from ...core.diagnostics import Diagnostic
from ..nodes import Node, beside, diagnose, find
from .subject import Subject


def keys_are_read(subject: Subject) -> Iterator[Diagnostic]:
    """A key that means nothing, because of what stands beside it, or does not."""
    for mark in subject.marked:
        asked: Mapping[str, Sequence[Any]] | None = mark.annotation.schema.get("x-with")
        if asked is None or mark.annotation.is_key:
            continue
        key, at = str(mark.annotation.path[-1]), mark.annotation.path[:-1]
        there = {other: _values(beside(mark.row, at, other)) for other in asked}
        if not any(_fits(there[other], values) for other, values in asked.items()):
            message = _why_not(key, asked, there)
            yield diagnose("E213", message, find(mark.row, at), key=key, hint=_instead(key, asked))


def _values(found: Sequence[Node | None]) -> list[Any]:
    return [None if node is None else word_in(node.value) for node in found] or [None]


def _fits(there: Sequence[Any], values: Sequence[Any]) -> bool:
    """Whether one of the values that are there will do: any if none is asked for; None stands for an absent
    key.
    """
    return any(None in values if value is None else not values or _is_in(value, values) for value in there)


def _is_in(value: Any, values: Sequence[Any]) -> bool:
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in values)


def _why_not(key: str, asked: Mapping[str, Sequence[Any]], there: Mapping[str, Sequence[Any]]) -> str:
    other, values = next(iter(asked.items()))
    found = next((value for value in there[other] if value is not None), None)
    if found is None:
        return f"{key!r} needs {' or '.join(_said(o, v) for o, v in asked.items())} {_where(other)}"
    return (
        f"{key!r} is not read {_beside(other)} `{_name(other)}: {_text(found)}`, only {_beside(other)} "
        + (_said(other, values))
    )


def _name(other: str) -> str:
    return other.rpartition("/")[2]


def _beside(other: str) -> str:
    """Before what stands at a key: where that is."""
    if "*" in other:
        return f"where `{other.split('/')[1]}` have"
    return "in a row with" if other.startswith("/") else "beside"


def _where(other: str) -> str:
    """After what stands at a key: where that is."""
    if "*" in other:
        return f"in one of the `{other.split('/')[1]}`"
    return "in its row" if other.startswith("/") else "beside it"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _said(other: str, values: Sequence[Any]) -> str:
    if all(value is None for value in values) and values:
        return f"no {_name(other)!r}"
    said = [f"`{_name(other)}: {_text(value)}`" for value in values if value is not None]
    return " or ".join(said) or repr(_name(other))


def _instead(key: str, asked: Mapping[str, Sequence[Any]]) -> str:
    ways = " or ".join(
        _said(other, values) + (f" {_where(other)}" if other.startswith("/") else "")
        for other, values in asked.items()
    )
    return f"leave {key!r} out, or {'have' if ways.startswith('no ') else 'write'} {ways}"
