"""Battles that rules have listed: each stands for a record, by which its row finds place and parties (`where:
records`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.choices import block_of
from ..core.model import Row
from ..core.state import Entity, Fields
from ..world.selections import as_set, id_of
from ..world.world import EntitySet, World
from .groups import ATTACKER, DEFENDER, SIDES


def places(world: World, row: Row, names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The records of a battle row in their order, each with its place."""
    options = block_of(row, "where")
    for record in as_set(world, world.value(options["over"], names)):
        at = world.marked(options["at"], {**names, "record": record})
        yield record.id, str(id_of(at))


def names_of(record: str, place: str = "") -> dict[str, Any]:
    """The names that stand for a record and its place."""
    return {"record": Entity("record", record), **({"place": Entity("place", place)} if place else {})}


def party(world: World, row: Row, side: int, record: str, place: str) -> Iterator[tuple[str, Fields]]:
    """The stacks of a side, as they are now."""
    parties = block_of(row, "where")["parties"]
    yield from _stacks(world, as_set(world, world.value(parties[SIDES[side]], names_of(record, place))))


def helpers(world: World, row: Row, record: str, place: str) -> Iterator[tuple[int, str, Fields, Row]]:
    """Stacks that take part without being a party: side, key, row, and the row by which they join."""
    rows = [join for join in row.get("joins", ()) if "units" in join]
    taken: set[str] = set()
    for side in (ATTACKER, DEFENDER) if rows else ():
        for owner in sorted({str(stack["owner"]) for _, stack in party(world, row, side, record, place)}):
            names = {**names_of(record, place), "self": Entity("nation", owner)}
            for join in rows:
                if join.get("side") not in (None, SIDES[side]):
                    continue
                for key, stack in _stacks(world, as_set(world, world.value(join["units"], names))):
                    if key not in taken and world.test(
                        join.get("who"), {**names, "unit": Entity("unit", key)}
                    ):
                        taken.add(key)
                        yield side, key, stack, join


def link(row: Row, stack: Mapping[str, Any], place: str) -> str:
    """From where a unit takes part: the place its field names, else where it stands, if that is another
    one.
    """
    came = str(stack.get(block_of(row, "where").get("came_from", ""), "") or "") or str(stack["place"])
    return f"{came}>{place}" if came != place else ""


def origins(world: World, row: Row, record: str, place: str) -> int | None:
    """From how many places a battle is attacked, where its row computes that itself."""
    options = block_of(row, "where")
    return (
        int(world.number(options["origins"], names_of(record, place)))
        if record and "origins" in options
        else None
    )


def _stacks(world: World, units: EntitySet) -> Iterator[tuple[str, Fields]]:
    for unit in units:
        row = world.state.row("units", unit.id)
        if row:
            yield unit.id, dict(row)


__all__: Sequence[str] = ("helpers", "link", "names_of", "origins", "party", "places")
