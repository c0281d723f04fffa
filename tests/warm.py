"""A shell in which `wteaw` starts without waiting for its imports: each call is a fork of one process that has made them.

The pages of the documentation are a hundred commands; started one by one they would spend most of their time on imports.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

_CLIENT = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
    s.connect({at!r})
    socket.send_fds(s, [json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()], [0, 1, 2])
    answer = s.recv(16)
sys.exit(int(answer) if answer else 99)
"""


class Shell:
    """Runs lines by `sh`; `wteaw` in them is a fork of `server`, `python` the one that runs the tests. Close it after use."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        at = folder / "socket"
        for name, text in {
            "wteaw": _CLIENT.format(python=sys.executable, at=str(at)),
            "python": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n',
        }.items():
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "NO_COLOR": "1",
        }
        root = Path(__file__).resolve().parent.parent
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.warm", str(at)],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        assert self._server.stdout is not None and self._server.stdout.readline()  # it listens

    def run(self, line: str, here: Path) -> subprocess.CompletedProcess[str]:
        """Run one line in a folder; standard error is told together with standard output."""
        return subprocess.run(
            line,
            shell=True,
            cwd=here,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()


def serve(at: str) -> None:
    """Answer calls at a socket until terminated, each in a process of its own."""
    import gc

    from wteaw.cli import COMMANDS

    for command in COMMANDS:
        if command.exists:
            command.app()
    gc.freeze()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(at)
        listener.listen()
        print("ready", flush=True)
        while True:
            call, _ = listener.accept()
            if os.fork() == 0:
                if os.fork() == 0:  # the grandchild is nobody's to wait for
                    _answer(call)
                os._exit(0)
            os.wait()
            call.close()


def _answer(call: socket.socket) -> None:
    from wteaw.cli import main

    text, files, _, _ = socket.recv_fds(call, 1 << 20, 3)
    arguments, folder, environment = json.loads(text)
    _become(folder, environment, files)
    threading.Thread(target=_end_with, args=(call,), daemon=True).start()
    code = 70
    try:
        main(arguments)
    except SystemExit as left:
        code = int(left.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        call.sendall(str(code).encode())
        os._exit(0)


def _end_with(call: socket.socket) -> None:
    """End this process, and those that it has started, when whoever called is gone."""
    if not call.recv(1):
        os.killpg(0, signal.SIGKILL)


def _become(folder: str, environment: Mapping[str, str], files: list[int]) -> None:
    os.setsid()
    for to, given in enumerate(files):
        os.dup2(given, to)
        os.close(given)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)


if __name__ == "__main__":
    serve(sys.argv[1])
