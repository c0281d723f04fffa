"""Kills of a server: its server and its worker are ended at random moments while players order and turns are resolved and sent.

`make kills` does so 300 times, the suite a few times. Whoever orders tries again until they are answered, as people do. Afterwards the
database and the mails are looked at: what was acknowledged is there and counts, every turn was resolved once, every mail went once.
"""

from __future__ import annotations

import argparse
import http.client
import logging
import os
import random
import re
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import select

from wteaw.core.parallel import end_with_parent
from wteaw.play.verify import audit
from wteaw.store import Game
from wteaw.store.database import engine_for
from wteaw.store.schema import handins
from wteaw_web.app import application
from wteaw_web.games import Games, Settings
from wteaw_web.outbox import Outbox, to_folder
from wteaw_web.rate_limits import Limits
from wteaw_web.tables import outbox
from wteaw_web.web import Server
from wteaw_web.worker import run, tick
from wteaw_web.worker_pool import context

from .house import House

GAME, NATIONS = "small", ("red", "blue")
PATIENCE = 120.0
"""Seconds in which something has to come about although everything is killed again and again."""
WEEKS = 3
"""Turns that are played at least, however soon the kills are over: in the last of them the moderator resolves and sends."""
EARLY = 0.25
"""The share of kills that do not wait until what is killed has opened the server."""


# ---- in the processes that are killed


def _server(folder: Path) -> Server:
    def clock() -> datetime:
        return datetime.fromisoformat((folder / "clock").read_text())

    engine = engine_for(folder / "server.db")
    hall = Games(engine, clock=clock)
    return Server(
        hall,
        Outbox(engine, clock, "desk@example.org", to_folder(folder / "outbox")),
        "http://x",
        Limits(times=10_000),
    )


def _serve(folder: Path, port: int) -> None:
    import uvicorn

    end_with_parent()
    with _socket(port) as mine:
        http = uvicorn.Server(uvicorn.Config(application(_server(folder)), log_level="critical"))
        _up(folder, os.getpid()).touch()
        http.run(sockets=[mine])


def _work(folder: Path) -> None:
    end_with_parent()
    logging.disable()
    server = _server(folder)
    _up(folder, os.getpid()).touch()
    run(server, threading.Event(), seconds=0.02)


def _up(folder: Path, process: int | None) -> Path:
    """The file by which a process says that it has opened the server."""
    return folder / f"{process}.up"


def _socket(port: int = 0) -> socket.socket:
    """A socket at a port of this machine. Several processes of one user may have theirs at the same: who holds one in reserve
    keeps the port from being given away as the near end of somebody's connection while no server runs."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.bind(("127.0.0.1", port))
    return made


# ---- who kills


class Killer(threading.Thread):
    """Keeps a server and a worker running, and kills one of them every now and then, until it has done so often enough.

    `fell`: what ended by itself and was started again; nothing should.
    """

    NAMES = ("server", "worker")

    def __init__(self, folder: Path, port: int, kills: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.folder = folder
        self.makes: list[Callable[[], Any]] = [
            lambda: context().Process(target=_serve, args=(folder, port), daemon=True),
            lambda: context().Process(target=_work, args=(folder,), daemon=True),
        ]
        self.running = [make() for make in self.makes]
        self.kills, self.done = kills, 0
        self.fell: list[str] = []
        self.rng = random.Random(seed)
        self.over = threading.Event()

    def run(self) -> None:
        for process in self.running:
            process.start()
        while self.done < self.kills:
            at, wait = self.rng.randrange(2), self.rng.random() * 0.6
            if self.rng.random() >= EARLY and not self._awaited(at):
                break
            if self.over.wait(wait):
                break
            self.running[at].kill()
            self.running[at].join()
            self.done += 1
            self._start(at)
            self._revive()
        while not self.over.wait(0.1):
            self._revive()
        for process in self.running:
            process.kill()
            process.join()

    def _awaited(self, at: int) -> bool:
        """Wait until a process has opened the server. False if it is over before."""
        while not _up(self.folder, self.running[at].pid).exists():
            if self.over.wait(0.02):
                return False
            self._revive()
        return True

    def _revive(self) -> None:
        for at, process in enumerate(self.running):
            if not process.is_alive():
                self.fell.append(f"the {self.NAMES[at]} ended by itself, with {process.exitcode}")
                self._start(at)

    def _start(self, at: int) -> None:
        self.running[at] = self.makes[at]()
        self.running[at].start()


# ---- who plays meanwhile


class Person:
    """Somebody at a browser who tries again until they are answered. `link` gives them a fresh link into their seat."""

    def __init__(self, port: int, link: Callable[[], str], seat: str) -> None:
        self.port, self.seat, self.cookie, self.token = port, seat, "", ""
        self.link, self.secret, self.heard = link, "", "nothing yet"
        until("somebody comes in", self.comes_in, self)

    def comes_in(self) -> bool:
        """Follow a link. One that was used up by a request whose answer was lost leads nowhere: they ask for another then.

        Whether they are in, a page of their seat says: the page for those who are not has a form with a token, too.
        """
        self.secret = self.secret or self.link()
        status, cookie, page = self.ask("GET", f"/in/{self.secret}")
        self.cookie = cookie or self.cookie
        if status == 200 and (found := re.search(r'name="token" value="(\w+)"', page)):
            status, cookie, _ = self.ask("POST", f"/in/{self.secret}", {"token": found[1]})
            self.cookie = cookie or self.cookie
            if status:
                self.secret = ""
        status, _, page = self.ask("GET", f"/seat/{self.seat}/sessions")
        found = re.search(r'name="token" value="(\w+)"', page) if status == 200 else None
        self.token = found[1] if found else ""
        return bool(self.token)

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Status (0 where no answer came), the cookie, the page."""
        status, cookie, page = self.answer(method, path, form)
        self.heard = f"{method} {path}: {status or 'no answer'} {text_of(page)[:400]}"
        if not status:
            time.sleep(0.02)
        return status, cookie, page

    def answer(self, method: str, path: str, form: dict[str, str] | None) -> tuple[int, str, str]:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        head = {"Cookie": f"server={self.cookie}", "Content-Type": "application/x-www-form-urlencoded"}
        try:
            line.request(method, path, urlencode(form) if form else None, head)
            answer = line.getresponse()
            found = re.search("server=([^;]+)", answer.getheader("set-cookie") or "")
            return answer.status, found[1] if found else "", answer.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, "", ""
        finally:
            line.close()

    def post(self, page: str, form: dict[str, str]) -> int:
        return self.ask("POST", f"/seat/{self.seat}/{page}", {"token": self.token, **form})[0]


