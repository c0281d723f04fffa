"""What keeps the files of a ruleset's folder `map/` from being drawn with, and what in them marks nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml.error import YAMLError

from ..core.diagnostics import Diagnostic, did_you_mean
from ..core.model import Ruleset
from ..ruleset.folder import MAP_FOLDER
from ..ruleset.forms import forms
from ..ruleset.load import load_text
from ..ruleset.nodes import Node, diagnose
from ..store.drawing import read_map_file
from .map import layout_from, read_shapes


def drawing_faults(ruleset_folder: Path, ruleset: Ruleset | None = None) -> Iterator[Diagnostic]:
    """What keeps the files of a ruleset's own folder `map/` from being drawn with, by file.

    With a ruleset also the words of `marks.yaml` that name no tag, field or kind of it, so that they mark
    nothing.
    """
    here = ruleset_folder / MAP_FOLDER
    layout, marks, shapes = here / "layout.yaml", here / "marks.yaml", here / "shapes.json"
    for path, read in (
        (layout, lambda: layout_from(read_map_file(layout))),
        (marks, lambda: read_map_file(marks)),
        (shapes, lambda: read_shapes(shapes.read_text(encoding="utf-8"))),
    ):
        if not path.is_file():
            continue
        try:
            read()
        except (YAMLError, ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
            said = (
                " ".join(str(error).split())
                if not isinstance(error, KeyError)
                else f"it says nothing of {error}"
            )
            line, column = _line_of(path, said)
            yield Diagnostic(
                "E511",
                "error",
                f"no map can be drawn with this: {said}",
                f"{MAP_FOLDER}/{path.name}",
                line,
                column,
            )
            return
    if marks.is_file():
        yield from _unknown_marks(marks)
    if ruleset is not None and marks.is_file():
        yield from _idle_marks(marks, ruleset)


def _unknown_marks(path: Path) -> Iterator[Diagnostic]:
    """What `marks.yaml` says that its schema does not know: it would be passed over in silence."""
    for fault in forms().faults("map-marks", read_map_file(path)):
        said, hint = f"{'.'.join(map(str, fault.path))}: {fault.message}", ""
        if fault.word == "additionalProperties":
            known = fault.schema.get("properties", {})
            unknown = [str(key) for key in fault.value if key not in known]
            said = ", ".join(f"unknown key {key!r}" for key in unknown)
            hint = next(filter(None, (did_you_mean(key, known) for key in unknown)), "")
        line, column = _line_of(path, said)
        message = f"no map can be drawn with this: {said}"
        yield Diagnostic("E511", "error", message, f"{MAP_FOLDER}/{path.name}", line, column, hint)


def _line_of(path: Path, said: str) -> tuple[int, int]:
    """Where a fault of a map's file most likely stands: the last word that it quotes, or the key that it
    begins with.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 1, 1
    for word in [*reversed(re.findall(r"'([^']+)'", said)), *(f"{first}:" for first in said.split()[:1])]:
        for number, line in enumerate(lines if path.suffix == ".yaml" else (), 1):
            if word in line and not line.lstrip().startswith("#"):
                return number, line.index(word) + 1
    return 1, 1


def _idle_marks(path: Path, ruleset: Ruleset) -> Iterator[Diagnostic]:
    """Words of `marks.yaml` by which nothing is marked."""
    tree, _ = load_text(path.read_text(encoding="utf-8"), f"{MAP_FOLDER}/{path.name}")
    if tree is None:
        return
    fields = {
        kind: {f for f, row in ruleset.rows("fields").items() if kind in row.get("of", ())}
        for kind in ("nation", "place")
    }
    of_places = {*fields["place"], *forms().keys("places")}
    of_nations = {f"nation.{field}" for field in (*fields["nation"], *forms().keys("nations"))}
    units = ruleset.rows("units").values()
    tags = {str(tag) for row in units for tag in (*row.get("tags", ()), *_tags_of_grades(row))}
    kinds = {str(row.get("kind", "land")) for row in ruleset.rows("links").values()}
    for key, words in (
        ("badges", tags),
        ("symbols", of_places | of_nations),
        ("links", kinds),
        ("notes", of_places),
    ):
        for word, node, at_key in _words_of(tree.get(key)):
            if word not in words:
                message = f"{word!r} marks nothing: it is none of {_OF_MARKS[key]}"
                hint = did_you_mean(str(word), words)
                yield diagnose("E407", message, node, key=at_key, hint=hint)


def _words_of(said: Node | None) -> Iterator[tuple[Any, Node, str | None]]:
    """The keys of a map or the members of a list, each with the node and, in a map, the key it stands at."""
    if said is None:
        return
    for key, _ in said.items():
        yield key, said, key
    for member in said.members():
        yield member.value, member, None


def _tags_of_grades(row: Mapping[str, Any]) -> Iterator[str]:
    for grade in row.get("grades", {}).values():
        yield from grade.get("tags", ())


_OF_MARKS = {
    "badges": "the tags of units",
    "symbols": "the fields of places and nations",
    "links": "the kinds of links",
    "notes": "the fields of places",
}
"""Key of `marks.yaml` -> what its words name."""
