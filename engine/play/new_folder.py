"""A folder that is made whole or not at all: filled beside its place, and moved there when everything is in
it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..core.package_data import schemas
from ..ruleset.folder import MANIFEST

SCHEMAS = ".schemas"
"""Where a new ruleset keeps the schemas that its files name, so that it can be moved and shared."""


class FolderError(ValueError):
    """A folder that cannot be made, or may not be replaced; the message says why and what would do."""


def may_write(out: Path, *, force: bool) -> None:
    """FolderError if the folder is there already and may not be replaced: only an empty one or a ruleset ever
    is.
    """
    if not os.path.lexists(out):
        return
    if not out.is_dir() or out.is_symlink():
        raise FolderError(f"{out} is there already, and is no folder")
    if not any(out.iterdir()):
        return
    if not force:
        raise FolderError(f"{out} is there already; `--force` replaces it, another folder leaves it")
    if not (out / MANIFEST).is_file():
        raise FolderError(f"{out} is no ruleset (it has no {MANIFEST}), so it is not replaced")


def put_schemas(folder: Path) -> None:
    """Lay the schemas of this version beside a ruleset's files, for editors that understand JSON Schema."""
    (folder / SCHEMAS).mkdir()
    for file in sorted(schemas().glob("*.schema.json")):
        (folder / SCHEMAS / file.name).write_bytes(file.read_bytes())


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A folder to fill, which takes the place of `out` when the block ends well; else nothing is left, and
    `out` is as it was.

    FolderError where the system does not let it be made or written. Whether it may be replaced, `may_write`
    says.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise FolderError(f"{out}: cannot be made: {error.strerror}") from None
    try:
        yield work
        work.chmod(0o755)
        _put_in_place(work, out)
    except OSError as error:
        raise FolderError(f"{out}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _put_in_place(work: Path, out: Path) -> None:
    """Rename the finished folder; what stood there goes only when the new one stands."""
    old = None
    if os.path.lexists(out):
        old = Path(tempfile.mkdtemp(prefix=f".{out.name}-old-", dir=out.parent))
        out.rename(old / out.name)
    try:
        work.rename(out)
    except OSError:
        if old is not None:
            (old / out.name).rename(out)
        raise
    finally:
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)
