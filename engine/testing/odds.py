"""Odds that a case expects: a battle that nobody has ordered, judged on the case's position by the exact
solver.

Chances are written as fractions or decimals. A fraction must be met to nine places; a decimal to as many
places as it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from ..battle.groups import SIDES
from ..odds import Question, odds
from ..orders.odds_question import Composer, Unclear
from ..world.world import World
from .given import CaseError, known

Path = tuple[str | int, ...]
ENDS = ("win", "loss", "draw", "open", "field")
MEANS = ("lost", "left")


def wrong_odds(world: World, said: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any, Any]]:
    """Path, expected and got of every figure that the exact odds of the battle do not bear out.

    `win`, `loss`, `draw`, `open` and `field` are the attacker's; `lost` and `left` mean numbers by side,
    owner and kind; `losses` the chance of so many losses by side.
    """
    known(world.ruleset.rows("battles"), said["battle"], "battle", (*path, "battle"))
    attackers, defenders = (_force(world, said[side], (*path, side)) for side in ("attackers", "defenders"))
    _named(world, said, path)
    limits = {SIDES.index(side): limit for side, limit in said.get("limits", {}).items()}
    question = Question(
        said["battle"],
        attackers,
        defenders,
        place=said.get("at", ""),
        start=said.get("from", ""),
        works=said.get("works"),
        orders=said.get("orders", {}),
        limits=limits,
    )
    found = odds(world, question)
    for end in ENDS:
        if end in said and not _meets(said[end], getattr(found, end)):
            yield (*path, end), said[end], round(getattr(found, end), 9)
    for mean in MEANS:
        for side, owners in said.get(mean, {}).items():
            for owner, kinds in owners.items():
                for kind, wanted in kinds.items():
                    got = getattr(found, mean).get(side, {}).get(owner, {}).get(kind, 0.0)
                    if not _meets(wanted, got):
                        yield (*path, mean, side, owner, kind), wanted, round(got, 9)
    for side, table in said.get("losses", {}).items():
        chances = found.losses.get(side, ())
        for n, wanted in table.items():
            got = chances[int(n)] if int(n) < len(chances) else 0.0
            if not _meets(wanted, got):
                yield (*path, "losses", side, n), wanted, round(got, 9)


def _force(world: World, said: Mapping[str, Mapping[str, int]], path: Path) -> dict[tuple[str, str], int]:
    out = {}
    for owner, kinds in said.items():
        known(dict.fromkeys(world.nations()), owner, "nation", (*path, owner))
        for kind, n in kinds.items():
            known(world.ruleset.rows("units"), kind, "unit", (*path, owner, kind))
            out[owner, kind] = n
    return out


def _named(world: World, said: Mapping[str, Any], path: Path) -> None:
    """CaseError unless places, and whoever loses what, are there: a wrong name would be met by any odds."""
    rules = world.ruleset
    for key in ("at", "from"):
        if key in said:
            known(rules.rows("places"), said[key], "place", (*path, key))
    try:
        Composer(world).works(said.get("works", ""))
    except Unclear as problem:
        raise CaseError(str(problem), (*path, "works")) from None
    nations = dict.fromkeys(world.nations())
    virtual = {row["id"]: row for row in rules.row("battles", said["battle"]).get("virtual", ())}
    for owner, kinds in said.get("orders", {}).items():
        known(nations, owner, "nation", (*path, "orders", owner))
        for number, kind in enumerate(kinds):
            known({**rules.rows("units"), **virtual}, kind, "unit", (*path, "orders", owner, number))
    for mean in MEANS:
        for side, owners in said.get(mean, {}).items():
            for owner, kinds in owners.items():
                known(nations, owner, "nation", (*path, mean, side, owner))
                for kind in kinds:
                    known({**rules.rows("units"), **virtual}, kind, "unit", (*path, mean, side, owner, kind))


def _meets(wanted: Any, got: float) -> bool:
    text = str(wanted)
    if "/" not in text and "." in text:
        return abs(float(text) - got) <= 0.5000001 * 10.0 ** -len(text.partition(".")[2])
    if isinstance(wanted, Fraction):  # a decimal in the file: the loader keeps it as a fraction
        places = next(
            (n for n in range(1, 13) if wanted.denominator != 1 and 10**n % wanted.denominator == 0), 9
        )
        return abs(float(wanted) - got) <= 0.5000001 * 10.0**-places
    return abs(float(Fraction(text)) - got) <= 1e-9
