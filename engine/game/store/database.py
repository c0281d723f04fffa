"""The database of a game: how it is opened, how its faults are told, and how rulesets and states are kept in it."""

from __future__ import annotations

import hashlib
import shutil
import zlib
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, create_engine, event, select
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DatabaseError

from ...core import canonical
from ...core.faults import BrokenGame, MachineError
from ...core.faults import StoreError as StoreError
from ...core.model import Ruleset
from ...core.state import State
from .schema import games, rulesets, states


def fault_in_words(error: DatabaseError, folder: str) -> StoreError:
    """A fault of the database as one sentence for whoever asked."""
    what = str(error.orig or error)
    if "I/O error" in what and _is_full(folder):
        what = "disk is full"
    for part, kind, words in _FAULTS:
        if part in what:
            return kind(f"{folder}: {words}")
    return MachineError(f"{folder}: the game's database does not answer ({what})")


def _is_full(folder: str) -> bool:
    """Whether the disk that holds a game has no room for another page of it."""
    try:
        return shutil.disk_usage(folder).free < 65_536
    except OSError:
        return False


_FAULTS: tuple[tuple[str, type[StoreError], str], ...] = (
    ("disk is full", MachineError, "the disk is full; nothing was changed"),
    ("readonly", MachineError, "the folder cannot be written to; nothing was changed"),
    ("unable to open", MachineError, "the game's file cannot be opened; may it be read and written?"),
    ("not a database", BrokenGame, "the game's file is damaged; take back a copy of it"),
    ("malformed", BrokenGame, "the game's file is damaged; take back a copy of it"),
    ("locked", StoreError, "somebody else is changing the game; try again in a moment"),
    ("no such table", BrokenGame, "the game's file is damaged or not a game; take back a copy of it"),
)
"""Part of a database's message -> what kind of fault it is, and what it means for the user."""


PATIENCE = 20
"""Seconds for which a writer waits for another."""
MOST_CONNECTIONS = 40
"""That one process has open for a moment, beyond those that it keeps."""


def engine_for(where: Path | str) -> Engine:
    """The database in a file, made if it is absent, or at a URL. Writes are durable and readers do not wait."""
    if isinstance(where, str) and not where.startswith("sqlite:"):
        return create_engine(where, pool_pre_ping=True, max_overflow=MOST_CONNECTIONS)
    address = where if isinstance(where, str) else f"sqlite:///{where}"
    found = create_engine(address, connect_args={"timeout": PATIENCE}, max_overflow=MOST_CONNECTIONS)

    @event.listens_for(found, "connect")
    def _pragmas(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    return found


def as_text(value: Any) -> str:
    """A value as the database keeps it: canonical JSON."""
    return canonical.dumps(value).decode()


def pack(value: Any) -> bytes:
    """A value compressed."""
    return zlib.compress(canonical.dumps(value), 1)


def unpack(data: bytes) -> Any:
    """What a compressed column holds. BrokenGame where it holds nothing of the kind."""
    try:
        return canonical.loads(zlib.decompress(data))
    except (zlib.error, ValueError, TypeError):
        raise BrokenGame("the game's file is damaged; take back a copy of it") from None


def packed_state(state: State) -> tuple[str, bytes]:
    """A state as it is kept, with the hash that it is kept under."""
    data = canonical.dumps(state.tables)
    return hashlib.sha256(data).hexdigest(), zlib.compress(data, 1)  # the hash is that of `State.hash`


def keep_state(db: Connection, packed: tuple[str, bytes]) -> str:
    """Keep a packed state once; gives its hash."""
    _keep(db, states, *packed)
    return packed[0]


def keep_ruleset(db: Connection, ruleset: Ruleset) -> None:
    """Keep a ruleset under its hash, once."""
    _keep(db, rulesets, ruleset.hash, pack(ruleset.to_json()))


def _keep(db: Connection, table: Table, key: str, content: bytes) -> None:
    if not db.execute(select(table.c.hash).where(table.c.hash == key)).first():
        insert_once(db, table, hash=key, content=content)


def insert_once(db: Connection, table: Table, **values: Any) -> bool:
    """Insert a row unless one of its key is there, which somebody else may insert at this moment. Returns whether it is new."""
    stored = _insert(db)(table).values(**values).on_conflict_do_nothing().returning(*table.primary_key)
    return db.execute(stored).first() is not None


def _insert(db: Connection) -> Any:
    """The `INSERT` of the database's own dialect; the other dialect is not loaded."""
    if db.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert  # loaded by the connection already

        return insert
    from sqlalchemy.dialects.postgresql import insert as insert_there  # loaded by the connection already

    return insert_there


def lock(db: Connection, game: str) -> None:
    """Nobody else writes to the game until the transaction ends; SQLite knows no smaller lock than the database."""
    if db.dialect.name == "sqlite":
        db.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        db.execute(select(games.c.id).where(games.c.id == game).with_for_update())


def state_of(db: Connection, key: str) -> State:
    """The state that is kept under a hash."""
    content = db.execute(select(states.c.content).where(states.c.hash == key)).scalar_one()
    return State(unpack(content))
