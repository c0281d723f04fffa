"""Where a desk does what takes long: in processes of their own, so that whoever reads or checks meanwhile
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
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Concatenate, ParamSpec, TypeVar

from wteaw.core.faults import RuleError, StoreError, of_rules

T = TypeVar("T")
P = ParamSpec("P")

BEHIND = 10
"""By how much its processes stand back behind the one that answers browsers."""
TRIES = 3
LOG = logging.getLogger("wteaw.desk")


class Workshop:
    """Processes that are started when they are first needed.

    `begin` opens in each what its jobs are given.
    """

    def __init__(self, begin: Callable[[], Any], processes: int | None = None) -> None:
        self._first = begin
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
                    self._processes, context(), initializer=_begin, initargs=(self._first,)
                )
            return self._pool

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        with self._guard:
            if self._pool is pool:
                self._pool = None
        pool.shutdown(wait=False, cancel_futures=True)


def context() -> Any:
    """How processes are started: none copies a process whose threads are at work."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["wteaw_web.app"])
    return found


def end_with_parent() -> None:
    """Let this process end when the one that started it has ended, however that came about."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: Any) -> None:
    parent.join()
    os._exit(1)


# ---- in a process of the workshop

_OPENED: Any = None


def _begin(first: Callable[[], Any]) -> None:
    global _OPENED  # the one thing that a process of the workshop has to know
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    end_with_parent()
    os.nice(BEHIND)
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
