"""Has every row the shape that its table's schema asks for? Every fault at its own key or value, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from ...core.diagnostics import Diagnostic, did_you_mean
from ..forms import Fault, Forms, annotated
from ..nodes import EMPTY, Node, Path, diagnose, find, plain_value
from ..overlay import FRAME
from .subject import MANIFEST, Subject


def rows_have_the_shape_of_their_form(subject: Subject) -> Iterator[Diagnostic]:
    """Every row against the schema of its table."""
    for form, id_, node in subject.draft.all_rows():
        value = subject.values[form][id_]
        shape = partial(subject.of_row, "shape", node, partial(_faults, subject.known, form, node, value))
        faults = shape() if subject.of_value("has a fault", node, partial(_any, shape)) else []
        if faults:
            subject.faulty.add((form, id_))
            below = subject.draft.added.get((form, id_))
            near = (did_you_mean(id_, below) or f"`wteaw show {form}` lists those below") if below else ""
            for fault in faults:  # a row that was to be laid over another lacks most keys
                lacking = fault.code == "E207" and near and fault.where == node.where
                yield (
                    replace(fault, hint=f"{form} has no {id_!r} below, so the row is new; {near}")
                    if lacking
                    else fault
                )


def _any(find: Callable[[], list[Diagnostic]]) -> bool:
    return bool(find())


def _faults(known: Forms, form: str, node: Node, value: Any) -> list[Diagnostic]:
    return list(faults_of(known, form, node, value))


def the_manifest_has_its_shape(subject: Subject) -> Iterator[Diagnostic]:
    """The manifest against its schema."""
    if subject.known.has_file(MANIFEST):
        faults = list(faults_of(subject.known, MANIFEST, subject.draft.manifest))
        if faults:
            subject.faulty.add((MANIFEST, ""))
            yield from faults


def the_sequence_has_its_shape(subject: Subject) -> Iterator[Diagnostic]:
    """Every step of the sequence of play against its schema, if there is one."""
    for number, node in enumerate(subject.draft.sequence):
        if not node.is_map:
            subject.faulty.add((FRAME, str(number)))
            yield diagnose("E203", "a step of the sequence must be a map", node)
        elif subject.known.has_file(FRAME):
            faults = list(faults_of(subject.known, FRAME, node))
            if faults:
                subject.faulty.add((FRAME, str(number)))
                yield from faults


def faults_of(known: Forms, form: str, node: Node, value: Any = None) -> Iterator[Diagnostic]:
    """What is wrong with one value by one schema, each fault once at the innermost place that explains it."""
    value = plain_value(node) if value is None else value
    said: dict[tuple[str, str], Diagnostic] = {}
    for fault in known.faults(form, value):
        for found in _explain(fault, node):
            said.setdefault((found.where, found.message), found)
    own = known.keys(form) if known.is_open(form) else None
    by_themselves = list(_by_themselves(node, own))
    nulls = _nulls(known, form, value) if by_themselves else frozenset()
    for path, found in by_themselves:
        if path in nulls:
            continue
        if not any(_same_place(found, other) for other in said.values()):
            said[found.where, found.message] = found
    hints = {found.hint for found in said.values() if found.code == "E206"}
    for found in said.values():
        lacking = _LACKING.fullmatch(found.message) if found.code == "E207" else None
        if lacking is None or hints.isdisjoint(
            (f"did you mean {lacking[1]}?", no_value(lacking[1].strip("'")))
        ):
            yield found


LARGEST = 10**12
"""What no figure of a ruleset may be beyond, whatever its key."""


def _by_themselves(
    node: Node, own: list[str] | None = None, path: Path = ()
) -> Iterator[tuple[Path, Diagnostic]]:
    """What is wrong with values whatever key they are of, each with its path: nothing stands there at all, or
    a number beyond all reason. `own`: the keys that are no declared fields, where there are such.
    """
    for key, value in node.items():
        if value.style == EMPTY and value.value is None:
            if not _ID.fullmatch(key) or (own is not None and key not in own):
                continue  # a comma ended the value before it: the key is unknown
            hint = f"{no_value(key)}; that there is none is written `null`"
            yield (*path, key), diagnose("E208", f"{key!r} has no value", node, key=key, hint=hint)
        else:
            yield from _by_themselves(value, None, (*path, key))
    for number, member in enumerate(node.members()):
        yield from _by_themselves(member, None, (*path, number))
    if type(node.value) in (int, Fraction) and abs(node.value) > LARGEST:
        said = f"{node.value} is more than figures can be, {LARGEST:,} at most"
        yield path, diagnose("E209", said, node)


def _nulls(known: Forms, form: str, value: Any) -> frozenset[Path]:
    """The paths at which nothing stands and the schema names null, so that nothing is a value like others."""
    typed = annotated(known, form, value, ("type",))
    return frozenset(found.path for found in typed if found.value is None and "null" in found.schema["type"])


def _same_place(found: Diagnostic, other: Diagnostic) -> bool:
    return (found.file, found.line) == (other.file, other.line)


def no_value(key: str) -> str:
    """The hint for a key with nothing behind its colon."""
    return f"nothing stands behind `{key}:`; write its value, or leave it out"


_LACKING = re.compile(r"the key ('.*') is missing")


def _explain(fault: Fault, root: Node) -> Iterator[Diagnostic]:
    at = find(root, fault.path)
    if fault.of_key:
        yield _bad_key(fault, at)
        return
    match fault.word:
        case "additionalProperties":
            yield from _unknown_keys(fault, at)
        case "required":
            for key in fault.limit:
                if key not in fault.value:
                    hint = _described(fault.schema.get("properties", {}).get(key))
                    yield diagnose("E207", f"the key {key!r} is missing", at, hint=hint)
        case "oneOf" | "anyOf":
            yield from _branches(fault, root, at)
        case _:
            yield _single(fault, at)


YES_OR_NO = {"yes": "true", "on": "true", "no": "false", "off": "false"}
"""Words that older YAML reads as true or false."""
_ID = re.compile(r"[A-Za-z_][\w-]*")
MOST_KNOWN = 50
"""Keys that are listed where a key is unknown: all verbs, for one."""
MOST_UNKNOWN = 20
"""Unknown keys of one map that are told one by one."""


def _unknown_keys(fault: Fault, at: Node) -> Iterator[Diagnostic]:
    known = fault.schema.get("properties", {})
    unknown = [key for key in fault.value if key not in known]
    for number, key in enumerate(unknown):
        if number == MOST_UNKNOWN:
            yield diagnose("E206", f"and {len(unknown) - number} more unknown keys", at)
            break
        if key not in known:
            comma = at.get(key) is not None and at.value[key].style == EMPTY and not _ID.fullmatch(key)
            hint = (
                'a comma ends a value here: quote the whole of it, text: "one, two"'
                if comma
                else _in_a_block(key, known) or did_you_mean(key, known)
            )
            if key.endswith(":") and at.value[key].style == EMPTY:  # `{cost:, ...}`
                hint = no_value(key[:-1])
            hint = hint or (f"known keys: {', '.join(known)}" if len(known) <= MOST_KNOWN else "")
            yield diagnose("E206", f"unknown key {key!r}", at, key=key, hint=hint)


def _in_a_block(key: str, known: Mapping[str, Any]) -> str:
    """Where a key belongs that some words of another key alone say: in the block of one of these words."""
    ways = []
    for name, schema in known.items():
        options = schema.get("oneOf", ()) if isinstance(schema, dict) else ()
        for option in (o for o in options if isinstance(o, dict) and o.get("maxProperties") == 1):
            blocks = option.get("properties", {}).items()
            words = [word for word, block in blocks if key in block.get("properties", {})]
            ways += [f"`{name}: {{{word}: {{{key}: ...}}}}`" for word in words]
    return f"it goes into {' or '.join(ways)}" if ways else ""


def _bad_key(fault: Fault, at: Node) -> Diagnostic:
    words = [w for leaf in (fault, *fault.inner) if leaf.word == "enum" for w in leaf.limit]
    hint = did_you_mean(fault.value, words) or f"expected: {_expected(fault)}"
    return diagnose("E210", f"{fault.value!r} cannot be a key here", at, key=fault.value, hint=hint)


def _branches(fault: Fault, root: Node, at: Node) -> Iterator[Diagnostic]:
    """Of several shapes a value may have: the faults in the shape it comes nearest to, or all shapes in
    words.
    """
    by_branch = _by_branch(fault.inner)
    if not by_branch:
        yield diagnose("E209", f"{_shown(fault.value)} fits more than one meaning", at)
        return
    # A branch comes near if the value itself has its type: what is wrong then lies inside it, or in the text.
    near = [faults for faults in by_branch if not any(_wrong_kind(f) for f in faults)]
    if len(near) == 1 and (not isinstance(fault.value, str) or len(by_branch) == 1):
        for inner in near[0]:
            yield from _explain(inner, root)
        return
    if near and isinstance(fault.value, (dict, list)):
        deepest = max(near, key=lambda faults: (max(len(f.path) for f in faults), -len(faults)))
        for inner in deepest:
            yield from _explain(inner, root)
        return
    words = _words_of(fault)
    hint = did_you_mean(fault.value, words) if isinstance(fault.value, str) else ""
    expected = _described(fault.schema) or _one_of([_expected(f) for fs in by_branch for f in fs])
    if isinstance(fault.value, Fraction):
        hint = hint or f"write the fraction as {fault.value}"
    yield diagnose("E209", f"{_shown(fault.value)} does not fit", at, hint=hint or f"expected: {expected}")


def _one_of(ways: Iterable[str]) -> str:
    """Several descriptions as one sentence."""
    several = list(dict.fromkeys(ways))
    return (
        " or ".join(way[:1].lower() + way[1:].rstrip(".") for way in several)
        if len(several) > 1
        else "".join(several)
    )


def _words_of(fault: Fault) -> list[str]:
    """The words that some shape would have allowed, however deep it stands in others."""
    own = [w for w in fault.limit if isinstance(w, str)] if fault.word == "enum" and not fault.of_key else []
    return [*own, *(w for inner in fault.inner for w in _words_of(inner))]


def _by_branch(faults: Iterable[Fault]) -> list[list[Fault]]:
    branches: dict[str | int, list[Fault]] = {}
    for fault in faults:
        branches.setdefault(fault.branch, []).append(fault)
    return list(branches.values())


def _wrong_kind(fault: Fault) -> bool:
    """Whether the value itself is not of the kind that the branch is for."""
    if not fault.here or fault.of_key:
        return False
    if fault.word in ("oneOf", "anyOf"):
        return all(any(map(_wrong_kind, faults)) for faults in _by_branch(fault.inner))
    return fault.word in ("type", "enum", "const", "pattern")


def _single(fault: Fault, at: Node) -> Diagnostic:
    value, limit = fault.value, fault.limit
    hint = _described(fault.schema)
    match fault.word:
        case "type":
            code, message = "E208", f"expected {_kinds(limit)}, found {_kind_of(value)}"
            if value is None and at.style == EMPTY and str(fault.schema.get("pattern", "")).startswith("^#"):
                hint = 'quote it, "#..."; what stands behind a bare # is a remark'
            elif type(value) is int and "d([2-9]" in str(fault.schema.get("pattern", "")):
                hint = f"write 1d{value} for one die of {value} faces"
            elif isinstance(value, (int, bool)) and "string" in (
                [limit] if isinstance(limit, str) else limit
            ):
                hint = "quote it if it is text"
            elif limit == "object" and (keys := list(fault.schema.get("properties", ()))):
                hint = f"{hint} Its keys: {', '.join(keys)}.".strip()
        case "enum":
            code, message = "E209", f"{_shown(value)} is not one of the words allowed here"
            near = (
                did_you_mean(value, [w for w in limit if isinstance(w, str)])
                if isinstance(value, str)
                else ""
            )
            hint = near or f"one of {', '.join(map(_word, limit))}"
        case "const":
            code, message = "E209", f"expected {_word(limit)}, found {_shown(value)}"
        case "pattern":
            code, message = "E209", f"{_shown(value)} is not written as it must be"
            truth = value in YES_OR_NO and "boolean" in fault.schema.get("type", ())
            hint = f"write {YES_OR_NO[value]}" if truth else hint
            hint = _other_id(value, limit) or hint or f"pattern {limit}"
        case "minimum" | "exclusiveMinimum":
            code, message = "E209", f"{_shown(value)} is too small: the least is {limit}"
        case "maximum" | "exclusiveMaximum":
            code, message = "E209", f"{_shown(value)} is too large: the most is {limit}"
        case "minLength" if not value:
            code, message = "E209", "an empty text says nothing"
            hint = hint or "leave the key out if it has nothing to say"
        case "minLength" | "maxLength":
            code, message = "E209", f"the text has {len(value)} characters; {_bound(fault.word)} {limit}"
        case "minItems" | "maxItems":
            code, message = "E209", f"the list has {len(value)} members; {_bound(fault.word)} {limit}"
        case "minProperties" | "maxProperties":
            code, message = "E209", f"the map has {len(value)} keys; {_bound(fault.word)} {limit}"
        case "uniqueItems":
            code, message = "E209", "a member of the list stands there twice"
        case _:
            code, message = "E209", fault.message[:200]
    return diagnose(code, message, at, hint=hint)


def _other_id(value: Any, pattern: Any) -> str:
    """The id with underscores for hyphens, or the other way round, where it would then be written as it must
    be.
    """
    for one, other in (("-", "_"), ("_", "-")):
        if isinstance(value, str) and one in value and re.search(str(pattern), value.replace(one, other)):
            return f"write {value.replace(one, other)}"
    return ""


def _bound(word: str) -> str:
    return "the least is" if word.startswith("min") else "the most is"


_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
    "array": "a list",
    "object": "a map",
}


def _kinds(given: str | list[str]) -> str:
    return " or ".join(_KINDS[g] for g in ([given] if isinstance(given, str) else given))


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, (int, Fraction)):
        return f"the number {_shown(value)}"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list) else "a map"


def _shown(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(float(value))
    if isinstance(value, (dict, list)) or value is None:
        return _kind_of(value)
    return repr(value[:60]) if isinstance(value, str) else str(value).lower()


def _word(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _expected(fault: Fault) -> str:
    """In words, what would have passed."""
    described = _described(fault.schema)
    if described:
        return described
    match fault.word:
        case "type":
            return _kinds(fault.limit)
        case "enum":
            return "one of " + ", ".join(map(_word, fault.limit))
        case "const":
            return _word(fault.limit)
        case "pattern":
            return f"text like {fault.limit}"
    return fault.message[:100]


def _described(schema: Any) -> str:
    return str(schema.get("description", "")) if isinstance(schema, dict) else ""
