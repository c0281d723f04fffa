"""Which files a ruleset consists of: the folder, and the folders it extends.

A ruleset may read only what lies in its own folder, and in the folders that it extends; these must lie in the
shipped data or beside or above the ruleset itself, and each must be a ruleset. Links that lead out are
refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core.diagnostics import Diagnostic
from ..core.package_data import data_root
from .load import read_file
from .nodes import Node, diagnose

MANIFEST = "ruleset.yaml"
TABLE_FOLDERS = ("tables", "events", "clauses")
MAP_FOLDER = "map"
"""Where a ruleset keeps what its map is drawn with."""
FORMAT = 1
"""The version of the ruleset format that this program reads; `docs/format.md` says what changed with each."""
KNOWN_FOLDERS = (*TABLE_FOLDERS, "tests", "variants", "scenarios", MAP_FOLDER)
SHIPPED = "data:"
"""`extends: data:PATH` names a ruleset under the shipped data."""
SUFFIXES = (".yaml", ".yml")
STRAY = "it stands in none of the folders of a ruleset's tables"
MAX_FILES = 2_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file: its name as findings show it (relative to the folder that was asked for), and its bytes."""

    name: str
    data: bytes


def find_rulesets(path: Path) -> list[Path]:
    """The folders at or below a path that hold a manifest, outermost first."""
    found = []
    for folder, below, files in os.walk(path):
        below[:] = sorted(d for d in below if not d.startswith(".") and d != "__pycache__")
        if MANIFEST in files:
            found.append(Path(folder))
    return found


def ruleset_above(path: Path) -> Path | None:
    """The nearest folder above a file that holds a manifest; its links resolved."""
    return next((above for above in path.resolve().parents if (above / MANIFEST).is_file()), None)


def name_of(path: Path, top: Path) -> str:
    return Path(os.path.relpath(path, top)).as_posix()


def read_folder(folder: Path, top: Path) -> tuple[list[SourceFile], list[Diagnostic]]:
    """The manifest and the tables of one folder, the manifest first; what cannot be read, and what is passed
    over.
    """
    files: list[SourceFile] = []
    found: list[Diagnostic] = []
    real = folder.resolve()
    for path in _paths(folder):
        name = name_of(path, top)
        # a link to itself has no end: `read_file` says so
        if not Path(os.path.realpath(path)).is_relative_to(real):
            found.append(Diagnostic("E117", "error", "a link that leads out of the ruleset's folder", name))
            continue
        if len(files) >= MAX_FILES:
            found.append(Diagnostic("E102", "error", f"more than {MAX_FILES:,} files in one ruleset", name))
            break
        data, why_not = read_file(path, name)
        found += why_not
        if not why_not:
            files.append(SourceFile(name, data))
    found += [
        Diagnostic(
            "W121",
            "warning",
            f"this file is not read: {'its ending is in capitals' if _in_capitals(path) else STRAY}",
            name_of(path, top),
            hint=f"call it {path.stem}{path.suffix.lower()}"
            if _in_capitals(path)
            else f"move it to {' or '.join(TABLE_FOLDERS)}",
        )
        for path in _strays(folder)
    ]
    return files, found


def format_fault(manifest: Node) -> list[Diagnostic]:
    """What is wrong with the version of the format that a ruleset says it is written in; it is 1 if it says
    none.
    """
    node = manifest.get("format")
    # a wrong type is the schema check's finding
    if node is None or type(node.value) is not int or node.value == FORMAT:
        return []
    if node.value > FORMAT:
        hint = "a later version of wteaw reads it: pip install --upgrade wteaw"
    else:
        hint = "docs/format.md says what to change; then say here which format it has"
    message = (
        f"the ruleset is written in format {node.value}, and this version of wteaw reads format {FORMAT}"
    )
    return [diagnose("E122", message, node, hint=hint)]


def base_folder(manifest: Node, folder: Path, root: Path | None) -> tuple[Path | None, list[Diagnostic]]:
    """The folder that a ruleset extends, or None; and why it may not be read."""
    node = manifest.get("extends")
    if node is None or not isinstance(node.value, str):  # a wrong type is the schema check's finding
        return None, []
    given = node.value
    hint = f"a path from this folder, such as `../..`, or `{SHIPPED}PATH` for a shipped ruleset"
    if given.startswith(SHIPPED):
        target = data_root() / given.removeprefix(SHIPPED).strip("/")
    elif "\0" in given or Path(given).is_absolute() or "\\" in given:
        return None, [diagnose("E118", f"{given!r} is not a relative path", node, hint=hint)]
    else:
        target = folder / given
    try:
        target = target.resolve()
    except (OSError, RuntimeError):
        return None, [diagnose("E118", f"{given!r} cannot be followed", node)]
    if not any(target.is_relative_to(place) for place in _allowed(folder, root)):
        message = f"{given!r} leads out of the folders that this ruleset may read"
        return None, [diagnose("E117", message, node, hint="extend a folder beside or above this one")]
    if not (target / MANIFEST).is_file():
        return None, [diagnose("E118", f"{given!r} is not a ruleset: it has no {MANIFEST}", node, hint=hint)]
    return target, []


def _allowed(folder: Path, root: Path | None) -> Iterator[Path]:
    """The shipped data, the caller's folder, and the outermost ruleset around this one with its neighbors."""
    yield data_root().resolve()
    if root is not None:
        yield root.resolve()
    outermost = folder = folder.resolve()
    for above in list(folder.parents)[:6]:
        if (above / MANIFEST).is_file():
            outermost = above
    if outermost.parent != outermost.parent.parent:  # never the root of the disk
        yield outermost.parent


def _paths(folder: Path) -> Iterator[Path]:
    manifest = folder / MANIFEST
    if manifest.is_file():
        yield manifest
    for name in TABLE_FOLDERS:
        yield from yaml_files(folder / name)


def yaml_files(folder: Path) -> Iterator[Path]:
    """The YAML files at or below a folder, sorted in each, without hidden files and folders."""
    for here, below, files in os.walk(folder):
        below[:] = sorted(d for d in below if not d.startswith("."))
        for name in sorted(files):
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield Path(here) / name


def _strays(folder: Path) -> Iterator[Path]:
    """YAML files that a designer may believe are read."""
    for entry in sorted(folder.iterdir()):
        if entry.is_file() and entry.suffix.lower() in SUFFIXES and entry.name != MANIFEST:
            yield entry
        elif (
            entry.is_dir()
            and not entry.is_symlink()
            and entry.name not in KNOWN_FOLDERS
            and not entry.name.startswith(".")
        ) and not (entry / MANIFEST).is_file():
            yield from yaml_files(entry)
        elif entry.name in TABLE_FOLDERS:
            yield from (path for path in sorted(entry.rglob("*")) if _in_capitals(path))


def _in_capitals(path: Path) -> bool:
    """Whether a file would be read if its ending were in small letters."""
    return path.suffix not in SUFFIXES and path.suffix.lower() in SUFFIXES
