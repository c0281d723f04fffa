"""Expressions in words, as a book has them: "you are neutral and the target is at war with your side".

Names of things come from their rows, terms keep the name under which the book explains them (in code, so that it can lead
there), and what has no phrase of its own is said as it is written, without signs: nothing is told that does not stand there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from ..core.model import Ruleset
from ..ruleset.expressions.functions import FUNCTIONS
from ..ruleset.expressions.parse import ExpressionError, parse
from ..ruleset.expressions.vocabulary import BUILT_IN, KINDS

MOST = 600
"""Characters of an expression that is told in words; a longer one is code."""


def phrase_of(name: str) -> str:
    """How a sentence says a function; empty if it has no phrase of its own."""
    function = FUNCTIONS.get(name)
    return "" if function is None else function.phrase


FILTERS: Mapping[str, str] = {
    "owner": "of {}",
    "party": "of {}",
    "side": "of {}",
    "at": "in {}",
    "holder": "held by {}",
    "kind": "of the kind {}",
    "tag": "that are {}",
    "mission": "on {}",
}
COMPARED: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "is",
    ast.NotEq: "is not",
    ast.Lt: "is less than",
    ast.LtE: "is at most",
    ast.Gt: "is more than",
    ast.GtE: "is at least",
    ast.In: "is among",
    ast.NotIn: "is not among",
}
JOINED: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "times",
    ast.Div: "divided by",
    ast.FloorDiv: "divided (rounded down) by",
    ast.Mod: "modulo",
}
DENIED = ((" is ", " is not "), (" has a", " has not a"), (" holds for ", " does not hold for "), ("there are ", "there are no "))
_VERBS = "is|has|pays|knows|does|plays|joins|becomes|leaves|learns|commands|moves|comes|goes|sees|was"
_YOU = re.compile(rf"\b(?<!of )you ({_VERBS})\b")
_ARE = {"is": "are", "has": "have", "does": "do", "goes": "go", "was": "were"}


def agreed(text: str) -> str:
    """A text in which verbs agree with "you", and what is "of you" is yours."""
    text = re.sub(r"\bthe ((?:(?!\bthe\b)[^,()]){1,60}?) of you\b", r"your \1", text)
    return _YOU.sub(lambda m: f"you {_ARE.get(m[1], m[1].removesuffix('s'))}", text)


def _a(name: str) -> str:
    return f"a{'n' if name[:1] in 'aeiou' else ''} {name}"


class _NoWords(Exception):
    """A piece of an expression for which there is no phrase: the whole is then said as it is written."""


class Spoken:
    """Says expressions of one ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.terms = ruleset.rows("terms")
        self.forms = [form for form in KINDS.values() if form]

    def truth(self, text: Any) -> str:
        """A test in words."""
        return self._told(text, test=True)

    def value(self, text: Any) -> str:
        """A value in words: an expression behind `=`, else the thing of that id, or the text itself."""
        if not isinstance(text, str):
            return str(text)
        return self._told(text.removeprefix("=")) if text.startswith("=") or "(" in text else self.named(text)

    def named(self, id_: str) -> str:
        """The name of the thing of an id; what names nothing as it is."""
        for form in (*self.forms, "tracks", "quantities", "stances"):
            row = self.ruleset.rows(form).get(id_)
            if row is not None and row.get("name"):
                return str(row.get("short") or row["name"])
        return id_.replace("_", " ")

    def _told(self, text: Any, *, test: bool = False) -> str:
        text = str(text)
        if len(text) > MOST:
            return f"`{text}`"
        try:
            tree = parse(text).tree
            return agreed(self._if(tree) if test else self._say(tree))
        except (ExpressionError, _NoWords):
            return f"`{text}`"

    # ---- one node

    def _say(self, node: ast.AST) -> str:
        said = getattr(self, f"_{type(node).__name__.lower()}", None)
        if said is None:
            raise _NoWords
        return str(said(node))

    def _expression(self, node: ast.Expression) -> str:
        return self._say(node.body)

    def _expr(self, node: ast.Expr) -> str:
        return self._say(node.value)

    def _constant(self, node: ast.Constant) -> str:
        if isinstance(node.value, str):
            name = self.named(node.value)
            return name if name != node.value else f"“{name}”"
        if node.value is None:
            return "nobody"
        return ("yes" if node.value else "no") if isinstance(node.value, bool) else str(node.value)

    def _name(self, node: ast.Name) -> str:
        if node.id == "self":
            return "you"
        if node.id in self.terms:
            return self._term(node.id)
        return f"the {node.id.replace('_', ' ')}"

    def _term(self, name: str) -> str:
        return f"`{name.replace('_', ' ')}`"

    def _attribute(self, node: ast.Attribute) -> str:
        of = self._say(node.value)
        if isinstance(node.value, ast.Name) and node.value.id == "event":
            return f"the {node.attr.replace('_', ' ')}"
        if node.attr == "id":
            return of
        name = self._term(node.attr) if node.attr in self.terms else node.attr.replace("_", " ")
        return f"the {name} of {of}"

    def _if(self, node: ast.AST) -> str:
        """A node that is asked whether it is so: a field is there, or a thing has it."""
        if isinstance(node, ast.Attribute) and node.attr not in self.terms:
            of, name = self._say(node.value), node.attr.replace("_", " ")
            return f"{of} is {name}" if self._is_truth(node.attr) else f"{of} has {_a(name)}"
        return self._say(node)

    def _is_truth(self, name: str) -> bool:
        declared = self.ruleset.rows("fields").get(name)
        kinds = [fields[name] for fields in BUILT_IN.values() if name in fields]
        return "truth" in kinds if declared is None else declared.get("type") == "truth"

    def _boolop(self, node: ast.BoolOp) -> str:
        word = " and " if isinstance(node.op, ast.And) else " or "
        parts = [f"({self._say(v)})" if isinstance(v, ast.BoolOp | ast.IfExp) else self._if(v) for v in node.values]
        return word.join(parts)

    def _unaryop(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.USub):
            return f"-{self._say(node.operand)}"
        said = self._if(node.operand)
        if isinstance(node.operand, ast.BoolOp):
            return f"not ({said})"
        for verb, denied in DENIED:
            if said.count(verb) == 1 and isinstance(node.operand, ast.Call | ast.Attribute):
                return said.replace(verb, denied)
        return f"not {said}"

    def _compare(self, node: ast.Compare) -> str:
        right = getattr(node.comparators[0], "value", None)
        if len(node.ops) == 1 and isinstance(right, bool):
            said = self._if(node.left)
            return said if right is isinstance(node.ops[0], ast.Eq) else f"not {said}"
        left, out = node.left, []
        for op, right in zip(node.ops, node.comparators, strict=True):
            if type(op) not in COMPARED:
                raise _NoWords
            out.append(f"{self._side(left)} {COMPARED[type(op)]} {self._side(right)}")
            left = right
        return " and ".join(out)

    def _side(self, node: ast.AST) -> str:
        return f"({self._say(node)})" if isinstance(node, ast.BoolOp | ast.IfExp | ast.Compare) else self._say(node)

    def _ifexp(self, node: ast.IfExp) -> str:
        return f"{self._say(node.body)} if {self._if(node.test)}, else {self._side(node.orelse)}"

    def _binop(self, node: ast.BinOp) -> str:
        if type(node.op) not in JOINED:
            raise _NoWords
        inner = ast.BinOp | ast.BoolOp | ast.IfExp | ast.Compare
        loose = isinstance(node.op, ast.Add)
        left, right = (
            f"({self._say(n)})" if isinstance(n, inner) and not (loose and isinstance(n, ast.BinOp)) else self._say(n)
            for n in (node.left, node.right)
        )
        return f"{left} {JOINED[type(node.op)]} {right}"

    # ---- calls

    def _call(self, node: ast.Call) -> str:
        if not isinstance(node.func, ast.Name):
            raise _NoWords
        name, args = node.func.id, node.args
        if name in KINDS and len(args) == 1 and isinstance(args[0], ast.Constant):
            return self.named(str(args[0].value))
        if name == "option":
            return f"the option {self._say(args[0])}"
        if name == "these":
            return " and ".join(map(self._say, args)) or "nobody"
        if name == "some":
            return self._some(args)
        if name == "was" and len(args) > 2:
            what = self._asked(args[1])
            rest = ", ".join(map(self._say, (args[0], *args[3:])))
            return f"at the start of the {getattr(args[2], 'value', '')!s}, {what} ({rest})"
        if name.removesuffix("s") in KINDS and not args:
            return self._selected(name, node.keywords)
        phrase = phrase_of(name)
        if phrase and not node.keywords and len(args) >= phrase.count("{") - ("{...}" in phrase):
            return self._phrase(name, args)
        given = [*map(self._say, args), *(f"{k.arg}: {self._say(k.value)}" for k in node.keywords)]
        title = self._term(name) if name in self.terms else name.replace("_", " ")
        return f"{title} ({', '.join(given)})" if given else title

    def _phrase(self, name: str, args: list[ast.expr]) -> str:
        phrase = phrase_of(name)
        needed = len(set(re.findall(r"\{(\d)\}", phrase)))
        bare = phrase.replace("{...}", "")
        asked = name in ("those", "total", "highest", "every", "in_order")
        words = [self._asked(a) if asked and n == 1 else self._say(a) for n, a in enumerate(args[:needed])]
        rest = ", ".join(map(self._say, args[needed:]))
        more = f" ({rest})" if rest else ""
        if more and "{...}" not in phrase:
            return f"{bare.format(*words)}{more}"
        return phrase.replace("{...}", more.replace("{", "").replace("}", "")).format(*words)

    def _asked(self, node: ast.AST) -> str:
        """The name of a term, field or quantity that is given as text."""
        text = str(getattr(node, "value", ""))
        return self._term(text) if text in self.terms else text.replace("_", " ").replace("-", " ")

    def _some(self, args: list[ast.expr]) -> str:
        of = self._say(args[0])
        if len(args) == 1:
            return f"there are {of}"
        rest = ", ".join(map(self._say, args[2:]))
        return f"{self._asked(args[1])} holds for some of {of}" + (f" ({rest})" if rest else "")

    def _selected(self, name: str, filters: list[ast.keyword]) -> str:
        said = [FILTERS.get(str(k.arg), f"with {str(k.arg).replace('_', ' ')} {{}}").format(self._say(k.value)) for k in filters]
        return " ".join([name if said else f"all {name}", *said])
