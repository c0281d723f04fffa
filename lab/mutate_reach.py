"""Which rows a case reads: a change may be noticed by a case that cites other clauses.

The cases of a ruleset are played once on rows that note which of their keys are asked for. What they read is
kept between runs; only new cases are played. It is a hint where to look, never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wteaw.core.canonical import digest
from wteaw.core.model import Row, Ruleset
from wteaw.ruleset import cache
from wteaw.testing.cases import Case
from wteaw.testing.given import MAP
from wteaw.testing.runner import Runner

from .mutate_changes import Mutation

__all__ = ["MOST", "Reach"]

MOST = 60
"""Cases that are played for one change beyond those that cite its clauses."""
COMMON = 4
"""A key that more than one in so many cases read tells nothing of any of them."""
VERSION = 1

Key = tuple[str, str]
"""A row ("form/id") and one of its keys."""


class _Noting(dict[str, Any]):
    """A row that notes which of its keys are read, and by a walk over it all of them."""

    __slots__ = ("_name", "_seen")

    def __init__(self, row: Mapping[str, Any], name: str, seen: set[Key]) -> None:
        super().__init__(row)
        self._name, self._seen = name, seen

    def __getitem__(self, key: str) -> Any:
        self._seen.add((self._name, key))
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._seen.add((self._name, key))
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._seen.add((self._name, str(key)))
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self._all()
        return super().__iter__()

    def items(self) -> Any:
        self._all()
        return super().items()

    def values(self) -> Any:
        self._all()
        return super().values()

    def _all(self) -> None:
        self._seen.update((self._name, key) for key in dict.keys(self))


def _noting(ruleset: Ruleset, seen: set[Key]) -> Ruleset:
    """The ruleset on rows that note what is read. The map is left out: nearly every case reads all of it."""

    def of(form: str, rows: Mapping[str, Row]) -> Mapping[str, Row]:
        return (
            rows if form in MAP else {id_: _Noting(row, f"{form}/{id_}", seen) for id_, row in rows.items()}
        )

    frame = tuple(
        _Noting(node, f"sequence/{name_of(node, n)}", seen) for n, node in enumerate(ruleset.sequence)
    )
    return replace(
        ruleset, forms={form: of(form, rows) for form, rows in ruleset.forms.items()}, sequence=frame
    )


def name_of(node: Mapping[str, Any], number: int) -> str:
    """What a step of the frame is called among changes."""
    return next(
        (str(node[key]) for key in ("id", "phase", "step", "do") if isinstance(node.get(key), str)),
        str(number),
    )


class Reach:
    """What the cases of one ruleset read. `play` plays a case with a runner, however long it may take."""

    def __init__(
        self, ruleset: Ruleset, cases: Sequence[Case], play: Callable[[Runner, Case], object]
    ) -> None:
        self._cases = {digest([case.id, case.data]): case for case in cases}
        shelf = cache.key_of(["reach", str(VERSION), ruleset.hash])
        kept = cache.read("reach", shelf) or {"cases": [], "keys": {}}
        self._order: list[str] = list(kept["cases"])
        self._readers: dict[Key, int] = {(row, key): int(bits, 16) for row, key, bits in _flat(kept["keys"])}
        new = [stamp for stamp in self._cases if stamp not in set(self._order)]
        if new:
            self._play(ruleset, new, play)
            cache.write("reach", shelf, {"cases": self._order, "keys": _nested(self._readers)})
        self._rows: dict[str, list[Key]] = {}
        for key in self._readers:
            self._rows.setdefault(key[0], []).append(key)
        self._weights: dict[int, int] = {}

    def _play(self, ruleset: Ruleset, new: Sequence[str], play: Callable[[Runner, Case], object]) -> None:
        seen: set[Key] = set()
        runner = Runner(_noting(ruleset, seen))
        for stamp in new:
            seen.clear()
            play(runner, self._cases[stamp])
            bit = 1 << len(self._order)
            self._order.append(stamp)
            for key in seen:
                self._readers[key] = self._readers.get(key, 0) | bit

    def cases(self, change: Mutation) -> list[Case]:
        """The cases that read what a change alters, those first that read the very key, and that read little
        else.
        """
        exact = self._readers.get((change.row, str(change.path[0])), 0)
        around = 0
        for key in self._rows.get(change.row, ()):
            bits = self._readers[key]
            if bits.bit_count() * COMMON < len(self._order):
                around |= bits
        first = self._among(exact)
        return [*first, *(c for c in self._among(around & ~exact))][:MOST]

    def _among(self, bits: int) -> list[Case]:
        at = [n for n, stamp in enumerate(self._order) if bits >> n & 1 and stamp in self._cases]
        return [
            self._cases[self._order[n]] for n in sorted(at, key=lambda n: (self._weight(n), self._order[n]))
        ]

    def _weight(self, n: int) -> int:
        """How many keys a case reads in all."""
        if not self._weights:
            for bits in self._readers.values():
                while bits:
                    low = bits & -bits
                    at = low.bit_length() - 1
                    self._weights[at] = self._weights.get(at, 0) + 1
                    bits ^= low
        return self._weights.get(n, 0)


def _nested(readers: Mapping[Key, int]) -> dict[str, dict[str, str]]:
    out: dict[str, dict[str, str]] = {}
    for (row, key), bits in readers.items():
        out.setdefault(row, {})[key] = f"{bits:x}"
    return out


def _flat(kept: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str, str]]:
    return ((row, key, bits) for row, keys in kept.items() for key, bits in keys.items())
