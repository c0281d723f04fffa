"""A sweep over a Dask cluster: a scheduler and four workers as processes of their own, one killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw_lab import sweep as many

from ..long_ones import LONG

pytest.importorskip("distributed", reason="the extra `simulate` is not installed")
SEED = "5a" * 16
GAMES = 8


def dask(part: str, file: Path, *more: str) -> subprocess.Popen[bytes]:
    """A scheduler, or a worker of it. The file is where it says how it is reached."""
    call = [
        sys.executable,
        "-m",
        f"distributed.cli.dask_{part}",
        "--scheduler-file",
        str(file),
        "--no-dashboard",
        *more,
    ]
    return subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def worker(file: Path) -> subprocess.Popen[bytes]:
    return dask("worker", file, "--nthreads", "1", "--no-nanny", "--local-directory", str(file.parent))


@contextmanager
def started(
    file: Path, count: int
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]], subprocess.Popen[bytes]]]:
    """The address of a scheduler, so many workers, and the scheduler."""
    scheduler = dask("scheduler", file, "--host", "127.0.0.1", "--port", "0")
    workers: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(600):
            if file.exists() and file.read_text(encoding="utf-8").strip():
                break
            time.sleep(0.1)
        workers += [worker(file) for _ in range(count)]
        yield json.loads(file.read_text(encoding="utf-8"))["address"], workers, scheduler
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]], Path]]:
    """The address of a scheduler, its four workers, and its file."""
    file = tmp_path / "scheduler.json"
    with started(file, 4) as (address, workers, _):
        yield address, workers, file


def simulate(out: Path, *more: str, games: int = GAMES) -> int:
    return _run(
        [
            "simulate",
            "diplomacy",
            "--games",
            str(games),
            "--turns",
            "1",
            "--seed",
            SEED,
            "--out",
            str(out),
            *more,
        ]
    )


@LONG
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
    for name in (
        "games.jsonl",
        "settings.json",
    ):  # a client that was lost after three games goes on with them
        (tmp_path / "again").mkdir(exist_ok=True)
        text = (tmp_path / "here" / name).read_text(encoding="utf-8")
        (tmp_path / "again" / name).write_text(
            "".join(text.splitlines(True)[:3]) if name == "games.jsonl" else text, encoding="utf-8"
        )
    played = []
    monkeypatch.setattr(many, "seed_of", lambda seed, n, real=many.seed_of: played.append(n) or real(seed, n))
    assert simulate(tmp_path / "again", "--cluster", address) == 0
    assert sorted(played) == list(range(4, GAMES + 1))
    assert (tmp_path / "again" / "games.jsonl").read_bytes() == (
        tmp_path / "here" / "games.jsonl"
    ).read_bytes()


def test_a_cluster_that_cannot_play_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Workers that come late, workers of another version, and a scheduler that is lost in the middle."""
    from wteaw_lab import workers as crews

    file, late = tmp_path / "scheduler.json", list[subprocess.Popen[bytes]]()
    with started(file, 0) as (address, workers, scheduler):
        real, waits = many._line, crews.Cluster.waits_for

        def waits_for(crew: crews.Cluster) -> str:
            said = waits(crew)
            if said and not late:
                late.append(worker(file))
                workers.append(late[0])
            return said

        monkeypatch.setattr(crews.Cluster, "waits_for", waits_for)
        assert simulate(tmp_path / "runs", "--cluster", address, games=1) == 0
        assert f"no worker at {address}; `dask worker {address}` starts one" in capfd.readouterr().err
        monkeypatch.setattr(crews, "player_digest", lambda: "another")
        assert simulate(tmp_path / "other", "--cluster", address) == 4
        said = capfd.readouterr().err
        assert "has another version of wteaw than this command" in said and "Traceback" not in said
        assert (tmp_path / "other" / "games.jsonl").read_bytes() == b"" and not (
            tmp_path / "other" / "playing"
        ).exists()
        monkeypatch.undo()

        def line(figures: dict[str, object]) -> str:
            if figures["game"] != 1:  # that one was there
                scheduler.kill()
            return real(figures)

        monkeypatch.setattr(many, "_line", line)
        assert simulate(tmp_path / "runs", "--cluster", address) == 4
        monkeypatch.undo()
    said = capfd.readouterr().err
    assert (
        f"the scheduler at {address} is gone; what has been played is kept" in said
        and "Traceback" not in said
    )
    assert len((tmp_path / "runs" / "games.jsonl").read_text(encoding="utf-8").splitlines()) >= 2
    assert simulate(tmp_path / "runs", "--workers", "1", games=3) == 0


def test_a_scheduler_that_does_not_answer_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from wteaw_lab import workers

    monkeypatch.setattr(workers, "CONNECT", "1s")
    assert simulate(tmp_path / "runs", "--cluster", "tcp://127.0.0.1:9") == 4
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
    assert simulate(tmp_path / "runs", "--cluster", "tcp://127.0.0.1:9", "--workers", "2") == 2
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert simulate(tmp_path / "runs", "--cluster", "tcp://127.0.0.1:9") == 4
    assert "pip install 'wteaw[simulate]'" in capsys.readouterr().err
