"""Mail end to end against real servers: OpenSMTPD takes the mails, Dovecot keeps the players' mailboxes, both from Debian, on loopback.

`make test-mail` installs them where it may (apt, as root), or says what is missing. An invitation goes out and is read by IMAP, its
link leads in; a report arrives with its HTML; the player answers it with orders, which come back to the server by LMTP in one case and
out of a mailbox by IMAP in the other, and the answer to them is in their mailbox.
"""

from __future__ import annotations

import os
import re
import shutil
import smtplib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from imap_tools import MailBoxUnencrypted

from wteaw.store.database import engine_for
from wteaw_web.actions import resolve_now, send_reports
from wteaw_web.outbox import to_server
from wteaw_web.sign_in import mail_link
from wteaw_web.transport import listen, look_into

from .house import House

PACKAGES = ("dovecot-imapd", "dovecot-lmtpd", "opensmtpd")
SECRET = "loopback"
DOVECOT = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
recipient_delimiter = +
first_valid_uid = 1
mail_location = maildir:{folder}/mail/%n
passdb {{
  driver = static
  args = password={secret}
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={folder}/mail/%n allow_all_users=yes
}}
namespace inbox {{
  inbox = yes
}}
service imap-login {{
  inet_listener imap {{
    address = 127.0.0.1
    port = {imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {boxes}
  }}
}}
"""
OPENSMTPD = """
listen on 127.0.0.1 port {smtp} hostname mail.test
table everyone {{ "@" = "nobody" }}
action "server" lmtp "127.0.0.1:{lmtp}" rcpt-to virtual <everyone>
action "boxes" lmtp "127.0.0.1:{boxes}" rcpt-to virtual <everyone>
match from any for domain "server.test" action "server"
match from any for domain "players.test" action "boxes"
"""


@dataclass(frozen=True)
class Ports:
    """Where the servers listen: mails in, mailboxes by IMAP, mailboxes by LMTP, the server by LMTP."""

    smtp: int
    imap: int
    boxes: int
    lmtp: int


def missing() -> str:
    """What keeps the servers from being started here, in words; "" for nothing."""
    if os.geteuid() != 0:
        return "mail servers give up root's rights themselves, so that this test has to be started as root"
    lacking = [
        p for p in ("dovecot", "smtpd") if not shutil.which(p, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    ]
    return (
        f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} missing: apt-get install {' '.join(PACKAGES)}"
        if lacking
        else ""
    )


def install() -> None:
    """Have Debian's packages, if they can be had."""
    if os.geteuid() == 0 and missing() and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES],
        ):
            subprocess.run(command, env=quiet, check=False, stdout=subprocess.DEVNULL)


@contextmanager
def servers(folder: Path) -> Iterator[Ports]:
    """Both servers, for as long as they are needed."""
    ports = Ports(*(_free() for _ in range(4)))
    (folder / "mail").mkdir()
    shutil.chown(folder / "mail", "mail", "mail")
    folder.chmod(0o755)
    names = {"folder": folder, "secret": SECRET, **vars(ports)}
    (folder / "dovecot.conf").write_text(DOVECOT.format(**names))
    (folder / "smtpd.conf").write_text(OPENSMTPD.format(**names))
    path = f"{os.environ.get('PATH', '')}:/usr/sbin"
    with (folder / "log").open("wb") as log:
        commands = (
            ["dovecot", "-F", "-c", str(folder / "dovecot.conf")],
            ["smtpd", "-d", "-f", str(folder / "smtpd.conf")],
        )
        running = [
            subprocess.Popen(c, stdout=log, stderr=log, env={**os.environ, "PATH": path}) for c in commands
        ]
        try:
            for port in (ports.smtp, ports.imap, ports.boxes):
                until(lambda p=port: _answers(p), f"a server at {port}")
            yield ports
        except BaseException:
            for name in ("log", "dovecot.log"):
                if (folder / name).exists():
                    print((folder / name).read_text(errors="replace")[-3000:], file=sys.stderr)
            raise
        finally:
            for one in running:
                one.terminate()
                one.wait(20)


