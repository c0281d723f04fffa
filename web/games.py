"""The games of a server: opened once, looked at as far as they have been sent out, with how each is run and
what was done.

What a moderator has resolved and not yet sent is nobody else's: everybody but them is shown the game as it
stood when it was last sent (`Hall.sent`), by a `SentGame`, which is a game that ends at that position.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Concatenate, ParamSpec, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Connection, select
from sqlalchemy.engine import Engine

from wteaw.core import canonical
from wteaw.core.model import Ruleset
from wteaw.play.pending import seats
from wteaw.play.views import view_world
from wteaw.store import Game, StoredPosition, StoreError, ledger
from wteaw.store.database import changing, is_changing, reading
from wteaw.store.schema import games, positions
from wteaw.world.geography import Geography
from wteaw.world.world import World

from .accounts import People, stamp
from .deadlines import first_open_day, time_of
from .drafts import Drafts
from .migrations import bring_up
from .outbox import Mail, queue
from .tables import inbox, log, releases, settings
from .worker_pool import Readers, Workshop

T = TypeVar("T")
P = ParamSpec("P")

AUTO = ("nothing", "close", "resolve", "send")
"""What is done at a deadline without being asked; each does what stands before it, too."""
KEPT = ("due", "days", "paused", "auto", "remind", "public", "talk", "early", "spans", "zone", "off")
"""The settings of a game, as the table has them."""
MOST_GAMES, MOST_KEPT, MOST_WORLDS, MOST_RULES = 200, 400, 800, 20


@dataclass(frozen=True, slots=True)
class Settings:
    """How a game is run. `due` is UTC, ISO 8601, empty without a deadline; `days` those of a turn; `remind`
    hours before it.

    `talk`: how players may write to each other (`messages.TALK`); `early`: whether what is done at the
    deadline is done as soon as all players are ready; `spans`: input points of a turn with hours of their
    own, as `retreats 24 builds 0:15`; `zone`: the time zone (IANA) in which deadlines are written and kept at
    their time of day; `off`: days on which no orders are due, as `weekends 2026-12-24..2027-01-02`.
    """

    game: str
    due: str = ""
    days: int = 0
    paused: bool = False
    auto: str = "nothing"
    remind: int = 24
    public: bool = False
    talk: str = "public private"
    early: bool = False
    spans: str = ""
    zone: str = "UTC"
    off: str = ""

    @property
    def times(self) -> dict[str, timedelta]:
        """Input point of a turn -> the time for its orders, where it has one of its own."""
        return {point: time for point, typed in self.typed_times.items() if (time := time_of(typed))}

    @property
    def typed_times(self) -> dict[str, str]:
        """The same as it was typed."""
        words = self.spans.split()
        return dict(zip(words[::2], words[1::2], strict=False))

    @property
    def local(self) -> ZoneInfo:
        """The time zone; UTC where the machine does not know it."""
        try:
            return ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Done:
    """One line of what was done: when, by whom, what; `digest` of this line and all before it."""

    number: int
    at: str
    who: str
    what: str
    digest: str


class SentGame(Game):
    """A game as it stood when it was last sent: what was resolved since is not in it.

    `last` is the stage where it stood.
    """

    def __init__(self, game: Game, last: StoredPosition) -> None:
        super().__init__(game.engine, game.id, game.ruleset, geography=game.geography)
        self.last = last.number
        self._stage = last

    def stage(self, number: int | None = None) -> StoredPosition:
        if number is not None and number > self.last:
            raise StoreError(f"the game has no stage {number}")
        return super().stage(number)

    def look_again(self) -> None:
        """It stays as it was."""

    def stages(self) -> list[tuple[int, int, str]]:
        return [s for s in super().stages() if s[0] <= self.last]

    def _entries(self) -> tuple[str, dict[str, Any]]:
        question, given = super()._entries()
        return f"{question} and position <= :last", {**given, "last": self.last}


def passed(due: str) -> str:
    """What the log says of a deadline that has passed, even if the clock is set back afterwards."""
    return f"The deadline of {due} has passed"


def _on_an_open_day(local: datetime, run: Settings) -> str:
    """A time of a game's zone as it is kept: put off to the first day on which orders may be due."""
    day = first_open_day(local.date(), run.off)
    return stamp(local.replace(year=day.year, month=day.month, day=day.day).astimezone(UTC))


