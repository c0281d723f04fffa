"""The value of a group of units in a battle: a quantity with its adjust rows, compiled so that it follows the living.

Rows whose tests do not depend on who is alive are judged once; the others each round, unless `judged: battle` freezes their
test at the start of the battle. The order of application is that of every quantity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.model import Row
from ..core.state import Entity
from ..world.world import Names, World, round_as
from .arrays import Compiled, Counts, Members, Result, compile_array, constant

Frozen = dict[tuple[str, str], bool]
"""Tests judged at the start of a battle, by adjust row and thing."""


@dataclass(frozen=True, slots=True)
class Part:
    """An adjust row in a battle: its test and its figures, each plain or following the living."""

    row: Row
    when: Compiled
    figures: Mapping[str, Compiled]

    @property
    def plain(self) -> bool:
        return self.when.plain and all(f.plain for f in self.figures.values())


@dataclass(slots=True)
class Value:
    """A number in a battle: `plain` if it never changes, else a function of numbers alive and round."""

    quantity: Row
    base: Compiled
    parts: list[Part] = field(default_factory=list)
    limits: Mapping[str, Compiled] = field(default_factory=dict)
    fixed: int | None = None

    @property
    def plain(self) -> bool:
        return self.fixed is not None

    def __call__(self, counts: Counts, round_: int = 1) -> Result:
        """The value: an int for the whole batch or an array with one int for each battle."""
        if self.fixed is not None:
            return self.fixed
        return self._combine(counts, round_)

    def applied(self, counts: Counts, round_: int = 1) -> list[Row]:
        """The rows that apply in the first battle of the batch, in their order."""
        first = counts[:1]
        return [p.row for p in self.parts if bool(np.all(p.when.truth(first, round_)))]

    def _combine(self, counts: Counts, round_: int) -> Result:
        live = []
        for part in self.parts:
            mask = part.when.truth(counts, round_)
            if isinstance(mask, np.ndarray) and mask.all():
                mask = True
            if mask is not False and np.any(mask):
                live.append((part, mask))
        late = [(part, mask) for part, mask in live if part.row.get("late")]
        live = [(part, mask) for part, mask in live if not part.row.get("late")] if late else live
        value: Any = self.base(counts, round_)
        value = 0 if value is None else value
        for part, mask in live:
            if "base" in part.figures:
                value = _where(mask, part.figures["base"](counts, round_), value)
        for part, mask in live:
            if "add" in part.figures:
                value = value + _where(mask, part.figures["add"](counts, round_), 0)
        value = self._times(value, live, counts, round_)
        for key, choose in (("at_least", np.maximum), ("at_most", np.minimum)):
            if key in self.limits:
                value = choose(value, self.limits[key](counts, round_))
            for part, mask in live:
                if key in part.figures:
                    value = _where(mask, choose(value, part.figures[key](counts, round_)), value)
        for part, mask in late:
            if "add" in part.figures:
                value = value + _where(mask, part.figures["add"](counts, round_), 0)
            value = self._times(value, [(part, mask)], counts, round_)
        for part, mask in live:
            if "final" in part.figures:
                value = _where(mask, part.figures["final"](counts, round_), value)
        return value

    def _times(self, value: Any, live: list[tuple[Part, Any]], counts: Counts, round_: int) -> Any:
        """The product of the fractions, rounded down where no row says how: half a point helps no die."""
        top: Any = 1
        bottom: Any = 1
        how = self.quantity.get("round")
        for part, mask in live:
            if "times" in part.figures:
                factor = Fraction(part.figures["times"](counts, round_))
                top = top * _where(mask, factor.numerator, 1)
                bottom = bottom * _where(mask, factor.denominator, 1)
                how = part.row.get("round", how)
        if isinstance(value, Fraction):
            bottom = bottom * value.denominator
            value = value.numerator
        value = value * top
        if how == "up":
            return -(-value // bottom)
        if how == "nearest":
            return (2 * value + bottom) // (2 * bottom)
        return value // bottom


def _where(mask: Any, one: Any, other: Any) -> Any:
    if mask is True or (not isinstance(mask, np.ndarray) and bool(mask)):
        return one
    return np.where(mask, one, other)


def fixed(number: int) -> Value:
    return Value({}, constant(number), fixed=number)


def compile_value(
    world: World,
    text: Any,
    thing: Entity,
    names: Names,
    sets: Mapping[str, Members],
    start: Counts,
    frozen: Frozen,
    skip: tuple[str, ...] = (),
) -> Value:
    """A value written as a number, as the id of a quantity, or as an expression.

    `start` are the numbers at the start of the battle (one row), by which `judged: battle` tests are decided; what is
    decided is kept in `frozen`. `skip` leaves out adjust rows by id.
    """
    scope = world.subject_names(thing, names)
    if not isinstance(text, str) or text not in world.ruleset.rows("quantities"):
        compiled = compile_array(world, _number(text), scope, sets)
        return _settle(Value({}, compiled), start)
    row = world.ruleset.row("quantities", text)
    base = compile_array(world, row["base"], scope, sets)
    limits: dict[str, Compiled] = {
        k: compile_array(world, _number(row[k]), scope, sets) for k in ("at_least", "at_most") if k in row
    }
    if "unless" in row and world.test(row["unless"], scope):
        return _settle(Value({}, base), start)
    parts = []
    labels = world.labels(thing, scope)
    for adjust in world.quantities.asked(text, labels, {**scope, **sets}):
        if adjust["id"] in skip:
            continue
        when = compile_array(world, adjust.get("when"), scope, sets)
        if adjust.get("judged") == "battle" and not when.plain:
            key = (adjust["id"], _alike(world, thing, scope))
            if key not in frozen:
                frozen[key] = bool(np.all(when.truth(start, 1)))
            when = constant(frozen[key])
        if when.plain and not when.value:
            continue
        keys = ("base", "add", "times", "at_least", "at_most", "final")
        figures = {k: compile_array(world, _number(adjust[k]), scope, sets) for k in keys if k in adjust}
        parts.append(Part(adjust, when, figures))
    return _settle(Value(row, base, parts, limits), start)


def _alike(world: World, thing: Entity, scope: Names) -> str:
    """Whose test is judged once for a battle: units of one owner and kind over one border, in whatever condition."""
    row = world.stack(thing.id) if thing.kind == "unit" else {}
    link = scope.get("link")
    return f"{row['owner']}.{row['kind']}>{link.id if isinstance(link, Entity) else ''}" if row else thing.id


def _settle(value: Value, start: Counts) -> Value:
    """A value that nothing can change becomes a plain number."""
    if value.base.plain and all(p.plain for p in value.parts) and all(c.plain for c in value.limits.values()):
        found = value._combine(start, 1)
        number = round_as(Fraction(int(found)) if isinstance(found, np.generic) else Fraction(found), "down")
        value.fixed = int(number)
    return value


def _number(value: Any) -> Any:
    if isinstance(value, str) and not value.startswith("="):
        try:
            return Fraction(value)
        except ValueError:
            return value
    return value
