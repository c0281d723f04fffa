"""How much of the processor some work may take before whoever waits for it gives up.

Work that takes long asks `go_on` from step to step; where nobody set a limit it always goes on. What the work
comes to never depends on the limit: it is done, or it is not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ends: ContextVar[float | None] = ContextVar("ends", default=None)


class Impatient(Exception):
    """The work has taken more of the processor than it may, and was given up."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Within, work of this thread that takes longer is given up:

    Impatient. Within another limit the earlier end holds.
    """
    ends = time.thread_time() + seconds
    known = _ends.get()
    token = _ends.set(ends if known is None else min(ends, known))
    try:
        yield
    finally:
        _ends.reset(token)


def go_on() -> None:
    """Impatient if the limit is past."""
    ends = _ends.get()
    if ends is not None and time.thread_time() > ends:
        raise Impatient
