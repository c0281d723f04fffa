"""A battle in progress in a game: whose units take part in it, round after round, and what its orders say.

A battle knows its parties, not their units: before every round the units are read from the state, so that
losses, units that left and units that came in between are seen without further bookkeeping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.dice import Stream
from ..core.model import Row
from ..core.state import Entity, Fields
from ..turn.context import Turn
from ..units import forces
from . import listed
from .combatants import make_outline
from .compile import make_plan
from .groups import ATTACKER, DEFENDER, SIDES, Group, Troops
from .plan import Plan, Setting
from .values import Frozen


@dataclass(slots=True)
class Party:
    """One side: forces by id, or all units of nations at a place (those of forces that act elsewhere left
    out).
    """

    forces: set[str] = field(default_factory=set)
    nations: tuple[str, ...] = ()
    place: str = ""
    against: tuple[str, ...] = ()
    """With no nations named: everybody at the place who would fight these."""
    kinds: frozenset[str] | None = None
    """Only units of these kinds; None: of all."""


@dataclass(slots=True)
class Battle:
    """A battle by a row of the form `battles`, at a place, with what its rounds so far have settled."""

    turn: Turn
    row: Row
    place: str
    subject: str
    parties: tuple[Party, Party]
    attacks: tuple[bool, bool] = (True, False)
    penalties: bool = True
    record: str = ""
    """The record that stands for it, where rules have listed it: it says who is on either side."""
    beyond: str = ""
    """Of forces that meet on a border: the place at its other end, which the other side is on its way to."""
    ignore: tuple[str, ...] = ()
    number: int = 0
    over: bool = False
    winner: int | None = None
    frozen: Frozen = field(default_factory=dict)
    virtual_left: dict[tuple[str, int], int] = field(default_factory=dict)
    began: dict[int, dict[str, dict[str, int]]] = field(default_factory=dict)
    fought: dict[int, dict[str, set[str]]] = field(default_factory=lambda: {0: {}, 1: {}})
    """Side -> owner -> kinds that have taken part in a round, whatever became of them."""
    lost: dict[int, dict[str, dict[str, int]]] = field(default_factory=lambda: {0: {}, 1: {}})
    credited: dict[int, dict[str, int]] = field(default_factory=lambda: {0: {}, 1: {}})
    """Side -> nation -> losses of the enemy that it is credited with."""
    meets: list[tuple[str, str, str]] = field(default_factory=list)
    """Who found whom, by which row of `detection`: asked again before later rounds if the battle's row says
    so.
    """
    aside: frozenset[str] = frozenset()
    """Forces in the place that fight a battle of their own there."""
    beside: set[str] = field(default_factory=set)
    """Forces found by nobody, but which stand beside those who were."""
    better: int | None = None
    """Of battles fought at once: the side that had the better of it, even if others stand in the end."""
    touch_lost: bool = False
    gone: set[str] = field(default_factory=set)
    """Stacks that have left the battle and are still in its place."""
    apart: dict[str, int] = field(default_factory=dict)
    """Forces that have broken it off in its place and may come back to it, with their side."""
    origins: frozenset[str] | None = None
    """The places that the attackers came from over the last step, once they have been asked for."""
    plan: Plan | None = None
    calls_home: bool = False
    """Nobody else is left in the place: forces in it that act elsewhere must defend it."""
    cleared: bool = False
    """Its preludes have been fought."""
    lost_by_force: dict[str, int] = field(default_factory=dict)
    fallen: set[tuple[str, str]] = field(default_factory=set)
    """Owner and kind of what has been lost: who lived on it goes elsewhere when the battle is over, if they
    fight in it.
    """
    stuck: set[str] = field(default_factory=set)
    """Parts of a side that wanted to leave and could not, and have been told so."""
    audience: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        return f"battles/{self.row['id']}"

    def note_who_fights(self, plan: Plan) -> None:
        """Remember which kinds of units have fought on each side, by owner (`fought`)."""
        for group in plan.groups:
            if group.n and not group.virtual:
                self.fought[group.side].setdefault(group.owner, set()).add(group.kind)

    def losses(self, side: int) -> int:
        return sum(n for kinds in self.lost[side].values() for n in kinds.values())


def leave_rule(battle: Battle, side: int) -> Row | None:
    """What the row says of how a side leaves.

    Who has found their enemy too, and so fights as an attacker, may leave like one.
    """
    rules = battle.row.get("leave", {})
    rule = rules.get(SIDES[side])
    if rule is None and battle.attacks[side] and battle.row.get("attacks") != "both":
        rule = rules.get(SIDES[ATTACKER])
    return dict(rule) if isinstance(rule, Mapping) else None


def party_stacks(battle: Battle, side: int) -> Iterator[tuple[str, Fields]]:
    """The stacks of a party that are there now, cargo left out."""
    turn = battle.turn
    if battle.record:
        yield from listed.party(turn.world, battle.row, side, battle.record, battle.place)
        return
    party = battle.parties[side]
    for force in sorted(party.forces):
        yield from forces.stacks_of(turn.state, force)
    if not party.place:
        return
    others = battle.parties[1 - side].forces | party.forces | battle.aside
    for key, row in turn.state.stacks(at=party.place):
        force = str(row.get("force", ""))
        if (
            key in battle.gone
            or force in others
            or row.get("aboard")
            or turn.state.get("forces", force, "stays")
        ):
            continue
        owner = row["owner"]
        named = (
            owner in party.nations
            if party.nations
            else any(turn.world.would_fight(a, owner) for a in party.against)
        )
        if named and (party.kinds is None or row["kind"] in party.kinds):
            yield key, row


def troops(battle: Battle, busy: Mapping[str, str]) -> list[Troops]:
    """Everybody who takes part in the next round.

    `busy`: force that acts from elsewhere -> the place it acts upon now.
    """
    turn = battle.turn
    out = []
    for side in (ATTACKER, DEFENDER):
        for key, row in party_stacks(battle, side):
            if takes_part(battle, side, key):
                out.append(Troops(key, row, side, _link(battle, row), str(row.get("force", ""))))
    for side, key, row, join in (
        listed.helpers(turn.world, battle.row, battle.record, battle.place) if battle.record else ()
    ):
        out.append(Troops(key, row, side, "", "", join))
    for side, force, join in supporters(battle):
        if busy.get(force, battle.place) not in (battle.place, battle.beyond):
            continue
        at = turn.state.get("forces", force, "at")
        for key, row in forces.stacks_of(turn.state, force):
            names = _names(battle, side, key)
            if turn.world.test(join.get("who"), names):
                out.append(
                    Troops(key, row, side, f"{at}>{battle.place}" if battle.penalties else "", force, join)
                )
    if battle.parties[DEFENDER].place and _recalls(battle):
        out.extend(_recalled(battle, busy))
    return _capped(battle, out) if "caps" in battle.row else out


def abandon(battle: Battle, side: int) -> None:
    """When nobody of a side is left in a battle, what stood beside it goes too, where its row says so
    (`leaves`).
    """
    if any(takes_part(battle, side, key) for key, row in party_stacks(battle, side)):
        return
    for row in battle.row.get("virtual", ()):
        if row.get("leaves") and (row["id"], side) in battle.virtual_left:
            battle.virtual_left[row["id"], side] = 0


def _capped(battle: Battle, members: Sequence[Troops]) -> list[Troops]:
    """No more units of an owner than the row's `caps` let take part, the first by their keys."""
    left: dict[tuple[int, int, str], int] = {}
    out = []
    for member in sorted(members, key=lambda m: (m.side, m.key)):
        names, n = _names(battle, member.side, member.key), int(member.row["n"])
        owner = str(member.row["owner"])
        for index, cap in enumerate(battle.row["caps"]):
            if not battle.turn.world.test(cap["who"], names):
                continue
            key = (index, member.side, owner)
            room = left[key] if key in left else int(battle.turn.world.number(cap["most"], names))
            n = max(0, min(n, room))
            left[key] = room - n
        if n:
            out.append(member if n == member.row["n"] else replace(member, row={**member.row, "n": n}))
    return out


