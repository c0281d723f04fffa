"""Moves of a policy that weighs goals: for each rule of the row, every goal that units can reach is weighed, and the dice choose.

Where `war` thinks of a front, this is for games in which units go wherever something is worth having: a rule says what a goal is
worth (`weight`), how many units go (`send`), and how many such moves it makes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...core.model import Row
from ...core.state import Entity
from .. import ways
from ..legal import legal_orders
from .give import Giver


class Goal(NamedTuple):
    """A place that some units can go to, and how many of each kind would."""

    origin: str
    target: str
    kinds: Mapping[str, int]


def give_moves(giver: Giver, rules: Sequence[Row]) -> None:
    """Give the moves of the rules, each to another goal, drawn by weight among those for units that have no order yet."""
    sent: dict[str, Counter[str]] = {}
    for rule in rules:
        tried: set[str] = set()
        for _ in range(int(rule.get("most", 1))):
            goal = giver.pick([(g, weight) for g, weight in _goals(giver, rule, sent) if g.target not in tried])
            if goal is None:
                break
            tried.add(goal.target)
            slots = {ways.UNITS: dict(goal.kinds), ways.ORIGIN: goal.origin, ways.TARGET: goal.target}
            if giver.give(f"orders/{rule['order']}", slots):
                sent.setdefault(goal.origin, Counter()).update(goal.kinds)


def _goals(giver: Giver, rule: Row, sent: Mapping[str, Counter[str]]) -> list[tuple[Goal, int]]:
    """Every goal with its weight; of no weight, or with nobody to send, it is none. `sent`: who left each place before."""
    out = []
    for legal in legal_orders(giver.world, giver.nation, [f"orders/{rule['order']}"]):
        origin = str(legal.slots[ways.ORIGIN])
        there = Counter(legal.slots[ways.UNITS]) - sent.get(origin, Counter())
        for target in legal.targets if there else ():
            names = _names(giver, origin=origin, target=target, n=there.total())
            weight = int(giver.world.number(rule.get("weight", 1), names)) if giver.world.test(rule.get("when"), names) else 0
            kinds = _part(there, int(giver.world.number(rule["send"], names))) if weight > 0 and "send" in rule else dict(there)
            if weight > 0 and kinds:
                out.append((Goal(origin, target, kinds), weight))
    return out


def _part(there: Mapping[str, int], n: int) -> dict[str, int]:
    """The first so many of the units."""
    out: dict[str, int] = {}
    for kind, number in there.items():
        part = min(number, n - sum(out.values()))
        if part > 0:
            out[kind] = part
    return out


def _names(giver: Giver, **more: Any) -> dict[str, Any]:
    me = Entity("nation", giver.nation)
    places = {k: Entity("place", v) for k, v in more.items() if isinstance(v, str)}
    out = {"self": me, "nation": me, **more, **places}
    if "target" in places:
        out["place"] = places["target"]
    return out
