"""Expressions over the living of a battle (`mine`, `foe`, its round): what of them can be said over arrays,
and what cannot.

`Living` holds the rules once. `battle/arrays` makes arrays by them when a battle starts; `array_problems`
asks them of a text, at its column, when a ruleset is checked.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeVar

from .fold import Fold, called
from .functions import BATTLE_FUNCTIONS
from .named import Problem
from .parse import ExpressionError, parse

T = TypeVar("T")

LIVING: Final = frozenset({"mine", "foe"})
"""The names that stand for the groups alive on either side."""

_ROUNDED: Final = ("ceil", "floor")
_OF_NUMBERS: Final = ("min", "max")
_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_COMPARED: Final = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@lru_cache(maxsize=20_000)
def moves(node: ast.AST, sets: frozenset[str] = LIVING) -> bool:
    """Whether a value can change while a battle goes on."""
    return any((isinstance(part, ast.Name) and part.id in sets) or is_round(part) for part in ast.walk(node))


def is_round(node: ast.AST) -> bool:
    """Whether a node is the number of the round."""
    name = node.value if isinstance(node, ast.Attribute) and node.attr == "round" else None
    return isinstance(name, ast.Name) and name.id == "battle"


class Living(Fold[T]):
    """What is made of an expression over the living; `sets` are the names that stand for groups.

    What does not move is `plain`, whatever it is. What cannot be said over arrays is `refused`.
    """

    sets: frozenset[str] = LIVING

    @abstractmethod
    def plain(self, node: ast.expr) -> T:
        """What is the same all through a battle."""

    @abstractmethod
    def round(self) -> T:
        """The number of the round."""

    @abstractmethod
    def refused(self, node: ast.expr, message: str) -> T:
        """What cannot be said over arrays, and why."""

    def of(self, node: ast.expr) -> T:
        if not moves(node, self.sets):
            return self.plain(node)
        if is_round(node):
            return self.round()
        message = self._unsayable(node)
        return self.refused(node, message) if message else super().of(node)

    def binary(self, node: ast.BinOp, left: T, right: T) -> T:
        if isinstance(node.op, ast.Div):
            return self.refused(node, "in a battle a quotient must be whole; write // or ceil(a / b)")
        if not isinstance(node.op, _ARITHMETIC):
            return self.refused(node, "this operator cannot be used over the living of a battle")
        return self.arithmetic(node, left, right)

    def arithmetic(self, node: ast.BinOp, left: T, right: T) -> T:
        """Two numbers added, subtracted, multiplied, or divided and rounded down."""
        return self.joined(node, [left, right])

    def call(self, node: ast.Call, args: Iterator[T], filters: Iterator[T]) -> T:
        inner = node.args[0]
        if called(node) not in _ROUNDED:
            return self.function(node, args)
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
            return self.quotient(node, self.of(inner.left), self.of(inner.right))
        return next(args)

    def quotient(self, node: ast.Call, top: T, bottom: T) -> T:
        """`ceil(a / b)`, `floor(a / b)`: the one place where dividing is allowed."""
        return self.joined(node, [top, bottom])

    def function(self, node: ast.Call, args: Iterator[T]) -> T:
        """`min` or `max`, `lookup` in a named table, or a function over one set of groups, which comes
        first.
        """
        of_all = called(node) in _OF_NUMBERS or called(node) == "lookup"
        return self.joined(node, list(args) if of_all else [])

    def _unsayable(self, node: ast.expr) -> str:
        """Why a node cannot be said over arrays, whatever stands in it; nothing if it can."""
        if isinstance(node, ast.Name | ast.Attribute):
            return f"{ast.unparse(node)} cannot be said over the living of a battle"
        if isinstance(node, ast.Compare) and not all(isinstance(op, _COMPARED) for op in node.ops):
            return "`in` cannot be used over the living of a battle"
        return self._not_called(node, called(node)) if isinstance(node, ast.Call) else ""

    def _not_called(self, node: ast.Call, word: str) -> str:
        first = node.args[0] if node.args else None
        if word in _OF_NUMBERS or (word in _ROUNDED and len(node.args) == 1):
            return ""
        if word not in BATTLE_FUNCTIONS:
            return (
                f"over the living of a battle there are only {', '.join(sorted(BATTLE_FUNCTIONS))}, not "
                f"{word}"
            )
        if word == "lookup":
            return "" if isinstance(first, ast.Constant) else "the table must be named"
        if not (isinstance(first, ast.Name) and first.id in self.sets):
            return f"{word} needs mine or foe in a battle"
        return (
            "a definition cannot depend on the living here"
            if any(moves(a, self.sets) for a in node.args[1:])
            else ""
        )


class _Problems(Living[None]):
    """Notes what is refused."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def joined(self, node: ast.expr, parts: list[None]) -> None: ...

    def plain(self, node: ast.expr) -> None: ...

    def round(self) -> None: ...

    def refused(self, node: ast.expr, message: str) -> None:
        what, _, hint = message.partition("; ")
        self.found.append(Problem("E309", what, node.col_offset, hint))


def array_problems(text: str) -> list[Problem]:
    """What of an expression cannot be said over arrays; nothing if it does not depend on the living."""
    problems = _Problems()
    try:
        problems.of(parse(text).tree)
    except ExpressionError:
        return []  # said already: it cannot be read at all
    return problems.found