def _recalled(battle: Battle, busy: Mapping[str, str]) -> Iterator[Troops]:
    """Units whose force acts elsewhere, but which must defend the place they stand in."""
    turn = battle.turn
    nations = {row["owner"] for _, row in party_stacks(battle, ATTACKER)}
    for force, place in sorted(busy.items()):
        row = turn.state.row("forces", force)
        if (
            place == battle.place
            and row.get("at") == battle.place
            and any(turn.world.would_fight(n, row["owner"]) for n in nations)
        ):
            for key, stack in forces.stacks_of(turn.state, force):
                yield Troops(key, stack, DEFENDER)


def at_home(battle: Battle) -> list[str]:
    """Forces of the defense that stand in the place but act upon another one, as long as they are not
    needed.
    """
    turn = battle.turn
    if not battle.parties[DEFENDER].place or not _recalls(battle):
        return []
    nations = {row["owner"] for _, row in party_stacks(battle, ATTACKER)}
    out = []
    for force, row in sorted(turn.state.table("forces").items()):
        if (
            row["at"] == battle.place
            and row.get("stays")
            and any(turn.world.would_fight(n, row["owner"]) for n in nations)
        ):
            out += [force] if forces.stacks_of(turn.state, force) else []
    return out


def _recalls(battle: Battle) -> bool:
    """Whether the battle is one for which those who act elsewhere come home."""
    return any("recall" in join for join in battle.row.get("joins", ()))


