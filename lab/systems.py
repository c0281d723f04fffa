"""What systems there are: one line for each ruleset, with its phases, orders, events, clauses, rule tests and
changes noticed.

The last figure is what `wteaw mutate --keep` has measured and left beside the tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wteaw.core.frame import phases
from wteaw.ruleset.compile import load_ruleset
from wteaw.ruleset.folder import find_rulesets
from wteaw.testing.cases import FOLDER, find, read
from wteaw.testing.coverage import cited

MEASURED = "noticed.json"
BEGIN, END = "<!-- systems -->", "<!-- /systems -->"
HEADS = ("system", "phases", "orders", "events", "clauses", "tests", "changes noticed")


@dataclass(frozen=True, slots=True)
class System:
    """One ruleset in figures.

    `clauses` are those that its rows cite, with what it takes over from the ruleset it extends.
    """

    id: str
    title: str
    phases: int
    orders: int
    events: int
    clauses: int
    tests: int
    noticed: str

    def cells(self) -> tuple[str, ...]:
        """The line of a table."""
        numbers = (self.phases, self.orders, self.events, self.clauses, self.tests)
        return (f"{self.title} (`{self.id}`)", *(f"{n:,}" for n in numbers), self.noticed or "not measured")


def systems(top: Path) -> list[System]:
    """The rulesets in a folder, the base first. ValueError for one that has errors."""
    return [_system(folder) for folder in find_rulesets(top)]


def _system(folder: Path) -> System:
    ruleset, found = load_ruleset(folder)
    if ruleset is None:
        raise ValueError(f"{folder} cannot be loaded: {found[0].message}")
    own = [path for path in find(folder) if path.is_relative_to(folder / FOLDER)]
    return System(
        id=str(ruleset.manifest["id"]),
        title=str(ruleset.manifest.get("title", ruleset.manifest["id"])),
        phases=len(phases(ruleset.sequence)),
        orders=len(ruleset.rows("actions")) + len(ruleset.rows("orders")),
        events=len(ruleset.rows("events")),
        clauses=len(cited(ruleset)),
        tests=_cases(own),
        noticed=measured(folder),
    )


def _cases(files: Iterable[Path]) -> int:
    return sum(len(read(path).cases) for path in files)


def measured(folder: Path) -> str:
    """The changes of a ruleset's rows that its rule tests notice, of those tried; empty if nobody has
    measured them.
    """
    file = folder / FOLDER / MEASURED
    if not file.is_file():
        return ""
    data = json.loads(file.read_text(encoding="utf-8"))
    return f"{100 * data['noticed'] / data['tried']:.1f} % of {data['tried']:,}"


def keep(folder: Path, noticed: int, tried: int) -> Path:
    """Leave what was measured beside the tests of a ruleset."""
    file = folder / FOLDER / MEASURED
    file.write_text(json.dumps({"noticed": noticed, "tried": tried}, indent=1) + "\n", encoding="utf-8")
    return file


def as_markdown(found: Sequence[System]) -> str:
    """A table for a text in Markdown."""
    rows = [HEADS, ("---", *("---:" for _ in HEADS[1:])), *(s.cells() for s in found)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def put(text: str, table: str) -> str:
    """A text with the table between its marks. ValueError if it has none."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no {BEGIN} ... {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


__all__ = ["BEGIN", "END", "System", "as_markdown", "keep", "measured", "put", "systems"]
