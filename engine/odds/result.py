"""What odds say: chances of the four ends of a battle, and what it costs, as plain numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as made
from typing import Any

import numpy as np

from ..battle.batch import Array, Batch
from ..battle.members import SIDES
from ..battle.plan import Plan

Kinds = dict[str, dict[str, float]]
"""Owner -> kind -> number."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Chances, each from 0 to 1: `win` (only the attacker stands), `loss` (only the defender), `draw` (neither), `open` (both:
    somebody left, or nobody could hurt the other); `field` is the chance that only the attacker is left in the place, whether
    the defender was destroyed or went. `lost` is the mean loss and `left` the mean number left of each owner's
    kinds; `losses` for each side the chance of losing 0, 1, 2 ... units; `trials` how many were sampled (0: exact or reckoned).
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

    def to_json(self) -> dict[str, Any]:
        return {
            "win": self.win, "draw": self.draw, "loss": self.loss, "open": self.open, "lost": self.lost, "left": self.left,
            "losses": {side: list(p) for side, p in self.losses.items()}, "trials": self.trials, "rounds": self.rounds,
            "field": self.field,
        }  # fmt: skip


def summarize(plan: Plan, final: Batch, *, trials: int = 0, rounds: float = 0.0) -> Odds:
    """Odds from the positions in which battles ended, by their weight."""
    weight = final.weight / final.weight.sum()
    standing = [(final.n[:, plan.holds[side]] > 0).any(axis=1) for side in (0, 1)]
    ends = {
        "win": standing[0] & ~standing[1],
        "draw": ~standing[0] & ~standing[1],
        "loss": ~standing[0] & standing[1],
        "open": standing[0] & standing[1],
    }
    has_field = float(weight[ends["win"]].sum())
    left_battle = [(final.gone[:, plan.of_side[side]] > 0).any(axis=1) for side in (0, 1)]
    for side, end in ((0, "loss"), (1, "win")):  # who left the field has not been destroyed: it stays open
        moved = ends[end] & left_battle[side]
        ends[end] = ends[end] & ~moved
        ends["open"] = ends["open"] | moved
    alive = final.n + final.gone
    lost: dict[str, Kinds] = {}
    left: dict[str, Kinds] = {}
    histogram: dict[str, tuple[float, ...]] = {}
    for side in (0, 1):
        lost[SIDES[side]], left[SIDES[side]] = {}, {}
        gone = np.zeros(len(final), dtype=np.int64)
        for owner, kind, columns in kinds_of(plan, side):
            began = int(plan.start[0, columns].sum())
            now: Array = alive[:, columns].sum(axis=1)
            mean = float((now * weight).sum())
            left[SIDES[side]].setdefault(owner, {})[kind] = mean
            lost[SIDES[side]].setdefault(owner, {})[kind] = began - mean
            gone += began - now
        histogram[SIDES[side]] = tuple(float(x) for x in np.bincount(gone, weights=weight))
    chances = {end: float(weight[mask].sum()) for end, mask in ends.items()}
    return Odds(**chances, lost=lost, left=left, losses=histogram, trials=trials, rounds=rounds, field=has_field)


def kinds_of(plan: Plan, side: int) -> list[tuple[str, str, list[int]]]:
    """Owner, kind and columns of the real units of a side."""
    out: dict[tuple[str, str], list[int]] = {}
    for index in plan.of_side[side]:
        group = plan.groups[index]
        if not group.virtual:
            out.setdefault((group.owner, group.kind), []).append(index)
    return [(owner, kind, columns) for (owner, kind), columns in out.items()]
