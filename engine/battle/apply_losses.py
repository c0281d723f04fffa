"""What a round of a real battle does to the game: losses, spent fields, cargo that goes down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.state import Entity, Fields, extra_fields
from ..turn.context import Turn
from ..turn.effects import EffectRunner, whole
from ..units import forces
from .battles import Battle
from .groups import ATTACKER, DEFENDER, GONE, LADDER, Group
from .plan import Plan
from .rounds import HitUnits

Stack = tuple[str, Fields]


def apply_losses(
    battle: Battle, plan: Plan, taken: Sequence[HitUnits], runner: EffectRunner
) -> dict[int, list[dict[str, Any]]]:
    """Carry out what a round did to the groups.

    Returns for each side what was lost or damaged, for the journal.
    """
    net: dict[tuple[int, int], int] = {}
    stages: dict[tuple[int, int], str] = {}
    for index, down, n, stage in taken:
        net[index, down] = net.get((index, down), 0) + n
        stages.setdefault((index, down), stage)
    out: dict[int, list[dict[str, Any]]] = {ATTACKER: [], DEFENDER: []}
    for (index, down), n in net.items():
        group = plan.groups[index]
        left = n if down == GONE else n - _passed_on(plan, net, down)
        note = {
            "owner": group.owner,
            "kind": group.kind,
            "n": left,
            "stage": stages[index, down],
            "lost": down == GONE,
        }
        if down != GONE:
            became = plan.groups[down].fields.get(plan.row.get("step_losses", LADDER).get("field"))
            note["becomes"] = became if isinstance(became, str) else "damaged"
        if left > 0:
            out[group.side].append({**note, "virtual": True} if group.virtual else note)
        if group.virtual:
            _lose_virtual(battle, group, n, runner)
            continue
        if down == GONE:
            _destroy(battle, plan, group, n)
        else:
            _change(battle.turn, group, plan.groups[down].fields, n)
    return out


def _passed_on(plan: Plan, net: Mapping[tuple[int, int], int], index: int) -> int:
    """How many of a group went on to the next condition in the round in which they came into it: of those
    only that is told.
    """
    return max(0, sum(n for (group, _), n in net.items() if group == index) - plan.groups[index].n)


def _lose_virtual(battle: Battle, group: Group, n: int, runner: EffectRunner) -> None:
    key = (group.row["id"], group.side)
    battle.virtual_left[key] = max(0, battle.virtual_left.get(key, 0) - n)
    names = {"place": Entity("place", battle.place), "self": Entity("nation", group.owner), "n": n}
    with whole(runner.turn, runner.rule, runner.subject):
        runner.effects(group.row.get("gone", ()), names)


def _destroy(battle: Battle, plan: Plan, group: Group, n: int) -> None:
    extra = extra_fields(group.fields)
    battle.turn.journal.units(group.owner, group.kind, group.fields["place"], -n, **extra)
    for by, part in _credited(battle, plan, 1 - group.side, n).items():
        battle.turn.journal.fact(
            "destroyed",
            of=group.owner,
            kind=group.kind,
            place=battle.place,
            n=part,
            cause=battle.row["id"],
            by=by,
        )
    kinds = battle.lost[group.side].setdefault(group.owner, {})
    kinds[group.kind] = kinds.get(group.kind, 0) + n
    if group.force:
        battle.lost_by_force[group.force] = battle.lost_by_force.get(group.force, 0) + n


def _change(turn: Turn, group: Group, fields: Fields, n: int) -> None:
    place = group.fields["place"]
    turn.journal.units(group.owner, group.kind, place, -n, **extra_fields(group.fields))
    turn.journal.units(group.owner, group.kind, place, n, **extra_fields(fields))


def _credited(battle: Battle, plan: Plan, side: int, n: int) -> dict[str | None, int]:
    """How many of `n` losses each nation of a side is credited with: by its share of strength, over the whole
    battle.
    """
    strength = strengths(battle, plan, side)
    if len(strength) < 2:
        return {next(iter(strength), None): n}
    total = sum(strength.values()) or 1
    known = battle.credited[side]
    out: dict[str | None, int] = {}
    for _ in range(n):
        so_far = sum(known.values()) + 1
        who = max(sorted(strength), key=lambda o: strength[o] * so_far - known.get(o, 0) * total)
        known[who] = known.get(who, 0) + 1
        out[who] = out.get(who, 0) + 1
    return out


def strengths(battle: Battle, plan: Plan, side: int) -> dict[str, int]:
    """What each nation of a side weighs in a round, which is how it is credited with losses of the enemy."""
    strength: dict[str, int] = {}
    for value, index in zip(plan.strength[side], plan.of_side[side], strict=True):
        group = plan.groups[index]
        if not group.virtual and group.n:
            weight = int(np.max(value(plan.start, battle.number))) * group.n
            strength[group.owner] = strength.get(group.owner, 0) + weight
    return strength


def spend(battle: Battle, plan: Plan, taken: Sequence[HitUnits]) -> None:
    """Take what a round of fighting uses up (`spends`: a field of units, by how much, of whom) from the
    living who took part.
    """
    turn = battle.turn
    rule = battle.row.get("spends")
    if not rule:
        return
    for index, group in enumerate(plan.groups):
        left = group.n - sum(hit.n for hit in taken if hit.group == index)
        if left <= 0 or group.virtual or group.key not in turn.state.table("units"):
            continue
        names = {
            "unit": group.entity,
            "self": Entity("nation", group.owner),
            "place": Entity("place", battle.place),
            "battle": {
                "attacks": battle.attacks[group.side],
                "kind": battle.row["id"],
                "round": battle.number,
            },
        }
        if turn.world.test(rule.get("who"), names):
            now = turn.state.get("units", group.key, rule["field"])
            if now is None:
                full = rule.get("full")
                now = (
                    turn.world.quantity(full, group.entity)
                    if full
                    else turn.world.field(group.entity, rule["field"]) or 0
                )
            n = min(left, int(turn.state.get("units", group.key, "n")))
            turn.journal.alter_units(group.key, n, **{rule["field"]: max(0, now - int(rule["by"]))})


def sink_cargo(battle: Battle, plan: Plan) -> list[dict[str, Any]]:
    """What was aboard and has no room any more is lost with what carried it (`cargo`: the fields for room and
    for size).
    """
    turn = battle.turn
    rule = battle.row.get("cargo")
    if not rule:
        return []
    lost = []
    for carriers, cargo in _laden(battle, plan):
        room = sum(r["n"] * _figure(turn, k, rule["room"]) for k, r in carriers)
        for key, row in cargo:
            size = _figure(turn, key, rule["size"])
            fits = row["n"] if size <= 0 else min(row["n"], max(0, room) // size)
            room -= fits * size
            drowned = row["n"] - fits
            if drowned:
                turn.destroy(key, drowned, cause=battle.row["id"], place=battle.place)
                lost.append(
                    {"owner": row["owner"], "kind": row["kind"], "n": drowned, "stage": "cargo", "lost": True}
                )
    return lost


def _laden(battle: Battle, plan: Plan) -> Iterator[tuple[list[Stack], list[Stack]]]:
    """Who carries something in a battle, with what is aboard: each force, and of each nation the units
    without orders.
    """
    state = battle.turn.state
    for force in sorted({g.force for g in plan.groups if g.force}):
        if cargo := forces.cargo_of(state, force):
            yield forces.stacks_of(state, force), cargo
    for owner in sorted({g.owner for g in plan.groups if not g.force and not g.virtual}):
        if cargo := forces.carried_at(state, owner, battle.place):
            carriers = [
                (k, r)
                for k, r in state.stacks(at=battle.place, owner=owner)
                if not r.get("force") and not r.get("aboard")
            ]
            yield carriers, cargo


def _figure(turn: Turn, key: str, text: str) -> int:
    return int(turn.world.figure(text, {}, Entity("unit", key)) or 0)
