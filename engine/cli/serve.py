"""`wteaw serve`: the desk, where games are run and played in a browser and by mail."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from . import Code, Stop, formats, tell
from .game import read_scenario

__all__ = ["serve", "tick"]

FOLDER = typer.Option(Path("desk"), help="Where an embedded desk keeps its games and, without a mail server, its mails.")
DATABASE = typer.Option("", envvar="WTEAW_DATABASE", help="A database that is not embedded: postgresql+psycopg://...")
URL = typer.Option("", help="The address under which browsers reach the desk; by default host and port.")
MAIL = typer.Option("", envvar="WTEAW_MAIL", help="The server for mails: smtp://user:password@host:port or smtps://...")
IMAP = typer.Option("", envvar="WTEAW_IMAP", help="A mailbox for orders by mail: imaps://user:password@host/FOLDER.")
SENDER = typer.Option("", help="The address from which mails come; answers go to it with a plus and a token.")


def serve(
    folder: Path = FOLDER,
    database: str = DATABASE,
    host: str = typer.Option("127.0.0.1", help="The address to listen at."),
    port: int = typer.Option(8300, min=0, max=65535, help="The port to listen at."),
    url: str = URL,
    mail: str = MAIL,
    imap: str = IMAP,
    lmtp: str = typer.Option("", help="Take orders by mail from a mail server at this address, as 127.0.0.1:8324."),
    sender: str = SENDER,
    worker: bool = typer.Option(False, "--worker", help="Mind deadlines and mails alone, without pages."),
    pages: bool = typer.Option(False, "--pages", help="Show pages alone; a worker elsewhere minds deadlines and mails."),
    demo: bool = typer.Option(True, help="Show a demonstration game where there is no other."),
    scenario: str = typer.Option("1914", help="The scenario of the demonstration."),
    invite: str = typer.Option("", help="Print a link that lets this address in as host of the desk, and leave."),
) -> None:
    """Serve games in a browser: for players, moderators and whoever looks on.

    Without options an embedded desk starts in the folder `desk`, with a demonstration game and links that lead into it.

    Example: wteaw serve
    """
    try:
        import uvicorn

        from ..game.desk.app import application
        from ..game.desk.web import Desk
    except ImportError as error:
        raise Stop(f"the desk needs more than the referee does ({error.name}): pip install 'wteaw[desk]'", Code.MACHINE) from None

    reached = (url or f"http://{host}:{port}").rstrip("/")
    desk: Desk = _desk(folder, database, reached, mail, sender)
    desk.post = bool(imap or lmtp)
    if invite:
        _invite(desk, invite)
        return
    if worker and pages:
        raise Stop("--worker and --pages exclude each other; without either there are both", Code.CALL)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    logging.getLogger("mail.log").setLevel(logging.WARNING)
    stop = threading.Event()
    ends = [_listen(desk, lmtp)] if lmtp else []
    try:
        if worker:
            _work(desk, stop, imap)
            return
        links = _demonstration(desk, scenario) if demo else []
        if not url and host not in ("127.0.0.1", "localhost", "::1"):
            typer.echo("Set --url to the address that browsers use: links in mails are made of it.", err=True)
        typer.echo(f"The desk is at {reached}/")
        for who, link in links:
            typer.echo(f"  {who:<12} {link}")
        if links:
            typer.echo("Each link leads in once, within 15 minutes; `wteaw serve` prints fresh ones when it starts.")
        if not pages:
            threading.Thread(target=_work, args=(desk, stop, imap), daemon=True).start()
        uvicorn.run(application(desk), host=host, port=port, log_level="warning", server_header=False)
    finally:
        stop.set()
        for end in ends:
            end()


def tick(
    folder: Path = FOLDER,
    database: str = DATABASE,
    url: str = URL,
    mail: str = MAIL,
    imap: str = IMAP,
    sender: str = SENDER,
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Do once what is due at a desk: reminders, deadlines, mails out and in. For cron, where no `wteaw serve` minds them.

    Example: wteaw tick --folder desk
    """
    formats(format, "text", "json")
    try:
        from ..game.desk.mailbox import look_into
        from ..game.desk.worker import tick as once
    except ImportError as error:
        raise Stop(f"the desk needs more than the referee does ({error.name}): pip install 'wteaw[desk]'", Code.MACHINE) from None

    if not database and not (folder / "desk.db").exists():
        raise Stop(f"{folder} holds no desk; `wteaw serve --folder {folder}` starts one", Code.CALL)
    desk = _desk(folder, database, url.rstrip("/") or "http://127.0.0.1:8300", mail, sender)
    desk.post = bool(imap)
    n = look_into(desk, imap) if imap else 0
    done = list(once(desk))
    came = [f"{n} mail{'s' if n != 1 else ''} came in"] if n else []
    if format == "json" or came or done:
        tell(format, {"mails": n, "done": done}, *came, *done)


