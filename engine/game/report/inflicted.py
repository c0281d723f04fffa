"""Losses that dice of a battle inflicted, against what was to be expected of them, with the band in which nine cases of ten lie.

Reckoned from what the reader was told of the battle and from nothing else. Every round counts as it began: what a throw could
bring is known from its dice and numbers, and no more than those whom it could reach can fall to it. A unit that takes several
hits, or a stage that reaches some of the enemies only, is taken for one that takes one, and reaches all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from .fights import SIDES, Fight, has_number
from .words import Words

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


def inflicted(told: Sequence[Fight], nation: str, words: Words) -> Inflicted | None:
    """What the dice of a nation's side inflicted in a battle and in those that are `told` with it.

    None where it threw no dice, or such that have no number to reach.
    """
    losses, chances = 0, [1.0]
    for fight in told:
        side = next((s for s in SIDES if nation in fight.owners(s)), "")
        for entry in [*fight.rounds, *fight.left]:
            for fires, fell, there in _volleys(fight, entry.data, side, words) if side else ():
                if not all(has_number(fight, fire, words) for fire in fires):
                    return None
                could = there if sum(int(f["hits"]) for f in fires) <= fell else fell  # hits that nobody was left to take
                losses += fell
                chances = _both(chances, _capped(_hits(fires), max(could, fell)))
    return Inflicted(losses, tuple(chances)) if len(chances) > 1 else None


def together(those: Sequence[Inflicted]) -> Inflicted:
    """Several battles as one."""
    chances = [1.0]
    for one in those:
        chances = _both(chances, one.chances)
    return Inflicted(sum(one.losses for one in those), tuple(chances))


Volley = tuple[list[Mapping[str, Any]], int, int]


def _volleys(fight: Fight, data: Mapping[str, Any], side: str, words: Words) -> Iterator[Volley]:
    """The dice of a side stage by stage: the throws, how many of the others they took, and how many could be taken."""
    other = SIDES[1 - SIDES.index(side)]
    rows = words.world.ruleset.rows("battles").get(fight.row, {}).get("virtual", ())
    spared = {str(row["id"]) for row in rows if row.get("lost") == "never"}
    lost = data.get("lost", {}).get(other, ())
    fires = [f for f in [*data.get("fire", ()), *data.get("parting", ())] if f["side"] == side and f["dice"]]
    there = sum(len(f["dice"]) for f in fires)  # at those who leave, of whom it is not told how many they are
    if "sides" in data:
        there = sum(n for kinds in data["sides"].get(other, {}).values() for n in kinds.values())
        there += sum(int(v["n"]) for v in data["virtual"] if v["side"] == other and v["kind"] not in spared)
    for stage in dict.fromkeys(f["stage"] for f in fires):
        fell = sum(int(part["n"]) for part in lost if part["stage"] == stage)
        yield [f for f in fires if f["stage"] == stage], fell, there
        there -= fell


def _hits(fires: Sequence[Mapping[str, Any]]) -> list[float]:
    """The chances of 0, 1, 2 ... hits."""
    out = [1.0]
    for fire in fires:
        faces, dice = int(fire["die"]), len(fire["dice"])
        p = max(0, min(int(fire["value"]), faces)) / faces
        out = _both(out, [comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(dice + 1)])
    return out


def _both(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The chances of the sum of two counts."""
    out = [0.0] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        if p:
            for j, q in enumerate(other):
                out[i + j] += p * q
    return out


def _capped(chances: Sequence[float], most: int) -> list[float]:
    """The chances of a count that cannot be more than `most`."""
    return [*chances[:most], sum(chances[most:])] if len(chances) > most + 1 else list(chances)
