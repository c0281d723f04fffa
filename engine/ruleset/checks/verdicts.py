"""Can verdicts be judged? What reads open verdicts must have bounds, and the things that have a verdict must
be known before.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.diagnostics import Diagnostic
from ..expressions import ExpressionError
from ..expressions.bounds import BoundsCompiler, open_names
from ..expressions.parse import strip_mark
from ..expressions.terms import terms_used
from ..nodes import diagnose
from .subject import Subject

CODE = "E320"


def verdicts_can_be_judged(subject: Subject) -> Iterator[Diagnostic]:
    """Every verdict, and every definition between one verdict and another, has bounds; its things depend on
    none.
    """
    rows, terms = subject.rows("verdicts"), subject.rows("definitions")
    if not rows:
        return
    names = open_names(rows, terms)
    reader = BoundsCompiler(names)
    texts = [("verdicts", id_, "yes", row.get("yes")) for id_, row in rows.items()]
    texts += [
        ("definitions", id_, "is", terms[id_].get("is"))
        for id_ in sorted(names)
        if id_ in terms and id_ in _between(subject)
    ]
    for form, id_, key, text in texts:
        if isinstance(text, str):
            try:
                reader.bounds(strip_mark(text))
            except ExpressionError as error:
                yield diagnose(CODE, error.message, subject.nodes(form)[id_], key=key, offset=error.column)
    for id_, row in rows.items():
        if isinstance(row.get("over"), str) and reader.reads_open(strip_mark(row["over"])):
            message = "which things have a verdict must be known before any is settled"
            yield diagnose(CODE, message, subject.nodes("verdicts")[id_], key="over")


def _between(subject: Subject) -> set[str]:
    """The definitions that the tests of verdicts lead to."""
    terms = subject.rows("definitions")
    found: set[str] = set()
    due = [t for row in subject.rows("verdicts").values() for t in terms_used(str(row.get("yes", "")))]
    while due:
        name = due.pop()
        if name in terms and name not in found:
            found.add(name)
            due += terms_used(str(terms[name].get("is", "")))
    return found
