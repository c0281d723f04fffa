"""Task forces: units of one order that do one task (form `missions`) with every point of movement, all
together tick by tick.

Of a mode with `tasks: true` each order makes a force whose plan says, point by point, where it goes and what
it does there. In a sequence with `ticks` each tick is one call: the k-th entry of every plan is carried out
at once, for all forces on the state before the tick; without ticks all points are spent in one call. A step
with `which: ashore` comes after the battles of a tick: forces that are still there and were to land put their
cargo ashore, against an enemy as a landing force.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..core.frame import steps
from ..core.model import Row, Ruleset, derived_of
from ..core.rows import MovementRow
from ..core.state import Entity
from ..turn.context import Order, Turn
from ..turn.slots import unfit
from ..world import routes
from ..world.messages import say, units
from . import forces
from .assignment import charges_of, mission_refusal, named_by, numbers_of, place_refusal
from .cargo import adopt, bring_along, land_all, take_aboard
from .contact import forget_all
from .fleet import Fleet, Voyage, makes_one, mission_row
from .fleet_orders import default_mission, understand
from .land_orders import orders_by_mode, orders_of, row_of
from .split_and_merge import part_and_join


def run(node: Row, turn: Turn, modes: Sequence[MovementRow]) -> None:
    """One tick of every force, or all ticks if the sequence of play has none.

    `ashore` lands, `announce` says who will leave.
    """
    tick = turn.loops.get("tick")
    if node.get("which") == "ashore":
        land_all(turn, modes)
        return
    if tick in (None, 1):
        set_out(turn, modes)
    if node.get("which") == "announce":
        announce(turn, modes, int(tick or 1))
        return
    if tick is not None:
        go_on(turn, modes, int(tick))
        return
    for number in range(
        1, 1 + max((len(r.get("plan", ())) for r in turn.state.table("forces").values()), default=0)
    ):
        go_on(turn, modes, number)
        land_all(turn, [m for m in modes if m["id"] not in ashore_later(turn.ruleset)])


@derived_of()
def ashore_later(ruleset: Ruleset) -> set[str]:
    """The modes whose cargo goes ashore in a step of its own (`which: ashore`), after battles."""
    out: set[str] = set()
    for node in steps(ruleset.sequence):
        if node["do"] == "move" and node.get("which") == "ashore":
            out.update(node.get("movement", ruleset.rows("movement")))
    return out


# ---- orders to forces


def read(turn: Turn, modes: Sequence[MovementRow], *, quiet: bool = False) -> list[Voyage]:
    """The open orders of these modes, understood; those that cannot be are dropped with a reason (`quiet`:
    left alone).
    """
    ids = {m["id"] for m in modes}
    left: dict[str, int] = {}
    out: list[Voyage] = []
    numbers = numbered(turn, ids)
    fleets: dict[str, Fleet] = {}
    open_orders = orders_of(turn, modes)
    for order, mode in open_orders:
        nation = str(order["nation"])
        if nation not in fleets:
            fleets[nation] = Fleet.of(turn.ruleset, (o for o, _ in open_orders if o["nation"] == nation))
        why = unfit(turn, row_of(turn, order), order, turn.order_names(order))
        found = (
            why.text
            if why
            else understand(turn, order, mode, left, fleets[nation], numbers.get(order["key"], 0))
        )
        if isinstance(found, str):
            if not quiet:
                turn.drop_order(order, found)
            continue
        fleets[nation].take(found)
        if isinstance(found, Voyage):
            out.append(found)
        elif not quiet:
            with turn.journal.entry(order["order"], subject=nation, audience=(nation,), keep=False):
                turn.journal.set("orders", order["key"], "status", "done")
    return out


def numbered(turn: Turn, modes: Collection[str]) -> dict[str, int]:
    """The numbers of task forces, by the keys of their orders: as the nation lists them, whether or not they
    stand.
    """
    out: dict[str, int] = {}
    listed: dict[str, int] = {}
    going = orders_by_mode(turn.ruleset)
    for order in turn.orders([key for mode in sorted(modes) for key in going.get(mode, ())]):
        if makes_one(turn.ruleset, order):
            listed[order["nation"]] = int(order.get("number") or listed.get(order["nation"], 0) + 1)
            out[order["key"]] = listed[order["nation"]]
    return out


def set_out(turn: Turn, modes: Sequence[MovementRow]) -> None:
    """Every order becomes a force, where its units are; those who part later are written down with the force
    that they leave.
    """
    voyages = read(turn, modes)
    made: dict[tuple[str, int], str] = {}
    for voyage in voyages:
        if voyage.parent:
            continue
        nation, place = voyage.nation, voyage.start
        picks = () if voyage.host else voyage.picks  # an ally's ships are not under the nation's orders
        said = _told(turn, voyage.mode, nation, "sets out from", place, forces.kinds_of(turn.state, picks))
        if voyage.host:
            said["says"] = None  # what its cargo does is told when it does it
        with turn.journal.entry(voyage.order["order"], subject=f"{nation}:{place}", **said) as entry:
            parting = [v for v in voyages if v.nation == nation and v.parent and v.parent == voyage.number]
            force = forces.create(
                turn,
                nation,
                place,
                picks,
                mode=voyage.mode["id"],
                cargo=voyage.cargo or None,
                began=place,
                host=voyage.host or None,
                ships=voyage.units if voyage.host else None,
                parting=[
                    {"units": v.units, "after": v.after, "at": v.start, **about(turn, v)} for v in parting
                ]
                or None,
                **about(turn, voyage),
            )
            bring_along(turn, force, voyage.mode)
            if voyage.loaded or any(part["from"] == place for part in voyage.cargo):
                adopt(turn, force, voyage.mode)
            entry.data.update(force=force, units=forces.strength(turn.state, force), plan=voyage.plan)
            for each in (voyage, *parting):
                turn.journal.set("orders", each.order["key"], "status", "done")
        made[nation, voyage.number] = force
    for (nation, _), force in sorted(made.items()):
        named = turn.state.get("forces", force, "targets") or []
        found = [made.get(_numbered(t), t) for t in named]
        if found != named:
            with turn.journal.entry(
                "sequence/" + turn.journal.step, subject=force, audience=(nation,), keep=False
            ):
                turn.journal.set("forces", force, "targets", found)


def about(turn: Turn, voyage: Voyage) -> dict[str, Any]:
    """What the order of a task force says of the force."""
    order = voyage.order
    return {
        "order": order["key"],
        "number": voyage.number,
        "plan": voyage.plan,
        "to": voyage.target,
        "mission": next((e["mission"] for e in voyage.plan if "mission" in e), None),
        "options": order.get("options") or {},
        "charges": charges_of(turn, order) or None,
        "joins": next(iter(numbers_of(turn, order, "joins")), None),
        **looks_for(turn, order),
    }


def looks_for(turn: Turn, order: Order) -> dict[str, Any]:
    """Whom and what the order of a force says that it looks for."""
    return {"targets": targets_of(turn, order) or None, "prefers": named_by(turn, order, "prefers") or None}


def targets_of(turn: Turn, order: Order) -> list[str]:
    """Whom an order names to look for: nations, or task forces as `nation/number` (options with `gives:
    targets`).
    """
    out = []
    for value in named_by(turn, order, "targets"):
        out.append(f"{value['nation']}/{value['n']}" if isinstance(value, Mapping) else str(value))
    return sorted(out)


def _numbered(target: str) -> tuple[str, int]:
    nation, _, number = target.partition("/")
    return nation, int(number) if number.isdigit() else -1


def stance_of(turn: Turn, nation: str, place: str, mission: str | None) -> str:
    """Whether a force on a mission seeks contact or avoids it."""
    row = mission_row(turn.ruleset, mission)
    stance = str(row.get("stance", "defensive"))
    names = {"self": Entity("nation", nation), "place": Entity("place", place)}
    if "stance_when" in row and turn.world.test(row["stance_when"], names):
        return "defensive" if stance == "aggressive" else "aggressive"
    return stance


# ---- one tick


def go_on(turn: Turn, modes: Sequence[MovementRow], tick: int) -> None:
    """Spend the tick's point of every force: cargo comes aboard, then all that move move, then all take up
    their tasks.
    """
    ids = {m["id"]: m for m in modes}
    forget_all(turn)
    part_and_join(turn, ids, tick)
    ready = [
        (force, dict(row), ids[row["mode"]])
        for force, row in sorted(turn.state.table("forces").items())
        if row.get("mode") in ids and "plan" in row
    ]
    load_up(turn, ids, tick)
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
        if "tick" not in turn.loops and not _entry(row, tick):
            continue  # its points are spent, and what it was to do there is still to come
        _take_up(turn, force, row, _entry(row, tick), gone.get(force))
    rouse(turn, modes)
    settle_stances(turn, ids)


def load_up(turn: Turn, modes: Mapping[str, MovementRow], tick: int) -> None:
    """Whatever is to come aboard on this tick does, once, before anybody leaves their place."""
    for force, row in sorted(turn.state.table("forces").items()):
        due = _entry(row, tick).get("load", ()) if row.get("mode") in modes and not row.get("stopped") else ()
        for index in due:
            part = turn.state.get("forces", force, "cargo")[index]
            if not part.get("aboard") and not part.get("left"):
                take_aboard(turn, force, row, modes[row["mode"]], index)


def rouse(turn: Turn, modes: Sequence[MovementRow]) -> None:
    """Units without orders in places where enemies have a force become forces of their own, on the mission
    that is theirs.
    """
    for mode in modes:
        for place in sorted({str(r["at"]) for r in turn.state.table("forces").values()}):
            owners = sorted(turn.state.owners_at(place))
            for nation in owners:
                if any(turn.world.hostile(nation, o) for o in owners) or _sought(turn, nation, place):
                    rouse_at(turn, mode, nation, place)


def _sought(turn: Turn, nation: str, place: str) -> bool:
    """Whether a force in a place has orders against a nation with which there may be no war."""
    return any(
        r["at"] == place and nation in (r.get("targets") or ()) for r in turn.state.table("forces").values()
    )


def rouse_at(turn: Turn, mode: MovementRow, nation: str, place: str) -> None:
    """The units of a nation in a place that have no orders become forces, each on the first mission that is
    theirs there.
    """
    order = order_at_rest(turn, mode, nation, place)
    task = str(order["slots"].get("task") or "") if order else ""
    groups: dict[str, list[forces.Pick]] = {}
    for key, stack in routes.free_stacks(turn.world, nation, place, busy=True):
        if routes.kind_matches(turn.world, mode.get("who"), stack["kind"]):
            going = routes.Going(turn.world, nation, mode, [Entity("unit", key)])
            may = task and not (
                mission_refusal(turn, task, {stack["kind"]: stack["n"]}, loaded=False)
                or place_refusal(turn, nation, task, place)
            )
            groups.setdefault(task if may else default_mission(turn, going, place) or "", []).append(
                (key, stack["n"])
            )
    said = _said_at_rest(turn, order)
    for mission in sorted(groups):
        with turn.journal.entry(f"movement/{mode['id']}", subject=f"{nation}:{place}", audience=(nation,)):
            force = forces.create(
                turn,
                nation,
                place,
                groups[mission],
                mode=mode["id"],
                mission=mission or None,
                idle=True,
                began=place,
                stance=stance_of(turn, nation, place, mission),
                **said,
            )
            bring_along(turn, force, mode, guests=False)
            adopt(turn, force, mode)
    rouse_guests(turn, mode, nation, place)


def rouse_guests(turn: Turn, mode: MovementRow, nation: str, place: str) -> None:
    """Units of a nation that live on bearers of its allies (`shared`) become a force, and fight beside those
    who bear them.
    """
    bears = mode.get("bears", {})
    names = {"place": Entity("place", place), "self": Entity("nation", nation)}
    if not bears.get("shared") or not turn.world.test(bears.get("where"), names):
        return
    there = routes.free_stacks(turn.world, nation, place, busy=True)
    picks = [
        (key, stack["n"])
        for key, stack in there
        if routes.kind_matches(turn.world, bears["who"], stack["kind"])
    ]
    if picks:
        mission = default_mission(
            turn, routes.Going(turn.world, nation, mode, [Entity("unit", key) for key, _ in picks]), place
        )
        with turn.journal.entry(f"movement/{mode['id']}", subject=f"{nation}:{place}", audience=(nation,)):
            forces.create(
                turn, nation, place, picks, mode=mode["id"], mission=mission or None, idle=True, began=place,
                stance=stance_of(turn, nation, place, mission),
                **_said_at_rest(turn, order_at_rest(turn, mode, nation, place)),
            )  # fmt: skip


def _said_at_rest(turn: Turn, order: Order | None) -> dict[str, Any]:
    """What a force at rest is told by an order of its nation."""
    return {"options": order.get("options") or {}, **looks_for(turn, order)} if order else {}


def order_at_rest(turn: Turn, mode: MovementRow, nation: str, place: str) -> Order | None:
    """What a nation has ordered for its units that lie in a place (orders of the mode's `at_rest`); the last
    counts.
    """
    given = turn.orders(mode["at_rest"], nation) if "at_rest" in mode else ()
    return next(
        (o for o in reversed(given) if o["slots"].get("place") == place and o.get("status") != "refused"),
        None,
    )


def settle_stances(turn: Turn, modes: Mapping[str, MovementRow]) -> None:
    """Every force takes the stance of its mission, judged when all have moved."""
    new = {
        force: stance_of(turn, row["owner"], row["at"], row.get("mission"))
        for force, row in turn.state.table("forces").items()
        if row.get("mode") in modes
    }
    with turn.journal.entry("sequence/" + turn.journal.step, keep=False):
        for force in sorted(new):
            turn.journal.set("forces", force, "stance", new[force])


def announce(turn: Turn, modes: Sequence[MovementRow], tick: int) -> None:
    """Mark the forces that are about to leave their place (`leaving`), so that others there can look for them
    first.
    """
    ids = {m["id"]: m for m in modes}
    forget_all(turn)
    part_and_join(turn, ids, tick)
    load_up(turn, ids, tick)
    rouse(turn, modes)
    with turn.journal.entry("sequence/" + turn.journal.step, keep=False):
        for force, row in sorted(turn.state.table("forces").items()):
            if row.get("mode") in ids:
                entry = _entry(row, tick)
                leaving = bool(entry) and entry["place"] != row["at"] and not row.get("stopped")
                turn.journal.set("forces", force, "leaving", leaving or None)
                # those whom the sequence puts ashore when all have moved
                if row.get("unloading") and not row.get("stopped"):
                    turn.journal.set("forces", force, "lands", True)
                for done in ("moving", "unloading"):  # of the point before
                    turn.journal.set("forces", force, done, None)
                if entry and not leaving:  # who stays is at the task of this point already
                    turn.journal.set("forces", force, "mission", entry.get("mission"))
    settle_stances(turn, ids)


def _entry(row: Row, tick: int) -> Row:
    plan = row.get("plan", ())
    return dict(plan[tick - 1]) if 0 < tick <= len(plan) else {}


def _held(turn: Turn, force: str, row: Row, mode: MovementRow, place: str) -> str | None:
    """Why a force cannot take the next step of its way, judged now: a passage, or a test of the mode."""
    units = [Entity("unit", k) for k, _ in forces.stacks_of(turn.state, force)]
    going = routes.Going(turn.world, row["owner"], mode, units)
    link = f"{row['at']}>{place}"
    gate = going.shut(link)
    if gate is not None:
        return f"{routes.name_of(turn.world, 'passages', gate)} is closed to it"
    if not going.test("enter", place, link, (row["at"],)):
        return f"it may not enter {routes.name_of(turn.world, 'places', place)}"
    came = row.get("path", ())
    if len(came) > 1 and going.stops(row["at"], f"{came[-2]}>{came[-1]}", tuple(came[:-1])):
        return "it goes no further"
    return None


def _stop(turn: Turn, force: str, row: Row, why: str) -> None:
    says = say(turn.world, "A force stops in {place}: {why}.", place=Entity("place", row["at"]), why=why)
    with turn.journal.entry(f"movement/{row['mode']}", subject=force, says=says, audience=(row["owner"],)):
        turn.journal.set("forces", force, "stopped", True)


def _told(
    turn: Turn, mode: MovementRow, nation: str, does: str, place: str, kinds: Mapping[str, int]
) -> dict[str, Any]:
    """What an entry says, and to whom, about a force that sets out or goes on: what it does where, and its
    units.
    """
    full = f"A force {does} {{here}}: {{units}}." if kinds else f"A force {does} {{here}}."
    those = {"units": units(turn.world, kinds)} if kinds else {}
    return forces.told(turn, mode, nation, say(turn.world, full, here=Entity("place", place), **those))


def _take_up(turn: Turn, force: str, row: Row, entry: Row, to: str | None) -> None:
    """A force moves, and takes up the task of its point; after its last one it keeps that task where it
    is.
    """
    mission = entry.get("mission", row.get("mission"))
    missions = mission_row(turn.ruleset, mission)
    place = to or row["at"]
    unloading = (
        missions.get("does") == "land"
        and bool(entry.get("land"))
        and not turn.state.get("forces", force, "stopped")
    )
    fields = {"mission": mission, "moving": to is not None, "unloading": unloading, "leaving": None}
    mode, owner = turn.ruleset.row("movement", row["mode"]), row["owner"]
    if to is None:
        said = forces.told(turn, mode, owner, None)
    else:
        said = _told(turn, mode, owner, "goes to", to, forces.strength(turn.state, force))
    data = {"force": force, "place": place, "mission": mission} if entry else {}
    with turn.journal.entry(
        f"missions/{mission}" if mission else f"movement/{row['mode']}",
        subject=force,
        data=data,
        keep=False,
        **said,
    ):
        if to is not None:
            forces.go(turn, force, (row["at"], to), lambda key: _left(turn, owner, mode, key, row["at"]))
            turn.journal.fact("entered", by=row["owner"], place=to, force=force, **{"from": row["at"]})
        for field, value in fields.items():
            turn.journal.set("forces", force, field, value or None)
        if entry and missions.get("does") != "land":
            forces.mark(turn, force, missions)


def _left(turn: Turn, nation: str, mode: MovementRow, key: str, place: str) -> dict[str, Any]:
    """What a stack that is about to leave a place has left after it, where the mode keeps count of that
    (`keeps`).
    """
    if "keeps" not in mode:
        return {}
    return {mode["keeps"]: routes.Going(turn.world, nation, mode, [Entity("unit", key)]).allowance(place) - 1}


# ---- what threatens whom


def threats(turn: Turn, modes: Sequence[MovementRow]) -> list[tuple[str, str]]:
    """Places that valid orders are to land on against an enemy, each with the place that the landing comes
    from.
    """
    out = []
    for voyage in read(turn, modes, quiet=True):
        for parcel in voyage.lands:
            if routes.is_attack(turn.world, voyage.nation, parcel["to"], turn.journal.step):
                out.append((parcel["to"], voyage.plan[-1]["place"]))
    return out
