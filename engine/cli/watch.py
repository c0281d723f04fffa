"""`--watch`: look at files again whenever one of them changes, at nothing more than the change touches, until
Ctrl-C.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import typer

from ..ruleset.compile import read_layers
from ..ruleset.folder import MANIFEST, MAP_FOLDER, TABLE_FOLDERS, ruleset_above
from . import ExitCode, Stop
from .terminal import raw

SUFFIXES = (".yaml", ".yml", ".json")
SOURCES = (MANIFEST, *TABLE_FOLDERS, MAP_FOLDER)
CLEAR = "\x1b[2J\x1b[3J\x1b[H"
QUIET = 100
"""Milliseconds without a further change before files are looked at: editors and version control write several
at once.
"""
ASKED = 250
"""Milliseconds after which the watcher comes back with nothing; from its first answer on no change is
missed.
"""

Result = TypeVar("Result")


class Watched(Generic[Result]):
    """Something that is looked at by itself: its `own` file or folder, the ruleset that it depends on, and
    what came of it.

    A ruleset depends on the tables and the map of all its layers; a scenario and rule tests on scenarios,
    too, which may extend others or be started from. Rule tests touch only themselves.
    """

    def __init__(self, own: Path, ruleset: Path | None) -> None:
        self.own = own.resolve()
        self.sources = SOURCES if ruleset is not None and own == ruleset else (*SOURCES, "scenarios")
        self.folders = (
            {folder.resolve() for folder, _ in read_layers(ruleset).layers} if ruleset is not None else set()
        )
        self.result: Result | None = None

    def touched(self, path: Path) -> bool:
        """Whether a changed file may change what comes of this part."""
        if path == self.own:
            return True
        folder = ruleset_above(path)
        if folder is None:
            return "scenarios" in self.sources
        return (folder in self.folders or not self.folders) and path.relative_to(folder).parts[
            0
        ] in self.sources


class Watch(Generic[Result]):
    """Looks at parts whenever their files change.

    `find` gives the parts as they are now, by a key; `look` what comes of some of them; `show` prints all
    results in the parts' order and says whether nothing is wrong.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        find: Callable[[], dict[str, Watched[Result]]],
        look: Callable[[list[str]], Iterable[Result]],
        show: Callable[[list[Result]], bool],
    ) -> None:
        self.roots = [root.resolve() for root in roots]
        self.find, self.look, self.show = find, look, show
        self.parts: dict[str, Watched[Result]] = {}
        self.right = True

    def run(self) -> None:
        """Look once, then after every change. Ends at Ctrl-C, with the code for what was last found."""
        try:
            from watchfiles import watch  # an extra
        except ModuleNotFoundError as missing:
            raise Stop(
                f"--watch needs {missing.name}: pip install 'wteaw[watch]'", ExitCode.MACHINE
            ) from None
        try:
            again = True
            while again:
                watched = self._watched()
                begun = False
                for changes in watch(
                    *watched,
                    watch_filter=_matters,
                    debounce=2_000,
                    step=QUIET,
                    rust_timeout=ASKED,
                    yield_on_timeout=True,
                ):
                    if begun and not changes:
                        continue
                    self._once(
                        [Path(path).resolve() for _, path in changes] if self.parts and begun else None
                    )
                    begun = True
                    again = self._watched() != watched
                    if again:
                        break
                else:
                    again = False
        except KeyboardInterrupt:
            pass
        typer.echo("", err=True)
        if not self.right:
            raise typer.Exit(ExitCode.FOUND)

    def _watched(self) -> list[Path]:
        """The outermost folders in which files matter."""
        places = {root if root.is_dir() else root.parent for root in self.roots}
        for part in self.parts.values():
            places |= {part.own if part.own.is_dir() else part.own.parent, *part.folders}
        return sorted(p for p in places if p.is_dir() and not any(other in p.parents for other in places))

    def _once(self, changed: list[Path] | None) -> None:
        """Look at whatever the changed files touch; at everything where they are not given."""
        began = time.monotonic()
        found = self.find()
        for key, part in found.items():
            old = self.parts.get(key)
            if (
                changed is not None
                and old is not None
                and not any(old.touched(p) or part.touched(p) for p in changed)
            ):
                part.result = old.result
        todo = [key for key, part in found.items() if part.result is None]
        for key, result in zip(todo, self.look(todo), strict=True):
            found[key].result = result
        self.parts = found
        if sys.stdout.isatty():
            raw(sys.stdout).write(CLEAR)
        self.right = self.show([part.result for part in found.values() if part.result is not None])
        now = time.strftime("%H:%M:%S")
        what = f"{len(todo)} of {len(found)} looked at in {time.monotonic() - began:.1f} s"
        why = f"{', '.join(sorted({p.name for p in changed})[:3])} changed; " if changed else ""
        print(f"{now}  {why}{what}; waiting for changes, Ctrl-C ends", flush=True)


def _matters(change: object, path: str) -> bool:
    """Whether a file can be one that is looked at: no folder of version control, no file that an editor keeps
    for itself.
    """
    found = Path(path)
    return found.suffix in SUFFIXES and not any(part.startswith((".", "__")) for part in found.parts[-4:])
