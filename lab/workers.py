"""Where games are played: processes of this machine, or the workers of a Dask cluster. Both give the same
games.

A crew is given games one by one (`start`) as long as it has `room`, and says which are done (`wait`). A game
whose worker is lost is played again by another one; only one that has lost `MOST_TRIES` of them is given up.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import signal
import socket
import tempfile
import threading
import uuid
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wteaw.core import canonical
from wteaw.core.collector import collect_rarely
from wteaw.core.faults import MachineError, RuleError, StoreError, of_rules
from wteaw.core.model import Ruleset
from wteaw.core.parallel import end_with_parent
from wteaw.ruleset.cache import player_digest

from .single_game import Figures, play_one

MOST_TRIES = 3
"""So often is a game played that its worker does not survive."""
Key = tuple[int, str]
"""The number of a game, and what it is a game of."""


@dataclass(frozen=True)
class Task:
    """One game to be played: of which rules and scenario (`of`, a key of what the crew was made with), from
    which seed.
    """

    key: Key
    of: str
    seed: str
    turns: int
    options: Mapping[str, Any]
    policies: Mapping[str, str]


@dataclass(frozen=True)
class Rules:
    """A scenario and its ruleset as they go to workers: as plain data, compressed."""

    scenario: bytes
    ruleset: bytes
    hash: str

    @classmethod
    def of(cls, scenario: Mapping[str, Any], ruleset: Ruleset) -> Rules:
        data, rows = (zlib.compress(canonical.dumps(part)) for part in (scenario, ruleset.to_json()))
        return cls(data, rows, ruleset.hash)


class Lost(Exception):
    """A worker is gone with the game that it played."""


class Crew(ABC):
    """Workers that play games."""

    @abstractmethod
    def room(self) -> bool:
        """Whether it takes another game now."""

    def waits_for(self) -> str:
        """What has to come before anything is played; "" if nothing is missing."""
        return ""

    @abstractmethod
    def start(self, task: Task) -> None:
        """Have a game played."""

    @abstractmethod
    def wait(self) -> Iterator[tuple[Task, Figures | Lost]]:
        """Wait until something is done, and give it."""

    @abstractmethod
    def close(self, *, at_once: bool = False) -> None:
        """Let the workers go; `at_once`: without waiting for what they play."""


# ---- this machine


class Processes(Crew):
    """So many processes of this machine, each with one game at a time."""

    def __init__(self, rules: Mapping[str, Rules], workers: int, scratch: Path) -> None:
        self.rules, self.scratch, self.workers = rules, scratch, workers
        self.idle: list[ProcessPoolExecutor] = []
        self.running: dict[Future[Figures], tuple[Task, ProcessPoolExecutor]] = {}

    def room(self) -> bool:
        return len(self.running) < self.workers

    def start(self, task: Task) -> None:
        pool = self.idle.pop() if self.idle else self._pool()
        try:
            job = pool.submit(_play_kept, task, str(self.scratch))
        except BrokenProcessPool:  # lost while it had nothing to do
            pool = self._pool()
            job = pool.submit(_play_kept, task, str(self.scratch))
        self.running[job] = (task, pool)

    def wait(self) -> Iterator[tuple[Task, Figures | Lost]]:
        for job in wait(self.running, return_when=FIRST_COMPLETED).done:
            task, pool = self.running.pop(job)
            try:
                figures = job.result()
            except BrokenProcessPool:
                pool.shutdown(wait=False)
                yield task, Lost()
            else:
                self.idle.append(pool)
                yield task, figures

    def close(self, *, at_once: bool = False) -> None:
        if at_once:
            for process in multiprocessing.active_children():
                process.terminate()  # what they play is played again
        for pool in [*self.idle, *(pool for _, pool in self.running.values())]:
            pool.shutdown(wait=True, cancel_futures=True)
        self.idle.clear()
        self.running.clear()

    def _pool(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=(dict(self.rules),))


def _begin(rules: dict[str, Rules]) -> None:
    """A worker leaves it to the command to be interrupted, and ends when the command is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    collect_rarely()
    _kept.update(rules)


_kept: dict[str, Rules] = {}
"""In a worker of this machine: what its crew was made with."""


def _play_kept(task: Task, scratch: str) -> Figures:
    return play(task, _kept[task.of], Path(scratch))


# ---- in a worker, wherever it is

_read: dict[tuple[str, bytes], tuple[dict[str, Any], Ruleset]] = {}
"""In a worker: what it has read."""
_playing = threading.Lock()


