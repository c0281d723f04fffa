"""Can the lines by which orders are written be read, and has every slot that may be left out a value?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...core.diagnostics import Diagnostic, did_you_mean
from ...core.messages import forms_in
from ..expressions import ExpressionError, parse
from ..expressions.parse import strip_mark
from ..nodes import Node, diagnose
from ..order_syntax import SLOT, FormError, always_there, read_form, slots_in, written_twice
from .subject import Subject

_BRACES = re.compile(r"\{([^{}]*)\}")


def forms_can_be_read(subject: Subject) -> Iterator[Diagnostic]:
    """How orders are written and read back: brackets are closed, and something stands there."""
    for form in ("actions", "orders", "decisions", "order_options", "notes"):
        for id_, row in subject.rows(form).items():
            for key in {"syntax", "read_back"} & row.keys():
                node = subject.nodes(form)[id_].value[key]
                try:
                    pattern = read_form(row[key], row.get("slots"))
                except FormError as error:
                    yield diagnose("E209", str(error), node)
                    continue
                if key == "syntax":
                    yield from _slots_unwritten(subject.nodes(form)[id_], row)
                    for name in written_twice(pattern):
                        text = (
                            f"the slot {name!r} stands there twice, and what is written first would be lost"
                        )
                        yield diagnose(
                            "E209", text, node, hint=f"two slots of different names, or {{{name}}} once"
                        )
                there = {*SLOT.findall(row.get("syntax", "")), *row.get("slots", ())}
                for slot in slots_in(pattern) if "syntax" in row else ():
                    if slot.name not in there:
                        hint = (
                            did_you_mean(slot.name, there)
                            or f"the form has {', '.join(sorted(there)) or 'no slots'}"
                        )
                        text = f"no slot {slot.name!r} is in the form, so nothing could stand here"
                        yield diagnose("E302", text, node, hint=hint)


def _slots_unwritten(node: Node, row: dict[str, Any]) -> Iterator[Diagnostic]:
    """A slot that is declared and that no order can fill: its syntax does not have it."""
    written = SLOT.findall(row["syntax"])
    for name in row.get("slots", {}):
        if name not in written:
            near = did_you_mean(name, [word for word in written if row["slots"].get(word) == "text"])
            hint = near or f"write {{{name}}} in the form, or leave the slot out"
            text = f"nothing fills the slot {name!r}: it is not in the form"
            # the form has a slot that nobody declared, which then holds text: one of both is misspelt
            if near:
                yield diagnose("E213", text, node, key="syntax", hint=f"write {{{name}}} in it")
                continue
            yield diagnose("E213", text, node.value["slots"], key=name, hint=hint)


def _may_be_left_out(row: Any) -> frozenset[str]:
    """The slots that some way of writing an order leaves out and that are not declared optional: there is no
    such name then.
    """
    try:
        pattern = read_form(row["syntax"], row.get("slots")) if "syntax" in row else ()
    except FormError:  # another check's question
        return frozenset()
    return frozenset(slot.name for slot in slots_in(pattern) if not slot.optional) - always_there(pattern)


def _names(text: str) -> frozenset[str]:
    try:
        return frozenset(parse(text).names)
    except ExpressionError:  # another check's question
        return frozenset()


def slots_left_out_have_a_value(subject: Subject) -> Iterator[Diagnostic]:
    """What tests, prices, effects and texts of a row name is there, though it stands in brackets of the
    syntax.
    """
    bare = {}
    for form in ("actions", "orders", "decisions"):
        for id_, row in subject.rows(form).items():
            if slots := _may_be_left_out(row):
                bare[id(subject.nodes(form)[id_])] = slots
    for mark in subject.marked if bare else ():
        left, value = bare.get(id(mark.row)), mark.annotation.value
        schema = mark.annotation.schema
        if (
            not left
            or not isinstance(value, str)
            or mark.annotation.path[:1] in (("syntax",), ("read_back",))
        ):
            continue
        if "x-text" in schema:
            parts = [part for part in _BRACES.findall(value) if forms_in(part) is None]
        elif value.startswith("=") or ("x-expr" in schema and not schema["x-expr"].get("marked")):
            parts = [strip_mark(value)]
        else:
            continue
        for name in sorted({name for part in parts for name in _names(part)} & left):
            node, key = mark.place
            text = f"{name!r} may be left out of an order, and has no value then"
            hint = (
                "declare the slot with `optional: true`, a number with a `default`, too: it is then "
                "nothing, or that number"
            )
            yield diagnose("E213", text, node, key=key, hint=hint)
