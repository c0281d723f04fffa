"""Collisions: units that came to one place at once and may not all stay go back where they came from.

Rows of the form `clashes` are settled in listed order. A row says which places it looks at (`at`), who of those that came by
the modes it names counts (`grouped` by nation), who `stays` (the largest, none, all), and what happens to equals (`tie`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Turn
from ..world import routes
from . import forces

if TYPE_CHECKING:
    from .march import March


def bounce(turn: Turn, marches: Sequence[March]) -> None:
    """Send back whom the clash rows do not let stay. Called when all marches of a step have been made."""
    for row in turn.ruleset.rows("clashes").values():
        came: dict[str, list[March]] = {}
        for march in marches:
            if march.mode["id"] in row["modes"] and march.picks:
                came.setdefault(march.target, []).append(march)
        for place in sorted(came):
            if _looks_at(turn, row, place, came[place]):
                _settle(turn, row, place, came[place])


def _looks_at(turn: Turn, row: Row, place: str, came: Sequence[March]) -> bool:
    """The row's test of a place, which sees it as it was before the step (`place`) and who came (`comers`, `attackers`)."""
    everyone = [m.nation for m in came]
    names: dict[str, Any] = {
        "place": Entity("place", place),
        "comers": len(set(everyone)),
        "attackers": len({m.nation for m in came if m.hostile}),
        "was_empty": not any(
            r for _, r in turn.state.stacks(at=place) if not r.get("force") and not r.get("moved")
        ),
    }  # fmt: skip
    return turn.world.test(row.get("at"), names)


def _settle(turn: Turn, row: Row, place: str, came: Sequence[March]) -> None:
    sizes: dict[str, int] = {}
    for march in came:
        sizes[march.nation] = sizes.get(march.nation, 0) + sum(n for _, n in march.picks)
    stays = row.get("stays", "largest")
    if stays == "all":
        return
    winner: str | None = None
    if stays == "largest":
        if len(sizes) < 2 and row.get("alone", True):
            return
        best = max(sizes.values())
        first = sorted(n for n, size in sizes.items() if size == best)
        winner = first[0] if len(first) == 1 else None
        if len(first) > 1 and row.get("tie") == "all":
            return
    for march in came:
        if march.nation != winner:
            _back(turn, row, place, march)


def _back(turn: Turn, row: Row, place: str, march: March) -> None:
    home = march.path[0]
    here, there = routes.name_of(turn.world, "places", place), routes.name_of(turn.world, "places", home)
    text = f"Units that came to {here} go back to {there}."
    with turn.journal.entry(f"clashes/{row['id']}", subject=f"{march.nation}:{place}", text=text, audience=(march.nation,)):
        force = next((f for f, r in sorted(turn.state.table("forces").items()) if r.get("order") == march.order["key"]), None)
        if force is not None:
            forces.withdraw(turn, force, home)
            return
        wanted: dict[str, int] = {}
        for key, n in march.picks:
            kind = key.partition("@")[0].rpartition(".")[2]
            wanted[kind] = wanted.get(kind, 0) + n
        moved = [(k, r) for k, r in turn.state.stacks(at=place, owner=march.nation) if r.get("moved")]
        for key, n in forces.pick(moved, wanted) or ():
            turn.journal.alter_units(key, n, place=home)
