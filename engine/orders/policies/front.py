"""The front as a nation sees it: its own strength place by place, what threatens it, and how far every place is from the enemy.

Strength is counted from the fields that the policy names (what a unit is worth in attack and in defense), so it is the same
estimate for any game with battles of dice against values: of two forces the one is stronger whose number times value is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt
from typing import Any

from ...core.model import Row
from ...core.state import Entity
from ...world import routes
from ...world.view import UNKNOWN
from ...world.world import World
from .. import ways

FAR = 999
ASHORE = 500
"""Steps from where no way over land leads to the front are counted to a shore, and this is added."""

SECTORS = 12
"""How many of the hardest pressed places of the front are thought of where troops are sent from afar."""


class Front:
    """Where a nation stands and whom it faces. `war` is the key `war` of the policy row, `opened` further enemies."""

    def __init__(self, world: World, nation: str, war: Row, opened: Iterable[str] = ()) -> None:
        self.world = world
        self.nation = nation
        self.war = war
        self.opened = set(opened)
        self.searches = int(war.get("long", 6))  # how many kinds that go several steps at once are still thought about
        self.used: dict[tuple[str, str], int] = {}
        self._hostile: dict[str, bool] = {}
        self._power: dict[str, Fraction | int] = {}
        self._is_front: dict[str, bool] = {}
        self._room: dict[str, int] = {}

    # ---- the rows that move

    @cached_property
    def near_rows(self) -> list[tuple[Row, Row]]:
        """Orders to go somewhere by a mode with an allowance, with their modes."""
        return [(row, mode) for row, mode in self._rows if mode.get("steps") is not None]

    @cached_property
    def far_rows(self) -> list[tuple[Row, Row]]:
        """Orders to go any distance, with their modes."""
        return [(row, mode) for row, mode in self._rows if mode.get("steps") is None]

    @cached_property
    def _rows(self) -> list[tuple[Row, Row]]:
        wanted = self.war.get("orders")
        out = []
        for id_, row in self.world.ruleset.rows("orders").items():
            mode = ways.mode_of(self.world.ruleset, row)
            if mode is None or mode.get("tasks") or ways.TARGET not in row.get("slots", {}):
                continue
            if wanted is None or id_ in wanted:
                out.append((row, mode))
        return out

    @cached_property
    def links(self) -> tuple[str, ...] | None:
        """The kinds of links that attacks on the ground use."""
        kinds: dict[str, None] = {}
        for _, mode in self.near_rows:
            if mode.get("passes_over") or mode.get("fights") is False:
                continue
            if "links" not in mode:
                return None
            kinds.update(dict.fromkeys(mode["links"]))
        return tuple(kinds)

    # ---- own units

    def free(self, place: str) -> dict[str, int]:
        """Units at a place that have no order yet."""
        counts = ways.free_units(self.world, self.nation, place)
        return {k: n - self.used.get((place, k), 0) for k, n in counts.items() if n > self.used.get((place, k), 0)}

    def use(self, place: str, kinds: Mapping[str, int]) -> None:
        for kind, n in kinds.items():
            self.used[place, kind] = self.used.get((place, kind), 0) + n

    def worth_of(self, kind: str, owner: str, field: str) -> Any:
        """A unit's worth by a field of its row, such as what it hits with."""
        if kind == UNKNOWN:
            return self.war.get("unknown", 4)
        return self.world.unit_row(kind, owner).get(field, 0)

    def power(self, kinds: Mapping[str, int], owner: str, side: str) -> tuple[int, Any]:
        """Number and total worth of units, in `attack` or in `defense`."""
        field = str(self.war[side])
        return sum(kinds.values()), sum(n * self.worth_of(k, owner, field) for k, n in kinds.items())

    # ---- enemies

    def is_enemy(self, other: str) -> bool:
        known = self._hostile.get(other)
        if known is None:
            known = other in self.opened or self.world.hostile(self.nation, other)
            self._hostile[other] = known
        return known

    @cached_property
    def enemy_places(self) -> set[str]:
        """Places that an enemy holds or stands in, as far as is known."""
        out = set()
        for place in self.world.ruleset.rows("places"):
            holder = self.world.holder_of(place)
            if holder is not None and self.is_enemy(holder):
                out.add(place)
        for place in self.world.state.occupied_places():
            if any(self.is_enemy(o) for o in self.world.state.owners_at(place)):
                out.add(place)
        return out

    def defenders(self, place: str, side: str = "defense") -> tuple[int, Any]:
        """Number and worth of the enemies in a place."""
        number, worth = 0, 0
        for _, row in self.world.state.stacks(at=place):
            if not self.is_enemy(row["owner"]):
                continue
            each = self.worth_of(row["kind"], row["owner"], str(self.war[side]))
            n = about(row)
            if each:
                number, worth = number + n, worth + n * each
        return number, worth

    def threat(self, place: str) -> Any:
        """Number times worth of the enemies next to a place, by attack: the square of what they could throw at it."""
        found = self._power.get(place)
        if found is None:
            found = 0
            for near in self.near(place):
                if near in self.enemy_places:
                    number, worth = self.defenders(near, "attack")
                    found += number * worth
            self._power[place] = found
        return found

    def near(self, place: str) -> tuple[str, ...]:
        return self.world.geography.next_to(place, self.links)

    def is_front(self, place: str) -> bool:
        found = self._is_front.get(place)
        if found is None:
            found = self._is_front[place] = not self.enemy_places.isdisjoint(self.near(place))
        return found

    # ---- distances

    @cached_property
    def friendly(self) -> set[str]:
        """Places where the nation's units may stand without a fight: its own and its allies'."""
        out = set()
        for place in self.world.ruleset.rows("places"):
            holder = self.world.holder_of(place)
            if holder is not None and place not in self.enemy_places and self.world.allied(self.nation, holder):
                out.add(place)
        return out

    @cached_property
    def front_places(self) -> list[str]:
        """Friendly places next to an enemy's."""
        return sorted(p for p in self.friendly if self.is_front(p))

    @cached_property
    def need(self) -> dict[str, Any]:
        """How much each front place wants more units: what threatens or beckons, against what stands there (0: enough)."""
        out = {}
        for place in self.front_places:
            n, worth = 0, 0
            for _, row in self.world.state.stacks(at=place):
                if self.world.allied(self.nation, row["owner"]):
                    n += row["n"]
                    worth += row["n"] * self.worth_of(row["kind"], row["owner"], str(self.war["defense"]))
            threat = self.threat(place)
            out[place] = threat - n * worth
        return out

    @cached_property
    def distance(self) -> dict[str, int]:
        """Steps over friendly land to the front, else to a shore; front places that have enough count as a little further."""
        start = []
        for place in self.front_places:
            holder = self.world.holder_of(place)
            ease = 0 if self.need[place] > 0 else 2
            start.append((ease + (0 if holder == self.nation else 1), place))
        return self.spread([*start, *((ASHORE, quay) for quay in self._quays)])

    @cached_property
    def _quays(self) -> list[str]:
        """Friendly places from which troops can go aboard, where the policy has armies go by sea."""
        if "armies" not in self.war.get("sea", {}):
            return []
        modes = self.world.ruleset.rows("modes").values()
        links = tuple(dict.fromkeys(kind for mode in modes for kind in mode.get("carries", {}).get("link", ())))
        return [place for place in sorted(self.friendly) if self.world.geography.next_to(place, links)]

    @cached_property
    def _pulls(self) -> dict[str, Fraction]:
        """What draws troops to each friendly place: the enemy's strength at the front behind it, less the further that is."""
        strongest = sorted(((isqrt(int(self.threat(p))), p) for p in self.front_places if self.need[p] > 0), reverse=True)
        out: dict[str, Fraction] = {}
        for strength, place in strongest[:SECTORS]:
            for near, steps in self.spread([(0, place)]).items() if strength else ():
                out[near] = max(out.get(near, Fraction(0)), Fraction(strength, 2 + steps))
        return out

    def pull(self, place: str) -> Fraction:
        """How much troops are wanted in a friendly place; 0: not at all."""
        return self._pulls.get(place, Fraction(0))

    def spread(self, start: Iterable[tuple[int, str]]) -> dict[str, int]:
        """Steps from several places, each with a head start, over friendly land."""
        heap = sorted(start)
        out: dict[str, int] = {}
        while heap:
            steps, place = heapq.heappop(heap)
            if place in out:
                continue
            out[place] = steps
            for near in self.near(place):
                if near not in out and near in self.friendly:
                    heapq.heappush(heap, (steps + 1, near))
        return out

    # ---- what the row says of places

    def value(self, key: str, place: str, default: int, link: str = "") -> Any:
        """An expression of the policy about a place (and the link it is reached over)."""
        text = self.war.get(key)
        return default if text is None else self.asked(text, place, link)

    def asked(self, text: Any, place: str, link: str = "") -> Any:
        """A number of the policy row, or its expression, for a place."""
        me = Entity("nation", self.nation)
        names: dict[str, Any] = {"self": me, "nation": me, "place": Entity("place", place)}
        if link:
            names["link"] = Entity("link", link)
        return self.world.number(text, names)

    def room(self, place: str) -> int:
        """How many more units it wants in a place; less than none, if some should leave."""
        if "room" not in self.war or self.is_front(place):
            return FAR
        found = self._room.get(place)
        if found is None:
            found = self._room[place] = int(self.value("room", place, FAR))
        return found

    def come(self, place: str, n: int) -> None:
        """So many units come to a place, or leave it."""
        if "room" in self.war:
            self._room[place] = self.room(place) - n

    def garrison(self, place: str) -> dict[str, int]:
        """Units that stay in a place: next to enemies the least that hold it, else what is kept at home; the plainest first."""
        rule = self.war.get("garrison", {})
        if not self.is_front(place) and "home" not in rule:
            return {}
        free = self.free(place)
        least = int(rule.get("least", 1))
        threat = self.threat(place)
        if not self.is_front(place):
            wanted_n = int(self.asked(rule["home"], place))
        elif not threat:
            wanted_n = least
        else:
            n, worth = self.power(free, self.nation, "defense")
            held = self.asked(rule.get("share", "1/3"), place) * threat
            # power goes by the square of the number: so many of the units are worth that
            square = ceil(Fraction(n * held, worth)) if worth else n * n
            wanted_n = max(least, min(n, isqrt(square - 1) + 1 if square else 0))
        out: dict[str, int] = {}
        holders = sorted(free, key=lambda k: (not routes.kind_matches(self.world, rule.get("who"), k), k))
        for kind in holders:
            part_n = min(free[kind], wanted_n)
            if part_n > 0:
                out[kind] = part_n
                wanted_n -= part_n
        return out

    def spare(self, place: str) -> dict[str, int]:
        """Units at a place without an order and beyond its garrison."""
        stay = self.garrison(place)
        return {k: n - stay.get(k, 0) for k, n in self.free(place).items() if n > stay.get(k, 0)}


def about(row: Mapping[str, Any]) -> int:
    """How many units a stack has; of one that is known as a band only, rather many: a look seldom finds all."""
    text = row.get("range")
    if not text:
        return int(row["n"])
    low, _, high = str(text).partition("..")
    return (int(low or 0) + 3 * int(high) + 2) // 4 if high else int(low or 1) * 3 // 2
