"""A plan fought to its end: every outcome with its probability, or many trials.

Rounds that differ from the next (a first shot, a limit in an order) are fought one by one. From then on all
rounds are alike, and what can happen only leads downwards: positions are settled from the strongest to the
weakest, each once, and the chance that nothing happens in a round is divided out instead of being waited for.
"""

from __future__ import annotations

import numpy as np

from ..battle.batch import Array, Batch, join
from ..battle.groups import GONE
from ..battle.plan import Plan
from ..battle.rounds import Rounds, start
from ..battle.samplers import Distribution, Exact, MonteCarlo
from .result import Odds, ends_of, roster_of, summarize
from .simple_battle import duel

MAX_ROUNDS = 100_000


def exact(plan: Plan, *, fast: bool = True, most: int | None = None) -> Odds:
    """The exact odds, to the last place of a double. `fast=False` never takes the short way for plain
    battles.

    TooManyWays when more than `most` outcomes would have to be followed.
    """
    ended, fought = ends(plan, Exact(most=most), fast=fast)
    roster = roster_of(plan)
    return summarize(roster, [ends_of(plan, ended, roster)], rounds=fought)


def sample(plan: Plan, trials: int = 100_000, seed: int = 1) -> Odds:
    """Odds from so many trials. The same seed gives the same odds on one build of NumPy."""
    ended, fought = ends(plan, MonteCarlo(seed), trials)
    roster = roster_of(plan)
    return summarize(roster, [ends_of(plan, ended, roster)], trials=trials, rounds=fought / trials)


def ends(
    plan: Plan, sampler: Exact | MonteCarlo, weight: float = 1.0, *, fast: bool = True
) -> tuple[Batch, float]:
    """How a battle ends, and how many rounds are fought, both times `weight`: a chance, or a whole number of
    trials.
    """
    if isinstance(sampler, MonteCarlo):
        return draw(Rounds(plan, sampler), start(plan, np.int64(weight)))
    found = duel(plan) if fast else None
    if found is None:
        return unfold(Rounds(plan, sampler), start(plan, weight))
    ended, fought = found
    ended.weight = ended.weight * weight
    return ended, fought * weight


def unfold(rounds: Rounds, batch: Batch) -> tuple[Batch, float]:
    """Every way in which the battles of a batch end, and how many rounds are fought, by weight."""
    ended: list[Batch] = []
    over = rounds.over(batch, 0)
    ended.append(batch.keep(over))
    batch = batch.keep(~over)
    number, fought = 0, 0.0
    while len(batch) and (rounds.plan.most_rounds is not None or number < rounds.plan.last_special_round):
        number += 1
        fought += float(batch.weight.sum())
        batch = _one_round(rounds, batch, number, ended)
    fought += _settle_down(rounds, batch, number + 1, ended)
    return join(ended), fought


def by_round(plan: Plan, sampler: Exact | MonteCarlo, weight: float = 1.0) -> list[tuple[int, Batch]]:
    """The ends of a battle by the round after which it ended. Battles without end count as ended at last."""
    rounds = Rounds(plan, sampler)
    batch, number = start(plan, np.int64(weight) if isinstance(sampler, MonteCarlo) else weight), 0
    over = rounds.over(batch, 0)
    out: list[tuple[int, Batch]] = [(0, batch.keep(over))]
    batch = batch.keep(~over)
    while len(batch):
        number += 1
        ended: list[Batch] = []
        batch = _one_round(rounds, batch, number, ended)
        if float(batch.weight.sum()) < 1e-12 or number > MAX_ROUNDS:
            ended.append(batch)
            batch = batch.keep(np.zeros(len(batch), dtype=bool))
        out.append((number, join(ended)))
    return out


def draw(rounds: Rounds, batch: Batch) -> tuple[Batch, float]:
    """The ends of so many battles drawn by lot (the weight of every row says how many), and how many rounds
    they took in all.
    """
    ended: list[Batch] = []
    over = rounds.over(batch, 0)
    ended.append(batch.keep(over))
    batch = batch.keep(~over)
    number, fought = 0, 0.0
    while len(batch):
        fought += float(batch.weight.sum())
        number += 1
        batch = _one_round(rounds, batch, number, ended)
        if number > MAX_ROUNDS:
            raise RuntimeError("a battle without end")
    return join(ended), fought


