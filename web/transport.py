"""The two ways by which mails come in: a mailbox that is looked into by IMAP, or a mail server that hands them over by LMTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from wteaw.core.faults import StoreError

from .inbound import receive
from .parse_mail import MAX_BYTES
from .web import Desk

LOG = logging.getLogger("wteaw.desk")
MOST_MAILS = 50
"""Mails that are taken out of a mailbox at a time."""


def look_into(desk: Desk, url: str) -> int:
    """Take the unread mails of a mailbox: imaps://user:password@host/FOLDER. Returns how many.

    Each is marked as read when it has been taken. StoreError if the mailbox cannot be reached.
    """
    from imap_tools import MailBox, MailBoxUnencrypted, MailMessageFlags
    from imap_tools.errors import ImapToolsError

    parts = urlsplit(url)
    if parts.scheme not in ("imap", "imaps") or not parts.hostname:
        raise StoreError("a mailbox is imaps://user:password@host/FOLDER")
    kind: Any = MailBox if parts.scheme == "imaps" else MailBoxUnencrypted
    taken = 0
    try:
        box = kind(parts.hostname, port=parts.port or (993 if parts.scheme == "imaps" else 143), timeout=30)
        with box.login(unquote(parts.username or ""), unquote(parts.password or ""), parts.path.strip("/") or "INBOX") as opened:
            for mail in opened.fetch("UNSEEN", mark_seen=False, limit=MOST_MAILS, bulk=False):
                receive(desk, mail.obj.as_bytes())
                opened.flag(mail.uid, MailMessageFlags.SEEN, True)
                taken += 1
    except (OSError, ImapToolsError) as error:
        raise StoreError(f"the mailbox cannot be read: {error}") from None
    return taken


class Handler:
    """What a mail server talks to: every mail is taken before it is acknowledged."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        data = bytes(envelope.original_content or envelope.content or b"")
        to = "".join(f"X-Original-To: {r}\r\n" for r in envelope.rcpt_tos if "\r" not in r and "\n" not in r)
        try:
            await asyncio.to_thread(receive, self.desk, to.encode("utf-8", "replace") + data)
        except Exception:
            LOG.exception("a mail could not be taken; its server tries again")
            return "451 try again later"
        return "250 taken"


def listen(desk: Desk, host: str, port: int) -> Callable[[], None]:
    """Take mails from a server by LMTP. Returns what ends it."""
    from aiosmtpd.controller import Controller
    from aiosmtpd.lmtp import LMTP

    class _Controller(Controller):
        def factory(self) -> Any:
            return LMTP(self.handler, data_size_limit=MAX_BYTES, ident="wteaw")

    found = _Controller(Handler(desk), hostname=host, port=port)
    found.start()
    stop: Callable[[], None] = found.stop
    return stop
