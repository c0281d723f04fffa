"""A mail as it comes in: who sent it, to which address, whether a machine wrote it, and the text that is in
it.

Its head says whose it is, and is read first, as little of it as is needed; the text only of a mail that is
somebody's, in a process of its own (`mail_text`). Nothing in a mail is trusted.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from email.header import decode_header
from email.utils import getaddresses
from hashlib import sha256

from wteaw.core.faults import clean

from . import mail_text

MAX_BYTES = 1_000_000
"""A mail that is larger is not read."""
MAX_HEAD, MAX_FIELD, MAX_PEEK = 65_536, 2_000, 2_000
"""Bytes of a mail's head, and of one field of it, that are looked at; bytes of the text of a mail that is
nobody's yet.
"""
SECONDS = 15
"""How long the text of a mail may take to be read, by the clock."""
_READERS = threading.BoundedSemaphore(2)
_MACHINES = ("mailer-daemon", "postmaster", "noreply", "no-reply", "bounce")
_TO = ("x-original-to", "delivered-to", "to", "cc")
_AUTOMATIC = ("list-id", "x-auto-response-suppress", "x-autoreply")
_WANTED = frozenset(
    {
        *_TO,
        *_AUTOMATIC,
        "from",
        "subject",
        "message-id",
        "auto-submitted",
        "precedence",
        "return-path",
        "content-type",
    }
)
_GAME = re.compile(r"(?im)^[\s>]*game\s+([\w-]{1,64})(?:\s+nation\s+([^\r\n]{1,80}?))?(?:\s+turn\s|\s*$)")


class UnreadableMail(ValueError):
    """The text of a mail cannot be read; the message says why."""


@dataclass(frozen=True)
class IncomingMail:
    """A mail whose head has been read. `key` is the same for every copy of it; `tokens` are what its
    addresses have after a plus.

    `claims` is the game and nation in whose name its text begins to speak, as far as that can be seen without
    reading it.
    """

    key: str
    sender: str
    tokens: tuple[str, ...]
    subject: str
    machine: bool
    claims: tuple[str, str] | None


def read_head(data: bytes, *, own: str = "") -> IncomingMail:
    """What a mail's head says.

    `own`: the address that the server's mails come from. Never raises for what is in it.
    """
    head, rest = _parted(data)
    fields = _fields(head)
    senders = _addresses(fields, "from")
    sender = senders[0] if senders else ""
    to = _addresses(fields, *_TO)
    tokens = tuple(
        dict.fromkeys(a.partition("@")[0].partition("+")[2] for a in to if "+" in a.partition("@")[0])
    )
    named = fields.get("message-id", "")
    key = sha256(
        "\0".join((named, sender, *tokens)).encode("utf-8", "replace") if named else data
    ).hexdigest()
    found = _GAME.search(rest[:MAX_PEEK].decode("utf-8", "replace"))
    claims = (found[1], found[2] or "") if found else None
    return IncomingMail(key, sender, tokens, _subject(fields), _by_machine(fields, sender, own), claims)


def read_text(data: bytes) -> str:
    """The words of a mail, read by a process of its own.

    UnreadableMail, with the reason, where they cannot be.
    """
    if len(_parted(data)[0]) >= MAX_HEAD:
        raise UnreadableMail(f"its head is longer than {MAX_HEAD:,} bytes")
    command = [sys.executable, "-P", "-m", mail_text.__name__]
    try:
        with _READERS:
            done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise UnreadableMail(f"it takes longer than {SECONDS} seconds to read") from None
    if done.returncode:
        raise UnreadableMail("it takes more time or memory to read than a mail may")
    said = json.loads(done.stdout)
    if "fault" in said:
        raise UnreadableMail(said["fault"])
    return str(said["text"])


def _parted(data: bytes) -> tuple[bytes, bytes]:
    """The head of a mail, as much of it as is looked at, and what follows it; lines end in one way."""
    begin = data[: MAX_HEAD + MAX_PEEK].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    head, _, rest = (b"\n" + begin).partition(b"\n\n")
    return head[:MAX_HEAD], rest


def _fields(head: bytes) -> dict[str, str]:
    """The fields of a head that are wanted, each once and cut; those that name addresses may stand in it
    several times.
    """
    fields: dict[str, str] = {}
    name = ""
    for line in head.decode("utf-8", "replace").split("\n"):
        if not line.startswith((" ", "\t")):
            label, _, line = line.partition(":")
            name = label.strip().lower() if label.strip().lower() in _WANTED else ""
            if name in fields and name not in _TO:
                name = ""
            elif name in fields:
                fields[name] += ", "
        if name and len(fields.get(name, "")) < MAX_FIELD:
            fields[name] = f"{fields.get(name, '')} {line}"[:MAX_FIELD]
    return {name: " ".join(value.split()) for name, value in fields.items()}


def _addresses(fields: Mapping[str, str], *names: str) -> list[str]:
    found = [fields[name] for name in names if name in fields]
    try:
        return [a.strip().lower() for _, a in getaddresses(found) if "@" in a]
    except Exception:  # the parser has faults of its own on what nobody would send
        return []


def _subject(fields: Mapping[str, str]) -> str:
    text = fields.get("subject", "")
    try:
        parts = [
            p.decode(c or "utf-8", "replace") if isinstance(p, bytes) else p for p, c in decode_header(text)
        ]
        text = "".join(parts)
    except Exception:  # a charset that is none, an encoding that is broken
        pass
    return " ".join(clean(text.encode("utf-8", "replace").decode()).split())[:300]


def _by_machine(fields: Mapping[str, str], sender: str, own: str) -> bool:
    """Whether a machine wrote the mail: such are never answered, or two machines would talk for ever."""
    return (
        fields.get("auto-submitted", "").lower() not in ("", "no")
        or fields.get("precedence", "").lower() in ("bulk", "junk", "list", "auto_reply")
        or any(fields.get(name) for name in _AUTOMATIC)
        or fields.get("return-path") == "<>"
        or fields.get("content-type", "").lower().startswith("multipart/report")
        or not sender
        or sender == own.lower()
        or sender.partition("@")[0].startswith(_MACHINES)
    )
