"""Every way the dice can fall, each with its exact chance.

`outcomes(play)` plays a case again and again, each time along another branch of the tree of its dice, until
there is none left. The chances are fractions and sum to one. Where only a threshold matters (`Die.cut`),
there are two branches and not one for every face. Between two steps, where what follows depends on nothing
but the position (`checkpoint`), every position is gone on from once only, however it was reached: the tree
becomes a graph of positions, and its chances follow from those of each position. Positions that come back to
themselves, at once or by way of others, are left with the chances of all ways out, so that fights without end
come to their exact end, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb
from typing import TypeVar

from ..core.dice import CountingDice, Drawer, StreamName
from ..core.die import Die

T = TypeVar("T")
MOST_WAYS = 50_000
LOOKED_AT = 200
"""Plays from one position after which it is computed how many there will be."""


class TooManyPlays(ValueError):
    """The dice can fall in more ways than are worth playing one by one."""


class _Reached(BaseException):
    """A position that is known already. No error: whoever plays must not catch it."""


class Branch(CountingDice):
    """Dice that follow a given branch, and take the first way beyond its end.

    `taken` is the branch as it was followed: for each throw which way it went and the chances of all its
    ways. The first `skip` positions are passed; of every further one `known` is told, and says whether the
    play may end there. `part` numbers the parts of a case: the same position in two of them has two futures.
    With `apart` no position is known, and every way is played out.
    """

    part = 0
    apart = False

    def __init__(
        self,
        ahead: list[int],
        skip: int = 0,
        known: Callable[[Branch, str], bool] = lambda branch, key: True,
    ) -> None:
        super().__init__()
        self._ahead = ahead
        self._skip = skip
        self._known = known
        self._thrown = -1
        self.passed = 0
        self.taken: list[tuple[int, tuple[Fraction, ...]]] = []

    def drawer(self, name: StreamName, use: int) -> Drawer:
        def draw(die: Die) -> tuple[list[int], bool]:
            if die.cut is None:
                return [
                    die.low + self._way((Fraction(1, die.faces),) * die.faces) for _ in range(die.n)
                ], False
            return self._by_cut(die, min(max(die.cut - die.low + 1, 0), die.faces)), False

        return draw

    def _by_cut(self, die: Die, under: int) -> list[int]:
        """Dice of which only the number at or under the cut matters: `under` faces of each are."""
        p = Fraction(under, die.faces)
        hits = die.n if p == 1 else 0
        if 0 < p < 1:
            hits = self._way(tuple(comb(die.n, k) * p**k * (1 - p) ** (die.n - k) for k in range(die.n + 1)))
        return (
            [die.low] * hits + [die.low + under] * (die.n - hits) if under < die.faces else [die.low] * die.n
        )

    def checkpoint(self, key: Callable[[], str]) -> None:
        # without a throw since the last position there is one way here only
        if self.apart or len(self.taken) == self._thrown:
            return
        self._thrown = len(self.taken)
        self.passed += 1
        if self.passed > self._skip and self._known(self, f"{self.part} {key()}"):
            raise _Reached

    def _way(self, chances: tuple[Fraction, ...]) -> int:
        place = len(self.taken)
        index = self._ahead[place] if place < len(self._ahead) else 0
        self.taken.append((index, chances))
        return index

    def chance(self, start: int = 0) -> Fraction:
        """The chance of what was taken from a place of the branch on."""
        whole = Fraction(1)
        for index, chances in self.taken[start:]:
            whole *= chances[index]
        return whole

    def share(self, start: int) -> float:
        """How much of all branches from a place on lies before this one and in it, by number of ways."""
        done, part = 0.0, 1.0
        for index, chances in self.taken[start:]:
            part /= len(chances)
            done += index * part
        return done + part

    def following(self, start: int = 0) -> list[int] | None:
        """The beginning of the next branch that is the same up to a place, or None after the last."""
        path = list(self.taken)
        while len(path) > start:
            index, chances = path.pop()
            if index + 1 < len(chances):
                return [*(i for i, _ in path), index + 1]
        return None


Ways = dict[str | int, Fraction]
"""What comes next, with which chance: a position by its key, or the end of a play by its number."""
START = ""


@dataclass(slots=True)
class _Position:
    """A position: the branch that led to it first, how many positions that one passes, and the ways out of
    it.
    """

    path: list[int]
    passed: int
    ways: Ways = field(default_factory=dict)
    plays: int = 0


class _Graph:
    """All plays of a case: its ends, and what every position leads to."""

    def __init__(self, play: Callable[[Branch], object]) -> None:
        self.play = play
        self.ends: list[object] = []
        self.found: dict[str, _Position] = {START: _Position([], 0)}
        self.plays = 0

    def explore(self) -> None:
        """Go on from every position that is reached, from each once.

        A play that comes to a position for the first time goes on through it; the other ways out of it are
        left for later.
        """
        left: list[tuple[str, list[int]]] = [(START, [])]
        while left:
            key, ahead = left.pop()
            here = [key]

            def reached(branch: Branch, next_: str | int, here: list[str] = here) -> bool:
                """Note a way out of the position that the play has come through last, and what is to be tried
                there next.
                """
                position = self.found[here[0]]
                start = len(position.path)
                position.ways[next_] = position.ways.get(next_, Fraction(0)) + branch.chance(start)
                self._compute(position, branch)
                following = branch.following(start)
                if following is not None:
                    left.append((here[0], following))
                if isinstance(next_, int) or next_ in self.found:
                    return True
                self.found[next_] = _Position([index for index, _ in branch.taken], branch.passed)
                here[0] = next_
                return False

            self.plays += 1
            branch = Branch(ahead, self.found[key].passed, reached)
            try:
                self.ends.append(self.play(branch))
                reached(branch, len(self.ends) - 1)
            except _Reached:
                pass

    def _compute(self, position: _Position, branch: Branch) -> None:
        """TooManyWays once it is plain that there will be more plays than are worth it."""
        position.plays += 1
        left = (
            position.plays / branch.share(len(position.path)) - position.plays
            if position.plays >= LOOKED_AT
            else 0
        )
        if self.plays + left > MOST_WAYS:
            raise TooManyPlays(
                f"the dice can fall in about {round(self.plays + left):,} ways, more than {MOST_WAYS:,}; "
                "ask for the exact odds, or let fewer dice matter"
            )

    def chances(self) -> dict[int, Fraction]:
        """The chance of every end: positions are taken out one by one, the last first, and hand on their ways
        to those before.
        """
        open_ = {key: dict(position.ways) for key, position in self.found.items()}
        before: dict[str, set[str]] = {}
        for key, ways in open_.items():
            for next_ in ways:
                if isinstance(next_, str):
                    before.setdefault(next_, set()).add(key)
        for key in reversed([k for k in self.found if k != START]):
            ways = open_.pop(key)
            back = ways.pop(key, Fraction(0))
            if back == 1:
                raise TooManyPlays("the dice go round in a circle that nothing leads out of")
            for earlier in before.get(key, set()) & open_.keys():
                out = open_[earlier]
                here = out.pop(key) / (1 - back)
                for next_, chance in ways.items():
                    out[next_] = out.get(next_, Fraction(0)) + here * chance
                    if isinstance(next_, str):
                        before.setdefault(next_, set()).add(earlier)
        return {end: chance for end, chance in open_[START].items() if isinstance(end, int)}


def outcomes(play: Callable[[Branch], T]) -> Iterator[tuple[Fraction, T]]:
    """What `play` gives on every branch, with the chance of the branch. TooManyWays as soon as it is plain
    that there are more than MOST_WAYS."""
    graph = _Graph(play)
    graph.explore()
    for which, chance in graph.chances().items():
        yield chance, graph.ends[which]  # type: ignore[misc]
