"""One line of a nation's order sheet: an order, or several that differ in what is to be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

BLANK = "?"
"""What stands for a choice in a line."""
ENEMY, OWN, FREE, NEUTRAL = "enemy", "own", "no enemy", "neutral"
"""The words for ends of a way; free is what nobody holds and nobody is known in, such as a sea."""

Named = tuple[str, str]
"""A name, and what is to be said of it."""


def has_blank(text: str) -> bool:
    """Whether a line, as it is written, leaves a choice open: `?` as a word of its own."""
    return BLANK in text.split()


@dataclass(frozen=True, slots=True)
class Offered:
    """One order, or several that differ in what is to be chosen (`?` in its text).

    `choices`: a word for them and their names, each with a remark; every one of them stands. `also`: other
    lines of this kind, in short and in full, after the words `also_word`. `said`: its price, and how many.
    `place`: where the units are that it sends, `origin` its name, `size` how many. `more`: how many lines of
    its kind are left out. `rest`: the same for other places, of which `also` tells in short.
    """

    order: str
    text: str
    choices: tuple[tuple[str, tuple[Named, ...]], ...] = ()
    said: str = ""
    also: tuple[Named, ...] = ()
    also_word: str = "or"
    place: str = ""
    origin: str = ""
    size: int = 0
    more: int = 0
    rest: tuple[Offered, ...] = ()

    def lines(self) -> Iterator[str]:
        """Every order that it stands for, written out."""
        names = [name for _, some in self.choices for name, _ in some]
        for text in (self.text, *(text for _, text in self.also)):
            yield from (text.replace(BLANK, name) for name in names) if BLANK in text else [text]


def joined_names(items: Iterable[Named]) -> list[str]:
    """Names with what is said of them; behind a name that ends in a number it stands in brackets."""
    out = []
    for name, note in items:
        said = f"({note})" if name[-1:].isdigit() else note
        out.append(f"{name} {said}" if note else name)
    return out
