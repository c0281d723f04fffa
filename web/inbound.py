"""Mails that come in, taken as orders: each once, each answered; of what may be forged its player hears.

A mail counts as a player's if it goes to the address of the role (the server's, with the role's token after a
plus: what mails to the player are answered to) and comes from the address that the server knows. Both stand
in its head; the text of any other mail is not read. Such a mail changes nothing: the stranger hears nothing,
and the player hears of it, in the server's own words.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.exc import DatabaseError

from wteaw.core.faults import MachineError, StoreError, clean
from wteaw.odds.attack_odds import at_once
from wteaw.orders.mail_text import asks_for_help
from wteaw.orders.readback_text import rendered
from wteaw.play.questions import told_of
from wteaw.play.submit import hand_in, part_in_dice
from wteaw.report.wording import counted
from wteaw.store import PLAYER
from wteaw.store.database import changing, insert_once, reading

from .accounts import PLAYER as PLAYS
from .accounts import Role, stamp
from .actions import tell_offers
from .answers import answers_by_mail, questions_in
from .help import by_mail
from .order_intake import Standing, UnreadableOrders, back_of, standing
from .outbox import Mail, mail_to, queue
from .parse_mail import MAX_BYTES, IncomingMail, UnreadableMail, read_head, read_text
from .tables import inbox
from .web import Server, with_address

_REPLY = re.compile(r"^(?:\s*(?:re|aw|sv|antw)\s*:)+\s*", re.IGNORECASE)
"""What mail programs put before the subject of an answer, once or again and again."""
LOG = logging.getLogger("wteaw.server")
STRANGERS, UNTOKENED = "%Y-%m-%d", "%Y-%m-%dT%H"
"""A player hears of strangers, and of mails without the token, once in such a span, by the time as it is
printed so.
"""
BEGUN = ("reading", "reading again")
"""What the list of mails says of a mail whose text is being read. One that stands at the last of these when
it comes again has ended two processes, and is set aside."""


@dataclass(frozen=True)
class MailOutcome:
    """What became of a mail: taken, not taken, stranger, or ignored; `says` why, for whoever looks at the
    list of mails.

    `orders` hands in what stands of them, where that has not been done yet, and says what became of it.
    """

    verdict: str
    says: str
    role: Role | None = None
    answer: Mail | None = None
    orders: Callable[[], MailOutcome] | None = None


def receive(server: Server, data: bytes) -> str:
    """Take in one mail. Returns what became of it; a copy of one that came before is ignored.

    What it raises (StoreError, OSError, DatabaseError) is not the mail's fault, which may come again. Any
    other fault is one of
    ours: it is logged, and the mail is set aside, if it is a player's after a second try.
    """
    if len(data) > MAX_BYTES:
        return "ignored"
    letter = read_head(data, own=server.outbox.sender)
    if _came_before(server, letter):
        return "ignored"
    try:
        return _receive(server, letter, data)
    except (StoreError, OSError, DatabaseError):
        with suppress(StoreError, DatabaseError), changing(server.hall.engine) as db:
            # it counts as no try
            db.execute(delete(inbox).where(inbox.c.key == letter.key, inbox.c.verdict.in_(BEGUN)))
        raise
    except Exception:
        LOG.exception("a mail could not be taken")
        if _state(server, letter) in BEGUN:
            raise
        with changing(server.hall.engine) as db:
            became = {"verdict": "ignored", "says": "it could not be looked at; the log says why"}
            _write_down(db, letter, None, server.hall.clock(), became)
        return "ignored"


def _receive(server: Server, letter: IncomingMail, data: bytes) -> str:
    verdict = _judge(server, letter, data)
    role, now = verdict.role, server.hall.clock()
    with changing(server.hall.engine, role.game if role else "") as db:
        if _came_before(server, letter):
            return "ignored"
        if verdict.orders is not None:
            verdict = verdict.orders()
        became = {"verdict": verdict.verdict, "says": clean(verdict.says)[:500]}
        if not db.execute(update(inbox).where(inbox.c.key == letter.key).values(**became)).rowcount:
            _write_down(db, letter, role, now, became)
        if verdict.answer is not None:
            queue(db, [verdict.answer], now)
        if role is not None:
            server.hall.note(role.game, "the post", f"A mail for {role.name or role.nation}: {verdict.says}")
    return verdict.verdict


def _write_down(
    db: Connection, letter: IncomingMail, role: Role | None, now: datetime, became: Mapping[str, str]
) -> None:
    insert_once(
        db,
        inbox,
        key=letter.key,
        game=role.game if role else "",
        role=role.id if role else "",
        sender=letter.sender[:200],
        subject=letter.subject,
        at=stamp(now),
        **became,
    )


def _state(server: Server, letter: IncomingMail) -> str | None:
    with reading(server.hall.engine) as db:
        return db.execute(select(inbox.c.verdict).where(inbox.c.key == letter.key)).scalar()


def _came_before(server: Server, letter: IncomingMail) -> bool:
    return _state(server, letter) not in (None, *BEGUN)


def _begin(server: Server, letter: IncomingMail, role: Role) -> bool:
    """Write down that the text of a mail is being read.

    Returns whether it may be: not if that has ended a process twice.
    """
    known = _state(server, letter)
    with changing(server.hall.engine, role.game) as db:
        if known is None:
            _write_down(
                db, letter, role, server.hall.clock(), {"verdict": BEGUN[0], "says": "it is being read"}
            )
        elif known == BEGUN[0]:
            db.execute(update(inbox).where(inbox.c.key == letter.key).values(verdict=BEGUN[1]))
    return known != BEGUN[1]


def _judge(server: Server, letter: IncomingMail, data: bytes) -> MailOutcome:
    if letter.machine:
        return MailOutcome("ignored", "a machine wrote it")
    role = next(
        (r for t in letter.tokens if (r := server.hall.people.with_post(t)) is not None and r.role == PLAYS),
        None,
    )
    if role is not None and letter.sender == role.email:
        return _of_player(server, letter, role, data)
    known = role or _claimed(server, letter)
    if known is None or not known.email:
        return MailOutcome("ignored", "nobody here is known by it")
    now = server.hall.clock()
    if letter.sender == known.email:
        text = (
            "A mail of yours was not taken: it did not go to the address that is yours alone,\n"
            "so that anybody might have written it.\n\n"
            f"Send it again to {server.post_of(known)}, or answer any mail from this server.\n"
            "Nothing of what you had sent before has changed.\n"
        )
        says = "it came without the token of its address, and was not taken"
        key = f"untokened/{known.id}/{now.strftime(UNTOKENED)}"
        return MailOutcome(
            "not taken", says, known, _mail(server, known, key, "your mail was not taken", text)
        )
    text = (
        "Somebody wrote to this server in your nation's name from an address that is not yours:\n\n"
        f"  {clean(letter.sender)[:200]}\n\nNothing of it was taken, and there was no answer to it. "
        "If it was you, write from the address to which this mail goes, and answer this mail.\n"
    )
    key = f"stranger/{known.id}/{now.strftime(STRANGERS)}"
    says = "it came from an address that is not known"
    return MailOutcome("stranger", says, known, _mail(server, known, key, "a mail in your name", text))


def _claimed(server: Server, letter: IncomingMail) -> Role | None:
    """The role in whose name a mail without a token speaks, by what its text begins with."""
    if letter.claims is None or letter.claims[0] not in server.hall.ids():
        return None
    game, said = letter.claims
    players = [r for r in server.hall.people.of_game(game) if r.role == PLAYS]
    with server.hall.game(game) as found:
        names = {
            r.nation: {r.nation, str(found.ruleset.row_or_empty("nations", r.nation).get("name", "")).lower()}
            for r in players
        }
    return next((r for r in players if said.strip().lower() in names[r.nation]), None)


def _of_player(server: Server, letter: IncomingMail, role: Role, data: bytes) -> MailOutcome:
    """What becomes of a mail that a player has written."""
    try:
        if not _begin(server, letter, role):
            raise UnreadableMail("reading it took too long")
        return _orders(server, letter, role, read_text(data))
    except (UnreadableMail, UnreadableOrders) as error:
        text = (
            f"Your mail was not taken, and has been set aside: {error}.\n\n"
            "Send your orders as plain text, without files. Nothing of what you had sent before has "
            "changed.\n"
        )
        return MailOutcome("not taken", f"set aside: {error}", role, _answer(server, letter, role, text))


def _orders(server: Server, letter: IncomingMail, role: Role, written: str) -> MailOutcome:
    """The orders of a player: to be handed in as far as they stand, and answered with what was understood."""
    with server.hall.game(role.game) as game:
        turn = game.stage().position.turn
        now = standing(server.hall, role.nation, game)
        asked = questions_in(written)
        if not now.open and asked and not asks_for_help(written):
            with server.hall.sent(role.game) as sent:
                told = answers_by_mail(server.hall, sent, role.nation, asked)
            return MailOutcome(
                "ignored", "it asked something, and was answered", role, _answer(server, letter, role, told)
            )
        if not now.open and not asks_for_help(written):
            return MailOutcome(
                "not taken",
                "orders were not open",
                role,
                _answer(server, letter, role, f"Your mail was not taken. {now.why}\n"),
            )
        if asks_for_help(written):
            told = by_mail(server, game, role)
            return MailOutcome(
                "ignored", "it asked for help, and was answered", role, _answer(server, letter, role, told)
            )
        back, taken = back_of(server.hall, game, role.nation, written, at_once)
    said = rendered(back)
    if back.answered and not (back.standing or back.not_taken or back.refused):
        asked = [a.written for a in back.answered]
        answers = answers_by_mail(server.hall, game, role.nation, asked)
        told = f"YOUR QUESTIONS\n\n{answers}\n{_still_counts(now)}\n"
        return MailOutcome(
            "ignored", "it asked something, and was answered", role, _answer(server, letter, role, told)
        )

    if back.passed and not (back.standing or back.not_taken or back.refused or back.general):
        told = f"{_still_counts(now)}\n\nHow to order: answer with `help`.\n"
        return MailOutcome("ignored", "it held no order", role, _answer(server, letter, role, told))

    def orders() -> MailOutcome:
        try:
            if not back.standing:
                raise StoreError(
                    "none of these lines is valid, so nothing was submitted; what was there before still "
                    "counts"
                )
            handed = hand_in(game, role.nation, written, PLAYER, taken=taken)
        except MachineError:
            raise  # it is taken when the machine lets it be done
        except StoreError as error:
            text = f"Your mail was not taken: {error}.\n\n{said}"
            return MailOutcome("not taken", str(error), role, _answer(server, letter, role, text))
        tell_offers(server, game)
        text = f"Your orders for turn {turn} have been taken.\n\n{said}"
        for sentence in filter(
            None, [part_in_dice(game, role.nation, handed.salt), *told_of(game, role.nation)]
        ):
            text += f"\n{sentence}\n"
        n = len(back.not_taken)
        left_out = f", {counted(n, 'line')} not" if n else ""
        return MailOutcome(
            "taken",
            f"{counted(back.standing, 'order')} taken{left_out}",
            role,
            _answer(server, letter, role, text),
        )

    return MailOutcome("", "", role, orders=orders)


def _still_counts(now: Standing) -> str:
    """What a mail that orders nothing leaves as it was."""
    if now.sent is None:
        return "This mail held no order. You have sent none for this turn yet."
    if now.sent == 1:
        return "This mail held no order: the one that you sent before still counts."
    count = f"{counted(now.sent, 'order')} that you sent before still count"
    return f"This mail held no order: the {count}."


def _answer(server: Server, letter: IncomingMail, role: Role, text: str) -> Mail:
    """The answer to a mail that a player has written: under its own subject."""
    about = _REPLY.sub("", letter.subject)
    subject = f"Re: {about}" if about else f"{role.game}: your mail"
    text = with_address(server, role, text)
    return mail_to(role, f"answer/{letter.key}", subject, text, reply=server.post_of(role))


def _mail(server: Server, role: Role, key: str, subject: str, text: str) -> Mail:
    """A mail to a player about one that need not be theirs: nothing of it stands in the head of this one."""
    return mail_to(role, key, f"{role.game}: {subject}", text, reply=server.post_of(role))
