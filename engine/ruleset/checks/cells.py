"""Are the words that fields, options and boxes may be those that tables have cells for, and that tests
compare them with?
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...core.diagnostics import Diagnostic, did_you_mean
from ...core.nested import inside
from ..expressions import KINDS, ExpressionError, parse
from ..expressions.check import kind_of
from ..expressions.vocabulary import BUILT_IN
from ..nodes import diagnose, plain_value
from .expressions import RulesetVocabulary, scope_of, text_of, words_of
from .subject import Marked, Subject
from .words import steps_of

_BUILT_IN = frozenset(field for fields in BUILT_IN.values() for field in fields)
GUARDS = frozenset({"for", "when", "unless", "over", "until", "becomes", "requires", "offer"})
"""Keys of a row that may leave out some of the things that its other expressions are asked of."""


def tables_have_the_cells_that_are_asked_for(subject: Subject) -> Iterator[Diagnostic]:
    """A word that a key of a lookup may be, and for which a table has neither a cell nor a default.

    Nothing and the empty text are left to the expression, which mostly asks for them first; and so are keys
    that a test around the lookup, or of the row, looks at.
    """
    words = words_of(subject)
    given = subject.once("put into fields", _put_into_fields)
    for mark in subject.marked:
        value = mark.annotation.value
        if not isinstance(value, str) or "lookup(" not in value or (found := text_of(mark, words)) is None:
            continue
        try:
            tree = parse(found[0]).tree
        except ExpressionError:  # another check's question
            continue
        for call, tests in _lookups(tree, ()):
            for key, id_, missing in _missing(call, tests, ExpressionSite(mark, words, given)):
                node, at = mark.place
                message = (
                    f"the table {id_} has no cell for {' and '.join(map(repr, missing))}, which "
                    f"{ast.unparse(key)} may be"
                )
                hint = "add a row for each, or say a `default`"
                yield diagnose("W614", message, node, key=at, hint=hint, offset=found[1] + key.col_offset)


_COMPARED = re.compile(r"(?:\.|, ')([a-z_]\w*)(?:', '[a-z]+'\))? (?:==|!=) '([^']+)'")


def fields_can_be_what_they_are_compared_with(subject: Subject) -> Iterator[Diagnostic]:
    """A word that a declared field is compared with, and that is nearly one that rows or rules put there, but
    none of them.
    """
    fields = {
        id_: row
        for id_, row in subject.rows("fields").items()
        if row["type"] == "text" and id_ not in _BUILT_IN
    }
    words, given = words_of(subject), subject.once("put into fields", _put_into_fields)
    for mark in subject.marked:
        value = mark.annotation.value
        if "x-expr" not in mark.annotation.schema or not isinstance(value, str) or "= '" not in value:
            continue
        for found in _COMPARED.finditer(value):
            row = fields.get(found[1])
            if row is None:
                continue
            known = {*given.get(found[1], ()), str(row.get("default") or "")}
            known = known.union(
                *(words.said_by(KINDS[kind], found[1]) for kind in row["of"] if KINDS[kind])
            ) - {""}
            hint = did_you_mean(found[2], known) if found[2] not in known else ""
            if hint:
                node, key = mark.place
                message = f"nothing puts {found[2]!r} into the field {found[1]!r}"
                yield diagnose("W615", message, node, key=key, hint=hint, offset=found.start(2) - 1)


_NAMED = re.compile(r"(?:(?<![\w.'])(step)|\.(mission)) (?:==|!=) '([^']+)'")


def steps_and_missions_compared_are_there(subject: Subject) -> Iterator[Diagnostic]:
    """A word that the step, or the mission of a force, is compared with, and that is nearly the name of one,
    but of none.
    """
    known: Mapping[str, Iterable[str]] = {"step": steps_of(subject), "mission": subject.nodes("missions")}
    for mark in subject.marked:
        value = mark.annotation.value
        if "x-expr" not in mark.annotation.schema or not isinstance(value, str) or "= '" not in value:
            continue
        for found in _NAMED.finditer(value):
            what, word = found[1] or found[2], found[3]
            hint = did_you_mean(word, known[what]) if word not in known[what] else ""
            if hint:
                node, key = mark.place
                message = f"there is no {what} {word!r}, so that this never holds"
                if "!=" in found[0]:
                    message = f"there is no {what} {word!r}, so that this always holds"
                yield diagnose("W615", message, node, key=key, hint=hint, offset=found.start(3) - 1)


class ExpressionSite(NamedTuple):
    """Where an expression stands, what the ruleset knows, and the words that are put into fields in play."""

    mark: Marked
    words: RulesetVocabulary
    given: Mapping[str, set[str]]


def _put_into_fields(subject: Subject) -> dict[str, set[str]]:
    """The words that rows and effects put into fields in the course of play, by field."""
    given: dict[str, set[str]] = {}
    for form, id_, row, node in subject.sound_rows():
        text = subject.text_of(form, id_, node)
        for field, to in _given(row) if "'set" in text or "'change'" in text else ():
            if isinstance(to, str) and not to.startswith("="):
                given.setdefault(str(field), set()).add(to)
    return given


def _given(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, part in inside(value):
        if key in ("set", "sets") and isinstance(part, dict):
            yield from part.items()
        elif key == "change" and isinstance(part, dict):
            yield part.get("field"), part.get("to")


def _lookups(node: ast.AST, tests: tuple[ast.expr, ...]) -> Iterator[tuple[ast.Call, tuple[ast.expr, ...]]]:
    """Every lookup in an expression, with the tests that decide whether it is come to."""
    if isinstance(node, ast.IfExp):
        yield from _lookups(node.test, tests)
        for part in (node.body, node.orelse):
            yield from _lookups(part, (*tests, node.test))
        return
    if isinstance(node, ast.BoolOp):
        for index, part in enumerate(node.values):
            yield from _lookups(part, (*tests, *node.values[:index]))
        return
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "lookup" and node.args:
        yield node, tests
    for child in ast.iter_child_nodes(node):
        yield from _lookups(child, tests)


def _missing(
    call: ast.Call, tests: Iterable[ast.expr], reader: ExpressionSite
) -> Iterator[tuple[ast.expr, str, list[str]]]:
    """Each key that may be a word without a cell: the key, the table, the words."""
    named = call.args[0]
    table = reader.words.ids("tables").get(str(named.value)) if isinstance(named, ast.Constant) else None
    if not isinstance(table, Mapping) or "default" in table or not isinstance(table.get("rows"), Mapping):
        return
    level: list[Mapping[str, Any]] = [table["rows"]]
    for key in call.args[1:]:
        known = {}
        for one in level:
            for word, part in one.items():
                known[str(word)] = part
        asked = {str(key.value)} if isinstance(key, ast.Constant) else _words(key, reader)
        if any(".." in word for word in known):
            return
        if (
            asked is not None
            and not isinstance(key, ast.Constant)
            and not _looked_at(key, tests, reader.mark)
        ):
            missing = sorted(asked - set(known))
            if missing:
                yield key, str(table["id"]), missing
        chosen = [part for one in level for word, part in one.items() if asked is None or str(word) in asked]
        level = [part for part in chosen if isinstance(part, Mapping)]


def _words(node: ast.expr, reader: ExpressionSite) -> set[str] | None:
    """The words that a key may be; None if that cannot be told."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) and node.value else set()
    if isinstance(node, ast.IfExp | ast.BoolOp):
        parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        found = [_words(part, reader) for part in parts]
        return None if None in found else {word for part in found for word in part or ()}
    if isinstance(node, ast.Attribute):
        return _of_field(node.value, node.attr, reader)
    if isinstance(node, ast.Name):
        slot = (reader.mark.row.get("slots") or reader.mark.row).get(node.id)
        choices = slot.get("choices") if slot is not None and slot.is_map else None
        return {str(choice.value) for choice in choices.members()} if choices is not None else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _of_call(node.func.id, node.args, reader)
    return None


