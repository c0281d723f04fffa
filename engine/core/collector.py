"""How often Python's garbage collector runs."""

from __future__ import annotations

import atexit
import gc


def collect_rarely() -> None:
    """For a program whose rules and states stay as long as it runs: to look through them frees next to
    nothing.
    """
    gc.set_threshold(1_000_000, 20, 20)


def leave_at_once() -> None:
    """For a program that ends as soon as it has done one thing: what it kept is not looked through for rings
    once more before.
    """
    atexit.register(gc.freeze)
