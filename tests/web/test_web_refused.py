"""Forms that are not taken: nothing of what was typed is lost, and each says at its place what was expected."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from wteaw_web.setup import Setup

from .house import Browser, House, said


@pytest.fixture
def ann(at: House) -> Browser:
    return at.come_in(at.role("small", "player", "red"))


def field(page: Any, name: str) -> str:
    """What a field of the page holds."""
    found = re.search(rf'<input[^>]* name="{name}"[^>]*>', page.text)
    assert found, name
    value = re.search(r' value="([^"]*)"', found[0])
    return value[1] if value else ""


CLOCK = {"due": "2026-06-01T20:00", "zone": "Europe/Berlin", "days": "9", "auto": "send", "early": "1"}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"due": "2026-04-01T20:00"}, "2026-04-01 20:00 Europe/Berlin is over"),
        ({"due": "soon"}, "a time is written like 2026-05-01T20:00"),
        ({"zone": "Mars/Olympus"}, "there is no time zone 'Mars/Olympus'"),
        ({"days": "366"}, "days of a turn: a number from 0 to 365, not '366'"),
        ({"days": "many"}, "days of a turn: a number from 0 to 365, not 'many'"),
        ({"remind": "-3"}, "hours before: a number from 0 to 336, not '-3'"),
        ({"auto": "nothing"}, "choose what is done as soon as all players are ready"),
    ],
)
def test_a_clock_that_cannot_be_is_told_and_all_else_stays(
    at: House, mo: Browser, wrong: dict[str, str], why: str
) -> None:
    before = at.hall.settings("small")
    answer = mo.post("game/clock", {**CLOCK, **wrong})
    assert answer.status_code == 409 and html.unescape(said(answer)).count(why) == 2, (
        "above the page, and at the form"
    )
    for name in ("due", "zone", "days"):
        assert field(answer, name) == {**CLOCK, **wrong}[name]
    assert at.hall.settings("small") == before
    assert mo.post("game/clock", {**CLOCK, "days": "365"}).status_code == 200
    assert at.hall.settings("small").days == 365


def test_a_seat_for_no_address_keeps_what_was_typed_in_its_own_form(at: House, mo: Browser) -> None:
    answer = mo.post("players", {"act": "player", "nation": "gray", "name": "Gil O'Hara", "email": "gil"})
    assert answer.status_code == 409 and "is no e-mail address" in said(answer)
    seat, look_on = answer.text.split("Let somebody look on")
    assert "Gil O&#39;Hara" in seat and "Gil" not in look_on
    assert '<option value="gray" selected>' in seat
    assert at.hall.people.player("small", "gray") is None, "nothing is half done"


def test_a_message_for_nobody_keeps_its_text_and_its_readers(ann: Browser) -> None:
    text = "An alliance?\n<b>мир</b> 和平"
    answer = ann.post("messages", {"text": text})
    assert answer.status_code == 409 and "choose whom the message is for" in said(answer)
    assert "An alliance?\n&lt;b&gt;мир&lt;/b&gt; 和平</textarea>" in answer.text
    answer = ann.post("messages", {"text": " ", "to-blue": "1"})
    assert re.search(r'name="to-blue" value="1" checked', answer.text)
    assert not re.search(r'name="to-\*" value="1" checked', answer.text)
    assert ann.post("messages", {"text": text, "to-blue": "1"}).status_code == 200


def test_a_correction_that_cannot_be_keeps_the_orders_and_the_reason(at: House, mo: Browser) -> None:
    for player in ("red", "blue"):
        at.come_in(at.role("small", "player", player)).send("dig\n")
    mo.post("game/resolve", {"stage": "1"})
    answer = mo.post("game/correct", {"to": "1", "nation": "blue", "text": "fly", "reason": "misread"})
    assert answer.status_code == 409 and "line 1 is not valid" in said(answer)
    assert "fly</textarea>" in answer.text and field(answer, "reason") == "misread"
    assert '<option value="blue" selected>' in answer.text


def test_orders_for_a_turn_that_is_over_are_not_taken_for_the_next(
    at: House, mo: Browser, ann: Browser
) -> None:
    stale = re.search(r'name="stage" id="stage" value="(\d+)"', ann.get("orders").text)
    assert stale
    mo.post("game/resolve", {"stage": "1", "force": "1"})
    mo.post("game/send", {"stage": "2"})
    form = {"text": "dig\n", "out": "0", "stage": stale[1]}
    for page in ("orders/send", "orders/check"):
        answer = ann.post(page, form)
        assert answer.status_code == 409 and "what is asked for now are orders for turn 2" in said(answer)
        assert "dig\n</textarea>" in answer.text
    with at.hall.game("small") as game:
        assert "red" not in game.submissions()
    assert ann.post("orders/send", {**form, "stage": "2"}).status_code == 200


def test_who_is_signed_in_no_more_gets_back_what_they_typed(at: House, ann: Browser) -> None:
    token = ann.token()
    ann.client.cookies.clear()
    gone = ann.client.post(f"{ann.seat}/orders/send", data={"token": token, "text": "dig\nand more"})
    assert gone.status_code == 404 and "Mail me a link" in gone.text
    assert "dig\nand more</textarea>" in gone.text
    again = at.come_in(at.role("small", "player", "red"))
    older = again.client.post(f"{again.seat}/messages", data={"token": token, "text": "Hello", "to-*": "1"})
    assert older.status_code == 403 and "older than your session" in said(older)
    assert "Hello</textarea>" in older.text and f'href="{again.seat}/messages"' in older.text


def test_a_report_that_its_moderator_reads_first_does_not_use_up_the_dice(
    at: House, mo: Browser, ann: Browser
) -> None:
    ann.send("dig\n")
    mo.post("game/resolve", {"stage": "1", "force": "1"})
    page = mo.get("game")
    assert "Turn 1: resolved, and not sent yet" in said(page) and "as they came in" in said(page)
    for nation in ("", "red", "blue"):
        assert mo.get("report", nation=nation).status_code == 200
    assert "Everybody keeps their dice" in said(mo.post("game/correct", {"to": "1", "reason": "look"}))
    mo.post("game/send", {"stage": "2"})
    assert "it gets fresh dice" in said(mo.post("game/correct", {"to": "1", "reason": "look"}))


def test_a_game_is_started_where_what_takes_long_is_done_in_other_processes(tmp_path: Path) -> None:
    server = Setup(tmp_path, "http://testserver").server(shop=True)
    at = House.__new__(House)
    at.server, at.hall, at.outbox, at.carried = server, server.hall, server.outbox, []
    from wteaw_web.app import application  # the server is optional

    at.app = application(server)
    try:
        host = at.come_in(at.hall.people.add("", "host", name="Hal", email="hal@h.example"))
        form = {"scenario": "diplomacy", "title": "Cup", "days": "3", "zone": "Europe/Berlin"}
        answer = host.post(
            "games", {**form, "player-italy": "ida@i.example", "player-france": "fay@f.example"}
        )
        assert "The game is started" in said(answer), said(answer)
        assert "0 of 2 in" in said(answer) and "2 late" not in said(answer)
        invited = [m.mail for m in at.outbox.of_game("cup") if "invites you" in m.mail.subject]
        assert sorted(m.recipient for m in invited) == ["fay@f.example", "ida@i.example"]
        assert all("(Europe/Berlin;" in m.text and "YOUR FIRST REPORT" in m.text for m in invited)
    finally:
        server.close()


def test_who_never_came_in_is_invited_again_by_the_same_button(at: House, mo: Browser) -> None:
    at.mails()
    mo.post("players", {"act": "link", "role": at.role("small", "player", "blue").id})
    assert [m["Subject"] for m in at.mails() if m["To"] == "bob@b.example"] == [
        "Mo invites you: The game small, as Blue"
    ]
    at.come_in(at.role("small", "player", "blue"))
    at.mails()
    mo.post("players", {"act": "link", "role": at.role("small", "player", "blue").id})
    assert [m["Subject"] for m in at.mails() if m["To"] == "bob@b.example"] == ["The game small: your link"]
