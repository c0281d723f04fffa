"""`wteaw format`: one layout for all tables, scenarios and rule tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import typer

from ..core.diagnostics import Diagnostic, render
from ..core.whole_files import write_whole
from ..ruleset.folder import yaml_files
from ..ruleset.layout import CannotBeLaidOut, laid_out
from ..ruleset.load import decode, read_file
from ..ruleset.refused import UnreadableText
from . import ExitCode, Stop, tell
from .terminal import each


def format_(
    paths: list[Path] = typer.Argument(
        None, help="YAML files, or folders with such in them; without any, this folder."
    ),
    check: bool = typer.Option(
        False, "--check", help="Write nothing; name the files that are not in the layout, and fail."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Write YAML tables, scenarios and rule tests in the one layout; data and comments stay as they are.

    A row is a flow map where that fits into 100 columns, else a block; what it is comes first, where it comes
    from last; long texts are broken at words. A second run changes nothing.

    Example: wteaw format ruleset scenarios
    """
    found: list[Diagnostic] = []
    changed: list[str] = []
    files = list(tables_below(paths or [Path()]))
    for file in each(files, "files"):
        name = os.path.normpath(file)
        try:
            new = _other_layout(file, name)
        except UnreadableText as refused:
            found.append(refused.at(name))
            continue
        except CannotBeLaidOut as fault:
            found.append(Diagnostic("E106", "error", f"left as it is: {fault}", name))
            continue
        if new is not None:
            changed.append(name)
            if not check:
                write_whole(file, new)
    lines = [f"{name}: {'not in the layout' if check else 'written in the layout'}" for name in changed]
    lines += [render(found, "text")] if found else []
    many = f"{len(files)} {'file' if len(files) == 1 else 'files'}"
    lines.append(f"{many}, {len(changed)} {'to be written' if check else 'written'}")
    tell(format, {"files": len(files), "changed": changed, "left": [d.to_json() for d in found]}, *lines)
    if found or (check and changed):
        raise typer.Exit(ExitCode.FOUND)


def _other_layout(file: Path, name: str) -> bytes | None:
    """What a file has to be; None if it is that. UnreadableText, CannotBeLaidOut."""
    data, faults = read_file(file, name)
    if faults:
        raise Stop(f"{name}: {faults[0].message}", ExitCode.MACHINE)
    new = laid_out(decode(data), name).encode()
    return new if new != data else None


def tables_below(paths: list[Path]) -> Iterator[Path]:
    """The YAML files that paths stand for; in folders, those that are not hidden."""
    for path in paths:
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from yaml_files(path)
        else:
            raise Stop(f"{path} does not exist", ExitCode.CALL)
