"""Is every further key of a place, unit or other thing a declared field, and has it the declared type?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from ...core.diagnostics import Diagnostic, did_you_mean
from ..expressions.vocabulary import BUILT_IN
from ..nodes import EMPTY, Node, diagnose, find, plain_value
from .expressions import scope_of, words_of
from .mentions import SILENT_KEYS, gather_words, words_of_expressions
from .schema import no_value
from .subject import Subject

FIELDS = "fields"
MOST_UNKNOWN = 20
MOST_OTHERS = 6
"""Of how many tables at the most it is told that their rows have a key that a row of another lacks."""
MOST = 1_000_000
"""The largest number that a field may have whose row does not say `at_most`."""
_OF = "field:"
_RATIO = re.compile(r"-?[0-9]+/[1-9][0-9]*")


def further_keys_are_declared_fields(subject: Subject) -> Iterator[Diagnostic]:
    """A key that is not the table's own must be declared, for this kind of thing, in `fields`: told once, of
    the first row.
    """
    told: dict[tuple[str, str], list[tuple[str, Node, str]]] = {}
    # also of rows with other faults: a misspelt key is often the cause
    for form, id_, node in subject.draft.all_rows():
        row = subject.values[form][id_]
        kind = subject.kind(form)
        if kind is None or not subject.known.is_open(form):
            continue
        own = subject.known.keys(form)
        declared = _declared(subject, kind)
        unknown = 0
        for key in row:
            if key in own or key in declared or (FIELDS, key) in subject.faulty:
                continue
            unknown += 1
            if unknown > MOST_UNKNOWN:
                yield diagnose(
                    "E402", f"and further keys that are no declared fields of a {kind} ({id_})", node
                )
                break
            told.setdefault((form, key), []).append((id_, node, kind))
    for (form, key), stands in told.items():
        id_, node, kind = stands[0]
        more = f" and {len(stands) - 1} more" if len(stands) > 1 else ""
        message = f"{key!r} is not a declared field of a {kind} ({id_}{more})"
        hint = _declare(subject, form, key, kind)
        if node.value[key].style == EMPTY:
            hint = "a comma ends a value here: a list is written [one, two], a text with a comma is quoted"
            hint = no_value(key[:-1]) if key.endswith(":") else hint
        yield diagnose("E402", message, node, key=key, hint=hint)


def _declare(subject: Subject, form: str, key: str, kind: str) -> str:
    elsewhere = subject.rows(FIELDS).get(key)
    if elsewhere:
        return f"it is declared, but of {', '.join(elsewhere['of'])}"
    hint = did_you_mean(key, [*subject.known.keys(form), *_declared(subject, kind)])
    others = [other for other in subject.known.names if key in subject.known.keys(other)]
    also = f"; or is it a key of {' or '.join(others)}?" if 0 < len(others) <= MOST_OTHERS else ""
    return hint or f"add it to `fields`: {{id: {key}, of: [{kind}], type: ...}}{also}"


def fields_have_their_type(subject: Subject) -> Iterator[Diagnostic]:
    """The value of a declared field must have its type; an id must be that of a row of the table named."""
    for form, id_, row, node in subject.sound_rows():
        kind = subject.kind(form)
        if kind is None or not subject.known.is_open(form):
            continue
        own = subject.known.keys(form)
        for key, declared in _declared(subject, kind).items():
            if key in row and key not in own:
                yield from _typed(subject, f"{key!r} of {id_}", row[key], declared, node.value[key])


def fields_that_rows_set_have_their_type(subject: Subject) -> Iterator[Diagnostic]:
    """What a row puts into a field of another thing, word for word, has the type of the field: where a key is
    the name of a field (`x-word: [field:KIND]`), what stands under it.
    """
    for mark in subject.marked:
        if not mark.annotation.is_key:
            continue
        kinds = [w[len(_OF) :] for w in mark.annotation.schema.get("x-word", ()) if w.startswith(_OF)]
        name = str(mark.annotation.path[-1])
        declared = next(
            (_declared(subject, kind)[name] for kind in kinds if name in _declared(subject, kind)), None
        )
        node = find(mark.row, mark.annotation.path)
        value = plain_value(node)
        computed = isinstance(value, str) and value.startswith("=")
        for fault in _typed(subject, repr(name), value, declared, node) if declared and not computed else ():
            in_scope = not fault.hint and value in scope_of(mark, words_of(subject))
            yield replace(fault, hint=f"write `={value}` for what it stands for here") if in_scope else fault


def fields_are_read(subject: Subject) -> Iterator[Diagnostic]:
    """A field that rows have, or effects change, and that nothing asks for: no expression, no text, no other
    row by name. What players see (`open`) and texts are for readers.
    """
    # without a sequence it is no game, but a part that layers may have use for
    for id_, row in subject.rows(FIELDS).items() if subject.draft.sequence else ():
        node = subject.nodes(FIELDS)[id_]
        if row.get("open") or row["type"] == "text" or node.is_below:
            continue
        if any(id_ in BUILT_IN.get(kind, ()) for kind in row["of"]):
            continue
        if id_ not in subject.once("words read", _words_read):
            message = f"nothing reads the field {id_!r}"
            hint = "ask for it in an expression, show it (`open: true`), or leave it out"
            yield diagnose("W604", message, node, hint=hint)


def _words_read(subject: Subject) -> set[str]:
    """The words of expressions and texts, and those that rows, steps and settings name, other than as what an
    effect changes.
    """
    words = set(words_of_expressions(subject))
    for form, id_, node in subject.draft.all_rows():
        if form != FIELDS:
            words |= subject.of_value("words read", node, partial(_named_in, subject.values[form][id_]))
    for node in (*subject.draft.sequence, subject.draft.manifest):
        words |= _named_in(plain_value(node))
    return words


def _named_in(value: Any) -> set[str]:
    words: set[str] = set()
    if isinstance(value, str):
        gather_words(value, words)
    elif isinstance(value, list):
        for inner in value:
            words |= _named_in(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "change" and isinstance(inner, dict):
                words |= _named_in({name: said for name, said in inner.items() if name != "field"})
            elif key not in SILENT_KEYS and key != "id":
                words |= _named_in(inner)
    return words


def grades_have_declared_fields(subject: Subject) -> Iterator[Diagnostic]:
    """A grade of a unit alters fields of units, each with its type."""
    own = {"hits", "tags", "name", "plural", "symbol"}
    declared = _declared(subject, "unit")
    for id_, row in subject.rows("units").items():
        for grade, values in row.get("grades", {}).items():
            node = subject.nodes("units")[id_].value["grades"].value[grade]
            for key, value in values.items():
                if key in declared:
                    yield from _typed(
                        subject, f"{key!r} of {id_} ({grade})", value, declared[key], node.value[key]
                    )
                elif key not in own:
                    hint = did_you_mean(key, [*declared, *own])
                    yield diagnose(
                        "E402", f"{key!r} is not a declared field of a unit ({id_})", node, key=key, hint=hint
                    )


def defaults_of_fields_have_their_type(subject: Subject) -> Iterator[Diagnostic]:
    """The default of a field is a value like any other."""
    for id_, declared in subject.rows(FIELDS).items():
        if "default" in declared:
            node = subject.nodes(FIELDS)[id_].value["default"]
            yield from _typed(subject, f"the default of {id_!r}", declared["default"], declared, node)


def _declared(subject: Subject, kind: str) -> dict[str, dict[str, Any]]:
    return subject.once("fields by kind", _by_kind).get(kind, {})


def _by_kind(subject: Subject) -> dict[str, dict[str, dict[str, Any]]]:
    out: dict[str, dict[str, dict[str, Any]]] = {}
    for id_, row in subject.rows(FIELDS).items():
        for kind in row.get("of", ()):
            out.setdefault(kind, {})[id_] = row
    return out


def _typed(
    subject: Subject, what: str, value: Any, declared: dict[str, Any], node: Any
) -> Iterator[Diagnostic]:
    wanted = declared["type"]
    if value is None:
        if wanted == "number" and node.style == EMPTY:
            message = f"{what} must be a number, and nothing stands there"
            yield diagnose("E403", message, node, hint="write 0, or null if it has none")
        return
    if not fits_type(value, wanted):
        message = f"{what} must be {in_words(wanted)}, as the field is declared"
        yield diagnose("E403", message, node, hint=_instead(value, wanted, node))
    elif wanted == "number":
        least, most = declared.get("at_least", 0), declared.get("at_most", MOST)
        number = Fraction(value)
        if least > most:
            return  # which is told of the field
        if not least <= number <= most:
            hint = (
                f"declare `at_least: {value}` in `fields` if it may be"
                if number < least and "at_least" not in declared
                else ""
            )
            yield diagnose(
                "E403",
                f"{what} must be between {least} and {most}, as the field is declared",
                node,
                hint=hint,
            )
    elif wanted == "list":
        for member, at in zip(value, node.members(), strict=True):
            if isinstance(member, (list, dict)) or member is None:
                yield diagnose(
                    "E403", f"{what} must be a list of words or numbers", at, hint="write each by itself"
                )
            elif "table" in declared:
                yield from _known(subject, member, declared["table"], at)
    elif wanted == "id" and "table" in declared:
        yield from _known(subject, value, declared["table"], node)


def _known(subject: Subject, value: Any, form: str, node: Any) -> Iterator[Diagnostic]:
    """An id must be that of a row of the table that its field names."""
    known = subject.nodes(form)
    if value not in known and form in subject.known:
        group = subject.rows("groups").get(str(value), {})
        hint = f"{value!r} is a group of {form}; one is wanted" if group.get("of") == form else ""
        hint = hint or subject.instead(str(value), known)
        yield diagnose("E401", f"{form} has no {value!r}", node, hint=hint)


def _instead(value: Any, wanted: str, node: Any) -> str:
    """What would do, where that is plain from what stands there."""
    if wanted == "truth" and str(value).lower() in ("yes", "no", "on", "off", "0", "1"):
        return f"write {'true' if str(value).lower() in ('yes', 'on', '1') else 'false'}"
    if wanted == "truth" and str(value).lower() in ("true", "false"):
        return f"write {str(value).lower()}, without quotes"
    if (
        wanted == "number"
        and isinstance(value, str)
        and node.style
        and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value)
    ):
        return f"write {value}, without quotes"
    if wanted in ("text", "id") and isinstance(value, (int, Fraction)):
        return "quote it"
    return "write a list: [...]" if wanted == "list" else ""


def in_words(wanted: str) -> str:
    """A type of a field, as a finding says it."""
    return {
        "number": "a number",
        "truth": "true or false",
        "text": "text",
        "id": "an id",
        "list": "a list",
    }.get(wanted, wanted)


def fits_type(value: Any, wanted: str) -> bool:
    """Whether a plain value has the type of a field."""
    match wanted:
        case "number":
            if isinstance(value, str):
                return _RATIO.fullmatch(value) is not None
            return isinstance(value, (int, Fraction)) and not isinstance(value, bool)
        case "truth":
            return isinstance(value, bool)
        case "text" | "id":
            return isinstance(value, str)
        case "list":
            return isinstance(value, list)
    return True
