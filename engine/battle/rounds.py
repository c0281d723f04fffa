"""A round of battle, for a batch: stage by stage, hits taken at once or at the end, then who must or may
leave.

The same code fights a real battle, samples a million and unfolds every outcome; only the sampler differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..world.tables import in_range
from .batch import Array, Batch, begin
from .groups import GONE, SIDES
from .losses import HitTaker
from .plan import Leave, Pair, Plan, Stage, Volley
from .samplers import Sampler, Shots, Throw
from .sums import Comparison

HIT = "hit"
Held = tuple[str, int, int, str]
"""Hits of a battle that are taken later: of which stage, on which side, how many, what they do."""
Waiting = tuple[Volley, str, str]
"""Hits that fall before the next stage: whose, what they do, and the column of the batch that holds how
many.
"""


def columns(plan: Plan) -> list[tuple[int, list[int], str, str]]:
    """The kinds of hits that can wait for the end of a round: on which side, on which groups, what they do,
    from which stage.

    Hits that fewer groups can take come first, so that no hit is wasted on a group that others could have
    spared.
    """
    out: list[tuple[int, list[int], str, str]] = []
    for stage in plan.stages:
        if stage.at_once or stage.row.get("out") or stage.resolve == "sum":
            continue
        for volley in stage.volleys:
            for kind in results(stage):
                out.append((1 - volley.side, volley.targets, kind, stage.id))
    return out


def results(stage: Stage) -> list[str]:
    """What hits of a stage do, best first."""
    if stage.resolve != "face":
        return [HIT]
    return list(stage.reading.get("order") or dict.fromkeys(stage.reading["table"].values()))


def start(plan: Plan, weight: Any = 1.0) -> Batch:
    """A batch with the battle at its beginning, once."""
    return begin(plan.start, len(columns(plan)), weight)


class HitUnits(NamedTuple):
    """Units of a group that were hit in a stage, and the group that they became (`GONE`: they are lost)."""

    group: int
    becomes: int
    n: int
    stage: str


class Rounds:
    """Fights the rounds of one plan."""

    def __init__(
        self, plan: Plan, sampler: Sampler, *, recorded: bool = False, held: list[Held] | None = None
    ) -> None:
        """`recorded`: of a batch of one the hits are written down as they are taken (`taken`). `held`: hits
        are not taken but put there, and nobody has a comparison thrown again before the caller says so.
        """
        self.plan = plan
        self.sampler = sampler
        self.recorded = recorded
        self.taken: list[HitUnits] = []
        self.hit_taker = HitTaker(plan, sampler)
        self.held = held
        self.columns = columns(plan)
        self._shared = any(len(side.owners) > 1 for side in plan.losses)
        self._again = _may_fire_twice(plan)
        self._order = sorted(
            range(len(self.columns)), key=lambda c: (self._place(self.columns[c]), len(self.columns[c][1]))
        )
        self.stage = ""
        self.number = 1
        self.compared: Comparison | None = None  # the last comparison of sums

    def _place(self, column: tuple[int, list[int], str, str]) -> int:
        """Kinds of hits in the order of their stage's results."""
        for stage in self.plan.stages:
            if stage.id == column[3]:
                return results(stage).index(column[2])
        return 0

    # ---- a round

    def fight(self, batch: Batch, number: int) -> Batch:
        """One round of every row: who is lost without a die, the stages, the hits that waited."""
        self.number = number
        batch.n, batch.hits = batch.n.copy(), np.zeros_like(batch.hits)
        batch = self.drop_alone(batch, number)
        batch.more = {"armed": np.zeros(len(batch), dtype=bool)}
        if self._shared:
            batch.more["before"] = batch.n.copy()
        if self._again:
            batch.more["fired"] = np.zeros(batch.n.shape, dtype=bool)
        for stage in self.plan.stages:
            if stage.in_round(number):
                self.stage = stage.id
                batch = self._stage(stage, batch, number)
        self.stage = ""
        for column in self._order:
            side, targets, kind, stage_id = self.columns[column]
            if batch.hits[:, column].any():
                self.stage = stage_id
                batch = self._hit(batch, side, batch.hits[:, column], kind, targets)
        return batch

    def _hit(self, batch: Batch, side: int, hits: Array, kind: str, targets: list[int]) -> Batch:
        """Hits on a side are taken, or held."""
        if self.held is None:
            return self.hit_taker.take(batch, side, hits, kind, targets, self.number, self._note)
        if hits[0]:
            self.held.append((self.stage, side, int(hits[0]), kind))
        return batch

    def fall(self, held: Sequence[Held], number: int) -> Batch:
        """Take hits of a round that were held, by those who are there now and can be hit in the stage that
        they come from.
        """
        self.number = number
        batch = start(self.plan)
        batch.more["before"] = batch.n.copy()
        for stage in self.plan.stages:
            for id_, side, n, kind in held:
                if id_ == stage.id:
                    self.stage = id_
                    batch = self._hit(batch, side, np.array([n]), kind, stage.hit[side] if stage.hit else [])
        return batch

    def drop_alone(self, batch: Batch, number: int, *, ended: bool = False) -> Batch:
        """Groups that fall without a shot while what would hold them is missing; `ended`: not those who may
        still leave first.
        """
        for row in self.plan.alone:
            if ended and self.plan.leaves[row.side] is not None:
                continue
            mask = np.broadcast_to(row.when.truth(batch.n, number), (len(batch),))
            if mask.any():
                for index in row.groups:
                    lost = np.where(mask, batch.n[:, index], 0)
                    if lost.any():
                        batch.n[:, index] -= lost
                        self._note(index, GONE, int(lost[0]))
        return batch

    def _note(self, group: int, becomes: int, n: int) -> None:
        if self.recorded and n:
            self.taken.append(HitUnits(group, becomes, n, self.stage))

    # ---- stages

    def _stage(self, stage: Stage, batch: Batch, number: int) -> Batch:
        if stage.row.get("out"):
            return batch
        if stage.resolve == "sum":
            return self._sums(stage, batch, number)
        if stage.resolve == "compare":
            batch, waiting = self._compare(stage, batch, number)
        else:
            batch, waiting = self._fire(stage, batch, number)
        names = results(stage)
        for which_kind in names:
            for volley, kind, key in waiting:
                if kind == which_kind:
                    hits = batch.more.pop(key)
                    batch = self._hit(batch, 1 - volley.side, hits, kind, volley.targets)
        if stage.row.get("spent"):
            for volley in stage.volleys:
                for fire in volley.fires:
                    self._note(fire.group, GONE, int(batch.n[0, fire.group]))
                    batch.n[:, fire.group] = 0
        return batch

    def _fire(self, stage: Stage, batch: Batch, number: int) -> tuple[Batch, list[Waiting]]:
        """Each side throws for itself.

        Gives what hits at once: the volley, what it does, and the column of its hits.
        """
        waiting: list[Waiting] = []
        for place, volley in enumerate(stage.volleys):
            shots = self.shots(stage, volley, batch, number)
            if not shots:
                continue
            throw = Throw(stage.id, volley.side, number, volley.faces)
            batch, thrown = self._throw(stage, volley, batch, shots, throw)
            for which, kind in enumerate(results(stage)):
                hits = thrown[:, which] if thrown.ndim > 1 else thrown
                self._score(stage, batch, volley, kind, hits, f"now{place}{which}", waiting)
        return batch, waiting

    def _compare(self, stage: Stage, batch: Batch, number: int) -> tuple[Batch, list[Waiting]]:
        """Both sides throw, and their dice are compared one against one: each pair won is a hit."""
        waiting: list[Waiting] = []
        volleys = {volley.side: volley for volley in stage.volleys}
        if len(volleys) < len(SIDES):
            return batch, waiting
        sides = (self.shots(stage, volleys[0], batch, number), self.shots(stage, volleys[1], batch, number))
        if not (sides[0] and sides[1]):
            return batch, waiting
        dice = [np.sum([np.broadcast_to(s.dice, (len(batch),)) for s in shots], axis=0) for shots in sides]
        batch.more["armed"] |= (dice[0] > 0) & (dice[1] > 0)
        throws = (Throw(stage.id, 0, number, volleys[0].faces), Throw(stage.id, 1, number, volleys[1].faces))
        batch, won = self.sampler.compare(batch, sides, throws, tie=stage.tie)
        for side in (0, 1):
            self._score(stage, batch, volleys[side], HIT, won[:, side], f"now{side}", waiting)
        return batch, waiting

    def _score(
        self,
        stage: Stage,
        batch: Batch,
        volley: Volley,
        kind: str,
        hits: Array,
        key: str,
        waiting: list[Waiting],
    ) -> None:
        """Hits count now, before the next stage (`key`: the column that they wait in), or at the end of the
        round.
        """
        if stage.at_once:
            batch.more[key] = hits
            waiting.append((volley, kind, key))
        else:
            batch.hits[:, self._column(stage, volley, kind)] += hits

    def _column(self, stage: Stage, volley: Volley, kind: str) -> int:
        return next(
            i for i, (side, targets, what, id_) in enumerate(self.columns)
            if side == 1 - volley.side and what == kind and id_ == stage.id and targets is volley.targets
        )  # fmt: skip

    def _throw(
        self, stage: Stage, volley: Volley, batch: Batch, shots: Sequence[Shots], throw: Throw
    ) -> tuple[Batch, Array]:
        if stage.resolve == "face":
            return self._faces(stage, batch, shots, throw)
        if stage.pooled:
            return self.sampler.pooled(batch, shots, throw)
        return self.sampler.under(batch, shots, throw)

    def _faces(self, stage: Stage, batch: Batch, shots: Sequence[Shots], throw: Throw) -> tuple[Batch, Array]:
        """Dice looked up by face.

        The value of a group says how many dice make one result; groups of one number go together.
        """
        names = results(stage)
        table = [
            [
                f
                for f in range(1, throw.faces + 1)
                if any(v == name and in_range(k, f) for k, v in stage.reading["table"].items())
            ]
            for name in names
        ]
        numbers = sorted({int(np.asarray(s.value).reshape(-1)[0]) for s in shots})
        found: Array | None = None
        for of in numbers:
            together = [s for s in shots if int(np.asarray(s.value).reshape(-1)[0]) == of]
            if found is not None:
                batch.more["found"] = found
                together = [Shots(s.group, batch.more[f"dice{s.group}"], s.value) for s in together]
            else:
                for shot in shots:
                    batch.more[f"dice{shot.group}"] = np.broadcast_to(shot.dice, (len(batch),))
            batch, more = self.sampler.classes(batch, together, throw, table, max(1, of))
            found = more if found is None else batch.more.pop("found") + more
        for shot in shots:
            batch.more.pop(f"dice{shot.group}", None)
        assert found is not None
        return batch, found

    def shots(self, stage: Stage, volley: Volley, batch: Batch, number: int) -> list[Shots]:
        """What each group of a volley's side throws in round `number`, by its living.

        For each position of the batch: how many dice, and the value they are thrown with. Empty if nobody may
        fire in any position.

        Who fires is noted in `batch.more`: `armed`, and `fired` where a group fires once a round.
        """
        allowed = np.broadcast_to(volley.when.truth(batch.n, number), (len(batch),))
        if stage.resolve != "sum":  # nobody shoots where there is nothing to hit
            allowed = allowed & batch.n[:, volley.targets].any(axis=1)
        if stage.fire_on_retreat is not None:
            allowed = allowed & batch.more["fire_on_retreat"]
        if not allowed.any():
            return []
        again = bool(stage.row.get("again")) or stage.fire_on_retreat is not None
        fired = batch.more.get("fired")
        out = []
        for fire in volley.fires:
            n = batch.n[:, fire.group]
            if not allowed.all():
                n = np.where(allowed, n, 0)
            if fired is not None and not again:
                n = np.where(fired[:, fire.group], 0, n)
            if n.any():
                dice = n * fire.dice(batch.n, number)
                value = np.asarray(fire.value(batch.n, number))
                out.append(Shots(fire.group, dice, value))
                if fired is not None and not again:
                    fired[:, fire.group] |= n > 0
        if volley.dice_of_side is not None and out:
            whole = np.where(sum(s.dice for s in out) > 0, volley.dice_of_side(batch.n, number), 0)
            out = [Shots(out[0].group, whole, out[0].value)]
        if volley.most is not None:
            out = _strongest(out, np.asarray(volley.most(batch.n, number)))
        if stage.resolve == "roll_under":
            out = self._supported(volley, batch, out)
            for shot in out:
                batch.more["armed"] |= (shot.dice > 0) & (shot.value > 0)
        elif out and stage.resolve != "compare":  # compared dice hurt nobody where the other side throws none
            batch.more["armed"][:] = True
        return out

    def _supported(self, volley: Volley, batch: Batch, shots: list[Shots]) -> list[Shots]:
        """Pairs of givers and takers: as many dice as givers help get the addition, those of the best takers
        first.
        """
        for pair in self.plan.pairs:
            if pair.side == volley.side and pair.givers and pair.takers:
                shots = _pair(pair, batch, shots)
        return shots

    # ---- sums compared

    def _sums(self, stage: Stage, batch: Batch, number: int) -> Batch:
        """Both sides' dice summed and compared; the loser takes hits by the difference."""
        self.compared = Comparison(stage, self.plan, self.sampler, number, self.shots)
        batch = self.compared.throw(batch)
        if self.held is None:
            batch = self.compared.throw_again(batch)
        hits = self.compared.hits(batch)
        batch.more["armed"][:] = True
        for side in (1, 0):
            batch.more[f"on{side}"] = hits[side]
        for side in (1, 0):
            taken = batch.more.pop(f"on{side}")
            batch = self._hit(batch, side, taken, HIT, self._targets_of(stage, side))
        return batch

    def _targets_of(self, stage: Stage, side: int) -> list[int]:
        for volley in stage.volleys:
            if volley.side == 1 - side:
                return volley.targets
        return []

    # ---- the end of a round

    def holding(self, batch: Batch, side: int) -> Array:
        """Rows where a side still stands in the battle."""
        return np.asarray((batch.n[:, self.plan.holds[side]] > 0).any(axis=1))

    def over(self, batch: Batch, number: int) -> Array:
        """Rows whose battle has ended: a side has nobody left, nobody can hurt anybody any more, or the
        rounds are used up.
        """
        batch = self.drop_alone(batch, number + 1, ended=True)
        out: Array = ~(self.holding(batch, 0) & self.holding(batch, 1))
        if self.plan.most_rounds is not None and number >= self.plan.most_rounds:
            out[:] = True
        elif number > self.plan.last_special_round and "armed" in batch.more:
            out |= ~batch.more["armed"]
        return out

    def leaving(self, batch: Batch, number: int) -> tuple[Array, Array]:
        """For each side the rows in which it leaves after this round.

        If both would, one stays (`both` names who goes).
        """
        leaving = []
        for side, leave in enumerate(self.plan.leaves):
            whole = self._leaves(leave, batch, number) if leave else np.zeros(len(batch), dtype=bool)
            if leave and leave.own:
                there = [batch.n[:, part.groups].any(axis=1) for part in leave.own]
                own = np.stack(
                    [self._leaves(p, batch, number) & t for p, t in zip(leave.own, there, strict=True)],
                    axis=1,
                )
                batch.more[f"own{side}"] = own | whole[:, None]
                batch.more[f"whole{side}"] = whole
                whole = whole | own.any(axis=1)
            leaving.append(whole)
        if self.plan.row.get("leave", {}).get("both") == "both":
            return leaving[0], leaving[1]
        first = next((i for i, leave in enumerate(self.plan.leaves) if leave and leave.first), 0)
        leaving[1 - first] &= ~leaving[first]
        return leaving[0], leaving[1]

    def forced(self, batch: Batch, side: int, number: int) -> Array:
        """Rows in which a side must leave by the test of its own row."""
        leave = self.plan.leaves[side]
        if leave is None or leave.must is None or number < leave.after:
            return np.zeros(len(batch), dtype=bool)
        return np.broadcast_to(leave.must.truth(batch.n, number), (len(batch),)).astype(bool)

    def _leaves(self, leave: Leave, batch: Batch, number: int) -> Array:
        out = np.zeros(len(batch), dtype=bool)
        if number < leave.after:
            return out
        if leave.rounds is not None and number >= leave.rounds:
            out[:] = True
        if leave.losses is not None:
            whole = self.plan.leaves[leave.side] is leave
            out |= (
                self.lost(batch, leave.side, None if whole else {*leave.groups, *leave.behind}) > leave.losses
            )
        if leave.kills is not None:
            foes = [i for i in self.plan.of_side[1 - leave.side] if not self.plan.groups[i].virtual]
            enough = self.lost(batch, 1 - leave.side) >= int(leave.kills["kills"])
            out |= enough & (batch.n[:, foes].sum(axis=1) > int(leave.kills["left"]))
        if leave.must is not None:
            out |= np.broadcast_to(leave.must.truth(batch.n, number), out.shape)
        if leave.may is not None:
            out &= np.broadcast_to(leave.may.truth(batch.n, number), out.shape)
        return out

    def part(self, batch: Batch, side: int, mask: Array) -> tuple[Batch, Array]:
        """Those of a side who leave, in the rows of the mask, are fired at once more where stages say so
        (`fire_on_retreat`).

        Returns the batch, which the dice may have split, and the mask for it. Other columns of `more` go
        along.
        """
        batch.more["fire_on_retreat"] = np.broadcast_to(mask, (len(batch),)).copy()
        batch.more.setdefault("armed", np.zeros(len(batch), dtype=bool))
        for stage in self.plan.stages:
            if stage.fire_on_retreat == SIDES[side]:
                self.stage = stage.id
                batch.n = batch.n.copy()
                batch = self._stage(stage, batch, 0)
        return batch, batch.more.pop("fire_on_retreat")

    def tire(self, batch: Batch, mask: Array, number: int) -> None:
        """Groups for which this was the last round that they could fight leave the battle, in the rows of the
        mask.
        """
        for index, last in self.plan.tires.items():
            if number >= last:
                _go_away(batch, index, mask)

    def leave(self, batch: Batch, side: int, mask: Array) -> None:
        """Move those of a side who may leave out of the battle, in the rows of the mask."""
        leave = self.plan.leaves[side]
        if leave is None or not mask.any():
            return
        everybody = mask & batch.more[f"whole{side}"] if leave.own and f"whole{side}" in batch.more else mask
        self._go(batch, leave, everybody)
        for place, part in enumerate(leave.own):
            if f"own{side}" in batch.more:
                self._go(batch, part, mask & batch.more[f"own{side}"][:, place])
        real = [i for i in self.plan.of_side[side] if not self.plan.groups[i].virtual]
        empty = mask & ~(batch.n[:, real] > 0).any(axis=1)
        for index in self.plan.of_side[side]:
            if self.plan.groups[index].row.get("leaves"):
                batch.n[:, index] = np.where(empty, 0, batch.n[:, index])

    def _go(self, batch: Batch, leave: Leave, mask: Array) -> None:
        for index in leave.groups:
            _go_away(batch, index, mask)
        for index in leave.behind:
            batch.n[:, index] = np.where(mask, 0, batch.n[:, index])

    def lost(self, batch: Batch, side: int, only: set[int] | None = None) -> Array:
        """Real units of a side (or `only` of these groups) destroyed so far."""
        real = [
            i
            for i in self.plan.of_side[side]
            if not self.plan.groups[i].virtual and (only is None or i in only)
        ]
        began: int = int(self.plan.start[0, real].sum())
        out: Array = began - batch.n[:, real].sum(axis=1) - batch.gone[:, real].sum(axis=1)
        return out


