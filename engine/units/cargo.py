"""What task forces carry: who comes aboard, who goes along, and who goes ashore where.

Cargo is that of the orders (`cargo` of a force: a list of {units, from, to}), or what has been afloat where a
force sets out. Units that live on others (a mode's `bears`) go along as part of the force.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity, Fields
from ..turn.context import Turn
from ..world import routes
from ..world.messages import say, units
from . import forces
from .attacking import attack_refusal, begin_war, follows, take_over
from .cargo_loading import boarders, is_quay, lends
from .cargo_room import figure_of, room_of, size_of, size_of_kinds
from .fleet import mission_row


def adopt(turn: Turn, force: str, mode: MovementRow) -> None:
    """Cargo that is afloat where a force sets out comes under it, as far as it has room beside what its
    orders name.
    """
    if "carries" not in mode:
        return
    row = turn.state.row("forces", force)
    if "host" in row:
        there = forces.afloat_at(turn.state, row["owner"], row["at"], row["host"])
        for units in [part["units"] for part in row.get("cargo") or () if part["from"] == row["at"]]:
            for key, n in forces.pick(there, units) or ():
                turn.journal.alter_units(key, n, aboard=force)
        return
    room = room_of(turn, mode, [(k, r["n"]) for k, r in forces.stacks_of(turn.state, force)])
    coming = [part["units"] for part in row.get("cargo") or () if part["from"] != row["at"]]
    room -= sum(size_of_kinds(turn, mode, row["owner"], units) for units in coming)
    for key, stack in forces.carried_at(turn.state, row["owner"], row["at"]):
        each = size_of(turn, mode, [(key, 1)])
        n = min(stack["n"], int(room // each)) if each else stack["n"]
        if n > 0:
            turn.journal.alter_units(key, n, aboard=force)
            room -= n * each


def bring_along(turn: Turn, force: str, mode: MovementRow, *, guests: bool = True) -> None:
    """Units without orders that live on those of a force (`bears`) go with it, as its own, as far as there is
    room for them.

    With `shared` those of allies go aboard on what room is left, as guests: they take no part in what the
    force does. Without
    `guests` they stay, to be a force of their own.
    """
    bears = mode.get("bears")
    if not bears:
        return
    row = turn.state.row("forces", force)
    place, nation = row["at"], row["owner"]
    bearers = [(key, int(stack["n"])) for key, stack in forces.stacks_of(turn.state, force)]
    own = riders(turn, mode, nation, place, bearers)
    for key, n in own:
        turn.journal.alter_units(key, n, force=force)
    room = _decks(turn, mode, bearers) - sum(n for _, n in own)
    hosts = turn.state.owners_at(place) - {nation} if guests and room > 0 and bears.get("shared") else ()
    for guest in (g for g in sorted(hosts) if turn.world.allied(nation, g)):
        for key, stack in routes.free_stacks(turn.world, guest, place):
            if room > 0 and routes.kind_matches(turn.world, bears.get("who"), stack["kind"]):
                n = min(stack["n"], int(room))
                turn.journal.alter_units(key, n, aboard=force)
                room -= n


def riders(
    turn: Turn, mode: MovementRow, nation: str, place: str, bearers: Sequence[forces.Pick]
) -> list[forces.Pick]:
    """A nation's units without orders of their own in a place that go along with such of its bearers there
    (`bears`)."""
    bears = mode.get("bears")
    room = _decks(turn, mode, bearers)
    out: list[forces.Pick] = []
    if bears is None or not room:
        return out
    ordered = forces.ordered_from(turn, nation, place)
    for key, stack in routes.free_stacks(turn.world, nation, place):
        if routes.kind_matches(turn.world, bears.get("who"), stack["kind"]):
            spared = min(stack["n"], ordered.get(stack["kind"], 0))
            ordered[stack["kind"]] = ordered.get(stack["kind"], 0) - spared
            n = min(stack["n"] - spared, int(room))
            if n > 0:
                out.append((key, n))
                room -= n
    return out


def _decks(turn: Turn, mode: MovementRow, bearers: Sequence[forces.Pick]) -> Any:
    """How many can live on those of some units that bear others."""
    bears = mode.get("bears")
    if bears is None:
        return 0
    return sum(
        n * figure_of(turn, bears["room"], key)
        for key, n in bearers
        if routes.kind_matches(turn.world, bears.get("bearers"), turn.state.get("units", key, "kind"))
    )


def take_aboard(turn: Turn, force: str, row: Row, mode: MovementRow, index: int) -> None:
    """One part of the cargo that the orders name comes aboard, if it is still there and the place still lets
    it.
    """
    cargo, nation = row["cargo"][index], row["owner"]
    carries = mode["carries"]
    origin = cargo["from"]
    if origin == row["at"]:  # it has been aboard since it was left at sea
        with turn.journal.entry(f"movement/{mode['id']}", subject=force, audience=(nation,), keep=False):
            _note(turn, force, index, "aboard")
            turn.journal.set("forces", force, "loaded", bool(forces.cargo_of(turn.state, force)) or None)
        return
    picks = forces.pick(
        boarders(turn.world, mode, nation, origin, again=bool(mode.get("again"))), cargo["units"]
    )
    names = {"self": Entity("nation", nation), "place": Entity("place", origin)}
    host = row.get("host")
    lent = host is None or lends(turn, mode, nation, host, row["at"])
    open_ = turn.world.test(carries.get("from"), names) and is_quay(turn, mode, nation, row["at"])
    if picks is None or not lent or not open_:
        says = say(turn.world, "Nobody came aboard in {place}.", place=names["place"])
        with turn.journal.entry(f"movement/{mode['id']}", subject=force, audience=(nation,), says=says):
            _note(turn, force, index, "left")
        return
    hosts = {"host": Entity("nation", host)} if host else {}
    told = "Aboard on ships of {host} in {here}: {units}." if host else "Aboard in {here}: {units}."
    says = say(turn.world, told, here=names["place"], units=units(turn.world, cargo["units"]), **hosts)
    said = forces.told(turn, mode, nation, says)
    with turn.journal.entry(f"movement/{mode['id']}", subject=force, data={"units": cargo["units"]}, **said):
        for key, n in picks:
            turn.journal.alter_units(key, n, place=row["at"], aboard=force, host=host)
        _note(turn, force, index, "aboard")
        turn.journal.set("forces", force, "loaded", True)
        if not turn.state.stacks(at=origin, owner=nation):
            turn.journal.fact("left", by=nation, place=origin)


def _note(turn: Turn, force: str, index: int, what: str) -> None:
    """Write down of a part of the cargo that it is aboard, or has been left."""
    parts = [dict(part) for part in turn.state.get("forces", force, "cargo")]
    parts[index][what] = True
    turn.journal.set("forces", force, "cargo", parts)


def land_all(turn: Turn, modes: Sequence[MovementRow]) -> None:
    """Forces that were to unload, on this tick or on one before after which nobody went ashore, and still can
    put their cargo ashore; all judged before anyone lands."""
    ids = {m["id"]: m for m in modes}
    due = [
        (force, dict(row), ids[row["mode"]])
        for force, row in sorted(turn.state.table("forces").items())
        if row.get("mode") in ids and (row.get("unloading") or row.get("lands")) and not row.get("stopped")
    ]
    goals = {part["to"] for _, row, _ in due for part in row["cargo"]}
    owners = {row["owner"] for _, row, _ in due}
    hostile = {
        (n, p): routes.is_attack(turn.world, n, p, turn.journal.step)
        for n, p in product(sorted(owners), sorted(goals))
    }
    for force, row, mode in due:
        parts = [part for part in row["cargo"] if not part.get("left")] or row["cargo"][:1]
        for part in parts:
            attack = hostile[row["owner"], part["to"]]
            _put_ashore(turn, force, row, mode, part, hostile=attack)


def _mark_lent(turn: Turn, host: str, place: str, ships: Mapping[str, int], marks: Mapping[str, Any]) -> None:
    """An ally's carriers whose cargo has gone ashore wear for the rest of the turn what the mission says."""
    plain = [
        s for s in turn.state.stacks(at=place, owner=host) if any(s[1].get(f) != v for f, v in marks.items())
    ]
    for key, n in forces.pick(plain, ships) or ():
        turn.journal.alter_units(key, n, **marks)


