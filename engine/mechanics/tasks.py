"""Task forces: units of one order that do one task (form `missions`) with every point of movement, all together tick by tick.

Of a mode with `tasks: true` each order makes a force whose plan says, point by point, where it goes and what it does there.
In a frame with `ticks` each tick is one call: the k-th entry of every plan is carried out at once, for all forces on the
state before the tick; without ticks all points are spent in one call. A step with `which: ashore` comes after the battles
of a tick: forces that are still there and were to land put their cargo ashore, against an enemy as a landing force.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import forces, routes
from ..ruleset.model import Row
from ..state import Entity
from ..turn import Order, Turn
from .detect import forget_all
from .voyage import Voyage, default_mission, mission_row, room_of, size_of, understand


def run(node: Row, turn: Turn, modes: Sequence[Row]) -> None:
    """One tick of every force, or all ticks if the frame has none. `ashore` lands, `announce` says who will leave."""
    tick = turn.loops.get("tick")
    if node.get("which") == "ashore":
        land_all(turn, modes, node)
        return
    if tick in (None, 1):
        set_out(turn, modes)
    if node.get("which") == "announce":
        announce(turn, modes, int(tick or 1))
        return
    if tick is not None:
        go_on(turn, modes, int(tick))
        return
    for number in range(1, 1 + max((len(r.get("plan", ())) for r in turn.state.table("forces").values()), default=0)):
        go_on(turn, modes, number)
        land_all(turn, modes, node)


# ---- orders to forces


def read(turn: Turn, modes: Sequence[Row], *, quiet: bool = False) -> list[Voyage]:
    """The open orders of these modes, understood; those that cannot be are dropped with a reason (`quiet`: left alone)."""
    from .move import orders_of

    left: dict[str, int] = {}
    out: list[Voyage] = []
    for order, mode in orders_of(turn, modes):
        found = understand(turn, order, mode, left)
        if isinstance(found, Voyage):
            out.append(found)
        elif not quiet:
            turn.drop_order(order, found)
    return out


def set_out(turn: Turn, modes: Sequence[Row]) -> None:
    """Every order becomes a force, where its units are; then the forces that others protect are named."""
    made: dict[str, list[tuple[Order, str]]] = {}
    for voyage in read(turn, modes):
        nation, place = voyage.nation, voyage.start
        text = f"A force sets out from {routes.name_of(turn.world, 'places', place)}."
        with turn.journal.entry(voyage.order["order"], subject=f"{nation}:{place}", text=text, audience=(nation,)) as entry:
            force = forces.create(
                turn, nation, place, voyage.picks, order=voyage.order["key"], mode=voyage.mode["id"], plan=voyage.plan,
                mission=voyage.first_mission, options=voyage.order.get("options") or {}, cargo=voyage.cargo, to=voyage.target,
                began=place, targets=targets_of(turn, voyage.order) or None,
            )  # fmt: skip
            if voyage.cargo is None or voyage.cargo["from"] == place:
                adopt(turn, force, voyage.mode)
            entry.data.update(force=force, units=forces.strength(turn.state, force), plan=voyage.plan)
            turn.journal.set("orders", voyage.order["key"], "status", "done")
        made.setdefault(nation, []).append((voyage.order, force))
    for those in made.values():
        for order, force in those:
            number = charge_of(turn, order)
            if number is not None and 0 < number <= len(those) and those[number - 1][1] != force:
                with turn.journal.entry(order["order"], subject=force, audience=(order["nation"],)):
                    turn.journal.set("forces", force, "charge", those[number - 1][1])


def charge_of(turn: Turn, order: Order) -> int | None:
    """Which of the nation's task forces, counted by their orders, an order says that it protects."""
    for id_, value in (order.get("options") or {}).items():
        if turn.ruleset.rows("order_options").get(id_, {}).get("gives") == "charge":
            return int(value)
    return None


def targets_of(turn: Turn, order: Order) -> list[str]:
    """Whom an order names to look for (options with `gives: targets`)."""
    return sorted(
        str(value)
        for id_, value in (order.get("options") or {}).items()
        if turn.ruleset.rows("order_options").get(id_, {}).get("gives") == "targets"
    )


