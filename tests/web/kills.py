"""Kills of a desk: its server and its worker are ended at random moments while players order and turns are resolved and sent.

`make kills` does so 300 times, the suite a few times. Whoever orders tries again until he is answered, as people do. Afterwards the
database and the mails are looked at: what was acknowledged is there and counts, every turn was resolved once, every mail went once.
"""

from __future__ import annotations

import argparse
import http.client
import logging
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
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import select

from wteaw.play.verify import audit
from wteaw.store import Game
from wteaw.store.database import engine_for
from wteaw.store.schema import handins
from wteaw_web.app import application
from wteaw_web.games import Games, Settings
from wteaw_web.outbox import Outbox, to_folder
from wteaw_web.rate_limits import Limits
from wteaw_web.tables import outbox
from wteaw_web.web import Desk
from wteaw_web.worker import tick
from wteaw_web.worker_pool import context, end_with_parent

from .house import House

GAME, NATIONS = "small", ("red", "blue")
PATIENCE = 120.0
"""Seconds in which something has to come about although everything is killed again and again."""


# ---- in the processes that are killed


def _desk(folder: Path) -> Desk:
    def clock() -> datetime:
        return datetime.fromisoformat((folder / "clock").read_text())

    engine = engine_for(folder / "desk.db")
    hall = Games(engine, clock=clock)
    return Desk(hall, Outbox(engine, clock, "desk@example.org", to_folder(folder / "outbox")), "http://x", Limits(times=10_000))


def _serve(folder: Path, port: int) -> None:
    import uvicorn

    end_with_parent()
    uvicorn.run(application(_desk(folder)), host="127.0.0.1", port=port, log_level="critical")


def _work(folder: Path) -> None:
    end_with_parent()
    logging.disable()
    desk = _desk(folder)
    while True:
        tick(desk)
        time.sleep(0.02)


# ---- who kills


class Killer(threading.Thread):
    """Keeps a server and a worker running, and kills one of them every now and then, until it has done so often enough."""

    def __init__(self, folder: Path, port: int, kills: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.makes: list[Callable[[], Any]] = [
            lambda: context().Process(target=_serve, args=(folder, port), daemon=True),
            lambda: context().Process(target=_work, args=(folder,), daemon=True),
        ]
        self.running = [make() for make in self.makes]
        self.kills, self.done = kills, 0
        self.rng = random.Random(seed)
        self.over = threading.Event()

    def run(self) -> None:
        for process in self.running:
            process.start()
        time.sleep(1)
        while not self.over.wait(self.rng.random() * 0.6):
            if self.done < self.kills:
                at = self.rng.randrange(2)
                self.running[at].kill()
                self.running[at].join()
                self.done += 1
                self.running[at] = self.makes[at]()
                self.running[at].start()
        for process in self.running:
            process.kill()
            process.join()


# ---- who plays meanwhile


class Person:
    """Somebody at a browser who tries again until he is answered. `link` gives him a fresh link into his seat."""

    def __init__(self, port: int, link: Callable[[], str], seat: str) -> None:
        self.port, self.seat, self.cookie, self.token = port, seat, "", ""
        self.link, self.secret = link, ""
        _until(self.comes_in)

    def comes_in(self) -> bool:
        """Follow a link. One that was used up by a request whose answer was lost leads nowhere: he asks for another then."""
        self.secret = self.secret or self.link()
        status, cookie, page = self.ask("GET", f"/in/{self.secret}")
        self.cookie = cookie or self.cookie
        if status == 200 and (found := re.search(r'name="token" value="(\w+)"', page)):
            status, cookie, _ = self.ask("POST", f"/in/{self.secret}", {"token": found[1]})
            self.cookie = cookie or self.cookie
            if status:
                self.secret = ""
        _, _, page = self.ask("GET", f"/seat/{self.seat}/sessions")
        found = re.search(r'name="token" value="(\w+)"', page)
        self.token = found[1] if found else ""
        return bool(self.token)

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Status (0 where no answer came), the cookie, the page."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        head = {"Cookie": f"desk={self.cookie}", "Content-Type": "application/x-www-form-urlencoded"}
        try:
            line.request(method, path, urlencode(form) if form else None, head)
            answer = line.getresponse()
            found = re.search("desk=([^;]+)", answer.getheader("set-cookie") or "")
            return answer.status, found[1] if found else "", answer.read().decode()
        except (OSError, http.client.HTTPException):
            time.sleep(0.02)
            return 0, "", ""
        finally:
            line.close()

    def post(self, page: str, form: dict[str, str]) -> int:
        return self.ask("POST", f"/seat/{self.seat}/{page}", {"token": self.token, **form})[0]


def killed(folder: Path, kills: int, seed: int = 7) -> list[str]:
    """Play a game whose desk is killed so often. Returns what went wrong."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    now = datetime(2026, 5, 1, 12, tzinfo=UTC)
    (folder / "clock").write_text(now.isoformat())
    house = House(engine_for(folder / "desk.db"))
    house.game(GAME, red="ann@a.example", blue="bob@b.example")
    house.hall.clock = house.hall.people.clock = lambda: now
    seats = [house.role(GAME, "player", n) for n in NATIONS] + [house.role(GAME, "moderator")]
    house.hall.engine.dispose()
    killer = Killer(folder, port, kills, seed)
    killer.start()
    hall = Games(engine_for(folder / "desk.db"), clock=lambda: now)
    red, blue, mo = (Person(port, lambda r=role: hall.people.link(r) or "", role.id) for role in seats)  # type: ignore[misc]
    acknowledged: list[tuple[int, str, str]] = []
    week = 0
    while killer.done < kills:
        week += 1
        for nation, person in zip(NATIONS, (red, blue), strict=True):
            for number in range(3):
                text = "dig\n" * (number + 1) + f"# week {week}, {nation}, {number}\n"
                _until(lambda p=person, t=text: p.post("orders/send", {"text": t, "out": "0"}) == 303)
                acknowledged.append((week, nation, text))
        by_hand = week % 3 == 0
        due = hall.settings(GAME).due
        hall.keep(Settings(GAME, due, 7, False, "nothing" if by_hand else "send", 0, False))
        if by_hand:
            _until(lambda m=mo, w=week: m.post("play/resolve", {"stage": str(w)}) and _stage(hall) > w)
            _until(lambda m=mo, w=week: m.post("game/send", {"stage": str(w + 1)}) and hall.last_sent(GAME) > w)
        now = datetime.fromisoformat(due) + timedelta(hours=1)
        half = folder / "clock.new"
        half.write_text(now.isoformat())
        half.rename(folder / "clock")
        _until(lambda w=week: hall.last_sent(GAME) > w)
    _until(lambda: not _waiting(hall, folder, now))
    killer.over.set()
    killer.join()
    hall.engine.dispose()
    return _wrong(folder, week, acknowledged)


def _until(done: Callable[[], object]) -> None:
    ends = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > ends:
            raise AssertionError("it has not come about")
        time.sleep(0.02)


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
    found = House(engine_for(folder / "desk.db"))
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
        match[0] for d in found.hall.done(GAME, 100_000) if (match := re.match(r"(Resolved|Sent) turn \d+", d.what))
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
        kept = {(r.position, r.nation, r.text) for r in db.execute(select(handins).where(handins.c.game == game.id))}
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
    print(f"{given.kills} kills in {time.monotonic() - began:.0f} s: {'nothing lost, nothing twice' if not wrong else ''}")
    for one in wrong[:20]:
        print(f"WRONG {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
