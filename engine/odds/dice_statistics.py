"""What dice of a battle came to, against what was to be expected before they were thrown.

Whoever wants to know makes an `Onlooker` the `onlooker` of a turn's dice, and finds there every throw of a
battle (`Thrown`): a round, or shots at those who leave. What a throw comes to is the hits that somebody took;
a hit that falls on nobody counts nothing, and pips count nothing. What was to be expected is unfolded by the
same stages from the same position, exactly or sampled, so that the mean of luck over all that could have come
is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import product
from typing import Any

import numpy as np

from ..battle.apply_losses import strengths
from ..battle.batch import Array, Batch
from ..battle.battles import Battle
from ..battle.groups import SIDES
from ..battle.plan import Plan
from ..battle.rounds import Held, Rounds, start
from ..battle.samplers import Exact, MonteCarlo, TooManyWays
from .solve import depths

EFFORT = 30_000
"""Outcomes that are followed before a throw is sampled instead: some milliseconds."""
TRIALS = 10_000
ROUND, LEAVING = "round", "leaving"
_PLAIN = ("battle", "subject", "place", "turn", "round", "what", "exact", "mover")

Fought = Callable[[Rounds, Batch], Batch]


@dataclass(frozen=True, slots=True)
class Share:
    """What a throw came to for one nation: hits that it is credited with and hits that it took, and the means
    of both.
    """

    side: int
    dealt: float
    dealt_mean: float
    taken: float
    taken_mean: float

    @property
    def luck(self) -> float:
        """Hits to its favor, beyond what was to be expected."""
        return (self.dealt - self.dealt_mean) - (self.taken - self.taken_mean)


@dataclass(frozen=True, slots=True)
class RecordedThrow:
    """One throw of a battle: what it came to for each nation, and `spread`, the covariances of the luck of
    any two of them.

    `what` is `round` or `leaving`; `exact` whether the means are (else of `TRIALS` trials). Nations share
    what their side does by their strength, as they are credited with losses of the enemy; "" stands for units
    without an owner.
    """

    battle: str
    subject: str
    place: str
    turn: int
    round: int
    what: str
    shares: Mapping[str, Share]
    spread: Mapping[tuple[str, str], float]
    exact: bool
    mover: str
    """Who had the turn, where each has their own: "" where all act together."""

    def luck(self, nations: Mapping[str, float]) -> tuple[float, float]:
        """The luck of several nations together, each with its weight, and its variance as it was before the
        throw.
        """
        those = [(n, w) for n, w in nations.items() if n in self.shares]
        luck = sum(w * self.shares[n].luck for n, w in those)
        return luck, sum(v * w * self.spread[n, m] for n, v in those for m, w in those)

    def to_json(self) -> dict[str, Any]:
        """The throw as canonical JSON, which knows no floats: they are written as `float.hex` does."""
        shares = [
            [who, s.side, *(x.hex() for x in (s.dealt, s.dealt_mean, s.taken, s.taken_mean))]
            for who, s in self.shares.items()
        ]
        spread = [[a, b, value.hex()] for (a, b), value in self.spread.items()]
        return {**{name: getattr(self, name) for name in _PLAIN}, "shares": shares, "spread": spread}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> RecordedThrow:
        """The throw again. KeyError, TypeError or ValueError for what is none."""
        shares = {who: Share(side, *map(float.fromhex, means)) for who, side, *means in said["shares"]}
        spread = {(a, b): float.fromhex(value) for a, b, value in said["spread"]}
        return cls(**{name: said[name] for name in _PLAIN}, shares=shares, spread=spread)


class Onlooker:
    """Keeps the throws of all battles that are fought with the dice whose `onlooker` it is."""

    def __init__(self) -> None:
        self.throws: list[RecordedThrow] = []

    def round(self, battle: Battle, plan: Plan, after: Batch) -> None:
        """A round has been fought, and nothing has come of it yet."""
        self._see(battle, plan, after, ROUND, lambda rounds, batch: rounds.fight(batch, battle.number))

    def leaving(self, battle: Battle, plan: Plan, after: Batch, side: int) -> None:
        """There were shots at those of a side who leave."""
        self._see(
            battle,
            plan,
            after,
            LEAVING,
            lambda rounds, batch: rounds.part(batch, side, np.ones(len(batch), bool))[0],
        )

    def held(self, battle: Battle, plan: Plan, held: list[Held]) -> None:
        """The dice of a round whose hits are taken later: seen as if they were taken now, and nothing thrown
        again.
        """
        stages = [replace(s, volleys=[replace(v, reroll=None) for v in s.volleys]) for s in plan.stages]
        once = replace(plan, stages=stages)
        after = Rounds(once, Exact()).fall(held, battle.number)  # of a tie that only a lot decides: the mean
        self._see(battle, once, after, ROUND, lambda rounds, batch: rounds.fight(batch, battle.number))

    def _see(self, battle: Battle, plan: Plan, after: Batch, what: str, fought: Fought) -> None:
        turn = battle.turn
        exact = True
        try:
            found = fought(Rounds(plan, Exact(most=EFFORT)), start(plan))
        except TooManyWays:
            exact = False
            seed = f"{turn.number}:{battle.subject}:{battle.number}:{what}"
            sampler = MonteCarlo(int.from_bytes(blake2b(seed.encode(), digest_size=7).digest(), "big"))
            found = fought(Rounds(plan, sampler), start(plan, np.int64(TRIALS)))
        nations, credit = _nations(battle, plan)
        weight = found.weight / found.weight.sum()
        columns = list(_columns(plan, found, nations, credit))
        means = [float((weight * c).sum()) for c in columns]
        real = after.weight / after.weight.sum()
        now = [float((real * c).sum()) for c in _columns(plan, after, nations, credit)]
        shares = {
            who: Share(side, now[2 * i], means[2 * i], now[2 * i + 1], means[2 * i + 1])
            for i, (who, side) in enumerate(nations)
        }
        off = [
            columns[2 * i] - columns[2 * i + 1] - (means[2 * i] - means[2 * i + 1])
            for i in range(len(nations))
        ]
        spread = {
            (a, b): float((weight * off[i] * off[j]).sum())
            for (i, (a, _)), (j, (b, _)) in product(enumerate(nations), repeat=2)
        }
        if any(spread[n, n] > 1e-12 or abs(shares[n].luck) > 1e-9 for n in shares):
            where = (battle.row["id"], battle.subject, battle.place, turn.number, battle.number)
            self.throws.append(RecordedThrow(*where, what, shares, spread, exact, turn.mover or ""))


def _nations(battle: Battle, plan: Plan) -> tuple[list[tuple[str, int]], dict[str, float]]:
    """Those who have something at stake in a throw with their sides, and the share of each in what its side
    does.
    """
    out: dict[str, int] = {}
    credit: dict[str, float] = {}
    for side in range(len(SIDES)):
        strength = strengths(battle, plan, side)
        total = sum(strength.values())
        for who, weight in strength.items():
            out.setdefault(who, side)
            credit[who] = weight / total if total else 1 / len(strength)
        for index in plan.of_side[side]:
            group = plan.groups[index]
            if group.n:
                out.setdefault(group.owner or "", side)
        if not any(s == side for s in out.values()):
            out[battle.turn.world.holder_of(battle.place) or ""] = side
        if not strength:  # works, or whoever else is nobody's: it is theirs whose the place is
            credit[next(who for who, s in out.items() if s == side)] = 1.0
    return list(out.items()), credit


def _columns(
    plan: Plan, batch: Batch, nations: list[tuple[str, int]], credit: Mapping[str, float]
) -> Iterator[Array]:
    """For each nation two columns: the hits it is credited with, and the hits it took."""
    steps = depths(plan)
    gone = (plan.start - batch.n - batch.gone) * steps
    of_side = [gone[:, plan.of_side[side]].sum(axis=1) for side in range(len(SIDES))]
    for who, side in nations:
        mine = [i for i in plan.of_side[side] if (plan.groups[i].owner or "") == who]
        yield credit.get(who, 0.0) * of_side[1 - side]
        yield gone[:, mine].sum(axis=1)
