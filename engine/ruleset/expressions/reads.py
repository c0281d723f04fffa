"""Which tables of the state an expression reads: so that a test is asked again only when something it reads has changed.

The answer is a safe one: a set of tables outside which a change cannot alter the value, or None where that cannot be told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from ...core.state import columns
from .parse import Expression, ExpressionError, parse
from .vocabulary import ALWAYS, BUILT_IN, FUNCTIONS, KINDS

if TYPE_CHECKING:
    from ...core.model import Ruleset

Tables = frozenset[str]
"""Tables, and columns of tables (`state.columns`)."""

SIDES: Final = columns("nations", "side")
HOLDERS: Final = columns("places", "holder", "owner")
_RELATED = ("relations", *SIDES)
_HELD = ("units", *HOLDERS, *_RELATED)

EARLIER: Final = "earlier moments"
"""Stands among the tables for what `was` reads: states that change apart from the present one's tables."""

# what a function reads beside its arguments; a function that is not listed could read anything
_FUNCTIONS: Final[dict[str, tuple[str, ...]]] = {
    "nations": columns("nations"), "places": (), "units": ("units",), "forces": ("forces",), "wars": ("wars",),
    "techs": ("techs",), "sides": (), "group": (), "these": (), "both": (), "either": (), "without": (), "neighbours": (),
    "in_order": (), "listed": (), "only": (), "on_way": (), "model": (), "box": ("tracks",), "coming": ("under_way",),
    "count": (), "some": (), "every": (), "total": (), "highest": (), "kinds": (), "rank": (), "those": (), "first": (),
    "nation": (), "place": (), "gate": (), "border": (), "at_war": _RELATED, "allied": _RELATED, "stance": _RELATED,
    "allies": _RELATED, "enemies": _RELATED, "friendly": _HELD, "enemy": _HELD, "neutral": SIDES,
    "opposite": SIDES, "track": ("tracks",), "toward": ("tracks",), "level": ("techs", "tech_stages"), "knows": ("techs",),
    "stock": ("stores", *HOLDERS, *columns("nations", "capital")), "income": columns("nations", "income"), "marked": ("marks",),
    "age": ("marks", "game"), "tally": ("tallies",), "streak": ("streaks",), "happened": ("facts",),
    "this_turn": ("facts", "game"), "ordered": ("orders",), "distance": (), "reaches": HOLDERS, "lookup": (), "band": (),
    "option": ("options",), "was": ("game", EARLIER), "min": (), "max": (), "floor": (), "ceil": (), "round": (), "abs": (),
}  # fmt: skip

_STATE_OF: Final[dict[str, tuple[str, ...]]] = {
    "side": ("sides",), "link": ("links",), "gate": ("gates",), "unit": ("units", *columns("nations", "grade")),
    "force": ("forces",), "war": ("wars",), "tech": ("techs", "tech_rows"), "item": ("items",), "resource": (),
    "group": (), "battle": (), "path": (), "agreement": ("agreements",),
}  # fmt: skip

_COMPUTED: Final[dict[str, tuple[str, ...]]] = {
    "occupied": ("units",), "occupants": ("units",), "side": (*SIDES, *HOLDERS), "neutral": SIDES,
    "holder": HOLDERS, "owner": (*HOLDERS, "units", "forces"), "first_owner": HOLDERS, "works": ("links",), "id": (),
    "own_works": ("links",), "deploys": ("chosen",), "part_of": (), "parts": (), "whole": (), "stack": ("units",),
    "name": (), "kind": ("units",), "section": (),
}  # fmt: skip


def reads(ruleset: Ruleset, text: str | bool | None) -> Tables | None:
    """The tables that an expression reads, through all its terms and quantities; None if it may read anything."""
    if text is None or isinstance(text, bool):
        return frozenset()
    found: set[str] = set()
    try:
        for table in _walk(ruleset, parse(text.removeprefix("=").strip()), set()):
            if table is None:
                return None
            found.add(table)
    except ExpressionError:
        return None
    return frozenset(found)


def _walk(ruleset: Ruleset, expression: Expression, seen: set[str]) -> Iterator[str | None]:
    if expression.text in seen:
        return
    seen.add(expression.text)
    if not expression.names.isdisjoint(ALWAYS):
        yield "game"
    for name in expression.functions:
        if name in _FUNCTIONS:
            yield from _FUNCTIONS[name]
            if name == "stock":
                yield from purses_read(ruleset) or (None,)
        elif name == "value":
            continue  # its quantity is among the words
        elif name in FUNCTIONS:
            yield None
        elif name in ruleset.rows("verdicts"):
            yield from columns("verdicts", name)
        else:
            yield from _term(ruleset, name, seen)
    words = {n.value for n in ast.walk(expression.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    for word in [*expression.fields, *words]:
        yield from _field(ruleset, word, seen, known=word in expression.fields)


def purses_read(ruleset: Ruleset) -> Tables | None:
    """The tables that decide how the land of a nation falls into regions with purses of their own."""

    def make() -> Tables | None:
        found = frozenset(_HELD)
        for row in ruleset.rows("stores").values():
            more = reads(ruleset, row.get("through"))
            if more is None or EARLIER in more:
                return None
            found |= more
        return found

    return ruleset.derived("purses read", make)  # type: ignore[no-any-return]


def _term(ruleset: Ruleset, name: str, seen: set[str]) -> Iterator[str | None]:
    row = ruleset.rows("terms").get(name)
    if row is None:
        yield None
    elif isinstance(row["is"], str):
        yield from _walk(ruleset, parse(row["is"].removeprefix("=").strip()), seen)


def _field(ruleset: Ruleset, word: str, seen: set[str], *, known: bool) -> Iterator[str | None]:
    """What a field, or a text that may name a term, a quantity or a field, reads. Other texts read nothing."""
    if word in ruleset.rows("terms"):
        yield from _term(ruleset, word, seen)
        known = False
    if word in ruleset.rows("quantities"):
        yield from _quantity(ruleset, word, seen)
        known = False
    if word in ruleset.rows("verdicts"):
        yield from columns("verdicts", word)
        known = False
    declared: dict[str, Any] | None = ruleset.rows("fields").get(word)
    if declared is not None:
        for kind in declared["of"]:
            yield from _state_of(kind, word)
    if word in _COMPUTED:
        yield from _COMPUTED[word]
        return
    for kind, fields in BUILT_IN.items():
        if word in fields:
            yield from _state_of(kind, word)
    if known and declared is None and not any(word in fields for fields in BUILT_IN.values()) and word not in _FILTERS:
        yield None


def _state_of(kind: str, field: str) -> tuple[str | None, ...]:
    """Where a field of things of a kind lies: of nations and places, whose fields have little to do with each other, a column."""
    return columns(KINDS[kind], field) if kind in ("nation", "place") else _STATE_OF.get(kind, (None,))


_FILTERS: Final[frozenset[str]] = frozenset({"at", "on_map", "known", "of", "party", "near"})


def _quantity(ruleset: Ruleset, name: str, seen: set[str]) -> Iterator[str | None]:
    row = ruleset.row("quantities", name)
    parts = [row["base"], row.get("unless")]
    for adjust in ruleset.rows("adjusts").values():
        if adjust["of"] == name:
            parts += [v for k, v in adjust.items() if k == "when" or (isinstance(v, str) and v.startswith("="))]
    for part in parts:
        if isinstance(part, str):
            yield from _walk(ruleset, parse(part.removeprefix("=").strip()), seen)
