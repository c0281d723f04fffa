"""An offer of one player to another at a server: it is mailed at once, stands on the other's pages, and waits for its answer."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from .. import small
from .house import FRAME, SHOWS, Browser, House, house, said

from wteaw_web.inbound import receive  # isort: skip
from wteaw_web.worker import tick  # isort: skip

SUE = {
    "id": "sue",
    "syntax": "sue for peace",
    "says": "{self} sues for peace.",
    "effects": [
        {
            "vote": {
                "of": "nations(side=opposite(self.side))",
                "ask": "peace",
                "about": "=self",
                "then": [{"pay": {"to": "=self", "what": "gold", "amount": 50}}],
            }
        }
    ],
    "audience": "everyone",
}
PEACE = {
    "id": "peace",
    "asks": "=self",
    "from": ["accept", "refuse"],
    "default": "accept",
    "stands": "turn",
    "syntax": "{answer} [the] peace of {of}",
    "slots": {"answer": {"kind": "choice", "choices": ["accept", "refuse"]}, "of": "nation"},
}
COURT = {"phase": "court", "steps": [{"step": "actions", "do": "act", "actions": ["dig", "sue"]}]}
RULES = small.ruleset([FRAME[0], COURT], actions=[small.DIG, SUE], decisions=[PEACE], visibility=SHOWS)
OFFER = "Red sues for peace. Answer with `accept peace of Red` or `refuse peace of Red`; without an answer it is: accept."


@pytest.fixture
def at(tmp_path: Path) -> House:
    found = house(tmp_path)
    found.server.post = True
    found.game("small", RULES, red="ann@a.example", blue="bob@b.example")
    found.mails()
    return found


@pytest.fixture
def red(at: House) -> Browser:
    return at.come_in(at.role("small", "player", "red"))


@pytest.fixture
def blue(at: House) -> Browser:
    return at.come_in(at.role("small", "player", "blue"))


def to(mails: list[EmailMessage], who: str) -> list[EmailMessage]:
    return [m for m in mails if m["To"] == who]


def test_an_offer_is_mailed_once_and_shown_until_it_is_answered(
    at: House, red: Browser, blue: Browser
) -> None:
    assert "sues for peace" not in said(blue.get("orders"))
    red.send("sue for peace\n")
    red.send("sue for peace\ndig\n")
    mails = at.mails()
    (told,) = (m for m in to(mails, "bob@b.example") if "offer" in m["Subject"])
    assert "Red makes you an offer" in told["Subject"] and OFFER in told.get_content()
    assert f"{blue.seat}/orders" in told.get_content(), "with the way to their own page"
    assert not [m for m in to(mails, "ann@a.example") if "offer" in m["Subject"]]
    for page in ("turn", "orders"):
        shown = blue.get(page)
        assert (
            "Red sues for peace. Answer among your orders" in said(shown)
            and "<code>refuse peace of Red</code>" in shown.text
        )
        assert "Answer among your orders" not in said(red.get(page))
    assert "# refuse peace of Red" in blue.get("orders", form="1").text
    blue.send("refuse peace of Red\n")
    assert "Answer among your orders" not in said(blue.get("orders"))
    assert not [m for m in at.mails() if "offer" in m["Subject"]]


def test_when_all_are_ready_an_offer_still_waits_for_its_answer(
    at: House, red: Browser, blue: Browser
) -> None:
    mo = at.come_in(at.role("small", "moderator"))
    mo.post("game/clock", {"auto": "send", "early": "1", "due": "2026-05-08T12:00", "days": "7"})
    blue.send("dig\n")
    blue.post("orders/ready", {"ready": "1"})
    red.send("sue for peace\n")
    red.post("orders/ready", {"ready": "1"})
    tick(at.server)
    with at.hall.game("small") as game:
        assert game.stage().position.turn == 1, "the offer has just come"
    blue.send("dig\nrefuse peace of Red\n")
    blue.post("orders/ready", {"ready": "1"})
    tick(at.server)
    with at.hall.game("small") as game:
        assert game.stage().position.turn == 2
        assert [f.word for e in game.journal() for f in e.facts if f.word in ("accepted", "refused")] == [
            "refused"
        ]


def test_an_offer_that_comes_by_mail_is_told_as_well(at: House, blue: Browser) -> None:
    role = at.role("small", "player", "red")
    made = EmailMessage()
    made["From"], made["To"], made["Subject"], made["Message-ID"] = (
        role.email,
        at.server.post_of(role),
        "orders",
        "<1@x.example>",
    )
    made.set_content("sue for peace\n")
    assert receive(at.server, made.as_bytes()) == "taken"
    mails = at.mails()
    assert [m["Subject"] for m in to(mails, "bob@b.example") if "offer" in m["Subject"]] == [
        "The game small, turn 1: Red makes you an offer"
    ]
    (answer,) = to(mails, "ann@a.example")
    assert (
        "Blue is told of this offer before the turn is resolved: Red sues for peace." in answer.get_content()
    )
    assert f"Your page: http://testserver/seat/{role.id}/orders" in answer.get_content()


def test_receipts_lead_to_the_players_own_page(at: House, red: Browser) -> None:
    red.send("dig\n")
    (receipt,) = (m for m in at.mails() if "your orders" in m["Subject"])
    assert f"Your page: http://testserver{red.seat}/orders" in receipt.get_content()


def test_the_moderators_answer_is_no_submission_and_is_told(at: House, red: Browser, blue: Browser) -> None:
    mo = at.come_in(at.role("small", "moderator"))
    red.send("sue for peace\n")
    blue.send("dig\n")
    shown = mo.get("game")
    assert "Red sues for peace. Blue has been told and has not answered." in said(shown)
    mo.post("game/close", {})
    assert (
        "without an answer of Blue" in said(mo.get("game"))
        and mo.post("game/resolve", {"stage": "1"}).status_code == 409
    )
    assert (
        "answered"
        in said(
            mo.post("game/decide", {"nation": "blue", "decision": "peace/red", "answer": "refuse"})
        ).lower()
    )
    with at.hall.game("small") as game:
        assert game.submissions()["blue"].answers == {} and game.decided() == {
            "blue": {"peace/red": "refuse"}
        }
    assert (
        mo.post("game/decide", {"nation": "blue", "decision": "peace/red", "answer": "perhaps"}).status_code
        == 409
    )
    assert "for Blue, unless its orders answer it: peace, Red: refuse" in said(mo.get("game"))
    assert mo.post("game/resolve", {"stage": "1"}).status_code == 200
