"""Cargo aboard carriers of an ally (`host`) who is one no longer, or has no carriers there any more."""

from __future__ import annotations

from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import UNIT_CORE, Entity
from ..turn.context import Turn
from ..world.messages import say, units
from . import forces
from .cargo_room import room_of


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
        extra = {k: v for k, v in stack.items() if k not in UNIT_CORE}
        turn.journal.units(owner, stack["kind"], zone, -int(stack["n"]), **extra)
        turn.journal.fact(
            "destroyed", of=owner, kind=stack["kind"], place=zone, n=stack["n"], cause="bearers"
        )
