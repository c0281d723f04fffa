"""Does the map hold together? Links, passages and their keys, and places that cannot be reached or left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.diagnostics import Diagnostic
from ..nodes import Node, diagnose, find
from .subject import Subject

if TYPE_CHECKING:
    import networkx as nx  # heavy, and not needed for what the cache has

__all__ = [
    "gates_stand_between_linked_places",
    "keys_of_gates_touch_them",
    "links_join_two_places",
    "links_name_the_gate_between_their_ends",
    "lists_of_links_agree_with_the_links",
    "places_can_be_left",
    "places_can_be_reached",
    "places_have_links",
]


def links_join_two_places(subject: Subject) -> Iterator[Diagnostic]:
    """A link needs two ends."""
    for id_, row in subject.rows("links").items():
        if row["between"][0] == row["between"][1]:
            yield diagnose(
                "E501", "error", "a link from a place to itself", _at(subject, "links", id_, "between")
            )


def places_have_links(subject: Subject) -> Iterator[Diagnostic]:
    """A place without any link is out of the game."""
    graph = _graph(subject)
    for id_ in subject.rows("places") if subject.nodes("links") else ():
        if not graph.degree(id_):
            yield diagnose("W502", "warning", f"no link leads to {id_!r}", _at(subject, "places", id_))


def places_can_be_reached(subject: Subject) -> Iterator[Diagnostic]:
    """From the places that somebody owns (or else from the largest part of the map), there must be a way to
    each place.
    """
    import networkx as nx  # heavy, and not needed for what the cache has

    graph = _graph(subject)
    if not graph.number_of_edges():
        return
    owned = {id_ for id_, row in subject.rows("places").items() if row.get("owner") and graph.degree(id_)}
    reached = owned or max(nx.weakly_connected_components(graph), key=lambda part: (len(part), min(part)))
    for steps in nx.bfs_layers(graph, owned) if owned else ():
        reached |= set(steps)
    for id_ in subject.rows("places"):
        if graph.degree(id_) and id_ not in reached:
            yield diagnose("W503", "warning", f"nobody can reach {id_!r}", _at(subject, "places", id_))


def places_can_be_left(subject: Subject) -> Iterator[Diagnostic]:
    """Links are passable both ways unless they say `one_way`: a place with only ways in is a trap, most
    likely a mistake.
    """
    graph = _graph(subject)
    for id_ in subject.rows("places"):
        if graph.in_degree(id_) and not graph.out_degree(id_):
            message = f"{id_!r} can be entered but never left: every link from it is `one_way`"
            yield diagnose("W504", "warning", message, _at(subject, "places", id_))
        elif graph.out_degree(id_) and not graph.in_degree(id_):
            message = f"{id_!r} can be left but never entered: every link to it is `one_way`"
            yield diagnose("W504", "warning", message, _at(subject, "places", id_))


def gates_stand_between_linked_places(subject: Subject) -> Iterator[Diagnostic]:
    """A passage closes a link, so there must be one."""
    graph = _graph(subject)
    places = subject.nodes("places")
    for id_, row in subject.rows("passages").items():
        a, b = row["between"]
        if a in places and b in places and not graph.has_edge(a, b) and not graph.has_edge(b, a):
            message = f"the passage stands between {a!r} and {b!r}, which are not linked"
            near = sorted({*graph.predecessors(a), *graph.successors(a)}) if a in graph else ()
            there = f" ({a} is linked with {', '.join(near)})" if near else ""
            yield diagnose(
                "E505",
                "error",
                message,
                _at(subject, "passages", id_, "between"),
                hint=f"add the link, or correct the ends{there}",
            )


def keys_of_gates_touch_them(subject: Subject) -> Iterator[Diagnostic]:
    """A place that holds a key should be an end of the passage or next to one."""
    graph = _graph(subject).to_undirected(as_view=True)
    for id_, row in subject.rows("passages").items():
        ends = set(row["between"])
        for index, key in enumerate(row.get("keys", ())):
            if key in graph and key not in ends and not ends & set(graph[key]):
                message = f"the key {key!r} is neither an end of the passage nor next to one"
                node = find(subject.nodes("passages")[id_], ["keys", index])
                yield diagnose("W506", "warning", message, node)


def links_name_the_gate_between_their_ends(subject: Subject) -> Iterator[Diagnostic]:
    """A link's passage must be between the link's own ends, and so must the alternative that a passage
    names.
    """
    gates = subject.rows("passages")
    for id_, row in gates.items():
        other = gates.get(row.get("alternative", ""))
        if other is not None and set(other["between"]) != set(row["between"]):
            message = (
                f"the passage {row['alternative']!r} stands between {' and '.join(other['between'])}, "
                f"not where {id_!r} stands"
            )
            yield diagnose("E507", "error", message, _at(subject, "passages", id_, "alternative"))
    for id_, row in subject.rows("links").items():
        gate = gates.get(row.get("guards", ""))
        if gate is not None and set(gate["between"]) != set(row["between"]):
            message = (
                f"the passage {row['guards']!r} stands between {' and '.join(gate['between'])}, not "
                "between the link's ends"
            )
            yield diagnose("E507", "error", message, _at(subject, "links", id_, "guards"))


def lists_of_links_agree_with_the_links(subject: Subject) -> Iterator[Diagnostic]:
    """What printed lists say of a link (`listed`): its ends name each other, each in its own section."""
    places = subject.rows("places")
    for id_, row in subject.rows("links").items():
        for other, section in row.get("listed", {}).items():
            node = _at(subject, "links", id_, "listed")
            if other not in row["between"]:
                message = f"{other!r} is no end of the link, which joins {' and '.join(row['between'])}"
                hint = "a list that names another place is said of the link to that place"
                yield diagnose("E510", "error", message, node, key=other, hint=hint)
                continue
            own = places.get(other, {}).get("section")
            if len(row["listed"]) == 1:
                end = next((end for end in row["between"] if end != other), other)
                message = f"the list of {other!r} does not name {end!r}; the link counts both ways"
                yield diagnose("W508", "warning", message, node, key=other)
            if section is not None and section != own and other in places:
                message = (
                    f"the list puts {other!r} in section {section!r}; it is in {own!r}, and the "
                    "list's word is ignored"
                )
                yield diagnose("W509", "warning", message, node, key=other)


def _graph(subject: Subject) -> nx.DiGraph[str]:
    """The links among places that exist, both ways unless `one_way`."""
    return subject.once("map", _links_as_graph)


def _links_as_graph(subject: Subject) -> nx.DiGraph[str]:
    import networkx as nx  # heavy, and not needed for what the cache has

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(subject.nodes("places"))
    for row in subject.rows("links").values():
        a, b = row["between"]
        if a in graph and b in graph and a != b:
            graph.add_edge(a, b)
            if not row.get("one_way"):
                graph.add_edge(b, a)
    return graph


def _at(subject: Subject, form: str, id_: str, *path: str | int) -> Node:
    return find(subject.nodes(form)[id_], path)
