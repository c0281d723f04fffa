"""The database of a game: how it is opened, how its faults are told, and how rulesets and states are kept in
it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..core import canonical
from ..core.faults import BrokenGame, MachineError
from ..core.faults import StoreError as StoreError
from ..core.later import Later
from ..core.model import Ruleset
from ..core.state import State
from .queries import one, row
from .states import PackedState

if TYPE_CHECKING:
    import sqlalchemy as sql
    from sqlalchemy import Connection, Table
    from sqlalchemy.engine import Engine

    from . import schema
else:
    sql, schema = Later("sqlalchemy"), Later("wteaw.store.schema")


def database_faults() -> tuple[type[Exception], ...]:
    """What a database raises, asked directly or through SQLAlchemy: for `except`."""
    return sql.exc.DatabaseError, sqlite3.DatabaseError


def fault_in_words(error: Exception, folder: str, name: str = "") -> StoreError:
    """A fault of the database as one sentence for the user, begun with a name, or with the folder."""
    found = _known_fault(error, folder, name or folder)
    return found or MachineError(f"{name or folder}: the game's database does not answer ({_said(error)})")


def _said(error: Exception) -> str:
    """What the database itself said."""
    return str(getattr(error, "orig", None) or error)


def _known_fault(error: Exception, file: str, name: str) -> StoreError | None:
    """What of the machine, or of others, a fault of the database tells of, begun with a name; None for any
    other fault.
    """
    what = _said(error)
    if "I/O error" in what and _is_full(file):
        what = "disk is full"
    for part, kind, words in _FAULTS:
        if part in what:
            return kind(f"{name}: {words}")
    return None


@contextmanager
def _told(engine: Engine, name: str) -> Iterator[None]:
    """What the machine refuses, or others keep from being done, is raised as a StoreError; a fault of ours as
    what it is.
    """
    try:
        yield
    except sql.exc.DatabaseError as error:
        found = _known_fault(error, str(engine.url.database), name)
        if found is None:
            raise
        raise found from None


def _is_full(folder: str) -> bool:
    """Whether the disk that holds a game has no room for another page of it."""
    try:
        return shutil.disk_usage(folder).free < 65_536
    except OSError:
        return False


FULL = "the disk is full; nothing was changed"
_FAULTS: tuple[tuple[str, type[StoreError], str], ...] = (
    ("disk is full", MachineError, FULL),
    ("No space left", MachineError, FULL),
    ("readonly", MachineError, "the folder cannot be written to; nothing was changed"),
    ("unable to open", MachineError, "the game's file cannot be opened; may it be read and written?"),
    ("not a database", BrokenGame, "the game's file is damaged; take back a copy of it"),
    ("malformed", BrokenGame, "the game's file is damaged; take back a copy of it"),
    ("locked", StoreError, "somebody else is changing the game; try again in a moment"),
    ("connection failed", MachineError, "the database server cannot be reached"),
    ("no such table", BrokenGame, "the game's file is damaged or not a game; take back a copy of it"),
)
"""Part of a database's message -> what kind of fault it is, and what it means for the user."""


MAX_UNPACKED = 100_000_000
"""Bytes of a ruleset, a state or a drawing."""
MOST_CONNECTIONS = 40
"""That one process has open for a moment, beyond those that it keeps."""
ASKS_AGAIN = 0.004
"""Seconds after which a writer asks again whether SQLite's one lock is free."""


PATIENCE = 20
"""Seconds for which one waits for another."""

SERVER_FILE, OLD_SERVER_FILE = "server.db", "desk.db"
"""The name of a server's database in its folder, and the one that earlier versions gave it."""


def server_file(folder: Path) -> Path:
    """The database of the server that has a folder: that of an earlier version where it is there alone."""
    new, old = folder / SERVER_FILE, folder / OLD_SERVER_FILE
    return old if old.is_file() and not new.exists() else new


def engine_for(where: Path | str) -> Engine:
    """The database in a file, made if it is absent, or at a URL. Writes are durable and readers do not wait.

    StoreError where the URL is none.
    """
    if isinstance(where, str) and not where.startswith("sqlite:"):
        try:
            return sql.create_engine(where, pool_pre_ping=True, max_overflow=MOST_CONNECTIONS)
        except (sql.exc.ArgumentError, ImportError):
            kind = where.partition(":")[0] if "://" in where else where
            raise StoreError(
                f"{kind!r} names no database; write postgresql+psycopg://user@host/name, or leave it out"
            ) from None
    address = where if isinstance(where, str) else f"sqlite:///{where}"
    found = sql.create_engine(address, connect_args={"timeout": PATIENCE}, max_overflow=MOST_CONNECTIONS)

    @sql.event.listens_for(found, "connect")
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
    """What a compressed column holds.

    BrokenGame where it holds nothing of the kind, or more than any game needs.
    """
    try:
        packed = zlib.decompressobj()
        text = packed.decompress(data, MAX_UNPACKED)
        if packed.unconsumed_tail:
            raise BrokenGame(
                f"the game's file is damaged: a part of it unpacks to more than {MAX_UNPACKED:,} bytes"
            )
        return canonical.loads(text)
    except BrokenGame:
        raise
    except (zlib.error, ValueError, TypeError, RecursionError):
        raise BrokenGame("the game's file is damaged; take back a copy of it") from None


def keep_state(db: Connection, packed: PackedState) -> str:
    """Keep a packed state once; gives its hash."""
    _keep(db, schema.states, *packed)
    return packed.key


def keep_ruleset(db: Connection, ruleset: Ruleset) -> None:
    """Keep a ruleset under its hash, once."""
    _keep(db, schema.rulesets, ruleset.hash, lambda: pack(ruleset.to_json()))


