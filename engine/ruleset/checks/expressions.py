"""Is every expression right? The schemas say which texts are expressions (`x-expr`); `expressions.check_expression` judges.

This module is the joint: it finds the expressions, tells the checker what is in scope and what the ruleset knows, and puts
the problems at their line and column. In scope are the names that the schemas of the form give (`x-names`, and `x-scope` for
more), the slots of the row, and what the structures around an expression bind: the things of a `for`, the `result` of a `roll`,
the `answer` to a choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...core.diagnostics import Diagnostic
from ...core.registry import VERBS
from ..expressions import KINDS, check_expression
from ..expressions.check import kind_of
from ..expressions.subset import array_problems
from ..forms import ARRAYS, CLOSED
from ..nodes import Node, diagnose, plain
from .subject import Marked, Subject

__all__ = ["Words", "expressions_are_right", "wrong_expressions"]

GENERAL: Mapping[str, str] = {
    **{kind: kind for kind in KINDS},
    "self": "nation",
    "target": "any",
    "result": "number",
    "answer": "any",
    "attacker": "nation",
    "defender": "nation",
    "success": "any",
    "event": "event",
    "mine": "set:unit",
    "foe": "set:unit",
    "path": "path",
    "battle": "battle",
}
SLOT_KINDS: Mapping[str, str] = {
    **{kind: kind for kind in KINDS},
    "number": "number",
    "units": "set:unit",
    "text": "text",
    "unit-kind": "id",
    "choice": "id",
}
RESULTS = {"number": "number", "truth": "truth", "text": "text", "id": "id", "list": "list"}
_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")


def expressions_are_right(subject: Subject) -> Iterator[Diagnostic]:
    """Every problem of every expression of every row and of the frame."""
    yield from wrong_expressions(subject.marked, Words(subject.rows, subject.known.names))


def wrong_expressions(marks: Iterable[Marked], words: Words) -> Iterator[Diagnostic]:
    """A finding for each problem of each expression."""
    for mark in marks:
        how = mark.annotation.schema.get("x-expr")
        if how is None and "x-ref" in mark.annotation.schema and not mark.annotation.schema.get("x-literal"):
            how = {"gives": "any", "marked": True}  # a reference may be `=` an expression that gives an id
        if how is None or not isinstance(mark.annotation.value, str):
            continue
        found = _expression(mark.annotation.value, how, words)
        if found is None:
            continue
        text, offset = found
        node, key = mark.place
        problems = check_expression(text, _scope(mark, words), words, how.get("gives", "any"))
        if not problems and ARRAYS in mark.annotation.scope:
            problems = array_problems(text)
        for problem in problems:
            column = offset + problem.column
            yield diagnose(problem.code, "error", problem.message, node, key=key, hint=problem.hint, offset=column)


def _expression(value: str, how: Mapping[str, Any], words: Words) -> tuple[str, int] | None:
    """The text of the expression and how far into the value it begins; None if the value is an id or a plain word."""
    text = value.lstrip()
    if text.startswith("="):
        inner = text[1:]
        return inner.strip(), len(value) - len(inner.lstrip())
    if how.get("marked"):
        return None
    if how.get("bare") and _ID.fullmatch(text) and (how.get("gives") == "any" or words.is_id(text)):
        return None
    return text.strip(), len(value) - len(text)


def _scope(mark: Marked, words: Words) -> dict[str, str]:
    told = {name: kind for name, kind in mark.annotation.scope.items() if name != ARRAYS}
    scope = told if told.pop(CLOSED, None) is not None else {**GENERAL, **told}
    for name, slot in _entries(mark.row.get("slots")):
        kind = slot.text("kind") if slot.is_map else slot.value
        scope[name] = SLOT_KINDS.get(str(kind), "any")
    if mark.form == "terms":
        scope |= dict(_arguments(plain(mark.row)))
    if mark.form == "verdicts" and mark.annotation.path[:1] != ("over",):
        scope |= dict(_arguments({"of": [plain(mark.row).get("of", "place")]}))
    node: Node | None = mark.row
    for step in mark.annotation.path:
        if node is None:
            break
        if node.is_map:
            scope |= _bound(node, str(step), scope, words)
            node = node.get(str(step))
        else:
            node = node.value[int(step)] if node.is_list else None
    return scope


def _bound(node: Node, key: str, scope: Mapping[str, str], words: Words) -> dict[str, str]:
    """The names that a structure binds for what stands under one of its keys."""
    out: dict[str, str] = {}
    if node.get("for") is not None and key not in _BEFORE_FOR and (key in _INSIDE or key in VERBS or key == "becomes"):
        out |= _things_of(node.get("for"), scope, words)
    if node.get("roll") is not None and key in _AFTER_ROLL:
        out |= {"result": "number", "success": "any"}
    if node.get("choose") is not None and key in ("answers", "effects"):
        out["answer"] = "any"
    return out


_BEFORE_FOR = frozenset({"for", "draw"})
_AFTER_ROLL = frozenset({"results", "effects", "miss", "cases"})
_INSIDE = frozenset({"effects", "roll", "results", "miss", "cases", "always", "in_turn", "answers", "audience", "when"})


def _things_of(wanted: Node | None, scope: Mapping[str, str], words: Words) -> dict[str, str]:
    """What a `for` binds: a name by the kind of its things; any kind where that cannot be told."""
    value = wanted.value if wanted is not None else None
    kind = ""
    if isinstance(value, str):
        text = value.lstrip().removeprefix("=").strip()
        kind = words.kind_of(text) or kind_of(text, scope, words).removeprefix("set:")
    if kind == "nation":
        return {"nation": "nation", "self": "nation"}
    if kind == "unit":
        return {"unit": "unit", "place": "place", "self": "nation"}
    if kind in KINDS:
        return {kind: kind}
    return {**{k: k for k in KINDS}, "self": "nation"}


def _entries(node: Node | None) -> Iterator[tuple[str, Node]]:
    if node is not None:
        yield from node.items()


def _arguments(term: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The arguments of a term: `kind`, or `name:kind`."""
    for part in term.get("of", ()):
        name, _, kind = str(part).partition(":")
        yield name, kind or (name if name in KINDS else "any")