def _free() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def until(done: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """What comes about, once it has."""
    ends = time.monotonic() + seconds
    while not (found := done()):
        if time.monotonic() > ends:
            raise AssertionError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)
    return found


def from_end_to_end(folder: Path, ports: Ports) -> list[str]:
    """A player who knows nothing but their mailbox. Returns what was done."""
    house = House(engine_for(folder / "server.db"))
    house.server.post = True
    house.outbox.sender = "desk@server.test"
    house.outbox.carry = to_server(f"smtp://127.0.0.1:{ports.smtp}")
    house.game("small", red="ann@players.test", blue="bob@players.test")
    ann = house.role("small", "player", "red")
    ends = listen(house.server, "127.0.0.1", ports.lmtp)
    done = []
    try:
        mail_link(house.server, ann, "The game", "Red")
        house.outbox.deliver()
        invitation = newest(ports, "ann", "The game")
        link = re.search(r"/in/(\S+)", invitation.text)
        assert link and house.hall.people.look(link[1]), invitation.text
        done.append("an invitation was read by IMAP, and its link leads in")
        with house.hall.game("small") as game:
            resolve_now(house.hall, game, "test", force=True)
            send_reports(house.server, game, "test")
        house.outbox.deliver()
        report = newest(ports, "ann", "turn 1: Red")
        assert [a.content_type for a in report.attachments] == ["text/html"], report.attachments
        done.append("a report arrived, its HTML attached")
        answers(ports, report, "ann@players.test", "dig\ndig\n")
        until(lambda: orders(house, "red") == 2, "orders by LMTP")
        house.outbox.deliver()
        answer = newest(ports, "ann", "Re: Re: The game small, turn 1: Red")
        assert "have been taken" in answer.text
        done.append("orders came in by LMTP, and the answer to them is in the mailbox")
        house.outbox.sender = "pool@players.test"
        stranger = EmailMessage()
        stranger["From"], stranger["To"], stranger["Subject"] = (
            "eve@players.test",
            house.server.post_of(ann),
            "orders",
        )
        stranger.set_content("dig\n")
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = (
            "ann@players.test",
            house.server.post_of(ann),
            "other orders",
        )
        mail.set_content("dig\n")
        with smtplib.SMTP("127.0.0.1", ports.smtp) as smtp:
            smtp.send_message(stranger)
            smtp.send_message(mail)
        box = f"imap://pool:{SECRET}@127.0.0.1:{ports.imap}/INBOX"
        until(
            lambda: look_into(house.server, box) is not None and orders(house, "red") == 1, "orders by IMAP"
        )
        house.outbox.deliver()
        newest(ports, "ann", "Re: other orders")
        assert look_into(house.server, box) == 0 and orders(house, "red") == 1, "each was taken once"
        done.append("orders came in by IMAP, a stranger's did not")
    finally:
        ends()
    return done


def orders(house: House, nation: str) -> int:
    with house.hall.game("small") as game:
        here = game.submissions().get(nation)
        return len(here.orders) if here else 0


def newest(ports: Ports, who: str, subject: str) -> Any:
    """The mail with such words in its subject, once it is in a mailbox."""

    def look() -> Any:
        with MailBoxUnencrypted("127.0.0.1", ports.imap).login(who, SECRET) as box:
            return next((m for m in box.fetch(reverse=True, mark_seen=False) if subject in m.subject), None)

    return until(look, f"a mail to {who} about {subject!r}")


def answers(ports: Ports, mail: Any, sender: str, text: str) -> None:
    """Answer a mail as a mail program does."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, mail.headers["reply-to"][0], f"Re: {mail.subject}"
    made["In-Reply-To"] = mail.headers["message-id"][0]
    made.set_content(text + "\n" + "".join(f"> {line}\n" for line in mail.text.splitlines()[:20]))
    with smtplib.SMTP("127.0.0.1", ports.smtp) as smtp:
        smtp.send_message(made)


def main() -> int:
    install()
    if why := missing():
        print(f"The mail servers cannot be tried here: {why}")
        return 2
    with tempfile.TemporaryDirectory(prefix="wteaw-mail-") as folder, servers(Path(folder)) as ports:
        for line in from_end_to_end(Path(folder), ports):
            print(f"✓ {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
