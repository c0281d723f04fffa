"""A game in figures by turn: right by its positions, nothing in it that a reader may not know, everything when it has ended."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wteaw.cli import _run
from wteaw.core.journal import Entry
from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.proofs import position_after
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.store import Game
from wteaw.turn.referee import Position
from wteaw.world.view import Viewer
from wteaw.world.world import World
from wteaw_lab import statistics as stat
from wteaw_lab.statistics import statistics


def play(folder: Path, scenario: str, turns: int, *, ends: str = "") -> Game:
    data, rules, _ = load_scenario(scenarios() / f"{scenario}.yaml")
    assert data is not None and rules is not None
    if ends:
        frame = (*rules.sequence, {"step": "score", "do": "score"})
        rules = replace(
            rules,
            forms={**rules.forms, "victory": {"soon": {"id": "soon", "kind": "game_end", "when": ends}}},
            sequence=frame,
        )
    game = new_game(folder / "game", data, rules, id_="stat", seed=b"s" * 32)
    while game.stage().position.turn <= turns and not game.stage().position.ended:
        resolve_turn(game, force=True)
    return game


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """Two turns of a game in which much is hidden."""
    return play(tmp_path_factory.mktemp("running"), "1914", 2)


def test_places_are_those_of_the_positions(running: Game) -> None:
    found = statistics(running)
    assert found["turns"] == [1, 2] and not found["ended"]
    of = found["series"]["places"]["of"]
    for turn in found["turns"]:
        world = World(running.ruleset, position_after(running, turn).state, geography=running.geography)
        held = [world.holder_of(place) for place in running.ruleset.rows("places")]
        assert {who: values[turn - 1] for who, values in of.items() if values[turn - 1]} == {
            n: held.count(n) for n in set(held) if n
        }
    taken = found["series"]["taken"]["of"]
    assert sum(map(sum, taken.values())) > 0


def test_what_is_hidden_changes_nothing(running: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = statistics(running)
    assert not {"units", "income"} & plain["series"].keys() and not any(
        k.startswith("criteria/") for k in plain["series"]
    )

    def altered(game: Game, turn: int) -> Position:
        position = position_after(game, turn)
        state = position.state.copy()
        known = Viewer(game.ruleset, position.state, geography=game.geography).view("", sight=False)
        key, row = next(
            (k, r) for k, r in sorted(state.table("units").items()) if k not in known.table("units")
        )
        state.put("units", key, "n", row["n"] + 900)
        for purse in list(state.table("treasuries")):
            state.put("treasuries", purse, "money", 12345)
        assert Viewer(game.ruleset, state, geography=game.geography).view("", sight=False) == known
        return replace(position, state=state)

    def journal(**asked: Any) -> list[Entry]:
        nation = next(iter(running.ruleset.rows("nations")))
        data = {"event": "end", "items": [], "income": 777, "lost": {"attacker": {nation: {"infantry": 99}}}}
        return [
            *Game.journal(running, **asked),
            Entry(0, 1, "s", "sequence/secret", "", nation, audience=(nation,), data=data),
        ]

    monkeypatch.setattr(stat, "position_after", altered)
    monkeypatch.setattr(running, "journal", journal)
    assert json.dumps(statistics(running)) == json.dumps(plain)


def test_when_it_has_ended_everything_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = play(tmp_path, "empire-orders", 9, ends="turn >= 2")
    found = statistics(game)
    assert found["ended"] and found["turns"] == [1, 2] and found["knows"] == "everything"
    units = found["series"]["units"]["of"]
    state = game.stage().position.state
    assert {who: values[-1] for who, values in units.items()} == {
        who: sum(r["n"] for _, r in state.stacks(owner=who)) for who in units
    }
    assert found["series"]["income"]["of"]
    assert _run(["statistics", str(tmp_path / "game"), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_the_page_and_the_text(running: Game, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    folder = str(Path(running.where).parent)
    assert _run(["statistics", folder]) == 0
    said = capsys.readouterr().out
    assert "what everybody may know" in said and "PLACES HELD" in said
    held, taken = (
        said[said.index(title) :].split("\n\n")[1] for title in ("PLACES HELD", "PLACES TAKEN IN THE TURN")
    )
    assert "Most" in held and "All turns" not in held  # places of several turns are no number of places
    assert "All turns" in taken
    assert _run(["statistics", folder, "--format", "html"]) == 0
    page = capsys.readouterr().out
    assert page.count("<svg") == len(statistics(running)["series"])
    assert _run(["statistics", folder + "-nowhere"]) == 2
    assert _run(["statistics", folder, "--format", "xml"]) == 2
