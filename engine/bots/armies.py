"""Armies across the sea: troops that cannot walk to where they are needed go aboard, sail as many turns as it
takes, and land.

The row's key `sea.armies` says what they dare. A shore is worth what it is worth to take it, or what the
front behind it wants; what is far counts less. Where troops cannot stay aboard, they go from one friendly
shore to the next. Every turn is planned again from where the ships are and whom they have aboard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..core.compiled import kept, kept_by_arguments
from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity
from ..orders import movement
from ..orders.kinds import of_class
from ..orders.kinds.voyages import Voyages
from ..units import forces
from ..units.fleet import mission_row
from ..world import routes
from .front import ASHORE, FAR, Front, first_of
from .march import Post, odds_of
from .written import conditions

LONGEST = 8
"""Turns that a voyage may take."""


class LandingGoal(NamedTuple):
    """A shore that troops can go to: the zone it lands from, the turns until then, and what that is worth a
    turn. A shore on the way to another one is worth what that is."""

    place: str
    zone: str
    turns: int
    hostile: bool
    score: Fraction


@dataclass(slots=True)
class ZoneLift:
    """Carriers of one zone, with whom they have aboard, and the ways from there."""

    zone: str
    ships: dict[str, int]
    aboard: dict[str, int]
    moves: int
    reach: Mapping[str, tuple[Any, routes.Path]]


def give_armies(front: Front, rule: Row) -> None:
    """Land who is aboard, take aboard who waits, and bring empty ships to those who wait for them."""
    armies = Armies(front, rule)
    for zone in movement.places_with_units(front.world, front.nation):
        while armies.left > 0 and armies.next_order(zone):
            pass


class Armies:
    """The planning of one nation's turn."""

    def __init__(self, front: Front, rule: Row) -> None:
        self.front = front
        self.rule = rule
        self.world = front.world
        self.left = int(rule.get("voyages", 8))
        self._kept: dict[str, Any] = {}
        self._by_shores: dict[tuple[str, int, int, frozenset[str] | None], dict[str, tuple[int, str]]] = {}
        # how much of those who wait on a shore ships are on their way for
        self._fetched: Counter[str] = Counter()

    # ---- the orders there are

    @kept
    def carrying(self) -> list[Voyages]:
        """Orders with cargo; those by which nobody lands against an enemy first."""
        return sorted((v for v in self._voyages if v.carries and "carries" in v.mode), key=_fights_ashore)

    @kept
    def sailing(self) -> list[Voyages]:
        """Orders that only move ships, peaceful ones first."""
        return sorted(
            (v for v in self._voyages if not v.carries), key=lambda v: v.mode.get("fights") is not False
        )

    @kept
    def _voyages(self) -> list[Voyages]:
        needed = {movement.UNITS, movement.ORIGIN, movement.TARGET}
        return [voyage for voyage in of_class(self.world.ruleset, Voyages) if needed <= voyage.slots.keys()]

    @kept
    def mode(self) -> MovementRow:
        """The mode of the ships."""
        return self.carrying[0].mode

    @kept
    def _links(self) -> tuple[str, ...] | None:
        """The kinds of links that ships use."""
        return routes.links_of(self.mode)

    @kept
    def _at_rest(self) -> int:
        """The moves that it takes to land, or to take aboard where the voyage ends."""
        mission = mission_row(self.world.ruleset, self.carrying[0].row.get("mission"))
        return 0 if mission.get("free") else 1

    # ---- one order after the other

    def next_order(self, zone: str) -> bool:
        """The most promising order for carriers of a zone; whether there was one."""
        if not self.carrying:
            return False
        pool = self._pool(zone)
        if pool is None:
            return False
        if pool.aboard:
            return self._take_on(pool)
        return self._take_aboard(pool) or self._fetch(pool)

    def _pool(self, zone: str) -> ZoneLift | None:
        mode = self.mode
        ships = self._lift(zone)
        units = (
            routes.one_of_each(self.world, self.front.nation, zone, ships, again=bool(mode.get("again")))
            if ships
            else None
        )
        if units is None:
            return None
        going = routes.Going(self.world, self.front.nation, mode, units)
        moves = going.allowance(zone)
        if routes.going_refusal(going, zone) or moves is None or moves <= 0:
            return None
        aboard: dict[str, int] = {}
        for _, row in forces.afloat_at(self.world.state, self.front.nation, zone):
            n = int(row["n"]) - self.front.used.get((zone, row["kind"]), 0)
            if n > 0:
                aboard[row["kind"]] = aboard.get(row["kind"], 0) + n
        return ZoneLift(zone, ships, aboard, int(moves), routes.search(going, zone, None))

    def _lift(self, zone: str) -> dict[str, int]:
        """The carriers of a zone that have no order yet."""
        carriers = self.mode["carries"].get("carriers")
        return {
            kind: n
            for kind, n in self.front.free(zone).items()
            if movement.goes_by(self.world, self.mode, kind)
            and (self._room({kind: 1}) if carriers is None else self._is(carriers, kind))
        }

    def _take_on(self, pool: ZoneLift) -> bool:
        """Who is aboard lands if that can be done now, else sails on."""
        goal = self._goal(pool, pool.aboard)
        if goal is None:
            return False
        cargo = self._load(pool.aboard, self._room(pool.ships))
        ships = self._needed(pool.ships, cargo)
        if goal.turns <= 1:
            return self._carry(pool, ships, cargo, pool.zone, goal)
        return self._sail(
            pool.zone, {**ships, **self._escorts(pool.zone, ships)}, self._as_far(pool, goal.zone), cargo
        )

    def _take_aboard(self, pool: ZoneLift) -> bool:
        """Troops beside a zone within reach come aboard, to land at once or to be carried on."""
        best: tuple[Fraction, str, LandingGoal, dict[str, int]] | None = None
        for origin, quay in self._waiting(pool):
            cargo = self._load(self._troops(origin), self._room(pool.ships))
            goal = self._goal(pool, cargo, start=quay, but=origin) if cargo else None
            if goal is None:
                continue
            value = goal.score * self._size(cargo)
            if best is None or value > best[0]:
                best = (value, origin, goal, cargo)
        if best is None:
            return False
        _, origin, goal, cargo = best
        return self._carry(pool, self._needed(pool.ships, cargo), cargo, origin, goal)

    def _fetch(self, pool: ZoneLift) -> bool:
        """Empty ships go where the most troops wait, for how far that is, who have somewhere to go, and for
        whom no other ships are on their way."""
        best: tuple[Fraction, str, str, dict[str, int]] | None = None
        for place in self._stuck:
            troops = self._troops(place)
            waiting = self._size(troops) - self._fetched[place]
            cargo = self._load(troops, min(self._room(pool.ships), waiting))
            for quay in self._zones_of(place):
                if cargo and quay in pool.reach and quay != pool.zone and self._leads_on(pool, quay, place):
                    value = Fraction(waiting, int(pool.reach[quay][0]))
                    if best is None or value > best[0]:
                        best = (value, place, quay, cargo)
        if best is None:
            return False
        _, place, quay, cargo = best
        self._fetched[place] += self._size(cargo)
        return self._sail(pool.zone, self._needed(pool.ships, cargo), self._as_far(pool, quay), {})

    def _leads_on(self, pool: ZoneLift, quay: str, place: str) -> bool:
        """Whether troops of a place have somewhere to go from a zone: a shore that wants them, or an enemy's
        within one turn that those would dare for whom the ships have room, these and those in the zone; where
        they stay ashore between two voyages, one further off that all would dare."""
        far = self.world.geography.distances(quay, self._links)
        near = pool.moves - self._at_rest
        stones = None if self._afloat else self._from_shore_to_shore(quay, near, pool.moves, pool.reach)
        lifted = self._load(self._troops(place), self._room(pool.ships) + self._room(self._lift(quay)))

        def leads(zone: str, shore: str, hostile: bool) -> bool:
            if zone not in pool.reach:
                return False
            if far.get(zone, FAR) <= near:
                return not hostile or self._dares(zone, shore, lifted)
            if stones is None:
                return not hostile
            on = zone in stones and self._landings[stones[zone][1]] != place
            return on and (not hostile or self._dares(zone, shore, self._troops(place)))

        shores = (
            (shore, zones, hostile) for shore, (_, zones, hostile) in self._shores.items() if shore != place
        )
        return any(leads(zone, shore, hostile) for shore, zones, hostile in shores for zone in zones)

    # ---- where to

    def _goal(
        self, pool: ZoneLift, cargo: Mapping[str, int], *, start: str = "", but: str = ""
    ) -> LandingGoal | None:
        """The shore that is worth most for its distance to troops that are aboard, or come aboard in the zone
        `start` from the shore `but`, on which they do not land again."""
        reach = pool.reach
        best: LandingGoal | None = None
        quay = start or pool.zone
        first = pool.moves - self._at_rest - int(reach[quay][0])
        by_shores = None if self._afloat else self._from_shore_to_shore(quay, first, pool.moves, reach)
        for place, (value, zones, hostile) in self._shores.items():
            for zone in zones if place != but else ():
                if zone not in reach:
                    continue
                steps = (
                    int(reach[zone][0])
                    + (int(reach[start][0]) if start and zone != start else 0)
                    + self._at_rest
                )
                turns = max(1, -(-steps // pool.moves))
                stones = by_shores if turns > 1 else None
                if turns > LONGEST or (stones is not None and zone not in stones):
                    continue
                until, end = (turns, zone) if stones is None else stones[zone]
                score = Fraction(value) / until
                # of what promises no more than the best nothing dear is asked
                if best is not None and score <= best.score:
                    continue
                if hostile and not self._beckons(zone, place, cargo, turns, but):
                    continue
                if stones is None:
                    best = LandingGoal(place, zone, turns, hostile, score)
                elif self._leads_nearer(pool, but, self._landings[end], cargo):
                    best = LandingGoal(self._landings[end], end, 1, False, score)
        return best

    @kept
    def _afloat(self) -> bool:
        return bool(self.mode["carries"].get("afloat"))

    @kept
    def _landings(self) -> dict[str, str]:
        """Zone -> the friendly shore beside it from which it is the least way to the front."""
        out: dict[str, str] = {}
        by_way = sorted((self.front.distance.get(place, 2 * ASHORE), place) for place in self.front.friendly)
        for _, place in by_way:
            zones = [zone for zone in self._zones_of(place) if zone not in out]
            if zones and self.front.room(place) > 0:
                out.update(dict.fromkeys(zones, place))
        return out

    def _from_shore_to_shore(
        self, start: str, first: int, moves: int, reach: Collection[str] | None
    ) -> dict[str, tuple[int, str]]:
        """Zone -> in how many turns troops from a shore by `start` land from it, who stay ashore between two
        of them, and from which zone in the first of them, in which they sail `first` steps at most, and no
        further than `reach` (None: by whatever ships).
        """
        key = (start, first, moves, None if reach is None else frozenset(reach))
        if key in self._by_shores:
            return self._by_shores[key]
        out: dict[str, tuple[int, str]] = {}
        edge, seen, turns = [start], {start}, 0
        while edge and turns < LONGEST:
            turns += 1
            steps = first if turns == 1 else moves - self._at_rest
            ahead = []
            for here in edge:
                for zone, far in self.world.geography.distances(here, self._links).items():
                    if far <= steps and zone not in seen and (reach is None or turns > 1 or zone in reach):
                        seen.add(zone)
                        out[zone] = (turns, out[here][1] if turns > 1 else zone)
                        if zone in self._landings:
                            ahead.append(zone)
            edge = sorted(ahead)
        self._by_shores[key] = {zone: (n, end) for zone, (n, end) in out.items() if end in self._landings}
        return self._by_shores[key]

    def _leads_nearer(self, pool: ZoneLift, origin: str, stone: str, cargo: Mapping[str, int]) -> bool:
        """Whether troops on a shore on the way have better prospects than where they are, from which other
        ships may take them elsewhere: else they would go to and fro."""
        who = tuple(sorted(cargo.items()))
        return not origin or self._prospects(pool.moves, stone, who) > self._prospects(
            pool.moves, origin, who
        )

    @kept_by_arguments
    def _prospects(self, moves: int, place: str, cargo: tuple[tuple[str, int], ...]) -> Fraction:
        """What the best shore for troops of a place is worth for the turns until they land there, whatever
        ships take them that go so many `moves`."""
        best: Any = 0
        until = 1  # best / until: the most so far
        for quay in self._zones_of(place):
            on_the_way = self._from_shore_to_shore(quay, moves - self._at_rest, moves, None)
            ways = {zone: turns for zone, (turns, _) in on_the_way.items()}
            at_once = self.world.geography.distances(quay, self._links).items()
            ways |= {zone: 1 for zone, far in at_once if far <= moves - self._at_rest}  # an enemy's, too
            for zone, turns in ways.items():
                for shore, value, hostile in self._shores_by.get(zone, ()):
                    if value * until <= best * turns or shore == place:
                        continue
                    if not hostile or self._dares(zone, shore, dict(cargo)):
                        best, until = value, turns
        return Fraction(best) / until

    @kept
    def _shores_by(self) -> dict[str, list[tuple[str, Any, bool]]]:
        """Zone -> the shores worth landing on from it, what for, and whether against an enemy."""
        out: dict[str, list[tuple[str, Any, bool]]] = {}
        for shore, (value, zones, hostile) in self._shores.items():
            for zone in zones:
                out.setdefault(zone, []).append((shore, value, hostile))
        return out

    def _beckons(self, zone: str, place: str, cargo: Mapping[str, int], turns: int, but: str) -> bool:
        """Whether an enemy's shore is a goal: within a turn, if those aboard dare it; further off, if they
        stay ashore between two voyages, and all who wait where they are would."""
        if turns <= 1:
            return self._dares(zone, place, cargo)
        return not self._afloat and bool(but) and self._dares(zone, place, self._troops(but))

    def _dares(self, zone: str, place: str, cargo: Mapping[str, int]) -> bool:
        if self._assault is None or not cargo:
            return False
        return bool(self._odds_ashore(zone, place, tuple(sorted(cargo.items()))) >= self._assault)

    @kept
    def _assault(self) -> Fraction | None:
        """From which odds troops land against an enemy; None: never."""
        wanted = self.rule.get("assault")
        return None if wanted is None else Fraction(str(wanted))

    @kept_by_arguments
    def _odds_ashore(self, zone: str, place: str, cargo: tuple[tuple[str, int], ...]) -> Any:
        """The odds of a landing from a zone against an enemy; 0, if troops may not land so."""
        landing = self.carrying[-1]
        posts = [Post(landing, landing.shore, zone, dict(cargo))]
        return odds_of(self.front, place, posts) if _fights_ashore(landing) else 0

    @kept
    def _shores(self) -> dict[str, tuple[Any, tuple[str, ...], bool]]:
        """Shores worth landing on: what for, from which zones, and whether against an enemy."""
        out: dict[str, tuple[Any, tuple[str, ...], bool]] = {}
        step = self.carrying[-1].mode.get("ashore")
        for place in self.world.ruleset.rows("places"):
            zones = self._zones_of(place)
            if not zones:
                continue
            if place in self.front.friendly:
                value = self.front.pull(place)
                if value > 0:
                    out[place] = (value, zones, False)
            elif place in self.front.enemy_places and "assault" in self.rule and step is not None:
                value = self.front.value("worth", place, 1)
                if value > 0 and routes.is_attack(self.world, self.front.nation, place):
                    out[place] = (value, zones, True)
        return out

    @kept
    def _stuck(self) -> list[str]:
        """Friendly shores with troops for whom the front is too far to walk."""
        places = movement.places_with_units(self.world, self.front.nation)
        return [
            p
            for p in places
            if p in self.front.friendly and self.front.distance.get(p, ASHORE) >= ASHORE and self._zones_of(p)
        ]

    def _waiting(self, pool: ZoneLift) -> Iterator[tuple[str, str]]:
        """Shores with such troops, and the zone nearest to the ships in which they come aboard in this
        turn."""
        for place in self._stuck:
            near = self._near(pool, place)
            if near and self._troops(place):
                yield place, min(near, key=lambda z: (pool.reach[z][0], z))

    def _near(self, pool: ZoneLift, place: str) -> list[str]:
        """The zones by a shore in which ships can take aboard in this turn."""
        return [
            z
            for z in self._zones_of(place)
            if z in pool.reach and pool.reach[z][0] + self._at_rest <= pool.moves
        ]

    @kept_by_arguments
    def _zones_of(self, place: str) -> tuple[str, ...]:
        carries = self.mode["carries"]
        near = self.world.geography.next_to(place, tuple(carries.get("link", ())))
        around = self.world.geography.around(self._links)
        return tuple([z for z in near if around.get(z)])

    def _as_far(self, pool: ZoneLift, zone: str) -> str:
        """The zone that ships come to in this turn on their way to another."""
        path = pool.reach[zone][1]
        return path[min(pool.moves, len(path) - 1)]

    # ---- who

    def _troops(self, place: str) -> dict[str, int]:
        who = self.mode["carries"].get("who")
        return {
            k: n for k, n in self.front.spare(place).items() if self._is(who, k) and self._size({k: 1}) > 0
        }

    def _escorts(self, zone: str, ships: Mapping[str, int] | None = None) -> dict[str, int]:
        """Ships of a zone that may go along: of the plainest kinds as many as carriers, or all."""
        who = self.rule.get("escorts")
        free = {
            k: n
            for k, n in self.front.free(zone).items()
            if who is not None and self._is(who, k) and k not in (ships or ())
        }
        if ships is None:
            return free
        field = str(self.front.war["attack"])
        plain = sorted(free, key=lambda k: (self.front.worth_of(k, self.front.nation, field), k))
        return first_of({k: free[k] for k in plain}, sum(ships.values()))

    def _is(self, who: Any, kind: str) -> bool:
        return routes.kind_matches(self.world, who, kind)

    def _figure(self, key: str, kind: str) -> int:
        carries: Row = self.mode["carries"]
        return int(self.front.worth_of(kind, self.front.nation, str(carries[key])))

    def _room(self, ships: Mapping[str, int]) -> int:
        return sum(n * self._figure("room", k) for k, n in ships.items())

    def _size(self, cargo: Mapping[str, int]) -> int:
        return sum(n * self._figure("size", k) for k, n in cargo.items())

    def _load(self, troops: Mapping[str, int], room: int) -> dict[str, int]:
        """What fits aboard: of each kind its share, the most numerous first."""
        total = self._size(troops)
        out: dict[str, int] = {}
        for share in (Fraction(min(room, total), total) if total else 0, 1):
            for kind, n in sorted(troops.items(), key=lambda kn: (-kn[1], kn[0])):
                size = self._figure("size", kind)
                part = min(int(n * share) - out.get(kind, 0), (room - self._size(out)) // size)
                if part > 0:
                    out[kind] = out.get(kind, 0) + part
        return out

    def _needed(self, ships: Mapping[str, int], cargo: Mapping[str, int]) -> dict[str, int]:
        """As many of the ships as the cargo needs; each carries whole units."""
        out: dict[str, int] = {}
        left = sorted((self._figure("size", k) for k, n in cargo.items() for _ in range(n)), reverse=True)
        for kind, n in sorted(ships.items()):
            room = self._figure("room", kind)
            for _ in range(n if room else 0):
                if not left:
                    return out
                space = room
                for size in list(left):
                    if size <= space:
                        left.remove(size)
                        space -= size
                out[kind] = out.get(kind, 0) + 1
        return out

    # ---- giving

    def _carry(
        self,
        pool: ZoneLift,
        ships: Mapping[str, int],
        cargo: Mapping[str, int],
        origin: str,
        goal: LandingGoal,
    ) -> bool:
        """An order with cargo: to the shore if they can land now, else as far as they come with it."""
        self.left -= 1
        target = goal.place if goal.turns <= 1 else self._at_sea(pool, origin, goal)
        slots = {
            movement.CARGO: dict(cargo),
            movement.ORIGIN: origin,
            movement.TARGET: target,
            movement.UNITS: dict(ships),
        }
        for order in reversed(self.carrying) if self._threatened(pool.zone) else self.carrying:
            may = _fights_ashore(order) or not goal.hostile
            under = sailing_under(self.front, order, ships, pool.zone, target)
            if may and self.front.giver.give(order.key, {**slots, order.starts_at: pool.zone}, under):
                self.front.use(origin, cargo)
                self.front.use(pool.zone, ships)
                self._guard(pool.zone, goal.zone if goal.turns <= 1 else target, goal, ships)
                return True
        return False

    def _at_sea(self, pool: ZoneLift, origin: str, goal: LandingGoal) -> str:
        """Where ships end that take troops aboard and cannot land them in this turn: by the shore that these
        come from."""
        if origin == pool.zone:
            return self._as_far(pool, goal.zone)
        near = self._near(pool, origin)
        path = pool.reach[goal.zone][1][: pool.moves + 1]
        on_the_way = next((i for i, z in enumerate(path) if z in near), None)
        return path[-1] if on_the_way is not None else min(near, key=lambda z: (pool.reach[z][0], z))

    def _guard(self, zone: str, target: str, goal: LandingGoal, ships: Mapping[str, int]) -> None:
        """Escorts of the zone go along, all of them where they fire for a landing against an enemy."""
        lands = goal.hostile and goal.turns <= 1 and "support" in self.rule
        escorts = self._escorts(zone, None if lands else ships)
        if not escorts:
            return
        if lands:
            for order in reversed(self.sailing):
                for tasks in (self.rule["support"], ()):
                    if sail(self.front, order, escorts, zone, target, tasks):
                        return
        if target != zone:
            self._sail(zone, escorts, target, {})

    def _threatened(self, zone: str) -> bool:
        """Whether enemies lie where ships are: then they leave before the battles, not after."""
        return bool(self.front.defenders(zone, "attack")[1])

    def _sail(self, zone: str, ships: Mapping[str, int], target: str, cargo: Mapping[str, int]) -> bool:
        self.left -= 1
        if target == zone:
            return False
        for order in reversed(self.sailing) if self._threatened(zone) else self.sailing:
            if sail(self.front, order, ships, zone, target):
                self.front.use(zone, cargo)
                return True
        return False


def sail(
    front: Front,
    order: Voyages,
    ships: Mapping[str, int],
    zone: str,
    target: str,
    tasks: Sequence[str] = (),
) -> bool:
    """Send ships of a zone to another, or on tasks where they are; whether the order stands."""
    slots = {"tasks": list(tasks)} if tasks else {}
    return front.send(order, ships, zone, target, sailing_under(front, order, ships, zone, target), **slots)


def sailing_under(
    front: Front, order: Voyages, ships: Mapping[str, int], zone: str, target: str
) -> dict[str, Any]:
    """The conditions under which ships that sail by an order fight (`sea.conditions`)."""
    names = front.names(
        target, n=sum(ships.values()), origin=Entity("place", zone), going=front.going(zone, ships)
    )
    return conditions(front.world, order, front.war["sea"].get("conditions"), names)


def _fights_ashore(order: Voyages) -> bool:
    """Whether troops may land by an order against an enemy."""
    return order.shore.get("fights") is not False
