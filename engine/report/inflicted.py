"""Losses that dice of a battle inflicted, against what was to be expected of them, with the band in which
nine cases of ten lie.

Computed from what the reader was told of the battle and from nothing else. Every round counts as it began:
what a throw could bring is known from its dice and numbers, and no more than those whom it could reach can
fall to it. A unit that takes several hits, or a stage that reaches some of the enemies only, is taken for one
that takes one, and reaches all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ..battle.distributions import under
from ..core.choices import word_of
from ..core.model import Row
from .fights import has_number, pair_chances, stage_of
from .fought import SIDES, Fight
from .wording import Wording

TAIL = 0.05
"""What lies beyond the band on either side, at most."""


@dataclass(frozen=True)
class Inflicted:
    """Losses of the others, and `chances`: of 0, 1, 2 ... losses, as it was before the throws."""

    losses: int
    chances: tuple[float, ...]

    @property
    def expected(self) -> float:
        return sum(n * p for n, p in enumerate(self.chances))

    @property
    def band(self) -> tuple[int, int]:
        """The fewest and the most losses of the band."""
        low = next(n for n in range(len(self.chances)) if sum(self.chances[: n + 1]) > TAIL)
        return low, next(n for n in range(len(self.chances)) if sum(self.chances[: n + 1]) >= 1 - TAIL)

    @property
    def better_than(self) -> float:
        """The share of cases in which fewer fall; of those in which as many do, half."""
        return sum(self.chances[: self.losses]) + 0.5 * sum(self.chances[self.losses : self.losses + 1])


def inflicted(told: Sequence[Fight], nation: str, words: Wording) -> Inflicted | None:
    """What the dice of a nation's side inflicted in a battle and in those that are `told` with it.

    None where it threw no dice, or such that are summed or looked up by their face.
    """
    losses, volleys = 0, []
    for fight in told:
        side = next((s for s in SIDES if nation in fight.owners(s)), "")
        for entry in [*fight.rounds, *fight.left]:
            for fires, fell, there in _volleys(fight, entry.data, side, words) if side else ():
                stage = stage_of(fight, fires[0], words)
                compared = word_of(stage, "resolve") == "compare"
                if not compared and not all(has_number(fight, fire, words) for fire in fires):
                    return None
                # hits that nobody was left to take
                could = there if sum(int(f["hits"]) for f in fires) <= fell else fell
                losses += fell
                hits = _chances(stage, entry.data, fires, side)
                volleys.append(_capped(hits, max(could, fell)))
    chances = _summed(volleys)
    return Inflicted(losses, chances) if len(chances) > 1 else None


def together(those: Sequence[Inflicted]) -> Inflicted:
    """Several battles as one."""
    return Inflicted(sum(one.losses for one in those), _summed([one.chances for one in those]))


Volley = tuple[list[Mapping[str, Any]], int, int]


def _volleys(fight: Fight, data: Mapping[str, Any], side: str, words: Wording) -> Iterator[Volley]:
    """The dice of a side stage by stage: the throws, how many of the others they took, and how many could be
    taken.
    """
    other = SIDES[1 - SIDES.index(side)]
    rows = words.world.ruleset.row_or_empty("battles", fight.row).get("virtual", ())
    spared = {str(row["id"]) for row in rows if row.get("lost") == "never"}
    lost = data.get("lost", {}).get(other, ())
    fires = [
        f
        for f in [*data.get("fire", ()), *data.get("fire_on_retreat", ())]
        if f["side"] == side and f["dice"]
    ]
    there = sum(len(f["dice"]) for f in fires)  # at those who leave, of whom it is not told how many they are
    if "sides" in data:
        there = sum(n for kinds in data["sides"].get(other, {}).values() for n in kinds.values())
        there += sum(int(v["n"]) for v in data["virtual"] if v["side"] == other and v["kind"] not in spared)
    for stage in dict.fromkeys(f["stage"] for f in fires):
        fell = sum(int(part["n"]) for part in lost if part["stage"] == stage)
        yield [f for f in fires if f["stage"] == stage], fell, there
        there -= fell


def _chances(
    stage: Row, data: Mapping[str, Any], fires: Sequence[Mapping[str, Any]], side: str
) -> Sequence[float]:
    """The chances of 0, 1, 2 ... hits of a side's throws in a stage."""
    if word_of(stage, "resolve") == "compare":
        both = [
            f for f in [*data.get("fire", ()), *data.get("fire_on_retreat", ())] if f["stage"] == stage["id"]
        ]
        return pair_chances(stage, both, side)
    return _summed([under([(len(f["dice"]), int(f["value"]))], int(f["die"]))[0] for f in fires])


def _summed(several: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The chances of the sum of several counts."""
    return tuple(float(p) for p in reduce(np.convolve, several, np.ones(1)))


def _capped(chances: Sequence[float], most: int) -> list[float]:
    """The chances of a count that cannot be more than `most`."""
    return [*chances[:most], sum(chances[most:])] if len(chances) > most + 1 else list(chances)
