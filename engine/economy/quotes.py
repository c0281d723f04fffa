"""What a purchase is made of: quotes that can be bought, offers of a price list, and the small readings that
both need.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..core.model import Row, Ruleset

PLENTY = 999
"""The most that an offer names where nothing limits it."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A purchase that can be made: `n` of an item for a site, what is paid out of which treasury, and what
    else it takes.

    `price` and `fee` are for each; `dear` of them cost the multiple for what is used up. `uses` lists
    (resource, treasury, amount, when taken), `beyond` what the dear ones use up when they are complete, as
    far as there is any (resource, treasury, amount); `rooms` lists (room, place or nation, how many). `rows`
    are the ids of the modifiers in the price.
    """

    item: str
    nation: str
    site: str
    n: int
    made: int
    variant: str
    price: Any
    fee: Any
    dear: int
    cost: Any
    what: str
    purse: str
    into: str
    facing: tuple[str, ...] = ()
    uses: tuple[tuple[str, str, Any, str], ...] = ()
    rooms: tuple[tuple[str, str, int], ...] = ()
    rows: tuple[str, ...] = ()
    kind: str = ""
    beyond: tuple[tuple[str, str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """One line of a nation's price list: an item at a site, the price and fee for each, and the most it can
    buy now.

    `facing` are the places that works may face, `into` where units may appear.
    """

    item: str
    site: str
    price: Any
    fee: Any
    most: int
    facing: tuple[str, ...] = ()
    into: tuple[str, ...] = ()
    purse: str = ""


def tested_again(item: Row, kind: str) -> str | None:
    """The kind of site that something was bought for, if that is tested again when it is complete."""
    return next(
        (str(site["id"]) for site in item.get("sites", ()) if site["id"] == kind and "must_hold" in site),
        None,
    )


def as_one(item: Row, n: int) -> int:
    """How many of an item people would say there are: works that face all sides of a place (`facing.all`) are
    one.
    """
    return 1 if item.get("facing", {}).get("all") else n


def so_many(ruleset: Ruleset, item: Row, what: str, n: int) -> tuple[int, str]:
    """A number of something that is bought or under way, as `as_one` counts it, and what so many are called.

    `what` is a unit, a technology or anything else that has no name besides its item's.
    """
    n = as_one(item, n)
    unit = ruleset.row_or_empty("units", what)
    tech = ruleset.row_or_empty("technologies", what)
    row: Row = next((r for r in (item, unit, tech) if r.get("name")), {})
    return n, str((row.get("plural") if n > 1 else None) or row.get("name") or what.replace("-", " "))


def rounded_up(value: Any) -> int:
    number = Fraction(value)
    return -((-number.numerator) // number.denominator)
