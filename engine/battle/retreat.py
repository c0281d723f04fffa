"""Who leaves a battle after a round, and where to: by orders, because they must, by a decision; and what
becomes of the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.choices import block_of
from ..core.model import Row
from ..core.state import Entity, Fields, pair_key
from ..turn.context import Turn
from ..turn.decisions import decide
from ..units import forces
from ..units.homes import home_of
from ..world.messages import say
from ..world.routes import passes
from .battles import Battle, leave_rule, order_options, party_stacks, takes_part
from .groups import ATTACKER

Movers = Sequence[dict[str, Any]]
"""The names for tests of places, once for each stack that is to go there: a place is open if it is open to
all of them.
"""


def who_leaves(turn: Turn, battle: Battle, side: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts of a side (force, or nation for its other units) whose orders or whose state make them leave
    now.
    """
    rule = leave_rule(battle, side)
    if rule is None or battle.number < int(rule.get("after", 1)):
        return
    if "may" in rule and not _holds(turn, battle, side, rule["may"]):
        return
    must = "must" in rule and _holds(turn, battle, side, rule["must"])
    words = battle.row.get("options", {})
    parts = order_options(turn, battle, side)
    going = {
        who: options
        for who, options in parts.items()
        if must or _wants(battle, side, who, options, words, turn) or _decides(turn, battle, rule, who)
    }
    if going and rule.get("together"):  # all go where the first to say so wants to go
        word = words.get("refuge", "")
        named = next((o[word] for o in (*going.values(), *parts.values()) if o.get(word) is not None), None)
        going = {
            who: options if named is None else {**options, word: named} for who, options in parts.items()
        }
    yield from going.items()


def who_slips(turn: Turn, battle: Battle, side: int) -> Iterator[tuple[Row, str, dict[str, Any]]]:
    """The parts of a side that get out of the battle before its next round (`slip`), each with the rule that
    lets it.
    """
    for rule in battle.row.get("evade", ()):
        if "may" in rule and not _holds(turn, battle, side, rule["may"]):
            continue
        for who, options in order_options(turn, battle, side).items():
            movable = movable_of(turn, battle, side, who, rule)
            if movable and _decides(turn, battle, rule, who):
                yield {**rule, "to": [{"stay": True}]}, who, options


def go_back(turn: Turn, battle: Battle) -> None:
    """Forces that have lost each other and whose orders say so return to where they came from and stop
    there.
    """
    word = battle.row.get("options", {}).get("lost")
    if word is None:
        return
    for force in sorted(battle.parties[0].forces | battle.parties[1].forces):
        row = turn.state.row("forces", force)
        path: Sequence[str] = row.get("path") or ()
        if (row.get("options") or {}).get(word) is None or len(path) < 2:
            continue
        says = say(turn.world, "A force goes back to {place}.", place=Entity("place", path[-2]))
        with turn.journal.entry(battle.rule, subject=force, says=says, audience=(row["owner"],)):
            forces.go(turn, force, (row["at"], path[-2]))
            turn.journal.set("forces", force, "stopped", True)


def forced(turn: Turn, battle: Battle, side: int) -> bool:
    """Whether a side must leave now, even from a field that it has won."""
    rule = leave_rule(battle, side)
    return rule is not None and "must" in rule and _holds(turn, battle, side, rule["must"])


def _decides(turn: Turn, battle: Battle, rule: Mapping[str, Any], who: str) -> bool:
    """Whether a decision (`wants`: after how many rounds) makes a part of a side leave now."""
    if "wants" not in rule:
        return False
    owner = str(turn.state.get("forces", who, "owner", who))
    names = _party_names(turn, battle, owner)
    stream = lambda: turn.stream(battle.rule, f"{battle.subject}:{who}:leave", battle.audience)  # noqa: E731
    answer = decide(turn, turn.ruleset.row("decisions", rule["wants"]), names, stream, subject=battle.place)
    return isinstance(answer, int) and battle.number >= answer


def _holds(turn: Turn, battle: Battle, side: int, test: str, who: str = "") -> bool:
    """A test of a side, or of one force of it (`who`), by the units that fight."""
    sets = {
        name: tuple(
            Entity("unit", k)
            for k, r in party_stacks(turn, battle, which)
            if takes_part(turn, battle, which, k)
        )
        for name, which in (("mine", side), ("foe", 1 - side))
    }
    owner = next((r["owner"] for _, r in party_stacks(turn, battle, side)), "")
    names = {**sets, "self": Entity("nation", owner), "place": Entity("place", battle.place)}
    return turn.world.test(test, {**names, "force": Entity("force", who) if "#" in who else None})


