"""Files of rule tests to `Case`s: found, read with the line of every value, checked against their schema.

A file holds `cases`, and may name the ruleset they are about and a fixture that all its cases share. `find`
says which files a path stands for, `read` what is in one of them.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.diagnostics import Diagnostic
from ..core.package_data import data_root
from ..ruleset.compile import parse_file
from ..ruleset.folder import MANIFEST, SHIPPED, SourceFile, ruleset_above
from ..ruleset.forms import forms
from ..ruleset.load import read_file
from ..ruleset.nodes import Node, diagnose, plain_value
from ..ruleset.nodes import find as node_at

SCHEMA = "rule-test"
FOLDER = "tests"
MARKS = "equivalent.yaml"
"""The file beside rule tests that says which changes none of them can notice (`testing.equivalent`)."""


def names_of(node: Mapping[str, Any]) -> list[str]:
    """The words by which a case names a node of the sequence of play."""
    mechanic = [str(node["do"])] if "do" in node and "step" not in node else []
    return [str(node[key]) for key in ("phase", "step") if key in node] + mechanic


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One rule test: its plain data, and the node it came from for the places of its values.

    `data` has the file's shared fixture laid under its `given`.
    """

    id: str
    file: str
    line: int
    data: Mapping[str, Any]
    node: Node

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def title(self) -> str:
        return str(self.data.get("title", ""))

    @property
    def clauses(self) -> tuple[str, ...]:
        return tuple(self.data.get("clauses", ()))

    def at(self, path: Iterable[str | int]) -> str:
        """ "file:line" of a value of the case, or of the nearest thing above it."""
        found = node_at(self.node, path)
        return f"{found.file}:{found.line}"


@dataclass(frozen=True, slots=True, eq=False)
class TestFile:
    """The cases of one file, the folder of the ruleset they are about, and what is wrong with the file."""

    path: Path
    ruleset: Path | None
    cases: tuple[Case, ...]
    found: tuple[Diagnostic, ...]


def find(path: Path) -> list[Path]:
    """The files of rule tests that a path stands for.

    A file is itself. Of a ruleset's folder, or one above it, all YAML files in folders called `tests`; of any
    other folder without such folders all its YAML files.
    """
    if path.is_file():
        return [path]
    below = sorted(p for p in _yaml_files(path) if FOLDER in p.relative_to(path).parts[:-1])
    if below or (path / MANIFEST).is_file():
        return below
    return sorted(_yaml_files(path))


def _yaml_files(path: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(path):
        folders[:] = [f for f in folders if not f.startswith((".", "__"))]
        for name in files:
            file = Path(here) / name
            if name.endswith((".yaml", ".yml")) and not name.startswith(".") and not is_marks(file):
                yield file


def is_marks(path: Path) -> bool:
    """Whether a file is the one that says which changes of a ruleset make no difference."""
    return path.name == MARKS and path.parent.name == FOLDER and (path.parent.parent / MANIFEST).is_file()


def read(path: Path, name: str | None = None) -> TestFile:
    """The cases of one file. `name` is how findings and reports call it."""
    name = name or path.as_posix()
    tree, found = read_tree(path, name)
    if tree is None:
        return TestFile(path, None, (), tuple(found))
    return of_tree(tree, path, name, found)


def cases_about(folder: Path) -> list[tuple[Case, Path]]:
    """The cases about a ruleset that lie in its own folder, each with its file."""
    files = [read(path) for path in find(folder)]
    return [(case, file.path) for file in files if file.ruleset == folder.resolve() for case in file.cases]


def of_tree(tree: Node, path: Path, name: str, found: list[Diagnostic] | None = None) -> TestFile:
    """The cases of what a file says; `found`: what was wrong with its text."""
    from ..ruleset.checks.schema import faults_of  # heavy, and not needed when the cache has the answer

    found = list(found or ())
    known = forms()
    if known.has_file(SCHEMA):
        found = [*found, *faults_of(known, SCHEMA, tree)]
    folder = ruleset_of(path, tree.text("ruleset"))
    if folder is None:
        message = "no ruleset: neither does the file name one, nor does it lie in the folder of one"
        found = [*found, diagnose("T101", message, tree)]
    if any(d.severity == "error" for d in found):
        return TestFile(path, folder, (), tuple(found))
    shared = plain_value(tree.value["given"]) if "given" in tree.value else {}
    cases = []
    seen: dict[str, Node] = {}
    for node in tree.value["cases"].members():
        data = plain_value(node)
        if data["id"] in seen:
            first = seen[data["id"]]
            message = f"a second case {data['id']!r} (the first at line {first.line})"
            found = [*found, diagnose("T102", message, node)]
            continue
        seen[data["id"]] = node
        if shared:
            data = {**data, "given": over_fixture(shared, data.get("given", {}))}
        cases.append(Case(data["id"], name, node.line, data, node))
    return TestFile(path, folder, tuple(cases), tuple(found))


def over_fixture(shared: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What a case says over what its file says.

    What both make up is there; the rest is as `merged` has it.
    """
    out: dict[str, Any] = merged(shared, given)
    below, above = shared.get("made_up", {}), given.get("made_up", {})
    if below and above:
        out["made_up"] = {**below, **above}
        for key in sorted({*below} & {*above} - {"alone"}):
            one, other = below[key], above[key]
            if isinstance(one, list) and isinstance(other, list):
                out["made_up"][key] = [*one, *(x for x in other if x not in one)]
            else:
                out["made_up"][key] = merged(_entries(one), _entries(other))
    return out


def _entries(said: Any) -> dict[str, Any]:
    return dict(said) if isinstance(said, Mapping) else {id_: {} for id_ in said}


def merged(below: Any, above: Any) -> Any:
    """Maps key by key, anything else replaced: what a case says goes before what its file says."""
    if isinstance(below, Mapping) and isinstance(above, Mapping):
        out = dict(below)
        for key, value in above.items():
            out[key] = merged(out[key], value) if key in out else value
        return out
    return above


def read_tree(path: Path, name: str) -> tuple[Node | None, list[Diagnostic]]:
    """The tree of a YAML file with its places; kept between runs, for reading YAML takes longer than playing
    it.
    """
    data, found = read_file(path, name)
    if found:
        return None, found
    return parse_file(SourceFile(name, data))


def ruleset_of(path: Path, named: str | None) -> Path | None:
    """The folder of the ruleset that a file names, or that it lies in."""
    if named is not None:
        shipped = named.startswith(SHIPPED)
        folder = data_root() / named.removeprefix(SHIPPED).strip("/") if shipped else path.parent / named
        return folder.resolve() if (folder / MANIFEST).is_file() else None
    return ruleset_above(path)


class CitedBy:
    """How many rule tests of a ruleset and its variants cite each clause; read again for files that have
    changed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[Path, tuple[int, dict[str, int]]] = {}

    def by_clause(self) -> dict[str, int]:
        out: dict[str, int] = defaultdict(int)
        for path in find(self.folder):
            stamp = path.stat().st_mtime_ns
            if path not in self._read or self._read[path][0] != stamp:
                counts: dict[str, int] = defaultdict(int)
                for case in read(path).cases:
                    for clause in case.clauses:
                        counts[clause] += 1
                self._read[path] = (stamp, dict(counts))
            for clause, n in self._read[path][1].items():
                out[clause] += n
        return dict(out)
