"""Orders that are being written: kept as their writer goes on, so that he finds them again in another browser.

They are no orders before they are sent. What is typed is kept with all that is typed within a second, in one transaction: nobody
waits for the disk to have his orders read back.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Engine

from ..store.database import changing, reading
from .people import stamp
from .tables import drafts

MAX_DRAFT = 100_000
SOON = 1.0
"""Seconds until what is kept soon is kept."""
LOG = logging.getLogger("wteaw.desk")


class Drafts:
    """The drafts of all games of a desk."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self.engine = engine
        self.clock = clock
        self._waiting: dict[tuple[str, str], tuple[int, str, str]] = {}
        self._guard = threading.Lock()
        self._writing = threading.Lock()
        self._later: threading.Timer | None = None

    def of(self, game: str, nation: str, stage: int) -> tuple[str, str]:
        """Orders that are being written for a stage, and when they were kept; both empty if there are none."""
        with self._guard:
            found = self._waiting.get((game, nation))
        if found is None:
            query = select(drafts.c.stage, drafts.c.text, drafts.c.at)
            with reading(self.engine) as db:
                row = db.execute(query.where(drafts.c.game == game, drafts.c.nation == nation)).first()
            found = (row.stage, row.text, row.at) if row else (0, "", "")
        return found[1:] if found[0] == stage else ("", "")

    def keep(self, game: str, nation: str, stage: int, text: str, *, soon: bool = False) -> None:
        """Keep orders that are being written, at once or, `soon`, within a second. At once: never within a transaction."""
        with self._guard:
            self._waiting[game, nation] = (stage, text[:MAX_DRAFT], stamp(self.clock()))
            if soon:
                if self._later is None:
                    self._later = threading.Timer(SOON, self._write_later)
                    self._later.daemon = True
                    self._later.start()
                return
        self.write()

    def _write_later(self) -> None:
        try:
            self.write()
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
                for (game, nation), (stage, text, at) in kept.items():
                    values = {"stage": stage, "text": text, "at": at}
                    where = (drafts.c.game == game, drafts.c.nation == nation)
                    if not db.execute(update(drafts).where(*where).values(**values)).rowcount:
                        db.execute(insert(drafts).values(game=game, nation=nation, **values))
            with self._guard:
                for key, one in kept.items():
                    if self._waiting.get(key) is one:
                        del self._waiting[key]
