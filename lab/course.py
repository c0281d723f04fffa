"""The course of one game: how everybody stood after each turn, who joined whom when and by which rule, and
what each rule did.

Everything comes from facts, declared fields and the rows that entries of the journal name: it is the same for
any ruleset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from wteaw.core.journal import Entry
from wteaw.core.model import Ruleset
from wteaw.core.state import WHOLE_ROW
from wteaw.turn.events import only_notes
from wteaw.turn.score import Scores
from wteaw.world.treasury import money
from wteaw.world.world import World

BY_TURN = ("units", "places", "income", "lost", "captures")
"""Figures of every nation after each turn: units and places that it has, income and units lost in the turn,
places taken.
"""
DID = ("entries", "changes", "destroyed", "captured", "money", "tracks")
"""What is told of every rule: its entries and changes, units destroyed and places captured in them, money and
tracks moved.
"""


def criteria(world: World) -> dict[str, dict[str, Fraction]]:
    """Every criterion of the ruleset for everybody who has a value of it."""
    scores = Scores(world)
    return {
        c: {w: Fraction(scores.value(c, w)) for w in sorted(scores.subjects(c))}
        for c in sorted(world.ruleset.of_kind("victory", "criterion"))
    }


def as_floats(values: dict[str, dict[str, Fraction]]) -> dict[str, dict[str, float]]:
    return {c: {w: float(v) for w, v in of.items()} for c, of in values.items()}


def front(world: World) -> int:
    """How many borders there are between places whose holders are at war."""
    length = 0
    for row in world.geography.links.values():
        a, b = (world.holder_of(p) for p in row["between"])
        length += bool(a and b and world.hostile(a, b))
    return length


def fronts(world: World) -> int:
    """How many places there are with units of their holder and an enemy's place beside them."""
    found = 0
    for place in world.ruleset.rows("places"):
        holder = world.holder_of(place)
        if holder is not None and holder in world.state.owners_at(place):
            near = (world.holder_of(other) for other in world.geography.next_to(place))
            found += any(other is not None and world.hostile(holder, other) for other in near)
    return found


class Course:
    """Gathers the course of a game, turn by turn."""

    def __init__(self) -> None:
        self.turns: list[dict[str, Any]] = []
        self.joined: list[list[Any]] = []
        self.at_war: dict[str, list[Any]] = {}
        self.did: dict[str, list[float]] = {}
        self.applied: Counter[str] = Counter()
        self.learned: Counter[str] = Counter()
        self.conditions: Counter[str] = Counter()

    def began(self, ruleset: Ruleset, entries: Iterable[Entry]) -> None:
        """What rules have done before the first turn."""
        for entry in entries:
            self._entry(entry.turn, entry, money(ruleset))

    def turn(self, number: int, world: World, entries: Iterable[Entry]) -> None:
        """A turn has been resolved: its entries, and the world after it."""
        figures: dict[str, Counter[str]] = {name: Counter() for name in BY_TURN}
        main = money(world.ruleset)
        for entry in entries:
            self._entry(number, entry, main)
            if "items" in entry.data and "income" in entry.data:
                figures["income"][entry.subject] += float(Fraction(str(entry.data["income"])))  # type: ignore[assignment]
            for fact in entry.facts:
                if fact.word == "destroyed":
                    figures["lost"][str(fact.roles.get("of") or "")] += int(fact.roles.get("n", 1))
                elif fact.word == "captured" and fact.roles.get("by"):
                    figures["captures"][str(fact.roles["by"])] += 1
        for _, stack in world.state.stacks():
            figures["units"][stack["owner"]] += stack["n"]
        for place in world.ruleset.rows("places"):
            if holder := world.holder_of(place):
                figures["places"][holder] += 1
        told: dict[str, Any] = {name: dict(sorted(found.items())) for name, found in figures.items()}
        self.turns.append(
            {
                "turn": number,
                "front": front(world),
                "fronts": fronts(world),
                **told,
                "criteria": as_floats(criteria(world)),
            }
        )

    def _entry(self, number: int, entry: Entry, main: str) -> None:
        if only_notes(entry):
            return
        did = self.did.setdefault(entry.rule, [0] * len(DID))
        did[0] += 1
        did[1] += len(entry.changes)
        for table, _, field, before, after in entry.changes:
            if table == "orders" and field == WHOLE_ROW and before is None and after is not None:
                self.conditions.update(list(after.get("options") or ()))
            elif table == "treasuries" and field == main:
                did[4] += abs(float(after or 0) - float(before or 0))
            elif table == "tracks" and field != WHOLE_ROW and _is_number(before) and _is_number(after):
                did[5] += abs(float(after or 0) - float(before or 0))
        for fact in entry.facts:
            roles = fact.roles
            if fact.word == "destroyed":
                did[2] += int(roles.get("n", 1))
            elif fact.word == "captured":
                did[3] += 1
            elif fact.word == "joined":
                self.joined.append([number, str(roles.get("by")), str(roles.get("side")), entry.rule])
            elif fact.word == "war_began":
                for who, foe in ((roles.get("by"), roles.get("of")), (roles.get("of"), roles.get("by"))):
                    if who:
                        self.at_war.setdefault(str(who), [number, str(foe), entry.rule])
            elif fact.word == "learned":
                self.learned[str(roles.get("tech"))] += 1
        self.applied.update(_applied(entry.data))

    def to_json(self) -> dict[str, Any]:
        return {
            "course": self.turns,
            "joined": self.joined,
            "at_war": dict(sorted(self.at_war.items())),
            "did": dict(sorted(self.did.items())),
            "applied": dict(sorted(self.applied.items())),
            "learned": dict(sorted(self.learned.items())),
            "conditions": dict(sorted(self.conditions.items())),
        }


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float | Fraction) and not isinstance(value, bool))


def _applied(data: Any) -> Iterator[str]:
    """The rows of `adjusts` that an entry says to have counted: for the whole of it, or for dice of its
    fire.
    """
    for part in (data, *data.get("fire", ())):
        for key in ("applied", "rows"):
            for row in part.get(key) or ():
                yield str(row["id"]) if isinstance(row, dict) else str(row)