def _wants(
    battle: Battle, side: int, who: str, options: Mapping[str, Any], words: Mapping[str, str], turn: Turn
) -> bool:
    """Whether the conditions of an order are met: rounds fought, own losses, or kills with more enemies left
    than expected.
    """
    rounds = options.get(words.get("rounds", ""))
    if rounds is not None and battle.number >= max(1, int(rounds)):
        return True
    above = options.get(words.get("losses", ""))
    if above is not None:
        lost = (
            battle.lost_by_force.get(who, 0) if "#" in who else sum(battle.lost[side].get(who, {}).values())
        )
        if lost > int(above):
            return True
    kills = options.get(words.get("kills", ""))
    if isinstance(kills, Mapping):
        left = sum(row["n"] for _, row in party_stacks(turn, battle, 1 - side))
        return battle.losses(1 - side) >= int(kills["kills"]) and left > int(kills["left"])
    return False


def movable_of(turn: Turn, battle: Battle, side: int, who: str, rule: Row) -> list[tuple[str, Fields]]:
    """The stacks of a force, or those of a nation in no force, that may leave under a rule."""
    out = []
    for key, row in party_stacks(turn, battle, side):
        mine = row.get("force") == who or (row["owner"] == who and not row.get("force"))
        names = {
            "unit": Entity("unit", key),
            "self": Entity("nation", row["owner"]),
            "place": Entity("place", battle.place),
            "battle": {"round": battle.number, "kind": battle.row["id"], "attacks": battle.attacks[side]},
        }
        if mine and turn.world.test(rule.get("who"), names):
            out.append((key, row))
    return out


def leave(
    turn: Turn, battle: Battle, side: int, who: str, options: Mapping[str, Any], shut: Mapping[str, str],
    fire: Callable[[Sequence[str]], None] | None = None, rule: Row | None = None,
) -> list[Fields]:  # fmt: skip
    """Take a force, or a nation's other units, out of a battle. Returns what went where; nothing if there is
    nowhere to go.

    `shut` names places that are no refuge now: "fallen" in this step, or "given up" in this round. `fire` is
    called with the stacks that are about to go, before they do.
    """
    rule = rule or leave_rule(battle, side) or {}
    movable = movable_of(turn, battle, side, who, rule)
    if not movable:
        if rule.get("behind") != "lost" or not _forced(turn, battle, side, rule):
            return []
        return [
            _give_up(turn, battle, side, k, r)
            for k, r in list(party_stacks(turn, battle, side))
            if r["owner"] == who
        ]
    owner = movable[0][1]["owner"]
    to = refuge(turn, battle, side, who, owner, options, rule, shut, dict(movable))
    if to is None:
        chosen = rule.get("chosen") == "lost" and _decides(turn, battle, rule, who)
        if rule.get("none") == "lost" and (chosen or _forced(turn, battle, side, rule)):
            return [_give_up(turn, battle, side, key, row) for key, row in movable]
        return []
    flies = any("home" in way for way in rule.get("to", ())) and to == _home(turn, who, dict(movable))
    if fire is not None:
        fire([key for key, _ in movable])
        movable = movable_of(turn, battle, side, who, rule)
        if not movable:
            return []
    stay = [
        (key, row) for key, row in party_stacks(turn, battle, side)
        if rule.get("behind") == "lost" and row["owner"] == owner and (key, row) not in movable
    ]  # fmt: skip
    behind = [_give_up(turn, battle, side, key, row) for key, row in stay]
    out = []
    force = movable[0][1].get("force")
    gone: list[str] = []
    whole = force and len(movable) == len(forces.stacks_of(turn.state, str(force)))
    goals = {key: (_own_home(turn, who, key) if flies else None) or to for key, _ in movable}
    for key, row in movable:
        out.append({"owner": owner, "kind": row["kind"], "n": row["n"], "to": goals[key]})
    if whole:
        # who went along with it has nobody to fight beside
        for other in forces.attached(turn.state, str(force)):
            battle.parties[side].forces.discard(other)
        if to == battle.place and _goes_on(turn, rule, str(force)):
            _break_off(turn, battle, side, str(force))
        else:
            for goal in dict.fromkeys(goals.values()):
                gone += forces.withdraw(
                    turn, str(force), goal, [key for key, _ in movable if goals[key] == goal]
                )
    else:
        plain = {**dict.fromkeys(forces.PASSING), "moved": True}
        gone = [turn.journal.alter_units(key, row["n"], **plain, place=goals[key]) for key, row in movable]
    if to == battle.place:  # who leaves the battle where they are has no more part in it
        battle.gone.update(gone)
    return out + behind


