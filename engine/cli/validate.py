"""`wteaw validate`: every error and warning in rulesets and scenarios."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import typer

from ..core.diagnostics import FORMATS, Diagnostic, has_errors, render, tidy
from ..game.report.mapview import drawing_faults
from ..game.scenario_files import load_scenario
from ..ruleset import load_ruleset
from ..ruleset.folder import MANIFEST, TABLE_FOLDERS, find_rulesets
from . import Code, Stop, formats

__all__ = ["find_inputs", "validate", "validate_paths"]

TESTS = "tests"


def validate(
    paths: list[Path] = typer.Argument(..., help="Folders of rulesets, scenario files, or folders with such in them."),
    format: str = typer.Option("text", help=f"How to show the findings: {', '.join(FORMATS)}."),
    strict: bool = typer.Option(False, "--strict", help="Warnings fail, too."),
    cache: bool = typer.Option(True, help="Use the compiled cache."),
) -> None:
    """Find every mistake at once, each at its file, line and column, with a suggestion.

    Rulesets below a path (variants) and scenario files are found by themselves. The exit code is 0 only if there are no
    errors.

    Example: wteaw validate ruleset scenarios
    """
    formats(format, *FORMATS)
    found = validate_paths(paths, cache=cache)
    shown = render(found, format)
    if shown:
        typer.echo(shown)
    if has_errors(found, strict=strict):
        raise typer.Exit(Code.FOUND)


def validate_paths(paths: list[Path], *, cache: bool = True) -> list[Diagnostic]:
    """All findings in all rulesets and scenarios at or below the paths; names of files as seen from here."""
    found: list[Diagnostic] = []
    for path in paths:
        if not path.exists():
            raise Stop(f"{path} does not exist", Code.CALL)
        rulesets, scenarios = find_inputs(path)
        if not rulesets and not scenarios:
            raise Stop(f"{path} holds neither a ruleset (a folder with {MANIFEST}) nor a scenario", Code.CALL)
        root = path if path.is_dir() else path.parent
        for folder in rulesets:
            found += _seen_from_here([*load_ruleset(folder, cache=cache, root=root)[1], *drawing_faults(folder)], folder)
        for file in scenarios:
            found += _seen_from_here(load_scenario(file, cache=cache, root=root)[2], file.parent)
    return tidy(found)


def find_inputs(path: Path) -> tuple[list[Path], list[Path]]:
    """The folders of rulesets and the files of scenarios that a path stands for."""
    if path.is_file():
        folder = _ruleset_of(path)
        return ([folder], []) if folder else ([], [path])
    rulesets = find_rulesets(path)
    if not rulesets and (folder := _ruleset_of(path)) is not None:
        return [folder], []
    scenarios = []
    for here, below, files in os.walk(path):
        folder = Path(here)
        below[:] = sorted(d for d in below if not d.startswith(".") and d != TESTS)
        if folder in rulesets:
            below[:] = [d for d in below if d not in TABLE_FOLDERS]
            continue
        if not rulesets or folder.name == "scenarios":
            scenarios += [folder / name for name in sorted(files) if name.endswith((".yaml", ".yml"))]
    return rulesets, scenarios


def _ruleset_of(path: Path) -> Path | None:
    """The ruleset that a manifest, a table or a folder of tables belongs to."""
    if path.name == MANIFEST:
        return path.parent
    for above in [path, *path.resolve().parents][:4]:
        if above.name in TABLE_FOLDERS and (above.parent / MANIFEST).is_file():
            return above.parent
    return None


def _seen_from_here(found: list[Diagnostic], folder: Path) -> list[Diagnostic]:
    return [replace(d, file=os.path.normpath(folder / d.file)) if d.file else d for d in found]
