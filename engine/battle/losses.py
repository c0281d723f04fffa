"""How a side takes its hits: what goes first, the shares of its nations, each owner's order, what goes last;
the rest is lost.

Hits carry a kind: `hit` leads a unit one condition down, `kill` removes it outright, `wound` leads down but
never removes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

import numpy as np

from .batch import Array, Batch
from .groups import GONE
from .plan import Plan
from .samplers import Sampler

Note = Callable[[int, int, int], None]
"""Is told of units of a batch of one that are hit: their group, the group they become (`GONE`: lost), how
many."""


class HitTaker:
    """Takes the hits of a plan's rounds."""

    def __init__(self, plan: Plan, sampler: Sampler) -> None:
        self.plan = plan
        self.sampler = sampler

    def take(
        self,
        batch: Batch,
        side: int,
        hits: Array,
        kind: str,
        targets: Collection[int],
        number: int,
        note: Note | None = None,
    ) -> Batch:
        """Apply hits on a side in a round, and tell `note` of each.

        Returns the batch, which a lot may have split; surplus hits are lost.
        """
        losses = self.plan.losses[side]
        left = self._down(batch, [i for i in losses.first if i in targets], hits, kind, note)
        owners = {owner: [i for i in order if i in targets] for owner, order in losses.owners}
        owners = {owner: order for owner, order in owners.items() if order}
        if len(owners) > 1:
            batch.more["left"] = left
            if losses.levels:
                batch, shares = self._fallen(batch, side, owners, left, kind)
            else:
                strength = _strengths(self.plan, batch, side, list(owners), number)
                batch, shares = self._shares(batch, owners, strength, left, kind, f"shares-{side}")
            left = batch.more.pop("left") - shares.sum(axis=1)
            for order, share in zip(owners.values(), shares.T, strict=True):
                self._down(batch, order, share, kind, note)
        else:
            for order in owners.values():
                left = self._down(batch, order, left, kind, note)
        self._down(batch, [i for i in losses.last if i in targets], left, kind, note)
        return batch

    def _down(self, batch: Batch, groups: Iterable[int], hits: Array, kind: str, note: Note | None) -> Array:
        """Hits taken by groups, one after another, by each as many as there are units in it. Returns the hits
        that are left."""
        for index in groups:
            down = GONE if kind == "kill" else self.plan.groups[index].down
            if down == GONE and kind == "wound":
                continue
            taken = np.minimum(hits, batch.n[:, index])
            if not taken.any():
                continue
            batch.n[:, index] -= taken
            if down != GONE:
                batch.n[:, down] += taken
            if note is not None:
                note(index, down, int(taken[0]))
            hits = hits - taken
        return hits

    def _fallen(
        self, batch: Batch, side: int, owners: Mapping[str, list[int]], hits: Array, kind: str
    ) -> tuple[Batch, Array]:
        """Hits of each nation where they fall on the units of all in one order: rank by rank, among nations
        whose units are of one rank by their numbers. The units are hit for a trial only.
        """
        column = {owner: number for number, owner in enumerate(owners)}
        batch.more["before_trial"] = batch.n.copy()
        batch.more["waiting"] = hits
        batch.more["fallen"] = np.zeros((len(batch), len(owners)), dtype=np.int64)
        for rank, level in enumerate(self.plan.losses[side].levels):
            there = {owner: [i for i in level if i in groups] for owner, groups in owners.items()}
            there = {owner: groups for owner, groups in there.items() if groups}
            if not there:
                continue
            numbers = np.stack([batch.n[:, groups].sum(axis=1) for groups in there.values()], axis=1)
            falling = np.minimum(batch.more["waiting"], numbers.sum(axis=1))
            batch, share = self._shares(batch, there, numbers, falling, kind, f"shares-{side}-{rank}")
            for (owner, groups), part in zip(there.items(), share.T, strict=True):
                taken = part - self._down(batch, groups, part, kind, None)
                batch.more["fallen"][:, column[owner]] += taken
                batch.more["waiting"] = batch.more["waiting"] - taken
        batch.n = batch.more.pop("before_trial")
        del batch.more["waiting"]
        return batch, batch.more.pop("fallen")

    def _shares(
        self,
        batch: Batch,
        owners: Mapping[str, list[int]],
        strength: Array,
        hits: Array,
        kind: str,
        about: str,
    ) -> tuple[Batch, Array]:
        """Hits divided among the nations of a side by their share of its strength.

        Each has the whole part of their share; the rest go by the largest fraction, then by the larger
        strength, then by lot. What a nation has no units for goes to the others in the same order.
        """
        count = len(owners)
        total = strength.sum(axis=1)
        safe = np.where(total > 0, total, 1)
        exact = hits[:, None] * strength
        share, rest = exact // safe[:, None], exact % safe[:, None]
        spare = hits - share.sum(axis=1)
        rank = rest * (int(strength.max(initial=0)) + 1) + strength
        tied = _tie_matters(rank, spare)
        room = self._rooms(batch, owners, kind)
        tied |= _overflow_splits(
            rank, _with_spare(share, spare, np.argsort(-rank, axis=1, kind="stable")), room
        )
        batch.more.update(share=share, rank=rank, spare=spare)
        batch, lot = self.sampler.order(batch, tied, count, about)
        share, rank, spare = (batch.more.pop(name) for name in ("share", "rank", "spare"))
        order = np.argsort(-(rank * (count + 1) + lot), axis=1, kind="stable")
        share = _with_spare(share, spare, order)
        room = self._rooms(batch, owners, kind)
        over = np.maximum(share - room, 0).sum(axis=1)
        share = np.minimum(share, room)
        rows = np.arange(len(batch))
        for place in range(count):
            if not over.any():
                break
            who = order[:, place]
            more = np.minimum(over, room[rows, who] - share[rows, who])
            share[rows, who] += more
            over = over - more
        return batch, share

    def _rooms(self, batch: Batch, owners: Mapping[str, list[int]], kind: str) -> Array:
        """How many hits of this kind each nation's groups can take in all."""
        return np.stack([_room(self.plan, batch, groups, kind) for groups in owners.values()], axis=1)


