"""Each threat of docs/security.md names the tests that show it, and there are such tests."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
TABLE = (
    (TESTS.parent / "docs" / "security.md")
    .read_text(encoding="utf-8")
    .partition("## Threats")[2]
    .partition("\n## ")[0]
)
ROWS = [
    [c.strip() for c in line.strip("|").split("|")] for line in TABLE.splitlines() if line.startswith("| ")
][2:]
NAMED = re.compile(r"`(test_\w+)`: (.*?)(?=; `|; by hand|$)")


def written(file: str) -> set[str]:
    """The names of the tests of a file."""
    tree = ast.parse(next(TESTS.rglob(f"{file}.py")).read_text(encoding="utf-8"))
    return {f.name for f in tree.body if isinstance(f, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=[r[0] for r in ROWS])
def test_a_threat_is_shown_by_tests_that_there_are(row: list[str]) -> None:
    who, may, may_not, shown = row
    assert who and may and may_not
    named = [(file, says) for file, those in NAMED.findall(shown) for says in those.split("; ")]
    assert named, "no test is named"
    assert [
        (file, says) for file, says in named if f"test_{says.replace(' ', '_')}" not in written(file)
    ] == []


TRIED = (
    (TESTS.parent / "docs" / "security.md")
    .read_text(encoding="utf-8")
    .partition("## What was tried")[2]
    .partition("\n## ")[0]
)
ATTACKS = [
    [c.strip() for c in line.strip("|").split("|")] for line in TRIED.splitlines() if line.startswith("| ")
][2:]


@pytest.mark.parametrize("row", ATTACKS, ids=[r[0] for r in ATTACKS])
def test_an_attack_that_was_tried_is_a_test(row: list[str]) -> None:
    what, tried, figure, shown = row
    assert what and tried and figure
    named = [(file, says) for file, those in NAMED.findall(shown) for says in those.split("; ")]
    assert (
        named
        and [(file, says) for file, says in named if f"test_{says.replace(' ', '_')}" not in written(file)]
        == []
    )


def test_no_threat_was_lost() -> None:
    assert len(ROWS) >= 15
