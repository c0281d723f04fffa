"""The database of a server, version by version: its games' tables and its own.

Once there has been a release, a change of a table is a file in `versions/` (`alembic.op`), and the first
version says in full what it was then. A new database is made whole and marked as the last version; a test
compares what both ways come to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect
from sqlalchemy.engine import Engine

from wteaw.core.faults import StoreError
from wteaw.store.database import look_first
from wteaw.store.schema import metadata as of_games

from ..tables import metadata as of_desk

OLDER = (
    "this database is of another version of wteaw, which this one cannot go on from; finish its games with "
    "the version that made it, or start with a new database"
)
MOVED_ON = (
    "the database has been brought to another version of wteaw; end this one, which changes nothing "
    "more in it"
)
LOCK = 7_290_614
"""What processes that start at the same time wait for, where the database is a server."""


def bring_up(engine: Engine) -> None:
    """Make a database that is new, or bring one that is older to the present version.

    StoreError for one that no version leads on from; also from then on, for whatever is to be changed, once
    another program has brought it to another version. A database that is up to date is only looked at: who
    opens it waits for nobody who writes.
    """
    version = _newest()
    with engine.connect() as db:
        found = _version(db) if inspect(db).has_table("alembic_version") else ""
    if found != version:
        _make_or_upgrade(engine)

    def look(db: Connection) -> None:
        if _version(db) != version:
            raise StoreError(MOVED_ON)

    look_first(engine, look)


def _make_or_upgrade(engine: Engine) -> None:
    with engine.begin() as db:
        if db.dialect.name == "postgresql":
            db.exec_driver_sql(f"select pg_advisory_xact_lock({LOCK})")
        elif db.dialect.name == "sqlite":
            db.exec_driver_sql("BEGIN IMMEDIATE")
        known = set(inspect(db).get_table_names())
        if "alembic_version" in known:
            upgrade(db)
        elif "desk_roles" in known:
            raise StoreError(OLDER)
        else:
            of_games.create_all(db)
            of_desk.create_all(db)
            _command("stamp", db, "head")


def _newest() -> str:
    """The version that this program knows last."""
    from alembic.script import (
        ScriptDirectory,  # Alembic takes its time: only who opens a database waits for it
    )

    return str(ScriptDirectory.from_config(_config()).get_current_head())


def _version(db: Connection) -> str:
    return str(db.exec_driver_sql("select version_num from alembic_version").scalar() or "")


def upgrade(db: Connection) -> None:
    """Run the migrations that a database lacks. StoreError for a version that is none of ours."""
    from alembic.util import CommandError

    try:
        _command("upgrade", db, "head")
    except CommandError as error:
        raise StoreError(OLDER) from error


def _command(name: str, db: Connection, to: str) -> None:
    from alembic import command

    config = _config()
    config.attributes["connection"] = db
    run: Any = getattr(command, name)
    run(config, to)


def _config() -> Any:
    from alembic.config import Config  # Alembic takes its time: only who opens a database waits for it

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config
