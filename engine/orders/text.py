"""Orders back to text, as their own forms write them; what is written so is read back as the same order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.model import Ruleset
from .grammar import Grammar, read_form, shortest, slots_in
from .names import Names


def order_text(ruleset: Ruleset, names: Names, order: Mapping[str, Any]) -> str:
    """The line that a player would write for an order (its slots and options); `<slot>` for slots that are not filled."""
    grammar = Grammar.of(ruleset)
    form = grammar.form(order["order"])
    if form is None:
        return str(order.get("text", ""))
    text = shortest(form.pattern, names, dict(order.get("slots", {})))
    parts = []
    for id_, value in order.get("options", {}).items():
        row = ruleset.rows("order_options").get(id_)
        if row is None:
            continue
        pattern = read_form(row["form"], row.get("slots"))
        slots = [s.name for s in slots_in(pattern)]
        values = value if isinstance(value, dict) else {slots[0]: value} if slots and value is not True else {}
        parts.append(shortest(pattern, names, values))
    return f"{text}: {', '.join(parts)}" if parts else text
