"""Does every effect say all that its verb needs, and nothing that cannot be meant together?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.diagnostics import Diagnostic, did_you_mean, nearest
from ..nodes import Node, diagnose
from .decisions import answers_written
from .expressions import words_of
from .fields import fits_type, in_words
from .rules import facts_of
from .subject import Marked, Subject

ONE_OF: Mapping[str, tuple[str, ...]] = {
    "change": ("to", "by", "times", "add", "drop"),
    "learn": ("tech", "draw"),
    "remove": ("units", "at", "of"),
    "cancel": ("orders", "under_way"),
    "create": ("at",),
    "convert": ("owner", "kind", "condition", "set"),
    "pay": ("from", "to"),
    "fight": ("at", "where"),
}
"""Verb -> keys of which it needs at least one."""
ALL = {"pay": "amount", "remove": "n", "convert": "n"}
"""Verb -> the key where `all` has a meaning."""
MAX_FOR = 2
AMOUNTS = ("amount", "n", "by")


def effects_say_all_that_they_need(subject: Subject) -> Iterator[Diagnostic]:
    """A verb without the key that says what it does, a structure without its head, a value that its field
    cannot hold.
    """
    for mark in subject.marked:
        if "x-effect" not in mark.annotation.schema or not isinstance(mark.annotation.value, dict):
            continue
        node, _ = mark.place
        yield from _structure(node)
        yield from _depth(mark, node)
        for verb, at in node.items():
            if at.is_map:
                yield from _keys(verb, at)
                yield from _all_of_what(verb, at)
        if (change := node.get("change")) is not None and change.is_map:
            yield from _change(subject, change)
        if (convert := node.get("convert")) is not None and convert.is_map:
            yield from _convert(subject, convert)
        if (own := node.get("own")) is not None and own.is_map:
            yield from _own(subject, own)
        if (react := node.get("react")) is not None and react.is_map:
            yield from _react(subject, react)
        if (join := node.get("join")) is not None:
            yield from _join(subject, join)
        if (vote := node.get("vote")) is not None and vote.is_map:
            yield from _vote(subject, vote)


def _join(subject: Subject, join: Node) -> Iterator[Diagnostic]:
    """Who joins a side takes its wars and is allied with its members: there are stances for both."""
    for word in ("hostile", "friendly") if not subject.any_faulty("stances") else ():
        if not any(row.get(word) for row in subject.rows("stances").values()):
            message = f"'join' needs a row of stances that is {word!r}: what the nation becomes to others"
            yield diagnose("E213", message, join, hint=f"say `{word}: true` of one")


def _vote(subject: Subject, vote: Node) -> Iterator[Diagnostic]:
    """What is voted on can be answered with `accept`."""
    row = subject.rows("decisions").get(vote.text("ask") or "")
    answers = answers_written(row) if row is not None else []
    if answers and "accept" not in answers:
        message = f"nobody can accept: the answers to {vote.text('ask')!r} are {', '.join(map(str, answers))}"
        yield diagnose("E407", message, vote.value["ask"], hint="a vote counts who answers `accept`")


def _convert(subject: Subject, convert: Node) -> Iterator[Diagnostic]:
    """Units are put on rungs that the ladders of battles have."""
    said = [
        ("condition", convert.get("condition")),
        *(values.items() if (values := convert.get("set")) is not None else ()),
    ]
    for field, value in said:
        rungs = (
            words_of(subject).rungs(field)
            if value is not None and isinstance(value.value, str)
            else frozenset()
        )
        if value is not None and rungs and not value.value.startswith("=") and value.value not in rungs:
            hint = did_you_mean(value.value, rungs) or f"one of {', '.join(sorted(rungs))}"
            yield diagnose("E407", f"no battle knows the {field} {value.value!r}", value, hint=hint)


def _own(subject: Subject, own: Node) -> Iterator[Diagnostic]:
    """What goes with places that are handed over is said by a row that is there for it."""
    row = subject.rows("capture").get(own.text("by") or "")
    if row is not None and row["how"] != "effect":
        yield diagnose("E213", f"{row['id']!r} is no row for effects (`how: effect`)", own, key="by")


def _structure(node: Node) -> Iterator[Diagnostic]:
    said = [key for key in node.value if key not in ("when", "audience", "note")] if node.is_map else []
    if not said:
        yield diagnose("E213", "the effect does nothing: it has no verb", node)


def _depth(mark: Marked, node: Node) -> Iterator[Diagnostic]:
    """The effects of a `for` may hold another, and that is all: a third would be void."""
    if node.get("for") is None:
        return
    above, loops = mark.row, 0
    for step in mark.annotation.path:
        above = above.value[step]
        loops += above.get("for") is not None and above is not node
    if loops >= MAX_FOR:
        yield diagnose("E213", f"more than {MAX_FOR} `for` inside one another", node, key="for")


def _keys(verb: str, at: Node) -> Iterator[Diagnostic]:
    if verb in ONE_OF and not any(at.get(key) is not None for key in ONE_OF[verb]):
        words = " or ".join(repr(key) for key in ONE_OF[verb])
        yield diagnose("E213", f"{verb!r} needs {words}", at)
    if verb == "queue" and at.text("what") == "agreement" and at.get("levy") is None:
        yield diagnose("E213", "an agreement needs a 'levy'", at)
    if verb == "queue" and at.get("levy") is not None and at.get("to") is None:
        yield diagnose("E213", "'levy' needs 'to': who receives it", at, key="levy")


def _all_of_what(verb: str, at: Node) -> Iterator[Diagnostic]:
    for key in AMOUNTS:
        if at.text(key) == "all" and (ALL.get(verb) != key or (verb == "pay" and at.get("from") is None)):
            yield diagnose("E209", f"`all` has no meaning in {verb!r} here", at, key=key)


def _change(subject: Subject, at: Node) -> Iterator[Diagnostic]:
    field = at.text("field")
    declared = subject.rows("fields").get(field or "")
    if declared is None or field is None:
        return
    if at.get("to") is not None and at.get("by") is not None:
        yield diagnose("E213", "'change' has both 'to' and 'by'; it needs one of them", at, key="by")
    listed = [key for key in ("add", "drop") if at.get(key) is not None]
    if listed and declared["type"] != "list":
        message = f"{field!r} is {in_words(declared['type'])}; only a list takes things in"
        yield diagnose("E403", message, at, key=listed[0])
    for key in ("by", "times", "at_least", "at_most"):
        if at.get(key) is not None and declared["type"] != "number":
            yield diagnose("E403", f"{field!r} is {in_words(declared['type'])}, no number", at, key=key)
    to = at.get("to")
    if to is None or to.value is None or (isinstance(to.value, str) and to.value.startswith("=")):
        return
    if not fits_type(to.value, declared["type"]):
        yield diagnose(
            "E403", f"{field!r} must be {in_words(declared['type'])}, as the field is declared", to
        )
    elif (
        declared["type"] == "id"
        and to.value
        and (form := declared.get("table"))
        and to.value not in subject.nodes(form)
    ):
        hint = subject.instead(to.value, subject.nodes(form))
        yield diagnose("E401", f"{form} has no {to.value!r}", to, hint=hint)


def _react(subject: Subject, at: Node) -> Iterator[Diagnostic]:
    matrix = subject.rows("matrices").get(at.text("matrix") or "")
    row = at.get("row")
    if matrix is None or row is None:
        return
    if isinstance(row.value, str) and not row.value.startswith("="):
        rows = [r["id"] for r in matrix["rows"]]
        if row.value not in rows:
            message = f"the matrix {matrix['id']!r} has no row {row.value!r}"
            yield diagnose("E401", message, row, hint=did_you_mean(row.value, rows))
    columns = columns_of(matrix)
    for member in only.members() if (only := at.get("only")) is not None else ():
        if member.value not in columns:
            message = f"the matrix {matrix['id']!r} has no column {member.value!r}"
            yield diagnose("E401", message, member, hint=did_you_mean(str(member.value), columns))


def columns_of(matrix: Mapping[str, Any]) -> list[str]:
    """The names of the columns of a matrix: nations, and named tests."""
    found: list[str] = []
    for column in matrix["columns"]:
        found.extend([column] if isinstance(column, str) else column)
    return found


def matrices_have_their_columns(subject: Subject) -> Iterator[Diagnostic]:
    """The cells of every row stand under columns of the matrix, and its tests are of triggers that rows wait
    for.
    """
    for _, matrix, node in subject.each("matrices"):
        columns = columns_of(matrix)
        unknown = {c for c in matrix["columns"] if isinstance(c, str) and c not in subject.nodes("nations")}
        for row in node.value["rows"].members():
            for column in row.value["cells"].value:
                below = row.is_below  # of the base, laid over with fewer columns
                if column not in columns and not nearest(column, unknown) and not below:
                    hint = did_you_mean(column, columns)
                    yield diagnose(
                        "E407",
                        f"no column {column!r} in this matrix",
                        row.value["cells"],
                        key=column,
                        hint=hint,
                    )
        waited = {word for row in matrix["rows"] for word, _ in facts_of(row.get("on"))}
        for word in matrix.get("when", {}):
            if word not in waited:
                hint = did_you_mean(word, waited)
                yield diagnose(
                    "E407",
                    f"no row of this matrix waits for {word!r}",
                    node.value["when"],
                    key=word,
                    hint=hint,
                )
        for number, rule in enumerate(matrix.get("multiply", ())):
            if rule["column"] not in columns:
                at = node.value["multiply"].value[number].value["column"]
                yield diagnose(
                    "E407",
                    f"no column {rule['column']!r} in this matrix",
                    at,
                    hint=did_you_mean(rule["column"], columns),
                )
