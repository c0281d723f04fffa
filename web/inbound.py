"""Mails that come in, taken as orders: each once, each answered; of what may be forged its player hears.

A mail counts as a player's if it goes to the address of his role (the desk's, with the role's token after a plus: what his own
mails are answered to) and comes from the address that the desk knows. Anything else changes nothing: the stranger hears nothing,
and the player hears of it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import select

from wteaw.core.faults import StoreError, clean
from wteaw.odds.attack_odds import at_once
from wteaw.orders.readback_text import rendered
from wteaw.play.submit import hand_in
from wteaw.store import PLAYER, Game
from wteaw.store.database import changing, insert_once, reading

from .accounts import PLAYER as PLAYS
from .accounts import Role, stamp
from .help import asks_for_help, by_mail
from .outbox import Mail, queue
from .parse_mail import MAX_BYTES, IncomingMail, read_letter
from .player import back_of, standing
from .tables import inbox
from .web import Desk

LOG = logging.getLogger("wteaw.desk")
STRANGERS = "%Y-%m-%d"
"""A player hears of strangers once in such a span, by the time as it is printed so."""
_GAME = re.compile(r"(?im)^[\s>]*game\s+([\w-]+)")


@dataclass(frozen=True)
class MailOutcome:
    """What became of a mail: taken, not taken, stranger, or ignored; `says` why, for whoever looks at the list of mails.

    `orders` hands in what stands of them, where that has not been done yet, and says what became of it.
    """

    verdict: str
    says: str
    role: Role | None = None
    answer: Mail | None = None
    orders: Callable[[], MailOutcome] | None = None


def receive(desk: Desk, data: bytes) -> str:
    """Take in one mail. Returns what became of it; a copy of one that came before is ignored. Never raises for what is in it."""
    if len(data) > MAX_BYTES:
        return "ignored"
    letter = read_letter(data, own=desk.outbox.sender)
    if _came_before(desk, letter):
        return "ignored"
    verdict = _judge(desk, letter)
    role, now = verdict.role, desk.hall.clock()
    with changing(desk.hall.engine, role.game if role else "") as db:
        if _came_before(desk, letter):
            return "ignored"
        if verdict.orders is not None:
            verdict = verdict.orders()
        insert_once(
            db, inbox, key=letter.key, game=role.game if role else "", role=role.id if role else "", sender=letter.sender[:200],
            subject=letter.subject, at=stamp(now), verdict=verdict.verdict, says=clean(verdict.says)[:500],
        )  # fmt: skip
        if verdict.answer is not None:
            queue(db, [verdict.answer], now)
        if role is not None:
            desk.hall.note(role.game, "the post", f"A mail for {role.name or role.nation}: {verdict.says}")
    return verdict.verdict


def _came_before(desk: Desk, letter: IncomingMail) -> bool:
    with reading(desk.hall.engine) as db:
        return db.execute(select(inbox.c.number).where(inbox.c.key == letter.key)).first() is not None


def _judge(desk: Desk, letter: IncomingMail) -> MailOutcome:
    if letter.machine:
        return MailOutcome("ignored", "a machine wrote it")
    role = next((r for t in letter.tokens if (r := desk.hall.people.with_post(t)) is not None and r.role == PLAYS), None)
    if role is not None and letter.sender == role.email:
        return _orders(desk, letter, role)
    known = role or _claimed(desk, letter)
    if known is None or not known.email:
        return MailOutcome("ignored", "nobody here is known by it")
    if letter.sender == known.email:
        text = (
            "A mail of yours was not taken: it did not go to the address that is yours alone,\n"
            "so that anybody might have written it.\n\n"
            f"Send it again to {desk.post_of(known)}, or answer any mail of the desk.\n"
            "Nothing of what you had sent before has changed.\n"
        )
        says = "it came without the token of its address, and was not taken"
        return MailOutcome("not taken", says, known, _mail(desk, letter, known, f"answer/{letter.key}", text))
    day = desk.hall.clock().strftime(STRANGERS)
    text = (
        "Somebody wrote to the desk in your nation's name from an address that is not yours:\n\n"
        f"  {clean(letter.sender)[:200]}\n\nNothing of it was taken, and he was not answered. "
        f"If it was you, write from the address to which this mail goes, to {desk.post_of(known)}.\n"
    )
    return MailOutcome(
        "stranger",
        "it came from an address that is not known",
        known,
        _mail(desk, letter, known, f"stranger/{known.id}/{day}", text),
    )


def _claimed(desk: Desk, letter: IncomingMail) -> Role | None:
    """The role in whose name a mail speaks, by the head of its text."""
    from wteaw.orders.parse import read_orders

    found = _GAME.search(letter.text)
    if found is None or found[1] not in desk.hall.ids():
        return None
    with desk.hall.game(found[1]) as game:
        head = read_orders(game.ruleset, letter.text).head
    return desk.hall.people.player(found[1], head.nation) if head.nation else None


def _orders(desk: Desk, letter: IncomingMail, role: Role) -> MailOutcome:
    """The orders of a player: to be handed in as far as they stand, and answered with what was understood."""
    with desk.hall.game(role.game) as game:
        turn = game.stage().position.turn
        now = standing(desk.hall, role.nation, game)
        if not now.open and not asks_for_help(letter.text):
            return MailOutcome(
                "not taken",
                "orders were not open",
                role,
                _answer(desk, letter, role, game, f"Your mail was not taken. {now.why}\n"),
            )
        if asks_for_help(letter.text):
            told = by_mail(desk, game, role)
            return MailOutcome("ignored", "it asked for help, and was answered", role, _answer(desk, letter, role, game, told))
        back, taken = back_of(desk.hall, game, role.nation, letter.text, at_once)
    said = rendered(back)

    def orders() -> MailOutcome:
        try:
            if not back.standing:
                raise StoreError("no order of it stands, so nothing was handed in and what was there before still counts")
            handed = hand_in(game, role.nation, letter.text, PLAYER, taken=taken)
        except StoreError as error:
            text = f"Your mail was not taken: {error}.\n\n{said}"
            return MailOutcome("not taken", str(error), role, _answer(desk, letter, role, game, text))
        text = f"Your orders for turn {turn} have been taken.\n\n{said}"
        if handed.salt:
            text += f"\nYour part in the dice of turn {turn}: {handed.salt}\n"
        n = len(back.not_taken)
        left_out = f", {n} line{'s do' if n != 1 else ' does'} not" if n else ""
        return MailOutcome("taken", f"{back.standing} orders stand{left_out}", role, _answer(desk, letter, role, game, text))

    return MailOutcome("", "", role, orders=orders)


def _answer(desk: Desk, letter: IncomingMail, role: Role, game: Game, text: str) -> Mail:
    return _mail(desk, letter, role, f"answer/{letter.key}", text, str(game.head["title"]))


def _mail(desk: Desk, letter: IncomingMail, role: Role, key: str, text: str, title: str = "") -> Mail:
    subject = (
        f"Re: {letter.subject}" if letter.subject and key.startswith("answer/") else f"{title or role.game}: a mail in your name"
    )
    return Mail(key, role.email, subject, text, game=role.game, role=role.id, reply=desk.post_of(role))
