"""Definitions may use other definitions, but never lead back to themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, TypeVar

from ...core.choices import block_of
from ...core.diagnostics import Diagnostic
from ...core.model import Row
from ..action_changes import CHANGES, requirements
from ..expressions.terms import functions_used, terms_used
from ..nodes import diagnose
from .subject import Subject

if TYPE_CHECKING:
    import networkx as nx  # heavy, and needed only where something is wrong

T = TypeVar("T", str, tuple[str, str])


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
    rows = subject.rows(TERMS)
    asked: dict[str, list[str]] = {}
    for id_, row in rows.items():
        used = terms_used(row["is"]) if isinstance(row["is"], str) else ()
        asked[id_] = [other for other in used if other in rows]
    for round_ in _rounds(asked):
        way = " → ".join([*round_, round_[0]])
        message = f"the definition leads back to itself: {way}"
        yield diagnose("E405", message, subject.nodes(TERMS)[round_[0]], key="is")


def _rounds(asked: Mapping[T, Iterable[T]]) -> Iterator[list[T]]:
    """Of each knot of things that lead to each other, and so back to themselves, a way round."""
    if _depths(asked) is not None:
        return
    import networkx as nx  # heavy, and needed only where something is wrong

    graph = _graph(asked)
    for knot in sorted(nx.strongly_connected_components(graph), key=min):
        first = min(knot)
        if len(knot) > 1 or graph.has_edge(first, first):
            yield [a for a, _ in nx.find_cycle(graph.subgraph(knot), first)]


def _graph(asked: Mapping[T, Iterable[T]]) -> nx.DiGraph[T]:
    import networkx as nx  # heavy, and needed only where something is wrong

    graph: nx.DiGraph[T] = nx.DiGraph()
    for thing, others in asked.items():
        graph.add_node(thing)
        graph.add_edges_from((thing, other) for other in others)
    return graph


def _depths(asked: Mapping[T, Iterable[T]]) -> dict[T, int] | None:
    """How many things lead to one another from each on, itself included; None if some lead back to
    themselves.
    """
    out: dict[T, int] = {}
    try:
        for thing in TopologicalSorter(asked).static_order():
            out[thing] = 1 + max((out[other] for other in asked.get(thing, ())), default=0)
    except CycleError:
        return None
    return out


def arguments_have_names_of_their_own(subject: Subject) -> Iterator[Diagnostic]:
    """A definition of two things of a kind gives each a name."""
    for _, row, node in subject.each(TERMS):
        named: set[str] = set()
        for at in (node.get("of") or node).members():
            name, _, kind = str(at.value).partition(":")
            if name in named:
                hint = f"name each, such as `one:{kind or name}`"
                yield diagnose("E205", f"two arguments of {row['id']!r} are {name!r}", at, hint=hint)
            named.add(name)


def battles_do_not_lead_back_to_themselves(subject: Subject) -> Iterator[Diagnostic]:
    """A battle before which itself would have to be fought."""
    rows = subject.rows("battles")
    first = {
        id_: {*row.get("preludes", ()), *block_of(row, "where").get("before", {}).values()} & rows.keys()
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
            key = "preludes" if "preludes" in rows[id_] else "where"
            message = f"the battle leads back to itself: before {id_!r} it would have to be fought"
            yield diagnose("E405", message, subject.nodes("battles")[id_], key=key)


MAX_CHAIN = 30
"""Definitions and stats that may lead to one another, one after the other: the evaluator goes no deeper than
40.
"""


def values_lead_somewhere(subject: Subject) -> Iterator[Diagnostic]:
    """Stats must not lead back to themselves, by base or modifiers; chains of either must not grow too
    long.
    """
    asked: dict[tuple[str, str], list[tuple[str, str]]] = {}
    kinds = [(kind, subject.rows(kind)) for kind in (TERMS, QUANTITIES)]
    for form, id_, texts in _said(subject):
        others = asked.setdefault((form, id_), [])
        for text in texts:
            others += [(kind, used) for used in terms_used(text) for kind, rows in kinds if used in rows]
            others += [(ASKERS[called][0], called) for called in ASKERS.keys() & functions_used(text)]
    for round_ in _rounds(asked):
        if all(form == TERMS for form, _ in round_):
            continue
        way = " → ".join(id_ for _, id_ in [*round_, round_[0]])
        form, id_ = next((form, id_) for form, id_ in round_ if form != TERMS)
        if form == QUANTITIES:
            node, said = subject.nodes(form)[id_], "the stat leads"
        else:
            _, keys, called = ASKERS[id_]
            askers = (i for i, row in subject.rows(form).items() if any(key in row for key in keys))
            node, said = subject.nodes(form)[next(askers)], f"the {called} lead"
        back = f"back to {'itself' if form == QUANTITIES else 'themselves'}"
        yield diagnose("E405", f"{said} {back}: {way}", node)
    depths = _depths(asked)
    if depths and max(depths.values()) > MAX_CHAIN:
        import networkx as nx  # heavy, and needed only where something is wrong

        longest = nx.dag_longest_path(_graph(asked))
        form, id_ = next(thing for thing in longest if thing[0] in (TERMS, QUANTITIES))
        message = f"{len(longest)} definitions and stats lead to one another; at most {MAX_CHAIN} may"
        yield diagnose("E405", message, subject.nodes(form)[id_])


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