def stance_of(turn: Turn, nation: str, place: str, mission: str | None) -> str:
    """Whether a force on a mission seeks contact or avoids it."""
    row = mission_row(turn.ruleset, mission)
    stance = str(row.get("stance", "defensive"))
    names = {"self": Entity("nation", nation), "place": Entity("place", place)}
    if "stance_when" in row and turn.world.test(row["stance_when"], names):
        return "defensive" if stance == "aggressive" else "aggressive"
    return stance


# ---- one tick


def go_on(turn: Turn, modes: Sequence[Row], tick: int) -> None:
    """Spend the tick's point of every force: cargo comes aboard, then all that move move, then all take up their tasks."""
    ids = {m["id"]: m for m in modes}
    forget_all(turn)
    ready = [
        (force, dict(row), ids[row["mode"]])
        for force, row in sorted(turn.state.table("forces").items())
        if row.get("mode") in ids and "plan" in row
    ]
    for force, row, mode in ready:
        if _entry(row, tick).get("load"):
            take_aboard(turn, force, row, mode)
    moves: list[tuple[str, str]] = []
    for force, row, mode in ready:
        entry = _entry(row, tick)
        if entry and entry["place"] != row["at"] and not row.get("stopped"):
            why = _held(turn, force, row, mode, entry["place"])
            if why:
                _stop(turn, force, row, why)
            else:
                moves.append((force, entry["place"]))
    gone = dict(moves)
    for force, row, _ in ready:
        _take_up(turn, force, row, _entry(row, tick), gone.get(force))
    rouse(turn, modes)
    settle_stances(turn, ids)


def rouse(turn: Turn, modes: Sequence[Row]) -> None:
    """Units without orders in places where enemies have a force become forces of their own, on the mission that is theirs."""
    for mode in modes:
        for place in sorted({str(r["at"]) for r in turn.state.table("forces").values() if r.get("mode") == mode["id"]}):
            owners = sorted(turn.state.owners_at(place))
            for nation in owners:
                if any(turn.world.hostile(nation, o) for o in owners):
                    _rouse_at(turn, mode, nation, place)


def _rouse_at(turn: Turn, mode: Row, nation: str, place: str) -> None:
    groups: dict[str, list[forces.Pick]] = {}
    for key, stack in routes.free_stacks(turn.world, nation, place):
        if routes.concerns(turn.world, mode.get("who"), stack["kind"]):
            going = routes.Going(turn.world, nation, mode, [Entity("unit", key)])
            groups.setdefault(default_mission(turn, going, place) or "", []).append((key, stack["n"]))
    for mission in sorted(groups):
        with turn.journal.entry(f"modes/{mode['id']}", subject=f"{nation}:{place}", audience=(nation,)):
            force = forces.create(
                turn, nation, place, groups[mission], mode=mode["id"], mission=mission or None, idle=True, began=place
            )
            adopt(turn, force, mode)


def settle_stances(turn: Turn, modes: Mapping[str, Row]) -> None:
    """Every force takes the stance of its mission, judged when all have moved."""
    new = {
        force: stance_of(turn, row["owner"], row["at"], row.get("mission"))
        for force, row in turn.state.table("forces").items()
        if row.get("mode") in modes
    }
    with turn.journal.entry("frame/" + turn.journal.step, keep=False):
        for force in sorted(new):
            turn.journal.set("forces", force, "stance", new[force])


def announce(turn: Turn, modes: Sequence[Row], tick: int) -> None:
    """Mark the forces that are about to leave their place (`leaving`), so that others there can look for them first."""
    ids = {m["id"] for m in modes}
    forget_all(turn)
    rouse(turn, modes)
    with turn.journal.entry("frame/" + turn.journal.step, keep=False):
        for force, row in sorted(turn.state.table("forces").items()):
            if row.get("mode") in ids:
                entry = _entry(row, tick)
                leaving = bool(entry) and entry["place"] != row["at"] and not row.get("stopped")
                turn.journal.set("forces", force, "leaving", leaving or None)
                if entry and not leaving:  # who stays is at the task of this point already
                    turn.journal.set("forces", force, "mission", entry.get("mission"))
    settle_stances(turn, {m["id"]: m for m in modes})


def _entry(row: Row, tick: int) -> Row:
    plan = row.get("plan", ())
    return dict(plan[tick - 1]) if 0 < tick <= len(plan) else {}


