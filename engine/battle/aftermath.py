"""What a round of a real battle does to the game: losses, spent fields, cargo that goes down, units that leave, journalled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import forces
from ..decisions import decide
from ..effects import Tail
from ..ruleset.model import Row
from ..state import UNIT_CORE, Entity, Fields
from ..turn import Turn
from .contest import Contest, order_options, party_stacks, takes_part, would_fight
from .members import ATTACKER, DEFENDER, GONE, SIDES, Group
from .plan import Plan

Flow = tuple[int, int, int, str]
"""Group, what it became (-1: lost), how many, in which stage."""


def apply_losses(turn: Turn, contest: Contest, plan: Plan, flows: Sequence[Flow], tail: Tail) -> dict[int, list[dict[str, Any]]]:
    """Carry out what a round did to the groups. Returns for each side what was lost or damaged, for the journal."""
    net: dict[tuple[int, int], int] = {}
    stages: dict[tuple[int, int], str] = {}
    for index, down, n, stage in flows:
        net[index, down] = net.get((index, down), 0) + n
        stages.setdefault((index, down), stage)
    out: dict[int, list[dict[str, Any]]] = {ATTACKER: [], DEFENDER: []}
    for (index, down), n in net.items():
        group = plan.groups[index]
        note = {"owner": group.owner, "kind": group.kind, "n": n, "stage": stages[index, down], "lost": down == GONE}
        out[group.side].append({**note, "virtual": True} if group.virtual else note)
        if group.virtual:
            _lose_virtual(contest, group, n, tail)
            continue
        if down == GONE:
            _destroy(turn, contest, plan, group, n)
        else:
            _change(turn, group, plan.groups[down].fields, n)
    return out


def _lose_virtual(contest: Contest, group: Group, n: int, tail: Tail) -> None:
    key = (group.row["id"], group.side)
    contest.virtual_left[key] = max(0, contest.virtual_left.get(key, 0) - n)
    names = {"place": Entity("place", contest.place), "self": Entity("nation", group.owner), "n": n}
    tail.effects(group.row.get("gone", ()), names)


def _destroy(turn: Turn, contest: Contest, plan: Plan, group: Group, n: int) -> None:
    extra = {k: v for k, v in group.fields.items() if k not in UNIT_CORE}
    turn.journal.units(group.owner, group.kind, group.fields["place"], -n, **extra)
    by = _credited(plan, 1 - group.side)
    turn.journal.fact("destroyed", of=group.owner, kind=group.kind, place=contest.place, n=n, cause=contest.row["id"], by=by)
    kinds = contest.lost[group.side].setdefault(group.owner, {})
    kinds[group.kind] = kinds.get(group.kind, 0) + n
    if group.force:
        contest.lost_by_force[group.force] = contest.lost_by_force.get(group.force, 0) + n


def _change(turn: Turn, group: Group, fields: Fields, n: int) -> None:
    extra = {k: v for k, v in group.fields.items() if k not in UNIT_CORE}
    other = {k: v for k, v in fields.items() if k not in UNIT_CORE}
    turn.journal.units(group.owner, group.kind, group.fields["place"], -n, **extra)
    turn.journal.units(group.owner, group.kind, group.fields["place"], n, **other)


def _credited(plan: Plan, side: int) -> str | None:
    """The nation that losses inflicted by a side are credited to: the one with most units in it."""
    numbers: dict[str, int] = {}
    for group in plan.groups:
        if group.side == side and not group.virtual:
            numbers[group.owner] = numbers.get(group.owner, 0) + group.n
    return max(sorted(numbers), key=lambda o: numbers[o], default=None)


def spend(turn: Turn, contest: Contest, plan: Plan) -> None:
    """Take what a round of fighting uses up (`spends`: a field of units, by how much, of whom) from those who took part."""
    rule = contest.row.get("spends")
    if not rule:
        return
    for group in plan.groups:
        if group.virtual or group.key not in turn.state.table("units"):
            continue
        names = {
            "unit": group.entity, "self": Entity("nation", group.owner), "place": Entity("place", contest.place),
            "battle": {"attacks": contest.attacks[group.side], "kind": contest.row["id"], "round": contest.number},
        }  # fmt: skip
        if turn.world.test(rule.get("who"), names):
            now = turn.world.field(group.entity, rule["field"]) or 0
            n = turn.state.get("units", group.key, "n")
            turn.journal.alter_units(group.key, n, **{rule["field"]: max(0, now - int(rule["by"]))})


def sink_cargo(turn: Turn, contest: Contest, plan: Plan) -> list[dict[str, Any]]:
    """What was aboard and has no room any more is lost with its carriers (`cargo`: room of a carrier, size of a unit)."""
    rule = contest.row.get("cargo")
    if not rule:
        return []
    lost = []
    for force in sorted({g.force for g in plan.groups if g.force}):
        cargo = forces.cargo_of(turn.state, force)
        if not cargo:
            continue
        room = sum(r["n"] * _figure(turn, k, rule["room"]) for k, r in forces.stacks_of(turn.state, force))
        for key, row in cargo:
            size = _figure(turn, key, rule["size"])
            fits = row["n"] if size <= 0 else min(row["n"], max(0, room) // size)
            room -= fits * size
            drowned = row["n"] - fits
            if drowned:
                extra = {k: v for k, v in row.items() if k not in UNIT_CORE}
                turn.journal.units(row["owner"], row["kind"], row["place"], -drowned, **extra)
                turn.journal.fact(
                    "destroyed", of=row["owner"], kind=row["kind"], place=contest.place, n=drowned, cause=contest.row["id"]
                )
                lost.append({"owner": row["owner"], "kind": row["kind"], "n": drowned, "stage": "cargo", "lost": True})
    return lost


def _figure(turn: Turn, key: str, text: str) -> int:
    unit = Entity("unit", key)
    if text in turn.ruleset.rows("quantities"):
        return int(turn.world.quantity(text, unit))
    return int(turn.world.field(unit, text) or 0)


# ---- leaving


def who_leaves(turn: Turn, contest: Contest, side: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts of a side (force, or nation for its other units) whose orders or whose state make them leave now."""
    rule = contest.row.get("leave", {}).get(SIDES[side])
    if not isinstance(rule, Mapping) or contest.number < int(rule.get("after", 1)):
        return
    if "may" in rule and not _holds(turn, contest, side, rule["may"]):
        return
    must = "must" in rule and _holds(turn, contest, side, rule["must"])
    words = contest.row.get("options", {})
    for who, options in order_options(turn, contest, side).items():
        if must or _wants(contest, side, who, options, words, turn):
            yield who, options


