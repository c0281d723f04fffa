"""What an expression comes to in any game: tests that always hold, or never, and numbers that are the same
whatever happens.

Nothing is guessed: constants are computed out by the code that runs them, values of options and
cells of tables count as open, for scenarios may give others, and of what is read only those bounds are taken
that the vocabulary or the ruleset gives (`count` is never below 0, a track stays within its ends).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import inf
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from .bounds import is_verdict
from .evaluate import Evaluator, compiled
from .functions import FUNCTIONS
from .parse import ExpressionError, parse

Rows = Callable[[str], Mapping[str, Any]]
"""The rows of a form, by id; of `settings` their values."""
Span = tuple[float | Fraction, float | Fraction]
"""The least and the most that a number can be."""

DEEP: Final = 10
"""Terms that call each other in a row whose bounds are told."""
_WHOLE: Final[Span] = (-inf, inf)
_TURNED: Mapping[type, type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_DENIED: Mapping[type, type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_SAME: Mapping[type, bool] = {
    **dict.fromkeys((ast.Eq, ast.LtE, ast.GtE), True),
    **dict.fromkeys((ast.NotEq, ast.Lt, ast.Gt), False),
}
"""What comes of comparing a value with itself."""
_BARE = Evaluator({"min": min, "max": max}, lambda thing, field: None)


class UnknownValue(NamedTuple):
    """What stands for a value that is not the same in every game."""


OPEN: Final = UnknownValue()


def constant(node: ast.expr) -> Any:
    """The value of a part of an expression that reads nothing; `OPEN` if it reads something, or cannot be
    computed.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if _reads(node):
        return OPEN
    try:
        return compiled(node)(_BARE, MappingProxyType({}))
    except (ExpressionError, ValueError, TypeError, ArithmeticError, KeyError):
        return OPEN  # another check's question


def _reads(node: ast.AST) -> bool:
    """Whether a part of an expression reads anything."""
    if isinstance(node, ast.Constant):
        return False
    if isinstance(node, ast.Name | ast.Attribute):
        return True
    if isinstance(node, ast.Call):
        return (
            bool(node.keywords)
            or getattr(node.func, "id", "") not in _BARE.functions
            or any(map(_reads, node.args))
        )
    return any(_reads(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))


