"""The table of what each nation held year by year, as the pages show it: kept for each stage and reader."""

from __future__ import annotations

from wteaw.play.views import Views
from wteaw.report.holdings import Holdings
from wteaw.report.holdings import holdings as of_game
from wteaw.report.turn_reports import last_turn
from wteaw.store import Game
from wteaw.turn.referee import Position
from wteaw.world.world import World

from .games import Games
from .presenters import ALL, PUBLIC, place_of, public, stand


def holdings(hall: Games, game: Game, reader: str) -> Holdings | None:
    """The table as a reader may know it; None where the ruleset asks for none."""
    if not game.marks().get("counted"):
        return None
    return hall.kept(
        ("holdings", *stand(hall, game), reader), lambda: hall.work(make_holdings, *place_of(game), reader)
    )


def make_holdings(hall: Games, id_: str, stage: int, head: str, reader: str) -> Holdings | None:
    """The table of a game as it stood at a stage."""
    with hall.at(id_, stage, head) as game:
        return of_game(game, last_turn(game), lambda position: _world(game, position, reader))


def _world(game: Game, position: Position, reader: str) -> World:
    if reader == ALL:
        return World(game.ruleset, position.state, moments=position.moments, geography=game.geography)
    if reader == PUBLIC:
        return World(game.ruleset, public(game, position), geography=game.geography)
    return Views(game, position).world(reader)
