"""A stored game as its auditors want it: plain data, read from the store; and the rows of `audits`, asked at the end of each turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..audit.book import Book
from ..audit.played import Played, Report, Stage
from ..audit.run import AUDITORS, audit
from ..core.state import State
from .store import Game
from .turn_reports import last_turn, report
from .views import views_after

QUESTIONS = {name: question for name, (question, _) in AUDITORS.items()}
"""All auditors and what they ask."""


def played(game: Game) -> Played:
    """What was played of a stored game, stage by stage."""
    stages = []
    before = None
    for number, _, _ in game.stages():
        stage = game.stage(number)
        given = {n: s.by for n, s in game.submissions(before.number).items()} if before is not None else {}
        waited = before.position.waiting if before is not None else None
        stages.append(Stage(number, stage.position.state, tuple(game.journal(position=number)), waited, given))
        before = stage
    return Played(game.ruleset, game.stage().position.game_start, tuple(stages), lambda: _reports(game))


def audited(what: Played, only: Sequence[str] = ()) -> list[Book]:
    """The books of the auditors of these names (none: of all)."""
    return audit(what, only)


def _reports(game: Game) -> Iterator[Report]:
    """What everybody with units or places was told on the last turn that is over."""
    turn = last_turn(game)
    if turn < 1:
        return
    views = views_after(game, None)
    state = views.position.state
    before = _began(game, turn)
    for nation in sorted({str(row["owner"]) for row in state.table("units").values()}):
        made = report(game, nation, turn=turn, template=False, views=views)
        told, tables = [], []
        for part in made.parts:
            for block in part.blocks:
                if hasattr(block, "lead"):
                    told.append((str(block.lead), str(block.text)))
                elif part.title == "Your forces" and hasattr(block, "head"):
                    tables.append((block.head, block.rows))
        yield Report(nation, turn, before, state, tuple(told), tuple(tables))


def _began(game: Game, turn: int) -> State:
    """The state in which a turn began."""
    first = next(number for number, t, _ in game.stages() if t == turn)
    return game.stage(first).position.turn_start
