"""Expressions between bounds: what they are at least and at most while some of the results that they read are
still open.

A *verdict* is a result of a thing, yes or no, that other verdicts may depend on. While verdicts are open,
every expression that reads one is run twice: once for its lower bound (what is certain: a test that holds in
any case, a number that it is at least, the members that a set has in any case) and once for its upper bound
(what is possible). Both are made here from one text, so that no rule is ever written twice. What reads no
verdict has one value and is run as everywhere else.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Final, NamedTuple, Protocol

from ...core.state import Entity
from .evaluate import OPERATORS, Evaluator, compiled
from .fold import Fold, called, text_of, words_in
from .parse import ExpressionError, parse
from .terms import terms_used


class Asked(Protocol):
    """What bounded expressions are run in."""

    evaluator: Evaluator

    def of(self, name: str, thing: Any, rest: tuple[Any, ...], high: bool) -> Any:
        """A bound of a verdict or of a term that reads one, of a thing; of anything else by name, its
        value.
        """

    def members(self, value: Any) -> tuple[Any, ...]:
        """The members that a value stands for."""

    def weight(self, thing: Any) -> int:
        """How many a thing counts for."""

    def joined(self, start: Any, goals: Any, passes: Callable[[Entity], bool]) -> bool:
        """Whether a chain of passing places leads from a place to one of a set."""


Names = Mapping[str, Any]
Run = Callable[[Asked, Names, bool], Any]
"""A bound of a value: the lower one with False, the upper one with True."""


class PreparedNode(NamedTuple):
    """A node made ready: how its bounds are run, and whether it reads a verdict at all."""

    run: Run
    open: bool


def is_verdict(row: Mapping[str, Any]) -> bool:
    """Whether a definition is a result that is settled with others: its value is what was settled."""
    return "fixpoint" in row


def open_names(terms: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """The verdicts among definitions, and the definitions that lead to one."""
    found = {id_ for id_, row in terms.items() if is_verdict(row)}
    used = {id_: terms_used(row["is"]) for id_, row in terms.items() if isinstance(row.get("is"), str)}
    while True:
        more = {id_ for id_, names in used.items() if id_ not in found and not names.isdisjoint(found)}
        if not more:
            return frozenset(found)
        found |= more


class BoundsCompiler(Fold[PreparedNode]):
    """Makes bounds of expressions; `open_names` are the verdicts and the terms that lead to one."""

    def __init__(self, open_names: frozenset[str]) -> None:
        self.open_names = open_names

    def bounds(self, text: str) -> Run:
        """The bounds of an expression.

        Raises ExpressionError where it cannot be judged while verdicts are open.
        """
        return self.of(parse(text).tree).run

    def reads_open(self, text: str) -> bool:
        """Whether an expression reads a verdict."""
        try:
            return self._is_open(parse(text).tree)
        except ExpressionError:
            return False  # another check's question

    def of(self, node: ast.expr) -> PreparedNode:
        if self._is_open(node):
            return super().of(node)
        code = compiled(node)
        return PreparedNode(lambda on, names, high: code(on.evaluator, names), False)

    def _is_open(self, node: ast.expr) -> bool:
        return not words_in(node).isdisjoint(self.open_names)

    def constant(self, node: ast.Constant) -> PreparedNode:
        value = node.value
        return _open(lambda on, names, high: value)

    def attribute(self, node: ast.Attribute, thing: PreparedNode) -> PreparedNode:
        name = node.attr
        if thing.open or name not in self.open_names:
            raise _refused(node, "a field of something that depends on a verdict")
        return _open(lambda on, names, high: on.of(name, thing.run(on, names, high), (), high))

    def unary(self, node: ast.UnaryOp, inner: PreparedNode) -> PreparedNode:
        run = inner.run
        if isinstance(node.op, ast.Not):
            return _open(lambda on, names, high: not run(on, names, not high))
        if isinstance(node.op, ast.USub):
            return _open(lambda on, names, high: -run(on, names, not high))
        return inner

    def boolean(self, node: ast.BoolOp, parts: Iterator[PreparedNode]) -> PreparedNode:
        # what is known first: it may decide
        runs = [part.run for part in sorted(parts, key=lambda part: part.open)]
        if isinstance(node.op, ast.Or):
            return _open(lambda on, names, high: any(run(on, names, high) for run in runs))
        return _open(lambda on, names, high: all(run(on, names, high) for run in runs))

    def choice(
        self, node: ast.IfExp, test: PreparedNode, yes: PreparedNode, no: PreparedNode
    ) -> PreparedNode:
        def run(on: Asked, names: Names, high: bool) -> Any:
            if test.run(on, names, False):
                return yes.run(on, names, high)
            if not test.open or not test.run(on, names, True):
                return no.run(on, names, high)
            return _wider(yes.run(on, names, high), no.run(on, names, high), high)

        return _open(run)

    def binary(self, node: ast.BinOp, left: PreparedNode, right: PreparedNode) -> PreparedNode:
        one, other, operate = left.run, right.run, OPERATORS[type(node.op)]
        if isinstance(node.op, ast.Add):
            return _open(lambda on, names, high: one(on, names, high) + other(on, names, high))
        if isinstance(node.op, ast.Sub):
            return _open(lambda on, names, high: one(on, names, high) - other(on, names, not high))

        def run(on: Asked, names: Names, high: bool) -> Any:
            ends = product((False, True), repeat=2)
            every = [operate(one(on, names, a), other(on, names, b)) for a, b in ends]
            return max(every) if high else min(every)

        return _open(run)

    def compare(self, node: ast.Compare, sides: list[PreparedNode]) -> PreparedNode:
        if len(node.ops) > 1:
            raise _refused(node, "a chain of comparisons; write them with `and`")
        return _open(_compared(type(node.ops[0]), sides[0].run, sides[1].run))

    def call(
        self, node: ast.Call, args: Iterator[PreparedNode], filters: Iterator[PreparedNode]
    ) -> PreparedNode:
        name = called(node)
        if any(
            value.open or k.arg in self.open_names for k, value in zip(node.keywords, filters, strict=True)
        ):
            raise _refused(node, "a selection by what depends on a verdict; use where()")
        given = list(args)
        runs = [a.run for a in given]
        if name in self.open_names:
            if any(a.open for a in given):
                raise _refused(node, f"an argument of {name} that depends on a verdict")
            first, *others = runs
            return _open(
                lambda on, names, high: on.of(
                    name, first(on, names, high), _all(others, on, names, high), high
                )
            )
        if name not in _SPECIAL:
            raise _refused(node, f"{name}()")
        return _open(_SPECIAL[name](node, runs))


def _open(run: Run) -> PreparedNode:
    return PreparedNode(run, True)


def _all(runs: Iterable[Run], on: Asked, names: Names, high: bool) -> tuple[Any, ...]:
    return tuple([run(on, names, high) for run in runs])


def _wider(a: Any, b: Any, high: bool) -> Any:
    if isinstance(a, tuple) or isinstance(b, tuple):
        return tuple(dict.fromkeys((*a, *b))) if high else tuple(x for x in a if x in b)
    return max(a, b) if high else min(a, b)


_ORDERED: Final[dict[type, tuple[Callable[[Any, Any], bool], bool]]] = {
    ast.Gt: (operator.gt, True),
    ast.GtE: (operator.ge, True),
    ast.Lt: (operator.lt, False),
    ast.LtE: (operator.le, False),
}
"""Comparisons, and whether a greater left side makes them hold."""


def _compared(op: type, left: Run, right: Run) -> Run:
    if op in _ORDERED:
        test, rising = _ORDERED[op]
        return lambda on, names, high: test(left(on, names, high == rising), right(on, names, high != rising))
    if op in (ast.In, ast.NotIn):
        inside = OPERATORS[ast.In]
        if op is ast.In:
            return lambda on, names, high: inside(left(on, names, high), right(on, names, high))
        return lambda on, names, high: not inside(left(on, names, high), right(on, names, not high))
    same = OPERATORS[ast.Eq]

    def equal(on: Asked, names: Names, high: bool) -> bool:
        a, b = left(on, names, False), right(on, names, False)
        x, y = left(on, names, True), right(on, names, True)
        if same(a, x) and same(b, y):
            return bool(same(a, b))
        if not high:
            return False
        return bool(a <= y and b <= x) if all(isinstance(v, int) for v in (a, b, x, y)) else True

    if op is ast.Eq:
        return equal
    return lambda on, names, high: not equal(on, names, not high)


# ---- calls


def _refused(node: ast.expr, what: str) -> ExpressionError:
    return ExpressionError(f"cannot be judged while verdicts are open: {what}", node.col_offset)


def _named(node: ast.Call, at: int) -> str:
    """The name of a term or field that a function is handed."""
    named = text_of(node.args[at]) if len(node.args) > at else ""
    if not named:
        raise _refused(node, "the name of a definition that is not written out")
    return named


Maker = Callable[[ast.Call, list[Run]], Run]


def _over(node: ast.Call, args: list[Run]) -> tuple[Run, Callable[[Asked, Names, Any, bool], Any] | None]:
    """The set of a function over members, and what it asks of each."""
    if len(args) < 2:
        return args[0], None
    name, rest = _named(node, 1), args[2:]
    return args[0], lambda on, names, thing, high: on.of(name, thing, _all(rest, on, names, high), high)


def _those(node: ast.Call, args: list[Run]) -> Run:
    things, asked = _over(node, args)
    return lambda on, names, high: tuple(
        t for t in on.members(things(on, names, high)) if asked is None or asked(on, names, t, high)
    )


def _count(node: ast.Call, args: list[Run]) -> Run:
    those = _those(node, args)
    return lambda on, names, high: sum(on.weight(t) for t in those(on, names, high))


def _some(node: ast.Call, args: list[Run]) -> Run:
    things, asked = _over(node, args)
    return lambda on, names, high: any(
        asked is None or asked(on, names, t, high) for t in on.members(things(on, names, high))
    )


def _every(node: ast.Call, args: list[Run]) -> Run:
    things, asked = _over(node, args)
    return lambda on, names, high: all(
        asked is None or asked(on, names, t, high) for t in on.members(things(on, names, not high))
    )


def _total(node: ast.Call, args: list[Run]) -> Run:
    things, asked = _over(node, args)
    assert asked is not None

    def run(on: Asked, names: Names, high: bool) -> Any:
        sure = set(on.members(things(on, names, False)))
        out = 0
        for t in on.members(things(on, names, True)):
            value = on.weight(t) * (asked(on, names, t, high) or 0)
            if t in sure:
                out += value
            else:
                out += max(0, value) if high else min(0, value)
        return out

    return run


def _highest(node: ast.Call, args: list[Run]) -> Run:
    things, asked = _over(node, args)
    assert asked is not None

    def run(on: Asked, names: Names, high: bool) -> Any:
        if high:
            return max(
                (asked(on, names, t, True) or 0 for t in on.members(things(on, names, True))), default=0
            )
        sure = [asked(on, names, t, False) or 0 for t in on.members(things(on, names, False))]
        if sure:
            return max(sure)
        return min((asked(on, names, t, False) or 0 for t in on.members(things(on, names, True))), default=0)

    return run


def _reaches(node: ast.Call, args: list[Run]) -> Run:
    start, goals, rest, name = args[0], args[1], args[3:], _named(node, 2)

    def run(on: Asked, names: Names, high: bool) -> bool:
        more = _all(rest, on, names, high)
        return on.joined(
            start(on, names, high), goals(on, names, high), lambda place: bool(on.of(name, place, more, high))
        )

    return run


def _without(node: ast.Call, args: list[Run]) -> Run:
    those, out = args

    def run(on: Asked, names: Names, high: bool) -> Any:
        drop = set(on.members(out(on, names, not high)))
        return tuple(t for t in on.members(those(on, names, high)) if t not in drop)

    return run


def _both(node: ast.Call, args: list[Run]) -> Run:
    one, other = args

    def run(on: Asked, names: Names, high: bool) -> Any:
        stay = set(on.members(other(on, names, high)))
        return tuple(t for t in on.members(one(on, names, high)) if t in stay)

    return run


def _either(node: ast.Call, args: list[Run]) -> Run:
    one, other = args
    return lambda on, names, high: tuple(
        dict.fromkeys((*on.members(one(on, names, high)), *on.members(other(on, names, high))))
    )


def _rising(function: Callable[..., Any]) -> Maker:
    return lambda node, args: lambda on, names, high: function(*[a(on, names, high) for a in args])


_SPECIAL: Final[dict[str, Maker]] = {
    "where": _those, "count": _count, "any": _some, "all": _every, "sum": _total, "maximum": _highest,
    "reaches": _reaches, "difference": _without, "intersection": _both, "union": _either,
    "min": _rising(min), "max": _rising(max),
}  # fmt: skip
"""Functions that can be run over what depends on verdicts. Of others every argument must be known."""
