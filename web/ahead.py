"""What players will look at first when a turn has been sent, made before they come: reports, maps, and what
they can order.

Each takes seconds in a large game. Whoever opens a page while it is being made waits for that and no longer.
"""

from __future__ import annotations

import logging
import threading

from wteaw.store import Game, StoreError

from .accounts import PLAYER
from .games import Games
from .order_map import ground, menu
from .presenters import chart, sight, stand

SECONDS = 5.0
MOST_PLAYERS = 60
"""For so many players of a game pages are made ahead; what is kept of all games has its bounds
(`games.MOST_KEPT`).
"""
LOG = logging.getLogger("wteaw.server")


def look_ahead(hall: Games, done: dict[str, tuple[object, ...]], stop: threading.Event) -> list[str]:
    """Make the first pages of every game under way that stands where it did not stand in `done`, which is
    brought up to date.

    Returns the games. What takes long is done where the hall has it done, one player after another.
    """
    out = []
    for id_ in hall.ids():
        try:
            with hall.sent(id_) as game:
                ended = game.stage().position.ended
                if ended or stop.is_set() or done.get(id_) == (here := stand(hall, game)):
                    continue
                _make(hall, game, stop)
        except (
            StoreError
        ) as error:  # it has moved on meanwhile, or its file is damaged: whoever comes is told
            LOG.info("%s: %s", id_, error)
            continue
        done[id_] = here
        out.append(id_)
    return out


def _make(hall: Games, game: Game, stop: threading.Event) -> None:
    players = [role.nation for role in hall.people.of_game(game.id) if role.role == PLAYER]
    for nation in players[:MOST_PLAYERS]:
        if stop.is_set():
            return
        sight(hall, game, nation)
        chart(hall, game, nation)
        ground(hall, game, nation)
        menu(hall, game, nation)


def keep_ahead(hall: Games, stop: threading.Event, *, seconds: float = SECONDS) -> None:
    """Look again and again which games have moved on, until somebody says stop. A fault is logged."""
    done: dict[str, tuple[object, ...]] = {}
    while not stop.is_set():
        try:
            look_ahead(hall, done, stop)
        except Exception:
            LOG.exception("pages could not be made ahead; the next look tries again")
        stop.wait(seconds)
