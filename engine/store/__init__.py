"""Games on disk."""

from .games import Game, StoreError, Submission

__all__ = ["Game", "StoreError", "Submission"]
