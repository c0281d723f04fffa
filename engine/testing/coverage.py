"""Clause to row to test: which clauses of the rules the rows of a ruleset cite, which cases test them, what is missing.

Clauses come from a folder of YAML lists (`id`, and `same_as` where another clause owns the rule), or else from the ruleset's own
sources. A clause with `same_as` is counted under its owner, and what cites it counts for the owner. A clause may be excepted
with a reason (form `except`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core.diagnostics import Diagnostic
from ..core.model import Ruleset
from ..ruleset import cache as shelf
from ..ruleset.clauses import sources
from ..ruleset.compile import load_ruleset
from ..ruleset.folder import find_rulesets
from ..ruleset.load import load_bytes, read_file
from ..ruleset.nodes import plain_value
from .cases import TestFile, find, read, read_tree
from .lines import spans, strayed
from .runner import run_files

__all__ = ["Clause", "Matrix", "Owners", "cited", "matrix", "read_clauses", "sources", "tested"]

EXCEPT = "except"
LINES = ("lines", "see_also", "pbem_lines")
"""Keys of a clause under which lines of the text stand."""
SCENARIOS = "scenarios"


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule of the text: its id, the file that lists it, and the clause that owns the rule (itself, if it does).

    `passages` are the lines of the text that state it or complete it, as (first, last).
    """

    id: str
    file: str
    owner: str
    passages: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class ClauseCoverage:
    """What there is for one clause: rows ("form/id") that cite it, cases that test it, why it is excepted."""

    file: str
    rows: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    reason: str = ""

    @property
    def missing(self) -> bool:
        return not self.reason and not (self.rows and self.tests)


@dataclass(slots=True)
class Matrix:
    """Owner clauses in order, with what there is for each; what was cited that no list has; and findings."""

    clauses: dict[str, ClauseCoverage] = field(default_factory=dict)
    unknown: dict[str, list[str]] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)
    strayed: list[Diagnostic] = field(default_factory=list)
    """Rows whose lines are none of the lines of the clauses that they cite."""

    def files(self) -> dict[str, dict[str, Any]]:
        """By file of clauses: how many there are, how many cited, tested, excepted; and which are missing."""
        out: dict[str, dict[str, Any]] = {}
        for id_, entry in self.clauses.items():
            row = out.setdefault(entry.file, {"clauses": 0, "cited": 0, "tested": 0, "excepted": 0, "missing": []})
            row["clauses"] += 1
            row["cited"] += bool(entry.rows)
            row["tested"] += bool(entry.tests)
            row["excepted"] += bool(entry.reason)
            if entry.missing:
                row["missing"].append(id_)
        return out


