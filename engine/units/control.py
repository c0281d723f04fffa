"""`control`: who holds what after moves and battles.

Rows of the form `capture` say how a place changes hands: `capture` (units of certain tags that stand there
without an armed enemy), `presence` (by having units there alone), and `status` (a mark on a nation while a
test holds); those by `effect` say what goes with a place that an effect hands over (verb `own`). All places
are judged on the state at the start of the step and change together, so that an exchange in a ring has no
first. With `close: true` the step ends the forces afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..core.model import Row
from ..core.rows import CaptureRow
from ..core.state import Entity, pair_key, works_on
from ..ruleset.expressions.parse import strip_mark
from ..turn.context import Turn, audience_ids
from ..turn.effects import EffectRunner, whole
from ..world import routes
from ..world.messages import message, say
from ..world.selections import as_set, id_of
from ..world.world import World
from . import forces
from .closing import close


@dataclass(frozen=True, slots=True)
class HolderChange:
    """A place that goes over: from whom, to whom, taken by whom, by which row."""

    row: CaptureRow
    place: str
    loser: str | None
    captor: str | None
    takers: tuple[str, ...]


def run(node: Row, turn: Turn) -> None:
    """Settle the control rows that the node names (`rows`; absent: all), then end the forces if it says
    `close`.
    """
    rows = turn.ruleset.rows("capture")
    chosen = [rows[r] for r in node.get("rows", rows)]
    changes: list[HolderChange] = []
    for row in chosen:
        if row["how"] == "capture":
            changes.extend(captures(turn, row))
        elif row["how"] == "presence":
            changes.extend(presences(turn, row))
    for change in sorted(changes, key=lambda c: c.place):
        hand_over(turn, change)
    for row in chosen:
        if row["how"] == "status":
            statuses(turn, row)
    if node.get("close"):
        close(turn, node)


# ---- by capture


def captures(turn: Turn, row: CaptureRow) -> list[HolderChange]:
    """The places that units of the row's tags take: hostile to the holder, with no armed enemy beside
    them.
    """
    out = []
    for place in sorted(turn.state.occupied_places()):
        at_home = turn.state.owners_at(place) <= {turn.world.holder_of(place)}
        found = None if at_home else capture_of(turn, row, place, takers_of(turn, row, place))
        if found is not None:
            out.append(found)
        elif _emptied(turn.world, place) and not _was_empty(turn, place):
            _note_emptied(turn, row, place)
    return out


def take_on_the_way(turn: Turn) -> None:
    """Places that forces have just come through go over at once, under capture rows that say so
    (`passed`).
    """
    through = {p for f in turn.state.table("forces").values() for p in f.get("path", ())[1:-1]}
    rows = [r for r in turn.ruleset.rows("capture").values() if r.get("passed")] if through else ()
    for change in [capture_of(turn, row, p, passers(turn, row, p)) for row in rows for p in sorted(through)]:
        if change is not None:
            hand_over(turn, change)


def capture_of(turn: Turn, row: CaptureRow, place: str, takers: Sequence[str]) -> HolderChange | None:
    """What becomes of one place that falls to these nations under a capture row, or None if it falls to
    nobody.
    """
    holder = turn.world.holder_of(place)
    if not takers:
        return None
    captor = captor_of(turn, row, place, holder, takers)
    return HolderChange(row, place, holder, captor, tuple(takers))


def takers_of(turn: Turn, row: CaptureRow, place: str) -> list[str]:
    """The nations to which a place falls under a capture row as things stand: those who can take it, if
    nobody opposes them.
    """
    world, holder = turn.world, turn.world.holder_of(place)
    if not world.test(row.get("over"), {"place": Entity("place", place)}):
        return []
    takers = [
        n
        for n in sorted(turn.state.owners_at(place))
        if n != holder and _can_take(turn, row, n, place, holder)
    ]
    return [] if any(_opposed(turn, row, taker, place) for taker in takers) else takers


def _can_take(turn: Turn, row: CaptureRow, nation: str, place: str, holder: str | None) -> bool:
    """Whether a nation has units there that can take the place, and is one that comes there to fight (or
    finds it free).
    """
    if holder is not None and not turn.world.would_fight(nation, holder):
        return False
    # without war only who came there to fight takes anything
    at_war = holder is None or turn.world.hostile(nation, holder)
    return any(
        routes.kind_matches(turn.world, row.get("by"), r["kind"])
        and (at_war or r.get("force"))
        and not r.get("aboard")
        and not _absent(turn, row, k, r)
        for k, r in turn.state.stacks(at=place, owner=nation)
    )


def passers(turn: Turn, row: CaptureRow, place: str) -> list[str]:
    """The nations whose forces came through a place on their way with units that can take it, if nobody
    opposes them there.
    """
    world, holder = turn.world, turn.world.holder_of(place)
    if holder is None or not world.test(row.get("over"), {"place": Entity("place", place)}):
        return []
    out = set()
    for force, data in turn.state.table("forces").items():
        if place in data.get("path", ())[1:-1] and turn.world.would_fight(str(data["owner"]), holder):
            stacks = forces.stacks_of(turn.state, force)
            if any(routes.kind_matches(world, row.get("by"), r["kind"]) for _, r in stacks):
                out.add(str(data["owner"]))
    return [] if any(_opposed(turn, row, n, place) for n in out) else sorted(out)


def _absent(turn: Turn, row: CaptureRow, key: str, stack: Row) -> bool:
    """Units that act from where they stand upon another place, or that `absent` holds for, neither take nor
    keep a place.
    """
    if turn.state.get("forces", str(stack.get("force", "")), "stays"):
        return True
    return "absent" in row and turn.world.test(row["absent"], {"unit": Entity("unit", key)})


def _opposed(turn: Turn, row: CaptureRow, taker: str, place: str) -> bool:
    """Whether somebody the taker fights still stands there with units that can hold the place (`held_by`)."""
    for key, stack in turn.state.stacks(at=place):
        owner = stack["owner"]
        if owner == taker or stack.get("aboard") or not turn.world.would_fight(taker, owner):
            continue
        if "absent" in row and turn.world.test(row["absent"], {"unit": Entity("unit", key)}):
            continue
        if routes.kind_matches(turn.world, row.get("held_by"), stack["kind"]):
            return True
    return False


def captor_of(turn: Turn, row: CaptureRow, place: str, holder: str | None, takers: Sequence[str]) -> str:
    """Whose the place becomes: the row's ways in their order, the first that gives somebody.

    `first_owner_if_ally`: who owned it when the game began, if every taker is that nation or allied with it,
    and, with `if_ally` given, its test holds. `agreed`: the nation that the takers' orders name. `largest`:
    the taker whose units have most of the row's `value`. `taker`: the first by id.
    """
    for way in row.get("to", ("largest",)):
        if way == "first_owner_if_ally":
            first = turn.world.at("game").owner_of(place)
            if first and first != holder and all(first == t or turn.world.allied(first, t) for t in takers):
                names = {"nation": Entity("nation", first), "place": Entity("place", place)}
                if turn.world.alive(first) and turn.world.test(row.get("if_ally"), names):
                    return first
        elif way == "agreed":
            named = _agreed(turn, row, place, takers)
            if named:
                return named
        elif way == "largest" and len(takers) > 1:
            sums = {t: _weight(turn, row, t, place) for t in takers}
            best = max(sums.values())
            first_ones = [t for t in takers if sums[t] == best]
            return first_ones[0]
    return takers[0]


def _agreed(turn: Turn, row: CaptureRow, place: str, takers: Sequence[str]) -> str | None:
    """The one nation that the orders of the takers name by the row's option, if all that name one name the
    same.
    """
    said: set[str] = set()
    for force in turn.state.table("forces").values():
        if force["owner"] in takers and force["at"] == place:
            named = (force.get("options") or {}).get(row["agreed"])
            if named:
                said.add(str(named))
    return said.pop() if len(said) == 1 and said <= set(takers) else None


def _weight(turn: Turn, row: CaptureRow, nation: str, place: str) -> Any:
    value = row.get("value")
    stacks = turn.state.stacks(at=place, owner=nation)
    if value is None:
        return sum(r["n"] for _, r in stacks)
    return sum(r["n"] * (turn.world.field(Entity("unit", k), value) or 0) for k, r in stacks)


def _emptied(world: World, place: str) -> bool:
    """Whether enemies stand in a place that its holder has no units in, and cannot take it."""
    holder = world.holder_of(place)
    there = world.state.owners_at(place)
    if holder is None or holder in there:
        return False
    return any(world.would_fight(o, holder) for o in there)


def _was_empty(turn: Turn, place: str) -> bool:
    """Whether a place that is emptied was so before: it is stated once, and not by every step that looks."""
    earlier = [w for w in (turn.world.at("turn"), turn.world.at("phase")) if w is not turn.world]
    if any(w.holder_of(place) == turn.world.holder_of(place) and _emptied(w, place) for w in earlier):
        return True
    facts = chain.from_iterable(entry.facts for entry in turn.journal.entries)
    return any(fact.word == "emptied" and fact.roles.get("place") == place for fact in facts)


def _note_emptied(turn: Turn, row: CaptureRow, place: str) -> None:
    holder = turn.world.holder_of(place)
    with turn.journal.entry(f"capture/{row['id']}", subject=place, audience=(holder or "nobody",)):
        turn.journal.fact("emptied", of=holder, place=place)


# ---- by presence


def presences(turn: Turn, row: CaptureRow) -> list[HolderChange]:
    """Places held by the only nation with units there.

    `none` says what an empty place is: unowned, owner (its owner's) or keep.
    """
    out = []
    for thing in as_set(turn.world, turn.world.value(strip_mark(str(row["places"])), turn.names())):
        place, holder = thing.id, turn.world.holder_of(thing.id)
        present = sorted(
            {
                r["owner"]
                for _, r in turn.state.stacks(at=place)
                if routes.kind_matches(turn.world, row.get("by"), r["kind"]) and not r.get("aboard")
            }
        )
        new = _present_holder(turn, row, place, holder, present)
        if new != holder:
            out.append(HolderChange(row, place, holder, new, tuple(n for n in present if n == new)))
    return out


def _present_holder(
    turn: Turn, row: CaptureRow, place: str, holder: str | None, present: Sequence[str]
) -> str | None:
    if not present:
        none = row.get("none", "keep")
        if none == "owner":
            return turn.world.owner_of(place)
        return None if none == "unowned" else holder
    if holder in present:
        return holder
    return present[0] if len(present) == 1 else holder


# ---- handing over


def hand_over(turn: Turn, change: HolderChange) -> None:
    """Change a place's holder, with all that falls with it, and say so."""
    row, place, world = change.row, change.place, turn.world
    names = {
        "place": Entity("place", place),
        "self": Entity("nation", change.captor) if change.captor else None,
        "loser": Entity("nation", change.loser) if change.loser else None,
        "taker": Entity("nation", change.takers[0]) if change.takers else None,
    }
    first = world.at("game").owner_of(place)
    told = "{place} belongs to nobody."
    if change.captor:
        told = (
            "{captor} {takes|take} {place}."
            if change.captor in change.takers
            else "{place} is freed for {captor}."
        )
    captor = {"captor": names["self"]} if change.captor else {}
    says = say(world, told, place=names["place"], **captor)
    readers = audience_ids(world, row.get("audience", "everyone"), names)
    data = {"place": place, "from": change.loser, "to": change.captor, "by": list(change.takers)}
    with turn.journal.entry(f"capture/{row['id']}", subject=place, says=says, audience=readers, data=data):
        turn.journal.set("places", place, "holder", change.captor or "")
        if row.get("owns"):
            turn.journal.set("places", place, "owner", change.captor or "")
        for field, value in row.get("sets", {}).items():
            turn.journal.set("places", place, field, id_of(world.marked(value, names)))
        if "absent" in row and change.captor:
            _evade(turn, row, place, change.captor)
        if row.get("clears"):
            _clear_works(turn, row["clears"], place)
        taken_by = change.takers[0] if change.takers else None
        freed = change.captor == first or None
        turn.journal.fact(
            "captured",
            by=change.captor,
            of=change.loser,
            place=place,
            taken_by=taken_by,
            first_owner=first,
            freed=freed,
        )
        if row.get("effects"):
            rule = f"capture/{row['id']}"
            with whole(turn, rule, place):
                EffectRunner(turn, turn.journal.current, rule, place).effects(row["effects"], names)
    if row.get("loses_under_way") and change.loser:
        _lose_unfinished(turn, row, place, change.loser)


def _lose_unfinished(turn: Turn, row: CaptureRow, place: str, loser: str) -> None:
    """What the loser had under way in a place is lost with it, but for items that are not tested again; only
    they read of it.
    """
    with turn.journal.entry(f"capture/{row['id']}", subject=place, audience=(loser,), keep=False) as entry:
        gone = []
        for key, due in sorted(turn.state.table("under_way").items()):
            item = turn.ruleset.rows("production").get(due.get("item", ""), {"must_hold": True})
            if (
                due.get("nation") == loser
                and due.get("at") == place
                and not due.get("mode")
                and "must_hold" in item
            ):
                gone.append({"owner": loser, "what": due.get("what"), "n": due.get("n", 1)})
                turn.journal.put_row("under_way", key, None)
        if gone:
            entry.tell(
                say(
                    turn.world, "What was under way in {place} is lost with it.", place=Entity("place", place)
                )
            )
            entry.data.update(place=place, unfinished=gone)


def _evade(turn: Turn, row: CaptureRow, place: str, captor: str) -> None:
    """Units that kept out of the fight for a lost place go to the next friendly one; where there is none they
    are lost.
    """
    for key, stack in turn.state.stacks(at=place):
        owner = stack["owner"]
        if not turn.world.would_fight(captor, owner) or not turn.world.test(
            row["absent"], {"unit": Entity("unit", key)}
        ):
            continue
        near = [p for p in turn.world.geography.next_to(place) if turn.world.friendly_place(owner, p)]
        if near:
            turn.journal.alter_units(key, stack["n"], place=near[0])
        else:
            turn.destroy(key, stack["n"], cause="left behind")


def _clear_works(turn: Turn, kinds: Any, place: str) -> None:
    """Works of a place on all its borders fall: all of them, or those of the kinds named."""
    for near in turn.world.geography.next_to(place):
        key = pair_key(place, near)
        stands = turn.state.get("links", key, works_on(place))
        if stands and (kinds is True or stands in kinds):
            turn.journal.set("links", key, works_on(place), None)


# ---- the standing of nations


def statuses(turn: Turn, row: CaptureRow) -> None:
    """Set or lift the row's mark on nations: set when `when` comes to hold, lifted when `until` (else:

    `when` no more) does.
    """
    mark = str(row["flag"])
    for nation in as_set(
        turn.world, turn.world.value(strip_mark(str(row.get("for", "nations()"))), turn.names())
    ):
        names = {"nation": nation, "self": nation}
        marked = turn.state.get("flags", f"nation:{nation.id}", mark) is not None
        if not marked and turn.world.test(row["when"], names):
            fact, text, value = row.get("trigger"), row.get("says"), {"since": turn.number}
        elif marked and (
            turn.world.test(row["until"], names)
            if "until" in row
            else not turn.world.test(row["when"], names)
        ):
            fact, text, value = row.get("end_trigger"), row.get("end_says"), None
        else:
            continue
        readers = audience_ids(turn.world, row.get("audience", "everyone"), names)
        rule = f"capture/{row['id']}"
        says = message(turn.world, text, names) if text else None
        with turn.journal.entry(
            rule, subject=nation.id, says=says, audience=readers, data={"flag": mark, "on": value is not None}
        ) as entry:
            turn.journal.set("flags", f"nation:{nation.id}", mark, value)
            if fact:
                by = _last_taker(turn, nation.id) if value else None
                turn.journal.fact(fact, of=nation.id, by=by)
            if value and "effects" in row:
                with whole(turn, rule, nation.id):
                    EffectRunner(turn, entry, rule, nation.id).effects(row["effects"], names)


def _last_taker(turn: Turn, nation: str) -> str | None:
    """Who took a place of the nation last in this turn, by the facts of the journal."""
    for entry in reversed(turn.journal.entries):
        for fact in reversed(entry.facts):
            if fact.word == "captured" and fact.roles.get("first_owner") == nation:
                return fact.roles.get("by")
    return None
