"""Shares of allies: what a side loses is divided among its nations by the worth of their units, largest
remainders first.

The worth of a nation is the sum of the values with which its units stand in the battle, where the row of the
battle has
`shares`: as they fired in the stage, and as the rows make it for those who did not. Nobody loses more than
they have; what they are spared of their share for want of units others may bear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from ..core.journal import Entry
from ..core.model import Row
from .battles import OTHER, stage_of
from .book import Book
from .figures import Beyond
from .played import RecordedGame
from .reading import Reader
from .things import Thing

Stacks = dict[tuple[str, str], int]
"""Owner and kind -> how many stand on a side."""


def shares(played: RecordedGame, book: Book) -> None:
    """Every stage of every round in which several nations of a side may be hit."""
    for entry, reader in played.readings():
        data = entry.data
        if not entry.rule.startswith("battles/") or "fire" not in data:
            continue
        row = played.ruleset.row_or_empty("battles", str(data.get("battle")))
        if "shares" in row:
            for side in OTHER:
                _side(entry, row, side, _stacks(data["sides"].get(side, {})), reader, book)


def _stacks(of: Mapping[str, Mapping[str, int]]) -> Stacks:
    found = {}
    for owner, kinds in of.items():
        for kind, n in kinds.items():
            found[owner, kind] = n
    return found


def _side(entry: Entry, row: Row, side: str, standing: Stacks, reader: Reader, book: Book) -> None:
    owners = sorted({owner for owner, _ in standing})
    if len(owners) < 2:
        return
    taken: dict[str, Counter[str]] = {}
    gone: Counter[str] = Counter()
    for part in entry.data.get("lost", {}).get(side, ()):
        if not part.get("virtual") and part["owner"] in owners:
            taken.setdefault(part.get("stage", ""), Counter())[part["owner"]] += part["n"]
            gone[part["owner"]] += part["n"]
    if not taken:
        return
    if len(taken) > 1:
        book.skip("hits of several stages at once")
        return
    stage, lost = next(iter(taken.items()))
    if any(key in stage_of(row, stage) for key in ("hits", "never_hits")) or "never_hit" in row:
        book.skip("hits that not all can take")
        return
    try:
        worth = _worth(entry, row, side, standing, reader)
    except Beyond as why:
        book.skip(str(why))
        return
    total, hits = sum(worth.values()), sum(lost.values())
    if not total:
        book.skip("sides that are worth nothing")
        return
    room = {owner: sum(n for (of, _), n in standing.items() if of == owner) - gone[owner] for owner in owners}
    exact = {owner: Fraction(hits) * worth[owner] / total for owner in owners}
    spared = [o for o in owners if lost[o] < floor(exact[o]) and room[o] > 0]
    over = [o for o in owners if lost[o] > ceil(exact[o])]
    fine = not spared and (
        not over or all(room[o] <= 0 or lost[o] >= floor(exact[o]) for o in owners if o not in over)
    )
    if fine and not over:
        fine = _by_remainder(exact, lost, room)
    book.check(
        fine, entry, ", ".join(owners), f"losses in {entry.data['place']}, {stage}, shared by worth",
        ", ".join(f"{o} {float(exact[o]):.2f}" for o in owners), ", ".join(f"{o} {lost[o]}" for o in owners),
    )  # fmt: skip


def _by_remainder(exact: Mapping[str, Fraction], lost: Counter[str], room: Mapping[str, int]) -> bool:
    """Whether those who bear one more have the larger remainders (those who have nobody left stand aside)."""
    more = [exact[o] - floor(exact[o]) for o in exact if lost[o] > floor(exact[o])]
    less = [exact[o] - floor(exact[o]) for o in exact if lost[o] == floor(exact[o]) and room[o] > 0]
    return not more or not less or min(more) >= max(less)


def _worth(entry: Entry, row: Row, side: str, standing: Stacks, reader: Reader) -> dict[str, Fraction]:
    """What each nation of a side is worth: values of those who fired with it, figures of the rows for the
    others.
    """
    said = row["shares"]
    quantity = said.get(side) if isinstance(said, Mapping) else said
    out: dict[str, Fraction] = {}
    fired: Counter[tuple[str, str]] = Counter()
    for fire in entry.data["fire"]:
        key = (fire["owner"], fire["kind"])
        value = stage_of(row, fire["stage"]).get("value")
        if fire["side"] == side and key in standing and fired[key] < standing[key] and quantity in (
            value.get(side) if isinstance(value, Mapping) else value,
        ):  # fmt: skip
            fired[key] += fire["n"]
            out[key[0]] = out.get(key[0], Fraction(0)) + Fraction(fire["value"]) * fire["n"]
    for (owner, kind), n in standing.items():
        rest = n - fired[owner, kind]
        if rest > 0:
            unit = Thing(reader, "unit", f"{owner}.{kind}@")
            names = {"place": reader.thing("place", entry.data["place"])}
            out[owner] = out.get(owner, Fraction(0)) + rest * Fraction(
                reader.quantity(str(quantity), unit, names)
            )
        out.setdefault(owner, Fraction(0))
    return out
