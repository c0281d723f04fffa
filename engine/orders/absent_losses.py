"""Orders that name among their losses what will not be where they lead: nothing is refused by it, but it is
said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..battle.targets import losses_named
from ..turn.validated_orders import Note, Remark, ValidatedOrder
from ..world.world import World
from .kinds import order_kinds
from .names import Names


def absent_losses(
    world: World, nation: str, intents: Mapping[int, ValidatedOrder]
) -> Iterator[tuple[int, Remark]]:
    """The place in the file of each such order, and what is to be remarked of it. `world` is the position
    before any order.

    There is what the orders of the file send to the same place, with what rides along, and what of the nation
    stands there.
    """
    named = {
        place: [kind for _, kind in losses_named(world.ruleset, dict(i.order))]
        for place, i in intents.items()
    }
    if not any(named.values()):
        return
    ends = {place: _ends(intent) for place, intent in intents.items()}
    names = Names(world.ruleset, world.state)
    for place, kinds in sorted(named.items()):
        there: set[str] = set()
        for intent in (intents[other] for other, where in ends.items() if where & ends[place]):
            there.update(order_kinds(world.ruleset)[intent.verb].sends(world, nation, intent))
        for at in ends[place]:
            there.update(str(row["kind"]) for _, row in world.state.stacks(at=at, owner=nation))
        missing = list(dict.fromkeys(kind for kind in kinds if kind not in there))
        if missing and ends[place]:
            what = " and ".join(names.printed("unit-kind", kind, 2) for kind in missing)
            yield place, Remark(Note.WARNED, f"you have no {what} there to lose")


def _ends(intent: ValidatedOrder) -> set[str]:
    """Where an order leads, and where it says that somebody stands."""
    named_places = {intent.slots.get(slot) for slot in ("target", "zone", "place", "site")}
    return {str(place) for place in (*named_places, *intent.path[-1:]) if place}
