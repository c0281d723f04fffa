"""Whether a refusal or a journal entry is the one that a case means, and what of an entry is shown beside
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from ..core.journal import Entry
from ..world.view import may_read
from ..world.world import World
from .values import same
from .when import RefusedOrder


def refusal_fits(refusal: RefusedOrder, wanted: Mapping[str, Any]) -> bool:
    """Whether a refusal is the one that is meant: of whose order, which one, in which words."""
    order = wanted.get("order")
    if isinstance(order, int) and order != refusal.number:
        return False
    if isinstance(order, str) and order.casefold() not in refusal.text.casefold():
        return False
    if wanted.get("nation", refusal.nation) != refusal.nation:
        return False
    said = wanted.get("says", ())
    return all(s.casefold() in refusal.says.casefold() for s in ([said] if isinstance(said, str) else said))


def entry_fits(world: World, entry: Entry, wanted: Mapping[str, Any]) -> bool:
    """Whether a journal entry is all that is said of it; what is not said may be anything."""
    for key, value in wanted.items():
        match key:
            case "rule" | "subject" | "step":
                if getattr(entry, key) != value:
                    return False
            case "text":
                if not all(
                    t.casefold() in entry.text.casefold()
                    for t in ([value] if isinstance(value, str) else value)
                ):
                    return False
            case "dice":
                if faces(entry) != list(value):
                    return False
            case "data":
                if not _holds(value, entry.data):
                    return False
            case "audience":
                if sorted(entry.audience) != sorted([value] if isinstance(value, str) else value):
                    return False
            case "read_by":
                if not all(
                    may_read(entry, n, world.side_of(n))
                    for n in ([value] if isinstance(value, str) else value)
                ):
                    return False
            case "hidden_from":
                if any(
                    may_read(entry, n, world.side_of(n))
                    for n in ([value] if isinstance(value, str) else value)
                ):
                    return False
    return True


def _holds(wanted: Any, got: Any) -> bool:
    """Whether data are as written: of maps, only the keys that are mentioned."""
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        return all(_holds(v, got.get(k)) for k, v in wanted.items())
    return same(wanted, got)


def faces(entry: Entry) -> list[int]:
    """The faces of all dice of an entry, as they were rolled."""
    drawn = chain.from_iterable(record["drawn"] for record in entry.dice)
    return [face for one in drawn for face in one["faces"]]


def brief(entry: Entry) -> dict[str, Any]:
    """What is shown of an entry that a case has not expected."""
    out: dict[str, Any] = {
        "rule": entry.rule,
        "subject": entry.subject,
        "text": entry.text,
        "audience": list(entry.audience),
    }
    rolled = faces(entry)
    return {**out, "dice": rolled} if rolled else out
