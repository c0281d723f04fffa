"""What an order comes to when it is understood: an intent that stands, with its conditions, or a typed
refusal.

Each test of whether an order may be given answers with these, never with words alone; nothing is decided by
how a refusal is worded. Codes are those of `core/codes.py` (`ORDER_CODES`), where each is explained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class RefusalCode(StrEnum):
    """Why an order is refused."""

    NAME = "O103"
    CLOSED = "O201"
    UNMET = "O202"
    LIMIT = "O203"
    MEANS = "O204"
    UNITS = "O205"
    WAY = "O206"
    OPTION = "O207"
    NUMBER = "O208"
    CHOICE = "O209"
    SITE = "O210"
    TOGETHER = "O212"


class Note(StrEnum):
    """What is said of an order that stands."""

    MEANS = "O301"
    PASSAGE = "O302"
    READ = "O303"
    UNDECLARED = "O305"
    DICE = "O306"
    WARNED = "O307"
    OTHERWISE = "O308"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An order that is not allowed: the code, why in words, the slot it is about, and what would do.

    `hint` says what would do; `choices` are the values that the slot may hold, where a hint can be made of
    them.
    """

    code: RefusalCode
    text: str
    slot: str = ""
    hint: str = ""
    choices: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said of an order that stands. `on` are the lines of own orders whose dice, or the votes of
    others on them, decide whether it can be carried out."""

    note: Note
    text: str
    slot: str = ""
    on: tuple[int, ...] = ()


CONDITIONS = frozenset({Note.MEANS, Note.PASSAGE, Note.DICE, Note.OTHERWISE})
"""The notes that are conditions: whether the order is carried out depends on it."""


@dataclass(frozen=True, slots=True)
class ValidatedOrder:
    """An order that stands, as it will be carried out if all others are silent and the dice are kind.

    `order` is the complete order (numbers in place of `all`), ready for the resolution; `cost` what is paid,
    by resource, and
    `purse` the treasury it comes out of where there are several; `number` how many of `item` are bought, or
    how much is sent;
    `paid_at` the places whose treasuries help the main one to pay;
    `units` who goes, `path` the places of their way from first to last; `site` where a thing appears or
    stands. `uses` is what it takes besides its price, by resource, now or when it is completed; `attacks` are
    the places into which it goes to fight.
    `mended` says how the line was read, where it was not written as its form has it.
    """

    order: Mapping[str, Any]
    cost: Mapping[str, Any] = field(default_factory=dict)
    purse: str = ""
    paid_at: tuple[str, ...] = ()
    item: str = ""
    number: int = 0
    units: Mapping[str, int] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    site: str = ""
    remarks: tuple[Remark, ...] = ()
    uses: Mapping[str, Any] = field(default_factory=dict)
    attacks: tuple[str, ...] = ()
    mended: str = ""

    @property
    def verb(self) -> str:
        """The row that is carried out, as "form/id"."""
        return str(self.order["order"])

    @property
    def slots(self) -> Mapping[str, Any]:
        """What the order names, by slot."""
        found: Mapping[str, Any] = self.order.get("slots", {})
        return found

    @property
    def conditions(self) -> tuple[Remark, ...]:
        """What it depends on beyond its own nation's will: dice and votes on earlier orders, means that come
        later, a passage.
        """
        return tuple(r for r in self.remarks if r.note in CONDITIONS)
