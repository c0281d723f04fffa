"""The battles of a turn, each gathered from its entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.journal import Entry
from .wording import merged

SIDES = ("attacker", "defender")


@dataclass
class Fight:
    """One battle of the turn, from its entries."""

    row: str
    place: str
    subject: str
    sides: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    lost: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    guards: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of a side without units, what the place itself fights with, as the battle's row says (`virtual`)."""
    guards_lost: dict[str, dict[str, int]] = field(default_factory=dict)
    rounds: list[Entry] = field(default_factory=list)
    left: list[Entry] = field(default_factory=list)
    ended: bool = False
    winner: str | None = None
    lost_touch: bool = False
    better: str | None = None
    """The side that had the better of a battle which nobody's field decides."""
    preludes: list[Fight] = field(default_factory=list)
    log: list[int] = field(default_factory=list)

    def owners(self, side: str) -> list[str]:
        return sorted({*self.sides.get(side, {}), *self.lost.get(side, {})})

    def units_of(self, side: str, owner: str) -> tuple[dict[str, int], dict[str, int]]:
        """What a nation had on a side when the battle began, and what it has lost: kind -> number."""
        return self.sides.get(side, {}).get(owner, {}), self.lost.get(side, {}).get(owner, {})

    def parties(self) -> set[str]:
        return {o for side in SIDES for o in self.owners(side)}

    @property
    def came_to_nothing(self) -> bool:
        """Whether nobody threw a die nor lost anything, and both sides are as they were: one slipped away."""
        thrown = any(fire["dice"] for entry in self.rounds for fire in entry.data.get("fire", ()))
        lost = sum(sum(self.losses(side).values()) for side in SIDES)
        return self.ended and self.winner is None and not thrown and not lost and not self.preludes

    def started(self, side: str) -> dict[str, int]:
        return merged(list(self.sides.get(side, {}).values()))

    def losses(self, side: str) -> dict[str, int]:
        return merged(list(self.lost.get(side, {}).values()))

    def evaded(self) -> tuple[str, ...]:
        """The sides of which everybody who was left has gone out of the battle and stayed in the place."""
        gone = dict.fromkeys(SIDES, 0)
        for entry in self.left:
            for part in entry.data.get("left", ()):
                if part.get("to") == self.place and not part.get("lost"):
                    gone[str(entry.data["side"])] += int(part["n"])
        here = {side: sum(self.started(side).values()) - sum(self.losses(side).values()) for side in SIDES}
        return tuple(side for side in SIDES if gone[side] and gone[side] == here[side])


def fights_in(entries: Sequence[Entry]) -> list[Fight]:
    """Every battle that the entries tell of, in their order."""
    out: list[Fight] = []
    running: dict[tuple[str, str, str], Fight] = {}
    for entry in entries:
        data = entry.data
        if "battle" not in data or "event" not in data:
            continue
        key = (str(data["battle"]), str(data.get("place", "")), entry.subject)
        fight = running.get(key)
        if data["event"] == "begin" or fight is None:
            open_ = [f for k, f in running.items() if k[:2] == key[:2] and not f.ended]
            if data["event"] != "begin" and open_:
                fight = open_[-1]
            else:
                fight = running[key] = Fight(key[0], key[1], key[2])
                out.append(fight)
        fight.log.append(entry.n)
        if data["event"] == "begin":
            fight.sides = {s: {o: dict(k) for o, k in data["sides"].get(s, {}).items()} for s in SIDES}
        elif data["event"] == "round":
            _reinforced(fight, data.get("sides", {}))
            _guarded(fight, data)
            fight.rounds.append(entry)
        elif data["event"] in ("leave", "stuck", "absent", "back"):
            fight.left.append(entry)
        elif data["event"] == "end":
            fight.ended, fight.winner, fight.lost_touch = (
                True,
                data.get("winner"),
                bool(data.get("lost_touch")),
            )
            fight.better = data.get("better")
            fight.lost = {s: {o: dict(k) for o, k in data.get("lost", {}).get(s, {}).items()} for s in SIDES}
    return out


def _reinforced(fight: Fight, now: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
    """Adds those who came to a battle after its beginning: who is there `now`, with what was lost before, had
    to come.
    """
    gone: dict[tuple[str, str, str], int] = {}
    for entry in fight.rounds:
        for side, parts in entry.data.get("lost", {}).items():
            for part in parts:
                if part.get("lost") and not part.get("virtual"):
                    key = (side, part["owner"], part["kind"])
                    gone[key] = gone.get(key, 0) + int(part["n"])
    for side, owners in now.items():
        for owner, kinds in owners.items():
            began = fight.sides.setdefault(side, {}).setdefault(owner, {})
            for kind, n in kinds.items():
                began[kind] = max(began.get(kind, 0), n + gone.get((side, owner, kind), 0))


def _guarded(fight: Fight, data: Mapping[str, Any]) -> None:
    """Of a side that has no units, those who guard the place, as many as they were at first, and whom they
    lost in this round.
    """
    for side in (s for s in SIDES if not fight.started(s)):
        if not fight.rounds:
            there = [{str(v["kind"]): int(v["n"])} for v in data.get("virtual", ()) if v["side"] == side]
            fight.guards[side] = merged(there)
        gone = [
            {str(part["kind"]): int(part["n"])}
            for part in data.get("lost", {}).get(side, ())
            if part.get("virtual") and part.get("lost")
        ]
        fight.guards_lost[side] = merged([fight.guards_lost.get(side, {}), *gone])
