"""What the journal says of a battle: its beginning, every round with its dice, values and losses, who left, and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ..core.journal import EVERYONE, Entry
from ..core.state import Fields
from ..turn.context import Turn, audience_ids
from ..units.forces import strength
from .battles import Battle, absentees, hosts
from .groups import ATTACKER, DEFENDER, SIDES, Group
from .plan import Plan
from .rounds import Rounds
from .samplers import RealDice


def describe(groups: Sequence[Group]) -> dict[int, dict[str, dict[str, int]]]:
    """Side -> owner -> kind -> number, real units only."""
    out: dict[int, dict[str, dict[str, int]]] = {ATTACKER: {}, DEFENDER: {}}
    for group in groups:
        if group.n and not group.virtual:
            of = out[group.side].setdefault(group.owner, {})
            of[group.kind] = of.get(group.kind, 0) + group.n
    return out


def begin_entry(turn: Turn, battle: Battle) -> None:
    """The battle begins: who may read of it is settled, and the fact told."""
    owners = sorted({*hosts(turn, battle), *(o for side in battle.began.values() for o in side)})
    battle.audience = readers(turn, battle, owners)
    with turn.journal.entry(
        battle.rule,
        subject=battle.subject,
        text=f"Battle of {place_name(turn, battle)}: {force_text(turn, battle.began[0])} against {_foe_text(turn, battle)}.",
        audience=battle.audience,
        data={**_head(battle), "event": "begin", "sides": _sides(battle)},
    ):
        for by, of in _pairs(turn, battle):
            turn.journal.fact("battle_began", by=by, of=of, place=battle.place, battle=battle.row["id"])


def absent_entries(turn: Turn, battle: Battle) -> None:
    """Each owner is told of his units that have come and take no part, with the reason."""
    for (owner, why), kinds in sorted(absentees(turn, battle).items()):
        units = f"{units_text(turn, kinds)} in {place_name(turn, battle)}"
        text = f"{_first(nation_name(turn, owner))} has {units} without a part in the battle: {why}."
        with turn.journal.entry(
            battle.rule, subject=battle.subject, text=text, audience=(owner,), data={**_head(battle), "event": "absent"}
        ):
            pass


def _pairs(turn: Turn, battle: Battle) -> list[tuple[str | None, str | None]]:
    """Every nation of the one side with every nation of the other; who holds the place stands for defenders that are nobody."""
    attackers: list[str | None] = [*sorted({*battle.began[ATTACKER], *battle.fought[ATTACKER]})] or [None]
    defenders: list[str | None] = [*sorted({*battle.began[DEFENDER], *battle.fought[DEFENDER]})]
    defenders = defenders or [turn.world.holder_of(battle.place)]
    return [(by, of) for by in attackers for of in defenders]


def readers(turn: Turn, battle: Battle, owners: Sequence[str]) -> tuple[str, ...]:
    """Those involved, and whoever the row adds (`audience`; `sides` adds the sides of those involved)."""
    extra = battle.row.get("audience")
    if extra == EVERYONE:
        return (EVERYONE,)
    out = list(owners)
    if extra == "sides":
        out += sorted({s for o in owners if (s := turn.world.side_of(o))})
    elif extra is not None:
        out += audience_ids(turn.world, extra, turn.names())
    return tuple(dict.fromkeys(out))


def write_round(
    turn: Turn,
    battle: Battle,
    entry: Entry,
    plan: Plan,
    rounds: Rounds,
    dice: RealDice,
    lost: Mapping[int, Sequence[Mapping[str, Any]]],
    cargo: Sequence[Mapping[str, Any]],
) -> None:
    """A round, with every die: who threw how many at which value, under which rows, and what both sides lost."""
    for record in dice.records:
        entry.dice.append(record)
    entry.data.update(
        **_head(battle),
        event="round",
        round=battle.number,
        sides={SIDES[s]: kinds for s, kinds in describe(plan.groups).items()},
        virtual=[{"side": SIDES[g.side], "kind": g.kind, "n": g.n} for g in plan.groups if g.virtual],
        fire=[_fire(turn, plan, battle, r) for r in dice.rolled],
        lost={SIDES[s]: list(parts) for s, parts in lost.items() if parts},
    )
    if cargo:
        entry.data["cargo"] = list(cargo)
    told = ""
    if rounds.compared is not None:
        entry.data["difference"] = rounds.compared.difference
        told = _sums_text(turn, battle, plan, rounds, dice)
    parts = []
    for side in (ATTACKER, DEFENDER):
        for owner, kinds in _destroyed(lost[side]).items():
            parts.append(f"{nation_name(turn, owner)} loses {units_text(turn, kinds)}")
        for (owner, became), kinds in _hurt(lost[side]).items():
            parts.append(f"{nation_name(turn, owner)} has {units_text(turn, kinds)} {became}")
    entry.text = f"Round {battle.number} at {place_name(turn, battle)}: {told}{'; '.join(parts) or 'no losses'}."


def _sums_text(turn: Turn, battle: Battle, plan: Plan, rounds: Rounds, dice: RealDice) -> str:
    """Both sums with their dice and what was added to each: "A 15 (4, 3, 5; +1 each) against B 6 (6, 2; -1 each); "."""
    assert rounds.compared is not None
    sides = []
    for side in (ATTACKER, DEFENDER):
        rolled = [r for r in dice.rolled if r.side == side]
        faces = ", ".join(str(face) for r in rolled for face in r.faces)
        each = f"; {rolled[0].value:+d} each" if rolled and rolled[0].value else ""
        owners = sorted({g.owner for g in plan.groups if g.side == side and g.n and not g.virtual and not g.row})
        names = " and ".join(nation_name(turn, o) for o in owners) or place_name(turn, battle)
        sides.append(f"{names} {rounds.compared.sums[side]} ({faces or 'no dice'}{each})")
    return f"{' against '.join(sides)}; "


def _fire(turn: Turn, plan: Plan, battle: Battle, rolled: Any) -> dict[str, Any]:
    group = plan.groups[rolled.group]
    out = {
        "stage": rolled.stage,
        "side": SIDES[group.side],
        "owner": group.owner,
        "kind": group.kind,
        "n": rolled.n,
        "die": rolled.die,
        "value": rolled.value,
        "dice": rolled.faces,
        "hits": rolled.hits,
    }
    applied = _applied(plan, rolled, battle.number)
    if applied:
        out["applied"] = applied
    return out


def _applied(plan: Plan, rolled: Any, number: int) -> list[dict[str, Any]]:
    for stage in plan.stages:
        if stage.id != rolled.stage:
            continue
        for volley in stage.volleys:
            for fire in volley.fires:
                if fire.group == rolled.group:
                    rows = fire.value.applied(plan.start, number)
                    return [{"id": r["id"], "label": r.get("label", r["id"])} for r in rows]
    return []


def _hurt(parts: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], dict[str, int]]:
    """Owner and what they became -> kinds of units that were hit and are still there."""
    out: dict[tuple[str, str], dict[str, int]] = {}
    for part in parts:
        if "becomes" in part and not part.get("virtual"):
            of = out.setdefault((part["owner"], part["becomes"]), {})
            of[part["kind"]] = of.get(part["kind"], 0) + part["n"]
    return out


def _destroyed(parts: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    out: dict[str, dict[str, int]] = {}
    for part in parts:
        if part["lost"] and not part.get("virtual"):
            of = out.setdefault(part["owner"], {})
            of[part["kind"]] = of.get(part["kind"], 0) + part["n"]
    return out


def write_leave(turn: Turn, battle: Battle, entry: Entry, side: int, left: Sequence[Mapping[str, Any]]) -> None:
    """Units that left a battle, and where they went."""
    gone: dict[str, dict[str, int]] = {}
    lost: dict[str, int] = {}
    for part in left:
        kinds = lost if part.get("lost") else gone.setdefault(part["to"], {})
        kinds[part["kind"]] = kinds.get(part["kind"], 0) + part["n"]
    owner = _first(nation_name(turn, left[0]["owner"]))
    words = []
    for goal, units in gone.items():
        to = turn.ruleset.rows("places").get(goal, {}).get("name", goal)
        where = f"from {place_name(turn, battle)} to {to}" if goal != battle.place else f"from the battle of {to}"
        words.append(f"{owner} withdraws {units_text(turn, units)} {where}.")
    if lost:
        words.append(f"{owner} loses {units_text(turn, lost)} that cannot leave {place_name(turn, battle)}.")
    entry.text = " ".join([*([entry.text] if entry.text else []), *words])
    entry.data.update(**_head(battle), event="leave", side=SIDES[side], round=battle.number, left=list(left))


def stuck_entry(turn: Turn, battle: Battle, side: int, who: str, shut: Mapping[str, str], going: Sequence[Fields]) -> None:
    """Units whose orders make them leave a battle and that have nowhere to go: told to their owner, once."""
    owner = str(going[0]["owner"])
    kinds: dict[str, int] = {}
    for row in going:
        kinds[row["kind"]] = kinds.get(row["kind"], 0) + row["n"]
    start = str(turn.state.get("forces", who, "from") or "")
    here = place_name(turn, battle)
    came = ""
    if start in shut:
        name = turn.ruleset.rows("places").get(start, {}).get("name", start)
        came = f"{name}, where they came from, has {'fallen' if shut[start] == 'fallen' else 'been given up'}, and "
    why = f"{came}no {'other ' if came else ''}place near {here} is open to them"
    units = f"{units_text(turn, kinds)} from {here} after round {battle.number}"
    battle.stuck.add(who)
    with turn.journal.entry(
        battle.rule,
        subject=battle.subject,
        text=f"{_first(nation_name(turn, owner))} cannot withdraw {units}: {why}.",
        audience=(owner,),
        data={**_head(battle), "event": "stuck", "side": SIDES[side], "round": battle.number},
    ):
        pass


def back_entry(turn: Turn, battle: Battle, side: int, force: str) -> AbstractContextManager[Entry]:
    """A force that had broken off is in the battle again: told to all sides, with whom it has."""
    owner = str(turn.state.get("forces", force, "owner"))
    units = units_text(turn, strength(turn.state, force))
    text = f"{nation_name(turn, owner)} comes back to the battle of {place_name(turn, battle)}: {units}."
    data = {**_head(battle), "event": "back", "side": SIDES[side], "round": battle.number}
    return turn.journal.entry(battle.rule, subject=battle.subject, text=text, audience=battle.audience, data=data)


def write_parting(
    turn: Turn, battle: Battle, entry: Entry, plan: Plan, dice: RealDice, lost: Mapping[int, Sequence[Mapping[str, Any]]]
) -> None:
    """Shots at those who leave: dice and losses, beside what `write_leave` says."""
    entry.dice.extend(dice.records)
    entry.data.update(
        **_head(battle), event="leave", round=battle.number, parting=[_fire(turn, plan, battle, r) for r in dice.rolled],
        lost={SIDES[s]: list(parts) for s, parts in lost.items() if parts},
    )  # fmt: skip
    for side in (ATTACKER, DEFENDER):
        for owner, kinds in _destroyed(lost[side]).items():
            who = _first(nation_name(turn, owner))
            entry.text = f"{who} loses {units_text(turn, kinds)} in leaving {place_name(turn, battle)}."


def end_entry(turn: Turn, battle: Battle) -> None:
    """The end of a battle: who stands, and what it cost everybody."""
    winner = SIDES[battle.winner] if battle.winner is not None else None
    outcome = f": {said}" if (said := _outcome(battle)) else ""
    with turn.journal.entry(
        battle.rule,
        subject=battle.subject,
        text=f"The battle of {place_name(turn, battle)} is over after {_rounds(battle.number)}{outcome}.",
        audience=battle.audience,
        data={
            **_head(battle), "event": "end", "rounds": battle.number, "winner": winner, "lost_touch": battle.touch_lost,
            **({"better": SIDES[battle.better]} if battle.better is not None else {}),
            "sides": _sides(battle), "lost": {SIDES[s]: kinds for s, kinds in battle.lost.items()},
        },
    ):  # fmt: skip
        for by, of in _pairs(turn, battle):
            turn.journal.fact(
                "battle_ended", by=by, of=of, place=battle.place, battle=battle.row["id"], winner=winner,
                units=_kinds(battle, ATTACKER, by), foes=_kinds(battle, DEFENDER, of),
            )  # fmt: skip


def _outcome(battle: Battle) -> str:
    """Who has the field, in words; none where one side alone fires, since nobody disputes it then."""
    if battle.winner is not None:
        return "the attackers have the field" if battle.winner == ATTACKER else "the defenders hold"
    if battle.better is not None:
        return f"the {SIDES[battle.better]}s have the better of it"
    if battle.touch_lost:
        return "the forces have lost each other"
    return "" if battle.plan is not None and battle.plan.one_fires else "nobody has the field"


def _kinds(battle: Battle, side: int, owner: str | None) -> list[str]:
    """Kinds of a nation's units that took part in a battle on a side."""
    return sorted(battle.fought[side].get(owner or "", ()))


