"""Ships of a policy: fleets seek weaker enemies within reach, carriers bring those to the front who cannot
walk there (`armies`).

The row's key `sea` names the tasks (form `missions`) that fleets are given: `seek` on the way to an enemy,
`hold` to stay. Which enemies they go for is its expression `prey`. What a zone is worth to lie in is its
expression `stations`: off an enemy's coast, before one's own, with one's own troops aboard. Ships that seek
no fight and fear no fleet have stations of their own (`packs`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..core.compiled import kept
from ..core.model import Row
from ..core.state import Entity
from ..orders import movement
from ..orders.kinds import of_class
from ..orders.kinds.voyages import Voyages
from ..world import routes
from .armies import give_armies, sail
from .front import FAR, Front

STAYS = Fraction(3, 2)
"""How much more a station must be worth, for its distance, for a fleet to leave the one that it has."""


def give_voyages(front: Front) -> None:
    """Carry troops first, then send out the fleets."""
    rules = front.war.get("sea")
    if not rules:
        return
    if "armies" in rules:
        give_armies(front, rules["armies"])
    for order in of_class(front.world.ruleset, Voyages):
        if order.carries or not {movement.UNITS, movement.ORIGIN, movement.TARGET} <= order.slots.keys():
            continue
        _sail(front, rules, order)
        for pack in rules.get("packs", ()):
            _lie_in_wait(_Fleets(front, {**pack, "fearless": True}, order))


# ---- fleets


def _lie_in_wait(packs: _Fleets) -> None:
    """Go to the zone that is worth most for its distance, past whatever lies on the way or there."""
    for zone in movement.places_with_units(packs.world, packs.front.nation):
        if pack := packs.of(zone):
            packs.to_station(zone, pack)


def _sail(front: Front, rules: Row, order: Voyages) -> None:
    """Fleets go for weaker enemies within reach; the others for the zone that is worth most for its distance,
    and hold it."""
    fleets = _Fleets(front, rules, order)
    for zone in movement.places_with_units(front.world, front.nation):
        if (fleet := fleets.of(zone)) and not fleets.seek(zone, fleet):
            fleets.to_station(zone, fleet)


class _Fleets:
    """The fleets of one nation that sail by one order."""

    def __init__(self, front: Front, rules: Row, order: Voyages) -> None:
        self.front, self.rules = front, rules
        self.order, self.mode = order, order.mode
        self.world = front.world
        self.links = routes.links_of(self.mode)
        self.odds = Fraction(str(rules.get("odds", front.war.get("odds", "3/2"))))
        self.fearless = bool(rules.get("fearless"))
        self._kept: dict[str, Any] = {}
        self.bound: Counter[str] = Counter()  # fleets by the zone that they hold, or are on their way to

    def of(self, zone: str) -> dict[str, int]:
        """The ships of a zone that fight and have no order yet."""
        carriers = self.mode.get("carries", {}).get("carriers")
        return {
            k: n
            for k, n in self.front.free(zone).items()
            if movement.goes_by(self.world, self.mode, k)
            and not (carriers is not None and routes.kind_matches(self.world, carriers, k))
            and routes.kind_matches(self.world, self.rules.get("who"), k)
        }

    def seek(self, zone: str, fleet: Mapping[str, int]) -> bool:
        """Go for one of the enemies that are weak enough, in its own zone too; whether it does."""
        prey = []
        for near in self._reach(zone, fleet):
            foes, strength = self.front.defenders(near)
            if (
                foes
                and strength
                and self._ratio(fleet, foes, strength) >= self.odds * self.front.giver.noise(20) / 100
            ):
                prey.append((near, self._appeal(zone, near, 1 + int(strength))))
        target = self.front.giver.pick(prey)
        if target is None or not self.front.giver.percent(int(self.rules.get("boldness", 50))):
            return False
        return self._give(zone, fleet, target, self.rules.get("seek"))

    def _appeal(self, zone: str, near: str, strength: int) -> int:
        """How likely a fleet of a zone goes for the enemies in another against all others that are weak
        enough."""
        if "prey" not in self.rules:
            return strength
        return int(self.front.asked(self.rules["prey"], near, origin=Entity("place", zone)))

    def to_station(self, zone: str, fleet: Mapping[str, int]) -> None:
        """Stay where it is worth much, or come nearer to a zone that is clearly worth more."""
        best, goal = STAYS * Fraction(self._worth(zone), 1 + self.bound[zone]), zone
        if not self._stations or not self._reach(zone, fleet):
            return
        steps = self.world.geography.distances(zone, self.links)
        for station, worth in self._stations.items():
            value = Fraction(worth, (1 + self.bound[station]) * (1 + steps.get(station, FAR)))
            if station != zone and value > best and self._is_safe(station, fleet):
                best, goal = value, station
        if best <= 0:
            return
        self.bound[goal] += 1
        if goal == zone:
            if "hold" in self.rules:
                self._give(zone, fleet, zone, self.rules["hold"])
            return
        there = self.world.geography.distances(goal, self.links)
        safe = [z for z in self._reach(zone, fleet) if self._is_safe(z, fleet)]
        target = min(safe, key=lambda z: (there.get(z, FAR), z), default=zone)
        if there.get(target, FAR) < there.get(zone, FAR):
            self._give(zone, fleet, target, self.rules.get("seek"))

    @kept
    def _stations(self) -> dict[str, int]:
        """The zones worth being in."""
        around = self.world.geography.around(self.links)
        zones = [place for place in self.world.ruleset.rows("places") if around.get(place)]
        return {zone: worth for zone in zones if (worth := self._worth(zone)) > 0}

    def _worth(self, zone: str) -> int:
        me = Entity("nation", self.front.nation)
        names = {"self": me, "nation": me, "place": Entity("place", zone)}
        return int(self.world.number(self.rules.get("stations", 0), names))

    def _ratio(self, fleet: Mapping[str, int], foes: int, strength: int) -> Fraction:
        number, worth = self.front.power(fleet, self.front.nation, "attack")
        return Fraction(number * worth) / (foes * strength) if strength else Fraction(FAR)

    def _is_safe(self, zone: str, fleet: Mapping[str, int]) -> bool:
        foes, strength = (0, 0) if self.fearless else self.front.defenders(zone)
        return not foes or self._ratio(fleet, foes, strength) >= 1

    def _reach(self, zone: str, fleet: Mapping[str, int]) -> list[str]:
        """Zones that the ships can come to in this turn, and the one where they are if they can sail at
        all."""
        key = ("reach of a fleet", self.mode["id"], zone, tuple(fleet))

        def make() -> list[str]:
            units = routes.one_of_each(
                self.world, self.front.nation, zone, fleet, again=bool(self.mode.get("again"))
            )
            going = None if units is None else routes.Going(self.world, self.front.nation, self.mode, units)
            if going is None or routes.going_refusal(going, zone) or not going.allowance(zone):
                return []
            return list(routes.search(going, zone, going.allowance(zone)))

        return self.world.keep(key, None, make)

    def _give(self, zone: str, fleet: Mapping[str, int], target: str, tasks: Sequence[str] | None) -> bool:
        """Order a fleet to a zone with some tasks or, if it moves, without them where they are refused."""
        return bool(tasks and sail(self.front, self.order, fleet, zone, target, tasks)) or (
            target != zone and sail(self.front, self.order, fleet, zone, target)
        )