def _held(turn: Turn, force: str, row: Row, mode: Row, place: str) -> str | None:
    """Why a force cannot take the next step of its way, judged now: a gate, or a test of the mode."""
    units = [Entity("unit", k) for k, _ in forces.stacks_of(turn.state, force)]
    going = routes.Going(turn.world, row["owner"], mode, units)
    link = f"{row['at']}>{place}"
    gate = going.shut(place, link)
    if gate is not None:
        return f"{routes.name_of(turn.world, 'gates', gate)} is closed to it"
    if not going.test("enter", place, link, (row["at"],)):
        return f"it may not enter {routes.name_of(turn.world, 'places', place)}"
    came = row.get("path", ())
    if len(came) > 1 and going.stops(row["at"], f"{came[-2]}>{came[-1]}", tuple(came[:-1])):
        return f"it goes no further than {routes.name_of(turn.world, 'places', row['at'])}"
    return None


def _stop(turn: Turn, force: str, row: Row, why: str) -> None:
    text = f"A force stops in {routes.name_of(turn.world, 'places', row['at'])}: {why}."
    with turn.journal.entry(f"modes/{row['mode']}", subject=force, text=text, audience=(row["owner"],)):
        turn.journal.set("forces", force, "stopped", True)


def _take_up(turn: Turn, force: str, row: Row, entry: Row, to: str | None) -> None:
    """A force moves, and takes up the task of its point; after its last one it keeps that task where it is."""
    mission = entry.get("mission", row.get("mission"))
    missions = mission_row(turn.ruleset, mission)
    place = to or row["at"]
    unloading = missions.get("does") == "land" and bool(entry.get("land")) and not turn.state.get("forces", force, "stopped")
    fields = {"mission": mission, "moving": to is not None, "unloading": unloading, "leaving": None}
    text = "" if to is None else f"A force goes to {routes.name_of(turn.world, 'places', to)}."
    data = {"force": force, "place": place, "mission": mission} if entry else {}
    with turn.journal.entry(
        f"missions/{mission}" if mission else f"modes/{row['mode']}",
        subject=force, text=text, audience=(row["owner"],), data=data, keep=False,
    ):  # fmt: skip
        if to is not None:
            forces.go(turn, force, (row["at"], to))
            turn.journal.fact("entered", by=row["owner"], place=to, force=force, **{"from": row["at"]})
        for field, value in fields.items():
            turn.journal.set("forces", force, field, value or None)
        for key, stack in forces.stacks_of(turn.state, force) if entry and missions.get("marks") else ():
            turn.journal.alter_units(key, stack["n"], **missions["marks"])


# ---- cargo