class Words:
    """What the checker of expressions asks of a ruleset: `rows` gives the plain rows of a form, `forms` names all forms."""

    def __init__(self, rows: Callable[[str], Mapping[str, Mapping[str, Any]]], forms: Iterable[str]) -> None:
        self.rows = {form: rows(form) for form in forms}
        self.all_ids = frozenset(id_ for by_id in self.rows.values() for id_ in by_id)

    def kind_of(self, word: str) -> str:
        """The kind of thing that an id stands for, a group for its members; nothing if it is none."""
        group = self.rows.get("groups", {}).get(word)
        if group is not None:
            return next((k for k, form in KINDS.items() if form and form == group.get("of")), "")
        forms = (("nation", "nations"), ("place", "places"), ("side", "sides"))
        return next((kind for kind, form in forms if word in self.rows.get(form, {})), "")

    def is_id(self, word: str) -> bool:
        return word in self.all_ids

    def ids(self, form: str) -> Mapping[str, object]:
        return self.rows.get(form, {})

    def field_type(self, kind: str, field: str) -> str | None:
        row = self.rows.get("fields", {}).get(field)
        if row is None or kind not in row.get("of", ()):
            return None
        if row["type"] == "id":
            return next((k for k, form in KINDS.items() if form and form == row.get("form")), "id")
        return RESULTS.get(row["type"], "any")

    def term(self, name: str) -> tuple[tuple[str, ...], str] | None:
        verdict = self.rows.get("verdicts", {}).get(name)
        if verdict is not None:
            return tuple(kind for _, kind in _arguments({"of": [verdict.get("of", "place")]})), "truth"
        row = self.rows.get("terms", {}).get(name)
        return (tuple(kind for _, kind in _arguments(row)), "any") if row is not None else None
