"""Every way the dice can fall, each with its exact chance.

`outcomes(play)` plays a case again and again, each time along another branch of the tree of its dice, until there is none
left. The chances are fractions and sum to one. Where only a threshold matters (`Die.cut`), there are two branches and not one
for every face. Where the play says that what follows depends on nothing but a position (`checkpoint`), every position is
gone on from once only; a position that comes back to itself is left with the chances of all other ways out of it, so that
fights without end come to their exact end, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb
from typing import TypeVar

from ...core.dice import CountingDice, Die, Drawer, StreamName

__all__ = ["MOST_WAYS", "Branch", "TooManyWays", "outcomes"]

T = TypeVar("T")
MOST_WAYS = 50_000


class TooManyWays(ValueError):
    """The dice can fall in more ways than are worth playing one by one."""


class _Reached(BaseException):
    """A position from which the play is not gone on now. No error: whoever plays must not catch it."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class Branch(CountingDice):
    """Dice that follow a given branch, and take the first way beyond its end.

    `taken` is the branch as it was followed: for each throw which way it went and the chances of all its ways. The first
    `skip` positions are passed; the next one ends the play.
    """

    def __init__(self, ahead: list[int], skip: int = 0) -> None:
        super().__init__()
        self._ahead = ahead
        self._skip = skip
        self.passed = 0
        self.taken: list[tuple[int, tuple[Fraction, ...]]] = []

    def drawer(self, name: StreamName, use: int) -> Drawer:
        def draw(die: Die) -> tuple[list[int], bool]:
            if die.cut is None:
                return [die.low + self._way((Fraction(1, die.faces),) * die.faces) for _ in range(die.n)], False
            return self._by_cut(die, min(max(die.cut - die.low + 1, 0), die.faces)), False

        return draw

    def _by_cut(self, die: Die, under: int) -> list[int]:
        """Dice of which only the number at or under the cut matters: `under` faces of each are."""
        p = Fraction(under, die.faces)
        hits = die.n if p == 1 else 0
        if 0 < p < 1:
            hits = self._way(tuple(comb(die.n, k) * p**k * (1 - p) ** (die.n - k) for k in range(die.n + 1)))
        return [die.low] * hits + [die.low + under] * (die.n - hits) if under < die.faces else [die.low] * die.n

    def checkpoint(self, key: Callable[[], str]) -> None:
        self.passed += 1
        if self.passed > self._skip:
            raise _Reached(key())

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

    def following(self, start: int = 0) -> list[int] | None:
        """The beginning of the next branch that is the same up to a place, or None after the last."""
        path = list(self.taken)
        while len(path) > start:
            index, chances = path.pop()
            if index + 1 < len(chances):
                return [*(i for i, _ in path), index + 1]
        return None


Ways = dict[int, Fraction]
"""Which of the ends comes with which chance."""


class _Tree:
    """All plays of a case: its ends, and what every position leads to."""

    def __init__(self, play: Callable[[Branch], object]) -> None:
        self.play = play
        self.ends: list[object] = []
        self.known: dict[str, Ways] = {}
        self.open: set[str] = set()
        self.plays = 0

    def below(self, path: list[int], skip: int, key: str | None) -> Ways:
        """What a position (None: the beginning) that this path leads to comes to in the end."""
        out: Ways = {}
        back = Fraction(0)
        ahead: list[int] | None = path
        while ahead is not None:
            self.plays += 1
            if self.plays > MOST_WAYS:
                raise TooManyWays(f"the dice can fall in more than {MOST_WAYS:,} ways; ask for the exact odds instead")
            branch = Branch(ahead, skip)
            try:
                end = self.play(branch)
            except _Reached as reached:
                chance = branch.chance(len(path))
                if reached.key == key:
                    back += chance
                else:
                    for which, part in self.beyond(branch, reached.key).items():
                        out[which] = out.get(which, Fraction(0)) + chance * part
            else:
                self.ends.append(end)
                out[len(self.ends) - 1] = branch.chance(len(path))
            ahead = branch.following(len(path))
        if back == 1:
            raise TooManyWays("the dice go round in a circle that nothing leads out of")
        return {which: chance / (1 - back) for which, chance in out.items()} if back else out

    def beyond(self, branch: Branch, key: str) -> Ways:
        """What the position that a branch has reached comes to."""
        if key not in self.known:
            if key in self.open:
                raise TooManyWays("positions come back after others: ask for the exact odds instead")
            self.open.add(key)
            self.known[key] = self.below([index for index, _ in branch.taken], branch.passed, key)
            self.open.discard(key)
        return self.known[key]


def outcomes(play: Callable[[Branch], T]) -> Iterator[tuple[Fraction, T]]:
    """What `play` gives on every branch, with the chance of the branch. TooManyWays beyond MOST_WAYS."""
    tree = _Tree(play)
    for which, chance in tree.below([], 0, None).items():
        yield chance, tree.ends[which]  # type: ignore[misc]
