"""Orders back to text, as their own forms write them; what is written so is read back as the same order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.messages import capital
from ..core.model import Row, Ruleset
from ..ruleset.order_syntax import read_form, slots_in
from .grammar import Grammar, shortest
from .names import Names


def order_text(ruleset: Ruleset, names: Names, order: Mapping[str, Any], *, agree: bool = False) -> str:
    """The line that a player would write for an order (its slots and options); `<slot>` for slots that are
    not filled.

    With `agree` words that a form gives in singular and plural agree with the number before them.
    """
    grammar = Grammar.of(ruleset)
    form = grammar.form(order["order"])
    if form is None:
        return str(order.get("text", ""))
    text = shortest(form.pattern, names, dict(order.get("slots", {})), agree=agree)
    parts = [
        option_text(names, ruleset.rows("order_options")[id_], value, agree=agree)
        for id_, value in order.get("options", {}).items()
        if id_ in ruleset.rows("order_options")
    ]
    return f"{text}: {'; '.join(parts) if agree else ', '.join(parts)}" if parts else text


def option_text(names: Names, row: Row, value: Any, *, agree: bool = True) -> str:
    """An option with its value, in the words of its row."""
    pattern = read_form(row["syntax"], row.get("slots"))
    slots = [s.name for s in slots_in(pattern)]
    values = value if isinstance(value, dict) else {}
    if slots and value is not True and not isinstance(value, dict):
        values = {slots[0]: value}
    return shortest(pattern, names, values, agree=agree)


def order_in_words(ruleset: Ruleset, names: Names, order: Mapping[str, Any]) -> str:
    """What an order says in full words: the sentence of its row (`read_back`), else its own line; without its
    options."""
    row = ruleset.row_of(str(order["order"]))
    slots = dict(order.get("slots", {}))
    if "read_back" in row:
        form = read_form(row["read_back"], row.get("slots"))
        text = shortest(form, names.in_sentences(), slots, agree=True)
    else:
        text = order_text(ruleset, names, {"order": order["order"], "slots": slots}, agree=True)
    return capital(text)


def options_in_words(ruleset: Ruleset, names: Names, order: Mapping[str, Any]) -> list[str]:
    """What the options of an order say in full words, one after another."""
    rows = ruleset.rows("order_options")
    given = {id_: value for id_, value in order.get("options", {}).items() if id_ in rows}
    return [option_text(names, rows[id_], value) for id_, value in given.items()]
