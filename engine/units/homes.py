"""Where units of a force may end their moves: where they are, where they came from, or the cheapest place
that they can reach.
"""

from __future__ import annotations

from typing import Any

from ..core.rows import MovementRow
from ..core.state import Entity
from ..turn.context import Turn
from ..world import routes
from . import forces


def may_stay(turn: Turn, mode: MovementRow, force: str, nation: str, place: str) -> bool:
    """Whether units of a force may end the turn where they are: `home` of the mode, else anywhere they need
    not fight for.

    Besides, where `remains` of the mode holds. Who `returns` stays nowhere but where it set out from.
    """
    if mode.get("returns") and place != turn.state.get("forces", force, "from"):
        return False
    for key in ("home", "remains"):
        if key in mode and _group(turn, mode, force, nation).test(key, place, f"{place}>{place}", (place,)):
            return True
    return "home" not in mode and routes.entry(turn.world, nation, place) in ("free", "takes")


def homes_apart(turn: Turn, mode: MovementRow, force: str) -> dict[str, str | None]:
    """Where each stack of a force goes that cannot stay, by what it has left itself: where it came from, else
    the cheapest place that it can reach. None: there is none.
    """
    return {key: home_of(turn, mode, force, key) for key, _ in forces.stacks_of(turn.state, force)}


def home_of(turn: Turn, mode: MovementRow, force: str, key: str) -> str | None:
    """Where a stack of a force goes that cannot stay: where it came from, else the cheapest place that it can
    reach.
    """
    row = turn.state.row("forces", force)
    nation, place = row["owner"], row["at"]
    going = routes.Going(turn.world, nation, mode, [Entity("unit", key)])
    reachable = homes_of(turn, going, place)
    if row["from"] in reachable:
        return str(row["from"])
    if mode.get("returns"):  # who was to come back to where it set out from finds room next to it, or none
        near = set(turn.world.geography.next_to(str(row["from"])))
        here = {place: 0} if going.test("home", place, f"{place}>{place}", (place,)) else {}
        reachable = {p: cost for p, cost in {**reachable, **here}.items() if p in near}
    return min(reachable, key=lambda p: (reachable[p], p), default=None)


def homes_of(turn: Turn, going: routes.Going, place: str) -> dict[str, Any]:
    """Places where a group can end, with the cost of the way; without an allowance of their own, only
    neighbors.
    """
    if "keeps" in going.mode:
        return routes.homes(going, place, going.allowance(place))
    near = turn.world.geography.next_to(place, going.links)
    return {
        q: 1
        for q in near
        if routes.entry(turn.world, going.nation, q) == "free"
        and going.test("home", q, f"{place}>{q}", (place,))
    }


def _group(turn: Turn, mode: MovementRow, force: str, nation: str) -> routes.Going:
    units = [Entity("unit", k) for k, _ in forces.stacks_of(turn.state, force)]
    return routes.Going(turn.world, nation, mode, units)
