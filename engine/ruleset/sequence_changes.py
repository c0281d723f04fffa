"""Changes of single steps of the sequence of play, by their ids.

A node's id is its `id`, else its `step`, `phase` or `input`; where a node and one inside it have the same,
the outer one is meant, and the inner one is written `outer/inner`. A row of `sequence_changes` names a node
and says one of: `drop` it, `unwrap` it (its steps take its place), `move` it before or after another,
`replace` it by nodes, put nodes `before` or `after` it, `set` keys of it, `wrap` it in a node (whose `steps`
then hold it); with `through`, all the nodes from it up to that one beside it are wrapped together. What a
change cites as its `source`, the nodes that it makes or alters cite as well. The node `all` stands for the
whole sequence and can only be wrapped, or have nodes put before or after it.
"""

from __future__ import annotations

from ..core.diagnostics import Diagnostic, did_you_mean
from .nodes import Node, diagnose

WHOLE = "all"
STEPS = "steps"
THROUGH = "through"
SOURCE = "source"
NAMES = ("id", "step", "phase", "input")
STEPS_SHOWN = "`wteaw show sequence --ruleset FOLDER` lists the steps"
"""What is said where no step has a name near the one that was written."""
MAX_DEPTH = 20
"""How deep nodes may stand inside nodes: a change that leads deeper is refused."""
ACTIONS = ("drop", "unwrap", "move", "replace", "before", "after", "set", "wrap")


def node_id(node: Node) -> str | None:
    """The word that a step of the sequence of play is known by."""
    return next((text for name in NAMES if (text := node.text(name))), None)


def frame_nodes(nodes: list[Node]) -> list[Node]:
    """All nodes of a sequence of play, those inside others too."""
    found: list[Node] = []
    for node in nodes:
        found.append(node)
        inner = node.get(STEPS)
        if inner is not None:
            found += frame_nodes(list(inner.members()))
    return found


def change_sequence(nodes: list[Node], changes: list[Node]) -> tuple[list[Node], list[Diagnostic]]:
    """The frame after all changes, in their order."""
    found: list[Diagnostic] = []
    for change in changes:
        target = change.text("step")
        actions = [a for a in ACTIONS if change.get(a) is not None]
        if target is None or len(actions) != 1:
            message = f"a change of the sequence needs `step` and one of {', '.join(ACTIONS)}"
            found.append(diagnose("E226", message, change))
            continue
        before = nodes
        if target == WHOLE:
            nodes = _whole(nodes, change, actions[0], found)
            nodes = _not_too_deep(nodes, before, change, found)
            continue
        aim = _aim(nodes, target, change, "step", found)
        last = aim
        if aim is not None and change.get(THROUGH) is not None:
            last = _aim(nodes, str(change.text(THROUGH)), change, THROUGH, found)
            if last is not None and (actions[0] != "wrap" or not _beside(nodes, aim, last)):
                message = f"`through` goes with `wrap`, to a step that comes later beside {target!r}"
                found.append(diagnose("E226", message, change.get(THROUGH)))
                last = None
        if aim is None or last is None:
            continue
        if actions[0] == "move":
            nodes = _moved(nodes, aim, change, found)
        else:
            nodes = _changed(nodes, (aim, last), change, actions[0], found)
        nodes = _not_too_deep(nodes, before, change, found)
    return nodes, found


def _aim(nodes: list[Node], target: str, change: Node, key: str, found: list[Diagnostic]) -> Node | None:
    """The one node of that name (or path of names), or None with what is wrong."""
    paths = _paths(nodes, ())
    words = tuple(target.split("/"))
    fits = [(path, node) for path, node in paths if path[-len(words) :] == words]
    outer = [
        node for path, node in fits if not any(path[: len(p)] == p and len(p) < len(path) for p, _ in fits)
    ]
    if len(outer) == 1:
        return outer[0]
    ids = [i for path, _ in paths for i in path[-1:] if i]
    several = f"{len(outer)} steps called {target!r}" if outer else f"no step {target!r}"
    hint = (
        "give one of them an `id`, or name the step around it: OUTER/INNER"
        if outer
        else did_you_mean(target, ids) or STEPS_SHOWN
    )
    found.append(diagnose("E226", f"the sequence has {several}", change.get(key), hint=hint))
    return None


def _paths(nodes: list[Node], above: tuple[str, ...]) -> list[tuple[tuple[str, ...], Node]]:
    """Every node with the names of those around it and its own."""
    out: list[tuple[tuple[str, ...], Node]] = []
    for node in nodes:
        path = (*above, node_id(node) or "")
        out.append((path, node))
        inner = node.get(STEPS)
        if inner is not None:
            out += _paths(list(inner.members()), path)
    return out


