"""Orders by mail: whatever a mail program makes of them, who may send them, and that every mail is answered once or not at all."""

from __future__ import annotations

import random
import smtplib
import socket
from email.message import EmailMessage
from pathlib import Path

import pytest

from .house import House, house

from wteaw_web.parse_mail import MAX_BYTES, read_letter  # isort: skip
from wteaw_web.inbound import receive  # isort: skip
from wteaw.store import PLAYER  # isort: skip


@pytest.fixture
def at(tmp_path: Path) -> House:
    found = house(tmp_path)
    found.desk.post = True
    found.game("small", red="ann@a.example", blue="bob@b.example")
    return found


def mail(at: House, text: str = "dig\n", nation: str = "red", **heads: str) -> EmailMessage:
    role = at.role("small", "player", nation)
    made = EmailMessage()
    made["From"] = heads.pop("sender", f"Somebody <{role.email.title()}>")
    made["To"] = heads.pop("to", at.desk.post_of(role))
    made["Subject"] = heads.pop("subject", "orders")
    made["Message-ID"] = heads.pop("id", f"<{random.random()}@x.example>")
    for name, value in heads.items():
        made[name.replace("_", "-")] = value
    made.set_content(text)
    return made


def orders(at: House, nation: str = "red") -> int:
    with at.hall.game("small") as game:
        here = game.submissions().get(nation)
        return len(here.orders) if here else 0


def test_a_players_mail_is_taken_and_read_back(at: House) -> None:
    assert receive(at.desk, mail(at, "Hello all,\n\ndig\ndig\n\nBest regards\n").as_bytes()) == "taken"
    assert orders(at) == 2
    (answer,) = at.mails()
    text = answer.get_content()
    assert answer["To"] == "ann@a.example" and answer["Subject"] == "Re: orders" and answer["Auto-Submitted"] == "auto-generated"
    assert (
        "have been taken" in text
        and "part in the dice" in text
        and answer["Reply-To"] == at.desk.post_of(at.role("small", "player", "red"))
    )
    with at.hall.game("small") as game:
        assert game.submissions()["red"].by == PLAYER


def html(text: str) -> bytes:
    made = EmailMessage()
    made.set_content(text, subtype="html")
    return made.as_bytes()


def encoded(how: str, charset: str = "utf-8", text: str = "dig\ndig\n") -> bytes:
    made = EmailMessage()
    made.set_content(text, cte=how, charset=charset)
    return made.as_bytes()


SHAPES: dict[str, bytes] = {
    "plain": b"Content-Type: text/plain\n\ndig\ndig\n",
    "no type at all": b"\n\ndig\ndig\n",
    "carriage returns": b"Content-Type: text/plain\r\n\r\ndig\r\ndig\r\n",
    "base64": encoded("base64"),
    "quoted-printable": encoded("quoted-printable"),
    "utf-16": encoded("base64", "utf-16"),
    "a charset that is none": b"Content-Type: text/plain; charset=klingon\n\ndig\ndig\n",
    "latin letters as utf-8": b"Content-Type: text/plain; charset=utf-8\n\ndig # gr\xfc\xdfe\ndig\n",
    "HTML with breaks": html("<html><head><style>p{}</style><title>dig</title></head><body>dig<br>dig<br/></body></html>"),
    "HTML with divs": html("<div>dig</div><div><b>dig</b></div><script>dig</script>"),
    "HTML with paragraphs": html("<p>Hello,</p><p>dig</p>\n<p>dig\n</p>"),
    "HTML with a quotation": html("<p>dig</p><p>dig</p><blockquote>dig<br>dig<br>dig</blockquote>"),
    "flowed": b"Content-Type: text/plain; format=flowed\n\ndig # because it \nis fine\ndig\n",
    "with a signature": b"Content-Type: text/plain\n\ndig\ndig\n-- \ndig\ndig\n",
    "quoted": b"Content-Type: text/plain\n\ndig\ndig\n\n> dig\n> dig\n> dig\n",
    "only quoted": b"Content-Type: text/plain\n\n> dig\n> dig\n",
    "broken base64": b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nZGlnCmRpZwo\n",
}


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_orders_are_found_in_whatever_a_mail_program_makes(at: House, shape: str) -> None:
    head = mail(at)
    raw = (
        f"From: {head['From']}\nTo: {head['To']}\nSubject: x\nMessage-ID: <{shape.replace(' ', '')}@x>\n".encode() + SHAPES[shape]
    )
    assert receive(at.desk, raw) == "taken", read_letter(raw).text
    assert orders(at) == 2, read_letter(raw).text


@pytest.mark.parametrize("kinds", ["alternative", "file", "mixed"])
def test_orders_are_found_in_the_parts_of_a_mail(at: House, kinds: str) -> None:
    made = mail(at, "" if kinds == "file" else "dig\ndig\n")
    if kinds == "alternative":
        made.add_alternative("<p>dig dig dig</p>", subtype="html")
    elif kinds == "file":
        made.add_attachment("dig\ndig\n", filename="orders.txt")
    else:
        made.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="x.png")
    assert receive(at.desk, made.as_bytes()) == "taken" and orders(at) == 2


def test_a_copy_is_taken_once(at: House) -> None:
    raw = mail(at).as_bytes()
    assert [receive(at.desk, raw) for _ in range(3)] == ["taken", "ignored", "ignored"]
    assert len(at.mails()) == 1
    with at.hall.game("small") as game:
        assert len(game.hand_ins_of(1, "red")) == 1


