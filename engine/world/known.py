"""What a nation knows of others' forces, place by place, and the theaters by which it looks at the map; all
from its view.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..core.model import Ruleset, derived_of
from .view import UNKNOWN, learned
from .world import World

ELSEWHERE = "Elsewhere"
"""What lies outside all theaters."""


class Enemies(NamedTuple):
    """Enemies that are known to be in a place: how many at least, whether that is all of them, and the band
    if one is shown.
    """

    least: int = 0
    exact: bool = True
    band: str = ""


def enemies_in(world: World, reader: str, place: str) -> Enemies:
    """The enemies that the reader knows to be in a place; none where it may be nobody."""
    n = sum(
        int(r["n"])
        for _, r in world.state.stacks(at=place)
        if r["kind"] != UNKNOWN and world.hostile(reader, str(r["owner"]))
    )
    best = Enemies(n)
    for _, row in world.state.stacks(at=place):
        low = int(str(row.get("range", "0")).partition("..")[0] or 0)
        if row["kind"] == UNKNOWN and low > best.least and world.hostile(reader, str(row["owner"])):
            best = Enemies(low, False, str(row["range"]))
    known, holder = counted_before(world, reader, place), world.holder_of(place)
    foes = int(known.get("foes", known.get("n", 0)))
    if foes > best.least and holder is not None and world.hostile(reader, holder):
        best = Enemies(foes, "units" in known)
    return best


def counted_before(world: World, reader: str, place: str) -> Mapping[str, Any]:
    """What a reader has learned of the units in a place (`n`, perhaps `units`, and `foes`, those of their own
    enemies, where these are not all); nothing once too old to say who is there."""
    return learned(world.state, reader, f"units:{place}")


def counted_units(world: World, reader: str, place: str) -> dict[tuple[str, str], int]:
    """Units of others in a place that the reader has counted and the map does not show: (owner, kind) -> how
    many.

    Whose each of them is was not counted: they are taken for the holder's. Nothing where the map shows all,
    or nobody counted.
    """
    others = [row for _, row in world.state.stacks(at=place) if not world.allied(reader, str(row["owner"]))]
    known, holder = counted_before(world, reader, place), world.holder_of(place)
    if (
        (others and all(row["kind"] != UNKNOWN for row in others))
        or holder is None
        or world.allied(reader, holder)
    ):
        return {}
    return {(holder, str(kind)): int(n) for kind, n in (known.get("units") or {}).items()}


@derived_of("groups", "places")
def theaters(ruleset: Ruleset) -> list[tuple[str, list[str]]]:
    """Name and places of each theater, in their order: the groups with `use: theater`, else the map's sheets
    (`section`).

    None where a ruleset tells its places apart in neither way.
    """
    rows = [r for r in ruleset.rows("groups").values() if r.get("use") == "theater"]
    found = [
        (str(r.get("name", r["id"])), list(r["members"]))
        for r in sorted(rows, key=lambda r: r.get("order", 0))
    ]
    sheets: dict[str, list[str]] = {}
    for place, row in ruleset.rows("places").items() if not found else ():
        if "section" in row:
            sheets.setdefault(str(row["section"]), []).append(place)
    return found or [(sheet.replace("-", " ").title(), places) for sheet, places in sheets.items()]


def theater_of(world: World, place: str) -> str:
    """The name of the theater in which a place lies; `ELSEWHERE` outside all of them."""
    return _theater_by_place(world.ruleset).get(place, ELSEWHERE)


@derived_of("groups", "places")
def _theater_by_place(ruleset: Ruleset) -> dict[str, str]:
    return {place: name for name, members in theaters(ruleset) for place in members}


def theater_names(world: World) -> list[str]:
    """The names of the theaters in their order, `ELSEWHERE` last."""
    return [*(name for name, _ in theaters(world.ruleset)), ELSEWHERE]
