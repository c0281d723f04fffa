"""A server that is served in a process of its own, and lines to it that never finish what they begin."""

from __future__ import annotations

import contextlib
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HALF_HEAD = b"GET / HTTP/1.1\r\nHost: x\r\nX-A: "
HALF_BODY = b"POST /link HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 290000\r\n\r\na"


class ServerProcess:
    """A server that is served in a process of its own, which may open few files."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        words = [
            sys.executable,
            "-m",
            "wteaw",
            "serve",
            "--folder",
            str(folder),
            "--port",
            str(self.port),
            "--no-demo",
        ]
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))  # noqa: E731
        folder.mkdir(parents=True, exist_ok=True)
        self.said = folder / "stderr"
        with self.said.open("wb") as said:
            self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said, preexec_fn=limit)
        for _ in range(120):
            if self.process.poll() is not None or self.healthy():
                break
            time.sleep(0.5)

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthy", timeout=20) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def half(self, data: bytes) -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        with contextlib.suppress(OSError):  # it has been dropped already
            line.sendall(data)
        return line

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