def killed(folder: Path, kills: int, seed: int = 7) -> list[str]:
    """Play a game whose server is killed so often. Returns what went wrong."""
    with _socket() as held:
        return _killed(folder, int(held.getsockname()[1]), kills, seed)


def _killed(folder: Path, port: int, kills: int, seed: int) -> list[str]:
    now = datetime(2026, 5, 1, 12, tzinfo=UTC)
    (folder / "clock").write_text(now.isoformat())
    house = House(engine_for(folder / "server.db"))
    house.game(GAME, red="ann@a.example", blue="bob@b.example")
    house.hall.clock = house.hall.people.clock = lambda: now
    seats = [house.role(GAME, "player", n) for n in NATIONS] + [house.role(GAME, "moderator")]
    house.hall.engine.dispose()
    killer = Killer(folder, port, kills, seed)
    killer.start()
    hall = Games(engine_for(folder / "server.db"), clock=lambda: now)
    try:
        red, blue, mo = (Person(port, lambda r=role: hall.people.link(r) or "", role.id) for role in seats)  # type: ignore[misc]
        acknowledged: list[tuple[int, str, str]] = []
        week = 0
        while killer.done < kills or week < WEEKS:
            week += 1
            for nation, person in zip(NATIONS, (red, blue), strict=True):
                for number in range(3):
                    text = "dig\n" * (number + 1) + f"# week {week}, {nation}, {number}\n"
                    sent = partial(person.post, "orders/send", {"text": text, "out": "0"})
                    until(f"orders of week {week} are taken", lambda s=sent: s() == 303, person)  # type: ignore[misc]
                    acknowledged.append((week, nation, text))
            by_hand = week % WEEKS == 0
            due = hall.settings(GAME).due
            hall.keep(Settings(GAME, due, 7, False, "nothing" if by_hand else "send", 0, False))
            if by_hand:
                _by_hand(hall, mo, week)
            now = datetime.fromisoformat(due) + timedelta(hours=1)
            half = folder / "clock.new"
            half.write_text(now.isoformat())
            half.rename(folder / "clock")
            until(f"turn {week} is resolved and sent", lambda w=week: hall.last_sent(GAME) > w)  # type: ignore[misc]
        until("every mail has gone", lambda: not _waiting(hall, folder, now))
    except AssertionError as error:
        raise AssertionError("; ".join([f"{error}; {killer.done} kills of {kills}", *killer.fell])) from None
    finally:
        killer.over.set()
        killer.join()
        hall.engine.dispose()
    _send_the_rest(folder, now)
    return killer.fell + _wrong(folder, week, acknowledged)


