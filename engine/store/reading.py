"""What a stored game says: its stages, journal, what has come in, its dice and their keys.

Nothing here changes it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..core import canonical, fairness
from ..core.dice import KeyedDice
from ..core.faults import BrokenGame, NotThere, RuleError, StoreError, clean
from ..core.journal import Entry
from ..core.model import Ruleset
from ..core.state import State
from ..ruleset.drawing import Drawing, drawing_from, marks_from
from ..turn.referee import Inputs, Position, asked_seats, waiting_seats
from ..world.geography import Geography
from ..world.world import World
from . import turns as turn_dice
from .database import StoredFile, database_faults, fault_in_words, reading, state_of, unpack
from .queries import one, row, rows
from .states import KnownStates

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine import Engine

FILE = "game.db"
"""The name of a game's database in its folder."""
PLAYER, POLICY, PROXY, MODERATOR = "player", "policy", "proxy", "moderator"
"""Who has given a nation's orders."""


@dataclass(frozen=True)
class Submission:
    """What a nation has sent for the present input point."""

    nation: str
    text: str
    orders: list[dict[str, Any]]
    answers: dict[str, Any]
    by: str = PLAYER


@dataclass(frozen=True)
class HandIn:
    """One file that has come in: its number, when (UTC, ISO 8601), and what was taken from it."""

    number: int
    at: str
    submission: Submission


@dataclass(frozen=True)
class StoredPosition:
    """A position as the store keeps it: its number, the attempt at its turn, and the commitment to its
    dice.
    """

    number: int
    attempt: int
    position: Position
    commitment: fairness.Commitment
    salts: Mapping[str, str]
    used_salts: Mapping[str, str]


def game_ids(engine: Engine) -> list[str]:
    """The games of a database, by name. StoreError if it is none of games."""
    try:
        with reading(engine) as db:
            return [str(game["id"]) for game in rows(db, "select id from games order by id")]
    except database_faults() as error:
        raise fault_in_words(error, str(engine.url.database)) from None


def inputs_from(
    taken: Mapping[str, Submission],
    missing: Sequence[str],
    seats: Mapping[str, str],
    decided: Mapping[str, Mapping[str, Any]],
) -> Inputs:
    """What the referee is given of what has come in, and of what the moderator has `decided` (see
    `GameReader.decided`).
    """
    answers = {n: dict(s.answers) for n, s in taken.items()}
    for nation, given in decided.items():
        answers[nation] = {**answers.get(nation, {}), **given}
    return Inputs(
        {n: s.orders for n, s in taken.items()},
        answers,
        missing,
        seats,
        {n: s.by for n, s in taken.items() if s.by != POLICY},
    )


