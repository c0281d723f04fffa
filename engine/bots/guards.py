"""Guards of a policy: places that should have a garrison and have too small a one get it from those who stand
near.

The row's key `war.garrison.calls` says how many such a place calls for. Next to enemies no more come than it
takes to hold the place, and where all that can be spared would not hold it, only the least that must be
beaten before it is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isqrt

from ..core.model import Row
from ..orders import movement
from ..world import routes
from ..world.treasury import held_places
from .front import Front, first_of
from .march import go

FARTHEST = 3
"""Steps from which guards are called."""


def give_guards(front: Front) -> None:
    """Send guards to the nation's places that call for more than they have, the most threatened first."""
    rule = front.war.get("garrison", {})
    if "calls" not in rule:
        return
    short = []
    for place in held_places(front.world, front.nation):
        if place in front.enemy_places:
            continue
        called = front.called_to(place)
        there = _guards(front, rule, place) if called > 0 else 0
        if there < called:
            short.append((-front.threat(place), place, called, there))
    for _, place, called, there in sorted(short):
        _call(front, rule, place, called, there)


def _guards(front: Front, rule: Row, place: str) -> int:
    """How many units of the camp that can hold a place stand there, or come."""
    own = sum(
        n for kind, n in front.free(place).items() if routes.kind_matches(front.world, rule.get("who"), kind)
    )
    return own + front.allies(place, "defense", rule.get("who"))[0]


def _call(front: Front, rule: Row, place: str, called: int, there: int) -> None:
    """Guards come from the nearest places that can spare them, the one with the most of these first."""
    near = list(_spare_near(front, rule, place))
    at_hand = sum(n for _, _, kinds in near for n in kinds.values())
    if not at_hand:
        return
    kind = next(kind for _, _, kinds in near for kind in kinds)
    wanted = min(called, _enough(front, rule, place, kind, at_hand + there)) - there
    for origin, step, kinds in near:
        if wanted <= 0:
            return
        at_once = [(march, place) for march in (front.far_orders if step != place else ())]
        for march, target in (*at_once, *((march, step) for march in front.march_orders)):
            can = {
                k: movement.can_go(front.world, front.nation, march.mode, origin, target, k) for k in kinds
            }
            part = first_of({k: n for k, n in kinds.items() if can[k]}, wanted)
            if go(front, march, origin, target, part):
                wanted -= sum(part.values())
                break


def _enough(front: Front, rule: Row, place: str, kind: str, at_hand: int) -> int:
    """How many of a kind hold a place against its part of what threatens it, and the least that stay there;
    only these, if there are not as many."""
    least = max(1, front.least(place))
    each = front.worth_of(kind, front.nation, str(front.war["defense"]))
    threat = front.threat(place) * Fraction(front.asked(rule.get("share", "1/3"), place))
    if not threat or not each:
        return least if front.is_front(place) else at_hand  # so many as are called
    needed = isqrt(int(threat / each)) + 1
    return max(needed, least) if needed <= at_hand else least


def _spare_near(front: Front, rule: Row, place: str) -> Iterator[tuple[str, str, Mapping[str, int]]]:
    """Places round about with units that can be spared and hold ground, the nearest first: from where, their
    next step, how many of each kind."""
    seen = {place}
    edge = [place]
    for _ in range(FARTHEST):
        ring: dict[str, str] = {}
        for here in edge:
            for near in front.near(here):
                if near not in seen and near in front.friendly:
                    seen.add(near)
                    ring[near] = here
        spare = []
        for origin, step in ring.items():
            kinds = {
                k: n
                for k, n in front.spare(origin).items()
                if routes.kind_matches(front.world, rule.get("who"), k)
            }
            if kinds:
                spare.append((-sum(kinds.values()), origin, step, kinds))
        yield from ((origin, step, kinds) for _, origin, step, kinds in sorted(spare))
        edge = list(ring)
