"""Values as rule tests write them: when two are the same, and how one is printed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..core.state import Entity

NONE = "none"


def same(wanted: Any, got: Any) -> bool:
    """Whether a value is the one that a case writes: things by their ids, fractions as text, nothing and
    false alike.
    """
    got, wanted = _plain(got), _plain(wanted)
    if _nothing(wanted):
        return _nothing(got)
    return bool(wanted == got) and isinstance(wanted, bool) == isinstance(got, bool)


def _nothing(value: Any) -> bool:
    return value is None or value is False or value in (NONE, "")


def _plain(value: Any) -> Any:
    if isinstance(value, Entity):
        return value.id
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, str) and value.count("/") == 1 and value.replace("/", "").lstrip("-").isdigit():
        value = Fraction(value)
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    return value


def shown(value: Any) -> str:
    """A value as a report prints it."""
    value = _plain(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    if value is None:
        return NONE
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
