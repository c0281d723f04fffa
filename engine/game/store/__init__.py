"""Games on disk."""

from .database import StoreError
from .games import FILE, Game, Scribe
from .reading import MODERATOR, PLAYER, POLICY, PROXY, HandIn, Stage, Submission, inputs_from

__all__ = [
    "FILE", "MODERATOR", "PLAYER", "POLICY", "PROXY", "Game", "HandIn", "Scribe", "Stage", "StoreError", "Submission",
    "inputs_from",
]  # fmt: skip
