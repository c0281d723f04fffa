"""A world with units in it that the state does not have: virtual members, units not yet hit, and the units of a question.

`scene` lays further stacks over a state without touching it; everything else is read from the state itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.state import Fields, State
from ..world.world import World


def scene(world: World, stacks: Mapping[str, Fields], tables: Mapping[str, Mapping[str, Fields]] | None = None) -> World:
    """The same world with these stacks (id -> row) besides its own, and rows of other `tables` laid over theirs.

    The world itself stays as it is.
    """
    units = dict(world.state.tables.get("units", {}))
    at, of = dict(world.state._at), dict(world.state._of)
    for key, row in stacks.items():
        units[key] = dict(row)
        at[row["place"]] = at.get(row["place"], set()) | {key}
        of[row["owner"]] = of.get(row["owner"], set()) | {key}
    state = State()
    state.tables = {**world.state.tables, "units": units}
    for name, rows in (tables or {}).items():
        if name != "units" and rows:
            below = world.state.tables.get(name, {})
            state.tables[name] = {**below, **{key: {**below.get(key, {}), **row} for key, row in rows.items()}}
    state._at, state._of = at, of
    return World(world.ruleset, state, moments=world.moments, geography=world.geography)


def stack(owner: str, kind: str, place: str, n: int, **extra: Any) -> Fields:
    return {"owner": owner, "kind": kind, "place": place, "n": n, **{k: v for k, v in extra.items() if v is not None}}
