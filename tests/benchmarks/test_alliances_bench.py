"""A whole token game by policies, beside one 1914 turn in the group `game`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.test_alliances import game


@pytest.mark.benchmark(group="game")
@pytest.mark.parametrize("players", [4, 6])
def test_a_whole_alliances_game(benchmark: Any, players: int) -> None:
    whole = getattr(game, "__wrapped__", game)
    benchmark.pedantic(lambda: whole(players), rounds=2, warmup_rounds=0)
