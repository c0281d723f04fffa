"""`wteaw validate`: every error and warning in rulesets and scenarios."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import typer

from ..core.diagnostics import FORMATS, Diagnostic, has_errors, render, tidy
from ..play.scenario_files import load_scenario, read_scenario, ruleset_folder
from ..ruleset import cache as shelf
from ..ruleset import load_ruleset
from ..ruleset.compile import RulesetsRead, key_of_files
from ..ruleset.folder import MANIFEST, MAP_FOLDER, TABLE_FOLDERS, find_rulesets, name_of
from ..ruleset.forms import forms
from ..testing.cases import FOLDER
from . import ExitCode, Stop
from .terminal import each, say


def validate(
    paths: list[Path] = typer.Argument(
        ..., help="Folders of rulesets, scenario files, or folders with such in them."
    ),
    format: str = typer.Option("text", help=f"How to show the findings: {', '.join(FORMATS)}."),
    strict: bool = typer.Option(False, "--strict", help="Warnings fail, too."),
    cache: bool = typer.Option(True, help="Use the compiled cache."),
    watch: bool = typer.Option(False, "--watch", help="Look again whenever a file changes, until Ctrl-C."),
) -> None:
    """Find every mistake at once, each at its file, line and column, with a suggestion.

    Rulesets below a path (variants), their rule tests and scenario files are found by themselves. The exit
    code is 0 only if there are no errors.

    Example: wteaw validate ruleset scenarios
    """
    if watch:
        if format != "text":
            raise Stop("--watch shows text; leave out --format", ExitCode.CALL)
        _watch(paths, strict=strict, cache=cache)
        return
    found = validate_paths(paths, cache=cache)
    shown = render(found, format)
    if shown:
        (say if format == "text" else typer.echo)(shown)
    if has_errors(found, strict=strict):
        raise typer.Exit(ExitCode.FOUND)


def _watch(paths: list[Path], *, strict: bool, cache: bool) -> None:
    from .watch import Watch, Watched

    known: dict[str, _Input] = {}

    def find() -> dict[str, Watched[list[Diagnostic]]]:
        known.clear()
        known.update({str(one.path): one for one in _inputs(paths)})
        return {key: Watched(one.path, one.ruleset()) for key, one in known.items()}

    def look(keys: list[str]) -> Iterator[list[Diagnostic]]:
        return (known[key].findings(cache=cache) for key in keys)

    def show(results: list[list[Diagnostic]]) -> bool:
        found = tidy([d for result in results for d in result])
        say(render(found, "text"))
        return not has_errors(found, strict=strict)

    Watch(paths, find, look, show).run()


def validate_paths(paths: list[Path], *, cache: bool = True) -> list[Diagnostic]:
    """All findings in all rulesets and scenarios at or below the paths; names of files as seen from here."""
    done = RulesetsRead()
    inputs = list(_inputs(paths))
    looked_at = {one.path.resolve() for one in inputs if not one.scenario}
    found = []
    for one in each(inputs, "rulesets and scenarios"):
        below = one.ruleset() if one.scenario else None
        # what is wrong with its ruleset is told there
        told = below is not None and below.resolve() in looked_at
        found += [d for d in one.findings(cache=cache, done=done) if not (told and d.code == "E409")]
    return tidy(found)


@dataclass(frozen=True)
class _Input:
    """A ruleset's folder or a scenario's file, found below `root`."""

    path: Path
    root: Path
    scenario: bool = False

    def findings(self, *, cache: bool, done: RulesetsRead | None = None) -> list[Diagnostic]:
        """All that is found in it, kept for the texts that it is made of."""
        done = done or RulesetsRead()
        made_of = self._made_of(done) if cache else ()
        found = shelf.findings(made_of, lambda: self._found(cache, done), cache=cache)
        return _seen_from_here(found, self.path.parent if self.scenario else self.path)

    def _made_of(self, done: RulesetsRead) -> Iterator[str | bytes]:
        """What decides what is found in it, besides the program: where it lies, and the text of every file
        that is read for it.
        """
        yield from ("input", str(self.path.resolve()))
        folder: Path | None = self.path
        if self.scenario:
            folder, found, texts = self._read
            yield from (part for name, text in texts.items() for part in (name, text))
            yield repr(found)
        else:
            for below in (FOLDER, MAP_FOLDER):
                for path in sorted((self.path / below).rglob("*")):
                    if path.is_file():
                        yield from (name_of(path, self.path), path.read_bytes())
        if folder is not None:
            yield key_of_files(done.layers(folder, self.root), forms())

    def _found(self, cache: bool, done: RulesetsRead) -> list[Diagnostic]:
        if self.scenario:
            return load_scenario(self.path, cache=cache, root=self.root, done=done)[2]
        # start-up time: they bring what draws maps and plays tests, for findings that are mostly kept
        from ..report.map_faults import drawing_faults
        from ..testing.check import faults_of_tests
        from ..testing.equivalent import faults_of_marks

        ruleset, found = load_ruleset(self.path, cache=cache, root=self.root, done=done)
        found = [*found, *drawing_faults(self.path, ruleset, cache=cache)]
        if ruleset is not None and self.path.is_dir():
            found += faults_of_tests(self.path, ruleset, cache=cache)
            found += faults_of_marks(self.path, ruleset, cache=cache)
        return found

    def ruleset(self) -> Path | None:
        """The folder of the ruleset that it is, or is of."""
        return self._read[0] if self.scenario else self.path

    @cached_property
    def _read(self) -> tuple[Path | None, list[Diagnostic], dict[str, bytes]]:
        """Of a scenario the folder of its ruleset, what is wrong with the text, and the text of each file."""
        node, found, texts = read_scenario(self.path)
        folder, wrong = ruleset_folder(node, self.path.parent) if node is not None else (None, [])
        return folder, [*found, *wrong], texts


def _inputs(paths: list[Path]) -> Iterator[_Input]:
    """What there is to validate at or below the paths."""
    for path in paths:
        if not path.exists():
            raise Stop(f"{path} does not exist", ExitCode.CALL)
        rulesets, scenarios = find_inputs(path)
        if not rulesets and not scenarios:
            raise Stop(
                f"{path} holds neither a ruleset (a folder with {MANIFEST}) nor a scenario", ExitCode.CALL
            )
        root = path if path.is_dir() else path.parent
        yield from (_Input(folder, root) for folder in rulesets)
        yield from (_Input(file, root, scenario=True) for file in scenarios)


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
        below[:] = sorted(d for d in below if not d.startswith(".") and d != FOLDER)
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
    # told as it was given, where that leads there
    for above in [path, *path.parents, *path.resolve().parents[:3]]:
        if above.name in TABLE_FOLDERS and (above.parent / MANIFEST).is_file():
            return above.parent
    return None


def _seen_from_here(found: list[Diagnostic], folder: Path) -> list[Diagnostic]:
    return [replace(d, file=os.path.normpath(folder / d.file)) if d.file else d for d in found]
