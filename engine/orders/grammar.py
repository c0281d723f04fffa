"""The grammar of orders, built from the `form` texts of a ruleset's acts, orders, decisions and order
options.

A form has words, `{slots}`, alternatives in ( | ) and optional parts in [ ]. A written order is then matched
against the patterns word by word. Names come from tables and may contain any word of a form (a "Gulf of"
something), so that words and names are matched together, with all ways tried; what fails, fails at the
furthest word reached, with everything that could have stood there.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..core.model import Row, Ruleset, derived_of
from ..ruleset.order_syntax import (
    FORM_OF,
    Either,
    Fixed,
    FormError,
    Node,
    Pattern,
    Slot,
    always_there,
    first_words,
    fixed_words,
    needed_words,
    read_form,
    slots_in,
)
from .match import ARTICLES, Steps, steps_of
from .names import Names

ORDER_FORMS = ("actions", "orders", "decisions")
OPTION_FORM = "order_options"
REFUSAL_FORM = "notes"


def shortest(pattern: Pattern, names: Names, values: Row, *, agree: bool = False) -> str:
    """An order text that fits the pattern with these slot values written into it; optional parts only if they
    hold a value.

    With `agree` it is written to be read: the first of two plain alternatives right after a number (or units)
    is for one, the second for more, and a small word that may stand before a thing stands there.
    """
    out: list[str] = []
    before: Any = None  # the number right before a thing, which is in the plural then
    for place, node in enumerate(pattern):
        count, before = before, None
        if isinstance(node, Fixed):
            out.append(node.word)
        elif isinstance(node, Slot):
            value = values.get(node.name)
            counted = node.kind in ("item", "unit-kind") and isinstance(count, int) and isinstance(value, str)
            out.append(
                names.printed(node.kind, str(value), int(count or 0))
                if counted
                else _written(node, names, value)
            )
            if node.kind == "number":
                before = value
            elif agree and node.kind == "units":
                before = _number_of(value)
            elif agree and counted:  # a verb behind the thing agrees with its number, too
                behind = pattern[place + 1] if place + 1 < len(pattern) else None
                before = count if isinstance(behind, Either) and _is_verb(behind) else None
        elif (
            agree
            and count is not None
            and len(node.ways) == 2
            and not any(_has_slots(w) for w in node.ways)
            and node.ways[1]
        ):
            out.append(shortest(node.ways[0 if count == 1 else 1], names, values))
        else:
            word = _small(node) if agree else None
            if (
                word is not None
                and out
                and out[-1]
                and place + 1 < len(pattern)
                and isinstance(pattern[place + 1], Slot)
            ):
                out.append(word)
                continue
            way = _way_for(node, values)
            out.append(shortest(way, names, values, agree=agree))
            alone = _alone(way)
            numbered = isinstance(alone, Slot) and alone.kind == "number"
            if not out[-1]:
                before = count
            elif isinstance(alone, Slot) and numbered:
                before = values.get(alone.name)
    text = " ".join(part for part in out if part)
    return text.replace(" :", ":").replace(" ,", ",")


def _way_for(node: Either, values: Row) -> Pattern:
    """The first of several ways that writes most of the values, and needs no other; without any
    nothing, or words alone."""
    said = {w: sum(s.name in values for s in slots_in(w)) for w in node.ways}
    named = [w for w in node.ways if said[w] and always_there(w) <= values.keys()]
    if named:
        return max(named, key=lambda w: said[w])
    plain = [w for w in node.ways if not any(slots_in(w))]
    return next((w for w in plain if not w), (plain or list(node.ways))[0])


def _alone(way: Pattern) -> Node | None:
    """What a way consists of, if that is one thing, whether or not it may be left out."""
    while len(way) == 1 and isinstance(way[0], Either):
        way = next((inner for inner in way[0].ways if inner), ())
    return way[0] if len(way) == 1 else None


def _is_verb(node: Either) -> bool:
    """Whether two words are a verb for one and for several: "is" and "are", "goes" and "go"."""
    words = [way[0].word for way in node.ways if len(way) == 1 and isinstance(way[0], Fixed)]
    if len(words) != 2 or len(node.ways) != 2:
        return False
    one, several = words
    return (one, several) in {("is", "are"), ("has", "have")} or one in (f"{several}s", f"{several}es")


def _small(node: Either) -> str | None:
    """The first of some small words that may stand before a place, or be left out."""
    words = [way[0].word for way in node.ways if len(way) == 1 and isinstance(way[0], Fixed)]
    return words[0] if () in node.ways and words and words[0] in ("to", "in", "at") else None


def _has_slots(pattern: Pattern) -> bool:
    return next(slots_in(pattern), None) is not None


def _number_of(units: Any) -> int | None:
    """How many units there are, where every number is known."""
    counts = list(units.values()) if isinstance(units, dict) else []
    return sum(counts) if counts and all(isinstance(n, int) for n in counts) else None


def _written(slot: Slot, names: Names, value: Any) -> str:
    if value is None:
        return f"<{slot.name}>"
    if slot.kind == "units" and isinstance(value, dict):
        return names.units(value)
    if isinstance(value, list | tuple):
        return ", ".join(_written(slot, names, v) for v in value)
    if slot.kind in FORM_OF or slot.kind in ("link", "record"):
        return names.printed(slot.kind, str(value))
    return str(value)


# ---- the grammar of a ruleset


class OrderForm(NamedTuple):
    """One way to write orders: the form of the row ("acts", "orders" ...), its id, its row, its pattern.

    `first` are the words it may begin with (None: any); of each set of `needed` a line has a word. `steps` is
    the pattern as lines are matched against it.
    """

    form: str
    id: str
    row: Row
    pattern: Pattern
    first: frozenset[str] | None
    needed: tuple[frozenset[str], ...]
    steps: Steps | None

    def may_be(self, words: Set[str]) -> bool:
        """Whether a line with these words can be this form word for word; with those that they stand for."""
        return not any(words.isdisjoint(some) for some in self.needed)

    @property
    def key(self) -> str:
        return f"{self.form}/{self.id}"


@dataclass(frozen=True)
class Grammar:
    """Every order form and option of a ruleset, and what of it could not be read (row -> why)."""

    forms: tuple[OrderForm, ...]
    options: tuple[OrderForm, ...]
    faults: dict[str, str] = field(default_factory=dict)
    refusals: tuple[OrderForm, ...] = ()  # lines that the rules do not allow at all

    @classmethod
    def of(cls, ruleset: Ruleset) -> Grammar:
        """The grammar of a ruleset, built once."""
        return _grammar(ruleset)

    def form(self, key: str) -> OrderForm | None:
        """The order form of a row ("form/id")."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> dict[str, OrderForm]:
        return {f.key: f for f in reversed(self.forms)}  # of several with one key the first

    def openings(self) -> list[str]:
        """The words that orders begin with."""
        return sorted(self.opening_words)

    def begun_by(self, words: frozenset[str]) -> tuple[OrderForm, ...]:
        """The order forms that may begin with one of these words."""
        opening = words & self.opening_words
        if opening not in self._by_opening:
            self._by_opening[opening] = tuple(
                f for f in self.forms if f.first is None or not opening.isdisjoint(f.first)
            )
        return self._by_opening[opening]

    @cached_property
    def _by_opening(self) -> dict[frozenset[str], tuple[OrderForm, ...]]:
        return {}

    @cached_property
    def opening_words(self) -> frozenset[str]:
        """The same as a set."""
        return frozenset(w for f in self.forms for w in f.first or ())

    @cached_property
    def letters(self) -> frozenset[str]:
        """The words of orders that are one letter, with which names are often run together; articles are
        none of them."""
        words = {word for form in self.forms for word in fixed_words(form.pattern)}
        return frozenset(w for w in words if len(w) == 1 and w.isalpha() and w not in ARTICLES)

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The words that orders begin with, those of orders that may begin with a name instead among them."""
        out = set(self.opening_words)
        for form in self.forms:
            lead = form.pattern[0]
            for way in lead.ways if isinstance(lead, Either) and form.first is None else ():
                out |= first_words(way) or set()
        return frozenset(out)


@derived_of(*ORDER_FORMS, OPTION_FORM, REFUSAL_FORM)
def _grammar(ruleset: Ruleset) -> Grammar:
    faults: dict[str, str] = {}

    def read(form: str) -> list[OrderForm]:
        out = []
        for id_, row in ruleset.rows(form).items():
            if "syntax" not in row:
                continue
            try:
                pattern = read_form(row["syntax"], row.get("slots"))
            except FormError as error:
                faults[f"{form}/{id_}"] = str(error)
                continue
            first = first_words(pattern)
            begins = frozenset(first) if first is not None else None
            needed = tuple(needed_words(pattern))
            out.append(OrderForm(form, id_, row, pattern, begins, needed, steps_of(pattern)))
        return out

    forms = [f for form in ORDER_FORMS for f in read(form)]
    return Grammar(tuple(forms), tuple(read(OPTION_FORM)), faults, tuple(read(REFUSAL_FORM)))
