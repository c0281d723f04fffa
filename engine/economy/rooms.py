"""How much may be placed in a turn: the rows of `placement_limits`, and how much of each has been used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from ..world.applies_to import whom
from ..world.selections import as_set
from ..world.world import World
from .quotes import PLENTY

Taken = tuple[str, str, int]
"""A counter, the nation or place whose it is, and how many of it."""


class Rooms:
    """The rooms of one nation in one world, good until the state changes (then: `forget`)."""

    def __init__(self, world: World, nation: str) -> None:
        self.world, self.nation = world, nation
        self.filled: dict[tuple[str, str], int] = {}
        self._tests: dict[tuple[str, str], bool] = {}
        self._names: dict[str, Any] = {"self": (who := Entity("nation", nation)), "nation": who}
        self._rows = list(world.ruleset.rows("placement_limits").values())
        self._of: dict[tuple[str, str], list[Row]] = {}

    def fill(self, taken: Iterable[Taken]) -> None:
        """Count so many as taken."""
        for room, key, n in taken:
            self.filled[room, key] = self.filled.get((room, key), 0) + n

    def take(self, row: Row, site: str, n: int, into: str, at: str = "purchase") -> list[Taken] | str:
        """What `n` of an item would take, or why there is no room for them.

        Each room's places are filled in their order.
        """
        out: list[Taken] = []
        for room in self._for(row, site, at):
            left = n
            for key in self._drawn(room, site, into):
                part = min(left, self._left(room, key))
                if part > 0:
                    out.append((_counter(room), key, part))
                    left -= part
            if left:
                words = room.get("words", "there is room for {n} only")
                return str(words).replace("{n}", str(n - left))
        return out

    def most(self, row: Row, site: str, into: str, lot: int) -> int:
        """How many lots of an item there is room for when it is bought."""
        sums = (
            sum(max(0, self._left(room, key)) for key in self._drawn(room, site, into))
            for room in self._for(row, site)
        )
        return min((room // lot for room in sums), default=PLENTY)

    def test(self, text: Any, site: str) -> bool:
        """Whether a condition holds at a site."""
        if text is None or isinstance(text, bool):
            return text is not False
        key = (text, site)
        if key not in self._tests:
            self._tests[key] = self.world.test(text, self._at(site))
        return self._tests[key]

    def forget(self) -> None:
        """The state has changed: conditions are tested again."""
        self._tests.clear()

    def _for(self, row: Row, site: str, at: str = "purchase") -> list[Row]:
        """The rooms that an item takes; into hand (no site) those of the nation: of others it is asked where
        it is placed.
        """
        key = (row["id"], at)
        if key not in self._of:
            labels = {row["id"], row.get("makes", ""), *self._tags(row)}
            self._of[key] = [
                r
                for r in self._rows
                if r.get("at", "purchase") in (at, "either")
                and ("for" not in r or self._takes(r["for"], labels))
            ]
        if site:
            return [r for r in self._of[key] if self.test(r.get("when"), site)]
        return [r for r in self._of[key] if "when" not in r and r["of"] == "nation"]

    def _takes(self, wanted: Any, labels: set[str]) -> bool:
        return whom(self.world.ruleset, wanted).takes_in(self.world, labels, self._names, (self.nation,))

    def _tags(self, row: Row) -> Sequence[str]:
        return tuple(self.world.ruleset.row_or_empty("units", row.get("makes", "")).get("tags", ()))

    def _drawn(self, room: Row, site: str, into: str) -> list[str]:
        """Whose room it is: the nation, the site, or the places that the row draws on, that of the site
        first.
        """
        if room["of"] == "nation":
            return [self.nation]
        if "draws" not in room:
            return [site]
        names = {**self._at(site), "target": Entity("place", into or site)}
        found = [t.id for t in as_set(self.world, self.world.value(strip_mark(room["draws"]), names))]
        return sorted(found, key=lambda p: (p != site, -self._left(room, p), p))

    def _left(self, room: Row, key: str) -> int:
        """How many a place's room still takes in this turn."""
        names = self._names if room["of"] == "nation" else self._at(key)
        return int(self.world.number(room["is"], names)) - self.filled.get((_counter(room), key), 0)

    def _at(self, site: str) -> dict[str, Any]:
        return {**self._names, "place": Entity("place", site)}


def _counter(room: Row) -> str:
    return str(room.get("counts_as", room["id"]))
