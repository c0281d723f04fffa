"""A game in forked processes: each of them has a connection of its own to the game's file."""

from __future__ import annotations

import os
import sys
import threading

from . import Game


def processes_for(game: Game, tasks: int) -> int:
    """How many processes may share so many tasks on a game: at most one a processor, and one alone where this
    process cannot be forked safely.
    """
    may_fork = game.in_a_file and sys.platform.startswith("linux") and threading.active_count() == 1
    return max(1, min(len(os.sched_getaffinity(0)), tasks)) if may_fork else 1


class GamePerProcess:
    """The same game in whatever process asks for it."""

    def __init__(self, game: Game) -> None:
        self._game, self._process = game, os.getpid()

    def here(self) -> Game:
        """The game, to be used by this process only."""
        if self._process != os.getpid():
            self._game, self._process = self._game.in_another_process(), os.getpid()
        return self._game