def _of_call(name: str, args: list[ast.expr], reader: ExpressionSite) -> set[str] | None:
    said = [arg.value if isinstance(arg, ast.Constant) else None for arg in args]
    if name == "was" and len(said) == 3 and isinstance(said[1], str):
        return _of_field(args[0], said[1], reader)
    if name == "option" and said:
        row = reader.words.rows["options"].get(str(said[0]), {})
        return {str(value) for value in row["values"]} if "values" in row else None
    if name == "box" and len(said) == 2:
        row = reader.words.rows["tracks"].get(str(said[1]), {})
        return set(row["boxes"]) if "boxes" in row else None
    return None


def _of_field(thing: ast.expr, field: str, reader: ExpressionSite) -> set[str] | None:
    """The words that a declared field of one kind of things may be: what rows and effects say, and its
    default.

    Records of all kinds have the same fields: what one kind has in it tells nothing of another.
    """
    kind = kind_of(ast.unparse(thing), scope_of(reader.mark, reader.words), reader.words)
    row = reader.words.rows["fields"].get(field, {})
    if (
        kind == "record"
        or [kind] != row.get("of")
        or field in BUILT_IN.get(kind, ())
        or row.get("type") not in ("text", "id")
    ):
        return None
    said = {
        *reader.words.said_by(KINDS[kind], field),
        *reader.given.get(field, ()),
        str(row.get("default") or ""),
    }
    return {word for word in said if word not in ("", "None")}


def _looked_at(key: ast.expr, tests: Iterable[ast.expr], mark: Marked) -> bool:
    """Whether a test asks what the key is, beyond whether it is anything."""
    whole = ast.dump(key)
    for test in tests:
        if ast.dump(test) != whole and whole in ast.dump(test):
            return True
    names = {part.attr for part in ast.walk(key) if isinstance(part, ast.Attribute)}
    names |= {str(part.value) for part in ast.walk(key) if isinstance(part, ast.Constant)}
    own = mark.annotation.path[0] if mark.annotation.path else ""
    guards = [str(plain_value(node)) for word, node in mark.row.items() if word in GUARDS and word != own]
    return any(name in guard for name in names for guard in guards)
