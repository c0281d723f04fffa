"""The line of what was chosen from the lists of the orders page, as the player could have typed it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from wteaw.core.faults import StoreError
from wteaw.core.model import Row
from wteaw.orders.kinds import OrderKind, order_kind
from wteaw.orders.names import Names
from wteaw.orders.text import order_text
from wteaw.ruleset.order_syntax import Either, Pattern, Slot, read_form, slots_in
from wteaw.world.world import World

LONGEST = 600
"""Letters of a line that may be made of a choice."""
MOST_ROUND = 2
"""Words before a slot that it is called by."""


def composed(world: World, nation: str, form: Mapping[str, str]) -> str:
    """The line of what was chosen.

    StoreError, in words for the player, if something is missing or is not on the list.
    """
    rules = world.ruleset
    kind = order_kind(rules, form.get("order", ""))
    if kind is None or kind.syntax is None:
        raise StoreError("choose an order from the list")
    key, row, declared = kind.key, kind.row, kind.slots
    slots = {**_read(form.get("fixed", ""), declared), **_read(form.get("way", ""), declared)}
    for name, slot in declared.items():
        if slot.kind == "units":
            # who can go where this way leads
            able = slots.pop(name) if isinstance(slots.get(name), list) else None
            counts = {k: n for k, n in _counts(form, f"units-{name}-").items() if able is None or k in able}
            if counts:
                slots[name] = counts
            elif name not in slots and name in kind.wanted:
                raise StoreError("choose how many units go")
        elif slot.kind == "number" and form.get(f"slot-{name}", "").strip():
            slots[name] = _number(form[f"slot-{name}"])
        elif slot.many and (chosen := _ticked(form, f"slot-{name}-")):
            slots[name] = chosen
        elif form.get(f"slot-{name}", "").strip():
            slots[name] = " ".join(form[f"slot-{name}"].split())
    if missing := [s for s in kind.wanted if s not in slots]:
        raise StoreError(f"still to be chosen: {', '.join(label_of(kind, m) for m in missing)}")
    options: dict[str, Any] = {}
    for option in row.get("options", ()):
        condition = rules.rows("order_options")[option]
        if form.get(f"option-{option}") or any(
            _is_filled(form, option, slot) for slot in _shown_slots(condition)
        ):
            options[option] = _option(form, option, condition)
    try:
        line = order_text(
            rules, Names(rules, world.state), {"order": key, "slots": slots, "options": options}, agree=True
        )
    except (KeyError, ValueError, TypeError, AttributeError):
        raise StoreError("this is not on the list; choose again") from None
    if not line.strip() or len(line) > LONGEST or "\n" in line or "<" in line:
        raise StoreError("this is not on the list; choose again")
    return line


def _read(text: str, declared: Mapping[str, Slot]) -> dict[str, Any]:
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not found.keys() <= declared.keys():
        raise StoreError("this is not on the list; choose again")
    return found


def _counts(form: Mapping[str, str], prefix: str) -> dict[str, int]:
    found = {
        name.removeprefix(prefix): _number(n)
        for name, n in form.items()
        if name.startswith(prefix) and n.strip()
    }
    return {kind: n for kind, n in found.items() if n}


def _number(text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise StoreError(f"{text[:20]!r} is not a number")
    return int(text)


def _ticked(form: Mapping[str, str], prefix: str) -> list[str]:
    return [name.removeprefix(prefix) for name in form if name.startswith(prefix)]


def _is_filled(form: Mapping[str, str], option: str, slot: Slot) -> bool:
    """Whether something was filled in of a condition: it is meant then, ticked or not."""
    name = f"option-{option}-{slot.name}"
    return bool(form.get(name, "").strip() or _ticked(form, f"{name}-"))


def _option(form: Mapping[str, str], id_: str, row: Row) -> Any:
    values: dict[str, Any] = {}
    for slot in _shown_slots(row):
        name = f"option-{id_}-{slot.name}"
        given = form.get(name, "").strip()
        if slot.many and slot.kind == "number":
            values[slot.name] = [_number(n) for n in given.replace(",", " ").split()]
        elif slot.many:
            values[slot.name] = _ticked(form, f"{name}-")
        elif given:
            values[slot.name] = _number(given) if slot.kind == "number" else given
        if values.get(slot.name) in (None, [], ""):
            raise StoreError(f"the condition {id_.replace('-', ' ')!r} was ticked and not filled in")
    return values or True


def shown(pattern: Pattern) -> Iterator[str | Slot]:
    """The words and slots of a form as it is said: of alternatives the last, nothing that may be left out."""
    for node in pattern:
        if isinstance(node, Either):
            yield from () if () in node.ways else shown(node.ways[-1])
        else:
            yield node if isinstance(node, Slot) else node.word


def label_of(kind: OrderKind, name: str) -> str:
    """What a slot is called where it is filled in: the words before it in a line, and of a number the one
    after it, such as `with … tokens`; where no word is, its own name.
    """
    parts = list(_round(kind.syntax.pattern, name)) if kind.syntax is not None else []
    at = next((k for k, part in enumerate(parts) if isinstance(part, Slot) and part.name == name), None)
    if at is not None:
        begin, end = at, at + 1
        while begin and isinstance(parts[begin - 1], str) and at - begin < MOST_ROUND:
            begin -= 1
        if kind.slots[name].kind == "number" and end < len(parts) and isinstance(parts[end], str):
            end += 1
        words = [part if isinstance(part, str) else "…" for part in parts[begin:end]]
        if any(word.isalpha() for word in words):
            return " ".join(words)
    return name.replace("_", " ")


def _round(pattern: Pattern, name: str) -> Iterator[str | Slot]:
    """The words and slots of a form as it is said with one slot filled: of alternatives those with it."""
    for node in pattern:
        if not isinstance(node, Either):
            yield node if isinstance(node, Slot) else node.word
            continue
        ways = [way for way in node.ways if any(slot.name == name for slot in slots_in(way))]
        if ways or () not in node.ways:
            yield from _round((ways or node.ways)[-1], name)


def _shown_slots(row: Row) -> list[Slot]:
    """What is to be filled in of a condition."""
    return [part for part in shown(read_form(row["syntax"], row.get("slots"))) if isinstance(part, Slot)]
