"""Moves of a policy that weighs goals: for each rule of the row, every goal that units can reach is weighed,
and the dice choose.

Where `war` thinks of a front, this is for games in which units go wherever something is worth having, and for
all that units do besides marching: look, bomb, hunt. A rule says what a goal is worth (`weight`), how many
units go (`send`), and how many such moves it makes; goals that no list of legal orders has, it names itself
(`among`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.model import Row
from ..core.state import Entity
from ..orders import movement
from ..orders.input_points import may_come_now
from ..orders.kinds import order_kinds
from ..orders.legal import legal_orders
from ..world import routes
from ..world.selections import as_set, id_of
from .front import first_of
from .give import Giver
from .written import conditions, slots_written


class MoveGoal(NamedTuple):
    """A place that some units can go to, and how many of each kind would."""

    origin: str
    target: str
    kinds: Mapping[str, int]


def give_moves(giver: Giver, rules: Sequence[Row]) -> None:
    """Give the moves of the rules, each to another goal, drawn by weight among those for units that have no
    order yet."""
    sent: dict[str, Counter[str]] = {}
    for rule in rules:
        tried: set[str] = set()
        for _ in range(int(rule.get("most", 1))):
            goal = giver.pick(
                [(g, weight) for g, weight in _goals(giver, rule, sent) if g.target not in tried]
            )
            if goal is None:
                break
            tried.add(goal.target)
            slots: dict[str, Any] = {
                movement.UNITS: dict(goal.kinds),
                movement.ORIGIN: goal.origin,
                movement.TARGET: goal.target,
            }
            kind = order_kinds(giver.world.ruleset)[f"orders/{rule['order']}"]
            names = _names(giver, origin=goal.origin, target=goal.target, n=sum(goal.kinds.values()))
            slots |= slots_written(giver.world, kind, rule.get("slots"), names)
            if goal.target == goal.origin and movement.TARGET not in kind.wanted:
                del slots[movement.TARGET]
            if giver.give(kind.key, slots, conditions(giver.world, kind, rule.get("conditions"), names)):
                sent.setdefault(goal.origin, Counter()).update(goal.kinds)


def _goals(giver: Giver, rule: Row, sent: Mapping[str, Counter[str]]) -> list[tuple[MoveGoal, int]]:
    """Every goal with its weight; of no weight, or with nobody to send, it is none. `sent`: who left each
    place before."""
    out: list[tuple[MoveGoal, int]] = []
    if not giver.world.test(rule.get("if"), _names(giver)):
        return out
    for origin, units, targets in _named(giver, rule) if "among" in rule else _reached(giver, rule):
        there = Counter(units) - sent.get(origin, Counter())
        if (
            mode := movement.mode_of(giver.world.ruleset, giver.world.ruleset.row("orders", rule["order"]))
        ) is not None:
            gone = sent.get(origin, Counter()).total()
            there = Counter(
                movement.fewer(there, routes.may_leave(giver.world, giver.nation, mode, origin, gone))
            )
        for target in targets if there else ():
            names = _names(giver, origin=origin, target=target, n=there.total())
            weight = (
                int(giver.world.number(rule.get("weight", 1), names))
                if giver.world.test(rule.get("when"), names)
                else 0
            )
            kinds = (
                first_of(there, int(giver.world.number(rule["send"], names)))
                if weight > 0 and "send" in rule
                else dict(there)
            )
            if weight > 0 and kinds:
                out.append((MoveGoal(origin, target, kinds), weight))
    return out


def _reached(giver: Giver, rule: Row) -> Iterator[tuple[str, Mapping[str, int], Iterable[str]]]:
    """The places where units are that could go by the order, who could, and where to."""
    for legal in legal_orders(giver.world, giver.nation, [f"orders/{rule['order']}"]):
        yield str(legal.slots[movement.ORIGIN]), _fit(giver, rule, legal.slots[movement.UNITS]), legal.targets


def _named(giver: Giver, rule: Row) -> Iterator[tuple[str, Mapping[str, int], Iterable[str]]]:
    """The places where units are, and the goals that the rule names from there; the checker knows whether
    they can."""
    world = giver.world
    if not may_come_now(world, f"orders/{rule['order']}"):
        return
    for origin in movement.places_with_units(world, giver.nation):
        if there := _fit(giver, rule, movement.free_units(world, giver.nation, origin)):
            names = _names(giver, origin=origin, n=sum(there.values()))
            if world.test(rule.get("from"), names):
                yield (
                    origin,
                    there,
                    [id_of(place) for place in as_set(world, world.value(rule["among"], names))],
                )


def _fit(giver: Giver, rule: Row, units: Mapping[str, int]) -> Mapping[str, int]:
    return {kind: n for kind, n in units.items() if routes.kind_matches(giver.world, rule.get("who"), kind)}


def _names(giver: Giver, **more: Any) -> dict[str, Any]:
    me = Entity("nation", giver.nation)
    places = {k: Entity("place", v) for k, v in more.items() if isinstance(v, str)}
    out = {"self": me, "nation": me, **more, **places}
    if "target" in places:
        out["place"] = places["target"]
    return out
