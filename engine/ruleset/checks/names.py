"""Can orders tell things apart? Two things of a kind with one name, and two orders that are written alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ...core.diagnostics import Diagnostic
from ..nodes import diagnose
from ..order_syntax import Fixed, FormError, Pattern, Slot, read_form
from .sequence import points_of_orders
from .subject import Subject

NAMED = ("nations", "places", "units", "technologies", "production", "resources", "sides")
"""Forms of things that orders name."""
_SAYS = ("name", "plural", "short")


def things_have_names_of_their_own(subject: Subject) -> Iterator[Diagnostic]:
    """Of two things with one name, orders that use it would mean the first."""
    for form in NAMED:
        taken: dict[tuple[str, str], str] = {}
        for id_, row, node in subject.each(form):
            inside = str(row.get("part_of", ""))  # parts of a place are told apart by what they are of
            for key, word in _names(row):
                said = " ".join(word.casefold().split())
                other = taken.setdefault((inside, said), id_)
                if other != id_ and not node.is_below:
                    message = (
                        f"{word!r} is a name of {other!r}, too: an order that says so means only one of them"
                    )
                    yield diagnose("W611", message, node, key=key)
                    break


def _names(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in _SAYS:
        if isinstance(row.get(key), str):
            yield key, row[key]
    for word in row.get("aliases", ()):
        yield "aliases", word


def orders_are_written_apart(subject: Subject) -> Iterator[Diagnostic]:
    """Of two orders that can be written with the same words, lines are read as the first: the second cannot
    be given.

    Unless each is asked for at an input of its own, or they are orders of different nations or units.
    """
    points = subject.once("points of orders", points_of_orders)
    taken: dict[str, list[tuple[str, str]]] = {}
    givers: dict[tuple[str, str], set[str]] = {}
    for form in ("actions", "orders", "decisions"):
        for id_, row, node in subject.each(form):
            own = (form, id_)
            givers[own] = _givers(subject, row)
            others = dict.fromkeys(o for way in _ways(row) for o in taken.setdefault(way, []))
            for way in _ways(row):
                taken[way].append(own)
            other = next(
                (
                    o
                    for o in others
                    if o != own
                    and not _apart(points, o, own)
                    and not _of_others(givers[o], givers[own])
                    and not _of_others(_movers(subject, o), _movers(subject, own))
                ),
                None,
            )
            if other is not None and not node.is_below:
                message = f"{'/'.join(other)} is written in the same way: a line is read as one of them only"
                yield diagnose("W611", message, node, key="syntax")
    yield from _notes_that_are_orders(subject, taken)


def _givers(subject: Subject, row: Mapping[str, Any]) -> set[str]:
    """The nations that alone may give an order, where its row names them one by one; else nobody."""
    named = row.get("for")
    listed = set(named) if isinstance(named, list) else set()
    return listed if listed <= set(subject.rows("nations")) else set()


def _of_others(givers: set[str], others: set[str]) -> bool:
    """Whether two orders are said to be given by different nations, or to different units."""
    return bool(givers and others) and givers.isdisjoint(others)


def _movers(subject: Subject, order: tuple[str, str]) -> set[str]:
    """The tags of the units that an order moves, where it says so; else nobody."""
    form, id_ = order
    mode = subject.rows("movement").get(subject.rows(form)[id_].get("does", ""), {})
    who = mode.get("who", ())
    return {who} if isinstance(who, str) else set(who)


def _notes_that_are_orders(
    subject: Subject, taken: Mapping[str, list[tuple[str, str]]]
) -> Iterator[Diagnostic]:
    """What is said of a line that is no order is never said where the line is one: with a slot in it, it may
    be said of what the order does not take there.
    """
    for _, row, node in subject.each("notes"):
        other = next((taken[way][0] for way in _ways(row) if way in taken and "{" not in way), None)
        if other is not None and not node.is_below:
            message = f"{'/'.join(other)} is written so: the line is an order, and this is never said"
            yield diagnose("W611", message, node, key="syntax")


def _apart(
    points: Mapping[tuple[str, str], tuple[set[int], str]], one: tuple[str, str], other: tuple[str, str]
) -> bool:
    """Whether there is no input at which both orders may be given."""
    return one in points and other in points and points[one][0].isdisjoint(points[other][0])


MOST_WAYS = 64
"""Ways of writing an order that are looked at: the first are the most likely."""


def _ways(row: dict[str, Any]) -> list[str]:
    """All that an order may look like: with and without what may be left out, each slot by what it holds."""
    if "syntax" not in row:
        return []
    try:
        pattern = read_form(str(row["syntax"]), row.get("slots"))
    except FormError:  # another check's question
        return [" ".join(str(row["syntax"]).split())]
    return [" ".join(words) for words in _written(pattern)]


def _written(pattern: Pattern) -> list[tuple[str, ...]]:
    ways: list[tuple[str, ...]] = [()]
    for node in pattern:
        if isinstance(node, Fixed):
            ends: list[tuple[str, ...]] = [(node.word,)]
        elif isinstance(node, Slot):
            ends = [("{" + "|".join((node.kind, *node.choices)) + "}",)]
        else:
            ends = [end for way in node.ways for end in _written(way)]
        ways = [way + end for way, end in product(ways, ends)][:MOST_WAYS]
    return ways
