"""Test cases as text, by which other judges of the same orders are tested: position, orders, and the position
after.

`CASE name`, `PRESTATE_SETPHASE Spring 1901, Movement`, `PRESTATE` with a line for each unit, `ORDERS`,
`POSTSTATE` or `POSTSTATE_SAME`, `END`. Each case becomes a record that is replayed like a recorded game. A
case that begins where units retreat or are built gets the orders before it: of retreats those of
`PRESTATE_RESULTS`, whose moves that succeeded are taken back; before builds everybody holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wteaw.core.model import Row

from .dpjson import RecordError

__all__ = ["cases", "is_cases"]

PHASE = re.compile(r"PRESTATE_SETPHASE\s+(\S+)\s+(\d+),?\s*(\S+)")
UNIT = re.compile(r"(\S+?):?\s+(\S+)\s+(\S+)")
ORDER = re.compile(r"(?:(SUCCESS|FAILURE):\s+)?([^:\s]+):\s+(.+)")
MOVE = re.compile(r"(\S+)\s+([^\s-]+)\s*-\s*(\S+)(?:\s+via\b.*)?", re.I)
PLACE = re.compile(r"\b[a-z]{3}\b(?:/[a-z]{1,2}\b)?")
WORDS = frozenset({"via"})
"""Words of three letters that are no places."""
LISTS = frozenset({
    "PRESTATE", "PRESTATE_DISLODGED", "PRESTATE_SUPPLYCENTER_OWNERS", "PRESTATE_RESULTS", "ORDERS",
    "POSTSTATE", "POSTSTATE_DISLODGED",
})  # fmt: skip


@dataclass
class _Case:
    name: str
    line: int
    year: str = ""
    season: str = ""
    moment: str = ""
    same: bool = False
    listed: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def of(self, what: str) -> list[tuple[int, str]]:
        return self.listed.get(what, [])


def is_cases(text: str) -> bool:
    return re.search(r"^\s*CASE\s+\S", text, re.M) is not None


def cases(text: str, row: Row, called: Callable[[str, Row], str]) -> list[dict[str, Any]]:
    """A record for each case. RecordError names the line that is wrong.

    `row` says what seasons, moments, kinds and places are called; `called` gives a place's own name.
    """
    return [_CaseWriter(case, row, called).record() for case in _read(text)]


def _read(text: str) -> list[_Case]:
    found: list[_Case] = []
    inside = ""
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.partition("#")[0].strip()
        head = line.split(maxsplit=1)
        if not head or head[0] == "VARIANT_ALL":
            continue
        if head[0] == "CASE":
            begun = _Case(head[1].strip() if len(head) > 1 else str(len(found) + 1), number)
            if found:  # a case that names no phase begins where the one before it does
                begun.season, begun.year, begun.moment = found[-1].season, found[-1].year, found[-1].moment
            found.append(begun)
            inside = ""
        elif not found:
            raise RecordError(f"line {number}: {line[:60]!r} belongs to no case")
        elif phase := PHASE.fullmatch(line):
            here = found[-1]
            here.season, here.year, here.moment = phase.groups()
        elif line in LISTS:
            inside = line
            found[-1].listed[line] = []
        elif line in ("POSTSTATE_SAME", "END"):
            found[-1].same |= line == "POSTSTATE_SAME"
            inside = ""
        elif inside:
            found[-1].of(inside).append((number, line))
        else:
            raise RecordError(f"line {number}: {line[:60]!r} stands in no list of the case")
    return found


class _CaseWriter:
    """A case as a record, in the words of JSON phases."""

    def __init__(self, case: _Case, row: Row, called: Callable[[str, Row], str]) -> None:
        self.case, self.row, self.called = case, row, called
        moments = row["moments"]
        if case.season not in row["seasons"] or case.moment not in moments:
            raise RecordError(
                f"line {case.line}: the case {case.name} begins at no phase that is known: one of "
                f"{', '.join(row['seasons'])} and of {', '.join(moments)}"
            )
        self.letter = moments[case.moment]

    def record(self) -> dict[str, Any]:
        case = self.case
        units, centers = self.units("PRESTATE"), self.units("PRESTATE_SUPPLYCENTER_OWNERS", only="place")
        waiting = self.units("PRESTATE_DISLODGED", mark="*")
        after = (
            _joined(units, waiting)
            if case.same
            else _joined(self.units("POSTSTATE"), self.units("POSTSTATE_DISLODGED", mark="*"))
        )
        phases = [self.phase(self.letter, _joined(units, waiting), centers, self.orders("ORDERS"))]
        later = {self.row["of_the_marked"], *self.row.get("apart", ())}
        first = next(letter for letter in self.row["moments"].values() if letter not in later)
        if self.letter != first:
            before, orders = units, self.orders("PRESTATE_RESULTS")
            if waiting:
                before = _joined(
                    self.taken_back(units), {n: [u[1:] for u in us] for n, us in waiting.items()}
                )
            phases.insert(0, self.phase(first, before, centers, orders))
            phases[1]["state"]["centers"] = None
        phases.append({"name": "", "state": {"units": after, "centers": None}, "orders": {}})
        return {"id": case.name, "phases": phases}

    def phase(self, letter: str, units: Any, centers: Any, orders: Any) -> dict[str, Any]:
        season = self.row.get("apart", {}).get(letter, self.row["seasons"][self.case.season])
        name = f"{season}{self.case.year}{letter}"
        return {"name": name, "state": {"units": units, "centers": centers}, "orders": orders}

    def units(self, what: str, mark: str = "", only: str = "") -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for number, line in self.case.of(what):
            said = UNIT.fullmatch(line)
            if said is None:
                raise RecordError(f"line {number}: {line[:60]!r} is no unit: `England: F nth`")
            nation, kind, place = said.groups()
            name = self.called(place, self.row)
            found.setdefault(nation, []).append(name if only else f"{mark}{kind.upper()} {name}")
        return found

    def orders(self, what: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for number, line in self.case.of(what):
            said = ORDER.fullmatch(line)
            if said is None:
                raise RecordError(f"line {number}: {line[:60]!r} is no order: `England: F nth-nwy`")
            found.setdefault(said[2], []).append(PLACE.sub(self._named, said[3]).replace("-", " - "))
        return found

    def _named(self, found: re.Match[str]) -> str:
        return found[0] if found[0] in WORDS else self.called(found[0], self.row)

    def taken_back(self, units: Mapping[str, list[str]]) -> dict[str, list[str]]:
        """The units where they stood before the moves that succeeded."""
        found = {nation: list(mine) for nation, mine in units.items()}
        for _, line in self.case.of("PRESTATE_RESULTS"):
            said = ORDER.fullmatch(line)
            move = MOVE.fullmatch(said[3]) if said and said[1] == "SUCCESS" else None
            if said is None or move is None:
                continue
            kind, begin, end = move.groups()
            now = f"{kind.upper()} {self.called(end, self.row)}"
            for mine in found.values():
                if now in mine:
                    mine[mine.index(now)] = f"{kind.upper()} {self.called(begin, self.row)}"
                    break
        return found


def _joined(one: Mapping[str, list[str]], other: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {nation: [*one.get(nation, ()), *other.get(nation, ())] for nation in {**one, **other}}
