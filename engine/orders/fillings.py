"""Every way to fill the open slots of an order that has too many for all of them to be tried together.

One slot after another is filled, places first, and what is ruled out already is not tried on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ..turn.context import OrderContext
from ..turn.slots import ruled_out
from .slot_values import domain

if TYPE_CHECKING:
    from .kinds.order_kind import OrderKind

MOST_WAYS = 6000
"""Fillings of one order's open slots that are kept."""


def fillings(
    context: OrderContext,
    kind: OrderKind,
    nation: str,
    fixed: Mapping[str, Any],
    open_: Sequence[str],
    among: Sequence[str] | None = None,
) -> list[dict[str, Any]] | None:
    """The slots of an order with some of them, `open_`, filled in every way that its needs do not rule out.

    None if there are too many. A slot that may be left out, and holds a choice, is left out or holds the
    first. `among`: the only places that are tried.
    """
    row, slots = kind.row, {s: kind.slots[s] for s in open_}
    firm = {k: v for k, v in fixed.items() if not isinstance(v, (dict, list))}
    base = kind.names_of(context, nation, firm)

    def named(filled: Mapping[str, Any]) -> dict[str, Any]:
        return base | {s: context.slot_value(row["slots"][s], v) for s, v in filled.items() if v is not None}

    domains: dict[str, list[Any]] = {}
    for name, slot in slots.items():
        values: list[Any] = [None, *slot.choices[:1]]
        if slot.kind == "place" and among is not None:
            values = list(among)
        elif slot.kind != "choice" or not slot.optional:
            values = list(domain(context, row, name, base))
        known = {*firm, name}
        domains[name] = [
            v for v in values if v is None or not ruled_out(context, row, named({name: v}), known)
        ]
    order = sorted(slots, key=lambda s: slots[s].kind != "place")
    if prod(len(domains[s]) for s in order if slots[s].kind != "place") > MOST_WAYS:
        return None
    partial: list[dict[str, Any]] = [{}]
    for at, name in enumerate(order):
        if len(partial) * len(domains[name]) > MOST_WAYS * 10:
            return None
        known = {*firm, *order[: at + 1]}
        longer = []
        for one in partial:
            for value in domains[name]:
                more = {**one, name: value}
                if value is None or at == 0 or not ruled_out(context, row, named(more), known):
                    longer.append(more)
        partial = longer
        if len(partial) > MOST_WAYS:
            return None
    return [{**fixed, **{k: v for k, v in one.items() if v is not None}} for one in partial]
