"""A game to look at: a scenario, some turns of it played by bots, with a role of every kind to enter it
by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from wteaw.core.diagnostics import has_errors, render
from wteaw.core.model import Ruleset
from wteaw.play.begin import new_game
from wteaw.play.pending import seats
from wteaw.play.resolve import planned, resolve_turn
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario, named_ruleset
from wteaw.report.wording import counted
from wteaw.ruleset.drawing import Drawing, read_drawing
from wteaw.store import PLAYER, StoreError
from wteaw.world.world import World

from .accounts import MODERATOR, SPECTATOR, Role, stamp
from .accounts import PLAYER as PLAYS
from .games import Games, Settings

GAME = "demonstration"
DAYS = 7


def demonstration(
    hall: Games,
    scenario: Mapping[str, Any],
    ruleset: Ruleset,
    drawing: Drawing,
    *,
    players: int = 2,
    turns: int = 1,
) -> list[Role]:
    """Start the game if it is not there, and give its roles: a moderator, players of the greatest nations, a
    spectator.

    In the turns before the first that is theirs, bots order for them, so that their dice can be proved,
    too.
    """
    if GAME in hall.ids():
        return hall.people.of_game(GAME)
    chosen = greatest(ruleset, scenario, players)
    game = new_game(
        hall.engine, scenario, ruleset, id_=GAME, seats=dict.fromkeys(chosen, PLAYER), drawing=drawing
    )
    hall.keep(Settings(GAME, due=stamp(hall.clock() + timedelta(days=DAYS)), days=DAYS, public=True))
    hall.send(game)  # whoever looks on sees how it begins, while the first turns are played
    while game.stage().position.turn <= turns and not game.stage().position.ended:
        for given in planned(game, [n for n, who in seats(game).items() if who == PLAYER]):
            game.submit(replace(given, by=PLAYER))
        resolve_turn(game, force=True)
    hall.send(game)
    hall.note(
        GAME, "the server", f"The demonstration was started; bots played {counted(turns, 'turn')} of it"
    )
    people = hall.people
    people.add(GAME, MODERATOR, name="moderator", email="moderator@desk.example")
    for nation in chosen:
        people.add(GAME, PLAYS, nation=nation, name=nation, email=f"{nation}@desk.example")
    people.add(GAME, SPECTATOR, name="spectator", email="spectator@desk.example")
    return people.of_game(GAME)


def shown(hall: Games, scenario: Path) -> list[tuple[str, str]]:
    """Start the demonstration of a scenario if it is not there: id and name of each role, the players first.

    None where other games are run. StoreError where the scenario cannot be played.
    """
    there = hall.ids()
    if there and there != [GAME]:
        return []
    if not there:
        demonstration(hall, *ready_to_play(scenario))
    order = {PLAYS: 0, MODERATOR: 1}
    with hall.game(GAME) as game:
        ruleset = game.ruleset
    roles = sorted(hall.people.of_game(GAME), key=lambda r: (order.get(r.role, 2), r.nation))
    return [
        (r.id, str(ruleset.row_or_empty("nations", r.nation).get("name", r.nation)) if r.nation else r.role)
        for r in roles
    ]


def ready_to_play(path: Path) -> tuple[Mapping[str, Any], Ruleset, Drawing]:
    """A scenario with its rules and what its map is drawn with.

    StoreError with every error where it cannot be played.
    """
    scenario, ruleset, found = load_scenario(path)
    if scenario is None or ruleset is None or has_errors(found):
        raise StoreError(f"{path.stem} cannot be played: {render(found, 'text')}")
    return scenario, ruleset, read_drawing(named_ruleset(scenario["ruleset"], path.parent)[0] or path.parent)


def greatest(ruleset: Ruleset, scenario: Mapping[str, Any], players: int) -> list[str]:
    """The nations that hold most at the start, at most one of each side where there are enough sides."""
    world = World(ruleset, initial_state(ruleset, scenario))
    there = ranked(world)
    out: list[str] = []
    for nation in there:
        side = world.side_of(nation)
        if all(side is None or world.side_of(n) != side for n in out):
            out.append(nation)
    return (out + [n for n in there if n not in out])[:players]


def ranked(world: World) -> list[str]:
    """The nations that hold units at the start, those that hold most first."""
    held: dict[str, int] = dict.fromkeys(world.ruleset.rows("nations"), 0)
    for _, stack in world.state.stacks():
        held[str(stack["owner"])] = held.get(str(stack["owner"]), 0) + int(stack["n"])
    return sorted((n for n in held if world.alive(n) and held[n]), key=lambda n: (-held[n], n))
