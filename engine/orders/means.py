"""Whether others may still give a nation what its order costs, before the order is carried out.

Acts that say so (`means_for`) pay another nation in their own step, and what it is given it may spend in later steps of the same
turn. Nobody knows beforehand what others will give: where such an act is open to one of them, lack of means only warns.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.model import Row, Ruleset
from ..ruleset.order_forms import slot_of
from ..turn.acts import closed
from ..turn.context import Order, OrderContext
from ..turn.slots import unmet
from .prospect import in_frame, place_of

__all__ = ["may_be_given"]


def may_be_given(context: OrderContext, nation: str, order: Order) -> bool:
    """Whether an act of somebody else that is carried out in a step before that of this order may pay its nation."""
    ruleset = context.ruleset
    step, _ = place_of(ruleset, order)
    gifts: list[Row] = ruleset.derived("gifts in the frame", lambda: list(_gifts(ruleset)))
    return any(_open_for(context, row, nation) for row in gifts if in_frame(ruleset)[f"acts/{row['id']}"][0][0] < step)


def _gifts(ruleset: Ruleset) -> Iterator[Row]:
    """The acts that pay others in a step in which all nations act together."""
    for id_, row in ruleset.rows("acts").items():
        node = in_frame(ruleset).get(f"acts/{id_}", (None, None))[1]
        if "means_for" in row and node is not None and not _own_turns(ruleset, node["path"]):
            yield row


def _own_turns(ruleset: Ruleset, path: tuple[int, ...]) -> bool:
    """Whether a step is carried out for one nation after another."""
    nodes = ruleset.frame
    for index in path:
        if "each" in nodes[index]:
            return True
        nodes = nodes[index].get("steps", ())
    return False


def _open_for(context: OrderContext, row: Row, nation: str) -> bool:
    """Whether another nation may give the act with this one for its receiver, as far as this one can tell."""
    slots: dict[str, str] = {}
    if row["means_for"] is True:
        slots = {name: nation for name, declared in row.get("slots", {}).items() if slot_of(name, declared).kind == "nation"}
    elif row["means_for"] != nation:
        return False
    for giver in context.ruleset.rows("nations"):
        if giver == nation or closed(context, row, giver) is not None:
            continue
        order: Order = {"nation": giver, "order": f"acts/{row['id']}", "slots": slots, "options": {}}
        if unmet(context, row, context.order_names(order), secrets=False) is None:
            return True
    return False
