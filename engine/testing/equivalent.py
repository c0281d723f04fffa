"""Changes of rows that make no difference, and that no rule test can notice: the file `tests/equivalent.yaml`
beside a ruleset's rule tests, which `wteaw mutate` reads.

    equivalent:
      - row: events/quarrel
        at: effects[1].shift.by
        changes: [1 -> 2]
        reason: only the sign counts

A mark is about a row of the ruleset's own tables, and about a place in it as `wteaw mutate` writes it: keys
joined by dots, members of lists by their id, or else by their number from 1. It counts for all that is below
its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..core.diagnostics import Diagnostic, did_you_mean, nearest
from ..core.model import MANIFEST, Ruleset
from ..ruleset import cache as shelf
from ..ruleset.compile import add_source_lines, parse_file
from ..ruleset.folder import SourceFile, name_of, read_folder
from ..ruleset.forms import forms
from ..ruleset.load import read_file
from ..ruleset.nodes import Node, diagnose, plain_value
from ..ruleset.overlay import FRAME, SETTINGS, row_id
from .cases import FOLDER, MARKS

SCHEMA = "equivalent"


@dataclass(frozen=True, slots=True, eq=False)
class EquivalentMark:
    """One mark: a row as "table/id", a place in it ("" for the row itself), the changes ("OLD -> NEW", or
    "OLD" for all changes of it; none: every change there), and why they make no difference.
    """

    row: str
    at: str
    changes: tuple[str, ...]
    reason: str
    node: Node

    def covers(self, row: str, places: tuple[str, ...], old: str, new: str) -> bool:
        """Whether a change of `old` to `new` (empty: left out) is one of those; `places` are its place and
        those around it.
        """
        if row != self.row or (self.at and self.at not in places):
            return False
        pairs = [one.replace("→", "->").partition("->") for one in self.changes]
        return not pairs or any(
            was.strip() in ("*", old) and becomes.strip() in ("", "*", new) for was, _, becomes in pairs
        )


def read_marks(folder: Path) -> tuple[list[EquivalentMark], list[Diagnostic]]:
    """The marks beside the rule tests of a ruleset's folder, if any, and why they cannot be read."""
    path = folder / FOLDER / MARKS
    if not path.is_file():
        return [], []
    tree, found = _tree(path, path.as_posix())
    return marks_of_tree(tree) if tree is not None and not found else [], found


def marks_of_tree(tree: Node) -> list[EquivalentMark]:
    """The marks of a file of the right shape."""
    out = []
    for node in tree.value[SCHEMA].members():
        said = plain_value(node)
        changes = tuple(str(c).lower() if isinstance(c, bool) else str(c) for c in said.get("changes", ()))
        out.append(EquivalentMark(said["row"], said.get("at", ""), changes, said["reason"], node))
    return out


def faults_of_marks(folder: Path, ruleset: Ruleset, *, cache: bool = False) -> list[Diagnostic]:
    """What is wrong with the marks of a ruleset's own folder; names of files as seen from the folder.

    With `cache` it is kept for the texts of the marks and of the tables.
    """
    path = folder / FOLDER / MARKS
    if not path.is_file():
        return []
    name = name_of(path, folder)
    files, _ = read_folder(folder, folder)
    text = path.read_bytes()

    def find_all() -> list[Diagnostic]:
        tree, found = _tree(path, name)
        if tree is not None and not found:
            found = list(faults_of_marks_in(tree, folder, ruleset, files))
        return add_source_lines(found, {name: text})

    texts = (part for file in files for part in (file.name, file.data))
    return shelf.findings(["marks", forms().digest, name, text, *texts], find_all, cache=cache)


