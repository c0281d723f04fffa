"""A stored game as its auditors want it: plain data, read from the store; and the rows of `audits`, asked of
each turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..audit.book import Book
from ..audit.played import RecordedGame, RecordedReport, RecordedStage, make
from ..audit.run import AUDITORS, audit
from ..core.faults import of_rules
from ..core.journal import Entry
from ..core.model import Row
from ..core.state import Entity, State
from ..play.views import views_after
from ..store import Game
from ..world.geography import Geography
from ..world.messages import fill
from ..world.selections import selection
from ..world.world import World
from .account import AT_FIRST
from .document import Para, Table
from .turn_reports import last_turn, report, reported_turns

ROWS = "rows"
"""The auditor that asks the rows of `audits`: the designer's own statements, by the language of the rules."""
QUESTIONS = {
    **{name: question for name, (question, _) in AUDITORS.items()},
    ROWS: "Does all hold that the ruleset's rows of `audits` say?",
}
"""All auditors and what they ask."""


def played(game: Game) -> RecordedGame:
    """What was played of a stored game, stage by stage, each read when it is asked for."""
    stages = tuple(
        RecordedStage(number, partial(_state, game, number), _Entries(game, number))
        for number, _, _ in game.stages()
    )
    return RecordedGame(game.ruleset, game.stage().position.game_start, stages, partial(_reports, game))


def _state(game: Game, number: int) -> State:
    return game.stage(number).position.state


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries that led to a stage, read from the store each time that somebody goes through them."""

    game: Game
    number: int

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.game.journal(position=self.number))


def audited(what: RecordedGame, only: Sequence[str] = ()) -> list[Book]:
    """The books of the auditors of these names (none: of all), the rows of the ruleset last."""
    books = audit(what, [name for name in only if name != ROWS]) if set(only) != {ROWS} else []
    return [*books, rows(what)] if not only or ROWS in only else books


# ---- the rows of a ruleset


def rows(what: RecordedGame) -> Book:
    """The rows of `audits`, asked at the end of every turn or after the step that they name."""
    book = Book(ROWS, what.ruleset)
    asked: dict[str, list[Row]] = {}
    for row in what.ruleset.rows("audits").values():
        asked.setdefault(str(row.get("at", "")), []).append(row)
    geography = Geography(what.ruleset)
    moments = dict.fromkeys(("game", "turn", "phase"), what.start)
    step = ""
    for entry, state in what.moments() if asked else ():
        now = {c[2]: c[4] for c in entry.changes if c[0] == "game"}
        over = any(fact.word == "turn_end" for fact in entry.facts)
        if step and ("step" in now or over) and step in asked:
            _ask(asked[step], what, state, moments, geography, entry, book)
        if over and "" in asked:
            _ask(asked[""], what, state, moments, geography, entry, book)
        step = "" if over else str(now.get("step", step) or "")
        if now.keys() & {"turn", "phase"}:
            then = state.copy()
            make(then, entry.changes)
            moments |= {"turn": then, "phase": then} if "turn" in now else {"phase": then}
    return book


def _ask(
    those: Sequence[Row],
    what: RecordedGame,
    state: State,
    moments: dict[str, State],
    geography: Geography,
    entry: Entry,
    book: Book,
) -> None:
    world = World(what.ruleset, state.copy(), moments=dict(moments), geography=geography)
    for row in those:
        things = selection(world, row["for"], {}) if "for" in row else (None,)
        for thing in things:
            names = _names(world, thing)
            try:
                holds = world.test(row["test"], names)
            except Exception as error:
                if of_rules(error) is None:
                    raise
                book.skip(f"{row['id']} cannot be asked")
                continue
            says = "" if holds else fill(world, row["message"], names)
            whose = thing.id if thing is not None else what.ruleset.id
            book.check_turn(
                holds, entry.turn, whose, says, row["test"], "it does not hold", f"audits/{row['id']}"
            )


def _names(world: World, thing: Entity | None) -> dict[str, Any]:
    """The names in the test of a row for one thing: itself by its kind, and who has to do with it."""
    return {} if thing is None else world.subject_names(thing, {})


def _reports(game: Game) -> Iterator[RecordedReport]:
    """What everybody with units was told on every turn that is over."""
    last = last_turn(game)
    for turn in reported_turns(game):
        views = views_after(game, None if turn == last else turn)
        state = views.position.state
        before = _began(game, turn)
        for nation in sorted({str(row["owner"]) for row in state.table("units").values()}):
            made = report(game, nation, turn=turn, template=False, views=views, whole=False)
            told, tables, accounts = [], [], []
            for part in made.parts:
                for block in part.blocks:
                    if isinstance(block, Para):
                        told.append((str(block.lead), str(block.text)))
                    elif part.title == "Your forces" and isinstance(block, Table):
                        tables.append((block.head, block.rows))
                    elif isinstance(block, Table) and block.rows and block.rows[0][0] == AT_FIRST:
                        accounts.append((block.head, block.rows, block.notes))
            yield RecordedReport(nation, turn, before, state, tuple(told), tuple(tables), tuple(accounts))


def _began(game: Game, turn: int) -> State:
    """The state in which the first orders of a turn were asked for: what the report before left its reader
    with.
    """
    first = next(number for number, t, _ in game.stages() if t == turn)
    return game.stage(first).position.state
