"""Arrivals: units that set out in an earlier step come in, as far as their way still holds.

A mode says by `holds` (else `pass`) what each place of the way must still pass, and by `if_cut` what happens
when one does
not: `last_before` (they end in the last good place before it) or `start` (they are back where they set out).
`if_none` is tried when no place of the way is left: `nearest` to the way, or `lost`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity
from ..turn.context import Turn
from ..world import routes
from ..world.messages import say, units


def bring_in(turn: Turn, modes: Sequence[MovementRow]) -> None:
    """Everything under way by these modes arrives, falls short, or is lost; all judged on the state
    before.
    """
    ids = {m["id"]: m for m in modes}
    due = [(k, r) for k, r in sorted(turn.state.table("under_way").items()) if r.get("mode") in ids]
    ends = {key: _end(turn, ids[row["mode"]], row) for key, row in due}
    for key, row in due:
        _arrive(turn, ids[row["mode"]], key, dict(row), ends[key])


def _end(turn: Turn, mode: MovementRow, row: Row) -> str | None:
    """Where the units of a row come out; None if they are lost."""
    path: routes.Path = tuple(row["path"])
    going = routes.Going(turn.world, row["nation"], mode, ())
    if mode.get("if_cut") == "start":
        return (
            str(path[0])
            if _costs_more(turn, mode, row) or not _holds(going, path, len(path) - 1)
            else path[-1]
        )
    reached = len(path) - 1
    for index in range(1, len(path)):
        if not _holds(going, path, index):
            reached = index - 1
            break
    if reached > 0 or _holds(going, path, 0):
        return path[reached]
    for how in mode.get("if_none", ("nearest", "lost")):
        if how == "nearest":
            found = _beside(turn, going, path)
            if found is not None:
                return found
    return None


def _holds(going: routes.Going, path: routes.Path, index: int) -> bool:
    key = "holds" if "holds" in going.mode else "pass"
    before = path[max(index - 1, 0)]
    return going.test(key, path[index], f"{before}>{path[index]}", path[: max(index, 1)])


def _costs_more(turn: Turn, mode: MovementRow, row: Row) -> bool:
    """Whether the way now costs more than when they set out, and more than they have."""
    if "budget" not in row:
        return False
    going = routes.Going(turn.world, row["nation"], mode, ())
    return bool(routes.spent_on(going, tuple(row["path"])) > row["budget"])


def _beside(turn: Turn, going: routes.Going, path: routes.Path) -> str | None:
    """The place next to the way, nearest to its start, that still holds."""
    for place in path:
        for near in turn.world.geography.next_to(place, going.links):
            if going.test("holds" if "holds" in going.mode else "pass", near, f"{place}>{near}", (place,)):
                return near
    return None


def _arrive(turn: Turn, mode: MovementRow, key: str, row: dict[str, Any], place: str | None) -> None:
    nation, kind, n = row["nation"], row["what"], row["n"]
    arrive, are = ("arrives", "is") if n == 1 else ("arrive", "are")
    told = f"{{units}} {arrive} in {{place}}" if place else f"{{units}} on the way to {{place}} {are} lost"
    about = {"units": units(turn.world, {kind: n}), "place": Entity("place", place or row["at"])}
    if place is not None and place != row["at"]:
        told, about = told + ", short of {goal}", {**about, "goal": Entity("place", row["at"])}
    says = say(turn.world, f"{told}.", **about)
    data = {"units": {kind: n}, "place": place, "path": row["path"]}
    with turn.journal.entry(
        f"movement/{mode['id']}", subject=f"{nation}:{key}", says=says, audience=(nation,), data=data
    ):
        turn.journal.put_row("under_way", key, None)
        if place is None:
            turn.journal.fact("destroyed", of=nation, kind=kind, place=row["at"], n=n, cause="no way left")
            return
        turn.journal.units(nation, kind, place, n, **(row.get("extra") or {}))
        turn.journal.fact("placed", by=nation, place=place, kind=kind, n=n)
