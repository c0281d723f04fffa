"""Mails that go out: queued in the database, then carried to a folder or to a mail server, each once, with
retries.

A mail has a key that says what it is about, so that whoever is killed and begins again queues nothing twice.
Its message id is made of the key: where a server has taken a mail and the server died before it knew, the
second copy bears the same id.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqlalchemy import ColumnElement, Connection, select, update
from sqlalchemy.engine import Engine

from wteaw.core.faults import StoreError, clean, one_line
from wteaw.store.database import changing, insert_once, reading

from .accounts import Role, stamp
from .tables import outbox

MOST_TRIES = 12
"""After so many tries (about two days) a mail counts as undeliverable."""
LONGEST = timedelta(hours=8)
"""Between two tries."""
SECONDS = 30
MAX_SUBJECT = 200


@dataclass(frozen=True)
class Mail:
    """One mail: to whom, about what. `key` says what it is about; the same is never queued twice."""

    key: str
    recipient: str
    subject: str
    text: str
    html: str = ""
    game: str = ""
    role: str = ""
    reply: str = ""


def mail_to(role: Role, key: str, subject: str, text: str, html: str = "", *, reply: str = "") -> Mail:
    """A mail about their game to the person who has a role in it. `reply`: where an answer goes."""
    return Mail(key, role.email, subject, text, html, game=role.game, role=role.id, reply=reply)


@dataclass(frozen=True)
class Queued:
    """A mail in the database, with what has become of it."""

    number: int
    mail: Mail
    made: str
    tries: int
    sent: str
    fault: str


def queue(db: Connection, mails: Iterable[Mail], now: datetime) -> int:
    """Queue mails in a transaction of whoever calls; such as were queued before stay as they are.

    Returns how many are new.
    """
    added = 0
    for mail in mails:
        if mail.recipient:
            added += insert_once(
                db,
                outbox,
                key=mail.key,
                game=mail.game,
                role=mail.role,
                recipient=mail.recipient,
                reply=mail.reply,
                subject=one_line(mail.subject)[:MAX_SUBJECT],
                text=mail.text,
                html=mail.html,
                made=stamp(now),
                next=stamp(now),
                tries=0,
                sent="",
                fault="",
            )
    return added


class Outbox:
    """The mails of a server and the way they go.

    `sender` is the address they come from, `carry` brings one away or raises.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], datetime],
        sender: str,
        carry: Callable[[EmailMessage], None],
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.sender = sender
        self.carry = carry

    def put(self, *mails: Mail) -> int:
        """Queue mails at once. Returns how many are new."""
        with changing(self.engine) as db:
            return queue(db, mails, self.clock())

    def deliver(self, most: int = 100) -> int:
        """Carry away what is due. Returns how many mails went."""
        went = 0
        taken = self._take()
        for left in reversed(range(most)):
            if taken is None:
                break
            became = {"fault": ""}
            try:
                self.carry(self.message(taken))
            except (
                Exception
            ) as error:  # a server out of reach, or a mail that Python will not write: the others go on
                became["fault"] = clean(f"{type(error).__name__}: {error}")[:500]
            else:
                became["sent"] = stamp(self.clock())
                went += 1
            with changing(self.engine) as db:
                db.execute(update(outbox).where(outbox.c.number == taken.number).values(**became))
                taken = self._take() if left else None
        return went

    def _take(self) -> Queued | None:
        """The next mail that is due; while it is carried nobody else takes it."""
        now = self.clock()
        # that long only if a clock was wrong
        due = (outbox.c.next <= stamp(now)) | (outbox.c.next > stamp(now + 2 * LONGEST))
        ready = (outbox.c.sent == "", due, outbox.c.tries < MOST_TRIES)
        if not self._due(ready):
            return None
        with changing(self.engine) as db:
            query = select(outbox).where(*ready).order_by(outbox.c.number).limit(1)
            row = db.execute(query.with_for_update(skip_locked=True)).first()
            if row is None:
                return None
            wait = min(timedelta(minutes=2**row.tries), LONGEST)
            db.execute(
                update(outbox)
                .where(outbox.c.number == row.number)
                .values(tries=row.tries + 1, next=stamp(now + wait))
            )
        return _queued(row)

    def _due(self, ready: tuple[ColumnElement[bool], ...]) -> bool:
        """Whether there is a mail to be taken: looking keeps nobody from writing."""
        with reading(self.engine) as db:
            return db.execute(select(outbox.c.number).where(*ready).limit(1)).first() is not None

    def again(self, game: str, number: int) -> bool:
        """Try an undelivered mail once more. Returns whether there is one."""
        where = (outbox.c.number == number, outbox.c.game == game, outbox.c.sent == "")
        with changing(self.engine) as db:
            found = db.execute(update(outbox).where(*where).values(tries=0, next=stamp(self.clock())))
        return bool(found.rowcount)

    def of_game(self, game: str, most: int = 200) -> list[Queued]:
        """The mails of a game, the last first."""
        with reading(self.engine) as db:
            query = select(outbox).where(outbox.c.game == game).order_by(outbox.c.number.desc()).limit(most)
            return [_queued(row) for row in db.execute(query)]

    def message(self, one: Queued) -> EmailMessage:
        """A queued mail as it goes over the wire: plain text, the HTML attached."""
        made = EmailMessage(policy=SMTP)
        host = self.sender.partition("@")[2] or "localhost"
        made["Message-ID"] = f"<{sha256(one.mail.key.encode()).hexdigest()[:40]}@{host}>"
        made["Date"] = format_datetime(datetime.fromisoformat(one.made))
        made["From"] = f"wteaw <{self.sender}>"
        made["To"] = one.mail.recipient
        made["Subject"] = one_line(one.mail.subject)
        if one.mail.reply:
            made["Reply-To"] = one.mail.reply
        made["Auto-Submitted"] = "auto-generated"
        made.set_content(one.mail.text)
        if one.mail.html:
            made.add_attachment(
                one.mail.html.encode(), maintype="text", subtype="html", filename="report.html"
            )
        return made


