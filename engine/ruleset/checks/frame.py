"""Does a turn go on? The nodes of the frame say what they do, wait for orders somewhere, and none does what is done already."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.diagnostics import Diagnostic
from ..nodes import Node, diagnose, find
from .subject import Subject

__all__ = ["acts_are_carried_out_once", "the_frame_comes_to_an_input"]

STEP_NEEDS = {"fight": "battles", "detect": "contacts", "settle": "verdicts"}
"""Mechanics of the frame that do nothing without being told what, each with the key that says it."""
NAMED = {
    "input": "orders could be meant for either",
    "step": "what names it could mean either",
    "phase": "what names it could mean either",
}
"""Names of nodes that stand once, and why."""


def the_frame_comes_to_an_input(subject: Subject) -> Iterator[Diagnostic]:
    """A turn must stop somewhere to wait for orders, or end the game; loops need steps."""
    frame = subject.draft.frame
    if not frame:
        return
    nodes = list(_nodes(frame))
    if subject.rows("nations") and not any(node.get("input") is not None for node in nodes):
        yield diagnose("E606", "error", "the frame has no `input`: no turn would ever wait for orders", frame[0])
    named: dict[tuple[str, str], Node] = {}
    for node in nodes:
        heads = [key for key in ("input", "do", "steps") if node.get(key) is not None]
        if not heads:
            yield diagnose("E606", "error", "a node of the frame needs `input`, `do` or `steps`", node)
        elif len(heads) > 1:
            yield diagnose("E606", "error", f"a node of the frame is one of {' and '.join(heads)}, not both", node, key=heads[1])
        loops = [key for key in ("each", "passes", "ticks") if node.get(key) is not None]
        if loops and node.get("steps") is None:
            yield diagnose("E606", "error", f"{loops[0]!r} of a node needs `steps` to go through", node, key=loops[0])
        if len(loops) > 1:
            yield diagnose("E606", "error", f"a node is either {loops[0]!r} or {loops[1]!r}", node, key=loops[1])
        for key, why in NAMED.items():
            name = node.text(key)
            if name is not None and (first := named.setdefault((key, name), node)) is not node:
                hint = f"the first stands in line {first.line}" + (f" of {first.file}" if first.file != node.file else "")
                yield diagnose("E606", "error", f"a second {key} is called {name!r}: {why}", node, key=key, hint=hint)
        needed = STEP_NEEDS.get(node.text("do") or "")
        if needed is not None and node.get(needed) is None:
            yield diagnose("E606", "error", f"`do: {node.text('do')}` needs {needed!r}: it says which", node, key="do")


def _nodes(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.is_map:
            yield node
            inside = node.get("steps")
            if inside is not None:
                yield from _nodes(list(inside.members()))


LOOPS = ("when", "each", "passes", "ticks", "of")
"""What makes a node of the frame one that is not carried out, once and for everybody, in every turn."""


def acts_are_carried_out_once(subject: Subject) -> Iterator[Diagnostic]:
    """An act in two steps that come in every turn, without orders given in between: the first leaves nothing to the second."""
    waiting = {id_ for id_, row in subject.rows("acts").items() if "waits" in row}
    taken: set[str] = set()
    for node, open_ in _in_order(subject.draft.frame, False):
        if node.get("input") is not None:
            taken.clear()
        if node.text("do") != "act" or node.get("acts") is None or open_:
            continue
        for act in find(node, ["acts"]).members():
            if act.value in taken and act.value not in waiting:
                message = f"an earlier step carries out every order of {act.value!r}: none is left for this one"
                yield diagnose("E606", "error", message, act, hint="list it in one step")
        taken |= {act.value for act in find(node, ["acts"]).members()}


def _in_order(nodes: list[Node], open_: bool) -> Iterator[tuple[Node, bool]]:
    """The nodes as they come; `open_`: one of those around it, or itself, may not come, or more than once."""
    for node in nodes:
        if node.is_map:
            here = open_ or any(node.get(key) is not None for key in LOOPS)
            yield node, here
            inside = node.get("steps")
            if inside is not None:
                yield from _in_order(list(inside.members()), here)
