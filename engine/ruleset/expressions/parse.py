"""Text to `Expression`: parsed once by simpleeval's parser, held to the allowed syntax, decimal figures made
exact.

An expression is a tree of a few node types and has a size limit; whatever else Python could say is refused at
its column.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from simpleeval import InvalidExpression, SimpleEval

from .vocabulary import ALWAYS

MAX_LENGTH = 1000
MAX_NODES = 250
MAX_DEPTH = 30
MAX_DIGITS = 18
MAX_POWER = 64

_ALLOWED: frozenset[type[ast.AST]] = frozenset(
    {
        ast.Expr,
        ast.Name,
        ast.Constant,
        ast.UnaryOp,
        ast.BinOp,
        ast.BoolOp,
        ast.Compare,
        ast.IfExp,
        ast.Call,
        ast.keyword,
        ast.Attribute,
        ast.Load,
        ast.And,
        ast.Or,
        ast.Not,
        ast.USub,
        ast.UAdd,
        ast.Add,
        ast.Sub,
        ast.Mult,
        ast.Div,
        ast.FloorDiv,
        ast.Mod,
        ast.Pow,
        ast.Eq,
        ast.NotEq,
        ast.Lt,
        ast.LtE,
        ast.Gt,
        ast.GtE,
        ast.In,
        ast.NotIn,
    }
)

_WORDS = {
    ast.Subscript: "subscripts [ ]",
    ast.List: "lists; write set_of('a', 'b')",
    ast.Tuple: "tuples; write set_of('a', 'b')",
    ast.Dict: "dictionaries",
    ast.Set: "set braces; write set_of('a', 'b')",
    ast.ListComp: "comprehensions",
    ast.GeneratorExp: "comprehensions",
    ast.Lambda: "functions of your own",
    ast.JoinedStr: "f-strings",
    ast.Is: "`is`; write ==",
    ast.IsNot: "`is not`; write !=",
}


class ExpressionError(ValueError):
    """An expression that cannot be read or evaluated. `column` counts from 0 within the text."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.expression = ""
        """The text that was evaluated, of an error met there."""
        self.ruleset: Any = None
        """The rules it belongs to, where they are known."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression: its text, its tree, and the names, functions and fields it reads."""

    text: str
    tree: ast.expr = field(compare=False, repr=False)
    names: frozenset[str] = field(compare=False, repr=False)
    functions: frozenset[str] = field(compare=False, repr=False)
    fields: frozenset[str] = field(compare=False, repr=False)
    timeless: bool = field(default=False, compare=False, repr=False)
    """Whether it reads none of the names that are always there."""


class _Exact(ast.NodeTransformer):
    """Decimal figures become fractions read from their own digits: 0.1 is one tenth."""

    def __init__(self, text: str) -> None:
        self.text = text

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, float):
            digits = ast.get_source_segment(self.text, node) or repr(node.value)
            exponent = re.search("[eE][-+]?([0-9_]+)$", digits)
            if len(digits) > MAX_DIGITS or (exponent and int(exponent[1]) > MAX_DIGITS):
                raise ExpressionError(f"a number of more than {MAX_DIGITS} digits", node.col_offset)
            try:
                value = Fraction(digits)
            except ValueError:
                raise ExpressionError(f"{digits} is not a number", node.col_offset) from None
            node.value = value  # type: ignore[assignment]
        elif isinstance(node.value, int) and abs(node.value) >= 10**MAX_DIGITS:
            raise ExpressionError(f"a number of more than {MAX_DIGITS} digits", node.col_offset)
        elif isinstance(node.value, bytes | complex) or node.value is Ellipsis:
            raise ExpressionError("only numbers, texts and truth values can be written", node.col_offset)
        return node


def strip_mark(text: str) -> str:
    """The expression of a value that may be marked by a leading `=`."""
    return text[1:].strip() if text.startswith("=") else text.strip()


