"""Odds at a glance, for policies that ask by the hundred: an expected battle, and how far chance may carry it
off.

The values come from the same plan as the real battle's (kept for each composition of kinds). The rounds are
then computed with expected hits. A battle of this kind drifts like an unstable balance: with firepower p and
q of one unit of either side, what decides is sqrt(p) x - sqrt(q) y, and the luck of early rounds counts most.
Its mean over its standard deviation gives the chance of winning. Compared with exact odds of mixed armies the
chance is off by 0.03 on average, by up to 0.2 where a few men carry many guns that cannot hold by themselves;
both destroyed is counted as the defender's, as `loss`. Special stages, limits and departures are left out.
Battles whose dice are compared one against one do not drift so: they are solved.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import erf, exp, sqrt
from typing import Any

import numpy as np

from ..battle.batch import begin
from ..battle.groups import ATTACKER, DEFENDER, SIDES
from ..battle.plan import Plan
from ..battle.rounds import Rounds
from ..battle.samplers import Exact, TooManyWays
from ..core.choices import word_of
from ..core.model import Ruleset, derived_of
from ..ruleset.expressions.reads import MEANING, Tables, reads_of
from ..world.world import World
from .ask import Question, plan_of
from .result import Odds
from .solve import exact, sample

Force = Mapping[tuple[str, str], int]
ROUNDS = 40
MOST_WAYS, TRIALS = 200_000, 1_000
"""Outcomes of compared dice that are followed before a battle is sampled instead, and in how many trials."""
FIRST, LAST = 0, -1
"""The parts of a side that are lost before and after the shares of its owners."""
CONTINUITY = 0.5  # of the last unit: the attacker wins only if a whole one is left


def estimate(
    world: World, battle: str, attackers: Force, defenders: Force, place: str, link: str = ""
) -> Odds:
    """Rough odds of a battle. `link` is the border the attackers come over, as "from>to" or as where they
    come from.

    A first question about a composition (which kinds of whom, where) costs a few milliseconds, later ones a
    fraction of one.
    """
    start = link.partition(">")[0]
    if any(
        word_of(stage, "resolve") == "compare" for stage in world.ruleset.row("battles", battle)["stages"]
    ):
        asked = Question(battle, attackers, defenders, place, start)
        numbers = (frozenset(attackers.items()), frozenset(defenders.items()))
        by_pairs: Odds = world.keep(
            ("by pairs", battle, place, start, *numbers),
            _decided_by(world.ruleset, battle),
            lambda: _by_pairs(world, asked),
        )
        return by_pairs
    key = ("estimate", battle, place, start, frozenset(attackers), frozenset(defenders))
    sides = world.keep(
        key,
        _decided_by(world.ruleset, battle),
        lambda: _sides(world, Question(battle, attackers, defenders, place, start)),
    )
    return _compute(sides, attackers, defenders)


def _by_pairs(world: World, question: Question) -> Odds:
    """Odds of a battle whose dice are compared: exact, since what falls in a round does not grow with the
    numbers; sampled where too many ways are open."""
    plan = plan_of(world, question)
    try:
        return exact(plan, most=MOST_WAYS)
    except TooManyWays:
        return sample(plan, TRIALS)


@derived_of(*MEANING, "battles", "movement")
def _decided_by(ruleset: Ruleset, battle: str) -> Tables | None:
    """The tables that decide a plan: what the battle's row asks, and the modes by which units come or act
    from afar.
    """
    rows = (ruleset.row("battles", battle), list(ruleset.rows("movement").values()))
    return reads_of(ruleset, *rows, "place.holder", "link.works", "hits", "unit.kind")


Line = list[tuple[str, str, float, float, float, int, float]]
"""Groups in the order in which they are lost: owner, kind, expected hits of one unit in a round, hits it
takes, the number of virtual ones (or -1 for units that keep their side in the battle, 0 for those that do
not); then the part of the side that it is lost with (those who go first, each owner's, those who go last) and
what one unit weighs in the shares of the owners."""


def _sides(world: World, question: Question) -> tuple[Line, Line]:
    plan = plan_of(world, question)
    rounds = Rounds(plan, Exact())
    batch = begin(plan.start, 1)
    out = []
    for side in (ATTACKER, DEFENDER):
        power = _power(plan, rounds, batch, side)
        losses = plan.losses[side]
        parts = [losses.first, *(own for _, own in losses.owners), losses.last]
        parts[-1] = [*losses.last, *(i for i in plan.of_side[side] if not any(i in part for part in parts))]
        strengths = zip(plan.of_side[side], plan.strength[side], strict=True)
        weighs = {index: float(np.max(value(plan.start, 1))) for index, value in strengths}
        line: Line = []
        for number, part in zip((*range(len(parts) - 1), LAST), parts, strict=True):
            for index in part:
                group = plan.groups[index]
                if group.n == 0:
                    continue
                hits = 0.0 if group.lost == "never" else 1.0 + _lives(plan, index)
                counts = float(group.n) if group.virtual else -float(index in plan.holds[side])
                line.append(
                    (group.owner, group.kind, power.get(index, 0.0), hits, counts, number, weighs[index])
                )
        out.append(line)
    return out[0], out[1]


def _lives(plan: Plan, index: int) -> int:
    more = 0
    while plan.groups[index].down >= 0:
        index = plan.groups[index].down
        more += 1
    return more


def _power(plan: Plan, rounds: Rounds, batch: Any, side: int) -> dict[int, float]:
    """The expected hits of one unit of each group in an ordinary round."""
    out: dict[int, float] = {}
    late = plan.last_special_round + 1
    batch.more = {"armed": np.zeros(1, dtype=bool)}
    for stage in plan.stages:
        if not stage.in_round(late) or stage.resolve != "roll_under":
            continue
        for volley in stage.volleys:
            if volley.side != side or not volley.targets:
                continue
            for shot in rounds.shots(stage, volley, batch, late):
                n = plan.groups[shot.group].n
                hit = float(np.clip(np.max(shot.value), 0, volley.faces)) / volley.faces
                out[shot.group] = out.get(shot.group, 0.0) + float(np.max(shot.dice)) * hit / max(1, n)
    return out


def _compute(sides: tuple[Line, Line], attackers: Force, defenders: Force) -> Odds:
    forces: list[list[list[float]]] = []
    for line, numbers in zip(sides, (attackers, defenders), strict=True):
        force = []
        for owner, kind, power, hits, virtual, part, weight in line:
            n = virtual if virtual > 0 else float(numbers.get((owner, kind), 0))
            force.append([n, power, hits, virtual, float(part), weight])
        forces.append(force)
    began = [[g[0] for g in force] for force in forces]
    margin, spread, winner = _expected(forces)
    chance = 0.5 * (1 + erf(margin / (spread * sqrt(2)))) if spread > 0 else float(winner == ATTACKER)
    lost = {
        SIDES[s]: _lost(sides[s], began[s], forces[s], 1 - chance if s == ATTACKER else chance, winner == s)
        for s in (0, 1)
    }
    return Odds(chance, 0.0, 1 - chance, lost=lost)


def _expected(forces: list[list[list[float]]]) -> tuple[float, float, int]:
    """Fight the expected battle on the forces (number, power, hits, kind, part, weight); gives margin, its
    spread, who stands.

    The margin is read at the end, where the weaker side is used up, and carried back to the start with the
    variance: so the order in which strong and weak units are lost counts.
    """
    variance = 0.0
    discount = 1.0
    over = [0.0, 0.0]
    p = q = 0.0
    for _ in range(ROUNDS):
        units = [sum(g[0] * g[2] for g in force if g[3]) for force in forces]
        fire = [sum(g[0] * g[1] for g in force) for force in forces]
        if min(units) <= 1e-9 or not any(g[3] < 0 and g[0] > 1e-9 for g in forces[0]) or max(fire) <= 1e-9:
            break
        p, q = fire[0] / units[0], fire[1] / units[1]
        luck = [sum(g[0] * g[1] * (1 - min(1.0, g[1])) for g in force) for force in forces]
        discount *= exp(-sqrt(p * q))
        variance += discount * discount * (p * luck[1] + q * luck[0])
        over = [_strike(forces[0], fire[1]), _strike(forces[1], fire[0])]
    left = [sum(g[0] for g in force if g[3] <= 0) for force in forces]
    units = [sum(g[0] * g[2] for g in force if g[3]) - o for force, o in zip(forces, over, strict=True)]
    margin = sqrt(p) * (units[0] - CONTINUITY) - sqrt(q) * units[1]
    winner = ATTACKER if left[0] > 1e-9 and left[1] <= 1e-9 else DEFENDER
    return margin * discount, sqrt(variance), winner


def _strike(force: list[list[float]], hits: float) -> float:
    """Take expected hits off a force, part by part, owners by their shares; gives those that are left
    over.
    """
    parts: dict[float, list[list[float]]] = {}
    for group in force:
        parts.setdefault(group[4], []).append(group)
    owners = [part for number, part in parts.items() if number not in (FIRST, LAST)]
    hits = _fall(parts.get(FIRST, []), hits)
    while hits > 1e-9 and owners:
        weights = [sum(g[0] * g[5] for g in part) or 1e-9 for part in owners]
        left = [
            _fall(part, hits * (weight / sum(weights))) for part, weight in zip(owners, weights, strict=True)
        ]
        owners = [part for part, over in zip(owners, left, strict=True) if over <= 1e-9]
        hits = sum(left)
    return _fall(parts.get(LAST, []), hits)


def _fall(groups: list[list[float]], hits: float) -> float:
    """Take expected hits off groups in their order; gives those that are left over."""
    for group in groups:
        if group[2] and hits > 0:
            taken = min(hits, group[0] * group[2])
            group[0] -= taken / group[2]
            hits -= taken
    return max(0.0, hits)


def _lost(
    line: Line, began: list[float], now: list[list[float]], beaten: float, won: bool
) -> dict[str, dict[str, float]]:
    """Mean losses: all where the side is beaten, else those of the expected battle (half where that one was
    lost).
    """
    out: dict[str, dict[str, float]] = {}
    for (owner, kind, _, hits, virtual, *_), n, group in zip(line, began, now, strict=True):
        if virtual > 0 or not hits:
            continue
        otherwise = n - group[0] if won else n / 2
        of = out.setdefault(owner, {})
        of[kind] = of.get(kind, 0.0) + beaten * n + (1 - beaten) * min(n, otherwise)
    return out
