"""What a server does by itself, and what a worker that is killed anywhere leaves: nothing lost, nothing done twice."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from .house import House, said
from .kills import Person, killed

from wteaw.play.verify import audit  # isort: skip
from wteaw_web.games import Games, Settings  # isort: skip
from wteaw_web.outbox import Outbox  # isort: skip
from wteaw_web.web import Server  # isort: skip
from wteaw_web.worker import tick  # isort: skip
from wteaw.store.database import engine_for  # isort: skip


def run(at: House, auto: str, **more: object) -> None:
    before = at.hall.settings("small")
    at.hall.keep(
        Settings(
            "small", before.due, 7, bool(more.get("paused")), auto, int(str(more.get("remind", 24))), False
        )
    )


def turns(at: House) -> list[int]:
    with at.hall.game("small") as game:
        return [t for _, t, _ in game.stages()]


@pytest.mark.parametrize(("auto", "closed", "resolved", "sent"), [
    ("nothing", False, False, False), ("close", True, False, False), ("resolve", True, True, False), ("send", True, True, True),
])  # fmt: skip
def test_a_deadline_does_what_the_game_says_and_no_more(
    at: House, auto: str, closed: bool, resolved: bool, sent: bool
) -> None:
    run(at, auto)
    red = at.come_in(at.role("small", "player", "red"))
    red.send("dig\n")
    at.mails()
    at.wait(days=6, hours=23)
    tick(at.server)
    assert turns(at) == [1] and "Your orders have been taken" in said(red.send("dig\n")), (
        "not before its time"
    )
    at.wait(hours=2)
    for _ in range(3):
        tick(at.server)
    assert turns(at) == ([1, 2] if resolved else [1])
    assert (at.hall.last_sent("small") == 2) == sent
    assert (red.send("dig\n").status_code == 409) == (closed and not sent)
    at.outbox.deliver()
    told = [m["To"] for m in at.carried if "turn 1: " in m["Subject"] and "orders" not in m["Subject"]]
    assert sorted(told) == (["ann@a.example", "bob@b.example"] if sent else [])
    if sent:
        assert at.hall.settings("small").due == "2026-05-15T12:00:00+00:00"


def test_a_paused_game_waits(at: House) -> None:
    run(at, "send", paused=True)
    at.wait(days=30)
    tick(at.server)
    assert turns(at) == [1]


def test_who_is_late_is_reminded_once(at: House) -> None:
    run(at, "nothing")
    at.come_in(at.role("small", "player", "red")).send("dig\n")
    at.wait(days=6)
    for _ in range(4):
        at.wait(minutes=10)
        tick(at.server)
    assert [m["To"] for m in at.carried if "missing" in m["Subject"]] == ["bob@b.example"]
    assert sum("Reminders to Blue" in d.what for d in at.hall.done("small")) == 1


def test_a_game_that_cannot_go_on_does_not_stop_the_others(at: House) -> None:
    at.game("other", red="cleo@c.example")
    for game in ("small", "other"):
        at.hall.keep(Settings(game, at.hall.settings(game).due, 7, False, "send", 0, False))
    with at.hall.engine.begin() as db:
        db.exec_driver_sql("update entries set body = replace(body, 'Turn', 'Tern') where game = 'other'")
    at.wait(days=8)
    tick(at.server)
    assert turns(at) == [1, 2]
    with at.hall.game("other") as game:
        assert len(game.stages()) == 1, "a journal that was changed is not gone on with"


KILLS, WEEKS = 32, 8


def test_server_and_worker_are_killed_while_people_play(tmp_path: Path) -> None:
    """A share of `make kills`."""
    assert killed(tmp_path, 5) == []


@pytest.mark.parametrize("lost", ["GET /in/", "POST /in/", "GET /seat/"])
def test_whose_answer_is_lost_comes_in_all_the_same(at: House, lost: str) -> None:
    """A server that ends between what it does and what it says uses a link up, and the browser never gets its secret."""
    role = at.role("small", "player", "red")
    browser = at.browser().client
    gone: list[str] = []

    class Unlucky(Person):
        def answer(self, method: str, path: str, form: dict[str, str] | None) -> tuple[int, str, str]:
            browser.cookies.clear()
            head = {"cookie": f"server={self.cookie}"}
            found = browser.request(method, path, data=form, headers=head, follow_redirects=False)
            if not gone and f"{method} {path}".startswith(lost):
                gone.append(path)
                return 0, "", ""
            return found.status_code, found.cookies.get("server", ""), found.text

    red = Unlucky(0, lambda: at.hall.people.link(role) or "", role.id)
    assert gone and red.post("orders/send", {"text": "dig\n", "out": "0"}) == 303
    assert len(at.hall.people.sessions_of_role(role)) == (2 if lost.startswith("POST") else 1)


def test_a_worker_that_is_killed_anywhere_does_each_thing_once(at: House, tmp_path: Path) -> None:
    """Kills at random moments; afterwards every turn was resolved once and every report sent, by one message id each."""
    run(at, "send")
    posted = tmp_path / "posted"
    rng = random.Random(7)
    kills = 0
    start = datetime.fromisoformat(at.hall.settings("small").due)
    at.hall.engine.dispose()
    for week in range(WEEKS):
        now = start + timedelta(days=7 * week, minutes=1)
        while True:
            final = kills >= KILLS * (week + 1) // WEEKS
            child = os.fork()
            if child == 0:
                _work(tmp_path / "server.db", posted, now + timedelta(minutes=2 * kills))
            if final:
                assert os.waitpid(child, 0)[1] == 0
                break
            time.sleep(rng.random() * 0.08)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            kills += 1
    assert kills >= KILLS
    at.hall = Games(engine_for(tmp_path / "server.db"), clock=lambda: at.now)
    assert turns(at) == list(range(1, WEEKS + 2))
    with at.hall.game("small") as game:
        assert all(fault is None for _, fault in audit(game))
        assert at.hall.last_sent("small") == game.stage().number
    assert at.hall.broken_log("small") is None
    ids = Counter(line.split("\t")[1] for line in set(posted.read_text().splitlines()) if ": " in line)
    reports = Counter(line.split("\t")[0] for line in set(posted.read_text().splitlines()))
    assert max(ids.values()) == 1
    assert reports - Counter({"mo@small.example": 1}) == {"ann@a.example": WEEKS, "bob@b.example": WEEKS}, (
        "kills take their time"
    )


def _work(database: Path, posted: Path, now: datetime) -> None:
    """A worker in a process of its own, whose mails are lines of a file; never returns."""
    code = 1
    try:
        hall = Games(engine_for(database), clock=lambda: now)

        def carry(mail: EmailMessage) -> None:
            with posted.open("a") as file:
                file.write(f"{mail['To']}\t{mail['Message-ID']}\t{mail['Subject']}\n")

        tick(Server(hall, Outbox(hall.engine, lambda: now, "desk@example.org", carry), "http://x"))
        code = 0
    finally:
        os._exit(code)