def certain(node: ast.expr, rows: Rows) -> bool | None:
    """True if a test always holds, False if it never does, None if that is open."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, bool) else None  # `x or 'none'` gives a value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = certain(node.operand, rows)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        ends = isinstance(node.op, ast.Or)  # the value that decides the whole
        parts = [certain(part, rows) for part in node.values]
        if ends in parts:
            return ends
        if None not in parts:
            return not ends
        return ends if _excluded(_compared(node.values, ends), rows) else None
    if isinstance(node, ast.Compare):
        return _comparison(node, rows)
    return None


def span(node: ast.expr, rows: Rows, deep: int = 0) -> Span:
    """Between what a number lies in any game. `deep`: through how many terms it was come to."""
    value = constant(node)
    if value is not OPEN:
        return (value, value) if isinstance(value, int | Fraction) and not isinstance(value, bool) else _WHOLE
    if isinstance(node, ast.Name) and node.id in ("turn", "year"):
        return _of_calendar(node.id, rows("settings").get("calendar", {}))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        (low, high), (less, more) = span(node.left, rows, deep), span(node.right, rows, deep)
        return (low + less, high + more) if isinstance(node.op, ast.Add) else (low - more, high - less)
    if isinstance(node, ast.IfExp):
        (low, high), (less, more) = span(node.body, rows, deep), span(node.orelse, rows, deep)
        return min(low, less), max(high, more)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _of_call(node.func.id, node.args, rows, deep)
    return _WHOLE


def _of_calendar(name: str, row: Mapping[str, Any]) -> Span:
    """The first turn or year, and the last one of a game that has a last one."""
    last = row["turns"] if "turns" in row and "unless" not in row else inf
    if name == "turn":
        return 0, last
    if "start" not in row:
        return _WHOLE
    year, _, month = str(row["start"]).partition("-")
    start, months = int(year) * 12 + int(month) - 1, int(row.get("months", 1))
    return (start - months) // 12, inf if last == inf else (start + (int(last) - 1) * months) // 12


def _of_call(name: str, args: Sequence[ast.expr], rows: Rows, deep: int) -> Span:
    if name in ("min", "max"):
        ends = [span(arg, rows, deep) for arg in args]
        pick = min if name == "min" else max
        return (pick(low for low, _ in ends), pick(high for _, high in ends)) if ends else _WHOLE
    if name == "track" and len(args) == 2 and isinstance(args[1], ast.Constant):
        row = rows("tracks").get(str(args[1].value), {})
        return row.get("at_least", -inf), row.get("at_most", inf)
    if name == "level" and len(args) == 2 and isinstance(args[1], ast.Constant):
        return 0, rows("technologies").get(str(args[1].value), {"levels": inf}).get("levels", 1)
    term = rows("definitions").get(name)
    if term is not None and is_verdict(term):
        return _WHOLE
    if term is not None and name not in FUNCTIONS:
        return _of_term(str(term.get("is", "")), rows, deep)
    function = FUNCTIONS.get(name)
    return -inf if function is None or function.least is None else function.least, inf


def _of_term(text: str, rows: Rows, deep: int) -> Span:
    try:
        return span(parse(text).tree, rows, deep + 1) if deep < DEEP else _WHOLE
    except ExpressionError:  # another check's question
        return _WHOLE


def _comparison(node: ast.Compare, rows: Rows) -> bool | None:
    sides = [node.left, *node.comparators]
    found = [_pair(sides[n], op, sides[n + 1], rows) for n, op in enumerate(node.ops)]
    if False in found or None not in found:
        return False not in found
    links = (
        [ast.Compare(sides[n], [op], [sides[n + 1]]) for n, op in enumerate(node.ops)]
        if len(found) > 1
        else []
    )
    return False if _excluded(_compared(links, False), rows) else None


def _pair(left: ast.expr, op: ast.cmpop, right: ast.expr, rows: Rows) -> bool | None:
    ways = _SAME.get(type(op))
    if ways is None:
        return None
    if not _reads(left) and not _reads(right):
        whole = constant(ast.Compare(left, [op], [right]))
        return None if whole is OPEN else bool(whole)
    if (
        type(left) is type(right)
        and getattr(left, "attr", 0) == getattr(right, "attr", 0)
        and ast.dump(left) == ast.dump(right)
    ):
        return ways
    return _apart(type(op), span(left, rows), span(right, rows))


def _apart(op: type[ast.cmpop], one: Span, other: Span) -> bool | None:
    """What comes of comparing two numbers of which the bounds are known."""
    if one == _WHOLE or other == _WHOLE:
        return None
    (low, high), (less, more) = one, other
    negative = op in (ast.LtE, ast.Lt, ast.NotEq)  # what is sure of >, >= and == is turned round
    if op in (ast.Gt, ast.LtE):
        always, never = low > more, high <= less
    elif op in (ast.GtE, ast.Lt):
        always, never = low >= more, high < less
    else:
        always, never = False, low > more or high < less
    if always:
        return not negative
    return negative if never else None


Compared = tuple[ast.expr, type[ast.cmpop], Any]
"""Something that is read, and how it is compared with what constant."""


def _compared(parts: Iterable[ast.expr], denied: bool) -> list[Compared]:
    """The comparisons with constants among the parts of a test; `denied`: each is turned into its
    opposite.
    """
    found: list[Compared] = []
    for part in parts:
        if isinstance(part, ast.Compare) and len(part.ops) == 1 and type(part.ops[0]) in _SAME:
            left, op, right = part.left, type(part.ops[0]), part.comparators[0]
            if constant(left) is not OPEN:
                left, op, right = right, _TURNED.get(op, op), left
            value = constant(right)
            if value is not OPEN and value is not None:
                found.append((left, _DENIED[op] if denied else op, value))
    return found


def _excluded(compared: list[Compared], rows: Rows) -> bool:
    """Whether comparisons can never hold together: nothing is more than 3 and less than 2, or called both
    this and that.
    """
    if len(compared) < 2:
        return False
    by_text: dict[str, list[Compared]] = {}
    for one in compared:
        by_text.setdefault(ast.dump(one[0]), []).append(one)
    return any(_none_left(together, rows) for together in by_text.values() if len(together) > 1)


def _none_left(together: list[Compared], rows: Rows) -> bool:
    wanted = [value for _, op, value in together if op is ast.Eq]
    refused = [value for _, op, value in together if op is ast.NotEq]
    if wanted and (any(value != wanted[0] for value in wanted) or wanted[0] in refused):
        return True
    figures = [
        (op, value)
        for _, op, value in together
        if isinstance(value, int | Fraction) and not isinstance(value, bool)
    ]
    low, high = span(together[0][0], rows)
    open_low = open_high = False
    for op, value in figures:
        if op in (ast.Gt, ast.GtE, ast.Eq) and (value > low or (value == low and op is ast.Gt)):
            low, open_low = value, op is ast.Gt
        if op in (ast.Lt, ast.LtE, ast.Eq) and (value < high or (value == high and op is ast.Lt)):
            high, open_high = value, op is ast.Lt
    return low > high or (low == high and (open_low or open_high))
