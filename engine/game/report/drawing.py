"""What a map is drawn with, as a game keeps it: plain data, without what draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Drawing:
    """What a map is drawn with: the texts of a ruleset's map folder, kept with a game. All may be absent."""

    shapes: str = ""
    layout: Mapping[str, Any] = field(default_factory=dict)
    marks: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        marks = _plain(self.marks)
        if "badges" in marks:  # the first tag that fits counts: what is stored keeps the order of lists only
            marks["badges"] = [list(pair) for pair in self.marks["badges"].items()]
        return {"shapes": self.shapes, "layout": _plain(self.layout), "marks": marks}


def _plain(value: Any) -> Any:
    """Decimal figures of a layout as fractions, since what is stored is exact."""
    if isinstance(value, float):
        return Fraction(str(value))
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def _floats(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Mapping):
        return {k: _floats(v) for k, v in value.items()}
    return [_floats(v) for v in value] if isinstance(value, list) else value


def drawing_from(data: Mapping[str, Any]) -> Drawing:
    """A drawing from its JSON."""
    marks = dict(data.get("marks", {}))
    if "badges" in marks:
        marks["badges"] = dict(marks["badges"])
    return Drawing(data.get("shapes", ""), _floats(data.get("layout", {})), marks)
