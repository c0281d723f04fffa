"""By which battle a place changed hands.

A capture belongs to the battles before it at its place: where powers play one after another, to the last one
of the same turn of a power; a battle that was fought there earlier, or by somebody else, ended as it did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..core.journal import Entry
from ..core.model import Ruleset
from ..turn.sequence import own_turns


class Capture(NamedTuple):
    """Who has a place now, and whether somebody else took it for them."""

    to: str | None
    freed: bool


def captures(entries: Iterable[Entry]) -> dict[str, Capture]:
    """Places that entries hand over, as they are in the end."""
    return {str(e.data["place"]): _capture(e.data) for e in entries if _hands_over(e)}


def captured_in(entries: Iterable[Entry], ruleset: Ruleset) -> dict[int, Capture]:
    """The captures by their battles: the number of a battle's first entry -> what became of the place."""
    begins = own_turns(ruleset)
    out: dict[int, Capture] = {}
    last: dict[str, dict[tuple[str, str], int]] = {}
    for entry in entries:
        if entry.rule in begins:
            last.clear()
        elif "battle" in entry.data and "event" in entry.data:
            heads = last.setdefault(str(entry.data.get("place", "")), {})
            battle = (entry.rule, entry.subject)
            if entry.data["event"] == "begin" or battle not in heads:
                heads[battle] = entry.n
        elif _hands_over(entry):
            capture = _capture(entry.data)
            out.update((n, capture) for n in last.get(str(entry.data["place"]), {}).values())
    return out


def _hands_over(entry: Entry) -> bool:
    return entry.rule.startswith("capture/") and "place" in entry.data and "to" in entry.data


def _capture(data: Mapping[str, Any]) -> Capture:
    to = data["to"]
    return Capture(to, to is not None and "by" in data and to not in data["by"])
