"""What a turn leaves in memory: no world that nobody asks any more."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from wteaw.cli.game import read_scenario
from wteaw.play.begin import new_game
from wteaw.play.resolve import resolve_turn
from wteaw.world.world import World

SCENARIOS = Path(__file__).parent.parent / "scenarios"


def worlds() -> int:
    return sum(isinstance(thing, World) for thing in gc.get_objects())


@pytest.mark.parametrize("scenario", ["1914", "alliances-5", "diplomacy", "empire-orders", "no-mans-land"])
def test_a_turn_leaves_no_world_for_the_collector(scenario: str, tmp_path: Path) -> None:
    data, ruleset, _ = read_scenario(str(SCENARIOS / f"{scenario}.yaml"))
    assert ruleset is not None
    game = new_game(tmp_path / "game", data, ruleset, id_="memory", seed=b"\x22" * 16)
    for _ in range(2):  # what is kept for the whole game is there after it
        resolve_turn(game, force=True)
    gc.collect()
    gc.disable()
    try:
        before = worlds()
        resolve_turn(game, force=True)
        assert worlds() <= before, "each world is closed by whoever made it"
    finally:
        gc.enable()
