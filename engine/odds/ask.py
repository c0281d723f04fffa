"""Odds of a battle that has not been ordered: the units named, at a place, over a border, on a copy of the
world.

The world asked is not changed. Units that act from where they stand when others attack (by the modes'
`stays`) join as they would in the real battle, and attackers from a place of another kind than the one
attacked have landed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..battle import listed
from ..battle.compile import make_plan
from ..battle.groups import ATTACKER, DEFENDER, SIDES, Troops
from ..battle.plan import Plan, Setting
from ..battle.scene import scene, stack
from ..core.choices import block_of
from ..core.model import Row
from ..core.state import Entity, pair_key, unit_key, works_on
from ..world.passages import place_kind
from ..world.routes import Going, find_path, kept_of, kind_matches
from ..world.world import World
from .contact_chance import touch_of

Force = Mapping[Any, int]
"""(owner, kind) -> number; a third part of the key, a tuple of (field, value), says in what condition they
are: hits taken, the border they come over (`via`, as "from>to") ..."""
Tables = dict[str, dict[str, Any]]
"""Rows of tables laid over those of the world: units, forces, links."""
WORD = "asked"
"""The field that keeps units of a question apart from those of the world."""


@dataclass(frozen=True, slots=True)
class Question:
    """A battle to be judged. `start` is where the attackers come from, `works` what guards their borders for
    the defenders;
    `orders` give owners' orders of losses, `limits` side -> when it would leave: {"rounds": n, "losses": n,
    "kills": {"kills": n,
    "left": n}, "by": {force or nation: such limits of its own}}, as the options of orders say it."""

    battle: str
    attackers: Force
    defenders: Force
    place: str = ""
    start: str = ""
    works: str | None = None
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    limits: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    seekers: tuple[int, ...] = ()
    """Sides that look for the other again before every later round, where the battle wants contact again;
    none: it is kept.
    """
    record: str = ""
    """The record that stands for the battle, where rules have listed it."""
    tables: Tables | None = None
    """The position as it stands, where the referee has set it up (`as_written`): it goes before attackers and
    defenders.
    """


def plan_of(
    world: World, question: Question, tables: Tables | None = None, battle: str | None = None
) -> Plan:
    """The plan of a question's battle, or of another `battle` of the same parties; `tables` is its position
    if it is known.
    """
    row = world.ruleset.row("battles", battle or question.battle)
    tables = position_of(world, question) if tables is None else tables
    there = scene(world, tables["units"], tables=tables)
    members = []
    for key, fields in tables["units"].items():
        side = ATTACKER if fields[WORD] == SIDES[ATTACKER] else DEFENDER
        join = _joins(there, row, key, fields, side)
        if join is not None or _takes_part(there, row, side, key, question.place):
            helps = join is not None and "units" in join
            link = (
                (fields.get("via") or _came(row, fields, question)) if side == ATTACKER and not helps else ""
            )
            members.append(Troops(key, fields, side, link, str(fields.get("force", "")), join))
    both = row.get("attacks") == "both"
    names = listed.names_of(question.record) if question.record else {}
    origins = listed.origins(there, row, question.record, question.place)
    setting = Setting(question.place, (True, both), names, orders=question.orders, origins=origins)
    limits = question.limits if battle is None else None
    plan = make_plan(
        there, row, members, setting, limits=limits, tires=_tires(there, row, members, question.place)
    )
    said = block_of(row, "where")
    if question.seekers and said.get("contact_again") and battle is None:
        contacts = said.get("detection") or list(world.ruleset.rows("detection"))
        plan.touch = touch_of(plan, world.ruleset.row("detection", contacts[0]), question.seekers)
    return plan


def position_of(world: World, question: Question) -> Tables:
    """The stacks, forces and borders of a question, with what flying there leaves of an allowance of its
    units.
    """
    if question.tables is not None:
        works = _links(question, question.tables["units"])
        return {**question.tables, "links": {**question.tables.get("links", {}), **works}}
    tables = _tables(world, question)
    flown = _flown(scene(world, tables["units"], tables=tables), question, tables["units"])
    return (
        {**tables, "units": {key: {**flown.get(key, {}), **row} for key, row in tables["units"].items()}}
        if flown
        else tables
    )


def _flown(there: World, question: Question, units: Mapping[str, Row]) -> dict[str, dict[str, Any]]:
    """What attackers who fly have left when they come (the fields `keeps` and `way_home` of their mode), by
    stack.
    """
    out: dict[str, dict[str, Any]] = {}
    for key, row in units.items() if question.start else ():
        if row[WORD] != SIDES[ATTACKER] or not _flies(there, row["kind"]):
            continue
        for mode in there.ruleset.rows("movement").values():
            flies = (
                mode.get("passes_over")
                and mode.get("keeps")
                and not mode.get("returns")
                and not mode.get("arrives")
            )
            if not flies or not kind_matches(there, mode.get("who"), row["kind"]):
                continue
            going = Going(there, row["owner"], mode, [Entity("unit", key)])
            path = find_path(going, question.start, question.place)
            if (
                path is None
                or len(path) < 2
                or not going.test("end", path[-1], f"{path[-2]}>{path[-1]}", path[:-1])
            ):
                continue
            kept = kept_of(going, Entity("unit", key), path)
            if kept and kept[mode["keeps"]] >= 0:
                out[key] = {name: left for name, left in kept.items() if left is not None}
                break
    return out


def _tires(there: World, row: Row, members: Sequence[Troops], place: str) -> dict[str, int]:
    """The last round of those who use up what they need to take part (`spends`), by stack; nothing for those
    who do not.
    """
    rule: Row = row.get("spends") or {}
    out: dict[str, int] = {}
    for member in members if rule else ():
        attacks = member.side == ATTACKER or row.get("attacks") == "both"
        about = {"attacks": attacks, "kind": row["id"], "round": 1}
        names = {
            "unit": Entity("unit", member.key),
            "self": Entity("nation", member.row["owner"]),
            "battle": about,
        }
        if not there.test(rule.get("who"), {**names, "place": Entity("place", place)}):
            continue
        has, by = have(there, rule, member.key), int(rule["by"])
        for number in range(1, has // by + 1 if by > 0 else 1):
            later = scene(there, {member.key: {**member.row, rule["field"]: has - by * number}})
            if not _takes_part(later, row, member.side, member.key, place):
                out[member.key] = number
                break
    return out


def have(there: World, rule: Row, key: str) -> int:
    """What a unit has of what a battle spends."""
    now = there.state.get("units", key, rule["field"])
    if now is None:
        unit = Entity("unit", key)
        now = (
            there.quantity(rule["full"], unit) if rule.get("full") else there.field(unit, rule["field"]) or 0
        )
    return int(now)


def _tables(world: World, question: Question) -> Tables:
    """The stacks and forces of the question, and the border as it asks for it."""
    units: dict[str, Any] = {}
    forces: dict[str, Any] = {}
    via = f"{question.start}>{question.place}" if question.start or question.works else None
    came = block_of(world.ruleset.row_or_empty("battles", question.battle), "where").get("came_from")
    landed = bool(question.start) and place_kind(world, question.start) != place_kind(world, question.place)
    for side, force in ((ATTACKER, question.attackers), (DEFENDER, question.defenders)):
        for (owner, kind, *more), n in sorted(force.items(), key=lambda item: str(item[0])):
            extra: dict[str, Any] = {WORD: SIDES[side], **dict(*more)}
            place = question.place
            if side == ATTACKER:
                extra.setdefault("via", via)
                if came and extra["via"]:
                    extra.setdefault(came, extra["via"].partition(">")[0])
                mission = _acts_from(world, question, owner, kind)
                if mission is not None:
                    place = question.start
                    extra["force"] = f"{owner}#{WORD}{mission}"
                    forces[extra["force"]] = _force_at(owner, place, mission)
                elif landed and not _flies(world, kind):
                    extra["landed"] = True
                elif _stays(world, kind):
                    place = question.start or question.place
                    extra["force"] = f"{owner}#{WORD}"
                    forces[extra["force"]] = {
                        "owner": owner,
                        "at": place,
                        "from": place,
                        "stays": True,
                        "targets": [question.place],
                        "path": [place],
                    }
            row = stack(owner, kind, place, n, **extra)
            units[unit_key(owner, kind, place, {k: v for k, v in extra.items() if v is not None})] = row
    return {"units": units, "forces": forces, "links": _links(question, units)}


def _links(question: Question, units: Mapping[str, Row]) -> dict[str, Any]:
    """What guards the borders over which the attackers come, where the question says it."""
    vias = sorted({str(row["via"]) for row in units.values() if row.get("via")}) if question.works else ()
    return {pair_key(*v.split(">", 1)): {works_on(question.place): question.works} for v in vias}


def _force_at(owner: str, place: str, mission: str) -> dict[str, Any]:
    return {"owner": owner, "at": place, "from": place, "path": [place], "mission": mission}


def _acts_from(world: World, question: Question, owner: str, kind: str) -> str | None:
    """The mission on which a unit that cannot go over the border takes part from where it stands, or None if
    there is none.
    """
    link = (
        (world.geography.link(question.start, question.place) or {}).get("kind") if question.start else None
    )
    modes = world.ruleset.rows("movement").values()
    if link is None or any(
        link in m.get("links", (link,)) and kind_matches(world, m.get("who"), kind) for m in modes
    ):
        return None
    names = {"force": Entity("force", f"{owner}#{WORD}"), "self": Entity("nation", owner)}
    for join in world.ruleset.row("battles", question.battle).get("joins", ()):
        if not join.get("from_origin") or join.get("side") == SIDES[DEFENDER]:
            continue
        for mission in world.ruleset.rows("missions"):
            there = scene(
                world, {}, tables={"forces": {f"{owner}#{WORD}": _force_at(owner, question.start, mission)}}
            )
            if there.test(join.get("when"), names):
                return mission
    return None


def _stays(world: World, kind: str) -> bool:
    modes = world.ruleset.rows("movement").values()
    return any(
        bool(m.get("stays"))
        and kind_matches(world, m["stays"], kind)
        and kind_matches(world, m.get("who"), kind)
        for m in modes
    )


def _flies(world: World, kind: str) -> bool:
    return any(
        bool(m.get("passes_over")) and kind_matches(world, m.get("who"), kind)
        for m in world.ruleset.rows("movement").values()
    )


def _came(row: Row, fields: Row, question: Question) -> str:
    return listed.link(row, fields, question.place) if question.record else ""


def _joins(world: World, row: Row, key: str, fields: Row, side: int) -> Row | None:
    """The row by which a unit takes part from where it stands; None where the battle has none (it then fights
    like others).
    """
    names = {
        "force": Entity("force", str(fields.get("force", ""))),
        "self": Entity("nation", fields["owner"]),
        "unit": Entity("unit", key),
        "place": Entity("place", fields["place"]),
    }
    for join in row.get("joins", ()):
        if "units" in join:
            if join.get("side") in (None, SIDES[side]) and world.test(join.get("who"), names):
                return dict(join)
            continue
        if not fields.get("force"):
            continue
        if (
            join.get("side") in (None, SIDES[ATTACKER])
            and world.test(join.get("when"), names)
            and world.test(join.get("who"), names)
        ):
            return dict(join)
    return None


def _takes_part(world: World, row: Row, side: int, key: str, place: str) -> bool:
    who = row.get("who")
    if isinstance(who, Mapping):
        who = who.get(SIDES[side])
    owner = world.state.get("units", key, "owner")
    names = {
        "unit": Entity("unit", key),
        "self": Entity("nation", owner),
        "nation": Entity("nation", owner),
        "place": Entity("place", place),
        "link": Entity("link", str(world.state.get("units", key, "via") or ">")),
        "battle": {
            "attacks": side == ATTACKER or row.get("attacks") == "both",
            "kind": row["id"],
            "round": 1,
        },
    }
    return world.test(who, names)