def supporters(battle: Battle) -> Iterator[tuple[int, str, Row]]:
    """Forces that act upon the battle from another place, with the side they help and the row that lets them
    join.
    """
    turn = battle.turn
    rows = battle.row.get("joins", ())
    if not rows or battle.record:
        return
    owners = [
        sorted({row["owner"] for _, row in party_stacks(battle, side)}) for side in (ATTACKER, DEFENDER)
    ]
    owners[DEFENDER] = owners[DEFENDER] or hosts(battle)
    there = [f for f in battle.parties[ATTACKER].forces if forces.stacks_of(turn.state, f)]
    origins = {place for f in there for place in (turn.state.get("forces", f, "path") or ())[-2:-1]}
    for force, row in sorted(turn.state.table("forces").items()):
        targets = row.get("targets") or ()
        if (row["at"] == battle.place and not battle.beyond) or force in battle.parties[ATTACKER].forces:
            continue
        named = battle.place in targets or (battle.beyond != "" and battle.beyond in targets)
        elsewhere = any(t in turn.ruleset.rows("places") for t in targets)
        if not named and (elsewhere or row["at"] not in origins):
            continue
        side = _helps(turn, row["owner"], owners)
        if side is None:
            continue
        names = {
            "force": Entity("force", force),
            "self": Entity("nation", row["owner"]),
            "place": Entity("place", battle.place),
        }
        for join in rows:
            if not named and not join.get("from_origin"):
                continue
            if join.get("once") and row.get("lent") not in (None, battle.place):
                continue
            if join.get("side") in (None, SIDES[side]) and turn.world.test(join.get("when"), names):
                yield side, force, join
                break


def hosts(battle: Battle) -> list[str]:
    """Who holds the place that is fought for, in a list; nobody where no place is defended.

    Defenders that are nobody belong to its holder.
    """
    holder = battle.turn.world.holder_of(battle.place)
    return [holder] if holder and battle.parties[DEFENDER].place else []


def _helps(turn: Turn, owner: str, owners: Sequence[Sequence[str]]) -> int | None:
    """The side on which a nation stands: that of itself or an ally, against somebody it would fight."""
    for side in (ATTACKER, DEFENDER):
        friends, foes = owners[side], owners[1 - side]
        if any(f == owner or turn.world.allied(f, owner) for f in friends) and any(
            turn.world.would_fight(owner, f) for f in foes
        ):
            return side
    return None


