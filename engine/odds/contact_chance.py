"""Whether forces find each other again before a later round of their battle, as a chance for every position.

Rows of the form `detection` say who looks with which value, and what of the others lowers it. The living
decide both, so the chance is a function of their numbers, like everything else in a battle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..battle.batch import Array
from ..battle.plan import Plan
from ..core.die import distribution
from ..core.model import Row
from ..core.state import Entity


@dataclass(frozen=True, slots=True)
class ContactAttempt:
    """One force looking for another: its groups and their values, the groups looked at and how much each
    lowers it, the die.
    """

    groups: tuple[int, ...]
    values: tuple[int, ...]
    foes: tuple[int, ...]
    shelter: tuple[int, ...]
    least: int
    hits: tuple[float, ...]
    """The chance of one die to show 0, 1, 2 ... or less."""

    def miss(self, n: Array) -> Array:
        """The chance that nobody of the force finds anything, for each row of numbers alive."""
        out = np.ones(len(n))
        if not self.groups:
            return out
        lower = np.zeros(len(n), dtype=np.int64)
        for index, less in zip(self.foes, self.shelter, strict=True):
            lower = np.maximum(lower, np.where(n[:, index] > 0, less, 0))
        table = np.array(self.hits)
        for index, value in zip(self.groups, self.values, strict=True):
            seen = np.maximum(self.least, value - lower)
            out *= (1 - table[np.clip(seen, 0, len(table) - 1)]) ** n[:, index]
        return np.where(n[:, list(self.foes)].any(axis=1), out, 1.0) if self.foes else np.ones(len(n))


class Touch:
    """The chance that contact is kept: somebody of the seekers finds somebody."""

    def __init__(self, looks: Sequence[ContactAttempt]) -> None:
        self.looks = looks

    def __call__(self, n: Array) -> Array:
        """For each row of numbers alive."""
        out = np.ones(len(n))
        for look in self.looks:
            out *= look.miss(n)
        return 1 - out


def touch_of(plan: Plan, row: Row, seekers: Sequence[int]) -> Touch:
    """How the sides named look for each other by a row of `detection`; each nation's units are a force of
    their own.
    """
    looks = []
    for side in seekers:
        for owner in _owners(plan, side):
            for foe in _owners(plan, 1 - side):
                looks.append(_look(plan, row, _columns(plan, side, owner), _columns(plan, 1 - side, foe)))
    return Touch(looks)


def _look(plan: Plan, row: Row, mine: Sequence[int], theirs: Sequence[int]) -> ContactAttempt:
    faces = distribution(row.get("die", "1d10"))
    hits = [
        float(sum((p for face, p in faces.items() if face <= value), Fraction(0)))
        for value in range(max(faces) + 1)
    ]
    looking = [i for i in mine if _figure(plan, row.get("value", 0), i) > 0]
    shelter = [_figure(plan, row["less"]["best"], i) if "less" in row else 0 for i in theirs]
    values = [_figure(plan, row.get("value", 0), i) for i in looking]
    return ContactAttempt(
        tuple(looking), tuple(values), tuple(theirs), tuple(shelter), int(row.get("at_least", 0)), tuple(hits)
    )


def _figure(plan: Plan, value: Any, index: int) -> int:
    world, unit = plan.world, plan.groups[index].entity
    return int(
        world.figure(value, {"unit": unit, "self": Entity("nation", plan.groups[index].owner)}, unit) or 0
    )


def _owners(plan: Plan, side: int) -> list[str]:
    return sorted({plan.groups[i].owner for i in plan.of_side[side] if not plan.groups[i].virtual})


def _columns(plan: Plan, side: int, owner: str) -> list[int]:
    return [i for i in plan.of_side[side] if plan.groups[i].owner == owner and not plan.groups[i].virtual]
