"""Hostile requests to a server: forms, addresses, headers, uploads, cookies, mails and lines that nobody in their right mind would send.

`make hostile` sends 10,000 and opens 1,200 lines that it never finishes, the suite a share of them. Every answer is one of those that a server gives on purpose (never a 500), no
mail stops the one who takes mails in, and afterwards the game is what it was: it plays on, and whoever has a role still has it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from wteaw.play.verify import audit
from wteaw.store.database import engine_for
from wteaw_web.app import SEATS, addresses
from wteaw_web.inbound import receive
from wteaw_web.parse_mail import MAX_BYTES

from .house import Browser, House, said
from .served import HALF_BODY, HALF_HEAD, ServerProcess

MOST_GROWN, MOST_OPEN = 200_000, 400
"""kB that whoever takes mails in may grow by; lines that are kept open at a time."""
EXPECTED = {200, 303, 400, 403, 404, 405, 409, 413, 429}
NASTY = (
    "", "0", "-1", "1e999", "9" * 40, "\x00", "\ud800", "\u202e", "'; drop table games; --", '"><script>alert(1)</script>', "../../etc/passwd",
    "{{ 7 * 7 }}", "${7*7}", "%s%n", "a" * 20_000, "\n" * 5000, "dig\n" * 3000, "dig\x1b[2J\r\nfly", "=" * 300, "(" * 3000, "[" * 2000,
    "١٢٣", "½", "𝔡𝔦𝔤", "dig 99999999999999999999999", "1:dig", "99999:x", "0:dig", ":", "1" + "0" * 300, "true", "null", "NaN", "[[[[{}]]]]",
    "2026-05-01T20:00", "9999-12-31T23:59", "0000-00-00T00:00", "red", "blue", "small", "moderator", "*", "ann@a.example", "@", "a@b\r\nBcc: c@d",
)  # fmt: skip
FIELDS = (
    "token", "text", "out", "nothing", "live", "mend", "line", "file", "others", "turn", "window", "size", "form", "nation", "key", "answer",
    "decision", "about", "due", "days", "auto", "remind", "public", "pause", "more", "stage", "force", "to", "reason", "sure", "act", "name", "email",
    "role", "session", "mail", "rules", "shown", "from", "log", "row", "attacker", "defender", "place", "ruleset", "id", "title", "scenario", "send", "test", "quiet",
)  # fmt: skip
HEADS = (
    "cookie", "content-type", "content-length", "host", "x-forwarded-for", "sec-fetch-site", "accept-encoding", "origin", "referer",
    "transfer-encoding", "user-agent", "accept", "range", "if-none-match",
)  # fmt: skip
TYPES = (
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "multipart/form-data", "application/json", "text/plain",
    "multipart/form-data; boundary=" + "b" * 5000, "application/x-www-form-urlencoded; charset=utf-7", "\xff\xfe",
)  # fmt: skip

HTML = b"Content-Type: text/html\n\n"
MIXED = b"Content-Type: multipart/mixed; boundary=b\n\n"
COSTLY: dict[str, bytes] = {
    "70,000 quotations in one another": HTML + b"<blockquote>" * 70_000,
    "tags that never end": HTML + b"<a " * 300_000,
    "attributes that never end": HTML + b"<p a='" * 150_000,
    "comments that never end": HTML + b"<!--" * 200_000,
    "entities": HTML + b"&#" * 400_000,
    "20,000 parts": MIXED + b"--b\nContent-Type: text/plain\n\nx\n" * 20_000,
    "parts without heads": MIXED + b"--b\n\nx\n" * 100_000,
    "parts in one another": b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(9000)
    ),
    "mails in one another": b"Content-Type: message/rfc822\n\n" * 20_000,
    "40,000 parameters": b"Content-Type: text/plain; "
    + b"; ".join(b"a%d=1" % n for n in range(40_000))
    + b"\n\ndig\n",
    "a charset whose time is the square": b"Content-Type: text/plain; charset=punycode\n\na-"
    + b"9" * 300_000,
    "900 kB of a folded field": b"Cc: a@b.c\n" + b" ,b@c.d\n" * 100_000 + b"\ndig\n",
    "60,000 senders": b"Reply-To: " + b", ".join(b"r%d@x.org" % n for n in range(60_000)) + b"\n\ndig\n",
    "a subject of encoded words": b"Subject: " + b"=?utf-8?q?a?= " * 60_000 + b"\n\ndig\n",
    "70,000 fields": b"".join(b"X-%d: a\n" % n for n in range(70_000)) + b"\ndig\n",
}
"""Mails, after their first fields, that are to cost whoever reads them memory or time."""
HALVES = HALF_HEAD, HALF_BODY, b""
"""What lines to a server begin with and never finish."""


def encoded_twice(text: str) -> str:
    """An encoded word within an encoded word."""
    inner = "=?utf-8?q?" + "".join(c if c.isalnum() else f"={ord(c):02X}" for c in text) + "?="
    return "=?utf-8?q?" + "".join(c if c.isalnum() else f"={ord(c):02X}" for c in inner) + "?="


class Attacker:
    """Somebody who has come in (or not), and sends what comes into their head."""

    def __init__(self, at: House, seed: int) -> None:
        self.at = at
        self.rng = random.Random(seed)
        self.browsers: list[tuple[Browser, str, str]] = []

    def come_in(self) -> None:
        """Be there in every role, and as a stranger: what was sent may have ended a session."""
        self.browsers = [(self.at.browser(), "", "")]
        for kind, nation in (("player", "red"), ("moderator", ""), ("spectator", ""), ("host", "")):
            role = next(
                (r for r in self.at.hall.people.of_game("" if kind == "host" else "small") if r.role == kind),
                None,
            )
            role = role or self.at.hall.people.add(
                "small", kind, nation=nation, name="x", email="x@x.example"
            )
            self.at.wait(hours=1)
            browser = self.at.come_in(role)
            self.browsers.append((browser, browser.token(), kind))

    def text(self) -> str:
        made = self.rng.choice(NASTY)
        while self.rng.random() < 0.3 and len(made) < 50_000:
            made += self.rng.choice(NASTY)
        if self.rng.random() < 0.1:
            made += "".join(
                chr(self.rng.choice((self.rng.randrange(32), self.rng.randrange(0xD800), 0x1F600)))
                for _ in range(9)
            )
        return made

    def request(self) -> tuple[str, str, dict[str, Any]]:
        """One request as an ASGI scope wants it: method, address with its query, the rest."""
        rng = self.rng
        browser, token, kind = rng.choice(self.browsers)
        method, address = rng.choice(list(addresses()))
        if kind and rng.random() < 0.8:
            method, page = rng.choice([(m, p) for m, p, _, who in SEATS if kind in who])
            address = f"/seat/{{seat}}/{page}"
        address = address.replace("/seat/{seat}", browser.seat or "/seat/x").replace(
            "{game}", rng.choice(("small", "x", self.short()))
        )
        for hole in ("{secret}", "{what}", "{mark}", "{name}"):
            address = address.replace(hole, rng.choice(("x", "dice", "page", "published", self.short())))
        if rng.random() < 0.05:
            method = rng.choice(("PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "GET", "POST", "TRACE"))
        if rng.random() < 0.05:
            address += rng.choice(("/", "//", "/..", "%00", "/%2e%2e/", "?", "#", ";"))
        fields = {rng.choice(FIELDS): self.text() for _ in range(rng.randrange(6))}
        query = (
            urlencode({k: v.encode("utf-8", "surrogatepass") for k, v in fields.items() if len(v) < 3000})
            if rng.random() < 0.5
            else ""
        )
        if rng.random() < 0.8:
            fields["token"] = token
        return method, address, {"query": query, "browser": browser, "fields": fields}

    def short(self) -> str:
        return quote(self.text()[:60].encode("utf-8", "surrogatepass"))

    def body(self, fields: dict[str, str]) -> tuple[str, bytes]:
        """A type and a body that more or less go together."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.6:
            return TYPES[0], urlencode(
                {k: v.encode("utf-8", "surrogatepass") for k, v in fields.items()}
            ).encode()
        if kind < 0.85:
            parts = b"".join(
                b'--b\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
                % (
                    k.encode(), rng.choice((b"", b'; filename="f.txt"', b'; filename="../../x"\r\nContent-Type: image/png')),
                    v.encode("utf-8", "surrogatepass"),
                )
                for k, v in fields.items()
            )  # fmt: skip
            return TYPES[1], parts + rng.choice((b"--b--\r\n", b"--b", b"", b"\x00" * 50))
        return rng.choice(TYPES), bytes(rng.randrange(256) for _ in range(rng.randrange(300)))

    def send(self) -> int:
        """Send one request straight to the application, as a server would hand it over. Returns the status."""
        method, address, more = self.request()
        rng = self.rng
        kind, body = self.body(more["fields"]) if method == "POST" else ("", b"")
        browser = more["browser"]
        cookie = "; ".join(f"{c.name}={c.value}" for c in browser.client.cookies.jar)
        heads = [
            (b"host", b"testserver"),
            (b"cookie", cookie.encode()),
            (b"content-length", str(len(body)).encode()),
        ]
        if kind:
            heads.append((b"content-type", kind.encode("latin-1", "replace")))
        while rng.random() < 0.3:
            name, value = rng.choice(HEADS).encode(), self.text()[:2000].encode("utf-8", "surrogatepass")
            heads = [h for h in heads if h[0] != name or rng.random() < 0.5]
            heads.append((name, value.replace(b"\r", b"").replace(b"\n", b"")))
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "scheme": "http", "path": address.partition("?")[0],
            "raw_path": address.encode("utf-8", "replace"), "root_path": "", "query_string": more["query"].encode(), "headers": heads,
            "client": ("127.0.0.1", 1), "server": ("testserver", 80), "asgi": {"version": "3.0"},
        }  # fmt: skip
        answered: list[int] = []

        async def receive_() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answered.append(int(message["status"]))

        asyncio.run(self.at.app(scope, receive_, send))
        return answered[0]

    def mail(self) -> bytes:
        """A mail of whatever kind: now and then one that is to cost something, or whose subject is to add lines to an answer."""
        rng = self.rng
        role = self.at.role("small", "player", "red")
        if rng.random() < 0.1:
            to = rng.choice((self.at.server.post_of(role), "desk@example.org"))
            head = f"From: {role.email}\r\nTo: {to}\r\nMessage-ID: <{rng.random()}@x>\r\n"
            if rng.random() < 0.7:
                return (head.encode() + COSTLY[rng.choice(sorted(COSTLY))])[: MAX_BYTES + rng.choice((0, 1))]
            end = rng.choice(("\r\n", "\n", "\x85", "\u2028"))
            subject = encoded_twice(
                f"orders{end}X-Injected: yes{end}Reply-To: eve@evil.example{end}{end}{self.text()[:50]}"
            )
            return f"{head}Subject: {subject}\r\n\r\ngame small nation red turn 1\r\ndig\r\n".encode(
                "utf-8", "replace"
            )
        heads = {
            "From": rng.choice((role.email, self.text()[:300], f'"{self.text()[:50]}" <{role.email}>', "")),
            "To": rng.choice((self.at.server.post_of(role), "desk+@example.org", self.text()[:300])),
            "Subject": self.text()[:500], "Message-ID": rng.choice(("", f"<{rng.random()}@x>", self.text()[:100])),
            "Content-Type": rng.choice((
                "text/plain", "text/html; charset=utf-16", "multipart/mixed; boundary=b", "multipart/mixed", "text/plain; charset=nonsense",
                "message/rfc822", "text/plain; charset=\"utf-8", self.text()[:100],
            )),
            "Content-Transfer-Encoding": rng.choice(("", "base64", "quoted-printable", "uuencode", self.text()[:20])),
        }  # fmt: skip
        made = "".join(f"{k}: {v}\r\n" for k, v in heads.items() if rng.random() < 0.9).encode(
            "utf-8", "surrogatepass"
        )
        text = self.text().encode("utf-8", "surrogatepass")
        inside = rng.choice(
            (
                text,
                b"dig\r\n",
                b"--b\r\n\r\n" + text + b"\r\n--b--",
                bytes(rng.randrange(256) for _ in range(300)),
            )
        )
        return made + b"\r\n" + inside