def _aboard(turn: Turn, force: str, part: Row) -> list[tuple[str, int]]:
    """Those of a force's cargo that go ashore together: as many as are left of one part."""
    owner = turn.state.get("forces", force, "owner")
    there = [(k, r) for k, r in forces.cargo_of(turn.state, force) if r["owner"] == owner]
    wanted = {
        kind: min(n, sum(s["n"] for _, s in there if s["kind"] == kind)) for kind, n in part["units"].items()
    }
    return forces.pick(there, wanted) or []


def _mode_of(turn: Turn, force: Fields) -> MovementRow:
    return turn.ruleset.row_or_empty("movement", force.get("mode"))


def _awaited(turn: Turn, nation: str, place: str) -> bool:
    """Whether other units of the nation have come to attack a place."""
    there = [
        (f, r) for f, r in turn.state.table("forces").items() if r["owner"] == nation and r["at"] == place
    ]
    return any(
        not follows(turn.world, _mode_of(turn, r), (s["kind"] for _, s in forces.stacks_of(turn.state, f)))
        for f, r in there
        if forces.stacks_of(turn.state, f)
    )


def _put_ashore(turn: Turn, force: str, row: Row, mode: MovementRow, part: Row, *, hostile: bool) -> None:
    """A part of a force's cargo goes ashore, or the journal says why not."""
    nation, target = row["owner"], part["to"]
    aboard = _aboard(turn, force, part)
    shore = turn.ruleset.row("movement", mode["ashore"]) if "ashore" in mode else mode
    why = _ashore_refusal(turn, row, mode, shore, target, aboard, hostile=hostile)
    kinds = forces.kinds_of(turn.state, aboard)
    here = Entity("place", target)
    if why:
        says = say(turn.world, "Nobody goes ashore in {here}: {why}.", here=here, why=why)
    else:
        how = "Ashore against the enemy in {here}: {units}." if hostile else "Ashore in {here}: {units}."
        says = say(turn.world, how, here=here, units=units(turn.world, kinds))
    data: dict[str, Any] = {"place": target, "units": kinds, "hostile": hostile}
    told = forces.told(turn, shore, nation, says)
    with turn.journal.entry(f"movement/{shore['id']}", subject=f"{force}:{target}", data=data, **told):
        for done in ("unloading", "lands"):
            turn.journal.set("forces", force, done, None)
        if why:
            return
        _land(turn, force, row, shore, target, aboard, hostile=hostile)
    if hostile:
        begin_war(turn, shore, nation, target)