def _work(desk: Any, stop: threading.Event, imap: str) -> None:
    """Tick until somebody says stop."""
    from ..game.desk.mailbox import look_into
    from ..game.desk.worker import run
    from ..game.store import StoreError

    def look() -> None:
        try:
            look_into(desk, imap)
        except StoreError as error:
            logging.getLogger("wteaw.desk").error("%s", error)

    run(desk, stop, before=look if imap else None)


def _listen(desk: Any, where: str) -> Callable[[], None]:
    from ..game.desk.mailbox import listen

    host, colon, port = where.rpartition(":")
    if not colon or not port.isdigit():
        raise Stop("--lmtp is an address and a port, such as 127.0.0.1:8324", Code.CALL)
    try:
        return listen(desk, host.strip("[]"), int(port))
    except OSError as error:
        raise Stop(f"no mails can be taken at {where}: {error.strerror or error}", Code.MACHINE) from None


def _desk(folder: Path, database: str, url: str, mail: str, sender: str) -> Any:
    from datetime import UTC, datetime
    from urllib.parse import urlsplit

    from ..game.desk.hall import Hall
    from ..game.desk.outbox import Outbox, to_folder, to_server
    from ..game.desk.web import Desk
    from ..game.store.database import engine_for

    os.umask(0o077)  # what a desk keeps is nobody else's
    if not database or not mail:
        folder.mkdir(parents=True, exist_ok=True)
    hall = Hall(engine_for(database or folder / "desk.db"))
    carry = to_server(mail) if mail else to_folder(folder / "outbox")
    from_ = sender or f"desk@{urlsplit(url).hostname or 'localhost'}"
    return Desk(hall, Outbox(hall.engine, lambda: datetime.now(UTC), from_, carry), url)


def _demonstration(desk: Any, scenario: str) -> list[tuple[str, str]]:
    """The demonstration's links, who and where; none where other games are run."""
    from ..game.desk.demonstration import GAME, demonstration
    from ..game.report.mapview import read_drawing

    there = desk.hall.ids()
    if there and there != [GAME]:
        return []
    data, ruleset, folder = read_scenario(scenario)
    roles = demonstration(desk.hall, data, ruleset, read_drawing(folder))
    order = {"player": 0, "moderator": 1, "spectator": 2}
    found = []
    for role in sorted(roles, key=lambda r: (order.get(r.role, 3), r.nation)):
        token = desk.hall.people.link(role)
        if token is not None:
            name = str(ruleset.rows("nations").get(role.nation, {}).get("name", role.nation)) if role.nation else role.role
            found.append((name, f"{desk.url}/in/{token}"))
    return found


def _invite(desk: Any, email: str) -> None:
    from ..game.desk.people import HOST, address

    people = desk.hall.people
    whose = address(email)
    known = [r for r in people.with_address(whose) if r.role == HOST]
    role = known[0] if known else people.add("", HOST, name=whose.partition("@")[0], email=whose)
    token = people.link(role)
    if token is None:
        raise Stop("too many links were made for this address lately; wait an hour")
    typer.echo(f"{desk.url}/in/{token}")
