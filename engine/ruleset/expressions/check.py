"""Checks one expression against a ruleset without evaluating it: names, functions, arguments, fields, ids, type of the result.

The scope says which names are there and of what kind (`{"nation": "nation", "self": "nation"}`). Every problem comes with its
column and, where one is near, the word that was probably meant. What is named is judged in `named`, calls in `calls`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import pairwise

from .calls import Calls
from .certain import constant
from .functions import FUNCTIONS
from .kinds import apart, fits, say
from .named import Problem, Vocabulary, near
from .parse import MAX_POWER, ExpressionError, parse
from .vocabulary import BUILT_IN, KINDS

__all__ = ["Problem", "Vocabulary", "check_expression", "kind_of"]


def check_expression(text: str, scope: Mapping[str, str], words: Vocabulary, gives: str = "any") -> list[Problem]:
    """All problems of an expression. `scope` maps names to kinds; `gives` is the type the place asks for."""
    try:
        expression = parse(text)
    except ExpressionError as error:
        return [Problem("E301", error.message, error.column)]
    checker = _Checker(scope, words)
    kind = checker.visit(expression.tree)
    problems = checker.problems
    if not problems and not fits(kind, gives):
        problems.append(Problem("E307", f"gives {say(kind)}, but {say(gives)} is needed here", 0))
    return problems


def kind_of(text: str, scope: Mapping[str, str], words: Vocabulary) -> str:
    """What an expression gives, as far as that can be told without evaluating it: a word such as `number` or `set:unit`."""
    try:
        return _Checker(scope, words).visit(parse(text).tree)
    except ExpressionError:
        return "any"


class _Checker(Calls):
    def visit(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, bool):
                return "truth"
            return "text" if isinstance(value, str) else "nothing" if value is None else "number"
        if isinstance(node, ast.Name):
            if node.id in self.scope:
                return self.scope[node.id]
            names = [name for name in self.scope if "." not in name]
            hint = near(node.id, names) or (f"{node.id} is a function" if node.id in FUNCTIONS else "")
            return self.fail("E302", f"no name {node.id} here; there are {', '.join(sorted(names))}", node, hint)
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.BoolOp):
            said = {self.visit(part) for part in node.values}  # it gives the part that decides
            return said.pop() if len(said) == 1 else "truth" if said <= {"truth", "number"} else "any"
        if isinstance(node, ast.UnaryOp):
            inner = self.visit(node.operand)
            if isinstance(node.op, ast.Not):
                return "truth"
            self.number(inner, node.operand)
            return "number"
        if isinstance(node, ast.BinOp):
            self.number(self.visit(node.left), node.left)
            self.number(self.visit(node.right), node.right)
            by = constant(node.right)
            if by == 0 and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
                self.fail("E306", "nothing can be divided by 0", node.right)
            if isinstance(node.op, ast.Pow) and isinstance(by, int) and abs(by) > MAX_POWER:
                self.fail("E306", f"a power is at most {MAX_POWER}", node.right)
            return "number"
        if isinstance(node, ast.Compare):
            kinds = [self.visit(node.left), *(self.visit(c) for c in node.comparators)]
            parts = [node.left, *node.comparators]
            for index, op in enumerate(node.ops):
                for side in (index, index + 1) if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) else ():
                    if kinds[side] in ("text", "id", "list", "nothing"):
                        self.fail("E306", f"{say(kinds[side])} cannot be compared as more or less", parts[side])
            for one, other, against, op in zip(kinds, kinds[1:], node.comparators, node.ops, strict=False):
                if isinstance(op, ast.Eq | ast.NotEq) and apart(one, other):
                    self.fail("E306", f"{say(one)} is never the same as {say(other)}", against)
            self.compared_ids(node, kinds)
            return "truth"
        if isinstance(node, ast.IfExp):
            self.visit(node.test)
            one, other = self.visit(node.body), self.visit(node.orelse)
            return one if one == other else "any"
        return "any"

    def compared_ids(self, node: ast.Compare, kinds: list[str]) -> None:
        """A text compared with a thing must be the id of such a thing."""
        sides = [node.left, *node.comparators]
        for one, other in pairwise(sides):
            for read, said in ((one, other), (other, one)):
                if isinstance(read, ast.Attribute):
                    self.words_of_field(self.quiet(read.value), read.attr, said)
                elif isinstance(said, ast.Constant):
                    self.value_of_option(read, said)
        for (a, ka), (b, kb) in zip(zip(sides, kinds, strict=True), list(zip(sides, kinds, strict=True))[1:], strict=False):
            for thing, text, text_node in ((ka, kb, b), (kb, ka, a)):
                form = KINDS.get(thing, "")
                if form and text == "text" and isinstance(text_node, ast.Constant):
                    self.id_of(form, text_node)
            for other, field, word in ((a, b, b), (b, a, a)):
                if isinstance(other, ast.Attribute) and other.attr == "id" and isinstance(word, ast.Constant):
                    form = KINDS.get(self.quiet(other.value), "")
                    if form and isinstance(word.value, str):
                        self.id_of(form, word)
                del field

    def attribute(self, node: ast.Attribute) -> str:
        kind = self.visit(node.value)
        if kind == "any":
            return "any"
        if kind == "event":
            roles = [name[6:] for name in self.scope if name.startswith("event.")]
            if not roles or "?" in roles or node.attr in roles:
                return self.scope.get(f"event.{node.attr}", "any")
            return self.fail(
                "E304", f"the event has no role {node.attr}; it has {', '.join(sorted(roles))}", node, near(node.attr, roles)
            )
        if kind not in KINDS and kind not in BUILT_IN:
            return self.fail("E306", f"{say(kind)} has no fields", node)
        found = BUILT_IN.get(kind, {}).get(node.attr) or self.words.field_type(kind, node.attr)
        if found is None:
            known = {**BUILT_IN.get(kind, {})}
            hint = near(node.attr, [*known, *self.fields_of(kind)])
            return self.fail("E304", f"a {kind} has no field {node.attr}", node, hint)
        return found
