"""The grammar of orders, built from the `form` texts of a ruleset's acts, orders, decisions and order options.

Forms are read by a small lark grammar: words, `{slots}`, alternatives in ( | ) and optional parts in [ ]. A written order is
then matched against the patterns word by word. Names come from tables and may contain any word of a form (a "Gulf of"
something), so that words and names are matched together, with all ways tried; what fails, fails at the furthest word reached,
with everything that could have stood there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Transformer
from lark.exceptions import UnexpectedInput

from ..ruleset.model import Row, Ruleset
from .names import FORM_OF, WORDS_OF_KIND, Names
from .words import Word, distance, normal, run_together, slips, split

ORDER_FORMS = ("acts", "orders", "decisions")
OPTION_FORM = "order_options"
MAX_STEPS = 20_000
_SPELLED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS = {word: n for n, word in enumerate(_SPELLED)}
ALL = "all"
"""In a list of units: as many as there are. The checker puts the number in its place."""


class FormError(ValueError):
    """A form text that cannot be read."""


# ---- patterns


@dataclass(frozen=True, slots=True)
class Fixed:
    """A word or sign that must stand there."""

    word: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A thing to be named, counted or chosen."""

    name: str
    kind: str
    choices: tuple[str, ...] = ()
    many: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """One of several sequences; an optional part is one of itself and nothing."""

    ways: tuple[Pattern, ...]


Node = Fixed | Slot | Either
Pattern = tuple[Node, ...]

_FORM = r"""
start: either
either: sequence ("|" sequence)*
sequence: item*
item: WORD -> word | "{" NAME "}" -> slot | "(" either ")" -> group | "[" either "]" -> maybe
NAME: /[a-z][a-z0-9_-]*/
WORD: /[^\s{}\[\]()|]+/
%ignore /\s+/
"""


@cache
def _reader() -> Lark:
    return Lark(_FORM, parser="lalr")


class _Build(Transformer):  # type: ignore[type-arg]
    def __init__(self, slots: dict[str, Slot]) -> None:
        super().__init__()
        self.slots = slots

    def start(self, parts: list[Any]) -> Pattern:
        return _flat(parts[0])

    def either(self, parts: list[Pattern]) -> tuple[Pattern, ...]:
        return tuple(parts)

    def sequence(self, parts: list[Pattern]) -> Pattern:
        return tuple(node for part in parts for node in part)

    def word(self, parts: list[Any]) -> Pattern:
        return tuple(Fixed(w.norm) for w in split(str(parts[0])))

    def slot(self, parts: list[Any]) -> Pattern:
        name = str(parts[0])
        slot = self.slots.get(name) or slot_of(name, None)
        return (Either(((slot,), ())),) if slot.optional else (slot,)

    def group(self, parts: list[tuple[Pattern, ...]]) -> Pattern:
        return _flat(parts[0])

    def maybe(self, parts: list[tuple[Pattern, ...]]) -> Pattern:
        return (Either((*parts[0], ())),)


def _flat(ways: tuple[Pattern, ...]) -> Pattern:
    return ways[0] if len(ways) == 1 else (Either(ways),)


def slot_of(name: str, declared: Row | str | None) -> Slot:
    """A slot as its row declares it. Undeclared, it holds the kind that it is named after, `n` a number, else text."""
    if isinstance(declared, dict):
        return Slot(
            name,
            declared["kind"],
            tuple(declared.get("choices", ())),
            bool(declared.get("many")),
            bool(declared.get("optional")),
        )
    if declared is not None:
        return Slot(name, declared)
    if name in WORDS_OF_KIND:
        return Slot(name, name)
    return Slot(name, "number" if name == "n" else "text")


def read_form(text: str, slots: Row | None = None) -> Pattern:
    """The pattern of a form text. Raises FormError."""
    known = {name: slot_of(name, kind) for name, kind in (slots or {}).items()}
    try:
        pattern: Pattern = _Build(known).transform(_reader().parse(text))
    except UnexpectedInput as error:
        at = getattr(error, "column", 0)
        raise FormError(f"column {at} of the form {text!r} cannot be read; brackets must be closed") from None
    if not pattern:
        raise FormError("the form is empty")
    return pattern


def slots_in(pattern: Pattern) -> Iterator[Slot]:
    """Every slot of a pattern, in order."""
    for node in pattern:
        if isinstance(node, Slot):
            yield node
        elif isinstance(node, Either):
            for way in node.ways:
                yield from slots_in(way)


