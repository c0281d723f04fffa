"""Takes the pictures of the README anew: the map, a player's turn page and the orders page of a game of 1914
on fixed dice.

    python tools/pictures.py                  # all of docs/pictures; needs chromium
    python tools/pictures.py --look FOLDER    # the pages as wide as a desktop and a phone, to be looked at

Beside the pictures stands `sources.json`: a digest of what each was drawn from. A test makes the sources
again, without a browser, and so notices pictures that are out of date.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import socket
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from PIL import Image

from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.pending import seats
from wteaw.play.resolve import planned, resolve_turn
from wteaw.play.views import view_world
from wteaw.report.map import to_png
from wteaw.report.map_views import map_svg
from wteaw.store import PLAYER
from wteaw.store.database import engine_for
from wteaw_web.accounts import Role
from wteaw_web.app import application
from wteaw_web.demonstration import ready_to_play
from wteaw_web.games import Games, Settings
from wteaw_web.outbox import Outbox
from wteaw_web.rate_limits import Limits
from wteaw_web.web import Server

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SOURCES = "sources.json"
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
SEED = bytes(range(16))
SCENARIO, GAME, NATION, OTHER = "1914", "marne", "german-empire", "french-empire"
DRAFT = """\
research tanks
build 4 infantry in Berlin
move 12 infantry from Cologne to Belgium: withdraw after 4 rounds
move 6 infantry, 4 artillery from Ruhr to Belgium: withdraw after 4 rounds
move 4 infantry from Frankfurt to Cologne
"""
WIDTHS = {"desktop": (1280, 860), "phone": (390, 844)}
MOST_BYTES = 200_000
PAGES = {"turn": "turn", "orders": "orders?place=cologne"}


@dataclass(frozen=True)
class Window:
    """A server with one game, on a clock that stands still, and the player whose pages are shown."""

    server: Server
    role: Role
    app: Any


@contextmanager
def window() -> Iterator[Window]:
    """The game as the pictures show it: a turn is played, and the orders for the next are half written."""
    with tempfile.TemporaryDirectory() as folder:
        engine = engine_for(Path(folder) / "server.db")
        hall = Games(engine, clock=lambda: NOW)
        outbox = Outbox(engine, lambda: NOW, "desk@example.org", lambda mail: None)
        server = Server(hall, outbox, "http://testserver", Limits(lambda: NOW.timestamp(), times=1000))
        scenario, ruleset, drawing = ready_to_play(scenarios() / f"{SCENARIO}.yaml")
        players = dict.fromkeys((NATION, OTHER), PLAYER)
        game = new_game(
            engine,
            {**scenario, "title": "The Marne"},
            ruleset,
            id_=GAME,
            seats=players,
            options={"free-deployment": "false"},
            seed=SEED,
            drawing=drawing,
        )
        hall.keep(Settings(GAME, due="2026-05-08T20:00:00+00:00", days=7))
        hall.send(game)
        for given in planned(game, [n for n, who in seats(game).items() if who == PLAYER]):
            game.submit(replace(given, by=PLAYER))
        resolve_turn(game, force=True)
        hall.send(game)
        for nation, name in ((NATION, "Ann"), (OTHER, "Bob")):
            hall.people.add(GAME, "player", nation=nation, name=name, email=f"{name.lower()}@example.org")
        role = next(r for r in hall.people.of_game(GAME) if r.nation == NATION)
        with hall.game(GAME) as now:
            hall.drafts.keep(GAME, NATION, now.stage().number, DRAFT)
        yield Window(server, role, application(server))
        server.close()
        engine.dispose()


def sources(shown: Window) -> dict[str, str]:
    """What each picture is drawn from: the map as SVG, the pages as HTML with their style, without what is
    drawn by lot.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from starlette.testclient import TestClient
    client = TestClient(shown.app)
    token = shown.server.hall.people.link(shown.role)
    client.post(f"/in/{token}", data={"token": _token(client.get("/").text)})
    out = {"map": map_of(shown)}
    for name, page in PAGES.items():
        text = client.get(f"/seat/{shown.role.id}/{page}").text
        text = text.replace(shown.role.id, "ROLE").replace(_token(text), "TOKEN")
        text = re.sub(r"\b[0-9a-f]{32,64}\b", "DIGEST", text)  # of proofs, which tell when something came in
        styles = sorted(set(re.findall(r'href="(/static/[^"]+\.css)"', text)))
        out[name] = "\n".join([text, *(client.get(style).text for style in styles)])
    return out


def _token(text: str) -> str:
    found = re.search(r'name="token" value="(\w+)"', text)
    return found[1] if found else "no token"


def map_of(shown: Window) -> str:
    """The map as the player knows it."""
    with shown.server.hall.game(GAME) as game:
        return map_svg(
            game.ruleset, view_world(game, NATION).state, game.drawing(), title=str(game.head["title"])
        )


def digests(found: dict[str, str]) -> dict[str, str]:
    """What the test compares."""
    return {name: sha256(text.encode()).hexdigest() for name, text in sorted(found.items())}


def screens(shown: Window, widths: dict[str, tuple[int, int]]) -> Iterator[tuple[str, str, bytes]]:
    """Each page at each width as a PNG: the page's name, the width's, the picture."""
    import uvicorn
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("pictures are taken with chromium, and there is none here")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shown.server.url = f"http://127.0.0.1:{port}"
    http = uvicorn.Server(uvicorn.Config(shown.app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=http.run, daemon=True)
    thread.start()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width, (across, down) in widths.items():
            page = browser.new_page(
                viewport={"width": across, "height": down}, color_scheme="light", reduced_motion="reduce"
            )
            page.goto(f"{shown.server.url}/in/{shown.server.hall.people.link(shown.role)}")
            page.get_by_role("button", name="Come in", exact=True).click()
            for name, address in PAGES.items():
                page.goto(f"{shown.server.url}/seat/{shown.role.id}/{address}", wait_until="networkidle")
                yield name, width, page.screenshot()
        browser.close()
    http.should_exit = True
    thread.join(10)


def small(png: bytes, across: int | None = None) -> bytes:
    """A picture as WebP of at most `MOST_BYTES`, made narrower where `across` says so."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    if across is not None and picture.width > across:
        picture = picture.resize(
            (across, round(picture.height * across / picture.width)), Image.Resampling.LANCZOS
        )
    for quality in (85, 75, 65, 55, 45):
        out = io.BytesIO()
        picture.save(out, "WEBP", quality=quality, method=6)
        if out.tell() <= MOST_BYTES:
            break
    return out.getvalue()


def main(arguments: list[str]) -> None:
    """Take the pictures, or have a look at the pages."""
    look = Path(arguments[1]) if arguments[:1] == ["--look"] else None
    with window() as shown:
        folder = look or FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        found = sources(shown)
        taken = {"map.webp": small(to_png(found["map"], 2600), 1280)}
        for name, width, png in screens(shown, WIDTHS if look else {"desktop": WIDTHS["desktop"]}):
            taken[f"{name}-{width}.webp" if look else f"{name}.webp"] = small(png)
        for name, data in taken.items():
            (folder / name).write_bytes(data)
            print(f"{folder / name}: {len(data):,} bytes")
        if look is None:
            (folder / SOURCES).write_text(json.dumps(digests(found), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
