"""What a single value of a row may be changed to: a number, a range, dice, a truth, an id, or a part of an
expression.

Every change is the smallest that a slip of the pen would make: one more or one less, the next id of the same
table, the other comparison. Changes come in a fixed order, so that the same rules always have the same
changes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from wteaw.ruleset.expressions.functions import FUNCTIONS

__all__ = ["Ids", "of_expression", "of_id", "of_text", "of_value", "one_line", "same_faces"]

Ids = Mapping[str, Sequence[str]]
"""Ids of rows by form, in their order."""

_RANGE = re.compile(r"(-?[0-9]*)\.\.(-?[0-9]*)")
_DICE = re.compile(r"([0-9]+)d([0-9]+)([+-][0-9]+)?")
_FRACTION = re.compile(r"(-?[0-9]+)/([1-9][0-9]*)")
_NUMBER = re.compile(r"-?[0-9]+")
_DIE_SIZES = (4, 6, 8, 10, 12, 20)
_COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
}
_COMPARISON = re.compile(r"<=|>=|==|!=|<|>|\bnot\s+in\b|\bin\b")
_ARITHMETIC: Mapping[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
}


def of_value(value: Any) -> Iterator[Any]:
    """What a number or a truth may be changed to."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        if value:
            yield value - 1
    elif isinstance(value, Fraction):
        yield value + Fraction(1, value.denominator)


def of_text(value: str) -> Iterator[str]:
    """What text that stands for numbers may be changed to; nothing for other text."""
    if found := _RANGE.fullmatch(value):
        yield from _ends(*found.groups())
    elif found := _DICE.fullmatch(value):
        n, faces, more = found.groups()
        for other in _die_sizes(int(faces)):
            yield f"{n}d{other}{more or ''}"
        yield f"{int(n) + 1}d{faces}{more or ''}"
        if more:
            yield f"{n}d{faces}{int(more) + 1:+d}".replace("+0", "")
    elif found := _FRACTION.fullmatch(value):
        over, under = (int(x) for x in found.groups())
        yield f"{over + 1}/{under}"
        yield f"{over}/{under + 1}"
    elif _NUMBER.fullmatch(value):
        yield str(int(value) + 1)
        if int(value):
            yield str(int(value) - 1)


def same_faces(one: str, other: str, faces: tuple[int, int] | None) -> bool:
    """Whether two ranges mean the same faces of a die that has no others: 7..10 and 7..11 of one with ten."""
    found = [m.groups() for m in (_RANGE.fullmatch(one), _RANGE.fullmatch(other)) if m]
    if faces is None or len(found) < 2:
        return False
    least, most = faces
    a, b = ((max(int(low or least), least), min(int(high or most), most)) for low, high in found)
    return a == b


def _ends(low: str, high: str) -> Iterator[str]:
    """A range with one end moved: out and in."""
    if high:
        yield f"{low}..{int(high) + 1}"
        if not low or int(high) > int(low):
            yield f"{low}..{int(high) - 1}"
    if low:
        if not high or int(low) < int(high):
            yield f"{int(low) + 1}..{high}"
        yield f"{int(low) - 1}..{high}"


def _die_sizes(faces: int) -> Iterator[int]:
    yield next((n for n in _DIE_SIZES if n > faces), faces + 1)
    yield next((n for n in reversed(_DIE_SIZES) if n < faces), max(faces - 1, 1))


def of_id(value: str, forms: Sequence[str], ids: Ids, taken: Sequence[object] = ()) -> str | None:
    """The id that stands after this one in its table, and not among those taken; None if there is no
    other.
    """
    for form in forms:
        known = ids.get(form, ())
        if value in known:
            at = list(known).index(value)
            return next((i for i in (*known[at + 1 :], *known[:at]) if i not in taken), None)
    return None


def one_line(text: str) -> str:
    return " ".join(text.split())


def of_expression(text: str, ids: Ids, terms: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """An expression with one part changed: the new text, and the part before and after.

    `text` is on one line, without a leading `=`; `terms` has the arguments of every term. Nothing for what
    cannot be read.
    """
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return
    data = text.encode()
    edits: dict[tuple[int, int, str], None] = {}
    for node in ast.walk(tree):
        for start, end, new in _edits(node, data, ids, terms):
            edits.setdefault((start, end, new))
    for start, end, new in sorted(edits):
        yield (data[:start] + new.encode() + data[end:]).decode(), data[start:end].decode(), new


def _edits(
    node: ast.AST, data: bytes, ids: Ids, terms: Mapping[str, Sequence[str]]
) -> Iterator[tuple[int, int, str]]:
    """Start, end (in bytes) and new text of each change of one node."""
    match node:
        case ast.Compare():
            for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                yield from _between(data, left, right, _COMPARISON, _COMPARISONS)
        case ast.BoolOp():
            word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from _between(data, left, right, re.compile(rf"\b{word}\b"), {word: other})
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            sign, other = _ARITHMETIC[type(node.op)]
            yield from _between(data, node.left, node.right, re.compile(re.escape(sign)), {sign: other})
        case ast.UnaryOp(op=ast.Not()):
            yield (
                _start(node),
                _start(node) + len(b"not") + data[_start(node) + len(b"not") :].startswith(b" "),
                "",
            )
        case ast.Constant():
            for new in _constants(node.value, ids):
                yield _start(node), _end(node), new
        case ast.Call(func=ast.Name(id=name)):
            other_name = _like(name, terms)
            if other_name is not None:
                yield _start(node.func), _end(node.func), other_name


def _constants(value: object, ids: Ids) -> Iterator[str]:
    if isinstance(value, bool | int):
        yield from map(str, of_value(value))
    elif isinstance(value, float):
        digits = repr(value)
        last = digits[-1]
        yield digits[:-1] + str((int(last) + 1) % 10) if last.isdigit() else digits
    elif isinstance(value, str):
        new = of_id(value, [form for form, known in ids.items() if value in known], ids)
        if new is not None:
            yield repr(new)


def _like(name: str, terms: Mapping[str, Sequence[str]]) -> str | None:
    """The next function of the same arguments: a term for a term, a function of the language for one."""
    if name in terms:
        alike = [t for t, of in terms.items() if list(of) == list(terms[name])]
    elif name in FUNCTIONS:
        asked = FUNCTIONS[name]
        alike = [
            n
            for n, f in FUNCTIONS.items()
            if (f.args, f.gives, f.optional, f.rest, f.filters)
            == (asked.args, asked.gives, asked.optional, asked.rest, asked.filters)
        ]
    else:
        return None
    at = alike.index(name)
    return alike[(at + 1) % len(alike)] if len(alike) > 1 else None


def _between(
    data: bytes, left: ast.expr, right: ast.expr, word: re.Pattern[str], swap: Mapping[str, str]
) -> Iterator[tuple[int, int, str]]:
    """The operator between two operands, swapped."""
    start = _end(left)
    gap = data[start : _start(right)].decode()
    found = word.search(gap)
    if found:
        yield start + found.start(), start + found.end(), swap[" ".join(found.group().split())]


def _start(node: ast.expr) -> int:
    return node.col_offset


def _end(node: ast.expr) -> int:
    return node.end_col_offset or node.col_offset
