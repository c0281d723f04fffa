"""What an expression names: ids, words of fields, tags, values of options; each must be there, and a near one
is offered.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol

from .fold import Fold, called
from .vocabulary import ALWAYS, KINDS, ROLES_OF_WORDS

WORDS_OF_FIELDS = {
    ("unit", "kind"): "units",
    ("record", "kind"): "records",
    ("war", "kind"): "war_kinds",
    ("battle", "kind"): "battles",
}
"""Fields whose values are ids of a form."""
SAID_BY_ROWS = frozenset({("place", "kind"), ("place", "section"), ("link", "kind"), ("tech", "category")})
"""Fields whose values are the words that the rows of the kind say."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an expression, at which column (from 0) of its text."""

    code: str
    message: str
    column: int
    hint: str = ""


class Vocabulary(Protocol):
    """What the checker asks of a ruleset."""

    def ids(self, form: str) -> Mapping[str, object]:
        """Ids of a form."""

    def field_type(self, kind: str, field: str) -> str | None:
        """The declared type of a field of a kind, or None."""

    def term(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Arguments (kinds) and result type of a term, or None."""

    def said_by(self, form: str, key: str) -> frozenset[str]:
        """The words that the rows of a form say under a key, alone or in lists."""

    def rungs(self, field: str) -> frozenset[str]:
        """The values that a field of units has where battles put units on the rungs of a ladder; none if none
        does.
        """

    unsound: frozenset[str]
    """Ids of rows that are there, and of wrong shape."""

    def gone(self, id_: str) -> str:
        """That a layer has removed the row of an id, and where; or nothing."""


def near(word: str, known: object) -> str:
    """A hint with the nearest known word, or nothing."""
    found = get_close_matches(word, [str(k) for k in known], n=1, cutoff=0.6)  # type: ignore[attr-defined]
    return f"did you mean {found[0]}?" if found else ""


ELSEWHERE: Mapping[str, str] = {
    "true": "write True",
    "false": "write False",
    "null": "write None",
    "none": "write None",
    "len": "count(set) counts",
    "sizeof": "count(set) counts",
    "round": "x // 1 rounds down",
    "floor": "x // 1 rounds down",
    "ceil": "-(-x // 1) rounds up",
    "abs": "max(x, -x) is without its sign",
    "random": "chance is thrown for: give the row a `roll`",
    "randint": "chance is thrown for: give the row a `roll`",
    "rand": "chance is thrown for: give the row a `roll`",
    "dice": "chance is thrown for: give the row a `roll`",
    "filter": "where(set, 'definition') chooses",
    "map": "set_of(...), where(set, 'definition') and sum(set, 'definition') go through sets",
    "average": "sum(set, 'definition') / count(set)",
    "list": "set_of('a', 'b')",
    "set": "set_of('a', 'b')",
    "str": "texts are written as they are: '...'",
    "int": "x // 1 rounds down",
}
"""Names and functions that other languages have, and what is written here."""


class Named(Fold[str]):
    """What every part of the checker shares: the names in scope, what the ruleset knows, the problems found
    so far.

    It gives what a node gives, as a word of the vocabulary (`kinds` keeps that of every node).
    """

    def __init__(self, scope: Mapping[str, str], words: Vocabulary) -> None:
        self.scope = {**ALWAYS, **scope}
        self.words = words
        self.problems: list[Problem] = []
        self.kinds: dict[ast.expr, str] = {}

    def of(self, node: ast.expr) -> str:
        kind = self.kinds[node] = super().of(node)
        return kind

    def fail(self, code: str, message: str, node: ast.AST, hint: str = "") -> str:
        lost = getattr(node, {"E304": "attr", "E305": "value"}.get(code, ""), None)
        if isinstance(lost, str) and lost in self.words.unsound:
            return "any"  # its row is there, and what is wrong with it is told at its place
        self.problems.append(Problem(code, message, getattr(node, "col_offset", 0), hint))
        return "any"

    def words_of_field(self, kind: str, field: str, said: ast.expr) -> None:
        """Texts that a field is compared with, or looked for among: it must be able to have them."""
        for node in said.args if isinstance(said, ast.Call) and called(said) == "set_of" else [said]:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.word_of_field(kind, field, node)

    def word_of_field(self, kind: str, field: str, node: ast.Constant) -> None:
        if kind == "unit" and field in ("tag", "tags"):
            self.known(node, "tag of units", further=self.tags())
        elif kind == "unit" and (rungs := self.words.rungs(field)):
            self.known(node, f"{field} of a unit", further=rungs)
        elif (form := WORDS_OF_FIELDS.get((kind, field))) is not None and self.words.ids(form):
            self.known(node, f"{field} of a {kind}", form)
        elif (kind, field) in SAID_BY_ROWS and (said := self.words.said_by(KINDS[kind], field)):
            self.known(node, f"{field} of a {kind}", further=said)
        elif kind == "event" and (said := ROLES_OF_WORDS.get(field, frozenset())):
            self.known(node, f"{field} of a trigger", further=said)

    def value_of_option(self, read: ast.expr, said: ast.Constant) -> None:
        """What an option is compared with is one of its values, where its row lists them."""
        if not isinstance(read, ast.Call) or called(read) != "option" or not read.args:
            return
        row = self.words.ids("options").get(str(getattr(read.args[0], "value", "")))
        values = row.get("values", ()) if isinstance(row, Mapping) else ()
        if values and not any(said.value == value and type(said.value) is type(value) for value in values):
            written = [str(value) for value in values]
            hint = near(str(said.value), written) or f"its values are {', '.join(written)}"
            self.fail("E306", f"the option never is {said.value!r}", said, hint)

    def id_of(self, form: str, node: ast.Constant) -> None:
        known = self.words.ids(form)
        if node.value not in known:
            self.fail(
                "E305", f"no {form} row has the id {node.value!r}", node, self.instead(str(node.value), known)
            )

    def known(self, node: ast.Constant, what: str, *forms: str, further: Collection[str] = ()) -> None:
        """A text must be the id of a row of one of the forms, or one of some further words."""
        if node.value not in further and not any(node.value in self.words.ids(form) for form in forms):
            ids = [*further, *(id_ for form in forms for id_ in self.words.ids(form))]
            self.fail("E305", f"no {what} {node.value!r}", node, self.instead(str(node.value), ids))

    def instead(self, word: str, known: Iterable[str]) -> str:
        """What would do for an id that is not there."""
        group = (
            f"{word} is a group; group('{word}') is all its members"
            if word in self.words.ids("groups")
            else ""
        )
        return self.words.gone(word) or group or near(word, known)

    def unquoted(self, name: str) -> str:
        """For a name that is not in scope: that it is written in another way here, or that an id of this name
        is quoted.
        """
        if name in ELSEWHERE:
            return ELSEWHERE[name]
        if any(name in self.words.ids(form) for form in (*KINDS.values(), "definitions") if form):
            return (
                f"an id is quoted: '{name}'"
                if not self.words.ids("definitions").get(name)
                else f"call it: {name}(...)"
            )
        return (
            f"a word is quoted: '{name}'"
            if name in self.tags() or name in self.words.said_by("places", "kind")
            else ""
        )

    def tags(self) -> frozenset[str]:
        """The tags of all kinds of units."""
        return self.words.said_by("units", "tags")

    def fields_of(self, kind: str) -> Iterator[str]:
        for name in self.words.ids("fields"):
            if self.words.field_type(kind, name) is not None:
                yield name
