"""Matching a written order against patterns, word by word, with all ways tried; what fails, fails at the
furthest word.

`Matcher.match` yields every way to read the words; `expected` are the things that could have stood at the
furthest word that any way reached. With `loose`, small slips of spelling are forgiven at a cost, so that the
reading that needs least is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..core.words import Word, misspelled, normal, run_together, slips, split
from ..ruleset.order_syntax import Either, Fixed, Node, Pattern, Slot
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


Span = tuple[int, SlotValue, int]
"""What may stand for a slot: the word after it, its value, and how much had to be forgiven."""


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


class Steps(NamedTuple):
    """A pattern from one of its nodes on, as it is gone through: the node, and what follows it; of
    alternatives each with all that follows. None: its end."""

    node: Node
    rest: Steps | None
    ways: tuple[Steps | None, ...] = ()


def steps_of(pattern: Pattern, known: dict[Pattern, Steps | None] | None = None) -> Steps | None:
    """How a pattern is gone through. What several alternatives go on with is made once (`known`)."""
    known = {} if known is None else known
    if pattern not in known:
        if not pattern:
            known[pattern] = None
        else:
            node, rest = pattern[0], pattern[1:]
            if isinstance(node, Either):
                known[pattern] = Steps(node, None, tuple([steps_of(way + rest, known) for way in node.ways]))
            else:
                known[pattern] = Steps(node, steps_of(rest, known))
    return known[pattern]


class Matcher:
    """One line of words against patterns.

    `loose` permits slips of spelling, and keeps the furthest failure over all patterns: `expected` are the
    things that could have stood at word `furthest`. What fails word for word is read loosely before anything
    is said of it.
    """

    def __init__(self, words: tuple[Word, ...], names: Names, loose: bool = False) -> None:
        self.words = words
        self.names = names
        self.loose = loose
        self.furthest = 0
        self.expected: list[Fixed | Slot] = []
        self.ambiguous: list[Ambiguous] = []
        self.steps = 0
        self._written = [(word.norm, names.synonym(word.norm)) for word in words]
        self._named: dict[tuple[str, int], tuple[list[Span], list[Ambiguous]]] = {}
        """By kind and word: the names of that kind that begin there, and those that several things have; many
        forms ask the same."""

    def match(self, steps: Steps | None, at: int = 0) -> list[Match]:
        """Every way to read the words from `at` on as a pattern. It need not reach the last word."""
        out: list[Match] = []
        self._walk(steps, at, {}, 0, out)
        return out

    def match_all(self, steps: Steps | None) -> list[Match]:
        """Every way to read all the words as a pattern."""
        out: list[Match] = []
        self._walk(steps, 0, {}, 0, out, len(self.words))
        return out

    def fail(self, at: int, wanted: Fixed | Slot) -> None:
        if at > self.furthest:
            self.furthest, self.expected = at, []
        if at == self.furthest and wanted not in self.expected:
            self.expected.append(wanted)

    def _walk(
        self,
        steps: Steps | None,
        at: int,
        values: dict[str, SlotValue],
        cost: int,
        out: list[Match],
        whole: int | None = None,
    ) -> None:
        """Add every way to read the words from `at` on to `out`; with `whole` those that end there."""
        while True:
            self.steps += 1
            if self.steps > MAX_STEPS:
                return
            if steps is None:
                if whole is None or at == whole:
                    out.append(Match(values, at, cost))
                elif self.loose:
                    self.fail(at, Fixed(""))
                return
            node, rest, ways = steps
            if isinstance(node, Fixed):
                price = self._same(node.word, at)
                if price is None:
                    if self.loose:
                        self.fail(at, node)
                    return
                steps, at, cost = rest, at + 1, cost + price
                continue
            if isinstance(node, Slot):
                some = False
                for end, value, price in self._spans(node, at):
                    some = True
                    self._walk(rest, end, {**values, node.name: value}, cost + price, out, whole)
                if not some and self.loose:
                    self.fail(at, node)
                return
            for way in ways:
                self._walk(way, at, values, cost, out, whole)
            return

    def _same(self, word: str, at: int) -> int | None:
        if at >= len(self._written):
            return None
        if word in self._written[at]:
            return 0
        if not self.loose:
            return None
        written = self._written[at][0]
        most = slips(len(written) + 1)
        return misspelled(written, word, most) if most and len(word) >= 4 else None

    def _spans(self, slot: Slot, at: int) -> Iterable[Span]:
        if at >= len(self.words):
            return ()
        return self._list(slot, at) if slot.many else self._one(slot, at)

    def _one(self, slot: Slot, at: int) -> Iterable[Span]:
        if at >= len(self.words):
            return ()
        if slot.kind == "number":
            number = self._number(at)
            numbers = () if number is None else ((at + 1, self._value(at, at + 1, number), 0),)
            return (*numbers, *self._choice(slot, at)) if slot.choices else numbers
        if slot.kind == "units":
            return self._units(at)
        if slot.kind == "link":
            return self._link(at)
        if slot.kind == "text":
            return self._text(at)
        if slot.kind == "choice":
            return self._choice(slot, at)
        return self._name(slot.kind, at)

    def _value(self, at: int, end: int, value: Any, note: str = "", guessed: bool = False) -> SlotValue:
        return SlotValue(value, self.words[at].column, self.words[end - 1].end, note, guessed)

    def _number(self, at: int) -> int | None:
        if at >= len(self.words):
            return None
        word = self.words[at]
        if word.is_number and len(word.norm) <= 9:
            return int(word.norm)
        return 1 if word.norm in ARTICLES else NUMBERS.get(word.norm)

    def _name(self, kind: str, at: int) -> Iterable[Span]:
        start = at + 1 if self.words[at].norm == "the" and at + 1 < len(self.words) else at
        known = self._named.get((kind, start))
        if known is None:
            known = self._named[kind, start] = self._names_at(kind, start)
        exact, several = known
        self.ambiguous += several
        return self._nearly(kind, start) if self.loose and not exact and not several else exact

    def _names_at(self, kind: str, start: int) -> tuple[list[Span], list[Ambiguous]]:
        """The names of a kind that begin at a word, the longest first, and those that several things have."""
        exact: list[Span] = []
        several: list[Ambiguous] = []
        for end in range(min(start + self.names.longest(kind), len(self.words)), start, -1):
            ids = self.names.find(kind, run_together(self.words[start:end]))
            if len(ids) == 1:
                exact.append((end, self._value(start, end, ids[0]), 0))
            elif ids:
                several.append(Ambiguous(start, end, kind, ids))
        return exact, several

    def _nearly(self, kind: str, start: int) -> Iterator[Span]:
        """Names of a kind that are nearly those at a word."""
        for end in range(min(start + self.names.longest(kind), len(self.words)), start, -1):
            written = run_together(self.words[start:end])
            near = self.names.near(kind, written)
            if len(near) > 1:
                self.ambiguous.append(Ambiguous(start, end, kind, tuple(n.id for n in near)))
            elif near:
                as_written = " ".join(w.text for w in self.words[start:end])
                note = f"{as_written!r} was read as {self.names.printed(kind, near[0].id)!r}"
                yield end, self._value(start, end, near[0].id, note, near[0].slips > 0), near[0].slips or 1

    def _units(self, at: int) -> Iterator[Span]:
        """A list of counted kinds, longest first: `6 guards, 2 guns and 1 car`, `all guns`, `all`."""
        readings: list[Span] = []

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

    def _link(self, at: int) -> Iterator[Span]:
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

    def _text(self, at: int) -> Iterator[Span]:
        for end in range(len(self.words), at, -1):
            text = " ".join(w.text for w in self.words[at:end]).strip('" ')
            yield end, self._value(at, end, text), 0

    def _choice(self, slot: Slot, at: int) -> Iterator[Span]:
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

    def _list(self, slot: Slot, at: int) -> Iterator[Span]:
        """Several of a kind, between commas or `and`; the longest list first."""
        readings: list[Span] = []

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
