"""How much each nation held at the end of each year: the table that players of such games follow, where a
ruleset asks for one.

A ruleset says in `map/marks.yaml` what is counted: `counted: {FIELD: TITLE}`, places whose field is true, for
their holders.
"""

from __future__ import annotations

from dataclasses import dataclass

from wteaw.play.proofs import position_after
from wteaw.play.views import Views
from wteaw.report.turn_reports import last_turn
from wteaw.store import Game
from wteaw.turn.calendar import date
from wteaw.turn.referee import Position
from wteaw.world.world import World

from .games import Games
from .presenters import ALL, PUBLIC, place_of, public, stand


@dataclass(frozen=True)
class Holdings:
    """The title, the years (the first column is the start), and of each nation its name and how much it held
    then.
    """

    title: str
    years: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


def holdings(hall: Games, game: Game, reader: str) -> Holdings | None:
    """The table as a reader may know it; None where the ruleset asks for none."""
    if not game.drawing().marks.get("counted"):
        return None
    return hall.kept(
        ("holdings", *stand(hall, game), reader), lambda: hall.work(make_holdings, *place_of(game), reader)
    )


def make_holdings(hall: Games, id_: str, stage: int, head: str, reader: str) -> Holdings:
    """The table of a game as it stood at a stage."""
    with hall.at(id_, stage, head) as game:
        field, title = next(iter(game.drawing().marks["counted"].items()))
        now, calendar = game.stage().position, game.ruleset.calendar
        at: dict[str, Position] = {"start": game.stage(1).position}
        for turn in range(1, last_turn(game) + 1):
            year = str(date(calendar, turn)[0])
            # a year that is not over is not counted
            if now.ended or year != str(date(calendar, now.turn)[0]):
                at[year] = position_after(game, turn)
        counted = {
            year: _counted(_world(game, position, reader), str(field)) for year, position in at.items()
        }
        names = {n: str(row.get("name", n)) for n, row in game.ruleset.rows("nations").items()}
        rows = [(name, tuple(of.get(nation, 0) for of in counted.values())) for nation, name in names.items()]
        held = sorted(
            (row for row in rows if any(row[1])),
            key=lambda row: (tuple(-n for n in reversed(row[1])), row[0]),
        )
        return Holdings(str(title), tuple(at), tuple(held))


def _world(game: Game, position: Position, reader: str) -> World:
    if reader == ALL:
        return World(game.ruleset, position.state, moments=position.moments, geography=game.geography)
    if reader == PUBLIC:
        return World(game.ruleset, public(game, position), geography=game.geography)
    return Views(game, position).world(reader)


def _counted(world: World, field: str) -> dict[str, int]:
    out: dict[str, int] = {}
    for place, row in world.ruleset.rows("places").items():
        holder = world.holder_of(place) if row.get(field) else None
        if holder is not None:
            out[holder] = out.get(holder, 0) + 1
    return out