def kept_in(turn: Turn, battle: Battle, side: int, who: str) -> list[Fields]:
    """The stacks of a force, or of a nation, that could leave a battle if they had anywhere to go."""
    return [row for _, row in movable_of(turn, battle, side, who, leave_rule(battle, side) or {})]


def _break_off(turn: Turn, battle: Battle, side: int, force: str) -> None:
    """A force is out of a battle where it is, and goes on.

    Where contact is looked for again, it may come back to its friends.
    """
    battle.parties[side].forces.discard(force)
    turn.journal.set("forces", force, "broken_off", True)
    if block_of(battle.row, "where").get("contact_again") and not _flies_home(turn, force):
        battle.apart[force] = side
        turn.journal.set("forces", force, "contacted", None)


def _goes_on(turn: Turn, rule: Row, force: str) -> bool:
    """Whether a force that breaks off where it is remains one: its row says so (`goes_on`), or it has a way
    home before it.
    """
    return _flies_home(turn, force) or any(way.get("goes_on") for way in rule.get("to", ()))


def _flies_home(turn: Turn, force: str) -> bool:
    mode = forces.mode_of(turn, force)
    return bool("home" in mode and mode.get("passes_over"))


def _forced(turn: Turn, battle: Battle, side: int, rule: Row) -> bool:
    return "must" in rule and _holds(turn, battle, side, rule["must"])


def _give_up(turn: Turn, battle: Battle, side: int, key: str, row: Fields) -> dict[str, Any]:
    """Units that must leave and have nowhere to go, or cannot go along, are lost."""
    row = dict(row)
    turn.journal.put_row("units", key, None)
    owners = sorted({r["owner"] for _, r in party_stacks(turn, battle, 1 - side)})
    turn.journal.fact(
        "destroyed",
        of=row["owner"],
        kind=row["kind"],
        place=battle.place,
        n=row["n"],
        cause=battle.row["id"],
        by=owners[0] if owners else None,
    )
    kinds = battle.lost[side].setdefault(row["owner"], {})
    kinds[row["kind"]] = kinds.get(row["kind"], 0) + row["n"]
    return {"owner": row["owner"], "kind": row["kind"], "n": row["n"], "lost": True}


def refuge(
    turn: Turn,
    battle: Battle,
    side: int,
    who: str,
    owner: str,
    options: Mapping[str, Any],
    rule: Row,
    shut: Mapping[str, str],
    movable: Mapping[str, Fields],
) -> str | None:
    """Where a leaving part of a side goes: the first way of `to` that is open to all its units, or None.
    Among several neighbors the order's target, else the decision's answer, else a place that is not attacked,
    with most friendly units, first by id. A neighbor that the order names (`refuge` of the battle's options)
    comes before all other ways."""
    party = _party_names(turn, battle, owner)
    names = [{**party, "unit": Entity("unit", key)} for key in movable]
    kinds = {row["kind"] for row in movable.values()}
    named = options.get(battle.row.get("options", {}).get("refuge", ""))
    flown = next((_home(turn, who, movable) for way in rule.get("to", ()) if "home" in way), None)
    if (
        flown is None
        and named is not None
        and named
        in [p for way in rule.get("to", ()) for p in _near(turn, battle, way, names, shut, owner, kinds)]
    ):
        return str(named)
    for way in rule.get("to", ()):
        if "when" in way and not _holds(turn, battle, side, way["when"], who):
            continue
        if "stay" in way:
            return battle.place
        if "home" in way:
            found = _home(turn, who, movable)
            if found is not None:
                return found
            continue
        if "back" in way:
            start = turn.state.get("forces", who, "from")
            if start and _open(turn, way.get("ok", way["back"]), start, names, battle, shut):
                return str(start)
            continue
        if "back_along" in way:
            path = (turn.state.get("forces", who, "path") or [])[:-1]
            for stop in reversed(path):
                if _open(turn, way.get("ok", way["back_along"]), stop, names, battle, shut):
                    return str(stop)
            continue
        if "through" in way:
            found = _through(turn, battle, who, rule, way, names, shut)
            if found is not None:
                return found
            continue
        near = _near(turn, battle, way, names, shut, owner, kinds)
        if not near:
            continue
        order = options.get("order")
        wanted = order["slots"].get("target") if isinstance(order, Mapping) else None
        if wanted in near:
            return str(wanted)
        came = (turn.state.get("forces", who, "path") or ("",))[-2:][0]
        if way.get("prefer") == "back" and came in near:
            return str(came)
        if "asks" in rule:
            return _choose(turn, battle, who, rule, party, near)
        return min(near, key=lambda p: (_attacked(turn, owner, p), -_friends(turn, owner, p), p))
    return None


