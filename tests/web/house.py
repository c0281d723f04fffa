"""A server for tests: a clock that is set, mails that are kept, browsers that come in by links as people do."""

from __future__ import annotations

import re
import warnings
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the server comes with the extra `server`")
pytest.importorskip("httpx")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from sqlalchemy.engine import Engine

from wteaw.ruleset import Ruleset
from wteaw.ruleset.drawing import Drawing
from wteaw.store import PLAYER
from wteaw.store.database import engine_for
from wteaw_web.accounts import Role
from wteaw_web.app import application
from wteaw_web.games import Games, Settings
from wteaw_web.outbox import Outbox
from wteaw_web.rate_limits import Limits
from wteaw_web.web import Server

from .. import small

URL = "http://testserver"
SHOWS = [
    {"id": "own-stores", "what": "treasuries", "to": "self"},
    {"id": "own-units", "what": "units", "to": "self"},
    {"id": "game", "what": "game", "to": "everyone"},
    {"id": "places", "what": "places", "to": "everyone"},
    {"id": "relations", "what": "relations", "to": "everyone"},
    {"id": "nations", "what": "nations", "to": "everyone"},
]
FRAME = [
    {"input": "orders", "from": "everyone"},
    {"phase": "court", "steps": [{"step": "actions", "do": "act", "actions": ["dig"]}]},
    {"phase": "luck", "steps": [{"step": "luck", "do": "moment"}]},
]
RULES = small.ruleset(FRAME, actions=[small.DIG], events=[small.LUCK], visibility=SHOWS)


class House:
    """A server with what it keeps, and the people who come to it."""

    def __init__(self, engine: Engine) -> None:
        self.now = datetime(2026, 5, 1, 12, tzinfo=UTC)
        self.carried: list[EmailMessage] = []
        self.hall = Games(engine, clock=lambda: self.now)
        self.outbox = Outbox(engine, lambda: self.now, "desk@example.org", self.carried.append)
        self.server = Server(self.hall, self.outbox, URL, Limits(lambda: self.now.timestamp(), times=1000))
        self.app = application(self.server)

    def wait(self, **span: float) -> None:
        self.now += timedelta(**span)

    def game(self, id_: str = "small", rules: Ruleset = RULES, **players: str) -> None:
        """A game of the small rules: players by nation, each with their address; and a moderator."""
        seats = dict.fromkeys(players, PLAYER)
        state = small.state(game={"game": {"turn": 0}})
        for nation in seats:
            state.put("nations", nation, "seat", PLAYER)
        scenario = {"title": f"The game {id_}", "start": {}}
        from wteaw.store import Game

        game = Game.begin(
            self.hall.engine, rules, scenario, state, id_=id_, seed=b"s" * 32, drawing=Drawing()
        )
        self.hall.keep(Settings(id_, due="2026-05-08T12:00:00+00:00", days=7))
        self.hall.send(game)
        self.hall.people.add(id_, "moderator", name="Mo", email=f"mo@{id_}.example")
        for nation, email in players.items():
            self.hall.people.add(id_, "player", nation=nation, name=email.partition("@")[0], email=email)

    def role(self, game: str, kind: str, nation: str = "") -> Role:
        return next(r for r in self.hall.people.of_game(game) if (r.role, r.nation) == (kind, nation))

    def come_in(self, role: Role, browser: Browser | None = None) -> Browser:
        """Follow a fresh link, as a person does: look, press the button."""
        token = self.hall.people.link(role)
        assert token
        browser = browser or self.browser()
        answer = browser.post(f"/in/{token}", {})
        assert answer.status_code == 200, answer.text
        browser.seat = f"/seat/{role.id}"
        return browser

    def browser(self) -> Browser:
        return Browser(self)

    def mails(self) -> list[EmailMessage]:
        """Mails that have gone since the last look."""
        self.outbox.deliver()
        found, self.carried[:] = list(self.carried), []
        return found


class Browser:
    """Somebody at a browser without scripts: they load a page before they send its form."""

    def __init__(self, house: House) -> None:
        self.client = TestClient(house.app, raise_server_exceptions=False)
        self.seat = ""

    def get(self, page: str, **query: Any) -> Any:
        return self.client.get(page if page.startswith("/") else f"{self.seat}/{page}", params=query or None)

    def token(self) -> str:
        found = re.search(r'name="token" value="(\w+)"', self.client.get("/").text)
        assert found
        return found[1]

    def post(self, page: str, form: dict[str, Any], **more: Any) -> Any:
        address = page if page.startswith("/") else f"{self.seat}/{page}"
        return self.client.post(address, data={"token": self.token(), **form}, **more)

    def send(self, text: str, out: int = 0) -> Any:
        return self.post("orders/send", {"text": text, "out": str(out)})

    def correct(self, form: dict[str, str]) -> Any:
        """Look what going back would do, then do it."""
        shown = self.post("game/correct", form)
        found = re.search(r'name="shown" value="([^"]+)"', shown.text)
        return self.post("game/correct", {**form, "sure": "1", "shown": found[1]}) if found else shown


def house(tmp_path: Path) -> House:
    """A server on a database of its own."""
    return House(engine_for(tmp_path / "server.db"))


def said(answer: Any) -> str:
    """What a page says, without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text))


__all__ = ["URL", "Browser", "House", "house", "said"]