def _holds(turn: Turn, contest: Contest, side: int, test: str) -> bool:
    sets = {
        name: tuple(Entity("unit", k) for k, r in party_stacks(turn, contest, which) if takes_part(turn, contest, which, k, r))
        for name, which in (("mine", side), ("foe", 1 - side))
    }
    owner = next((r["owner"] for _, r in party_stacks(turn, contest, side)), "")
    return turn.world.test(test, {**sets, "self": Entity("nation", owner), "place": Entity("place", contest.place)})


def _wants(contest: Contest, side: int, who: str, options: Mapping[str, Any], words: Mapping[str, str], turn: Turn) -> bool:
    """Whether the conditions of an order are met: rounds fought, own losses, or kills with more enemies left than expected."""
    rounds = options.get(words.get("rounds", ""))
    if rounds is not None and contest.number >= max(1, int(rounds)):
        return True
    above = options.get(words.get("losses", ""))
    if above is not None:
        lost = contest.lost_by_force.get(who, 0) if "#" in who else sum(contest.lost[side].get(who, {}).values())
        if lost > int(above):
            return True
    kills = options.get(words.get("kills", ""))
    if isinstance(kills, Mapping):
        left = sum(row["n"] for _, row in party_stacks(turn, contest, 1 - side))
        return contest.losses(1 - side) >= int(kills["kills"]) and left > int(kills["left"])
    return False


