"""How what happens to a game is kept: the transaction, the inputs, the corrections, and each new position
with the commitment to its dice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..core import fairness
from ..core.dice import DRAWERS
from ..core.later import Later
from ..turn.referee import Position, Resolution
from ..turn.vacancies import EMPTY, seat
from ..world.world import World
from . import turns as turn_dice
from .database import StoreError, as_text, changing, database_faults, fault_in_words, keep_state
from .queries import one, row
from .reading import GameReader, StoredPosition, Submission
from .states import PackedState

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from . import ledger, schema
else:
    ledger, schema = Later("wteaw.store.ledger"), Later("wteaw.store.schema")


@dataclass(frozen=True)
class _Ready:
    """What is to be kept of a resolution: where it led, its states packed, the commitment, and entries as
    number, turn, text.

    `key` is what the commitment is still to be sealed with; None for one that was published before.
    """

    position: Position
    states: tuple[PackedState, ...]
    commitment: fairness.Commitment
    key: str | None
    entries: tuple[tuple[int, int, str], ...]


class GameWriter(GameReader):
    """A game that is written to, each time within one transaction."""

    @contextmanager
    def writing(self, *, stage: int | None = None) -> Iterator[Connection]:
        """One transaction that nobody else writes beside.

        With `stage`: StoreError if the game does not stand there any more.
        """
        try:
            with changing(self.engine, self.id) as db:
                if stage is not None and self._last(db) != stage:
                    self._stage = None
                    raise StoreError(
                        "the game has moved on meanwhile: its turn was resolved or taken back; look at it "
                        "again"
                    )
                yield db
        except database_faults() as error:
            raise fault_in_words(error, self.where, self.called) from None

    def _after_closing(self, db: Connection, here: StoredPosition, body: Mapping[str, Any]) -> None:
        """What the moderator changes once orders are closed is told to everybody, and known dice are not
        rolled after it.

        If what the dice come to was looked at, the turn gets its next attempt, and its orders are open again.
        In the middle of a turn, whose dice have been rolled in part, they stay: that it was looked at is told
        all the same.
        """
        turn = here.position.turn
        if turn_dice.of_turn(db, self.id, turn).closed != here.number or not here.commitment.seats:
            return
        looked = sum(
            c["what"] == "look" and (c["turn"], c["attempt"]) == (turn, here.attempt)
            for c in self.corrections()
        )
        begins = here.number == 1 or self.stage(here.number - 1).position.turn != turn
        told = {**body, "turn": turn, "looked": looked, "fresh": bool(looked and begins)}
        if told["fresh"]:
            told["attempt"] = self._fresh_dice(db, here)
            self._stage = None
        self._correct(db, "late", told)

    def _hand_in(self, db: Connection, number: int, submission: Submission) -> None:
        ledger.put(
            db,
            schema.handins,
            game=self.id,
            number=self._next(db, schema.handins),
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            **_columns(number, submission),
        )

    def _next(self, db: Connection, table: Table) -> int:
        """The number after the last of a table of the game."""
        last = one(db, f"select max(number) as number from {table.name} where game = :game", game=self.id)
        return int(last["number"] or 0) + 1

    def _put_input(self, db: Connection, number: int, submission: Submission) -> None:
        ledger.put(db, schema.inputs, game=self.id, **_columns(number, submission))

    def _attempt_at(self, db: Connection, turn: int) -> int:
        """The attempt at a turn that is about to begin."""
        record = turn_dice.of_turn(db, self.id, turn)
        following = self._attempt_after(record)
        if following != record:
            turn_dice.keep(db, self.id, turn, following)
        return following.attempt

    @staticmethod
    def _attempt_after(record: turn_dice.TurnRecord) -> turn_dice.TurnRecord:
        """The record of a turn when it begins: that of the next attempt if keys of the last have been handed
        out.
        """
        return turn_dice.next_attempt(record) if record.opened else record

    def _fresh_dice(self, db: Connection, stage: StoredPosition) -> int:
        record = turn_dice.next_attempt(turn_dice.of_turn(db, self.id, stage.position.turn))
        turn_dice.keep(db, self.id, stage.position.turn, record)
        key = self._turn_key(db, stage.position.turn, record.attempt)
        made = self._sealed(db, self._commit(stage.position, key, record.attempt), key)
        where = {"game": self.id, "number": stage.number}
        ledger.change(db, schema.positions, where, attempt=record.attempt, commitment=as_text(asdict(made)))
        return record.attempt

    def _sealed(self, db: Connection, made: fairness.Commitment, key: str) -> fairness.Commitment:
        """A commitment with the head of everything that the game has kept until now."""
        return fairness.commitment(
            key,
            made.audiences,
            game_id=self.id,
            turn=made.turn,
            attempt=made.attempt,
            drawers=made.drawers,
            seats=made.seats,
            record=record_head(db, self.id) if made.seats else "",
        )

    def _correct(self, db: Connection, what: str, body: Mapping[str, Any]) -> None:
        number = self._next(db, schema.corrections)
        body = {"stage": self._last(db), **body}
        ledger.put(db, schema.corrections, game=self.id, number=number, what=what, body=as_text(body))

    def _commit(self, position: Position, key: str, attempt: int) -> fairness.Commitment:
        """The commitment to a turn's dice: a key for everyone, each nation and side, and, where players
        check, for groups.
        """
        rows = self.ruleset.rows("nations")
        nations = {*rows, *position.state.table("nations")}
        with closing(World(self.ruleset, position.state, geography=self.geography)) as world:
            played = [nation for nation in nations if seat(world, nation) not in EMPTY]
        names = fairness.audiences([*nations, *self.ruleset.rows("sides")])
        drawers = DRAWERS if played else 0
        return fairness.commitment(
            key, names, game_id=self.id, turn=position.turn, attempt=attempt, drawers=drawers, seats=played
        )

    def _ready(
        self, result: Resolution, key: str, attempt: int, kept: fairness.Commitment | None = None
    ) -> _Ready:
        """Everything that is to be kept of a resolution, made before anybody has to wait for it. `key` is
        that of its turn.

        `kept`: the commitment that holds already, where the turn goes on.
        """
        position = result.position
        packed = self._states.packed((position.state, position.turn_start, position.phase_start))
        bodies = tuple((e.n, e.turn, e.written.decode()) for e in result.entries)
        if kept is not None:
            return _Ready(position, packed, kept, None, bodies)
        return _Ready(position, packed, self._commit(position, key, attempt), key, bodies)

    def _save(
        self, db: Connection, ready: _Ready, number: int, salts: Mapping[str, str], used: Mapping[str, str]
    ) -> fairness.Commitment:
        """Keep a resolution: `salts` go on with the turn, `used` are those it was resolved with.

        Gives the commitment as kept.
        """
        position = ready.position
        made = ready.commitment if ready.key is None else self._sealed(db, ready.commitment, ready.key)
        state, turn_start, phase_start = (keep_state(db, packed) for packed in ready.states)
        dice = {
            "marks": [list(m) for m in position.marks],
            "dice_turn": position.dice_turn,
            "salts": dict(salts),
            "used": dict(used),
        }
        ledger.put(
            db,
            schema.positions,
            game=self.id,
            number=number,
            turn=position.turn,
            attempt=made.attempt,
            state=state,
            turn_start=turn_start,
            phase_start=phase_start,
            head=position.head,
            entries=position.entries,
            dice=as_text(dice),
            waiting=as_text(position.waiting),
            commitment=as_text(asdict(made)),
        )
        written = [
            {"game": self.id, "number": n, "position": number, "turn": turn, "body": body}
            for n, turn, body in ready.entries
        ]
        if written:
            db.execute(schema.entries.insert(), written)
        self._stage = None
        return made


def record_head(db: Connection | sqlite3.Connection, game: str) -> str:
    """The head of the chain of what a game has kept (`ledger`); empty before its first line."""
    last = row(db, "select head from ledger where game = :game order by number desc limit 1", game=game)
    return str(last["head"]) if last else ""


def _columns(number: int, submission: Submission) -> dict[str, Any]:
    """What `inputs` and `handins` keep of a submission at a stage."""
    return {
        "position": number, "nation": submission.nation, "text": submission.text, "by": submission.by,
        "orders": as_text(submission.orders), "answers": as_text(submission.answers),
    }  # fmt: skip