def takes_part(battle: Battle, side: int, key: str) -> bool:
    """Whether a stack of a party fights in battles of this row (`who`, for both sides or for each)."""
    who = battle.row.get("who")
    if isinstance(who, Mapping):
        who = who.get(SIDES[side])
    return battle.turn.world.test(who, _names(battle, side, key))


def absentees(battle: Battle) -> dict[tuple[str, str], dict[str, int]]:
    """Owner and why -> kind -> number: units of a party that take no part, as far as the row's `absent` says
    why.
    """
    out: dict[tuple[str, str], dict[str, int]] = {}
    for side in (ATTACKER, DEFENDER):
        for key, row in party_stacks(battle, side) if "absent" in battle.row else ():
            if takes_part(battle, side, key):
                continue
            names = _names(battle, side, key)
            rule = next((r for r in battle.row["absent"] if battle.turn.world.test(r["when"], names)), None)
            if rule is not None:
                kinds = out.setdefault((str(row["owner"]), str(rule["says"])), {})
                kinds[row["kind"]] = kinds.get(row["kind"], 0) + row["n"]
    return out


def _names(battle: Battle, side: int, key: str) -> dict[str, Any]:
    owner = battle.turn.state.get("units", key, "owner", "")
    return {
        "unit": Entity("unit", key),
        "self": Entity("nation", owner),
        "nation": Entity("nation", owner),
        "place": Entity("place", battle.place),
        "link": Entity("link", _link(battle, battle.turn.state.row("units", key)) or ">"),
        "battle": {
            "attacks": battle.attacks[side],
            "attacked": battle.attacks[1 - side],
            "kind": battle.row["id"],
            "round": battle.number + 1,
        },
    }


def _link(battle: Battle, row: Mapping[str, Any]) -> str:
    """The border that a stack fights over: the one it came by, or the one between where it stands and the
    battle.
    """
    if not battle.penalties:
        return ""
    if battle.record:
        return listed.link(battle.row, row, battle.place)
    if battle.turn.state.get("forces", str(row.get("force", "")), "stays") and row["place"] != battle.place:
        return f"{row['place']}>{battle.place}"
    return str(row.get("via", ""))


def compile_contest(battle: Battle, members: Sequence[Troops]) -> Plan:
    """The plan of the next round.

    As long as nobody new has come, the last round's plan goes on with the present numbers.
    """
    plan = battle.plan
    if plan is not None and _goes_on(battle, plan, members):
        return plan
    put_away_plan(battle)
    battle.plan = make_plan(
        battle.turn.world,
        battle.row,
        members,
        _setting(battle),
        frozen=battle.frozen,
        virtual_left=battle.virtual_left,
    )
    return battle.plan


def put_away_plan(battle: Battle) -> None:
    """No round is fought by the battle's plan any more: the world that was laid over for it is let go of."""
    if battle.plan is not None and battle.plan.world is not battle.turn.world:
        battle.plan.world.close()
    battle.plan = None


def compile_fire_on_retreat(battle: Battle, members: Sequence[Troops]) -> Plan:
    """A plan of its own for shots at those who leave, so that the plan of the rounds stays as it is."""
    virtual = dict(battle.virtual_left)
    return make_plan(
        battle.turn.world, battle.row, members, _setting(battle), frozen=battle.frozen, virtual_left=virtual
    )


def outline_contest(battle: Battle, members: Sequence[Troops]) -> tuple[list[Group], list[bool]]:
    """The groups, without values and stages, and for each side whether it has any that keep it in the
    battle.
    """
    groups, holding = make_outline(
        battle.turn.world, battle.row, members, _setting(battle), virtual_left=battle.virtual_left
    )
    return groups, [any(groups[i].n for i in side) for side in holding]


