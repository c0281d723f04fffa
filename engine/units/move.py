"""`move`: orders to go somewhere are tested, and carried out all together.

A row of the form `orders` names by `does` the mode (form `movement`) that its units go by; its slots `units`,
`origin`,
`target` and `via` say who, from where, where to and by what way. A step names the modes it carries out and
`which` of their
moves: `friendly` ones end where the nation may be without a fight, `hostile` is all the rest, `arrive` brings
in what has been under way since an earlier step. Everything is tested on the state at the start of the step,
so that no order depends on another; places, hostile entries and capacities are then settled for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity, extra_fields
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.expressions.reads import is_read
from ..turn.context import Order, Turn
from ..turn.slots import unfit
from ..turn.verbs_later import put_under_way
from ..world import routes
from ..world.messages import say, units
from ..world.selections import as_set
from . import forces, task_forces
from .arrive import bring_in
from .attacking import ALONE, Attack, begin_war, follows, take_over, unaccompanied
from .carriers import Claim
from .control import take_on_the_way
from .exploitation import go_on
from .land_orders import (
    March,
    crosses_enemies,
    in_anothers_turn,
    only_attacks,
    orders_of,
    pinned_refusal,
    row_of,
    understand,
    unlike,
)
from .rationing import draw_on, ration
from .transit_fire import depart_under_fire, run_the_gauntlet


def run(node: Row, turn: Turn) -> None:
    """Carry out the moves of a step:

    `modes`, `which` (friendly, hostile, arrive or any), and `to` (only those leading there).
    """
    which = node.get("which", "any")
    modes = node_modes(node, turn)
    if which == "arrive":
        bring_in(turn, modes)
        return
    if which == "onward":
        go_on(turn, modes)
        return
    if which == "depart":
        depart_under_fire(turn, modes)
        return
    tasked = [m for m in modes if m.get("tasks")]
    if tasked:
        task_forces.run(node, turn, tasked)
    modes = [m for m in modes if not m.get("tasks")]
    if not modes and "threats" not in node:
        return
    given = orders_of(turn, modes)
    found = understood(turn, given, to=_ends(turn, node) if given else None)
    if which in ("friendly", "any"):
        others = [
            turn.ruleset.row("movement", m)
            for m in node.get("threats", ())
            if m not in {mode["id"] for mode in modes}
        ]
        mark_attacked(turn, [m for _, m in found if isinstance(m, March)], others)
    marches = settled(turn, found)
    if which == "friendly":
        marches = [m for m in marches if not m.hostile]
    carry_out(turn, marches)
    if tasked and any(m.hostile or m.mode.get("mission") for m in marches):
        task_forces.rouse(turn, tasked)


def node_modes(node: Row, turn: Turn) -> list[MovementRow]:
    """The modes a step carries out: those it names, or every one that no other step of the sequence of play
    names.
    """
    rows = turn.ruleset.rows("movement")
    named = node.get("movement")
    return [rows[m] for m in (rows if named is None else named)]


def _ends(turn: Turn, node: Row) -> frozenset[str] | None:
    """The places to which the moves of a step lead (`to`): orders that name another are left as they are.

    None: any.
    """
    if "to" not in node:
        return None
    return frozenset(
        place.id for place in as_set(turn.world, turn.world.value(strip_mark(str(node["to"])), turn.names()))
    )


# ---- understanding orders


def read(turn: Turn, modes: Sequence[MovementRow]) -> list[March]:
    """The marches of the open orders, each tested; those that cannot be are dropped with a reason."""
    return settled(turn, understood(turn, orders_of(turn, modes)))


def understood(
    turn: Turn, given: Sequence[tuple[Order, MovementRow]], *, to: frozenset[str] | None = None
) -> list[tuple[Order, March | str]]:
    """Of open orders, each given with its mode, those that lead to some places (None: all): each with its
    march or with why it cannot be; nothing is changed.
    """
    out: list[tuple[Order, March | str]] = []
    left: dict[str, int] = {}
    first: dict[tuple[str, str], Order] = {}
    taken: dict[tuple[str, str], dict[str, int]] = {}
    gone: dict[tuple[str, str], Counter[str]] = {}
    claims: dict[str, list[Claim]] = {}
    for filed, mode in given:
        if to is not None and filed["slots"].get("target") not in to:
            continue
        order = in_anothers_turn(turn, filed, left)
        drawn = taken.setdefault((order["nation"], mode["id"]), {})
        found: March | str | None = unlike(turn, order, first.get((order["nation"], order["order"])))
        earlier = gone.setdefault((order["nation"], str(order["slots"].get("origin"))), Counter())
        why = unfit(turn, row_of(turn, order), order, {**turn.order_names(order), "earlier": earlier})
        found = found or (
            why.text
            if why
            else understand(turn, order, mode, left, drawn, claims=claims.get(order["nation"], ()))
        )
        if isinstance(found, March) and (why := only_attacks(turn, found)) is not None:
            found = why.text
        if isinstance(found, March):
            first.setdefault((order["nation"], order["order"]), order)
            claims.setdefault(order["nation"], []).extend([found.claim] if found.claim else [])
            earlier.update({k: int(n) for k, n in (order["slots"].get("units") or {}).items()})
            for place in routes.drawn_places(mode, found.path) if "capacity" in mode else ():
                drawn[place] = drawn.get(place, 0) + found.count
        out.append((order, found))
    return out


def settled(turn: Turn, found: Sequence[tuple[Order, March | str]]) -> list[March]:
    """The marches that are carried out, now that it is known what is attacked; the other orders are dropped
    with a reason.
    """
    out: list[March] = []
    for order, march in found:
        why = march if isinstance(march, str) else pinned_refusal(march)
        if why is None and isinstance(march, March):
            out.append(march)
        else:
            turn.drop_order(order, str(why))
    going = _accompanied(out)
    for march in out:
        if march not in going:
            turn.drop_order(march.order, ALONE)
    return going


def _accompanied(marches: Sequence[March]) -> list[March]:
    """All marches but those of units that fire from where they stand, beside whom nobody of their nation goes
    in.
    """
    hostile = [
        Attack(i, m.nation, m.target, bool(m.picks), m.mode, _follows(m))
        for i, m in enumerate(marches)
        if m.hostile
    ]
    alone = unaccompanied(hostile)
    return [m for i, m in enumerate(marches) if i not in alone]


def _follows(march: March) -> bool:
    """Whether the units of a march go into a fight only beside others."""
    world = march.going.world
    return follows(world, march.mode, (str(world.state.get("units", key, "kind")) for key, _ in march.picks))


def mark_attacked(turn: Turn, marches: Sequence[March], others: Sequence[MovementRow]) -> None:
    """Write down, for this turn, which places are attacked, and from where (`place.attacked`).

    They are the targets of these marches, and of those by further modes (`others`) that a later step carries
    out.
    """
    if not is_read(turn.ruleset, "attacked"):
        return
    threats: dict[str, set[str]] = {}
    threatening = [m for m in others if _threatens(m)]
    later = understood(turn, orders_of(turn, [m for m in threatening if not m.get("tasks")]))
    for march in (*_accompanied(marches), *_accompanied([m for _, m in later if isinstance(m, March)])):
        if march.hostile and _threatens(march.mode):
            threats.setdefault(march.target, set()).add(march.path[-2])
    for place, start in task_forces.threats(turn, [m for m in threatening if m.get("tasks")]):
        threats.setdefault(place, set()).add(start)
    with turn.journal.entry("sequence/" + turn.journal.step, keep=False):
        for place in sorted(threats):
            turn.journal.set("places", place, "attacked", sorted(threats[place]))


def _threatens(mode: MovementRow) -> bool:
    return bool(mode.get("threatens", True) and mode.get("fights", True))


# ---- carrying out


def carry_out(turn: Turn, marches: Sequence[March]) -> None:
    """All marches of a step: capacities first, then departures, then arrivals and what they begin."""
    marches = ration(turn, marches)
    entered: list[tuple[str, str, str | None]] = []
    for march in marches:
        if (
            march.mode.get("arrives")
            and march.mode.get("under_fire")
            and crosses_enemies(march.going, march.path)
        ):
            run_the_gauntlet(turn, march)
        elif march.mode.get("arrives"):
            depart(turn, march)
        else:
            entered.append((march.nation, march.target, turn.world.holder_of(march.target)))
            step_in(turn, march)
    for march in marches:
        if _falls_upon(turn, march):
            begin_war(turn, march.mode, march.nation, march.target)
    if entered:
        take_on_the_way(turn)


def step_in(turn: Turn, march: March) -> None:
    """The units of a march stand where it leads: as a force if they attack, else as units that have moved."""
    nation, target, origin = march.nation, march.target, march.path[0]
    kinds = forces.kinds_of(turn.state, [*march.picks, *march.stays])
    what = "Attack on" if march.hostile else "Move to"
    holder = turn.world.holder_of(target)
    own = holder is not None and turn.world.allied(nation, holder)
    helps = march.mode.get("attacks") and own  # those who stand there, also if enemies have come already
    if march.hostile and (helps or not routes.is_attack(turn.world, nation, target, turn.journal.step)):
        what = f"{str(march.mode.get('name', march.mode['id'])).capitalize()} for"
    ends = {"target": Entity("place", target), "origin": Entity("place", origin)}
    says = say(
        turn.world,
        "{what} {target} from {origin}: {units}.",
        what=what,
        **ends,
        units=units(turn.world, kinds),
    )
    data = {"units": kinds, "path": list(march.path), "hostile": march.hostile}
    said = forces.told(turn, march.mode, nation, says)
    with turn.journal.entry(march.order["order"], subject=f"{nation}:{origin}>{target}", data=data, **said):
        mission = row_of(turn, march.order).get("mission") or march.mode.get("mission")
        if march.hostile or mission:
            shared = {
                "order": march.order["key"],
                "mode": march.mode["id"],
                "options": march.order.get("options") or {},
                "targets": [target, *task_forces.targets_of(turn, march.order)],
                "mission": mission,
                "stance": task_forces.stance_of(turn, nation, target, mission) if mission else None,
                "covers": _covered(march.order),
            }
            if march.picks:
                force = forces.create(turn, nation, origin, march.picks, to=target, **shared)
                kept = {key: _kept(march, key) for key, _ in forces.stacks_of(turn.state, force)}
                forces.go(turn, force, march.path, kept.__getitem__)
            if march.stays:
                force = forces.create(turn, nation, origin, march.stays, to=target, stays=True, **shared)
                for key, stack in forces.stacks_of(turn.state, force):
                    turn.journal.alter_units(key, stack["n"], via=f"{march.path[-2]}>{target}")
        else:
            kept = {key: _kept(march, key) for key, _ in march.picks}
            for key, n in march.picks:
                turn.journal.alter_units(
                    key, n, **{**_freed(turn, key), "place": target, "moved": True, **kept[key]}
                )
            take_over(turn, nation, target)
        draw_on(turn, march, march.count)
        turn.journal.set("orders", march.order["key"], "status", "done")
        if march.picks:
            turn.journal.fact(
                "entered", by=nation, of=holder, place=target, n=march.count, **{"from": origin}
            )
            if not turn.state.stacks(at=origin, owner=nation):
                turn.journal.fact("left", by=nation, place=origin)


def _falls_upon(turn: Turn, march: March) -> bool:
    """Whether a move is an attack on the place it goes to; one may be in for a fight on its way only."""
    if not march.hostile or march.mode.get("arrives"):
        return False
    return bool(march.mode.get("attacks")) or routes.is_attack(
        turn.world, march.nation, march.target, turn.journal.step
    )


def _freed(turn: Turn, key: str) -> dict[str, Any]:
    """What units lay down that leave a force to go on by themselves."""
    return dict.fromkeys(forces.PASSING) if turn.state.get("units", key, "force") else {}


def _covered(order: Order) -> list[Any] | None:
    """The task force that an order goes to cover: its owner and number."""
    slots = order.get("slots", {})
    return (
        [slots.get("whose") or order["nation"], int(slots["covers"])]
        if slots.get("covers") is not None
        else None
    )


def _kept(march: March, key: str) -> dict[str, Any]:
    """What a stack of a march has left of its own allowance at the end of the way, such as fuel."""
    return routes.kept_of(march.going, Entity("unit", key), march.path)


def depart(turn: Turn, march: March) -> None:
    """Units that arrive in a later step leave the map; what they need to arrive goes with them."""
    nation, origin, target = march.nation, march.path[0], march.target
    kinds = forces.kinds_of(turn.state, march.picks)
    ends = {"target": Entity("place", target), "origin": Entity("place", origin)}
    says = say(
        turn.world, "On the way to {target} from {origin}: {units}.", **ends, units=units(turn.world, kinds)
    )
    data = {"units": kinds, "path": list(march.path)}
    with turn.journal.entry(
        march.order["order"], subject=f"{nation}:{origin}>{target}", says=says, audience=(nation,), data=data
    ):
        for key, n in march.picks:
            stack = turn.state.row("units", key)
            extra, kind = extra_fields(stack), str(stack["kind"])
            alone = routes.Going(turn.world, nation, march.mode, [Entity("unit", key)])
            budget = alone.allowance(origin)
            turn.journal.take_units(key, n)
            put_under_way(
                turn, nation, kind, n, target, march.mode["arrives"],
                mode=march.mode["id"], path=list(march.path), extra=extra or None, budget=budget,
                **{"from": origin},
            )  # fmt: skip
        draw_on(turn, march, march.count)
        turn.journal.set("orders", march.order["key"], "status", "done")
        if not turn.state.stacks(at=origin, owner=nation):
            turn.journal.fact("left", by=nation, place=origin)


__all__ = ["carry_out", "read", "run", "understand"]
