"""Lookup tables of a ruleset: a cell by its keys, a band by a number, a box of a track by its value."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..core.model import Row, Ruleset
from ..ruleset.expressions.parse import ExpressionError


def in_range(text: str | int, number: Any) -> bool:
    """Whether a number lies in a range written `3`, `1..4`, `10..` or `..4`."""
    if isinstance(text, int):
        return bool(number == text)
    low, dots, high = text.partition("..")
    if not dots:
        return bool(number == int(low))
    return (low == "" or number >= int(low)) and (high == "" or number <= int(high))


def figure(value: Any) -> Any:
    """A cell's value: a fraction written as text becomes one."""
    if isinstance(value, str) and value.count("/") == 1 and value.replace("/", "").lstrip("-").isdigit():
        return Fraction(value)
    return value


def cell(ruleset: Ruleset, id_: str, keys: Sequence[Any]) -> Any:
    """The cell of a table under its keys; a key that is absent gives the table's default.

    ExpressionError if there is none.
    """
    row = ruleset.rows("tables").get(id_)
    if row is None:
        raise ExpressionError(f"no table {id_}")
    found: Any = row.get("rows", {})
    for key in keys:
        if not isinstance(found, dict):
            raise ExpressionError(f"table {id_} has fewer keys than {len(keys)}")
        name = str(key)
        if name in found:
            found = found[name]
        elif key in found:
            found = found[key]
        else:
            match = next(
                (v for k, v in found.items() if ".." in str(k) and _is_number(key) and in_range(str(k), key)),
                None,
            )
            if match is None:
                if "default" in row:
                    return figure(row["default"])
                raise ExpressionError(f"table {id_} has no cell {', '.join(map(str, keys))}")
            found = match
    return figure(found)


def band(ruleset: Ruleset, id_: str, number: Any) -> Any:
    """The value of the band that holds the number; the table's default, or ExpressionError, if none does."""
    row = ruleset.row("tables", id_)
    for text, value in row.get("bands", {}).items():
        if in_range(text, number):
            return figure(value)
    if "default" in row:
        return figure(row["default"])
    raise ExpressionError(f"table {id_} has no band for {number}")


def bounds(track: Row) -> tuple[int | None, int | None]:
    """The least and the greatest value of a track; boxes set both: the middle one of a signed track is 0,
    else the first.
    """
    low, high = track.get("at_least"), track.get("at_most")
    boxes = track.get("boxes")
    if boxes:
        first = -(len(boxes) // 2) if track.get("signed") else 0
        low = first if low is None else max(low, first)
        high = first + len(boxes) - 1 if high is None else min(high, first + len(boxes) - 1)
    return low, high


def box_of(track: Row, value: int) -> str:
    """The name of the box in which a value of a track stands; ExpressionError if the track has no boxes."""
    boxes = track.get("boxes")
    if not boxes:
        raise ExpressionError(f"the track {track['id']} has no boxes")
    first = -(len(boxes) // 2) if track.get("signed") else 0
    return str(boxes[max(0, min(len(boxes) - 1, value - first))])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)
