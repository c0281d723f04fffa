"""A sweep by one worker and by two: processes of this machine, and workers of a Dask scheduler. Compared in pairs, in turn.

The rules are read and first games are played before the clock starts, as in any sweep of more than a few games. Two processors of a
rented or busy machine do less than twice the work of one: `of the machine` says how much, for work that needs nothing but them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from wteaw.core.package_data import scenarios
from wteaw.play.scenario_files import load_scenario
from wteaw_lab.sweep import seed_of
from wteaw_lab.workers import Cluster, Crew, Processes, Rules, Task

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

    def timed(n: int, first: int) -> float:
        crew = make(n)  # one at a time: two clients of clusters in one process get in each other's way
        try:
            play(crew, first, 2 * n)
            return play(crew, first + 2 * n, GAMES)
        finally:
            crew.close(at_once=True)

    return median(timed(1, 100 * pair) / timed(2, 100 * pair) for pair in range(1, PAIRS + 1))


def spin(_: int = 0) -> None:
    """Work that needs nothing but a processor."""
    sum(i * i % 7 for i in range(4_000_000))


def of_the_machine() -> float:
    """The same ratio for work that needs nothing but a processor: what two workers could reach here and now at most."""
    with get_context("fork").Pool(2) as pool:
        pool.map(spin, range(2), chunksize=1)
        times = []
        for _ in range(PAIRS):
            began = time.perf_counter()
            spin()
            spin()
            alone, began = time.perf_counter() - began, time.perf_counter()
            pool.map(spin, range(2), chunksize=1)
            times.append(alone / (time.perf_counter() - began))
    return median(times)


def test_two_processes_against_one(benchmark: Any, tmp_path: Path) -> None:
    benchmark.extra_info["of the machine"] = of_the_machine()
    benchmark.extra_info["ratio"] = benchmark.pedantic(
        lambda: ratio(lambda n: Processes(rules(), n, tmp_path)), rounds=1
    )


@pytest.fixture
def schedulers(tmp_path: Path) -> Iterator[dict[int, str]]:
    """Two schedulers, one with a worker, the other with two."""
    pytest.importorskip("distributed")
    import json

    from ..lab.test_cluster import dask, worker

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

    benchmark.extra_info["of the machine"] = of_the_machine()
    benchmark.extra_info["ratio"] = benchmark.pedantic(lambda: ratio(crew), rounds=1)