def _keep(db: Connection, table: Table, key: str, content: Callable[[], bytes]) -> None:
    """Keep what `content` makes under a hash, unless something is kept there."""
    if not row(db, f"select hash from {table.name} where hash = :hash", hash=key):
        insert_once(db, table, hash=key, content=content())


def insert_once(db: Connection, table: Table, **values: Any) -> bool:
    """Insert a row unless one of its key is there, which somebody else may insert at this moment.

    Returns whether it is new.
    """
    stored = _insert(db)(table).values(**values).on_conflict_do_nothing().returning(*table.primary_key)
    return db.execute(stored).first() is not None


def _insert(db: Connection) -> Any:
    """The `INSERT` of the database's own dialect; the other dialect is not loaded."""
    if db.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert  # loaded by the connection already

        return insert
    from sqlalchemy.dialects.postgresql import insert as insert_there  # loaded by the connection already

    return insert_there


FORMAT = 1
"""The format of a game's file, which stands in its head (SQLite's `user_version`): which tables and columns
there are.
"""
_looks: WeakKeyDictionary[Engine, Callable[[Connection], None]] = WeakKeyDictionary()
"""What is looked at before anything is changed."""


def look_first(engine: Engine, look: Callable[[Connection], None]) -> None:
    """Have every transaction that changes something begin with a look, which refuses it by a StoreError."""
    _looks[engine] = look


def is_readable(db: Connection | sqlite3.Connection) -> None:
    """MachineError if a game's file is of a later format than this program knows, as it can become while the
    game is open.
    """
    found = int(one(db, "PRAGMA user_version")["user_version"])
    if found > FORMAT:
        raise MachineError(
            f"the game's file is of format {found}, and this version of wteaw knows format {FORMAT}: "
            "nothing was changed; go on "
            "with the later version that wrote it"
        )


_inside: ContextVar[tuple[Engine, Connection] | None] = ContextVar("inside", default=None)
"""The transaction that is open."""
_writers: WeakKeyDictionary[Engine, threading.Lock] = WeakKeyDictionary()
_guard = threading.Lock()


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection to read by: within `changing` that of the transaction, which sees what it has written."""
    if (open_ := _inside.get()) is not None and open_[0] is engine:
        yield open_[1]
        return
    with _told(engine, "the games"), engine.connect() as db:
        yield db


@contextmanager
def changing(engine: Engine, game: str = "") -> Iterator[Connection]:
    """One transaction: everything that is written within, by whatever function, or nothing.

    Nobody else writes to the `game` until it ends; SQLite knows no smaller lock than the database. Within
    another one of the same database it is a part of that. What takes long is worked out before. MachineError
    where the machine does not let it be done.
    """
    open_ = _inside.get()
    if open_ is not None and open_[0] is engine:
        _lock(open_[1], game)
        yield open_[1]
        return
    with _told(engine, game or "the games"), _turn(engine), engine.begin() as db:
        if db.dialect.name == "sqlite":
            _begin(db)
        if engine in _looks:
            _looks[engine](db)
        _lock(db, game)
        token = _inside.set((engine, db))
        try:
            yield db
        finally:
            _inside.reset(token)


def is_changing(engine: Engine) -> bool:
    """Whether this is within a transaction of the database (`changing`)."""
    return (open_ := _inside.get()) is not None and open_[0] is engine


@contextmanager
def _turn(engine: Engine) -> Iterator[None]:
    """Of one process only one thread waits for SQLite's lock; the others wait for their turn, which costs
    nothing.
    """
    if engine.dialect.name != "sqlite":
        yield
        return
    with _guard:
        mine = _writers.setdefault(engine, threading.Lock())
    if not mine.acquire(timeout=PATIENCE):
        raise StoreError("somebody else is changing the game; try again in a moment")
    try:
        yield
    finally:
        mine.release()


def _begin(db: Connection) -> None:
    """Begin to write. SQLite itself would sleep for up to a tenth of a second between two looks at its
    lock.
    """
    ends = time.monotonic() + PATIENCE
    db.exec_driver_sql("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                db.exec_driver_sql("BEGIN IMMEDIATE")
                return
            except sql.exc.OperationalError as error:
                if "locked" not in str(error.orig) or time.monotonic() > ends:
                    raise
            time.sleep(ASKS_AGAIN)
    finally:
        db.exec_driver_sql(f"PRAGMA busy_timeout = {PATIENCE * 1000}")


def _lock(db: Connection, game: str) -> None:
    if game and db.dialect.name != "sqlite":
        db.execute(sql.select(schema.games.c.id).where(schema.games.c.id == game).with_for_update())


def state_of(db: Connection | sqlite3.Connection, key: str) -> State:
    """The state that is kept under a hash."""
    return State(unpack(one(db, "select content from states where hash = :hash", hash=key)["content"]))


class StoredFile:
    """The file of a game. It is read by the standard library until it is written to, and by SQLAlchemy's
    connections from then on, which see what is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connections: dict[tuple[int, int], sqlite3.Connection] = {}

    @cached_property
    def engine(self) -> Engine:
        """The file through SQLAlchemy, to be written to."""
        found = engine_for(self.path)
        look_first(found, is_readable)
        return found

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """A connection to read by, with `queries.rows`."""
        if "engine" not in self.__dict__:
            yield self._connection()
            return
        with reading(self.engine) as db:
            yield db

    def _connection(self) -> sqlite3.Connection:
        """One that this thread of this process has alone."""
        key = os.getpid(), threading.get_ident()
        found = self._connections.get(key)
        if found is None:
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            found = sqlite3.connect(address, uri=True, timeout=PATIENCE, check_same_thread=False)
            self._connections[key] = found
        return found
