"""Can verdicts be judged? What reads open verdicts must have bounds, and the things that have a verdict must
be known before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.diagnostics import Diagnostic
from ...core.model import Row
from ..expressions import ExpressionError
from ..expressions.bounds import BoundsCompiler, is_verdict, open_names
from ..expressions.parse import strip_mark
from ..expressions.terms import terms_used
from ..nodes import as_nodes, diagnose
from ..sequence_changes import frame_nodes
from .subject import Subject

CODE = "E320"


def verdicts_can_be_judged(subject: Subject) -> Iterator[Diagnostic]:
    """Every verdict, and every definition between one verdict and another, has bounds; its things depend on
    none.
    """
    terms = subject.rows("definitions")
    nodes = subject.nodes("definitions")
    rows = {id_: row for id_, row in terms.items() if is_verdict(row)}
    yield from _steps_settle_verdicts(subject)
    if not rows:
        return
    names = open_names(terms)
    reader = BoundsCompiler(names)
    between = _between(terms, rows)
    for id_ in [*rows, *sorted(id_ for id_ in names if id_ in between)]:
        text = terms[id_].get("is")
        if isinstance(text, str):
            try:
                reader.bounds(strip_mark(text))
            except ExpressionError as error:
                yield diagnose(CODE, error.message, nodes[id_], key="is", offset=error.column)
    for id_, row in rows.items():
        over = row["fixpoint"].get("over")
        if isinstance(over, str) and reader.reads_open(strip_mark(over)):
            message = "which things have a verdict must be known before any is settled"
            yield diagnose(CODE, message, nodes[id_].value["fixpoint"], key="over")
        if len(row.get("of", ())) != 1:
            message = "a verdict is about one thing: `of` names its kind"
            yield diagnose(CODE, message, nodes[id_], key="of")


def _steps_settle_verdicts(subject: Subject) -> Iterator[Diagnostic]:
    """What a step that does `settle` names is a definition with a `fixpoint`."""
    terms = subject.rows("definitions")
    for node in frame_nodes(subject.draft.sequence):
        for at in as_nodes(node.get("definitions")):
            row = terms.get(str(at.value))
            if row is not None and not is_verdict(row):
                message = f"{at.value!r} is no verdict: it has no `fixpoint`"
                yield diagnose(CODE, message, at)


def _between(terms: Mapping[str, Row], verdicts: Mapping[str, Row]) -> set[str]:
    """The definitions, other than verdicts, that the tests of verdicts lead to."""
    found: set[str] = set()
    due = [t for row in verdicts.values() for t in terms_used(str(row.get("is", "")))]
    while due:
        name = due.pop()
        if name in terms and name not in found and name not in verdicts:
            found.add(name)
            due += terms_used(str(terms[name].get("is", "")))
    return found
