"""Shifts along the front: troops of a place that is safer go to a neighbor that is in more danger for what it
is worth.

Attacks take what a place can spare; what is left is shared out here, so that no place of weight stands open
beside one that is held many times over. The row's key `shift` says how many times greater the danger must be.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..orders import movement
from ..world import routes
from .front import Front, first_of
from .march import go


def give_shifts(front: Front) -> None:
    """Even out the dangers between neighbors of the front, the gravest first."""
    if "shift" not in front.war:
        return
    shifts = _Shifts(front)
    for place in sorted(shifts.dangers, key=lambda p: (-shifts.danger(p), p)):
        for near in sorted(
            set(front.near(place)) & shifts.dangers.keys(), key=lambda p: (shifts.danger(p), p)
        ):
            shifts.shift(near, place)


class _Shifts:
    """What stands in the places of the front after the attacks, and what has been moved since."""

    def __init__(self, front: Front) -> None:
        self.front = front
        self.times = Fraction(str(front.war["shift"]))
        self.who = front.war.get("garrison", {}).get("who")
        self.standing = {place: self._force(place) for place in front.front_places if front.threat(place)}
        self.dangers = {
            place: Fraction(front.threat(place) * front.value("worth", place, 1))
            for place in self.standing
            if front.world.holder_of(place) == front.nation
        }

    def _force(self, place: str) -> tuple[int, int]:
        """Number and worth in defense of those who stay in a place, allies with them; of those who hold no
        ground by themselves no more count than stand behind others."""
        others, theirs = self.front.allies(place, "defense")
        free = self.front.free(place)
        holds = {k: n for k, n in free.items() if routes.kind_matches(self.front.world, self.who, k)}
        behind = first_of({k: n for k, n in free.items() if k not in holds}, sum(holds.values()) + others)
        number, worth = self.front.power({**holds, **behind}, self.front.nation, "defense")
        return number + others, worth + theirs

    def danger(self, place: str, n: int = 0, worth: int = 0) -> Fraction:
        """What threatens a place, by what it is worth, against what stands there and `n` more units of a
        worth each."""
        number, whole = self.standing[place]
        return self.dangers[place] / max(1, (number + n) * (whole + n * worth))

    def shift(self, origin: str, target: str) -> None:
        """As many units of the best kind as even the danger out go from one place to another."""
        kind = self._best(self.front.free(origin))
        if kind is None:
            return
        each = self.front.worth_of(kind, self.front.nation, str(self.front.war["defense"]))
        n = 0
        while n < self.front.free(origin)[kind] and self.danger(
            origin, -n - 1, each
        ) * self.times <= self.danger(target, n, each):
            n += 1
        if n and self._go(origin, target, kind, n):
            for place, more in ((origin, -n), (target, n)):
                number, whole = self.standing[place]
                self.standing[place] = number + more, whole + more * each

    def _best(self, free: Mapping[str, int]) -> str | None:
        """Of those who hold places the kind that defends best."""
        field = str(self.front.war["defense"])
        fit = [k for k in free if routes.kind_matches(self.front.world, self.who, k)]
        return max(fit, key=lambda k: (self.front.worth_of(k, self.front.nation, field), k), default=None)

    def _go(self, origin: str, target: str, kind: str, n: int) -> bool:
        world, nation = self.front.world, self.front.nation
        return any(
            go(self.front, march, origin, target, {kind: n})
            for march in self.front.march_orders
            if movement.goes_by(world, march.mode, kind)
            and movement.can_go(world, nation, march.mode, origin, target, kind)
        )
