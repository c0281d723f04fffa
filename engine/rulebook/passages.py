"""The rules of a rulebook as passages that can be searched, by the stems of their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log

from ..core.model import Ruleset, derived_of
from ..core.words import joined, normal, split
from ..report.wording import sentence
from .blocks import Block, FigureTable, Heading, Listing, Rule, Text
from .book import book

_SMALL_WORDS = """
a about actually am an and any are as at be been but by can could did do does exactly explain for
from game get give go had happen happened happens has have he her his how i if in into is it its
just let many may me mean might mine much must my no not now of on one or order orders our ours
please really rule rules she should so some tell than that the their them then there these they this
those to turn us was we were what when where which who whom whose why will with work works would you
your
"""
STOP = frozenset(_SMALL_WORDS.split())
"""Words of a question that say nothing of what is asked."""
_IRREGULAR = {
    "built": "build",
    "bought": "buy",
    "fought": "fight",
    "lost": "lose",
    "won": "win",
    "paid": "pay",
    "seen": "see",
    "sent": "send",
    "sunk": "sink",
    "dug": "dig",
    "laid": "lay",
    "flown": "fly",
}
"""Words that change more than their end."""

ALSO = {
    "win": ("victor",),
    "victor": ("win",),
    "beat": ("defeat",),
    "end": ("victor", "win"),
}
"""Stems that mean the same in rules."""


@dataclass(frozen=True)
class Passage:
    """A rule as it is told: its heading and its text, with the stems of the words of both."""

    title: str
    text: str
    heads: frozenset[str]
    stems: frozenset[str]
    figures: bool = False
    """Whether it is a line of a table."""


@derived_of()
def passages_of(ruleset: Ruleset) -> tuple[list[Passage], dict[str, float]]:
    """Every rule of the rulebook, and how much each stem tells them apart."""
    found = [
        Passage(title, text, stems_of(title), stems_of(f"{title} {text}"), figures)
        for title, text, figures in _told(ruleset)
        if text
    ]
    many: dict[str, int] = {}
    for passage in found:
        for stem in passage.stems:
            many[stem] = many.get(stem, 0) + 1
    return found, {stem: log(1 + len(found) / n) for stem, n in many.items()}


def _told(ruleset: Ruleset) -> Iterator[tuple[str, str, bool]]:
    """The rules of the rulebook, chapter by chapter."""
    for chapter in book(ruleset).chapters:
        if chapter.anchor not in ("turn", "provenance", "options"):
            yield from _told_in(chapter.blocks)


def _told_in(blocks: Iterable[Block]) -> Iterator[tuple[str, str, bool]]:
    """The rules of a chapter: heading and text, and whether it is a line of a table."""
    title = ""
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, Heading | Rule) and texts:
            yield title, " ".join(texts), False
            texts = []
        if isinstance(block, Heading):
            title = block.text
        elif isinstance(block, Rule):
            yield block.title, block.text, False
            yield from ((reading.title, reading.text, False) for reading in block.readings)
        elif isinstance(block, Text):
            texts.append(block.text)
        elif isinstance(block, Listing):
            texts += [sentence(line) for line in block.lines]
        elif isinstance(block, FigureTable) and not block.code:
            yield from (_row_of(block, row) for row in block.rows)
    if texts:
        yield title, " ".join(texts), False


def _row_of(table: FigureTable, row: Sequence[str]) -> tuple[str, str, bool]:
    """A line of a table in words."""
    if len(row) == 2:
        return row[0], sentence(row[1]), True
    cells = zip(table.head[1:], row[1:], strict=False)
    said = "; ".join(f"{head} {cell}" for head, cell in cells if cell not in ("", "-"))
    return row[0], sentence(said), True


def stems_of(text: str) -> frozenset[str]:
    return frozenset(stem_of(w.norm) for w in split(text) if w.norm.isalpha() and w.norm not in STOP)


def stem_of(word: str) -> str:
    """A word without what it ends in: `costs`, `influencing`, `joined` as `cost`, `influenc`, `join`."""
    word = normal(joined(word))
    word = _IRREGULAR.get(word, word)
    for ending in ("ings", "ing", "edly", "ies", "ied", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)]
    return word
