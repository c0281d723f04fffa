"""Does the map hold together? Links, passages and their keys, and places that cannot be reached or left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...core.diagnostics import Diagnostic
from ..nodes import Node, diagnose, find
from .subject import Subject


def links_join_two_places(subject: Subject) -> Iterator[Diagnostic]:
    """A link needs two ends."""
    for id_, row in subject.rows("links").items():
        if row["between"][0] == row["between"][1]:
            yield diagnose("E501", "a link from a place to itself", _at(subject, "links", id_, "between"))


def places_have_links(subject: Subject) -> Iterator[Diagnostic]:
    """A place without any link is out of the game."""
    ways = _ways(subject)
    for id_ in subject.rows("places") if subject.nodes("links") else ():
        if not ways.beside(id_):
            yield diagnose("W502", f"no link leads to {id_!r}", _at(subject, "places", id_))


def places_can_be_reached(subject: Subject) -> Iterator[Diagnostic]:
    """From the places that somebody owns (or else from the largest part of the map), there must be a way to
    each place.
    """
    ways = _ways(subject)
    if not any(ways.out.values()):
        return
    owned = {id_ for id_, row in subject.rows("places").items() if row.get("owner") and ways.beside(id_)}
    reached = (
        _reached(ways.out, owned) if owned else max(ways.parts(), key=lambda part: (len(part), min(part)))
    )
    for id_ in subject.rows("places"):
        if ways.beside(id_) and id_ not in reached:
            yield diagnose("W503", f"nobody can reach {id_!r}", _at(subject, "places", id_))


def places_can_be_left(subject: Subject) -> Iterator[Diagnostic]:
    """Links are passable both ways unless they say `one_way`: a place with only ways in is a trap, most
    likely a mistake.
    """
    ways = _ways(subject)
    for id_ in subject.rows("places"):
        if ways.into[id_] and not ways.out[id_]:
            message = f"{id_!r} can be entered but never left: every link from it is `one_way`"
            yield diagnose("W504", message, _at(subject, "places", id_))
        elif ways.out[id_] and not ways.into[id_]:
            message = f"{id_!r} can be left but never entered: every link to it is `one_way`"
            yield diagnose("W504", message, _at(subject, "places", id_))


def gates_stand_between_linked_places(subject: Subject) -> Iterator[Diagnostic]:
    """A passage closes a link, so there must be one."""
    ways = _ways(subject)
    places = subject.nodes("places")
    for id_, row in subject.rows("passages").items():
        a, b = row["between"]
        if a in places and b in places and b not in ways.beside(a):
            message = f"the passage stands between {a!r} and {b!r}, which are not linked"
            near = sorted(ways.beside(a))
            there = f" ({a} is linked with {', '.join(near)})" if near else ""
            yield diagnose(
                "E505",
                message,
                _at(subject, "passages", id_, "between"),
                hint=f"add the link, or correct the ends{there}",
            )


def keys_of_gates_touch_them(subject: Subject) -> Iterator[Diagnostic]:
    """A place that holds a key should be an end of the passage or next to one."""
    ways = _ways(subject)
    for id_, row in subject.rows("passages").items():
        ends = set(row["between"])
        for index, key in enumerate(row.get("keys", ())):
            if key in ways.out and key not in ends and not ends & ways.beside(key):
                message = f"the key {key!r} is neither an end of the passage nor next to one"
                node = find(subject.nodes("passages")[id_], ["keys", index])
                yield diagnose("W506", message, node)


def lists_of_links_agree_with_the_links(subject: Subject) -> Iterator[Diagnostic]:
    """What printed lists say of a link (`listed`): its ends name each other, each in its own section."""
    places = subject.rows("places")
    for id_, row in subject.rows("links").items():
        for other, section in row.get("listed", {}).items():
            node = _at(subject, "links", id_, "listed")
            if other not in row["between"]:
                message = f"{other!r} is no end of the link, which joins {' and '.join(row['between'])}"
                hint = "a list that names another place is said of the link to that place"
                yield diagnose("E510", message, node, key=other, hint=hint)
                continue
            own = places.get(other, {}).get("section")
            if len(row["listed"]) == 1:
                end = next((end for end in row["between"] if end != other), other)
                message = f"the list of {other!r} does not name {end!r}; the link counts both ways"
                yield diagnose("W508", message, node, key=other)
            if section is not None and section != own and other in places:
                message = (
                    f"the list puts {other!r} in section {section!r}; it is in {own!r}, and the "
                    "list's word is ignored"
                )
                yield diagnose("W509", message, node, key=other)


class _MapWays:
    """The links among places that exist, both ways unless `one_way`: from each place, and to it."""

    def __init__(self, places: Iterable[str]) -> None:
        self.out: dict[str, set[str]] = {place: set() for place in places}
        self.into: dict[str, set[str]] = {place: set() for place in self.out}

    def beside(self, place: str) -> set[str]:
        """The places that a place is linked with, whichever way."""
        return self.out[place] | self.into[place]

    def parts(self) -> list[set[str]]:
        """The parts of the map that no link joins."""
        beside = {place: self.beside(place) for place in self.out}
        found: list[set[str]] = []
        for place in self.out:
            if not any(place in part for part in found):
                found.append(_reached(beside, [place]))
        return found


def _reached(ways: Mapping[str, Iterable[str]], start: Iterable[str]) -> set[str]:
    """The places that can be come to from some, those included."""
    found = set(start)
    due = list(found)
    while due:
        new = set(ways[due.pop()]) - found
        found |= new
        due += new
    return found


def _ways(subject: Subject) -> _MapWays:
    return subject.once("map", _links_as_ways)


def _links_as_ways(subject: Subject) -> _MapWays:
    ways = _MapWays(subject.nodes("places"))
    for row in subject.rows("links").values():
        a, b = row["between"]
        if a in ways.out and b in ways.out and a != b:
            for start, end in ((a, b), (b, a))[: 1 if row.get("one_way") else 2]:
                ways.out[start].add(end)
                ways.into[end].add(start)
    return ways


def _at(subject: Subject, form: str, id_: str, *path: str | int) -> Node:
    return find(subject.nodes(form)[id_], path)
