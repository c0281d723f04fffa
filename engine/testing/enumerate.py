"""Every way the dice can fall, each with its exact chance.

`outcomes(play)` plays a case again and again, each time along another branch of the tree of its dice, until there is none
left. The chances are fractions and sum to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeVar

from ..dice import CountingDice, Die, Drawer, StreamName

__all__ = ["MOST_WAYS", "Branch", "TooManyWays", "outcomes"]

T = TypeVar("T")
MOST_WAYS = 50_000


class TooManyWays(ValueError):
    """The dice can fall in more ways than are worth playing one by one."""


class Branch(CountingDice):
    """Dice that follow a given branch, and take the lowest face beyond its end.

    `taken` is the branch as it was followed: for each die the index of its face and how many faces it has.
    """

    def __init__(self, ahead: list[int]) -> None:
        super().__init__()
        self._ahead = ahead
        self.taken: list[tuple[int, int]] = []

    def drawer(self, name: StreamName, use: int) -> Drawer:
        def draw(die: Die) -> tuple[list[int], bool]:
            return [self._face(die) for _ in range(die.n)], False

        return draw

    def _face(self, die: Die) -> int:
        place = len(self.taken)
        index = self._ahead[place] if place < len(self._ahead) else 0
        self.taken.append((index, die.faces))
        return die.low + index

    @property
    def chance(self) -> Fraction:
        ways = 1
        for _, faces in self.taken:
            ways *= faces
        return Fraction(1, ways)

    def following(self) -> list[int] | None:
        """The start of the next branch, or None after the last."""
        path = list(self.taken)
        while path:
            index, faces = path.pop()
            if index + 1 < faces:
                return [*(i for i, _ in path), index + 1]
        return None


def outcomes(play: Callable[[Branch], T]) -> Iterator[tuple[Fraction, T]]:
    """What `play` gives on every branch, with the chance of the branch. TooManyWays beyond MOST_WAYS."""
    ahead: list[int] | None = []
    ways = 0
    while ahead is not None:
        ways += 1
        if ways > MOST_WAYS:
            raise TooManyWays(f"the dice can fall in more than {MOST_WAYS:,} ways; ask for the exact odds instead")
        branch = Branch(ahead)
        result = play(branch)
        yield branch.chance, result
        ahead = branch.following()
