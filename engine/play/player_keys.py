"""Who may order for a nation: a secret for each seat, shown once to its player and kept as a hash.

A new key for a seat revokes the one before. Orders without a key are the moderator's to hand in, who has the
game's folder.
"""

from __future__ import annotations

import secrets
from hashlib import sha256

from sqlalchemy import delete, insert, select

from ..store import Game
from ..store.schema import seat_keys


def give(game: Game, nation: str) -> str:
    """A fresh key for a nation's seat, to be handed to its player; it is shown this once.

    The one before ends.
    """
    key = secrets.token_urlsafe(24)
    with game.writing() as db:
        db.execute(delete(seat_keys).where(seat_keys.c.game == game.id, seat_keys.c.nation == nation))
        db.execute(insert(seat_keys).values(game=game.id, nation=nation, hash=_hash(key)))
    return key


def revoke(game: Game, nation: str) -> bool:
    """End the key of a nation's seat. Returns whether there was one."""
    with game.writing() as db:
        found = db.execute(delete(seat_keys).where(seat_keys.c.game == game.id, seat_keys.c.nation == nation))
    return bool(found.rowcount)


def holder(game: Game, key: str) -> str | None:
    """The nation whose seat a key is for, or None."""
    query = select(seat_keys.c.nation).where(seat_keys.c.game == game.id, seat_keys.c.hash == _hash(key))
    with game.reading() as db:
        return db.execute(query).scalar()


def _hash(key: str) -> str:
    # keys are drawn with 192 bits: a plain hash cannot be searched
    return sha256(key.encode()).hexdigest()