def adopt(turn: Turn, force: str, mode: Row) -> None:
    """Cargo that is afloat where a force sets out comes under it, as far as it has room."""
    if "carries" not in mode:
        return
    row = turn.state.row("forces", force)
    room = room_of(turn, mode, [(k, r["n"]) for k, r in forces.stacks_of(turn.state, force)])
    for key, stack in forces.afloat_at(turn.state, row["owner"], row["at"]):
        each = size_of(turn, mode, [(key, 1)])
        n = min(stack["n"], int(room // each)) if each else stack["n"]
        if n > 0:
            turn.journal.alter_units(key, n, aboard=force)
            room -= n * each


def take_aboard(turn: Turn, force: str, row: Row, mode: Row) -> None:
    """The cargo that the order names comes aboard, if it is still there and the place still lets it."""
    cargo, nation = row["cargo"], row["owner"]
    carries = mode["carries"]
    origin = cargo["from"]
    where = routes.name_of(turn.world, "places", origin)
    if origin == row["at"]:  # it has been aboard since it was left at sea
        with turn.journal.entry(f"modes/{mode['id']}", subject=force, audience=(nation,), keep=False):
            turn.journal.set("forces", force, "loaded", bool(forces.cargo_of(turn.state, force)) or None)
        return
    picks = forces.pick(routes.free_stacks(turn.world, nation, origin), cargo["units"])
    names = {"self": Entity("nation", nation), "place": Entity("place", origin)}
    if picks is None or not turn.world.test(carries.get("from"), names):
        with turn.journal.entry(f"modes/{mode['id']}", subject=force, audience=(nation,), text=f"Nobody came aboard in {where}."):
            turn.journal.set("forces", force, "cargo", None)
        return
    text = f"Aboard in {where}: {_listed(turn, cargo['units'])}."
    with turn.journal.entry(f"modes/{mode['id']}", subject=force, audience=(nation,), text=text, data={"units": cargo["units"]}):
        for key, n in picks:
            turn.journal.alter_units(key, n, place=row["at"], aboard=force)
        turn.journal.set("forces", force, "loaded", True)
        if not turn.state.stacks(at=origin, owner=nation):
            turn.journal.fact("left", by=nation, place=origin)


def _listed(turn: Turn, units: dict[str, int]) -> str:
    from .move import list_units

    return list_units(turn, units)


def land_all(turn: Turn, modes: Sequence[Row], node: Row) -> None:
    """Forces that were to unload on this tick and still can put their cargo ashore, all judged before anyone lands."""
    ids = {m["id"]: m for m in modes}
    due = [
        (force, dict(row), ids[row["mode"]])
        for force, row in sorted(turn.state.table("forces").items())
        if row.get("mode") in ids and row.get("unloading") and not row.get("stopped")
    ]
    hostile = {force: routes.is_attack(turn.world, row["owner"], row["cargo"]["to"], turn.journal.step) for force, row, _ in due}
    for force, row, mode in due:
        _put_ashore(turn, force, row, mode, hostile=hostile[force])


def _put_ashore(turn: Turn, force: str, row: Row, mode: Row, *, hostile: bool) -> None:
    from .move import attack_refusal, begin_war, list_units

    nation, target, zone = row["owner"], row["cargo"]["to"], row["at"]
    aboard = forces.cargo_of(turn.state, force)
    shore = turn.ruleset.row("modes", mode["ashore"]) if "ashore" in mode else mode
    where = routes.name_of(turn.world, "places", target)
    why = None
    if not aboard:
        why = "nobody is aboard"
    elif routes.entry(turn.world, nation, target, turn.journal.step) == "never":
        why = f"{where} may not be entered"
    else:
        why = attack_refusal(turn, shore, nation, (zone, target), [(k, r["n"]) for k, r in aboard], hostile=hostile)
    kinds: dict[str, int] = {}
    for _, stack in aboard:
        kinds[stack["kind"]] = kinds.get(stack["kind"], 0) + stack["n"]
    how = "Ashore against the enemy" if hostile else "Ashore"
    text = f"Nobody goes ashore in {where}: {why}." if why else f"{how} in {where}: {list_units(turn, kinds)}."
    data: dict[str, Any] = {"place": target, "units": kinds, "hostile": hostile}
    with turn.journal.entry(f"modes/{shore['id']}", subject=f"{force}:{target}", audience=(nation,), text=text, data=data):
        turn.journal.set("forces", force, "unloading", None)
        if why:
            return
        holder = turn.world.holder_of(target)
        via = f"{zone}>{target}"
        if hostile:
            landed = forces.create(
                turn, nation, zone, [], order=row.get("order"), mode=shore["id"], to=target, targets=[target],
                options=row.get("options") or {}, brought_by=force,
            )  # fmt: skip
            turn.journal.set("forces", landed, "at", target)
            turn.journal.set("forces", landed, "path", [zone, target])
            for key, stack in aboard:
                turn.journal.alter_units(key, stack["n"], aboard=None, force=landed, place=target, via=via, landed=True)
        else:
            for key, stack in aboard:
                turn.journal.alter_units(key, stack["n"], aboard=None, place=target, moved=True)
        turn.journal.set("forces", force, "loaded", None)
        turn.journal.fact("entered", by=nation, of=holder, place=target, n=sum(kinds.values()), **{"from": zone})
    if hostile:
        begin_war(turn, shore, nation, target)


# ---- what threatens whom


def threats(turn: Turn, modes: Sequence[Row]) -> list[tuple[str, str]]:
    """Places that valid orders are to land on against an enemy, each with the place that the landing comes from."""
    out = []
    for voyage in read(turn, modes, quiet=True):
        if voyage.cargo and routes.is_attack(turn.world, voyage.nation, voyage.cargo["to"], turn.journal.step):
            out.append((voyage.cargo["to"], voyage.plan[-1]["place"]))
    return out
