"""Verdicts: results of things that depend on each other, settled between bounds (definitions with a
`fixpoint`).

`settled` finds them all at once: whatever is certain is settled, again and again, until nothing changes. What
is left then depends on itself: in the smallest rings of such verdicts the first row that says what is `left`
for them settles its own, and the rest goes on. The order in which things are asked changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.model import Row, Ruleset, derived_of
from ..core.state import Entity
from ..ruleset.expressions import ExpressionError
from ..ruleset.expressions.bounds import BoundsCompiler, Run, is_verdict, open_names
from ..ruleset.expressions.parse import strip_mark
from .selections import apply, as_set, weight

if TYPE_CHECKING:
    from .world import World


TABLE = "verdicts"
"""Table of the state: thing (`kind:id`) -> verdict -> true or false, from the step that settled it to the
next that does.
"""


class OpenVerdict(NamedTuple):
    """One verdict to be settled: the id of its row and the thing it is about."""

    verdict: str
    thing: Entity


@derived_of("definitions")
def _open_names(ruleset: Ruleset) -> frozenset[str]:
    """The verdicts of a ruleset, and the definitions that lead to one."""
    return open_names(ruleset.rows("definitions"))


@derived_of("definitions")
def _read_between(ruleset: Ruleset, name: str) -> tuple[Sequence[tuple[str, str]], Run] | None:
    """The parameters of a definition that leads to verdicts (name and kind of each), and its value between
    bounds; None of a verdict."""
    row = ruleset.row("definitions", name)
    if is_verdict(row):
        return None
    parameters = [(n or k, k) for n, _, k in (str(of).rpartition(":") for of in row.get("of", ()))]
    return parameters, _bounds(ruleset, str(row["is"]))


@derived_of("definitions")
def _bounds(ruleset: Ruleset, text: str) -> Run:
    """An expression as it is read between bounds."""
    return BoundsCompiler(_open_names(ruleset)).bounds(strip_mark(text))


def kind_of(row: Row) -> tuple[str, str]:
    """The name under which a verdict's expressions know its thing, and the kind of that."""
    name, _, kind = str(row["of"][0]).rpartition(":")
    return name or kind, kind


def subject_of(one: OpenVerdict) -> str:
    """The row of the state in which a verdict stands."""
    return f"{one.thing.kind}:{one.thing.id}"


def settled(world: World, rows: Sequence[Row]) -> dict[OpenVerdict, bool]:
    """Every verdict of the rows. Raises ExpressionError where a rule cannot be judged between bounds."""
    return Settling(world, rows).run()


