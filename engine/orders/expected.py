"""What a line that is no order lacks, in a player's words: how it goes on, what is not understood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.words import Word
from ..ruleset.order_syntax import Fixed, Slot
from .names import Names

MOST_EXPECTED = 6
"""Things that may stand in one place of an order, as a finding lists them."""
NAMED = {
    "place": "place",
    "nation": "nation",
    "side": "side",
    "unit-kind": "kind of unit",
    "item": "thing to build",
    "tech": "technology",
    "card": "card",
    "record": "record",
}
"""Kinds of slots whose things have names -> what one of them is called."""


def one_of(words: Iterable[str]) -> str:
    """Several words as a choice: `a, b or c`."""
    *others, last = [str(w) for w in words] or [""]
    return f"{', '.join(others)} or {last}" if others else last


def goes_on_with(expected: Iterable[Fixed | Slot], names: Names) -> str:
    """The things that could stand at a place of a line; empty where only the line's end could."""
    out = []
    for item in expected:
        if isinstance(item, Fixed):
            out.append(repr(item.word) if item.word else "")
        elif item.choices:
            out.append(item.choices[0] if item.optional else one_of(item.choices))
        else:
            out.append(names.kind_words(item.kind))
    several = list(dict.fromkeys(filter(None, out)))
    if len(several) > MOST_EXPECTED:
        several = [*several[:MOST_EXPECTED], "something else"]
    return one_of(several)


def incomplete(expected: Iterable[Fixed | Slot], names: Names) -> str:
    """That a line ends too early, and how it would go on."""
    return f"the order is not complete: it goes on with {goes_on_with(expected, names) or 'something else'}"


def unknown(kinds: Iterable[str], written: str) -> str:
    """That nothing of some kinds of things goes by a name."""
    return f"no {one_of(dict.fromkeys(NAMED[k] for k in kinds))} is called {written!r}"


def not_there(
    expected: Sequence[Fixed | Slot], names: Names, words: Sequence[Word], at: int, written: str
) -> str:
    """That something stands where it cannot, from word `at` on: what could, or that the order was over."""
    over = any(isinstance(item, Fixed) and not item.word for item in expected)
    before = " ".join(word.text for word in words[max(at - 2, 0) : at])
    could = goes_on_with(expected, names)
    if over:
        return f"the order is complete before {written!r}, which is not understood"
    return f"after {before!r} comes {could or 'something else'}, not {written!r}"
