"""Who leaves a battle before or after a round, and where to: by orders, because they must, by a decision; and
what becomes of the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.choices import block_of
from ..core.model import Row
from ..core.state import Entity, Fields, pair_key
from ..turn.context import Turn
from ..turn.decisions import decide
from ..units import forces
from ..units.homes import home_of
from ..world.messages import say
from ..world.routes import links_of, passes
from .battles import Battle, leave_rule, order_options, party_stacks, takes_part
from .groups import ATTACKER


def leaving(battle: Battle, side: int) -> list[Departure]:
    """The parts of a side whose orders or whose state make them leave now."""
    rule = leave_rule(battle, side)
    if rule is None or battle.number < int(rule.get("after", 1)):
        return []
    if "may" in rule and not _holds(battle, side, rule["may"]):
        return []
    parts = parts_of(battle, side, rule)
    must = forced(battle, side)
    going = [part for part in parts if must or part.is_wanted() or part.is_decided()]
    if going and rule.get("together"):  # all go where the first to say so wants to go
        named = next((to for part in (*going, *parts) if (to := part.option("refuge")) is not None), None)
        for part in parts:
            part.name_refuge(named)
        return parts
    return going


def slipping(battle: Battle, side: int) -> Iterator[Departure]:
    """The parts of a side that get out of the battle before its next round (`evade`)."""
    for rule in battle.row.get("evade", ()):
        if "may" in rule and not _holds(battle, side, rule["may"]):
            continue
        for part in parts_of(battle, side, {**rule, "to": [{"stay": True}]}):
            if part.movable() and part.is_decided():
                yield part


def parts_of(battle: Battle, side: int, rule: Row) -> list[Departure]:
    """All parts of a side, as they would leave by a rule."""
    options = order_options(battle, side)
    return [Departure(battle, side, rule, who, own) for who, own in options.items()]


def go_back(battle: Battle) -> None:
    """Forces that have lost each other and whose orders say so return to where they came from and stop
    there.
    """
    turn = battle.turn
    word = battle.row.get("options", {}).get("lost")
    if word is None:
        return
    for force in sorted(battle.parties[0].forces | battle.parties[1].forces):
        row = turn.state.row("forces", force)
        path: Sequence[str] = row.get("path") or ()
        if (row.get("options") or {}).get(word) is None or len(path) < 2:
            continue
        says = say(turn.world, "A force goes back to {place}.", place=Entity("place", path[-2]))
        with turn.journal.entry(battle.rule, subject=force, says=says, audience=(row["owner"],)):
            forces.go(turn, force, (row["at"], path[-2]))
            turn.journal.set("forces", force, "stopped", True)


def forced(battle: Battle, side: int) -> bool:
    """Whether a side must leave now, even from a field that it has won."""
    rule = leave_rule(battle, side)
    return rule is not None and "must" in rule and _holds(battle, side, rule["must"])


def _holds(battle: Battle, side: int, test: str, who: str = "") -> bool:
    """A test of a side, or of one force of it (`who`), by the units that fight."""
    names: dict[str, Any] = {"place": Entity("place", battle.place)}
    for name, which in (("mine", side), ("foe", 1 - side)):
        keys = [key for key, _ in party_stacks(battle, which) if takes_part(battle, which, key)]
        names[name] = tuple(Entity("unit", key) for key in keys)
    owner = next((row["owner"] for _, row in party_stacks(battle, side)), "")
    force = Entity("force", who) if "#" in who else None
    return battle.turn.world.test(test, {**names, "self": Entity("nation", owner), "force": force})


@dataclass(slots=True)
class Departure:
    """A part of a side that leaves a battle, or might, by a rule: a force, or a nation's units in no force
    (`who`), with the conditions of its orders.
    """

    battle: Battle
    side: int
    rule: Row
    who: str
    options: Mapping[str, Any]

    @property
    def turn(self) -> Turn:
        return self.battle.turn

    # ---- whether

    def option(self, name: str) -> Any:
        """The condition of its orders that the battle's row calls by a name; None without it."""
        return self.options.get(self.battle.row.get("options", {}).get(name, ""))

    def name_refuge(self, place: str | None) -> None:
        """It goes to the neighbor that another part of its side names."""
        if place is not None:
            self.options = {**self.options, self.battle.row["options"]["refuge"]: place}

    def holds(self, test: str) -> bool:
        """A test of its side, and of it, if it is a force."""
        return _holds(self.battle, self.side, test, self.who)

    def is_wanted(self) -> bool:
        """Whether the conditions of its orders are met: rounds fought, own losses, or kills with more enemies
        left than expected.
        """
        battle = self.battle
        rounds, most, kills = self.option("rounds"), self.option("losses"), self.option("kills")
        if rounds is not None and battle.number >= max(1, int(rounds)):
            return True
        if most is not None and self._lost() > int(most):
            return True
        if not isinstance(kills, Mapping):
            return False
        left = sum(row["n"] for _, row in party_stacks(battle, 1 - self.side))
        return battle.losses(1 - self.side) >= int(kills["kills"]) and left > int(kills["left"])

    def _lost(self) -> int:
        if "#" in self.who:
            return self.battle.lost_by_force.get(self.who, 0)
        return sum(self.battle.lost[self.side].get(self.who, {}).values())

    def is_decided(self) -> bool:
        """Whether a decision (`wants`: after how many rounds) makes it leave now."""
        if "wants" not in self.rule:
            return False
        turn, battle = self.turn, self.battle
        answer = decide(
            turn,
            turn.ruleset.row("decisions", self.rule["wants"]),
            self.names(str(turn.state.get("forces", self.who, "owner", self.who))),
            lambda: turn.stream(battle.rule, f"{battle.subject}:{self.who}:leave", battle.audience),
            subject=battle.place,
        )
        return isinstance(answer, int) and battle.number >= answer

    def names(self, owner: str) -> dict[str, Any]:
        """What tests and decisions of those who leave may name: self, nation, place, attacker."""
        stacks = party_stacks(self.battle, ATTACKER)
        attacker = next((row["owner"] for _, row in stacks), owner)
        return {
            "self": Entity("nation", owner),
            "nation": Entity("nation", owner),
            "attacker": Entity("nation", attacker),
            "place": Entity("place", self.battle.place),
        }

    def movable(self) -> list[tuple[str, Fields]]:
        """Its stacks that may leave under the rule."""
        battle = self.battle
        about = {"round": battle.number, "kind": battle.row["id"], "attacks": battle.attacks[self.side]}
        there = {"place": Entity("place", battle.place), "battle": about}
        out = []
        for key, row in party_stacks(battle, self.side):
            names = {**there, "unit": Entity("unit", key), "self": Entity("nation", row["owner"])}
            mine = row.get("force") == self.who or (row["owner"] == self.who and not row.get("force"))
            if mine and self.turn.world.test(self.rule.get("who"), names):
                out.append((key, row))
        return out

    # ---- carried out

    def leave(
        self, shut: Mapping[str, str], fire: Callable[[Sequence[str]], None] | None = None
    ) -> list[Fields]:
        """Take it out of the battle. Returns what went where; nothing if there is nowhere to go.

        `shut`: as `Refuge` has it. `fire` is called with the stacks that are about to go, before they do.
        """
        movable = self.movable()
        if not movable:
            if self.rule.get("behind") != "lost" or not self._is_forced():
                return []
            return [self._give_up(key, row) for key, row in self._stacks_of(self.who)]
        refuge = Refuge(self, dict(movable), shut)
        to = refuge.find()
        if to is None:
            chosen = self.rule.get("chosen") == "lost" and self.is_decided()
            if self.rule.get("none") == "lost" and (chosen or self._is_forced()):
                return [self._give_up(key, row) for key, row in movable]
            return []
        flies = any("home" in way for way in self.rule.get("to", ())) and to == refuge.home()
        if fire is not None:
            fire([key for key, _ in movable])
            movable = self.movable()
            if not movable:
                return []
        behind = []
        if self.rule.get("behind") == "lost":
            stay = [stack for stack in self._stacks_of(refuge.owner) if stack not in movable]
            behind = [self._give_up(key, row) for key, row in stay]
        goals = {key: (refuge.home_of(key) if flies else None) or to for key, _ in movable}
        went = [
            {"owner": refuge.owner, "kind": row["kind"], "n": row["n"], "to": goals[key]}
            for key, row in movable
        ]
        gone = self._go(movable, goals, to)
        if to == self.battle.place:  # who leaves the battle where they are has no more part in it
            self.battle.gone.update(gone)
        return went + behind

    def _go(self, movable: Sequence[tuple[str, Fields]], goals: Mapping[str, str], to: str) -> list[str]:
        """Move its stacks to their goals. Returns their new keys, but of a force that remains one where it
        is.
        """
        turn = self.turn
        force = str(movable[0][1].get("force") or "")
        if not force or len(movable) != len(forces.stacks_of(turn.state, force)):
            plain = {**dict.fromkeys(forces.PASSING), "moved": True}
            return [
                turn.journal.alter_units(key, row["n"], **plain, place=goals[key]) for key, row in movable
            ]
        # who went along with it has nobody to fight beside
        for other in forces.attached(turn.state, force):
            self.battle.parties[self.side].forces.discard(other)
        if to == self.battle.place and self._goes_on(force):
            self._break_off(force)
            return []
        gone: list[str] = []
        for goal in dict.fromkeys(goals.values()):
            gone += forces.withdraw(turn, force, goal, [key for key, _ in movable if goals[key] == goal])
        return gone

    def _stacks_of(self, owner: str) -> list[tuple[str, Fields]]:
        stacks = party_stacks(self.battle, self.side)
        return [(key, row) for key, row in stacks if row["owner"] == owner]

    def _break_off(self, force: str) -> None:
        """A force is out of the battle where it is, and goes on.

        Where contact is looked for again, it may come back to its friends.
        """
        battle, journal = self.battle, self.turn.journal
        battle.parties[self.side].forces.discard(force)
        journal.set("forces", force, "broken_off", True)
        if block_of(battle.row, "where").get("contact_again") and not self._flies_home(force):
            battle.apart[force] = self.side
            journal.set("forces", force, "contacted", None)

    def _goes_on(self, force: str) -> bool:
        """Whether a force that breaks off where it is remains one: its row says so (`goes_on`), or it has a
        way home before it.
        """
        return self._flies_home(force) or any(way.get("goes_on") for way in self.rule.get("to", ()))

    def _flies_home(self, force: str) -> bool:
        mode = forces.mode_of(self.turn, force)
        return bool("home" in mode and mode.get("passes_over"))

    def _is_forced(self) -> bool:
        return "must" in self.rule and _holds(self.battle, self.side, self.rule["must"])

    def _give_up(self, key: str, row: Fields) -> Fields:
        """Units that must leave and have nowhere to go, or cannot go along, are lost."""
        battle = self.battle
        row = dict(row)
        enemies = sorted({foe["owner"] for _, foe in party_stacks(battle, 1 - self.side)})
        by = enemies[0] if enemies else None
        self.turn.destroy(key, row["n"], cause=battle.row["id"], place=battle.place, by=by)
        kinds = battle.lost[self.side].setdefault(row["owner"], {})
        kinds[row["kind"]] = kinds.get(row["kind"], 0) + row["n"]
        return {"owner": row["owner"], "kind": row["kind"], "n": row["n"], "lost": True}


