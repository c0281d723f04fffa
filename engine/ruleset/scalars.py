"""Plain YAML scalars to values, by the core schema of YAML 1.2: `on`, `no` and dates are words.

Numbers are exact: a decimal such as 0.1 becomes the fraction one tenth, never a binary float.
"""

from __future__ import annotations

import re
from fractions import Fraction

from .nodes import Scalar

__all__ = ["BadNumber", "resolve"]

_DIGITS = 30
_EXPONENT = 18
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)|0o(?P<oct>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|(?P<dec>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE](?P<exp>[-+]?[0-9]+))?)"
    r"|(?P<odd>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAY_BE_NUMBER = frozenset("0123456789+-.")


class BadNumber(ValueError):
    """A number that cannot be held exactly, or not in reasonable space."""


def resolve(text: str) -> Scalar:
    """The value of an unquoted scalar.

    >>> resolve("12"), resolve("0.10"), resolve("3..5"), resolve("on"), resolve("~")
    (12, Fraction(1, 10), '3..5', 'on', None)
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _MAY_BE_NUMBER:
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    if match["odd"]:
        raise BadNumber("is not a number that rules can use")
    if len(text) > _DIGITS or (match["exp"] and abs(int(match["exp"])) > _EXPONENT):
        raise BadNumber(f"is a number of more than {_DIGITS} digits")
    if match["int"]:
        return int(text)
    if match["oct"]:
        return int(match["oct"], 8)
    if match["hex"]:
        return int(match["hex"], 16)
    exact = Fraction(match["dec"])
    return exact.numerator if exact.denominator == 1 else exact
