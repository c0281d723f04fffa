"""What an expression means: simpleeval, with our operators, the closed list of functions, and fields looked
up in the rules.

Attributes are lookups of declared fields, never attributes of Python objects; things compare by their ids;
division is exact; powers and products are bounded. `evaluate` runs the same expressions faster and has to
give the same; with
`WTEAW_EVALUATOR=simpleeval` in the environment this definition runs them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import simpleeval

from ...core.state import Entity
from .parse import MAX_POWER, ExpressionError


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
        return bool(_plain(item) == among)
    if type(among) is Entity:
        return _equal(item, among)
    return any(_equal(item, x) for x in among)


MAX_BITS = 512
"""Of a numerator or a denominator: far more than any rule needs, and soon multiplied."""


def _divide(a: Any, b: Any) -> Any:
    value = Fraction(a) / Fraction(b)
    return int(value) if value.denominator == 1 else _held(value)


def _held(value: Any) -> Any:
    """A number if it is of a size that rules may compute with."""
    if type(value) is int:
        if value.bit_length() > MAX_BITS:
            raise ExpressionError("a number grows beyond all bounds")
    elif (
        isinstance(value, Fraction)
        and max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS
    ):
        raise ExpressionError("a number grows beyond all bounds")
    elif isinstance(value, str | tuple | list | dict):
        raise ExpressionError("only numbers can be multiplied")
    return value


def _times(a: Any, b: Any) -> Any:
    if isinstance(a, str | tuple | list) or isinstance(b, str | tuple | list):
        raise ExpressionError("only numbers can be multiplied")
    return _held(a * b)


def _power(a: Any, b: Any) -> Any:
    if not isinstance(b, int) or abs(b) > MAX_POWER:
        raise ExpressionError(f"a power is a whole number of at most {MAX_POWER}")
    return _held(_times(a, 1) ** b if b >= 0 else _divide(1, a**-b))


def _ordered(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(a: Any, b: Any) -> Any:
        return compare(0 if a is None else a, 0 if b is None else b)

    return run


OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: _divide,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.Eq: _equal,
    ast.NotEq: lambda a, b: not _equal(a, b),
    ast.Lt: _ordered(operator.lt),
    ast.LtE: _ordered(operator.le),
    ast.Gt: _ordered(operator.gt),
    ast.GtE: _ordered(operator.ge),
    ast.In: _contains,
    ast.NotIn: lambda a, b: not _contains(a, b),
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: lambda a: a,
}


class Definition(simpleeval.SimpleEval):  # type: ignore[misc]  # the library has no types
    """Evaluates trees that `parse` has let through.

    `lookup(thing, field)` reads fields; `functions` is the closed list.
    """

    def __init__(self, functions: dict[str, Callable[..., Any]], lookup: Callable[[Any, str], Any]) -> None:
        super().__init__(OPERATORS, functions, {})
        self.lookup = lookup
        self.names: Mapping[str, Any] = {}

    def value(self, tree: ast.expr, names: Mapping[str, Any]) -> Any:
        """The value with these names in scope; a function that is called may ask for further values."""
        before = self.names
        self.names = names
        try:
            return self.eval("", previously_parsed=tree)
        finally:
            self.names = before

    def _eval_name(self, node: ast.Name) -> Any:
        return self.names[node.id]  # a name never stands for a function

    def _eval_attribute(self, node: ast.Attribute) -> Any:
        return self.lookup(self._eval(node.value), node.attr)
