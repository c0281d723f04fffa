"""The version of the ruleset format, and the settings that the engine reads: what is not understood is refused at its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wteaw.core.codes import CODES
from wteaw.core.diagnostics import Diagnostic
from wteaw.play.starter import begin
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.folder import FORMAT


def findings(folder: Path, old: str, new: str) -> list[Diagnostic]:
    manifest = folder / "ruleset.yaml"
    text = manifest.read_text(encoding="utf-8")
    assert old in text
    manifest.write_text(text.replace(old, new, 1), encoding="utf-8")
    return load_ruleset(folder)[1]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return begin(tmp_path / "mine").folder


@pytest.mark.parametrize("given", ["format: 1", ""])
def test_the_format_that_is_read(given: str, mine: Path) -> None:
    assert findings(mine, "format: 1", given) == []


@pytest.mark.parametrize(
    ("given", "hint"), [(FORMAT + 1, "pip install --upgrade"), (0, "docs/format.md"), (-3, "docs/format.md")]
)
def test_another_format_is_refused_at_its_line(given: int, hint: str, mine: Path) -> None:
    found = [d for d in findings(mine, "format: 1", f"format: {given}") if d.code == "E122"]
    assert (
        [d.file for d in found] == ["ruleset.yaml"]
        and hint in found[0].hint
        and str(FORMAT) in found[0].message
    )
    line = (mine / "ruleset.yaml").read_text(encoding="utf-8").splitlines()[found[0].line - 1]
    assert line.startswith("format:") and "E122" in CODES


@pytest.mark.parametrize("given", ["true", "one", "1.5", "[1]"])
def test_a_format_is_a_whole_number(given: str, mine: Path) -> None:
    found = findings(mine, "format: 1", f"format: {given}")
    assert found and {d.severity for d in found} == {"error"} and all(d.file == "ruleset.yaml" for d in found)


def test_the_format_of_a_layer_below_counts(mine: Path, tmp_path: Path) -> None:
    (mine / "variants/over").mkdir(parents=True)
    (mine / "variants/over/ruleset.yaml").write_text(
        "id: over\ntitle: Over\nextends: ../..\n", encoding="utf-8"
    )
    findings(mine, "format: 1", "format: 7")
    assert "E122" in {d.code for d in load_ruleset(mine / "variants/over")[1]}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("place.worth", "place.wroth", "wroth"),
        ("place.worth", "'=place.worth +'", ""),
        ("money: gold", "money: golt", "golt"),
        ("same_side_stance: allied", "same_side_stance: alied", "alied"),
        ("money: gold", "mony: gold", "mony"),
        ("money: gold", "unit_worth: prize\n  money: gold", "prize"),
        ("money: gold", "unfit: unit.nonsense\n  money: gold", "nonsense"),
    ],
)
def test_a_setting_that_cannot_be_read_is_told(old: str, new: str, says: str, mine: Path) -> None:
    found = [d for d in findings(mine, old, new) if d.severity == "error"]
    assert found and found[0].file == "ruleset.yaml" and says in found[0].message, found


def test_an_expression_may_have_its_mark(mine: Path) -> None:
    """With the mark or without it, reports say what a place is worth."""
    from wteaw.core.state import State
    from wteaw.report.wording import Wording
    from wteaw.world.world import World

    def worth() -> object:
        rules, found = load_ruleset(mine)
        assert rules is not None and found == []
        world = World(rules, State({"game": {"game": {"turn": 1}}}))
        return [Wording(world, "").worth(place) for place in rules.rows("places")]

    before = worth()
    assert findings(mine, "worth: place.worth", "worth: '= place.worth'") == []
    assert worth() == before and any(before)  # type: ignore[arg-type]


def test_a_new_ruleset_can_be_moved_with_its_schemas(mine: Path) -> None:
    settings = json.loads((mine / ".vscode/settings.json").read_text(encoding="utf-8"))
    named = list(settings["yaml.schemas"])
    assert named and all(path.startswith("./") and (mine / path).is_file() for path in named)
    assert not any(str(mine.parent) in p.read_text(encoding="utf-8") for p in mine.rglob("*") if p.is_file())
