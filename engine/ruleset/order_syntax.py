"""Forms of orders as rows write them (`form`, `read_back`): words, {slots}, (one | another), [left out or
not].

The grammar of orders matches lines against these patterns; checks and refusals ask them what a form holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..core.choices import as_slot
from ..core.model import Row
from ..core.words import split

CARGO = "cargo"
"""The slot of an order for those who are taken aboard."""
FORM_OF: Mapping[str, str] = {
    "nation": "nations",
    "place": "places",
    "side": "sides",
    "tech": "technologies",
    "item": "production",
    "passage": "passages",
    "resource": "resources",
    "unit-kind": "units",
    "card": "cards",
}
"""Kind of slot -> the form whose rows it names."""

WORDS_OF_KIND: Mapping[str, str] = {
    "nation": "a nation",
    "place": "a place",
    "side": "a side",
    "tech": "a technology",
    "item": "something that can be built",
    "passage": "a passage",
    "resource": "a resource",
    "unit-kind": "a kind of unit",
    "card": "a card",
    "record": "a record of the game",
    "units": "units (such as `2 {example}`)",
    "number": "a number",
    "force": "a force",
    "link": "a border (two neighboring places)",
    "text": "a text",
    "choice": "a choice",
}


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

_TOKEN = re.compile(
    r"\s*(?:(?P<slot>\{[a-z][a-z0-9_-]*\})|(?P<sign>[()\[\]|])|(?P<word>[^\s{}\[\]()|]+)|(?P<end>$))"
)
SLOT = re.compile(r"\{([a-z][a-z0-9_-]*)\}")
"""A slot in the text of a form."""
_CLOSING = {"(": ")", "[": "]"}


class _Form:
    """Reads the text of a form:

    `sequence | sequence ...`, of words, {slots}, (groups) and [what may be left out].
    """

    def __init__(self, text: str, slots: dict[str, Slot]) -> None:
        self.text = text.rstrip()
        self.slots = slots
        self.at = 0
        self.token = self._next()

    def _next(self) -> str:
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            raise self.fault(len(self.text[self.at :]) - len(self.text[self.at :].lstrip()))
        self.at = found.end()
        return found[0].strip()

    def fault(self, skipped: int = 0) -> FormError:
        at = self.at + skipped + 1
        return FormError(f"column {at} of the form {self.text!r} cannot be read; brackets must be closed")

    def whole(self) -> Pattern:
        ways = self.ways()
        if self.token:
            self.at = self.at - len(self.token)
            raise self.fault()
        return _flat(ways)

    def ways(self) -> tuple[Pattern, ...]:
        out = [self.sequence()]
        while self.token == "|":
            self.token = self._next()
            out.append(self.sequence())
        return tuple(out)

    def sequence(self) -> Pattern:
        nodes: list[Node] = []
        while self.token and self.token not in ("|", ")", "]"):
            token, self.token = self.token, self._next()
            if token in _CLOSING:
                ways = self.ways()
                if self.token != _CLOSING[token]:
                    self.at -= len(self.token)
                    raise self.fault()
                self.token = self._next()
                nodes += _flat(ways) if token == "(" else (Either((*ways, ())),)
            elif token.startswith("{"):
                name = token[1:-1]
                slot = self.slots.get(name) or slot_of(name, None)
                nodes.append(Either(((slot,), ())) if slot.optional else slot)
            else:
                nodes += (Fixed(w.norm) for w in split(token))
        return tuple(nodes)


def _flat(ways: tuple[Pattern, ...]) -> Pattern:
    return ways[0] if len(ways) == 1 else (Either(ways),)


def slot_of(name: str, declared: Row | str | None) -> Slot:
    """A slot as its row declares it.

    Undeclared, it holds the kind that it is named after, `n` a number, else text.
    """
    if declared is not None:
        said = as_slot(declared)
        choices, many, optional = said.get("choices", ()), said.get("many"), said.get("optional")
        return Slot(name, said["kind"], tuple(choices), bool(many), bool(optional))
    if name in WORDS_OF_KIND:
        return Slot(name, name)
    return Slot(name, "number" if name == "n" else "text")


def read_form(text: str, slots: Row | None = None) -> Pattern:
    """The pattern of a form text. Raises FormError."""
    known = {name: slot_of(name, kind) for name, kind in (slots or {}).items()}
    pattern = _Form(text, known).whole()
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


def option_slots(row: Row) -> dict[str, Slot]:
    """The slots of an option, in the order of its form."""
    return {slot.name: slot for slot in slots_in(read_form(row["syntax"], row.get("slots")))}


def always_there(pattern: Pattern) -> frozenset[str]:
    """The slots that every way of writing an order of this pattern fills."""
    out: set[str] = set()
    for node in pattern:
        if isinstance(node, Slot):
            out.add(node.name)
        elif isinstance(node, Either):
            out |= frozenset.intersection(*(always_there(way) for way in node.ways))
    return frozenset(out)


def written_twice(pattern: Pattern) -> list[str]:
    """The slots that some way of writing an order of this pattern has more than once."""
    return [name for name, times in _most_often(pattern).items() if times > 1]


def _most_often(pattern: Pattern) -> dict[str, int]:
    """How often each slot stands at most in one way of writing an order."""
    out: dict[str, int] = {}
    for node in pattern:
        if isinstance(node, Slot):
            out[node.name] = out.get(node.name, 0) + 1
        elif isinstance(node, Either):
            ways = [_most_often(way) for way in node.ways]
            for name in {name for way in ways for name in way}:
                out[name] = out.get(name, 0) + max(way.get(name, 0) for way in ways)
    return out


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


def fixed_words(pattern: Pattern) -> Iterator[str]:
    """The words of a pattern that are not slots, those of all its alternatives."""
    for node in pattern:
        if isinstance(node, Fixed):
            yield node.word
        elif not isinstance(node, Slot):
            for way in node.ways:
                yield from fixed_words(way)


def needed_words(pattern: Pattern) -> list[frozenset[str]]:
    """Of each of these sets a text that fits the pattern has a word, wherever."""
    out: list[frozenset[str]] = []
    for node in pattern:
        if isinstance(node, Fixed):
            out.append(frozenset((node.word,)))
        elif not isinstance(node, Slot):
            ways = [needed_words(way) for way in node.ways]
            if all(ways):
                out.append(frozenset().union(*(min(sets, key=len) for sets in ways)))
    return out


def as_said(pattern: Pattern) -> str:
    """A form as it is said: the last of its alternatives, without what may be left out, `?` for what is to be
    filled in.
    """
    parts = []
    for node in pattern:
        if isinstance(node, Either):
            parts.append("" if () in node.ways else as_said(node.ways[-1]))
        else:
            parts.append("?" if isinstance(node, Slot) else node.word)
    return " ".join(part for part in parts if part)