def faults_of_marks_in(
    tree: Node, folder: Path, ruleset: Ruleset | None, files: list[SourceFile] | None = None
) -> Iterator[Diagnostic]:
    """What marks of the right shape are about that is not there: a row of the ruleset in the folder, or a
    place in it. `files`: those of the folder, if they have been read.
    """
    rows = _own_rows(read_folder(folder, folder)[0] if files is None else files)
    for mark in marks_of_tree(tree):
        if mark.row not in rows:
            origin = ruleset.origins.get(mark.row, "") if ruleset is not None else ""
            message = f"the tables of this ruleset have no row {mark.row!r}"
            hint = did_you_mean(mark.row, rows)
            if origin:
                message = f"the row {mark.row!r} stands in another ruleset"
                hint = f"it is in {origin.partition(':')[0]}: its mark belongs beside the tests of that one"
            yield diagnose("E401", message, mark.node.value["row"], hint=hint)
        elif mark.at:
            places = {place: above for row in rows[mark.row] for place, above in _places_in(row)}
            if mark.at not in places:
                message = f"the row {mark.row!r} has nothing at {mark.at!r}"
                hint = _what_is_there(mark.at, places)
                yield diagnose("E407", message, mark.node.value["at"], hint=hint)


def _what_is_there(at: str, places: Mapping[str, str]) -> str:
    """What a place that is not there may have been meant to be: something beside the first step of it that is
    missing. `places`: each place of a row with the one around it.
    """
    above, missing = at, at
    while above and above not in places:
        missing, above = above, above[: max(above.rfind("."), above.rfind("["), 0)]
    below = sorted(place for place, around in places.items() if around == above)
    steps = {place.removeprefix(above).strip(".[]"): place for place in below}
    near = nearest(missing.removeprefix(above).strip(".[]"), steps)
    if near:
        return f"did you mean {steps[near[0]]!r}?"
    return f"there are {', '.join(below)}" if below else ""


def _tree(path: Path, name: str) -> tuple[Node | None, list[Diagnostic]]:
    from ..ruleset.checks.schema import faults_of  # heavy, and not needed when the cache has the answer

    data, found = read_file(path, name)
    if found:
        return None, found
    tree, found = parse_file(SourceFile(name, data))
    return tree, [*found, *(faults_of(forms(), SCHEMA, tree) if tree is not None and not found else ())]


def _own_rows(files: list[SourceFile]) -> dict[str, list[Node]]:
    """The rows of files, by "table/id"; of a file that cannot be read none."""
    out: dict[str, list[Node]] = {}
    for file in files:
        tree, _ = parse_file(file)
        for table, id_, row in rows_of_file(tree) if tree is not None and tree.is_map else ():
            out.setdefault(f"{table}/{id_}", []).append(row)
    return out


# ---- how rows and places are called


def rows_of_file(tree: Node) -> Iterator[tuple[str, str, Node]]:
    """The rows of a file of tables, each with its table and its id; of a manifest the settings.

    A row without an id goes by its phase, step or mechanic, or by its number.
    """
    if SETTINGS in tree.value:
        place = tree.keys[SETTINGS]
        only = tree.with_entries({SETTINGS: tree.value[SETTINGS]}, {SETTINGS: place})
        yield MANIFEST, SETTINGS, only
        return
    for form, rows in tree.items():
        for number, row in enumerate(rows.members()):
            if row.is_map:
                yield form, (row_id(row) if form != FRAME else None) or _name(row, number), row


def places_along(row: Node, path: tuple[str | int, ...]) -> tuple[str, ...]:
    """A path and those above it in words, the outermost first: keys, and members of lists by their id or
    number.
    """
    out: list[str] = []
    here, node = "", row
    for step in path:
        node = node.value[step]
        here = _further(here, step, node)
        out.append(here)
    return tuple(out)


def _places_in(row: Node, here: str = "") -> Iterator[tuple[str, str]]:
    """Every place in a row, with the one around it."""
    inside: list[tuple[str | int, Node]] = [*row.items(), *enumerate(row.members())]
    for step, child in inside:
        at = _further(here, step, child)
        yield at, here
        yield from _places_in(child, at)


def _further(here: str, step: str | int, node: Node) -> str:
    if isinstance(step, int):
        return f"{here}[{_name(node, step + 1) if node.is_map else step + 1}]"
    return f"{here}.{step}" if here else step


def _name(node: Node, number: int) -> str:
    for key in ("id", "phase", "step", "do"):
        if text := node.text(key):
            return text
    return str(number)
