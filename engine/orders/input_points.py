"""When orders are accepted and carried out: at which input point of the sequence, in which phase, before or
after money comes in.

Read from the ruleset alone, once; the checker, the list of legal orders and the bots share it. Orders are
named by their keys ("form/id").
"""

from __future__ import annotations

from collections.abc import Iterable

from ..core.frame import inputs, nodes_in, step_name, steps
from ..core.model import Ruleset, derived_of
from ..ruleset.expressions.parse import parse
from ..turn.sequence import places_of, step_orders, steps_of_orders
from ..world.world import World

_OF_THE_TURN = frozenset({"turn", "year", "season"})
"""What nothing done in a turn changes."""


@derived_of()
def all_or_none(ruleset: Ruleset) -> list[frozenset[str]]:
    """The orders ("form/id") of each part of the sequence in which those of a nation are all paid, or none is
    carried out."""
    blocks = [node for _, node, _ in nodes_in(ruleset.sequence) if node.get("all_or_none")]
    return [
        frozenset(key for node in steps(block["steps"]) for key in step_orders(ruleset, node))
        for block in blocks
    ]


def steps_that(ruleset: Ruleset, mechanics: Iterable[str]) -> set[str]:
    """The names of the steps of the sequence of play that one of some mechanics carries out."""
    by_mechanic = _by_mechanic(ruleset)
    return set().union(*(by_mechanic.get(name, ()) for name in mechanics))


@derived_of()
def _by_mechanic(ruleset: Ruleset) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for node in steps(ruleset.sequence):
        out.setdefault(node["do"], set()).add(step_name(node))
    return out


def orders_now(world: World) -> set[str] | None:
    """The orders that the input point at which the game waits takes; None: all (the sequence has one input
    point).

    Those of steps that are not in this turn (`when`), by its date or an option of the game, are not among
    them.
    """
    ruleset = world.ruleset
    if world.state.get("game", "game", "ended"):
        return set()
    points = _points(ruleset)
    cursor = world.state.get("game", "game", "cursor") or []
    here = tuple(level["i"] for level in cursor)
    taken: set[str] | None = points.get(here) if len(points) > 1 else None
    passed = _passed_over(world)
    if not passed:
        return taken
    return (_every_order(ruleset) if taken is None else taken) - passed


def may_come_now(world: World, key: str) -> bool:
    """Whether the input point at which the game waits takes orders of a row ("form/id")."""
    now = orders_now(world)
    return now is None or key in now


def _passed_over(world: World) -> set[str]:
    """The orders that only steps carry out which this turn does not have: by its date or an option, whatever
    is done in it."""
    asked = _asked_of_the_turn(world.ruleset)

    def passed() -> set[str]:
        return {key for key, steps in asked.items() if not any(_all_hold(world, tests) for tests in steps)}

    return world.keep("orders passed over", None, passed) if asked else set()


def _all_hold(world: World, tests: Iterable[str]) -> bool:
    return all(world.test(test, {}) for test in tests)


@derived_of()
def _asked_of_the_turn(ruleset: Ruleset) -> dict[str, list[list[str]]]:
    """Of orders that no step carries out every turn: what each of their steps, and those around it, ask that
    nothing done in a turn changes."""
    out = {}
    for key, found in steps_of_orders(ruleset).items():
        asked = [[test for test in tests if _is_of_the_turn(test)] for *_, tests in found]
        if all(asked):
            out[key] = asked
    return out


def is_left_out(world: World, key: str) -> bool:
    """Whether this turn has no step that carries out orders of a row ("form/id"): by its date or an option,
    or as the position was when the turn came past.
    """
    found = places_of(world.ruleset, key)
    here = tuple(level["i"] for level in world.state.get("game", "game", "cursor") or ())
    return bool(found) and all(
        any(
            not world.test(test, {})
            for test in tests
            if _is_of_the_turn(test) or (at < here and parse(test).names <= _OF_THE_TURN)
        )
        for at, _, tests in found
    )


def _is_of_the_turn(test: str) -> bool:
    """Whether a test asks for nothing that can change within a turn."""
    expression = parse(test)
    return expression.names <= _OF_THE_TURN and expression.functions <= {"option"} and not expression.fields


def _every_order(ruleset: Ruleset) -> set[str]:
    return {f"{form}/{id_}" for form in ("actions", "orders", "decisions") for id_ in ruleset.rows(form)}


@derived_of()
def _points(ruleset: Ruleset) -> dict[tuple[int, ...], set[str]]:
    """Where the input points are in the sequence, and the orders taken at each: those of the steps up to the
    next.

    A point that `takes` orders of some steps does not end those of the point before, which has these, too, if
    they are `early`.
    """
    flat = list(nodes_in(ruleset.sequence))
    out: dict[tuple[int, ...], set[str]] = {}
    here: set[str] = set()
    apart: set[str] = set()
    for at, node, _ in flat:
        if "takes" in node:
            mine = out.setdefault(at, set())
            for _, other, _ in flat:
                mine.update(step_orders(ruleset, other) if other.get("step") in node["takes"] else ())
            if not node.get("early"):
                apart.update(node["takes"])
        elif "leaves" in node:  # the moderator is asked, and the nations' orders stand
            out.setdefault(at, set())
        elif "input" in node:
            here = out.setdefault(at, set())
        elif node.get("step") in apart:
            continue
        elif "do" in node:
            here.update(step_orders(ruleset, node))
    if len(inputs(ruleset.sequence)) < 2:
        return {}
    every = {f"decisions/{d}" for d in ruleset.rows("decisions")}
    for taken in out.values():
        taken |= every
    return out


@derived_of()
def by_phase(ruleset: Ruleset) -> list[tuple[str, list[str]]]:
    """The phases of the sequence by name with the orders ("form/id") that their steps carry out, in the order
    of the turn."""
    out: list[tuple[str, list[str]]] = []
    for node in nodes_in(ruleset.sequence):
        if "do" in node.row:
            phase = node.nearest("phase") or {"phase": "Orders"}
            title, keys = str(phase.get("name", phase["phase"])), step_orders(ruleset, node.row)
            if out and out[-1][0] == title:
                out[-1][1].extend(keys)
            else:
                out.append((title, keys))
    return out


@derived_of()
def late_money(ruleset: Ruleset) -> set[str]:
    """The orders before whose step, after the orders are given, resources are collected: lack of means only
    warns."""
    out: set[str] = set()
    collected = False
    for _, node, _ in nodes_in(ruleset.sequence):
        if "input" in node and not node.keys() & {"takes", "leaves"}:
            collected = False
        elif node.get("do") == "collect":
            collected = True
        elif "do" in node and collected:
            out.update(step_orders(ruleset, node))
    return out
