"""What a nation plays for: rows of `victory` that are objectives name its aims by side, each judged as the
row of the aim says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..core.model import Row, Ruleset
from ..core.state import Entity
from ..ruleset.forms import KINDS
from .fields import Readings

ANY = "any"
"""The key of `goals` for aims that count whatever the side."""


class Reached(NamedTuple):
    """Points that a nation has: for which aim, and for which thing (None: for all of them together, or for a
    figure).
    """

    aim: str
    thing: str | None
    points: int


def points_of(world: Readings, nation: str) -> int:
    """The sum of the points of the objectives that a nation has reached; 0 if it has none."""
    return sum(found.points for found in reached(world, nation))


def reached(world: Readings, nation: str) -> Iterator[Reached]:
    """The objectives that a nation has reached, in the order of its rows."""
    for row in rows_of(world.ruleset, nation):
        for side, goals in row["goals"].items():
            if side in (ANY, world.side_of(nation)):
                for id_, wanted in goals.items():
                    aim = world.ruleset.row("victory", id_)
                    points = row.get("worth", {}).get(id_, aim["points"])
                    for thing in _things(world, aim, Entity("nation", nation), wanted):
                        yield Reached(id_, thing, points)


def rows_of(ruleset: Ruleset, nation: str) -> list[Row]:
    """The rows that say what a nation plays for, in the order of the table."""
    return [row for row in ruleset.of_kind("victory", "objectives").values() if row["nation"] == nation]


def _things(
    world: Readings, aim: Row, nation: Entity, wanted: int | list[str] | dict[str, str]
) -> list[str | None]:
    """What is reached of an aim: things, or None, once, for a number and for things that only count
    together.
    """
    names = {"nation": nation, "self": nation}
    if isinstance(wanted, int):
        return [None] if world.test(aim["reached"], {**names, "it": wanted}) else []
    passed: list[str | None] = []
    for thing in wanted:
        other = {"other": Entity(KINDS[aim["with"]], wanted[thing])} if isinstance(wanted, dict) else {}
        if _passes(world, aim, thing, {**names, **other}):
            passed.append(thing)
    if aim.get("count") == "together":
        return [None] if len(passed) == len(wanted) else []
    return passed


def _passes(world: Readings, aim: Row, thing: str, names: Mapping[str, Any]) -> bool:
    """Whether a thing passes the test of an aim; of a group, every member or any."""
    members = world.ruleset.row_or_empty("groups", thing).get("members", [thing])
    tests = (world.test(aim["reached"], {**names, "it": Entity(KINDS[aim["about"]], m)}) for m in members)
    return any(tests) if aim.get("group") == "any" else all(tests)
