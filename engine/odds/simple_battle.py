"""The short way for plain battles: each side loses in one order, so its position is the number of hits it has
taken.

Such a battle is a walk on a grid, and 961 positions of thirty against thirty are settled in a few
milliseconds. What each side throws in every position comes from the same plan and the same stages as
everywhere else; battles that do not fit (hits that only some can take, several nations on a side, stages of
special rounds) go the general way.
"""

from __future__ import annotations

import numpy as np

from ..battle import distributions
from ..battle.batch import Array, Batch, begin
from ..battle.losses import HitTaker
from ..battle.plan import Plan
from ..battle.rounds import HIT, Rounds
from ..battle.samplers import Exact

LIMIT = 2_000_000
"""Numbers in the matrices that are held at a time."""


def duel(plan: Plan) -> tuple[Batch, float] | None:
    """The exact ends of a plain battle and its mean number of rounds, or None if it is none."""
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
    final, fought = _walk(hits[1], hits[0], over)
    rows = np.flatnonzero(final.reshape(-1) > 0)
    return Batch(n[rows], np.zeros_like(n[rows]), final.reshape(-1)[rows], n[rows][:, :0], rows), fought


def _plain(plan: Plan) -> bool:
    """Whether every round is alike, hits count at the end of the round and anybody can take them."""
    if (
        plan.last_special_round > 1
        or plan.most_rounds is not None
        or plan.alone
        or plan.tires
        or plan.touch is not None
    ):
        return False
    if any(
        leave and (leave.rounds or leave.losses is not None or leave.must or leave.kills or leave.own)
        for leave in plan.leaves
    ):
        return False
    for stage in plan.stages:
        row = stage.row
        if (
            stage.at_once
            or stage.resolve != "roll_under"
            or stage.pooled
            or row.get("spent")
            or row.get("out")
        ):
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
    taker = HitTaker(plan, Exact())
    while batch.n[0, targets].any():
        if len(out) > 400:
            return None
        batch = taker.take(batch, side, np.array([1]), HIT, targets, 1)
        out.append(batch.n[0].copy())
    return np.array(out)


def _hits(rounds: Rounds, batch: Batch, side: int) -> Array:
    """For every position the distribution of the hits that a side scores in a round."""
    batch.more = {"armed": np.zeros(len(batch), dtype=bool)}
    pmf = np.ones((len(batch), 1))
    for stage in rounds.plan.stages:
        for volley in stage.volleys:
            if volley.side == side:
                shots = rounds.shots(stage, volley, batch, 1)
                if shots:
                    more = distributions.under([(s.dice, s.value) for s in shots], volley.faces)
                    pmf = distributions.convolve(pmf, more)
    return pmf


def _walk(on_first: Array, on_second: Array, over: Array) -> tuple[Array, float]:
    """The chance of every final position, and the mean number of rounds.

    `on_first[i, j]`: the chances of hits on the first side when they have taken i and j.

    Row by row (hits on the first side): within a row the chances flow to the right, which is a triangular
    system; what leaves the row is one product of matrices.
    """
    a, b = over.shape
    ones = _clipped(on_first, np.arange(a, 0, -1)[:, None])
    others = _clipped(on_second, np.arange(b, 0, -1)[None, :])
    nothing = ones[:, :, 0] * others[:, :, 0]
    stuck = over | (nothing >= 1 - 1e-12)
    scale = np.where(stuck, 0.0, 1 / np.where(stuck, 1.0, 1 - nothing))
    chance = np.zeros((a + ones.shape[2], b))
    chance[0, 0] = 1.0
    steps = max(1, min(a, LIMIT // (b * b)))
    for low in range(0, a, steps):
        rows = slice(low, min(a, low + steps))
        flow = _flow(others[rows])
        within = flow * (scale[rows] * ones[rows, :, 0])[:, :, None]
        within[:, np.arange(b), np.arange(b)] = 0
        spread = np.linalg.inv(np.eye(b) - within)
        for i, here, out in zip(range(low, low + len(flow)), spread, flow, strict=True):
            chance[i] = chance[i] @ here
            chance[i + 1 : i + ones.shape[2]] += (ones[i, :, 1:] * (chance[i] * scale[i])[:, None]).T @ out
    final: Array = np.where(stuck, chance[:a], 0.0)
    return final, float((chance[:a] * scale).sum())


def _flow(hits: Array) -> Array:
    """For each position the chances to come from j to k hits on the second side, as matrices."""
    b = hits.shape[1]
    shift = np.arange(b)[None, :] - np.arange(b)[:, None]
    possible = (shift >= 0) & (shift < hits.shape[2])
    return np.where(possible, hits[:, np.arange(b)[:, None], np.where(possible, shift, 0)], 0.0)


def _clipped(pmf: Array, most: Array) -> Array:
    """Distributions whose surplus hits fall on the last that can be taken:

    `most` outcomes are left in each position.
    """
    places = np.arange(pmf.shape[2])
    last = np.broadcast_to(np.minimum(most - 1, pmf.shape[2] - 1), pmf.shape[:2])[:, :, None]
    surplus = np.where(places > last, pmf, 0.0).sum(axis=2)
    out = np.where(places <= last, pmf, 0.0)
    np.put_along_axis(out, last, np.take_along_axis(out, last, 2) + surplus[:, :, None], 2)
    return out
