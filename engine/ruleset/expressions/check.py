"""Checks one expression against a ruleset without evaluating it: names, functions, arguments, fields, ids, type of the result.

The scope says which names are there and of what kind (`{"nation": "nation", "self": "nation"}`). Every problem comes with its
column and, where one is near, the word that was probably meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol

from .parse import MAX_POWER, ExpressionError, parse
from .vocabulary import ALWAYS, BUILT_IN, FACTS, FUNCTIONS, KINDS, MOMENTS, Signature

_NUMERIC = {"number", "any"}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an expression, at which column (from 0) of its text."""

    code: str
    message: str
    column: int
    hint: str = ""


class Words(Protocol):
    """What the checker asks of a ruleset."""

    def ids(self, form: str) -> Mapping[str, object]:
        """Ids of a form."""

    def field_type(self, kind: str, field: str) -> str | None:
        """The declared type of a field of a kind, or None."""

    def term(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Arguments (kinds) and result type of a term, or None."""


def near(word: str, known: object) -> str:
    """A hint with the nearest known word, or nothing."""
    found = get_close_matches(word, [str(k) for k in known], n=1, cutoff=0.6)  # type: ignore[attr-defined]
    return f"did you mean {found[0]}?" if found else ""


def check_expression(text: str, scope: Mapping[str, str], words: Words, gives: str = "any") -> list[Problem]:
    """All problems of an expression. `scope` maps names to kinds; `gives` is the type the place asks for."""
    try:
        expression = parse(text)
    except ExpressionError as error:
        return [Problem("E301", error.message, error.column)]
    checker = _Checker(scope, words)
    kind = checker.visit(expression.tree)
    problems = checker.problems
    if not problems and not _fits(kind, gives):
        problems.append(Problem("E307", f"gives {_say(kind)}, but {_say(gives)} is needed here", 0))
    return problems


def kind_of(text: str, scope: Mapping[str, str], words: Words) -> str:
    """What an expression gives, as far as that can be told without evaluating it: a word such as `number` or `set:unit`."""
    try:
        return _Checker(scope, words).visit(parse(text).tree)
    except ExpressionError:
        return "any"


def _fits(kind: str, wanted: str) -> bool:
    if wanted == "any" or kind == "any":
        return True
    if wanted == "number":
        return kind in _NUMERIC
    if wanted == "truth":
        return kind in {"truth", "number", "id"} or kind in KINDS
    if wanted == "set":
        return kind.startswith("set") or kind in {"list", "text", "id"} or kind in KINDS
    return kind == wanted


def _say(kind: str) -> str:
    return {"truth": "true or false", "any": "anything", "id": "an id"}.get(kind, f"a {kind}".replace("set:", "set of "))


class _Checker:
    def __init__(self, scope: Mapping[str, str], words: Words) -> None:
        self.scope = {**ALWAYS, **scope}
        self.words = words
        self.problems: list[Problem] = []

    def fail(self, code: str, message: str, node: ast.AST, hint: str = "") -> str:
        self.problems.append(Problem(code, message, getattr(node, "col_offset", 0), hint))
        return "any"

    def visit(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, bool):
                return "truth"
            return "text" if isinstance(value, str) else "any" if value is None else "number"
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
            for part in node.values:
                self.visit(part)
            return "truth"
        if isinstance(node, ast.UnaryOp):
            inner = self.visit(node.operand)
            if isinstance(node.op, ast.Not):
                return "truth"
            self.number(inner, node.operand)
            return "number"
        if isinstance(node, ast.BinOp):
            self.number(self.visit(node.left), node.left)
            self.number(self.visit(node.right), node.right)
            by = node.right.value if isinstance(node.right, ast.Constant) else None
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
                    if kinds[side] in ("text", "id", "list"):
                        self.fail("E306", f"{_say(kinds[side])} cannot be compared as more or less", parts[side])
            self.compared_ids(node, kinds)
            return "truth"
        if isinstance(node, ast.IfExp):
            self.visit(node.test)
            one, other = self.visit(node.body), self.visit(node.orelse)
            return one if one == other else "any"
        return "any"

    def number(self, kind: str, node: ast.AST) -> None:
        if kind not in _NUMERIC:
            self.fail("E306", f"{_say(kind)} where a number is needed", node)

    def compared_ids(self, node: ast.Compare, kinds: list[str]) -> None:
        """A text compared with a thing must be the id of such a thing."""
        sides = [node.left, *node.comparators]
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

    def quiet(self, node: ast.expr) -> str:
        before = len(self.problems)
        kind = self.visit(node)
        del self.problems[before:]
        return kind

    def id_of(self, form: str, node: ast.Constant) -> None:
        known = self.words.ids(form)
        if node.value not in known:
            self.fail("E305", f"no {form} row has the id {node.value!r}", node, near(str(node.value), known))

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
            return self.fail("E306", f"{_say(kind)} has no fields", node)
        found = BUILT_IN.get(kind, {}).get(node.attr) or self.words.field_type(kind, node.attr)
        if found is None:
            known = {**BUILT_IN.get(kind, {})}
            hint = near(node.attr, [*known, *self.fields_of(kind)])
            return self.fail("E304", f"a {kind} has no field {node.attr}", node, hint)
        return found

    def fields_of(self, kind: str) -> Iterator[str]:
        for name in self.words.ids("fields"):
            if self.words.field_type(kind, name) is not None:
                yield name

    def call(self, node: ast.Call) -> str:
        name = node.func.id if isinstance(node.func, ast.Name) else "?"
        signature = FUNCTIONS.get(name)
        if signature is None:
            term = self.words.term(name)
            if term is None:
                known = [*FUNCTIONS, *self.words.ids("terms")]
                return self.fail("E303", f"no function or term {name}", node, near(name, known))
            signature = Signature(term[0], term[1], "")
        given = len(node.args)
        least = len(signature.args) - signature.optional
        if given < least or (given > len(signature.args) and signature.rest is None):
            wanted = str(least) if least == len(signature.args) else f"{least} to {len(signature.args)}"
            more = " or more" if signature.rest else ""
            self.fail("E308", f"{name} takes {wanted}{more} arguments, not {given}", node)
        wants = [*signature.args, *[signature.rest or "any"] * max(0, given - len(signature.args))]
        first = ""
        for index, (argument, want) in enumerate(zip(node.args, wants, strict=False)):
            kind = self.visit(argument)
            if index == 0:
                first = kind
            self.argument(name, argument, kind, want, first, len(node.args))
        if name == "lookup":
            self.cell(node)
        for keyword in node.keywords:
            self.visit(keyword.value)
            self.filter(name, signature, keyword)
        if name == "only" and first.startswith("set:"):
            return first.removeprefix("set:")
        if signature.gives == "set" and name in {"both", "either", "without"} and first.startswith("set:"):
            return first
        if name == "group" and node.args and isinstance(node.args[0], ast.Constant):
            row = self.words.ids("groups").get(str(node.args[0].value))
            of = row.get("of", "") if isinstance(row, Mapping) else ""
            kind = {form: k for k, form in KINDS.items() if form}.get(of, "")
            return f"set:{kind}" if kind else "set"
        return signature.gives

    def argument(self, name: str, node: ast.expr, kind: str, want: str, first: str, given: int) -> None:
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
        if want.startswith("id:"):
            if text is None and kind not in {"any", "text", "id"} and kind not in KINDS:
                self.fail("E306", f"{name} wants an id here, not {_say(kind)}", node)
            elif text is not None and isinstance(node, ast.Constant):
                self.id_of(want[3:], node)
                if want == "id:quantities":
                    self.quantity(text, first, node)
        elif want == "term" and text is not None:
            self.term_name(text, first.removeprefix("set:"), node)
            self.term_arguments(name, text, node, given)
        elif want == "number":
            self.number(kind, node)
        elif want == "set":
            if not _fits(kind, "set"):
                self.fail("E306", f"{name} wants a set here, not {_say(kind)}", node)
        elif want == "who" and text is not None:
            known = {**self.words.ids("nations"), **self.words.ids("sides"), **self.words.ids("groups")}
            if text not in known:
                self.fail("E305", f"no nation or side {text!r}", node, near(text, known))
        elif want in KINDS:
            if text is not None and isinstance(node, ast.Constant) and KINDS[want]:
                self.id_of(KINDS[want], node)
            elif kind not in {want, "any", "id", "text", "list"}:
                self.fail("E306", f"{name} wants a {want} here, not {_say(kind)}", node)
        elif want == "fact" and text is not None:
            if text not in FACTS:
                self.fail("E305", f"there is no fact {text!r}", node, near(text, FACTS))
        elif want == "order" and text is not None:
            orders = {f"{form}/{id_}" for form in ("acts", "orders") for id_ in self.words.ids(form)}
            if text not in orders:
                self.fail("E305", f"no order or act is called {text!r}", node, near(text, orders))
        elif want in ("link-kind", "way") and text is not None:
            kinds = {str(row.get("kind", "")) for row in self.words.ids("links").values() if isinstance(row, Mapping)}
            kinds |= set(self.words.ids("modes")) if want == "way" and kinds else set()
            if kinds and text not in kinds:
                self.fail("E305", f"no link is of the kind {text!r}", node, near(text, kinds))
        elif name == "was" and want == "text" and text is not None and text not in MOMENTS:
            self.fail("E306", f"the moments are {', '.join(MOMENTS)}", node, near(text, MOMENTS))

    def quantity(self, text: str, kind: str, node: ast.AST) -> None:
        """A quantity is asked of the kind of thing that its row says it is of."""
        row = self.words.ids("quantities").get(text)
        of = row.get("of") if isinstance(row, Mapping) else None
        if of in KINDS and kind in KINDS and kind != of:
            self.fail("E306", f"{text} is a quantity of a {of}, not of {_say(kind)}", node)

    def term_name(self, text: str, kind: str, node: ast.AST) -> None:
        if self.words.term(text) is not None:
            return
        if text in self.words.ids("quantities"):
            self.quantity(text, kind, node)
            return
        if kind in {"", "any", "set", "list"}:
            if any(text in fields for fields in BUILT_IN.values()) or text in self.words.ids("fields"):
                return
        elif text in BUILT_IN.get(kind, {}) or self.words.field_type(kind, text) is not None:
            return
        known = [
            *self.words.ids("terms"),
            *self.words.ids("quantities"),
            *self.fields_of(kind),
            *BUILT_IN.get(kind, {}),
        ]
        self.fail("E303", f"no term, quantity or field {text} of a {kind or 'thing'}", node, near(text, known))

    def term_arguments(self, function: str, text: str, node: ast.AST, given: int) -> None:
        """A term that is named is called with the member and the arguments that follow: as many as it takes."""
        term = self.words.term(text)
        signature = FUNCTIONS[function]
        if term is None or function in ("rank", "kinds"):
            return
        place = signature.args.index("term")
        more = given - place - (2 if function == "was" else 1) if signature.rest else 0
        if len(term[0]) != 1 + max(0, more):
            self.fail("E308", f"the term {text} takes {len(term[0])} arguments; here it is given {1 + max(0, more)}", node)
        if function in ("total", "highest", "in_order"):
            self.number(term[1], node)

    def cell(self, node: ast.Call) -> None:
        """The keys of a table that is looked up: as many as it says it has, and written ones among its rows."""
        table = node.args[0] if node.args else None
        row = self.words.ids("tables").get(str(table.value)) if isinstance(table, ast.Constant) else None
        if not isinstance(row, Mapping):
            return
        keys = node.args[1:]
        if "keys" in row and len(keys) != len(row["keys"]):
            said = f"the table {row['id']} has the keys {', '.join(row['keys'])}; here there are {len(keys)}"
            self.fail("E308", said, node)
        rows = row.get("rows")
        for key in keys:
            if not isinstance(rows, Mapping):
                return
            if not isinstance(key, ast.Constant):
                return
            if str(key.value) in rows:
                rows = rows[str(key.value)]
            elif "default" in row or any(".." in str(k) for k in rows):
                return
            else:
                self.fail("E305", f"the table {row['id']} has no {key.value!r}", key, near(str(key.value), rows))
                return

    def filter(self, name: str, signature: Signature, keyword: ast.keyword) -> None:
        if signature.filters is None:
            self.fail("E308", f"{name} takes no {keyword.arg}=", keyword.value)
            return
        kind = signature.filters
        field = keyword.arg or ""
        if kind == "fact":
            return
        special = {"unit": {"at", "on_map", "tag"}, "tech": {"known", "of"}, "war": {"party"}, "place": {"near"}}
        typ = BUILT_IN.get(kind, {}).get(field) or self.words.field_type(kind, field)
        if typ is None and self.words.term(field) is not None and self.words.term(field)[0] == (kind,):  # type: ignore[index]
            return  # a term of the thing is read like a field
        if typ is None and field not in special.get(kind, set()):
            known = [*BUILT_IN.get(kind, {}), *special.get(kind, set()), *self.fields_of(kind)]
            self.fail("E304", f"a {kind} has no field {field}", keyword.value, near(field, known))
            return
        value = keyword.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            wanted = "place" if field == "at" else "nation" if field == "party" else typ or ""
            form = KINDS.get(wanted, "")
            if field == "kind" and kind in ("unit", "record"):
                form = "units" if kind == "unit" else "records"
            if form:
                self.id_of(form, value)
