"""Runs expressions: what they mean says `definition`, here each is made a function once, since a turn asks
them very often.

`WTEAW_EVALUATOR=simpleeval` in the environment runs them by the definition itself: slower, and the same to
the byte (`tests/test_evaluators.py`).
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import simpleeval

from ...core.state import Entity
from .definition import OPERATORS, Definition
from .fold import Fold, called
from .parse import Expression, ExpressionError

__all__ = ["OPERATORS", "Code", "Evaluator", "compiled"]

COMPILED, BY_DEFINITION = "compiled", "simpleeval"
MODE: Final = os.environ.get("WTEAW_EVALUATOR", COMPILED)
"""What runs expressions in this process: the functions made of them, or their definition."""
if MODE not in (COMPILED, BY_DEFINITION):
    raise ValueError(f"WTEAW_EVALUATOR={MODE}: there are {COMPILED} and {BY_DEFINITION}")


class Evaluator:
    """What expressions are run in: `lookup(thing, field)` reads fields; `functions` is the closed list.

    `plans` holds readers of fields by (kind, field) that `lookup` has made: they are asked without a detour.

    Names and functions are looked up bare; what is missing is told where the expression is run.
    """

    __slots__ = ("definition", "functions", "lookup", "plans")

    def __init__(
        self,
        functions: dict[str, Callable[..., Any]],
        lookup: Callable[[Any, str], Any],
        plans: Mapping[tuple[str, str], Callable[[Entity], Any]] | None = None,
    ) -> None:
        self.functions = functions
        self.lookup = lookup
        self.plans = {} if plans is None else plans
        self.definition = Definition(functions, lookup) if MODE == BY_DEFINITION else None

    def run(self, expression: Expression, names: Mapping[str, Any]) -> Any:
        """The value with these names in scope. Raises ExpressionError."""
        try:
            if self.definition is not None:
                return self.definition.value(expression.tree, names)
            code = _CODE.get(expression.text) or self._code(expression)
            return code(self, names)
        except ExpressionError as error:
            error.expression = error.expression or expression.text
            raise
        except KeyError as lacking:
            missing = self._missing(lacking.args[0] if lacking.args else None, expression, names)
            found = missing or ExpressionError(f"{expression.text}: {lacking}")
            found.expression = expression.text
            raise found from lacking
        except (
            simpleeval.InvalidExpression,
            AttributeError,
            TypeError,
            ValueError,
            ArithmeticError,
        ) as wrong:
            found = ExpressionError(f"{expression.text}: {wrong}")
            found.expression = str(getattr(wrong, "expression", "")) or expression.text
            raise found from wrong

    @staticmethod
    def _code(expression: Expression) -> Code:
        code = _CODE.get(expression.text)
        if code is None:
            if len(_CODE) >= MOST_CODE:  # texts of a long-lived process that nobody asks any more
                _CODE.clear()
            code = _CODE[expression.text] = compiled(expression.tree)
        return code

    def _missing(self, key: Any, expression: Expression, names: Mapping[str, Any]) -> ExpressionError | None:
        """What a failed lookup was about, if it was a name or a function of the expression."""
        if not isinstance(key, str):
            return None
        if key in expression.names and key not in names:
            return ExpressionError(f"no name {key} in scope")
        if key in expression.functions:
            try:
                self.functions[key]
            except KeyError:
                return ExpressionError(f"no function {key}")
        return None


Code = Callable[[Evaluator, Mapping[str, Any]], Any]
_CODE: dict[str, Code] = {}
MOST_CODE = 20_000
"""Expressions whose functions are kept, as many as `parse` keeps."""


def compiled(node: ast.expr) -> Code:
    """A function of evaluator and names for a node that `parse` has let through."""
    return _COMPILER.of(node)


class _Compiler(Fold[Code]):
    """The handlers of the definition, turned inside out: each gives a function that is made once per
    expression and kept.
    """

    def constant(self, node: ast.Constant) -> Code:
        value = node.value
        return lambda ev, names: value

    def name(self, node: ast.Name) -> Code:
        id_ = node.id
        return lambda ev, names: names[id_]

    def attribute(self, node: ast.Attribute, thing: Code) -> Code:
        attr, of = node.attr, node.value.id if isinstance(node.value, ast.Name) else None

        def read(ev: Evaluator, names: Mapping[str, Any]) -> Any:
            found = thing(ev, names)
            if type(found) is Entity:
                plan = ev.plans.get((found.kind, attr))
                if plan is not None:
                    return plan(found)
            return ev.lookup(found, attr)

        def read_named(ev: Evaluator, names: Mapping[str, Any]) -> Any:
            """Of a name, as nearly all are: one call less."""
            found = names[of]  # type: ignore[index]
            if type(found) is Entity:
                plan = ev.plans.get((found.kind, attr))
                if plan is not None:
                    return plan(found)
            return ev.lookup(found, attr)

        return read if of is None else read_named

    def call(self, node: ast.Call, args: Iterator[Code], filters: Iterator[Code]) -> Code:
        name, given = called(node), list(args)
        by = [(str(k.arg), value) for k, value in zip(node.keywords, filters, strict=True)]
        if by:
            return lambda ev, names: ev.functions[name](
                *[a(ev, names) for a in given], **{k: v(ev, names) for k, v in by}
            )
        named = [a.id for a in node.args if isinstance(a, ast.Name)]
        if len(given) == 1:
            if named:
                (id_,) = named
                return lambda ev, names: ev.functions[name](names[id_])
            only = given[0]
            return lambda ev, names: ev.functions[name](only(ev, names))
        if len(given) == 2:
            if len(named) == 2:
                a, b = named
                return lambda ev, names: ev.functions[name](names[a], names[b])
            one, two = given
            return lambda ev, names: ev.functions[name](one(ev, names), two(ev, names))
        return lambda ev, names: ev.functions[name](*[a(ev, names) for a in given])

    def boolean(self, node: ast.BoolOp, parts: Iterator[Code]) -> Code:
        *before, last = parts
        either = isinstance(node.op, ast.Or)
        if len(before) == 1:
            first = before[0]
            if either:
                return lambda ev, names: first(ev, names) or last(ev, names)
            return lambda ev, names: first(ev, names) and last(ev, names)

        def any_of(ev: Evaluator, names: Mapping[str, Any]) -> Any:
            for part in before:
                value = part(ev, names)
                if value:
                    return value
            return last(ev, names)

        def all_of(ev: Evaluator, names: Mapping[str, Any]) -> Any:
            for part in before:
                value = part(ev, names)
                if not value:
                    return value
            return last(ev, names)

        return any_of if either else all_of

    def binary(self, node: ast.BinOp, left: Code, right: Code) -> Code:
        operate = OPERATORS[type(node.op)]
        return lambda ev, names: operate(left(ev, names), right(ev, names))

    def unary(self, node: ast.UnaryOp, inner: Code) -> Code:
        operate = OPERATORS[type(node.op)]
        if isinstance(node.op, ast.Not):
            return lambda ev, names: not inner(ev, names)
        return lambda ev, names: operate(inner(ev, names))

    def compare(self, node: ast.Compare, sides: list[Code]) -> Code:
        first, *others = sides
        rest = [(OPERATORS[type(op)], other) for op, other in zip(node.ops, others, strict=True)]
        if len(rest) == 1:
            (op,), (against,) = node.ops, node.comparators
            if isinstance(op, ast.Eq | ast.NotEq) and isinstance(against, ast.Constant):
                return _compare_constant(first, against.value, isinstance(op, ast.Eq))
            operate, other = rest[0]
            return lambda ev, names: operate(first(ev, names), other(ev, names))

        def run(ev: Evaluator, names: Mapping[str, Any]) -> Any:
            left = first(ev, names)
            for operate, other in rest:
                right = other(ev, names)
                if not operate(left, right):
                    return False
                left = right
            return True

        return run

    def choice(self, node: ast.IfExp, test: Code, yes: Code, no: Code) -> Code:
        return lambda ev, names: yes(ev, names) if test(ev, names) else no(ev, names)


_COMPILER: Final = _Compiler()


def _compare_constant(first: Code, wanted: Any, equal: bool) -> Code:
    """`thing == 'id'` and the like, the most frequent of all tests."""

    def is_it(ev: Evaluator, names: Mapping[str, Any]) -> bool:
        found = first(ev, names)
        return bool((found.id if type(found) is Entity else found) == wanted)

    def is_not(ev: Evaluator, names: Mapping[str, Any]) -> bool:
        found = first(ev, names)
        return bool((found.id if type(found) is Entity else found) != wanted)

    return is_it if equal else is_not
