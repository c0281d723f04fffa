"""Orders by mail: whatever a mail program makes of them, who may send them, and that every mail is answered once or not at all."""

from __future__ import annotations

import contextlib
import random
import resource
import smtplib
import socket
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path

import pytest

from .. import small
from .hostile import COSTLY, encoded_twice
from .house import RULES, House, house

from wteaw_web.parse_mail import MAX_BYTES, UnreadableMail, read_head, read_text  # isort: skip
from wteaw_web import inbound, mail_text, parse_mail  # isort: skip
from wteaw_web.inbound import receive  # isort: skip
from wteaw_web.outbox import Mail, Queued  # isort: skip
from wteaw.orders.mail_text import read_letter  # isort: skip
from wteaw.store import PLAYER, Game, StoreError  # isort: skip


@pytest.fixture
def at(tmp_path: Path) -> House:
    found = house(tmp_path)
    found.server.post = True
    found.game("small", red="ann@a.example", blue="bob@b.example")
    return found


def mail(at: House, text: str = "dig\n", nation: str = "red", **heads: str) -> EmailMessage:
    role = at.role("small", "player", nation)
    made = EmailMessage()
    made["From"] = heads.pop("sender", f"Somebody <{role.email.title()}>")
    made["To"] = heads.pop("to", at.server.post_of(role))
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
    assert receive(at.server, mail(at, "Hello all,\n\ndig\ndig\n\nBest regards\n").as_bytes()) == "taken"
    assert orders(at) == 2
    (answer,) = at.mails()
    text = answer.get_content()
    assert (
        answer["To"] == "ann@a.example"
        and answer["Subject"] == "Re: orders"
        and answer["Auto-Submitted"] == "auto-generated"
    )
    assert (
        "have been taken" in text
        and "part in the dice" in text
        and answer["Reply-To"] == at.server.post_of(at.role("small", "player", "red"))
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
    "a charset that makes no text": b"Content-Type: text/plain; charset=zlib\n\ndig\ndig\n",
    "another that makes none": b"Content-Type: text/plain; charset=rot13\n\ndig\ndig\n",
    "latin letters as utf-8": b"Content-Type: text/plain; charset=utf-8\n\ndig # gr\xfc\xdfe\ndig\n",
    "HTML with breaks": html(
        "<html><head><style>p{}</style><title>dig</title></head><body>dig<br>dig<br/></body></html>"
    ),
    "HTML with divs": html("<div>dig</div><div><b>dig</b></div><script>dig</script>"),
    "HTML with paragraphs": html("<p>Hello,</p><p>dig</p>\n<p>dig\n</p>"),
    "HTML with a quotation": html("<p>dig</p><p>dig</p><blockquote>dig<br>dig<br>dig</blockquote>"),
    "flowed": b"Content-Type: text/plain; format=flowed\n\ndig # because it \nis fine\ndig\n",
    "with a signature": b"Content-Type: text/plain\n\ndig\ndig\n-- \ndig\ndig\n",
    "quoted": b"Content-Type: text/plain\n\ndig\ndig\n\n> dig\n> dig\n> dig\n",
    "only quoted": b"Content-Type: text/plain\n\n> dig\n> dig\n",
    "HTML with a table": html("<table><tr><td>dig</td><td># a</td></tr><tr><th>dig</th></tr></table>"),
    "HTML with kept lines": html('<div style="white-space: pre-wrap">dig\ndig</div>'),
    "HTML with words struck out": html(
        '<p>dig<br>dig</p><p><s>dig</s><del>dig</del><span style="text-decoration: line-through">dig</span>'
    ),
    "HTML with an older mail": html("<p>dig</p><p>dig</p><div class='x gmail_quote'>Bob wrote<br>dig</div>"),
    "HTML with heads of an older mail": html(
        "<p>dig</p>dig<hr><div id='divRplyFwdMsg'><b>From:</b> Bob<br></div><div>dig</div>"
    ),
    "sections": html("<section>dig</section><dl><dt>dig</dt></dl>"),
    "an older mail between dashes": b"\n\ndig\ndig\n\n-----Urspr\xc3\xbcngliche Nachricht-----\ndig\ndig\n",
    "an older mail under its heads": b"\n\ndig\ndig\n\nDe : Bob\nEnvoy\xc3\xa9 : lundi\n\xc3\x80 : Ann\n\ndig\ndig\n",
    "an older mail that is told of": b"\n\ndig\ndig\nOn Mon, 4 May 2026 at 10:00,\nBob <b@c.example> wrote:\n\ndig\n",
    "answers within an older mail": b"\n\nOn Mon, 4 May 2026, Bob wrote:\n> dig?\ndig\n> fly?\ndig\n",
    "a form in an older mail": b"\n\nsee below\n\nFrom: Bob\nSent: Monday\nTo: Ann\n\ndig\ndig\n",
    "two heads are no older mail": b"\n\nFrom: Ann\nTo: Bob\ndig\ndig\n",
    "a list to be ticked off": b"\n\n- [x] dig\n[ ] dig\n",
    "code": b"\n\n```\ndig\ndig\n```\n",
    "a separator of lines": "\n\ndig\u2028dig\n".encode(),
    "broken base64": b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nZGlnCmRpZwo\n",
}


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_orders_are_found_in_whatever_a_mail_program_makes(at: House, shape: str) -> None:
    head = mail(at)
    raw = (
        f"From: {head['From']}\nTo: {head['To']}\nSubject: x\nMessage-ID: <{shape.replace(' ', '')}@x>\n".encode()
        + SHAPES[shape]
    )
    assert receive(at.server, raw) == "taken", read_text(raw)
    assert orders(at) == 2, read_text(raw)


