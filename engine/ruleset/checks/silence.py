"""Which warnings are silenced where they stand, and does every silence silence something?

A row may carry `silence: {CODE: reason}`, which covers the row and all inside it. A manifest may carry
`silence: {FILE: {CODE: reason}}`, the file being a name or a pattern such as `tables/*.yaml`. Errors cannot
be silenced.
"""

from __future__ import annotations

import bisect
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ...core.codes import CODES
from ...core.diagnostics import Diagnostic, did_you_mean
from ..nodes import Node, diagnose
from ..overlay import Layer, MergedRuleset, row_id


@dataclass(slots=True)
class _Silence:
    """One stated silence: the code, what it covers, where it stands, and whether it was of use."""

    code: str
    node: Node
    in_top: bool
    row: tuple[str, str] | None = None
    files: str = ""
    used: bool = False


def apply_silences(
    found: Iterable[Diagnostic], draft: MergedRuleset, layers: list[Layer]
) -> Iterator[Diagnostic]:
    """The findings that are not silenced, and what is wrong with the silences."""
    silences = [*_of_rows(draft, layers), *_of_manifests(layers)]
    by_row: dict[tuple[str, str, str], _Silence] = {(*s.row, s.code): s for s in silences if s.row}
    by_file = [s for s in silences if s.files]
    places = _Places(layers)
    for d in found:
        if d.severity == "error":
            yield d
            continue
        row = places.row_at(d)
        silence = by_row.get((*row, d.code)) if row else None
        silence = silence or next(
            (s for s in by_file if s.code == d.code and fnmatchcase(d.file, s.files)), None
        )
        if silence is None:
            yield d
        else:
            silence.used = True
    for silence in silences:
        yield from _judge(silence)


def _judge(silence: _Silence) -> Iterator[Diagnostic]:
    code = silence.code
    if code not in CODES:
        hint = did_you_mean(code, CODES)
        yield diagnose("E702", f"there is no code {code!r}", silence.node, key=code, hint=hint)
    elif code.startswith("E"):
        yield diagnose("E702", f"{code} is an error and cannot be silenced", silence.node, key=code)
    elif not silence.used and silence.in_top:
        message = f"nothing here is silenced by {code}"
        yield diagnose("W701", message, silence.node, key=code, hint="remove it")


def _of_rows(draft: MergedRuleset, layers: list[Layer]) -> Iterator[_Silence]:
    top = {file.file for file in layers[-1].files}
    for form, id_, row in draft.all_rows():
        given = row.get("silence")
        for code, _ in given.items() if given is not None else ():
            assert given is not None
            yield _Silence(code, given, given.file in top, row=(form, id_))


def _of_manifests(layers: list[Layer]) -> Iterator[_Silence]:
    for number, layer in enumerate(layers):
        if number and layer.manifest is layers[number - 1].manifest:
            continue  # rows laid over a ruleset without a manifest of their own
        given = layer.manifest.get("silence")
        folder = posixpath.dirname(layer.manifest.file)
        for pattern, codes in given.items() if given is not None else ():
            files = posixpath.normpath(posixpath.join(folder, pattern))
            for code, _ in codes.items():
                yield _Silence(code, codes, layer is layers[-1], files=files)


class _Places:
    """Which row a place in a file belongs to: the last one that begins at or before it."""

    def __init__(self, layers: list[Layer]) -> None:
        self.rows: dict[str, list[tuple[int, int, str, str]]] = {}
        for layer in layers:
            for file in layer.files:
                for form, rows in file.items():
                    for row in rows.members():
                        id_ = row_id(row) if row.is_map else None
                        if id_ is not None:
                            self.rows.setdefault(row.file, []).append((row.line, row.column, form, id_))
        for starts in self.rows.values():
            starts.sort()

    def row_at(self, d: Diagnostic) -> tuple[str, str] | None:
        starts = self.rows.get(d.file, [])
        index = bisect.bisect_right(starts, (d.line, d.column, "\U0010ffff", "")) - 1
        return starts[index][2:] if index >= 0 else None
