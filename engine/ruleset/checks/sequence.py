"""Can a turn be played? Steps say what they do, wait for orders somewhere, and none does what is done
already.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from fractions import Fraction

from ...core.diagnostics import Diagnostic
from ...core.faults import MOST_ROUNDS
from ..expressions import ExpressionError, parse
from ..expressions.certain import constant
from ..nodes import Node, diagnose, find
from ..sequence_changes import frame_nodes
from .subject import Subject

STEP_NEEDS = {"fight": "battles", "detect": "detection", "settle": "verdicts"}
"""Mechanics that do nothing without a certain key of their step, each with this key."""
NAMED = {
    "input": "orders could be meant for either",
    "step": "what names it could mean either",
    "phase": "what names it could mean either",
}
"""Names of nodes that stand once, and why."""


def the_sequence_comes_to_an_input(subject: Subject) -> Iterator[Diagnostic]:
    """A turn must stop somewhere to wait for orders, or end the game; loops need steps."""
    frame = subject.draft.sequence
    if not frame:
        return
    nodes = [along[-1] for along in _nodes(frame)]
    if subject.rows("nations") and not any(node.get("input") is not None for node in nodes):
        yield diagnose("E606", "the sequence has no `input`: no turn would ever wait for orders", frame[0])
    named: dict[tuple[str, str], Node] = {}
    for node in nodes:
        heads = [key for key in ("input", "do", "steps") if node.get(key) is not None]
        if not heads and node.get("step") is None:
            yield diagnose("E606", "a part of the sequence needs `input`, `step` or `steps`", node)
        elif len(heads) > 1:
            yield diagnose(
                "E606",
                f"a step of the sequence is one of {' and '.join(heads)}, not both",
                node,
                key=heads[1],
            )
        loops = [key for key in ("each", "passes", "ticks") if node.get(key) is not None]
        if loops and node.get("steps") is None:
            yield diagnose("E606", f"{loops[0]!r} of a step needs `steps` to go through", node, key=loops[0])
        if len(loops) > 1:
            yield diagnose("E606", f"a step is either {loops[0]!r} or {loops[1]!r}", node, key=loops[1])
        for key, why in NAMED.items():
            name = node.text(key)
            if name is not None and (first := named.setdefault((key, name), node)) is not node:
                hint = f"the first stands in line {first.line}" + (
                    f" of {first.file}" if first.file != node.file else ""
                )
                yield diagnose("E606", f"a second {key} is called {name!r}: {why}", node, key=key, hint=hint)
        needed = STEP_NEEDS.get(node.text("do") or "")
        if needed is not None and node.get(needed) is None:
            yield diagnose("E606", f"`do: {node.text('do')}` needs {needed!r}: it says which", node, key="do")


def _nodes(nodes: Iterable[Node], above: tuple[Node, ...] = ()) -> Iterator[tuple[Node, ...]]:
    """Every node behind those around it, in the order of play."""
    for node in nodes:
        if node.is_map:
            along = (*above, node)
            yield along
            yield from _nodes(find(node, ["steps"]).members(), along)


FIGURES = ("base", "final", "at_least", "add")


def ticks_are_few(subject: Subject) -> Iterator[Diagnostic]:
    """Movement in ticks reads how many the fastest unit has: none of these numbers is beyond all turns."""
    asked = {name for node in frame_nodes(subject.draft.sequence) for name in _counted_by(node)}
    for name in sorted(asked):
        rows = [("stats", name)] if name in subject.rows("stats") else []
        rows += [("modifiers", id_) for id_, row in subject.rows("modifiers").items() if row["of"] == name]
        held = any("at_most" in subject.rows(form)[id_] for form, id_ in rows)
        rows += [("units", id_) for id_, row in subject.rows("units").items() if name in row and not rows]
        for form, id_ in rows if not held else ():
            for key in (*FIGURES, name):
                value = subject.rows(form)[id_].get(key)
                if (figure := _figure(value)) > MOST_ROUNDS:
                    message = (
                        f"{key!r} comes to {int(figure)} points, and a turn goes through "
                        f"{MOST_ROUNDS} ticks at most"
                    )
                    yield diagnose("E209", message, subject.nodes(form)[id_].value[key])


def _counted_by(node: Node) -> Iterator[str]:
    """The stats and fields of which the greatest decides how many ticks a step has."""
    ticks = node.get("ticks")
    text = ticks.text("most") if ticks is not None else None
    try:
        parts = list(ast.walk(parse(text).tree)) if text is not None else []
    except ExpressionError:  # another check's question
        return
    for part in parts:
        if (
            isinstance(part, ast.Call)
            and getattr(part.func, "id", "") in ("maximum", "value")
            and len(part.args) > 1
        ):
            yield str(getattr(part.args[1], "value", ""))


def _figure(value: object) -> Fraction:
    """A number that a row says, worked out if it can be; 0 where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return Fraction(0)
    try:
        found = constant(parse(str(value)).tree)
    except ExpressionError:  # another check's question
        return Fraction(0)
    return Fraction(found) if isinstance(found, int | Fraction) else Fraction(0)


