"""A draft tried out: a nation's orders resolved on what it knows, by dice of the try alone."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from ..bots import plan
from ..core.dice import KeyedDice
from ..core.journal import Entry
from ..core.state import State, unit_key
from ..orders.intake import Intake
from ..orders.kinds.answers import parted
from ..play.views import Views
from ..store import PLAYER, Game, StoreError
from ..turn.referee import Inputs, resolve
from ..world.known import counted_units
from ..world.view import UNKNOWN, Viewer
from ..world.world import World
from .build import Report, nation_report


@dataclass(frozen=True)
class DryRun:
    """What came of a try: the report of it, the view after it and the entries that the nation might read of
    it.

    `unknown` counts the places of which only the magnitude is known; those who stand there are left out. What
    the nation has counted stands where it was counted.
    """

    report: Report
    shown: State
    entries: tuple[Entry, ...]
    unknown: int


def try_out(game: Game, nation: str, taken: Intake, *, others: bool = False) -> DryRun:
    """Resolve what stands of a nation's orders on its own view; with `others` policies order for the rest.

    They are played as far as the nation knows them. StoreError if the game waits for nothing.
    """
    stage = game.stage()
    position = stage.position
    if position.ended or "pause" in (position.waiting or {}):
        raise StoreError("there is nothing to be tried out now")
    known = Views(game, position).world(nation).state
    hidden = {str(row["place"]) for _, row in known.stacks() if row["kind"] == UNKNOWN}
    seen_there = World(game.ruleset, known, geography=game.geography)
    counted = {
        place: units for place in sorted(hidden) if (units := counted_units(seen_there, nation, place))
    }
    here = _without_unknown(known)
    for place, units in counted.items():
        for (owner, kind), n in units.items():
            here.put(
                "units",
                unit_key(owner, kind, place),
                "*",
                {"owner": owner, "kind": kind, "place": place, "n": n},
            )
    then = [
        _without_unknown(Viewer(game.ruleset, state, geography=game.geography).view(nation, sight=False))
        for state in (position.game_start, position.turn_start, position.phase_start)
    ]
    start = replace(position, state=here, game_start=then[0], turn_start=then[1], phase_start=then[2])
    dice = KeyedDice(secrets.token_bytes(32), position.turn)
    orders, answers = {nation: list(taken.orders)}, {nation: dict(taken.answers)}
    seats = {nation: PLAYER}
    if others:
        viewer = Viewer(game.ruleset, here, geography=game.geography)
        for other in game.asked():
            if other != nation:
                stream = dice.stream(step="input", rule="policies/plan", subject=other, audience=other)
                seen = _without_unknown(viewer.view(other))
                orders[other], answers[other] = parted(
                    plan(World(game.ruleset, seen, geography=game.geography), other, stream)
                )
    inputs = Inputs(orders, answers, (), {}, seats)
    result = resolve(game.ruleset, start, inputs, dice, geography=game.geography)
    shown = Viewer(game.ruleset, result.position.state, geography=game.geography).view(nation)
    world = World(game.ruleset, shown, geography=game.geography)
    title = str(game.head["title"])
    report = nation_report(world, list(result.entries), nation, game=title, turn=position.turn)
    return DryRun(report, shown, tuple(result.entries), len(hidden - counted.keys()))


def _without_unknown(state: State) -> State:
    """A view without the stacks of which only a magnitude is known: nobody can fight with or against them."""
    for key in [key for key, row in state.stacks() if row["kind"] == UNKNOWN]:
        state.put("units", key, "*", None)
    return state
