"""Each of the mistakes of `mistakes.py` is told where it stands, with what would do; what is none is not."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from wteaw.cli.validate import validate_paths
from wteaw.play.starter import GAMES, begin

from .folders import own_cache  # noqa: F401
from .mistakes import FIRST, LESS_TRIED, SAID, TRIED_LAST, Mistake

ROOT = Path(__file__).resolve().parents[1]
BOOK = "book"
"""A layer over a ruleset with clauses, which rows of it may cite."""


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Templates and recipes, as `wteaw init` and readers of the cookbook lay them."""
    base = tmp_path_factory.mktemp("games")
    for game in GAMES:
        begin(base / game, game=game)
    begin(base / "mine")
    for recipe in (ROOT / "docs" / "cookbook").iterdir():
        if (recipe / "ruleset.yaml").exists():
            shutil.copytree(recipe, base / recipe.name)
    (base / BOOK / "tables").mkdir(parents=True)
    (base / BOOK / "ruleset.yaml").write_text("id: book\ntitle: A layer\nextends: data:ruleset\n", "utf-8")
    row = "units: [{id: infantry, source: [pbem.unit.infantry-role]}]\n"
    (base / BOOK / "tables" / "new.yaml").write_text(row, "utf-8")
    return base


@pytest.mark.parametrize(
    "mistake", [*FIRST, *SAID, *LESS_TRIED, *TRIED_LAST], ids=lambda m: f"{m[0]}: {m[3][:60]!r}"
)
def test_a_mistake_is_told_where_it_stands(games: Path, tmp_path: Path, mistake: Mistake) -> None:
    host, file, stands, typed, code, would_do = mistake
    for name in {host, "mine"}:
        shutil.copytree(games / name, tmp_path / name)
    path = tmp_path / host / file
    text = path.read_text("utf-8") if path.exists() else ""
    assert stands in text
    text = text.replace(stands, typed, 1) if stands else text + typed
    mark = re.search("«(.*?)»", text, re.DOTALL)
    path.write_text(text.replace("«", "").replace("»", ""), "utf-8")
    found = validate_paths([tmp_path / host], cache=False)
    if code == "ok":
        assert found == []
        return
    told = [d for d in found if d.code.startswith(code) and would_do in f"{d.message} {d.hint}"]
    assert told, found
    if mark is not None:
        line = text.count("\n", 0, mark.start()) + 1
        end = mark.end() - text.rfind("\n", 0, mark.start()) - 2
        assert any(d.line == line and (d.column or 1) <= end for d in told), told


def test_there_are_as_many_as_were_made() -> None:
    assert (len(FIRST), len(SAID), len(LESS_TRIED), len(TRIED_LAST)) == (80, 16, 104, 31)
