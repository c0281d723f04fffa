"""Whether units can go from one place to another, for a player who asks: as the checker answers the order."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.messages import capital
from ..orders.intake import take_in
from ..orders.movement import places_with_units
from ..orders.names import Names
from ..orders.readback import read_back
from ..world.world import World


def can_go(world: World, nation: str, places: list[str]) -> Iterator[str]:
    """Whether what the nation has in one of the places, the first in which it has units, can go to the next
    one, in a sentence with the line that orders it; nothing if it has no units in any of them, or no other
    place is named. `world` is the nation's view.
    """
    names, own = Names(world.ruleset, world.state), set(places_with_units(world, nation))
    origin = next((p for p in places if p in own), None)
    goal = next((p for p in places if p != origin), None)
    if origin is None or goal is None:
        return
    way = f"{names.printed('place', origin)} to {names.printed('place', goal)}"
    refusals = []
    for line in (way, f"all from {way}"):
        back = read_back(world, take_in(world.ruleset, line, lambda _: world, nation=nation))
        for order in (o for group in back.groups for o in group.orders):
            yield f"Yes: `{order.order or line}`. {capital(order.says)}."
            return
        refusals += [one for one in back.not_taken if one.verdict == "refused"]
    if not refusals:
        return
    why, instead = refusals[0].why, refusals[0].instead
    meant = next((text for text in instead if names.printed("place", goal) in text), None)
    yield f"No: {why}." if meant is None else f"Not so: {why}. But `{meant}` can be ordered."
