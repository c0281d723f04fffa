"""Games on disk: every call is one transaction, so a game is always as before or after it.

A game carries its ruleset, its scenario's first state, every position it has stood at, the inputs that led on
from each, and the whole journal. The referee stays pure; this module feeds it and keeps what it gives.
"""

from __future__ import annotations

import os
import re
import secrets
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from ..core import fairness
from ..core.canonical import loads
from ..core.dice import KeyedDice
from ..core.faults import BrokenGame, MachineError, NotThere, clean, one_line
from ..core.later import Later
from ..core.model import Ruleset
from ..core.state import State
from ..ruleset.drawing import Drawing
from ..turn.referee import Resolution, resolve, start
from ..world.geography import Geography
from . import turns as turn_dice
from .database import (
    FORMAT,
    StoredFile,
    StoreError,
    as_text,
    changing,
    database_faults,
    engine_for,
    fault_in_words,
    is_readable,
    keep_ruleset,
    keep_state,
    pack,
    reading,
    unpack,
)
from .queries import one, row, rows
from .reading import FILE, MODERATOR, PLAYER, StoredPosition, Submission, inputs_from
from .states import KnownStates
from .writing import GameWriter, record_head

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine import Engine

    from . import ledger, schema
else:
    ledger, schema = Later("wteaw.store.ledger"), Later("wteaw.store.schema")

TABLES = frozenset(
    {
        *("rulesets", "states", "games", "positions", "inputs", "entries", "handins", "salts", "turns"),
        *("seat_keys", "corrections", "decided", "seats", "pool", "ledger"),
    }
)
"""The tables that every game's file has: those of `schema`, by name."""
MAX_TURNS = 400
MAX_TITLE = 120


_RULES = "select games.id, rulesets.content from games join rulesets on games.ruleset = rulesets.hash"


class Scribe(Protocol):
    """Writes down what is done with a game, beside the game itself."""

    def closed(self, turn: int, salts: Mapping[str, str]) -> None:
        """The orders of a turn were closed, and these masked salts published."""

    def resolved(
        self, turn: int, result: Resolution, missing: Sequence[str], sealed: fairness.Commitment
    ) -> None:
        """A turn was resolved without the nations that are missing; committed was to the dice that follow."""


