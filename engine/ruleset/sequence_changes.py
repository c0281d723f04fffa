"""The steps of a layer laid over the sequence of play below it.

A step's name is its `id`, else its `step`, `phase` or `input`; where a step and one inside it have the same,
the outer one is meant, and the inner one is written `outer/inner`. A row of `sequence` whose name the layer
below has, at whatever depth, is laid over that step like a row of any other table: keys given again,
`remove`, `append`, and `before` or `after` another step, wherever that stands. Two things only steps can
do: a new one with `wrap` holds what stood from the first to the last of the steps that it names, before its
own `steps`; one with `unwrap` goes, and the steps inside it take its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..core.diagnostics import Diagnostic, did_you_mean
from .nodes import Node, diagnose

STEPS = "steps"
WRAP, UNWRAP = "wrap", "unwrap"
PLACES = ("before", "after")
"""Keys that say where a row goes: before or after another of its table."""
NAMES = ("id", "step", "phase", "input")
STEPS_SHOWN = "`wteaw show sequence --ruleset FOLDER` lists the steps"
"""What is said where no step has a name near the one that was written."""
MAX_DEPTH = 20
"""How deep steps may stand inside steps: a row that leads deeper is refused."""

Over = Callable[[Node, Node, list[Diagnostic]], Node]
"""A row given again over the row below."""


def node_id(node: Node) -> str | None:
    """The word that a step of the sequence of play is known by."""
    return next((text for name in NAMES if (text := node.text(name))), None)


def frame_nodes(nodes: list[Node]) -> list[Node]:
    """All nodes of a sequence of play, those inside others too."""
    found: list[Node] = []
    for node in nodes:
        found.append(node)
        found += frame_nodes(_inside(node))
    return found


def place_of_row(row: Node, found: list[Diagnostic]) -> tuple[str, str] | None:
    """Where a row says that it goes: `before` or `after`, and the id of the row there."""
    said = [(key, text) for key in PLACES if (text := row.text(key))]
    for key in PLACES:
        node = row.get(key)
        if node is not None and not row.text(key):
            found.append(diagnose("E208", f"{key!r} is the id of a row, as text", row, key=key))
    if len(said) > 1:
        found.append(diagnose("E222", "a row goes before another or after one, not both", row, key="after"))
    return said[0] if len(said) == 1 else None


def says_where(step: Node) -> bool:
    """Whether a step says which others it goes beside, or around."""
    return any(step.get(key) is not None for key in (*PLACES, WRAP))


def without_place(row: Node, *more: str) -> Node:
    """A row without the keys that say where it goes, and without more keys."""
    entries = {key: value for key, value in row.value.items() if key not in (*PLACES, *more)}
    return row if len(entries) == len(row.value) else row.with_entries(entries, row.keys)


def lay_steps(below: list[Node], rows: list[Node], over: Over, found: list[Diagnostic]) -> list[Node]:
    """The sequence of play after all rows of a layer, in their order; what does not fit is added to `found`.

    Where there is nothing below, the rows are the sequence, and those that say where they go come last.
    """
    if below:
        return _Laying(below, over, found).all(rows)
    placed = [row for row in rows if says_where(row)]
    first = [row for row in rows if not says_where(row)]
    for row in first:
        for key in ("remove", "append", UNWRAP):
            if row.is_map and row.get(key) is not None:
                message = f"{key!r} changes a step of a ruleset below: there is none"
                found.append(diagnose("E221", message, row, key=key))
    return _Laying(first, over, found).all(placed)


@dataclass
class _Laying:
    """Rows that are being laid over steps."""

    nodes: list[Node]
    over: Over
    found: list[Diagnostic]
    given: dict[str, Node] = field(default_factory=dict)
    """The rows of the layer by the names that they say."""

    def all(self, rows: list[Node]) -> list[Node]:
        for row in rows:
            before = self.nodes
            if not row.is_map:
                self.nodes = [*self.nodes, row]  # told where steps have their shape
                continue
            name = node_id(row)
            if name is not None and name in self.given:
                message = f"sequence has {name!r} twice (first at {self.given[name].where})"
                self.found.append(diagnose("E205", message, row))
                continue
            if name is not None:
                self.given[name] = row
            self.nodes = self._laid(row, name)
            self.nodes = self._not_too_deep(before, row)
        return self.nodes

    def _laid(self, row: Node, name: str | None) -> list[Node]:
        """The steps with one row over them."""
        fits = self._called(name) if name is not None else []
        if len(fits) > 1:
            self._several(row, str(name), len(fits))
            return self.nodes
        if not fits:
            return self._new(row, name)
        aim = fits[0]
        if row.get(WRAP) is not None:
            return self._refused(row, WRAP, f"a step that wraps others is new, and there is a step {name!r}")
        removal = row.get("remove")
        gone = removal is not None and not removal.is_list
        if gone or row.get(UNWRAP) is not None:
            return self._gone(row, aim, "remove" if gone else UNWRAP)
        where = place_of_row(row, self.found)
        again = self.over(aim, without_place(row, "id"), self.found)
        if where is None:
            return _put(self.nodes, aim, [again])
        rest = _put(self.nodes, aim, [])
        return self._beside(rest, again, where, row) or self.nodes

    def _gone(self, row: Node, aim: Node, key: str) -> list[Node]:
        """The steps without one, or with the steps inside it in its place."""
        if row.value[key].value is not True:
            return self._refused(
                row, key, f"{key!r} is true{', or a list of keys' * (key == 'remove')}", "E222"
            )
        extra = [k for k in row.value if k not in (*NAMES, key, "note", "source")]
        if extra:
            self._refused(row, extra[0], f"a step that goes cannot say {extra[0]!r} as well", "E222")
        inner = _inside(aim)
        if key == UNWRAP and not inner:
            return self._refused(row, key, "the step has no steps to take its place")
        return _put(self.nodes, aim, inner if key == UNWRAP else [])

    def _new(self, row: Node, name: str | None) -> list[Node]:
        """The steps with a new one."""
        for key in ("remove", "append", UNWRAP):
            if row.get(key) is not None:
                self._refused(row, key, f"the sequence has no step {name!r}", "E221", self._near(str(name)))
                return self.nodes
        if name is not None and "/" in name:
            return self._refused(row, None, f"the sequence has no step {name!r}", hint=self._near(name))
        where = place_of_row(row, self.found)
        if row.get(WRAP) is not None:
            return self._wrapped(row)
        if where is None:
            return [*self.nodes, without_place(row)]
        return self._beside(self.nodes, without_place(row), where, row) or self.nodes

    def _beside(self, nodes: list[Node], node: Node, where: tuple[str, str], row: Node) -> list[Node] | None:
        """The steps with one more before or after another; None if that is not there."""
        key, word = where
        to = self._aim(nodes, word, row.value[key])
        if to is None:
            return None
        return _put(nodes, to, [node, to] if key == "before" else [to, node])

    def _wrapped(self, row: Node) -> list[Node]:
        """The steps with some of them inside a new one: from the first to the last that it names."""
        said = row.value[WRAP]
        ends = said.members() if said.is_list else [said]
        aims = [self._aim(self.nodes, str(end.value), end) for end in ends]
        if not aims or any(aim is None for aim in aims):
            return self.nodes
        beside = _from_to(self.nodes, aims[0], aims[-1])  # type: ignore[arg-type]  # none is None
        if beside is None or len(aims) > 2:
            return self._refused(
                row, WRAP, "`wrap` names a step, or the first and the last of several in a row"
            )
        around = without_place(row, WRAP)
        steps = Node([*beside, *_inside(around)], said.file, said.line, said.column)
        keys = {STEPS: (said.file, said.line, said.column), **around.keys}
        nodes = self.nodes
        for node in beside[1:]:
            nodes = _put(nodes, node, [])
        return _put(nodes, beside[0], [around.with_entries({**around.value, STEPS: steps}, keys)])

    # ---- which step is meant

    def _called(self, name: str, nodes: list[Node] | None = None) -> list[Node]:
        """The outermost steps of a name, or of a path of names."""
        words = tuple(name.split("/"))
        fits = [
            (path, node)
            for path, node in _paths(self.nodes if nodes is None else nodes, ())
            if path[-len(words) :] == words
        ]
        return [
            node
            for path, node in fits
            if not any(path[: len(p)] == p and len(p) < len(path) for p, _ in fits)
        ]

    def _aim(self, nodes: list[Node], name: str, at: Node) -> Node | None:
        """The one step of a name, or None with what is wrong."""
        fits = self._called(name, nodes)
        if len(fits) == 1:
            return fits[0]
        if fits:
            self._several(at, name, len(fits))
        else:
            hint = self._near(name)
            self.found.append(diagnose("E226", f"the sequence has no step {name!r}", at, hint=hint))
        return None

    def _near(self, name: str) -> str:
        ids = [path[-1] for path, _ in _paths(self.nodes, ()) if path[-1]]
        return did_you_mean(name, ids) or STEPS_SHOWN

    def _several(self, at: Node, name: str, number: int) -> None:
        message = f"the sequence has {number} steps called {name!r}"
        hint = "give one of them an `id`, or name the step around it: OUTER/INNER"
        self.found.append(diagnose("E226", message, at, hint=hint))

    def _refused(
        self, row: Node, key: str | None, message: str, code: str = "E226", hint: str = ""
    ) -> list[Node]:
        self.found.append(diagnose(code, message, row, key=key, hint=hint))
        return self.nodes

    def _not_too_deep(self, before: list[Node], row: Node) -> list[Node]:
        level, depth = self.nodes, 0
        while level and depth <= MAX_DEPTH:
            level = [child for node in level for child in _inside(node)]
            depth += 1
        if depth <= MAX_DEPTH:
            return self.nodes
        message = f"steps of the sequence inside one another, more than {MAX_DEPTH} deep"
        self.found.append(diagnose("E226", message, row))
        return before


def _inside(node: Node) -> list[Node]:
    """The steps inside a step."""
    inner = node.get(STEPS) if node.is_map else None
    return list(inner.members()) if inner is not None else []


def _put(nodes: list[Node], aim: Node, instead: list[Node]) -> list[Node]:
    """The steps with others in the place of one, at whatever depth."""
    out: list[Node] = []
    for node in nodes:
        if node is aim:
            out += instead
            continue
        inner = _inside(node)
        if any(n is aim for n in frame_nodes(inner)):
            old = node.value[STEPS]
            steps = Node(_put(inner, aim, instead), old.file, old.line, old.column)
            node = node.with_entries({**node.value, STEPS: steps}, node.keys)
        out.append(node)
    return out


def _paths(nodes: list[Node], above: tuple[str, ...]) -> list[tuple[tuple[str, ...], Node]]:
    """Every step with the names of those around it and its own."""
    out: list[tuple[tuple[str, ...], Node]] = []
    for node in nodes:
        path = (*above, (node_id(node) if node.is_map else None) or "")
        out.append((path, node))
        out += _paths(_inside(node), path)
    return out


def _from_to(nodes: list[Node], one: Node, other: Node) -> list[Node] | None:
    """The steps from one to another that stands in the same list, not before it."""
    places = {id(node): number for number, node in enumerate(nodes)}
    if id(one) in places:
        first, last = places[id(one)], places.get(id(other), -1)
        return nodes[first : last + 1] if last >= first else None
    return next((found for node in nodes if (found := _from_to(_inside(node), one, other)) is not None), None)
