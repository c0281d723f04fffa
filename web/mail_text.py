"""The words of a mail, read in a process of their own that may take so much time and memory and no more.

`python -m wteaw_web.mail_text` takes a mail from its input and writes `{"text": ...}` or `{"fault": ...}`.
Whatever a mail does to the process ends that process alone (`parse_mail.read_text` starts it). Nothing in a
mail is trusted: whatever its charset, encoding or structure say, text comes out of it, if only a part of it.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import re
import sys
from email import message_from_bytes
from email.message import Message
from email.policy import compat32

from wteaw.orders.markup import without_markup

MAX_TEXT = 100_000
"""Letters that are taken of a mail."""
MAX_PART = 200_000
"""Bytes of one part that are decoded; letters of HTML that are read."""
MAX_PARTS, MAX_LAYERS = 200, 20
"""Parts of a mail, and layers in which they may lie."""
MAX_FIELD = 2_000
"""Letters of a header of a part; a part with a longer one is passed over."""
SECONDS, MEMORY = 5, 512 * 2**20
"""Of the processor, and of address space in bytes."""
_HEADS = re.compile(rb"(?im)^content-type[ \t]*:[ \t]*(multipart|message)?")
_NO_CHARSETS = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf_7", "mbcs", "oem"}
)
"""Encodings of Python's that no mail is written in; some take time that grows with the square of a text."""


class TooManyParts(ValueError):
    """The mail has more of something than is read; the message says of what."""


def text_of(data: bytes) -> str:
    """The words of a mail: its plain text, else its HTML without the marks, else a plain file that is
    attached.

    TooManyParts for one that has too many parts, or layers of them.
    """
    layers = parts = 0
    for found in _HEADS.finditer(data):
        parts += 1
        layers += found[1] is not None
    if layers > MAX_LAYERS:
        raise TooManyParts(f"it has more than {MAX_LAYERS} layers of parts")
    if parts > MAX_PARTS:
        raise TooManyParts(f"it has more than {MAX_PARTS} parts")
    whole = message_from_bytes(data, policy=compat32)
    leaves = [p for p in whole.walk() if not p.is_multipart() and _short(p)]
    if len(leaves) > MAX_PARTS:  # parts need no header of their own
        raise TooManyParts(f"it has more than {MAX_PARTS} parts")
    attached = {id(p) for other in whole.walk() if _is_mail(other) for p in other.walk()}
    bodies = [p for p in leaves if p.get_content_disposition() != "attachment" and id(p) not in attached]
    for kind, pool in (("text/plain", bodies), ("text/html", bodies), ("text/plain", leaves)):
        texts = [_part(p) for p in pool if p.get_content_type() == kind]
        if any(t.strip() for t in texts):
            return "\n".join(texts)[:MAX_TEXT]
    return ""


def _is_mail(part: Message) -> bool:
    """Whether a part is a mail that is attached."""
    return part.get_content_maintype() == "message"


def _short(part: Message) -> bool:
    return all(
        len(str(value)) <= MAX_FIELD for name, value in part.items() if name.lower().startswith("content-")
    )


def _part(part: Message) -> str:
    try:
        data = part.get_payload(decode=True) or b""
    except Exception:  # the parser has faults of its own on what nobody would send
        data = str(part.get_payload()).encode("utf-8", "replace")
    assert isinstance(data, bytes)
    text = _decoded(data[:MAX_PART], str(part.get_content_charset() or ""))
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if part.get_content_type() == "text/html":
        return without_markup(text[:MAX_PART])
    if str(part.get_param("format", "") or "").lower() == "flowed":
        return _unflowed(text, str(part.get_param("delsp", "") or "").lower() == "yes")
    return text


def _decoded(data: bytes, charset: str) -> str:
    for name, errors in ((charset, "strict"), ("utf-8", "strict"), (charset, "replace")):
        if _is_charset(name) and not (errors == "replace" and name in ("utf-8", "us-ascii")):
            with contextlib.suppress(ValueError, LookupError):  # some of Python's encodings make no text
                return data.decode(name, errors)
    return data.decode("cp1252", "replace")


def _is_charset(name: str) -> bool:
    if not name or len(name) > 40:
        return False
    try:
        return codecs.lookup(name).name.replace("-", "_") not in _NO_CHARSETS
    except (LookupError, ValueError):
        return False


def _unflowed(text: str, delete: bool) -> str:
    """Lines that a mail program has broken, joined again (RFC 3676): a line that ends in a space goes on in
    the next.
    """
    out: list[list[str]] = []
    open_ = False
    for line in text.split("\n"):
        line = line[1:] if line.startswith(" ") else line
        goes_on = line.endswith(" ") and line != "-- "
        kept = line[:-1] if goes_on and delete else line
        if open_ and not line.startswith(">"):
            out[-1].append(kept)
        else:
            out.append([kept])
        open_ = goes_on
    return "\n".join("".join(pieces) for pieces in out)


def main() -> None:
    """Read the mail of the input within the limits of the process."""
    _bound()
    try:
        said = {"text": text_of(sys.stdin.buffer.read())}
    except TooManyParts as error:
        said = {"fault": str(error)}
    except (RecursionError, MemoryError):
        said = {"fault": "it takes more memory than a mail may"}
    except Exception as error:  # the parser has faults of its own on what nobody would send
        said = {"fault": f"it cannot be read ({type(error).__name__})"}
    json.dump(said, sys.stdout)


def _bound() -> None:
    try:
        import resource
    except ImportError:  # not a system of that kind: the time is bounded by whoever waits
        return
    os.nice(10)
    for what, most in (
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # a lower limit than this one holds already
            resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
