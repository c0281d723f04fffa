"""Clause to row to test: which clauses of the rules the rows of a ruleset cite, which cases test them, what
is missing.

Clauses are those of the registers (the table `clauses`) of the rulesets, or else those that are cited. A
clause with `same_as` is counted under its owner, and what cites it counts for the owner. One that no row
carries out says why (`no_row`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.diagnostics import Diagnostic
from ..core.model import Row, Ruleset
from ..ruleset.clauses import CLAUSES, owner, sources
from ..ruleset.compile import load_ruleset
from ..ruleset.folder import find_rulesets
from ..ruleset.nodes import plain_value
from .cases import TestFile, find, read, read_tree
from .runner import run_files

__all__ = ["Matrix", "Owners", "cited", "matrix", "owners_in", "sources", "tested"]

SCENARIOS = "scenarios"


@dataclass(slots=True)
class ClauseCoverage:
    """What there is for one clause: rows ("form/id") that cite it, cases that test it, why no row carries it
    out.
    """

    file: str
    rows: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    reason: str = ""

    @property
    def missing(self) -> bool:
        return not self.reason and not (self.rows and self.tests)


@dataclass(slots=True)
class Matrix:
    """Owner clauses in order, with what there is for each; what was cited that no register has; and
    findings.
    """

    clauses: dict[str, ClauseCoverage] = field(default_factory=dict)
    unknown: dict[str, list[str]] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)

    def files(self) -> dict[str, dict[str, Any]]:
        """By file of clauses: how many there are, how many cited, tested, excepted; and which are missing."""
        out: dict[str, dict[str, Any]] = {}
        for id_, entry in self.clauses.items():
            row = out.setdefault(
                entry.file, {"clauses": 0, "cited": 0, "tested": 0, "excepted": 0, "missing": []}
            )
            row["clauses"] += 1
            row["cited"] += bool(entry.rows)
            row["tested"] += bool(entry.tests)
            row["excepted"] += bool(entry.reason)
            if entry.missing:
                row["missing"].append(id_)
        return out


@dataclass(frozen=True, slots=True)
class Owners:
    """Which clause owns a rule that several state, by the rows of registers."""

    rows: Mapping[str, Row] = field(default_factory=dict)

    def of(self, id_: str) -> str:
        """The owner of a clause; itself if it is its own or not registered."""
        return owner(self.rows, id_)


def owners_in(path: Path) -> Owners:
    """The owners by the registers of all rulesets in a folder; none where it is none."""
    rows: dict[str, Row] = {}
    for folder in find_rulesets(path) if path.is_dir() else []:
        ruleset, _ = load_ruleset(folder, keep_broken=True)
        if ruleset is not None:
            rows |= ruleset.rows(CLAUSES)
    return Owners(rows)


def cited(ruleset: Ruleset) -> dict[str, list[str]]:
    """Clause to the rows ("form/id") that cite it, and to the tables that it says come from it."""
    out: dict[str, list[str]] = {}
    for form, rows in ruleset.forms.items():
        for id_, row in rows.items():
            for clause in dict.fromkeys(sources(row)):
                out.setdefault(clause, []).append(f"{form}/{id_}")
    for clause, row in ruleset.rows(CLAUSES).items():
        if row.get("tables"):
            out.setdefault(clause, []).extend(row["tables"])
        for other in row.get("about", ()):
            out.setdefault(other, []).append(f"{CLAUSES}/{clause}")
    for number, node in enumerate(ruleset.sequence):
        for clause in dict.fromkeys(sources(node)):
            out.setdefault(clause, []).append(f"sequence/{node.get('id', number)}")
    for clause in sources(ruleset.manifest):
        out.setdefault(clause, []).append("manifest")
    return out


def _positions(folder: Path) -> dict[str, list[str]]:
    """Clause to the scenarios that cite it, of those that lie in or beside a ruleset's folder."""
    out: dict[str, list[str]] = {}
    for place in (folder / SCENARIOS, folder.resolve().parent / SCENARIOS):
        for path in sorted(place.glob("*.yaml")) if place.is_dir() else ():
            tree, _ = read_tree(path, path.as_posix())
            for clause in dict.fromkeys(sources(plain_value(tree)) if tree is not None else ()):
                out.setdefault(clause, []).append(f"{SCENARIOS}/{path.stem}")
    return out


def tested(
    files: Iterable[tuple[Path, str]], *, run: bool = True, jobs: int = 1
) -> tuple[dict[str, list[str]], list[Diagnostic]]:
    """Clause to the ids of the cases that test it: those that pass, or with `run=False` all that there
    are.
    """
    out: dict[str, list[str]] = {}
    listed = list(files)
    if run:
        played = run_files(listed, jobs=jobs)
        for result in played.results:
            if result.status == "passed":
                for clause in result.clauses:
                    out.setdefault(clause, []).append(result.id)
        return out, [d for d in played.found if d.severity == "error"]
    found: list[Diagnostic] = []
    for path, name in listed:
        test: TestFile = read(path, name)
        found += [d for d in test.found if d.severity == "error"]
        for case in test.cases:
            for clause in case.clauses:
                out.setdefault(clause, []).append(case.id)
    return out, found


def matrix(paths: Iterable[Path], *, run: bool = True, jobs: int = 1) -> Matrix:
    """The matrix of rulesets with their variants, and of the tests that lie with them.

    Each path is the folder of a ruleset (variants below it count as well), or a file or folder with further
    tests alone.
    """
    out = Matrix()
    rows: dict[str, list[str]] = {}
    files: dict[Path, str] = {}
    listed: dict[str, Row] = {}
    lists: dict[str, str] = {}
    for path in paths:
        for folder in find_rulesets(path) if path.is_dir() else []:
            ruleset, found = load_ruleset(folder, keep_broken=True)
            out.found += [d for d in found if d.severity == "error"]
            if ruleset is None:
                continue
            for id_, row in ruleset.rows(CLAUSES).items():
                # a reading is no clause of its own: it counts with those that it reads
                if not row.get("about"):
                    listed.setdefault(id_, row)
                    lists.setdefault(id_, _list_of(ruleset, folder, id_))
            for clause, ids in cited(ruleset).items():
                rows.setdefault(clause, []).extend(i for i in ids if i not in rows.get(clause, ()))
            for clause, ids in _positions(folder).items():
                rows.setdefault(clause, []).extend(i for i in ids if i not in rows.get(clause, ()))
        files |= {file: file.as_posix() for file in find(path)}
    tests, found = tested(files.items(), run=run, jobs=jobs)
    out.found += found
    owners = Owners(listed)
    for id_, row in listed.items():
        if owners.of(id_) == id_:
            out.clauses[id_] = ClauseCoverage(lists[id_], reason=str(row.get("no_row", "")))
    if not listed:
        out.clauses = {i: ClauseCoverage(i.partition(".")[0]) for i in sorted({*rows, *tests})}
    for kind, table in (("rows", rows), ("tests", tests)):
        for clause, who in table.items():
            entry = out.clauses.get(owners.of(clause))
            if entry is None:
                out.unknown.setdefault(clause, []).extend(who)
            else:
                have: list[str] = getattr(entry, kind)
                have.extend(w for w in who if w not in have)
    return out


def _list_of(ruleset: Ruleset, folder: Path, id_: str) -> str:
    """The ruleset and the file that register a clause, as a name: `no-mans-land/clauses`."""
    file = (folder / ruleset.origin(CLAUSES, id_).partition(":")[0]).resolve()
    return f"{file.parent.parent.name}/{file.stem}"
