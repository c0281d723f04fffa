"""Checks one expression against a ruleset without evaluating it: names, functions, arguments, fields, ids,
type of the result.

The scope says which names are there and of what kind (`{"nation": "nation", "self": "nation"}`). Every
problem comes with its column and, where one is near, the word that was probably meant. What is named is
judged in `named`, calls in `calls`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise

from .calls import Calls
from .certain import constant
from .fold import text_of
from .functions import FUNCTIONS
from .kinds import apart, fits, say
from .named import Problem, Vocabulary, near
from .parse import MAX_POWER, ExpressionError, parse
from .vocabulary import BUILT_IN, KINDS

__all__ = ["Problem", "Vocabulary", "check_expression", "kind_of"]


def check_expression(
    text: str, scope: Mapping[str, str], words: Vocabulary, gives: str = "any"
) -> list[Problem]:
    """All problems of an expression. `scope` maps names to kinds; `gives` is the type the place asks for."""
    try:
        expression = parse(text)
    except ExpressionError as error:
        return [Problem("E301", error.message, error.column)]
    checker = _Checker(scope, words)
    kind = checker.of(expression.tree)
    problems = checker.problems
    if not problems and not fits(kind, gives):
        problems.append(Problem("E307", f"gives {say(kind)}, but {say(gives)} is needed here", 0))
    return problems


def kind_of(text: str, scope: Mapping[str, str], words: Vocabulary) -> str:
    """What an expression gives, as far as that can be told without evaluating it: a word such as `number` or
    `set:unit`.
    """
    try:
        return _Checker(scope, words).of(parse(text).tree)
    except ExpressionError:
        return "any"


class _Checker(Calls):
    """What each kind of node gives. Calls are judged in `calls`."""

    def constant(self, node: ast.Constant) -> str:
        value = node.value
        if isinstance(value, bool):
            return "truth"
        if value is None:
            return "nothing"
        return "text" if isinstance(value, str) else "number"

    def name(self, node: ast.Name) -> str:
        if node.id in self.scope:
            return self.scope[node.id]
        names = [name for name in self.scope if "." not in name]
        hint = self.unquoted(node.id) or near(node.id, names)
        if not hint and node.id in KINDS and KINDS[node.id]:
            hint = f"name one, {node.id}('...'), or bind it: `for: {KINDS[node.id]}()`"
        elif not hint and node.id in FUNCTIONS:
            hint = f"{node.id} is a function: {node.id}(...)"
        return self.fail("E302", f"no name {node.id} here; there are {', '.join(sorted(names))}", node, hint)

    def boolean(self, node: ast.BoolOp, parts: Iterator[str]) -> str:
        said = set(parts)  # it gives the part that decides
        if len(said) == 1:
            return said.pop()
        return "truth" if said <= {"truth", "number"} else "any"

    def unary(self, node: ast.UnaryOp, inner: str) -> str:
        if isinstance(node.op, ast.Not):
            return "truth"
        self.number(inner, node.operand)
        return "number"

    def binary(self, node: ast.BinOp, left: str, right: str) -> str:
        self.number(left, node.left)
        self.number(right, node.right)
        by = constant(node.right)
        if by == 0 and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            self.fail("E306", "nothing can be divided by 0", node.right)
        if isinstance(node.op, ast.Pow) and isinstance(by, int) and abs(by) > MAX_POWER:
            self.fail("E306", f"a power is at most {MAX_POWER}", node.right)
        return "number"

    def compare(self, node: ast.Compare, sides: list[str]) -> str:
        parts = [node.left, *node.comparators]
        for index, op in enumerate(node.ops):
            for side in (index, index + 1) if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) else ():
                # of `a and b` the part that decides is compared, which may be a number
                test = sides[side] == "truth" and not isinstance(parts[side], ast.BoolOp)
                if test or sides[side] in ("text", "id", "list", "nothing"):
                    self.fail("E306", f"{say(sides[side])} cannot be compared as more or less", parts[side])
        for one, other, against, op in zip(sides, sides[1:], node.comparators, node.ops, strict=False):
            if isinstance(op, ast.Eq | ast.NotEq) and apart(one, other):
                self.fail("E306", f"{say(one)} is never the same as {say(other)}", against)
        self.compared_ids(parts, sides)
        return "truth"

    def choice(self, node: ast.IfExp, test: str, yes: str, no: str) -> str:
        return yes if yes == no else "any"

    def compared_ids(self, sides: list[ast.expr], kinds: list[str]) -> None:
        """A text compared with a thing must be the id of such a thing."""
        for one, other in pairwise(sides):
            for read, said in ((one, other), (other, one)):
                if isinstance(read, ast.Attribute):
                    self.words_of_field(self.kinds[read.value], read.attr, said)
                elif isinstance(said, ast.Constant):
                    self.value_of_option(read, said)
        for (a, ka), (b, kb) in pairwise(zip(sides, kinds, strict=True)):
            for thing, text in ((ka, b), (kb, a)):
                if KINDS.get(thing) and text_of(text):
                    self.id_of(KINDS[thing], text)  # type: ignore[arg-type]
            for read, word in ((a, b), (b, a)):
                form = (
                    KINDS.get(self.kinds[read.value])
                    if isinstance(read, ast.Attribute) and read.attr == "id"
                    else ""
                )
                if form and text_of(word):
                    self.id_of(form, word)  # type: ignore[arg-type]

    def attribute(self, node: ast.Attribute, kind: str) -> str:
        if kind == "any":
            return "any"
        if kind == "event":
            roles = [name[6:] for name in self.scope if name.startswith("event.")]
            if not roles or "?" in roles or node.attr in roles:
                return self.scope.get(f"event.{node.attr}", "any")
            return self.fail(
                "E304",
                f"the event has no role {node.attr}; it has {', '.join(sorted(roles))}",
                node,
                near(node.attr, roles),
            )
        if kind not in KINDS and kind not in BUILT_IN:
            return self.fail("E306", f"{say(kind)} has no fields", node)
        found = BUILT_IN.get(kind, {}).get(node.attr) or self.words.field_type(kind, node.attr)
        if found is None:
            known = {**BUILT_IN.get(kind, {})}
            hint = near(node.attr, [*known, *self.fields_of(kind)])
            if node.attr in self.words.ids("resources"):
                hint = f"what it has in store is stock({ast.unparse(node.value)}, '{node.attr}')"
            elif node.attr in self.words.ids("tracks"):
                hint = f"where it stands is track({ast.unparse(node.value)}, '{node.attr}')"
            return self.fail("E304", f"a {kind} has no field {node.attr}", node, hint)
        return found
