"""Does every plain word name something that is there? The schemas say what it may name (`x-word`), a source
each:

a table (its ids); `field:KIND` (a field of such things, built in or declared); `tag`, `link-kind`, `works`,
`step`, `know` (the words that the rows of this ruleset use); `scope` (a name bound here), `scope.field` (a
field of one), `slot` (a slot of the row); `:word` (this word itself). Beside them stand the filters of
triggers (`x-trigger`) and the `{names}` in texts (`x-text`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from math import inf
from typing import Any

from ...core.diagnostics import Diagnostic, did_you_mean
from ...core.messages import forms_in
from ..expressions import KINDS, ExpressionError, parse
from ..expressions.check import check_expression
from ..expressions.parse import strip_mark
from ..expressions.vocabulary import BARE_ROLES, BUILT_IN, FACTS
from ..nodes import Node, diagnose, texts_in
from ..sequence_changes import frame_nodes
from .expressions import RulesetVocabulary, scope_of
from .subject import Marked, Subject, gone

_WORKS = re.compile(r"works (?:==|!=) '([a-z0-9-]+)'|works in set_of\('([a-z0-9-]+)'(?:, '([a-z0-9-]+)')*\)")
_FIGURE = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")
_DICE = re.compile(r"([0-9]+)d([0-9]+)([+-][0-9]+)?")
_FACES = re.compile(r"(-?[0-9]+)(?:\.\.(-?[0-9]*))?")
_SPAN = re.compile(r"(-?[0-9]+)?(\.\.)?(-?[0-9]+)?")
_NAME = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(-?[0-9]+)\.\.(-?[0-9]+)")


class KnownWords:
    """The words that a ruleset knows, by source; each source is gathered when it is first asked for."""

    def __init__(self, subject: Subject) -> None:
        """A subject, or what answers `rows`, `nodes`, `known` and `once` like one."""
        self.subject = subject
        draft = subject.draft
        self.words = RulesetVocabulary(
            subject.rows, subject.known.names, draft.sequence, draft.removed, draft.replaced
        )
        self._kept: dict[str, Collection[str]] = {}

    def of(self, source: str) -> Collection[str]:
        """The words of a source that does not depend on where the word stands."""
        if source not in self._kept:
            self._kept[source] = self._gather(source)
        return self._kept[source]

    def _gather(self, source: str) -> Collection[str]:
        rows, nodes = self.subject.rows, self.subject.nodes
        if source.startswith(":"):
            return {source[1:]}
        if source.startswith("field:"):
            kind = source[6:]
            declared = {i for i, row in rows("fields").items() if kind in row.get("of", ())}
            # of which it is not known what it is of
            declared |= {i for form, i in self.subject.faulty if form == "fields"}
            form = KINDS.get(kind, "")
            own = set(self.subject.known.keys(form)) if form in self.subject.known else set()
            return declared | own | set(BUILT_IN.get(kind, ()))
        match source:
            case "tag":
                return {str(t) for row in rows("units").values() for t in row.get("tags", ())} | {"any"}
            case "link-kind":
                return {str(row.get("kind", "")) for row in rows("links").values()}
            case "works":
                return self.subject.once("works", works_of)
            case "due":
                return self.subject.once("names of the sequence", _steps)
            case "step":
                return self.subject.once("names of the sequence", _steps)
            case "know":
                return {str(row["know"]) for row in rows("detection").values() if "know" in row} | {"units"}
            case "form":
                return set(self.subject.known.names)
        return nodes(source)


def works_of(subject: Subject) -> set[str]:
    """The words for works on borders: those for sale, and those that an expression asks a border for."""
    sold = {str(row["works"]) for row in subject.rows("production").values() if "works" in row}
    for mark in subject.marked:
        if "x-expr" in mark.annotation.schema and isinstance(mark.annotation.value, str):
            sold |= works_in(mark.annotation.value)
    return sold


def works_in(text: str) -> set[str]:
    """The words with which expressions in a text compare the works of a border."""
    return {word for found in _WORKS.finditer(text) for word in found.groups() if word}


STEP_KEYS = ("id", "step", "do", "phase", "input")
"""Keys of the sequence of play whose words name a step."""


def steps_of(subject: Subject) -> set[str]:
    """The words by which steps go: their names, what they do, what they ask for."""
    named: set[str | None] = set()
    for node in frame_nodes(subject.draft.sequence):
        named |= {node.text(key) for key in STEP_KEYS}
    return {name for name in named if name is not None}


def _steps(subject: Subject) -> set[str]:
    """As `steps_of`, with the words for what a step completes."""
    completed = (node.text("due") for node in frame_nodes(subject.draft.sequence))
    return steps_of(subject) | {word for word in completed if word is not None}


def vocabulary(subject: Subject) -> KnownWords:
    return subject.once("vocabulary", KnownWords)


def words_name_what_is_there(subject: Subject) -> Iterator[Diagnostic]:
    """Every plain word of a place that is marked `x-word` must be one of the words that may stand there."""
    yield from unknown_words(subject.marked, vocabulary(subject))


def unknown_words(marks: Iterable[Marked], known: KnownWords) -> Iterator[Diagnostic]:
    """A finding for each word that names nothing which may stand at its place."""
    for mark in marks:
        sources = mark.annotation.schema.get("x-word")
        if sources is None:
            continue
        node, key = mark.place
        said = mark.annotation.value
        figure = type(said) is int and WORDS_OF_THINGS.issuperset(sources)
        if "x-expr" in mark.annotation.schema and (figure or isinstance(said, bool)):
            message = f"{str(said).lower()} is none of {_in_words(sources)}"
            yield diagnose("E407", message, node, key=key, hint="name one by its id")
        for value, at in texts_in(mark.annotation.value, node):
            if (
                value.startswith("=")
                or ("x-expr" in mark.annotation.schema and _FIGURE.fullmatch(value))
                or any(_has(known, source, value, mark) for source in sources)
            ):
                continue
            hint = gone(value, known.words.removed) or did_you_mean(
                value, allowed_words(known, sources, mark)
            )
            message = f"{value!r} is none of {_in_words(sources)}"
            yield diagnose("E407", message, at, key=key, hint=hint)


def _has(known: KnownWords, source: str, value: str, mark: Marked) -> bool:
    if source == "scope":
        return value in scope_of(mark, known.words)
    if source == "scope.field":
        head, dot, _ = value.partition(".")
        scope = scope_of(mark, known.words) if dot else {}
        return head in scope and not check_expression(value, scope, known.words)
    if source == "slot":
        slots = mark.row.get("slots")
        return slots is not None and slots.get(value) is not None
    return value in known.of(source)


def allowed_words(known: KnownWords, sources: Iterable[str], mark: Marked) -> set[str]:
    """The words that may stand at a place, of all its sources that can be listed."""
    out: set[str] = set()
    for source in sources:
        if source == "scope":
            out |= set(scope_of(mark, known.words))
        elif source == "slot":
            slots = mark.row.get("slots")
            out |= set(slots.value) if slots is not None and slots.is_map else set()
        elif source != "scope.field":
            out |= set(known.of(source))
    return out


def computed_ids_are_there(subject: Subject) -> Iterator[Diagnostic]:
    """What `=` an expression says in so many words, where the id of a row must stand, is one:

    `='red' if test else 'blue'`.
    """
    for mark in subject.marked:
        value, schema = mark.annotation.value, mark.annotation.schema
        if (
            schema.get("x-literal")
            or not isinstance(value, str)
            or not value.startswith("=")
            or "'" not in value
        ):
            continue
        forms = mark.annotation.refs or [word for word in schema.get("x-word", ()) if word in subject.known]
        if not forms or (
            "x-word" in schema
            and not mark.annotation.refs
            and not WORDS_OF_THINGS.issuperset(schema["x-word"])
        ):
            continue
        node, key = mark.place
        start = len(value) - len(value[1:].lstrip())
        for said in constants_given(value):
            if any(said.value in subject.nodes(form) for form in forms) or said.value in subject.nodes(
                "groups"
            ):
                continue
            hint = did_you_mean(str(said.value), [id_ for form in forms for id_ in subject.nodes(form)])
            message = f"{' or '.join(forms)} has no {said.value!r}"
            yield diagnose("E401", message, node, key=key, hint=hint, offset=start + said.col_offset)


WORDS_OF_THINGS = frozenset(
    {"nations", "sides", "places", "units", "technologies", "resources", "groups", "scope", "scope.field"}
)
"""Sources of words that are all names of things."""


def constants_given(text: str) -> list[ast.Constant]:
    """The texts that an expression may give as it stands, by its choices; empty texts, which stand for
    nothing, left out.
    """
    try:
        due: list[ast.expr] = [parse(strip_mark(text)).tree]
    except ExpressionError:  # another check's question
        return []
    out = []
    while due:
        node = due.pop()
        if isinstance(node, ast.IfExp):
            due += [node.orelse, node.body]
        elif isinstance(node, ast.BoolOp):
            due += node.values[-1:] if isinstance(node.op, ast.And) else node.values
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            out.append(node)
    return out


_SOURCES = {
    "tag": "tags",
    "link-kind": "the kinds of links",
    "works": "the works that can be bought",
    "step": "the steps of the sequence",
    "due": "what the sequence completes",
    "know": "what is learnt by looking",
    "form": "tables",
    "scope": "the names in scope",
    "slot": "the slots of the row",
}


def _in_words(sources: list[str]) -> str:
    words = []
    for source in sources:
        if source == "scope.field":
            continue
        if source.startswith("field:"):
            words.append(f"the fields of a {source[6:]}")
        else:
            words.append(repr(source[1:]) if source.startswith(":") else _SOURCES.get(source, source))
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


# --- triggers


def facts_have_the_roles_they_are_asked_for(subject: Subject) -> Iterator[Diagnostic]:
    """What a row waits for must be a role of that trigger, and its filter a value that the role can have."""
    known = vocabulary(subject)
    for mark in subject.marked:
        if "x-trigger" not in mark.annotation.schema or not isinstance(mark.annotation.value, dict):
            continue
        node, _ = mark.place
        for word, filters in mark.annotation.value.items():
            roles = FACTS.get(word)
            if roles is None:
                continue
            at = node.value[word]
            if not isinstance(filters, dict):
                yield from _filter(known, word, BARE_ROLES.get(word, "by"), filters, at, mark)
                continue
            for role, value in filters.items():
                if (
                    role not in roles
                    and not _slot_of_acts(subject, word, role)
                    and not (role == "side" and "by" in roles)
                ):
                    hint = did_you_mean(role, roles) or f"it has {', '.join(roles)}"
                    yield diagnose(
                        "E211", f"the trigger {word} has no role {role!r}", at, key=role, hint=hint
                    )
                else:
                    yield from _filter(known, word, role, value, at.value[role], mark)


def _slot_of_acts(subject: Subject, word: str, role: str) -> bool:
    """`acted` carries the slots of the action as roles."""
    return word == "acted" and any(role in row.get("slots", {}) for row in subject.rows("actions").values())


def _filter(
    known: KnownWords, word: str, role: str, value: Any, node: Node, mark: Marked
) -> Iterator[Diagnostic]:
    sources = FACTS[word].get(role, ())
    if not sources:
        return
    for item, at in (
        [(value, node)] if not isinstance(value, list) else list(zip(value, node.value, strict=True))
    ):
        if isinstance(item, bool):
            if ":truth" not in sources:
                yield diagnose("E407", f"{role!r} of the trigger {word} is not true or false", at)
        elif isinstance(item, int):
            if ":number" not in sources:
                yield diagnose("E407", f"{role!r} of the trigger {word} is no number", at)
        elif isinstance(item, str) and not item.startswith("="):
            words = [s for s in sources if s not in (":number", ":truth", ":text")]
            if ":text" in sources or any(
                _has(known, s, item, mark) for s in (*words, "groups", "scope", "scope.field")
            ):
                continue
            hint = gone(item, known.words.removed) or did_you_mean(
                item, allowed_words(known, list(words), mark)
            )
            message = (
                f"{item!r} is none of {_in_words(list(words))}"
                if words
                else f"{role!r} of the trigger {word} is no text"
            )
            yield diagnose("E407", message, at, hint=hint)


# --- texts


def texts_name_what_is_in_scope(subject: Subject) -> Iterator[Diagnostic]:
    """What stands in braces in a text for readers is a name in scope or an expression."""
    known = vocabulary(subject)
    for mark in subject.marked:
        text = mark.annotation.value
        if (
            "x-text" not in mark.annotation.schema
            or not isinstance(text, str)
            or ("{" not in text and "}" not in text)
        ):
            continue
        node, key = mark.place
        odd = re.search("[{}]", _NAME.sub(lambda found: " " * len(found[0]), text))
        if odd is not None:
            message = f"a brace that is not {'closed' if odd[0] == '{' else 'opened'}"
            yield diagnose("E301", message, node, key=key, hint="write {name}", offset=odd.start())
        scope: Mapping[str, str] = scope_of(mark, known.words)
        slots = [word for word in _NAME.findall(text) if forms_in(word) is None]
        for found in _NAME.finditer(text):
            word = found[1]
            if (marked := forms_in(word)) is not None:
                yield from _goes_with(marked[0], slots, text[: found.start()], node, key, found.start(1))
                continue
            if word in scope or any(word in known.words.rows.get(form, {}) for form in ("nations", "sides")):
                continue
            for problem in check_expression(word, scope, known.words):
                column = found.start(1) + problem.column
                yield diagnose(problem.code, problem.message, node, key=key, hint=problem.hint, offset=column)


def _goes_with(
    named: str, slots: Sequence[str], before: str, node: Node, key: str | None, column: int
) -> Iterator[Diagnostic]:
    """Forms of a word in braces go with a slot of their text: the one that they name, or one before them."""
    if named and named not in slots:
        hint = did_you_mean(named, slots) or "name a slot of this text"
        yield diagnose(
            "E401", f"no slot of this text is called {named!r}", node, key=key, hint=hint, offset=column
        )
    elif not named and not any(forms_in(word) is None for word in _NAME.findall(before)):
        message, hint = (
            "these forms go with nobody: no slot stands before them",
            "name one: {slot: takes|take}",
        )
        yield diagnose("E401", message, node, key=key, hint=hint, offset=column)


def ranges_go_upward(subject: Subject) -> Iterator[Diagnostic]:
    """A range of faces or of an amount goes from its lower end to its higher."""
    yield from subject.found_in("..", _ranges)


def _ranges(node: Node) -> Iterator[Diagnostic]:
    texts: list[tuple[str, str | None]] = [(key, key) for key, _ in node.items()]
    if isinstance(node.value, str) and not node.style:
        texts = [(node.value, None)]
    for text, key in texts:
        found = _RANGE.fullmatch(text)
        if found and int(found[1]) > int(found[2]):
            message, hint = (
                f"the range {text} is empty: its lower end comes first",
                f"write {found[2]}..{found[1]}",
            )
            yield diagnose("E212", message, node, key=key, hint=hint)


def faces_are_on_the_die(subject: Subject) -> Iterator[Diagnostic]:
    """The faces that a roll waits for, and those of its results, can be thrown with its dice."""
    for form, id_, node in subject.draft.all_rows():
        if form not in subject.known or (form, id_) in subject.faulty:
            continue
        text = subject.text_of(form, id_, node)
        if "'roll'" in text or "'table'" in text:
            yield from subject.of_row("faces", node, partial(_all_faces, node))


def _all_faces(node: Node) -> list[Diagnostic]:
    return list(_faces(node))


def ranges_of_tables_are_apart(subject: Subject) -> Iterator[Diagnostic]:
    """No two ranges that keys of a table give, or its bands, have a number in common; a single number goes
    before a range.
    """
    for id_, node in subject.nodes("tables").items():
        if ("tables", id_) not in subject.faulty:
            yield from subject.of_row("ranges", node, partial(_all_ranges, node))


def _all_ranges(node: Node) -> list[Diagnostic]:
    ranges = ({text: at for text, at in inner.items() if ".." in text} for inner in node.inside())
    return list(chain.from_iterable(map(_met_twice, ranges)))


def _met_twice(ranges: Mapping[str, Node]) -> Iterator[Diagnostic]:
    """Ranges that share a number, as results a face: the first would count, whatever the second says."""
    before: list[tuple[float, float, str]] = []
    for text, at in ranges.items():
        found = _SPAN.fullmatch(text)
        if found is None:
            continue
        first = float(found[1] or -inf)
        last = float(found[3] or inf) if found[2] else first
        for other_first, other_last, other in before:
            if first <= other_last and other_first <= last:
                yield diagnose("E214", f"{other} and {text} overlap: the first would count for both", at)
        before.append((first, last, text))


def _faces(node: Node, die: str = "") -> Iterator[Diagnostic]:
    """`die`: the die of the structure around, for a `table` of faces that does not say its own."""
    die = node.text("die") or die
    table, own = node.get("table"), _DICE.fullmatch(die)
    if table is not None and table.is_map and own is not None:
        yield from _off_the_dice(own, table.items())
        yield from _met_twice(dict(table.items()))
    roll = node.get("roll") if node.is_map else None
    if roll is not None:
        dice = _DICE.fullmatch(str(roll.text("die") if roll.is_map else roll.value))
        if dice is not None:
            faces, results = roll.get("faces") if roll.is_map else None, node.get("results")
            asked = [(str(faces.value), faces)] if faces is not None else []
            yield from _off_the_dice(
                dice, [*asked, *(results.items() if results is not None and results.is_map else ())]
            )
        results = node.get("results")
        if results is not None and results.is_map:
            yield from _met_twice(dict(results.items()))
    for _, child in node.items():
        yield from _faces(child, die)
    for member in node.members():
        yield from _faces(member, die)


def _off_the_dice(dice: re.Match[str], asked: Iterable[tuple[str, Node]]) -> Iterator[Diagnostic]:
    """Faces that dice never show."""
    n, size, more = int(dice[1]), int(dice[2]), int(dice[3] or 0)
    for text, at in asked:
        found = _FACES.fullmatch(text)
        ends = [int(end) for end in found.groups() if end] if found else []
        if any(not n + more <= end <= n * size + more for end in ends):
            hint = f"{dice[0]} shows {n + more} to {n * size + more}"
            yield diagnose("E214", f"no such face on {dice[0]}: {text}", at, hint=hint)
