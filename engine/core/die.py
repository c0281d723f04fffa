"""What a die is: how it is written, what it can show, and the chance of each total."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

MAX_DICE = 1_000_000
MAX_FACES = 2**32
_MAX_WORK = 4_000_000  # dice times totals; beyond it an exact distribution is not a thing to wait for


@dataclass(frozen=True, slots=True)
class Die:
    """`n` dice whose faces are low, low+1, ..., low+faces-1, summed, plus `plus`.

    Dice with another lowest face than 1 are ranges: one die, nothing added. ValueError otherwise, or when
    there are more than MAX_DICE dice or MAX_FACES faces.
    """

    n: int
    faces: int
    plus: int = 0
    low: int = 1
    cut: int | None = field(default=None, compare=False, repr=False)
    """All that matters is which of the dice show this or less: who tries every way need not try every
    face.
    """

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_DICE:
            raise ValueError(f"the number of dice must be from 1 to {MAX_DICE}, not {self.n}")
        if not 1 <= self.faces <= MAX_FACES:
            raise ValueError(f"the number of faces must be from 1 to {MAX_FACES}, not {self.faces}")
        if self.low != 1 and (self.n != 1 or self.plus != 0):
            raise ValueError("a range is one draw with nothing added")

    @property
    def high(self) -> int:
        """The highest face."""
        return self.low + self.faces - 1

    def __str__(self) -> str:
        """The form that `parse_die` reads back: 1d10, 2d6+1, 0..8."""
        if self.low != 1:
            return f"{self.low}..{self.high}"
        return f"{self.n}d{self.faces}{self.plus:+d}" if self.plus else f"{self.n}d{self.faces}"


_DICE = re.compile(r"\s*([0-9]*)\s*[dD]\s*([0-9]+)\s*(?:([+-])\s*([0-9]+))?\s*")
_RANGE = re.compile(r"\s*(-?[0-9]+)\s*\.\.\s*(-?[0-9]+)\s*")


@lru_cache(maxsize=1024)
def parse_die(text: str) -> Die:
    """The die that a text means: ``1d10``, ``d6``, ``2d6+1``, ``1d10-2``, or a range ``0..8``, both ends
    included.

    Raises ValueError, with what was expected, for anything else.
    """
    dice, span = _DICE.fullmatch(text), _RANGE.fullmatch(text)
    try:
        if dice:
            count, faces, sign, plus = dice.groups("")
            return Die(int(count or 1), int(faces), int(sign + (plus or "0")))
        if span:
            low, high = int(span[1]), int(span[2])
            if high < low:
                raise ValueError(f"a range goes from its lower end to its higher, {high}..{low}")
            return Die(1, high - low + 1, 0, low)
    except ValueError as error:
        raise ValueError(f"not a die: {text[:60]!r}: {error}") from None
    raise ValueError(
        f"not a die: {text[:60]!r}; expected dice such as 1d10 or 2d6+1, or a range such as 0..8"
    )


def distribution(die: Die | str) -> dict[int, Fraction]:
    """The exact chance of each total, lowest first.

    >>> distribution("2d2")
    {2: Fraction(1, 4), 3: Fraction(1, 2), 4: Fraction(1, 4)}

    Raises ValueError for dice so many that the answer would not come in a moment.
    """
    die = parse_die(die) if isinstance(die, str) else die
    totals = die.n * (die.faces - 1) + 1
    if die.n * totals > _MAX_WORK:
        raise ValueError(f"{die} has too many totals for an exact distribution")
    ways = [1]
    for _ in range(die.n):
        # Each new count is a sum of `faces` neighbors: keep it running instead of adding them again.
        window, grown = 0, []
        for place in range(len(ways) + die.faces - 1):
            window += ways[place] if place < len(ways) else 0
            window -= ways[place - die.faces] if place >= die.faces else 0
            grown.append(window)
        ways = grown
    whole = die.faces**die.n
    return {die.n * die.low + die.plus + place: Fraction(count, whole) for place, count in enumerate(ways)}
