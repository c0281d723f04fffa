"""Orders to move as they are understood: which are open for a mode, and what one of them means.

The referee, the checker of orders and the policies ask the same `understand`; what depends on all orders
together (who is pinned, who goes in beside whom, who gets the room that is left) is settled in `move`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.model import Row, Ruleset, derived_of
from ..core.rows import MovementRow
from ..core.state import Entity
from ..turn.calendar import stands_on
from ..turn.context import Order, OrderContext, Turn
from ..turn.validated_orders import Refusal, RefusalCode
from ..world import routes
from ..world.world import World
from . import carriers, forces
from .attacking import attack_refusal, remains


@dataclass(slots=True)
class March:
    """One order to move, understood: who goes by which mode, along which way, and whether it ends in a fight.

    `gate` is a passage on the way that is shut as things stand.
    """

    order: Order
    mode: MovementRow
    going: routes.Going
    path: routes.Path
    picks: list[forces.Pick]
    stays: list[forces.Pick]
    hostile: bool
    gate: str | None = None
    claim: carriers.Claim | None = None
    """The room on others that they need in the end."""

    @property
    def nation(self) -> str:
        return str(self.order["nation"])

    @property
    def count(self) -> int:
        return sum(n for _, n in self.picks)

    @property
    def target(self) -> str:
        return self.path[-1]


def orders_of(turn: Turn, modes: Sequence[MovementRow]) -> list[tuple[Order, MovementRow]]:
    """Open orders whose row is done by one of these modes; inside a nation's own turn, only its (or those
    `of` whom).

    What a nation has ordered for the turns of others as well (`stands: own_turn`) is open again in each of
    them.
    """
    going = orders_by_mode(turn.ruleset)
    ids = {key: mode for mode in modes for key in going.get(mode["id"], ())}
    tick = turn.loops.get("tick")
    out = []
    for order in turn.orders_here(ids):
        row = turn.ruleset.row_of(order["order"])
        due = tick is None or "point" not in row.get("slots", {}) or _point(order) == int(tick)
        if due and (order.get("status") is None or _open_again(turn, order)):
            out.append((order, ids[order["order"]]))
    return out


@derived_of("orders")
def orders_by_mode(ruleset: Ruleset) -> dict[str, list[str]]:
    """The orders ("form/id") that are carried out by each way of moving (`does`)."""
    out: dict[str, list[str]] = {}
    for id_, row in ruleset.rows("orders").items():
        if "does" in row:
            out.setdefault(str(row["does"]), []).append(f"orders/{id_}")
    return out


def _open_again(turn: Turn, order: Order) -> bool:
    """Whether an order that has been carried out is so once more, in the turn of another, and is not yet in
    this one.
    """
    if turn.mover in (None, order["nation"]) or not stands_on(turn, order):
        return False
    return all(force.get("order") != order["key"] for force in turn.state.table("forces").values())


def in_anothers_turn(turn: Turn, order: Order, left: Mapping[str, int]) -> Order:
    """An order that stands as it is carried out in the turn of another: by those of its units that are left,
    if any are.

    `left` counts what earlier orders leave of each stack.
    """
    slots, nation = order["slots"], order["nation"]
    if (
        turn.mover in (None, nation)
        or not stands_on(turn, order)
        or not isinstance(slots.get("units"), Mapping)
    ):
        return order
    there: dict[str, int] = {}
    for key, stack in routes.free_stacks(turn.world, nation, slots["origin"]):
        there[stack["kind"]] = there.get(stack["kind"], 0) + left.get(key, stack["n"])
    units = {kind: min(n, there[kind]) for kind, n in slots["units"].items() if there.get(kind)}
    return {**order, "slots": {**slots, "units": units}} if units else order


def _point(order: Order) -> int:
    """On which point of movement an order that may choose it is carried out."""
    return int(order.get("slots", {}).get("point") or 1)


def row_of(turn: OrderContext, order: Order) -> Row:
    """The row of the form `orders` that an order is of."""
    found: Row = turn.ruleset.row_or_empty("orders", order["order"].partition("/")[2])
    return found


# ---- what one of them means


def understand(
    turn: OrderContext,
    order: Order,
    mode: MovementRow,
    left: dict[str, int],
    taken: dict[str, int] | None = None,
    *,
    foreseen: bool = False,
    claims: Sequence[carriers.Claim] = (),
    gone: int | None = None,
) -> March | str:
    """One order as a march, or why it cannot be. The needs of its row are asked before (`turn/slots.unmet`).

    `left` counts what earlier orders leave of each stack, `taken` what earlier orders of the nation take of
    shared capacities, so that it looks for a way that has room beside them, `claims` what they need of the
    room on others. `foreseen`: before the turn is resolved a passage that is shut, or that nothing has been
    seen yet, is no reason against it; the passage stands on the march (`gate`). `gone`: how many units
    earlier orders lead away from where it starts (None: as `left` says).
    """
    world, slots, nation = turn.world, order.get("slots", {}), str(order["nation"])
    origin, target = slots.get("origin"), slots.get("target", slots.get("origin"))
    wanted = forces.wanted(slots.get("units", {}))
    if isinstance(wanted, str) or origin is None:
        return wanted if isinstance(wanted, str) else "it names no place to start from"
    stacks = routes.free_stacks(world, nation, origin, again=bool(mode.get("again")))
    picks = forces.pick_left(stacks, wanted, left)
    if picks is None:
        return routes.too_few(world, nation, origin, wanted)
    hostile = _attacks(world, nation, mode, target)
    stays = [p for p in picks if hostile and remains(world, mode, str(turn.state.get("units", p[0], "kind")))]
    goes = [p for p in picks if p not in stays]
    away = earlier_gone(world, nation, origin, left) if gone is None else gone
    if short := none_left(world, nation, mode, origin, sum(n for _, n in goes), away):
        return short.text
    units = [Entity("unit", k) for k, _ in goes or stays]
    going = routes.Going(world, nation, mode, units, count=sum(n for _, n in goes))
    going.taken = taken or {}
    found = _way(going, origin, target, slots.get("via"), foreseen=foreseen)
    if isinstance(found, str):
        return found
    path, closed, gate = found
    if mode.get("fights") is not False:  # who only passes over is in no fight
        hostile = hostile or crosses_enemies(going, path)
    why = None if foreseen else seen_refusal(turn, order, nation, target, hostile=hostile)
    why = why or closed or attack_refusal(turn, mode, nation, path, picks, hostile=hostile)
    claim = carriers.claim_of(going, path, goes) if why is None else None
    why = carriers.refusal(turn, nation, claim, claims) if claim is not None else why
    if why:
        return why
    forces.take(world.state, picks, left)
    return March(order, mode, going, path, goes, stays, hostile, gate, claim)


def _way(
    going: routes.Going, origin: str, target: str, via: Any, *, foreseen: bool
) -> tuple[routes.Path, str | None, str | None] | str:
    """The way from one place to another by those that an order names (`via`), or why there is none.

    With the way comes why it cannot be gone as things stand, and, if before the turn (`foreseen`) only a shut
    passage is the reason, that passage instead.
    """
    try:
        places = routes.named_places(going.world, via)
    except ValueError as error:
        return str(error)
    path, closed = routes.way(going, origin, target, places)
    if closed is not None and foreseen and going.world.geography.gates:
        wide = routes.Going(
            going.world, going.nation, going.mode, going.units, count=going.count, open_gates=True
        )
        through, other = routes.way(wide, origin, target, places)
        if through is not None and other is None:
            return through, None, routes.shut_on(going, origin, through[1:])
    return str(closed) if path is None else (path, closed, None)


def _attacks(world: World, nation: str, mode: MovementRow, target: str) -> bool:
    """Whether a move to a place is an attack."""
    return bool(mode.get("attacks")) or routes.is_attack(world, nation, target, routes.step_of(world, mode))


def leaving(world: World, nation: str, mode: MovementRow, target: str, units: Mapping[str, int]) -> int:
    """How many of some units leave where they stand for a place: all but those that attack it from there
    (`stays`).
    """
    hostile = _attacks(world, nation, mode, target)
    return sum(int(n) for kind, n in units.items() if not (hostile and remains(world, mode, kind)))


def earlier_gone(world: World, nation: str, place: str, left: Mapping[str, int]) -> int:
    """How many of a nation's units at a place earlier orders have taken, by what they leave of each stack."""
    return sum(n - left.get(key, n) for key, (_, n) in routes.standing(world, nation, place).items())