def waits_for(game: Game) -> str:
    """The name of the input point at which a game waits for orders; empty when it has ended."""
    return "" if game.stage().position.ended else game.stages()[-1][2]


class ResultCache:
    """What was made before, by keys that say everything it depends on; the last that were asked for, each
    made once.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._found: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._guard = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under a key, or is made now. Who asks while it is being made waits for it."""
        with self._guard:
            if key in self._found:
                self._found.move_to_end(key)
                found: T = self._found[key]
                return found
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._guard:
                if key in self._found:
                    return self._found[key]  # type: ignore[no-any-return]
            try:
                made = make()
            finally:
                with self._guard:
                    self._making.pop(key, None)
            with self._guard:
                self._found[key] = made
                while len(self._found) > self.most:
                    self._found.popitem(last=False)
        return made

    def holds(self, key: Hashable) -> bool:
        """Whether what a key stands for is there, so that nobody would have to wait for it."""
        with self._guard:
            return key in self._found


class Games:
    """Everything that a server keeps, in one database. `clock` gives the time, with its zone.

    `shop`: where that is done which takes long; `readers`: where orders are read while somebody waits;
    without them it is done here and now.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        shop: Workshop | None = None,
        readers: Readers | None = None,
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.shop = shop
        self.readers = readers
        self.people = People(engine, clock)
        self.drafts = Drafts(engine, clock)
        self._open: OrderedDict[str, tuple[threading.Lock, Game]] = OrderedDict()
        self._rules, self._worlds, self._kept = (
            ResultCache(MOST_RULES),
            ResultCache(MOST_WORLDS),
            ResultCache(MOST_KEPT),
        )
        self._readers: dict[str, threading.RLock] = {}  # what follows from a ruleset is made by one at a time
        self._guard = threading.Lock()
        bring_up(engine)

    def changing(self, game: str) -> AbstractContextManager[Connection]:
        """What is written within, to the game, its mails, seats and log, is written together or not at
        all.
        """
        return changing(self.engine, game)

    def work(self, job: Callable[Concatenate[Games, P], T], *args: P.args, **more: P.kwargs) -> T:
        """Do a job that takes long: a function of a hall and of what can go to another process.

        Never within a transaction: another process neither sees what that has written nor gets its lock.
        """
        self._is_outside(job)
        return job(self, *args, **more) if self.shop is None else self.shop.do(job, *args, **more)

    def read(
        self, game: str, job: Callable[Concatenate[Games, P], T], *args: P.args, **more: P.kwargs
    ) -> T | None:
        """Do a job of a moment where orders of a game are read; None where there are no processes for it.
        What holds for `work` holds here, too.
        """
        self._is_outside(job)
        return None if self.readers is None else self.readers.do(game, job, *args, **more)

    def _is_outside(self, job: Callable[..., Any]) -> None:
        assert not is_changing(self.engine), f"{job.__name__} is worked out before something is changed"

    # ---- games

    def ids(self) -> list[str]:
        """The games, the newest first."""
        query = select(games.c.id).join(settings, settings.c.game == games.c.id, isouter=True)
        with reading(self.engine) as db:
            return list(db.execute(query.order_by(settings.c.made.desc(), games.c.id)).scalars())

    @contextmanager
    def game(self, id_: str) -> Iterator[Game]:
        """A game as it stands now, to be read and changed. StoreError if there is none.

        Nobody waits for anybody here: whoever changes a game that has moved on since hears of it (`Game`).
        """
        with self._guard:
            if id_ not in self._open:
                self._open[id_] = (threading.Lock(), self._found(id_))
                while len(self._open) > MOST_GAMES:
                    self._open.popitem(last=False)
            self._open.move_to_end(id_)
            guard, found = self._open[id_]
        with guard:
            self._renew(found)
            mine = found.for_another_reader()
        yield mine

    def _found(self, id_: str) -> Game:
        """A game with its rules; games of the same rules share them, and what follows from them."""
        hash_ = self._rules_of(id_)

        def load() -> tuple[Ruleset, Geography]:
            game = Game.in_database(self.engine, id_)
            return game.ruleset, game.geography

        ruleset, geography = self._rules.get(hash_, load)
        return Game(self.engine, id_, ruleset, geography=geography)

    def _rules_of(self, id_: str) -> str:
        with reading(self.engine) as db:
            rules = db.execute(select(games.c.ruleset).where(games.c.id == id_)).scalar()
        if rules is None:
            raise StoreError(f"there is no game {id_}")
        return str(rules)

    def _renew(self, game: Game) -> None:
        """Another process may have changed the game, and its rules."""
        if self._rules_of(game.id) != game.ruleset.hash:
            found = self._found(game.id)
            game.ruleset, game.geography, game._stage = found.ruleset, found.geography, None
        game.refresh()
        game.stage()

    @contextmanager
    def sent(self, id_: str) -> Iterator[Game]:
        """A game as far as it has been sent out."""
        with self.game(id_) as game:
            yield self.as_sent(game)

    def as_sent(self, game: Game) -> Game:
        """The same game as far as it has been sent out."""
        last, head = self._last_sent(game.id)
        if last == game.stage().number:
            return game
        return SentGame(game, self._worlds.get(("stage", game.id, last, head), lambda: game.stage(last)))

    @contextmanager
    def at(self, id_: str, stage: int, head: str) -> Iterator[Game]:
        """A game as it stands or as it has been sent, whichever is at this stage.

        StoreError if neither is any more.
        """
        with self.game(id_) as real:
            for game in (real, self.as_sent(real)):
                if (game.stage().number, game.stage().position.head) == (stage, head):
                    yield game
                    return
        raise StoreError("the game has moved on meanwhile; look at it again")

    def of_stage(self, game: Game, what: Hashable, make: Callable[[], T]) -> T:
        """What depends on nothing but where a game stands and by which rules it is played: kept, or made
        now.
        """
        stage = game.stage()
        return self._worlds.get(
            (what, game.id, stage.number, stage.position.head, stage.attempt, game.ruleset.hash), make
        )

    @contextmanager
    def world(self, game: Game, nation: str) -> Iterator[World]:
        """What a nation may know at the stage of a game, for one at a time; it is kept, so that asking again
        costs little.
        """
        with self._readers.setdefault(game.ruleset.hash, threading.RLock()):
            yield self.of_stage(game, ("world", nation), lambda: view_world(game, nation))

    def asked(self, game: Game) -> dict[str, str]:
        """Nation to who commands it, for every nation that the present input point asks."""
        return self.of_stage(game, ("asked", *sorted(game.commands().items())), lambda: seats(game))

    def last_sent(self, id_: str) -> int:
        """The number of the last position that players may know of."""
        return self._last_sent(id_)[0]

    def _last_sent(self, id_: str) -> tuple[int, str]:
        query = (
            select(positions.c.number, positions.c.head)
            .join(releases, (releases.c.game == positions.c.game) & (releases.c.stage == positions.c.number))
            .where(positions.c.game == id_, positions.c.head == releases.c.head)
            .order_by(positions.c.number.desc())
            .limit(1)
        )
        with reading(self.engine) as db:
            row = db.execute(query).first()
        return (int(row.number), str(row.head)) if row else (1, "")

    def sent_at(self, id_: str) -> str:
        """When players were last given a position; empty where that has not been."""
        query = select(releases.c.at).where(releases.c.game == id_).order_by(releases.c.at.desc()).limit(1)
        with reading(self.engine) as db:
            return str(db.execute(query).scalar() or "")

    def send(self, game: Game, mails: Iterable[Mail] = ()) -> bool:
        """Give the present position to the players; in the same moment mails are queued, and the next turn's
        deadline is set.

        Returns whether they did not have it before; if they had, nothing is done.
        """
        stage = game.stage()
        with self.changing(game.id) as db:
            key = {"game": game.id, "stage": stage.number, "head": stage.position.head}
            if db.execute(select(releases.c.at).filter_by(**key)).first() is not None:
                return False
            ledger.add(db, releases, **key, at=stamp(self.clock()))
            queue(db, mails, self.clock())
            before = self.settings(game.id)
            due = self.next_deadline(before, waits_for(game))
            if due != before.due:
                ledger.change(db, settings, {"game": game.id}, due=due)
        return True

    def next_deadline(self, now: Settings, point: str = "") -> str:
        """When the orders of a turn that begins now are due: at the same time of day as before, in the game's
        time zone; none without days of a turn.

        At an input point with a time of its own: after it, at a full hour (of less than one: at a full
        minute). What would fall on a day off is due at that time of the next day that is none.
        """
        if point in now.times:
            at = self.clock() + now.times[point]
            if now.times[point] < timedelta(hours=1):
                at = (at + timedelta(seconds=59)).replace(second=0, microsecond=0)
            else:
                at = (at + timedelta(minutes=59)).replace(minute=0, second=0, microsecond=0)
            return _on_an_open_day(at.astimezone(now.local), now)
        if not now.due:
            return ""
        due = datetime.fromisoformat(now.due)
        if not now.days:
            return now.due if due > self.clock() and not self.noted(now.game, passed(now.due)) else ""
        local = due.astimezone(now.local)
        while local < self.clock() + timedelta(days=now.days) - timedelta(hours=12):
            local += timedelta(days=1)  # of the same zone: at the same time of day, whatever the clocks do
        return _on_an_open_day(local, now)

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made before under a key, or is made now.

        The key says everything that it depends on, the reader above all.
        """
        return self._kept.get(key, make)

    def is_kept(self, key: Hashable) -> bool:
        """Whether what a key stands for was made before and is still there."""
        return self._kept.holds(key)

    # ---- how a game is run

    def settings(self, game: str) -> Settings:
        """How a game is run."""
        with reading(self.engine) as db:
            row = db.execute(select(settings).where(settings.c.game == game)).first()
        if row is None:
            return Settings(game)
        return Settings(game, **{name: getattr(row, name) for name in KEPT})

    def keep(self, wanted: Settings) -> None:
        """Run a game so from now on."""
        values = {name: getattr(wanted, name) for name in KEPT}
        with self.changing(wanted.game) as db:
            known = db.execute(select(settings.c.made).where(settings.c.game == wanted.game)).scalar()
            if known is None:
                ledger.add(db, settings, game=wanted.game, made=stamp(self.clock()), **values)
            elif values != {name: getattr(self.settings(wanted.game), name) for name in KEPT}:
                ledger.change(db, settings, {"game": wanted.game}, **values)

    # ---- what was done

    def note(self, game: str, who: str, what: str) -> None:
        """Write down what was done, chained to what was done before."""
        now = stamp(self.clock())
        with self.changing(game) as db:
            query = (
                select(log.c.number, log.c.digest)
                .where(log.c.game == game)
                .order_by(log.c.number.desc())
                .limit(1)
            )
            last = db.execute(query).first()
            number = (last.number if last else 0) + 1
            line = [last.digest if last else "", game, number, now, who, what]
            digest = canonical.digest(line)
            ledger.add(db, log, game=game, number=number, at=now, who=who, what=what, digest=digest)

    def came(self, game: str, most: int = 200) -> list[Any]:
        """The mails that came in for a game, the last first: sender, subject, at, verdict, says."""
        query = select(inbox).where(inbox.c.game == game).order_by(inbox.c.number.desc()).limit(most)
        with reading(self.engine) as db:
            return list(db.execute(query).all())

    def done(self, game: str, most: int = 1000) -> list[Done]:
        """What was done, the last first."""
        query = select(log).where(log.c.game == game).order_by(log.c.number.desc()).limit(most)
        with reading(self.engine) as db:
            return [Done(r.number, r.at, r.who, r.what, r.digest) for r in db.execute(query)]

    def noted(self, game: str, what: str) -> bool:
        """Whether a line of what was done says this."""
        with reading(self.engine) as db:
            return (
                db.execute(
                    select(log.c.number).where(log.c.game == game, log.c.what == what).limit(1)
                ).first()
                is not None
            )

    def broken_log(self, game: str) -> int | None:
        """The first line of what was done that is not as it was written; None if all are."""
        before = ""
        for expected, one in enumerate(reversed(self.done(game, 1_000_000)), 1):
            line = [before, game, one.number, one.at, one.who, one.what]
            if one.number != expected or canonical.digest(line) != one.digest:
                return one.number
            before = one.digest
        return None
