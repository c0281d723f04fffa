"""Who may order for a nation: a secret for each seat, shown once to its player and kept as a hash.

A new key for a seat revokes the one before. Orders without a key are the moderator's to hand in, who has the
game's folder.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import TYPE_CHECKING

from ..core.later import Later
from ..store import Game
from ..store.queries import row

if TYPE_CHECKING:
    from sqlalchemy import Delete

    from ..store import schema
else:
    schema = Later("wteaw.store.schema")


def give(game: Game, nation: str) -> str:
    """A fresh key for a nation's seat, to be handed to its player; it is shown this once.

    The one before ends.
    """
    key = secrets.token_urlsafe(24)
    with game.writing() as db:
        db.execute(_of(game, nation))
        db.execute(schema.seat_keys.insert().values(game=game.id, nation=nation, hash=_hash(key)))
    return key


def revoke(game: Game, nation: str) -> bool:
    """End the key of a nation's seat. Returns whether there was one."""
    with game.writing() as db:
        found = db.execute(_of(game, nation))
    return bool(found.rowcount)


def _of(game: Game, nation: str) -> Delete:
    """What ends the key of a seat."""
    keys = schema.seat_keys
    return keys.delete().where(keys.c.game == game.id, keys.c.nation == nation)


def holder(game: Game, key: str) -> str | None:
    """The nation whose seat a key is for, or None."""
    question = "select nation from seat_keys where game = :game and hash = :hash"
    with game.reading() as db:
        found = row(db, question, game=game.id, hash=_hash(key))
    return found["nation"] if found else None


def _hash(key: str) -> str:
    # keys are drawn with 192 bits: a plain hash cannot be searched
    return sha256(key.encode()).hexdigest()
