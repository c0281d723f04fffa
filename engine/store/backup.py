"""A copy of a database of games, taken while it is in use: what stood in it at one moment, in one file."""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from ..core.faults import BrokenGame, MachineError
from .database import PATIENCE, StoreError, fault_in_words
from .games import give_name


def copy_whole(source: Path, target: Path) -> None:
    """Copy a database to a file that is its owner's alone. Nobody waits for it; what is written meanwhile is
    not in it.

    StoreError if there is such a file already; MachineError, BrokenGame, and no file, where it cannot be
    copied.
    """
    half = target.with_name(f"{target.name}.{secrets.token_hex(8)}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(half, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with (
            closing(sqlite3.connect(source, timeout=PATIENCE)) as there,
            closing(sqlite3.connect(half)) as here,
        ):
            there.backup(here)
            found = here.execute("PRAGMA integrity_check").fetchone()[0]
            if found != "ok":
                raise BrokenGame(f"{source}: the file is damaged ({found}); take back an earlier copy of it")
        give_name(half, target)
    except FileExistsError:
        raise StoreError(f"{target} is there already") from None
    except sqlite3.Error as error:
        raise fault_in_words(
            DatabaseError(None, None, error), str(target.parent), f"{source} to {target}"
        ) from None
    except OSError as error:
        raise MachineError(f"{target}: no copy can be made here ({error.strerror or error})") from None
    finally:
        for path in target.parent.glob(f"{half.name}*"):
            path.unlink()
