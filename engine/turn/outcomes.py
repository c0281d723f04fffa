"""What became of orders: the `outcomes` of their rows, told once the step is over that decides them.

`outcomes: {STEP: [{id, when, says}, ...]}`: of the outcomes listed for the step that has just run, an order
has the first that fits and every later one that is told `also`; later steps may add to them. They stand on
the order (`outcome`), in the journal and so in every report.
"""

from __future__ import annotations

from ..core.model import Row, Ruleset, derived_of
from ..world.messages import message, say
from .context import Order, Turn, audience_ids


def tell(turn: Turn, step: str) -> None:
    """Note what became of the orders whose rows say so for this step."""
    rows = rows_told_after(turn.ruleset).get(step)
    if not rows:
        return
    for order in turn.orders(rows):
        if order.get("status") != "refused":
            _tell_one(turn, rows[order["order"]], order, step)


@derived_of("actions", "orders")
def rows_told_after(ruleset: Ruleset) -> dict[str, dict[str, Row]]:
    """Step -> the rows ("form/id") whose orders it decides."""
    out: dict[str, dict[str, Row]] = {}
    for form in ("actions", "orders"):
        for id_, row in ruleset.rows(form).items():
            for step in row.get("outcomes", ()):
                out.setdefault(step, {})[f"{form}/{id_}"] = row
    return out


def _tell_one(turn: Turn, row: Row, order: Order, step: str) -> None:
    names = turn.order_names(order)
    outcome = next((o for o in row["outcomes"][step] if turn.world.test(o.get("when"), names)), None)
    if outcome is None:
        return
    readers = audience_ids(turn.world, row.get("audience"), names)
    ids = [str(outcome["id"])]
    data = {"outcome": ids, "asked": order.get("text", "")}
    with turn.journal.entry(order["order"], subject=order["nation"], audience=readers, data=data) as entry:
        turn.journal.set("orders", order["key"], "outcome", [*order.get("outcome", ()), *ids])
        head = message(turn.world, row["told_as"], names) if "told_as" in row else str(order.get("text", ""))
        why = {"why": message(turn.world, outcome["says"], names)} if "says" in outcome else {}
        told = "{order}: {outcome} ({why})." if why else "{order}: {outcome}."
        entry.tell(say(turn.world, told, order=head, outcome=str(outcome.get("name", outcome["id"])), **why))
