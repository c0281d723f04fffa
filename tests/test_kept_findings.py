"""What is found is kept: while rows keep their ids tests are not read again, and after any edit the same is found as again."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from wteaw.cli import validate
from wteaw.core.diagnostics import Diagnostic
from wteaw.ruleset import compile
from wteaw.ruleset.compile import load_ruleset
from wteaw.testing import check

GAME = Path(__file__).parent.parent / "templates" / "conquest"


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "cache"))
    return laid(tmp_path / "mine", GAME)


def laid(folder: Path, template: Path) -> Path:
    """A game as `wteaw init` lays it."""
    shutil.copytree(template, folder)
    for path in folder.rglob("*.yaml"):
        path.write_text(path.read_text("utf-8").replace("$ID$", "mine").replace("$TITLE$", "Mine"), "utf-8")
    return folder


def found(game: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int]:
    """The messages about its tests, and how many of their files were read for them."""
    read: list[str] = []
    reading = check._faults_of_file
    with monkeypatch.context() as watched:
        watched.setattr(
            check, "_faults_of_file", lambda path, *more: [read.append(path.name), *reading(path, *more)][1:]
        )
        ruleset, _ = load_ruleset(game, keep_broken=True)
        assert ruleset is not None
        return [d.message for d in check.faults_of_tests(game, ruleset, cache=True)], len(read)


def changed(game: Path, file: str, old: str, new: str) -> None:
    text = (game / file).read_text("utf-8")
    assert old in text
    (game / file).write_text(text.replace(old, new), "utf-8")


def test_tests_are_read_again_only_when_what_they_may_name_changes(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(game, monkeypatch) == ([], 2)
    assert found(game, monkeypatch) == ([], 0)
    changed(game, "tables/map.yaml", "Jorn", "Old Jorn")
    assert found(game, monkeypatch) == ([], 0)
    changed(game, "tables/map.yaml", "id: jorn", "id: yorn")
    messages, read = found(game, monkeypatch)
    assert read == 2
    assert "places has no 'jorn'" in messages


def test_tests_are_read_again_when_one_of_them_changes(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(game, monkeypatch) == ([], 2)
    changed(game, "tests/first.yaml", "jorn: {holder: cedar}", "yorn: {holder: cedar}")
    messages, read = found(game, monkeypatch)
    assert (messages, read) == (["places has no 'yorn'"], 2)


def test_tests_are_read_again_when_a_pile_is_divided_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What tests may say of a pile depends on its row, not on its id alone."""
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "cache"))
    game = laid(tmp_path / "cards", GAME.parent / "card-battle")
    assert found(game, monkeypatch)[0] == []
    changed(game, "tables/cards.yaml", "{id: played, name: pile, per: nation", "{id: played, name: pile")
    messages, read = found(game, monkeypatch)
    assert read
    assert "'played' is one pile for all" in messages


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("tables/map.yaml", "id: jorn", "id: yorn"),
        ("tests/first.yaml", "jorn: {holder: cedar}", "yorn: {holder: cedar}"),
    ],
)
def test_an_input_is_looked_at_again_when_a_file_of_it_changes_and_only_then(
    game: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str
) -> None:
    looked: list[Path] = []
    looking = validate._Input._found

    def watched(self: validate._Input, *more: object) -> object:
        looked.append(self.path)
        return looking(self, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(validate._Input, "_found", watched)
    assert validate.validate_paths([game]) == []
    assert looked
    looked.clear()
    assert validate.validate_paths([game]) == []
    assert not looked
    changed(game, file, old, new)
    fresh = validate.validate_paths([game])
    assert looked
    assert fresh
    assert fresh == validate.validate_paths([game], cache=False)
    changed(game, file, new, old)
    looked.clear()
    assert validate.validate_paths([game]) == []
    assert not looked  # of these texts it is still known


def edited(text: str, dice: random.Random) -> str:
    """A text with one edit such as people make: a line gone, a line twice, another figure, a word misspelt."""
    lines = text.splitlines(keepends=True)
    said = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    at, kind = dice.choice(said), dice.randrange(4)
    word = dice.choice(re.findall(r"[\w-]+", lines[at]) or ["-"])
    other = str(int(word) + 1) if word.isdigit() else word[:-1] + "q"
    lines[at] = ["", lines[at] * 2, lines[at].replace(word, other, 1), lines[at] + "\n# noted\n"][kind]
    return "".join(lines)


def found_anew(game: Path, monkeypatch: pytest.MonkeyPatch) -> list[Diagnostic]:
    """All findings, each file read for each ruleset that it is of, and nothing kept or shared."""
    with monkeypatch.context() as alone:
        alone.setattr(compile, "_READ", {})
        alone.setattr(compile, "MAX_READ", 0)
        return validate.validate_paths([game], cache=False)


@pytest.mark.parametrize("template", ["conquest", "card-battle"])
def test_after_any_edit_of_any_file_the_same_is_found_as_by_looking_at_everything_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str
) -> None:
    """With a ruleset laid over it, which shares what was read and found of it."""
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "cache"))
    game = laid(tmp_path / "mine", GAME.parent / template)
    above = game / "variants" / "above"
    above.mkdir(parents=True)
    (above / "ruleset.yaml").write_text("id: above\ntitle: Above\nextends: ../..\n", "utf-8")
    dice = random.Random(template)
    assert validate.validate_paths([game]) == found_anew(game, monkeypatch) == []
    wrong = 0
    files = sorted(path for path in game.rglob("*.yaml"))
    for path in files:
        as_it_was = path.read_text("utf-8")
        for _ in range(3):
            path.write_text(edited(path.read_text("utf-8"), dice), "utf-8")  # one upon the other
            fresh = found_anew(game, monkeypatch)
            assert validate.validate_paths([game]) == fresh, path
            wrong += bool(fresh)
        path.write_text(as_it_was, "utf-8")
        assert validate.validate_paths([game]) == [], path
    assert wrong > len(files)
