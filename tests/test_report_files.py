"""Reports as files: by one process or several the same, and a fault of any of them is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.pending import commanded
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.report import report_files
from wteaw.report.report_files import write_reports
from wteaw.store import Game


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    data, ruleset, found = load_scenario(scenarios() / "diplomacy.yaml")
    assert data is not None and ruleset is not None, found
    begun = new_game(tmp_path_factory.mktemp("g") / "game", data, ruleset, id_="g", seed=bytes(16))
    resolve_turn(begun, force=True)
    return begun


def test_several_processes_write_what_one_writes(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = {}
    for hands in (1, 2):
        monkeypatch.setattr(report_files, "_processes", lambda *_, hands=hands: hands)
        files = write_reports(game, tmp_path / str(hands), [None, *commanded(game)], game.drawing())
        assert [p.name for p in files[:2]] == ["moderator.txt", "moderator.html"] and len(
            files
        ) == 2 + 2 * len(commanded(game))
        written[hands] = {p.name: p.read_bytes() for p in files}
    assert written[1] == written[2]


def test_what_a_second_process_cannot_write_is_told(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_files, "_processes", lambda *_: 2)
    for nation in commanded(game)[1:]:  # whatever the second process begins with
        (tmp_path / f"{nation}.txt").mkdir()
    with pytest.raises(IsADirectoryError):
        write_reports(game, tmp_path, [None, *commanded(game)], game.drawing())
