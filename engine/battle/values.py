"""The value of a group of units in a battle: a stat with its modifiers, compiled so that it follows the
living.

Rows whose tests do not depend on who is alive are judged once; the others each round, unless `judged: battle`
freezes their test at the start of the battle. They are put together by `world/quantities.combine`, like every
figure that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from ..core.model import Row
from ..core.state import Entity
from ..world.quantities import FIGURES, LIMITS, AppliedModifier, combine, exact
from ..world.world import Names, World
from .arrays import Compiled, Counts, Members, Result, compile_array, constant
from .rational_arrays import Figures, Mask, figures

Frozen = dict[tuple[str, str], bool]
"""Tests judged at the start of a battle, by modifier and thing."""


@dataclass(frozen=True, slots=True)
class BattleModifier:
    """A modifier in a battle: its test and its numbers, each plain or following the living."""

    row: Row
    when: Compiled
    numbers: Mapping[str, Compiled]

    @property
    def plain(self) -> bool:
        return self.when.plain and all(n.plain for n in self.numbers.values())


@dataclass(slots=True)
class BattleNumber:
    """A number in a battle: `fixed` if it never changes, else a function of numbers alive and round."""

    quantity: Row
    base: Compiled
    rules: list[BattleModifier] = field(default_factory=list)
    limits: Mapping[str, Compiled] = field(default_factory=dict)
    fixed: int | Fraction | None = None

    @property
    def plain(self) -> bool:
        return self.fixed is not None

    def __call__(self, counts: Counts, round_: int = 1) -> Result:
        """The value as dice take it, rounded down: an int for the whole batch or an array with one int for
        each battle.
        """
        if type(self.fixed) is int:
            return self.fixed
        value = self.exact(counts, round_)
        return value.whole() if isinstance(value, Figures) else floor(value)

    def exact(self, counts: Counts, round_: int = 1) -> Any:
        """The value itself: an int or a fraction for the whole batch, or `Figures` with one for each
        battle.
        """
        if self.fixed is not None:
            return self.fixed
        parts = []
        for rule in self.rules:
            mask = rule.when.truth(counts, round_)
            whole = bool(mask.all()) if isinstance(mask, np.ndarray) else bool(mask)
            if whole or (isinstance(mask, np.ndarray) and mask.any()):
                numbers = {key: _number_of(n(counts, round_)) for key, n in rule.numbers.items()}
                parts.append(
                    AppliedModifier(
                        numbers,
                        rule.row.get("round"),
                        bool(rule.row.get("late")),
                        True if whole else Mask(mask),
                    )
                )
        limits = {key: _number_of(limit(counts, round_)) for key, limit in self.limits.items()}
        base = self.base(counts, round_)
        return combine(None if base is None else _number_of(base), parts, limits, self.quantity.get("round"))

    def applied(self, counts: Counts, round_: int = 1) -> list[Row]:
        """The rows that apply in the first battle of the batch, in their order."""
        first = counts[:1]
        return [r.row for r in self.rules if bool(np.all(r.when.truth(first, round_)))]


def _number_of(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return figures(value)
    return int(value) if isinstance(value, np.generic | bool) else value


def fixed(number: int) -> BattleNumber:
    return BattleNumber({}, constant(number), fixed=number)


def compile_value(
    world: World,
    text: Any,
    thing: Entity,
    names: Names,
    sets: Mapping[str, Members],
    start: Counts,
    frozen: Frozen,
    skip: tuple[str, ...] = (),
) -> BattleNumber:
    """A value written as a number, as the id of a stat, or as an expression.

    `start` are the numbers at the start of the battle (one row), by which `judged: battle` tests are decided;
    what is decided is kept in `frozen`. `skip` leaves out modifiers by id.
    """
    scope = world.subject_names(thing, names)
    if not isinstance(text, str) or text not in world.ruleset.rows("stats"):
        compiled = compile_array(world, _number(text), scope, sets)
        return _settle(BattleNumber({}, compiled), start)
    row: Row = world.ruleset.row("stats", text)
    base = compile_array(world, row["base"], scope, sets)
    limits: dict[str, Compiled] = {
        k: compile_array(world, _number(row[k]), scope, sets) for k in LIMITS if k in row
    }
    if "unless" in row and world.test(row["unless"], scope):
        return _settle(BattleNumber({}, base), start)
    rules = []
    for adjust in world.stats.asked(text, thing, {**scope, **sets}):
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
        numbers = {k: compile_array(world, _number(adjust[k]), scope, sets) for k in FIGURES if k in adjust}
        rules.append(BattleModifier(adjust, when, numbers))
    return _settle(BattleNumber(row, base, rules, limits), start)


def _alike(world: World, thing: Entity, scope: Names) -> str:
    """Whose test is judged once for a battle: units of one owner and kind over one border, in whatever
    condition.
    """
    row = world.stack(thing.id) if thing.kind == "unit" else {}
    link = scope.get("link")
    return f"{row['owner']}.{row['kind']}>{link.id if isinstance(link, Entity) else ''}" if row else thing.id


def _settle(value: BattleNumber, start: Counts) -> BattleNumber:
    """A value that nothing can change becomes a plain number."""
    if value.base.plain and all(r.plain for r in value.rules) and all(c.plain for c in value.limits.values()):
        found = value.exact(start, 1)
        value.fixed = exact(Fraction(found)) if not isinstance(found, int) else int(found)
    return value


def _number(value: Any) -> Any:
    """A number as a row writes it; text that is none is an expression."""
    if isinstance(value, str) and not value.startswith("="):
        try:
            return exact(Fraction(value))
        except ValueError:
            return value
    return value