def _setting(battle: Battle) -> Setting:
    orders = {owner: order for owner, order in loss_orders(battle).items() if order}
    unseen, passive = _unseen(battle), _passive(battle)
    names = {**battle.turn.names(), **(listed.names_of(battle.record) if battle.record else {})}
    origins = listed.origins(battle.turn.world, battle.row, battle.record, battle.place)
    return Setting(battle.place, battle.attacks, names, battle.ignore, orders, origins, unseen, passive)


def streams(battle: Battle, about: str = "") -> Callable[[str, int, int], Stream]:
    """Where the dice of a stage, side and round of a battle come from."""

    def open_(stage: str, side: int, number: int) -> Stream:
        subject = f"{battle.subject}:{battle.number}:{about}{stage}:{SIDES[side]}"
        return battle.turn.stream(battle.rule, subject, battle.audience)

    return open_


def _unseen(battle: Battle) -> frozenset[str]:
    """Forces of the side attacked that nobody has found: they came to the help of those who were."""
    if not battle.meets:
        return frozenset()
    seen = {foe for seeker, foe, _ in battle.meets if seeker in battle.parties[ATTACKER].forces}
    if not seen:
        return frozenset(battle.beside)
    seen = seen.union(*(forces.attached(battle.turn.state, f) for f in seen))
    return frozenset(battle.parties[DEFENDER].forces - seen)


def _passive(battle: Battle) -> frozenset[str]:
    """Forces of sides that attack which have found nobody, and do not go along with one that has."""
    if not battle.meets or battle.row.get("attacks") == "both":
        return frozenset()
    seekers = {seeker for seeker, _, _ in battle.meets}
    seekers = seekers.union(*(forces.attached(battle.turn.state, f) for f in seekers))
    there = [party.forces for party, attacks in zip(battle.parties, battle.attacks, strict=True) if attacks]
    return frozenset().union(*there) - seekers


def _goes_on(battle: Battle, plan: Plan, members: Sequence[Troops]) -> bool:
    """Put the present numbers into a plan, if it knows everybody who takes part now."""
    known = {(g.side, g.key, g.link): g for g in plan.groups if not g.virtual}
    now = {(m.side, m.key, m.link): int(m.row["n"]) for m in members}
    if not now.keys() <= known.keys():
        return False
    for index, group in enumerate(plan.groups):
        if group.virtual:
            group.n = battle.virtual_left.get((group.row["id"], group.side), 0)
        else:
            group.n = now.get((group.side, group.key, group.link), 0)
        plan.start[0, index] = group.n
    return True


# ---- orders


def order_options(battle: Battle, side: int) -> dict[str, dict[str, Any]]:
    """The conditions under which parts of a side fight: force id, or nation for units in no force -> option
    -> value.
    """
    out: dict[str, dict[str, Any]] = {}
    owners = set()
    for _, row in party_stacks(battle, side):
        force = str(row.get("force", ""))
        if force:
            out[force] = dict(battle.turn.state.get("forces", force, "options") or {})
        else:
            owners.add(row["owner"])
    forms = battle.row.get("orders", ())
    for owner in sorted(owners):
        out[owner] = {}
        for order in battle.turn.orders(forms, owner) if forms else ():
            if battle.place in (order.get("slots", {}).get("origin"), order.get("slots", {}).get("place")):
                out[owner] = {**(order.get("options") or {}), "order": order}
    return out


def loss_orders(battle: Battle) -> dict[str, list[str]]:
    """Owner -> the kinds they lose first, by the orders of their forces in the battle, then of their other
    units there.
    """
    word = battle.row.get("options", {}).get("order")
    out: dict[str, list[str]] = {}
    if word is None:
        return out
    for side in (ATTACKER, DEFENDER):
        for who, options in order_options(battle, side).items():
            owner = str(battle.turn.state.get("forces", who, "owner", who))
            kinds = options.get(word)
            if kinds:
                known = out.setdefault(owner, [])
                said = set(known)
                known.extend(k for k in ([kinds] if isinstance(kinds, str) else kinds) if k not in said)
    return out