@lru_cache(maxsize=20_000)
def parse(text: str) -> Expression:
    """Parse one expression; a leading `=` says nothing more.

    Raises ExpressionError with the column of the offence.
    """
    text = strip_mark(text) if text.startswith("=") else text
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters; name a part of it as a definition")
    if not text.strip():
        raise ExpressionError("empty expression")
    if "\n" in text.strip():
        text = " ".join(text.split())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            node = SimpleEval.parse(text)
    except SyntaxError as error:
        raise ExpressionError(_syntax(text, error), max((error.offset or 1) - 1, 0)) from None
    except (InvalidExpression, Warning, ValueError, RecursionError, MemoryError) as unreadable:
        raise ExpressionError(f"cannot be read: {unreadable}") from None
    if not isinstance(node, ast.Expr):
        raise ExpressionError(
            "a statement, not an expression; `==` compares"
            if isinstance(node, ast.Assign)
            else "not an expression"
        )
    shift = len(text) - len(text.lstrip())
    count = 0
    plain = True  # no figure in it is to be made exact, or refused
    names: set[str] = set()
    functions: set[str] = set()
    fields: set[str] = set()
    called: set[int] = set()  # a name that is called is a function, whatever else has this name
    stack: list[tuple[ast.AST, int]] = [(node, 0)]
    while stack:
        item, depth = stack.pop()
        count += 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            raise ExpressionError("too large; name a part of it as a definition")
        kind = type(item)
        if kind not in _ALLOWED:
            words = _WORDS.get(kind, kind.__name__)
            raise ExpressionError(f"expressions have no {words}", getattr(item, "col_offset", 0) + shift)
        if isinstance(item, ast.Name):
            if id(item) not in called:
                names.add(item.id)
        elif isinstance(item, ast.Attribute):
            if item.attr.startswith("_"):
                raise ExpressionError(f"no field is called {item.attr}", item.col_offset + shift)
            fields.add(item.attr)
        elif isinstance(item, ast.Call):
            if not isinstance(item.func, ast.Name):
                raise ExpressionError("only the named functions can be called", item.col_offset + shift)
            functions.add(item.func.id)
            called.add(id(item.func))
        elif isinstance(item, ast.keyword):
            if item.arg is None:
                raise ExpressionError("no ** in a call", item.value.col_offset + shift)
            fields.add(item.arg)
        elif isinstance(item, ast.Constant):
            plain &= isinstance(item.value, str) or (
                isinstance(item.value, int) and abs(item.value) < 10**MAX_DIGITS
            )
        for name in kind._fields:  # as `ast.iter_child_nodes` does, which takes three times as long
            value = getattr(item, name, None)
            for child in value if type(value) is list else (value,):
                if isinstance(child, ast.AST):
                    stack.append((child, depth + 1))
    tree = node.value if plain else _Exact(text.strip()).visit(node.value)
    read = frozenset(names)
    return Expression(
        text.strip(), tree, read, frozenset(functions), frozenset(fields), read.isdisjoint(ALWAYS)
    )


def _syntax(text: str, error: SyntaxError) -> str:
    if "=" in text and "==" not in text and "assign" in (error.msg or "").lower():
        return "`=` sets nothing here; `==` compares"
    outside = _QUOTED.sub("", text)
    for word in re.findall(r"[A-Za-z]+", outside):
        meant = next((w for w in _CONNECTIVES if word != w and sorted(word.lower()) == sorted(w)), None)
        if meant is not None and not re.search(rf"\b{word}\s*[(.]", outside):
            return f"cannot be read: `{word}` is written `{meant}`"
    for pattern, instead in _ELSEWHERE:
        if pattern.search(_QUOTED.sub(lambda found: "'" + "_" * (len(found[0]) - 2) + "'", text)):
            return f"cannot be read: {instead}"
    return f"cannot be read: {error.msg}"


_CONNECTIVES = ("and", "or", "not", "in", "if", "else")
"""The words that join parts of an expression."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_ELSEWHERE = (
    (re.compile(r"&&"), "`&&` is written `and`"),
    (re.compile(r"\|\|"), "`||` is written `or`"),
    (re.compile(r"!(?!=)"), "`!` is written `not`"),
    (re.compile(r"<>"), "`<>` is written `!=`"),
    (re.compile(r"[0-9]\s*\.\.\s*-?[0-9]"), "no ranges here; write 3 <= turn <= 5 for 3 to 5"),
    (re.compile(r"^\s*if\b|\bthen\b|\?"), "a choice is written `a if test else b`"),
)
"""What other languages write, and how it is written here."""


@lru_cache(maxsize=20_000)
def conjuncts(text: str) -> tuple[str, ...]:
    """The parts of a test that must all hold: `a and b` is a, b."""
    tree = parse(text).tree
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        parts = tuple(ast.get_source_segment(" ".join(text.split()), v) or "" for v in tree.values)
        if all(parts):
            return parts
    return (text,)