class Game(GameWriter):
    """One game in its folder."""

    onlooker: Callable[[], Any] | None = None
    """Makes who looks on at the dice of a turn (`core.dice.DiceSource.onlooker`), where whoever plays on
    wants to know them.
    """
    onlookers: Mapping[int, Any] = MappingProxyType({})
    """Who looked on, by the number of the stage that was resolved; of turns that this object resolved and
    that are kept.
    """

    # ---- making and opening

    @classmethod
    def create(
        cls,
        folder: Path,
        ruleset: Ruleset,
        scenario: Mapping[str, Any],
        state: State,
        *,
        id_: str,
        seed: bytes | None = None,
        drawing: Drawing | None = None,
    ) -> Game:
        """Start a game in a folder.

        StoreError if one is there already; whatever goes wrong, no part of a game is left.
        """
        if (folder / FILE).exists():
            raise StoreError(f"{folder} holds a game already; choose another folder")
        made = not folder.exists()
        faults: tuple[type[Exception], ...] = (OSError, *database_faults())
        half = folder / f"{FILE}.{secrets.token_hex(8)}.new"  # somebody else may make one here at this moment
        try:
            folder.mkdir(parents=True, exist_ok=True)
            cls._write_first(half, ruleset, scenario, state, id_, seed, drawing)
            give_name(half, folder / FILE)
        except FileExistsError:
            half.unlink()
            raise StoreError(f"{folder} holds a game already; choose another folder") from None
        except faults as error:
            with suppress(OSError):
                for path in folder.glob(f"{half.name}*"):
                    path.unlink()
                if made:
                    folder.rmdir()
            if isinstance(error, OSError):
                why = error.strerror or error
                raise MachineError(f"{folder}: no game can be made here ({why})") from None
            raise fault_in_words(error, str(folder)) from None
        return cls.open(folder)

    @classmethod
    def _write_first(
        cls,
        file: Path,
        ruleset: Ruleset,
        scenario: Mapping[str, Any],
        state: State,
        id_: str,
        seed: bytes | None,
        drawing: Drawing | None,
    ) -> None:
        """A whole new game in one file, which is closed when it is done."""
        engine = engine_for(file)
        try:
            keep = cls._first(engine, ruleset, scenario, state, id_, seed, drawing)
            with engine.begin() as db:
                schema.metadata.create_all(db)
                db.exec_driver_sql(f"PRAGMA user_version = {FORMAT}")
                keep(db)
        finally:
            engine.dispose()

    @classmethod
    def _first(
        cls,
        engine: Engine,
        ruleset: Ruleset,
        scenario: Mapping[str, Any],
        state: State,
        id_: str,
        seed: bytes | None,
        drawing: Drawing | None,
    ) -> Callable[[Connection], None]:
        """A new game that has gone to its first position; returned is what writes its rows."""
        title = str(scenario.get("title", id_))
        if one_line(title) != title or not 0 < len(title) <= MAX_TITLE:
            raise StoreError(
                f"{clean(title)[:60]!r} cannot be a title: it stands in the subject of mails, so it is one "
                "line of 1 to "
                f"{MAX_TITLE} letters without control characters and without '=?'"
            )
        if len(f"{id_}.".splitlines()) > 1 or not re.search(r"[^\W_]", id_):
            raise StoreError(
                f"{clean(id_)[:60]!r} cannot be the name of a game: it stands at the head of order forms, so "
                "it is one line with a letter or a digit in it"
            )
        chain = fairness.Chain.create(seed, MAX_TURNS)
        game = cls(engine, id_, ruleset)
        turn = int(state.get("game", "game", "turn", 0)) + 1
        dice = KeyedDice(fairness.turn_key(chain.secret(turn), id_, turn), turn)
        begun = start(ruleset, state, dice, geography=game.geography)
        now = begun.position.turn
        ready = game._ready(begun, fairness.turn_key(chain.secret(now), id_, now), 0)
        (first,) = KnownStates().packed([state])

        def keep(db: Connection) -> None:
            keep_ruleset(db, ruleset)
            game_start = keep_state(db, first)
            kept = {k: v for k, v in scenario.items() if k in ("id", "title", "text", "options")}
            ledger.put(
                db,
                schema.games,
                id=id_,
                title=title,
                ruleset=ruleset.hash,
                game_start=game_start,
                scenario=as_text(kept),
                seed=chain.seed,
                length=chain.length,
                anchor=chain.anchor,
                drawing=pack((drawing or Drawing()).to_json()),
            )
            game._save(db, ready, 1, {}, {})

        return keep

    @classmethod
    def begin(
        cls, engine: Engine, ruleset: Ruleset, scenario: Mapping[str, Any], state: State, *, id_: str,
        seed: bytes | None = None, drawing: Drawing | None = None,
    ) -> Game:  # fmt: skip
        """Start a game in a database that may hold others. StoreError if one of that name is there."""
        keep = cls._first(engine, ruleset, scenario, state, id_, seed, drawing)
        try:
            with changing(engine) as db:
                if row(db, "select id from games where id = :game", game=id_):
                    raise StoreError(f"there is a game {id_} already")
                keep(db)
        except database_faults() as error:
            raise fault_in_words(error, id_) from None
        return cls.in_database(engine, id_)

    @classmethod
    def in_database(cls, engine: Engine, id_: str) -> Game:
        """One game of a database that may hold others. StoreError if there is none of that name."""
        try:
            with reading(engine) as db:
                found = row(db, f"{_RULES} where games.id = :game", game=id_)
        except database_faults() as error:
            raise fault_in_words(error, id_) from None
        if found is None:
            raise NotThere(f"there is no game {id_}")
        return cls(engine, id_, Ruleset.from_json(unpack(found["content"])))

    @classmethod
    def open(cls, folder: Path) -> Game:
        """The game of a folder.

        StoreError if there is none, or one of another version of wteaw, which is left as it is.
        """
        if not (folder / FILE).exists():
            if folder.is_file():
                raise NotThere(f"{folder} is a file; name the folder of a game")
            raise NotThere(f"{folder} holds no game; `wteaw new SCENARIO --game {folder}` starts one")
        source = StoredFile(folder / FILE)
        try:
            with source.reading() as db:
                is_readable(db)
                found = one(db, _RULES)
                there = {table["name"] for table in rows(db, "select name from sqlite_master")}
                if TABLES - there or not record_head(db, found["id"]):
                    raise BrokenGame(
                        f"{folder}: the game was begun by an earlier version of wteaw, or parts of it were "
                        "taken away; go on "
                        "with that version, or take back a copy of it"
                    )
                return cls(source, found["id"], Ruleset.from_json(unpack(found["content"])))
        except database_faults() as error:
            raise fault_in_words(error, str(folder)) from None
        except MachineError as error:
            raise MachineError(f"{folder}: {error}") from None
        except BrokenGame:
            raise
        except (ValueError, LookupError, TypeError, zlib.error):
            raise BrokenGame(f"{folder}: the game's file is damaged; take back a copy of it") from None

    def in_another_process(self) -> Game:
        """The same game in a process that has been forked from this one, with a connection of its own to its
        file.
        """
        return self._by(StoredFile(Path(self.where)))

    # ---- changing

    def submit(self, submission: Submission) -> str:
        """Keep a nation's orders for the stage that this game was last looked at; the last to come counts.

        Returns the nation's salt in the turn's dice, which its first file has fixed. StoreError if the game
        has moved on since, or if orders are closed and it is not the moderator who corrects them.
        """
        here = self.stage()
        with self.writing(stage=here.number) as db:
            record = turn_dice.of_turn(db, self.id, here.position.turn)
            if record.closed == here.number and submission.by != MODERATOR:
                raise StoreError(f"too late: the orders of turn {here.position.turn} are closed")
            self._after_closing(db, here, {"nation": submission.nation})
            self._put_input(db, here.number, submission)
            decided = schema.decided
            own = (decided.c.nation == submission.nation, decided.c.decision.in_(submission.answers))
            ledger.drop(db, decided, self.id, decided.c.position == here.number, *own)
            self._hand_in(db, here.number, submission)
            shares = submission.by in (PLAYER, MODERATOR) and submission.nation in here.commitment.seats
            if record.salts is None and shares:
                return turn_dice.fix_salt(db, self.id, here.position.turn, submission.nation, submission.text)
            return turn_dice.salts_of(db, self.id, here.position.turn).get(submission.nation, "")

    def close(self, scribe: Scribe | None = None) -> dict[str, str]:
        """Close the orders of the present stage and publish the masked salts of its turn: no file changes
        them any more.

        Returns the list as published; closing again gives the same. `scribe` writes it down, in the
        transaction that does it.
        """
        here = self.stage()
        turn = here.position.turn
        with self.writing(stage=here.number) as db:
            record = turn_dice.of_turn(db, self.id, turn)
            masked = record.salts
            if masked is None:
                known = turn_dice.salts_of(db, self.id, turn)
                masked = fairness.mask_salts(self._turn_key(db, turn, here.attempt), known) if known else {}
            closed = replace(record, attempt=here.attempt, closed=here.number, salts=masked)
            if closed != record:
                turn_dice.keep(db, self.id, turn, closed)
                if scribe is not None:
                    scribe.closed(turn, masked)
        return dict(masked)

    def note_opened(self, turn: int) -> None:
        """Keys of a turn's dice are handed out: they will not be rolled again."""
        with self.writing() as db:
            record = turn_dice.of_turn(db, self.id, turn)
            if not record.opened:
                turn_dice.keep(db, self.id, turn, replace(record, opened=True))

    def resolve(
        self,
        given: Sequence[Submission] = (),
        *,
        missing: Sequence[str] = (),
        until: str | None = None,
        dry: bool = False,
        practice: bool = False,
        scribe: Scribe | None = None,
    ) -> Resolution:
        """Take in what was submitted (and `given`, such as orders made by policies) and go on to the next
        input point.

        Orders are closed and the salts published first. With `dry` nothing is kept; where players take part,
        that takes orders which are closed already, and everybody is told that it was looked at. With
        `practice` nothing is kept either, and the dice are made up for the occasion. `scribe` writes it down,
        in the transactions that do it. StoreError if the game has ended, or if somebody else has resolved it
        meanwhile.
        """
        stage = self.stage()
        if stage.position.ended:
            raise StoreError("the game has ended")
        turn = stage.position.turn
        salts = {} if practice else self._published_salts(stage, scribe, dry=dry)
        given = [
            replace(s, orders=loads(as_text(s.orders)), answers=loads(as_text(s.answers))) for s in given
        ]  # as they are kept
        taken = {**{s.nation: s for s in given}, **self.submissions()}
        dice = KeyedDice(secrets.token_bytes(32), turn) if practice else self.dice(stage, salts)
        if self.onlooker is not None and not (dry or practice):
            dice.onlooker = self.onlooker()
        result = resolve(
            self.ruleset,
            stage.position,
            inputs_from(taken, missing, self.commands(), self.decided()),
            dice,
            geography=self.geography,
            until=until,
        )
        if dry and not practice and stage.commitment.seats:
            with self.writing(stage=stage.number) as db:
                self._correct(db, "look", {"turn": turn, "attempt": stage.attempt})
        if dry or practice:
            return result
        self._keep_resolution(stage, given, result, salts, missing, scribe)
        if dice.onlooker is not None:
            self.onlookers = {**self.onlookers, stage.number: dice.onlooker}
        return result

    def _published_salts(
        self, stage: StoredPosition, scribe: Scribe | None, *, dry: bool
    ) -> Mapping[str, str]:
        """The players' parts in the dice of a stage, as published: orders are closed if they are not. To look
        only (`dry`) closes nothing: StoreError if players take part and orders are open.
        """
        if not dry:
            return self.close(scribe)
        record = self.turn_record(stage.position.turn)
        if record.closed != stage.number and stage.commitment.seats:
            raise StoreError(
                "real dice are rolled on closed orders only: `wteaw close` closes them, `--practice` "
                "needs none"
            )
        return record.salts or {}

    def _keep_resolution(
        self, stage: StoredPosition, given: Sequence[Submission], result: Resolution,
        salts: Mapping[str, str], missing: Sequence[str], scribe: Scribe | None,
    ) -> None:  # fmt: skip
        """Keep the position that a stage led to, with what was `given` for it and the commitment to the dice
        that follow, in one transaction.
        """
        turn, following = stage.position.turn, result.position.turn
        same = following == turn
        attempt = stage.attempt if same else self._attempt_after(self.turn_record(following)).attempt
        ready = self._ready(
            result, self.turn_key(following, attempt), attempt, stage.commitment if same else None
        )
        with self.writing(stage=stage.number) as db:
            here = self.submissions(stage.number)
            for submission in given:
                if submission.nation not in here:
                    self._put_input(db, stage.number, submission)
            # keys of the next turn may have been handed out while this one was resolved
            if not same and (attempt := self._attempt_at(db, following)) != ready.commitment.attempt:
                ready = self._ready(result, self._turn_key(db, following, attempt), attempt)
            made = self._save(db, ready, stage.number + 1, salts if same else {}, salts)
            if scribe is not None:
                scribe.resolved(turn, result, missing, made)

    def rollback(self, number: int, reason: str) -> bool:
        """Go back to an earlier stage, with the orders that were in for it; what came after is dropped, the
        correction recorded.

        The dice stay the same, so that a corrected order leaves all other luck alone, unless keys of the turn
        have been handed
        out: then it gets fresh ones under a commitment of its own. Returns whether it did. StoreError if
        there is no such stage, or if it is in the middle of a turn whose keys are known.
        """
        last = self.stage().number
        if not 1 <= number < last:
            raise NotThere(f"the game stands at {last}; choose an earlier stage")
        back = self.stage(number)
        turn = back.position.turn
        opened = self.turn_record(turn).opened
        if opened and number > 1 and self.stage(number - 1).position.turn == turn:
            first = next(n for n, t, _ in self.stages() if t == turn)
            raise StoreError(
                f"keys of turn {turn} are known already, so it has to be rolled anew: go back to stage "
                f"{first}"
            )
        with self.writing(stage=last) as db:
            entries, positions = schema.entries, schema.positions
            db.execute(entries.delete().where(entries.c.game == self.id, entries.c.position > number))
            for table in (schema.inputs, schema.seats, schema.decided):
                ledger.drop(db, table, self.id, table.c.position > number)
            ledger.drop(db, positions, self.id, positions.c.number > number)
            record = turn_dice.of_turn(db, self.id, turn)
            turn_dice.keep(db, self.id, turn, replace(record, closed=0))
            body = {"to": number, "from": last, "turn": turn, "reason": reason, "fresh": opened}
            if opened:
                body["attempt"] = self._fresh_dice(db, back)
            self._correct(db, "rollback", body)
        self._stage = None
        self.onlookers = {n: who for n, who in self.onlookers.items() if n < number}
        return opened

    def give_fresh_dice(self, reason: str = "") -> None:
        """Give the present turn fresh dice: the next attempt, under a commitment of its own.

        StoreError in mid-turn.
        """
        stage = self.stage()
        if stage.number > 1 and self.stage(stage.number - 1).position.turn == stage.position.turn:
            raise StoreError(
                f"turn {stage.position.turn} is half played: its dice can be changed from its beginning only"
            )
        with self.writing(stage=stage.number) as db:
            attempt = self._fresh_dice(db, stage)
            self._correct(db, "attempt", {"turn": stage.position.turn, "attempt": attempt, "reason": reason})
        self._stage = None

    def decide(self, nation: str, decision: str, answer: Any) -> None:
        """Answer a decision for a nation at the present input point, in place of the default or of its own
        answer; recorded.

        The nation has sent nothing by that, and what it sends later leaves the answer as it is, unless it
        answers itself.
        """
        here = self.stage().number
        with self.writing(stage=here) as db:
            self._after_closing(db, self.stage(here), {"nation": nation, "decision": decision})
            ledger.put(
                db,
                schema.decided,
                game=self.id,
                position=here,
                nation=nation,
                decision=decision,
                answer=as_text(answer),
            )
            self._correct(db, "decide", {"nation": nation, "decision": decision, "answer": answer})

    def command(self, nation: str, seat: str, who: str) -> None:
        """Give a nation to a player, a policy or nobody from the present input point on; recorded.

        `who`: the player's name.
        """
        number = self.stage().number
        with self.writing(stage=number) as db:
            self._after_closing(db, self.stage(number), {"nation": nation, "seat": seat})
            ledger.put(db, schema.seats, game=self.id, position=number, nation=nation, seat=seat)
            self._correct(db, "command", {"nation": nation, "seat": seat, "who": who})

    def use_ruleset(self, ruleset: Ruleset, reason: str) -> None:
        """Go on under other rules from the present position on; recorded."""
        with self.writing() as db:
            keep_ruleset(db, ruleset)
            ledger.change(db, schema.games, {"id": self.id}, ruleset=ruleset.hash)
            self._correct(db, "upgrade", {"from": self.ruleset.hash, "to": ruleset.hash, "reason": reason})
        self.ruleset = ruleset
        self.geography = Geography(ruleset)
        self._stage = None


def give_name(half: Path, whole: Path) -> None:
    """Give a file its name.

    FileExistsError if somebody else has been first: a rename would take the place of their game.
    """
    try:
        os.link(half, whole)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: the first to make the name has it
        os.close(os.open(whole, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        half.replace(whole)
    else:
        half.unlink()
