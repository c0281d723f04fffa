"""Dice of both sides summed and compared, for a batch; comparisons that the loser may have thrown again.

A value for each die (`each_die`), one die of the side for all of its dice (`side_die`), a number for each
unit (`value`). Who may throw again is asked of the losing side (`reroll`); all dice of both sides are thrown,
and the last throw stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .batch import Array, Batch
from .groups import ATTACKER
from .plan import Plan, Stage, Volley
from .samplers import RealDice, Sampler, Shots, Throw

Shooting = Callable[[Stage, Volley, Batch, int], list[Shots]]
YES, NO = 1, 2


class Comparison:
    """One stage of a round that compares sums.

    The difference stands in the batch, so that it goes with split rows.
    """

    def __init__(self, stage: Stage, plan: Plan, sampler: Sampler, number: int, shots: Shooting) -> None:
        self.stage, self.plan, self.sampler, self.number, self.shots = stage, plan, sampler, number, shots
        self.volleys = {volley.side: volley for volley in stage.volleys}
        self.difference = 0
        """Of the first row: the attackers' sum less the defenders'."""
        self.sums = (0, 0)
        """Of real dice: both sums."""
        self.loser: int | None = None
        """The side that has lost, in the first row, once its hits are known."""

    def throw(self, batch: Batch, rows: Array | None = None) -> Batch:
        """Throw the dice of both sides in the rows of the mask (in all); the others keep their difference."""
        mask = np.ones(len(batch), dtype=bool) if rows is None else rows
        batch.more["thrown"] = mask
        batch.more.setdefault("difference", np.zeros(len(batch), dtype=np.int64))
        batch = self._side_dice(batch)
        mask = batch.more.pop("thrown")
        sides: tuple[list[Shots], list[Shots]] = ([], [])
        throws = [Throw(self.stage.id, side, self.number, 1) for side in (0, 1)]
        plus = [np.zeros(len(batch), dtype=np.int64) for _ in (0, 1)]
        for side, volley in self.volleys.items():
            each = batch.more.pop(f"die{side}")
            if volley.each_die is not None:
                each = each + volley.each_die(batch.n, self.number)
            throws[side] = Throw(self.stage.id, side, self.number, volley.faces)
            for shot in self.shots(self.stage, volley, batch, self.number):
                sides[side].append(
                    Shots(shot.group, np.where(mask, shot.dice, 0), np.broadcast_to(each, (len(batch),)))
                )
            plus[side] = np.where(mask, self._for_units(volley, batch), 0)
        if sides[0] or sides[1]:
            batch.more["mask"] = mask
            batch, found = self.sampler.difference(batch, sides, (throws[0], throws[1]), plus[0] - plus[1])
            mask = batch.more.pop("mask")
        else:
            found = plus[0] - plus[1]
        batch.more["difference"] = np.where(mask, found, batch.more["difference"])
        if isinstance(self.sampler, RealDice):
            dice = self.sampler.sums if sides[0] or sides[1] else (0, 0)
            self.sums = (dice[0] + int(plus[0][0]), dice[1] + int(plus[1][0]))
        self.difference = int(batch.more["difference"][0])
        return batch

    def _side_dice(self, batch: Batch) -> Batch:
        """One die of each side that has one; its face for each row, 0 where it is not thrown."""
        for side, volley in self.volleys.items():
            rule = volley.side_die
            if rule is None:
                batch.more[f"die{side}"] = np.zeros(len(batch), dtype=np.int64)
                continue
            has = np.broadcast_to(rule.when.truth(batch.n, self.number), (len(batch),)) & batch.more["thrown"]
            batch, face = self.sampler.one(
                batch, has, Throw(f"{self.stage.id}-side", side, self.number, rule.faces)
            )
            batch.more[f"die{side}"] = face
        return batch

    def _for_units(self, volley: Volley, batch: Batch) -> Array:
        allowed = np.broadcast_to(volley.when.truth(batch.n, self.number), (len(batch),))
        out = np.zeros(len(batch), dtype=np.int64)
        for fire in volley.fires:
            out = out + batch.n[:, fire.group] * fire.value(batch.n, self.number)
        found: Array = np.where(allowed, out, 0)
        return found

    # ---- who has lost

    def lost(self, batch: Batch) -> tuple[Array, Array]:
        """For each side the rows in which it has lost the comparison."""
        difference = batch.more["difference"]
        attacker_wins = difference >= 0 if self.stage.tie == ATTACKER else difference > 0
        return ~attacker_wins, attacker_wins

    def hits(self, batch: Batch) -> tuple[Array, Array]:
        """The hits on each side, by the difference, which is used up."""
        base, per, least = self.stage.loss
        lost = self.lost(batch)
        size = np.abs(batch.more.pop("difference"))
        hits = np.maximum(base + (size // per if per else 0), least)
        self.loser = int(bool(lost[1][0]))
        return np.where(lost[0], hits, 0), np.where(lost[1], hits, 0)

    def may_again(self, batch: Batch, side: int) -> Array:
        """Rows in which a side has lost and its row lets it throw again, however often it has."""
        volley = self.volleys.get(side)
        if volley is None or volley.reroll is None:
            return np.zeros(len(batch), dtype=bool)
        may: Array = self.lost(batch)[side] & np.broadcast_to(
            volley.reroll.who.truth(batch.n, self.number), (len(batch),)
        )
        return may

    def lucky(self, batch: Batch, side: int, rows: Array) -> tuple[Batch, Array]:
        """The die that a side throws before it may throw again at all: 1 yes, 2 no, 0 where it is not
        thrown.
        """
        reroll = self.volleys[side].reroll
        assert reroll is not None
        if reroll.luck is None:
            return batch, np.where(rows, YES, 0)
        faces, fine = reroll.luck
        batch, face = self.sampler.one(batch, rows, Throw(f"{self.stage.id}-luck", side, self.number, faces))
        return batch, np.where(face == 0, 0, np.where(np.isin(face, sorted(fine)), YES, NO))

    def throw_again(self, batch: Batch) -> Batch:
        """Throw again as long as losers of this one battle may, each as often as their row says."""
        rules = {side: volley.reroll for side, volley in self.volleys.items() if volley.reroll is not None}
        if not rules:
            return batch
        for side in rules:
            batch.more[f"tries{side}"] = np.zeros(len(batch), dtype=np.int64)
            batch.more[f"luck{side}"] = np.zeros(len(batch), dtype=np.int64)
        while True:
            for side, rule in rules.items():
                left = batch.more[f"tries{side}"] < _most(rule)
                batch, luck = self.lucky(
                    batch, side, self.may_again(batch, side) & left & (batch.more[f"luck{side}"] == 0)
                )
                batch.more[f"luck{side}"] = np.where(luck > 0, luck, batch.more[f"luck{side}"])
            again = np.zeros(len(batch), dtype=bool)
            for side, rule in rules.items():
                mine = self.may_again(batch, side) & (batch.more[f"luck{side}"] == YES)
                mine &= batch.more[f"tries{side}"] < _most(rule)
                batch.more[f"tries{side}"] = batch.more[f"tries{side}"] + mine
                again |= mine
            if not again.any():
                break
            batch = self.throw(batch, again)
        for side in rules:
            del batch.more[f"tries{side}"], batch.more[f"luck{side}"]
        return batch


def _most(rule: Any) -> int:
    return int(rule.most if rule.in_all is None else min(rule.most, rule.in_all))
