"""`wteaw test`: rule tests are run; with `--update` what was got is written into those that fail."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..core.package_data import rulesets
from ..testing.cases import Case, read
from ..testing.cases import find as found_at
from ..testing.report import FORMATS, render
from ..testing.runner import Run, joined, run_each, run_files
from . import ExitCode, Stop
from .terminal import Working, say

if TYPE_CHECKING:
    from ..testing.update import Proposal


def test(
    paths: list[Path] = typer.Argument(
        None, help="Folders of rulesets, folders of tests, or files of tests (default: the shipped ruleset)."
    ),
    format: str = typer.Option("text", help=f"How to show the results: {', '.join(FORMATS)}."),
    k: str = typer.Option("", "-k", help="Only cases whose id or title contains this text."),
    clause: str = typer.Option("", help="Only cases that cite this clause, or one that begins so."),
    show: bool = typer.Option(False, "--show", help="Print the journal of every case chosen."),
    jobs: int = typer.Option(1, "-j", min=1, help="How many processes share the files."),
    watch: bool = typer.Option(
        False, "--watch", help="Run again what a change of files touches, until Ctrl-C."
    ),
    update: bool = typer.Option(
        False, "--update", help="Write what was got into cases that fail, after asking for each."
    ),
    yes: bool = typer.Option(False, "--yes", help="With --update: write without asking."),
) -> None:
    """Run rule tests: given, orders, dice, then.

    A failure shows what was expected, what was got, and the lines of the journal behind it with the file and
    line of each rule. The exit code is 0 only if every case passes. With --update, a failing case gets what
    came of it, where that can be
    said: its comments and layout stay, and cases that pass are never touched. The format of the files is
    described in `ruleset/tests/README.md`.

    Example: wteaw test ruleset -k influence
    """
    if (watch or update) and format != "text":
        raise Stop(f"{'--watch' if watch else '--update'} shows text; leave out --format", ExitCode.CALL)
    if (watch and update) or (yes and not update):
        raise Stop(
            "--watch and --update exclude each other" if watch else "--yes belongs to --update", ExitCode.CALL
        )
    if watch:
        _watch(paths or [rulesets()], CaseFilter(k.casefold(), clause), show=show, jobs=jobs)
        return
    if update:
        update_files(test_files(paths or [rulesets()]), CaseFilter(k.casefold(), clause), yes=yes)
        return
    files = test_files(paths or [rulesets()])
    with Working("files of rule tests", len(files)) as working:
        run = run_files(
            files, choose=CaseFilter(k.casefold(), clause), show=show, jobs=jobs, progress=working.at
        )
    if not run.results and run.ok and (k or clause):
        raise Stop("no case fits", ExitCode.CALL)
    (say if format == "text" else typer.echo)(render(run, format, show=show))
    if not run.ok:
        raise typer.Exit(ExitCode.FOUND)


def _watch(paths: list[Path], choose: CaseFilter, *, show: bool, jobs: int) -> None:
    from .watch import Watch, Watched

    files: dict[str, tuple[Path, str]] = {}

    def find() -> dict[str, Watched[Run]]:
        files.clear()
        files.update({name: (path, name) for path, name in test_files(paths)})
        return {name: Watched(path, read(path, name).ruleset) for path, name in files.values()}

    def look(names: list[str]) -> Iterator[Run]:
        return run_each([files[name] for name in names], choose=choose, show=show, jobs=jobs)

    def told(runs: list[Run]) -> bool:
        whole = joined(runs)
        say(render(whole, show=show))
        return whole.ok

    Watch(paths, find, look, told).run()


@dataclass(frozen=True, slots=True)
class CaseFilter:
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
            raise Stop(f"{path} does not exist", ExitCode.CALL)
        for file in found_at(path):
            name = os.path.relpath(file)
            files.append((file, file.as_posix() if name.startswith("..") else Path(name).as_posix()))
    if not files:
        raise Stop(
            f"no rule tests in {', '.join(map(str, paths))}: YAML files in a folder called `tests`",
            ExitCode.CALL,
        )
    return files


# ---- what was got, written into cases

ANSWERS = "[y]es, [n]o, [a]ll, [q]uit"


def update_files(files: Sequence[tuple[Path, str]], choose: Callable[[Case], bool], *, yes: bool) -> None:
    """Go through the failing cases of files, show for each what would be written, ask, and write.

    Ends with the code for findings if a case still fails.
    """
    from ..testing.update import ChangedMeanwhile, Declined, proposals, write

    if not yes and not sys.stdin.isatty():
        raise Stop(
            "--update asks for every case; where nobody answers, --yes writes without asking", ExitCode.CALL
        )
    written = left = 0
    with Working("files of rule tests", len(files)) as working:
        for number, (path, name) in enumerate(files, 1):
            for found in proposals(path, name, choose):
                working.hide()
                say(f"{found.where}: failed: {found.id}{f' - {found.title}' if found.title else ''}")
                if isinstance(found, Declined):
                    say(f"    nothing is written: {found.why}\n")
                    left += 1
                    continue
                say(_shown(found))
                answer = "y" if yes else _answer()
                yes = yes or answer == "a"
                if answer in ("y", "a"):
                    try:
                        write(path, found)
                    except ChangedMeanwhile as error:
                        raise Stop(str(error)) from None
                    written += 1
                else:
                    left += 1
                if answer == "q":
                    _end(written, left, "; stopped before the rest")
            working.at(number)
    _end(written, left)


def _end(written: int, left: int, more: str = "") -> None:
    say(
        f"{written} case{'s' if written != 1 else ''} written, {left} still failing{more}"
        if written or left
        else "every case passes"
    )
    raise typer.Exit(ExitCode.FOUND if left or more else ExitCode.DONE)


def _shown(found: Proposal) -> str:
    lines = []
    for change in found.changes:
        lines += [
            f"    {change.where}: {change.what}",
            f"      expected  {change.old}",
            f"      got       {change.new}",
        ]
    return "\n".join(lines)


def _answer() -> str:
    while True:
        try:
            said = input(f"    write it? {ANSWERS}: ").strip().casefold()[:1]
        except EOFError:
            return "q"
        if said in ("y", "n", "a", "q"):
            return said