@pytest.mark.parametrize("kinds", ["alternative", "file", "mixed"])
def test_orders_are_found_in_the_parts_of_a_mail(at: House, kinds: str) -> None:
    made = mail(at, "" if kinds == "file" else "dig\ndig\n")
    if kinds == "alternative":
        made.add_alternative("<p>dig dig dig</p>", subtype="html")
    elif kinds == "file":
        made.add_attachment("dig\ndig\n", filename="orders.txt")
    else:
        made.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="x.png")
    assert receive(at.server, made.as_bytes()) == "taken" and orders(at) == 2


def test_a_mail_that_is_attached_is_not_read(at: House) -> None:
    made, older = mail(at, "dig\ndig\n"), EmailMessage()
    older.set_content("dig\n")
    made.add_attachment(older)
    assert receive(at.server, made.as_bytes()) == "taken" and orders(at) == 2


OF_OTHERS = {
    "html-pre.eml": ["build 3 infantry in Berlin", "build 1 artillery in Cologne"],
    "html-pre-wrap.eml": ["build 3 infantry in Berlin", "build 1 artillery in Cologne"],
    "outlook-reply-below.txt": ["build 2 infantry in Posen"],
    "outlook-german-heads-below.txt": ["build 2 infantry in Posen"],
}
"""What the player wrote in the mails that read something else once; all others say `build 3 infantry in Berlin`."""


@pytest.mark.parametrize(
    "file", sorted((Path(__file__).parents[1] / "data" / "mail").iterdir()), ids=lambda f: f.stem
)
def test_mails_that_went_wrong_once(file: Path) -> None:
    data = file.read_bytes()
    text = read_text(data) if file.suffix == ".eml" else data.decode()
    lines = [line.text.strip() for line in read_letter(text).lines if not line.quoted and line.text.strip()]
    assert lines == OF_OTHERS.get(file.name, ["build 3 infantry in Berlin"])


def test_a_copy_is_taken_once(at: House) -> None:
    raw = mail(at).as_bytes()
    assert [receive(at.server, raw) for _ in range(3)] == ["taken", "ignored", "ignored"]
    assert len(at.mails()) == 1
    with at.hall.game("small") as game:
        assert len(game.hand_ins_of(1, "red")) == 1


def test_what_does_not_stand_leaves_what_was_sent_and_is_answered(at: House) -> None:
    receive(at.server, mail(at).as_bytes())
    at.mails()
    for text in ("fly\n", "", "turn 9\ndig\n", "game elsewhere\ndig\n"):
        assert receive(at.server, mail(at, text).as_bytes()) == "not taken", text
        (answer,) = at.mails()
        assert "not taken" in answer.get_content() and orders(at) == 1