def _queued(row: object) -> Queued:
    r: dict[str, object] = dict(row._mapping)  # type: ignore[attr-defined]
    mail = Mail(
        **{k: str(r[k]) for k in ("key", "recipient", "subject", "text", "html", "game", "role", "reply")}
    )
    return Queued(
        int(str(r["number"])), mail, str(r["made"]), int(str(r["tries"])), str(r["sent"]), str(r["fault"])
    )


def to_folder(folder: Path) -> Callable[[EmailMessage], None]:
    """Mails as files, for a server without a mail server. A mail that is carried twice is one file."""

    def carry(message: EmailMessage) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = str(message["Message-ID"]).strip("<>").partition("@")[0]
        half = folder / f".{name}.part"
        half.write_bytes(message.as_bytes())
        half.rename(folder / f"{name}.eml")

    return carry


def to_server(url: str) -> Callable[[EmailMessage], None]:
    """Mails to a server: `smtp://user:password@host:port` (STARTTLS where it is offered) or `smtps://`.

    StoreError if unclear.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise StoreError("a mail server is smtp://user:password@host:port or smtps://user:password@host:port")
    host, port = parts.hostname, parts.port or (465 if parts.scheme == "smtps" else 25)

    def carry(message: EmailMessage) -> None:
        secure = ssl.create_default_context()
        made = (
            smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=secure)
            if parts.scheme == "smtps"
            else smtplib.SMTP(host, port, timeout=SECONDS)
        )
        with made as smtp:
            smtp.ehlo()
            if parts.scheme == "smtp" and smtp.has_extn("starttls"):
                smtp.starttls(context=secure)
            if parts.username:
                smtp.login(unquote(parts.username), unquote(parts.password or ""))
            smtp.send_message(message)

    return carry
