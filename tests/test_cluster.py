"""A sweep over a Dask cluster: a scheduler and four workers as processes of their own, one killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw.game.many import sweep as many

pytest.importorskip("distributed", reason="the extra `simulate` is not installed")
SEED = "5a" * 16
GAMES = 8


def dask(part: str, file: Path, *more: str) -> subprocess.Popen[bytes]:
    """A scheduler, or a worker of it. The file is where it says how it is reached."""
    call = [sys.executable, "-m", f"distributed.cli.dask_{part}", "--scheduler-file", str(file), "--no-dashboard", *more]
    return subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def worker(file: Path) -> subprocess.Popen[bytes]:
    return dask("worker", file, "--nthreads", "1", "--no-nanny", "--local-directory", str(file.parent))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]], Path]]:
    """The address of a scheduler, its four workers, and its file."""
    file = tmp_path / "scheduler.json"
    scheduler = dask("scheduler", file, "--host", "127.0.0.1", "--port", "0")
    workers: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(600):
            if file.exists() and file.read_text(encoding="utf-8").strip():
                break
            time.sleep(0.1)
        workers += [worker(file) for _ in range(4)]
        yield json.loads(file.read_text(encoding="utf-8"))["address"], workers, file
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait()


def simulate(out: Path, *more: str, games: int = GAMES) -> int:
    return _run(["simulate", "diplomacy", "--games", str(games), "--turns", "1", "--seed", SEED, "--out", str(out), *more])


def test_a_lost_worker_and_a_late_one_change_nothing(
    cluster: tuple[str, list[subprocess.Popen[bytes]], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, workers, file = cluster
    real, seen = many._line, []

    def line(figures: dict[str, object]) -> str:
        seen.append(figures["game"])
        if len(seen) == 2:
            os.kill(workers[0].pid, signal.SIGKILL)
            workers.append(worker(file))
        return real(figures)

    monkeypatch.setattr(many, "_line", line)
    assert simulate(tmp_path / "far", "--cluster", address) == 0
    monkeypatch.undo()
    assert workers[0].wait() == -signal.SIGKILL
    assert simulate(tmp_path / "here", "--workers", "1") == 0
    for name in ("games.jsonl", "summary.json"):
        assert (tmp_path / "far" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    for name in ("games.jsonl", "settings.json"):  # a client that was lost after three games goes on with them
        (tmp_path / "again").mkdir(exist_ok=True)
        text = (tmp_path / "here" / name).read_text(encoding="utf-8")
        (tmp_path / "again" / name).write_text(
            "".join(text.splitlines(True)[:3]) if name == "games.jsonl" else text, encoding="utf-8"
        )
    played = []
    monkeypatch.setattr(many, "seed_of", lambda seed, n, real=many.seed_of: played.append(n) or real(seed, n))
    assert simulate(tmp_path / "again", "--cluster", address) == 0
    assert sorted(played) == list(range(4, GAMES + 1))
    assert (tmp_path / "again" / "games.jsonl").read_bytes() == (tmp_path / "here" / "games.jsonl").read_bytes()


def test_a_scheduler_that_does_not_answer_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from wteaw.game.many import workers

    monkeypatch.setattr(workers, "CONNECT", "1s")
    assert simulate(tmp_path / "runs", "--cluster", "tcp://127.0.0.1:9") == 4
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
    assert simulate(tmp_path / "runs", "--cluster", "tcp://127.0.0.1:9", "--workers", "2") == 2
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert simulate(tmp_path / "runs", "--cluster", "tcp://127.0.0.1:9") == 4
    assert "pip install 'wteaw[simulate]'" in capsys.readouterr().err
