"""Orders that are being written: kept as their writer goes on, so that they find them again in another
browser.

They are no orders before they are sent. What is typed is kept with all that is typed within a second, in one
transaction: nobody waits for the disk to have their orders read back.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Engine

from wteaw.store import StoreError
from wteaw.store.database import changing, reading

from .accounts import stamp
from .tables import drafts

MAX_DRAFT, MOST_MARKS = 100_000, 300
MARK = re.compile("[0-9a-f]{16}")
SOON, AGAIN = 1.0, 30.0
"""Seconds until what is kept soon is kept, and until it is tried again where the machine did not let it be
done.
"""
LOG = logging.getLogger("wteaw.server")


class OrderDraft(NamedTuple):
    """Orders that are being written: when they were kept ("" if there are none), and the marks of silenced
    warnings.
    """

    text: str = ""
    at: str = ""
    meant: frozenset[str] = frozenset()


class Drafts:
    """The drafts of all games of a server."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self.engine = engine
        self.clock = clock
        self._waiting: dict[tuple[str, str], tuple[int, OrderDraft]] = {}
        self._guard = threading.Lock()
        self._writing = threading.Lock()
        self._later: threading.Timer | None = None

    def of(self, game: str, nation: str, stage: int) -> OrderDraft:
        """Orders that are being written for a stage."""
        with self._guard:
            found = self._waiting.get((game, nation))
        if found is None:
            query = select(drafts.c.stage, drafts.c.text, drafts.c.at, drafts.c.meant)
            with reading(self.engine) as db:
                row = db.execute(query.where(drafts.c.game == game, drafts.c.nation == nation)).first()
            found = (
                (row.stage, OrderDraft(row.text, row.at, frozenset(row.meant.split())))
                if row
                else (0, OrderDraft())
            )
        return found[1] if found[0] == stage else OrderDraft()

    def keep(
        self, game: str, nation: str, stage: int, text: str, *, mean: str | None = None, soon: bool = False
    ) -> OrderDraft:
        """Keep orders that are being written, at once or, `soon`, within a second. At once: never within a
        transaction.

        `mean`: the mark of a warning that is silenced from now on; "" ends the silence of all.
        """
        meant = self.of(game, nation, stage).meant if mean != "" else frozenset()
        meant |= {mean} if mean and MARK.fullmatch(mean) and len(meant) < MOST_MARKS else set()
        made = OrderDraft(text[:MAX_DRAFT], stamp(self.clock()), meant)
        with self._guard:
            self._waiting[game, nation] = (stage, made)
            if soon:
                self._write_in(SOON)
                return made
        self.write()
        return made

    def _write_in(self, seconds: float) -> None:
        """Write down what waits for it after so long, unless that is to be done already."""
        if self._later is None:
            self._later = threading.Timer(seconds, self._write_later)
            self._later.daemon = True
            self._later.start()

    def _write_later(self) -> None:
        try:
            self.write()
        except StoreError as error:
            LOG.error("drafts wait to be kept: %s", error)
            with self._guard:
                self._write_in(AGAIN)
        except Exception:
            LOG.exception("drafts could not be kept; they are kept with the next one")

    def write(self) -> None:
        """Write down whatever waits for it, one call after another, so that what is newer is written last."""
        with self._writing:
            with self._guard:
                self._later = None
                kept = dict(self._waiting)
            if not kept:
                return
            with changing(self.engine) as db:
                for (game, nation), (stage, (text, at, meant)) in kept.items():
                    values = {"stage": stage, "text": text, "at": at, "meant": " ".join(sorted(meant))}
                    where = (drafts.c.game == game, drafts.c.nation == nation)
                    if not db.execute(update(drafts).where(*where).values(**values)).rowcount:
                        db.execute(insert(drafts).values(game=game, nation=nation, **values))
            with self._guard:
                for key, one in kept.items():
                    if self._waiting.get(key) is one:
                        del self._waiting[key]