def test_strangers_hear_nothing_and_the_player_hears_of_them_once_a_day(at: House) -> None:
    role = at.role("small", "player", "red")
    token = at.server.post_of(role)
    for n in range(3):
        assert (
            receive(at.server, mail(at, sender="eve@e.example", to=token, id=f"<{n}@e>").as_bytes())
            == "stranger"
        )
    assert (
        receive(
            at.server,
            mail(
                at, "game small nation Red turn 1\ndig\n", sender="eve@e.example", to="desk@example.org"
            ).as_bytes(),
        )
        == "stranger"
    )
    assert orders(at) == 0
    (answer,) = at.mails()
    assert answer["To"] == "ann@a.example" and "eve@e.example" in answer.get_content()
    at.wait(days=1)
    receive(at.server, mail(at, sender="eve@e.example", to=token).as_bytes())
    assert [m["To"] for m in at.mails()] == ["ann@a.example"]
    assert (
        receive(at.server, mail(at, "dig\n", sender="eve@e.example", to="desk@example.org").as_bytes())
        == "ignored"
        and not at.mails()
    )


def test_a_known_address_alone_is_not_enough(at: House) -> None:
    """Anybody can write a sender: without the token of the address nothing is taken, and the answer says how."""
    text = "game small nation Red turn 1\ndig\n"
    assert (
        receive(at.server, mail(at, text, to="desk@example.org").as_bytes()) == "not taken"
        and orders(at) == 0
    )
    (answer,) = at.mails()
    assert (
        answer["To"] == "ann@a.example"
        and at.server.post_of(at.role("small", "player", "red")) in answer.get_content()
    )
    blue = at.server.post_of(at.role("small", "player", "blue"))
    assert receive(at.server, mail(at, to=blue).as_bytes()) == "stranger" and orders(at) == 0 == orders(
        at, "blue"
    )


@pytest.mark.parametrize("heads", [
    {"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List_Id": "<x>"}, {"Return_Path": "<>"},
    {"X_Auto_Response_Suppress": "All"}, {"sender": "desk@example.org"}, {"sender": "MAILER-DAEMON@a.example"}, {"sender": ""},
])  # fmt: skip
def test_machines_are_not_answered(at: House, heads: dict[str, str]) -> None:
    assert receive(at.server, mail(at, **heads).as_bytes()) == "ignored"
    assert not at.mails() and orders(at) == 0


def test_the_server_does_not_answer_itself(at: House) -> None:
    """An answer that comes back, from whatever address, ends the talk."""
    receive(at.server, mail(at).as_bytes())
    (answer,) = at.mails()
    assert receive(at.server, answer.as_bytes()) == "ignored" and not at.mails()


