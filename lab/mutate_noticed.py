"""What runs of `wteaw mutate` say of each clause: how many changes of its rows were tried, and how many were
noticed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wteaw.testing.coverage import Owners

from .mutate_run import read_state

__all__ = ["Count", "Noticed", "read_noticed"]


@dataclass(slots=True)
class Count:
    """Changes that cite one clause. `tried` is None where only those are known that nobody noticed."""

    unnoticed: int = 0
    tried: int | None = 0

    def __str__(self) -> str:
        if self.tried is None:
            return f"{self.unnoticed} not" if self.unnoticed else "-"
        return f"{self.tried - self.unnoticed} of {self.tried}" if self.tried else "-"

    def to_json(self) -> dict[str, int]:
        if self.tried is None:
            return {"unnoticed": self.unnoticed}
        return {"noticed": self.tried - self.unnoticed, "tried": self.tried}


@dataclass(slots=True)
class Noticed:
    """Counts by clause, those of a clause that repeats another with its owner."""

    whole: bool
    counts: dict[str, Count] = field(default_factory=dict)

    def __getitem__(self, clause: str) -> Count:
        return self.counts.get(clause) or self._none()

    def add(self, clause: str, *, noticed: bool) -> None:
        count = self.counts.setdefault(clause, self._none())
        count.unnoticed += not noticed
        if count.tried is not None:
            count.tried += 1

    def _none(self) -> Count:
        return Count(tried=0 if self.whole else None)


def read_noticed(path: Path, owners: Owners) -> Noticed:
    """From a state file, which has every verdict, or from a report in JSON, which has what nobody noticed.

    ValueError if the file is neither. Changes that make no difference are not counted.
    """
    report = _report(path.read_text(encoding="utf-8"))
    if report is not None:
        out = Noticed(whole=False)
        for said in report["survivors"]:
            _count(out, owners, said["clauses"], noticed=False)
        return out
    out = Noticed(whole=True)
    for said in read_state(path)[1:]:
        if not said["equivalent"]:
            _count(out, owners, said["clauses"], noticed=bool(said["noticed_by"]))
    return out


def _count(out: Noticed, owners: Owners, clauses: list[str], *, noticed: bool) -> None:
    for clause in dict.fromkeys(map(owners.of, clauses)):
        out.add(clause, noticed=noticed)


def _report(text: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, Mapping) and isinstance(found.get("survivors"), list) else None
