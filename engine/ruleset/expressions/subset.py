"""Can an expression be compiled to arrays? Checked without a battle, for what reads the living of one (`mine`, `foe`, the round).

The rules are those of `arrays.compile_array`, which refuses the same at the start of a battle; here they are found when a ruleset
is checked, at their column.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .check import Problem
from .functions import BATTLE_FUNCTIONS
from .parse import ExpressionError, parse

__all__ = ["LIVING", "array_problems"]

LIVING = frozenset({"mine", "foe"})
"""The names that stand for the groups alive on either side."""

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_COMPARED = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def array_problems(text: str) -> list[Problem]:
    """What of an expression cannot be said over arrays; nothing if it does not depend on the living."""
    try:
        return list(_problems(parse(text).tree))
    except ExpressionError:
        return []  # said already: it cannot be read at all


def _problems(node: ast.expr) -> Iterator[Problem]:
    if not _moves(node) or _is_round(node):
        return
    if isinstance(node, ast.BoolOp):
        yield from _each(node.values)
    elif isinstance(node, ast.UnaryOp):
        yield from _problems(node.operand)
    elif isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Div):
            yield _problem(node, "in a battle a quotient must be whole", "write // or ceil(a / b)")
        elif not isinstance(node.op, _ARITHMETIC):
            yield _problem(node, "this operator cannot be used over the living of a battle")
        yield from _each([node.left, node.right])
    elif isinstance(node, ast.Compare):
        if not all(isinstance(op, _COMPARED) for op in node.ops):
            yield _problem(node, "`in` cannot be used over the living of a battle")
            return
        yield from _each([node.left, *node.comparators])
    elif isinstance(node, ast.IfExp):
        yield from _each([node.test, node.body, node.orelse])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _call(node, node.func.id)
    else:
        yield _problem(node, f"{ast.unparse(node)} cannot be said over the living of a battle")


def _call(node: ast.Call, word: str) -> Iterator[Problem]:
    if word in ("ceil", "floor") and len(node.args) == 1:
        inner = node.args[0]
        whole = isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div)
        yield from _each([inner.left, inner.right]) if whole and isinstance(inner, ast.BinOp) else _problems(inner)
    elif word not in BATTLE_FUNCTIONS:
        words = ", ".join(sorted(BATTLE_FUNCTIONS))
        yield _problem(node, f"over the living of a battle there are only {words}, not {word}")
    elif word in ("min", "max"):
        yield from _each(node.args)
    elif word == "lookup":
        if not isinstance(node.args[0], ast.Constant):
            yield _problem(node, "the table must be named")
        yield from _each(node.args[1:])
    elif not (isinstance(node.args[0], ast.Name) and node.args[0].id in LIVING):
        yield _problem(node, f"{word} needs mine or foe in a battle")
    elif any(_moves(a) for a in node.args[1:]):
        yield _problem(node, "a term cannot depend on the living here")


def _each(nodes: list[ast.expr]) -> Iterator[Problem]:
    for node in nodes:
        yield from _problems(node)


def _problem(node: ast.expr, message: str, hint: str = "") -> Problem:
    return Problem("E309", message, node.col_offset, hint)


def _moves(node: ast.AST) -> bool:
    """Whether a value can change while a battle goes on."""
    return any((isinstance(part, ast.Name) and part.id in LIVING) or _is_round(part) for part in ast.walk(node))


def _is_round(node: ast.AST) -> bool:
    name = node.value if isinstance(node, ast.Attribute) and node.attr == "round" else None
    return isinstance(name, ast.Name) and name.id == "battle"
