"""Matching a written order against patterns, word by word, with all ways tried; what fails, fails at the
furthest word.

`Matcher.match` yields every way to read the words; `expected` are the things that could have stood at the
furthest word that any way reached. With `loose`, small slips of spelling are forgiven at a cost, so that the
reading that needs least is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.words import Word, misspelled, normal, run_together, slips, split
from ..ruleset.order_syntax import Fixed, Pattern, Slot
from .names import EVERY, Names

MAX_STEPS = 20_000
_SPELLED = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
NUMBERS = {word: n for n, word in enumerate(_SPELLED)}
ARTICLES = ("a", "an")
"""Words for one of something where a form has a number."""
ALL = "all"
"""In a list of units: as many as there are. The checker puts the number in its place."""


def is_every(units: Any) -> bool:
    """Whether a list of units is all of them, or all with a tag, without their kinds."""
    return any(str(kind).startswith(EVERY) for kind in units or ())


class SlotValue(NamedTuple):
    """What a slot was given: the value, the columns it stands in, a note if it was read with forgiveness, and
    whether it was guessed: misspelled, not only shortened."""

    value: Any
    column: int
    end: int
    note: str = ""
    guessed: bool = False


class Match(NamedTuple):
    """A way to read the words: the values of the slots, the word after the last, and how much had to be
    forgiven."""

    values: dict[str, SlotValue]
    end: int
    cost: int


class Ambiguous(NamedTuple):
    """A name that could be several things."""

    at: int
    end: int
    kind: str
    ids: tuple[str, ...]


class Matcher:
    """One line of words against patterns; keeps the furthest failure over all of them.

    `loose` permits slips of spelling. `expected` are the things that could have stood at word `furthest`.
    """

    def __init__(self, words: tuple[Word, ...], names: Names, loose: bool = False) -> None:
        self.words = words
        self.names = names
        self.loose = loose
        self.furthest = 0
        self.expected: list[Fixed | Slot] = []
        self.ambiguous: list[Ambiguous] = []
        self.steps = 0
        self._named: dict[tuple[str, int], list[tuple[int, tuple[str, ...]]]] = {}
        """By kind and word: where names of that kind end that begin there, and whose they are; many forms ask
        the same."""

    def match(self, pattern: Pattern, at: int = 0) -> Iterator[Match]:
        """Every way to read the words from `at` on as the pattern. It need not reach the last word."""
        yield from self._walk(pattern, at, {}, 0)

    def fail(self, at: int, wanted: Fixed | Slot) -> None:
        if at > self.furthest:
            self.furthest, self.expected = at, []
        if at == self.furthest and wanted not in self.expected:
            self.expected.append(wanted)

    def _walk(self, nodes: Pattern, at: int, values: dict[str, SlotValue], cost: int) -> Iterator[Match]:
        self.steps += 1
        if self.steps > MAX_STEPS:
            return
        if not nodes:
            yield Match(values, at, cost)
            return
        node, rest = nodes[0], nodes[1:]
        if isinstance(node, Fixed):
            price = self._same(node.word, at)
            if price is None:
                self.fail(at, node)
            else:
                yield from self._walk(rest, at + 1, values, cost + price)
        elif isinstance(node, Slot):
            some = False
            for end, value, price in self._spans(node, at):
                some = True
                yield from self._walk(rest, end, {**values, node.name: value}, cost + price)
            if not some:
                self.fail(at, node)
        else:
            for way in node.ways:
                yield from self._walk(way + rest, at, values, cost)

    def _same(self, word: str, at: int) -> int | None:
        if at >= len(self.words):
            return None
        written = self.words[at].norm
        if written == word or self.names.synonym(written) == word:
            return 0
        most = slips(len(written) + 1) if self.loose else 0
        return misspelled(written, word, most) if most and len(word) >= 4 else None

    # each gives (word after, value, cost)

    def _spans(self, slot: Slot, at: int) -> Iterator[tuple[int, SlotValue, int]]:
        if at >= len(self.words):
            return
        if slot.many:
            yield from self._list(slot, at)
            return
        yield from self._one(slot, at)

    def _one(self, slot: Slot, at: int) -> Iterator[tuple[int, SlotValue, int]]:
        if at >= len(self.words):
            return
        if slot.kind == "number":
            number = self._number(at)
            if number is not None:
                yield at + 1, self._value(at, at + 1, number), 0
            yield from self._choice(slot, at)
        elif slot.kind == "units":
            yield from self._units(at)
        elif slot.kind == "link":
            yield from self._link(at)
        elif slot.kind == "text":
            yield from self._text(at)
        elif slot.kind == "choice":
            yield from self._choice(slot, at)
        else:
            yield from self._name(slot.kind, at)

    def _value(self, at: int, end: int, value: Any, note: str = "", guessed: bool = False) -> SlotValue:
        return SlotValue(value, self.words[at].column, self.words[end - 1].end, note, guessed)

    def _number(self, at: int) -> int | None:
        if at >= len(self.words):
            return None
        word = self.words[at]
        if word.is_number and len(word.norm) <= 9:
            return int(word.norm)
        return 1 if word.norm in ARTICLES else NUMBERS.get(word.norm)

    def _name(self, kind: str, at: int) -> Iterator[tuple[int, SlotValue, int]]:
        start = at + 1 if self.words[at].norm == "the" and at + 1 < len(self.words) else at
        most = self.names.longest(kind)
        exact = self._named.get((kind, start))
        if exact is None:
            ends = range(min(start + most, len(self.words)), start, -1)
            found = ((end, self.names.find(kind, run_together(self.words[start:end]))) for end in ends)
            exact = self._named[kind, start] = [(end, ids) for end, ids in found if ids]
        for end, ids in exact:
            if len(ids) == 1:
                yield end, self._value(start, end, ids[0]), 0
            else:
                self.ambiguous.append(Ambiguous(start, end, kind, ids))
        if exact or not self.loose:
            return
        for end in range(min(start + most, len(self.words)), start, -1):
            written = run_together(self.words[start:end])
            near = self.names.near(kind, written)
            if len(near) > 1:
                self.ambiguous.append(Ambiguous(start, end, kind, tuple(n.id for n in near)))
            elif near:
                as_written = " ".join(w.text for w in self.words[start:end])
                note = f"{as_written!r} was read as {self.names.printed(kind, near[0].id)!r}"
                yield end, self._value(start, end, near[0].id, note, near[0].slips > 0), near[0].slips or 1

    def _units(self, at: int) -> Iterator[tuple[int, SlotValue, int]]:
        """A list of counted kinds, longest first: `6 guards, 2 guns and 1 car`, `all guns`, `all`."""
        readings: list[tuple[int, SlotValue, int]] = []

        def go_on(here: int, counts: dict[str, Any], note: str, cost: int, guessed: bool = False) -> None:
            if here >= len(self.words):
                return
            every = self.words[here].norm == ALL
            number = ALL if every else self._number(here)
            if number is None:
                return
            if every and not counts:
                readings.append((here + 1, self._value(at, here + 1, {EVERY: ALL}, note), cost))
                tag = self.names.together(self.words[here + 1].norm) if here + 1 < len(self.words) else None
                if tag is not None:
                    readings.append((here + 2, self._value(at, here + 2, {EVERY + tag: ALL}, note), cost))
            slot = Slot("units", "unit-kind")
            for end, kind, price in self._one(slot, here + 1):
                if kind.value in counts:
                    continue
                now = {**counts, kind.value: number}
                notes = "; ".join(filter(None, (note, kind.note)))
                doubt = guessed or kind.guessed
                readings.append((end, self._value(at, end, now, notes, doubt), cost + price))
                after = end
                while after < len(self.words) and self.words[after].norm in (",", "and", "+"):
                    after += 1
                if after > end:
                    go_on(after, now, notes, cost + price, doubt)
            if here + 1 <= len(self.words) and not every:
                self.fail(here + 1, slot)

        go_on(at, {}, "", 0)
        yield from sorted(readings, key=lambda f: -f[0])

    def _link(self, at: int) -> Iterator[tuple[int, SlotValue, int]]:
        for middle, a, cost in self._name("place", at):
            after = middle
            if after < len(self.words) and self.words[after].norm in ("and", "to", "/", ">", "with"):
                after += 1
            if after >= len(self.words):
                self.fail(after, Slot("place", "place"))
                continue
            some = False
            for end, b, more in self._name("place", after):
                some = True
                note = "; ".join(filter(None, (a.note, b.note)))
                yield (
                    end,
                    self._value(at, end, f"{a.value}>{b.value}", note, a.guessed or b.guessed),
                    cost + more,
                )
            if not some:
                self.fail(after, Slot("place", "place"))

    def _text(self, at: int) -> Iterator[tuple[int, SlotValue, int]]:
        for end in range(len(self.words), at, -1):
            text = " ".join(w.text for w in self.words[at:end]).strip('" ')
            yield end, self._value(at, end, text), 0

    def _choice(self, slot: Slot, at: int) -> Iterator[tuple[int, SlotValue, int]]:
        exact = list(self.names.choices(slot.choices, self.words, at))
        for end, choice in exact:
            yield end, self._value(at, end, choice), 0
        for choice in slot.choices if self.loose and not exact else ():
            words = split(choice)
            here = self.words[at : at + len(words)]
            if run_together(words) and here:
                written, most = run_together(here), slips(len(normal(choice)))
                if most and (off := misspelled(written, run_together(words), most)) is not None:
                    note = f"{written!r} was read as {choice!r}"
                    yield at + len(here), self._value(at, at + len(here), choice, note, off > 0), off

    def _list(self, slot: Slot, at: int) -> Iterator[tuple[int, SlotValue, int]]:
        """Several of a kind, between commas or `and`; the longest list first."""
        readings: list[tuple[int, SlotValue, int]] = []

        def go_on(here: int, items: tuple[Any, ...], note: str, cost: int, guessed: bool = False) -> None:
            for end, value, price in self._one(slot, here):
                now = (*items, value.value)
                notes = "; ".join(filter(None, (note, value.note)))
                doubt = guessed or value.guessed
                readings.append((end, self._value(at, end, list(now), notes, doubt), cost + price))
                after = end
                while after < len(self.words) and self.words[after].norm in (",", "and", "+"):
                    after += 1
                if end < after < len(self.words) and len(now) < 40:
                    go_on(after, now, notes, cost + price, doubt)

        go_on(at, (), "", 0)
        yield from sorted(readings, key=lambda f: -f[0])
