"""Do rows fit those that they name: goals their aims, changes their actions, policies their orders?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.choices import as_slot
from ...core.diagnostics import Diagnostic
from ..action_changes import CHANGES, tries_own_cases
from ..nodes import Node, diagnose
from .subject import Subject


def objectives_fit_their_aims(subject: Subject) -> Iterator[Diagnostic]:
    """What a nation names for an aim is of the kind that the aim is about; points are said of aims that the
    nation has.
    """
    aims = subject.of_kind("victory", "aim")
    for id_, row in subject.of_kind("victory", "objectives").items():
        node = subject.nodes("victory")[id_]
        for side, goals in row["goals"].items():
            for name, wanted in goals.items():
                if name in aims:
                    yield from _of_aim(subject, aims[name], wanted, node.value["goals"].value[side], name)
        for name in row.get("worth", {}):
            if not any(name in goals for goals in row["goals"].values()):
                yield diagnose("E213", f"{id_!r} has no aim {name!r}", node.value["worth"], key=name)


def _of_aim(subject: Subject, aim: dict[str, Any], wanted: Any, node: Node, key: str) -> Iterator[Diagnostic]:
    of, other = aim["about"], aim.get("with")
    wants: Any
    if of == "number":
        wants, shape = int, "a whole number"
    elif other:
        wants, shape = dict, f"a map of {of} to {other}"
    else:
        wants, shape = list, f"a list of {of}"
    if type(wanted) is not wants:
        yield diagnose("E213", f"the aim {key!r} needs {shape}", node, key=key)
    elif of != "number":
        others = wanted.values() if isinstance(wanted, dict) else ()
        groups = [id_ for id_, row in subject.rows("groups").items() if row["of"] == of]
        wrong = [thing for thing in wanted if thing not in subject.nodes(of) and thing not in groups]
        wrong += [thing for thing in others if thing not in subject.nodes(str(other))]
        for thing in wrong:
            # else it is told as unknown
            if any(thing in subject.nodes(form) for form in ("places", "nations", "groups")):
                yield diagnose("E213", f"the aim {key!r} needs {shape}; {thing!r} is none", node, key=key)


def own_rules_fit_their_acts(subject: Subject) -> Iterator[Diagnostic]:
    """What is `against` somebody needs an action upon a nation, own cases a place among those of their
    action.
    """
    acts = subject.rows("actions")
    for _, row, node in subject.each(CHANGES):
        slot = (act := acts.get(row["on"], {})).get("slots", {}).get("target")
        if act and "against" in row and as_slot(slot).get("kind") != "nation":
            message = (
                f"'against' needs an action with a slot 'target' that takes a nation; {row['on']!r} has none"
            )
            yield diagnose("E213", message, node, key="against")
        if act and "test" not in row and not tries_own_cases(act):
            message = f"{row['on']!r} does not say where cases of single nations are tried"
            hint = "a case {nations: true} of the action says so"
            yield diagnose("E213", message, node, key="on", hint=hint)


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


def policies_name_slots_of_their_acts(subject: Subject) -> Iterator[Diagnostic]:
    """A rule of a policy fills slots that its act has; it goes through one (`each`) whose values it names
    (`among`).
    """
    acts = subject.rows("actions")
    for id_, row in subject.rows("policies").items():
        of_acts = subject.nodes("policies")[id_].get("actions")
        for rule, node in zip(row["actions"], of_acts.members(), strict=True) if of_acts is not None else ():
            if (act := acts.get(rule.get("action"))) is None:  # which is told as unknown
                continue
            slots = act.get("slots", {})
            named = [(key, slot) for key in ("among", "numbers", "fill") for slot in rule.get(key, ())]
            for key, slot in [*named, *((key, rule[key]) for key in ("each", "opens") if key in rule)]:
                if slot not in slots:
                    hint = f"it has {', '.join(slots) or 'none'}"
                    yield diagnose(
                        "E213", f"the action {act['id']!r} has no slot {slot!r}", node, key=key, hint=hint
                    )
            if rule.get("each") in slots and rule["each"] not in rule.get("among", ()):
                yield diagnose("E213", f"`among` says no values for {rule['each']!r}", node, key="each")
