"""Can orders tell things apart? Two things of a kind with one name, and two orders that are written alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.diagnostics import Diagnostic
from ..nodes import diagnose
from .subject import Subject

__all__ = ["orders_are_written_apart", "things_have_names_of_their_own"]

NAMED = ("nations", "places", "units", "technologies", "production", "resources", "sides")
"""Forms of things that orders name."""
_SAYS = ("name", "plural", "short")


def things_have_names_of_their_own(subject: Subject) -> Iterator[Diagnostic]:
    """Of two things with one name, orders that use it would mean the first."""
    for form in NAMED:
        taken: dict[tuple[str, str], str] = {}
        for id_, row in subject.rows(form).items():
            inside = str(row.get("part_of", ""))  # parts of a place are told apart by what they are of
            for key, word in _names(row):
                said = " ".join(word.casefold().split())
                other = taken.setdefault((inside, said), id_)
                node = subject.nodes(form)[id_]
                if other != id_ and not node.file.startswith(".."):
                    message = f"{word!r} is a name of {other!r}, too: an order that says so means only one of them"
                    yield diagnose("W611", "warning", message, node, key=key)
                    break


def _names(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in _SAYS:
        if isinstance(row.get(key), str):
            yield key, row[key]
    for word in row.get("aliases", ()):
        yield "aliases", word


def orders_are_written_apart(subject: Subject) -> Iterator[Diagnostic]:
    """Of two orders with one syntax, lines are read as the first: the second cannot be given."""
    taken: dict[str, tuple[str, str]] = {}
    for form in ("actions", "orders", "decisions"):
        for id_, row in subject.rows(form).items():
            text = " ".join(str(row.get("syntax", "")).split())
            other = taken.setdefault(text, (form, id_))
            node = subject.nodes(form)[id_]
            if text and other != (form, id_) and not node.file.startswith(".."):
                message = f"{'/'.join(other)} is written in the same way: a line is read as one of them only"
                yield diagnose("W611", "warning", message, node, key="syntax")
