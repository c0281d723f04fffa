"""What a player is given to choose from on the orders page: plain lists, which another process may make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Way:
    """One choice: what it fills in (JSON of slots), its name, what is to be said of it, the heading that it
    stands under, and the place that it leads to."""

    value: str
    label: str
    note: str = ""
    group: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Units:
    """Units of one kind that can be sent:

    `slot` of the order, how many stand there, how many are ordered already.
    """

    slot: str
    kind: str
    name: str
    there: int
    ordered: int = 0

    @property
    def left(self) -> int:
        return max(0, self.there - self.ordered)


@dataclass(frozen=True, slots=True)
class Blank:
    """Something else to fill in:

    `shape` is `one` or `many` of `ways`, `text`, or `number` (`most` 0: no bound).
    """

    slot: str
    label: str
    shape: str
    ways: tuple[Way, ...] = ()
    least: int = 0
    most: int = 0
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that an order may carry after its colon: its words, and between them what is to be filled
    in.
    """

    id: str
    parts: tuple[str | Blank, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One kind of order to be given by choosing: `fixed` is what is chosen already (JSON of slots)."""

    key: str
    id: str
    title: str
    fixed: str
    ways: tuple[Way, ...] = ()
    units: tuple[Units, ...] = ()
    blanks: tuple[Blank, ...] = ()
    conditions: tuple[Condition, ...] = ()
    help: str = ""
    place: str = ""
    usual: bool = True
    """Whether it makes sense to most now, as its row says."""


@dataclass(frozen=True)
class Menu:
    """All that a nation can order: the kinds of each place, those of each phase, and the places by name with
    how many kinds.
    """

    places: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    phases: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    toward: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Place -> the places from which something can be sent there, with the names of the orders that send
    it.
    """

    def at(self, place: str, taken: Mapping[str, int]) -> tuple[Choice, ...]:
        """What can be ordered at a place, less the units of each kind that orders which stand have taken
        there.
        """
        return tuple(
            replace(
                one, units=tuple(replace(u, ordered=min(u.there, taken.get(u.kind, 0))) for u in one.units)
            )
            for one in self.places.get(place, ())
        )
