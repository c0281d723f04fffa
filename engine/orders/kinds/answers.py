"""Answers to decisions, given before they are asked (the rows of the table `decisions` that have a form)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.model import Row, Ruleset
from ...turn.context import Order, OrderContext
from ...turn.decisions import answer_refusal
from ...turn.slots import misfit
from ...turn.validated_orders import RefusalCode, ValidatedOrder
from ...world.world import World
from ..legal_entry import ANY, Legal, LegalSearch
from ..lookahead import Lookahead
from .book import OrderBook, Understood
from .order_kind import OrderKind

FORM = "decisions"


class Answers(OrderKind):
    """Whether somebody may say this when they are asked."""

    listed = False

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Every row of the table `decisions`."""
        return form == FORM

    def is_open(self, world: World, nation: str) -> bool:
        """Whom a decision asks, it says itself."""
        return True

    def understand(self, book: OrderBook, order: Order) -> Understood:
        """An answer that may be given. Raises OrderRefused."""
        names = book.context.order_names(order)
        if names.get("answer") is not None:  # left out, it is the default of its slot
            order = {
                **order,
                "slots": {**order["slots"], "answer": order["slots"].get("answer", names["answer"])},
            }
        book.check(misfit(book.context, self.row, order, names))
        book.check(answer_refusal(book.context, book.nation, *answer_of(order)))
        return Understood(ValidatedOrder(order))

    @property
    def names_units(self) -> bool:
        """They order nobody."""
        return False

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> Iterator[Legal]:
        """One entry, which leaves open what is said."""
        if "syntax" in self.row:
            yield self.blank(nation)

    def filled(self, world: World, nation: str, entry: Legal) -> Iterator[Legal]:
        """Nothing of a decision that asks others."""
        why = answer_refusal(OrderContext(world), nation, str(self.row["id"]), None)
        if why is None or why.code != RefusalCode.CLOSED:
            yield entry

    def foresee(self, position: Lookahead, found: Understood) -> None:
        """It is known to what asks for it."""
        decision, answer = answer_of(dict(found.intent.order))
        position.turn.state.put("answers", position.nation, decision, answer)


def is_answer(order: Order) -> bool:
    """Whether a line answers a decision, and is none of the orders of the turn."""
    return str(order["order"]).startswith(f"{FORM}/")


def parted(lines: Sequence[Order]) -> tuple[list[Order], dict[str, Any]]:
    """Orders, and the answers to decisions among them, as `decision` or `decision/subject` -> answer."""
    return [line for line in lines if not is_answer(line)], dict(
        answer_of(line) for line in lines if is_answer(line)
    )


def answer_of(order: Order) -> tuple[str, Any]:
    """What a line says to a decision: `decision` or `decision/subject`, and the answer.

    The slot `answer` holds the answer (without one: the only slot); another slot names what it is about.
    """
    slots = dict(order.get("slots", {}))
    answer = slots.pop("answer", None)
    if answer is None:
        answer = slots.pop(next(iter(slots)), True) if slots else True
    subject = next(iter(slots.values()), "")
    decision = str(order["order"]).removeprefix(f"{FORM}/")
    return (f"{decision}/{subject}" if subject else decision), answer
