"""Positions that no player has, and who chooses one: what the settings (`vacancies` of the players) say
of a game as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.state import Entity
from ..world.selections import id_of
from ..world.world import World

MODERATOR = "moderator"
VACANT = "vacant"
"""The seat of a nation that waits for a player."""
EMPTY = ("", "none", VACANT, "policy")
"""Seats in which no person sits."""
NAMELESS = (*EMPTY, "player", MODERATOR)
"""Seats that say what commands a nation, not who.

Any other seat is a nation whose player does, or a person's name.
"""
UNFILLED = (VACANT, "policy")
"""Seats of a nation that nobody plays: a bot gives its orders, unless the moderator submits some."""
PLAYED_BY = {
    "player": "a player",
    MODERATOR: "the moderator",
    "policy": "a bot",
    VACANT: "nobody",
    "none": "nobody",
}
"""Who plays a nation by what its seat says, in words; any other seat is the one who does."""


@dataclass(frozen=True, slots=True)
class Vacancy:
    """A nation without a player: who chooses one (a side, or the moderator), and why, in words."""

    nation: str
    by: str
    text: str


def seat(world: World, nation: str) -> str:
    """Who commands a nation, or the one that it is commanded by: what the state says, else its row; a policy
    if neither does.
    """
    return world.seat_said(world.commander_of(nation)) or "policy"


def vacancy(world: World, nation: str) -> Vacancy | None:
    """The nation as a position to fill, whoever sits there now; None if nothing makes it one, or it is out of
    the game.

    A nation whose seat names another has the player of that one, and is no position of its own.
    """
    if not world.alive(nation) or world.commander_of(nation) != nation:
        return None
    thing = Entity("nation", nation)
    names = {"nation": thing, "self": thing}
    for row in world.ruleset.players.get("vacancies", ()):
        if world.test(row.get("when"), names):
            by = id_of(world.marked(row["by"], names))
            return Vacancy(nation, str(by), str(row.get("text", ""))) if by else None
    return None


def vacancies(world: World) -> list[Vacancy]:
    """Every position that nobody plays, in order."""
    found = [vacancy(world, n) for n in world.nations() if seat(world, n) in EMPTY]
    return [v for v in found if v is not None]