def _ashore_refusal(
    turn: Turn,
    row: Row,
    mode: MovementRow,
    shore: MovementRow,
    target: str,
    aboard: Sequence[tuple[str, int]],
    *,
    hostile: bool,
) -> str | None:
    """Why those aboard a force cannot go ashore, or None."""
    world, nation, zone, host = turn.world, row["owner"], row["at"], row.get("host")
    if not aboard:
        return "nobody is aboard"
    if host is not None and not lends(turn, mode, nation, host, zone):
        return f"nobody can leave ships in {routes.name_of(world, 'places', zone)}"
    if routes.entry(world, nation, target, turn.journal.step) == "never":
        return f"{routes.name_of(world, 'places', target)} may not be entered"
    if why := attack_refusal(turn, shore, nation, (zone, target), aboard, hostile=hostile):
        return why
    going = (str(turn.state.get("units", key, "kind")) for key, _ in aboard)
    if hostile and follows(world, shore, going) and not _awaited(turn, nation, target):
        return "nobody goes in beside them"
    return None


def _land(
    turn: Turn,
    force: str,
    row: Row,
    shore: MovementRow,
    target: str,
    aboard: Sequence[tuple[str, int]],
    *,
    hostile: bool,
) -> None:
    """Those aboard a force go ashore: against an enemy as a force, else as units of the place."""
    nation, zone, host = row["owner"], row["at"], row.get("host")
    holder = turn.world.holder_of(target)
    spent = {shore["keeps"]: 0} if "keeps" in shore else {}
    if hostile:
        landed = forces.create(
            turn, nation, zone, [], order=row.get("order"), mode=shore["id"], to=target, targets=[target],
            options=row.get("options") or {}, brought_by=force, host=host,
        )  # fmt: skip
        turn.journal.set("forces", landed, "at", target)
        turn.journal.set("forces", landed, "path", [zone, target])
        ashore = {"force": landed, "via": f"{zone}>{target}", "landed": True, **spent}
    else:
        ashore = {"moved": True, **spent}
    for key, n in aboard:
        turn.journal.alter_units(key, n, aboard=None, host=None, place=target, **ashore)
    if not hostile:
        take_over(turn, nation, target)
    turn.journal.set("forces", force, "loaded", bool(forces.cargo_of(turn.state, force)) or None)
    marks = mission_row(turn.ruleset, row.get("mission"))
    if host is None:
        forces.mark(turn, force, marks)
    else:
        _mark_lent(turn, host, zone, row["ships"], marks.get("sets", {}))
    number = sum(n for _, n in aboard)
    turn.journal.fact("entered", by=nation, of=holder, place=target, n=number, **{"from": zone})
