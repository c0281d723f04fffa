"""Where a server does what takes long: in processes of their own, so that whoever reads or checks meanwhile
does not wait.

A job is a function that is given what its process has opened (the `Hall`) and what else it was asked with;
what it returns and what it is given goes from process to process. A process that is killed is replaced, and
its job is done again: jobs keep what they do in one transaction that finds out whether it was done before.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Concatenate, ParamSpec, TypeVar

from wteaw.core.faults import RuleError, StoreError, of_rules
from wteaw.core.parallel import end_with_parent

T = TypeVar("T")
P = ParamSpec("P")

BEHIND = 10
"""By how much processes for what takes long stand back behind those for which a browser waits."""
MOST_READERS = 4
"""Processes that read orders: each has its games open, with all that follows from their rules."""
TRIES = 3
LOG = logging.getLogger("wteaw.server")


class Workshop:
    """Processes that are started when they are first needed.

    `begin` opens in each what its jobs are given; `behind` is how far they stand back behind others.
    """

    def __init__(
        self, begin: Callable[[], Any], processes: int | None = None, *, behind: int = BEHIND
    ) -> None:
        self._first = begin
        self._behind = behind
        self._processes = processes or max(2, os.cpu_count() or 2)
        self._guard = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None

    def do(self, job: Callable[Concatenate[Any, P], T], *args: P.args, **more: P.kwargs) -> T:
        """Do a job in another process and wait for it.

        What is wrong with a request or a rule is raised here as it was there.
        """
        for left in reversed(range(TRIES)):
            pool = self._open()
            try:
                return pool.submit(_carry_out, job, args, more).result()
            except BrokenProcessPool:
                LOG.warning("a process was ended while it worked on %s", job.__name__)
                self._drop(pool)
                if not left:
                    raise
        raise AssertionError

    def close(self) -> None:
        """End the processes."""
        with self._guard:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _open(self) -> ProcessPoolExecutor:
        with self._guard:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    self._processes, context(), initializer=_begin, initargs=(self._first, self._behind)
                )
            return self._pool

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        with self._guard:
            if self._pool is pool:
                self._pool = None
        pool.shutdown(wait=False, cancel_futures=True)


class Readers:
    """Processes for what is done in a moment, but often, and which somebody waits for.

    All jobs of one game are done by the same process, which has the game open.
    """

    def __init__(self, begin: Callable[[], Any], processes: int | None = None) -> None:
        count = processes or min(os.cpu_count() or 2, MOST_READERS)
        self._each = [Workshop(begin, 1, behind=0) for _ in range(count)]

    def do(self, game: str, job: Callable[Concatenate[Any, P], T], *args: P.args, **more: P.kwargs) -> T:
        """Do a job for a game and wait for it, as `Workshop.do` does."""
        return self._each[zlib.crc32(game.encode()) % len(self._each)].do(job, *args, **more)

    def close(self) -> None:
        """End the processes."""
        for one in self._each:
            one.close()


def context() -> Any:
    """How processes are started: none copies a process whose threads are at work."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["wteaw_web.app"])
    return found


# ---- in a process of the workshop

_OPENED: Any = None


def _begin(first: Callable[[], Any], behind: int) -> None:
    global _OPENED  # the one thing that a process of the workshop has to know
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    end_with_parent()
    os.nice(behind)
    os.umask(0o077)
    _OPENED = first()


def _carry_out(job: Callable[..., T], args: tuple[Any, ...], more: dict[str, Any]) -> T:
    try:
        return job(_OPENED, *args, **more)
    except (StoreError, RuleError):
        raise
    except Exception as error:
        found = of_rules(error)
        if found is None:
            raise
        raise found from None  # what it is made of may not go from process to process