def hostile(folder: Path, requests: int, mails: int, seed: int = 5) -> tuple[Counter[str], list[str]]:
    """Send so many of each. Returns what came back, and what should not have."""
    house = House(engine_for(folder / "server.db"))
    house.server.post = True
    house.game("small", red="ann@a.example", blue="bob@b.example")
    house.hall.people.add("small", "spectator", name="Sam", email="sam@s.example")
    house.hall.people.add("", "host", name="Holly", email="holly@h.example")
    attacker = Attacker(house, seed)
    seen: Counter[str] = Counter()
    faults: list[str] = []
    for name in ("wteaw.server", "python_multipart"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    for n in range(requests):
        if n % 100 == 0:
            attacker.come_in()
        before = attacker.rng.getstate()
        house.wait(seconds=1)
        try:
            status = attacker.send()
        except Exception as error:
            status = 500
            faults.append(f"request {n}: {type(error).__name__}: {error}")
        seen[str(status)] += 1
        if status not in EXPECTED:
            attacker.rng.setstate(before)
            method, address, more = attacker.request()
            faults.append(f"request {n}: {status} to {method} {address[:200]} {str(more)[:600]}")
    house.mails()
    before_mails = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for n in range(mails):
        made = attacker.mail()
        try:
            seen[f"mail {receive(house.server, made)}"] += 1
        except Exception as error:
            faults.append(f"mail {n}: {type(error).__name__}: {error}: {made[:600]!r}")
    faults += [f"a mail of the server: {wrong}" for one in house.mails() if (wrong := _added(house, one))]
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_mails > MOST_GROWN:
        faults.append(f"whoever takes mails in has grown by more than {MOST_GROWN // 1000} MB")
    with house.hall.game("small") as game:
        faults += [f"{what}: {fault}" for what, fault in audit(game) if fault]
    if house.hall.broken_log("small") is not None:
        faults.append("the log of what was done is broken")
    if "wteaw" not in said(house.browser().get("/")):
        faults.append("the server does not answer any more")
    return seen, faults


def _added(house: House, one: EmailMessage) -> str:
    """What stands in the head of a mail of the server that is not of the server; nothing, as a rule."""
    back = message_from_bytes(one.as_bytes())
    own = {house.server.post_of(r) for r in house.hall.people.of_game("small")}
    known = {"Message-ID", "Date", "From", "To", "Subject", "Reply-To", "Auto-Submitted", "MIME-Version"}
    strange = [name for name in back if name not in known and not name.startswith("Content-")]
    strange += [str(reply) for reply in back.get_all("Reply-To", []) if reply not in own]
    return ", ".join(strange)


def unfinished(folder: Path, lines: int) -> list[str]:
    """Lines of every kind to a server that may open few files, some fed a byte now and then. Returns what was not as it should be."""
    server, faults = ServerProcess(folder), []
    try:
        if not server.healthy():
            return ["the server has not begun to answer"]
        open_ = []
        for n in range(lines):
            open_.append(server.half(HALVES[n % len(HALVES)]))
            if n % 100 == 99:
                for one in open_[:: len(HALVES)]:
                    with contextlib.suppress(OSError):  # it has been dropped
                        one.send(b"a")
                if not server.healthy():
                    faults.append(f"with {n + 1} unfinished lines nobody is answered")
            if len(open_) > MOST_OPEN:
                open_.pop(0).close()
        for one in open_:
            one.close()
        if not server.healthy():
            faults.append("nobody is answered when they have gone")
        server.process.send_signal(signal.SIGTERM)
        try:
            server.process.wait(5)
        except subprocess.TimeoutExpired:
            faults.append("it does not end when it is told to")
    finally:
        server.end()
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=8000)
    parser.add_argument("--mails", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--lines", type=int, default=1200)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wteaw-hostile-") as folder:
        seen, faults = hostile(Path(folder), given.requests, given.mails, given.seed)
        print(
            f"requests and mails sent after {time.monotonic() - began:.0f} s, {len(faults)} faults; now lines",
            flush=True,
        )
        faults += unfinished(Path(folder) / "served", given.lines)
    print(
        f"{given.requests} requests, {given.mails} mails and {given.lines} unfinished lines in {time.monotonic() - began:.0f} s: {dict(sorted(seen.items()))}"
    )
    for fault in faults[:20]:
        print(f"FAULT {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
