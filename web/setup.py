"""How a server is set up, and the process beside its pages that minds deadlines and mails."""

from __future__ import annotations

import gc
import logging
import os
import signal
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy.exc import DatabaseError

from wteaw.core.parallel import end_with_parent
from wteaw.store import StoreError
from wteaw.store.database import engine_for, fault_in_words, server_file

from .games import Games
from .outbox import Outbox, to_folder, to_server
from .transport import look_into
from .web import Server, environment
from .worker import run
from .worker_pool import Readers, Workshop, context

BEHIND = 5
"""By how much the worker stands back behind the pages."""
COLLECT = 10_000, 20, 100
"""How rarely Python looks for rings among what is kept: each look at all of it keeps whoever is answered
waiting.
"""
LOG = logging.getLogger("wteaw.server")


@dataclass(frozen=True)
class Setup:
    """What a server is made of.

    `folder` holds the database unless another is named, and mails without a server for them.
    """

    folder: Path
    url: str
    database: str = ""
    mail: str = ""
    imap: str = ""
    sender: str = ""
    lmtp: bool = False

    def server(self, *, shop: bool = False) -> Server:
        """The server; with `shop`, what takes long is done in other processes.

        StoreError where something is not clear.
        """
        os.umask(0o077)  # what a server keeps is nobody else's
        gc.set_threshold(*COLLECT)
        if not self.database or not self.mail:
            self.folder.mkdir(parents=True, exist_ok=True)
        engine = engine_for(self.database or server_file(self.folder))
        begin = partial(_opened, engine.url.render_as_string(hide_password=False))
        try:
            hall = Games(
                engine, shop=Workshop(begin) if shop else None, readers=Readers(begin) if shop else None
            )
        except DatabaseError as error:
            raise fault_in_words(error, str(engine.url.database), engine.url.render_as_string()) from None
        carry = to_server(self.mail) if self.mail else to_folder(self.folder / "outbox")
        sender = self.sender or f"wteaw@{urlsplit(self.url).hostname or 'localhost'}"
        outbox = Outbox(engine, lambda: datetime.now(UTC), sender, carry)
        return Server(hall, outbox, self.url, post=bool(self.imap or self.lmtp))

    def work(self, server: Server, stop: threading.Event) -> None:
        """Mind deadlines and mails until somebody says stop."""

        def look() -> None:
            try:
                look_into(server, self.imap)
            except StoreError as error:
                LOG.error("%s", error)

        run(server, stop, before=look if self.imap else None)


def make_ready(hall: Games) -> None:
    """Read the rules of all games and the templates of pages before somebody waits for them, here and where
    orders are read; the collector of rings passes over them from then on."""
    for name in environment().list_templates():
        environment().get_template(name)
    for id_ in hall.ids():
        try:
            open_game(hall, id_)
            hall.read(id_, open_game, id_)
        except StoreError as error:
            LOG.error("%s: %s", id_, error)
    gc.collect()
    gc.freeze()


def open_game(hall: Games, id_: str) -> None:
    """Read the rules of a game and where it stands."""
    with hall.game(id_):
        pass


def _opened(where: str) -> Games:
    """What a process of the workshop works on."""
    gc.set_threshold(*COLLECT)
    return Games(engine_for(where))


def keep_working(setup: Setup, stop: threading.Event) -> None:
    """Have a process mind deadlines and mails until somebody says stop; one that was killed is replaced."""
    while not stop.is_set():
        child = context().Process(target=_work, args=(setup, LOG.getEffectiveLevel()), daemon=True)
        child.start()
        while child.is_alive() and not stop.is_set():
            child.join(1)
        if child.is_alive():
            child.terminate()
        elif not stop.wait(1):
            LOG.warning("the worker has ended; another one goes on")


def _work(setup: Setup, level: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    end_with_parent()
    os.nice(BEHIND)
    tell_log(level)
    setup.work(setup.server(), threading.Event())


def tell_log(level: int = logging.INFO) -> None:
    """Let what a server does by itself be read where it runs."""
    logging.basicConfig(level=level, format="%(asctime)s %(message)s")
    logging.getLogger("mail.log").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
