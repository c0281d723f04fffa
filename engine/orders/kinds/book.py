"""What the orders of one nation's file use up, as they are understood one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...core.model import Row
from ...core.state import Entity
from ...economy.catalogue import Market, Quote
from ...turn import acts
from ...turn.context import Order, OrderContext
from ...turn.validated_orders import Note, Refusal, RefusalCode, Remark, ValidatedOrder
from ...units import deploy, fleet
from ...units.attacking import Attack
from ...units.carriers import Claim
from ...units.fleet import Voyage
from ...world import routes
from ...world import treasury as stores
from ...world.messages import fill
from ...world.passages import kind_matches
from ...world.world import World
from ..input_points import late_money
from ..lookahead import Lookahead, may_be_given
from ..match import ALL, is_every
from ..names import EVERY, Names

Move = routes.Path | Voyage
"""How units of an order go: the places of their way, or a voyage."""


class OrderRefused(Exception):
    """An order is not allowed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.text)
        self.refusal = refusal


@dataclass(slots=True)
class Understood:
    """An order that stands: what it comes to, and what counts its use once it is accepted. `quote` is that of
    a purchase, `move` how units go."""

    intent: ValidatedOrder
    uses: list[Callable[[], object]] = field(default_factory=list)
    quote: Quote | None = None
    move: Move | None = None


class OrderBook:
    """What the orders that stand so far leave of units, means, capacities and limits.

    With a `prospect` each order is asked at the position in which it is carried out, where earlier ones are
    carried out already; without one (policies, whose orders are legal as things stand) all are asked of
    `world`. `sure`: no order counts on means that may come in before it is paid.
    """

    def __init__(
        self,
        world: World,
        nation: str,
        filed: Sequence[Order] = (),
        prospect: Lookahead | None = None,
        *,
        sure: bool = False,
    ) -> None:
        self.prospect = prospect
        self.sure = sure
        self._before = world
        self.world = world if prospect is None else prospect.turn.world
        self.ruleset = world.ruleset
        self.nation = nation
        self.context: OrderContext = OrderContext(world) if prospect is None else prospect.turn
        self.filed = filed
        self.spent = acts.Spent() if prospect is None else prospect.spent
        self.before_income = late_money(world.ruleset)
        self.loads: dict[tuple[str, str], int] = {}  # units by mode and place, where capacity is short
        self.left: dict[str, int] = {}  # what committing orders leave of each stack
        self.fleet = fleet.Fleet.of(world.ruleset, filed)
        self.first: dict[str, Order] = {}  # the first order of each row, where all must be alike
        self.layouts: dict[str, deploy.UnitLayout] = {}  # where units are deployed, by order row
        self.taken: list[tuple[str, str, str, int]] = []  # row, place, kind, number
        self.attacks: list[Attack] = []
        self.claims: list[Claim] = []  # the room on others that units need in the end
        self.given: set[str] = set()  # the acts that stand so far
        self.placed: dict[str, int] = {}  # what has been put on the map out of the hand, by item
        self._market: Market | None = None

    @cached_property
    def names(self) -> Names:
        """The names of the position before any order: few ask for them."""
        return Names(self.ruleset, self._before.state)

    @property
    def market(self) -> Market:
        """The nation's price list, with what earlier lines have bought."""
        market = self.prospect.market if self.prospect is not None else self._market
        if market is None:
            market = self._market = Market(self.world, self.nation)
        market.orders = self.filed
        return market

    def short(self, order: Order, why: Refusal) -> list[Remark]:
        """Means that do not suffice: no refusal where more may come in before they are needed."""
        late = order["order"] in self.before_income
        if not self.sure and (
            late or (self.prospect is not None and may_be_given(self.context, self.nation, order))
        ):
            return [Remark(Note.MEANS, f"{why.text}; more may come in before it is paid", why.slot)]
        raise OrderRefused(why)

    def cost(self, row: Row, order: Order, names: Mapping[str, Any]) -> tuple[dict[str, Any], list[Remark]]:
        """What an order costs, and what is to be remarked of it. Raises Refused."""
        why = acts.unpaid(self.context, row, names, self.nation, self.spent)
        remarks = self.short(order, why) if why is not None else []
        return {
            what: amount for what, amount in acts.price(self.context, row, names).items() if amount
        }, remarks

    def spend(self, prices: Mapping[str, Any], at: Sequence[str] = ()) -> None:
        """Count payments of the nation as a whole, out of the treasuries from which it makes them, those of
        the places `at` among them."""
        for what, amount in prices.items() if self.prospect is None else ():
            rest = amount
            held = list(stores.paying(self.world, self.nation, what, at))
            for purse in held:
                # what the last one lacks may still come in
                part = rest if purse == held[-1] else min(rest, max(0, self.market.left(purse, what)))
                self.market.spend(purse, what, part)
                self.spent.pay(purse, what, part)
                rest -= part

    def every(self, wanted: Mapping[str, Any], there: Mapping[str, int]) -> dict[str, int] | None:
        """Of the units that are there those that a list without kinds means (`all`, or all with a tag); None:
        it names kinds."""
        if not is_every(wanted):
            return None
        tag = next(iter(wanted)).removeprefix(EVERY) or None
        return {kind: n for kind, n in there.items() if n > 0 and kind_matches(self.world, tag, kind)}

    def numbers(self, wanted: Mapping[str, Any], there: Mapping[str, int]) -> dict[str, int]:
        """A list of units with numbers in the place of `all`: as many as are there."""
        every = self.every(wanted, there)
        return (
            {k: there.get(k, 0) if n == ALL else int(n) for k, n in wanted.items()}
            if every is None
            else every
        )

    def check(self, why: Refusal | None) -> None:
        """Raise what is refused."""
        if why is not None:
            raise OrderRefused(why)

    def check_text(self, code: RefusalCode, why: str | None, slot: str = "") -> None:
        """Raise a reason in words as a refusal of this code."""
        if why is not None:
            raise OrderRefused(Refusal(code, why, slot))

    def warned(self, row: Row, names: Mapping[str, Any]) -> tuple[Remark, ...]:
        """What a row warns of as things stand (`warns`), though it may be done."""
        warnings = [w["says"] for w in row.get("warns", ()) if self.world.test(w["when"], names)]
        return tuple(Remark(Note.WARNED, fill(self.world, text, names)) for text in warnings)

    def printed(self, kind: str, ids: Iterable[str]) -> str:
        """Names of things of a kind, in a row."""
        return ", ".join(self.names.printed(kind, id_) for id_ in ids)

    @property
    def who(self) -> Entity:
        """The nation."""
        return Entity("nation", self.nation)
