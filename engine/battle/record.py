"""What the journal says of a battle: its beginning, every round with its dice, values and losses, who left,
and its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ..core.journal import EVERYONE, Entry
from ..core.messages import Message, NamedThing, joined, thing
from ..core.state import Entity, Fields
from ..turn.context import Turn, audience_ids
from ..units.forces import strength
from ..world.messages import say, units
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


def begin_entry(battle: Battle) -> None:
    """The battle begins: who may read of it is settled, and the fact told."""
    owners = sorted({*hosts(battle), *(o for side in battle.began.values() for o in side)})
    battle.audience = readers(battle, owners)
    with battle.turn.journal.entry(
        battle.rule,
        subject=battle.subject,
        says=_begins(battle),
        audience=battle.audience,
        data={**_head(battle), "event": "begin", "sides": _sides(battle)},
    ):
        for by, of in _pairs(battle):
            battle.turn.journal.fact(
                "battle_began", by=by, of=of, place=battle.place, battle=battle.row["id"]
            )


def _begins(battle: Battle) -> Message:
    """Who meets whom with what; where no forces of the defender stand, it is those who guard the place."""
    turn = battle.turn
    told = (
        "Battle of {place}: {attackers} against "
        f"{'{defenders}' if battle.began[DEFENDER] else 'those who guard it'}."
    )
    foes = {"defenders": force_said(turn, battle.began[DEFENDER])} if battle.began[DEFENDER] else {}
    return say(
        turn.world, told, place=_place(battle), attackers=force_said(turn, battle.began[ATTACKER]), **foes
    )


def absent_entries(battle: Battle) -> None:
    """Each owner is told of their units that have come and take no part, with the reason."""
    turn = battle.turn
    for (owner, why), kinds in sorted(absentees(battle).items()):
        told = "{owner} {has|have} {units} in {place} without a part in the battle: {why}."
        says = say(
            turn.world,
            told,
            owner=nation_said(turn, owner),
            units=units_said(turn, kinds),
            place=_place(battle),
            why=why,
        )
        with turn.journal.entry(
            battle.rule,
            subject=battle.subject,
            says=says,
            audience=(owner,),
            data={**_head(battle), "event": "absent"},
        ):
            pass


def _pairs(battle: Battle) -> list[tuple[str | None, str | None]]:
    """Every nation of the one side with every nation of the other; who holds the place stands for defenders
    that are nobody.
    """
    attackers: list[str | None] = [*sorted({*battle.began[ATTACKER], *battle.fought[ATTACKER]})] or [None]
    defenders: list[str | None] = [*sorted({*battle.began[DEFENDER], *battle.fought[DEFENDER]})]
    defenders = defenders or [battle.turn.world.holder_of(battle.place)]
    return [(by, of) for by in attackers for of in defenders]


def readers(battle: Battle, owners: Sequence[str]) -> tuple[str, ...]:
    """Those involved, and those that the row adds (`audience`; `sides` adds the sides of those involved)."""
    turn = battle.turn
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
    battle: Battle,
    entry: Entry,
    plan: Plan,
    rounds: Rounds,
    dice: RealDice,
    lost: Mapping[int, Sequence[Mapping[str, Any]]],
    cargo: Sequence[Mapping[str, Any]],
) -> None:
    """A round, with every die: who threw how many at which value, under which rows, and what both sides
    lost.
    """
    for record in dice.records:
        entry.dice.append(record)
    entry.data.update(
        **_head(battle),
        event="round",
        round=battle.number,
        sides={SIDES[s]: kinds for s, kinds in describe(plan.groups).items()},
        virtual=[{"side": SIDES[g.side], "kind": g.kind, "n": g.n} for g in plan.groups if g.virtual],
        fire=[_fire(plan, battle, r) for r in dice.rolled],
        lost={SIDES[s]: list(parts) for s, parts in lost.items() if parts},
    )
    if cargo:
        entry.data["cargo"] = list(cargo)
    parts = []
    if rounds.compared is not None:
        entry.data["difference"] = rounds.compared.difference
        parts.append(_sums(battle, plan, rounds, dice))
    if dice.pairs:
        entry.data["pairs"] = [
            {"stage": p.stage, "attacker": p.first, "defender": p.second, "won": SIDES[p.winner]}
            for p in dice.pairs
        ]
    parts += _pairings(battle, plan, dice)
    parts += _losses(battle.turn, lost) or [Message("no losses")]
    told = "Round {n} at {place}: {losses}."
    about = {"n": battle.number, "place": _place(battle), "losses": joined(parts, "; ")}
    entry.tell(say(battle.turn.world, told, **about))


def _losses(turn: Turn, lost: Mapping[int, Sequence[Mapping[str, Any]]]) -> list[Message]:
    """Who lost what, and whose units became what, in a message for each owner."""
    out = []
    for side in (ATTACKER, DEFENDER):
        for owner, kinds in _destroyed(lost[side]).items():
            about = {"owner": nation_said(turn, owner), "units": units_said(turn, kinds)}
            out.append(say(turn.world, "{owner} {loses|lose} {units}", **about))
        for (owner, became), kinds in _hurt(lost[side]).items():
            about = {"owner": nation_said(turn, owner), "units": units_said(turn, kinds)}
            out.append(say(turn.world, "{owner} {has|have} {units} {became}", **about, became=became))
    return out


def _sums(battle: Battle, plan: Plan, rounds: Rounds, dice: RealDice) -> Message:
    """Both sums with their dice and what was added to each: "A 15 (4, 3, 5; +1 each) against B 6 (6, 2; -1
    each)".
    """
    assert rounds.compared is not None
    sides = []
    for side in (ATTACKER, DEFENDER):
        rolled = [r for r in dice.rolled if r.side == side]
        faces = ", ".join(str(face) for r in rolled for face in r.faces)
        each = f"; {rolled[0].value:+d} each" if rolled and rolled[0].value else ""
        who = _side_said(battle, plan, side)
        about = {"sum": rounds.compared.sums[side], "dice": f"{faces or 'no dice'}{each}"}
        sides.append(say(battle.turn.world, "{who} {sum} ({dice})", who=who, **about))
    return joined(sides, " against ")


def _pairings(battle: Battle, plan: Plan, dice: RealDice) -> list[Message]:
    """Of each stage the dice that were compared, pair by pair: "A against B: 6 beats 5, 4 loses to 4, 1 meets
    none".
    """
    out = []
    for stage in dict.fromkeys(p.stage for p in dice.pairs):
        pairs = [p for p in dice.pairs if p.stage == stage]
        parts = [f"{p.first} {'beats' if p.winner == ATTACKER else 'loses to'} {p.second}" for p in pairs]
        for side in (ATTACKER, DEFENDER):
            rolled = [r for r in dice.rolled if r.stage == stage and r.side == side]
            loose = sorted((face + r.value for r in rolled for face in r.faces), reverse=True)[len(pairs) :]
            if loose:
                parts.append(f"{' and '.join(map(str, loose))} {'meets' if len(loose) == 1 else 'meet'} none")
        sides = [_side_said(battle, plan, side) for side in (ATTACKER, DEFENDER)]
        out.append(
            say(
                battle.turn.world,
                "{attackers} against {defenders}: {pairs}",
                attackers=sides[0],
                defenders=sides[1],
                pairs=", ".join(parts),
            )
        )
    return out


def _side_said(battle: Battle, plan: Plan, side: int) -> Any:
    """A side of a battle by its nations; by the place where it has none."""
    owners = sorted({g.owner for g in plan.groups if g.side == side and g.n and not g.virtual and not g.row})
    if not owners:
        return _place(battle)
    turn = battle.turn
    return joined([say(turn.world, "{owner}", owner=nation_said(turn, owner)) for owner in owners], " and ")


def _fire(plan: Plan, battle: Battle, rolled: Any) -> dict[str, Any]:
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


def write_leave(battle: Battle, entry: Entry, side: int, left: Sequence[Mapping[str, Any]]) -> None:
    """Units that left a battle, and where they went."""
    turn = battle.turn
    gone: dict[str, dict[str, int]] = {}
    lost: dict[str, int] = {}
    for part in left:
        kinds = lost if part.get("lost") else gone.setdefault(part["to"], {})
        kinds[part["kind"]] = kinds.get(part["kind"], 0) + part["n"]
    owner = nation_said(turn, left[0]["owner"])
    for goal, those in gone.items():
        where = "from {place} to {goal}" if goal != battle.place else "from the battle of {place}"
        about = {"units": units_said(turn, those), "place": _place(battle), "goal": Entity("place", goal)}
        entry.tell(
            say(turn.world, f"{{owner}} {{withdraws|withdraw}} {{units}} {where}.", owner=owner, **about)
        )
    if lost:
        told = "{owner} {loses|lose} {units} that cannot leave {place}."
        entry.tell(say(turn.world, told, owner=owner, units=units_said(turn, lost), place=_place(battle)))
    entry.data.update(**_head(battle), event="leave", side=SIDES[side], round=battle.number, left=list(left))


def stuck_entry(
    battle: Battle, side: int, who: str, shut: Mapping[str, str], going: Sequence[Fields]
) -> None:
    """Units whose orders make them leave a battle and that have nowhere to go: told to their owner, once."""
    turn = battle.turn
    owner = str(going[0]["owner"])
    kinds: dict[str, int] = {}
    for row in going:
        kinds[row["kind"]] = kinds.get(row["kind"], 0) + row["n"]
    start = str(turn.state.get("forces", who, "from") or "")
    why = "no place near {place} is open to them"
    if start in shut:
        fate = "fallen" if shut[start] == "fallen" else "been given up"
        why = (
            f"{{start}}, where they came from, has {fate}, and no other place near {{place}} is open to them"
        )
    about = {"units": units_said(turn, kinds), "place": _place(battle), "n": battle.number}
    about |= {"start": Entity("place", start)} if start in shut else {}
    told = f"{{owner}} cannot withdraw {{units}} from {{place}} after round {{n}}: {why}."
    battle.stuck.add(who)
    with turn.journal.entry(
        battle.rule,
        subject=battle.subject,
        says=say(turn.world, told, owner=nation_said(turn, owner), **about),
        audience=(owner,),
        data={**_head(battle), "event": "stuck", "side": SIDES[side], "round": battle.number},
    ):
        pass


def back_entry(battle: Battle, side: int, force: str) -> AbstractContextManager[Entry]:
    """A force that had broken off is in the battle again: told to all sides, with whom it has."""
    turn = battle.turn
    owner = str(turn.state.get("forces", force, "owner"))
    about = {
        "owner": nation_said(turn, owner),
        "units": units_said(turn, strength(turn.state, force)),
        "here": _place(battle),
    }
    says = say(turn.world, "{owner} {comes|come} back to the battle of {here}: {units}.", **about)
    data = {**_head(battle), "event": "back", "side": SIDES[side], "round": battle.number}
    return turn.journal.entry(
        battle.rule, subject=battle.subject, says=says, audience=battle.audience, data=data
    )


def write_fire_on_retreat(
    battle: Battle,
    entry: Entry,
    plan: Plan,
    dice: RealDice,
    lost: Mapping[int, Sequence[Mapping[str, Any]]],
) -> None:
    """Shots at those who leave: dice and losses, beside what `write_leave` says."""
    turn = battle.turn
    entry.dice.extend(dice.records)
    entry.data.update(
        **_head(battle),
        event="leave",
        round=battle.number,
        fire_on_retreat=[_fire(plan, battle, r) for r in dice.rolled],
        lost={SIDES[s]: list(parts) for s, parts in lost.items() if parts},
    )
    for side in (ATTACKER, DEFENDER):
        for owner, kinds in _destroyed(lost[side]).items():
            about = {
                "owner": nation_said(turn, owner),
                "units": units_said(turn, kinds),
                "place": _place(battle),
            }
            entry.tell(say(turn.world, "{owner} {loses|lose} {units} in leaving {place}.", **about))


def end_entry(battle: Battle) -> None:
    """The end of a battle: who stands, and what it cost everybody."""
    turn = battle.turn
    winner = SIDES[battle.winner] if battle.winner is not None else None
    outcome = f": {said}" if (said := _outcome(battle)) else ""
    told = f"The battle of {{place}} is over after {_rounds(battle.number)}{outcome}."
    with turn.journal.entry(
        battle.rule,
        subject=battle.subject,
        says=say(turn.world, told, place=_place(battle), n=battle.number),
        audience=battle.audience,
        data={
            **_head(battle),
            "event": "end",
            "rounds": battle.number,
            "winner": winner,
            "lost_touch": battle.touch_lost,
            **({"better": SIDES[battle.better]} if battle.better is not None else {}),
            "sides": _sides(battle),
            "lost": {SIDES[s]: kinds for s, kinds in battle.lost.items()},
        },
    ):
        for by, of in _pairs(battle):
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
    return "{n} round" if n == 1 else "{n} rounds"


def _place(battle: Battle) -> Entity:
    return Entity("place", battle.place)


def nation_said(turn: Turn, nation: str) -> NamedThing:
    """A nation by its name, with its article, as it stands inside a sentence."""
    row = turn.ruleset.row_or_empty("nations", nation)
    name = str(row.get("name", nation))
    return thing(
        "nation",
        nation,
        f"{row['article']} {name}" if "article" in row else name,
        several=bool(row.get("plural_name")),
    )


def units_said(turn: Turn, kinds: Mapping[str, int]) -> NamedThing:
    """Units by their kinds, in the order of those."""
    return units(turn.world, dict(sorted(kinds.items())))


def force_said(turn: Turn, side: Mapping[str, Mapping[str, int]]) -> Message:
    """The forces of a side, owner by owner: "A (2 foot) and B (1 horse)"."""
    parts = [
        say(turn.world, "{owner} ({units})", owner=nation_said(turn, o), units=units_said(turn, side[o]))
        for o in sorted(side)
    ]
    return joined(parts, " and ")
