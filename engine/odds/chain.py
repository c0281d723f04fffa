"""Odds of a battle with its preludes: every way in which they can end, and the battle that is left then.

A prelude is solved like any battle, but the round in which it ends counts, because rounds use up what some
units need to fight on. Each position that it leaves is the beginning of the next prelude, and at last of the
battle itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..battle.batch import Array
from ..battle.groups import ATTACKER, SIDES
from ..battle.plan import Plan
from ..battle.samplers import Exact, MonteCarlo, TooManyWays
from ..core.model import Row
from ..core.state import unit_key
from ..world.world import World
from . import solve
from .ask import WORD, Question, Tables, have, plan_of, position_of
from .result import Odds, Roster, ends_of, summarize

Units = dict[str, Row]
"""Stacks of a position: key -> row."""
EFFORT = 2_000_000
"""Outcomes that are followed before odds are sampled instead: some seconds."""
TRIALS = 100_000
"""Battles sampled where nobody says how many."""


def odds(
    world: World, question: Question, *, trials: int = 0, seed: int = 1, most: int | None = EFFORT
) -> Odds:
    """Exact odds where no more than `most` outcomes have to be followed, else (or with `trials`) sampled
    ones; `Odds.trials` says which. Preludes of the battle are included. `most=None`: exact in any case.
    KeyError if there is no such battle.
    """
    if trials:
        return answer(world, question, trials=trials, seed=seed)
    try:
        return answer(world, question, most=most)
    except TooManyWays:
        return answer(world, question, trials=TRIALS, seed=seed)


def answer(
    world: World, question: Question, *, trials: int = 0, seed: int = 1, most: int | None = None
) -> Odds:
    """The odds of a battle with its preludes: exact, or with `trials` sampled.

    TooManyWays beyond `most` outcomes.
    """
    sampler = MonteCarlo(seed) if trials else Exact(most=most)
    tables = position_of(world, question)
    roster = _roster(tables["units"])
    parts, fought = [], 0.0
    for weight, units in _positions(world, question, tables, sampler, trials):
        plan = plan_of(world, question, {**tables, "units": units})
        ended, rounds = solve.ends(plan, sampler, weight)
        fought += rounds
        beside = _beside(roster, plan, units)
        found = ends_of(plan, ended, roster, beside)
        if not any(g.side == ATTACKER and not g.virtual for g in plan.groups) and _count(units, ATTACKER):
            found.went[:, ATTACKER] = True  # they live, but cannot fight on
        parts.append(found)
    return summarize(roster, parts, trials=trials, rounds=fought / max(1, trials))


def _positions(
    world: World, question: Question, tables: Tables, sampler: Exact | MonteCarlo, trials: int
) -> list[tuple[float, Units]]:
    """What the preludes leave, with its chance (or the number of trials that come to it)."""
    positions: list[tuple[float, Units]] = [(float(trials or 1), tables["units"])]
    for id_ in world.ruleset.row("battles", question.battle).get("preludes", ()):
        found: dict[Any, tuple[float, Units]] = {}
        for weight, units in positions:
            plan = plan_of(world, question, {**tables, "units": units}, id_)
            stand = all(plan.start[0, side].any() for side in plan.holds)
            for chance, after in _ends(plan, units, sampler, weight) if stand else [(weight, units)]:
                key = tuple(sorted(after))
                known = (key, tuple(after[k]["n"] for k in key))
                found[known] = (found.get(known, (0.0, after))[0] + chance, after)
        positions = list(found.values())
    return positions


def _ends(
    plan: Plan, units: Units, sampler: Exact | MonteCarlo, weight: float
) -> Iterator[tuple[float, Units]]:
    """Every way in which a prelude can end: its chance, and the stacks that are left, with what the rounds
    have used up.
    """
    rule = plan.row.get("spends")
    for number, batch in solve.by_round(plan, sampler, weight):
        for n, gone, share in zip(batch.n, batch.gone, batch.weight, strict=True):
            after: Units = {}
            theirs = {g.key for g in plan.groups if not g.virtual}
            after.update({key: row for key, row in units.items() if key not in theirs})
            for index, group in enumerate(plan.groups):
                alive = int(n[index] + gone[index])
                if group.virtual or not alive:
                    continue
                fields = {**group.fields, WORD: SIDES[group.side], "n": alive}
                if rule and group.key in plan.world.state.table("units") and _spends(plan, rule, index):
                    rounds = min(number, plan.tires.get(index, number))
                    fields[rule["field"]] = max(
                        0, have(plan.world, rule, group.key) - int(rule["by"]) * rounds
                    )
                extra = {k: v for k, v in fields.items() if k not in ("owner", "kind", "place", "n")}
                after[unit_key(group.owner, group.kind, fields["place"], extra)] = fields
            yield float(share), after


def _spends(plan: Plan, rule: Mapping[str, Any], index: int) -> bool:
    group = plan.groups[index]
    names = {
        "unit": group.entity, "self": plan.world.field(group.entity, "owner"),
        "place": plan.world.field(group.entity, "place"),
        "battle": {"attacks": plan.setting.attacks[group.side], "kind": plan.row["id"], "round": 1},
    }  # fmt: skip
    return plan.world.test(rule.get("who"), names)


def _roster(units: Units) -> Roster:
    out: dict[tuple[int, str, str], int] = {}
    for row in units.values():
        key = (SIDES.index(row[WORD]), str(row["owner"]), str(row["kind"]))
        out[key] = out.get(key, 0) + int(row["n"])
    return [(*key, n) for key, n in sorted(out.items())]


def _beside(roster: Roster, plan: Plan, units: Units) -> Array:
    """Who lives and has no part in the battle, by the roster."""
    fighting = {g.key for g in plan.groups}
    place = {(side, owner, kind): i for i, (side, owner, kind, _) in enumerate(roster)}
    out = np.zeros((1, len(roster)), dtype=np.int64)
    for key, row in units.items():
        if key not in fighting:
            out[0, place[SIDES.index(row[WORD]), row["owner"], row["kind"]]] += int(row["n"])
    return out


def _count(units: Units, side: int) -> int:
    return sum(int(row["n"]) for row in units.values() if row[WORD] == SIDES[side])
