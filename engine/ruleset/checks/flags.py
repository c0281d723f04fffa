"""Flags: is each that is set asked for, and each that is asked for set?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...core.diagnostics import Diagnostic, did_you_mean
from ..expressions import KINDS as KINDS_OF_THINGS
from ..expressions import ExpressionError, parse
from ..expressions.check import kind_of
from ..expressions.parse import strip_mark
from ..nodes import Node, diagnose, find
from .expressions import scope_of, words_of
from .mentions import words_of_expressions
from .subject import Marked, Subject


def marks_are_set_and_read(subject: Subject) -> Iterator[Diagnostic]:
    """A flag that is set and that nothing asks for, or that is asked for and nothing sets.

    A flag whose name is worked out (`=...`) says from what it is made: it may be any word or id that its
    expression can give (`computed_words`). Only of one that reads more than can be told may it be any.
    """
    granted: dict[str, tuple[Node, str | None]] = {}
    asked: dict[str, tuple[Node, str | None]] = {}
    seen: set[str] = set()  # marks that readers are shown: nothing need ask for them
    made: set[str] = set()  # flags whose names are worked out
    dynamic = False
    for mark in subject.marked:
        value = mark.annotation.value
        if "x-effect" in mark.annotation.schema and isinstance(value, dict):
            for verb, known in (("flag", granted), ("clear", asked)):
                name = value.get(verb, {}).get("as") if isinstance(value.get(verb), dict) else None
                if isinstance(name, str):
                    if verb == "flag" and name.startswith("="):
                        could = computed_words(name, mark, subject)
                        dynamic |= could is None
                        made |= could or set()
                    if "seen_by" in value[verb]:
                        seen.add(name)
                    elif not name.startswith("="):
                        known.setdefault(name, (find(mark.place[0], [verb, "as"]), None))
        elif "x-expr" in mark.annotation.schema and isinstance(value, str):
            for found in _MARK.finditer(value):
                asked.setdefault(found[1], mark.place)
    for id_, row in subject.rows("capture").items():
        if "flag" in row:
            granted.setdefault(str(row["flag"]), (subject.nodes("capture")[id_].value["flag"], None))
    for name, (node, key) in granted.items():
        inside = subject.once("words of expressions", words_of_expressions)
        if name not in asked and name not in inside and not _shown(subject, name) and not node.is_below:
            message = f"the flag {name!r} is set, and nothing asks for it"
            yield diagnose(
                "W609",
                message,
                node,
                key=key,
                hint="ask for it with flagged(...) or show it, or leave it out",
            )
    for name, (node, key) in asked.items():
        if any(
            name in subject.text_of(*row, subject.nodes(row[0])[row[1]])
            for row in subject.faulty
            if row[1] in subject.nodes(row[0])
        ):
            continue
        if name in granted or name in seen or name in made or node.is_below:
            continue
        hint = did_you_mean(name, granted)
        if hint or not dynamic:
            message = f"the flag {name!r} is asked for, and nothing sets it"
            yield diagnose("W610", message, node, key=key, hint=hint)


def marks_named(subject: Subject) -> set[str] | None:
    """Every mark that a row sets or asks for; None where the name of one is worked out, so that it may be
    any.
    """
    named = {str(row["flag"]) for row in subject.rows("capture").values() if "flag" in row}
    for mark in subject.marked:
        value = mark.annotation.value
        if (
            "x-effect" in mark.annotation.schema
            and isinstance(value, dict)
            and isinstance(value.get("flag"), dict)
        ):
            name = str(value["flag"].get("as"))
            if name.startswith("="):
                could = computed_words(name, mark, subject)
                if could is None:
                    return None
                named |= could
            else:
                named.add(name)
        elif "x-expr" in mark.annotation.schema and isinstance(value, str):
            named.update(found[1] for found in _MARK.finditer(value))
    return named


def computed_words(text: str, mark: Marked, subject: Subject) -> set[str] | None:
    """The words that an expression which works out a name can give; None where that cannot be told.

    An id of a thing is one of the ids of its kind; a slot with `choices`, one of these; `a if test else b`,
    one of either.
    """
    try:
        tree = parse(strip_mark(text)).tree
    except ExpressionError:  # another check's question
        return None
    return _could_be(tree, mark, subject)


def _could_be(node: ast.expr, mark: Marked, subject: Subject) -> set[str] | None:
    if isinstance(node, ast.Constant):
        return {str(node.value)}
    if isinstance(node, ast.IfExp | ast.BoolOp):
        parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        found = [_could_be(part, mark, subject) for part in parts]
        return None if None in found else {word for part in found for word in part or ()}
    if isinstance(node, ast.Attribute) and node.attr != "id":
        return None
    thing = node.value if isinstance(node, ast.Attribute) else node
    if isinstance(thing, ast.Name):
        slot = (mark.row.get("slots") or mark.row).get(thing.id)
        choices = slot.get("choices") if slot is not None and slot.is_map else None
        if choices is not None:
            return {str(choice.value) for choice in choices.members()}
    words = words_of(subject)
    form = KINDS_OF_THINGS.get(kind_of(ast.unparse(thing), scope_of(mark, words), words), "")
    return set(subject.nodes(form)) if form else None


_MARK = re.compile(r"\b(?:flagged|age)\([^()]*(?:\([^()]*\))?[^()]*, ?'([^']+)'\)")


def _shown(subject: Subject, name: str) -> bool:
    return any(
        row.get("what") == "flags" and ("fields" not in row or name in row["fields"])
        for row in subject.rows("visibility").values()
    )
