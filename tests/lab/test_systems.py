"""The table of systems in the documentation is what the command prints; what was measured is kept beside the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw_lab.systems import as_markdown, keep, measured, put, systems

ROOT = Path(__file__).parents[2]


def test_the_documentation_shows_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """`wteaw systems --write docs/systems.md` brings it up to date."""
    page = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    table = as_markdown(systems(ROOT / "ruleset"))
    assert put(page, table) == page
    assert _run(["systems", str(ROOT / "ruleset")]) == 0
    assert capsys.readouterr().out.strip() == table


def test_what_was_measured_is_shown(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    assert measured(tmp_path) == ""
    keep(tmp_path, 191, 200)
    assert measured(tmp_path) == "95.5 % of 200"


def test_a_text_without_the_marks_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="there is no"):
        put("nothing", "table")
    (tmp_path / "text.md").write_text("nothing", encoding="utf-8")
    assert (
        _run(
            [
                "systems",
                str(ROOT / "ruleset" / "variants" / "diplomacy"),
                "--write",
                str(tmp_path / "text.md"),
            ]
        )
        != 0
    )
    assert "there is no <!-- systems -->" in capsys.readouterr().err
    assert (tmp_path / "text.md").read_text(encoding="utf-8") == "nothing"
