"""What a designer mistypes is told where it stands, with what would do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wteaw.core.diagnostics import Diagnostic
from wteaw.core.package_data import rulesets
from wteaw.ruleset import load_ruleset

from .folders import own_cache, write

__all__ = ["own_cache"]

BATTLE, ACTS, TURN, PLACES = (
    "tables/battle.yaml",
    "tables/commands.yaml",
    "events/turn.yaml",
    "tables/places.yaml",
)
MISTAKES = [  # file, what stands there, what is typed, the code, and what would do
    (BATTLE, "3..4: wound", "3..5: wound", "E214", ""),
    (BATTLE, "5..6: kill", "5..7: kill", "E214", "1d6 shows 1 to 6"),
    (BATTLE, "'gun' in unit.tags", "'gnu' in unit.tags", "E305", "gun"),
    (ACTS, '"{n} (coin|coins) invested', '"{m} (coin|coins) invested', "E302", "n, place"),
    (TURN, "for: austria-hungary", "for: austria-hungry", "E401", "'austria-hungary'"),
    (TURN, "on: entered", "on: enterd", "E209", "'entered'"),
    (TURN, "[{pay: {to: nation, what: coin", "[{give: {to: nation, what: coin", "E206", "pay"),
    (PLACES, "strategic: true, most_coins: 3", "strategic: yes, most_coins: 3", "E403", "write true"),
    (PLACES, "most_coins: 3", 'most_coins: "3"', "E403", "write 3, without quotes"),
    (PLACES, "name: England, kind: land", "name: England, kind: lnad", "W604", "'land'"),
    ("tables/links.yaml", "[austria, hungary], kind: land", "[austria, hungary], kind: lnd", "W604", "'land'"),
    ("tables/policies.yaml", "if: \"coins_to_spare(self) > 0 and stock", "if: \"place.most_coins > 0 and stock", "E302", "name one, place('...')"),
    (ACTS, "    name: Invest\n", "  name: Invest\n", "E106", "same column"),
    (ACTS, "    help: Coins from", "    help: Coins: from", "E106", "quote"),
]  # fmt: skip


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(
        rulesets() / "variants/alliances", tmp_path / "mine", ignore=shutil.ignore_patterns("tests")
    )
    return tmp_path / "mine"


@pytest.mark.parametrize(("file", "right", "typed", "code", "hint"), MISTAKES)
def test_one_mistake_is_one_finding_at_its_line(
    copied: Path, file: str, right: str, typed: str, code: str, hint: str
) -> None:
    text = (copied / file).read_text("utf-8")
    (copied / file).write_text(text.replace(right, typed, 1), "utf-8")
    line = text[: text.index(right)].count("\n") + 1
    found = load_ruleset(copied)[1]
    assert [(d.code, d.file, d.line) for d in found] == [(code, file, line)]
    assert hint in found[0].hint


def test_a_row_over_one_that_does_not_exist_says_which_does(copied: Path) -> None:
    files = {
        "ruleset.yaml": "id: over\ntitle: Over\nextends: ../mine\n",
        "tables/o.yaml": "places: [{id: englnd, most_coins: 4}]\n",
    }
    found: list[Diagnostic] = load_ruleset(write(copied.parent / "over", files))[1]
    assert [d.code for d in found] == ["E207"] and "did you mean 'england'?" in found[0].hint
