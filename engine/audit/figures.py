"""Numbers of rows, exactly; what is none is beyond an auditor."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any


class Beyond(Exception):
    """This cannot be computed here."""


def number(value: Any) -> Fraction:
    """A number exactly; `Beyond` for what is none."""
    try:
        return Fraction(value)
    except (TypeError, ValueError) as error:
        raise Beyond("no number") from error


def rounded(value: Fraction, how: Any) -> Fraction:
    """A number rounded up, down or to the nearest whole one (halves up); without a word it stays."""
    if how is None:
        return value
    if how == "up":
        return Fraction(ceil(value))
    return Fraction(floor(value if how == "down" else value + Fraction(1, 2)))


def within(range_: str, key: Any) -> bool:
    low, dots, high = range_.partition("..")
    if not dots or not isinstance(key, int | Fraction):
        return False
    return (not low or key >= int(low)) and (not high or key <= int(high))
