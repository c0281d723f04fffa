"""The games of a desk: opened once, looked at as far as they have been sent out, with how each is run and what was done.

What a moderator has resolved and not yet sent is nobody else's: everybody but him is shown the game as it stood when it was last
sent (`Hall.sent`), by a `SentGame`, which is a game that ends at that position.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import func, insert, select, update
from sqlalchemy.engine import Engine

from ...core import canonical
from ...core.journal import Entry
from ..store import Game, Stage, StoreError
from ..store.database import insert_once, lock
from ..store.schema import entries, games, positions
from .migrations import bring_up
from .outbox import Mail, queue
from .people import People, stamp
from .tables import drafts, inbox, log, releases, settings

T = TypeVar("T")

AUTO = ("nothing", "close", "resolve", "send")
"""What is done at a deadline without being asked; each does what stands before it, too."""
MOST_GAMES, MOST_KEPT = 40, 400
MAX_DRAFT = 100_000


@dataclass(frozen=True, slots=True)
class Settings:
    """How a game is run. `due` is UTC, ISO 8601, empty without a deadline; `days` those of a turn; `remind` hours before it."""

    game: str
    due: str = ""
    days: int = 0
    paused: bool = False
    auto: str = "nothing"
    remind: int = 24
    public: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """One line of what was done: when, by whom, what; `digest` of this line and all before it."""

    number: int
    at: str
    who: str
    what: str
    digest: str


class SentGame(Game):
    """A game as it stood when it was last sent: what was resolved since is not in it."""

    def __init__(self, game: Game, last: int) -> None:
        super().__init__(game.engine, game.id, game.ruleset, geography=game.geography)
        self.last = last

    def stage(self, number: int | None = None) -> Stage:
        if number is not None and number > self.last:
            raise StoreError(f"the game has no stage {number}")
        return super().stage(self.last if number is None else number)

    def stages(self) -> list[tuple[int, int, str]]:
        return [s for s in super().stages() if s[0] <= self.last]

    def journal(self, *, turn: int | None = None, position: int | None = None) -> list[Entry]:
        query = select(entries.c.body).where(entries.c.game == self.id, entries.c.position <= self.last)
        if turn is not None:
            query = query.where(entries.c.turn == turn)
        if position is not None:
            query = query.where(entries.c.position == position)
        with self._reading() as db:
            return [Entry.from_json(canonical.loads(row.body)) for row in db.execute(query.order_by(entries.c.number))]


class Hall:
    """Everything that a desk keeps, in one database. `clock` gives the time, with its zone."""

    def __init__(self, engine: Engine, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.engine = engine
        self.clock = clock
        self.people = People(engine, clock)
        self._open: OrderedDict[str, tuple[threading.RLock, Game]] = OrderedDict()
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._guard = threading.Lock()
        bring_up(engine)

    # ---- games

    def ids(self) -> list[str]:
        """The games, the newest first."""
        query = select(games.c.id).join(settings, settings.c.game == games.c.id, isouter=True)
        with self.engine.connect() as db:
            return list(db.execute(query.order_by(settings.c.made.desc(), games.c.id)).scalars())

    @contextmanager
    def game(self, id_: str) -> Iterator[Game]:
        """A game, for one at a time in this process. StoreError if there is none."""
        with self._guard:
            if id_ not in self._open:
                self._open[id_] = (threading.RLock(), Game.in_database(self.engine, id_))
                while len(self._open) > MOST_GAMES:
                    self._open.popitem(last=False)
            self._open.move_to_end(id_)
            guard, found = self._open[id_]
        with guard:
            self._renew(found)
            yield found

    def _renew(self, game: Game) -> None:
        """Another process may have changed the game, and its rules."""
        with self.engine.connect() as db:
            rules = db.execute(select(games.c.ruleset).where(games.c.id == game.id)).scalar()
        if rules is None:
            raise StoreError(f"there is no game {game.id}")
        if rules != game.ruleset.hash:
            found = Game.in_database(self.engine, game.id)
            game.ruleset, game.geography, game._stage = found.ruleset, found.geography, None
        game.look_again()

    @contextmanager
    def sent(self, id_: str) -> Iterator[Game]:
        """A game as far as it has been sent out."""
        with self.game(id_) as game:
            last = self.last_sent(id_)
            yield game if last == game.stage().number else SentGame(game, last)

    def last_sent(self, id_: str) -> int:
        """The number of the last position that players may know of."""
        query = (
            select(func.max(positions.c.number))
            .join(releases, (releases.c.game == positions.c.game) & (releases.c.stage == positions.c.number))
            .where(positions.c.game == id_, positions.c.head == releases.c.head)
        )
        with self.engine.connect() as db:
            return int(db.execute(query).scalar() or 1)

    def send(self, game: Game, mails: Iterable[Mail] = ()) -> bool:
        """Give the present position to the players; in the same moment mails are queued, and the next turn's deadline is set.

        Returns whether they did not have it before; if they had, nothing is done.
        """
        stage = game.stage()
        with self.engine.begin() as db:
            lock(db, game.id)
            row = {"game": game.id, "stage": stage.number, "head": stage.position.head, "at": stamp(self.clock())}
            if not insert_once(db, releases, **row):
                return False
            queue(db, mails, self.clock())
            due = self._next_deadline(self.settings(game.id))
            db.execute(update(settings).where(settings.c.game == game.id).values(due=due))
        return True

    def _next_deadline(self, now: Settings) -> str:
        """When the orders of a turn that begins now are due: at the same time of day as before; none without days of a turn."""
        if not now.due:
            return ""
        due = datetime.fromisoformat(now.due)
        if not now.days:
            return now.due if due > self.clock() else ""
        while due < self.clock() + timedelta(days=now.days) - timedelta(hours=12):
            due += timedelta(days=1)
        return stamp(due)

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made before under a key, or is made now. The key says everything that it hangs on, the reader above all."""
        with self._guard:
            if key in self._kept:
                self._kept.move_to_end(key)
                found: T = self._kept[key]
                return found
        made = make()
        with self._guard:
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return made

    # ---- how a game is run

    def settings(self, game: str) -> Settings:
        """How a game is run."""
        with self.engine.connect() as db:
            row = db.execute(select(settings).where(settings.c.game == game)).first()
        if row is None:
            return Settings(game)
        return Settings(game, row.due, row.days, row.paused, row.auto, row.remind, row.public)

    def keep(self, wanted: Settings) -> None:
        """Run a game so from now on."""
        values = {k: getattr(wanted, k) for k in ("due", "days", "paused", "auto", "remind", "public")}
        with self.engine.begin() as db:
            lock(db, wanted.game)
            if not db.execute(update(settings).where(settings.c.game == wanted.game).values(**values)).rowcount:
                db.execute(insert(settings).values(game=wanted.game, made=stamp(self.clock()), **values))

    # ---- drafts

    def draft(self, game: str, nation: str, stage: int) -> tuple[str, str]:
        """Orders that are being written for a stage, and when they were kept; both empty if there are none."""
        query = select(drafts.c.text, drafts.c.at).where(
            drafts.c.game == game, drafts.c.nation == nation, drafts.c.stage == stage
        )
        with self.engine.connect() as db:
            row = db.execute(query).first()
        return (row.text, row.at) if row else ("", "")

    def keep_draft(self, game: str, nation: str, stage: int, text: str) -> None:
        """Keep orders that are being written."""
        where = (drafts.c.game == game, drafts.c.nation == nation)
        values = {"stage": stage, "text": text[:MAX_DRAFT], "at": stamp(self.clock())}
        with self.engine.begin() as db:
            lock(db, game)
            if not db.execute(update(drafts).where(*where).values(**values)).rowcount:
                db.execute(insert(drafts).values(game=game, nation=nation, **values))

    # ---- what was done

    def note(self, game: str, who: str, what: str) -> None:
        """Write down what was done, chained to what was done before."""
        now = stamp(self.clock())
        with self.engine.begin() as db:
            lock(db, game)
            query = select(log.c.number, log.c.digest).where(log.c.game == game).order_by(log.c.number.desc()).limit(1)
            last = db.execute(query).first()
            number = (last.number if last else 0) + 1
            line = [last.digest if last else "", game, number, now, who, what]
            db.execute(insert(log).values(game=game, number=number, at=now, who=who, what=what, digest=canonical.digest(line)))

    def came(self, game: str, most: int = 200) -> list[Any]:
        """The mails that came in for a game, the last first: sender, subject, at, verdict, says."""
        query = select(inbox).where(inbox.c.game == game).order_by(inbox.c.number.desc()).limit(most)
        with self.engine.connect() as db:
            return list(db.execute(query).all())

    def done(self, game: str, most: int = 1000) -> list[Done]:
        """What was done, the last first."""
        query = select(log).where(log.c.game == game).order_by(log.c.number.desc()).limit(most)
        with self.engine.connect() as db:
            return [Done(r.number, r.at, r.who, r.what, r.digest) for r in db.execute(query)]

    def broken_log(self, game: str) -> int | None:
        """The first line of what was done that is not as it was written; None if all are."""
        before = ""
        for expected, one in enumerate(reversed(self.done(game, 1_000_000)), 1):
            line = [before, game, one.number, one.at, one.who, one.what]
            if one.number != expected or canonical.digest(line) != one.digest:
                return one.number
            before = one.digest
        return None
