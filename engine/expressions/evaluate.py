"""Runs parsed expressions through simpleeval with our own functions and field lookups, and nothing else.

Attributes are lookups of declared fields, never attributes of Python objects; division is exact; powers and products are
bounded by simpleeval's own limits.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import simpleeval

from ..state import Entity
from .parse import Expression, ExpressionError


def _plain(value: Any) -> Any:
    return value.id if type(value) is Entity else value


def _equal(a: Any, b: Any) -> bool:
    if type(a) is Entity and type(b) is Entity:
        return a == b
    return bool(_plain(a) == _plain(b))


def _contains(item: Any, among: Any) -> bool:
    if among is None:
        return False
    if isinstance(among, str):
        return _plain(item) == among
    if type(among) is Entity:
        return _equal(item, among)
    return any(_equal(item, x) for x in among)


def _divide(a: Any, b: Any) -> Any:
    value = Fraction(a) / Fraction(b)
    return int(value) if value.denominator == 1 else value


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def run(a: Any, b: Any) -> bool:
        return compare(0 if a is None else a, 0 if b is None else b)

    return run


_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: simpleeval.safe_mult,
    ast.Div: _divide,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: simpleeval.safe_power,
    ast.Eq: _equal,
    ast.NotEq: lambda a, b: not _equal(a, b),
    ast.Lt: _ordered(lambda a, b: a < b),
    ast.LtE: _ordered(lambda a, b: a <= b),
    ast.Gt: _ordered(lambda a, b: a > b),
    ast.GtE: _ordered(lambda a, b: a >= b),
    ast.In: _contains,
    ast.NotIn: lambda a, b: not _contains(a, b),
    ast.Not: lambda a: not a,
    ast.USub: lambda a: -a,
    ast.UAdd: lambda a: a,
}


class Evaluator(simpleeval.SimpleEval):  # type: ignore[misc]
    """simpleeval over entities. `lookup(thing, field)` reads fields; `functions` is the closed list."""

    def __init__(self, functions: dict[str, Callable[..., Any]], lookup: Callable[[Any, str], Any]) -> None:
        super().__init__(operators=_OPERATORS, functions=functions, names={})
        self.lookup = lookup

    def run(self, expression: Expression, names: Mapping[str, Any]) -> Any:
        """The value with these names in scope. Raises ExpressionError."""
        before = self.names
        self.names = names
        try:
            return self._eval(expression.tree)
        except ExpressionError:
            raise
        except simpleeval.NameNotDefined as error:
            raise ExpressionError(f"no name {error.name} in scope: {expression.text}") from None
        except (
            simpleeval.InvalidExpression,
            TypeError,
            ValueError,
            ZeroDivisionError,
            KeyError,
            OverflowError,
        ) as error:
            raise ExpressionError(f"{expression.text}: {error}") from error
        finally:
            self.names = before

    def _eval(self, node: ast.AST) -> Any:
        # What our functions and lookups give is plain data, so simpleeval's search for modules in results is not needed.
        return self.nodes[type(node)](node)

    def _eval_attribute(self, node: ast.Attribute) -> Any:
        return self.lookup(self._eval(node.value), node.attr)
