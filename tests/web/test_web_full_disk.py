"""A disk that fills while a server resolves and people send: nothing half done, told in a sentence, and gone on with when there is room."""

from __future__ import annotations

import logging
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from .house import House, house, said

from wteaw.core.faults import MachineError  # isort: skip
from wteaw.play.verify import audit  # isort: skip
from wteaw.store.schema import metadata as of_games  # isort: skip
from wteaw_web.games import Settings  # isort: skip
from wteaw_web.inbound import receive  # isort: skip
from wteaw_web.outbox import Mail  # isort: skip
from wteaw_web.tables import metadata as of_desk  # isort: skip
from wteaw_web.worker import tick  # isort: skip

TABLES = sorted({*of_games.tables, *of_desk.tables} - {"desk_browsers", "desk_sessions", "desk_links"})
"""What a person does is in; who has come in is not looked at."""


class Disk:
    """The disk of a server: how many pages there are beyond those that the database has, None for as many as it likes."""

    def __init__(self, at: House) -> None:
        self.at = at
        self.room: int | None = None
        at.hall.engine.dispose()
        event.listen(at.hall.engine, "checkout", self._fill)

    def _fill(self, connection: Any, *_: object) -> None:
        pages = connection.execute("pragma page_count").fetchone()[0]
        free = connection.execute("pragma freelist_count").fetchone()[0]
        most = 2**30 if self.room is None else pages - free + self.room
        connection.execute(f"pragma max_page_count = {most}")


@pytest.fixture
def at(tmp_path: Path) -> House:
    found = house(tmp_path)
    found.server.post = True
    found.game("small", red="ann@a.example", blue="bob@b.example")
    found.hall.keep(Settings("small", found.hall.settings("small").due, 7, False, "send", 24, False))
    return found


def kept(folder: Path) -> dict[str, list[Any]]:
    """Every row that stands in the database, asked past the server."""
    db = sqlite3.connect(folder / "server.db")
    found = {name: db.execute(f'select * from "{name}"').fetchall() for name in TABLES}
    db.close()
    return found


def is_whole(at: House) -> None:
    with at.hall.game("small") as game:
        assert [fault for _, fault in audit(game) if fault] == []
    assert at.hall.broken_log("small") is None


def test_a_disk_that_fills_while_a_turn_is_resolved_leaves_whole_steps(
    at: House, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Wherever it fills: a page later each time. A step is done or not, all that is logged of it is one line, and the rest follows."""
    red = at.come_in(at.role("small", "player", "red"))
    red.send("dig\n")
    at.mails()
    at.wait(days=7, hours=1)
    disk = Disk(at)
    stood: set[tuple[int, int, int]] = set()
    refusals = 0
    waiting: dict[str, str] = {}
    caplog.set_level(logging.INFO, "wteaw.server")
    for room in range(200):
        disk.room = room
        tick(at.server, waiting)
        refusals += bool(waiting)
        with at.hall.game("small") as game:
            stage = game.stage()
            stood.add((stage.number, game.turn_record(1).closed, at.hall.last_sent("small")))
        is_whole(at)
        if not waiting:
            break
    assert refusals > 3 and not waiting, (
        "it was full at more than one place, and in the end there was room enough"
    )
    assert stood <= {(1, 0, 1), (1, 1, 1), (2, 1, 1), (2, 1, 2)} and (2, 1, 2) in stood and len(stood) > 1
    said_of_it = [r.getMessage() for r in caplog.records if "disk" in r.getMessage()]
    assert set(said_of_it) <= {
        f"{what}: {who}: the disk is full; nothing was changed" for what, who in [("mails", "the games")]
    } | {"small: the disk is full; nothing was changed"}
    assert len(said_of_it) <= 4, "not every few seconds"
    assert not [r for r in caplog.records if r.exc_info]
    disk.room = None
    at.wait(hours=9)
    tick(at.server, waiting)
    at.outbox.deliver()
    ids = [m["Message-ID"] for m in at.carried]
    assert sorted(m["To"] for m in at.carried if "turn 1: " in m["Subject"]) == [
        "ann@a.example",
        "bob@b.example",
    ]
    assert len(ids) == len(set(ids))


def test_what_people_do_while_the_disk_is_full_is_refused_in_a_sentence_and_can_be_done_later(
    at: House, tmp_path: Path
) -> None:
    red, mo = at.come_in(at.role("small", "player", "red")), at.come_in(at.role("small", "moderator"))
    red.send("dig\n")
    at.wait(minutes=30)  # each page that is asked for wants to note that its reader was seen
    disk = Disk(at)
    disk.room = 0
    before = kept(tmp_path)
    text = "dig\n" + "# as much as is no page of the database\n" * 400
    answers = [red.send(text), mo.post("game/orders", {"nation": "blue", "text": text, "send": "1"})]
    for answer in answers:
        assert answer.status_code == 503, said(answer)[:500]
        assert "the disk is full; nothing was changed" in said(answer)
        assert str(tmp_path) not in answer.text, "where the server keeps its files is nobody's business"
    raw = f"From: ann@a.example\nTo: {at.server.post_of(at.role('small', 'player', 'red'))}\nMessage-ID: <1@a>\n\n{text}".encode()
    with pytest.raises(MachineError, match="disk is full"):
        receive(at.server, raw)
    with pytest.raises(MachineError, match="disk is full"):
        at.outbox.put(Mail("big", "ann@a.example", "x", text))
    for page in ("orders", "turn", "map", "messages"):
        assert red.get(page).status_code == 200, "who only looks is shown it"
    assert kept(tmp_path) == before
    disk.room = None
    assert "have been taken" in said(red.send(text)) and receive(at.server, raw) == "taken"
    is_whole(at)


def test_what_was_typed_while_the_disk_was_full_is_kept_when_there_is_room(
    at: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from wteaw_web import drafts

    monkeypatch.setattr(drafts, "SOON", 0.01)
    monkeypatch.setattr(drafts, "AGAIN", 0.05)
    disk = Disk(at)
    disk.room = 0
    text = "dig\n" * 3000
    at.hall.drafts.keep("small", "red", 1, text, soon=True)
    for _ in range(100):
        if at.hall.drafts._later is None:
            break
        time.sleep(0.02)
    assert at.hall.drafts.of("small", "red", 1).text == text and not kept(tmp_path)["desk_drafts"]
    disk.room = None
    for _ in range(200):
        if kept(tmp_path)["desk_drafts"]:
            break
        time.sleep(0.02)
    assert [row[3] for row in kept(tmp_path)["desk_drafts"]] == [text]
