"""Does every reference name a row that exists? Serves all forms: the schemas say which values are references (`x-ref`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...diagnostics import Diagnostic, did_you_mean
from ..nodes import Node, diagnose, find
from .subject import Subject

__all__ = ["groups_have_members_that_exist", "references_name_rows_that_exist"]


def references_name_rows_that_exist(subject: Subject) -> Iterator[Diagnostic]:
    """Every value marked `x-ref: FORM` must be the id of a row of that form (or of one of several forms)."""
    for mark in subject.marked:
        if "x-ref" not in mark.annotation.schema:
            continue
        forms = mark.annotation.schema["x-ref"]
        forms = [forms] if isinstance(forms, str) else list(forms)
        node = find(mark.row, mark.annotation.path)
        literal = bool(mark.annotation.schema.get("x-literal"))
        for value, at in _names(mark.annotation.value, node):
            if value.startswith("=") and not literal:
                continue  # an expression: another check's question
            yield from unknown_id(subject, forms, value, at)


def unknown_id(subject: Subject, forms: list[str], value: str, at: Node) -> Iterator[Diagnostic]:
    """A finding if no row of the forms has this id."""
    if any(value in subject.nodes(form) for form in forms) or not any(form in subject.known for form in forms):
        return
    known = [id_ for form in forms for id_ in subject.nodes(form)]
    hint = did_you_mean(value, known)
    if not hint:
        others = sorted(form for form, rows in subject.draft.forms.items() if value in rows)
        hint = f"there is one in {', '.join(others)}" if others else ""
    yield diagnose("E401", "error", f"{' or '.join(forms)} has no {value!r}", at, hint=hint)


def groups_have_members_that_exist(subject: Subject) -> Iterator[Diagnostic]:
    """The members of a group must be rows of the form it is a group of, each once."""
    for id_, row in subject.rows("groups").items():
        members = subject.nodes("groups")[id_].value["members"]
        known = subject.nodes(row["of"])
        seen: set[str] = set()
        for member in members.members():
            name = member.value
            if name not in known and row["of"] in subject.known:
                hint = did_you_mean(name, known)
                yield diagnose("E404", "error", f"the group {id_!r}: {row['of']} has no {name!r}", member, hint=hint)
            elif name in seen:
                yield diagnose("E406", "error", f"the group {id_!r} has {name!r} twice", member)
            seen.add(name)


def _names(value: Any, node: Node) -> Iterator[tuple[str, Node]]:
    """The ids in a value: itself, or the members of a list."""
    if isinstance(value, str):
        yield value, node
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str):
                yield item, find(node, [index])
