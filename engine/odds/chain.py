"""Odds of a battle with its preludes: every way in which they can end, and the battle that is left then.

A prelude is solved like any battle, but the round in which it ends counts, because rounds use up what some units need to fight
on. Each position that it leaves is the beginning of the next prelude, and at last of the battle itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..battle.members import ATTACKER, DEFENDER, SIDES
from ..battle.plan import Plan
from ..ruleset.model import Row
from ..state import unit_key
from ..world import World
from . import solve
from .ask import WORD, Question, Tables, have, plan_of
from .result import Odds

Units = dict[str, Row]
"""Stacks of a position: key -> row."""


def chained(world: World, question: Question, tables: Tables, *, trials: int = 0, seed: int = 1) -> Odds | None:
    """The odds of a battle that preludes come before, or None if none of them is fought here."""
    positions: list[tuple[float, Units]] = [(1.0, tables["units"])]
    fought = False
    for id_ in world.ruleset.row("battles", question.battle).get("preludes", ()):
        found: dict[Any, tuple[float, Units]] = {}
        for weight, units in positions:
            plan = plan_of(world, question, {**tables, "units": units}, id_)
            stand = all(plan.start[0, side].any() for side in plan.holds)
            fought |= stand
            for chance, after in _ends(plan, units) if stand else [(1.0, units)]:
                key = tuple(sorted(after))
                known = (key, tuple(after[k]["n"] for k in key))
                found[known] = (found.get(known, (0.0, after))[0] + weight * chance, after)
        positions = list(found.values())
    if not fought:
        return None
    parts = []
    for weight, units in positions:
        plan = plan_of(world, question, {**tables, "units": units})
        odds = solve.sample(plan, max(1, round(trials * weight)), seed) if trials else solve.exact(plan)
        parts.append((weight, odds, units, plan))
    return _together(tables["units"], parts, trials)


def _ends(plan: Plan, units: Units) -> Iterator[tuple[float, Units]]:
    """Every way in which a prelude can end: its chance, and the stacks that are left, with what the rounds have used up."""
    rule = plan.row.get("spends")
    for number, batch in solve.by_round(plan):
        for n, gone, weight in zip(batch.n, batch.gone, batch.weight, strict=True):
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
                    fields[rule["field"]] = max(0, have(plan.world, rule, group.key) - int(rule["by"]) * rounds)
                extra = {k: v for k, v in fields.items() if k not in ("owner", "kind", "place", "n")}
                after[unit_key(group.owner, group.kind, fields["place"], extra)] = fields
            yield float(weight), after


def _spends(plan: Plan, rule: Mapping[str, Any], index: int) -> bool:
    group = plan.groups[index]
    names = {
        "unit": group.entity, "self": plan.world.field(group.entity, "owner"),
        "place": plan.world.field(group.entity, "place"),
        "battle": {"attacks": plan.setting.attacks[group.side], "kind": plan.row["id"], "round": 1},
    }  # fmt: skip
    return plan.world.test(rule.get("who"), names)


def _together(began: Units, parts: list[tuple[float, Odds, Units, Plan]], trials: int) -> Odds:
    """One answer from those of all positions, each by its chance; losses of the preludes are added to those of the battle."""
    ends = dict.fromkeys(("win", "draw", "loss", "open", "field", "rounds"), 0.0)
    left: dict[str, dict[str, dict[str, float]]] = {side: {} for side in SIDES}
    losses: dict[str, dict[int, float]] = {side: {} for side in SIDES}
    for weight, odds, units, plan in parts:
        chances = {end: getattr(odds, end) for end in ends}
        if odds.loss and not any(g.side == ATTACKER and not g.virtual for g in plan.groups) and _count(units, ATTACKER):
            chances["open"], chances["loss"] = odds.open + odds.loss, 0.0  # they live, but cannot fight on
        for end, chance in chances.items():
            ends[end] += weight * chance
        for side in (ATTACKER, DEFENDER):
            for owner, kinds in odds.left.get(SIDES[side], {}).items():
                for kind, n in kinds.items():
                    _add(left[SIDES[side]], owner, kind, weight * n)
            fighting = {g.key for g in plan.groups if g.side == side}
            for key, row in units.items():
                if row[WORD] == SIDES[side] and key not in fighting:
                    _add(left[SIDES[side]], row["owner"], row["kind"], weight * row["n"])
            before = _count(began, side) - _count(units, side)
            for n, chance in enumerate(odds.losses.get(SIDES[side], (1.0,))):
                losses[SIDES[side]][n + before] = losses[SIDES[side]].get(n + before, 0.0) + weight * chance
    lost: dict[str, dict[str, dict[str, float]]] = {side: {} for side in SIDES}
    for row in began.values():
        _add(lost[row[WORD]], row["owner"], row["kind"], row["n"])
    for name, owners in lost.items():
        for owner, kinds in owners.items():
            for kind in kinds:
                left[name].setdefault(owner, {}).setdefault(kind, 0.0)
                kinds[kind] -= left[name][owner][kind]
    tables = {side: tuple(found.get(n, 0.0) for n in range(max(found, default=0) + 1)) for side, found in losses.items()}
    return Odds(
        ends["win"], ends["draw"], ends["loss"], ends["open"], lost=lost, left=left, losses=tables, trials=trials,
        rounds=ends["rounds"], field=ends["field"],
    )  # fmt: skip


def _count(units: Units, side: int) -> int:
    return sum(int(row["n"]) for row in units.values() if row[WORD] == SIDES[side])


def _add(table: dict[str, dict[str, float]], owner: str, kind: str, n: float) -> None:
    kinds = table.setdefault(owner, {})
    kinds[kind] = kinds.get(kind, 0.0) + n


__all__ = ["chained"]
