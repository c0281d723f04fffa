"""The end of forces: those that cannot stay where they stand go home, and all units become plain units of
their places again.

What a mode says by `home` (a test of the place) decides whether units may stay; if not, they go back as far
as what they have left carries them: to where they set out from, else to the cheapest place that passes, else
they are lost.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..core.journal import Entry
from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity
from ..turn.context import Turn
from ..world.messages import say, units
from . import forces
from .cargo_room import room_of
from .carriers import settle_all
from .homes import homes_apart, may_stay


def close(turn: Turn, node: Row) -> None:
    """End every force (with `modes`: only those that go by one of them), and forget what was attacked and who
    has moved.
    """
    wanted = set(node["movement"]) if "movement" in node else None
    for force, row in sorted(turn.state.table("forces").items()):
        if wanted is None or row.get("mode") in wanted:
            end(turn, force)
    settle_all(turn)
    part_company(turn)
    if not node.get("keeps"):
        forget(turn)


def end(turn: Turn, force: str) -> None:
    """End one force: its units stay if they may, else go home or are lost."""
    row = turn.state.row("forces", force)
    mode = turn.ruleset.row_or_empty("movement", row.get("mode", ""))
    rule = f"movement/{mode['id']}" if mode else "sequence/" + turn.journal.step
    nation, place = row["owner"], row["at"]
    with turn.journal.entry(rule, subject=force, audience=(nation,), keep=False) as entry:
        if not forces.stacks_of(turn.state, force) or may_stay(turn, mode, force, nation, place):
            forces.release(turn, force, afloat="carries" in mode)
            return
        if "falls_back" in mode and fall_back(turn, mode, force):
            entry.tell(say(turn.world, "Units return aboard from {place}.", place=Entity("place", place)))
            if not forces.stacks_of(turn.state, force):
                forces.release(turn, force)
                return
        homes = homes_apart(turn, mode, force)
        goals = sorted(set(homes.values()), key=lambda to: (to is None, str(to)))
        _go_home(turn, force, homes, goals[0], entry)
    for to in goals[1:]:
        with turn.journal.entry(rule, subject=force, audience=(nation,), keep=False) as entry:
            _go_home(turn, force, homes, to, entry)


def _go_home(turn: Turn, force: str, homes: Mapping[str, str | None], to: str | None, entry: Entry) -> None:
    """Those stacks of a force whose home is `to` go there; None: they have none and are lost."""
    row = turn.state.row("forces", force)
    place = row["at"]
    mine = [key for key, home in homes.items() if home == to]
    if to == place:
        for key in mine:
            turn.journal.alter_units(key, turn.state.get("units", key, "n"), **dict.fromkeys(forces.PASSING))
    elif to is None:
        for key in mine:
            turn.destroy(key, turn.state.get("units", key, "n"), cause="no way home", place=place)
        entry.happened = [
            say(turn.world, "Units in {place} have no way home and are lost.", place=Entity("place", place))
        ]
    else:
        ends = {"place": Entity("place", place), "goal": Entity("place", to)}
        entry.happened = [say(turn.world, "Units return from {place} to {goal}.", **ends)]
        entry.data["path"] = [place, to]
        forces.withdraw(turn, force, to, mine)
    if turn.state.row("forces", force) and not forces.stacks_of(turn.state, force):
        forces.release(turn, force)


def fall_back(turn: Turn, mode: MovementRow, force: str) -> bool:
    """Units of a landing force that the mode lets go back aboard (`falls_back`) do so; tells whether there
    were any.
    """
    row = turn.state.row("forces", force)
    start, bringer = row["path"][0], row.get("brought_by")
    with_it = turn.state.get("forces", str(bringer), "at") == start
    names = {"self": Entity("nation", row["owner"]), "place": Entity("place", start)}
    found = False
    for key, stack in forces.stacks_of(turn.state, force):
        if turn.world.test(mode["falls_back"], {**names, "unit": Entity("unit", key)}):
            again = {"place": start, "aboard": bringer if with_it else forces.AFLOAT, "host": row.get("host")}
            turn.journal.alter_units(key, stack["n"], **{**dict.fromkeys(forces.PASSING), **again})
            found = True
    return found


def forget(turn: Turn) -> None:
    """Take off what units without a force, and places, carried for the length of the moves."""
    keeps = set()
    for mode in turn.ruleset.rows("movement").values():
        keeps |= {mode[key] for key in ("keeps", "way_home") if key in mode}
    contacts = turn.ruleset.rows("detection").values()
    marks = {field for c in contacts for field in ({c["finders"]} if "finders" in c else c.get("sets", ()))}
    tasks = {field for m in turn.ruleset.rows("missions").values() for field in m.get("sets", ())}
    passing = {*forces.PASSING, *keeps, *marks, *tasks}
    still = turn.state.table("forces")
    with turn.journal.entry("sequence/" + turn.journal.step, keep=False):
        for key, stack in list(turn.state.stacks()):
            if passing.isdisjoint(stack) or stack.get("force") in still or stack.get("aboard") in still:
                continue
            afloat = {"aboard", "host"} if stack.get("aboard") == forces.AFLOAT else set()
            worn = [f for f in sorted(passing - afloat) if f in stack]
            if worn:
                turn.journal.alter_units(key, stack["n"], **dict.fromkeys(worn))
        for place, row in sorted(turn.state.table("places").items()):
            if "attacked" in row:
                turn.journal.set("places", place, "attacked", None)
        for key, row in sorted(turn.state.table("loads").items()):
            # where each has a turn of their own, it is over with it
            if row["turn"] != turn.number or turn.mover is not None:
                turn.journal.put_row("loads", key, None)
        if not still:
            turn.journal.set("game", "game", "forces", None)


def part_company(turn: Turn) -> None:
    """Guests that nobody carries any more go ashore where they could have come aboard, else they are lost."""
    mode = next(
        (m for m in turn.ruleset.rows("movement").values() if m.get("carries", {}).get("shared")), None
    )
    if mode is None:
        return
    for key, stack in list(turn.state.stacks()):
        if "host" in stack and stack.get("aboard") == forces.AFLOAT and not _carried(turn, mode, stack):
            _leave(turn, mode, key, stack)


def _carried(turn: Turn, mode: MovementRow, stack: Row) -> bool:
    host = str(stack["host"])
    ships = [(k, r["n"]) for k, r in turn.state.stacks(at=stack["place"], owner=host)]
    return turn.world.allied(host, stack["owner"]) and room_of(turn, mode, ships) > 0


def _leave(turn: Turn, mode: MovementRow, key: str, stack: Row) -> None:
    owner, zone, carries = str(stack["owner"]), str(stack["place"]), mode["carries"]
    near = sorted(turn.world.geography.next_to(zone, tuple(carries.get("link", ()))))
    names = {"self": Entity("nation", owner)}
    to = next(
        (p for p in near if turn.world.test(carries.get("from"), {**names, "place": Entity("place", p)})),
        None,
    )
    goes = "are lost with them" if to is None else "go ashore in {goal}"
    about = {"host": Entity("nation", str(stack["host"])), "zone": Entity("place", zone)}
    about |= {} if to is None else {"goal": Entity("place", to)}
    what = units(turn.world, {str(stack["kind"]): int(stack["n"])})
    says = say(
        turn.world,
        f"Troops can stay no longer aboard ships of {{host}} in {{zone}} and {goes}: {{units}}.",
        units=what,
        **about,
    )
    with turn.journal.entry(
        f"movement/{mode['id']}", subject=f"{owner}:{zone}", **forces.told(turn, mode, owner, says)
    ):
        if to is not None:
            turn.journal.alter_units(
                key, int(stack["n"]), **{**dict.fromkeys(forces.PASSING), "moved": True, "place": to}
            )
            return
        turn.destroy(key, int(stack["n"]), cause="bearers")
