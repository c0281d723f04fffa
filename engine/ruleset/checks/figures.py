"""Is every figure a number, a stat of what is asked for it, or a value that all have whom it is asked of? The
numbers of rows, the dice of battles, the grades of units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...core.choices import word_of
from ...core.diagnostics import Diagnostic, did_you_mean
from ..expressions import KINDS
from ..expressions.check import kind_of
from ..expressions.parse import strip_mark
from ..nodes import diagnose, find
from .expressions import RulesetVocabulary, scope_of, words_of
from .subject import Marked, Subject
from .words import vocabulary

_FIGURE = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")
_SINGLE = re.compile(r"1?d[0-9]+")


def figures_name_quantities(subject: Subject) -> Iterator[Diagnostic]:
    """A plain word where a number is wanted is the id of a stat."""
    known = vocabulary(subject)
    for mark in subject.marked:
        how = mark.annotation.schema.get("x-expr")
        value = mark.annotation.value
        if not how or not how.get("marked") or how.get("gives") != "number" or not isinstance(value, str):
            continue
        if "x-word" in mark.annotation.schema or value.startswith("=") or _FIGURE.fullmatch(value):
            continue
        if value not in known.of("stats"):
            node, key = mark.place
            hint = did_you_mean(value, known.of("stats")) or _no_stat_yet(subject, value)
            yield diagnose("E407", f"{value!r} is neither a number nor a stat", node, key=key, hint=hint)


def _no_stat_yet(subject: Subject, word: str) -> str:
    """What would make a number of a word: a field is read by a stat."""
    field = subject.rows("fields").get(word)
    if field is None:
        return "an expression begins with `=`"
    kind = field["of"][0]
    return f"a row of stats makes one of the field: {{id: {word}, of: {kind}, base: {kind}.{word}}}"


def quantities_are_of_what_is_asked(subject: Subject) -> Iterator[Diagnostic]:
    """A stat that a mechanic asks is one of such things as it asks it of (`x-of`; beside fields of a kind: of
    that kind).
    """
    rows, known = subject.rows("stats"), vocabulary(subject)
    scopes = words_of(subject)
    for mark in subject.marked:
        schema, value = mark.annotation.schema, mark.annotation.value
        words = schema.get("x-word", ())
        kinds = schema.get(
            "x-of", [w[6:] for w in words if w.startswith("field:")] if "stats" in words else None
        )
        if kinds is None or not isinstance(value, str) or value not in rows:
            continue
        kinds = _in_scope(mark, scopes) if kinds == ["scope"] else kinds
        if rows[value].get("of") in kinds:
            continue
        if any(value in known.of(f"field:{kind}") for kind in kinds if words):
            continue
        node, key = mark.place
        wanted = f"what is asked here is one of a {' or '.join(kinds)}" if kinds else "no stat is asked here"
        hint = (
            did_you_mean(value, [id_ for id_, row in rows.items() if row.get("of") in kinds]) if kinds else ""
        )
        hint = hint or "a number, or `=` an expression, may stand here"
        yield diagnose(
            "E407", f"{value!r} is a stat of a {rows[value].get('of')}; {wanted}", node, key=key, hint=hint
        )


def _in_scope(mark: Marked, words: RulesetVocabulary) -> list[str]:
    """The kinds of things of which a roll may ask a stat: those in scope by their kind, or what its `of`
    says.
    """
    scope = scope_of(mark, words)
    roll = find(mark.row, mark.annotation.path[:-1])
    if (text := roll.text("of")) is not None:
        kind = kind_of(strip_mark(text), scope, words)
        return [kind] if kind in KINDS else list(KINDS)
    return [kind for kind in KINDS if scope.get(kind) in (kind, "any") or scope.get("self") == kind]


def dice_of_battles_are_single(subject: Subject) -> Iterator[Diagnostic]:
    """Each unit throws one die, that of the stage or of its battle; more are said by `dice`."""
    for id_, row, node in subject.each("battles"):
        for at in (node.get("die"), *(s.get("die") for s in (node.get("stages") or node).members())):
            if (
                at is not None
                and isinstance(at.value, str)
                and not at.value.startswith("=")
                and not _SINGLE.fullmatch(at.value)
            ):
                yield diagnose(
                    "E209", f"{at.value!r} is no single die", at, hint="write 1d6, and `dice: 2` for two"
                )
        for stage, at in zip(row.get("stages", ()), (node.get("stages") or node).members(), strict=False):
            compared = word_of(stage, "resolve") == "compare"
            if compared and "side" in stage:
                hint = "leave `side` out; `who` and `most` say for each side which units throw how many"
                yield diagnose(
                    "E213", "dice of one side alone have none to be compared with", at, key="side", hint=hint
                )
            if ("value" in stage or compared) and "die" not in row and "die" not in stage:
                hint = "say the `die` of the battle, or of this stage"
                yield diagnose("E213", f"a stage of {id_!r} throws dice, and no die is said", at, hint=hint)


def grades_say_what_their_unit_leaves_open(subject: Subject) -> Iterator[Diagnostic]:
    """What one grade of a unit states and the unit itself does not, all its grades must state."""
    for id_, row in subject.rows("units").items():
        grades = row.get("grades", {})
        stated = {key for grade in grades.values() for key in grade} - set(row)
        for name, grade in grades.items():
            node = subject.nodes("units")[id_].value["grades"]
            for key in sorted(stated - set(grade)):
                if subject.rows("fields").get(key, {}).get("default") is None:
                    message = f"the grade {name!r} of {id_!r} has no {key!r}, as the others have"
                    yield diagnose("E213", message, node, key=name)