def first_words(pattern: Pattern) -> set[str] | None:
    """The words a pattern can begin with; None if it can begin with anything."""
    out: set[str] = set()
    for node in pattern:
        if isinstance(node, Fixed):
            return out | {node.word}
        if isinstance(node, Slot):
            return None
        empty = False
        for way in node.ways:
            if not way:
                empty = True
                continue
            first = first_words(way)
            if first is None:
                return None
            out |= first
        if not empty:
            return out
    return None


def shortest(pattern: Pattern, names: Names, values: Row) -> str:
    """An order text that fits the pattern with these slot values written into it; optional parts only if they hold a value."""
    out: list[str] = []
    for node in pattern:
        if isinstance(node, Fixed):
            out.append(node.word)
        elif isinstance(node, Slot):
            out.append(_written(node, names, values.get(node.name)))
        else:
            fits = [w for w in node.ways if all(s.name in values for s in slots_in(w))]
            named = [w for w in fits if any(True for _ in slots_in(w))]
            way = (named or [w for w in fits if not w] or fits or list(node.ways))[0]
            out.append(shortest(way, names, values))
    text = " ".join(part for part in out if part)
    return text.replace(" :", ":").replace(" ,", ",")


def _written(slot: Slot, names: Names, value: Any) -> str:
    if value is None:
        return f"<{slot.name}>"
    if slot.kind == "units" and isinstance(value, dict):
        return names.units(value)
    if isinstance(value, list | tuple):
        return ", ".join(_written(slot, names, v) for v in value)
    if slot.kind in FORM_OF or slot.kind == "link":
        return names.printed(slot.kind, str(value))
    return str(value)


# ---- the grammar of a ruleset


class OrderForm(NamedTuple):
    """One way to write orders: the form of the row ("acts", "orders" ...), its id, its row, its pattern."""

    form: str
    id: str
    row: Row
    pattern: Pattern
    first: frozenset[str] | None

    @property
    def key(self) -> str:
        return f"{self.form}/{self.id}"


@dataclass(frozen=True)
class Grammar:
    """Every order form and option of a ruleset, and what of it could not be read (row -> why)."""

    forms: tuple[OrderForm, ...]
    options: tuple[OrderForm, ...]
    faults: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, ruleset: Ruleset) -> Grammar:
        """The grammar of a ruleset, built once."""
        grammar: Grammar = ruleset.derived("order grammar", lambda: _grammar(ruleset))
        return grammar

    def form(self, key: str) -> OrderForm | None:
        """The order form of a row ("form/id")."""
        return next((f for f in self.forms if f.key == key), None)

    def openings(self) -> list[str]:
        """The words that orders begin with."""
        return sorted({w for f in self.forms for w in f.first or ()})


def _grammar(ruleset: Ruleset) -> Grammar:
    faults: dict[str, str] = {}

    def read(form: str) -> list[OrderForm]:
        out = []
        for id_, row in ruleset.rows(form).items():
            if "form" not in row:
                continue
            try:
                pattern = read_form(row["form"], row.get("slots"))
            except FormError as error:
                faults[f"{form}/{id_}"] = str(error)
                continue
            first = first_words(pattern)
            out.append(OrderForm(form, id_, row, pattern, frozenset(first) if first is not None else None))
        return out

    forms = [f for form in ORDER_FORMS for f in read(form)]
    return Grammar(tuple(forms), tuple(read(OPTION_FORM)), faults)


# ---- matching


class Value(NamedTuple):
    """What a slot was given: the value, the columns it stands in, and a note if it was read with forgiveness."""

    value: Any
    column: int
    end: int
    note: str = ""


