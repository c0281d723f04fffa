"""Connections of browsers, bounded by number and by time: whoever sends half a request and waits keeps nobody
else out.

A reverse proxy in front (`docs/hosting.md`) bounds them as well; a server does not rest on it.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 400
"""Connections at a time; for a further one that is dropped which has kept its request unfinished for
longest.
"""
SPARE = 200
"""Files that the process keeps for its databases, its workers and itself, and for connections on their way to
be dropped.
"""
AT_ONCE = 16
"""Connections that are taken in at one turn of the loop. One that is too many is closed some turns after it
came, so several times as many must have room among the spare files.
"""
WAITING = 2048
"""Connections that the system keeps until they are taken in."""
SECONDS = 15.0
"""How long a request may take to come in whole, from its connection or its first byte on."""


def most_connections() -> int:
    """How many connections there may be at a time: fewer where the system lets the process open few files."""
    try:
        import resource
    except ImportError:  # not a system of that kind
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard > soft:
        soft = MOST + SPARE if hard == resource.RLIM_INFINITY else min(hard, max(soft, MOST + SPARE))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(20, min(MOST, soft - SPARE))


class Connection(H11Protocol):
    """One connection. `most`: how many there may be at a time; `unfinished`: those without a whole request,
    the oldest first.
    """

    most = MOST
    unfinished: ClassVar[dict[Connection, None]] = {}

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            longest = next(iter(self.unfinished), self)
            longest._forget()
            longest.transport.abort()
        if not transport.is_closing():
            self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._forget()  # the wait for a next request has an end of its own

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Wait for the rest of a request that is not whole yet."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._forget()
        elif self._late is None:
            self._late = self.loop.call_later(SECONDS, self.transport.abort)
            self.unfinished[self] = None

    def _forget(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
            self.unfinished.pop(self, None)


def bounded() -> type[Connection]:
    """The connections of a server in this process."""
    return type("BoundedConnection", (Connection,), {"most": most_connections(), "unfinished": {}})