def _go_away(batch: Batch, index: int, mask: Array) -> None:
    """All of a group leave the battle, in the rows of the mask."""
    going = np.where(mask, batch.n[:, index], 0)
    batch.n[:, index] -= going
    batch.gone[:, index] += going


def _strongest(shots: list[Shots], most: Array) -> list[Shots]:
    """No more dice than `most`, those of the highest value first."""
    ordered = sorted(shots, key=lambda s: -int(np.max(s.value)))
    left = most
    out = []
    for shot in ordered:
        dice = np.minimum(shot.dice, np.maximum(left, 0))
        left = left - dice
        out.append(Shots(shot.group, dice, shot.value))
    return out


def _pair(pair: Pair, batch: Batch, shots: list[Shots]) -> list[Shots]:
    left = batch.n[:, pair.givers].sum(axis=1) * pair.each
    out = []
    for shot in sorted(shots, key=lambda s: -int(np.max(s.value))):
        if shot.group not in pair.takers:
            out.append(shot)
            continue
        helped = np.minimum(shot.dice, left)
        left = left - helped
        out.append(Shots(shot.group, helped, shot.value + pair.add))
        out.append(Shots(shot.group, shot.dice - helped, shot.value))
    return out


def _may_fire_twice(plan: Plan) -> bool:
    seen: set[int] = set()
    for stage in plan.stages:
        if stage.row.get("again") or stage.fire_on_retreat is not None:
            continue
        for volley in stage.volleys:
            for fire in volley.fires:
                if fire.group in seen:
                    return True
                seen.add(fire.group)
    return False
