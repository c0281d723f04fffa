"""What a game knows of its states without reading them is what it would read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wteaw.cli.game import read_scenario
from wteaw.core.state import State
from wteaw.play.begin import new_game
from wteaw.play.resolve import resolve_turn
from wteaw.store import Game
from wteaw.store.database import unpack
from wteaw.store.reading import StoredPosition
from wteaw.store.states import KnownStates

SCENARIOS = Path(__file__).parent.parent / "scenarios"


def started(scenario: str, folder: Path) -> Game:
    data, ruleset, _ = read_scenario(str(SCENARIOS / f"{scenario}.yaml"))
    assert ruleset is not None
    return new_game(folder / "game", data, ruleset, id_="known", seed=b"\x22" * 16)


def said(stage: StoredPosition) -> list[Any]:
    """The states of a stage with their keys in the order in which they stand."""
    position = stage.position
    states = (position.state, position.turn_start, position.phase_start)
    return [json.dumps(state.to_json(), default=str) for state in states]


def test_a_stage_that_was_just_resolved_is_as_it_is_read(tmp_path: Path) -> None:
    game = started("alliances-5", tmp_path)
    for _ in range(8):
        resolve_turn(game, force=True)
        assert said(game.stage()) == said(Game.open(tmp_path / "game").stage())


def test_a_stage_to_which_a_game_goes_back_is_as_it_is_read(tmp_path: Path) -> None:
    game = started("diplomacy", tmp_path)
    for _ in range(3):
        resolve_turn(game, force=True)
    game.rollback(2, "once more")
    assert said(game.stage()) == said(Game.open(tmp_path / "game").stage())
    resolve_turn(game, force=True)
    assert said(game.stage()) == said(Game.open(tmp_path / "game").stage())


def test_a_state_is_kept_under_its_hash_and_what_is_known_is_not_read_again() -> None:
    known, state = KnownStates(), State({"nations": {"b": {"y": 1, "a": [2]}, "a": {"x": "é"}}, "game": {}})
    (packed,) = known.packed([state])
    assert packed.key == state.hash()
    assert unpack(packed.content()) == state.to_json()
    read = known.find(packed.key)
    assert read is not None
    assert read == state
    assert list(read.tables["nations"]) == ["a", "b"]
    known.hold({packed.key: read})
    (again,) = known.packed([read])
    assert (again.key, again.content()) == (packed.key, packed.content())
    changed = read.copy()
    changed.put("game", "game", "turn", 2)
    (other,) = known.packed([changed])
    assert other.key == changed.hash()
    assert known.find(other.key).tables["nations"] is read.tables["nations"]  # type: ignore[union-attr]
