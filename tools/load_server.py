"""Load on a server: players who write orders, have them read back and send them, while all their games are
resolved and sent.

`make load` starts `wteaw serve` as a host does (SQLite, pages and worker), with 20 games of ten players each.
The players type: each has their text read back whenever they pause, every ten seconds or so, a line longer
than before, and sends it now and then. Meanwhile the deadlines of the games fall, one after another, and the
worker closes, resolves and sends. Afterwards the database is looked at: every sending that was acknowledged
is there, every game went on once.

Fails if anything went wrong, or if a check took too long: `--most` milliseconds for 95 of 100.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

from sqlalchemy import select

from wteaw.core.package_data import scenarios
from wteaw.orders.sheet_layout import order_template
from wteaw.orders.sheet_line import BLANK
from wteaw.play.begin import new_game
from wteaw.play.resolve import planned
from wteaw.play.views import view_world
from wteaw.store import PLAYER, Game
from wteaw.store.database import engine_for
from wteaw.store.schema import handins
from wteaw_web.accounts import stamp
from wteaw_web.demonstration import greatest, ready_to_play
from wteaw_web.games import Games, Settings
from wteaw_web.tables import outbox

PORT = 8399
TOGETHER = 10
LINES = 15
"""Of orders that each player writes, at least."""


@dataclass
class Player:
    """One player: their game and nation, where they are let in, the orders they write, and what was
    acknowledged.
    """

    game: str
    nation: str
    seat: str
    link: str
    lines: list[str]
    cookie: str = ""
    token: str = ""
    sent: list[str] = field(default_factory=list)


@dataclass
class Seen:
    """What the players met: how long each check took in seconds, answers by kind, and what should not have
    been.
    """

    checks: list[tuple[float, float]] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Line:
    """One connection to the server that stays open, as a browser's does."""

    def __init__(self, port: int, address: str) -> None:
        self.port = port
        self.address = address
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, cookie: str = "", form: dict[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Status, the cookie that was set, and the page."""
        body = urlencode(form).encode() if form is not None else b""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {self.address}\r\n"
        head += f"Cookie: server={cookie}\r\nContent-Length: {len(body)}\r\n"
        if form is not None:
            head += "Content-Type: application/x-www-form-urlencoded\r\n"
        for again in (True, False):
            try:
                if self.streams is None:
                    self.streams = await asyncio.open_connection("127.0.0.1", self.port)
                reader, writer = self.streams
                writer.write(head.encode() + b"\r\n" + body)
                await writer.drain()
                said = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"(?i)content-length: (\d+)", said)
                text = await reader.readexactly(int(length[1])) if length else b""
                found = re.search(r"(?i)set-cookie: server=([^;]+)", said)
                return int(said.split()[1]), found[1] if found else "", text.decode("utf-8", "replace")
            except (OSError, asyncio.IncompleteReadError):
                self.streams = None
                if not again:
                    raise
        raise AssertionError


def set_up(folder: Path, games: int, players: int) -> list[Player]:
    """The games of a server that is about to be started, and their players with links that let them in."""
    hall = Games(engine_for(folder / "server.db"))
    scenario, ruleset, drawing = ready_to_play(scenarios() / "1914.yaml")
    nations = greatest(ruleset, scenario, players)
    texts: dict[str, list[str]] = {}
    out = []
    for n in range(games):
        game = new_game(
            hall.engine, scenario, ruleset, id_=f"load-{n}", seats=dict.fromkeys(nations, PLAYER),
            options={"free-deployment": "false"}, drawing=drawing,
        )  # fmt: skip
        texts = texts or {nation: lines_of(game, nation) for nation in nations}
        hall.keep(Settings(game.id, auto="nothing"))
        hall.send(game)
        for nation in nations:
            role = hall.people.add(
                game.id, "player", nation=nation, name=nation, email=f"{nation}@{game.id}.example"
            )
            link = hall.people.link(role)
            assert link
            out.append(Player(game.id, nation, role.id, link, texts[nation]))
    hall.engine.dispose()
    return out


def lines_of(game: Game, nation: str) -> list[str]:
    """What a player might write: the orders of a policy, and lines of their form until there are enough."""
    lines = planned(game, [nation])[0].text.splitlines()
    form = order_template(view_world(game, nation), nation, game=game.id).splitlines()
    more = [
        line.strip().removeprefix("#").strip()
        for line in form
        if line.strip().startswith("# ") and BLANK not in line
    ]
    return lines + more[: max(LINES - len(lines), 0)]


async def comes_in(player: Player, line: Line) -> None:
    """Follow the link, press the button, open the page of orders."""
    _, player.cookie, page = await line.ask("GET", f"/in/{player.link}")
    token = re.search(r'name="token" value="(\w+)"', page)
    assert token, page
    _, player.cookie, _ = await line.ask("POST", f"/in/{player.link}", player.cookie, {"token": token[1]})
    status, _, page = await line.ask("GET", f"/seat/{player.seat}/orders", player.cookie)
    token = re.search(r'name="token" value="(\w+)"', page)
    assert status == 200 and token, (status, page[:300])
    player.token = token[1]


async def plays(
    player: Player, line: Line, seen: Seen, think: float, ends: float, rng: random.Random
) -> None:
    """Write, have it read back, send now and then, until the end."""
    written, round_ = 0, 0
    await asyncio.sleep(rng.random() * think)
    while time.monotonic() < ends:
        written = written + 1 if written < len(player.lines) else 1
        round_ += 1
        text = "\n".join([*player.lines[:written], f"# draft {round_}"]) + "\n"
        form = {"token": player.token, "text": text, "live": "1"}
        began = time.monotonic()
        status, _, page = await line.ask("POST", f"/seat/{player.seat}/orders/check", player.cookie, form)
        seen.checks.append((began, time.monotonic() - began))
        seen.answers[f"check {status}"] += 1
        if status != 200 or "Preview" not in page:
            seen.faults.append(f"check of {player.nation} in {player.game}: {status} {page[:200]}")
        stands = re.search(r'name="out" value="(\d+)"', page)
        if round_ % 4 == 0 and stands:
            form = {"token": player.token, "text": text, "out": stands[1]}
            status, _, page = await line.ask("POST", f"/seat/{player.seat}/orders/send", player.cookie, form)
            seen.answers[f"send {status}"] += 1
            if status == 303:
                player.sent.append(text)
            elif status != 409:
                seen.faults.append(f"sending of {player.nation} in {player.game}: {status} {page[:200]}")
        await asyncio.sleep(rng.expovariate(1 / think))


async def load(port: int, players: list[Player], think: float, seconds: float, falls: asyncio.Event) -> Seen:
    """All players at once. `falls` is set once they are in."""
    seen = Seen()
    lines = [Line(port, f"10.0.{n // 250}.{n % 250}") for n in range(len(players))]
    for first in range(0, len(players), TOGETHER):
        some = slice(first, first + TOGETHER)
        await asyncio.gather(*(comes_in(p, ln) for p, ln in zip(players[some], lines[some], strict=True)))
    falls.set()
    ends = time.monotonic() + seconds
    await asyncio.gather(
        *(
            plays(p, ln, seen, think, ends, random.Random(i))
            for i, (p, ln) in enumerate(zip(players, lines, strict=True))
        )
    )
    return seen


def deadlines(folder: Path, players: list[Player], within: float) -> None:
    """Let the orders of the games be due one after another."""
    hall = Games(engine_for(folder / "server.db"))
    ids = list(dict.fromkeys(p.game for p in players))
    for n, game in enumerate(ids, 1):
        due = stamp(datetime.now(UTC) + timedelta(seconds=within * n / len(ids)))
        hall.keep(Settings(game, due=due, days=7, auto="send", remind=0))
    hall.engine.dispose()


def used(process: int) -> float:
    """Seconds of processor that a process has used; 0 where that is not told."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def left(folder: Path, players: list[Player]) -> tuple[int, list[str]]:
    """How many games were resolved and sent, and what is wrong with what is kept."""
    engine = engine_for(folder / "server.db")
    faults, on = [], 0
    for id_ in dict.fromkeys(p.game for p in players):
        game = Game.in_database(engine, id_)
        stages = game.stages()
        with engine.connect() as db:
            files = db.execute(select(handins).where(handins.c.game == id_).order_by(handins.c.number))
            kept = {(r.nation, r.text): r.position for r in files}
            reports = [
                r.recipient for r in db.execute(select(outbox).where(outbox.c.key.like(f"report/{id_}/%")))
            ]
        on += bool(reports)
        mine = [p for p in players if p.game == id_]
        for player in mine:
            faults += [
                f"{id_}: a sending of {player.nation} is lost"
                for t in player.sent
                if (player.nation, t) not in kept
            ]
            first = [t for t in player.sent if kept.get((player.nation, t)) == 1]
            counts = game.submissions(1).get(player.nation)
            if first and (counts is None or counts.text != first[-1]):
                faults.append(f"{id_}: it is not the last sending of {player.nation} that counts")
        if reports and sorted(reports) != sorted(f"{p.nation}@{id_}.example" for p in mine):
            faults.append(f"{id_}: reports to {sorted(reports)}")
        if len(stages) > 2:
            faults.append(f"{id_}: {len(stages)} stages")
    engine.dispose()
    return on, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--players", type=int, default=10, help="of each game")
    parser.add_argument(
        "--think", type=float, default=10, help="seconds between two checks of a player, on average"
    )
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument(
        "--most", type=float, default=300, help="milliseconds in which 95 of 100 checks have to be answered"
    )
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wteaw-load-"))
    began = time.monotonic()
    players = set_up(folder, given.games, given.players)
    print(
        f"{given.games} games of {given.players} players made in {time.monotonic() - began:.0f} s", flush=True
    )
    log = (folder / "serve.log").open("wb")
    command = [
        sys.executable,
        "-m",
        "wteaw",
        "serve",
        "--folder",
        str(folder),
        "--port",
        str(PORT),
        "--no-demo",
    ]
    server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        while b"The server is at" not in (folder / "serve.log").read_bytes():
            time.sleep(0.2)
            if server.poll() is not None:
                print((folder / "serve.log").read_text())
                return 1

        async def run() -> Seen:
            falls = asyncio.Event()
            task = asyncio.create_task(load(PORT, players, given.think, given.seconds, falls))
            await asyncio.wait([task, asyncio.create_task(falls.wait())], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.to_thread(deadlines, folder, players, given.seconds * 0.6)
            return await task

        before = used(server.pid)
        seen = asyncio.run(run())
        spent = used(server.pid) - before
        ends = time.monotonic() + given.seconds
        while left(folder, players)[0] < given.games and time.monotonic() < ends:
            time.sleep(1)
    finally:
        server.terminate()
        server.wait(30)
        log.close()
    on, faults = left(folder, players)
    faults += seen.faults
    taken = sorted(s for _, s in seen.checks)
    p50, p95, most = (1000 * taken[min(int(len(taken) * q), len(taken) - 1)] for q in (0.5, 0.95, 1))
    print(
        f"{len(players)} players, {len(taken)} checks in {given.seconds:.0f} s: half within {p50:.0f} ms,",
        end=" ",
    )
    print(
        f"95 of 100 within {p95:.0f} ms, the slowest {most:.0f} ms; {1000 * spent / len(taken):.0f} ms of "
        "processor for each"
    )
    print(
        f"{on} of {given.games} games resolved and sent; answers: {dict(sorted(seen.answers.items()))};",
        end=" ",
    )
    print(f"load of the machine {os.getloadavg()[0]:.1f}")
    said = (folder / "serve.log").read_text(errors="replace")
    if "Traceback" in said:
        faults.append(f"the log of the server has errors: {said[said.index('Traceback') :][:1500]}")
    for fault in faults[:20]:
        print(f"FAULT {fault}")
    shutil.rmtree(folder, ignore_errors=True)
    good = not faults and on == given.games and p95 <= given.most
    print("good" if good else "not good")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
