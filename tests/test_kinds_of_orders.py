"""A kind of order is one class: a made-up one is added here, played from the text to the turn and by a bot, and taken out again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice, ScriptedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.registry import MECHANICS
from wteaw.orders import kinds
from wteaw.orders.intake import Intake, take_in
from wteaw.orders.kinds import OrderBook, OrderKind, Understood, of_class, order_kind
from wteaw.orders.kinds.unit_orders import UnitOrders
from wteaw.orders.legal import legal_orders
from wteaw.orders.legal_entry import ANY, Legal, LegalSearch
from wteaw.orders.readback import read_back
from wteaw.orders.readback_text import rendered
from wteaw.orders.reference import order_reference
from wteaw.orders.sheet_layout import order_template
from wteaw.turn.context import Order, Turn
from wteaw.turn.referee import Inputs, Position, resolve, start
from wteaw.turn.validated_orders import Refusal, RefusalCode, ValidatedOrder
from wteaw.world import treasury
from wteaw.world.world import World

from . import small

PRICE = 3
ROW: Row = {
    "id": "survey",
    "syntax": "survey {site} [for {n}]",
    "slots": {"site": "place", "n": "number"},
    "step": "surveys",
    "help": "Makes {site} worth {n} more.",
}
FRAME: list[Row] = [
    {"input": "orders", "from": "everyone"},
    {"phase": "winter", "name": "Winter", "steps": [{"do": "survey", "step": "surveys"}]},
]
POLICY: Row = {
    "id": "p",
    "orders": [{"order": "survey", "each": "site", "among": {"site": "places(holder=self)"}}],
}


class Surveys(OrderKind):
    """A nation has a place of its own surveyed, for so much gold a point, and the place is worth more."""

    mechanics = ("survey",)

    def understand(self, book: OrderBook, order: Order) -> Understood:
        """A survey of a place of one's own that can be paid for. Raises OrderRefused."""
        site, n = str(order["slots"]["site"]), int(order["slots"].get("n") or 1)
        if book.world.holder_of(site) != book.nation:
            book.check(Refusal(RefusalCode.SITE, f"{book.names.printed('place', site)} is not yours", "site"))
        left = treasury.stock(book.world, book.who, "gold") - book.spent.in_all("gold")
        if PRICE * n > left:
            book.check(Refusal(RefusalCode.MEANS, f"it costs {PRICE * n} gold, {left} are left", "n"))
        purse = treasury.main_purse(book.world, book.nation, "gold")
        intent = ValidatedOrder(order, cost={"gold": PRICE * n}, purse=purse, number=n, site=site)
        return Understood(intent, [lambda: book.spend(intent.cost)])

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> Iterator[Legal]:
        """One survey of every place of the nation's own."""
        for site in treasury.held_places(world, nation):
            yield Legal(self.key, nation, {"site": site}, {"gold": PRICE})

    def prices(self, world: World | None, nation: str) -> list[str]:
        return [f"{PRICE} gold a point"]


def run(node: Row, turn: Turn) -> None:
    """Carry out the surveys of a step."""
    for order in turn.orders(["orders/survey"]):
        site, n = order["slots"]["site"], int(order["slots"].get("n") or 1)
        with turn.journal.entry(order["order"], subject=site):
            treasury.pay(turn.journal, order["nation"], "gold", PRICE * n)
            turn.journal.set("places", site, "worth", turn.state.get("places", site, "worth", 0) + n)
            turn.journal.set("orders", order["key"], "status", "done")


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(kinds, "KINDS", [Surveys, *kinds.KINDS])
    monkeypatch.setitem(MECHANICS, "survey", run)
    yield


def rules() -> Ruleset:
    return small.ruleset(FRAME, orders=[ROW], policies=[POLICY])


def begun(ruleset: Ruleset, gold: int = 20) -> Position:
    state = small.state(treasuries={"red": {"gold": gold}, "blue": {"gold": 5}}, units={})
    for place in ruleset.rows("places").values():
        state.put("places", place["id"], "holder", place.get("owner"))
        state.put("places", place["id"], "worth", place["worth"])
    return start(ruleset, state, KeyedDice(bytes(32), 1)).position


def taken(ruleset: Ruleset, position: Position, text: str) -> Intake:
    return take_in(ruleset, text, lambda _: World(ruleset, position.state), nation="red")


def worth(position: Position) -> dict[str, Any]:
    return {place: row["worth"] for place, row in position.state.table("places").items()}


@pytest.mark.usefixtures("added")
def test_a_kind_of_order_is_added_in_one_class() -> None:
    ruleset = rules()
    assert isinstance(order_kind(ruleset, "orders/survey"), Surveys) and len(of_class(ruleset, Surveys)) == 1
    position = begun(ruleset)
    world = World(ruleset, position.state)
    # the check: both sides of what there is to pay with, and of whose place it is
    assert [i.cost for i in taken(ruleset, position, "survey ash for 6\n").intents] == [{"gold": 18}]
    assert [(d.code, d.message) for d in taken(ruleset, position, "survey ash for 7\n").found] == [
        ("O204", "it costs 21 gold, 20 are left")
    ]
    (refused,) = taken(ruleset, position, "survey cedar\n").found
    assert (refused.code, refused.instead) == ("O210", ("survey birch", "survey ash"))
    # what an earlier line pays is gone when the later one is carried out
    assert [
        i.slots["site"] for i in taken(ruleset, position, "survey ash for 4\nsurvey birch for 3\n").intents
    ] == ["ash"]
    # the list, the sheet, the reference
    assert [e.slots["site"] for e in legal_orders(world, "red")] == ["ash", "birch"]
    sheet = order_template(world, "red")
    assert "# survey ?" in sheet and "ash, birch" in sheet
    reference = order_reference(ruleset, world, "red")
    assert "WINTER" in reference and "survey PLACE [for N]" in reference and "3 gold a point" in reference
    # the read-back
    file = taken(ruleset, position, "survey ash for 4\nsurvey birch\n")
    told = read_back(world, file)
    assert [(o.says, o.cost, o.left) for g in told.groups for o in g.orders] == [
        ("Survey ash for 4", {"gold": 12}, {"gold": 8}),
        ("Survey birch", {"gold": 3}, {"gold": 5}),
    ]
    assert "Survey ash for 4" in rendered(told)
    # the turn
    after = resolve(ruleset, position, Inputs({"red": file.orders}), KeyedDice(bytes(32), 1)).position
    assert worth(after) == worth(position) | {"ash": 7, "birch": 3}
    assert after.state.get("treasuries", "red", "gold") == 5


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(("gold", "sites"), [(6, ["ash", "birch"]), (5, ["ash"]), (2, [])])
def test_a_bot_gives_orders_of_a_kind_that_it_does_not_know(gold: int, sites: list[str]) -> None:
    ruleset = rules()
    world = World(ruleset, begun(ruleset, gold).state)
    dice = ScriptedDice([1] * 9).stream(step="input", rule="policies/p", subject="red")
    assert [o["slots"]["site"] for o in plan(world, "red", dice)] == sites


def test_without_its_class_a_row_is_an_order_of_units() -> None:
    assert type(order_kind(rules(), "orders/survey")) is UnitOrders
