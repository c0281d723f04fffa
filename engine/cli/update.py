"""`wteaw test --update`: what was got, written into failing cases after asking."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..testing.cases import Case
from . import ExitCode, Stop
from .terminal import Working, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..testing.update import Proposal

__all__ = ["update_files"]

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
