"""Units that live on others: how many there is room for, and what becomes of those who have none left.

A mode says by `bears` who lives on whom (`who`, `bearers`) and in which places (`where`), how many a bearer takes (`room`), by
which mode those without room go where they can end (`home`), and which of them can still do so (`aloft`); the rest go down
with what bore them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.journal import Entry
from ..core.model import Row
from ..core.state import UNIT_CORE, Entity, Fields
from ..turn.context import OrderContext, Turn
from ..world import routes
from . import forces
from .homes import homes_of


def settle_all(turn: Turn) -> None:
    """Everywhere whoever has no room goes home or is lost."""
    for mode in turn.ruleset.rows("modes").values():
        if "bears" not in mode:
            continue
        who = mode["bears"]["who"]
        kinds = {kind for kind in turn.ruleset.rows("units") if routes.kind_matches(turn.world, who, kind)}
        lived_in = {row["place"] for _, row in turn.state.stacks() if row["kind"] in kinds}
        gone = False  # once somebody has gone, he may be anywhere
        for place in sorted(turn.state.occupied_places()):
            for owner in sorted(turn.state.owners_at(place)) if gone or place in lived_in else ():
                gone = bool(_settle_at(turn, mode, place, owner, None)) or gone


def settle(turn: Turn, place: str, lost: Sequence[tuple[str, str]], entry: Entry) -> list[Row]:
    """Those at a place whose bearers are among what was lost (owner, kind) go home or are lost. Returns what became of them."""
    out: list[Row] = []
    for mode in turn.ruleset.rows("modes").values():
        if "bears" in mode:
            bearers = mode["bears"]["bearers"]
            for owner in sorted({o for o, kind in lost if routes.kind_matches(turn.world, bearers, kind)}):
                out += _settle_at(turn, mode, place, owner, entry)
    return out


def refusal(turn: OrderContext, nation: str, place: str, picks: Sequence[forces.Pick]) -> str | None:
    """Why units cannot come to live on others in a place, or None: there is no room for so many of them."""
    for mode in turn.ruleset.rows("modes").values():
        if "bears" not in mode or not turn.world.test(mode["bears"].get("where"), {"place": Entity("place", place)}):
            continue
        who = mode["bears"]["who"]
        n = sum(n for key, n in picks if routes.kind_matches(turn.world, who, str(turn.state.get("units", key, "kind"))))
        names = {"self": Entity("nation", nation), "place": Entity("place", place)}
        room = room_at(turn, mode, place, nation) - sum(row["n"] for _, row in borne_at(turn, mode, place, nation))
        room += int(turn.world.number(mode["bears"].get("expects", 0), names))
        if n > room:
            return f"there is room for {max(room, 0)} of them in {routes.name_of(turn.world, 'places', place)}"
    return None


def borne_at(turn: OrderContext, mode: Row, place: str, owner: str) -> list[tuple[str, Fields]]:
    """The stacks of an owner that live on others at a place: those of the kinds that are in no force of another mode."""
    out = []
    for key, row in turn.state.stacks(at=place, owner=owner):
        mine = turn.state.get("forces", str(row.get("force", "")), "mode", mode["id"]) == mode["id"]
        if mine and not row.get("aboard") and routes.kind_matches(turn.world, mode["bears"]["who"], row["kind"]):
            out.append((key, row))
    return out


def room_at(turn: OrderContext, mode: Row, place: str, owner: str) -> int:
    """How many units of an owner there is room for at a place: on his own bearers, and (`shared`) what allies have to spare."""
    hosts = sorted(turn.state.owners_at(place) - {owner}) if mode["bears"].get("shared") else []
    spare: list[int] = [
        _own_room(turn, mode, place, host) - sum(int(row["n"]) for _, row in borne_at(turn, mode, place, host))
        for host in hosts
        if turn.world.allied(host, owner)
    ]
    return _own_room(turn, mode, place, owner) + max(0, sum(spare))


def _own_room(turn: OrderContext, mode: Row, place: str, owner: str) -> int:
    bears = mode["bears"]
    return sum(
        int(row["n"]) * int(turn.world.quantity(bears["room"], Entity("unit", key)))
        for key, row in turn.state.stacks(at=place, owner=owner)
        if routes.kind_matches(turn.world, bears["bearers"], row["kind"])
    )


def _settle_at(turn: Turn, mode: Row, place: str, owner: str, entry: Entry | None) -> list[Row]:
    borne = borne_at(turn, mode, place, owner)
    if not borne or not turn.world.test(mode["bears"].get("where"), {"place": Entity("place", place)}):
        return []
    beyond = sum(row["n"] for _, row in borne) - room_at(turn, mode, place, owner)
    if beyond <= 0:
        return []
    if entry is None:
        where = routes.name_of(turn.world, "places", place)
        text = f"There is no room any more in {where} for all that live there on others."
        with turn.journal.entry(f"modes/{mode['id']}", subject=f"{owner}:{place}", audience=(owner,), text=text) as own:
            out = _part_with(turn, mode, borne, beyond)
            own.data["without_room"] = out
            return out
    return _part_with(turn, mode, borne, beyond)


def _part_with(turn: Turn, mode: Row, borne: list[tuple[str, Fields]], beyond: int) -> list[Row]:
    """So many of the stacks go: those that can fly home first go there, the others are lost."""
    bears = mode["bears"]
    home_by = turn.ruleset.rows("modes").get(bears.get("home", ""))
    out: list[Row] = []

    def aloft(key: str) -> bool:
        return turn.world.test(bears.get("aloft"), {"unit": Entity("unit", key)})

    for key, row in sorted(borne, key=lambda s: (aloft(s[0]), s[0])):
        n = min(beyond, int(row["n"]))
        if n <= 0:
            break
        beyond -= n
        note = {"owner": row["owner"], "kind": row["kind"], "n": n, "stage": "bearers"}
        to = None
        if home_by is not None and aloft(key):
            going = routes.Going(turn.world, row["owner"], home_by, [Entity("unit", key)])
            found = homes_of(turn, going, row["place"])
            to = min(found, key=lambda p: (found[p], p), default=None)
        if to is not None:
            turn.journal.alter_units(key, n, **{**dict.fromkeys(forces.PASSING), "moved": True, "place": to})
            out.append({**note, "to": to, "lost": False})
            continue
        extra = {k: v for k, v in row.items() if k not in UNIT_CORE}
        turn.journal.units(row["owner"], row["kind"], row["place"], -n, **extra)
        turn.journal.fact("destroyed", of=row["owner"], kind=row["kind"], place=row["place"], n=n, cause="bearers")
        out.append({**note, "lost": True})
    return out


__all__ = ["borne_at", "refusal", "room_at", "settle", "settle_all"]
