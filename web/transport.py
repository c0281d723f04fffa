"""The two ways by which mails come in: a mailbox that is looked into by IMAP, or a mail server that hands
them over by LMTP.
"""

from __future__ import annotations

import asyncio
import imaplib
import logging
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy.exc import DatabaseError

from wteaw.core.faults import StoreError, clean

from .inbound import receive
from .parse_mail import MAX_BYTES
from .web import Server

LOG = logging.getLogger("wteaw.server")
MOST_MAILS = 50
"""Mails that are taken out of a mailbox at a time."""
MOST_RECIPIENTS = 20
"""Recipients of a mail that are looked at."""
MOST_LINES = 50
"""Connections of mail servers at a time."""
SECONDS = 60
"""How long a connection may say nothing."""


def look_into(server: Server, url: str) -> int:
    """Take the unread mails of a mailbox: imaps://user:password@host/FOLDER. Returns how many.

    Each is marked as read when it has been taken or set aside; one that is too large is set aside unfetched.
    StoreError if the mailbox cannot be reached.
    """
    from imap_tools import MailBox, MailBoxUnencrypted
    from imap_tools.errors import ImapToolsError

    parts = urlsplit(url)
    if parts.scheme not in ("imap", "imaps") or not parts.hostname:
        raise StoreError("a mailbox is imaps://user:password@host/FOLDER")
    kind: Any = MailBox if parts.scheme == "imaps" else MailBoxUnencrypted
    taken = 0
    try:
        box = kind(parts.hostname, port=parts.port or (993 if parts.scheme == "imaps" else 143), timeout=30)
        with box.login(
            unquote(parts.username or ""), unquote(parts.password or ""), parts.path.strip("/") or "INBOX"
        ) as opened:
            for uid in opened.uids("UNSEEN")[:MOST_MAILS]:
                _take(server, opened, uid)
                taken += 1
    except (OSError, ImapToolsError, imaplib.IMAP4.error) as error:
        raise StoreError(f"the mailbox cannot be read: {error}") from None
    return taken


def _take(server: Server, box: Any, uid: str) -> None:
    """Take one mail of a mailbox, by its number there.

    One at which we failed stays unread for a second try and no more.
    """
    from imap_tools import MailMessageFlags

    try:
        data = _fetched(box, uid)
        if data is not None:
            receive(server, data)
        else:
            LOG.warning("mail %s is larger than %s bytes, and was set aside", uid, f"{MAX_BYTES:,}")
    except (OSError, imaplib.IMAP4.error, StoreError, DatabaseError):
        raise  # not the mail's fault: it is taken when the mailbox, or the database, answers again
    except Exception:
        LOG.error("mail %s of the mailbox waits for a second try", uid)
        return
    box.flag(uid, MailMessageFlags.SEEN, True)


def _fetched(box: Any, uid: str) -> bytes | None:
    """The bytes of a mail, None for one that is too large to be read or is not there any more."""
    _, said = box.client.uid("FETCH", uid, "(RFC822.SIZE)")
    size = re.search(
        rb"RFC822\.SIZE (\d+)", b" ".join(s if isinstance(s, bytes) else s[0] for s in said if s)
    )
    if size is None or int(size[1]) > MAX_BYTES:
        return None
    _, said = box.client.uid("FETCH", uid, "(BODY.PEEK[])")
    return next((bytes(s[1]) for s in said if isinstance(s, tuple)), None)


class Handler:
    """What a mail server talks to: every mail is taken before it is acknowledged."""

    def __init__(self, server: Server) -> None:
        self.server = server

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        data = bytes(envelope.original_content or envelope.content or b"")
        to = "".join(f"X-Original-To: {clean(r)[:200]}\r\n" for r in envelope.rcpt_tos[:MOST_RECIPIENTS])
        try:
            await asyncio.to_thread(receive, self.server, to.encode("utf-8", "replace") + data)
        except Exception as error:
            LOG.error("a mail could not be taken now; its server tries again: %s", clean(str(error)))
            return "451 try again later"
        return "250 taken"


def listen(server: Server, host: str, port: int) -> Callable[[], None]:
    """Take mails from a server by LMTP. Returns what ends it."""
    from aiosmtpd.controller import Controller
    from aiosmtpd.lmtp import LMTP

    class _Line(LMTP):
        """A connection; beyond so many there is no further one."""

        open = 0

        def connection_made(self, transport: Any) -> None:
            _Line.open += 1
            super().connection_made(transport)
            if _Line.open > MOST_LINES:
                transport.abort()

        def connection_lost(self, error: Any) -> None:
            _Line.open -= 1
            super().connection_lost(error)

    class _Controller(Controller):
        def factory(self) -> Any:
            return _Line(
                self.handler,
                data_size_limit=MAX_BYTES,
                ident="wteaw",
                timeout=SECONDS,
                command_call_limit=1000,
            )

    found = _Controller(Handler(server), hostname=host, port=port)
    found.start()
    stop: Callable[[], None] = found.stop
    return stop