def _beside(nodes: list[Node], one: Node, other: Node) -> bool:
    """Whether two nodes stand in one list, the second not before the first."""
    if any(n is one for n in nodes):
        places = {id(n): i for i, n in enumerate(nodes)}
        return id(other) in places and places[id(one)] <= places[id(other)]
    return any(
        _beside(list(inner.members()), one, other) for n in nodes if (inner := n.get(STEPS)) is not None
    )


def _not_too_deep(nodes: list[Node], before: list[Node], change: Node, found: list[Diagnostic]) -> list[Node]:
    level, depth = nodes, 0
    while level and depth <= MAX_DEPTH:
        below = [inner for node in level if (inner := node.get(STEPS)) is not None]
        level = [child for inner in below for child in inner.members()]
        depth += 1
    if depth <= MAX_DEPTH:
        return nodes
    found.append(
        diagnose("E226", f"steps of the sequence inside one another, more than {MAX_DEPTH} deep", change)
    )
    return before


def _whole(nodes: list[Node], change: Node, action: str, found: list[Diagnostic]) -> list[Node]:
    what = change.value[action]
    match action:
        case "before":
            return [*what.members(), *nodes]
        case "after":
            return [*nodes, *what.members()]
        case "wrap" if what.is_map:
            return [_wrapped(nodes, what)]
    message = f"the whole sequence cannot be changed by {action!r}"
    found.append(diagnose("E226", message, change, key=action, hint="give `sequence` again"))
    return nodes


def _changed(
    nodes: list[Node], aim: tuple[Node, Node], change: Node, action: str, found: list[Diagnostic]
) -> list[Node]:
    out: list[Node] = []
    what = change.value[action]
    first, last = aim
    if any(n is first for n in nodes) and action == "wrap" and what.is_map:
        start, end = (next(i for i, n in enumerate(nodes) if n is a) for a in (first, last))
        return [
            *nodes[:start],
            _sourced(_wrapped(nodes[start : end + 1], what), change.get(SOURCE)),
            *nodes[end + 1 :],
        ]
    for node in nodes:
        if node is not first:
            inner = node.get(STEPS)
            if inner is not None and any(n is first for n in frame_nodes(list(inner.members()))):
                steps = Node(
                    _changed(list(inner.members()), aim, change, action, found),
                    inner.file,
                    inner.line,
                    inner.column,
                )
                node = node.with_entries({**node.value, STEPS: steps}, node.keys)
            out.append(node)
            continue
        source = change.get(SOURCE)
        match action:
            case "drop":
                pass
            case "unwrap":
                inner = node.get(STEPS)
                if inner is None:
                    found.append(diagnose("E226", "the step has no steps to take its place", what))
                    out.append(node)
                else:
                    out += inner.members()
            case "replace":
                out += [_sourced(n, source) for n in (what.members() if what.is_list else [what])]
            case "before":
                out += [*(_sourced(n, source) for n in what.members()), node]
            case "after":
                out += [node, *(_sourced(n, source) for n in what.members())]
            case "set" if what.is_map:
                out.append(
                    _sourced(
                        node.with_entries({**node.value, **what.value}, {**node.keys, **what.keys}), source
                    )
                )
            case _:
                found.append(diagnose("E226", f"{action!r} must be a map", what))
                out.append(node)
    return out


def _sourced(node: Node, source: Node | None) -> Node:
    """A node that also cites what its change cites."""
    if source is None or not source.is_list:
        return node
    old = node.get(SOURCE)
    said = [s.value for s in old.members()] if old is not None else []
    more = [s for s in source.members() if s.value not in said]
    both = Node([*(old.members() if old is not None else ()), *more], source.file, source.line, source.column)
    return node.with_entries(
        {**node.value, SOURCE: both}, {**node.keys, SOURCE: (source.file, source.line, source.column)}
    )


def _moved(nodes: list[Node], aim: Node, change: Node, found: list[Diagnostic]) -> list[Node]:
    """The frame with a node put before or after another one."""
    how = change.value["move"]
    where = next((k for k in ("before", "after") if how.text(k)), None)
    if where is None or len(how.value) != 1:
        found.append(diagnose("E226", "`move` says one of before and after, and a step", how))
        return nodes
    without = _changed(
        nodes, (aim, aim), change.with_entries({**change.value, "drop": how}, change.keys), "drop", found
    )
    to = _aim(without, str(how.text(where)), how, where, found)
    if to is None:
        return nodes
    beside = change.with_entries({where: Node([aim], how.file, how.line, how.column)}, {})
    return _changed(without, (to, to), beside, where, found)


def _wrapped(nodes: list[Node], around: Node) -> Node:
    """The nodes inside another: before what that one already holds there."""
    inner = around.get(STEPS)
    steps = Node([*nodes, *(inner.members() if inner else [])], around.file, around.line, around.column)
    keys = {STEPS: (around.file, around.line, around.column), **around.keys}
    return around.with_entries({**around.value, STEPS: steps}, keys)
