"""What is done at the server, its line in the log and its mails are one: all of it is kept, or nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, insert, select
from sqlalchemy.engine import Engine

from wteaw.store import StoreError
from wteaw.store.database import changing, engine_for, reading

from .databases import KINDS, database
from .house import Browser, House, said

from wteaw_web.games import Games  # isort: skip
from wteaw_web.inbound import receive  # isort: skip
from wteaw_web.tables import drafts  # isort: skip
from wteaw_web.worker import tick  # isort: skip

OF_WHO_COMES = ("desk_browsers", "desk_sessions", "desk_drafts")


@pytest.fixture
def at(tmp_path: Path) -> House:
    found = House(engine_for(tmp_path / "server.db"))
    found.game("small", red="ann@a.example", blue="bob@b.example")
    return found


def kept(engine: Engine) -> dict[str, list[Any]]:
    """Every row of the database, but those of who has come in and of what is being written."""
    tables = MetaData()
    tables.reflect(engine)
    with engine.connect() as db:
        return {
            t.name: sorted(map(repr, db.execute(select(t))))
            for t in tables.sorted_tables
            if t.name not in OF_WHO_COMES
        }


def mail_of(at: House) -> bytes:
    at.server.post = True
    to = at.server.post_of(at.role("small", "player", "red"))
    return f"From: ann@a.example\nTo: {to}\nMessage-ID: <1@a>\nSubject: orders\n\ndig\n".encode()


def by_hand(page: str, **form: str) -> Callable[[House, Browser, Browser], Any]:
    return lambda at, red, mo: mo.post(page, form)


ACTS: dict[str, Callable[[House, Browser, Browser], Any]] = {
    "sending": lambda at, red, mo: red.send("dig\ndig\n"),
    "taking back": lambda at, red, mo: red.post("orders/back", {"file": "2"}),
    "a mail": lambda at, red, mo: receive(at.server, mail_of(at)),
    "the worker": lambda at, red, mo: at.wait(days=8) or tick(at.server),
    "closing": by_hand("game/close"),
    "resolving": by_hand("game/resolve", stage="2", force="1"),
    "going back": lambda at, red, mo: mo.correct(
        {"to": "1", "nation": "red", "text": "dig\n", "reason": "x"}
    ),
    "orders for a player": by_hand("game/orders", nation="blue", text="dig\n", send="1"),
    "a policy's orders": by_hand("game/stand-in", nation="blue"),
    "a reminder": by_hand("game/remind"),
    "the clock": by_hand("game/clock", more="24"),
    "a seat": by_hand("players", act="player", name="Cleo", nation="gray", email="c@c.example"),
    "the end of a seat": by_hand("players", act="policy", nation="blue", sure="1"),
}


@pytest.mark.parametrize("act", sorted(ACTS))
def test_what_cannot_be_written_down_is_not_done(
    at: House, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    red, mo = (at.come_in(at.role("small", *who)) for who in (("player", "red"), ("moderator", "")))
    red.send("dig\n")
    mo.post("game/resolve", {"stage": "1", "force": "1"})
    mo.post("game/send", {"stage": "2"})
    red.send("dig\n")
    mo.post("game/clock", {"due": "2026-05-06T12:00", "auto": "send", "remind": "0"})

    def fails(*_: Any) -> None:
        raise StoreError("the log is full")

    at.mails()
    before = kept(at.hall.engine)
    with monkeypatch.context() as patched:
        patched.setattr(Games, "note", fails)
        try:
            ACTS[act](at, red, mo)
        except StoreError as error:
            assert "the log is full" in str(error)
    assert kept(at.hall.engine) == before
    ACTS[act](at, red, mo)
    assert kept(at.hall.engine) != before, "and else it is done"


def test_corrected_orders_of_which_nothing_stands_leave_the_game_where_it_is(at: House) -> None:
    mo = at.come_in(at.role("small", "moderator"))
    mo.post("game/resolve", {"stage": "1", "force": "1"})
    before = kept(at.hall.engine)
    form = {"to": "1", "nation": "red", "text": "fly\n", "reason": "x"}
    refused = mo.correct(form)
    assert refused.status_code == 409 and "Nothing was changed" in said(refused)
    assert kept(at.hall.engine) == before


# ---- transactions


@pytest.fixture(params=KINDS)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    found = database(request.param, tmp_path)
    yield found
    found.dispose()


def written(engine: Engine) -> list[str]:
    with reading(engine) as db:
        return list(db.execute(select(drafts.c.text).order_by(drafts.c.text)).scalars())


def row(text: str) -> Any:
    return insert(drafts).values(game="one", nation=text, stage=1, text=text, at="")


def test_a_transaction_within_another_is_a_part_of_it(engine: Engine) -> None:
    House(engine).game("one")
    with pytest.raises(ZeroDivisionError), changing(engine, "one") as db:
        db.execute(row("a"))
        with changing(engine, "one") as inner:
            inner.execute(row("b"))
        assert written(engine) == ["a", "b"], "what is read within is what was written within"
        raise ZeroDivisionError
    assert written(engine) == []
    with changing(engine, "one") as db:
        db.execute(row("a"))
        found: list[list[str]] = []
        other = threading.Thread(target=lambda: found.append(written(engine)))
        other.start()
        other.join()
        assert found == [[]], "nobody else sees it before it is whole"
    assert written(engine) == ["a"]


def test_writers_wait_for_each_other(engine: Engine) -> None:
    House(engine).game("one")
    inside: list[int] = []
    most: list[int] = []

    def write(number: int) -> None:
        with changing(engine, "one") as db:
            inside.append(number)
            most.append(len(inside))
            db.execute(row(str(number)))
            time.sleep(0.01)
            inside.remove(number)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1 and len(written(engine)) == 12


def test_a_writer_waits_for_another_process(tmp_path: Path) -> None:
    engine = engine_for(tmp_path / "server.db")
    House(engine).game("one")
    program = (
        "import sys, time; from pathlib import Path; from wteaw.store.database import changing, engine_for\n"
        "with changing(engine_for(Path(sys.argv[1]))):\n    print('in', flush=True)\n    sys.stdin.readline()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "server.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout and other.stdout.readline() == "in\n"
        done = threading.Event()

        def write() -> None:
            with changing(engine, "one") as db:
                db.execute(row("a"))
            done.set()

        thread = threading.Thread(target=write)
        thread.start()
        assert not done.wait(0.2)
        other.stdin.write("go\n")
        other.stdin.flush()
        thread.join(20)
        assert done.is_set() and written(engine) == ["a"]


# ---- drafts


def test_what_is_typed_is_there_at_once_and_kept_soon(at: House, monkeypatch: pytest.MonkeyPatch) -> None:
    red = at.come_in(at.role("small", "player", "red"))
    monkeypatch.setattr("wteaw_web.drafts.SOON", 3600.0)  # on a slow machine a page takes over a second
    for text in ("di", "dig", "dig\n"):
        red.post("orders/check", {"text": text, "live": "1"})
    assert ">\ndig\n</textarea>" in red.get("orders").text and written(at.hall.engine) == []
    at.server.close()
    assert written(at.hall.engine) == ["dig\n"]
    red.post("orders/check", {"text": "fly\n"})
    assert written(at.hall.engine) == ["fly\n"], (
        "whoever has no script reads it on the next page, wherever that is made"
    )
    monkeypatch.setattr("wteaw_web.drafts.SOON", 0.1)
    red.post("orders/check", {"text": "dig\ndig\n", "live": "1"})
    for _ in range(100):
        if written(at.hall.engine) == ["dig\ndig\n"]:
            break
        time.sleep(0.1)
    assert written(at.hall.engine) == ["dig\ndig\n"]
