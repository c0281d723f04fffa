"""The rule tests of a row, found by the clauses that it cites, and run from the editor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wteaw.ruleset.clauses import sources
from wteaw.ruleset.nodes import plain_value
from wteaw.testing.cases import Case, find
from wteaw.testing.runner import Result, run_files

from .project import Project

__all__ = ["Lens", "lenses", "run"]


@dataclass(frozen=True, slots=True)
class Lens:
    """A row with tests: its line, how many cite its clauses, and the clauses."""

    line: int
    tests: int
    clauses: tuple[str, ...]


def lenses(project: Project, path: Path, tested: dict[str, int]) -> list[Lens]:
    """The rows of a file that cite clauses, each with the number of its tests."""
    tree = project.tree(path)
    out = []
    for _, rows in tree.items() if tree is not None else ():
        for row in rows.members():
            if clauses := tuple(dict.fromkeys(sources(plain_value(row)))):
                out.append(Lens(row.line, sum(tested.get(c, 0) for c in clauses), clauses))
    return out


def run(folder: Path, clauses: tuple[str, ...]) -> list[Result]:
    """The results of the rule tests of a ruleset, as its files stand on disk, that cite one of the
    clauses.
    """

    def chosen(case: Case) -> bool:
        return not set(clauses).isdisjoint(case.clauses)

    return run_files([(path, path.as_posix()) for path in find(folder)], choose=chosen).results
