"""Expressions in words, as a book has them: "you are neutral and the target is at war with your side".

Names of things come from their rows, terms keep the name under which the book explains them (in code, so that
it can lead there), and what has no phrase of its own is said as it is written, without signs: nothing is told
that does not stand there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from ..core.model import Ruleset
from ..ruleset.expressions.fold import Fold, called
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
    "of": "of {}",
    "pile": "in the {}",
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
DENIED = (
    (" is ", " is not "),
    (" has an ", " has no "),
    (" has a ", " has no "),
    (" holds for ", " does not hold for "),
    ("there are ", "there are no "),
)
_VERBS = "is|has|pays|knows|does|plays|joins|becomes|leaves|learns|commands|moves|comes|goes|sees|was"
_YOU = re.compile(rf"\b(?<!of )you ({_VERBS})\b")
_ARE = {"is": "are", "has": "have", "does": "do", "goes": "go", "was": "were"}


def agreed(text: str) -> str:
    """A text in which verbs agree with "you", and what is "of you" is yours."""
    text = re.sub(r"\bthe ((?:(?!\bthe\b)[^,().;]){1,60}?) of you\b", r"your \1", text)
    return _YOU.sub(lambda m: f"you {_ARE.get(m[1], m[1].removesuffix('s'))}", text)


def _a(name: str) -> str:
    return f"a{'n' if name[:1] in 'aeiou' else ''} {name}"


class _NoWords(Exception):
    """A piece of an expression for which there is no phrase: the whole is then said as it is written."""


class Words(NamedTuple):
    """A piece of an expression in words: what it is, and what is said where it is asked whether it is so."""

    said: str
    asked: str


class Spoken(Fold[Words]):
    """Says expressions of one ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.terms = ruleset.rows("definitions")
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
        for form in (*self.forms, "tracks", "stats", "stances", "piles"):
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
            words = self.of(tree)
            return agreed(words.asked if test else words.said)
        except (ExpressionError, _NoWords):
            return f"`{text}`"

    # ---- one node

    def joined(self, node: ast.expr, parts: list[Words]) -> Words:
        raise _NoWords

    def constant(self, node: ast.Constant) -> Words:
        if isinstance(node.value, str):
            name = self.named(node.value)
            return _same(name if name != node.value else f"“{name}”")
        if node.value is None:
            return _same("nobody")
        return _same(("no", "yes")[node.value] if isinstance(node.value, bool) else str(node.value))

    def name(self, node: ast.Name) -> Words:
        if node.id == "self":
            return _same("you")
        return _same(self._term(node.id) if node.id in self.terms else f"the {node.id.replace('_', ' ')}")

    def _term(self, name: str) -> str:
        return f"`{name.replace('_', ' ')}`"

    def attribute(self, node: ast.Attribute, thing: Words) -> Words:
        of, name = thing.said, node.attr.replace("_", " ")
        asked = f"{of} is {name}" if self._is_truth(node.attr) else f"{of} has {_a(name)}"
        if isinstance(node.value, ast.Name) and node.value.id == "event":
            said = f"the {name}"
        elif node.attr == "id":
            said = of
        else:
            said = f"the {self._term(node.attr) if node.attr in self.terms else name} of {of}"
        return Words(said, said if node.attr in self.terms else asked)

    def _is_truth(self, name: str) -> bool:
        declared = self.ruleset.rows("fields").get(name)
        kinds = [fields[name] for fields in BUILT_IN.values() if name in fields]
        return "truth" in kinds if declared is None else declared.get("type") == "truth"

    def boolean(self, node: ast.BoolOp, parts: Iterator[Words]) -> Words:
        word = " and " if isinstance(node.op, ast.And) else " or "
        inner = (ast.BoolOp, ast.IfExp)
        return _same(
            word.join(
                _held(v, inner, part.said, part.asked) for v, part in zip(node.values, parts, strict=True)
            )
        )

    def unary(self, node: ast.UnaryOp, inner: Words) -> Words:
        if isinstance(node.op, ast.USub):
            return _same(f"-{inner.said}")
        if isinstance(node.operand, ast.BoolOp):
            return _same(f"not ({inner.asked})")
        for verb, denied in DENIED:
            if inner.asked.count(verb) == 1 and isinstance(node.operand, ast.Call | ast.Attribute):
                return _same(inner.asked.replace(verb, denied))
        return _same(f"not {inner.asked}")

    def compare(self, node: ast.Compare, sides: list[Words]) -> Words:
        right = getattr(node.comparators[0], "value", None)
        if len(node.ops) == 1 and isinstance(right, bool):
            asked = sides[0].asked
            return _same(asked if right is isinstance(node.ops[0], ast.Eq) else f"not {asked}")
        if not all(type(op) in COMPARED for op in node.ops):
            raise _NoWords
        words = [_side(part, side) for part, side in zip((node.left, *node.comparators), sides, strict=True)]
        pairs = zip(pairwise(words), node.ops, strict=True)
        return _same(" and ".join(f"{one} {COMPARED[type(op)]} {other}" for (one, other), op in pairs))

    def choice(self, node: ast.IfExp, test: Words, yes: Words, no: Words) -> Words:
        return _same(f"{yes.said} if {test.asked}, else {_side(node.orelse, no)}")

    def binary(self, node: ast.BinOp, left: Words, right: Words) -> Words:
        if type(node.op) not in JOINED:
            raise _NoWords
        inner = (*_SIDES, *(() if isinstance(node.op, ast.Add) else (ast.BinOp,)))
        one, other = _held(node.left, inner, left.said), _held(node.right, inner, right.said)
        return _same(f"{one} {JOINED[type(node.op)]} {other}")

    # ---- calls

    def call(self, node: ast.Call, args: Iterator[Words], filters: Iterator[Words]) -> Words:
        by = [(str(k.arg), value.said) for k, value in zip(node.keywords, filters, strict=True)]
        return _same(self._called(called(node), node.args, [arg.said for arg in args], by))

    def _called(self, name: str, args: list[ast.expr], said: list[str], by: list[tuple[str, str]]) -> str:
        if name in KINDS and len(args) == 1 and isinstance(args[0], ast.Constant):
            return self.named(str(args[0].value))
        if name == "option":
            return f"the option {said[0]}"
        if name == "set_of":
            return " and ".join(said) or "nobody"
        if name == "any":
            return self._some(args, said)
        if name == "was" and len(args) > 2:
            rest = ", ".join((said[0], *said[3:]))
            return f"at the start of the {getattr(args[2], 'value', '')!s}, {self._asked(args[1])} ({rest})"
        if name.removesuffix("s") in KINDS and not args:
            return _selected(name, by)
        phrase = phrase_of(name)
        if phrase and not by and len(args) >= phrase.count("{") - ("{...}" in phrase):
            return self._phrase(name, args, said)
        given = [*said, *(f"{field}: {value}" for field, value in by)]
        title = self._term(name) if name in self.terms else name.replace("_", " ")
        return f"{title} ({', '.join(given)})" if given else title

    def _phrase(self, name: str, args: list[ast.expr], said: list[str]) -> str:
        phrase = phrase_of(name)
        needed = len(set(re.findall(r"\{(\d)\}", phrase)))
        bare = phrase.replace("{...}", "")
        words = said[:needed]
        if name in ("where", "sum", "maximum", "all", "in_order") and needed > 1:
            words[1] = self._asked(args[1])
        more = f" ({', '.join(said[needed:])})" if said[needed:] else ""
        if more and "{...}" not in phrase:
            return f"{bare.format(*words)}{more}"
        return phrase.replace("{...}", more.replace("{", "").replace("}", "")).format(*words)

    def _asked(self, node: ast.AST) -> str:
        """The name of a term, field or stat that is given as text."""
        text = str(getattr(node, "value", ""))
        return self._term(text) if text in self.terms else text.replace("_", " ").replace("-", " ")

    def _some(self, args: list[ast.expr], said: list[str]) -> str:
        if len(args) == 1:
            return f"there are {said[0]}"
        rest = f" ({', '.join(said[2:])})" if said[2:] else ""
        return f"{self._asked(args[1])} holds for some of {said[0]}{rest}"


def _selected(name: str, by: list[tuple[str, str]]) -> str:
    said = [FILTERS.get(field, f"with {field.replace('_', ' ')} {{}}").format(value) for field, value in by]
    return " ".join([name if said else f"all {name}", *said])


_SIDES = (ast.BoolOp, ast.IfExp, ast.Compare)


def _side(node: ast.expr, words: Words) -> str:
    """A side of a comparison: in brackets where it could be taken for more than it is."""
    return _held(node, _SIDES, words.said)


def _held(node: ast.expr, kinds: tuple[type, ...], said: str, plain: str = "") -> str:
    """What a node of some kinds says in brackets; what any other says as it is (`plain`, where that
    differs).
    """
    return f"({said})" if isinstance(node, kinds) else plain or said


def _same(said: str) -> Words:
    return Words(said, said)
