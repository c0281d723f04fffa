"""Compiled rulesets, parsed files, findings and the throws of games, kept between runs.

An entry is a file of canonical JSON under a name that is a hash of all it was made from, after a first line
with the hash of the body. A broken or foreign entry is as good as none; a cache that cannot be written is
done without. Writing is atomic (a temporary file renamed), so that runs at the same time never see half an
entry.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..core.canonical import dumps, loads
from ..core.diagnostics import Diagnostic
from ..core.whole_files import write_whole

KEEP = {"files": 3_000, "throws": 3_000}
OF_OTHERS = 600
"""Entries kept in one shelf, those that were written last; of small ones more, for a library has hundreds of
files, and each text that one of them has had is an entry.
"""
NOT_PLAYED_BY = ("cli/", "web/", "editor/", "report/", "rulebook/", "testing/")
_PACKAGE = Path(__file__).resolve().parents[1]


def cache_folder() -> Path:
    """`$WTEAW_CACHE`, else `wteaw` under `$XDG_CACHE_HOME`, else under `~/.cache`."""
    if given := os.environ.get("WTEAW_CACHE"):
        return Path(given)
    above = os.environ.get("XDG_CACHE_HOME")
    return (Path(above) if above else Path.home() / ".cache") / "wteaw"


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Of the program's own files that decide what is made of a ruleset."""
    return _digest_of(name for name in _own_files() if name.startswith(("core/", "ruleset/")))


@lru_cache(maxsize=1)
def player_digest() -> str:
    """Of the program's own files that decide how a game goes: all but those that show games, serve them or
    test rules.
    """
    return _digest_of(name for name in _own_files() if not name.startswith(NOT_PLAYED_BY))


@lru_cache(maxsize=1)
def reader_digest() -> str:
    """Of the program's own files that decide what tree the text of a file gives, and how a tree is kept."""
    return _digest_of(f"ruleset/{name}.py" for name in ("load", "nodes", "refused", "tree"))


@lru_cache(maxsize=1)
def _program_digest() -> str:
    """Of all of the program's own files."""
    return _digest_of(_own_files())


def _own_files() -> Iterator[str]:
    return (path.relative_to(_PACKAGE).as_posix() for path in sorted(_PACKAGE.rglob("*.py")))


def _digest_of(names: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode() + b"\0" + hashlib.sha256((_PACKAGE / name).read_bytes()).digest())
    return digest.hexdigest()


def key_of(parts: Iterable[str | bytes]) -> str:
    """One name for many parts; no two different lists of parts share it."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def read(shelf: str, key: str) -> Any | None:
    """The entry, or None."""
    try:
        head, _, body = (cache_folder() / shelf / f"{key}.json").read_bytes().partition(b"\n")
        if head.decode("ascii") != hashlib.sha256(body).hexdigest():
            return None
        return loads(body)
    except (OSError, ValueError, RuntimeError):
        return None


def write(shelf: str, key: str, value: Any) -> None:
    """Keep an entry if that is possible."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = cache_folder() / shelf
        folder.mkdir(parents=True, exist_ok=True)
        body = dumps(value)
        write_whole(folder / f"{key}.json", hashlib.sha256(body).hexdigest().encode("ascii") + b"\n" + body)
        _prune(folder, KEEP.get(shelf, OF_OTHERS))


def findings(
    parts: Iterable[str | bytes], find: Callable[[], Iterable[Diagnostic]], *, cache: bool = True
) -> list[Diagnostic]:
    """What `find` finds, kept for all that decides it: `parts`, and the program itself. Without `cache` it is
    found again.
    """
    if not cache:
        return list(find())
    key = key_of([_program_digest(), *parts])
    kept = read("findings", key)
    if isinstance(kept, list):
        with contextlib.suppress(KeyError, TypeError, ValueError):
            return [Diagnostic.from_json(d) for d in kept]
    found = list(find())
    write("findings", key, [d.to_json() for d in found])
    return found


def _prune(folder: Path, most: int) -> None:
    entries = list(folder.glob("*.json"))
    if len(entries) <= most:
        return

    def age(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0

    for path in sorted(entries, key=age)[: len(entries) - most // 2]:
        with contextlib.suppress(OSError):
            path.unlink()