def orders_can_be_given(subject: Subject) -> Iterator[Diagnostic]:
    """Some input comes in every turn, and what is ordered is carried out after an input that takes it."""
    wide, under_when = [], True
    for along in _nodes(subject.draft.sequence):
        node = along[-1]
        if node.get("input") is not None and node.get("leaves") is None and node.get("takes") is None:
            wide.append(node)
            under_when = under_when and any(around.get("when") is not None for around in along)
    if wide and under_when:
        said = "there are turns in which nobody is asked for orders: each `input` has a `when`"
        hint = "leave `when` out at one of them" if len(wide) > 1 else "leave `when` out"
        yield diagnose("W621", said, wide[0], key="input", hint=hint)
    for (form, id_), (points, step) in subject.once("points of orders", points_of_orders).items():
        if not points:
            message = f"nobody can give the order {id_!r}: its step {step!r} comes before the first input"
            yield diagnose(
                "W621", message, subject.nodes(form)[id_], hint="list the step in `takes` of an input"
            )


def points_of_orders(subject: Subject) -> dict[tuple[str, str], tuple[set[int], str]]:
    """Form and id of orders -> the inputs that they may be given at, by their number, and the last step that
    carries them out.

    Nothing where there is one input only: all orders are given there.
    """
    flat = [along[-1] for along in _nodes(subject.draft.sequence) if along[-1].get("leaves") is None]
    inputs = [node for node in flat if node.get("input") is not None]
    if len(inputs) < 2:
        return {}
    taken = [
        {s.value for s in find(node, ["takes"]).members() if isinstance(s.value, str)} for node in inputs
    ]
    by_step: dict[str, list[tuple[str, str]]] = {}
    for id_, row in subject.rows("orders").items():
        by_step.setdefault(str(row.get("step")), []).append(("orders", id_))
    out: dict[tuple[str, str], tuple[set[int], str]] = {}
    here: int | None = None
    for node in flat:
        if node.get("input") is not None:
            here = inputs.index(node) if node.get("takes") is None else here
        if (step := node.text("step")) is None:
            continue
        points = {number for number, steps in enumerate(taken) if step in steps} or (
            {here} if here is not None else set()
        )
        acts = [
            ("actions", act.value) for act in find(node, ["actions"]).members() if isinstance(act.value, str)
        ]
        for form, id_ in (*acts, *by_step.get(step, ())):
            if id_ in subject.nodes(form):
                before = out.get((form, id_), (set(), ""))[0]
                out[form, id_] = (before | points, step)
    return out


LOOPS = ("when", "each", "passes", "ticks", "of")
"""Keys by which a step is not carried out once, for everybody, in every turn."""


def acts_are_carried_out_once(subject: Subject) -> Iterator[Diagnostic]:
    """An action in two steps that come in every turn, without orders given in between: the first leaves
    nothing to the second.
    """
    waiting = {id_ for id_, row in subject.rows("actions").items() if "waits" in row}
    taken: set[str] = set()
    for along in _nodes(subject.draft.sequence):
        node, open_ = along[-1], any(_is_open(around) for around in along)
        if node.get("input") is not None:
            taken.clear()
        if node.text("do") != "act" or node.get("actions") is None or open_:
            continue
        acts = [act for act in find(node, ["actions"]).members() if isinstance(act.value, str)]
        for act in acts:
            if act.value in taken and act.value not in waiting:
                message = (
                    f"an earlier step carries out every order of {act.value!r}: none is left for this one"
                )
                yield diagnose("E606", message, act, hint="list it in one step")
        taken |= {act.value for act in acts}


def _is_open(node: Node) -> bool:
    """Whether a node may not come, or more than once."""
    return any(node.get(key) is not None for key in LOOPS)
