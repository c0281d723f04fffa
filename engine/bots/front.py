"""The front as a nation sees it: its own strength place by place, what threatens it, and how far every place
is from the enemy.

Strength is counted from the fields that the policy names (what a unit is worth in attack and in defense), so
it is the same estimate for any game with battles of dice against values: of two forces the one is stronger
whose number times value is.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil, isqrt
from typing import Any

from ..core.compiled import kept, kept_by_arguments
from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity
from ..orders import movement
from ..orders.kinds import of_class
from ..orders.kinds.marches import Marches
from ..orders.kinds.order_kind import OrderKind
from ..world import routes
from ..world.treasury import held_by
from ..world.view import BEFORE, UNKNOWN, learned
from .give import Giver

FAR = 999
ASHORE = 500
"""Steps from where no way over land leads to the front are counted to a shore, and this is added."""

SECTORS = 12
"""How many of the hardest pressed places of the front are thought of where troops are sent from afar."""


class Front:
    """Where a nation stands and whom it faces, and the orders that it gives there. `war` is the key `war` of
    the policy row, `opened` further enemies."""

    def __init__(self, giver: Giver, war: Row, opened: Iterable[str] = ()) -> None:
        self.giver = giver
        self.world = giver.world
        self.nation = giver.nation
        self.war = war
        self.opened = set(opened)
        # how many marches by long ways are still given, and how many kinds that go several steps looked at
        self.long_ways = self.searches = int(war.get("long", 6))
        self.used: dict[tuple[str, str], int] = {}
        # place -> its units without an order, and beyond its garrison, until some of them get one
        self._free: dict[str, dict[str, int]] = {}
        self._spare: dict[str, dict[str, dict[str, int]]] = {}
        self._kept: dict[str, Any] = {}
        self._came: Counter[str] = Counter()  # how many units came to each place, less those that left it

    # ---- the orders by which units move

    @kept
    def near_orders(self) -> list[Marches]:
        """Orders to go somewhere by a mode with an allowance."""
        return [march for march in self._orders if march.mode.get("steps") is not None]

    @kept
    def march_orders(self) -> list[Marches]:
        """Of these the ones by which units come to where they go: not those by which they only ever fire or
        strike there."""
        return [march for march in self.near_orders if not march.mode.get("attacks")]

    @kept
    def fire_orders(self) -> list[Marches]:
        """Of these the ones by which units fire from where they stand and stay there, while others may go
        in."""
        return [
            march for march in self.near_orders if march.mode.get("attacks") and march.mode.get("stays_alone")
        ]

    @kept
    def far_orders(self) -> list[Marches]:
        """Orders to go any distance."""
        return [march for march in self._orders if march.mode.get("steps") is None]

    @kept
    def _orders(self) -> list[Marches]:
        wanted = self.war.get("orders")
        marches = (march for march in of_class(self.world.ruleset, Marches) if movement.TARGET in march.slots)
        return [march for march in marches if wanted is None or march.row["id"] in wanted]

    @kept
    def links(self) -> tuple[str, ...] | None:
        """The kinds of links that attacks on the ground use."""
        kinds: dict[str, None] = {}
        for mode in (march.mode for march in self.near_orders):
            if mode.get("passes_over") or mode.get("fights") is False:
                continue
            if "links" not in mode:
                return None
            kinds.update(dict.fromkeys(mode["links"]))
        return tuple(kinds)

    # ---- own units

    def free(self, place: str) -> Mapping[str, int]:
        """Units at a place that have no order yet."""
        found = self._free.get(place)
        if found is None:
            used = self.used
            counts = movement.free_units(self.world, self.nation, place)
            found = self._free[place] = {
                k: left for k, n in counts.items() if (left := n - used.get((place, k), 0)) > 0
            }
        return found

    def send(
        self,
        order: OrderKind,
        units: Mapping[str, int],
        origin: str,
        target: str,
        options: Mapping[str, Any] | None = None,
        **slots: Any,
    ) -> bool:
        """Order units of a place to go to another, or to stay, if the checker lets that stand; then they are
        not free any more."""
        slots |= {movement.UNITS: dict(units), movement.ORIGIN: origin}
        if target != origin:
            slots[movement.TARGET] = target
        given = self.giver.give(order.key, slots, options)
        if given:
            self.use(origin, units)
        return given

    def use(self, place: str, kinds: Mapping[str, int]) -> None:
        """Count units of a place as under orders."""
        self._free.pop(place, None)
        self._spare.pop(place, None)
        for kind, n in kinds.items():
            self.used[place, kind] = self.used.get((place, kind), 0) + n

    def may_leave(self, mode: MovementRow, place: str, kinds: Mapping[str, int]) -> dict[str, int]:
        """Of units at a place no more than may leave it by a mode, beside those that have orders."""
        gone = sum(n for (where, _), n in self.used.items() if where == place)
        return movement.fewer(kinds, routes.may_leave(self.world, self.nation, mode, place, gone))

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

    @kept_by_arguments
    def is_enemy(self, other: str) -> bool:
        return other in self.opened or self.world.hostile(self.nation, other)

    @kept
    def enemy_places(self) -> set[str]:
        """Places that an enemy holds or stands in, as far as is known."""
        out: set[str] = set()
        if not any(self.is_enemy(other) for other in self.world.ruleset.rows("nations")):
            return out
        for holder, places in held_by(self.world).items():
            if self.is_enemy(holder):
                out.update(places)
        for place in self.world.state.occupied_places():
            if any(self.is_enemy(o) for o in self.world.state.owners_at(place)):
                out.add(place)
        return out

    def defenders(self, place: str, side: str = "defense") -> tuple[int, Any]:
        """Number and worth of the enemies in a place. Where they are known without an upper bound, they are
        taken to be no fewer than its own units next to the place when they defend it."""
        number, worth = 0, 0
        for owner, kind, n in self.foes(place, self._facing(place) if side == "defense" else 0):
            each = self.worth_of(kind, owner, str(self.war[side]))
            if each:
                number, worth = number + n, worth + n * each
        return number, worth

    def foes(self, place: str, least: int = 0) -> list[tuple[str, str, int]]:
        """The enemies in a place, by owner and kind: those that are seen, of the others as many as the last
        look told or as their bands say (`least`: of bands without an end)."""
        out: list[tuple[str, str, int]] = []
        unseen: dict[str, None] = {}
        looked = self._looked(place)
        for _, row in self.world.state.stacks(at=place):
            if not self.is_enemy(row["owner"]):
                continue
            if looked and row["kind"] == UNKNOWN:  # a look tells of all owners together
                unseen[row["owner"]] = None
                continue
            n = about(row, least)
            least -= n
            out.append((row["owner"], row["kind"], n))
        owner = next(iter(unseen), "")
        told = _told(looked, self._remembered(place))
        return [*out, *((owner, kind, n) for kind, n in (told if unseen else {}).items())]

    def _looked(self, place: str) -> Mapping[str, Any]:
        """What a look has told of the enemies in a place since last turn; nothing, if there was none."""
        return learned(self.world.state, self.nation, f"{self._looks}:{place}") if self._looks else {}

    def _remembered(self, place: str) -> Mapping[str, Any]:
        """What was known of the enemies in a place before a look that told less."""
        return self.world.state.get("knowledge", self.nation, f"{BEFORE}{self._looks}:{place}") or {}

    @kept
    def _looks(self) -> str | None:
        """What a look at units gives, in rulesets that show no more of them than that."""
        return next(
            (str(r["follows"]) for r in self.world.ruleset.rows("visibility").values() if "follows" in r),
            None,
        )

    @kept_by_arguments
    def _facing(self, place: str) -> int:
        """How many units of its own, that fight, stand next to a place."""
        field = str(self.war["attack"])
        number = 0
        for near in self.near(place):
            for _, stack in self.world.state.stacks(at=near, owner=self.nation):
                if self.worth_of(stack["kind"], self.nation, field):
                    number += int(stack["n"])
        return number

    def threat(self, place: str, but: str = "") -> Any:
        """Number times worth of the enemies next to a place, by attack, over the ways that they would come:
        the square of what they could throw at it. `but`: of a place that is attacked itself they count in
        part (`engaged`)."""
        whole = self._whole_threat(place)
        if but not in self.near(place):
            return whole
        engaged = Fraction(str(self.war.get("garrison", {}).get("engaged", "1/2")))
        return whole - (1 - engaged) * Fraction(self._threat_from(but, place))

    @kept_by_arguments
    def _whole_threat(self, place: str) -> Any:
        """What all the enemies next to a place could throw at it."""
        return sum(self._threat_from(near, place) for near in self.near(place) if near in self.enemy_places)

    def _threat_from(self, foes: str, place: str) -> Any:
        """What the enemies in a place could throw at another: works at its border, and water, keep them off
        as they keep off its own."""
        hardness = self.value("hardness", place, 1, f"{foes}>{place}")
        return Fraction(self._striking_power(foes)) / Fraction(hardness)

    @kept_by_arguments
    def _striking_power(self, foes: str) -> Any:
        """Number times worth in attack of the enemies in a place."""
        number, worth = self.defenders(foes, "attack") if foes in self.enemy_places else (0, 0)
        return number * worth

    def near(self, place: str) -> tuple[str, ...]:
        return self.world.geography.next_to(place, self.links)

    @kept_by_arguments
    def is_front(self, place: str) -> bool:
        """Whether an enemy's place lies next to a place."""
        return not self.enemy_places.isdisjoint(self.near(place))

    # ---- distances

    @kept
    def friendly(self) -> set[str]:
        """Places where the nation's units may stand without a fight: its own and its allies'."""
        out: set[str] = set()
        for holder, places in held_by(self.world).items():
            if self.world.allied(self.nation, holder):
                out.update(places)
        return out - self.enemy_places

    @kept
    def camp(self) -> list[str]:
        """The nation and its allies that have units where they may stand, in order."""
        owners = {owner for place in self.friendly for owner in self.world.state.owners_at(place)}
        return sorted(
            owner for owner in owners if owner == self.nation or self.world.allied(self.nation, owner)
        )

    @kept
    def front_places(self) -> list[str]:
        """Friendly places next to an enemy's."""
        return sorted(p for p in self.friendly if self.is_front(p))

    @kept
    def need(self) -> dict[str, Any]:
        """How much each front place wants more units: what threatens or beckons, against what stands there
        (0: enough)."""
        out = {}
        for place in self.front_places:
            n, worth = self._of_camp(place, "defense")
            out[place] = self.threat(place) - n * worth
        return out

    @kept
    def distance(self) -> dict[str, int]:
        """Steps over friendly land to the front, else to a shore; front places that have enough count as a
        little further."""
        start = []
        for place in self.front_places:
            holder = self.world.holder_of(place)
            ease = 0 if self.need[place] > 0 else 2
            start.append((ease + (0 if holder == self.nation else 1), place))
        return self.spread([*start, *((ASHORE, quay) for quay in self._quays)])

    @kept
    def _quays(self) -> list[str]:
        """Friendly places from which troops can go aboard, where the policy has armies go by sea."""
        if "armies" not in self.war.get("sea", {}):
            return []
        modes = self.world.ruleset.rows("movement").values()
        links = tuple(
            dict.fromkeys(kind for mode in modes for kind in mode.get("carries", {}).get("link", ()))
        )
        return [place for place in sorted(self.friendly) if self.world.geography.next_to(place, links)]

    @kept
    def _pulls(self) -> dict[str, Fraction]:
        """What draws troops to each friendly place: the enemy's strength at the front behind it, less the
        further that is; half of it where there are enough to hold the front, and too few to go on."""
        drawn = [
            (isqrt(int(self.threat(p))) // (1 if self.need[p] > 0 else 2), p)
            for p in self.front_places
            if self._wants(p)
        ]
        out: dict[str, Fraction] = {}
        for strength, place in sorted(drawn, reverse=True)[:SECTORS]:
            for near, steps in self.spread([(0, place)]).items() if strength else ():
                out[near] = max(out.get(near, Fraction(0)), Fraction(strength, 2 + steps))
        return out

    def _wants(self, place: str) -> bool:
        """Whether a front place wants more units: to hold it, or to take from there what is worth most beside
        it (`push`)."""
        if self.need[place] > 0:
            return True
        if "push" not in self.war:
            return False
        prey = max(self.enemy_places & set(self.near(place)), key=lambda p: (self.value("worth", p, 1), p))
        foes, strength = self.defenders(prey)
        n, worth = self._of_camp(place, "attack")
        return bool(n * worth < Fraction(str(self.war["push"])) * foes * strength)

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

    def asked(self, text: Any, place: str, link: str = "", **more: Any) -> Any:
        """A number of the policy row, or its expression, for a place; `more` names are in scope, too."""
        names = self.names(place, **more)
        if link:
            names["link"] = Entity("link", link)
        return self.world.number(text, names)

    def going(self, place: str, kinds: Iterable[str]) -> tuple[Entity, ...]:
        """Its units of some kinds in a place."""
        stacks = self.world.state.stacks(at=place, owner=self.nation)
        return tuple(Entity("unit", key) for key, row in stacks if row["kind"] in kinds)

    def names(self, place: str, **more: Any) -> dict[str, Any]:
        """What the policy row may speak of where it speaks of a place."""
        me = Entity("nation", self.nation)
        return {"self": me, "nation": me, "place": Entity("place", place), **more}

    def room(self, place: str) -> int:
        """How many more units it wants in a place; less than none, if some should leave."""
        if "room" not in self.war or self.is_front(place):
            return FAR
        return self._room_at_first(place) - self._came[place]

    @kept_by_arguments
    def _room_at_first(self, place: str) -> int:
        """How many more units it wanted in a place before any were sent there."""
        return int(self.value("room", place, FAR))

    def come(self, place: str, n: int) -> None:
        """So many units come to a place, or leave it."""
        self._came[place] += n

    def garrison(self, place: str, but: str = "") -> dict[str, int]:
        """Units that stay in a place: next to enemies its part of the least that hold it with allies, else
        what is kept at home; the plainest first. `but`: when those of a place are attacked, who then are less
        of a threat."""
        rule = self.war.get("garrison", {})
        if not self.is_front(place) and not {"home", "calls"} & rule.keys():
            return {}
        free = self.free(place)
        wanted = self._wanted_against(place, free, but) if self.is_front(place) else self._kept_home(place)
        holders = sorted(free, key=lambda k: (not routes.kind_matches(self.world, rule.get("who"), k), k))
        return first_of({kind: free[kind] for kind in holders}, wanted)

    def _wanted_against(self, place: str, free: Mapping[str, int], but: str) -> int:
        """How many of its free units stay in a place next to enemies."""
        least = self.least(place)
        threat = self.threat(place, but)
        if not threat:
            return least
        n, worth = self.power(free, self.nation, "defense")
        others, theirs = self.allies(place, "defense")
        held = self._share_held(place) * threat
        # power goes by the square of the number: so many of the units are worth that
        square = ceil(Fraction(n * n * held) / ((n + others) * (worth + theirs))) if worth else n * n
        return max(least, min(n, isqrt(square - 1) + 1 if square else 0))

    @kept_by_arguments
    def _share_held(self, place: str) -> Any:
        """The part of what threatens a place that it is held against."""
        return self.asked(self.war.get("garrison", {}).get("share", "1/3"), place)

    @kept_by_arguments
    def _kept_home(self, place: str) -> int:
        """How many units stay in a place that is not next to enemies."""
        home = self.asked(self.war.get("garrison", {}).get("home", 0), place)
        return int(max(home, self.called_to(place)))

    @kept_by_arguments
    def least(self, place: str) -> int:
        """How many units stay in a place next to enemies at least."""
        return int(self.asked(self.war.get("garrison", {}).get("least", 1), place))

    @kept_by_arguments
    def called_to(self, place: str) -> int:
        """How many units a place calls for, if it has fewer."""
        calls = self.war.get("garrison", {}).get("calls")
        return 0 if calls is None else int(self.asked(calls, place, faced=self.is_front(place)))

    @kept_by_arguments
    def allies(self, place: str, side: str, who: str | None = None) -> tuple[int, Any]:
        """Number and total worth of units that allies have in a place, in `attack` or in `defense`; `who`: of
        these kinds alone."""
        number, worth = 0, 0
        for _, stack in self.world.state.stacks(at=place):
            owner, kind = stack["owner"], stack["kind"]
            if owner == self.nation or not self.world.allied(self.nation, owner):
                continue
            each = self.worth_of(kind, owner, str(self.war[side]))
            if each and routes.kind_matches(self.world, who, kind):
                number, worth = number + about(stack), worth + about(stack) * each
        return number, worth

    def _of_camp(self, place: str, side: str) -> tuple[int, Any]:
        """Number and total worth of all units that the nation and its allies have in a place, whatever they
        are ordered."""
        n, worth = self.allies(place, side)
        for _, row in self.world.state.stacks(at=place, owner=self.nation):
            n += row["n"]
            worth += row["n"] * self.worth_of(row["kind"], self.nation, str(self.war[side]))
        return n, worth

    @kept_by_arguments
    def help_against(self, place: str) -> tuple[Any, Fraction]:
        """Number and worth, over the ways that they would come, of the allies by an enemy's place on whom an
        attack counts."""
        part = Fraction(str(self.war.get("allies", 0)))
        number, worth = Fraction(0), Fraction(0)
        for near in self.near(place) if part else ():
            n, w = self.allies(near, "attack") if near in self.friendly else (0, 0)
            if n:
                number += part * n
                worth += part * Fraction(w) / Fraction(self.value("hardness", place, 1, f"{near}>{place}"))
        return number, worth

    def spare(self, place: str, but: str = "") -> Mapping[str, int]:
        """Units at a place without an order and beyond its garrison; `but`: when those of that place are
        attacked."""
        answers = self._spare.setdefault(place, {})
        found = answers.get(but)
        if found is None:
            stay = self.garrison(place, but)
            found = answers[but] = {
                k: left for k, n in self.free(place).items() if (left := n - stay.get(k, 0)) > 0
            }
        return found


def _told(looked: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, int]:
    """The enemies of whom a look has told, by kind; where it saw but some, twice as many of an unknown one,
    and no fewer than were counted not long ago."""
    if "units" in looked:
        return looked["units"]  # type: ignore[no-any-return]
    return {UNKNOWN: max(1, 2 * int(looked.get("n", 0)), int(before.get("foes", before.get("n", 0))))}


def about(row: Mapping[str, Any], least: int = 0) -> int:
    """How many units a stack has; of one that is known as a band only, rather many: a look seldom finds all.
    `least`: of a band without an end."""
    text = row.get("range")
    if not text:
        return int(row["n"])
    low, _, high = str(text).partition("..")
    return (int(low or 0) + 3 * int(high) + 2) // 4 if high else max(least, int(low or 1) * 3 // 2)


def first_of(kinds: Mapping[str, int], n: int) -> dict[str, int]:
    """So many of some units, kind by kind."""
    out: dict[str, int] = {}
    for kind, number in kinds.items():
        if (part := min(number, n - sum(out.values()))) > 0:
            out[kind] = part
    return out
