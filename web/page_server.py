"""The HTTP server of pages, which ends in time whatever its threads are at."""

from __future__ import annotations

import os
import socket
import threading
from types import FrameType

import uvicorn

from wteaw.cli import ExitCode

from .app import application
from .connections import AT_ONCE, WAITING, bounded
from .web import Server

GRACE, END = 1, 2.5
"""Seconds for which a server that is to end waits for answers under way, and after which it has ended."""


class PageServer(uvicorn.Server):
    """Pages over HTTP; a signal to end is the last thing it hears."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        _leave_in(END)
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(WAITING)


def page_server(server: Server, host: str, port: int) -> PageServer:
    """The pages of a server at an address, not yet started."""
    return PageServer(
        uvicorn.Config(
            application(server),
            host,
            port,
            log_level="warning",
            server_header=False,
            http=bounded(),
            backlog=AT_ONCE,
            timeout_graceful_shutdown=GRACE,
        )
    )


def _leave_in(seconds: float) -> None:
    """End this process after so long, whatever its threads are at: games and mails are whole at every
    moment.
    """
    timer = threading.Timer(seconds, os._exit, (ExitCode.DONE,))
    timer.daemon = True
    timer.start()
