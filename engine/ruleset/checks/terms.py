"""Do terms stand on firm ground? A term may use other terms, but never lead back to itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.diagnostics import Diagnostic
from ..expressions.terms import terms_used
from ..nodes import diagnose
from .subject import Subject

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["terms_do_not_lead_back_to_themselves", "terms_used"]

TERMS = "terms"


def terms_do_not_lead_back_to_themselves(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each knot of terms, at the first of them, with the way round."""
    import networkx as nx

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
            yield diagnose("E405", "error", f"the term leads back to itself: {way}", subject.nodes(TERMS)[round_[0]], key="is")
