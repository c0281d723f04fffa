"""Games on disk."""

from .games import FILE, Game, StoreError, Submission

__all__ = ["FILE", "Game", "StoreError", "Submission"]