def play(task: Task, rules: Rules, scratch: Path) -> Figures:
    """The figures of a game; of one that the rules cannot carry on, why. One at a time in a process."""
    with _playing:
        known = (rules.hash, rules.scenario)
        if known not in _read:
            scenario, ruleset = (
                canonical.loads(zlib.decompress(part)) for part in (rules.scenario, rules.ruleset)
            )
            _read[known] = (scenario, Ruleset.from_json(ruleset))
            gc.freeze()  # rules stay for as long as a worker lives
        data, rows = _read[known]
        about = {"game": task.key[0], "candidate": task.key[1], "seed": task.seed}
        try:
            return about | play_one(
                data, rows, seed=task.seed, turns=task.turns, options=task.options, scratch=scratch,
                policies=task.policies,
            )  # fmt: skip
        except (
            Exception
        ) as error:  # a game that the rules cannot carry on is a finding, and no reason to lose the others
            found = error if isinstance(error, RuleError | StoreError) else of_rules(error)
            if found is None:
                raise
            return about | {"error": str(found)}
        finally:
            gc.collect()  # what a game leaves in rings: seldom looked for, it would pile up game by game


# ---- a cluster

SAME_VERSION = (
    "install the same on every machine of the cluster and start its workers again: what has been "
    "played is kept"
)
CONNECT, LOOK, AHEAD = "20s", 5, 2
"""How long a scheduler may take to answer; after how many seconds of silence it is looked whether it is still
there; games that are given to a cluster for each of its threads, so that none waits."""


class Cluster(Crew):
    """The workers of a Dask scheduler, however many there are just now. MachineError if it cannot be reached.

    A game whose worker is lost is given to another one by the scheduler. Everything a game needs goes with
    it, so that no worker that is lost takes along what others need.
    """

    def __init__(self, rules: Mapping[str, Rules], address: str) -> None:
        try:
            import distributed  # heavy, and for clusters alone
        except ModuleNotFoundError as missing:
            raise MachineError(f"a cluster needs {missing.name}: pip install 'wteaw[simulate]'") from None
        # what is wrong is told as an error of ours
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        try:
            connect: Any = distributed.Client
            self.client = connect(address, timeout=CONNECT)
        except (OSError, ValueError, TimeoutError) as error:
            raise MachineError(f"no Dask scheduler answers at {address}: {error}") from None
        self.address, self.rules = address, rules
        self.running: dict[Any, Task] = {}
        self.sent = 0

    def room(self) -> bool:
        return len(self.running) < AHEAD * max(1, self._threads())

    def waits_for(self) -> str:
        if self._threads():
            return ""
        return (
            f"no worker at {self.address}; `dask worker {self.address}` starts one, where the same wteaw "
            "is installed"
        )

    def _threads(self) -> int:
        try:
            threads: dict[str, int] = self.client.nthreads()
        except (OSError, RuntimeError):
            raise self._gone() from None
        return sum(threads.values())

    def _gone(self) -> MachineError:
        return MachineError(f"the scheduler at {self.address} is gone; what has been played is kept")

    def start(self, task: Task) -> None:
        self.sent += 1
        name = f"wteaw-{task.key[0]}-{self.sent}-{uuid.uuid4().hex}"
        self.running[
            self.client.submit(play_there, task, self.rules[task.of], player_digest(), key=name, pure=False)
        ] = task

    def wait(self) -> Iterator[tuple[Task, Figures | Lost]]:
        import distributed  # heavy, and for clusters alone

        until: Any = distributed.wait
        try:
            done = until(list(self.running), timeout=LOOK, return_when="FIRST_COMPLETED").done
        except (TimeoutError, distributed.CancelledError):  # nothing is done yet, or the scheduler is lost
            if self.client.status != "running":
                raise self._gone() from None
            return
        for job in done:
            task = self.running.pop(job)
            error = job.exception() if job.status == "error" else None
            if error is not None and type(error).__name__ != "KilledWorker":
                raise error
            yield task, job.result() if job.status == "finished" else Lost()

    def close(self, *, at_once: bool = False) -> None:
        if self.client.status == "running":
            self.client.cancel(list(self.running))
        self.running.clear()
        self.client.close()


def play_there(task: Task, rules: Rules, version: str) -> Figures:
    """A game, by a worker of a cluster.

    MachineError if its program is not that of the command (`version`).
    """
    if version != player_digest():
        raise MachineError(
            f"the worker on {socket.gethostname()} has another version of wteaw than this command; "
            f"{SAME_VERSION}"
        )
    return play(task, rules, Path(tempfile.gettempdir()))