class GameReader:
    """One game in its database, to be read."""

    def __init__(
        self, source: Engine | StoredFile, id_: str, ruleset: Ruleset, *, geography: Geography | None = None
    ) -> None:
        self.source = source
        self.id = id_
        self.ruleset = ruleset
        self.geography = geography or Geography(ruleset)
        self._game_start: State | None = None
        self._stage: StoredPosition | None = None
        self._states = KnownStates()
        self.seen_right: tuple[int, str] = 0, ""
        """How many entries of the journal were found to be a whole chain, and its head then."""

    def for_another_reader(self) -> Self:
        """The same game for somebody else, who does not wait for whoever has this one; what was read of it is
        shared.
        """
        return self._by(self.source)

    def _by(self, source: Engine | StoredFile) -> Self:
        """The same game by another connection, with what was read of it."""
        found = type(self)(source, self.id, self.ruleset, geography=self.geography)
        found._stage, found._game_start = self._stage, self._game_start
        return found

    @property
    def engine(self) -> Engine:
        """The database, to be written to."""
        return self.source.engine if isinstance(self.source, StoredFile) else self.source

    @contextmanager
    def reading(self, engine: Engine | None = None) -> Iterator[Any]:
        """A connection to read by, with `queries.rows`; with the game's `engine` one of SQLAlchemy, for who
        asks by tables.

        What is stored and is not what it should be is a BrokenGame, told in one sentence.
        """
        try:
            source = engine or self.source
            with source.reading() if isinstance(source, StoredFile) else reading(source) as db:
                yield db
        except (StoreError, RuleError):
            raise
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
            said = clean(str(error))[:120] or type(error).__name__
            raise BrokenGame(
                f"{self.called}: the game's file is damaged ({said}); take back a copy of it"
            ) from error
        except database_faults() as error:
            raise fault_in_words(error, self.where, self.called) from None

    @property
    def in_a_file(self) -> bool:
        """Whether the game is kept in a file, and not by a database server."""
        return isinstance(self.source, StoredFile) or self.source.dialect.name == "sqlite"

    @property
    def where(self) -> str:
        """Where the game is kept, for messages; without a password."""
        if isinstance(self.source, StoredFile):
            return str(self.source.path)
        url = self.source.url
        return str(url.database) if self.in_a_file else url.render_as_string(hide_password=True)

    @property
    def called(self) -> str:
        """What a message begins with: the file of a game that has one to itself, else the game alone."""
        return self.where if Path(self.where).name == FILE else self.id

    def _last(self, db: Connection | sqlite3.Connection) -> int:
        last = one(db, "select max(number) as number from positions where game = :game", game=self.id)
        return int(last["number"] or 0)

    def _of_game(self, db: Connection | sqlite3.Connection, columns: str) -> Any:
        """Columns of the game's own row."""
        return one(db, f"select {columns} from games where id = :game", game=self.id)

    @property
    def head(self) -> dict[str, Any]:
        """Title, scenario, anchor and the like."""
        with self.reading() as db:
            game = self._of_game(db, "id, title, anchor, scenario")
            return {**game, "scenario": canonical.loads(game["scenario"])}

    def drawing(self) -> Drawing:
        """What the game's maps are drawn with."""
        with self.reading() as db:
            return drawing_from(unpack(self._of_game(db, "drawing")["drawing"]))

    def marks(self) -> Mapping[str, Any]:
        """What the ruleset says of marks on its maps and of what is counted, without the drawing's shapes."""
        with self.reading() as db:
            return marks_from(unpack(self._of_game(db, "drawing")["drawing"]))

    def stage(self, number: int | None = None) -> StoredPosition:
        """The present stage, or an earlier one by its number. StoreError if there is none."""
        if number is None and self._stage is not None:
            return self._stage
        with self.reading() as db:
            found = self._load(db, number)
        if number is None:
            self._stage = found
        return found

    def stages(self) -> list[tuple[int, int, str]]:
        """All stages as (number, turn, what it waits for)."""
        question = "select number, turn, waiting from positions where game = :game order by number"
        with self.reading() as db:
            found = list(rows(db, question, game=self.id))
        out = []
        for stage in found:
            node = canonical.loads(stage["waiting"]) or {}
            waits_for = str(node.get("input") or node.get("pause") or "ended")
            out.append((stage["number"], stage["turn"], waits_for))
        return out

    def heads(self) -> dict[int, str]:
        """The head of the journal at each stage, by its number."""
        question = "select number, head from positions where game = :game"
        with self.reading() as db:
            return {stage["number"]: stage["head"] for stage in rows(db, question, game=self.id)}

    def first_turn(self) -> int:
        """The turn with which the game began: a scenario may set in later than with the first."""
        return self.stages()[0][1]

    def journal(
        self,
        *,
        turn: int | None = None,
        position: int | None = None,
        after: int | None = None,
        until: int | None = None,
    ) -> list[Entry]:
        """Entries in order: all, of a turn, those that led to a position from the one before, those after a
        number, or those up to one.
        """
        question, given = self._entries()
        if turn is not None:
            question += " and turn = :turn"
        if after is not None:
            question += " and number > :after"
        if until is not None:
            question += " and number <= :until"
        if position is not None:
            question += " and position = :position"
        else:  # ordered by number, SQLite would go through all entries of the game, and not by the position
            question += " order by number"
        asked = {"turn": turn, "after": after, "until": until, "position": position}
        given.update({name: value for name, value in asked.items() if value is not None})
        with self.reading() as db:
            found = [Entry.from_json(canonical.loads(kept["body"])) for kept in rows(db, question, **given)]
        return found if position is None else sorted(found, key=lambda entry: entry.n)

    def _entries(self) -> tuple[str, dict[str, Any]]:
        """The question for the entries that there are, and what is given with it."""
        return "select body from entries where game = :game", {"game": self.id}

    def submissions(self, number: int | None = None) -> dict[str, Submission]:
        """What has come in at a stage (the present one by default), by nation."""
        number = self.stage().number if number is None else number
        question = "select * from inputs where game = :game and position = :at order by nation"
        with self.reading() as db:
            found = rows(db, question, game=self.id, at=number)
            return {sent["nation"]: _submission(sent) for sent in found}

    def decided(self, number: int | None = None) -> dict[str, dict[str, Any]]:
        """What the moderator has answered at a stage (the present one by default): by nation, or for
        `moderator`, decision to answer. It counts beside what the nation sends itself, and is no
        submission."""
        number = self.stage().number if number is None else number
        question = "select * from decided where game = :game and position = :at order by nation, decision"
        out: dict[str, dict[str, Any]] = {}
        with self.reading() as db:
            for made in rows(db, question, game=self.id, at=number):
                out.setdefault(made["nation"], {})[made["decision"]] = canonical.loads(made["answer"])
        return out

    def awaited(self) -> list[str]:
        """The nations whose orders the present input point wants: of those it asks all that are no vacant
        position.
        """
        return waiting_seats(self.ruleset, self.seated_position())

    def asked(self) -> dict[str, str]:
        """Nation to who commands it, of all that the present input point takes orders from."""
        return asked_seats(self.ruleset, self.seated_position())

    def commands(self, number: int | None = None) -> dict[str, str]:
        """The seats that were given at a stage (the present one by default): nation to seat."""
        number = self.stage().number if number is None else number
        question = "select nation, seat from seats where game = :game and position = :at order by nation"
        with self.reading() as db:
            return {given["nation"]: given["seat"] for given in rows(db, question, game=self.id, at=number)}

    def name_of(self, nation: str) -> str:
        """A nation by its name."""
        return str(self.ruleset.row_or_empty("nations", nation).get("name", nation))

    def seated_position(self) -> Position:
        """The present position as those see it who have been given a seat since."""
        position, given = self.stage().position, self.commands()
        if not given:
            return position
        state = position.state.copy()
        for nation, who in given.items():
            state.put("nations", nation, "seat", who)
        return replace(position, state=state)

    def seated_world(self) -> World:
        """The whole game as it stands, with who has been given a seat since."""
        return World(self.ruleset, self.seated_position().state, geography=self.geography)

    def hand_ins_of(self, turn: int, nation: str, *, stage: int | None = None) -> list[HandIn]:
        """Everything that a nation has handed in for a turn, or at one stage of it, the first first."""
        at = [n for n, t, _ in self.stages() if t == turn] if stage is None else [stage]
        question = "select * from handins where game = :game and nation = :nation order by number"
        with self.reading() as db:
            found = rows(db, question, game=self.id, nation=nation)
            return [HandIn(h["number"], h["at"], _submission(h)) for h in found if h["position"] in at]

    def ruleset_at(self, number: int) -> Ruleset:
        """The rules under which a stage was resolved: those before the first upgrade made at it or later."""
        later = [c for c in self.corrections() if c["what"] == "upgrade" and int(c["stage"]) > number]
        if not later:
            return self.ruleset
        with self.reading() as db:
            kept = one(db, "select content from rulesets where hash = :hash", hash=later[0]["from"])
        return Ruleset.from_json(unpack(kept["content"]))

    def turn_record(self, turn: int) -> turn_dice.TurnRecord:
        """What is published of a turn's dice."""
        with self.reading() as db:
            return turn_dice.of_turn(db, self.id, turn)

    def dice(self, stage: StoredPosition | None = None, salts: Mapping[str, str] | None = None) -> KeyedDice:
        """The dice of a stage's turn. Salts are those of the turn's first input, or given."""
        stage = stage or self.stage()
        turn = stage.position.turn
        masked = dict(salts if salts is not None else stage.salts)
        marks = stage.position.marks if stage.position.dice_turn == turn else ()
        return KeyedDice(
            self.turn_key(turn, stage.attempt),
            turn,
            mix=fairness.mix_salts(masked) if masked else "",
            marks=marks,
        )

    def salts(self, turn: int) -> dict[str, str]:
        """The masked salts of a turn as they are published; empty before orders are closed, or where no
        player has a share.
        """
        return dict(self.turn_record(turn).salts or {})

    def own_salts(self, turn: int) -> dict[str, str]:
        """The salts of a turn by nation, as they are: for the moderator's side alone."""
        with self.reading() as db:
            return turn_dice.salts_of(db, self.id, turn)

    def secrets(self) -> tuple[str, int]:
        """The seed and the length of the game's chain of secrets: to be shown when the game has ended."""
        with self.reading() as db:
            kept = self._of_game(db, "seed, length")
        return kept["seed"], kept["length"]

    def turn_key(self, turn: int, attempt: int = 0) -> str:
        """The secret key of a turn's dice: for the moderator's side alone."""
        with self.reading() as db:
            return self._turn_key(db, turn, attempt)

    def _turn_key(self, db: Connection | sqlite3.Connection, turn: int, attempt: int) -> str:
        kept = self._of_game(db, "seed, length")
        chain = _chain(kept["seed"], kept["length"])
        if turn > chain.length:
            raise StoreError(
                f"the dice of this game were sworn for {chain.length} turns, and they have been played"
            )
        return fairness.turn_key(chain.secret(turn), self.id, turn, attempt)

    def corrections(self) -> list[dict[str, Any]]:
        """What a moderator has changed by hand, in order."""
        question = "select what, body from corrections where game = :game order by number"
        with self.reading() as db:
            found = list(rows(db, question, game=self.id))
        return [{"what": made["what"], **canonical.loads(made["body"])} for made in found]

    def refresh(self) -> None:
        """Forget what was read of the present stage if somebody else has changed it since."""
        if self._stage is None:
            return
        question = "select number, head, attempt from positions where game = :game order by number desc"
        with self.reading() as db:
            last = one(db, f"{question} limit 1", game=self.id)
        known = self._stage
        here = known.number, known.position.head, known.attempt
        if (last["number"], last["head"], last["attempt"]) != here:
            self._stage = None

    # ---- inside

    def _load(self, db: Connection | sqlite3.Connection, number: int | None) -> StoredPosition:
        question = "select * from positions where game = :game"
        if number:
            found = row(db, f"{question} and number = :number", game=self.id, number=number)
        else:
            found = row(db, f"{question} order by number desc limit 1", game=self.id)
        if found is None:
            raise NotThere(f"the game has no stage {number}")
        if self._game_start is None:
            self._game_start = state_of(db, self._of_game(db, "game_start")["game_start"])
        states: dict[str, State] = {}
        for key in (found["state"], found["turn_start"], found["phase_start"]):
            if key not in states:
                states[key] = self._states.find(key) or state_of(db, key)
        if number is None:
            self._states.hold(states)
        dice = canonical.loads(found["dice"])
        position = Position(
            state=states[found["state"]],
            game_start=self._game_start,
            turn_start=states[found["turn_start"]],
            phase_start=states[found["phase_start"]],
            head=found["head"],
            entries=found["entries"],
            marks=tuple(tuple(m) for m in dice["marks"]),
            dice_turn=dice["dice_turn"],
            waiting=canonical.loads(found["waiting"]),
        )
        committed = fairness.Commitment(**canonical.loads(found["commitment"]))
        return StoredPosition(
            found["number"], found["attempt"], position, committed, dice["salts"], dice["used"]
        )


@lru_cache(maxsize=8)
def _chain(seed: str, length: int) -> fairness.Chain:
    """The chain of secrets of a game, which each of its turns is asked for several times."""
    return fairness.Chain.create(bytes.fromhex(seed), length)


def _submission(sent: Mapping[str, Any]) -> Submission:
    """A row of `inputs` or `handins` as what was submitted."""
    orders, answers = canonical.loads(sent["orders"]), canonical.loads(sent["answers"])
    return Submission(sent["nation"], sent["text"], orders, answers, sent["by"])
