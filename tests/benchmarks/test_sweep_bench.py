"""A sweep by one worker and by two: processes of this machine, and workers of a Dask scheduler. Compared in pairs, in turn.

The rules are read and a first game is played before the clock starts, as in any sweep of more than a few games. On a machine that
does other things the ratio is that of the shares of its processors that one gets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from wteaw.core.package_data import scenarios
from wteaw.game.many.sweep import seed_of
from wteaw.game.many.workers import Cluster, Crew, Processes, Rules, Task
from wteaw.game.scenario_files import load_scenario

pytestmark = pytest.mark.benchmark(group="sweep")
GAMES, TURNS, PAIRS = 8, 1, 3


def rules() -> dict[str, Rules]:
    data, ruleset, _ = load_scenario(scenarios() / "diplomacy.yaml")
    assert data is not None and ruleset is not None
    return {"game": Rules.of(data, ruleset)}


def play(crew: Crew, first: int, games: int) -> float:
    """Seconds for so many games."""
    todo = [Task((n, "game"), "game", seed_of("5a", n), TURNS, {}, {}) for n in range(first, first + games)]
    began, done = time.perf_counter(), 0
    while done < games:
        while todo and crew.room():
            crew.start(todo.pop())
        done += sum(1 for _ in crew.wait())
    return time.perf_counter() - began


def ratio(make: Callable[[int], Crew]) -> float:
    """How many times as fast two workers are as one: the median of pairs."""
    crews = {n: make(n) for n in (1, 2)}
    try:
        for n, crew in crews.items():
            play(crew, 1, 2 * n)
        times = [{n: play(crew, 100 * pair, GAMES) for n, crew in crews.items()} for pair in range(1, PAIRS + 1)]
        return median(t[1] / t[2] for t in times)
    finally:
        for crew in crews.values():
            crew.close(at_once=True)


def test_two_processes_against_one(benchmark: Any, tmp_path: Path) -> None:
    benchmark.extra_info["ratio"] = benchmark.pedantic(lambda: ratio(lambda n: Processes(rules(), n, tmp_path)), rounds=1)


@pytest.fixture
def schedulers(tmp_path: Path) -> Iterator[dict[int, str]]:
    """Two schedulers, one with a worker, the other with two."""
    pytest.importorskip("distributed")
    import json

    from ..test_cluster import dask, worker

    processes, out = [], {}
    for n in (1, 2):
        file = tmp_path / str(n) / "scheduler.json"
        file.parent.mkdir()
        processes.append(dask("scheduler", file, "--host", "127.0.0.1", "--port", "0"))
        while not file.exists() or not file.read_text(encoding="utf-8").strip():
            time.sleep(0.1)
        processes += [worker(file) for _ in range(n)]
        out[n] = json.loads(file.read_text(encoding="utf-8"))["address"]
    yield out
    for process in processes:
        process.kill()
        process.wait()


def test_two_workers_of_a_cluster_against_one(benchmark: Any, schedulers: dict[int, str]) -> None:
    def crew(n: int) -> Cluster:
        made = Cluster(rules(), schedulers[n])
        made.client.wait_for_workers(n)
        return made

    benchmark.extra_info["ratio"] = benchmark.pedantic(lambda: ratio(crew), rounds=1)
