"""Lines that were read before: drafts are read again with every change, and the same orders are given turn by
turn, so a line of which nothing was to be said is taken as it was read then."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from copy import deepcopy
from typing import Any

from ..core.model import Ruleset, derived_of
from .line_parser import LineAttempt, Order
from .names import Names

MOST_LINES = 5_000
"""Lines that are kept."""


class ReadBefore:
    """The lines of each nation that were read word for word. The same words may mean another thing in a
    position that gives other names."""

    def __init__(self, ruleset: Ruleset, names: Names) -> None:
        self._kept = _kept_lines(ruleset)
        self._names = names

    def find(self, nation: str | None, number: int, line: str) -> LineAttempt | None:
        """What a line came to, as the line of this number; None if it is not known."""
        known = self._kept.get((self._names.of_position, nation, line))
        return None if known is None else LineAttempt([_copy(order, number) for order in known], [])

    def keep(self, nation: str | None, line: str, attempt: LineAttempt) -> None:
        """Keep what a line came to, if nothing was to be said of it."""
        if attempt.found:
            return
        if len(self._kept) >= MOST_LINES:
            self._kept.clear()
        self._kept[self._names.of_position, nation, line] = [_copy(order, 0) for order in attempt.orders]


@derived_of()
def _kept_lines(ruleset: Ruleset) -> dict[tuple[Hashable, str | None, str], list[Order]]:
    """The orders of lines by what of names only their position had, their nation and their text."""
    del ruleset
    return {}


def _copy(order: Order, number: int) -> Order:
    """A copy of an order as read, for a line of this number: whoever completes it changes no other."""
    out: Order = {**order, "line": number}
    for key in ("slots", "options", "columns"):
        out[key] = _copied(order[key])
    if "readings" in order:
        out["readings"] = [_copy(other, number) for other in order["readings"]]
    return out


def _copied(values: Mapping[str, Any]) -> dict[str, Any]:
    """What slots hold, with the lists and the counts of units among it."""
    return {key: deepcopy(value) if type(value) in (dict, list) else value for key, value in values.items()}
