"""Deployments: free units put in a place before play begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ...core.model import Row
from ...turn.context import Order, OrderContext
from ...turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from ...units import deploy
from ...world.world import World
from ..legal_entry import ANY, Legal, LegalSearch
from ..movement import TARGET, UNITS, nearest_of
from ..names import EVERY, Names
from ..sheet_line import Offered
from ..sheet_writer import SheetWriter
from .book import OrderBook, OrderRefused, Understood
from .order_kind import OrderKind


class Deployments(OrderKind):
    """Who may be put where, with what earlier lines have left of them."""

    mechanics = ("deploy",)

    @cached_property
    def step(self) -> Row:
        """The step of the sequence of play that lays the units out."""
        step = deploy.deploys(self.ruleset, self.key)
        assert step is not None
        return step

    def understand(self, book: OrderBook, order: Order) -> Understood:
        """Units that may be put there. Raises OrderRefused."""
        layout = book.layouts.setdefault(self.key, deploy.UnitLayout(book.context, book.nation, self.step))
        units = book.numbers(order["slots"][UNITS], layout.left())
        if not units or min(units.values()) < 1:
            raise OrderRefused(Refusal(RefusalCode.NUMBER, "no units are left to be placed", UNITS))
        order = {**order, "slots": {**order["slots"], UNITS: units}}
        book.check(layout.refusal(order, secrets=False))
        intent = ValidatedOrder(order, units=units, site=str(order["slots"][TARGET]))
        return Understood(intent, [lambda: layout.take(order)])

    def advise(self, book: OrderBook, order: Order, why: Refusal) -> str:
        """The places where all of them may be put."""
        if why.code != RefusalCode.UNMET:
            return ""
        kinds = [kind for kind in order["slots"][UNITS] if not kind.startswith(EVERY)]
        near = nearest_of(
            book.world, self._open_to_all(book.world, book.nation, kinds), str(order["slots"][TARGET])
        )
        return f"allowed: {book.printed('place', near)}" if near else ""

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> Iterator[Legal]:
        """The free units as they stand if nothing is said, place by place, with where they could be put."""
        there: dict[str, dict[str, int]] = {}
        for kind, places in deploy.pool(world, nation, self.step).items():
            for place, n in places.items():
                there.setdefault(place, {})[kind] = n
        for place, units in sorted(there.items()):
            others = sorted(self._open_to_all(world, nation, units) - {place})
            slots = {UNITS: units, TARGET: place}
            yield Legal(self.key, nation, slots, most=sum(units.values()), targets=tuple(others))

    def _open_to_all(self, world: World, nation: str, kinds: Iterable[str]) -> set[str]:
        """The places that are open to each of some kinds."""
        open_to_each = [set(deploy.targets(world, nation, self.row, kind)) for kind in kinds]
        return set.intersection(*open_to_each) if open_to_each else set()

    def _layout(self, world: World, nation: str, intents: Sequence[ValidatedOrder]) -> deploy.UnitLayout:
        """The layout with these orders."""
        layout = deploy.UnitLayout(OrderContext(world), nation, self.step)
        for intent in intents:
            layout.take(dict(intent.order))
        return layout

    def unplaced(
        self, world: World, nation: str, intents: Sequence[ValidatedOrder]
    ) -> Mapping[str, Mapping[str, int]]:
        """What is still the nation's to place: as much as is left, where the free part of each kind
        stands."""
        layout = self._layout(world, nation, intents)
        moves, left = layout.moves(), layout.left()
        out: dict[str, dict[str, int]] = {}
        for kind, there in layout.there.items():
            leave = moves[kind][0] if kind in moves else {}
            named = layout.named.get(kind, {})
            for place, n in there.items():
                free = min(n - leave.get(place, 0) - min(n, named.get(place, 0)), left[kind])
                if free > 0:
                    left[kind] -= free
                    out.setdefault(place, {})[kind] = free
        return dict(sorted(out.items()))

    def look_again(
        self, world: World, nation: str, names: Names, intents: Sequence[ValidatedOrder]
    ) -> Iterator[str]:
        """What is left to be placed, and from where those come who go elsewhere."""
        if not intents:
            return
        layout = self._layout(world, nation, intents)
        left = {kind: n for kind, n in layout.left().items() if n > 0}
        rest = "what you do not name stays where it stands" if left else "everything is placed"
        yield f"Still yours to place: {names.units(left) or 'nothing'}; {rest}."
        for kind, (leave, come) in layout.moves().items():
            if leave:
                those = names.units({kind: sum(leave.values())})
                from_ = ", ".join(f"{n} from {names.printed('place', p)}" for p, n in leave.items())
                to = ", ".join(names.printed("place", p) for p in come)
                yield f"{those} for {to}: {from_}."

    def sheet_lines(self, writer: SheetWriter, entries: Sequence[Legal]) -> Iterator[Offered]:
        """Where everything stands, place by place: together that is the whole layout."""
        for entry in entries:
            others = [
                (writer.name("place", t), writer.text(self.key, {**entry.slots, TARGET: t}))
                for t in entry.targets
            ]
            yield Offered(self.key, writer.text(self.key, entry.slots), also=tuple(others))
