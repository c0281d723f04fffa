"""Quantities: figures of things with their adjust rows, put together in the one order that the rules promise.

A base, then what replaces it, is added, multiplied, rounded, held within bounds, and final. `World` asks this module;
battles take its parts and compute over arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any, NamedTuple

from ..core.model import Row, Ruleset
from ..core.state import Entity
from ..ruleset.expressions import parse
from .fields import Readings

Names = Mapping[str, Any]

_OUTSIDE = frozenset({"battle", "mine", "foe", "link", "path", "target", "item", "tech"})
"""Names that only some askers bind: a row that reads one which is not bound does not apply."""


class Adjust(NamedTuple):
    """An adjust row with what decides whether it is asked: whom it is for (None: everybody), the names that it must find."""

    row: Row
    wanted: frozenset[str] | None
    outside: frozenset[str]


class Quantities:
    """The quantities of one world."""

    def __init__(self, world: Readings) -> None:
        self.world = world
        self._adjusts: dict[str, list[Adjust]] = world.ruleset.derived("adjusts", lambda: _adjusts(world.ruleset))

    def adjusts_of(self, id_: str) -> list[Row]:
        return [a.row for a in self._adjusts.get(id_, ())]

    def asked(self, id_: str, labels: AbstractSet[str], scope: Names) -> list[Row]:
        """The adjust rows that may concern a subject with these labels, where the names that they read are bound."""
        return [
            a.row
            for a in self._adjusts.get(id_, ())
            if (a.wanted is None or not a.wanted.isdisjoint(labels)) and (not a.outside or a.outside <= scope.keys())
        ]

    def value(self, id_: str, subject: Entity, names: Names | None = None, skip: Iterable[str] = ()) -> tuple[Any, list[Row]]:
        """A quantity of a thing and the adjust rows that applied.

        Order: base (the last row that replaces it), add, times, round, at_least and at_most, what is `late`, final.
        `skip` leaves out rows (those whose amounts a battle computes over arrays).
        """
        world = self.world
        row = world.ruleset.row("quantities", id_)
        scope = self.names(subject, names or {})
        if "unless" in row and world.test(row["unless"], scope):
            return exact(world.value(_bare(row["base"]), scope)) or 0, []
        base = world.value(_bare(row["base"]), scope)
        adjusts = self._adjusts.get(id_)
        if adjusts is None:
            return self.combine(row, base, [], scope), []
        left_out = set(skip)
        labels = self.labels(subject, scope) if any(a.wanted is not None for a in adjusts) else _NO_LABELS
        asked = self.asked(id_, labels, scope)
        applied = [a for a in asked if a["id"] not in left_out and world.test(a.get("when"), scope)]
        return self.combine(row, base, applied, scope), applied

    def combine(self, row: Row, base: Any, applied: list[Row], scope: Names) -> Any:
        """A base and the adjust rows that apply, put together in the one order."""
        if not applied and _PLAIN_KEYS.isdisjoint(row):
            return exact(base) if base is not None else 0

        def number(a: Row, key: str) -> Any:
            return self.world.number(a[key], scope)

        late = [a for a in applied if a.get("late")]
        applied = [a for a in applied if not a.get("late")] if late else applied
        for a in applied:
            if "base" in a:
                base = number(a, "base")
        if base is None:
            base = 0
        value = base
        for a in applied:
            if "add" in a:
                value += number(a, "add")
        for a in applied:
            if "times" in a:
                value *= Fraction(number(a, "times"))
        rounding = next((a["round"] for a in reversed(applied) if "round" in a), row.get("round"))
        value = round_as(value, rounding)
        for part in (row, *applied):
            if "at_least" in part:
                value = max(value, self.world.number(part["at_least"], scope))
        for part in (row, *applied):
            if "at_most" in part:
                value = min(value, self.world.number(part["at_most"], scope))
        for a in late:
            value = (value + number(a, "add") if "add" in a else value) * Fraction(number(a, "times") if "times" in a else 1)
            value = round_as(value, a.get("round", row.get("round")))
        for a in applied:
            if "final" in a:
                value = number(a, "final")
        return exact(value)

    def names(self, subject: Entity, names: Names) -> dict[str, Any]:
        """The names in scope for a subject: itself by its kind, and for units their owner, place and kind of link."""
        scope = dict(names)
        scope[subject.kind] = subject  # whoever asks: `nation` in a figure of a nation is that nation
        if subject.kind == "unit":
            scope.setdefault("self", self.world._unit_owner(subject))
            scope.setdefault("nation", scope["self"])
            scope.setdefault("place", self.world._unit_place(subject))
        elif subject.kind == "nation":
            scope.setdefault("self", subject)
        elif subject.kind == "place":
            scope.setdefault("self", self.world._place_holder(subject))
            scope.setdefault("nation", scope["self"])
        elif "self" in scope:
            scope.setdefault("nation", scope["self"])
        return scope

    def labels(self, subject: Entity, scope: Names) -> set[str]:
        """The ids that an adjust row's `for` can name for this subject."""
        out = {subject.id}
        if subject.kind == "unit":
            stack = self.world.stack(subject.id)
            kind = stack.get("kind", scope.get("unit_kind", ""))
            out.update((kind, stack.get("owner", ""), *self.world.ruleset.rows("units").get(kind, {}).get("tags", ())))
        for name in ("self", "nation", "item", "tech"):
            thing = scope.get(name)
            if isinstance(thing, Entity):
                out.add(thing.id)
        act = scope.get("act")
        if act:
            out.add(str(act))
        return out


def _adjusts(ruleset: Ruleset) -> dict[str, list[Adjust]]:
    out: dict[str, list[Adjust]] = {}
    for row in ruleset.rows("adjusts").values():
        wanted, when = row.get("for"), row.get("when")
        out.setdefault(row["of"], []).append(
            Adjust(
                row,
                None if wanted is None else frozenset([wanted] if isinstance(wanted, str) else wanted),
                parse(when).names & _OUTSIDE if isinstance(when, str) else frozenset(),
            )
        )
    return out


def _bare(text: Any) -> Any:
    return text[1:].strip() if isinstance(text, str) and text.startswith("=") else text


_NO_LABELS: AbstractSet[str] = frozenset()
_PLAIN_KEYS = frozenset({"round", "at_least", "at_most"})


def exact(value: Any) -> Any:
    """Whole fractions become integers."""
    if type(value) is Fraction and value.denominator == 1:
        return int(value)
    return value


def round_as(value: Any, how: str | None) -> Any:
    """Round a fraction up, down or to the nearest whole number (halves up); None leaves it."""
    if how is None or isinstance(value, int):
        return value
    value = Fraction(value)
    if how == "up":
        return -((-value.numerator) // value.denominator)
    if how == "down":
        return value.numerator // value.denominator
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)
