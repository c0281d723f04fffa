"""Does a condition decide anything? One that always holds, or never, is mostly a slip:

`and` for `or`, a wrong end of a track.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.diagnostics import Diagnostic
from ..expressions import ExpressionError, parse
from ..expressions.certain import certain, constant
from ..expressions.parse import strip_mark
from ..nodes import diagnose
from .expressions import RulesetVocabulary, text_of, words_of
from .subject import Marked, Subject

CODE = "W613"
_MAY = re.compile(r"[<>]|[=!]=|\b(?:and|or|not)\b")
WAITED_FOR = (("when",), ("becomes",))
"""Tests of events that another check looks at."""


def conditions_decide_something(subject: Subject) -> Iterator[Diagnostic]:
    """A test, or a part of one, that comes to the same in any game.

    What is written `True` or `False` is meant so.
    """
    yield from decided(subject.marked, words_of(subject))
    yield from _needs(subject)


def decided(marks: Iterable[Marked], words: RulesetVocabulary) -> Iterator[Diagnostic]:
    """A finding for each test, or part of one, among the marks that comes to the same in any game."""
    for mark in marks:
        if not isinstance(mark.annotation.value, str) or not _MAY.search(mark.annotation.value):
            continue
        found = text_of(mark, words)
        if found is None:
            continue
        text, offset = found
        for node, holds in _decided(text, words.ids):
            if not holds and mark.form == "events" and mark.annotation.path in WAITED_FOR:
                continue
            at, key = mark.place
            column = offset + getattr(node, "col_offset", 0)
            yield diagnose(CODE, f"this {_said(holds)}", at, key=key, hint=_why(node), offset=column)


def never_holds(test: Any, rows: Any) -> bool:
    """Whether a test can be seen never to hold."""
    if not isinstance(test, str):
        return test is False
    try:
        tree = parse(strip_mark(test.strip())).tree
        return certain(tree, rows) is False or constant(tree) == 0
    except ExpressionError:  # another check's question
        return False


def _needs(subject: Subject) -> Iterator[Diagnostic]:
    """A need that is met whatever happens, or never."""
    for mark in subject.marked:
        if mark.annotation.path[:1] != ("requires",) or mark.annotation.path[2:] != ("test",):
            continue
        word = str(mark.annotation.value).strip().lower()
        if word in ("true", "false"):
            at, key = mark.place
            said = f"the need {_said(word == 'true')}"
            hint = "leave it out" if word == "true" else "leave the row out"
            yield diagnose(CODE, said, at, key=key, hint=hint)


def _decided(text: str, rows: Any) -> Iterator[tuple[ast.expr, bool]]:
    """The largest parts of an expression that are tests and come to the same in any game."""
    try:
        due: list[ast.AST] = [parse(text).tree]
    except ExpressionError:  # another check's question
        return
    while due:
        node = due.pop()
        if isinstance(node, ast.Compare | ast.BoolOp) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            said = _literal(node) or (isinstance(node, ast.BoolOp) and any(map(_literal, node.values)))
            holds = None if said else certain(node, rows)
            if holds is not None:
                yield node, holds
                continue
        due += ast.iter_child_nodes(node)


def _literal(node: ast.expr) -> bool:
    """Whether a part of a test is `True` or `False` in so many words, or `not` one of them."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and _literal(node.operand))


def _said(holds: bool) -> str:
    return "always holds" if holds else "never holds"


def _why(node: ast.expr) -> str:
    if isinstance(node, ast.BoolOp):
        return (
            "its parts are at odds with each other; `or` for `and`?"
            if isinstance(node.op, ast.And)
            else "`and` for `or`?"
        )
    return "whatever happens in a game, it comes to the same"
