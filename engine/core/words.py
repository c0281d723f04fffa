"""Text as words: how orders and the names in them are taken apart and compared.

Letters are compared without case and diacritics; spaces, hyphens, underscores and full stops between words
count alike. Arrows (`->`) and dashes between words count as little as a hyphen does. Every word keeps the
column it was written at, so that a mistake can be pointed at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?P<skip>[-=]+>|[\u2013\u2014\u2192\u21d2])|(?P<word>[^\W_]+(?:['’][^\W_]+)*)|(?P<sign>>=|<=|[^\w\s.\-'’])"
)
_PARTED = re.compile(r"(?:[-=]+>|[\u2013\u2014\u2192\u21d2]|(?<=\s)-+(?=\s))\s*")
LONGEST_ID = 60
"""How long an id may be that is made of a name."""
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "’": "", "'": ""}
)


class Word(NamedTuple):
    """One word, number or sign: as compared, as written, and its column (from 1) with the one after it.

    `parted` says that an arrow, or a dash with blanks around it, stands before it.
    """

    norm: str
    text: str
    column: int
    end: int
    parted: bool = False

    @property
    def is_number(self) -> bool:
        return self.norm.isdecimal()


@lru_cache(maxsize=20_000)
def normal(text: str) -> str:
    """A word as it is compared: without case, diacritics and apostrophes; `&` is `and`.

    >>> normal("Zürich"), normal("&")
    ('zurich', 'and')
    """
    if text == "&":
        return "and"
    flat = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(c for c in flat if not unicodedata.combining(c))


def split(text: str) -> tuple[Word, ...]:
    """The words, numbers and signs of a text.

    >>> [w.norm for w in split("Move 6 foot-guards: losses>4")]
    ['move', '6', 'foot', 'guards', ':', 'losses', '>', '4']
    """
    parted = {m.end() for m in _PARTED.finditer(text)}
    return tuple(
        Word(normal(m[0]), m[0], m.start() + 1, m.end() + 1, m.start() in parted)
        for m in _TOKEN.finditer(text)
        if not m["skip"]
    )


@lru_cache(maxsize=50_000)
def joined(text: str) -> str:
    """A name as it is compared: its words run together."""
    return "".join(w.norm for w in split(text))


def run_together(words: Sequence[Word]) -> str:
    """Several written words, compared like `joined`."""
    return "".join(w.norm for w in words)


def distance(a: str, b: str, most: int) -> int:
    """Letters to put in, leave out, change or swap with a neighbor to make b of a; `most` + 1 if more than
    `most`.

    >>> distance("belgrade", "belgrad", 2), distance("form", "from", 2), distance("oslo", "rome", 2)
    (1, 1, 3)
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            value = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                value = min(value, older[j - 2] + 1)
            row.append(value)
        if min(row) > most:
            return most + 1
    return row[-1] if row[-1] <= most else most + 1


@lru_cache(maxsize=50_000)
def misspelled(written: str, name: str, most: int) -> int | None:
    """By how many letters a name is misspelled, at most `most`; None if it is another. A number is never a
    slip of the pen.

    >>> misspelled("northen", "northern", 1), misspelled("3northern", "northern", 1), misspelled("u2", "u3",
    1) (1, None, None)
    """
    if _digits(written) != _digits(name):
        return None
    off = distance(written, name, most)
    return off if off <= most else None


def _digits(text: str) -> str:
    return "" if text.isalpha() else "".join(c for c in text if c.isdecimal())


def slips(length: int) -> int:
    """How many letters of a word of this length may be wrong: none of up to four, one of up to seven, else
    two.
    """
    if length <= 4:
        return 0
    return 1 if length <= 7 else 2


def slug(name: str) -> str:
    """A name as an id: lower case, digits, hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_ID].strip("-") or "x"
