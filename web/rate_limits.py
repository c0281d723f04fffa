"""How often something may be done: so many times in a span, counted in this process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

RATES: dict[str, tuple[int, float]] = {
    "page": (600, 60),
    "ask for a link": (10, 3600),
    "follow a link": (40, 600),
    "read back": (90, 60),
    "send": (30, 60),
    "message": (30, 3600),
    "odds": (20, 60),
    "try": (10, 60),
    "draft": (10, 60),
    "rehearse": (20, 60),
}
"""What is limited: how often, in how many seconds.

Each is counted for one browser, or for one address where none has come in.
"""
MOST_KEYS = 20_000


class Limits:
    """Counts what was done of late. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, times: int = 1) -> None:
        self.clock = clock
        self.times = times
        self._seen: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._guard = threading.Lock()

    def allow(self, what: str, who: str) -> bool:
        """Whether somebody may do something once more; if so it counts."""
        most, seconds = RATES[what]
        now = self.clock()
        with self._guard:
            seen = self._seen.setdefault((what, who), deque())
            self._seen.move_to_end((what, who))
            while seen and seen[0] <= now - seconds:
                seen.popleft()
            if len(seen) >= most * self.times:
                return False
            seen.append(now)
            while len(self._seen) > MOST_KEYS:
                self._seen.popitem(last=False)
        return True