class Owners:
    """Which clause owns a rule that several state."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        self.clauses = {c.id: c for c in clauses}

    def of(self, id_: str) -> str:
        """The owner of a clause; itself if it is its own or not listed. A ring of twins ends at its first member."""
        seen = {id_}
        while id_ in self.clauses and self.clauses[id_].owner != id_:
            id_ = self.clauses[id_].owner
            if id_ in seen:
                break
            seen.add(id_)
        return id_


def read_clauses(folder: Path) -> tuple[list[Clause], list[Diagnostic]]:
    """All clauses of the YAML lists that lie in a folder (not below it), in order of files and lines."""
    clauses: list[Clause] = []
    found: list[Diagnostic] = []
    for path in sorted(p for p in folder.iterdir() if p.suffix in (".yaml", ".yml")):
        listed, wrong = _listed(path)
        found += wrong
        clauses += [Clause(id_, path.name, owner or id_, tuple((a, b) for a, b in lines)) for id_, owner, lines in listed]
    return clauses, found


def _listed(path: Path) -> tuple[list[list[Any]], list[Diagnostic]]:
    """Id, `same_as` and lines of each clause of a file; kept between runs, for such files are long."""
    data, found = read_file(path, path.name)
    if found:
        return [], found
    key = shelf.key_of([shelf.reader_digest(), "with lines", hashlib.sha256(data).digest()])
    kept = shelf.read("clauses", key)
    if isinstance(kept, list):
        return kept, []
    # A list at the root is read as the value of a key: the loader reads maps.
    tree, found = load_bytes(b"clauses:\n" + data, path.name)
    listed = tree.get("clauses") if tree is not None else None
    rows = [plain_value(n) for n in listed.members()] if listed is not None else []
    out: list[list[Any]] = [
        [r["id"], str(r.get("same_as") or ""), [list(span) for word in LINES for span in spans(r.get(word))]]
        for r in rows
        if isinstance(r, Mapping) and isinstance(r.get("id"), str)
    ]
    if not found:
        shelf.write("clauses", key, out)
    return out, found


def cited(ruleset: Ruleset) -> dict[str, list[str]]:
    """Clause to the rows ("form/id") that cite it. Exceptions cite nothing."""
    out: dict[str, list[str]] = {}
    for form, rows in ruleset.forms.items():
        if form == EXCEPT:
            continue
        for id_, row in rows.items():
            for clause in dict.fromkeys(sources(row)):
                out.setdefault(clause, []).append(f"{form}/{id_}")
    for number, node in enumerate(ruleset.frame):
        for clause in dict.fromkeys(sources(node)):
            out.setdefault(clause, []).append(f"frame/{node.get('id', number)}")
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
    """Clause to the ids of the cases that test it: those that pass, or with `run=False` all that there are."""
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


def matrix(paths: Iterable[Path], clauses: Path | None = None, *, run: bool = True, jobs: int = 1) -> Matrix:
    """The matrix of rulesets with their variants, and of the tests that lie with them.

    Each path is the folder of a ruleset (variants below it count as well), or a file or folder with further tests alone.
    """
    out = Matrix()
    rows: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    files: dict[Path, str] = {}
    listed: list[Clause] = []
    if clauses is not None:
        listed, out.found = read_clauses(clauses)
    passages = {c.id: c.passages for c in listed}
    for path in paths:
        for folder in find_rulesets(path) if path.is_dir() else []:
            ruleset, found = load_ruleset(folder, keep_broken=True)
            out.found += [d for d in found if d.severity == "error"]
            if ruleset is None:
                continue
            here = [replace(d, file=(folder / d.file).resolve().as_posix()) for d in strayed(ruleset, passages)]
            out.strayed += [d for d in here if d not in out.strayed]
            for clause, ids in cited(ruleset).items():
                rows.setdefault(clause, []).extend(i for i in ids if i not in rows.get(clause, ()))
            for clause, ids in _positions(folder).items():
                rows.setdefault(clause, []).extend(i for i in ids if i not in rows.get(clause, ()))
            for row in ruleset.rows(EXCEPT).values():
                if "/" not in row["id"]:  # else it excuses a row from being played
                    reasons.setdefault(row["id"], str(row.get("reason", "")))
        files |= {file: file.as_posix() for file in find(path)}
    tests, found = tested(files.items(), run=run, jobs=jobs)
    out.found += found
    owners = Owners(listed)
    if clauses is None:
        ids = sorted({*rows, *tests, *reasons})
        out.clauses = {i: ClauseCoverage(i.partition(".")[0]) for i in ids}
    else:
        out.clauses = {c.id: ClauseCoverage(c.file) for c in listed if owners.of(c.id) == c.id}
    for kind, table in (("rows", rows), ("tests", tests)):
        for clause, who in table.items():
            entry = out.clauses.get(owners.of(clause))
            if entry is None:
                out.unknown.setdefault(clause, []).extend(who)
            else:
                have: list[str] = getattr(entry, kind)
                have.extend(w for w in who if w not in have)
    for clause, reason in reasons.items():
        entry = out.clauses.get(owners.of(clause))
        if entry is None:
            out.unknown.setdefault(clause, []).append(f"{EXCEPT}/{clause}")
        else:
            entry.reason = reason
    return out
