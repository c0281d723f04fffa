"""What keeps the files of a ruleset's folder `map/` from being drawn with, and what in them marks nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..core.canonical import dumps
from ..core.diagnostics import Diagnostic, did_you_mean
from ..core.model import Ruleset
from ..ruleset import cache as shelf
from ..ruleset.drawing import read_map_file
from ..ruleset.folder import MAP_FOLDER
from ..ruleset.forms import forms
from ..ruleset.load import load_text
from ..ruleset.nodes import Node, diagnose

FILES = LAYOUT, MARKS, SHAPES = "layout.yaml", "marks.yaml", "shapes.json"


def drawing_faults(
    ruleset_folder: Path, ruleset: Ruleset | None = None, *, cache: bool = False
) -> list[Diagnostic]:
    """What keeps the files of a ruleset's own folder `map/` from being drawn with, by file.

    With a ruleset also the words of `marks.yaml` that name no tag, field or kind of it, so that they mark
    nothing. With `cache` they are kept for the texts of the files and all that marks may name.
    """
    words = _words_of_marks(ruleset) if ruleset is not None else None

    def made_of() -> Iterator[str | bytes]:
        named = {key: sorted(known) for key, known in words.items()} if words is not None else None
        yield from ("drawing", forms().digest, dumps(named))
        for path in (ruleset_folder / MAP_FOLDER / name for name in FILES):
            yield from (path.name, path.read_bytes() if path.is_file() else "")

    return shelf.findings(made_of(), lambda: _found(ruleset_folder / MAP_FOLDER, words), cache=cache)


def _found(here: Path, words: Mapping[str, set[str]] | None) -> Iterator[Diagnostic]:
    # heavy: it brings what draws, and what is found is mostly kept
    from ruamel.yaml.error import YAMLError

    # as the line above
    from .map import layout_from, read_shapes

    layout, marks, shapes = (here / name for name in FILES)
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
    if words is not None and marks.is_file():
        yield from _idle_marks(marks, words)


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


def _words_of_marks(ruleset: Ruleset) -> dict[str, set[str]]:
    """What `marks.yaml` may name of a ruleset, by its key."""
    fields = {
        kind: {f for f, row in ruleset.rows("fields").items() if kind in row.get("of", ())}
        for kind in ("nation", "place")
    }
    of_places = {*fields["place"], *forms().keys("places")}
    of_nations = {f"nation.{field}" for field in (*fields["nation"], *forms().keys("nations"))}
    units = ruleset.rows("units").values()
    return {
        "badges": {str(tag) for row in units for tag in (*row.get("tags", ()), *_tags_of_grades(row))},
        "symbols": of_places | of_nations,
        "links": {str(row.get("kind", "land")) for row in ruleset.rows("links").values()},
        "notes": of_places,
    }


def _idle_marks(path: Path, words: Mapping[str, set[str]]) -> Iterator[Diagnostic]:
    """Words of `marks.yaml` by which nothing is marked."""
    tree, _ = load_text(path.read_text(encoding="utf-8"), f"{MAP_FOLDER}/{path.name}")
    if tree is None:
        return
    for key, known in words.items():
        for word, node, at_key in _words_of(tree.get(key)):
            if word not in known:
                message = f"{word!r} marks nothing: it is none of {_OF_MARKS[key]}"
                hint = did_you_mean(str(word), known)
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
