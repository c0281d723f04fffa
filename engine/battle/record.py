"""What the journal says of a battle: its beginning, every round with its dice, values and losses, who left, and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.journal import EVERYONE, Entry
from ..turn.context import Turn, audience_ids
from .contest import Contest
from .members import ATTACKER, DEFENDER, SIDES, Group
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


def begin_entry(turn: Turn, contest: Contest) -> None:
    """The battle begins: who may read of it is settled, and the fact told."""
    owners = sorted({o for side in contest.began.values() for o in side} | _hosts(turn, contest))
    contest.audience = readers(turn, contest, owners)
    with turn.journal.entry(
        contest.rule,
        subject=contest.subject,
        text=f"Battle of {place_name(turn, contest)}: {force_text(turn, contest.began[0])} against {_foe_text(turn, contest)}.",
        audience=contest.audience,
        data={**_head(contest), "event": "begin", "sides": _sides(contest)},
    ):
        for by, of in _pairs(turn, contest):
            turn.journal.fact("battle_began", by=by, of=of, place=contest.place, battle=contest.row["id"])


def _pairs(turn: Turn, contest: Contest) -> list[tuple[str | None, str | None]]:
    """Every nation of the one side with every nation of the other; who holds the place stands for defenders that are nobody."""
    attackers: list[str | None] = [*sorted({*contest.began[ATTACKER], *contest.fought[ATTACKER]})] or [None]
    defenders: list[str | None] = [*sorted({*contest.began[DEFENDER], *contest.fought[DEFENDER]})]
    defenders = defenders or [turn.world.holder_of(contest.place)]
    return [(by, of) for by in attackers for of in defenders]


def _hosts(turn: Turn, contest: Contest) -> set[str]:
    holder = turn.world.holder_of(contest.place)
    return {holder} if holder and contest.parties[DEFENDER].place else set()


def readers(turn: Turn, contest: Contest, owners: Sequence[str]) -> tuple[str, ...]:
    """Those involved, and whoever the row adds (`audience`; `sides` adds the sides of those involved)."""
    extra = contest.row.get("audience")
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
    contest: Contest,
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
        **_head(contest),
        event="round",
        round=contest.number,
        sides={SIDES[s]: kinds for s, kinds in describe(plan.groups).items()},
        virtual=[{"side": SIDES[g.side], "kind": g.kind, "n": g.n} for g in plan.groups if g.virtual],
        fire=[_fire(turn, plan, contest, r) for r in dice.rolled],
        lost={SIDES[s]: list(parts) for s, parts in lost.items() if parts},
    )
    if cargo:
        entry.data["cargo"] = list(cargo)
    if any(stage.row.get("resolve") == "sum" for stage in plan.stages):
        entry.data["difference"] = rounds.difference
    parts = []
    for side in (ATTACKER, DEFENDER):
        for owner, kinds in _destroyed(lost[side]).items():
            parts.append(f"{nation_name(turn, owner)} loses {units_text(turn, kinds)}")
        for (owner, became), kinds in _hurt(lost[side]).items():
            parts.append(f"{nation_name(turn, owner)} has {units_text(turn, kinds)} {became}")
    entry.text = f"Round {contest.number} at {place_name(turn, contest)}: {'; '.join(parts) or 'no losses'}."


def _fire(turn: Turn, plan: Plan, contest: Contest, rolled: Any) -> dict[str, Any]:
    group = plan.groups[rolled.group]
    out = {
        "stage": rolled.stage,
        "side": SIDES[group.side],
        "owner": group.owner,
        "kind": group.kind,
        "n": group.n,
        "die": rolled.die,
        "value": rolled.value,
        "dice": rolled.faces,
        "hits": rolled.hits,
    }
    applied = _applied(plan, rolled, contest.number)
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


def write_leave(turn: Turn, contest: Contest, entry: Entry, side: int, left: Sequence[Mapping[str, Any]]) -> None:
    """Units that left a battle, and where they went."""
    gone, lost = ({}, {})  # type: ignore[var-annotated]
    for part in left:
        kinds = lost if part.get("lost") else gone
        kinds[part["kind"]] = kinds.get(part["kind"], 0) + part["n"]
    owner = nation_name(turn, left[0]["owner"])
    words = []
    if gone:
        goal = next(p["to"] for p in left if "to" in p)
        to = turn.ruleset.rows("places").get(goal, {}).get("name", goal)
        where = f"from {place_name(turn, contest)} to {to}" if goal != contest.place else f"from the battle of {to}"
        words.append(f"{owner} withdraws {units_text(turn, gone)} {where}.")
    if lost:
        words.append(f"{owner} loses {units_text(turn, lost)} that cannot leave {place_name(turn, contest)}.")
    entry.text = " ".join([*([entry.text] if entry.text else []), *words])
    entry.data.update(**_head(contest), event="leave", side=SIDES[side], round=contest.number, left=list(left))


def write_parting(
    turn: Turn, contest: Contest, entry: Entry, plan: Plan, dice: RealDice, lost: Mapping[int, Sequence[Mapping[str, Any]]]
) -> None:
    """Shots at those who leave: dice and losses, beside what `write_leave` says."""
    entry.dice.extend(dice.records)
    entry.data.update(
        **_head(contest), event="leave", round=contest.number, parting=[_fire(turn, plan, contest, r) for r in dice.rolled],
        lost={SIDES[s]: list(parts) for s, parts in lost.items() if parts},
    )  # fmt: skip
    for side in (ATTACKER, DEFENDER):
        for owner, kinds in _destroyed(lost[side]).items():
            entry.text = f"{nation_name(turn, owner)} loses {units_text(turn, kinds)} in leaving {place_name(turn, contest)}."


def end_entry(turn: Turn, contest: Contest) -> None:
    """The end of a battle: who stands, and what it cost everybody."""
    winner = SIDES[contest.winner] if contest.winner is not None else None
    words = {"attacker": "the attackers have the field", "defender": "the defenders hold", None: "nobody has the field"}
    outcome = "the forces have lost each other" if contest.touch_lost else words[winner]
    with turn.journal.entry(
        contest.rule,
        subject=contest.subject,
        text=f"The battle of {place_name(turn, contest)} is over after {_rounds(contest.number)}: {outcome}.",
        audience=contest.audience,
        data={
            **_head(contest), "event": "end", "rounds": contest.number, "winner": winner, "lost_touch": contest.touch_lost,
            "sides": _sides(contest), "lost": {SIDES[s]: kinds for s, kinds in contest.lost.items()},
        },
    ):  # fmt: skip
        for by, of in _pairs(turn, contest):
            turn.journal.fact(
                "battle_ended", by=by, of=of, place=contest.place, battle=contest.row["id"], winner=winner,
                units=_kinds(contest, ATTACKER, by), foes=_kinds(contest, DEFENDER, of),
            )  # fmt: skip


def _kinds(contest: Contest, side: int, owner: str | None) -> list[str]:
    """Kinds of a nation's units that took part in a battle on a side."""
    return sorted(contest.fought[side].get(owner or "", ()))


