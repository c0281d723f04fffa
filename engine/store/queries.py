"""How a game is read: questions in SQL that every database understands, asked through SQLAlchemy or, as long
as nothing is written, of the game's file by the standard library.

SQLAlchemy takes a quarter of a second to load; a command that only reads does without it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection


def rows(db: Connection | sqlite3.Connection, question: str, **given: Any) -> Iterable[Any]:
    """The rows that answer a question in SQL, each a mapping by the names of its columns. `:name` in the
    question is what is `given` under that name.
    """
    if isinstance(db, sqlite3.Connection):
        found = db.execute(question, given)
        names = [column[0] for column in found.description]
        return (dict(zip(names, values, strict=True)) for values in found)
    from sqlalchemy import text  # loaded by the connection already

    return db.execute(text(question), given).mappings()


def row(db: Connection | sqlite3.Connection, question: str, **given: Any) -> Any:
    """The first of such rows; None if there is none."""
    return next(iter(rows(db, question, **given)), None)


def one(db: Connection | sqlite3.Connection, question: str, **given: Any) -> Any:
    """The one row that there has to be. LookupError if it is not there."""
    found = row(db, question, **given)
    if found is None:
        raise LookupError("a row is missing")
    return found
