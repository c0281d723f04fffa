"""Going on: units that took part in taking a place make a second move out of it, which their order named beforehand.

The mode says by `onward` which units may; the order by an option (`gives: onward`) where to. It is a move like any other from
the place just taken: into friendly land at once, anywhere else an attack that a later step fights. Nobody goes on twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Desk, Turn
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


def destination(turn: Turn, row: Row) -> str | None:
    """Where the order of a force says that it goes on to."""
    return next((str(value) for _, value in turn.options_giving(row.get("options"), "onward")), None)


def those_who_may(turn: Turn, force: str, mode: Row) -> list[forces.Pick]:
    """The units of a force for which the mode's test holds."""
    owner, place = str(turn.state.get("forces", force, "owner")), str(turn.state.get("forces", force, "at"))
    picks = [(key, int(stack["n"])) for key, stack in forces.stacks_of(turn.state, force)]
    return _able(turn, owner, mode, picks, place)


def _able(turn: Desk, nation: str, mode: Row, picks: Sequence[forces.Pick], place: str) -> list[forces.Pick]:
    me = Entity("nation", nation)
    names: dict[str, Any] = {"self": me, "nation": me, "place": Entity("place", place)}
    return [pick for pick in picks if turn.world.test(mode["onward"], {**names, "unit": Entity("unit", pick[0])})]


def hopeless(turn: Desk, nation: str, mode: Row, picks: Sequence[forces.Pick], place: str, target: str) -> str | None:
    """Why units that are to take a place cannot go on from there, however that turns out, or None."""
    if "onward" not in mode or not _able(turn, nation, mode, picks, place):
        return "none of them can go on from a place that they take"
    if target not in turn.world.geography.next_to(place, routes.Going(turn.world, nation, mode, ()).links):
        here, there = (routes.name_of(turn.world, "places", p) for p in (place, target))
        return f"no way from {here} to {there}"
    return None


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
