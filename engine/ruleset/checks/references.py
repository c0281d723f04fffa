"""Does every reference name a row that exists? Serves all tables: the schemas say which values are references
(`x-ref`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from ...core.diagnostics import Diagnostic, did_you_mean
from ..forms import Forms
from ..nodes import Node, diagnose, texts_in
from .subject import Marked, Subject, gone

MOST_HINTS = 200
"""Looking for near misses takes time: a ruleset with more dangling names than this has another trouble than
misspelling.
"""
Rows = Callable[[str], Mapping[str, object]]
"""The rows of a table, by id."""


def references_name_rows_that_exist(subject: Subject) -> Iterator[Diagnostic]:
    """Every value with `x-ref: TABLE` must be the id of a row of that table (or of one of several tables).

    A citation (`x-citation`) that names none is only a warning, and none where the table has no rows: nothing
    is played by it.
    """
    yield from dangling(subject.marked, subject.nodes, subject.known, subject.draft.removed)


def notes_are_about_rows(subject: Subject) -> Iterator[Diagnostic]:
    """A note that says why a row is not played is called after the row."""
    for id_, row, node in subject.each("notes"):
        form, _, about = id_.partition("/")
        if "reason" not in row or about in subject.nodes(form) or node.is_below:
            continue
        near = subject.instead(about, subject.nodes(form)) if form in subject.known else ""
        hint = near or "its id is that of the row, such as movement/march"
        message = f"there is no row {id_!r}, which this note is about"
        yield diagnose("W604", message, node, hint=hint)


def dangling(
    marks: Iterable[Marked], rows: Rows, known: Forms, removed: Mapping[str, Node] = MappingProxyType({})
) -> Iterator[Diagnostic]:
    """A finding for each reference that names no row. `removed`: ids of rows that a layer has taken away."""
    hints: dict[tuple[str, ...], str] = {}
    for mark in marks:
        forms = mark.annotation.refs
        if not forms:
            continue
        node, key = mark.place
        literal = bool(mark.annotation.schema.get("x-literal"))
        for value, at in texts_in(mark.annotation.value, node):
            if value.startswith("=") and not literal:
                continue  # an expression: another check's question
            wanted: Mapping[str, str] = mark.annotation.schema.get("x-rows", {})
            if not any(form in known for form in forms):
                continue
            if any(value in rows(form) and is_meant(rows(form)[value], wanted) for form in forms):
                continue
            cited = bool(mark.annotation.schema.get("x-citation"))
            if cited and not any(rows(form) for form in forms):
                continue  # nothing is registered, so nothing can be misspelled
            asked = (value, *forms, *wanted.values())
            if asked not in hints and len(hints) < MOST_HINTS:
                others = [form for form in known.names if value in rows(form)]
                could = [id_ for f in forms for id_, row in rows(f).items() if is_meant(row, wanted)]
                group = (
                    f"{value} is a group; one of its members is wanted here"
                    if value in rows("groups")
                    else ""
                )
                hint = gone(value, removed) or group or did_you_mean(value, could)
                hints[asked] = hint or (f"there is one in {', '.join(others)}" if others else "")
            kind = "".join(f"{word} " for word in wanted.values())
            message = f"{' or '.join(forms)} has no {kind}{value!r}"
            hint = hints.get(asked, "")
            if cited:
                yield diagnose("W420", message, at, key=key, hint=hint)
            else:
                yield diagnose("E401", message, at, key=key, hint=hint)


def is_meant(row: object, wanted: Mapping[str, str]) -> bool:
    """Whether a row says what is wanted of it (`x-rows`: key to value)."""
    if isinstance(row, Node):
        return all(row.text(key) == value for key, value in wanted.items())
    return not isinstance(row, Mapping) or all(row.get(key) == value for key, value in wanted.items())


def groups_have_members_that_exist(subject: Subject) -> Iterator[Diagnostic]:
    """The members of a group must be rows of the table it is a group of, each once."""
    for id_, row, node in subject.each("groups"):
        members = node.value["members"]
        known = subject.nodes(row["of"])
        seen: set[str] = set()
        for member in members.members():
            name = member.value
            if name not in known and row["of"] in subject.known:
                hint = subject.instead(str(name), known)
                yield diagnose("E404", f"the group {id_!r}: {row['of']} has no {name!r}", member, hint=hint)
            elif name in seen:
                yield diagnose("E406", f"the group {id_!r} has {name!r} twice", member)
            seen.add(name)
