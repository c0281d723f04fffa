"""One thing that a case expects and that did not come about: where it is written, what was got."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .unchanged import Touch
from .values import same

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One expectation that does not hold.

    `path` leads to it in the case; `touches` are the fields it is about.
    """

    path: Path
    expected: Any
    got: Any
    touches: tuple[Touch, ...] = ()

    @property
    def what(self) -> str:
        return ".".join(str(p) for p in self.path if p != "then")


def unless(wanted: Any, got: Any, path: Path, *touches: Touch) -> Iterator[Mismatch]:
    """A mismatch unless what was got is what was wanted, or within the range that was."""
    if isinstance(wanted, Mapping) and set(wanted) == {"range"}:
        low, high = wanted["range"]
        if not (isinstance(got, int | Fraction) and low <= got <= high):
            yield Mismatch(path, f"from {low} to {high}", got, touches)
    elif not same(wanted, got):
        yield Mismatch(path, wanted, got, touches)
