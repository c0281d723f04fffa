"""When a turn has been sent, the first pages of its players are there before they come."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from .house import House, said

from wteaw_web import order_map, presenters  # isort: skip
from wteaw_web.ahead import keep_ahead, look_ahead  # isort: skip

MADE = (
    (presenters, "make_sight"),
    (presenters, "make_chart"),
    (order_map, "make_ground"),
    (order_map, "make_menu"),
)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What takes long and was made, for whom."""
    out: list[tuple[str, str]] = []

    def noted(module: Any, name: str) -> None:
        real = getattr(module, name)

        def note(hall: Any, id_: str, stage: int, head: str, nation: str, *more: Any) -> Any:
            out.append((name, nation))
            return real(hall, id_, stage, head, nation, *more)

        monkeypatch.setattr(module, name, note)

    for module, name in MADE:
        noted(module, name)
    return out


def test_nothing_is_made_while_somebody_waits(at: House, made: list[tuple[str, str]]) -> None:
    done: dict[str, tuple[object, ...]] = {}
    assert look_ahead(at.hall, done, threading.Event()) == ["small"]
    assert sorted(made) == sorted((name, nation) for _, name in MADE for nation in ("red", "blue"))
    made.clear()
    red = at.come_in(at.role("small", "player", "red"))
    assert "Dig" in said(red.get("orders", phase="court")) and red.get("turn").status_code == 200
    assert made == [] and look_ahead(at.hall, done, threading.Event()) == [], "it stands where it stood"


def test_a_turn_that_is_sent_is_made_anew_and_one_that_is_not_stays_hidden(
    at: House, made: list[tuple[str, str]]
) -> None:
    done: dict[str, tuple[object, ...]] = {}
    look_ahead(at.hall, done, threading.Event())
    made.clear()
    red, blue = (at.come_in(at.role("small", "player", nation)) for nation in ("red", "blue"))
    red.send("dig\n")
    blue.send("dig\n")
    mo = at.come_in(at.role("small", "moderator"))
    assert mo.post("game/close", {}).status_code == 200
    assert mo.post("game/resolve", {"stage": "1"}).status_code == 200
    made.clear()
    assert look_ahead(at.hall, done, threading.Event()) == [], "nobody may see it yet"
    assert mo.post("game/send", {"stage": "2"}).status_code == 200
    made.clear()
    assert look_ahead(at.hall, done, threading.Event()) == ["small"] and ("make_menu", "red") in made
    made.clear()
    assert red.get("turn").status_code == red.get("orders").status_code == 200 and made == []


def test_it_ends_when_it_is_told_to(at: House) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=keep_ahead, args=(at.hall, stop), kwargs={"seconds": 0.01}, daemon=True)
    thread.start()
    stop.set()
    thread.join(20)
    assert not thread.is_alive()