def none_left(
    world: World, nation: str, mode: MovementRow, place: str, goes: int, gone: int
) -> Refusal | None:
    """Why so many units cannot leave a place where some must stay (`leaves` of their mode), beside those that
    are gone.
    """
    most = routes.may_leave(world, nation, mode, place, gone)
    if most is None or goes <= most:
        return None
    stay = routes.must_stay(world, nation, mode, place)
    kinds = {kind for kind, _ in routes.standing(world, nation, place).values()}
    plain = "unit" if stay == 1 else "units"
    who = routes.units_name(world, next(iter(kinds)), stay) if len(kinds) == 1 else plain
    text = f"{stay} {who} must stay in {routes.name_of(world, 'places', place)}"
    return Refusal(RefusalCode.UNITS, text, "units", f"at most {most}" if most else "nobody may go")


def crosses_enemies(going: routes.Going, path: routes.Path) -> bool:
    """Whether a way leads over a place, neither its first nor its last, that the nation could enter only to
    fight.
    """
    return any(routes.is_attack(going.world, going.nation, p, going.step) for p in path[1:-1])


def only_attacks(turn: OrderContext, march: March) -> Refusal | None:
    """Options that only an order may carry that ends in a fight, where this one does not."""
    carried = [
        turn.ruleset.row_or_empty("order_options", option) for option in march.order.get("options") or ()
    ]
    if march.hostile or all(row.get("only") != "attack" for row in carried):
        return None
    text = (
        "only an attack may depend on this; nobody is attacked in "
        f"{routes.name_of(turn.world, 'places', march.target)}"
    )
    return Refusal(RefusalCode.OPTION, text, "", "leave it out")