def _head(battle: Battle) -> dict[str, Any]:
    return {"battle": battle.row["id"], "place": battle.place}


def _sides(battle: Battle) -> dict[str, Any]:
    return {SIDES[side]: kinds for side, kinds in battle.began.items()}


def _rounds(n: int) -> str:
    return "1 round" if n == 1 else f"{n} rounds"


def _foe_text(turn: Turn, battle: Battle) -> str:
    return force_text(turn, battle.began[DEFENDER]) or "those who guard it"


def place_name(turn: Turn, battle: Battle) -> str:
    return str(turn.ruleset.rows("places").get(battle.place, {}).get("name", battle.place))


def nation_name(turn: Turn, nation: str) -> str:
    """A nation by its name, with its article, inside a sentence."""
    row = turn.ruleset.rows("nations").get(nation, {})
    name = str(row.get("name", nation))
    return f"{row['article']} {name}" if "article" in row else name


def _first(name: str) -> str:
    """A name at the beginning of a sentence."""
    return name[:1].upper() + name[1:]


def units_text(turn: Turn, kinds: Mapping[str, int]) -> str:
    words = []
    for kind in sorted(kinds):
        row = turn.ruleset.rows("units").get(kind, {})
        name = row.get("name", kind)
        words.append(f"{kinds[kind]} {name if kinds[kind] == 1 else row.get('plural', name)}")
    return ", ".join(words)


def force_text(turn: Turn, side: Mapping[str, Mapping[str, int]]) -> str:
    return " and ".join(f"{nation_name(turn, o)} ({units_text(turn, side[o])})" for o in sorted(side))