def _one_round(rounds: Rounds, batch: Batch, number: int, ended: list[Batch]) -> Batch:
    """Fight a round, put aside what is over, and merge the rest."""
    batch = rounds.fight(batch, number)
    batch, over = _after(rounds, batch, number)
    batch.more = {}
    ended.append(batch.keep(over).merge())
    return batch.keep(~over).merge()


def _after(rounds: Rounds, batch: Batch, number: int) -> tuple[Batch, Array]:
    """Who leaves after a round, and which battles are over then.

    The batch may be split by shots at those who leave.
    """
    over = rounds.over(batch, number)
    if rounds.plan.tires:
        rounds.tire(batch, ~over, number)
        over = over | rounds.over(batch, number)
    leaving = rounds.leaving(batch, number)
    won = rounds.holding(batch, 0) & ~rounds.holding(batch, 1)
    # whoever must leave does, even from a field that it has won
    rounds.leave(batch, 0, won & rounds.forced(batch, 0, number))
    batch.more["over"], batch.more["go0"], batch.more["go1"] = over, *leaving
    for side in (0, 1):
        going = batch.more[f"go{side}"] & ~batch.more["over"]
        if going.any():
            batch, going = rounds.part(batch, side, going)
            rounds.leave(batch, side, going)
            batch.more["over"] = batch.more["over"] | (going & rounds.over(batch, number))
    if rounds.plan.touch is not None:
        kept = np.where(batch.more["over"], 1.0, rounds.plan.touch(batch.n))
        assert isinstance(rounds.sampler, Distribution)
        batch, found = rounds.sampler.split(batch, np.stack([1 - kept, kept], axis=1))
        batch.more["over"] = batch.more["over"] | (found == 0)
    return batch, batch.more["over"]


def _settle_down(rounds: Rounds, batch: Batch, number: int, ended: list[Batch]) -> float:
    """Positions from the strongest down; the round's number no longer matters.

    Gives the rounds fought, by weight.
    """
    fought = 0.0
    depth = depths(rounds.plan)
    waiting: dict[int, list[Batch]] = {}
    _sort_in(waiting, batch, depth)
    while waiting:
        level = max(waiting)
        batch = join(waiting.pop(level)).merge()
        chance = batch.weight
        batch.weight = np.ones(len(batch))
        batch.origin = np.arange(len(batch))
        after = rounds.fight(batch, number)
        after, over = _after(rounds, after, number)
        after.more = {}
        same = ~over & (after.n @ depth == level)
        stays = np.bincount(after.origin[same], weights=after.weight[same], minlength=len(chance))
        moves = 1 - stays
        stuck = moves <= 1e-12
        scale = np.where(stuck, 0.0, chance / np.where(stuck, 1.0, moves))
        fought += float(scale.sum())
        if stuck.any():
            rows = np.flatnonzero(stuck)
            ended.append(batch.take(rows, chance[rows]))
        after.weight = after.weight * scale[after.origin]
        live = ~same & (after.weight > 0)
        ended.append(after.keep(live & over).merge())
        _sort_in(waiting, after.keep(live & ~over), depth)
    return fought


def _sort_in(waiting: dict[int, list[Batch]], batch: Batch, depth: Array) -> None:
    if not len(batch):
        return
    levels = batch.n @ depth
    for level in np.unique(levels):
        waiting.setdefault(int(level), []).append(batch.keep(levels == level))


def depths(plan: Plan) -> Array:
    """How many hits each group's units can still take: what every loss and every departure makes less."""
    out = []
    for group in plan.groups:
        steps = 1
        while group.down != GONE:
            group = plan.groups[group.down]
            steps += 1
        out.append(steps)
    return np.array(out, dtype=np.int64)


__all__ = ["Distribution", "by_round", "depths", "draw", "ends", "exact", "sample", "unfold"]
