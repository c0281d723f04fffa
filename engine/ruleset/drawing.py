"""What a map is drawn with: read from a ruleset's folder, kept with a game as plain data, without what
draws.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..core.faults import BrokenGame
from ..core.nested import with_each, with_floats

MAX_BYTES = 500_000
"""Of a YAML file that a map is drawn with: what it says of a map of 2,000 places takes a fifth of it."""


@dataclass(frozen=True)
class Drawing:
    """What a map is drawn with: the texts of a ruleset's map folder, kept with a game. All may be absent."""

    shapes: str = ""
    layout: Mapping[str, Any] = field(default_factory=dict)
    marks: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        # marks as a text, for what is stored keeps no order of keys: the first tag of a badge that fits
        # counts, and the first signs of a place are drawn
        return {"shapes": self.shapes, "layout": _plain(self.layout), "marks": json.dumps(self.marks)}


def _plain(value: Any) -> Any:
    """Decimal figures of a layout as fractions, since what is stored is exact."""
    return with_each(value, lambda each: Fraction(str(each)) if isinstance(each, float) else each)


def drawing_from(data: Mapping[str, Any]) -> Drawing:
    """A drawing from its JSON."""
    return Drawing(data.get("shapes", ""), with_floats(data.get("layout", {})), marks_from(data))


def marks_from(data: Mapping[str, Any]) -> dict[str, Any]:
    """The marks of a drawing's JSON."""
    kept = data.get("marks", {})
    if isinstance(kept, str):
        return dict(json.loads(kept))
    marks = dict(kept)  # as earlier versions kept them, the badges in their order alone
    if "badges" in marks:
        marks["badges"] = dict(marks["badges"])
    return marks


def read_drawing(ruleset_folder: Path) -> Drawing:
    """The drawing of a ruleset: of its own folder, else of the nearest that it extends and that has one."""
    from .compile import read_layers  # start-up time: a game that is begun has its drawing already
    from .folder import MAP_FOLDER

    for folder, _ in reversed(read_layers(ruleset_folder).layers):
        if (folder / MAP_FOLDER).is_dir():
            here = folder / MAP_FOLDER
            shapes = here / "shapes.json"
            return Drawing(
                shapes.read_text(encoding="utf-8") if shapes.is_file() else "",
                read_map_file(here / "layout.yaml"),
                read_map_file(here / "marks.yaml"),
            )
    return Drawing()


def read_map_file(path: Path) -> dict[str, Any]:
    """One of the YAML files of a map folder; nothing if it is not there.

    BrokenGame, with the reason, if it cannot be read.
    """
    from ruamel.yaml import YAML  # heavy, and a game that is begun has its drawing already
    from ruamel.yaml.error import YAMLError

    if not path.is_file():
        return {}
    if path.stat().st_size > MAX_BYTES:
        raise BrokenGame(f"{path.name} is larger than {MAX_BYTES:,} bytes")
    try:
        return dict(YAML(typ="safe").load(path.read_text(encoding="utf-8")) or {})
    except RecursionError:
        raise BrokenGame(f"{path.name} is nested too deeply") from None
    except (YAMLError, ValueError, TypeError) as error:
        raise BrokenGame(f"{path.name} cannot be read: {' '.join(str(error).split())[:300]}") from None