def _near(
    turn: Turn,
    battle: Battle,
    way: Row,
    names: Movers,
    shut: Mapping[str, str],
    owner: str,
    kinds: Iterable[str],
) -> list[str]:
    """The neighbors that are open by a way, through no passage that is closed to these kinds."""
    if "next" not in way:
        return []
    links = tuple(way["links"]) if "links" in way else None
    near = turn.world.geography.next_to(battle.place, links)
    if way.get("origin"):
        near = tuple(p for p in near if p in _origins(turn, battle))
    fine = [p for p in near if _open(turn, way["next"], p, names, battle, shut)]
    return [p for p in fine if _passes(turn, owner, battle.place, p, kinds)]


def _origins(turn: Turn, battle: Battle) -> frozenset[str]:
    """The places from which the attackers of a battle have come over the last step, on the ground or by
    ship.
    """
    if battle.origins is not None:
        return battle.origins
    rows = [turn.state.row("forces", f) for f in battle.parties[ATTACKER].forces]
    walked = [r for r in rows if not turn.ruleset.row_or_empty("movement", r.get("mode")).get("passes_over")]
    battle.origins = frozenset(str(r["path"][-2]) for r in walked if len(r.get("path") or ()) > 1)
    return battle.origins


def _home(turn: Turn, who: str, keys: Iterable[str]) -> str | None:
    """Where the mode of a force says that its units end, if it says so and all can come home: the home of the
    first of them.
    """
    homes = [_own_home(turn, who, key) for key in keys]
    return homes[0] if homes and None not in homes else None


def _own_home(turn: Turn, who: str, key: str) -> str | None:
    """Where the mode of a force says that a stack of it ends, by what it has left, if it says so and it can
    come there.
    """
    mode = forces.mode_of(turn, who)
    return home_of(turn, mode, who, key) if "home" in mode and mode.get("passes_over") else None


def _through(
    turn: Turn, battle: Battle, who: str, rule: Row, way: Row, names: Movers, shut: Mapping[str, str]
) -> str | None:
    """The nearest place that passes `ok` at the end of a chain of places that pass `through`; among equals
    the first by id.
    """
    seen, frontier = {battle.place}, [battle.place]
    while frontier:
        following = []
        for place in frontier:
            for near in turn.world.geography.next_to(place):
                if near not in seen:
                    seen.add(near)
                    following.append(near)
        for test in (way["ok"], way.get("else")):
            ends = [p for p in following if test is not None and _open(turn, test, p, names, battle, shut)]
            if ends:
                return _choose(turn, battle, who, rule, names[0], sorted(ends))
        frontier = [p for p in following if _open(turn, way["through"], p, names, battle, shut)]
    return None


def _party_names(turn: Turn, battle: Battle, owner: str) -> dict[str, Any]:
    """What tests and decisions of those who leave may name: self, nation, place, attacker."""
    attacker = next((r["owner"] for _, r in party_stacks(turn, battle, ATTACKER)), owner)
    return {
        "self": Entity("nation", owner),
        "nation": Entity("nation", owner),
        "attacker": Entity("nation", attacker),
        "place": Entity("place", battle.place),
    }


def _choose(
    turn: Turn, battle: Battle, who: str, rule: Row, names: dict[str, Any], options: Sequence[str]
) -> str:
    """One of several places that are as good: by the rule's decision, else the first."""
    if "asks" not in rule or len(options) == 1:
        return str(options[0])
    row = turn.ruleset.row("decisions", rule["asks"])
    found = decide(
        turn, row, {**names, "place": Entity("place", battle.place)},
        lambda: turn.stream(battle.rule, f"{battle.subject}:{who}:to", battle.audience),
        options=list(options), subject=battle.place,
    )  # fmt: skip
    return str(found) if found in options else str(options[0])


def _open(turn: Turn, test: Any, place: str, names: Movers, battle: Battle, shut: Mapping[str, str]) -> bool:
    if place in shut:
        return False
    there = {"place": Entity("place", place), "link": Entity("link", f"{battle.place}>{place}")}
    return all(turn.world.test(None if test is True else test, {**one, **there}) for one in names)


def _passes(turn: Turn, owner: str, here: str, there: str, kinds: Iterable[str]) -> bool:
    """Whether no passage between two places is closed to units of these kinds."""
    gates = turn.world.geography.gates.get(pair_key(here, there), ())
    return all(passes(turn.world, owner, gates, kind) for kind in sorted(kinds))


def _attacked(turn: Turn, owner: str, place: str) -> bool:
    return any(turn.world.would_fight(owner, o) for o in turn.state.owners_at(place))


def _friends(turn: Turn, owner: str, place: str) -> int:
    return sum(r["n"] for _, r in turn.state.stacks(at=place) if turn.world.allied(owner, r["owner"]))
