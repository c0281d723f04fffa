"""Do the rules of policies fit the orders that they name: the slots these have, and what may stand there?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...core.diagnostics import Diagnostic, did_you_mean
from ...core.model import Row
from ..nodes import Node, as_nodes, diagnose
from ..order_syntax import FORM_OF, FormError, Slot, option_slots, slot_of
from .subject import Subject

__all__ = [
    "policies_fill_slots_with_what_they_hold",
    "policies_move_by_orders_of_moves",
    "policies_name_slots_of_their_orders",
]

RULES: Mapping[str, tuple[str, str]] = {
    "actions": ("actions", "action"),
    "orders": ("orders", "order"),
    "answers": ("decisions", "decision"),
    "moves": ("orders", "order"),
}
"""The lists of rules of a policy: the form of what their rules name, and the key that names it."""


class _Rule(NamedTuple):
    """A rule of a policy, with the order that it names."""

    row: Row
    node: Node
    order: Row
    said: str


def _rules(subject: Subject) -> Iterator[_Rule]:
    """All rules of all policies that name an order that there is: another is told as unknown."""
    for id_, row in subject.rows("policies").items():
        for key, (form, word) in RULES.items():
            rules = subject.nodes("policies")[id_].get(key)
            for rule, node in zip(row.get(key, ()), as_nodes(rules), strict=True):
                order = subject.rows(form).get(rule.get(word))
                if order is not None:
                    yield _Rule(rule, node, order, f"the {word} {order['id']!r}")


MOVING = ("units", "origin", "target")
"""Slots of an order that sends units to a goal."""


def policies_move_by_orders_of_moves(subject: Subject) -> Iterator[Diagnostic]:
    """A bot's rule for moves names an order that sends units somewhere; one with a way of moving, if it names
    no goals.
    """
    orders, modes = subject.rows("orders"), subject.rows("movement")
    for id_, row in subject.rows("policies").items():
        of_moves = subject.nodes("policies")[id_].get("moves")
        for rule, node in zip(
            row.get("moves", ()), of_moves.members() if of_moves is not None else (), strict=True
        ):
            order = orders.get(rule["order"])
            if order is None:
                continue
            if not set(MOVING) <= set(order.get("slots", {})):
                message = f"{rule['order']!r} is no order of a move: it needs the slots {', '.join(MOVING)}"
                yield diagnose("E213", message, node, key="order")
            elif "among" not in rule and order.get("does") not in modes:
                message = f"{rule['order']!r} is no order of a move: it needs a way of moving in 'does'"
                hint = "'among' names the goals of other orders"
                yield diagnose("E213", message, node, key="order", hint=hint)


def policies_name_slots_of_their_orders(subject: Subject) -> Iterator[Diagnostic]:
    """A rule of a policy fills slots that its order has; it goes through one (`each`) whose values it names
    (`among`).
    """
    for rule, node, order, said in _rules(subject):
        slots = order.get("slots", {})
        among = rule["among"] if isinstance(rule.get("among"), dict) else {}
        named = [*(("among", slot) for slot in among), *(("slots", slot) for slot in rule.get("slots", ()))]
        for key, slot in [*named, *((key, rule[key]) for key in ("each", "opens") if key in rule)]:
            if slot not in slots:
                hint = did_you_mean(slot, slots) or f"it has {', '.join(slots) or 'none'}"
                yield diagnose("E213", f"{said} has no slot {slot!r}", node, key=key, hint=hint)
        if rule.get("each") in slots and rule["each"] not in among:
            yield diagnose("E213", f"`among` says no values for {rule['each']!r}", node, key="each")


def policies_fill_slots_with_what_they_hold(subject: Subject) -> Iterator[Diagnostic]:
    """What a policy writes at a slot, or as a condition, can stand there; expressions are asked in play."""
    for rule, node, order, said in _rules(subject):
        slots = order.get("slots", {})
        for name, value in (node.get("slots") or node).items() if "slots" in rule else ():
            if name in slots:
                yield from _unlike(subject, slot_of(name, slots[name]), value)
        yield from _of_conditions(subject, node.get("conditions"), order, said)
    for node in subject.nodes("policies").values():
        war = node.get("war")
        for part in (war, war.get("sea") if war is not None else None):
            yield from _of_conditions(subject, part.get("conditions") if part is not None else None)


def _of_conditions(
    subject: Subject, node: Node | None, order: Row | None = None, said: str = ""
) -> Iterator[Diagnostic]:
    """Conditions that an order takes, with what their slots hold."""
    rows = subject.rows("order_options")
    for option, value in node.items() if node is not None else ():
        if option not in rows:  # which is told as unknown
            continue
        if order is not None and option not in order.get("options", ()):
            takes = ", ".join(order.get("options", ())) or "none"
            message = f"{said} takes no condition {option!r}"
            yield diagnose("E213", message, node, key=option, hint=f"it takes {takes}")
        try:
            slots = option_slots(rows[option])
        except FormError:  # which is told where the form stands
            continue
        if not value.is_map and len(slots) > 1:
            hint = f"write {{{', '.join(f'{name}: ...' for name in slots)}}}"
            yield diagnose("E213", f"{option!r} has several slots", node, key=option, hint=hint)
            continue
        if not slots and value.value is not True:
            yield diagnose("E213", f"{option!r} has no slots", node, key=option, hint="write `true`")
            continue
        units = value.is_map and len(slots) == 1 and next(iter(slots.values())).kind == "units"
        values = value.items() if value.is_map and not units else ((name, value) for name in slots)
        for name, text in values:
            if name not in slots:
                hint = did_you_mean(name, slots) or f"it has {', '.join(slots)}"
                yield diagnose("E213", f"{option!r} has no slot {name!r}", value, key=name, hint=hint)
            else:
                yield from _unlike(subject, slots[name], text)


def _unlike(subject: Subject, slot: Slot, node: Node) -> Iterator[Diagnostic]:
    """A value that cannot stand at a slot, whatever the game is like."""
    if node.is_map != (slot.kind == "units"):
        wanted = "units as kind to number" if slot.kind == "units" else f"a {slot.kind}, or `=` an expression"
        yield diagnose("E213", f"the slot {slot.name!r} holds {wanted}", node)
        return
    if node.is_map:
        return
    if node.is_list and not slot.many:
        hint = "name one, or `=` an expression of a set, of which the first counts"
        yield diagnose("E213", f"the slot {slot.name!r} holds one thing, not a list", node, hint=hint)
        return
    for each in as_nodes(node):
        if not (isinstance(each.value, str) and each.value.startswith("=")):
            yield from _unlike_one(subject, slot, each)


def _unlike_one(subject: Subject, slot: Slot, node: Node) -> Iterator[Diagnostic]:
    """A plain number or word that cannot stand at a slot."""
    value: Any = node.value
    if (slot.kind == "number") != isinstance(value, int):
        wanted = "a number" if slot.kind == "number" else "a word"
        message = f"the slot {slot.name!r} holds {wanted}, not {value!r}"
        yield diagnose("E213", message, node, hint="an expression begins with `=`")
        return
    known: Any = slot.choices if slot.kind == "choice" else None
    if slot.kind in FORM_OF:
        known = subject.rows(FORM_OF[slot.kind])
    if known is not None and value not in known:
        hint = did_you_mean(value, known) or f"it may be {', '.join(list(known)[:6])}"
        yield diagnose("E213", f"{value!r} cannot stand at the slot {slot.name!r}", node, hint=hint)
