"""Rule tests under two rulesets: which of those that are about what differs say something else under the
other.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..core.canonical import dumps
from ..core.model import Ruleset
from ..ruleset.clauses import sources
from ..ruleset.compare import Difference
from .cases import Case
from .runner import Result, Runner


@dataclass(frozen=True, slots=True)
class Changed:
    """A test whose verdict is another: what came of it before, and after."""

    before: Result
    after: Result


@dataclass(frozen=True, slots=True)
class Compared:
    """Of the tests about rows that differ: how many ran, for how many there was no time, which changed their
    verdict.
    """

    ran: int
    left: int
    changed: tuple[Changed, ...]


def compared(
    cases: Sequence[tuple[Case, Path]],
    before: Ruleset,
    after: Ruleset,
    differs: Sequence[Difference],
    *,
    seconds: float,
) -> Compared:
    """Run the cases (`cases_about`) about rows that differ under both rulesets, for about so many `seconds`.

    First come those that cite a clause of such a row, then those that name one, the short ones first.
    """
    clauses = _clauses(before, after, differs)
    ids = {d.name.partition("/")[2] for d in differs} - {""}
    named = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(ids)))})(?![\w-])")
    ranked = []
    for number, (case, file) in enumerate(cases):
        text = dumps(case.data).decode()
        cites = not clauses.isdisjoint(case.clauses)
        if cites or (ids and named.search(text)):
            ranked.append((not cites, len(text), number, case, file))
    wanted = [(case, file) for _, _, _, case, file in sorted(ranked, key=lambda one: one[:3])]
    was, now = Runner(before), Runner(after)
    ends = time.monotonic() + seconds
    changed, ran = [], 0
    for case, file in wanted:
        if time.monotonic() > ends:
            break
        ran += 1
        one = Changed(was.run(case, file), now.run(case, file))
        if one.before.status != one.after.status:
            changed.append(one)
    return Compared(ran, len(wanted) - ran, tuple(changed))


def _clauses(before: Ruleset, after: Ruleset, differs: Iterable[Difference]) -> set[str]:
    """The clauses that the rows which differ cite, as they were or as they are."""
    found: set[str] = set()
    for difference in differs:
        form, _, id_ = difference.name.partition("/")
        for rules in (before, after):
            if rules.has(form, id_):
                found |= set(sources(rules.row(form, id_)))
    return found
