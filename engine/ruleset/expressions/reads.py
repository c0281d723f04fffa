"""Which tables of the state an expression reads: so that a test is asked again only when something it reads
has changed.

The answer is a safe one: a set of tables outside which a change cannot alter the value, or None where that
cannot be told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from ...core.choices import block_of
from ...core.model import SEQUENCE, derived_of
from ...core.nested import texts_in
from ...core.state import columns
from ..action_changes import CHANGES, requirements
from .bounds import is_verdict
from .functions import FUNCTIONS, HOLDERS, RELATED, SIDES
from .parse import Expression, ExpressionError, parse, strip_mark
from .vocabulary import ALWAYS, BUILT_IN, KINDS

if TYPE_CHECKING:
    from ...core.model import Ruleset

Tables = frozenset[str]
"""Tables, and columns of tables (`state.columns`)."""

MEANING: Final = (
    "definitions", "stats", "modifiers", "fields", "sides", CHANGES, "victory", "resources",
)  # fmt: skip
"""The forms by whose rows `reads` and `reads_of` find what an expression reads."""

_STATE_OF: Final[dict[str, tuple[str, ...]]] = {
    "side": ("sides",),
    "link": ("links",),
    "passage": ("passages",),
    "unit": ("units", *columns("nations", "grade")),
    "force": ("forces",),
    "war": ("wars",),
    "tech": ("techs", "tech_rows"),
    "item": ("items",),
    "resource": (),
    "group": (),
    "battle": (),
    "path": (),
    "agreement": ("agreements",),
    "record": ("records",),
    "card": (),
}

_COMPUTED: Final[dict[str, tuple[str, ...]]] = {
    "occupied": ("units",),
    "occupants": ("units",),
    "side": (*SIDES, *HOLDERS),
    "neutral": SIDES,
    "holder": HOLDERS,
    "owner": (*HOLDERS, "units", "forces"),
    "first_owner": HOLDERS,
    "works": ("links",),
    "id": (),
    "own_works": ("links",),
    "deploys": ("chosen",),
    "part_of": (),
    "parts": (),
    "whole": (),
    "stack": ("units",),
    "name": (),
    "kind": ("units",),
    "section": (),
    "commander": columns("nations", "seat"),
}


def reads(ruleset: Ruleset, text: str | bool | None) -> Tables | None:
    """The tables that an expression reads, through all its terms and stats; None if it may read anything."""
    if text is None or isinstance(text, bool):
        return frozenset()
    try:
        return _together(_walk(ruleset, parse(strip_mark(text)), set()))
    except ExpressionError:
        return None


def reads_of(ruleset: Ruleset, *parts: Any) -> Tables | None:
    """The tables that all the expressions of some rows read, and the terms, stats and fields that they name.

    A part is a row, a list or a text. Texts that are no expressions (names, words for people) read nothing.
    """
    return _together(table for part in parts for table in _of_part(ruleset, part, set()))


def _of_part(ruleset: Ruleset, part: Any, seen: set[str]) -> Iterator[str | None]:
    for text in texts_in(part, _NO_EXPRESSIONS):
        yield from _field(ruleset, text, seen, known=False)
        try:
            expression = parse(strip_mark(text))
        except ExpressionError:
            continue
        yield from _walk(ruleset, expression, seen)


@derived_of()
def counted_facts(ruleset: Ruleset) -> frozenset[str]:
    """The facts that any row or step of the ruleset counts, found once: nothing else need be kept of what has
    happened.
    """
    return frozenset().union(*(_counted_in(ruleset, part) for part in (*ruleset.forms, SEQUENCE)))


def _counted_in(ruleset: Ruleset, part: str) -> frozenset[str]:
    def make() -> frozenset[str]:
        parts = chain.from_iterable(ast.walk(e.tree) for e in _with(ruleset, part, *_COUNTS))
        calls = [n for n in parts if isinstance(n, ast.Call) and n.args]
        return frozenset(
            str(call.args[0].value)
            for call in calls
            if call.func.id in _COUNTS and isinstance(call.args[0], ast.Constant)  # type: ignore[attr-defined]
        )

    return ruleset.derived(("counted triggers", part), make, of=(part,))


_COUNTS: Final = ("happened", "this_turn")


def is_read(ruleset: Ruleset, field: str) -> bool:
    """Whether any row or step of the ruleset asks for a field, found once."""
    return any(_is_read_in(ruleset, part, field) for part in (*ruleset.forms, SEQUENCE))


def _is_read_in(ruleset: Ruleset, part: str, field: str) -> bool:
    def make() -> bool:
        return any(field in e.fields for e in _with(ruleset, part, field))

    return bool(ruleset.derived(("is read", part, field), make, of=(part,)))


def _with(ruleset: Ruleset, part: str, *words: str) -> Iterator[Expression]:
    """The expressions of the rows of a form, or of the steps, in whose text one of these words stands: to
    read all of them takes long."""
    for text in _texts_of(ruleset, part):
        if any(word in text for word in words):
            try:
                yield parse(strip_mark(text))
            except ExpressionError:
                continue


def _texts_of(ruleset: Ruleset, part: str) -> frozenset[str]:
    def make() -> frozenset[str]:
        return frozenset(texts(ruleset.sequence if part == SEQUENCE else list(ruleset.rows(part).values())))

    return ruleset.derived(("texts of rows", part), make, of=(part,))


def texts(part: Any) -> Iterator[str]:
    """The texts of a row that may be expressions which read a field or call a function."""
    return (text for text in texts_in(part, _NO_EXPRESSIONS) if "." in text or "(" in text)


_NO_EXPRESSIONS: Final = frozenset(
    {"id", "name", "text", "source", "note", "silence", "help", "read_back", "says", "label"}
)


def _together(found: Iterable[str | None]) -> Tables | None:
    out: set[str] = set()
    for table in found:
        if table is None:
            return None
        out.add(table)
    return frozenset(out)


def _walk(ruleset: Ruleset, expression: Expression, seen: set[str]) -> Iterator[str | None]:
    if expression.text in seen:
        return
    seen.add(expression.text)
    if not expression.names.isdisjoint(ALWAYS):
        yield from columns("game", *sorted(expression.names.intersection(ALWAYS)))
    arguments, words = _said(expression)
    yield from arguments
    for name in expression.functions:
        function = FUNCTIONS.get(name)
        if function is not None and function.reads is not None:
            yield from function.reads
            if name in ("stock", "treasury"):
                yield from purses_read(ruleset) or (None,)
        elif name == "value":
            continue  # its stat is among the words
        elif name == "within_limits":
            yield from SIDES
            yield from _of_part(
                ruleset,
                [[row["test"], row.get("when")] for row in requirements(ruleset.rows(CHANGES).values())],
                seen,
            )
        elif name == "objectives":
            yield from SIDES
            yield from _of_part(
                ruleset, [row["reached"] for row in ruleset.of_kind("victory", "aim").values()], seen
            )
        elif name in FUNCTIONS:
            yield None
        else:
            yield from _term(ruleset, name, seen)
    for word in [*expression.fields, *words]:
        yield from _field(ruleset, word, seen, known=word in expression.fields)


@lru_cache(maxsize=20_000)
def _said(expression: Expression) -> tuple[tuple[str | None, ...], frozenset[str]]:
    """What the calls of an expression read beside what their functions do, and the words that stand in it."""
    nodes = list(ast.walk(expression.tree))
    read = chain.from_iterable(_arguments(node) for node in nodes if isinstance(node, ast.Call))
    words = (node.value for node in nodes if isinstance(node, ast.Constant))
    return tuple(read), frozenset(word for word in words if isinstance(word, str))


def _arguments(call: ast.Call) -> Iterator[str | None]:
    """What a call reads beside what its function does: units that are counted; anything, where it is computed
    what is asked.
    """
    name = call.func.id  # type: ignore[attr-defined]
    if name in _WEIGHING and any(isinstance(a, ast.Name) for a in call.args[:1]):
        yield "units"
    for argument, kind in zip(call.args, FUNCTIONS[name].args if name in FUNCTIONS else (), strict=False):
        if kind in ("term", "id:stats") and not isinstance(argument, ast.Constant):
            yield None


_WEIGHING: Final = frozenset({"count", "sum"})  # of units as many as are in their stacks


@derived_of(*MEANING)
def purses_read(ruleset: Ruleset) -> Tables | None:
    """The tables that decide how the land of a nation falls into regions with treasuries of their own, and
    where its seat is.
    """
    rows = [block_of(row, "treasury") for row in ruleset.rows("resources").values()]
    through = [reads(ruleset, row.get("through")) for row in rows]
    seats = [_together(_field(ruleset, row["seat"], set(), known=True)) for row in rows if "seat" in row]
    return _together(
        (
            *HOLDERS,
            *RELATED,
            *(table for part in (*through, *seats) for table in (part if part is not None else (None,))),
        )
    )


def _term(ruleset: Ruleset, name: str, seen: set[str]) -> Iterator[str | None]:
    row = ruleset.rows("definitions").get(name)
    if row is None:
        yield None
    elif is_verdict(row):
        yield from columns("verdicts", name)
    elif isinstance(row["is"], str):
        yield from _walk(ruleset, parse(strip_mark(row["is"])), seen)


def _field(ruleset: Ruleset, word: str, seen: set[str], *, known: bool) -> Iterator[str | None]:
    """What a field, or a text that may name a term, a stat or a field, reads. Other texts read nothing."""
    if word in ruleset.rows("definitions"):
        yield from _term(ruleset, word, seen)
        known = False
    if word in ruleset.rows("stats"):
        yield from _quantity(ruleset, word, seen)
        known = False
    declared = ruleset.rows("fields").get(word)
    if declared is not None:
        for kind in declared["of"]:
            yield from _state_of(kind, word)
    if word in _COMPUTED:
        yield from _COMPUTED[word]
        return
    for kind, fields in BUILT_IN.items():
        if word in fields:
            yield from _state_of(kind, word)
    if (
        known
        and declared is None
        and not any(word in fields for fields in BUILT_IN.values())
        and word not in _FILTERS
    ):
        yield None


def _state_of(kind: str, field: str) -> tuple[str | None, ...]:
    """Where a field of things of a kind lies: of nations and places, whose fields have little to do with each
    other, a column.
    """
    return columns(KINDS[kind], field) if kind in ("nation", "place") else _STATE_OF.get(kind, (None,))


_FILTERS: Final[frozenset[str]] = frozenset({"at", "on_map", "known", "of", "party", "near"})


def _quantity(ruleset: Ruleset, name: str, seen: set[str]) -> Iterator[str | None]:
    if f"value of {name}" in seen:
        return
    seen.add(f"value of {name}")
    row = ruleset.row("stats", name)
    yield from _SUBJECT.get(row["of"], ())
    yield from _of_part(ruleset, [row["base"], row.get("unless"), *_marked(row)], seen)
    sides = ruleset.rows("sides")
    for adjust in ruleset.rows("modifiers").values():
        if adjust["of"] == name:
            yield from _of_part(ruleset, [adjust.get("when"), *_marked(adjust)], seen)
            wanted = adjust.get("for", ())
            if any(w in sides for w in ([wanted] if isinstance(wanted, str) else wanted)):
                yield from SIDES


_SUBJECT: Final = {"unit": ("units",), "place": HOLDERS}  # whose a thing is, which its figures may name


def _marked(row: Mapping[str, Any]) -> list[str]:
    """The values of a row that are marked as expressions."""
    listed = [v for value in row.values() for v in (value if isinstance(value, list) else [value])]
    return [v for v in listed if isinstance(v, str) and v.startswith("=")]
