"""Figures that only the engine itself can take, for `speed_table.py`.

`speed_probes.py NAME RUNS` prints a list of them as JSON, or a text that says why there are none.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from wteaw.core.collector import collect_rarely
from wteaw.core.package_data import scenarios
from wteaw.orders.intake import take_in
from wteaw.play.begin import new_game
from wteaw.play.resolve import policy_submissions, resolutions
from wteaw.play.scenario_files import load_scenario
from wteaw.play.views import Views
from wteaw.store import Game, inputs_from
from wteaw.turn.referee import resolve

FACTS_A_TURN = 62


def game_of(scenario: str, folder: Path, turns: int) -> Game:
    """A game after so many turns by bots."""
    data, ruleset, _ = load_scenario(scenarios() / f"{scenario}.yaml")
    assert data is not None and ruleset is not None
    game = new_game(folder / "game", data, ruleset, id_="speed", seed=bytes.fromhex("22" * 16))
    for _ in resolutions(game, turns):
        pass
    return game


def seconds(work: Callable[[], object]) -> float:
    """Processor time of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def line(scenario: str, folder: Path, runs: int) -> list[float]:
    """Milliseconds of a line of the orders of bots, read and understood, when they have been so before."""
    game = game_of(scenario, folder, 2)
    files = {s.nation: s.text for s in policy_submissions(game) if s.text}
    views, spent = Views(game), []
    for _ in range(runs + 1):
        whole = 0.0
        for nation, text in files.items():
            world = views.world(nation)
            whole += seconds(lambda: take_in(game.ruleset, text, lambda _: world, nation=nation))  # noqa: B023
        spent.append(1000 * whole / sum(len(text.splitlines()) for text in files.values()))
    return spent[1:]


def long_game(folder: Path, runs: int) -> list[float]:
    """How much dearer a turn of 1914 is with the facts of 180 turns than with those of 20, by turns.

    The same position and the same orders; facts are those of the game so far, told again of other turns.
    """
    game = game_of("1914", folder, 3)
    orders = policy_submissions(game)
    position = game.stage().position
    known = list(position.state.table("facts").values())

    def resolved(turns: int) -> float:
        more = position.state.copy()
        for n in range(len(known), FACTS_A_TURN * turns):
            more.put(
                "facts", f"{900_000 + n:06d}", "*", {**known[n % len(known)], "turn": -1 - n // FACTS_A_TURN}
            )
        return _resolving(game, more, orders)

    resolved(20)
    return [resolved(180) / resolved(20) for _ in range(runs)]


def _resolving(game: Game, state: Any, orders: Any) -> float:
    """Processor time of a turn that begins in a state."""
    stage = game.stage()
    position = replace(stage.position, state=state)
    inputs = inputs_from({s.nation: s for s in orders}, (), game.commands(), {})
    return seconds(lambda: resolve(game.ruleset, position, inputs, game.dice(), geography=game.geography))


def records(runs: int) -> list[float] | str:
    """How many times the processor time of the package `diplomacy` three recorded games take, by turns."""
    from tests.benchmarks import recorded

    if recorded.missing():
        return recorded.missing()
    games = recorded.games()
    recorded.played_here(games)
    return [
        seconds(lambda: recorded.played_here(games)) / seconds(lambda: recorded.played_there(games))
        for _ in range(runs)
    ]


def main(name: str, runs: int) -> None:
    """Print the figures of a probe."""
    collect_rarely()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if name == "records":
            found: object = records(runs)
        elif name == "long-game":
            found = long_game(folder, runs)
        else:
            found = line(name.removeprefix("line-"), folder, runs)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
