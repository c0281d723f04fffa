"""Expressions over the living of a battle, compiled to arrays.

In a battle an expression may count and sum over `mine` and `foe`, the groups of equal units on either side. `compile_array`
turns such an expression into a function of the numbers alive in a whole batch of battles, so that one row serves the real
battle, a million samples and the exact odds. Whatever does not depend on the living is evaluated once, at compilation.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.state import Entity
from ..ruleset.expressions.functions import BATTLE_FUNCTIONS
from ..ruleset.expressions.parse import Expression, ExpressionError, parse, strip_mark
from ..world.selections import apply
from .rational_arrays import array_of

if TYPE_CHECKING:
    from ..world.world import Names, World

Counts = NDArray[Any]
"""Units alive: one row for each battle of the batch, one column for each group."""
Result = Any
"""A plain value, the same for the whole batch, or an array with one value for each battle."""

_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}


@dataclass(frozen=True, slots=True)
class Members:
    """One set of groups: the things that terms are asked of, and the columns where their numbers stand."""

    things: tuple[Entity, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A value in a battle. `plain` holds if it does not depend on who is alive; otherwise call it with numbers and round."""

    plain: bool
    value: Any = None
    run: Callable[[Counts, int], Result] | None = None

    def __call__(self, counts: Counts, round_: int = 1) -> Result:
        return self.value if self.run is None else self.run(counts, round_)

    def truth(self, counts: Counts, round_: int = 1) -> Result:
        """The value as true or false: a bool, or an array of bools."""
        found = self(counts, round_)
        return found.astype(bool) if isinstance(found, np.ndarray) else bool(found)


def constant(value: Any) -> Compiled:
    return Compiled(True, value)


def compile_array(world: World, text: Any, names: Names, sets: Mapping[str, Members]) -> Compiled:
    """Compile an expression, a number or a truth value; `sets` are the names that stand for groups (`mine`, `foe`).

    Raises ExpressionError, with its column, for what cannot be said over arrays.
    """
    if text is None:
        return constant(True)
    if not isinstance(text, str | Expression):
        return constant(text)
    expression = parse(strip_mark(text)) if isinstance(text, str) else text
    if not expression.names & sets.keys() and not _moves(expression.tree, frozenset(sets)):
        return constant(world.value(expression, names))
    return _Compiler(world, names, sets).compile(expression.tree)


