"""Are things of the kind that is asked for? Those of a step, of an effect and of a slot, and those whose
field is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...core.diagnostics import Diagnostic
from ..expressions import KINDS, ExpressionError, parse
from ..expressions.check import kind_of
from ..expressions.kinds import say
from ..expressions.parse import strip_mark
from ..nodes import diagnose, find
from .expressions import RulesetVocabulary, scope_of, text_of, words_of
from .subject import Marked, Subject
from .words import vocabulary


def things_are_of_the_kind_asked_for(subject: Subject) -> Iterator[Diagnostic]:
    """What is marked `x-kind` stands for things of one of these kinds, as far as can be told beforehand."""
    words = words_of(subject)
    for mark in subject.marked:
        if (wanted := mark.annotation.schema.get("x-kind")) is not None:
            yield from _unlike(mark, words, wanted)


GAMES_OWN = "game"
"""What expressions call the holder of counters that are nobody's."""


def counters_are_asked_of_whose_they_are(subject: Subject) -> Iterator[Diagnostic]:
    """A counter of the game is asked of the game, one of things of a thing."""
    counters, words = subject.rows("counters"), words_of(subject)
    for mark in subject.marked if counters else ():
        found = text_of(mark, words)
        if found is None or "counter(" not in found[0]:
            continue
        text, offset = found
        for call in _calls(text, "counter"):
            of, name = call.args[0], call.args[1]
            row = counters.get(str(name.value)) if isinstance(name, ast.Constant) else None
            of_game = isinstance(of, ast.Constant) and of.value == GAMES_OWN
            if row is None or of_game == ("of" not in row):
                continue
            node, key = mark.place
            if of_game:
                message, hint = f"{row['id']!r} is counted of things, not of the game", "name one of them"
            else:
                message, hint = f"{row['id']!r} is a counter of the game", f"counter('game', '{row['id']}')"
            column = offset + of.col_offset
            yield diagnose("E307", message, node, key=key, hint=hint, offset=column)


def counters_of_units_are_kept_in_fields(subject: Subject) -> Iterator[Diagnostic]:
    """A counter of units says in which of their fields it is kept; no other has one."""
    words = words_of(subject)
    for mark in subject.marked:
        if mark.form != "counters" or mark.annotation.path != ("of",):
            continue
        value, field = mark.annotation.value, mark.row.get("field")
        kind = _kind(value, mark, words) if isinstance(value, str) else "any"
        if kind == "unit" and field is None:
            node, key = mark.place
            hint = "write `field: ` and a field of units, which `fields` declares"
            yield diagnose("E213", "units keep their count in a field of their own", node, key=key, hint=hint)
        elif field is not None and kind in KINDS and kind != "unit":
            message = f"a {kind} has no field for a count: its counter is read by counter({kind}, ID)"
            yield diagnose("E213", message, field, hint="take `field` out")


def _calls(text: str, function: str) -> list[ast.Call]:
    """The calls of a function with two arguments in an expression."""
    try:
        tree = parse(text).tree
    except ExpressionError:  # another check's question
        return []
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function and len(node.args) == 2
    ]


def slots_name_things_of_their_kind(subject: Subject) -> Iterator[Diagnostic]:
    """The things among which a slot chooses are of the slot's kind."""
    words = words_of(subject)
    for mark in subject.marked:
        path = mark.annotation.path
        if (
            len(path) == 3
            and path[0] == "slots"
            and path[2] == "among"
            and "x-expr" in mark.annotation.schema
        ):
            kind = find(mark.row, path[:-1]).text("kind") or ""
            if kind in KINDS:
                yield from _unlike(mark, words, [kind])


def changed_fields_are_of_the_thing(subject: Subject) -> Iterator[Diagnostic]:
    """A field that an effect changes is one that the thing has."""
    words, fields = words_of(subject), subject.rows("fields")
    for mark in subject.marked:
        if "x-effect" not in mark.annotation.schema:
            continue
        change = find(mark.row, mark.annotation.path).get("change")
        of, field = (change.get("of"), change.get("field")) if change is not None else (None, None)
        if of is None or field is None or not isinstance(of.value, str) or field.value not in fields:
            continue
        at = replace(mark, annotation=replace(mark.annotation, path=(*mark.annotation.path, "change", "of")))
        kind = _kind(of.value, at, words)
        if kind in KINDS and kind not in fields[field.value]["of"]:
            hint = f"it is a field of a {' and a '.join(fields[field.value]['of'])}"
            yield diagnose("E304", f"a {kind} has no field {field.value}", field, hint=hint)
        elif kind in KINDS and kind not in CHANGED:
            message = f"{kind}s are as their rows say: none of their fields can be changed"
            hint = f"fields of {', '.join(sorted(CHANGED))} can"
            yield diagnose("E304", message, field, hint=hint)


CHANGED = frozenset(
    {"nation", "place", "side", "unit", "link", "passage", "war", "force", "record", "agreement"}
)
"""Kinds of things of which the state holds fields."""
OF_ONE_KIND = {
    "units": "unit",
    "tag": "unit",
    "places": "place",
    "links": "link",
    "resources": "resource",
    "passages": "passage",
}
"""Tables that only a modifier of a stat of such things can be for; nations, items and actions are in scope of
others, too.
"""
FORMS_OF_FOR = (*OF_ONE_KIND, "production", "technologies", "nations", "sides", "actions", "orders")


def adjusts_are_for_things_of_their_quantity(subject: Subject) -> Iterator[Diagnostic]:
    """What a row of `modifiers` is for can be a thing that its stat is of, or have to do with one."""
    known, words, quantities = vocabulary(subject), words_of(subject), subject.rows("stats")
    for mark in subject.marked:
        if (
            mark.form != "modifiers"
            or mark.annotation.path[:1] != ("for",)
            or not isinstance(mark.annotation.value, str)
        ):
            continue
        quantity, value = quantities.get(mark.row.text("of") or ""), mark.annotation.value
        if quantity is None:
            continue
        if value.startswith("="):
            kinds = {_kind(value, mark, words)} & {*OF_ONE_KIND.values()}
        else:
            group = subject.rows("groups").get(value)
            forms = (
                [group["of"]] if group else [source for source in FORMS_OF_FOR if value in known.of(source)]
            )
            kinds = {OF_ONE_KIND.get(form, "") for form in forms}
        if kinds and "" not in kinds and quantity["of"] not in kinds:
            node, key = mark.place
            is_ = f"is {' and '.join(say(kind) for kind in sorted(kinds))}"
            message = f"{value!r} {is_}; {quantity['id']!r} is a stat of {say(quantity['of'])}"
            hint = "`when` tests what is in scope beside it"
            yield diagnose("E307", message, node, key=key, hint=hint)


def _kind(text: str, mark: Marked, words: RulesetVocabulary) -> str:
    """The kind of the things that a value stands for: a word's, or what its expression gives; `any` where
    nobody can tell.
    """
    scope = scope_of(mark, words)
    bare = strip_mark(text.lstrip())
    if bare in scope:
        return scope[bare].removeprefix("set:")
    return words.kind_of(bare) or kind_of(bare, scope, words).removeprefix("set:")


def _unlike(mark: Marked, words: RulesetVocabulary, wanted: Sequence[str]) -> Iterator[Diagnostic]:
    value = mark.annotation.value
    kind = _kind(value, mark, words) if isinstance(value, str) else "any"
    if kind in KINDS and kind not in (*wanted, "group"):
        node, key = mark.place
        message = f"stands for {say(kind)}; what is asked for here is {' or '.join(map(say, wanted))}"
        yield diagnose("E307", message, node, key=key)
