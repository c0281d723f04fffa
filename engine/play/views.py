"""What each nation may know at a position of a game, and the moderator everything, as worlds to ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ..core.fairness import Commitment, Opening, reveal
from ..core.journal import Entry
from ..core.state import State
from ..store import Game
from ..turn.referee import Position
from ..world.view import WorldViews, chain_of, heard
from ..world.world import World
from .proofs import position_after, sealed


def view_world(game: Game, nation: str) -> World:
    """What a nation may know at the present stage, as a world to ask."""
    return Views(game).world(nation)


def whole_world(game: Game) -> World:
    """Everything at the present stage, as the moderator sees it."""
    position = game.stage().position
    return World(game.ruleset, position.state, moments=position.moments, geography=game.geography)


class Views:
    """The worlds of several nations at one position (the present one, or an earlier one as it was known
    then).

    What does not depend on the reader is made once.
    """

    def __init__(self, game: Game, position: Position | None = None) -> None:
        self.game = game
        self.position = position or game.stage().position
        self.worlds = WorldViews(
            game.ruleset, _states_of(self.position), self.position.moments, game.geography
        )
        self.told: dict[int, bytes] = {}  # what the journal's entries say, as the readers' chains take it
        self._turns: dict[int, list[Entry]] = {}
        self._before: dict[int, list[Entry]] = {}
        self._since: dict[int, list[Entry]] = {}
        self._last: tuple[str, World] | None = None
        self._used: dict[int, tuple[str, Commitment, set[str]]] = {}

    def for_process(self, game: Game) -> Views:
        """The same views of the same game as another process has it: what was read and made of it is
        shared.
        """
        if game is self.game:
            return self
        other = Views(game, self.position)
        other.__dict__ |= {k: v for k, v in self.__dict__.items() if k not in ("game", "_last")}
        return other

    def prepare(self) -> None:
        """Read and make now what every reader needs, for those who will share it."""
        chain_of(self.before(self.position.turn), told=self.told)
        self.worlds.viewer()

    @cached_property
    def journal(self) -> list[Entry]:
        """Every entry that led to the position, read once."""
        return self.game.journal(until=self.position.entries)

    def of(self, turn: int) -> list[Entry]:
        """The entries of a turn, read by themselves unless all have been read."""
        if "journal" in self.__dict__:
            return self._by_turn.get(turn, [])
        if turn not in self._turns:
            self._turns[turn] = self.game.journal(turn=turn, until=self.position.entries)
        return self._turns[turn]

    def before(self, turn: int) -> list[Entry]:
        """The entries of all turns before one that say anything."""
        if turn not in self._before:
            those = (e for t, some in self._by_turn.items() if t < turn for e in some)
            self._before[turn] = [e for e in those if e.happened or e.data]
        return self._before[turn]

    def since(self, turn: int) -> list[Entry]:
        """The entries from the first orders of a turn up to the position.

        How the turn begins was known when they were asked for, and how the next one does may be known by now.
        """
        if turn not in self._since:
            first = next((number for number, t, _ in self.game.stages() if t == turn), None)
            self._since[turn] = self.of(turn) if first is None else self._after(first)
        return self._since[turn]

    def _after(self, stage: int) -> list[Entry]:
        """The entries from a stage on, up to the position."""
        known = self.game.stage(stage).position.entries
        if "journal" in self.__dict__:
            return [e for e in self.journal if e.n > known]
        return self.game.journal(after=known, until=self.position.entries)

    def told_before(self, turn: int, nation: str) -> list[Entry]:
        """What a nation was told in all turns before one, in each as a member of the side on which it stood
        when that turn ended.

        Joining a side later tells it no more of the past, and takes nothing away.
        """
        out: list[Entry] = []
        for t in sorted(self._by_turn):
            if t < turn:
                out += heard(self._by_turn[t], nation, self._side_after(t, nation))
        return out

    def _side_after(self, turn: int, nation: str) -> str | None:
        """The side of a nation when a turn had ended, by the changes of the journal."""
        side = World(self.game.ruleset, self.position.game_start, geography=self.game.geography).side_of(
            nation
        )
        own = self.game.ruleset.row_or_empty("nations", nation).get("side")
        for changed_in, said in self._sides.get(nation, ()):
            if changed_in <= turn:
                side = own if said is None else said or None
        return side

    @cached_property
    def _sides(self) -> dict[str, list[tuple[int, str | None]]]:
        """Nation -> in which turns it was given a side, and which."""
        out: dict[str, list[tuple[int, str | None]]] = {}
        for entry in self.journal:
            for table, id_, field, _, value in entry.changes:
                if (table, field) == ("nations", "side"):
                    out.setdefault(id_, []).append((entry.turn, value))
        return out

    @cached_property
    def _by_turn(self) -> dict[int, list[Entry]]:
        out: dict[int, list[Entry]] = {}
        for entry in self.journal:
            out.setdefault(entry.turn, []).append(entry)
        return out

    def openings(self, turn: int, readers: tuple[str, ...]) -> tuple[Opening, ...]:
        """The openings of a turn's keys for some readers, none while it is not over; handed out, they count
        as known.
        """
        if not 1 <= turn < self.game.stage().position.turn:
            return ()
        if turn not in self._used:
            used = {str(record["audience"]) for e in self.of(turn) for record in e.dice}
            self._used[turn] = (*sealed(self.game, turn), used)
            self.game.note_opened(turn)
        key, commitment, used = self._used[turn]
        return reveal(key, commitment, readers, used)

    def world(self, nation: str) -> World:
        """A nation's world, good until that of another one is asked for.

        Earlier moments hold what was public or its own side's; they are made when they are read.
        """
        if self._last is not None and self._last[0] == nation:
            return self._last[1]
        if self._last is not None:
            self._last[1].close()
        self._last = (nation, self.worlds.world(nation))
        return self._last[1]

    def close(self) -> None:
        """Let go of the last world and of what all shared, once no view is asked for any more
        (`World.close`).
        """
        if self._last is not None:
            self._last[1].close()
            self._last = None
        self.worlds.close()


def _states_of(position: Position) -> Callable[[str], State]:
    return lambda moment: position.state if moment == "now" else position.moments[moment]


def views_after(game: Game, turn: int | None) -> Views:
    """What everybody knew after a turn (None: knows now). StoreError for a turn that has not been."""
    return Views(game) if turn is None else Views(game, position_after(game, turn))