class _Compiler:
    def __init__(self, world: World, names: Names, sets: Mapping[str, Members]) -> None:
        self.world = world
        self.names = {**names, **{name: members.things for name, members in sets.items()}}
        self.sets = sets
        self.words = frozenset(sets)

    def compile(self, node: ast.expr) -> Compiled:
        if not _moves(node, self.words):
            return constant(self.world.value(_part(node), self.names))
        if _is_round(node):
            return Compiled(False, run=lambda counts, round_: round_)
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise ExpressionError(f"{ast.unparse(node)} cannot be said over the living of a battle", node.col_offset)
        found: Compiled = method(node)
        return found

    def _boolop(self, node: ast.BoolOp) -> Compiled:
        parts: list[Compiled] = []
        stop = isinstance(node.op, ast.Or)
        for value in node.values:
            part = self.compile(value)
            if part.plain and bool(part.value) is stop:
                return constant(stop) if not parts else self._join([*parts, part], stop)
            if not part.plain:
                parts.append(part)
        return self._join(parts, stop) if parts else constant(not stop)

    def _join(self, parts: Sequence[Compiled], either: bool) -> Compiled:
        def run(counts: Counts, round_: int) -> Result:
            out: Any = not either
            for part in parts:
                found = part.truth(counts, round_)
                out = np.logical_or(out, found) if either else np.logical_and(out, found)
            return out

        return Compiled(False, run=run)

    def _unaryop(self, node: ast.UnaryOp) -> Compiled:
        inner = self.compile(node.operand)
        if isinstance(node.op, ast.Not):
            return Compiled(False, run=lambda c, r: np.logical_not(inner.truth(c, r)))
        if isinstance(node.op, ast.USub):
            return Compiled(False, run=lambda c, r: -inner(c, r))
        return inner

    def _binop(self, node: ast.BinOp) -> Compiled:
        left, right = self.compile(node.left), self.compile(node.right)
        operator = _BINARY.get(type(node.op))
        if operator is None:
            if isinstance(node.op, ast.Div):
                raise ExpressionError("in a battle a quotient must be whole: write // or ceil(a / b)", node.col_offset)
            raise ExpressionError("this operator cannot be used over the living of a battle", node.col_offset)
        return Compiled(False, run=lambda c, r: operator(left(c, r), right(c, r)))

    def _compare(self, node: ast.Compare) -> Compiled:
        sides = [self.compile(side) for side in (node.left, *node.comparators)]
        operators = [_COMPARE.get(type(op)) for op in node.ops]
        if any(op is None for op in operators):
            raise ExpressionError("`in` cannot be used over the living of a battle", node.col_offset)

        def run(counts: Counts, round_: int) -> Result:
            found = [side(counts, round_) for side in sides]
            out: Any = True
            for op, a, b in zip(operators, found, found[1:], strict=False):
                assert op is not None
                out = np.logical_and(out, op(a, b))
            return out

        return Compiled(False, run=run)

    def _ifexp(self, node: ast.IfExp) -> Compiled:
        test, one, other = self.compile(node.test), self.compile(node.body), self.compile(node.orelse)
        if test.plain:
            return one if test.value else other
        return Compiled(False, run=lambda c, r: np.where(test.truth(c, r), one(c, r), other(c, r)))

    def _call(self, node: ast.Call) -> Compiled:
        assert isinstance(node.func, ast.Name)
        word = node.func.id
        if word in ("ceil", "floor") and len(node.args) == 1:
            return self._rounded(word, node.args[0])
        if word not in BATTLE_FUNCTIONS:
            words = ", ".join(sorted(BATTLE_FUNCTIONS))
            raise ExpressionError(f"over the living of a battle there are only {words}, not {word}", node.col_offset)
        if word in ("min", "max"):
            parts = [self.compile(a) for a in node.args]
            choose = np.minimum if word == "min" else np.maximum
            return Compiled(False, run=lambda c, r: _fold(choose, [p(c, r) for p in parts]))
        if word == "lookup":
            return self._lookup(node)
        return self._over(word, node)

    def _capped(self, node: ast.Call, members: Members) -> Compiled:
        term, by = (self.compile(a).value for a in node.args[1:3])
        passing: dict[Any, list[int]] = {}
        for thing, column in zip(members.things, members.columns, strict=True):
            if _ask(self.world, thing, term, ()):
                value = _ask(self.world, thing, by, ())
                passing.setdefault(value.id if isinstance(value, Entity) else value, []).append(column)
        return _at_most(list(passing.values()), self.compile(node.args[3]))

    def _rounded(self, word: str, inner: ast.expr) -> Compiled:
        """A quotient rounded: `ceil(a / b)`, `floor(a / b)`, the one place where dividing is allowed."""
        if not (isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div)):
            return self.compile(inner)
        top, bottom = self.compile(inner.left), self.compile(inner.right)
        if word == "floor":
            return Compiled(False, run=lambda c, r: top(c, r) // bottom(c, r))
        return Compiled(False, run=lambda c, r: -(-top(c, r) // bottom(c, r)))

    def _lookup(self, node: ast.Call) -> Compiled:
        table = node.args[0]
        keys = [self.compile(a) for a in node.args[1:]]
        find = self.world._evaluator.functions["lookup"]
        if not isinstance(table, ast.Constant):
            raise ExpressionError("the table must be named", node.col_offset)

        def run(counts: Counts, round_: int) -> Result:
            found = [k(counts, round_) for k in keys]
            length = max((len(f) for f in found if isinstance(f, np.ndarray)), default=0)
            if not length:
                return find(table.value, *found)
            rows = np.stack([np.broadcast_to(np.asarray(f, dtype=np.int64), (length,)) for f in found], axis=1)
            different, where = np.unique(rows, axis=0, return_inverse=True)
            cells = array_of([find(table.value, *(int(x) for x in row)) for row in different])
            return cells[where.reshape(-1)]

        return Compiled(False, run=run)

    def _over(self, word: str, node: ast.Call) -> Compiled:
        """count, some, every, total, highest, kinds, capped over one set of groups."""
        first = node.args[0]
        if not (isinstance(first, ast.Name) and first.id in self.sets):
            raise ExpressionError(f"{word} needs mine or foe in a battle", node.col_offset)
        members = self.sets[first.id]
        columns = list(members.columns)
        if word == "capped":
            return self._capped(node, members)
        if len(node.args) == 1:
            values: list[Any] = [1] * len(columns)
        else:
            rest = [self.compile(a) for a in node.args[1:]]
            if not all(r.plain for r in rest):
                raise ExpressionError("a term cannot depend on the living here", node.col_offset)
            values = [_ask(self.world, thing, rest[0].value, tuple(r.value for r in rest[1:])) for thing in members.things]
        return _counting(word, columns, values)


def _at_most(passing: list[list[int]], most: Compiled) -> Compiled:
    """How many are alive of each list of columns, of each at most so many."""

    def run(counts: Counts, round_: int) -> Result:
        limit = most(counts, round_)
        return sum((np.minimum(counts[:, c].sum(axis=1), limit) for c in passing), np.zeros(len(counts), dtype=np.int64))

    return Compiled(False, run=run)


def _counting(word: str, columns: list[int], values: list[Any]) -> Compiled:
    if word in ("count", "some", "every"):
        passing = [c for c, v in zip(columns, values, strict=True) if v]
        failing = [c for c, v in zip(columns, values, strict=True) if not v]
        if word == "count":
            return Compiled(False, run=lambda c, r: c[:, passing].sum(axis=1, dtype=np.int64))
        if word == "some":
            return Compiled(False, run=lambda c, r: (c[:, passing] > 0).any(axis=1))
        return Compiled(False, run=lambda c, r: ~(c[:, failing] > 0).any(axis=1))
    if word == "kinds":
        plain = [v.id if isinstance(v, Entity) else v for v in values]
        by_value = [[c for c, v in zip(columns, plain, strict=True) if v == each] for each in dict.fromkeys(plain)]
        return Compiled(False, run=lambda c, r: _sum([(c[:, k] > 0).any(axis=1) for k in by_value], len(c)))
    figures = array_of([v or 0 for v in values])
    if word == "total":
        return Compiled(False, run=lambda c, r: (c[:, columns] * figures).sum(axis=1))
    return Compiled(False, run=lambda c, r: np.where(c[:, columns] > 0, figures, 0).max(axis=1, initial=0))


def _sum(parts: Sequence[Any], length: int) -> Counts:
    out = np.zeros(length, dtype=np.int64)
    for part in parts:
        out += part
    return out


def _fold(choose: Any, values: Sequence[Any]) -> Any:
    out = values[0]
    for value in values[1:]:
        out = choose(out, value)
    return out


def _ask(world: World, thing: Entity, name: Any, rest: tuple[Any, ...]) -> Any:
    return apply(world, thing, str(name), rest)


@lru_cache(maxsize=20_000)
def _moves(node: ast.AST, sets: frozenset[str]) -> bool:
    """Whether a value can change while the battle goes on."""
    return any((isinstance(part, ast.Name) and part.id in sets) or _is_round(part) for part in ast.walk(node))


@lru_cache(maxsize=20_000)
def _part(node: ast.expr) -> Expression:
    """Part of an expression as one of its own."""
    return Expression(ast.unparse(node), node, *_EMPTY)


def asks_round(text: str) -> bool:
    """Whether an expression goes by the number of the round; text that is no expression does not."""
    try:
        tree = parse(strip_mark(text)).tree
    except ExpressionError:
        return False
    return any(_is_round(node) for node in ast.walk(tree))


def _is_round(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "round"
        and isinstance(node.value, ast.Name)
        and node.value.id == "battle"
    )


_EMPTY = (frozenset[str](), frozenset[str](), frozenset[str]())
