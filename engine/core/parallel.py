"""Work that depends on nothing but its item, shared out over processes: each takes the next item as soon as
it is free.

`shared_out` forks: its processes have everything in memory already and give back their answers only, all at
the end. What one could not do, for whatever reason, is done by the one that asked, where a fault then comes
up as if nothing had been shared out. `in_processes` begins processes again, and gives each answer as soon as
its turn has come. Programs that keep processes at hand (a server, a sweep) have each `end_with_parent`.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_NUMBER = 4


def shared_out(work: Callable[[T], R], items: Sequence[T], workers: int) -> list[R]:
    """The answers to all items, in their order.

    Only for programs of one thread. Elsewhere than on Linux the items are worked one by one.
    """
    if workers < 2 or len(items) < 2 or not sys.platform.startswith("linux"):
        return [work(item) for item in items]
    queue, put = os.pipe()
    os.write(put, b"".join(n.to_bytes(_NUMBER, "little") for n in range(min(len(items), 1000))))
    os.close(put)
    helpers = [_helper(work, items, queue) for _ in range(min(workers, len(items)) - 1)]
    done: dict[int, Any] = {}
    try:
        _work_off(queue, work, items, done)
    finally:
        os.close(queue)
        for pid, answers in helpers:
            with os.fdopen(answers, "rb") as file:
                told = file.read()
            os.waitpid(pid, 0)
            with suppress(EOFError, pickle.UnpicklingError):  # killed while it told them
                done.update(pickle.loads(told))
    return [done[n] if n in done else work(item) for n, item in enumerate(items)]


def in_processes(
    work: Callable[[T], R],
    items: Sequence[T],
    jobs: int,
    *,
    begin: Callable[..., None] | None = None,
    given: tuple[Any, ...] = (),
) -> Iterator[R]:
    """The answers to all items, in their order, each as soon as it is there; by this process if that is one
    job, or one item.

    `begin` is called with what is `given` before anything else: once in each process.
    """
    if jobs < 2 or len(items) < 2:
        if begin is not None:
            begin(*given)
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor  # most programs that share work out only fork

    with ProcessPoolExecutor(jobs, initializer=begin, initargs=given) as pool:
        yield from pool.map(work, items)


def end_with_parent() -> None:
    """Let this process end when the one that started it has ended, however that came about."""
    from multiprocessing import parent_process  # most programs that share work out only fork

    parent = parent_process()
    if parent is None:
        return

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _work_off(queue: int, work: Callable[[T], R], items: Sequence[T], done: dict[int, Any]) -> None:
    """Take numbers from the queue until it is empty, and put the answers of their items into `done`."""
    while (number := os.read(queue, _NUMBER)) != b"":
        n = int.from_bytes(number, "little")
        done[n] = work(items[n])


def _helper(work: Callable[[T], R], items: Sequence[T], queue: int) -> tuple[int, int]:
    """A forked process at work: its id, and where its answers come from when it has found the queue empty."""
    answers, tell = os.pipe()
    pid = os.fork()
    if pid:
        os.close(tell)
        return pid, answers
    try:
        os.close(answers)
        done: dict[int, Any] = {}
        try:
            _work_off(queue, work, items, done)
        finally:
            with os.fdopen(tell, "wb") as file:
                file.write(pickle.dumps(done))
    finally:
        os._exit(0)