def _head(contest: Contest) -> dict[str, Any]:
    return {"battle": contest.row["id"], "place": contest.place}


def _sides(contest: Contest) -> dict[str, Any]:
    return {SIDES[side]: kinds for side, kinds in contest.began.items()}


def _rounds(n: int) -> str:
    return "1 round" if n == 1 else f"{n} rounds"


def _foe_text(turn: Turn, contest: Contest) -> str:
    return force_text(turn, contest.began[DEFENDER]) or "those who guard it"


def place_name(turn: Turn, contest: Contest) -> str:
    return str(turn.ruleset.rows("places").get(contest.place, {}).get("name", contest.place))


def nation_name(turn: Turn, nation: str) -> str:
    return str(turn.ruleset.rows("nations").get(nation, {}).get("name", nation))


def units_text(turn: Turn, kinds: Mapping[str, int]) -> str:
    words = []
    for kind in sorted(kinds):
        row = turn.ruleset.rows("units").get(kind, {})
        name = row.get("name", kind)
        words.append(f"{kinds[kind]} {name if kinds[kind] == 1 else row.get('plural', name)}")
    return ", ".join(words)


def force_text(turn: Turn, side: Mapping[str, Mapping[str, int]]) -> str:
    return " and ".join(f"{nation_name(turn, o)} ({units_text(turn, side[o])})" for o in sorted(side))
