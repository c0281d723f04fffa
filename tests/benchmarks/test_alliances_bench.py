"""A whole token game by policies, beside one 1914 turn in the group `game`."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from tests.test_alliances import game
from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.dice_statistics import luck, watch
from wteaw.play.resolve import resolutions
from wteaw.play.scenario_files import load_scenario


@pytest.mark.benchmark(group="game")
@pytest.mark.parametrize("players", [4, 6])
def test_a_whole_alliances_game(benchmark: Any, players: int) -> None:
    whole = getattr(game, "__wrapped__", game)
    benchmark.pedantic(lambda: whole(players), rounds=2, warmup_rounds=0)


@pytest.mark.benchmark(group="a token game by policies, and its luck")
@pytest.mark.parametrize("how", ["watched", "resolved again"])
def test_a_game_with_its_luck(benchmark: Any, tmp_path: Path, how: str) -> None:
    data, ruleset, _ = load_scenario(scenarios() / "alliances-4.yaml")
    assert data is not None and ruleset is not None
    numbers = itertools.count()

    def played() -> None:
        made = new_game(tmp_path / str(next(numbers)), data, ruleset, id_="g", seed=b"l" * 32)
        if how == "watched":
            watch(made)
        for _ in resolutions(made):
            pass
        assert luck(made).throws

    benchmark.pedantic(played, rounds=2)
