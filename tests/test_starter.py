"""`wteaw init`: what it makes validates, tests, draws and plays at once; names and folders that will not do are refused in words."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from wteaw.cli import COMMANDS, _run
from wteaw.core.package_data import templates
from wteaw.play.new_folder import FolderError
from wteaw.play.starter import GAMES, LAYER, StarterError, begin, shipped_rulesets
from wteaw.ruleset import load_ruleset

FILES = Path(__file__).parent / "data" / "triplea"


def run(line: str) -> None:
    """A command as it is printed, given as it stands."""
    words = shlex.split(line)
    assert words[0] == "wteaw" and words[1] in {c.name for c in COMMANDS}, line
    assert _run(words[1:]) in (0, None), line


def printed(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("wteaw ")]


def test_a_game_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In another folder, by the name alone; then every command that is named as next."""
    monkeypatch.chdir(tmp_path)
    run("wteaw init my-war")
    lines = printed(capsys.readouterr().out)
    assert [line.split()[1] for line in lines] == ["validate", "test", "play"]
    for line in lines:
        run(line)
    out = tmp_path / "my-war" / "out"
    svg = (out / "map.svg").read_text(encoding="utf-8")
    ruleset, found = load_ruleset(tmp_path / "my-war")
    assert ruleset is not None and not found and ruleset.id == "my-war"
    for row in ruleset.rows("places").values():
        assert row["name"].split()[0] in svg
    assert len(list((out / "reports").glob("*.txt"))) >= 2
    assert "3 passed" in capsys.readouterr().out


def test_the_game_has_all_that_a_designer_looks_for(tmp_path: Path) -> None:
    ruleset, _ = load_ruleset(begin(tmp_path / "small").folder)
    assert ruleset is not None
    assert (
        10 <= len(ruleset.rows("places")) <= 15
        and len([n for n in ruleset.rows("nations").values() if n["side"]]) == 2
    )
    for form in (
        "units",
        "battles",
        "events",
        "matrices",
        "tracks",
        "orders",
        "policies",
        "actions",
        "production",
        "visibility",
        "victory",
    ):
        assert ruleset.rows(form), form
    settings = json.loads((tmp_path / "small" / ".vscode" / "settings.json").read_text(encoding="utf-8"))
    for schema in settings["yaml.schemas"]:
        assert (tmp_path / "small" / schema).is_file(), "the editor finds the schemas"


def test_every_file_is_short_and_says_what_it_is() -> None:
    for template in (*GAMES, LAYER):
        for path in sorted((templates() / template).rglob("*")):
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                assert len(text.splitlines()) <= 60, path
                assert path.suffix == ".json" or text.startswith("#"), path


@pytest.mark.parametrize("game", GAMES)
def test_commands_of_its_readme(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path / "small", game=game)
    monkeypatch.chdir(tmp_path / "small")
    lines = printed(
        (tmp_path / "small" / "README.md").read_text(encoding="utf-8").replace("    wteaw", "\nwteaw")
    )
    assert len(lines) == 6
    for line in lines:
        command = line.split("  ")[0]
        run(command.replace("play scenarios/start.yaml", "play scenarios/start.yaml --turns 1"))


def test_the_free_city_hears_the_news(tmp_path: Path) -> None:
    """The matrix and the event of the template do something: a place taken from a nation costs points, five points a friend."""
    folder = begin(tmp_path / "small").folder
    (folder / "tests" / "second.yaml").write_text(
        """
cases:
  - id: news
    title: A place taken from the other moves the opinion, and at five it takes a side
    given: {relations: {war: [[auria, borea]]}, nations: {free-city: {tracks: {opinion: -4}}}, units: {ferry: {auria: {foot: 1}}}}
    orders: {auria: [march 1 foot from ferry to saltford]}
    when: [marches, battles, conquests]
    then: {chances: {"track(nation('free-city'), 'opinion') == -4": 1/3}}
""",
        encoding="utf-8",
    )
    code = _run(["test", str(folder), "-k", "news"])
    assert code in (0, None)


@pytest.mark.parametrize("game", GAMES)
def test_each_game_is_played_to_its_end_and_can_be_looked_over(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Begun by its name, without a finding, played by the built-in players to an end; then every total recomputed."""
    monkeypatch.chdir(tmp_path)
    run(f"wteaw init small --game {game}")
    run("wteaw validate --strict small")
    run("wteaw play small/scenarios/start.yaml --out out --seed one")
    said = capsys.readouterr().out
    assert " turns in " in said
    run("wteaw audit out/game")


def test_a_game_that_there_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _run(["init", "small", "--game", "risk"]) not in (0, None)
    assert "new-game, conquest" in capsys.readouterr().err
    assert _run(["init", "small", "--game", "conquest", "--extends", "diplomacy"]) not in (0, None)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("base", sorted(shipped_rulesets()))
def test_layers(base: str, tmp_path: Path) -> None:
    made = begin(tmp_path / "layer", extends=base)
    assert _run(["validate", "--strict", str(made.folder)]) in (0, None)
    assert _run(["test", str(made.folder)]) in (0, None)


def test_a_layer_changes_a_figure_and_plays(tmp_path: Path) -> None:
    made = begin(tmp_path / "dear", extends="diplomacy")
    rows = made.folder / "tables" / "changes.yaml"
    rows.write_text(
        rows.read_text(encoding="utf-8").replace("{id: army, name: ", "{id: army, plural: hosts, name: "),
        encoding="utf-8",
    )
    ruleset, found = load_ruleset(made.folder)
    assert ruleset is not None and not found and ruleset.rows("units")["army"]["plural"] == "hosts"
    assert _run(["play", str(made.scenario), "--turns", "1", "--out", str(tmp_path / "out")]) in (0, None)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        ".",
        "..",
        "---",
        "_",
        "12",
        "a/../..",
        "con",
        "x" * 80,
        "é!",
        "a:b",
        "wteaw",
        "Third Edition",
        "\u4e00",
    ],
)
def test_names_that_will_not_do(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _run(["init", "--", name]) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said and said.strip()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["My War", "war-of-1812", "l'affaire", "Über", "a.b"])
def test_names_that_do(name: str, tmp_path: Path) -> None:
    made = begin(tmp_path / name)
    assert load_ruleset(made.folder)[1] == []


def test_folders_that_are_there(tmp_path: Path) -> None:
    made = begin(tmp_path / "mine")
    (made.folder / "note.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(FolderError, match="--force"):
        begin(tmp_path / "mine")
    assert (made.folder / "note.txt").exists()
    begin(tmp_path / "mine", force=True)
    assert not (made.folder / "note.txt").exists()
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("", encoding="utf-8")
    with pytest.raises(FolderError, match="no ruleset"):
        begin(tmp_path / "letters", force=True)


def test_bases_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(StarterError, match=r"third-edition"):
        begin(tmp_path / "mine", extends="third-editon")
    assert not (tmp_path / "mine").exists()


def test_a_game_file_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = FILES / "least.xml"
    run(f"wteaw init --from triplea {file} two-fields")
    for line in printed(capsys.readouterr().out):
        run(line)
    assert (tmp_path / "two-fields" / "ruleset.yaml").is_file()
    run(f"wteaw init --from triplea {file}")
    assert (tmp_path / "least" / "ruleset.yaml").is_file(), "without a name it is that of the file"
    assert _run(["init", "--from", "chess", str(file)]) == 2
    assert _run(["init", "--from", "triplea", str(file), "a", "b"]) == 2
    assert _run(["init", "--from", "triplea", "--extends", "wteaw", str(file)]) == 2
    assert _run(["init", "two", "names"]) == 2
