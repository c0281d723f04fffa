"""What tests in a real browser share: Debian's chromium, and a server that is served to it.

A module of tests that imports this is skipped where playwright (extra `dev`) or the server are not; `NEEDED` skips its tests
where there is no chromium.
"""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from .house import House

pytest.importorskip("playwright.sync_api", reason="the browser's driver comes with the extra `dev`")
uvicorn = pytest.importorskip("uvicorn")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
NEEDED = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium here")


@contextmanager
def served(at: House) -> Iterator[House]:
    """A server whose pages are served on a free port of this machine while the block runs; its `url` is there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        where = free.getsockname()[1]
    at.server.url = f"http://127.0.0.1:{where}"
    http = uvicorn.Server(uvicorn.Config(at.app, host="127.0.0.1", port=where, log_level="error"))
    thread = threading.Thread(target=http.run, daemon=True)
    thread.start()
    while not http.started:
        assert thread.is_alive()
    yield at
    http.should_exit = True
    thread.join(10)
