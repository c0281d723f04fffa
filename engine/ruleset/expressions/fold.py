"""The one way over the tree of an expression: whoever works something out of it says what to make of each
kind of node.

    class Size(Fold[int]):
        def joined(self, node: ast.expr, parts: list[int]) -> int:
            return 1 + sum(parts)

    Size().of(parse("count(units()) > 3").tree)  # 4: the comparison, its two sides, and what is counted

A node is made of what was made of its parts, which are worked out first, from left to right. Kinds of nodes
that a class says nothing of are `joined`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")


class Fold(Generic[T]):
    """What is to be made of each kind of node that `parse` lets through."""

    def of(self, node: ast.expr) -> T:
        """What is made of a node and all below it."""
        return _VISITS[type(node)](self, node)  # type: ignore[no-any-return]

    def joined(self, node: ast.expr, parts: list[T]) -> T:
        """What is made of a node of any kind that the class does not name."""
        raise NotImplementedError(f"{type(self).__name__} says nothing of {type(node).__name__}")

    def constant(self, node: ast.Constant) -> T:
        return self.joined(node, [])

    def name(self, node: ast.Name) -> T:
        return self.joined(node, [])

    def attribute(self, node: ast.Attribute, thing: T) -> T:
        return self.joined(node, [thing])

    def call(self, node: ast.Call, args: Iterator[T], filters: Iterator[T]) -> T:
        """A call: its arguments and its filters, each made when it is asked for."""
        return self.joined(node, [*args, *filters])

    def boolean(self, node: ast.BoolOp, parts: Iterator[T]) -> T:
        """Parts joined by `and` or `or`, each made when it is asked for: a part may decide, and those after
        it never be asked.
        """
        return self.joined(node, list(parts))

    def unary(self, node: ast.UnaryOp, inner: T) -> T:
        return self.joined(node, [inner])

    def binary(self, node: ast.BinOp, left: T, right: T) -> T:
        return self.joined(node, [left, right])

    def compare(self, node: ast.Compare, sides: list[T]) -> T:
        return self.joined(node, sides)

    def choice(self, node: ast.IfExp, test: T, yes: T, no: T) -> T:
        """`yes if test else no`."""
        return self.joined(node, [test, yes, no])


def called(node: ast.expr) -> str:
    """The name of the function or term that a node calls; nothing of any other node."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def words_in(node: ast.expr) -> frozenset[str]:
    """Every word in a node and below it that may stand for something of a ruleset: names, terms, fields,
    filters, texts.
    """
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(part.attr)
        elif isinstance(part, ast.keyword):
            found.add(str(part.arg))
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.add(part.value)
    return frozenset(found)


def text_of(node: ast.expr | None) -> str:
    """The text that a node is; nothing of any other node."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _call(fold: Fold[Any], node: ast.Call) -> Any:
    return fold.call(node, map(fold.of, node.args), map(fold.of, [k.value for k in node.keywords]))


_VISITS: Final[dict[type, Callable[[Fold[Any], Any], Any]]] = {
    ast.Constant: lambda fold, node: fold.constant(node),
    ast.Name: lambda fold, node: fold.name(node),
    ast.Attribute: lambda fold, node: fold.attribute(node, fold.of(node.value)),
    ast.Call: _call,
    ast.BoolOp: lambda fold, node: fold.boolean(node, map(fold.of, node.values)),
    ast.UnaryOp: lambda fold, node: fold.unary(node, fold.of(node.operand)),
    ast.BinOp: lambda fold, node: fold.binary(node, fold.of(node.left), fold.of(node.right)),
    ast.Compare: lambda fold, node: fold.compare(
        node, [fold.of(side) for side in (node.left, *node.comparators)]
    ),
    ast.IfExp: lambda fold, node: fold.choice(
        node, *[fold.of(part) for part in (node.test, node.body, node.orelse)]
    ),
}
