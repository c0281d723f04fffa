"""Orders that name among their losses what will not be where they lead: nothing is refused by it, but it is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..battle.targets import losses_named
from ..turn.validated_orders import Note, Remark, ValidatedOrder
from ..units.forces import unit_slots
from ..world.passages import kind_matches
from ..world.world import World
from .names import Names


def absent_losses(world: World, nation: str, intents: Mapping[int, ValidatedOrder]) -> Iterator[tuple[int, Remark]]:
    """The place in the file of each such order, and what is to be remarked of it. `world` is the position before any order.

    There is what the orders of the file send to the same place, with what rides along, and what of the nation stands there.
    """
    named = {place: [kind for _, kind in losses_named(world.ruleset, dict(i.order))] for place, i in intents.items()}
    if not any(named.values()):
        return
    ends = {place: _ends(intent) for place, intent in intents.items()}
    names = Names(world.ruleset, world.state)
    for place, kinds in sorted(named.items()):
        together = [intents[other] for other, where in ends.items() if where & ends[place]]
        there = {kind for intent in together for kind in _kinds(world, nation, intent)}
        there |= {str(row["kind"]) for at in ends[place] for _, row in world.state.stacks(at=at, owner=nation)}
        missing = list(dict.fromkeys(kind for kind in kinds if kind not in there))
        if missing and ends[place]:
            what = " and ".join(names.printed("unit-kind", kind, 2) for kind in missing)
            yield place, Remark(Note.WARNED, f"you have no {what} there to lose")


def _ends(intent: ValidatedOrder) -> set[str]:
    """Where an order leads, and where it says that somebody stands."""
    said = {intent.slots.get(slot) for slot in ("target", "zone", "place", "site")}
    return {str(place) for place in (*said, *intent.path[-1:]) if place}


def _kinds(world: World, nation: str, intent: ValidatedOrder) -> Iterator[str]:
    """The kinds that an order sends, with those that live on them where they set out."""
    row = world.ruleset.rows("orders").get(intent.verb.partition("/")[2], {})
    for slot, _ in unit_slots(row):
        yield from intent.slots.get(slot) or {}
    if intent.item:
        yield str(world.ruleset.rows("catalogue").get(intent.item, {}).get("makes", intent.item))
    bears = world.ruleset.rows("modes").get(str(row.get("does", "")), {}).get("bears") or {}
    for _, stack in world.state.stacks(at=str(intent.slots.get("origin", "")), owner=nation) if bears else ():
        if kind_matches(world, bears["who"], stack["kind"]):
            yield str(stack["kind"])
