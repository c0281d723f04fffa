"""Ships of a policy: fleets seek weaker enemies next to them, carriers bring those to the front who cannot walk there.

The row's key `sea` names the tasks (form `missions`) that fleets are given: `seek` on the way to an enemy, `hold` to stay.
Forms with a slot `cargo` carry; those without are sailed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ...core.model import Row
from ...world import routes
from .. import ways
from .armies import give_armies
from .front import FAR, Front
from .give import Giver


def give_voyages(giver: Giver, front: Front) -> None:
    """Carry troops first, then send out the fleets."""
    rules = front.war.get("sea")
    if not rules:
        return
    if "armies" in rules:
        give_armies(giver, front, rules["armies"])
    for id_, row in front.world.ruleset.rows("orders").items():
        mode = ways.mode_of(front.world.ruleset, row)
        if mode is None or not mode.get("tasks"):
            continue
        if "cargo" in row.get("slots", {}) and "armies" not in rules:
            _carry(giver, front, rules, f"orders/{id_}", mode)
        elif "cargo" not in row.get("slots", {}) and {ways.ORIGIN, ways.TARGET} <= row.get("slots", {}).keys():
            _sail(giver, front, rules, f"orders/{id_}", mode)


# ---- carrying


def _carry(giver: Giver, front: Front, rules: Row, key: str, mode: Row) -> None:
    """Troops from places without a way to the front, to the shore nearest to it."""
    carries = mode.get("carries", {})
    links = tuple(carries.get("link", ()))
    most = int(rules.get("voyages", 3))
    for zone in ways.places_with_units(front.world, front.nation):
        ships = {
            k: n
            for k, n in front.free(zone).items()
            if ways.goes_by(front.world, mode, k) and routes.kind_matches(front.world, carries.get("carriers"), k)
        }
        if not ships or most <= 0:
            continue
        origin = _waiting(front, zone, links)
        target = _landing(front, mode, zone, links, ships) if origin else None
        if origin is None or target is None:
            continue
        cargo = _load(front, mode, origin, ships)
        if cargo and giver.give(key, {"cargo": cargo, ways.ORIGIN: origin, ways.TARGET: target, ways.UNITS: ships, "zone": zone}):
            front.use(origin, cargo)
            front.use(zone, ships)
            most -= 1


def _waiting(front: Front, zone: str, links: tuple[str, ...]) -> str | None:
    """A friendly place beside a zone with the most troops that cannot walk to the front."""
    near = [p for p in front.world.geography.next_to(zone, links) if p in front.friendly]
    stuck = [p for p in near if front.distance.get(p, FAR) >= FAR and front.spare(p)]
    return max(stuck, key=lambda p: (sum(front.spare(p).values()), p), default=None)


def _landing(front: Front, mode: Row, zone: str, links: tuple[str, ...], ships: Mapping[str, int]) -> str | None:
    """The friendly shore nearest to the front that the ships can come to."""
    units = routes.one_of_each(front.world, front.nation, zone, ships)
    if units is None:
        return None
    going = routes.Going(front.world, front.nation, mode, units)
    most = going.allowance(zone)
    found = routes.search(going, zone, None if most is None else most - 1)
    shores = {p for z in found for p in front.world.geography.next_to(z, links) if p in front.friendly}
    return min((p for p in shores if front.distance.get(p, FAR) < FAR), key=lambda p: (front.distance[p], p), default=None)


def _load(front: Front, mode: Row, origin: str, ships: Mapping[str, int]) -> dict[str, int]:
    """What fits aboard, one kind after the other. The figures are fields of the units, as the mode names them."""
    carries = mode["carries"]
    room = sum(n * int(front.worth_of(k, front.nation, str(carries["room"]))) for k, n in ships.items())
    out: dict[str, int] = {}
    for kind, n in sorted(front.spare(origin).items(), key=lambda kn: (-kn[1], kn[0])):
        size = int(front.worth_of(kind, front.nation, str(carries["size"])))
        if size > 0 and routes.kind_matches(front.world, carries.get("who"), kind):
            part = min(n, room // size)
            if part > 0:
                out[kind] = part
                room -= part * size
    return out


# ---- fleets


def _sail(giver: Giver, front: Front, rules: Row, key: str, mode: Row) -> None:
    """Fleets go for enemies next to them that are weaker, and hold the zones that they are in."""
    carriers = mode.get("carries", {}).get("carriers")
    odds = Fraction(str(rules.get("odds", front.war.get("odds", "3/2"))))
    links = tuple(mode["links"]) if "links" in mode else None
    wanted = rules.get("who")
    for zone in ways.places_with_units(front.world, front.nation):
        fleet = {
            k: n
            for k, n in front.free(zone).items()
            if ways.goes_by(front.world, mode, k)
            and not (carriers is not None and routes.kind_matches(front.world, carriers, k))
            and routes.kind_matches(front.world, wanted, k)
        }
        if not fleet:
            continue
        number, worth = front.power(fleet, front.nation, "attack")
        prey = []
        for near in front.world.geography.next_to(zone, links):
            foes, strength = front.defenders(near)
            if foes and strength and Fraction(number * worth) / (foes * strength) >= odds * giver.noise(20) / 100:
                prey.append((near, 1 + int(strength)))
        target = giver.pick(prey)
        if target is not None and giver.percent(int(rules.get("boldness", 50))):
            slots = {ways.UNITS: fleet, ways.ORIGIN: zone, ways.TARGET: target}
            seek = rules.get("seek")
            if giver.give(key, {**slots, "tasks": list(seek)} if seek else slots):
                front.use(zone, fleet)
