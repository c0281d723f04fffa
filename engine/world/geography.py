"""The map as a graph: neighbors, distances, chains and regions. Built once per ruleset from the
tables of places, links and passages.

Every way from a place carries its link's row. Nothing here knows who holds what: tests come in as functions.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from ..core.model import Row, Ruleset
from ..core.state import pair_key


class Geography:
    """Neighbors and ways over the links of a ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._edges: dict[str, dict[str, Row]] = {place: {} for place in ruleset.rows("places")}
        """Place -> the links that lead from it, by where they lead."""
        self.links: dict[str, Row] = {}
        for row in ruleset.rows("links").values():
            a, b = row["between"]
            self.links[pair_key(a, b)] = row
            self._edges.setdefault(a, {})[b] = row
            self._edges.setdefault(b, {})
            if not row.get("one_way"):
                self._edges[b][a] = row
        self.parts: dict[str, tuple[str, ...]] = {}
        """Whole -> its parts."""
        for id_, place in ruleset.rows("places").items():
            if place.get("part_of"):
                self.parts[place["part_of"]] = (*self.parts.get(place["part_of"], ()), id_)
        self._next: dict[str, tuple[str, ...]] = {
            p: tuple(sorted(around)) for p, around in self._edges.items()
        }
        self._kind_next: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
        self._distances: dict[tuple[str, tuple[str, ...] | None], dict[str, int]] = {}
        self.gates: dict[str, list[str]] = {}
        """Link key -> ids of the passages over it, any of which lets through."""
        self.gates_on: dict[str, list[str]] = {}
        """The same by the steps (`a>b`) that lead over the link."""
        for id_, passage in ruleset.rows("passages").items():
            a, b = passage["between"]
            over = self.gates.setdefault(pair_key(a, b), [])
            over.append(id_)
            self.gates_on[f"{a}>{b}"] = self.gates_on[f"{b}>{a}"] = over

    def link(self, a: str, b: str) -> Row | None:
        return self.links.get(pair_key(a, b)) if b in self._edges.get(a, ()) else None

    def next_to(self, place: str, kinds: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Neighboring places in order of their ids, over links of these kinds (None: all)."""
        return self.around(kinds).get(place, ())

    def around(self, kinds: tuple[str, ...] | None = None) -> Mapping[str, tuple[str, ...]]:
        """The same of every place."""
        if kinds is None:
            return self._next
        table = self._kind_next.get(kinds)
        if table is None:
            table = {
                p: tuple(q for q in around if self._edges[p][q].get("kind", "land") in kinds)
                for p, around in self._next.items()
            }
            self._kind_next[kinds] = table
        return table

    def distances(self, start: str, kinds: tuple[str, ...] | None = None) -> dict[str, int]:
        """Steps from a place to every place that can be reached over links of these kinds."""
        key = (start, kinds)
        found = self._distances.get(key)
        if found is None:
            found = {start: 0}
            frontier = [start]
            while frontier:
                following = []
                for place in frontier:
                    for near in self.next_to(place, kinds):
                        if near not in found:
                            found[near] = found[place] + 1
                            following.append(near)
                frontier = following
            self._distances[key] = found
        return found

    def distance(self, a: str, b: str, kinds: tuple[str, ...] | None = None) -> int:
        """Steps between two places, -1 if there is no way."""
        return self.distances(a, kinds).get(b, -1)

    def reachable(
        self, start: str, passes: Callable[[str], bool], kinds: tuple[str, ...] | None = None
    ) -> Iterator[str]:
        """Places joined to `start` (itself first) by chains of passing places; a place that fails is not
        given.
        """
        seen = {start}
        frontier = [start]
        yield start
        while frontier:
            place = frontier.pop(0)
            for near in self.next_to(place, kinds):
                if near not in seen:
                    seen.add(near)
                    if passes(near):
                        yield near
                        frontier.append(near)

    def serves(
        self, place: str, start: str, goal: str, passes: Container[str], kinds: tuple[str, ...] | None = None
    ) -> bool:
        """Whether a chain leads from start to goal through passing places, this one among them, of which none
        is needless.

        None is needless where no two places of the chain touch but those that follow each other. The ends
        need not pass, and that they touch each other makes nothing needless.
        """
        near = {p: set(self.next_to(p, kinds)) for p in self._edges}

        def walk(chain: list[str]) -> bool:
            last = chain[-1]
            if goal in near[last] and len(chain) > 1:
                return place in chain
            for following in sorted(near[last]):
                if following in chain or following == goal or following not in passes:
                    continue
                if any(following in near[earlier] for earlier in chain[:-1]):
                    continue
                if walk([*chain, following]):
                    return True
            return False

        return place in passes and walk([start])

    def regions(self, places: Iterable[str], kinds: tuple[str, ...] | None = None) -> list[list[str]]:
        """Connected parts of a set of places, each sorted, ordered by their first place."""
        rest = set(places)
        out = []
        for place in sorted(rest):
            if place in rest:
                part = sorted(self.reachable(place, rest.__contains__, kinds))
                rest.difference_update(part)
                out.append(part)
        return out

    def path(
        self,
        a: str,
        b: str,
        passes: Callable[[str], bool] | None = None,
        kinds: tuple[str, ...] | None = None,
    ) -> list[str] | None:
        """A shortest way from a to b (both included; the places between pass), first by ids; None if there is
        none.
        """
        came: dict[str, str] = {a: a}
        frontier = [a]
        while frontier and b not in came:
            following = []
            for place in frontier:
                for near in self.next_to(place, kinds):
                    if near not in came and (near == b or passes is None or passes(near)):
                        came[near] = place
                        following.append(near)
            frontier = following
        if b not in came:
            return None
        out = [b]
        while out[-1] != a:
            out.append(came[out[-1]])
        return out[::-1]
