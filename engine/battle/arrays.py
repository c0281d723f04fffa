"""Expressions over the living of a battle, compiled to arrays.

In a battle an expression may count and sum over `mine` and `foe`, the groups of equal units on either side.
`compile_array` turns such an expression into a function of the numbers alive in a whole batch of battles, so
that one row serves the real battle, a million samples and the exact odds. Whatever does not depend on the
living is evaluated once, at compilation.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.state import Entity
from ..ruleset.expressions.fold import called
from ..ruleset.expressions.living import Living, is_round, moves
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
    """A value in a battle. `plain` holds if it does not depend on who is alive; otherwise call it with
    numbers and round.
    """

    plain: bool
    value: Any = None
    run: Callable[[Counts, int], Result] | None = None

    def __call__(self, counts: Counts, round_: int = 1) -> Result:
        return self.value if self.run is None else self.run(counts, round_)

    def truth(self, counts: Counts, round_: int = 1) -> Result:
        """The value as true or false: a bool, or an array of bools."""
        value = self(counts, round_)
        return value.astype(bool) if isinstance(value, np.ndarray) else bool(value)


def constant(value: Any) -> Compiled:
    return Compiled(True, value)


def compile_array(world: World, text: Any, names: Names, sets: Mapping[str, Members]) -> Compiled:
    """Compile an expression, a number or a truth value; `sets` are the names that stand for groups (`mine`,
    `foe`).

    Raises ExpressionError, with its column, for what cannot be said over arrays.
    """
    if text is None:
        return constant(True)
    if not isinstance(text, str | Expression):
        return constant(text)
    expression = parse(strip_mark(text)) if isinstance(text, str) else text
    if not expression.names & sets.keys() and not moves(expression.tree, frozenset(sets)):
        return constant(world.value(expression, names))
    return _ArrayCompiler(world, names, sets).of(expression.tree)


class _ArrayCompiler(Living[Compiled]):
    """Makes arrays of what `Living` lets through."""

    def __init__(self, world: World, names: Names, sets: Mapping[str, Members]) -> None:
        self.world = world
        self.names = {**names, **{name: members.things for name, members in sets.items()}}
        self.members = sets
        self.sets = frozenset(sets)

    def plain(self, node: ast.expr) -> Compiled:
        return constant(self.world.value(_part(node), self.names))

    def round(self) -> Compiled:
        return Compiled(False, run=lambda counts, round_: round_)

    def refused(self, node: ast.expr, message: str) -> Compiled:
        raise ExpressionError(message, node.col_offset)

    def boolean(self, node: ast.BoolOp, parts: Iterator[Compiled]) -> Compiled:
        moving: list[Compiled] = []
        stop = isinstance(node.op, ast.Or)
        for part in parts:
            if part.plain and bool(part.value) is stop:
                return constant(stop) if not moving else self._join([*moving, part], stop)
            if not part.plain:
                moving.append(part)
        return self._join(moving, stop) if moving else constant(not stop)

    def _join(self, parts: Sequence[Compiled], either: bool) -> Compiled:
        def run(counts: Counts, round_: int) -> Result:
            out: Any = not either
            for part in parts:
                found = part.truth(counts, round_)
                out = np.logical_or(out, found) if either else np.logical_and(out, found)
            return out

        return Compiled(False, run=run)

    def unary(self, node: ast.UnaryOp, inner: Compiled) -> Compiled:
        if isinstance(node.op, ast.Not):
            return Compiled(False, run=lambda c, r: np.logical_not(inner.truth(c, r)))
        if isinstance(node.op, ast.USub):
            return Compiled(False, run=lambda c, r: -inner(c, r))
        return inner

    def arithmetic(self, node: ast.BinOp, left: Compiled, right: Compiled) -> Compiled:
        operate = _BINARY[type(node.op)]
        return Compiled(False, run=lambda c, r: operate(left(c, r), right(c, r)))

    def compare(self, node: ast.Compare, sides: list[Compiled]) -> Compiled:
        operators = [_COMPARE[type(op)] for op in node.ops]

        def run(counts: Counts, round_: int) -> Result:
            values = [side(counts, round_) for side in sides]
            out: Any = True
            for op, a, b in zip(operators, values, values[1:], strict=False):
                out = np.logical_and(out, op(a, b))
            return out

        return Compiled(False, run=run)

    def choice(self, node: ast.IfExp, test: Compiled, yes: Compiled, no: Compiled) -> Compiled:
        if test.plain:
            return yes if test.value else no
        return Compiled(False, run=lambda c, r: np.where(test.truth(c, r), yes(c, r), no(c, r)))

    def quotient(self, node: ast.Call, top: Compiled, bottom: Compiled) -> Compiled:
        if called(node) == "floor":
            return Compiled(False, run=lambda c, r: top(c, r) // bottom(c, r))
        return Compiled(False, run=lambda c, r: -(-top(c, r) // bottom(c, r)))

    def function(self, node: ast.Call, args: Iterator[Compiled]) -> Compiled:
        word = called(node)
        if word in ("min", "max"):
            numbers, choose = list(args), np.minimum if word == "min" else np.maximum
            return Compiled(False, run=lambda c, r: reduce(choose, [each(c, r) for each in numbers]))
        if word == "lookup":
            table, *keys = args
            return self._lookup(table.value, keys)
        group, asked = node.args[0], [self.of(a) for a in node.args[1:]]
        return self._over(word, self.members[group.id], asked)  # type: ignore[attr-defined]

    def _lookup(self, table: str, keys: list[Compiled]) -> Compiled:
        find = self.world.evaluator.functions["lookup"]

        def run(counts: Counts, round_: int) -> Result:
            found = [k(counts, round_) for k in keys]
            length = max((len(f) for f in found if isinstance(f, np.ndarray)), default=0)
            if not length:
                return find(table, *found)
            rows = np.stack(
                [np.broadcast_to(np.asarray(f, dtype=np.int64), (length,)) for f in found], axis=1
            )
            different, where = np.unique(rows, axis=0, return_inverse=True)
            cells = array_of([find(table, *(int(x) for x in row)) for row in different])
            return cells[where.reshape(-1)]

        return Compiled(False, run=run)

    def _over(self, word: str, members: Members, asked: list[Compiled]) -> Compiled:
        """count, some, every, total, highest, kinds, capped over one set of groups."""
        if word == "capped":
            return self._capped(members, *asked)
        values: list[Any] = [1] * len(members.things)
        if asked:
            rest = tuple(each.value for each in asked[1:])
            values = [_ask(self.world, thing, asked[0].value, rest) for thing in members.things]
        return _counting(word, list(members.columns), values)

    def _capped(self, members: Members, term: Compiled, by: Compiled, most: Compiled) -> Compiled:
        passing: dict[Any, list[int]] = {}
        for thing, column in zip(members.things, members.columns, strict=True):
            if _ask(self.world, thing, term.value, ()):
                value = _ask(self.world, thing, by.value, ())
                passing.setdefault(value.id if isinstance(value, Entity) else value, []).append(column)
        return _at_most(list(passing.values()), most)


def _at_most(passing: list[list[int]], most: Compiled) -> Compiled:
    """How many are alive of each list of columns, of each at most so many."""

    def run(counts: Counts, round_: int) -> Result:
        limit = most(counts, round_)
        return sum(
            (np.minimum(counts[:, c].sum(axis=1), limit) for c in passing),
            np.zeros(len(counts), dtype=np.int64),
        )

    return Compiled(False, run=run)


def _counting(word: str, columns: list[int], values: list[Any]) -> Compiled:
    if word in ("count", "any", "all"):
        passing = [c for c, v in zip(columns, values, strict=True) if v]
        failing = [c for c, v in zip(columns, values, strict=True) if not v]
        if word == "count":
            return Compiled(False, run=lambda c, r: c[:, passing].sum(axis=1, dtype=np.int64))
        if word == "any":
            return Compiled(False, run=lambda c, r: (c[:, passing] > 0).any(axis=1))
        return Compiled(False, run=lambda c, r: ~(c[:, failing] > 0).any(axis=1))
    if word == "count_distinct":
        plain = [v.id if isinstance(v, Entity) else v for v in values]
        by_value = [
            [c for c, v in zip(columns, plain, strict=True) if v == each] for each in dict.fromkeys(plain)
        ]
        return Compiled(False, run=lambda c, r: _sum([(c[:, k] > 0).any(axis=1) for k in by_value], len(c)))
    figures = array_of([v or 0 for v in values])
    if word == "sum":
        return Compiled(False, run=lambda c, r: (c[:, columns] * figures).sum(axis=1))
    return Compiled(False, run=lambda c, r: np.where(c[:, columns] > 0, figures, 0).max(axis=1, initial=0))


def _sum(parts: Sequence[Any], length: int) -> Counts:
    out = np.zeros(length, dtype=np.int64)
    for part in parts:
        out += part
    return out


def _ask(world: World, thing: Entity, name: Any, rest: tuple[Any, ...]) -> Any:
    return apply(world, thing, str(name), rest)


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
    return any(is_round(node) for node in ast.walk(tree))


_EMPTY = (frozenset[str](), frozenset[str](), frozenset[str]())
