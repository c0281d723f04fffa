"""Games on disk: every call is one transaction, so a game is always as before or after it.

A game carries its ruleset, its scenario's first state, every position it has stood at, the inputs that led on from each, and
the whole journal. The referee stays pure; this module feeds it and keeps what it gives.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, delete, event, func, insert, select
from sqlalchemy.engine import Engine

from ...core import canonical, fairness
from ...core.dice import KeyedDice
from ...core.journal import Entry
from ...core.model import Ruleset
from ...core.state import State
from ...turn.referee import Inputs, Position, Resolution, resolve, start, waiting_seats
from ...world.geography import Geography
from ..report.mapview import Drawing, drawing_from
from .schema import corrections, entries, games, inputs, metadata, positions, rulesets, seats, states

FILE = "game.db"
MAX_TURNS = 400


class StoreError(ValueError):
    """A request that a game cannot meet: no such game, a game that exists, one that has ended."""


@dataclass(frozen=True)
class Submission:
    """What a nation has sent for the present input point."""

    nation: str
    text: str
    orders: list[dict[str, Any]]
    answers: dict[str, Any]
    by: str = "player"


@dataclass(frozen=True)
class Stage:
    """A position as the store keeps it: its number, the attempt at its turn, and the commitment to its dice."""

    number: int
    attempt: int
    position: Position
    commitment: fairness.Commitment
    salts: Mapping[str, str]
    used_salts: Mapping[str, str]


def engine_for(folder: Path) -> Engine:
    """The database of a game's folder, made if it is absent. Writes are durable and readers do not wait."""
    found = create_engine(f"sqlite:///{folder / FILE}")

    @event.listens_for(found, "connect")
    def _pragmas(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    return found


class Game:
    """One game in its folder."""

    def __init__(self, engine: Engine, id_: str, ruleset: Ruleset) -> None:
        self.engine = engine
        self.id = id_
        self.ruleset = ruleset
        self.geography = Geography(ruleset)
        self._game_start: State | None = None
        self._stage: Stage | None = None

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
        """Start a game in a folder. StoreError if one is there already."""
        if (folder / FILE).exists():
            raise StoreError(f"{folder} holds a game already")
        folder.mkdir(parents=True, exist_ok=True)
        engine = engine_for(folder)
        chain = fairness.Chain.create(seed, MAX_TURNS)
        with engine.begin() as db:
            metadata.create_all(db)
            db.execute(insert(rulesets).values(hash=ruleset.hash, content=_pack(ruleset.to_json())))
            game_start = _keep_state(db, state)
            db.execute(
                insert(games).values(
                    id=id_, title=str(scenario.get("title", id_)), ruleset=ruleset.hash, game_start=game_start,
                    scenario=_text({k: v for k, v in scenario.items() if k in ("id", "title", "text", "options")}),
                    seed=chain.seed, length=chain.length, anchor=chain.anchor, drawing=_pack((drawing or Drawing()).to_json()),
                )
            )  # fmt: skip
            game = cls(engine, id_, ruleset)
            first = int(state.get("game", "game", "turn", 0)) + 1
            dice = KeyedDice(fairness.turn_key(chain.secret(first), id_, first), first)
            game._save(db, start(ruleset, state, dice, geography=game.geography), 1, 0, {}, {})
        return game

    @classmethod
    def open(cls, folder: Path) -> Game:
        """The game of a folder. StoreError if there is none."""
        if not (folder / FILE).exists():
            raise StoreError(f"{folder} holds no game; `wteaw new SCENARIO --game {folder}` starts one")
        engine = engine_for(folder)
        metadata.create_all(engine)  # a game that is older than a table
        with engine.connect() as db:
            row = db.execute(select(games)).one()
            content = db.execute(select(rulesets.c.content).where(rulesets.c.hash == row.ruleset)).scalar_one()
        return cls(engine, row.id, Ruleset.from_json(_unpack(content)))

    # ---- reading

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self.engine.connect() as db:
            yield db

    @property
    def head(self) -> dict[str, Any]:
        """Title, scenario, anchor and the like."""
        with self._reading() as db:
            row = db.execute(select(games).where(games.c.id == self.id)).one()
        return {"id": row.id, "title": row.title, "anchor": row.anchor, "scenario": canonical.loads(row.scenario)}

    def drawing(self) -> Drawing:
        """What the game's maps are drawn with."""
        with self._reading() as db:
            return drawing_from(_unpack(db.execute(select(games.c.drawing).where(games.c.id == self.id)).scalar_one()))

    def stage(self, number: int | None = None) -> Stage:
        """The present stage, or an earlier one by its number. StoreError if there is none."""
        if number is None and self._stage is not None:
            return self._stage
        with self._reading() as db:
            found = self._load(db, number)
        if number is None:
            self._stage = found
        return found

    def stages(self) -> list[tuple[int, int, str]]:
        """All stages as (number, turn, what it waits for)."""
        with self._reading() as db:
            rows = db.execute(
                select(positions.c.number, positions.c.turn, positions.c.waiting)
                .where(positions.c.game == self.id)
                .order_by(positions.c.number)
            ).all()
        out = []
        for row in rows:
            node = canonical.loads(row.waiting) or {}
            out.append((row.number, row.turn, str(node.get("input") or node.get("pause") or "ended")))
        return out

    def journal(self, *, turn: int | None = None, position: int | None = None) -> list[Entry]:
        """Entries in order: all, of a turn, or those that led to a position."""
        query = select(entries.c.body).where(entries.c.game == self.id).order_by(entries.c.number)
        if turn is not None:
            query = query.where(entries.c.turn == turn)
        if position is not None:
            query = query.where(entries.c.position == position)
        with self._reading() as db:
            return [Entry.from_json(canonical.loads(row.body)) for row in db.execute(query)]

    def submissions(self, number: int | None = None) -> dict[str, Submission]:
        """What has come in at a stage (the present one by default), by nation."""
        number = self.stage().number if number is None else number
        query = select(inputs).where(inputs.c.game == self.id, inputs.c.position == number)
        with self._reading() as db:
            return {
                row.nation: Submission(row.nation, row.text, canonical.loads(row.orders), canonical.loads(row.answers), row.by)
                for row in db.execute(query.order_by(inputs.c.nation))
            }

    def awaited(self) -> list[str]:
        """The nations whose orders the present input point wants and that somebody commands."""
        return waiting_seats(self.ruleset, self.seated_position())

    def commands(self, number: int | None = None) -> dict[str, str]:
        """The seats that were given at a stage (the present one by default): nation to seat."""
        number = self.stage().number if number is None else number
        query = select(seats.c.nation, seats.c.seat).where(seats.c.game == self.id, seats.c.position == number)
        with self._reading() as db:
            return {row.nation: row.seat for row in db.execute(query.order_by(seats.c.nation))}

    def seated_position(self) -> Position:
        """The present position as those see it who have been given a seat since."""
        position, given = self.stage().position, self.commands()
        if not given:
            return position
        state = position.state.copy()
        for nation, seat in given.items():
            state.put("nations", nation, "seat", seat)
        return replace(position, state=state)

    # ---- changing

    def submit(self, submission: Submission) -> None:
        """Keep a nation's orders for the present input point; the last to come counts."""
        number = self.stage().number
        with self.engine.begin() as db:
            self._put_input(db, number, submission)

    def _put_input(self, db: Connection, number: int, submission: Submission) -> None:
        where = (inputs.c.game == self.id, inputs.c.position == number, inputs.c.nation == submission.nation)
        db.execute(delete(inputs).where(*where))
        db.execute(
            insert(inputs).values(
                game=self.id, position=number, nation=submission.nation, text=submission.text,
                orders=_text(submission.orders), answers=_text(submission.answers), by=submission.by,
            )
        )  # fmt: skip

    def dice(self, stage: Stage | None = None, salts: Mapping[str, str] | None = None) -> KeyedDice:
        """The dice of a stage's turn. Salts are those of the turn's first input, or given."""
        stage = stage or self.stage()
        turn = stage.position.turn
        masked = dict(salts if salts is not None else stage.salts)
        marks = stage.position.marks if stage.position.dice_turn == turn else ()
        return KeyedDice(self.turn_key(turn, stage.attempt), turn, mix=fairness.mix_salts(masked) if masked else "", marks=marks)

    def salts(self, turn: int) -> dict[str, str]:
        """The masked salts that went into a turn's dice, as they are published."""
        for number, _, _ in self.stages()[1:]:
            if self.stage(number - 1).position.turn == turn:
                return dict(self.stage(number).used_salts)
        return {}

    def secrets(self) -> tuple[str, int]:
        """The seed and the length of the game's chain of secrets: to be shown when the game has ended."""
        with self._reading() as db:
            row = db.execute(select(games.c.seed, games.c.length).where(games.c.id == self.id)).one()
        return row.seed, row.length

    def turn_key(self, turn: int, attempt: int = 0) -> str:
        """The secret key of a turn's dice: for the moderator's side alone."""
        with self._reading() as db:
            return self._turn_key(db, turn, attempt)

    def _turn_key(self, db: Connection, turn: int, attempt: int) -> str:
        row = db.execute(select(games.c.seed, games.c.length).where(games.c.id == self.id)).one()
        chain = fairness.Chain.create(bytes.fromhex(row.seed), row.length)
        return fairness.turn_key(chain.secret(turn), self.id, turn, attempt)

    def resolve(
        self, given: Sequence[Submission] = (), *, missing: Sequence[str] = (), until: str | None = None, dry: bool = False
    ) -> Resolution:
        """Take in what was submitted (and `given`, such as orders made by policies) and go on to the next input point.

        With `dry` nothing is kept. StoreError if the game has ended.
        """
        stage = self.stage()
        if stage.position.ended:
            raise StoreError("the game has ended")
        taken = {**{s.nation: s for s in given}, **self.submissions()}
        salts = dict(stage.salts)
        if not salts:
            key = self.turn_key(stage.position.turn, stage.attempt)
            own = {n: fairness.order_salt(s.text) for n, s in taken.items() if s.by == "player"}
            salts = fairness.mask_salts(key, own) if own else {}
        result = resolve(
            self.ruleset,
            stage.position,
            Inputs({n: s.orders for n, s in taken.items()}, {n: s.answers for n, s in taken.items()}, missing, self.commands()),
            self.dice(stage, salts),
            geography=self.geography,
            until=until,
        )
        if dry:
            return result
        with self.engine.begin() as db:
            for submission in given:
                if submission.nation not in self.submissions(stage.number):
                    self._put_input(db, stage.number, submission)
            same = result.position.turn == stage.position.turn
            self._save(db, result, stage.number + 1, stage.attempt if same else 0, salts if same else {}, salts)
        return result

    def rollback(self, number: int, reason: str) -> None:
        """Go back to an earlier stage, with the orders that were in for it; what came after is dropped, the correction recorded.

        The dice stay the same, so that a corrected order leaves all other luck alone; `again` gives fresh ones.
        """
        last = self.stage().number
        if number >= last:
            raise StoreError(f"the game stands at {last}; choose an earlier stage")
        with self.engine.begin() as db:
            for table, column in (
                (entries, entries.c.position),
                (inputs, inputs.c.position),
                (seats, seats.c.position),
                (positions, positions.c.number),
            ):
                db.execute(delete(table).where(table.c.game == self.id, column > number))
            self._correct(db, "rollback", {"to": number, "from": last, "reason": reason})
        self._stage = None

    def again(self) -> None:
        """Give the present turn fresh dice: the next attempt, under a commitment of its own."""
        stage = self.stage()
        attempt = stage.attempt + 1
        with self.engine.begin() as db:
            commitment = self._commit(db, stage.position, attempt)
            where = (positions.c.game == self.id, positions.c.number == stage.number)
            db.execute(positions.update().where(*where).values(attempt=attempt, commitment=_text(asdict(commitment))))
            self._correct(db, "attempt", {"turn": stage.position.turn, "attempt": attempt})
        self._stage = None

    def decide(self, nation: str, decision: str, answer: Any) -> None:
        """Answer a decision for a nation at the present input point, in place of the default; recorded."""
        given = self.submissions().get(nation) or Submission(nation, "", [], {}, "moderator")
        with self.engine.begin() as db:
            self._put_input(db, self.stage().number, replace(given, answers={**given.answers, decision: answer}))
            self._correct(db, "decide", {"nation": nation, "decision": decision, "answer": answer})

    def command(self, nation: str, seat: str, who: str) -> None:
        """Give a nation to a player, a policy or nobody from the present input point on; recorded. `who`: the player's name."""
        number = self.stage().number
        where = (seats.c.game == self.id, seats.c.position == number, seats.c.nation == nation)
        with self.engine.begin() as db:
            db.execute(delete(seats).where(*where))
            db.execute(insert(seats).values(game=self.id, position=number, nation=nation, seat=seat))
            self._correct(db, "command", {"nation": nation, "seat": seat, "who": who})

    def use_ruleset(self, ruleset: Ruleset, reason: str) -> None:
        """Go on under other rules from the present position on; recorded."""
        with self.engine.begin() as db:
            if not db.execute(select(rulesets.c.hash).where(rulesets.c.hash == ruleset.hash)).first():
                db.execute(insert(rulesets).values(hash=ruleset.hash, content=_pack(ruleset.to_json())))
            db.execute(games.update().where(games.c.id == self.id).values(ruleset=ruleset.hash))
            self._correct(db, "upgrade", {"from": self.ruleset.hash, "to": ruleset.hash, "reason": reason})
        self.ruleset = ruleset
        self.geography = Geography(ruleset)
        self._stage = None

    def corrections(self) -> list[dict[str, Any]]:
        """What a moderator has changed by hand, in order."""
        with self._reading() as db:
            rows = db.execute(select(corrections).where(corrections.c.game == self.id).order_by(corrections.c.number)).all()
        return [{"what": row.what, **canonical.loads(row.body)} for row in rows]

    # ---- inside

    def _correct(self, db: Connection, what: str, body: Mapping[str, Any]) -> None:
        last = db.execute(select(func.max(corrections.c.number)).where(corrections.c.game == self.id)).scalar()
        db.execute(insert(corrections).values(game=self.id, number=(last or 0) + 1, what=what, body=_text(body)))

    def _commit(self, db: Connection, position: Position, attempt: int) -> fairness.Commitment:
        """The commitment to a turn's dice, one key for everyone and one for each seat."""
        seats = waiting_seats(self.ruleset, position) or sorted(self.ruleset.rows("nations"))
        key = self._turn_key(db, position.turn, attempt)
        names = fairness.audiences(seats, pairs=False)
        return fairness.commitment(key, names, game_id=self.id, turn=position.turn, attempt=attempt)

    def _save(
        self, db: Connection, result: Resolution, number: int, attempt: int, salts: Mapping[str, str], used: Mapping[str, str]
    ) -> None:
        """Keep a resolution: `salts` go on with the turn, `used` are those it was resolved with."""
        p = result.position
        commitment = self._commit(db, p, attempt)
        dice = {"marks": [list(m) for m in p.marks], "dice_turn": p.dice_turn, "salts": dict(salts), "used": dict(used)}
        db.execute(
            insert(positions).values(
                game=self.id, number=number, turn=p.turn, attempt=attempt, state=_keep_state(db, p.state),
                turn_start=_keep_state(db, p.turn_start), phase_start=_keep_state(db, p.phase_start), head=p.head,
                entries=p.entries, dice=_text(dice), waiting=_text(p.waiting), commitment=_text(asdict(commitment)),
            )
        )  # fmt: skip
        rows = [
            {"game": self.id, "number": e.n, "position": number, "turn": e.turn, "body": _text(e.to_json())}
            for e in result.entries
        ]
        if rows:
            db.execute(insert(entries), rows)
        self._stage = None

    def _load(self, db: Connection, number: int | None) -> Stage:
        query = select(positions).where(positions.c.game == self.id)
        query = query.where(positions.c.number == number) if number else query.order_by(positions.c.number.desc()).limit(1)
        row = db.execute(query).first()
        if row is None:
            raise StoreError(f"the game has no stage {number}")
        if self._game_start is None:
            start_hash = db.execute(select(games.c.game_start).where(games.c.id == self.id)).scalar_one()
            self._game_start = _state(db, start_hash)
        dice = canonical.loads(row.dice)
        position = Position(
            state=_state(db, row.state),
            game_start=self._game_start,
            turn_start=_state(db, row.turn_start),
            phase_start=_state(db, row.phase_start),
            head=row.head,
            entries=row.entries,
            marks=tuple(tuple(m) for m in dice["marks"]),
            dice_turn=dice["dice_turn"],
            waiting=canonical.loads(row.waiting),
        )
        committed = canonical.loads(row.commitment)
        committed["audiences"] = tuple(committed["audiences"])
        return Stage(row.number, row.attempt, position, fairness.Commitment(**committed), dice["salts"], dice["used"])


def _text(value: Any) -> str:
    return canonical.dumps(value).decode()


def _pack(value: Any) -> bytes:
    return zlib.compress(canonical.dumps(value), 1)


def _unpack(data: bytes) -> Any:
    return canonical.loads(zlib.decompress(data))


def _keep_state(db: Connection, state: State) -> str:
    data = canonical.dumps(state.tables)
    key = canonical.digest(state.tables)
    if not db.execute(select(states.c.hash).where(states.c.hash == key)).first():
        db.execute(insert(states).values(hash=key, content=zlib.compress(data, 1)))
    return key


def _state(db: Connection, key: str) -> State:
    content = db.execute(select(states.c.content).where(states.c.hash == key)).scalar_one()
    return State(_unpack(content))
