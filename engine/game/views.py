"""What each nation may know at a position of a game, and the moderator everything, as worlds to ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ..core.fairness import Opening
from ..core.journal import Entry
from ..core.state import State
from ..turn.referee import Position
from ..world.view import Viewer
from ..world.world import World
from .proofs import openings, position_after
from .store import Game


def view_world(game: Game, nation: str) -> World:
    """What a nation may know at the present stage, as a world to ask."""
    return Views(game).world(nation)


def whole_world(game: Game) -> World:
    """Everything at the present stage, as the moderator sees it."""
    position = game.stage().position
    return World(game.ruleset, position.state, moments=position.moments, geography=game.geography)


class Views:
    """The worlds of several nations at one position (the present one, or an earlier one as it was known then).

    What does not depend on the reader is made once.
    """

    def __init__(self, game: Game, position: Position | None = None) -> None:
        self.game = game
        self.position = position or game.stage().position
        self._viewers: dict[str, Viewer] = {}
        self.told: dict[int, bytes] = {}  # what the journal's entries say, as the readers' chains take it
        self._last: tuple[str, World] | None = None
        self._used: dict[int, set[str]] = {}

    @cached_property
    def journal(self) -> list[Entry]:
        """Every entry of the game, read once."""
        return self.game.journal()

    def openings(self, turn: int, readers: tuple[str, ...]) -> tuple[Opening, ...]:
        """The openings of a turn's keys for some readers, none while it is not over; handed out, they count as known."""
        if not 1 <= turn < self.game.stage().position.turn:
            return ()
        if turn not in self._used:
            self._used[turn] = {str(record["audience"]) for e in self.journal if e.turn == turn for record in e.dice}
            self.game.note_opened(turn)
        return openings(self.game, turn, readers, self._used[turn])

    def world(self, nation: str) -> World:
        """A nation's world, good until that of another one is asked for.

        Earlier moments hold what was public or its own side's; they are made when they are read.
        """
        if self._last is not None and self._last[0] == nation:
            return self._last[1]
        if self._last is not None:
            self._last[1].close()
        self._last = (nation, self._world(nation))
        return self._last[1]

    def _world(self, nation: str) -> World:
        def then(moment: str) -> Callable[[], State]:
            return lambda: self._viewer(moment).view(nation, sight=False)

        moments: dict[str, State | Callable[[], State]] = {m: then(m) for m in self.position.moments}
        return World(self.game.ruleset, self._viewer("now").view(nation), moments=moments, geography=self.game.geography)

    def _viewer(self, moment: str) -> Viewer:
        if moment not in self._viewers:
            state = self.position.state if moment == "now" else self.position.moments[moment]
            self._viewers[moment] = Viewer(self.game.ruleset, state, geography=self.game.geography)
        return self._viewers[moment]


def views_after(game: Game, turn: int | None) -> Views:
    """What everybody knew after a turn (None: knows now). StoreError for a turn that has not been."""
    return Views(game) if turn is None else Views(game, position_after(game, turn))
