"""What costs too much is refused in words, and nobody waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .house import House
from .served import HALF_BODY, HALF_HEAD, ServerProcess

from wteaw.core import patience  # isort: skip
from wteaw.play.submit import read  # isort: skip
from wteaw.play.views import view_world  # isort: skip
import uvicorn  # isort: skip
from uvicorn.server import ServerState  # isort: skip
from wteaw_web import connections, order_intake  # isort: skip
from wteaw_web.inbound import receive  # isort: skip


SLOW = "dig dug dig the gold of red and so on\n" * 150


class Shop:
    """Another process, as far as a page can tell: it says what was given to it."""

    def __init__(self, at: House) -> None:
        self.at = at
        self.given: list[str] = []

    def do(self, job: object, *args: object) -> object:
        self.given.append(getattr(job, "__name__", ""))
        return job(self.at.hall, *args)  # type: ignore[operator]


class Few(Shop):
    """Processes for the orders of a game."""

    def do(self, game: object, *args: object) -> object:  # type: ignore[override]
        return super().do(*args)


def test_a_text_that_takes_long_is_read_where_nobody_waits(
    at: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, shop = Few(at), Shop(at)
    with at.hall.game("small") as game:
        whole = order_intake.back_of(at.hall, game, "red", SLOW)
        monkeypatch.setattr(at.hall, "shop", shop)
        monkeypatch.setattr(at.hall, "readers", few)
        monkeypatch.setattr(order_intake, "MOMENT", 1000.0)
        assert order_intake.back_of(at.hall, game, "red", SLOW) == whole
        assert (few.given, shop.given) == (["back_at"], [])
        monkeypatch.setattr(order_intake, "MOMENT", 0.0)
        assert order_intake.back_of(at.hall, game, "red", SLOW) == whole
        assert (few.given, shop.given) == (["back_at"] * 2, ["back_at"])
        order_intake.back_of(at.hall, game, "red", SLOW * 3)
        assert (few.given, shop.given) == (["back_at"] * 2, ["back_at"] * 2), "it is seen to be long"


def test_what_is_typed_is_read_back_without_waiting_for_map_and_menu(
    at: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come with the page, and again with what is typed as long as they are there."""
    monkeypatch.setattr(at.hall, "shop", shop := Shop(at))
    ann = at.come_in(at.role("small", "player", "red"))
    typed = {"text": "dig\n", "live": "1"}
    back = ann.post("orders/check", typed).text
    assert "Preview" in back and 'id="panel"' not in back and 'id="over"' not in back
    assert not {"make_ground", "make_menu"} & set(shop.given)
    assert 'id="panel"' in ann.get("orders").text and set(shop.given) >= {"make_ground", "make_menu"}
    back = ann.post("orders/check", typed).text
    assert "Preview" in back and 'id="panel"' in back and 'id="over"' in back
    bob = at.come_in(at.role("small", "player", "blue"))
    assert 'id="panel"' not in bob.post("orders/check", typed).text, "each has their own"


@pytest.mark.parametrize("shop", [True, False])
def test_a_text_that_takes_too_long_is_refused_in_words_and_can_be_mended(
    at: House, monkeypatch: pytest.MonkeyPatch, shop: bool
) -> None:
    if shop:
        monkeypatch.setattr(at.hall, "shop", Shop(at))
        monkeypatch.setattr(at.hall, "readers", Few(at))
    monkeypatch.setattr(order_intake, "MOMENT", 0.0)
    monkeypatch.setattr(order_intake, "LONGEST", 0.0)
    ann = at.come_in(at.role("small", "player", "red"))
    for page in ("orders/send", "orders/check"):
        answer = ann.post(page, {"text": SLOW, "live": "1"})
        assert answer.status_code == 409 and "take more than 20 seconds to read" in answer.text
    shown = ann.get("orders")
    assert (
        shown.status_code == 409 and "dig dug dig" in shown.text and "take more than 20 seconds" in shown.text
    )
    with at.hall.game("small") as game:
        assert not game.submissions()


def test_patience_ends_work_and_changes_nothing_of_what_it_comes_to(at: House) -> None:
    with at.hall.game("small") as game:
        world = view_world(game, "red")
        free = read(game, "red", SLOW, world)[0]
        with patience.at_most(1000):
            assert read(game, "red", SLOW, world)[0] == free
            with pytest.raises(patience.Impatient), patience.at_most(0):
                read(game, "red", SLOW, world)
            patience.go_on()


def test_a_mail_that_takes_too_long_is_answered(at: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_intake, "LONGEST", 0.0)
    at.server.post = True
    to = at.server.post_of(at.role("small", "player", "red"))
    assert (
        receive(at.server, f"From: ann@a.example\nTo: {to}\nMessage-ID: <1@a>\n\n{SLOW}".encode())
        == "not taken"
    )
    (answer,) = at.mails()
    assert "take more than 20 seconds to read" in answer.get_content()


# ---- connections


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    found = ServerProcess(tmp_path)
    yield found
    found.end()


def rest_of(line: socket.socket) -> bytes:
    """What is still said on a line, until it ends."""
    found = b""
    with contextlib.suppress(OSError):
        while data := line.recv(10_000):
            found += data
    return found


@pytest.mark.parametrize("data", [HALF_HEAD, HALF_BODY, b""], ids=["heads", "bodies", "nothing"])
def test_connections_that_never_finish_keep_nobody_out(server: ServerProcess, data: bytes) -> None:
    """More of them than the process may open files: whoever asks for a page has it, while they are there and when they have gone."""
    lines = [server.half(data) for _ in range(300)]
    assert server.healthy()
    for line in lines:
        line.close()
    assert server.healthy()
    lines = [server.half(data) for _ in range(50)]
    assert server.healthy(), "they were taken in: whoever comes after them is served"
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(20)  # it ends when it is told to
    assert "Traceback" not in server.said.read_text(), "without a word of what it left unfinished"
    if data == HALF_BODY:
        assert any(b"is being stopped" in rest_of(line) for line in lines)


def test_a_request_that_does_not_come_in_whole_is_dropped_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its head or its body is missing, and however often a byte more comes."""
    monkeypatch.setattr(connections, "SECONDS", 0.3)

    async def app(scope: Any, receive_: Any, send: Any) -> None:
        while (await receive_()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def dropped_after(data: bytes, again: bytes = b"") -> float:
        loop = asyncio.get_running_loop()
        config = uvicorn.Config(
            app, http=connections.Connection, lifespan="off", log_level="critical", timeout_keep_alive=1
        )
        config.load()
        state = ServerState()
        server = await loop.create_server(lambda: connections.Connection(config, state, {}), "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            began = loop.time()
            writer.write(data)
            while loop.time() - began < 3:
                if again:
                    writer.write(again)
                try:
                    if not await asyncio.wait_for(reader.read(1000), 0.05):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            return loop.time() - began

    whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    assert 0.2 < asyncio.run(dropped_after(b"GET / HTTP/1.1\r\nX-A: ", b"a")) < 0.9
    assert (
        0.2
        < asyncio.run(dropped_after(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\na", b"b"))
        < 0.9
    )
    assert 0.9 < asyncio.run(dropped_after(whole)) < 2, "a whole one is answered, and waits for the next"
    assert asyncio.run(dropped_after(whole + b"GET", b"x")) < 0.9