def leave(turn: Turn, contest: Contest, side: int, who: str, options: Mapping[str, Any], shut: Mapping[str, str]) -> list[Row]:
    """Take a force, or a nation's other units, out of a battle. Returns what went where; nothing if there is nowhere to go.

    `shut` names places that are no refuge now: "fallen" in this step, or "given up" in this round.
    """
    rule = contest.row["leave"][SIDES[side]]
    movable = []
    for key, row in party_stacks(turn, contest, side):
        mine = row.get("force") == who or (row["owner"] == who and not row.get("force"))
        names = {"unit": Entity("unit", key), "self": Entity("nation", row["owner"]), "place": Entity("place", contest.place)}
        if mine and turn.world.test(rule.get("who"), names):
            movable.append((key, row))
    if not movable:
        return []
    owner = movable[0][1]["owner"]
    to = refuge(turn, contest, side, who, owner, options, rule, shut)
    if to is None:
        return []
    out = []
    force = movable[0][1].get("force")
    whole = force and len(movable) == len(forces.stacks_of(turn.state, str(force)))
    for _, row in movable:
        out.append({"owner": owner, "kind": row["kind"], "n": row["n"], "to": to})
    if whole:
        forces.withdraw(turn, str(force), to)
    else:
        for key, row in movable:
            turn.journal.alter_units(key, row["n"], **{**dict.fromkeys(forces.PASSING), "moved": True, "place": to})
    return out


def refuge(
    turn: Turn, contest: Contest, side: int, who: str, owner: str, options: Mapping[str, Any], rule: Row, shut: Mapping[str, str]
) -> str | None:
    """Where a leaving part of a side goes: the first way of `to` that is open, or None. Among several neighbours the order's
    target, else the decision's answer, else a place that is not attacked, with most friendly units, first by id."""
    names = {"self": Entity("nation", owner), "nation": Entity("nation", owner)}
    for way in rule.get("to", ()):
        if "stay" in way:
            return contest.place
        if "back" in way:
            start = turn.state.get("forces", who, "from")
            if start and _open(turn, way.get("ok", way["back"]), start, names, contest, shut):
                return str(start)
            continue
        links = tuple(way["links"]) if "links" in way else None
        near = [
            p for p in turn.world.geography.next_to(contest.place, links) if _open(turn, way["next"], p, names, contest, shut)
        ]
        if not near:
            continue
        order = options.get("order")
        wanted = order["slots"].get("target") if isinstance(order, Mapping) else None
        if wanted in near:
            return str(wanted)
        if "asks" in rule:
            row = turn.ruleset.row("decisions", rule["asks"])
            found = decide(
                turn, row, {**names, "place": Entity("place", contest.place)},
                lambda: turn.stream(contest.rule, f"{contest.subject}:{who}:to", contest.audience),
                options=near, who=owner, subject=contest.place,
            )  # fmt: skip
            return str(found)
        return min(near, key=lambda p: (_attacked(turn, owner, p), -_friends(turn, owner, p), p))
    return None


def _open(turn: Turn, test: Any, place: str, names: dict[str, Any], contest: Contest, shut: Mapping[str, str]) -> bool:
    if place in shut:
        return False
    scope = {**names, "place": Entity("place", place), "link": Entity("link", f"{contest.place}>{place}")}
    return turn.world.test(None if test is True else test, scope)


def _attacked(turn: Turn, owner: str, place: str) -> bool:
    return any(would_fight(turn, owner, o) for o in turn.state.owners_at(place))


def _friends(turn: Turn, owner: str, place: str) -> int:
    return sum(r["n"] for _, r in turn.state.stacks(at=place) if turn.world.allied(owner, r["owner"]))