class Settling:
    """Bounds of open verdicts over one state, which stays as it is. `known` is what has been settled."""

    def __init__(self, world: World, rows: Sequence[Row]) -> None:
        self.world = world
        self.evaluator = world.evaluator
        self.rows = {row["id"]: row for row in rows}
        self.known: dict[OpenVerdict, bool] = {}
        self.open: dict[OpenVerdict, None] = {}
        self.asked: set[OpenVerdict] = set()  # the open verdicts that the value being found has read
        self.hangs_on: dict[OpenVerdict, set[OpenVerdict]] = {}
        self._values: dict[tuple[str, tuple[Any, ...], bool], tuple[Any, frozenset[OpenVerdict]]] = {}
        self._used_by: dict[OpenVerdict, set[tuple[str, tuple[Any, ...], bool]]] = {}
        self._always = dict(world.always())
        self._leads = _open_names(world.ruleset)
        for row in rows:
            things = as_set(world, world.value(strip_mark(row["fixpoint"]["over"]), {}))
            self.open |= {OpenVerdict(row["id"], thing): None for thing in things}

    def run(self) -> dict[OpenVerdict, bool]:
        due = list(self.open)
        while self.open:
            while due:
                found = [one for one in due if self._look_at(one)]
                due = [one for one in self.open if not self.hangs_on[one].isdisjoint(found)] if found else []
            if not self.open:
                break
            ring = self._ring()
            freed = self._left(ring)
            due = [one for one in self.open if not self.hangs_on[one].isdisjoint(freed)]
        return self.known

    def _look_at(self, one: OpenVerdict) -> bool:
        """Settle a verdict if its bounds agree; else note what it depends on."""
        row = self.rows[one.verdict]
        test = _bounds(self.world.ruleset, str(row["is"]))
        names = {**self._always, kind_of(row)[0]: one.thing}
        self.asked = set()
        if test(self, names, False):
            self._settle(one, True)
            return True
        if not test(self, names, True):
            self._settle(one, False)
            return True
        self.hangs_on[one] = self.asked
        return False

    def _settle(self, one: OpenVerdict, how: bool) -> None:
        self.known[one] = how
        del self.open[one]
        self.hangs_on.pop(one, None)
        for key in self._used_by.pop(one, ()):
            self._values.pop(key, None)

    # ---- what depends on itself

    def _ring(self) -> list[OpenVerdict]:
        """Open verdicts that depend on each other and on no others: the first such set, in order."""
        place = {one: n for n, one in enumerate(self.open)}
        rings = (
            r
            for r in _components(list(self.open), self.hangs_on)
            if all(self.hangs_on[one] <= set(r) for one in r)
        )
        return sorted(min(rings, key=lambda r: min(place[one] for one in r)), key=place.__getitem__)

    def _left(self, ring: Sequence[OpenVerdict]) -> list[OpenVerdict]:
        """Settle what a ring leaves open by the first row that has a rule for its verdicts there."""
        for id_, row in self.rows.items():
            name = kind_of(row)[0]
            found = []
            for one in ring:
                if one.verdict == id_:
                    names = {**self._always, name: one.thing}
                    rule = next(
                        (r for r in row["fixpoint"].get("left", ()) if self.world.test(r.get("when"), names)),
                        None,
                    )
                    if rule is not None:
                        found.append((one, bool(rule["is"])))
            for one, how in found:
                self._settle(one, how)
            if found:
                return [one for one, _ in found]
        names_ = ", ".join(f"{one.verdict}({one.thing.id})" for one in ring)
        raise ExpressionError(f"verdicts that depend on each other, and no row says what is left: {names_}")

    # ---- bounds

    def of(self, name: str, thing: Any, rest: tuple[Any, ...], high: bool) -> Any:
        """A bound of a verdict, a definition or a field of a thing."""
        if name in self.rows:
            one = OpenVerdict(name, thing)
            found = self.known.get(one)
            if found is None and one in self.open:
                self.asked.add(one)
                return high
            return bool(found)
        if name not in self._leads:
            return apply(self.world, thing, name, rest)
        read = _read_between(self.world.ruleset, name)
        if read is None:  # a verdict of an earlier step
            return apply(self.world, thing, name, rest)
        return self._term(name, (thing, *rest), high, *read)

    def _term(
        self,
        name: str,
        args: tuple[Any, ...],
        high: bool,
        parameters: Sequence[tuple[str, str]],
        value_of: Run,
    ) -> Any:
        key = (name, args, high)
        kept = self._values.get(key)
        if kept is not None:
            self.asked |= kept[1]
            return kept[0]
        names = dict(self._always)
        for (known_as, kind), arg in zip(parameters, args, strict=True):
            names[known_as] = self.world.thing(arg, kind) if isinstance(arg, str) else arg
        outer, self.asked = self.asked, set()
        value = value_of(self, names, high)
        inner, self.asked = self.asked, outer
        self._values[key] = value, frozenset(inner)
        for one in inner:
            self._used_by.setdefault(one, set()).add(key)
        self.asked |= inner
        return value

    def members(self, value: Any) -> tuple[Any, ...]:
        return as_set(self.world, value)

    def weight(self, thing: Any) -> int:
        return weight(self.world, thing)

    def joined(self, start: Any, goals: Any, passes: Callable[[Entity], bool]) -> bool:
        wanted = {thing.id for thing in as_set(self.world, goals)}
        known: dict[str, bool] = {}

        def through(place: str) -> bool:
            if place not in known:
                known[place] = passes(Entity("place", place))
            return known[place]

        return any(place in wanted for place in self.world.geography.reachable(start.id, through))


def _components(
    nodes: Iterable[OpenVerdict], edges: Mapping[OpenVerdict, set[OpenVerdict]]
) -> Iterator[list[OpenVerdict]]:
    """The sets of nodes that lead to each other (strongly connected components)."""
    import networkx as nx  # heavy, and few rulesets have results that depend on each other

    graph: nx.DiGraph[OpenVerdict] = nx.DiGraph()
    for node in nodes:
        graph.add_node(node)
        graph.add_edges_from((node, other) for other in edges[node])
    for found in nx.strongly_connected_components(graph):
        yield list(found)
