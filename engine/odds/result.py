"""What odds say: chances of the four ends of a battle, and what it costs, as plain numbers.

`ends_of` reads the positions in which battles of a plan ended; `summarize` turns such ends, of one plan or of
several, into `Odds`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made
from math import sqrt
from typing import Any

import numpy as np

from ..battle.batch import Array, Batch
from ..battle.groups import SIDES
from ..battle.plan import Plan

Kinds = dict[str, dict[str, float]]
"""Owner -> kind -> number."""
Spread = dict[str, dict[str, tuple[float, ...]]]
"""Owner -> kind -> the chances of 0, 1, 2 ..."""
ENDS = ("win", "draw", "loss", "open")


@dataclass(frozen=True, slots=True)
class Odds:
    """Chances, each from 0 to 1: `win` (only the attacker stands), `loss` (only the defender), `draw`
    (neither), `open` (both: somebody left, or nobody could hurt the other); `field` is the chance that only
    the attacker is left in the place, whether the defender was destroyed or went.

    By side: `began`, and `lost` and `left`, the mean numbers of each owner's kinds; `losses` the chances of
    losing 0, 1, 2 ... units, `each` the same for each owner's kinds. `rounds` is the mean number of rounds;
    `trials` how many battles were sampled (0: exact, or computed by `estimate`).

    `after`: what each owner has more or less of, on average, when the steps that the battle's row tells of
    are over.
    """

    win: float
    draw: float
    loss: float
    open: float = 0.0
    lost: Mapping[str, Kinds] = made(default_factory=dict)
    left: Mapping[str, Kinds] = made(default_factory=dict)
    losses: Mapping[str, tuple[float, ...]] = made(default_factory=dict)
    trials: int = 0
    rounds: float = 0.0
    field: float = 0.0
    began: Mapping[str, Kinds] = made(default_factory=dict)
    each: Mapping[str, Spread] = made(default_factory=dict)
    after: Kinds = made(default_factory=dict)

    def error(self, chance: float) -> float:
        """The standard error of a chance: 0 if the odds are exact.

        What never (or always) came up counts as once in a while.
        """
        if not self.trials:
            return 0.0
        p = (chance * self.trials + 0.5) / (self.trials + 1)
        return sqrt(p * (1 - p) / self.trials)

    def mean(self, side: str) -> float:
        """Mean losses of a side, in units."""
        return sum(n * p for n, p in enumerate(self.losses.get(side, ())))

    def deviation(self, side: str) -> float:
        """Standard deviation of a side's losses."""
        mean = self.mean(side)
        return sqrt(max(0.0, sum((n - mean) ** 2 * p for n, p in enumerate(self.losses.get(side, ())))))

    def quantile(self, side: str, share: float) -> int:
        """The least number of losses that is not exceeded with this chance."""
        total = 0.0
        for n, p in enumerate(self.losses.get(side, ())):
            total += p
            if total >= share - 1e-12:
                return n
        return max(0, len(self.losses.get(side, ())) - 1)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain data, for other programs."""
        return {
            **{end: getattr(self, end) for end in ENDS},
            "field": self.field,
            "exact": not self.trials,
            "trials": self.trials,
            "errors": {end: self.error(getattr(self, end)) for end in ENDS},
            "rounds": self.rounds,
            "began": self.began,
            "lost": self.lost,
            "left": self.left,
            "losses": {side: list(p) for side, p in self.losses.items()},
            "mean": {side: self.mean(side) for side in self.losses},
            "deviation": {side: self.deviation(side) for side in self.losses},
            "each": {
                s: {o: {k: list(p) for k, p in kinds.items()} for o, kinds in of.items()}
                for s, of in self.each.items()
            },
            "after": self.after,
        }


Roster = Sequence[tuple[int, str, str, int]]
"""Side, owner, kind and number at the start of everybody whom odds speak of."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Positions in which battles ended, one row each: who is alive (by the roster), which sides stand, from
    which some left.
    """

    alive: Array
    standing: Array
    went: Array
    weight: Array


def roster_of(plan: Plan) -> Roster:
    """The real units of a plan."""
    out: dict[tuple[int, str, str], int] = {}
    for group in plan.groups:
        if not group.virtual:
            key = (group.side, group.owner, group.kind)
            out[key] = out.get(key, 0) + group.n
    return [(*key, n) for key, n in sorted(out.items())]


def ends_of(plan: Plan, final: Batch, roster: Roster, beside: Array | None = None) -> Ends:
    """The ends of a plan's battles.

    `beside`: units alive that are not in the plan, by the roster, one row or one for each.
    """
    now = final.n + final.gone
    alive = np.zeros((len(final), len(roster)), dtype=np.int64)
    place = {(side, owner, kind): i for i, (side, owner, kind, _) in enumerate(roster)}
    for index, group in enumerate(plan.groups):
        if not group.virtual:
            alive[:, place[group.side, group.owner, group.kind]] += now[:, index]
    if beside is not None:
        alive += beside
    standing = np.stack([(final.n[:, plan.holds[side]] > 0).any(axis=1) for side in (0, 1)], axis=1)
    went = np.stack([(final.gone[:, plan.of_side[side]] > 0).any(axis=1) for side in (0, 1)], axis=1)
    return Ends(alive, standing, went, final.weight)


def summarize(roster: Roster, found: Iterable[Ends], *, trials: int = 0, rounds: float = 0.0) -> Odds:
    """Odds from the positions in which battles ended, by their weight."""
    ends = [e for e in found if len(e.weight)]
    alive, standing, went = (
        np.concatenate([getattr(e, key) for e in ends]) for key in ("alive", "standing", "went")
    )
    weight = np.concatenate([e.weight for e in ends]).astype(float)
    weight = weight / weight.sum()
    a, d = standing[:, 0], standing[:, 1]
    won, lost_ = a & ~d, d & ~a
    # who left the field has not been destroyed
    undecided = (a & d) | (won & went[:, 1]) | (lost_ & went[:, 0])
    masks = {"win": won & ~undecided, "draw": ~a & ~d, "loss": lost_ & ~undecided, "open": undecided}
    chances = {end: float(weight[mask].sum()) for end, mask in masks.items()}
    began: dict[str, Kinds] = {s: {} for s in SIDES}
    lost: dict[str, Kinds] = {s: {} for s in SIDES}
    left: dict[str, Kinds] = {s: {} for s in SIDES}
    each: dict[str, Spread] = {s: {} for s in SIDES}
    total = np.zeros((2, len(weight)), dtype=np.int64)
    for column, (side, owner, kind, n) in enumerate(roster):
        gone = n - alive[:, column]
        total[side] += gone
        mean = float((gone * weight).sum())
        for table, value in ((began, n), (lost, mean), (left, n - mean)):
            table[SIDES[side]].setdefault(owner, {})[kind] = value
        each[SIDES[side]].setdefault(owner, {})[kind] = _spread(gone, weight)
    losses = {SIDES[side]: _spread(total[side], weight) for side in (0, 1)}
    taken = float(weight[won].sum())
    return Odds(
        chances["win"],
        chances["draw"],
        chances["loss"],
        chances["open"],
        lost=lost,
        left=left,
        losses=losses,
        trials=trials,
        rounds=rounds,
        field=taken,
        began=began,
        each=each,
    )


def _spread(numbers: Array, weight: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in np.bincount(numbers, weights=weight))
