"""`wteaw test`: the rule tests of a ruleset, or of a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import typer

from ..core.package_data import rulesets
from ..game.testing.cases import Case, find
from ..game.testing.report import FORMATS, render
from ..game.testing.runner import run_files
from . import Code, Stop, formats

__all__ = ["test", "test_files"]


def test(
    paths: list[Path] = typer.Argument(
        None, help="Folders of rulesets, folders of tests, or files of tests (default: the shipped ruleset)."
    ),
    format: str = typer.Option("text", help=f"How to show the results: {', '.join(FORMATS)}."),
    k: str = typer.Option("", "-k", help="Only cases whose id or title contains this text."),
    clause: str = typer.Option("", help="Only cases that cite this clause, or one that begins so."),
    show: bool = typer.Option(False, "--show", help="Print the journal of every case chosen."),
    jobs: int = typer.Option(1, "-j", min=1, help="How many processes share the files."),
) -> None:
    """Run rule tests: given, orders, dice, then.

    A failure shows what was expected, what was got, and the lines of the journal behind it with the file and line of each
    rule. The exit code is 0 only if every case passes. The format of the files is described in `ruleset/tests/README.md`.

    Example: wteaw test ruleset -k influence
    """
    formats(format, *FORMATS)
    files = test_files(paths or [rulesets()])
    run = run_files(files, choose=Choice(k.casefold(), clause), show=show, jobs=jobs)
    if not run.results and run.ok and (k or clause):
        raise Stop("no case fits", Code.CALL)
    typer.echo(render(run, format, show=show))
    if not run.ok:
        raise typer.Exit(Code.FOUND)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which cases to run: a text in id or title, and the start of a clause's id."""

    text: str = ""
    clause: str = ""

    def __call__(self, case: Case) -> bool:
        if self.text and self.text not in case.id.casefold() and self.text not in case.title.casefold():
            return False
        return not self.clause or any(c.startswith(self.clause) for c in case.clauses)


def test_files(paths: list[Path]) -> list[tuple[Path, str]]:
    """The files of tests that paths stand for, each with its name as seen from here."""
    files = []
    for path in paths:
        if not path.exists():
            raise Stop(f"{path} does not exist", Code.CALL)
        for file in find(path):
            name = os.path.relpath(file)
            files.append((file, file.as_posix() if name.startswith("..") else Path(name).as_posix()))
    if not files:
        raise Stop(f"no rule tests in {', '.join(map(str, paths))}: YAML files in a folder called `tests`", Code.CALL)
    return files
