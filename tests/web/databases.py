"""The databases that a server can stand on, for tests that run on each: SQLite, and a PostgreSQL server of the tests' own."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy.engine import Engine

from wteaw.store.database import engine_for

KINDS = ("sqlite", "postgresql")
_numbers = count(1)


@cache
def _server() -> str:
    """The address of the server, which is started once; skips where none can be."""
    pgserver = pytest.importorskip(
        "pgserver", reason="PostgreSQL for tests comes with the wheel `pgserver` (extra `dev`)"
    )
    pytest.importorskip("psycopg")
    folder = Path(tempfile.mkdtemp(prefix="wteaw-pg-"))
    try:
        server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    except Exception as error:  # whatever keeps a server from starting here
        pytest.skip(f"no PostgreSQL can be started here: {error}")
    atexit.register(server.cleanup)
    return str(server.get_uri())


def database(kind: str, folder: Path) -> Engine:
    """A database that nothing is in."""
    if kind == "sqlite":
        return engine_for(folder / f"db{next(_numbers)}.db")
    import psycopg

    uri, name = _server(), f"server{next(_numbers)}"
    with psycopg.connect(uri, autocommit=True) as db:
        db.execute(f'create database "{name}"')
    return engine_for(
        uri.replace("postgresql://", "postgresql+psycopg://").replace("/postgres?", f"/{name}?")
    )