def test_what_does_not_stand_leaves_what_was_sent_and_is_answered(at: House) -> None:
    receive(at.desk, mail(at).as_bytes())
    at.mails()
    for text in ("fly\n", "", "turn 9\ndig\n", "game elsewhere\ndig\n"):
        assert receive(at.desk, mail(at, text).as_bytes()) == "not taken", text
        (answer,) = at.mails()
        assert "not taken" in answer.get_content() and orders(at) == 1


def test_strangers_hear_nothing_and_the_player_hears_of_them_once_a_day(at: House) -> None:
    role = at.role("small", "player", "red")
    token = at.desk.post_of(role)
    for n in range(3):
        assert receive(at.desk, mail(at, sender="eve@e.example", to=token, id=f"<{n}@e>").as_bytes()) == "stranger"
    assert (
        receive(
            at.desk, mail(at, "game small nation Red turn 1\ndig\n", sender="eve@e.example", to="desk@example.org").as_bytes()
        )
        == "stranger"
    )
    assert orders(at) == 0
    (answer,) = at.mails()
    assert answer["To"] == "ann@a.example" and "eve@e.example" in answer.get_content()
    at.wait(days=1)
    receive(at.desk, mail(at, sender="eve@e.example", to=token).as_bytes())
    assert [m["To"] for m in at.mails()] == ["ann@a.example"]
    assert (
        receive(at.desk, mail(at, "dig\n", sender="eve@e.example", to="desk@example.org").as_bytes()) == "ignored"
        and not at.mails()
    )


def test_a_known_address_alone_is_not_enough(at: House) -> None:
    """Anybody can write a sender: without the token of the address nothing is taken, and the answer says how."""
    text = "game small nation Red turn 1\ndig\n"
    assert receive(at.desk, mail(at, text, to="desk@example.org").as_bytes()) == "not taken" and orders(at) == 0
    (answer,) = at.mails()
    assert answer["To"] == "ann@a.example" and at.desk.post_of(at.role("small", "player", "red")) in answer.get_content()
    blue = at.desk.post_of(at.role("small", "player", "blue"))
    assert receive(at.desk, mail(at, to=blue).as_bytes()) == "stranger" and orders(at) == 0 == orders(at, "blue")


@pytest.mark.parametrize("heads", [
    {"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List_Id": "<x>"}, {"Return_Path": "<>"},
    {"X_Auto_Response_Suppress": "All"}, {"sender": "desk@example.org"}, {"sender": "MAILER-DAEMON@a.example"}, {"sender": ""},
])  # fmt: skip
def test_machines_are_not_answered(at: House, heads: dict[str, str]) -> None:
    assert receive(at.desk, mail(at, **heads).as_bytes()) == "ignored"
    assert not at.mails() and orders(at) == 0


def test_the_desk_does_not_answer_itself(at: House) -> None:
    """An answer that comes back, from whatever address, ends the talk."""
    receive(at.desk, mail(at).as_bytes())
    (answer,) = at.mails()
    assert receive(at.desk, answer.as_bytes()) == "ignored" and not at.mails()


def test_mails_are_bounded(at: House) -> None:
    assert receive(at.desk, mail(at, "dig\n" * (MAX_BYTES // 4)).as_bytes()) == "ignored" and not at.mails()


def test_mails_after_the_closing_are_answered_as_late(at: House) -> None:
    with at.hall.game("small") as game:
        game.close()
    assert receive(at.desk, mail(at).as_bytes()) == "not taken"
    assert "Orders are closed" in at.mails()[0].get_content()


def test_hostile_mails_raise_nothing(at: House) -> None:
    rng = random.Random(11)
    good = [mail(at).as_bytes(), mail(at, "<p>dig</p>").as_bytes(), SHAPES["base64"], encoded("quoted-printable")]
    odd = [
        b"\x00",
        b"=?utf-8?b?////?=",
        b"\r",
        b"\n\n",
        b"boundary=x\n",
        b'Content-Type: multipart/mixed; boundary=""\n',
        b"\xff\xfe",
        b": ",
        b"<",
        b"To: a+b@c\n",
        b'charset="\x00"',
    ]
    for _ in range(400):
        raw = bytearray(rng.choice(good))
        for _ in range(rng.randrange(1, 12)):
            place = rng.randrange(len(raw) + 1)
            if rng.random() < 0.5:
                raw[place : place + rng.randrange(8)] = rng.choice(odd)
            else:
                raw[place:place] = rng.randbytes(rng.randrange(6))
        receive(at.desk, bytes(raw))
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(300))
    receive(at.desk, b"From: a@b.example\nTo: desk+x@example.org\n" + deep + b"dig\n")


def test_a_mail_server_hands_mails_over(at: House) -> None:
    pytest.importorskip("aiosmtpd")
    from wteaw_web.transport import listen

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stop = listen(at.desk, "127.0.0.1", port)
    try:
        with smtplib.LMTP("127.0.0.1", port) as server:
            role = at.role("small", "player", "red")
            assert server.send_message(mail(at, "dig\ndig\n", to="x@y.example"), to_addrs=[at.desk.post_of(role)]) == {}
            with pytest.raises(smtplib.SMTPException):
                server.sendmail("a@b.example", [at.desk.post_of(role)], b"x" * (MAX_BYTES + 100_000))
    finally:
        stop()
    assert orders(at) == 2 and "have been taken" in at.mails()[0].get_content()
