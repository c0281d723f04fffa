"""Capacities that all who move share: who has to stay behind where there is not room for all, and what has
been used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.messages import Message
from ..turn.context import Turn
from ..world import routes
from .land_orders import March


def ration(turn: Turn, marches: Sequence[March]) -> list[March]:
    """Drop marches until every shared capacity has room: the place's own nation goes first, the others by
    lot.
    """
    kept = {m.order["key"]: m for m in marches if m.mode.get("capacity")}
    if not kept:
        return list(marches)
    lots: dict[str, int] = {}
    while True:
        full = _overfull(turn, kept.values())
        if full is None:
            break
        mode, place = full
        there = [
            m for m in kept.values() if m.mode["id"] == mode and place in routes.drawn_places(m.mode, m.path)
        ]
        owner = turn.world.holder_of(place)
        guests = [m for m in there if m.nation != owner]
        if len({m.nation for m in guests}) > 1:
            _draw_lots(turn, guests, lots)
        most = routes.capacity(turn.world, there[0].mode, place) - routes.used(
            turn.world, there[0].mode, place
        )
        last = max(
            there,
            key=lambda m: (m.count > most, m.nation != owner, lots.get(m.order["key"], 0), m.order["key"]),
        )
        turn.drop_order(last.order, f"no room left in {routes.name_of(turn.world, 'places', place)}")
        del kept[last.order["key"]]
    return [m for m in marches if not m.mode.get("capacity") or m.order["key"] in kept]


def _overfull(turn: Turn, marches: Iterable[March]) -> tuple[str, str] | None:
    """The first place, by mode and id, that these marches need more of than there is."""
    needed: dict[tuple[str, str], int] = {}
    for march in marches:
        for place in routes.drawn_places(march.mode, march.path):
            key = (march.mode["id"], place)
            needed[key] = needed.get(key, 0) + march.count
    for (mode_id, place), n in sorted(needed.items()):
        mode = turn.ruleset.row("movement", mode_id)
        most = routes.capacity(turn.world, mode, place)
        if most is not None and routes.used(turn.world, mode, place) + n > most:
            return mode_id, place
    return None


def _draw_lots(turn: Turn, marches: Sequence[March], lots: dict[str, int]) -> None:
    """Give each march a lot that has none yet; the highest goes last."""
    for march in sorted(marches, key=lambda m: m.order["key"]):
        key = march.order["key"]
        if key in lots:
            continue
        rule = f"movement/{march.mode['id']}"
        says = Message("Lots are drawn for room on the way.")
        with turn.journal.entry(rule, subject=key, audience=(march.nation,), says=says) as entry:
            stream = turn.stream(rule, key, entry.audience)
            lots[key] = stream.roll("1d100")
            record = stream.take()
            if record is not None:
                entry.dice.append(dict(record))


def draw_on(turn: Turn, march: March, n: int) -> None:
    """Note what a march takes of the shared capacities on its way."""
    if not march.mode.get("capacity"):
        return
    for place in routes.drawn_places(march.mode, march.path):
        used = routes.used(turn.world, march.mode, place)
        turn.journal.put_row("loads", f"{march.mode['id']}:{place}", {"turn": turn.number, "n": used + n})
