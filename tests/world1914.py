"""The 1914 game for tests: loaded once, played a few turns once, and copied by whoever changes it."""

from __future__ import annotations

from functools import cache
from typing import Any

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice
from wteaw.core.package_data import scenarios
from wteaw.orders.check import Checker
from wteaw.orders.kinds import of_class
from wteaw.orders.kinds.moves import Moves
from wteaw.orders.legal import legal_orders
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.ruleset import Ruleset
from wteaw.turn.referee import Inputs, Position, Resolution, resolve, start, waiting_seats
from wteaw.world.geography import Geography
from wteaw.world.view import Viewer
from wteaw.world.world import World

KEY = "5a" * 32


@cache
def loaded() -> tuple[dict[str, Any], Ruleset, Geography]:
    scenario, ruleset, found = load_scenario(scenarios() / "1914.yaml")
    assert scenario is not None and ruleset is not None, found
    return scenario, ruleset, Geography(ruleset)


def dice(position: Position, key: str = KEY) -> KeyedDice:
    return KeyedDice(key, position.turn, marks=position.marks if position.dice_turn == position.turn else ())


def orders_by_policy(position: Position) -> dict[str, list[dict[str, Any]]]:
    """What the built-in policies order at a position."""
    _, ruleset, geography = loaded()
    viewer = Viewer(ruleset, position.state, geography=geography)
    source = dice(position)
    out = {}
    for nation in waiting_seats(ruleset, position):
        world = World(ruleset, viewer.view(nation), moments=position.moments, geography=geography)
        stream = source.stream(step="input", rule="policies/plan", subject=nation, audience=nation)
        out[nation] = [dict(o) for o in plan(world, nation, stream)]
        world.close()
    return out


@cache
def played(turns: int) -> tuple[Resolution, ...]:
    """The game by policies: the start and so many turns."""
    scenario, ruleset, geography = loaded()
    out = [start(ruleset, initial_state(ruleset, scenario), KeyedDice(KEY, 1), geography=geography)]
    for _ in range(turns):
        here = out[-1].position
        out.append(resolve(ruleset, here, Inputs(orders_by_policy(here)), dice(here), geography=geography))
    return tuple(out)


def everything_moves(position: Position) -> dict[str, list[dict[str, Any]]]:
    """Orders by which every nation moves every stack that can go somewhere: each group to the first place that it may go to."""
    _, ruleset, geography = loaded()
    viewer = Viewer(ruleset, position.state, geography=geography)
    moving = {kind.key: kind for kind in of_class(ruleset, Moves) if "units" in kind.slots}
    out: dict[str, list[dict[str, Any]]] = {}
    for nation in waiting_seats(ruleset, position):
        world = World(ruleset, viewer.view(nation), moments=position.moments, geography=geography)
        checker = Checker(world, nation)
        given = out[nation] = []
        for legal in (entry for entry in legal_orders(world, nation, moving) if not entry.open):
            left = moving[legal.order].units_left(checker.book, str(legal.slots.get("origin")))
            kinds = {k: min(n, left.get(k, 0)) for k, n in legal.slots["units"].items() if left.get(k)}
            for target in legal.targets[:3] if kinds else ():
                slots = {**legal.slots, "units": kinds, "target": target}
                taken = checker.take({"nation": nation, "order": legal.order, "slots": slots, "options": {}})
                if taken is not None:
                    given.append({**taken, "text": "", "line": len(given) + 1})
                    break
        world.close()
    return out
