"""Which findings only follow from others? The cause is told, and what comes of it is left out.

An error that proposes a word, or a row of wrong shape, has mostly made the rest of what is found: that
nothing uses the word which was meant, that the key is missing which was misspelt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...core.diagnostics import Diagnostic

UNUSED = frozenset({"W602", "W603", "W604", "W609"})
"""Findings that nothing names a row."""
ALONE = "W624"
"""A word that stands nowhere else: told only where no other finding names the word."""
TWICE = "E205"
"""Two rows with one id: the id that one of them was to have is missing elsewhere."""
MISSING = frozenset({"E305", "E401", "E407"})
"""Findings that a row is not there."""
_MEANT = re.compile(r"did you mean '?([^'?]+)'?\?")
_NAMED = re.compile(r"'([^']+)'")


def without_consequences(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings without those that say of a word that nothing names it, where an error says that it was
    meant.
    """
    told = list(found)
    meant = {(d.file, word[1]) for d in told if d.severity == "error" and (word := _MEANT.fullmatch(d.hint))}
    words = {word for _, word in meant}
    named = {(d.file, d.line, word) for d in told if d.code != ALONE for word in _NAMED.findall(d.message)}
    at = {(d.file, d.line, d.column) for d in told if d.severity == "error"}
    halved = {d.message.partition(" ")[0] for d in told if d.code == TWICE}
    for d in told:
        if d.code in MISSING and not halved.isdisjoint(d.message.split(" ")):
            continue
        if d.code == ALONE and (d.file, d.line, d.column) in at:
            continue
        if d.code in UNUSED and halved:
            continue
        if d.code in UNUSED and not words.isdisjoint(_NAMED.findall(d.message)):
            continue
        if d.code == ALONE and not named.isdisjoint(
            (d.file, d.line, word) for word in _NAMED.findall(d.message)
        ):
            continue
        lacking = _NAMED.search(d.message) if d.code == "E207" else None
        if lacking is not None and (d.file, lacking[1]) in meant:
            continue
        yield d
