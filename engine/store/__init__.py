"""Games on disk: read, written, and kept as they were."""

from .database import StoreError
from .games import Game, Scribe
from .reading import FILE, MODERATOR, PLAYER, POLICY, PROXY, HandIn, StoredPosition, Submission, inputs_from

__all__ = [
    "FILE",
    "MODERATOR",
    "PLAYER",
    "POLICY",
    "PROXY",
    "Game",
    "HandIn",
    "Scribe",
    "StoreError",
    "StoredPosition",
    "Submission",
    "inputs_from",
]  # fmt: skip