def _send_the_rest(folder: Path, now: datetime) -> None:
    """What the worker queued in its last moments goes out in peace: a passed deadline is noticed at its next look."""
    server = _server(folder)
    for _ in range(20):
        tick(server)
        if not _waiting(server.hall, folder, now):
            break
    server.hall.engine.dispose()


def _by_hand(hall: Games, mo: Person, week: int) -> None:
    """The moderator resolves a turn and sends the reports."""

    def resolved() -> bool:
        mo.post("game/resolve", {"stage": str(week)})
        return _stage(hall) > week

    def sent() -> bool:
        mo.post("game/send", {"stage": str(week + 1)})
        return hall.last_sent(GAME) > week

    until(f"the moderator resolves turn {week}", resolved, mo)
    until(f"the moderator sends turn {week}", sent, mo)


def until(what: str, done: Callable[[], object], who: Person | None = None) -> None:
    """Try until something has come about. AssertionError, with the last answer to who tries, if it has not in `PATIENCE`."""
    ends = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > ends:
            heard = f"; the last answer was to {who.heard}" if who is not None else ""
            raise AssertionError(f"it has not come about in {PATIENCE:.0f} s that {what}{heard}")
        time.sleep(0.02)


def text_of(page: str) -> str:
    """What a page says, without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<(style|script).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)).strip()


def _stage(hall: Games) -> int:
    with hall.game(GAME) as game:
        return game.stage().number


def _waiting(hall: Games, folder: Path, now: datetime) -> int:
    """Mails that have not gone; the clock goes on, since a mail whose carrier was killed is tried again later."""
    with hall.engine.connect() as db:
        left = len(db.execute(select(outbox.c.number).where(outbox.c.sent == "")).all())
    if left:
        half = folder / "clock.new"
        later = datetime.fromisoformat((folder / "clock").read_text()) + timedelta(minutes=1)
        if later < now + timedelta(days=3):
            half.write_text(later.isoformat())
            half.rename(folder / "clock")
    return left


def _wrong(folder: Path, weeks: int, acknowledged: list[tuple[int, str, str]]) -> list[str]:
    """What is not as it ought to be."""
    found = House(engine_for(folder / "server.db"))
    out = []
    with found.hall.game(GAME) as game:
        turns = [t for _, t, _ in game.stages()]
        if turns != list(range(1, weeks + 2)):
            out.append(f"turns {turns} after {weeks} weeks")
        out += [f"{what}: {fault}" for what, fault in audit(game) if fault]
        out += _lost(game, weeks, acknowledged)
    if found.hall.broken_log(GAME) is not None:
        out.append("the log of what was done is broken")
    resolved = Counter(
        match[0]
        for d in found.hall.done(GAME, 100_000)
        if (match := re.match(r"(Resolved|Sent) turn \d+", d.what))
    )
    out += [f"{what}: {n} times in the log" for what, n in resolved.items() if n > 1]
    with found.hall.engine.connect() as db:
        rows = db.execute(select(outbox)).all()
    reports = sorted((r.key.split("/")[2], r.recipient) for r in rows if r.key.startswith("report/"))
    wanted = sorted((str(n), f"{a}") for n in range(2, weeks + 2) for a in ("ann@a.example", "bob@b.example"))
    if reports != wanted:
        out.append(f"{len(reports)} reports in place of {len(wanted)}")
    if unsent := [r.key for r in rows if not r.sent]:
        out.append(f"mails that did not go: {unsent}")
    carried = list((folder / "outbox").glob("*.eml"))
    if len(carried) != len(rows):
        out.append(f"{len(carried)} mails were carried, {len(rows)} were queued")
    return out


def _lost(game: Game, weeks: int, acknowledged: list[tuple[int, str, str]]) -> list[str]:
    """Orders that were acknowledged and are not there, or do not count."""
    with game.engine.connect() as db:
        kept = {
            (r.position, r.nation, r.text)
            for r in db.execute(select(handins).where(handins.c.game == game.id))
        }
    out = [f"lost: {one}" for one in acknowledged if one not in kept]
    for week in range(1, weeks + 1):
        for nation in NATIONS:
            last = [t for w, n, t in acknowledged if (w, n) == (week, nation)][-1]
            counts = game.submissions(week).get(nation)
            if counts is None or counts.text != last:
                out.append(f"week {week}: the last orders of {nation} do not count")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wteaw-kills-") as folder:
        began = time.monotonic()
        wrong = killed(Path(folder), given.kills, given.seed)
    print(
        f"{given.kills} kills in {time.monotonic() - began:.0f} s: {'nothing lost, nothing twice' if not wrong else ''}"
    )
    for one in wrong[:20]:
        print(f"WRONG {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
