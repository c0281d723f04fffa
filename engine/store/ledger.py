"""What was written to the tables of a game, line by line: a chain beside that of the journal.

Every row that reports, dice or history draw on is written through here, and leaves its digest. The head of
the chain is a part of each commitment to a turn's dice, which is published: who changes, adds or removes a
row afterwards has to change the chain and with it what players hold. The journal's entries have a chain of
their own, rulesets and states are named by their hashes. Tables that others keep beside those of a game, as
a server does, are written through here as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Connection,
    Delete,
    Insert,
    Integer,
    Row,
    Table,
    bindparam,
    delete,
    insert,
    select,
    type_coerce,
)

from ..core import canonical
from .schema import corrections, decided, games, handins, inputs, ledger, positions, salts, seats, turns

KEPT: tuple[Table, ...] = (games, positions, inputs, handins, salts, turns, corrections, seats, decided)
"""The tables of a game whose rows the chain holds."""


def put(db: Connection, table: Table, **values: Any) -> None:
    """Write a row of a game, in place of the one of its key."""
    if table is not games:  # whose row everything depends on, and which is new
        key = {f"its_{column.name}": values[column.name] for column in table.primary_key}
        db.execute(_removal(table), key)
    db.execute(_insertion(table), values)
    note(db, table, values)


# statements are made once: to make one costs more than to carry it out


@cache
def _removal(table: Table) -> Delete:
    """Takes away the row of a key, whose columns are given with `its_` before their names."""
    return delete(table).where(*(column == bindparam(f"its_{column.name}") for column in table.primary_key))


@cache
def _insertion(table: Table) -> Insert:
    return insert(table)


def add(db: Connection, table: Table, **values: Any) -> dict[str, Any]:
    """Write a row whose key is new, or is given by the database. Returns the row."""
    row = dict(db.execute(insert(table).values(**values).returning(*table.columns)).one()._mapping)
    note(db, table, row)
    return row


def note(db: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Take a row that has been written into the chain."""
    _note(db, str(row["id" if table is games else "game"]), _what(table, row), digest_of(row))


def change(db: Connection, table: Table, key: Mapping[str, Any], **values: Any) -> None:
    """Change columns of the row of a key."""
    where = [table.c[name] == value for name, value in key.items()]
    db.execute(table.update().where(*where).values(**values))
    note(db, table, dict(db.execute(select(table).where(*where)).one()._mapping))


def drop(db: Connection, table: Table, game: str, *where: Any) -> None:
    """Take the rows of a game away that meet some conditions."""
    for row in db.execute(
        select(table).where(table.c.game == game, *where).order_by(*table.primary_key)
    ).all():
        _note(db, game, _what(table, dict(row._mapping)), "")
    db.execute(delete(table).where(table.c.game == game, *where))


def lines(db: Connection, game: str) -> list[Row[Any]]:
    """Every line of a game's chain, in order."""
    return list(db.execute(select(ledger).where(ledger.c.game == game).order_by(ledger.c.number)))


def rows(db: Connection, game: str, tables: Sequence[Table] = KEPT) -> Iterator[tuple[str, str]]:
    """What stands in tables that the chain holds: each row's table and key, and the digest of its columns."""
    for table in tables:
        truths = [c.name for c in table.columns if isinstance(c.type, Boolean)]
        columns = [type_coerce(c, Integer).label(c.name) if c.name in truths else c for c in table.columns]
        for found in db.execute(select(*columns).where(table.c["id" if table is games else "game"] == game)):
            row = dict(found._mapping)
            # a database that knows no truths keeps 0 or 1; anything else stays what it is, and is noticed
            row |= {name: bool(row[name]) for name in truths if row[name] in (0, 1)}
            yield _what(table, row), digest_of(row)


def link(before: str, what: str, row: str) -> str:
    """The head after a line."""
    return canonical.digest([before, what, row])


def digest_of(row: Mapping[str, Any]) -> str:
    """The digest of a row by its columns. Any value counts as it stands, of whatever kind."""
    plain = {name: _plain(value) for name, value in row.items()}
    return canonical.digest(plain)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": sha256(value).hexdigest()}
    return {"number": repr(value)} if isinstance(value, float) else value


def _what(table: Table, row: Mapping[str, Any]) -> str:
    keys = [str(row[column.name]) for column in table.primary_key if column.name != "game"]
    return "/".join((table.name, *keys))


def _note(db: Connection, game: str, what: str, row: str) -> None:
    found = db.execute(_LAST, {"its_game": game}).first()
    number, before = (found.number, found.head) if found is not None else (0, "")
    line = {"game": game, "number": number + 1, "what": what, "row": row, "head": link(before, what, row)}
    db.execute(_insertion(ledger), line)


_LAST: Final = (
    select(ledger.c.number, ledger.c.head)
    .where(ledger.c.game == bindparam("its_game"))
    .order_by(ledger.c.number.desc())
    .limit(1)
)
"""The last line of the chain of a game."""
