"""Looking on order: units that an order sends to look at a place, the fire they draw, and what they find.

A row of `contacts` with `reach` is done by orders (slots units, origin, target). `reach` says by kind or tag which mode takes
the lookers to the place (`same`: only the place they stand in). Those in the place fire first (`fire`), then one percentage is
rolled for all who are left. The lookers are back where they stood and have moved; `marks` are set on them for the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .. import forces, routes
from ..journal import Entry
from ..ruleset.model import Row
from ..state import Entity
from ..turn import Desk, Order, Turn
from ..world import round_as
from . import scouting


@dataclass(frozen=True, slots=True)
class Probe:
    """One order to look: who looks from where at which place."""

    order: Order
    picks: tuple[forces.Pick, ...]
    origin: str
    target: str

    @property
    def nation(self) -> str:
        return str(self.order["nation"])


def run(turn: Turn, row: Row) -> None:
    """All orders of a row: read on the state before the step, then each with its own dice."""
    left: dict[str, int] = {}
    probes = []
    for order in turn.orders():
        form, _, id_ = order["order"].partition("/")
        if form != "orders" or turn.ruleset.rows(form).get(id_, {}).get("does") != row["id"] or order.get("status"):
            continue
        found = understand(turn, order, row, left)
        if isinstance(found, Probe):
            probes.append(found)
        else:
            turn.drop_order(order, found)
    for probe in probes:
        look(turn, row, probe)


def understand(turn: Desk, order: Order, row: Row, left: dict[str, int]) -> Probe | str:
    """One order to look, or why it cannot be. `left` counts what earlier orders leave of each stack."""
    world, slots, nation = turn.world, order.get("slots", {}), str(order["nation"])
    origin, target = str(slots.get("origin")), str(slots.get("target", slots.get("origin")))
    wanted = {k: int(n) for k, n in slots.get("units", {}).items() if int(n) > 0}
    if not wanted:
        return "it names no units"
    free = [(k, {**r, "n": left.get(k, r["n"])}) for k, r in routes.free_stacks(world, nation, origin)]
    picks = forces.pick([s for s in free if s[1]["n"]], wanted)
    if picks is None:
        return f"not that many units free to go in {routes.name_of(world, 'places', origin)}"
    if not world.test(row.get("of"), {"place": Entity("place", target), "self": Entity("nation", nation)}):
        return f"nobody looks at {routes.name_of(world, 'places', target)} this way"
    for key, _ in picks:
        kind = str(world.state.get("units", key, "kind"))
        if scouting.figure(turn, row.get("value", 0), Entity("unit", key), {}) <= 0:
            return f"{routes.name_of(world, 'units', kind)} cannot look at it"
        why = _out_of_reach(turn, row, nation, key, kind, origin, target)
        if why:
            return why
    for key, n in picks:
        left[key] = left.get(key, world.state.get("units", key, "n", 0)) - n
    return Probe(order, tuple(picks), origin, target)


def _out_of_reach(turn: Desk, row: Row, nation: str, key: str, kind: str, origin: str, target: str) -> str | None:
    how = next((mode for tag, mode in row["reach"].items() if tag in routes.tags_of(turn.world, kind)), "same")
    if how == "same":
        return None if origin == target else f"{routes.name_of(turn.world, 'units', kind)} looks only where it is"
    going = routes.Going(turn.world, nation, turn.ruleset.row("modes", how), [Entity("unit", key)])
    path = routes.find_path(going, origin, target) if origin != target else (origin,)
    if path is None:
        return f"no way to {routes.name_of(turn.world, 'places', target)} is open"
    return routes.check_path(going, path) if len(path) > 1 else None


def look(turn: Turn, row: Row, probe: Probe) -> None:
    """Fire at the lookers, then one roll for all who are left."""
    nation, target = probe.nation, probe.target
    where = routes.name_of(turn.world, "places", target)
    rule, subject = f"contacts/{row['id']}", f"{nation}:{probe.origin}>{target}:{probe.order['key']}"
    foes = sorted(o for o in turn.state.owners_at(target) if turn.world.hostile(nation, o))
    with turn.journal.entry(rule, subject=subject, audience=(nation,), data={"place": target}) as entry:
        stream = turn.stream(rule, subject, entry.audience)
        lookers = dict(probe.picks)
        for shots in row.get("fire", ()):
            _draw_fire(turn, shots, lookers, foes, target, stream, entry)
        miss = Fraction(1)
        for key, n in sorted(lookers.items()):
            value = Fraction(scouting.figure(turn, row.get("value", 0), Entity("unit", key), {}))
            miss *= max(Fraction(0), 1 - value / 100) ** n
        percent = int(round_as((1 - miss) * 100, row.get("round", "nearest")))
        success = bool(lookers) and stream.roll(row.get("die", "1d100")) <= percent
        record = stream.take()
        if record is not None:
            entry.dice.append({**record, "need": f"{percent} or less", "hit": success})
        entry.data.update(chance=percent, seen=success)
        entry.text = f"Nothing was learnt of {where}."
        if success:
            units: dict[str, int] = {}
            for _, stack in turn.state.stacks(at=target):
                if not turn.world.allied(nation, stack["owner"]):
                    units[stack["kind"]] = units.get(stack["kind"], 0) + stack["n"]
            number = sum(units.values())
            known = {"since": turn.number, "as": "exact", "units": dict(sorted(units.items())), "n": number}
            turn.journal.set("knowledge", nation, f"{row.get('know', 'units')}:{target}", known)
            entry.text = f"{where}: {number} units of others seen."
        for key, n in sorted(lookers.items()):
            turn.journal.alter_units(key, n, moved=True, **row.get("marks", {}))
        turn.journal.set("orders", probe.order["key"], "status", "done")


def _draw_fire(
    turn: Turn, shots: Row, lookers: dict[str, int], foes: Sequence[str], target: str, stream: Any, entry: Entry
) -> None:
    """Each unit in the place that may fire rolls once; a hit takes one of the lookers it can hit, the least valued first."""
    hits, lost = 0, 0
    shot_at = [k for k in lookers if routes.concerns(turn.world, shots.get("at"), str(turn.state.get("units", k, "kind")))]
    if not shot_at:
        return
    for key, stack in turn.state.stacks(at=target):
        names = {"unit": Entity("unit", key), "place": Entity("place", target)}
        if stack["owner"] in foes and turn.world.test(shots.get("who"), names):
            hits += sum(stream.roll(shots.get("die", "1d10")) <= int(shots.get("upto", 1)) for _ in range(int(stack["n"])))
    lose = shots.get("lose")
    shot_at.sort(key=lambda k: (scouting.figure(turn, lose, Entity("unit", k), {}) if lose else 0, k))
    for key in shot_at:
        gone = min(hits, lookers[key])
        if not gone:
            continue
        hits -= gone
        lost += gone
        lookers[key] -= gone
        stack = dict(turn.state.row("units", key))
        if gone < stack["n"]:
            turn.journal.set("units", key, "n", stack["n"] - gone)
        else:
            turn.journal.put_row("units", key, None)
        turn.journal.fact("destroyed", of=stack["owner"], kind=stack["kind"], place=target, n=gone, cause="seen looking")
        if not lookers[key]:
            del lookers[key]
    entry.data["lost"] = entry.data.get("lost", 0) + lost
