"""`wteaw serve`: the server, where games are run and played in a browser and by mail."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from wteaw.cli import ExitCode, Stop, tell
from wteaw.cli.game import find_scenario

__all__ = ["serve", "tick"]

FOLDER = typer.Option(
    Path("server"), help="Where an embedded server keeps its games and, without a mail server, its mails."
)
DATABASE = typer.Option(
    "", envvar="WTEAW_DATABASE", help="A database that is not embedded: postgresql+psycopg://..."
)
URL = typer.Option("", help="The address under which browsers reach the server; by default host and port.")
MAIL = typer.Option(
    "", envvar="WTEAW_MAIL", help="The server for mails: smtp://user:password@host:port or smtps://..."
)
IMAP = typer.Option(
    "", envvar="WTEAW_IMAP", help="A mailbox for orders by mail: imaps://user:password@host/FOLDER."
)
SENDER = typer.Option("", help="The address from which mails come; answers go to it with a plus and a token.")


def serve(
    folder: Path = FOLDER,
    database: str = DATABASE,
    host: str = typer.Option("127.0.0.1", help="The address to listen at."),
    port: int = typer.Option(8300, min=0, max=65535, help="The port to listen at."),
    url: str = URL,
    mail: str = MAIL,
    imap: str = IMAP,
    lmtp: str = typer.Option(
        "", help="Take orders by mail from a mail server at this address, as 127.0.0.1:8324."
    ),
    sender: str = SENDER,
    worker: bool = typer.Option(False, "--worker", help="Mind deadlines and mails alone, without pages."),
    pages: bool = typer.Option(
        False, "--pages", help="Show pages alone; a worker elsewhere minds deadlines and mails."
    ),
    demo: bool = typer.Option(True, help="Show a demonstration game where there is no other."),
    scenario: str = typer.Option("1914", help="The scenario of the demonstration."),
    invite: str = typer.Option(
        "", help="Print a link that lets this address in as host of the server, and stop."
    ),
) -> None:
    """Serve games in a browser: for players, moderators and whoever looks on.

    Without options an embedded server starts in the folder `server`, with a demonstration game and links that
    lead into it.

    Example: wteaw serve
    """
    try:
        from .ahead import keep_ahead
        from .page_server import page_server
        from .setup import keep_working, make_ready, tell_log
    except ImportError as error:
        raise Stop(
            f"the server needs more than the referee does ({error.name}): pip install 'wteaw[server]'",
            ExitCode.MACHINE,
        ) from None

    reached = (url or f"http://{host}:{port}").rstrip("/")
    setup = _setup(folder, database, reached, mail, imap, sender, bool(lmtp))
    if invite:
        _invite(setup.server(), invite)
        return
    if worker and pages:
        raise Stop("--worker and --pages exclude each other; without either there are both", ExitCode.CALL)
    tell_log()
    # what is to be written down before the end is
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(ExitCode.DONE))
    shown = find_scenario(scenario) if demo else None
    server = setup.server(shop=not worker)
    stop = threading.Event()
    ends = [_listen(server, lmtp)] if lmtp else []
    try:
        if worker:
            setup.work(server, stop)
            return
        if not url and host not in ("127.0.0.1", "localhost", "::1"):
            typer.echo("Set --url to the address that browsers use: links in mails are made of it.", err=True)

        http = page_server(server, host, port)

        def opened() -> None:
            _opened(server, http, shown)
            make_ready(server.hall)
            threading.Thread(target=keep_ahead, args=(server.hall, stop), daemon=True).start()
            if not pages:
                keep_working(setup, stop)

        threading.Thread(target=opened, daemon=True).start()
        http.run([http.config.bind_socket()])
    finally:
        stop.set()
        server.close()
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
    """Do once what is due on a server: reminders, deadlines, mails out and in. For cron, where no `wteaw
    serve` does it.

    Example: wteaw tick --folder server
    """
    try:
        from .transport import look_into
        from .worker import tick as once
    except ImportError as error:
        raise Stop(
            f"the server needs more than the referee does ({error.name}): pip install 'wteaw[server]'",
            ExitCode.MACHINE,
        ) from None

    from wteaw.store.database import server_file

    if not database and not server_file(folder).exists():
        raise Stop(f"{folder} holds no server; `wteaw serve --folder {folder}` starts one", ExitCode.CALL)
    server = _setup(folder, database, url.rstrip("/") or "http://127.0.0.1:8300", mail, imap, sender).server()
    n = look_into(server, imap) if imap else 0
    done = list(once(server))
    came = [f"{n} mail{'s' if n != 1 else ''} came in"] if n else []
    if format == "json" or came or done:
        tell(format, {"mails": n, "done": done}, *came, *done)


def _listen(server: Any, where: str) -> Callable[[], None]:
    from .transport import listen

    host, colon, port = where.rpartition(":")
    if not colon or not port.isdigit():
        raise Stop("--lmtp is an address and a port, such as 127.0.0.1:8324", ExitCode.CALL)
    try:
        return listen(server, host.strip("[]"), int(port))
    except OSError as error:
        raise Stop(f"no mails can be taken at {where}: {error.strerror or error}", ExitCode.MACHINE) from None


def _setup(
    folder: Path, database: str, url: str, mail: str, imap: str, sender: str, lmtp: bool = False
) -> Any:
    from .setup import Setup

    return Setup(folder, url, database, mail, imap, sender, lmtp)


def _opened(server: Any, http: Any, scenario: Path | None) -> None:
    """Once browsers can come: say where, make the demonstration ready, and print the links that lead into
    it.
    """
    while not http.started:
        time.sleep(0.05)
    typer.echo(f"The server is at {server.url}/")
    if scenario is None:
        return
    from wteaw.store import StoreError

    from .demonstration import shown

    server.preparing = "The demonstration game"
    try:
        links = [
            (name, server.hall.people.link(server.hall.people.role(id_)))
            for id_, name in shown(server.hall, scenario)
        ]
    except StoreError as error:
        typer.echo(f"There is no demonstration: {error}", err=True)
        return
    finally:
        server.preparing = ""
    for name, token in links:
        typer.echo(
            f"  {name:<12} "
            + (f"{server.url}/in/{token}" if token else "has had its links of this hour: use one, or wait")
        )
    if any(token for _, token in links):
        typer.echo(
            "Each link leads in once, within 15 minutes; `wteaw serve` prints fresh ones when it starts."
        )


def _invite(server: Any, email: str) -> None:
    from .accounts import HOST, address, name_from

    people = server.hall.people
    whose = address(email)
    known = [r for r in people.with_address(whose) if r.role == HOST]
    role = known[0] if known else people.add("", HOST, name=name_from(whose), email=whose)
    token = people.link(role)
    if token is None:
        raise Stop("too many links were made for this address lately; wait an hour")
    typer.echo(f"{server.url}/in/{token}")
