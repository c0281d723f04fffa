"""Lines of the source text: whether those that a row names are among those of the clauses it cites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.diagnostics import Diagnostic
from ..core.model import Ruleset

__all__ = ["spans", "strayed"]

Span = tuple[int, int]


def spans(value: Any) -> list[Span]:
    """The passages that a list of lines names: two numbers are a first and a last line, more are single lines or pairs."""
    if isinstance(value, int):
        return [(value, value)]
    if not isinstance(value, list):
        return []
    if len(value) == 2 and all(isinstance(v, int) for v in value):
        return [(min(value), max(value))]
    return [span for member in value for span in spans(member)]


def strayed(ruleset: Ruleset, passages: Mapping[str, Sequence[Span]]) -> Iterator[Diagnostic]:
    """A finding for each row, or part of one, whose lines overlap none of the clauses that it cites.

    `passages` are the lines of every clause. A clause that is not known, or has no lines (another page states it), is not asked.
    """
    for form, rows in ruleset.forms.items():
        for id_, row in rows.items():
            if _file(ruleset, form, id_, "lines") != _file(ruleset, form, id_, "source"):
                continue  # an overlay gives other clauses to a row whose lines are those of the text below
            for part, cited in _parts(row, ()):
                asked = [span for clause in cited for span in passages.get(clause, ())]
                own = spans(part["lines"])
                if own and asked and not any(_meet(a, b) for a in own for b in asked):
                    yield _finding(ruleset, form, id_, part, own, asked)


def _file(ruleset: Ruleset, form: str, id_: str, key: str) -> str:
    return ruleset.origin(form, id_, key).rpartition(":")[0]


def _finding(
    ruleset: Ruleset, form: str, id_: str, part: Mapping[str, Any], own: Iterable[Span], asked: Iterable[Span]
) -> Diagnostic:
    file, _, line = ruleset.origin(form, id_, "lines").rpartition(":")
    what = f"{form}/{id_}" + (f" ({part['id']})" if part.get("id", id_) != id_ else "")
    message = f"lines {_said(own)} of {what} are none of the clauses that it cites"
    return Diagnostic("W801", "warning", message, file, int(line), hint=f"these have {_said(asked)}")


def _parts(value: Any, cited: tuple[str, ...]) -> Iterator[tuple[Mapping[str, Any], tuple[str, ...]]]:
    """Every map that names lines, with the clauses that it cites, or else the maps around it."""
    if isinstance(value, Mapping):
        said = value.get("source")
        cited = ((said,) if isinstance(said, str) else tuple(said)) if said else cited
        if "lines" in value and cited:
            yield value, cited
        for key, inner in value.items():
            if key not in ("source", "lines"):
                yield from _parts(inner, cited)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner, cited)


def _meet(a: Span, b: Span) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def _said(passages: Iterable[Span]) -> str:
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in sorted(set(passages)))
