"""How a policy gives an order: through the checker, which counts what it uses; what is refused is simply not
given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ..core.compiled import kept
from ..core.dice import Stream
from ..orders import movement
from ..orders.check import Checker
from ..orders.kinds import Understood, understand
from ..orders.names import Names
from ..orders.text import order_text
from ..turn.context import Order
from ..turn.validated_orders import ValidatedOrder
from ..world.world import World

T = TypeVar("T")


class Giver:
    """The orders of one nation as they are given, one by one."""

    def __init__(self, world: World, nation: str, stream: Stream) -> None:
        self.world = world
        self.nation = nation
        self.stream = stream
        self._kept: dict[str, Any] = {}
        self._noted: list[str] = []
        self.begin_anew()

    def begin_anew(self) -> None:
        """Without any order."""
        self.checker = Checker(self.world, self.nation, quiet=True, sure=True)
        self.orders: list[Order] = []
        self.fallen: set[str] = set()
        """Orders, as text, that did not stand with the others: they are not given again."""
        self.forget_notes()

    def forget_notes(self) -> None:
        """Leave the view as it was before later rules were told of orders."""
        while self._noted:
            self.world.state.put("orders", self._noted.pop(), "*", None)

    @kept
    def names(self) -> Names:
        return Names(self.world.ruleset, self.world.state)

    @kept
    def has_units(self) -> bool:
        return bool(movement.places_with_units(self.world, self.nation))

    def give(self, key: str, slots: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> bool:
        """Give an order if the checker lets it stand; whether it did. One that does not stand with its
        conditions goes without them."""
        taken = None
        for under in (options, None) if options else (None,):
            order: Order = {
                "nation": self.nation,
                "order": key,
                "slots": dict(slots),
                "options": dict(under or {}),
            }
            if self.fallen and order_text(self.world.ruleset, self.names, order) in self.fallen:
                continue
            if (taken := self.checker.take(order)) is not None:
                break
        if taken is None:
            return False
        line = len(self.orders) + 1
        self.orders.append({**taken, "text": order_text(self.world.ruleset, self.names, taken), "line": line})
        return True

    def paid(self, what: str) -> Any:
        """How much of a resource its orders cost together so far."""
        return self.checker.book.spent.in_all(what)

    def understood(self, key: str, slots: Mapping[str, Any]) -> ValidatedOrder | None:
        """What an order would come to, and cost; None, if it does not stand."""
        order: Order = {"nation": self.nation, "order": key, "slots": dict(slots), "options": {}}
        answer = understand(self.checker.book, order, self.checker.now)
        return answer.intent if isinstance(answer, Understood) else None

    def note_last(self) -> None:
        """Let later rules of the same policy know the order that was given last (`ordered`)."""
        self._note(self.orders[-1])

    def note_all(self) -> None:
        """Let later rules of the same policy know all orders that were given (`ordered`)."""
        for order in self.orders:
            self._note(order)

    def _note(self, order: Order) -> None:
        key = f"{self.nation}/{order['line']:04d}"
        if key not in self._noted:
            self._noted.append(key)
            self.world.state.put("orders", key, "*", {**order, "nation": self.nation})

    # ---- dice

    def percent(self, chance: int) -> bool:
        """Whether something of this many chances in a hundred comes about. Certain things take no dice."""
        if chance <= 0 or chance >= 100:
            return chance > 0
        return self.stream.roll("1d100") <= chance

    def pick(self, weighted: Sequence[tuple[T, int]], nothing: int = 0) -> T | None:
        """One of several, as likely as its weight; None with the weight of `nothing`."""
        parts = [(item, int(weight)) for item, weight in weighted if weight > 0]
        total = sum(w for _, w in parts) + nothing
        if not parts:
            return None
        if len(parts) == 1 and not nothing:
            return parts[0][0]
        roll = self.stream.roll(f"1d{total}")
        for item, weight in parts:
            roll -= weight
            if roll <= 0:
                return item
        return None

    def noise(self, spread: int) -> int:
        """About a hundred: 100 give or take up to `spread`."""
        return 100 - spread + self.stream.roll(f"1d{2 * spread + 1}") - 1 if spread else 100
