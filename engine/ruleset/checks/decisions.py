"""Can decisions be made? What counts for whoever says nothing must be an answer, or a way to find one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.choices import as_slot
from ...core.diagnostics import Diagnostic
from ...core.registry import CHOOSERS
from ..expressions import KINDS
from ..nodes import diagnose
from .subject import Subject

AT_MOST = ("all", "none")
"""Words for the most and the least of a number that is asked for up to a bound."""


def defaults_are_answers(subject: Subject) -> Iterator[Diagnostic]:
    """The default of a decision is one of its answers, `=` an expression, or says how one is chosen."""
    for id_, row in subject.rows("decisions").items():
        default = row.get("default")
        if default is None or (isinstance(default, str) and default.startswith("=")):
            continue
        node = subject.nodes("decisions")[id_].value["default"]
        if "most" in row or _kind(row) == "number":
            words = AT_MOST if "most" in row else ()
            if type(default) is not int and default not in words:
                message = f"the answer to {id_!r} is a number; {default!r} is none"
                hint = f"a number{', all or none' if words else ''}, or `=` an expression"
                yield diagnose("E407", message, node, hint=hint)
        elif (isinstance(default, str) or "from" in row) and not _answers_so(
            default, known := _answers(subject, row), row
        ):
            message = f"{default!r} is no answer to {id_!r}, and no way to choose one"
            listed = [str(answer) for answer in answers_written(row)]
            hint = subject.instead(str(default), [str(word) for word in known])
            yield diagnose("E407", message, node, hint=hint or f"one of {', '.join((*listed, *CHOOSERS))}")


def _answers_so(default: Any, known: list[Any], row: dict[str, Any]) -> bool:
    """Whether a default may be the answer; a number may be among what an expression gives."""
    return default in known or (type(default) is int and not isinstance(row["from"], list))


def _kind(row: dict[str, Any]) -> str:
    """The kind of thing that an answer is, if the row is written as a line with a slot for it."""
    slots = row.get("slots", {})
    slot = slots.get("answer", next(iter(slots.values()), None) if len(slots) == 1 else None)
    return str(as_slot(slot).get("kind", ""))


def answers_written(row: dict[str, Any]) -> list[Any]:
    """The answers that a row writes out."""
    choices = as_slot(row.get("slots", {}).get("answer")).get("choices", ())
    return [*(row["from"] if isinstance(row.get("from"), list) else ()), *choices]


def _answers(subject: Subject, row: dict[str, Any]) -> list[Any]:
    """All words that may be the default: answers, and ways to choose one."""
    listed = answers_written(row)
    if isinstance(row.get("from"), list):
        return [*listed, *CHOOSERS]
    forms = [KINDS[_kind(row)]] if KINDS.get(_kind(row)) else [form for form in KINDS.values() if form]
    return [*listed, *CHOOSERS, *(id_ for form in forms for id_ in subject.nodes(form))]
