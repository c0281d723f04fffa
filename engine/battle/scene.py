"""A world with units in it that the state does not have: virtual members, units not yet hit, and the units of
a question.

`scene` lays further stacks over a state without touching it; everything else is read from the state itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.state import WHOLE_ROW, Fields
from ..world.world import World


def scene(
    world: World, stacks: Mapping[str, Fields], tables: Mapping[str, Mapping[str, Fields]] | None = None
) -> World:
    """The same world with these stacks (id -> row) besides its own, and rows of other `tables` laid over
    theirs.

    The world itself stays as it is.
    """
    state = world.state.copy()
    for key, row in stacks.items():
        state.put("units", key, WHOLE_ROW, row)
    for name, rows in (tables or {}).items():
        for key, row in rows.items() if name != "units" else ():
            state.put(name, key, WHOLE_ROW, {**state.row(name, key), **row})
    return World(world.ruleset, state, moments=world.moments, geography=world.geography)


def stack(owner: str, kind: str, place: str, n: int, **extra: Any) -> Fields:
    return {
        "owner": owner,
        "kind": kind,
        "place": place,
        "n": n,
        **{k: v for k, v in extra.items() if v is not None},
    }
