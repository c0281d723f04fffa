"""Calls in an expression: as many arguments as the function takes, each of the kind it wants, terms and facts
by their names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from .fold import called
from .functions import FUNCTIONS, Signature
from .kinds import NUMERIC, apart, say, takes, wanted
from .lookups import kind_of_cell, kind_of_cells, unfit
from .named import ELSEWHERE, Named, near
from .vocabulary import BUILT_IN, FACTS, KINDS, MOMENTS

THINGS = ("nation", "place", "side", "tech", "passage", "item", "card", "group")
FORM_OF_FILTER = {"at": "places", "party": "nations", "pile": "piles"}
"""Filters that are no fields -> the table whose ids they hold."""
"""Kinds of which a text may be the id where a thing of any kind is wanted."""
RECKONED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("sum", "maximum"), ("number", "any")),
    **dict.fromkeys(("in_order", "rank"), ("number", "truth", "text", "id", "any")),
}
"""Functions that add up or compare what a term, stat or field gives, with what that may be."""
NOTED_OF_ORDERS = ("nation", "order", "status", "outcome", "text", "line", "before")


class Calls(Named):
    """The checker as far as it is about calls."""

    def number(self, kind: str, node: ast.AST) -> None:
        for part in (node.body, node.orelse) if isinstance(node, ast.IfExp) else ():
            self.number(self.kinds[part], part)
        if kind not in NUMERIC and not isinstance(node, ast.IfExp):
            self.fail("E306", f"{say(kind)} where a number is needed", node)

    def call(self, node: ast.Call, args: Iterator[str], filters: Iterator[str]) -> str:
        name = called(node)
        signature = FUNCTIONS.get(name)
        if signature is None:
            term = self.words.term(name)
            if term is None:
                known = [*FUNCTIONS, *self.words.ids("definitions")]
                hint = ELSEWHERE.get(name) or self.instead(name, known)
                return self.fail("E303", f"no function or definition {name}", node, hint)
            signature = Signature(term[0], term[1], "")
        given = len(node.args)
        least = len(signature.args) - signature.optional
        if given < least or (given > len(signature.args) and signature.rest is None):
            wanted = str(least) if least == len(signature.args) else f"{least} to {len(signature.args)}"
            more = " or more" if signature.rest else ""
            hint = "count(set) counts; sum(set, 'definition') adds up" if name == "sum" and given == 1 else ""
            if not given and f"{name}s" in FUNCTIONS:
                hint = f"{name}s(...) is all of them, or those that filters choose"
            self.fail("E308", f"{name} takes {wanted}{more} arguments, not {given}", node, hint)
        wants = [*signature.args, *[signature.rest or "any"] * max(0, given - len(signature.args))]
        kinds: list[str] = []
        for argument, want, kind in zip(node.args, wants, args, strict=False):
            kinds.append(kind)
            self.argument(name, argument, kind, want)
        if signature.args[:1] == ("set",) or "term" in signature.args:
            kinds = [
                self.members_of(a, k) if w in ("set", "thing") else k
                for a, k, w in zip(node.args, kinds, wants, strict=False)
            ]
        self.named_terms(name, signature, node, kinds)
        if name == "value" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            self.quantity(str(node.args[1].value), self.members_of(node.args[0], kinds[0]), node.args[1])
        if name in ("lookup", "band") and (table := self.table(node)) is not None:
            for fault in unfit(name, table, node):
                self.fail(
                    fault.code,
                    fault.message,
                    fault.node,
                    near(str(getattr(fault.node, "value", "")), fault.known),
                )
        if name == "toward" and len(node.args) == 2 and "True" not in self.words.said_by("tracks", "signed"):
            self.fail("E308", "toward needs a track, since none is `signed`", node)
        if name == "band" and node.args and isinstance(node.args[0], ast.Constant):
            row = self.words.ids("tables").get(str(node.args[0].value))
            if isinstance(row, Mapping) and "bands" not in row:
                self.fail("E308", f"the table {row['id']} has no bands; ask lookup()", node)
        for keyword, _ in zip(node.keywords, filters, strict=True):
            self.filter(name, signature, keyword, node)
        return self.given(name, signature, kinds, node)

    def given(self, name: str, signature: Signature, kinds: list[str], node: ast.Call) -> str:
        """What a call gives: of functions that choose among a set, a set of such things as they are given."""
        first = kinds[0] if kinds else ""
        if name == "single":
            return first if first in KINDS else "any"
        if signature.gives == "set" and signature.args[:1] == ("set",) and first in KINDS:
            return f"set:{first}" if name != "union" or kinds[1:] == [first] else "set"
        if name == "set_of" and first in KINDS and set(kinds) == {first}:
            return f"set:{first}"
        if name == "group" and node.args and isinstance(node.args[0], ast.Constant):
            kind = self.kind_of_group(node.args[0].value)
            return f"set:{kind}" if kind else "set"
        if name in ("lookup", "band") and (table := self.table(node)) is not None:
            return kind_of_cells(table)
        row = (
            self.words.ids("options").get(str(getattr(node.args[0], "value", "")))
            if name == "option" and node.args
            else None
        )
        if isinstance(row, Mapping) and "default" in row:
            return kind_of_cell(row["default"])
        return signature.gives

    def table(self, node: ast.Call) -> Mapping[str, Any] | None:
        """The table that a call names, if it writes its id and there is one."""
        named = node.args[0] if node.args else None
        row = self.words.ids("tables").get(str(named.value)) if isinstance(named, ast.Constant) else None
        return row if isinstance(row, Mapping) else None

    def kind_of_group(self, id_: object) -> str:
        """The kind of the members of a group; nothing if it is none."""
        row = self.words.ids("groups").get(str(id_))
        of = row.get("of", "") if isinstance(row, Mapping) else ""
        return next((kind for kind, form in KINDS.items() if form and form == of), "")

    def members_of(self, node: ast.expr, kind: str) -> str:
        """The kind of the things that an argument stands for: of a set its members, of an id the thing or the
        group's members.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = next((k for k in THINGS if k != "group" and node.value in self.words.ids(KINDS[k])), "")
            return self.kind_of_group(node.value) or found or "any"
        return "any" if kind in ("group", "set", "list", "id", "text") else kind.removeprefix("set:")

    def argument(self, name: str, node: ast.expr, kind: str, want: str) -> None:
        """One argument of a call against what the function wants there."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            self.word(name, node, node.value, want)
        elif want == "number":
            self.number(kind, node)
        elif not takes(want, kind):
            self.fail("E306", f"{name} wants {wanted(want)} here, not {say(kind)}", node)

    def word(self, name: str, node: ast.Constant, text: str, want: str) -> None:
        """A text that is written as an argument: the id or word that the function wants there."""
        if want.startswith("id:"):
            self.id_of(want[3:], node)
        elif want in KINDS:
            if KINDS[want]:
                self.id_of(KINDS[want], node)
        elif want == "who":
            self.known(node, "nation or side", "nations", "sides", "groups")
        elif want in ("set", "thing"):
            self.known(node, "thing or group", *(KINDS[kind] for kind in THINGS), further=("game",))
        elif want == "kind-or-tag":
            self.known(node, "kind or tag of units", "units", further=self.tags())
        elif want == "goods":
            self.known(
                node,
                "kind, item or technology",
                "units",
                "production",
                "technologies",
                "works",
                further=self.tags(),
            )
        elif want == "fact":
            if text not in FACTS:
                self.fail("E305", f"there is no trigger {text!r}", node, near(text, FACTS))
        elif want == "order":
            orders = {f"{form}/{id_}" for form in ("actions", "orders") for id_ in self.words.ids(form)}
            if text not in orders:
                self.fail("E305", f"no order or action is called {text!r}", node, near(text, orders))
        elif want in ("link-kind", "way"):
            kinds = self.words.said_by("links", "kind")
            kinds |= set(self.words.ids("movement")) if want == "way" else set()
            if self.words.ids("links") and text not in kinds:
                self.fail("E305", f"no link is of the kind {text!r}", node, near(text, kinds))
        elif want in ("number", "truth"):
            self.fail("E306", f"{name} wants {say(want)} here, not {say('text')}", node)
        elif name == "was" and want == "text" and text not in MOMENTS:
            self.fail("E306", f"the moments are {', '.join(MOMENTS)}", node, near(text, MOMENTS))

    def named_terms(self, name: str, signature: Signature, node: ast.Call, kinds: list[str]) -> None:
        """The terms that a function is given by name fit the things that they are asked of."""
        for index, want in enumerate(signature.args):
            named = node.args[index] if want == "term" and index < len(node.args) else None
            if not isinstance(named, ast.Constant) or not isinstance(named.value, str):
                continue
            asked = {
                "on_way": ["place"],
                "reaches": ["place"],
                "rank": [k for n, k in enumerate(kinds) if n != index],
            }
            for kind in asked.get(name, kinds[:1]):
                before = len(self.problems)
                self.term_name(name, named.value, kind, named)
                if len(self.problems) > before:
                    break
            else:
                self.term_arguments(signature, named, node, kinds)

    def quantity(self, text: str, kind: str, node: ast.AST) -> None:
        """A stat is asked of the kind of thing that its row says it is of."""
        row = self.words.ids("stats").get(text)
        of = row.get("of") if isinstance(row, Mapping) else None
        if of in KINDS and kind in KINDS and kind != of:
            self.fail("E306", f"{text} is a stat of a {of}, not of {say(kind)}", node)

    def term_name(self, function: str, text: str, kind: str, node: ast.AST) -> None:
        """A term, stat or field of things of a kind (`any` if that is not known)."""
        term = self.words.term(text)
        if term is not None:
            of = term[0][0] if term[0] else "any"
            if of in KINDS and not takes(of, kind):
                self.fail("E306", f"{text} is a definition of a {of}, not of {say(kind)}", node)
            else:
                self.is_computed(function, text, term[1], node)
            return
        if text in self.words.ids("stats"):
            self.quantity(text, kind, node)
            return
        of_kind = BUILT_IN.get(kind, {}).get(text) or self.words.field_type(kind, text)
        if of_kind is not None:
            self.is_computed(function, text, of_kind, node)
            return
        if kind not in KINDS and (
            any(text in fields for fields in BUILT_IN.values()) or text in self.words.ids("fields")
        ):
            return
        known = [
            *self.words.ids("definitions"),
            *self.words.ids("stats"),
            *self.fields_of(kind),
            *BUILT_IN.get(kind, {}),
        ]
        said = kind if kind in KINDS else "thing"
        self.fail("E303", f"no definition, stat or field {text} of a {said}", node, self.instead(text, known))

    def is_computed(self, function: str, text: str, gives: str, node: ast.AST) -> None:
        if gives not in RECKONED.get(function, (gives,)):
            self.fail("E306", f"{text} gives {say(gives)}, of which {function} cannot be told", node)

    def term_arguments(
        self, signature: Signature, named: ast.Constant, call: ast.Call, kinds: list[str]
    ) -> None:
        """A term that is named is called with the member and what follows: as many arguments, and such, as it
        takes.
        """
        text = str(named.value)
        term = self.words.term(text)
        if term is None:
            return
        following = call.args[len(signature.args) :] if signature.rest else []
        if len(term[0]) != 1 + len(following):
            self.fail(
                "E308",
                f"the definition {text} takes {len(term[0])} arguments; here it is given "
                f"{1 + len(following)}",
                named,
            )
            return
        for argument, kind, want in zip(following, kinds[len(signature.args) :], term[0][1:], strict=False):
            self.argument(text, argument, kind, want)

    def filter(self, name: str, signature: Signature, keyword: ast.keyword, call: ast.Call) -> None:
        if signature.filters is None:
            self.fail("E308", f"{name} takes no {keyword.arg}=", keyword.value)
            return
        kind = signature.filters
        field = keyword.arg or ""
        if kind == "fact":
            self.role(name, keyword, call.args[0] if call.args else None)
            return
        special = {
            "unit": {"at", "on_map", "tag"},
            "tech": {"known", "of"},
            "war": {"party"},
            "place": {"near"},
            "card": {"pile", "of"},
        }
        typ = BUILT_IN.get(kind, {}).get(field) or self.words.field_type(kind, field)
        if typ is None and self.words.term(field) is not None and self.words.term(field)[0] == (kind,):  # type: ignore[index]
            return  # a term of the thing is read like a field
        if typ is None and field not in special.get(kind, set()):
            known = [*BUILT_IN.get(kind, {}), *special.get(kind, set()), *self.fields_of(kind)]
            self.fail("E304", f"a {kind} has no field {field}", keyword.value, near(field, known))
            return
        value = keyword.value
        found = self.kinds[value]
        if apart(typ or "any", found) and not found.startswith(("set", "list")):  # any of a set will do
            self.fail("E306", f"{field} of a {kind} is {say(typ or 'any')}, not {say(found)}", value)
            return
        self.words_of_field(kind, field, value)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            form = FORM_OF_FILTER.get(field) or KINDS.get(typ or "", "")
            if form:
                self.id_of(form, value)

    def role(self, name: str, keyword: ast.keyword, word: ast.expr | None) -> None:
        """A filter of facts names a role of the fact; one of orders a slot of the order, or what is noted of
        it.
        """
        if not isinstance(word, ast.Constant) or not isinstance(word.value, str):
            return
        if name == "ordered":
            form, _, id_ = word.value.partition("/")
            row = self.words.ids(form).get(id_)
            slots = row.get("slots", {}) if isinstance(row, Mapping) else {}
            roles = {*slots, *NOTED_OF_ORDERS} if row is not None else None
        else:
            roles = {*FACTS[word.value], "turn"} if word.value in FACTS else None
            if word.value == "acted" and roles is not None:
                for row in self.words.ids("actions").values():
                    roles |= set(row.get("slots", {})) if isinstance(row, Mapping) else set()
        if roles is not None and keyword.arg not in roles:
            said = f"{word.value} has no {keyword.arg}; it has {', '.join(sorted(roles))}"
            self.fail("E304", said, keyword.value, near(str(keyword.arg), roles))
