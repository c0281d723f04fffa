"""The short way for plain battles: each side loses in one order, so its position is the number of hits it has taken.

Such a battle is a walk on a grid, and 961 positions of thirty against thirty are settled in a few milliseconds. What each side
throws in every position comes from the same plan and the same stages as everywhere else; battles that do not fit (hits that
only some can take, several nations on a side, stages of special rounds) go the general way.
"""

from __future__ import annotations

import numpy as np

from ..battle import chances
from ..battle.batch import Array, Batch, begin
from ..battle.losses import take
from ..battle.plan import Plan
from ..battle.rounds import HIT, Rounds, results
from ..battle.samplers import Exact
from .result import Odds, summarize


def duel(plan: Plan) -> Odds | None:
    """The exact odds of a plain battle, or None if it is none."""
    if not _plain(plan):
        return None
    lines = [_line(plan, side) for side in (0, 1)]
    if any(line is None for line in lines):
        return None
    first, second = lines
    assert first is not None and second is not None
    a, b = len(first), len(second)
    grid = np.concatenate([np.repeat(first, b, axis=0)[:, None], np.tile(second, (a, 1))[:, None]], axis=1)
    n = np.zeros((a * b, len(plan.groups)), dtype=np.int64)
    for side in (0, 1):
        n[:, plan.of_side[side]] = grid[:, side][:, plan.of_side[side]]
    batch = begin(n, 1)
    rounds = Rounds(plan, Exact())
    standing = [rounds.holding(batch, side).reshape(a, b) for side in (0, 1)]
    hits = [_hits(rounds, batch, side).reshape(a, b, -1) for side in (0, 1)]
    over = ~(standing[0] & standing[1])
    final = _walk(hits[1], hits[0], over)
    rows = np.flatnonzero(final.reshape(-1) > 0)
    return summarize(plan, Batch(n[rows], np.zeros_like(n[rows]), final.reshape(-1)[rows], n[rows][:, :0], rows))


def _plain(plan: Plan) -> bool:
    """Whether every round is alike, hits count at the end of the round and anybody can take them."""
    if plan.last_special_round > 1 or plan.most_rounds is not None or plan.alone:
        return False
    if any(leave and (leave.rounds or leave.losses is not None or leave.must) for leave in plan.leaves):
        return False
    for stage in plan.stages:
        row = stage.row
        if stage.at_once or row.get("resolve", "under") != "under" or row.get("pooled") or row.get("spent") or row.get("out"):
            return False
        if row.get("rounds") is not None:
            return False
        if any(sorted(v.targets) != _hittable(plan, 1 - v.side) for v in stage.volleys):
            return False
    return all(len(losses.owners) <= 1 for losses in plan.losses)


def _hittable(plan: Plan, side: int) -> list[int]:
    losses = plan.losses[side]
    return sorted([*losses.first, *losses.last, *(i for _, order in losses.owners for i in order)])


def _line(plan: Plan, side: int) -> Array | None:
    """Numbers of the groups after 0, 1, 2 ... hits on a side, down to nothing that can be hit."""
    batch = begin(plan.start, 0)
    out = [batch.n[0].copy()]
    targets = _hittable(plan, side)
    while batch.n[0, targets].any():
        if len(out) > 400:
            return None
        batch = take(plan, batch, side, np.array([1]), HIT, targets, Exact(), None)
        out.append(batch.n[0].copy())
    return np.array(out)


def _hits(rounds: Rounds, batch: Batch, side: int) -> Array:
    """For every position the distribution of the hits that a side scores in a round."""
    batch.more = {"armed": np.zeros(len(batch), dtype=bool)}
    pmf = np.ones((len(batch), 1))
    for stage in rounds.plan.stages:
        for volley in stage.volleys:
            if volley.side == side:
                shots = rounds._shots(stage, volley, batch, 1)
                if shots:
                    more = chances.under([(s.dice, s.value) for s in shots], volley.faces)
                    pmf = chances.convolve(pmf, more)
    return pmf


def _walk(on_first: Array, on_second: Array, over: Array) -> Array:
    """The chance of every final position. `on_first[i, j]`: hits on the first side when they have taken i and j."""
    a, b = over.shape
    chance = np.zeros((a, b))
    chance[0, 0] = 1.0
    final = np.zeros((a, b))
    for i in range(a):
        for j in range(b):
            now = chance[i, j]
            if now == 0.0:
                continue
            if over[i, j]:
                final[i, j] += now
                continue
            one, other = _clipped(on_first[i, j], a - i), _clipped(on_second[i, j], b - j)
            stays = one[0] * other[0]
            if stays >= 1 - 1e-12:
                final[i, j] += now
                continue
            step = one[:, None] * (other * (now / (1 - stays)))
            step[0, 0] = 0.0
            chance[i : i + len(one), j : j + len(other)] += step
    return final


def _clipped(pmf: Array, most: int) -> Array:
    """A distribution whose surplus hits fall on the last that can be taken."""
    if len(pmf) <= most:
        return pmf
    out = pmf[:most].copy()
    out[-1] += pmf[most:].sum()
    return out


__all__ = ["duel", "results"]