def test_mails_are_bounded(at: House) -> None:
    assert receive(at.server, mail(at, "dig\n" * (MAX_BYTES // 4)).as_bytes()) == "ignored" and not at.mails()


def test_mails_after_the_closing_are_answered_as_late(at: House) -> None:
    with at.hall.game("small") as game:
        game.close()
    assert receive(at.server, mail(at).as_bytes()) == "not taken"
    assert "Orders are closed" in at.mails()[0].get_content()


def test_hostile_mails_raise_nothing(at: House) -> None:
    rng = random.Random(11)
    good = [
        mail(at).as_bytes(),
        mail(at, "<p>dig</p>").as_bytes(),
        SHAPES["base64"],
        encoded("quoted-printable"),
    ]
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
    for number in range(400):
        raw = bytearray(rng.choice(good))
        for _ in range(rng.randrange(1, 12)):
            place = rng.randrange(len(raw) + 1)
            if rng.random() < 0.5:
                raw[place : place + rng.randrange(8)] = rng.choice(odd)
            else:
                raw[place:place] = rng.randbytes(rng.randrange(6))
        read_head(bytes(raw), own="desk@example.org")
        with contextlib.suppress(mail_text.TooManyParts):
            mail_text.text_of(bytes(raw))
        if not number % 40:
            receive(at.server, bytes(raw))
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(300))
    receive(at.server, b"From: a@b.example\nTo: desk+x@example.org\n" + deep + b"dig\n")


def test_a_mail_server_hands_mails_over(at: House) -> None:
    pytest.importorskip("aiosmtpd")
    from wteaw_web.transport import listen

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stop = listen(at.server, "127.0.0.1", port)
    try:
        with smtplib.LMTP("127.0.0.1", port) as smtp:
            role = at.role("small", "player", "red")
            assert (
                smtp.send_message(
                    mail(at, "dig\ndig\n", to="x@y.example"), to_addrs=[at.server.post_of(role)]
                )
                == {}
            )
            with pytest.raises(smtplib.SMTPException):
                smtp.sendmail("a@b.example", [at.server.post_of(role)], b"x" * (MAX_BYTES + 100_000))
    finally:
        stop()
    assert orders(at) == 2 and "have been taken" in at.mails()[0].get_content()


# ---- mails that are to cost something


@pytest.mark.parametrize("what", sorted(COSTLY))
def test_a_costly_mail_costs_its_reader_and_nobody_else(at: House, what: str) -> None:
    """Who takes mails in does not grow, and goes on; the player hears once of what could not be read, and what stood before stands."""
    receive(at.server, mail(at).as_bytes())
    at.mails()
    head = f"From: ann@a.example\nTo: {at.server.post_of(at.role('small', 'player', 'red'))}\nMessage-ID: <costly@x>\n".encode()
    raw = (head + COSTLY[what])[:MAX_BYTES]
    before = resource.getrusage(resource.RUSAGE_SELF)
    verdicts = [receive(at.server, raw) for _ in range(2)]
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert verdicts[0] in ("taken", "not taken") and verdicts[1] == "ignored"
    assert after.ru_maxrss - before.ru_maxrss < 100_000  # kB
    assert after.ru_utime - before.ru_utime < 2 * mail_text.SECONDS
    assert orders(at) == 1 and len(at.mails()) == 1


def test_the_text_of_a_strangers_mail_is_never_read(at: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbound, "read_text", lambda _: pytest.fail("it was read"))
    token = at.server.post_of(at.role("small", "player", "red"))
    for sender, to in (
        ("eve@e.example", token),
        ("ann@a.example", "desk@example.org"),
        ("eve@e.example", "desk@example.org"),
    ):
        receive(at.server, mail(at, "game small nation Red turn 1\ndig\n", sender=sender, to=to).as_bytes())


def test_a_reader_that_is_ended_ends_nothing_else(at: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_mail, "SECONDS", 0.001)
    with pytest.raises(UnreadableMail, match="longer than"):
        read_text(mail(at).as_bytes())


def test_a_mail_that_ends_whoever_takes_it_is_set_aside_after_two_tries(
    at: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written down before the reading is what the next process finds."""

    def ended(_: bytes) -> str:
        raise KeyboardInterrupt  # as a process is ended that reads it

    raw = mail(at).as_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(inbound, "read_text", ended)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                receive(at.server, raw)
    assert receive(at.server, raw) == "not taken" and receive(at.server, raw) == "ignored"
    (answer,) = at.mails()
    assert "set aside" in answer.get_content() and orders(at) == 0
    with monkeypatch.context() as patched:
        patched.setattr(inbound, "read_text", ended)
        other = mail(at).as_bytes()
        with pytest.raises(KeyboardInterrupt):
            receive(at.server, other)
    assert receive(at.server, other) == "taken", "one that met a process which was ended by chance is read"


# ---- mails that go out

ENDS = "\r\n", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"


@pytest.mark.parametrize("to", ["token", "server"])
@pytest.mark.parametrize("subject", [
    encoded_twice("orders\r\nReply-To: eve@evil.example\r\nX-Injected: yes\r\n\r\nYour link: http://evil.example/"),
    *(f"orders{end}Reply-To: eve@evil.example{end}X-Injected: yes" for end in ENDS),
    "=?utf-8?b?DQpYLUluamVjdGVkOiB5ZXM=?=", "=?utf-8?q?orders?= =?utf-8?q?=0aX-Injected=3a_yes?=",
])  # fmt: skip
def test_no_subject_of_others_adds_a_line_to_a_head(at: House, subject: str, to: str) -> None:
    role = at.role("small", "player", "red")
    address = at.server.post_of(role) if to == "token" else "desk@example.org"
    text = "game small nation red turn 1\ndig 3\n"
    receive(
        at.server,
        f"From: ann@a.example\nTo: {address}\nMessage-ID: <77@e>\nSubject: {subject}\n\n{text}".encode(),
    )
    sent = at.mails()
    assert sent
    for one in sent:
        back = message_from_bytes(one.as_bytes())
        assert back["X-Injected"] is None and back.get_all("Reply-To") == [at.server.post_of(role)]
        assert "evil.example" not in one.get_content() and back["To"] == "ann@a.example"


@pytest.mark.parametrize(
    "title",
    [f"The game{end}X-Injected: yes" for end in ENDS]
    + [encoded_twice("a\r\nB: c"), "", "x" * 121, "a\u202eb"],
)
def test_a_title_that_no_mail_can_bear_is_refused_when_it_is_given(at: House, title: str) -> None:
    with pytest.raises(StoreError, match="cannot be a title"):
        Game.begin(
            at.hall.engine,
            RULES,
            {"title": title, "start": {}},
            small.state(game={"game": {"turn": 0}}),
            id_="other",
        )
    assert at.hall.ids() == ["small"]


@pytest.mark.parametrize(
    "address",
    [
        "=?utf-8?q?a=0d=0aBcc=3a_x@y.z?=@b.example",
        "a\u2028b@c.example",
        "a\u202eb@c.example",
        "a=?utf-8?q?=0a?=b@c.example",
    ],
)
def test_an_address_that_no_mail_can_bear_is_refused(at: House, address: str) -> None:
    with pytest.raises(StoreError, match="no e-mail address"):
        at.hall.people.add("small", "player", nation="red", email=address)


def test_a_mail_that_cannot_be_written_keeps_no_other_back(
    at: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = at.outbox.message

    def message(one: Queued) -> EmailMessage:
        if one.mail.key == "bad":
            raise ValueError("Header values may not contain linefeed or carriage return characters")
        return write(one)

    monkeypatch.setattr(at.outbox, "message", message)
    at.outbox.put(
        Mail("bad", "a@b.example", "x", "y", game="small"),
        Mail("good", "a@b.example", "x", "y", game="small"),
    )
    assert len(at.mails()) == 1
    assert [m.fault for m in at.outbox.of_game("small")] == [
        "",
        "ValueError: Header values may not contain linefeed or carriage return characters",
    ]


def test_the_token_of_a_player_stands_in_no_mail_to_anybody_else(at: House) -> None:
    """Whatever mails of a whole turn go to: each names the token of its own recipient at most."""
    tokens = {
        at.role("small", "player", n).email: at.role("small", "player", n).post for n in ("red", "blue")
    }
    for nation in ("red", "blue"):
        receive(at.server, mail(at, nation=nation).as_bytes())
        receive(at.server, mail(at, nation=nation, sender="eve@e.example").as_bytes())
        receive(
            at.server,
            mail(at, f"game small nation {nation} turn 1\n", nation=nation, to="desk@example.org").as_bytes(),
        )
        receive(
            at.server,
            mail(
                at,
                nation=nation,
                to=f"desk+{tokens['ann@a.example']}@example.org, desk+{tokens['bob@b.example']}@example.org",
            ).as_bytes(),
        )
    moderator = at.come_in(at.role("small", "moderator"))
    for page in ("game/close", "game/resolve", "game/send"):
        moderator.post(page, {})
    sent = at.mails()
    assert {m["To"] for m in sent} >= set(tokens)
    for one in sent:
        others = [t for email, t in tokens.items() if email != one["To"]]
        assert not any(t in one.as_string() for t in others)


def test_a_mail_that_orders_nothing_is_answered_in_a_line_and_help_with_a_word_by_its_order(
    at: House,
) -> None:
    assert receive(at.server, mail(at, "Thanks!\n").as_bytes()) == "ignored"
    (answer,) = at.mails()
    assert answer.get_content().startswith("This mail held no order. You have sent none for this turn yet.")
    receive(at.server, mail(at).as_bytes())
    at.mails()
    assert receive(at.server, mail(at, "Hello\n\nhelp dig\n").as_bytes()) == "ignored"
    (answer,) = at.mails()
    assert "Order `dig`" in answer.get_content() and orders(at) == 1
    assert "the one that you sent before still counts" in answer.get_content()
    assert receive(at.server, mail(at, "fly to the moon\n").as_bytes()) == "not taken"
    (answer,) = at.mails()
    assert "NOT TAKEN" in answer.get_content() and "WITHOUT AN ORDER" not in answer.get_content()
