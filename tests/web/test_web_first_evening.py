"""The first evening of a player who is invited: the invitation, help, messages, who plays whom, being ready, deadlines."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from wteaw.store import StoreError
from wteaw_web.deadlines import time_of
from wteaw_web.inbound import receive
from wteaw_web.worker import tick

from .house import Browser, House, house, said


@pytest.fixture
def at(tmp_path: Path) -> House:
    found = house(tmp_path)
    found.server.post = True
    found.game("small", red="ann@a.example", blue="bob@b.example")
    return found


def player(at: House, nation: str) -> Browser:
    return at.come_in(at.role("small", "player", nation))


def text_of(mail: EmailMessage) -> str:
    return str(mail.get_body(("plain",)).get_content())  # type: ignore[union-attr]


def invited(at: House, mo: Browser) -> EmailMessage:
    mo.post("players", {"act": "player", "nation": "gray", "name": "Gil", "email": "gil@g.example"})
    return next(m for m in at.mails() if m["To"] == "gil@g.example" and "invites you" in m["Subject"])


# ---- the invitation


def test_an_invitation_holds_all_that_one_needs(at: House, mo: Browser) -> None:
    mail = invited(at, mo)
    text, role = text_of(mail), at.role("small", "player", "gray")
    assert mail["Subject"] == "Mo invites you: The game small, as Gray"
    for part in (
        "Mo invites you to a game of", "You play Gray", "due Friday 8 May, 12:00 UTC", f"http://testserver/seat/{role.id}/orders",
        f"http://testserver/seat/{role.id}/help", "answer this mail with your orders", "the anchor of the game", "ORDER FORM",
    ):  # fmt: skip
        assert part in text, part
    assert role.post in mail["Reply-To"] and "`wteaw" not in text
    assert "The game begins" in text and "You sent no orders" not in text and "turn 0" not in text


def test_its_link_is_good_for_two_weeks_and_once(at: House, mo: Browser) -> None:
    link = re.search(r"http://testserver(/in/\S+)", text_of(invited(at, mo)))
    assert link
    at.wait(days=13, hours=23)
    browser = at.browser()
    assert browser.post(link[1], {}).status_code == 200
    assert "was used already" in said(at.browser().get(link[1]))
    second = re.search(r"http://testserver(/in/\S+)", text_of(invited(at, mo)))
    assert second
    at.wait(days=14, minutes=1)
    assert "has expired" in said(at.browser().get(second[1]))


def test_a_link_that_one_asks_for_is_good_for_a_quarter_of_an_hour(at: House) -> None:
    token = at.hall.people.link(at.role("small", "player", "red"))
    at.wait(minutes=16)
    assert "has expired" in said(at.browser().get(f"/in/{token}"))


def test_who_opens_their_page_in_another_browser_can_have_a_link_to_it(at: House) -> None:
    role, stranger = at.role("small", "player", "red"), at.browser()
    for seat, mails in ((role.id, ["ann@a.example"]), ("nothing", [])):
        answer = stranger.get(f"/seat/{seat}/orders")
        assert (
            answer.status_code == 404
            and "ann@a.example" not in answer.text
            and "Mail me a link" in answer.text
        )
        stranger.post("/link", {"seat": seat})
        assert [m["To"] for m in at.mails()] == mails, seat


def test_a_new_game_reads_as_one(at: House) -> None:
    page = said(player(at, "red").get("turn"))
    assert "The game begins" in page and "You sent no orders" not in page and "Turn 0" not in page


def test_nothing_is_taken_from_anybody_at_one_click(at: House, mo: Browser) -> None:
    ann, blue = at.role("small", "player", "red"), at.role("small", "player", "blue")
    red = at.come_in(ann)
    red.send("dig\n")
    give = {"act": "player", "nation": "red", "name": "Dan", "email": "dan@d.example"}
    for form, asked in (
        ({"act": "end", "role": ann.id}, "Remove ann, who plays Red?"),
        ({"act": "policy", "nation": "red"}, "Let a bot play Red?"),
        (give, "Give Red to Dan?"),
    ):
        page = said(mo.post("players", form))
        assert asked in page and "Change nothing" in page, form
        assert "1 open session" in page and "The 1 order that ann sent for this turn stays" in page, form
        assert red.get("turn").status_code == 200 and at.role("small", "player", "red").id == ann.id
    page = said(mo.post("players", {"act": "end", "role": blue.id}))
    assert "The link of bob@b.example ends" in page and "No orders of Blue are in" in page
    page = mo.post("players", {**give, "sure": "1"})
    assert page.status_code == 200 and red.get("turn").status_code == 404
    assert at.role("small", "player", "red").email == "dan@d.example"


def test_what_takes_nothing_from_anybody_is_not_asked_about(at: House, mo: Browser) -> None:
    assert "What it does" not in said(mo.post("players", {"act": "policy", "nation": "gray"}))
    assert "What it does" not in said(
        mo.post("players", {"act": "player", "nation": "red", "name": "Ann", "email": "ann@a.example"})
    )


# ---- help


def mail_from(at: House, sender: str, role: Any, text: str) -> str:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, at.server.post_of(role), "Re: your game"
    mail["Message-ID"], mail["Date"] = f"<{abs(hash(text))}@a.example>", "Fri, 01 May 2026 12:00:00 +0000"
    mail.set_content(text)
    return receive(at.server, mail.as_bytes())


def test_help_is_a_page_and_a_mail(at: House) -> None:
    red, role = player(at, "red"), at.role("small", "player", "red")
    page = said(red.get("help"))
    assert "How to order" in page and "dig" in page and "REFERENCE OF ORDERS" in page and "`wteaw" not in page
    book = red.get("rulebook")
    assert (
        book.status_code == 200
        and "<h1" in book.text
        and "unsafe" not in book.headers["content-security-policy"]
    )
    mail_from(at, "ann@a.example", role, "Help!\n\n> what you wrote\n")
    answer = text_of(next(m for m in at.mails() if m["Subject"].startswith("Re:")))
    assert (
        "HOW TO ORDER" in answer
        and "REFERENCE OF ORDERS" in answer
        and "WORDS" in answer
        and "`wteaw" not in answer
    )


def test_a_mail_that_only_mentions_help_is_orders(at: House) -> None:
    role = at.role("small", "player", "red")
    assert mail_from(at, "ann@a.example", role, "help me please with this\ndig\n") == "taken"


def test_a_mail_of_nothing_but_a_question_is_answered_and_replaces_nothing(at: House) -> None:
    role = at.role("small", "player", "red")
    assert mail_from(at, "ann@a.example", role, "dig\n") == "taken"
    assert mail_from(at, "ann@a.example", role, "when are orders due?\n") == "ignored"
    answer = [text_of(m) for m in at.mails() if m["Subject"].startswith("Re:")]
    assert any(
        "YOUR QUESTIONS" in text and "Orders for turn" in text and "are due" in text for text in answer
    )
    assert any("the one that you sent before still counts" in text for text in answer)
    assert not any("VALID" in text or "UNITS WITHOUT" in text for text in answer[1:])
    with at.server.hall.game("small") as game:
        assert len(game.submissions()["red"].orders) == 1
    assert mail_from(at, "ann@a.example", role, "who is playing blue?\n") == "ignored"
    assert "Blue: bob." in "".join(text_of(m) for m in at.mails())


def test_no_player_is_sent_to_a_shell(at: House) -> None:
    red = player(at, "red")
    for page in ("turn", "orders", "orders?form=1", "nation", "messages", "help", "proof", "report.txt"):
        assert "`wteaw" not in red.get(page).text, page
    assert (
        "`wteaw"
        not in red.post("orders/check", {"text": "conquer the world\nabracadabra\n", "live": "1"}).text
    )


# ---- messages


def test_messages_reach_whom_they_are_for_and_nobody_else(at: House, mo: Browser) -> None:
    at.hall.people.add("small", "player", nation="gray", name="Gil", email="gil@g.example")
    with at.hall.game("small") as game:
        game.command("gray", "player", "Gil")
    red, blue, gray = player(at, "red"), player(at, "blue"), player(at, "gray")
    at.mails()
    red.post("messages", {"to-blue": "1", "text": "Shall we split gray?"})
    assert [m["To"] for m in at.mails()] == ["bob@b.example"]
    red.post("messages", {"to-*": "1", "text": "Peace to all."})
    assert sorted(m["To"] for m in at.mails()) == ["bob@b.example", "gil@g.example", "mo@small.example"]
    assert "Shall we split" in said(blue.get("messages")) and "Shall we split" in said(red.get("messages"))
    for other in (gray, mo):
        page = said(other.get("messages"))
        assert "Shall we split" not in page and "Peace to all" in page
    mo.post("messages", {"to-*": "1", "text": "The deadline is Friday."})
    assert sorted(m["To"] for m in at.mails()) == ["ann@a.example", "bob@b.example", "gil@g.example"]
    assert "announcement" in said(red.get("messages")) and "The deadline is Friday." in said(
        red.get("messages")
    )


@pytest.mark.parametrize(
    ("talk", "to", "stands"),
    [
        ("public", "to-*", True), ("public", "to-blue", False), ("private", "to-blue", True), ("private", "to-*", False),
        ("", "to-*", False), ("", "to-blue", False), ("", "to-moderator", True),
    ],
)  # fmt: skip
def test_each_game_says_how_players_may_write(
    at: House, mo: Browser, talk: str, to: str, stands: bool
) -> None:
    mo.post("game/clock", {"auto": "nothing", **({f"talk-{talk}": "1"} if talk else {})})
    answer = player(at, "red").post("messages", {to: "1", "text": "Hello"})
    assert answer.status_code == (200 if stands else 409)
    assert ("Hello" in said(player(at, "red").get("messages"))) == stands


def test_unsigned_messages_and_seats_name_nobody(at: House, mo: Browser) -> None:
    red, blue = player(at, "red"), player(at, "blue")
    assert red.post("messages", {"to-blue": "1", "text": "Guess who", "unsigned": "1"}).status_code == 409
    mo.post("game/clock", {"auto": "nothing", "talk-private": "1", "talk-anonymous": "1"})
    at.mails()
    assert red.post("messages", {"to-blue": "1", "text": "Guess who", "unsigned": "1"}).status_code == 200
    mail, page = text_of(at.mails()[0]), said(blue.get("messages"))
    for text in (mail, page):
        assert "Guess who" in text and "unsigned" in text
        assert "ann" not in text and "Red writes" not in text and "Red to" not in text
    assert "you, unsigned" in said(red.get("messages"))


# ---- who plays, ready, deadlines


def test_who_plays_whom_and_how_far_they_are(at: House) -> None:
    red = player(at, "red")
    page = said(red.get("messages"))
    assert re.search(r"Blue\W+bob\b", page) and re.search(r"Red\W+ann\b", page) and "✓ ready" not in page
    blue = player(at, "blue")
    before = said(blue.get("messages"))
    red.send("dig\n")
    assert said(blue.get("messages")) == before, "nobody is told who has sent"
    red.post("orders/ready", {"ready": "1"})
    assert re.search(r"Red\W+ann\W+ready", said(blue.get("messages")))


def test_a_turn_goes_on_as_soon_as_all_are_ready_and_not_before(at: House, mo: Browser) -> None:
    mo.post("game/clock", {"due": "2026-05-20T20:00", "days": "7", "auto": "send", "early": "1"})
    red, blue = player(at, "red"), player(at, "blue")
    assert red.post("orders/ready", {"ready": "1"}).status_code == 409, "who has sent nothing is not ready"
    red.send("dig\n")
    blue.send("dig\n")
    tick(at.server)
    red.post("orders/ready", {"ready": "1"})
    tick(at.server)
    assert "Orders for turn 1" in said(red.get("orders")) and "1 of 2 are ready" in said(red.get("orders"))
    blue.post("orders/ready", {"ready": "1"})
    red.post("orders/ready", {"ready": "0"})
    tick(at.server)
    assert "Orders for turn 1" in said(red.get("orders")), "one has thought better of it"
    red.post("orders/ready", {"ready": "1"})
    assert any("ready" in done for done in tick(at.server))
    assert "Orders for turn 2" in said(red.get("orders")) and "are ready" not in said(red.get("orders"))
    tick(at.server)
    assert "Orders for turn 2" in said(red.get("orders")), (
        "nobody is ready for a turn that they have not seen"
    )


def test_deadlines_are_of_a_time_zone_and_keep_their_time_of_day(at: House) -> None:
    at.now = at.now.replace(month=10, day=20)
    mo = at.come_in(at.role("small", "moderator"))
    mo.post("game/clock", {"due": "2026-10-23T20:00", "zone": "Europe/Paris", "days": "7", "auto": "nothing"})
    now = at.hall.settings("small")
    assert now.due == "2026-10-23T18:00:00+00:00" and 'value="2026-10-23T20:00"' in mo.get("game").text
    at.now += timedelta(days=2)
    assert at.hall.next_deadline(now) == "2026-10-29T19:00:00+00:00", "the clocks went back on the 25th"
    mo.post("game/remind", {"nation": "red"})
    assert "20:00 (Europe/Paris; 18:00 UTC)" in text_of(
        next(m for m in at.mails() if "missing" in m["Subject"])
    )
    assert mo.post("game/clock", {"due": "2026-10-28T20:00", "zone": "Mars/Olympus"}).status_code == 409


def test_phases_may_have_hours_of_their_own(at: House) -> None:
    """Or minutes, for a game of one evening."""
    run = replace(at.hall.settings("small"), spans="retreats 24 builds 36 fights 0:15")
    assert at.hall.next_deadline(run, "retreats") == "2026-05-02T12:00:00+00:00"
    assert at.hall.next_deadline(run, "builds") == "2026-05-03T00:00:00+00:00"
    assert at.hall.next_deadline(run, "fights") == "2026-05-01T12:15:00+00:00"
    assert at.hall.next_deadline(run, "orders") == at.hall.next_deadline(run)
    for wrong in ("soon", "0:75", "-1", "99999"):
        with pytest.raises(StoreError, match=r"24 .hours. or 0:15"):
            time_of(wrong)


def test_no_orders_are_due_on_days_off(at: House) -> None:
    """Weekends and holidays: what would fall there is due at that time of the next day that is none."""
    mo = at.come_in(at.role("small", "moderator"))
    form = {"due": "2026-05-07T20:00", "zone": "Europe/Paris", "days": "7", "auto": "resolve"}
    mo.post("game/clock", {**form, "weekends": "1", "off": "2026-05-14, 2026-05-18..2026-05-20"})
    run = at.hall.settings("small")
    assert run.off == "weekends 2026-05-14 2026-05-18..2026-05-20"
    at.now = at.now.replace(day=7, hour=18, minute=0)  # 20:00 in Paris: a week later is Ascension Day
    assert at.hall.next_deadline(run) == "2026-05-15T18:00:00+00:00"
    at.now = at.now.replace(day=9)
    assert at.hall.next_deadline(run) == "2026-05-21T18:00:00+00:00", "a weekend and three days off after it"
    retreats = replace(run, spans="retreats 24")
    at.now = at.now.replace(day=8)
    assert at.hall.next_deadline(retreats, "retreats") == "2026-05-11T18:00:00+00:00"
    told = at.come_in(at.role("small", "player", "red")).get("messages").text
    assert "No orders are due on Saturdays and Sundays, on May 14, 2026" in told
    assert "At the deadline the turn goes on by itself." in told
    for wrong, why in (("24.12.2026", "a day is written like"), ("2026-05-20..2026-05-18", "comes before")):
        answer = mo.post("game/clock", {**form, "off": wrong})
        assert answer.status_code == 409 and why in answer.text and wrong in answer.text
    assert at.hall.settings("small") == run, "what was refused changes nothing"


def test_a_note_to_oneself_is_read_by_nobody_else_and_mailed_to_nobody(at: House) -> None:
    """Also where players may not write to each other."""
    red, blue, mo = (
        at.come_in(at.role("small", *who)) for who in (("player", "red"), ("player", "blue"), ("moderator",))
    )
    at.hall.keep(replace(at.hall.settings("small"), talk=""))
    at.mails()
    assert red.post("messages", {"to-red": "1", "text": "Take Gray in the fall."}).status_code == 200
    shown = red.get("messages").text
    assert "Take Gray in the fall." in shown and "to yourself" in shown
    assert all("Take Gray" not in other.get("messages").text for other in (blue, mo))
    assert at.mails() == []
    assert red.post("messages", {"to-red": "1", "to-blue": "1", "text": "Well?"}).status_code == 409
