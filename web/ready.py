"""Who is ready: has nothing to add to the orders of a stage.

When all players are, the turn need not wait until it is due.
"""

from __future__ import annotations

from sqlalchemy import delete, select

from wteaw.play.pending import seats
from wteaw.play.questions import offers_in
from wteaw.store import PLAYER, Game
from wteaw.store.database import changing, insert_once, reading

from .accounts import stamp
from .games import Games
from .tables import ready


def ready_nations(hall: Games, game: Game) -> set[str]:
    """The nations whose players are ready at the present stage."""
    stage = game.stage()
    where = (ready.c.game == game.id, ready.c.stage == stage.number, ready.c.head == stage.position.head)
    with reading(hall.engine) as db:
        return {str(n) for n in db.execute(select(ready.c.nation).where(*where)).scalars()}


def all_ready(hall: Games, game: Game) -> bool:
    """Whether every player who is asked for orders now has sent some and is ready, and no offer waits for its
    answer.
    """
    asked = {n for n, who in seats(game).items() if who == PLAYER}
    return (
        bool(asked) and asked <= ready_nations(hall, game) & set(game.submissions()) and not offers_in(game)
    )


def set_ready(hall: Games, game: Game, nation: str, wanted: bool) -> None:
    """Say that a nation's player is ready, or is not."""
    stage = game.stage()
    row = {"game": game.id, "stage": stage.number, "head": stage.position.head, "nation": nation}
    with changing(hall.engine, game.id) as db:
        db.execute(delete(ready).where(*(ready.c[name] == value for name, value in row.items())))
        if wanted:
            insert_once(db, ready, at=stamp(hall.clock()), **row)
