"""A stored game as its auditors want it: plain data, read from the store alone."""

from __future__ import annotations

from collections.abc import Sequence

from ..audit.book import Book
from ..audit.played import Played, Stage
from ..audit.run import AUDITORS, audit
from .store import Game

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
    return Played(game.ruleset, game.stage().position.game_start, tuple(stages))


def audited(game: Game, what: Played, only: Sequence[str] = ()) -> list[Book]:
    """The books of the auditors of these names (none: of all)."""
    return audit(what, only)
