"""Whether others may still give a nation what its order costs, before the order is carried out.

What an act of others pays a nation (verb `pay`) it may spend in later steps of the same turn. Nobody knows beforehand what others
will give: where such an act is open to an ally, or made for this nation alone, lack of means only warns. Nobody counts on what a
stranger might give to anyone: then what is too dear is refused at once, with what would do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.model import Row, Ruleset
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.limits import with_own_cases
from ..ruleset.order_syntax import slot_of
from ..turn.acts import closed
from ..turn.context import Order, OrderContext
from ..turn.slots import unmet
from .lookahead import in_frame, place_of

__all__ = ["may_be_given"]


class Gift(NamedTuple):
    """An act that pays a nation: always the same one, or the one that a slot names."""

    act: Row
    to: str
    slot: str


def may_be_given(context: OrderContext, nation: str, order: Order) -> bool:
    """Whether an act of somebody else that is carried out in a step before that of this order may pay its nation."""
    ruleset = context.ruleset
    step, _ = place_of(ruleset, order)
    gifts: list[Gift] = ruleset.derived("gifts in the frame", lambda: list(_gifts(ruleset)))
    return any(in_frame(ruleset)[f"acts/{gift.act['id']}"][0][0] < step and _open_for(context, gift, nation) for gift in gifts)


def _gifts(ruleset: Ruleset) -> Iterator[Gift]:
    """The payments to others by acts of steps in which all nations act together."""
    for id_, row in ruleset.rows("acts").items():
        node = in_frame(ruleset).get(f"acts/{id_}", (None, None))[1]
        if node is not None and not node["alone"]:
            nations = {name for name, declared in row.get("slots", {}).items() if slot_of(name, declared).kind == "nation"}
            for to in dict.fromkeys(_paid(with_own_cases(ruleset, row))):
                if ruleset.has("nations", to):
                    yield Gift(row, to, "")
                elif strip_mark(to) in nations:
                    yield Gift(row, "", strip_mark(to))


def _paid(part: Any) -> Iterator[str]:
    """Whom the effects of a row pay, as it says it."""
    for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _paid(value)
    if isinstance(part, dict) and isinstance(part.get("pay"), dict):
        yield from (str(to) for to in [part["pay"].get("to")] if to is not None)


def _open_for(context: OrderContext, gift: Gift, nation: str) -> bool:
    """Whether another nation may give so to this one, as far as this one can tell: an ally, where the act is not made for it."""
    if gift.to not in ("", nation):
        return False
    for giver in context.ruleset.rows("nations"):
        if giver == nation or (gift.slot and not context.world.allied(giver, nation)):
            continue
        if closed(context, gift.act, giver) is not None:
            continue
        slots = {gift.slot: nation} if gift.slot else {}
        order: Order = {"nation": giver, "order": f"acts/{gift.act['id']}", "slots": slots, "options": {}}
        if unmet(context, gift.act, context.order_names(order), secrets=False) is None:
            return True
    return False