def pinned_refusal(march: March) -> str | None:
    """Why units cannot leave their place while it is attacked (the test `pinned` of their mode), or None."""
    going, path = march.going, march.path
    if "pinned" not in march.mode or not march.picks:
        return None
    link = f"{path[0]}>{path[1]}"
    if any(going.test("pinned", path[0], link, path[:1], [unit]) for unit in going.units):
        return f"they cannot leave {routes.name_of(going.world, 'places', path[0])} while it is attacked"
    return None


def seen_refusal(turn: OrderContext, order: Order, nation: str, target: str, *, hostile: bool) -> str | None:
    """Why an attack that depends on what was seen this turn (an option with `gives: limit`) is called off, or
    None.
    """
    limits = turn.options_giving(order.get("options"), "limit")
    if not limits or not hostile:
        return None
    for row, value in limits:
        said: dict[str, Any] = dict(value) if isinstance(value, Mapping) else {"n": value}
        known = turn.state.get("knowledge", nation, f"{row.get('reads', 'units')}:{target}") or {}
        if known.get("since") != turn.number or known.get("as") != "exact":
            if row.get("unseen") == "go":
                continue
            return "called off: nothing certain is known of the place"
        kind = said.get("kind")
        seen = int(known["units"].get(kind, 0) if kind else known["n"])
        if seen > int(said["n"]):
            return (
                f"called off: {seen} "
                f"{routes.name_of(turn.world, 'units', str(kind)) if kind else 'units'} were seen"
            )
    return None


def unlike(turn: OrderContext, order: Order, first: Order | None) -> str | None:
    """Why an order cannot stand beside the first of its kind: the slots that its row wants `alike` differ."""
    for slot in row_of(turn, order).get("alike", ()) if first is not None else ():
        said, wanted = order["slots"].get(slot), first["slots"].get(slot) if first else None
        if said != wanted:
            name = routes.name_of(turn.world, "places", str(wanted))
            return f"all orders of this kind must name the same {slot} now: {name}"
    return None
