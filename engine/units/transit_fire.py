"""Departures over enemy land: units that are fired at on their way before they leave the map.

A mode with `arrives` and `under_fire` sends units whose way leads over land of enemies out as a force; the
battles of those they pass are fought (`where: passed`), and a step with `which: depart` puts on the way who
is left, with the allowance left.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import UNIT_CORE, Entity
from ..turn.context import Turn
from ..turn.verbs_later import put_under_way
from ..world import routes
from ..world.messages import say, units
from . import forces
from .land_orders import March


def run_the_gauntlet(turn: Turn, march: March) -> None:
    """The units of a march become a force that is on its way, and stand where they were until they depart."""
    nation, origin = march.nation, march.path[0]
    subject = f"{nation}:{origin}>{march.target}"
    with turn.journal.entry(
        march.order["order"], subject=subject, audience=(nation,), data={"path": list(march.path)}
    ):
        force = forces.create(
            turn,
            nation,
            origin,
            march.picks,
            order=march.order["key"],
            mode=march.mode["id"],
            to=march.target,
            path=list(march.path),
            departing=True,
            options=march.order.get("options") or {},
        )
        for key, stack in forces.stacks_of(turn.state, force):
            turn.journal.alter_units(
                key, stack["n"], **routes.kept_of(march.going, Entity("unit", key), (origin,))
            )
        turn.journal.set("orders", march.order["key"], "status", "done")


def depart_under_fire(turn: Turn, modes: Sequence[MovementRow]) -> None:
    """Forces of these modes that have been passed by those they fly over leave the map, with what they have
    left.
    """
    ids = {m["id"]: m for m in modes}
    for force, row in sorted(turn.state.table("forces").items()):
        if row.get("departing") and row.get("mode") in ids:
            _depart(turn, force, dict(row), ids[row["mode"]])


def _depart(turn: Turn, force: str, row: Row, mode: MovementRow) -> None:
    nation, origin, target, name = row["owner"], row["at"], row["to"], mode.get("keeps", "")
    kinds = forces.strength(turn.state, force)
    told = "On the way to {here}: {units}." if kinds else "On the way to {here}: nobody is left."
    says = say(
        turn.world,
        told,
        here=Entity("place", target),
        **({"units": units(turn.world, kinds)} if kinds else {}),
    )
    data = {"units": kinds, "path": list(row["path"])}
    with turn.journal.entry(
        f"movement/{mode['id']}", subject=force, says=says, audience=(nation,), data=data
    ):
        left_out = {*UNIT_CORE, *forces.PASSING, name, mode.get("way_home")}
        for key, stack in forces.stacks_of(turn.state, force):
            kind, n, budget = str(stack["kind"]), int(stack["n"]), stack.get(name)
            extra = {k: v for k, v in stack.items() if k not in left_out}
            turn.journal.put_row("units", key, None)
            put_under_way(
                turn,
                nation,
                kind,
                n,
                target,
                mode["arrives"],
                mode=mode["id"],
                path=list(row["path"]),
                extra=extra or None,
                budget=budget,
                **{"from": origin},
            )
        turn.journal.put_row("forces", force, None)
        if kinds and not turn.state.stacks(at=origin, owner=nation):
            turn.journal.fact("left", by=nation, place=origin)
