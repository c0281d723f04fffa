"""Definitions may use other definitions, but never lead back to themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...core.diagnostics import Diagnostic
from ...core.model import Row
from ..action_changes import CHANGES, requirements
from ..expressions.terms import functions_used, terms_used
from ..nodes import diagnose
from .subject import Subject

if TYPE_CHECKING:
    import networkx as nx  # heavy, and not needed for what the cache has

__all__ = [
    "battles_do_not_lead_back_to_themselves",
    "terms_do_not_lead_back_to_themselves",
    "values_lead_somewhere",
]

TERMS, QUANTITIES = "definitions", "stats"
ASKERS = {
    "objectives": ("victory", ("reached",), "aims"),
    "within_limits": (CHANGES, ("test", "when"), "limits"),
}
"""Functions that ask the tests of all rows of a table: its keys that hold them, what such rows are called.
They stand in the graph as one thing of the function's name.
"""


def terms_do_not_lead_back_to_themselves(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each knot of definitions, at the first of them, with the way round."""
    import networkx as nx  # heavy, and not needed for what the cache has

    rows = subject.rows(TERMS)
    graph: nx.DiGraph[str] = nx.DiGraph()
    for id_, row in rows.items():
        for other in terms_used(row["is"]) if isinstance(row["is"], str) else ():
            if other in rows:
                graph.add_edge(id_, other)
    for knot in sorted(nx.strongly_connected_components(graph), key=min):
        first = min(knot)
        if len(knot) > 1 or graph.has_edge(first, first):
            round_ = [a for a, _ in nx.find_cycle(graph.subgraph(knot), first)]
            way = " → ".join([*round_, round_[0]])
            yield diagnose(
                "E405",
                "error",
                f"the definition leads back to itself: {way}",
                subject.nodes(TERMS)[round_[0]],
                key="is",
            )


def battles_do_not_lead_back_to_themselves(subject: Subject) -> Iterator[Diagnostic]:
    """A battle before which itself would have to be fought."""
    rows = subject.rows("battles")
    first = {
        id_: {*row.get("preludes", ()), *row.get("before", {}).values()} & rows.keys()
        for id_, row in rows.items()
    }
    for id_ in rows:
        due, seen = list(first[id_]), set()
        while due:
            other = due.pop()
            if other not in seen:
                seen.add(other)
                due += first[other]
        if id_ in seen:
            key = "preludes" if "preludes" in rows[id_] else "before"
            message = f"the battle leads back to itself: before {id_!r} it would have to be fought"
            yield diagnose("E405", "error", message, subject.nodes("battles")[id_], key=key)


MAX_CHAIN = 30
"""Definitions and stats that may lead to one another, one after the other: the evaluator goes no deeper than
40.
"""


def values_lead_somewhere(subject: Subject) -> Iterator[Diagnostic]:
    """Stats must not lead back to themselves, by base or modifiers; chains of either must not grow too
    long.
    """
    import networkx as nx  # heavy, and not needed for what the cache has

    graph: nx.DiGraph[tuple[str, str]] = nx.DiGraph()
    for form, id_, texts in _said(subject):
        graph.add_node((form, id_))
        for text in texts:
            for other in terms_used(text):
                for kind in (TERMS, QUANTITIES):
                    if other in subject.rows(kind):
                        graph.add_edge((form, id_), (kind, other))
            for function in ASKERS.keys() & functions_used(text):
                graph.add_edge((form, id_), (ASKERS[function][0], function))
    for knot in sorted(nx.strongly_connected_components(graph), key=min):
        first = min(knot)
        if (len(knot) > 1 or graph.has_edge(first, first)) and any(form != TERMS for form, _ in knot):
            round_ = [a for a, _ in nx.find_cycle(graph.subgraph(knot), first)]
            way = " → ".join(id_ for _, id_ in [*round_, round_[0]])
            form, id_ = next((form, id_) for form, id_ in round_ if form != TERMS)
            if form == QUANTITIES:
                node, said = subject.nodes(form)[id_], "the stat leads"
            else:
                _, keys, called = ASKERS[id_]
                asked = (i for i, row in subject.rows(form).items() if any(key in row for key in keys))
                node, said = subject.nodes(form)[next(asked)], f"the {called} lead"
            yield diagnose(
                "E405",
                "error",
                f"{said} back to {'itself' if form == QUANTITIES else 'themselves'}: {way}",
                node,
            )
    if nx.is_directed_acyclic_graph(graph):
        longest = nx.dag_longest_path(graph)
        if len(longest) > MAX_CHAIN:
            form, id_ = next(thing for thing in longest if thing[0] in (TERMS, QUANTITIES))
            message = f"{len(longest)} definitions and stats lead to one another; at most {MAX_CHAIN} may"
            yield diagnose("E405", "error", message, subject.nodes(form)[id_])


def _said(subject: Subject) -> Iterator[tuple[str, str, list[str]]]:
    """Table, id and expressions of definitions, stats (with their modifiers), all aims and what nations
    are held to.
    """
    for function, (asked, keys, _) in ASKERS.items():
        rows: Iterable[Row] = subject.rows(asked).values()
        rows = requirements(rows) if asked == CHANGES else rows
        yield asked, function, [row[key] for row in rows for key in keys if isinstance(row.get(key), str)]
    for id_, row in subject.rows(TERMS).items():
        yield TERMS, id_, [row["is"]] if isinstance(row["is"], str) else []
    adjusts: dict[str, list[str]] = {}
    for row in subject.rows("modifiers").values():
        texts = [v for k, v in row.items() if isinstance(v, str) and (k == "when" or v.startswith("="))]
        adjusts.setdefault(str(row.get("of")), []).extend(texts)
    for id_, row in subject.rows(QUANTITIES).items():
        own = [row[k] for k in ("base", "unless") if isinstance(row.get(k), str)]
        yield QUANTITIES, id_, [*own, *adjusts.get(id_, ())]