class Found(NamedTuple):
    """A way to read the words: the values of the slots, the word after the last, and how much had to be forgiven."""

    values: dict[str, Value]
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

    def match(self, pattern: Pattern, at: int = 0) -> Iterator[Found]:
        """Every way to read the words from `at` on as the pattern. It need not reach the last word."""
        yield from self._walk(pattern, at, {}, 0)

    def fail(self, at: int, wanted: Fixed | Slot) -> None:
        if at > self.furthest:
            self.furthest, self.expected = at, []
        if at == self.furthest and wanted not in self.expected:
            self.expected.append(wanted)

    def _walk(self, nodes: Pattern, at: int, values: dict[str, Value], cost: int) -> Iterator[Found]:
        self.steps += 1
        if self.steps > MAX_STEPS:
            return
        if not nodes:
            yield Found(values, at, cost)
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
        if most and len(word) >= 4 and (off := distance(written, word, most)) <= most:
            return off
        return None

    # each gives (word after, value, cost)

    def _spans(self, slot: Slot, at: int) -> Iterator[tuple[int, Value, int]]:
        if at >= len(self.words):
            return
        if slot.many:
            yield from self._list(slot, at)
            return
        yield from self._one(slot, at)

    def _one(self, slot: Slot, at: int) -> Iterator[tuple[int, Value, int]]:
        if at >= len(self.words):
            return
        if slot.kind == "number":
            number = self._number(at)
            if number is not None:
                yield at + 1, self._value(at, at + 1, number), 0
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

    def _value(self, at: int, end: int, value: Any, note: str = "") -> Value:
        return Value(value, self.words[at].column, self.words[end - 1].end, note)

    def _number(self, at: int) -> int | None:
        if at >= len(self.words):
            return None
        word = self.words[at]
        if word.is_number and len(word.norm) <= 9:
            return int(word.norm)
        return NUMBERS.get(word.norm)

    def _name(self, kind: str, at: int) -> Iterator[tuple[int, Value, int]]:
        start = at + 1 if self.words[at].norm == "the" and at + 1 < len(self.words) else at
        most = self.names.longest(kind)
        exact = False
        for end in range(min(start + most, len(self.words)), start, -1):
            ids = self.names.find(kind, run_together(self.words[start:end]))
            if len(ids) == 1:
                exact = True
                yield end, self._value(start, end, ids[0]), 0
            elif ids:
                exact = True
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
                yield end, self._value(start, end, near[0].id, note), near[0].slips or 1

    def _units(self, at: int) -> Iterator[tuple[int, Value, int]]:
        """A list of counted kinds, longest first: `6 guards, 2 guns and 1 car`, `all guns`, `all`."""
        found: list[tuple[int, Value, int]] = []

        def go_on(here: int, counts: dict[str, Any], note: str, cost: int) -> None:
            if here >= len(self.words):
                return
            every = self.words[here].norm == ALL
            number = ALL if every else self._number(here)
            if number is None:
                return
            if every and not counts:
                found.append((here + 1, self._value(at, here + 1, {"*": ALL}, note), cost))
            slot = Slot("units", "unit-kind")
            for end, kind, price in self._one(slot, here + 1):
                if kind.value in counts:
                    continue
                now = {**counts, kind.value: number}
                notes = "; ".join(filter(None, (note, kind.note)))
                found.append((end, self._value(at, end, now, notes), cost + price))
                after = end
                while after < len(self.words) and self.words[after].norm in (",", "and", "+"):
                    after += 1
                if after > end:
                    go_on(after, now, notes, cost + price)
            if here + 1 <= len(self.words) and not every:
                self.fail(here + 1, slot)

        go_on(at, {}, "", 0)
        yield from sorted(found, key=lambda f: -f[0])

    def _link(self, at: int) -> Iterator[tuple[int, Value, int]]:
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
                yield end, self._value(at, end, f"{a.value}>{b.value}", note), cost + more
            if not some:
                self.fail(after, Slot("place", "place"))

    def _text(self, at: int) -> Iterator[tuple[int, Value, int]]:
        for end in range(len(self.words), at, -1):
            text = " ".join(w.text for w in self.words[at:end]).strip('" ')
            yield end, self._value(at, end, text), 0

    def _choice(self, slot: Slot, at: int) -> Iterator[tuple[int, Value, int]]:
        for choice in slot.choices:
            words = split(choice)
            here = self.words[at : at + len(words)]
            if [w.norm for w in words] == [w.norm for w in here]:
                yield at + len(words), self._value(at, at + len(words), choice), 0
            elif self.loose and run_together(words) and here:
                written, most = run_together(here), slips(len(normal(choice)))
                if most and (off := distance(written, run_together(words), most)) <= most:
                    note = f"{written!r} was read as {choice!r}"
                    yield at + len(here), self._value(at, at + len(here), choice, note), off

    def _list(self, slot: Slot, at: int) -> Iterator[tuple[int, Value, int]]:
        """Several of a kind, between commas or `and`; the longest list first."""
        found: list[tuple[int, Value, int]] = []

        def go_on(here: int, items: tuple[Any, ...], note: str, cost: int) -> None:
            for end, value, price in self._one(slot, here):
                now = (*items, value.value)
                notes = "; ".join(filter(None, (note, value.note)))
                found.append((end, self._value(at, end, list(now), notes), cost + price))
                after = end
                while after < len(self.words) and self.words[after].norm in (",", "and", "+"):
                    after += 1
                if end < after < len(self.words) and len(now) < 40:
                    go_on(after, now, notes, cost + price)

        go_on(at, (), "", 0)
        yield from sorted(found, key=lambda f: -f[0])
