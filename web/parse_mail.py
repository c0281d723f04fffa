"""A mail as it comes in: who sent it, to which address, whether a machine wrote it, and the text that is in it.

Nothing in a mail is trusted: whatever its charset, encoding or structure say, text comes out of it, if only a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import getaddresses
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

from wteaw.core.faults import clean

from .web import plain

MAX_BYTES = 1_000_000
"""A mail that is larger is not read."""
MAX_TEXT = 100_000
_MACHINES = ("mailer-daemon", "postmaster", "noreply", "no-reply", "bounce")


@dataclass(frozen=True)
class IncomingMail:
    """A mail that has been read. `key` is the same for every copy of it; `tokens` are what its addresses have after a plus."""

    key: str
    sender: str
    tokens: tuple[str, ...]
    subject: str
    text: str
    machine: bool


def read_letter(data: bytes, *, own: str = "") -> IncomingMail:
    """A mail from its bytes. `own`: the address that the desk's mails come from. Never raises for what is in it."""
    try:
        mail: Any = message_from_bytes(data[:MAX_BYTES], policy=default)
    except Exception:  # the parser has faults of its own on what nobody would send
        mail = EmailMessage()
    senders = _addresses(mail, "From")
    sender = senders[0] if senders else ""
    return IncomingMail(
        sha256(_header(mail, "Message-ID").encode("utf-8", "replace") or data).hexdigest(),
        sender,
        _tokens(mail),
        clean(_header(mail, "Subject"))[:300],
        _text(mail)[:MAX_TEXT],
        _by_machine(mail, sender, own),
    )


def _header(mail: Any, name: str) -> str:
    try:
        return " ".join(str(mail.get(name, "")).split())
    except Exception:  # headers of that kind cannot be read
        return ""


def _addresses(mail: Any, *names: str) -> list[str]:
    found = [_header(mail, name) for name in names]
    return [a.strip().lower() for _, a in getaddresses([f for f in found if f]) if "@" in a]


def _tokens(mail: Any) -> tuple[str, ...]:
    """What stands between a plus and the at in the addresses that the mail was sent to."""
    to = _addresses(mail, "Delivered-To", "X-Original-To", "To", "Cc")
    return tuple(dict.fromkeys(a.partition("@")[0].partition("+")[2] for a in to if "+" in a.partition("@")[0]))


def _by_machine(mail: Any, sender: str, own: str) -> bool:
    """Whether a machine wrote the mail: such are never answered, or two machines would talk for ever."""
    auto = _header(mail, "Auto-Submitted").lower()
    return (
        (auto not in ("", "no"))
        or _header(mail, "Precedence").lower() in ("bulk", "junk", "list", "auto_reply")
        or bool(_header(mail, "List-Id") or _header(mail, "X-Auto-Response-Suppress") or _header(mail, "X-Autoreply"))
        or _header(mail, "Return-Path") == "<>"
        or mail.get_content_type() == "multipart/report"
        or not sender
        or sender == own.lower()
        or sender.partition("@")[0].startswith(_MACHINES)
    )


def _text(mail: Any) -> str:
    """The words of a mail: its plain text, else its HTML without the marks, else a plain file that is attached."""
    parts = [p for p in mail.walk() if not p.is_multipart()]
    bodies = [p for p in parts if p.get_content_disposition() != "attachment"]
    for kind, pool in (("text/plain", bodies), ("text/html", bodies), ("text/plain", parts)):
        texts = [_part(p) for p in pool if p.get_content_type() == kind]
        if any(t.strip() for t in texts):
            return "\n".join(texts)
    return ""


def _part(part: Any) -> str:
    try:
        data = part.get_payload(decode=True) or b""
    except Exception:
        data = str(part.get_payload()).encode("utf-8", "replace")
    text = plain(_decoded(data, str(part.get_content_charset() or "")))
    if part.get_content_type() == "text/html":
        return _without_marks(text)
    if str(part.get_param("format", "") or "").lower() == "flowed":
        return _unflowed(text, str(part.get_param("delsp", "") or "").lower() == "yes")
    return text


def _decoded(data: bytes, charset: str) -> str:
    for name, errors in ((charset, "strict"), ("utf-8", "strict"), (charset, "replace")):
        if name and not (errors == "replace" and name in ("utf-8", "us-ascii")):
            try:
                return data.decode(name, errors)
            except (LookupError, ValueError):
                continue
    return data.decode("cp1252", "replace")


def _unflowed(text: str, delete: bool) -> str:
    """Lines that a mail program has broken, joined again (RFC 3676): a line that ends in a space goes on in the next."""
    out: list[str] = []
    open_ = False
    for line in text.split("\n"):
        line = line[1:] if line.startswith(" ") else line
        if open_ and not line.startswith(">"):
            out[-1] += line
        else:
            out.append(line)
        open_ = line.endswith(" ") and line != "-- "
        if open_ and delete:
            out[-1] = out[-1][:-1]
    return "\n".join(out)


class _HtmlText(HTMLParser):
    """What a person reads of an HTML text; a new line where the page has one."""

    BREAKS = frozenset({"br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "pre", "blockquote", "table", "ul", "ol"})
    SILENT = frozenset({"style", "script", "head", "title"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.silent = 0
        self.quoted = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.silent += tag in self.SILENT
        self.quoted += tag == "blockquote"
        if tag in self.BREAKS:
            self.out.append("\n" + "> " * self.quoted)

    def handle_endtag(self, tag: str) -> None:
        self.silent = max(0, self.silent - (tag in self.SILENT))
        self.quoted = max(0, self.quoted - (tag == "blockquote"))
        if tag in self.BREAKS and tag != "br":
            self.out.append("\n" + "> " * self.quoted)

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.out.append(" ".join(data.split()) + (" " if data[-1:].isspace() else ""))


def _without_marks(text: str) -> str:
    reader = _HtmlText()
    try:
        reader.feed(text)
        reader.close()
    except Exception:  # what was read until then is what there is
        pass
    lines = [line.strip() for line in "".join(reader.out).split("\n")]
    return "\n".join(line for line in lines if line and line != ">")