class Refuge:
    """The search for a place for some stacks. `shut` names places that are no refuge now: "fallen" in this
    step, or "given up" in this round.
    """

    def __init__(self, departure: Departure, stacks: Mapping[str, Fields], shut: Mapping[str, str]) -> None:
        self.departure = departure
        self.turn, self.battle = departure.turn, departure.battle
        self.who, self.rule = departure.who, departure.rule
        self.stacks = stacks
        self.shut = shut
        self.owner = str(next(iter(stacks.values()))["owner"])
        self.kinds = sorted({str(stack["kind"]) for stack in stacks.values()})
        self.party = departure.names(self.owner)
        self.geography = self.turn.world.geography

    def find(self) -> str | None:
        """The place, or None: nowhere is open.

        Where units fly home, no place that an order names comes first. Else a neighbor that the order names
        (`refuge` of the battle's options) comes before all ways of the rule.
        """
        ways = self.rule.get("to", ())
        home = self.home() if any("home" in way for way in ways) else None
        named = self.departure.option("refuge")
        if home is None and named is not None and any(named in self._near(way) for way in ways):
            return str(named)
        for way in ways:
            if "when" in way and not self.departure.holds(way["when"]):
                continue
            place = home if "home" in way else self._by_way(way)
            if place is not None:
                return place
        return None

    def _by_way(self, way: Row) -> str | None:
        """The place that one way of the rule leads to."""
        force = self.turn.state.row("forces", self.who)
        path: Sequence[str] = force.get("path") or ()
        if "stay" in way:
            return self.battle.place
        if "back" in way:
            start = force.get("from")
            return str(start) if start and self._open(way.get("ok", way["back"]), start) else None
        if "back_along" in way:
            test = way.get("ok", way["back_along"])
            return next((str(stop) for stop in reversed(path[:-1]) if self._open(test, stop)), None)
        if "through" in way:
            return self._through(way)
        return self._neighbor(way, path)

    def _neighbor(self, way: Row, path: Sequence[str]) -> str | None:
        """Of several open neighbors the order's target, else where it came from (`prefer`), else the
        decision's answer, else one that is not attacked, with most friendly units, first by id."""
        near = self._near(way)
        if not near:
            return None
        order = self.departure.options.get("order")
        wanted = order["slots"].get("target") if isinstance(order, Mapping) else None
        if wanted in near:
            return str(wanted)
        came = (path or ("",))[-2:][0]
        if way.get("prefer") == "back" and came in near:
            return str(came)
        if "asks" in self.rule:
            return self._choose(near)
        return min(near, key=lambda place: (self._is_attacked(place), -self._friends(place), place))

    def _near(self, way: Row) -> list[str]:
        """The neighbors that are open by a way, through no passage that is closed to these units."""
        if "next" not in way:
            return []
        near = self.geography.next_to(self.battle.place, links_of(way))
        if way.get("origin"):
            near = tuple(place for place in near if place in self._origins())
        return [place for place in near if self._open(way["next"], place) and self._passes(place)]

    def _origins(self) -> frozenset[str]:
        """The places from which the attackers of the battle have come over the last step, on the ground or by
        ship.
        """
        if self.battle.origins is None:
            origins = set()
            for force in self.battle.parties[ATTACKER].forces:
                row = self.turn.state.row("forces", force)
                mode = self.turn.ruleset.row_or_empty("movement", row.get("mode"))
                if not mode.get("passes_over") and len(row.get("path") or ()) > 1:
                    origins.add(str(row["path"][-2]))
            self.battle.origins = frozenset(origins)
        return self.battle.origins

    def _through(self, way: Row) -> str | None:
        """The nearest place that passes `ok` at the end of a chain of places that pass `through`; among
        equals the first by id.
        """
        seen, frontier = {self.battle.place}, [self.battle.place]
        while frontier:
            following = []
            for place in frontier:
                for near in self.geography.next_to(place):
                    if near not in seen:
                        seen.add(near)
                        following.append(near)
            for test in (way["ok"], way.get("else")):
                ends = [place for place in following if test is not None and self._open(test, place)]
                if ends:
                    return self._choose(sorted(ends))
            frontier = [place for place in following if self._open(way["through"], place)]
        return None

    def _choose(self, options: Sequence[str]) -> str:
        """One of several places that are as good: by the rule's decision, else the first."""
        if "asks" not in self.rule or len(options) == 1:
            return str(options[0])
        battle = self.battle
        answer = decide(
            self.turn,
            self.turn.ruleset.row("decisions", self.rule["asks"]),
            self.party,
            lambda: self.turn.stream(battle.rule, f"{battle.subject}:{self.who}:to", battle.audience),
            options=list(options),
            subject=battle.place,
        )
        return str(answer) if answer in options else str(options[0])

    def _open(self, test: Any, place: str) -> bool:
        """Whether a place is open to all the units."""
        if place in self.shut:
            return False
        link = Entity("link", f"{self.battle.place}>{place}")
        there = {**self.party, "place": Entity("place", place), "link": link}
        return all(
            self.turn.world.test(None if test is True else test, {**there, "unit": Entity("unit", key)})
            for key in self.stacks
        )

    def _passes(self, place: str) -> bool:
        """Whether no passage on the way to a neighbor is closed to the units."""
        gates = self.geography.gates.get(pair_key(self.battle.place, place), ())
        return all(passes(self.turn.world, self.owner, gates, kind) for kind in self.kinds)

    def _is_attacked(self, place: str) -> bool:
        owners = self.turn.state.owners_at(place)
        return any(self.turn.world.would_fight(self.owner, other) for other in owners)

    def _friends(self, place: str) -> int:
        stacks = self.turn.state.stacks(at=place)
        return sum(row["n"] for _, row in stacks if self.turn.world.allied(self.owner, row["owner"]))

    # ---- home

    def home(self) -> str | None:
        """Where the mode of the force says that its units end, if it says so and all can come home: the home
        of the first of them.
        """
        homes = [self.home_of(key) for key in self.stacks]
        return homes[0] if homes and None not in homes else None

    def home_of(self, key: str) -> str | None:
        """Where the mode of the force says that a stack of it ends, by what it has left, if it says so and it
        can come there.
        """
        mode = forces.mode_of(self.turn, self.who)
        flies = "home" in mode and mode.get("passes_over")
        return home_of(self.turn, mode, self.who, key) if flies else None
