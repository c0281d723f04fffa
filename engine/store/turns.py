"""The dice of each turn as the store keeps them: attempts, the players' salts, and what of them is published.

A salt is fixed by the first file that a nation's player sends for a turn, so that a corrected file leaves all
other luck alone. The list of masked salts is published when orders are closed, before anything is resolved.
An attempt whose keys have been handed out is never played again: going back to it takes the next one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core import canonical, fairness
from ..core.later import Later
from .queries import row, rows

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from . import ledger, schema
else:
    ledger, schema = Later("wteaw.store.ledger"), Later("wteaw.store.schema")


@dataclass(frozen=True)
class TurnRecord:
    """What is known of a turn's dice. `salts` are masked and published; None until they are."""

    attempt: int = 0
    opened: bool = False
    closed: int = 0
    salts: Mapping[str, str] | None = None


def of_turn(db: Connection | sqlite3.Connection, game: str, turn: int) -> TurnRecord:
    """The record of a turn; of one that has none yet, an empty one."""
    kept = row(db, "select * from turns where game = :game and turn = :turn", game=game, turn=turn)
    if kept is None:
        return TurnRecord()
    salts = canonical.loads(kept["salts"]) if kept["salts"] else None
    return TurnRecord(kept["attempt"], bool(kept["opened"]), kept["closed"], salts)


def keep(db: Connection, game: str, turn: int, record: TurnRecord) -> None:
    """Write the record of a turn."""
    text = "" if record.salts is None else canonical.dumps(dict(record.salts)).decode()
    values = {"attempt": record.attempt, "opened": record.opened, "closed": record.closed, "salts": text}
    ledger.put(db, schema.turns, game=game, turn=turn, **values)


def salts_of(db: Connection | sqlite3.Connection, game: str, turn: int) -> dict[str, str]:
    """The salts of a turn as they are, by nation: for the moderator's side alone."""
    question = "select nation, salt from salts where turn = :turn and game = :game order by nation"
    return {kept["nation"]: kept["salt"] for kept in rows(db, question, game=game, turn=turn)}


def fix_salt(db: Connection, game: str, turn: int, nation: str, text: str) -> str:
    """The salt of a nation in a turn: that of the first file that came in for it, which this may be."""
    known = salts_of(db, game, turn)
    if nation not in known:
        known[nation] = fairness.order_salt(text)
        ledger.put(db, schema.salts, game=game, turn=turn, nation=nation, salt=known[nation])
    return known[nation]


def next_attempt(record: TurnRecord) -> TurnRecord:
    """The record of a turn that is given fresh dice: nothing of them is known, and no salts are published
    under their keys.
    """
    return TurnRecord(record.attempt + 1, False, 0, None)
