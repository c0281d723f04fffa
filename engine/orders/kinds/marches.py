"""Marches: units that go from place to place by a mode, on land or in the air, into attacks, too, or fire
where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...core.model import Row, Ruleset
from ...core.rows import MovementRow
from ...core.state import Entity
from ...turn.context import Order, Turn
from ...turn.validated_orders import Refusal, RefusalCode
from ...units import exploitation, forces, land_orders
from ...units.attacking import Attack, follows
from ...world import routes
from ...world.messages import fill
from ...world.world import World
from .. import movement
from ..match import is_every
from ..movement import ORIGIN, TARGET, UNITS
from .book import Move, OrderBook, OrderRefused
from .moves import Moves, closed_gate, group, win
from .unit_orders import Ordered


class Marches(Moves):
    """Who goes, from where, where to, and which way."""

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Orders with units that go by a mode."""
        return form == "orders" and movement.mode_of(ruleset, row) is not None

    # ---- the check

    def go(self, book: OrderBook, order: Order, understood: Ordered) -> None:
        """The way, into a fight, too, if they may attack there."""
        slots = order["slots"]
        if slots.get(UNITS) and slots.get(ORIGIN) is not None:
            if slots.get(TARGET) is not None:
                self._march(book, order, understood)
            book.check(exploitation.unable(book.context, book.nation, self.mode, order, understood.picked))
        understood.warn(unannounced(book.world, book.nation, self.shore, slots.get(TARGET)))

    def _march(self, book: OrderBook, order: Order, understood: Ordered) -> None:
        slots, mode = order["slots"], self.mode
        target = str(slots[TARGET])
        taken = {place: n for (by, place), n in book.loads.items() if by == mode["id"]}
        origin = str(slots[ORIGIN])
        gone = self._gone(book, origin)
        goes = land_orders.leaving(book.world, book.nation, mode, target, slots[UNITS])
        book.check(land_orders.none_left(book.world, book.nation, mode, origin, goes, gone))
        march = land_orders.understand(
            book.context, order, mode, dict(book.left), taken, foreseen=True, claims=book.claims, gone=gone
        )
        if isinstance(march, str):
            raise OrderRefused(Refusal(RefusalCode.WAY, march, TARGET))
        book.check(land_orders.only_attacks(book.context, march))
        if march.hostile:
            beside = follows(book.world, mode, slots[UNITS])
            attack = Attack(order.get("place"), book.nation, target, bool(march.picks), mode, beside)
            understood.uses.append(lambda: book.attacks.append(attack))
        if (claim := march.claim) is not None:
            understood.uses.append(lambda: book.claims.append(claim))
        if mode.get("capacity"):
            drawn = self._load(book, march.path, march.count)
            understood.uses.append(lambda: self._use(book, drawn))
        understood.move = march.path or None
        understood.intent = replace(
            understood.intent,
            path=march.path,
            remarks=() if march.gate is None else (closed_gate(book, march.gate),),
            attacks=(target,) if march.hostile else (),
        )

    def _load(self, book: OrderBook, path: routes.Path, count: int) -> dict[str, int]:
        """What units take of the capacity of the places on their way, beside those of earlier lines. Raises
        OrderRefused."""
        drawn: dict[str, int] = {}  # a way that comes by a place twice takes its room twice
        for place in routes.drawn_places(self.mode, path):
            drawn[place] = drawn.get(place, 0) + count
        for place, needed in drawn.items():
            most = routes.capacity(book.world, self.mode, place)
            used = routes.used(book.world, self.mode, place) + book.loads.get((self.mode["id"], place), 0)
            left = None if most is None else most - used
            if left is not None and left < needed:
                fit = max(left * count // needed, 0)
                hint = f"at most {fit}" if fit else "earlier orders take all of it"
                means = self.mode["capacity"].get("means", self.mode.get("name", "the way"))
                where = book.names.printed("place", place)
                more = f"{fit or 'no'} more unit{'' if fit == 1 else 's'}"
                text = f"no room for {count} in {where}: {means} there can carry {more}"
                raise OrderRefused(Refusal(RefusalCode.WAY, text, UNITS, hint))
        return drawn

    def _use(self, book: OrderBook, drawn: Mapping[str, int]) -> None:
        for place, needed in drawn.items():
            at = (self.mode["id"], place)
            book.loads[at] = book.loads.get(at, 0) + needed

    def advise(self, book: OrderBook, order: Order, why: Refusal) -> str:
        """The nearest places that they can all go to; none where they would begin a war, unless that was
        meant.
        """
        slots = order.get("slots", {})
        origin, target, units = slots.get(ORIGIN), slots.get(TARGET), slots.get(UNITS) or {}
        if why.code != RefusalCode.WAY or why.slot != TARGET or None in (origin, target) or is_every(units):
            return ""
        ends = [
            set(movement.targets(book.world, book.nation, self.mode, str(origin), kind)) for kind in units
        ]
        both = set.intersection(*ends) - {str(target)} if ends else set()
        if not begins_a_war(book.world, book.nation, str(target)):
            both = {place for place in both if not begins_a_war(book.world, book.nation, place)}
        near = movement.nearest_of(book.world, both, str(target))
        return f"they can go to {book.printed('place', near)}" if near else ""

    # ---- the look ahead

    def make(self, turn: Turn, nation: str, order: Order, move: Move) -> None:
        """Units at the end of their way, with what they have left of their allowance."""
        assert isinstance(move, tuple)
        mode, path = self.mode, move
        units = {k: int(n) for k, n in order["slots"][UNITS].items() if int(n) > 0}
        picks = forces.pick(routes.free_stacks(turn.world, nation, path[0], again=self.moves_on), units)
        if not picks or len(path) < 2:
            return
        going, home = group(turn, nation, mode, picks), mode.get("way_home")
        kept = {key: routes.kept_of(going, Entity("unit", key), path) for key, _ in picks}
        for place in path[-1:] if mode.get("passes_over") else path[1:]:
            win(turn, nation, place, mode)
        for key, n in picks:
            left = {name: value for name, value in kept[key].items() if name != home}
            fields = {**dict.fromkeys(forces.PASSING), "moved": True, "place": path[-1], **left}
            turn.journal.alter_units(key, n, **fields)


def begins_a_war(world: World, nation: str, place: str) -> bool:
    """Whether going to a place is an attack on somebody with whom there is no war."""
    holder = world.holder_of(place)
    at_war = holder is None or world.hostile(nation, holder)
    return not at_war and routes.is_attack(world, nation, place)


def unannounced(world: World, nation: str, mode: MovementRow, target: Any) -> str | None:
    """The warning that going to a place by a mode calls for, if it would begin a war that nobody has
    declared; or None.

    Such an attack may be allowed (`undeclared` of a mode says what it brings about, and in `warns` what is
    told). Where the same file declares the war, the nations are at war by the time of the attack.
    """
    tail: Any = mode.get("undeclared")
    if isinstance(tail, str):
        tail = world.ruleset.row("movement", tail).get("undeclared")
    holder = world.holder_of(str(target)) if target else None
    if not tail or "warns" not in tail or holder is None or holder == nation or world.hostile(nation, holder):
        return None
    me = Entity("nation", nation)
    names = {"self": me, "nation": me, "target": Entity("nation", holder)}
    if not routes.is_attack(world, nation, str(target)) or not world.test(tail.get("when"), names):
        return None
    return fill(world, tail["warns"], names)
