"""Going on: units that took part in taking a place make a second move out of it, which their order named beforehand.

The mode says by `onward` which units may; the order by an option (`gives: onward`) where to. It is a move like any other from
the place just taken: into friendly land at once, anywhere else an attack that a later step fights. Nobody goes on twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Order, OrderContext, Turn
from ..turn.intents import Code, Refusal
from ..world import routes
from . import forces
from .attacking import attack_refusal, begin_war


def go_on(turn: Turn, modes: Sequence[Row]) -> None:
    """Every force of these modes that took its place and was to go on does so; all judged before anyone moves."""
    ids = {m["id"]: m for m in modes if "onward" in m}
    plans = []
    for force, row in sorted(turn.state.table("forces").items()):
        mode = ids.get(row.get("mode", ""))
        target = destination(turn, row) if mode else None
        if mode is None or target is None or row.get("stays") or row.get("onward"):
            continue
        plans.append((force, dict(row), mode, target, refusal(turn, force, row, mode, target)))
    for force, row, mode, target, why in plans:
        if why:
            where = routes.name_of(turn.world, "places", target)
            text = f"Nobody goes on to {where}: {why}."
            with turn.journal.entry(f"modes/{mode['id']}", subject=force, audience=(row["owner"],), text=text):
                turn.journal.set("forces", force, "onward", "refused")
            continue
        _carry_out(turn, force, row, mode, target)


def destination(turn: OrderContext, row: Row) -> str | None:
    """Where the order of a force says that it goes on to."""
    return next((str(value) for _, value in turn.options_giving(row.get("options"), "onward")), None)


def those_who_may(turn: Turn, force: str, mode: Row) -> list[forces.Pick]:
    """The units of a force for which the mode's test holds."""
    owner = str(turn.state.get("forces", force, "owner"))
    return [(key, stack["n"]) for key, stack in forces.stacks_of(turn.state, force) if _may(turn, owner, mode, key)]


def _may(context: OrderContext, nation: str, mode: Row, key: str) -> bool:
    unit, who = Entity("unit", key), Entity("nation", nation)
    names: dict[str, Any] = {"self": who, "nation": who, "unit": unit, "place": context.world.field(unit, "place")}
    return context.world.test(mode["onward"], names)


def unable(context: OrderContext, nation: str, mode: Row, order: Order, keys: Iterable[str]) -> Refusal | None:
    """Why an order to go on is refused before anybody moves: the mode has nobody go on, or none of these stacks may."""
    target = destination(context, order)
    if target is None or ("onward" in mode and any(_may(context, nation, mode, key) for key in keys)):
        return None
    where = routes.name_of(context.world, "places", target)
    return Refusal(Code.OPTION, f"none of these units can go on to {where}", "", "leave that out, or send units that may")


def refusal(turn: Turn, force: str, row: Row, mode: Row, target: str) -> str | None:
    """Why a force cannot go on, or None."""
    nation, place = row["owner"], row["at"]
    if place != row.get("to") or routes.entry(turn.world, nation, place) != "free" or not row.get("moved"):
        return f"{routes.name_of(turn.world, 'places', place)} was not taken"
    picks = those_who_may(turn, force, mode)
    if not picks:
        return "none of them can"
    going = routes.Going(turn.world, nation, mode, [Entity("unit", k) for k, _ in picks])
    why = routes.check_path(going, (place, target), within=1)
    hostile = routes.is_attack(turn.world, nation, target, turn.journal.step)
    return why or attack_refusal(turn, mode, nation, (place, target), picks, hostile=hostile)


def _carry_out(turn: Turn, force: str, row: Row, mode: Row, target: str) -> None:
    nation, place = row["owner"], row["at"]
    picks = those_who_may(turn, force, mode)
    kinds: dict[str, int] = {}
    for key, n in picks:
        kind = str(turn.state.get("units", key, "kind"))
        kinds[kind] = kinds.get(kind, 0) + n
    hostile = routes.is_attack(turn.world, nation, target, turn.journal.step)
    where, whence = routes.name_of(turn.world, "places", target), routes.name_of(turn.world, "places", place)
    text = f"{'Attack on' if hostile else 'Move to'} {where} onward from {whence}: {routes.list_units(turn.world, kinds)}."
    data = {"units": kinds, "path": [place, target], "hostile": hostile}
    with turn.journal.entry(f"modes/{mode['id']}", subject=f"{force}>{target}", audience=(nation,), text=text, data=data):
        holder = turn.world.holder_of(target)
        if hostile:
            fields = {"path": [place], "targets": [target], "to": target, "onward": True, "from": place, "moved": None}
            second = forces.split(turn, force, picks, **fields)
            forces.go(turn, second, (place, target))
        else:
            for key, n in picks:
                turn.journal.alter_units(key, n, **{**dict.fromkeys(forces.PASSING), "place": target, "moved": True})
        turn.journal.set("forces", force, "onward", True)
        turn.journal.fact("entered", by=nation, of=holder, place=target, n=sum(kinds.values()), **{"from": place})
    if hostile:
        begin_war(turn, mode, nation, target)