def _with_spare(share: Array, spare: Array, order: Array) -> Array:
    """Shares with the hits that whole parts leave over, one for each nation in this order."""
    share = share.copy()
    for place in range(share.shape[1]):
        rows = np.flatnonzero(spare > place)
        share[rows, order[rows, place]] += 1
    return share


def _overflow_splits(rank: Array, share: Array, room: Array) -> Array:
    """Rows where hits that some nations have no units for are too few for all others of one rank."""
    over = np.maximum(share - room, 0).sum(axis=1)
    free = np.maximum(room - share, 0)
    out = np.zeros(len(rank), dtype=bool)
    for place in range(rank.shape[1]) if over.any() else ():
        mine = rank[:, [place]]
        alike = np.where(rank == mine, free, 0)
        reach = over - np.where(rank > mine, free, 0).sum(axis=1)
        out |= ((alike > 0).sum(axis=1) > 1) & (reach > 0) & (reach < alike.sum(axis=1))
    return out


def _tie_matters(rank: Array, spare: Array) -> Array:
    """Rows where the last hit by fraction falls between nations of the same rank."""
    ordered = -np.sort(-rank, axis=1)
    out = np.zeros(len(rank), dtype=bool)
    for place in range(rank.shape[1] - 1):
        out |= (spare == place + 1) & (ordered[:, place] == ordered[:, place + 1])
    return out


def _strengths(plan: Plan, batch: Batch, side: int, owners: list[str], number: int) -> Array:
    """What each nation weighs, as computed at the start of the round; by numbers where nobody has any
    strength.
    """
    before = batch.more["before"]
    out = np.zeros((len(batch), len(owners)), dtype=np.int64)
    counts = np.zeros_like(out)
    for value, index in zip(plan.strength[side], plan.of_side[side], strict=True):
        owner = plan.groups[index].owner
        if owner in owners:
            out[:, owners.index(owner)] += before[:, index] * value(before, number)
            counts[:, owners.index(owner)] += before[:, index]
    weak = out.sum(axis=1) == 0
    return np.where(weak[:, None], counts, out)


def _room(plan: Plan, batch: Batch, indices: list[int], kind: str) -> Array:
    """How many hits of this kind the groups can take in all."""
    out = np.zeros(len(batch), dtype=np.int64)
    for index in indices:
        steps, at = 1, index
        while kind == "hit" and plan.groups[at].down != GONE and plan.groups[at].down in indices:
            at = plan.groups[at].down
            steps += 1
        if kind == "wound" and plan.groups[index].down == GONE:
            steps = 0
        out += steps * batch.n[:, index]
    return out
