"""Every use of a row's id, and another id in its place.

Uses are found by what the schemas say of each value, in the ruleset and in those laid over it; in scenarios
and rule tests a key or value counts that is the id and nothing else, if no row of another form has the same
id, or the row as "table/id". A rename is made only if the rulesets are as sound with it as without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.expressions.vocabulary import FACTS, KINDS
from wteaw.ruleset.folder import MANIFEST
from wteaw.ruleset.forms import Annotation
from wteaw.ruleset.load import load_bytes
from wteaw.ruleset.nodes import Node, find, plain_value
from wteaw.testing.cases import MARKS, is_marks
from wteaw.testing.cases import find as test_files

from .answers import RowDefinition
from .cursor import marks_of_row
from .project import Project, Workspace

__all__ = ["CannotRename", "Use", "rename", "uses"]

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")


class CannotRename(ValueError):
    """Why an id cannot be given another name, in a sentence."""


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """Where an id stands: a file, its line and column from 1, and how long the text is."""

    path: Path
    line: int
    column: int
    length: int


def uses(workspace: Workspace, project: Project, found: RowDefinition) -> list[Use]:
    """Every place in rulesets, scenarios and rule tests that means a row, its own id among them, in order."""
    out: set[Use] = set()
    for one in (project, *workspace.over(project)):
        for name, data in one.texts.items():
            out |= set(_in_rows(one, name, data, found))
    alone = sum(found.id in rows for rows in (project.draft.forms.values() if project.draft else ())) == 1
    for path in _files_beside(workspace, project):
        data = workspace.open.get(path) or path.read_bytes()
        if found.id.encode() in data:
            out |= set(_in_plain(path, data, found, bare=alone))
    return sorted(out)


def _in_rows(project: Project, name: str, data: bytes, found: RowDefinition) -> Iterator[Use]:
    if found.id.encode() not in data:
        return
    path = project.path(name)
    tree = project.tree(path)
    lines = data.decode("utf-8", "replace").splitlines()
    declared = project.draft.rows("fields") if project.draft is not None else {}
    fields = {id_ for id_, row in declared.items() if row.text("table") == found.form}
    for form, rows in tree.items() if tree is not None else ():
        for row in rows.members():
            if not row.is_map:
                continue
            own = row.get("id")
            if own is not None and form == found.form and own.value == found.id:
                yield from _of_text(path, lines, own, found.id, whole=True)
            if form == "groups" and row.text("of") == found.form:
                yield from _members(path, lines, row.get("members"), found.id)
            for key in fields & dict(row.items()).keys():
                yield from _members(path, lines, row.get(key), found.id)
            for mark in marks_of_row(project.known, form, row):
                yield from _of_mark(path, lines, row, mark, found)


def _members(path: Path, lines: list[str], node: Node | None, id_: str) -> Iterator[Use]:
    """Where an id is a value, or one of a list of values."""
    for one in [] if node is None else [node, *node.members()]:
        if one.value == id_:
            yield from _of_text(path, lines, one, id_, whole=True)


def _of_mark(
    path: Path, lines: list[str], row: Node, mark: Annotation, found: RowDefinition
) -> Iterator[Use]:
    """Where a marked value of a row, or its key, means the row that is looked for."""
    value, schema = mark.value, mark.schema
    node = find(row, mark.path[:-1] if mark.is_key else mark.path)
    if found.form in (*mark.refs, *schema.get("x-word", ())) and not _expression(value):
        if mark.is_key and value == found.id:
            _, line, column = node.keys[found.id]
            yield from _near(path, lines, line, column, found.id)
        if not mark.is_key:
            yield from _members(path, lines, node, found.id)
        if isinstance(value, str) and value == f"{found.form}/{found.id}":
            yield from _of_text(path, lines, node, found.id)
    if "x-trigger" in schema and isinstance(value, dict):
        for fact, filters in value.items():
            for role, sources in FACTS.get(fact, {}).items() if isinstance(filters, dict) else ():
                if role in filters and found.form in sources:
                    yield from _members(path, lines, node.value[fact].get(role), found.id)
    if (
        isinstance(value, str)
        and ("x-expr" in schema or "x-text" in schema or _expression(value))
        and _asks(value, found)
    ):
        yield from _of_text(path, lines, node, found.id)


def _expression(value: object) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("=")


def _asks(text: str, found: RowDefinition) -> bool:
    """Whether an expression can mean a row: by its id in quotes, or, of a term, a quantity or a field, by
    name; a text, of a nation or a side, by its id in braces.
    """
    quoted = re.search(rf"(?<![\w-])'(?:{re.escape(found.form)}/)?{re.escape(found.id)}'", text) is not None
    named = re.search(rf"(?<![\w'-]){re.escape(found.id)}(?![\w'-])", text) is not None
    told = found.form in ("nations", "sides") and f"{{{found.id}}}" in text
    return (
        quoted
        or told
        or (named and (found.form in ("definitions", "stats", "fields") or text.strip() == found.id))
    )


def _of_text(path: Path, lines: list[str], node: Node, id_: str, *, whole: bool = False) -> Iterator[Use]:
    """Where an id stands in the text of a value; `whole`: it is all of the value."""
    if whole:
        yield from _near(path, lines, node.line, node.column, id_)
        return
    text = str(node.value)
    left = len(re.findall(rf"(?<![\w-]){re.escape(id_)}(?![\w-])", text))
    line, column = node.line, node.column
    while left and line <= len(lines):
        for match in re.finditer(rf"(?<![\w-]){re.escape(id_)}(?![\w-])", lines[line - 1]):
            if match.start() + 1 >= column and left:
                left -= 1
                yield Use(path, line, match.start() + 1, len(id_))
        line, column = line + 1, 1


def _near(path: Path, lines: list[str], line: int, column: int, id_: str) -> Iterator[Use]:
    """An id that begins at a place, or one character later if it is quoted."""
    text = lines[line - 1] if line <= len(lines) else ""
    for start in (column - 1, column):
        if text[start : start + len(id_)] == id_:
            yield Use(path, line, start + 1, len(id_))
            return


def _files_beside(workspace: Workspace, project: Project) -> Iterator[Path]:
    """Rule tests of the ruleset and of those below it, what is marked beside them, and scenarios beside the
    rulesets.
    """
    marks = (path for path in project.folder.rglob(MARKS) if is_marks(path))
    for path in (*test_files(project.folder), *sorted(marks)):
        yield path.resolve()
    for root in workspace.roots:
        for folder in (root / "scenarios", root):
            for path in sorted(folder.glob("*.yaml")):
                if path.name != MANIFEST:
                    yield path.resolve()


def _in_plain(path: Path, data: bytes, found: RowDefinition, *, bare: bool) -> Iterator[Use]:
    """Where a value is a row as "table/id"; with `bare`, also where a value or a key is its id alone."""
    id_, row = found.id, f"{found.form}/{found.id}"
    tree, _ = load_bytes(data, path.name)
    lines = data.decode("utf-8", "replace").splitlines()
    stack = [tree] if tree is not None else []
    while stack:
        node = stack.pop()
        if node.value == row:
            yield from _of_text(path, lines, node, id_)
        elif bare and node.value == id_:
            yield from _near(path, lines, node.line, node.column, id_)
        for key, value in node.items():
            if bare and key == id_:
                _, line, column = node.keys[key]
                yield from _near(path, lines, line, column, id_)
            stack.append(value)
        stack.extend(node.members())


def rename(workspace: Workspace, project: Project, found: RowDefinition, to: str) -> dict[Path, list[Use]]:
    """The places to write another id at, by file.

    CannotRename says why it cannot be: no id, taken, or something would break.
    """
    if not _ID.fullmatch(to):
        raise CannotRename(
            f"{to!r} is no id: small letters, digits and hyphens, beginning with a letter or digit"
        )
    if found.id not in _own_ids(project, found):
        raise CannotRename(
            f"{found.form}/{found.id} is written in another ruleset ({found.row.file}): rename it there"
        )
    for one in (project, *workspace.over(project)):
        if one.draft is not None and to in one.draft.rows(found.form):
            raise CannotRename(
                f"there is {found.form}/{to} already, at {one.draft.rows(found.form)[to].where}"
            )
    if found.form in ("definitions", "stats", "fields") and (to in FUNCTIONS or to in KINDS):
        raise CannotRename(f"{to!r} is a word of expressions already")
    places = uses(workspace, project, found)
    by_path: dict[Path, list[Use]] = {}
    for use in places:
        by_path.setdefault(use.path, []).append(use)
    for one in (project, *workspace.over(project)):
        before = len([d for d in one.found if d.severity == "error"])
        texts = {
            one.path(name): _replaced(data, by_path.get(one.path(name), []), to)
            for name, data in one.texts.items()
        }
        tried = Project(one.folder, texts)
        errors = [d for d in tried.found if d.severity == "error"]
        if len(errors) > before:
            new = errors[0]
            raise CannotRename(
                f"{found.id} stands in a place that could not be renamed: {new.file}:{new.line}: "
                f"{new.message}"
            )
    return by_path


def _own_ids(project: Project, found: RowDefinition) -> set[str]:
    """The ids of a form that files of the ruleset's own folder introduce."""
    own = [name for name in project.texts if not name.startswith("..")]
    out: set[str] = set()
    for name in own:
        tree = project.tree(project.path(name))
        rows = tree.get(found.form) if tree is not None else None
        out |= {
            str(plain_value(row).get("id"))
            for row in (rows.members() if rows is not None else ())
            if row.is_map
        }
    return out


def _replaced(data: bytes, places: list[Use], to: str) -> bytes:
    if not places:
        return data
    lines = data.decode("utf-8").splitlines(keepends=True)
    for use in sorted(places, reverse=True):
        line = lines[use.line - 1]
        lines[use.line - 1] = line[: use.column - 1] + to + line[use.column - 1 + use.length :]
    return "".join(lines).encode()
