"""Shortest ways over links of some kinds between places that lie beside them: how many there are without a
common place.

Used for what travels by itself (money, goods). Pure functions of the map; which places are shut is the
caller's question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .geography import Geography

Lane = tuple[str, ...]
"""The places crossed, in their order, without the two ends."""


def shortest_lanes(
    geography: Geography,
    starts: Iterable[str],
    ends: Iterable[str],
    links: Sequence[str],
    quays: Sequence[str],
    named: Iterable[str] = (),
    passes: Callable[[str, str], bool] | None = None,
) -> list[Lane]:
    """The shortest ways from any start to any end that share no place, as many as can be, first by ids; empty
    if there is none.

    `links` are crossed, `quays` join the ends to them; `passes` says whether a step from one place to the
    next is open. A lane through the places `named` comes first, if it is a shortest one.
    """
    layers = _layers(geography, starts, ends, tuple(links), tuple(quays), passes)
    if not layers:
        return []
    first = _through(layers, set(named))
    if first is None:
        return sorted(_disjoint(layers))
    rest = [
        {p: [q for q in after if q not in first] for p, after in layer.items() if p not in first}
        for layer in layers
    ]
    return [first, *sorted(_disjoint(rest))]


def joined(
    geography: Geography,
    starts: Iterable[str],
    ends: Iterable[str],
    links: Sequence[str],
    quays: Sequence[str],
    passes: Callable[[str, str], bool] | None = None,
) -> bool:
    """Whether there is any way from a start to an end, as `shortest_lanes` finds them."""
    return bool(_layers(geography, starts, ends, tuple(links), tuple(quays), passes))


Layers = list[dict[str, list[str]]]
"""Place -> the places of the next layer that it leads to; in the last layer every place leads nowhere."""


def _layers(
    geography: Geography,
    starts: Iterable[str],
    ends: Iterable[str],
    links: tuple[str, ...],
    quays: tuple[str, ...],
    passes: Callable[[str, str], bool] | None,
) -> Layers:
    """The places of all shortest ways, by their distance from the starts."""
    goals = {p for end in ends for p in geography.next_to(end, quays)}
    came: dict[str, list[str]] = {p: [] for start in starts for p in geography.next_to(start, quays)}
    rounds = [sorted(came)]
    while rounds[-1] and not goals & set(rounds[-1]):
        following: dict[str, list[str]] = {}
        for place in rounds[-1]:
            for near in geography.next_to(place, links):
                if near not in came and (passes is None or passes(place, near)):
                    following.setdefault(near, []).append(place)
        came.update(following)
        rounds.append(sorted(following))
    kept = goals & set(rounds[-1])
    layers: Layers = [{p: [] for p in sorted(kept)}] if kept else []
    while layers and len(layers) < len(rounds):
        before: dict[str, list[str]] = {}
        for place in layers[0]:
            for near in came[place]:
                before.setdefault(near, []).append(place)
        layers.insert(0, {p: sorted(before[p]) for p in sorted(before)})
    return layers


def _through(layers: Layers, named: set[str]) -> Lane | None:
    """A shortest lane that uses as many of the named places as any, if it uses one."""
    if not named:
        return None
    best: dict[str, tuple[int, Lane]] = {}
    for layer in reversed(layers):
        best = {
            place: min(
                ((best[q][0] - (place in named), (place, *best[q][1])) for q in after if q in best),
                default=(-(place in named), (place,)),
            )
            for place, after in layer.items()
        }
    score, lane = min(best.values())
    return lane if score < 0 else None


def _disjoint(layers: Layers) -> list[Lane]:
    """As many lanes without a common place as the layers hold: a flow of one through every place."""
    import networkx as nx  # heavy, and few orders ask for more than one way

    graph: nx.DiGraph[Any] = nx.DiGraph()
    last = len(layers) - 1
    for depth, layer in enumerate(layers):
        for place, after in layer.items():
            graph.add_edge((place, "in"), (place, "out"), capacity=1)
            if depth == 0:
                graph.add_edge("start", (place, "in"), capacity=1)
            if depth == last:
                graph.add_edge((place, "out"), "end", capacity=1)
            for near in after:
                graph.add_edge((place, "out"), (near, "in"), capacity=1)
    if "start" not in graph or "end" not in graph:
        return []
    _, flow = nx.maximum_flow(graph, "start", "end", flow_func=nx.algorithms.flow.edmonds_karp)
    lanes = []
    for entry in sorted(n for n, used in flow["start"].items() if used):
        lane = [entry[0]]
        while True:
            out = next(n for n, used in flow[(lane[-1], "out")].items() if used)
            if out == "end":
                break
            lane.append(out[0])
        lanes.append(tuple(lane))
    return lanes
