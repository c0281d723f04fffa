"""How a desk is set up, and the process beside its pages that minds deadlines and mails."""

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

from wteaw.store import StoreError
from wteaw.store.database import engine_for, fault_in_words

from .games import Games
from .outbox import Outbox, to_folder, to_server
from .transport import look_into
from .web import Desk, environment
from .worker import run
from .worker_pool import Workshop, context, end_with_parent

BEHIND = 5
"""By how much the worker stands back behind the pages."""
COLLECT = 10_000, 20, 100
"""How rarely Python looks for rings among what is kept: each look at all of it keeps whoever is answered
waiting.
"""
LOG = logging.getLogger("wteaw.desk")


@dataclass(frozen=True)
class Setup:
    """What a desk is made of.

    `folder` holds the database unless another is named, and mails without a server for them.
    """

    folder: Path
    url: str
    database: str = ""
    mail: str = ""
    imap: str = ""
    sender: str = ""
    lmtp: bool = False

    def desk(self, *, shop: bool = False) -> Desk:
        """The desk; with `shop`, what takes long is done in other processes.

        StoreError where something is not clear.
        """
        os.umask(0o077)  # what a desk keeps is nobody else's
        gc.set_threshold(*COLLECT)
        if not self.database or not self.mail:
            self.folder.mkdir(parents=True, exist_ok=True)
        engine = engine_for(self.database or self.folder / "desk.db")
        shop_of = (
            Workshop(partial(_opened, engine.url.render_as_string(hide_password=False))) if shop else None
        )
        try:
            hall = Games(engine, shop=shop_of)
        except DatabaseError as error:
            raise fault_in_words(error, str(engine.url.database), engine.url.render_as_string()) from None
        carry = to_server(self.mail) if self.mail else to_folder(self.folder / "outbox")
        sender = self.sender or f"desk@{urlsplit(self.url).hostname or 'localhost'}"
        outbox = Outbox(engine, lambda: datetime.now(UTC), sender, carry)
        return Desk(hall, outbox, self.url, post=bool(self.imap or self.lmtp))

    def work(self, desk: Desk, stop: threading.Event) -> None:
        """Mind deadlines and mails until somebody says stop."""

        def look() -> None:
            try:
                look_into(desk, self.imap)
            except StoreError as error:
                LOG.error("%s", error)

        run(desk, stop, before=look if self.imap else None)


def make_ready(hall: Games) -> None:
    """Read the rules of all games and the templates of pages before somebody waits for them; the collector of
    rings passes over them from then on."""
    for name in environment().list_templates():
        environment().get_template(name)
    for id_ in hall.ids():
        try:
            with hall.game(id_):
                pass
        except StoreError as error:
            LOG.error("%s: %s", id_, error)
    gc.collect()
    gc.freeze()


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
    setup.work(setup.desk(), threading.Event())


def tell_log(level: int = logging.INFO) -> None:
    """Let what a desk does by itself be read where it runs."""
    logging.basicConfig(level=level, format="%(asctime)s %(message)s")
    logging.getLogger("mail.log").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
