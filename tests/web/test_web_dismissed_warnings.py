"""Warnings about orders are silenced one by one, for the line as it is written, and the receipt says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ..test_secrecy import DRAWING
from ..world1914 import loaded
from .house import Browser, House, house, said

from wteaw_web.demonstration import GAME, demonstration  # isort: skip

TEXT = "move 1 infantry from hamburg to denmark\nmove 1 infantry from ruhr to netherlands\n"
BUTTON = re.compile(r'name="mean" value="(\w+)">I mean it')
SILENT = "is silenced: you mean it, and the receipt will say so"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> House:
    found = house(tmp_path_factory.mktemp("meant"))
    scenario, ruleset, _ = loaded()
    demonstration(found.hall, scenario, ruleset, DRAWING, turns=1)
    return found


@pytest.fixture
def player(at: House) -> Browser:
    return at.come_in(next(r for r in at.hall.people.of_game(GAME) if r.nation == "german-empire"))


def test_a_warning_is_silenced_for_its_line(at: House, player: Browser) -> None:
    page = player.post("orders/check", {"text": TEXT})
    first, *others = BUTTON.findall(page.text)
    n = len(others)
    page = player.post("orders/check", {"text": TEXT, "mean": first})
    assert BUTTON.findall(page.text) == others and SILENT in said(page)
    live = player.post("orders/check", {"text": TEXT, "live": "1"})
    assert BUTTON.findall(live.text) == others and SILENT in said(live), "it stays so while one types"
    other = player.post(
        "orders/check",
        {"text": TEXT.replace("move 1 infantry from hamburg", "move all from hamburg", 1), "live": "1"},
    )
    assert len(BUTTON.findall(other.text)) == n + 1 and SILENT not in said(other), (
        "another line is another matter"
    )
    player.post("orders/check", {"text": TEXT, "live": "1"})
    again = player.post("orders/check", {"text": TEXT, "live": "1", "mean": ""})
    assert BUTTON.findall(again.text) == [first, *others] and SILENT not in said(again)
    for odd in ("x", "g" * 16, "a" * 15, "é" * 16, "a b" * 6):
        player.post("orders/check", {"text": TEXT, "live": "1", "mean": odd})
    assert at.hall.drafts.of(GAME, "german-empire", at.hall.last_sent(GAME)).meant == frozenset()
    player.post("orders/check", {"text": TEXT, "live": "1", "mean": first})
    at.mails()
    player.send(TEXT)
    (receipt,) = [m.get_content() for m in at.mails() if "your orders" in m["Subject"]]
    assert re.search(r"You were warned, and meant it:\n  line 1: \w", receipt)
    at.server.close()
    assert at.hall.drafts.of(GAME, "german-empire", at.hall.last_sent(GAME)).meant == {first}


def test_a_receipt_says_nothing_of_what_nobody_silenced(at: House) -> None:
    other = at.come_in(next(r for r in at.hall.people.of_game(GAME) if r.nation == "russian-empire"))
    at.mails()
    other.send("research tanks\n")
    assert [m for m in at.mails() if "your orders" in m["Subject"] and "meant it" not in m.get_content()]


def test_it_holds_for_one_turn(at: House, tmp_path: Path) -> None:
    kept = at.hall.drafts.keep(GAME, "italy", 3, "dig", mean="a" * 16)
    assert kept.meant == {"a" * 16} == at.hall.drafts.of(GAME, "italy", 3).meant
    assert at.hall.drafts.of(GAME, "italy", 4) == ("", "", frozenset())
    assert at.hall.drafts.keep(GAME, "italy", 4, "dig").meant == frozenset()
