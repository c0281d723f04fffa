"""An attack by whoever moves: whether these units can, and the war that it begins where there was none."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Desk, Turn, audience_ids
from ..turn.effects import Tail, fill
from ..world import routes
from . import forces
from .control import comes_to_fight


def attack_refusal(
    turn: Desk, mode: Row, nation: str, path: routes.Path, picks: Sequence[forces.Pick], *, hostile: bool
) -> str | None:
    """Why these units cannot attack over the last step of the way (`attack` must hold for each), or None."""
    if not hostile:
        return None
    if mode.get("fights") is False:
        return f"they cannot go into a fight in {routes.name_of(turn.world, 'places', path[-1])}"
    going = routes.Going(turn.world, nation, mode, [Entity("unit", k) for k, _ in picks])
    for unit in going.units:
        if not going.test("attack", path[-1], f"{path[-2]}>{path[-1]}", path[:-1], [unit]):
            kind = routes.name_of(turn.world, "units", str(turn.state.get("units", unit.id, "kind")))
            return f"{kind} cannot attack {routes.name_of(turn.world, 'places', path[-1])} from there"
    kinds = [str(turn.state.get("units", unit.id, "kind")) for unit in going.units]
    if "company" in mode and kinds and all(routes.concerns(turn.world, mode["company"], kind) for kind in kinds):
        return "nobody goes in beside them"
    return None


def begin_war(turn: Turn, mode: Row, nation: str, target: str) -> None:
    """An attack without war brings about what the mode says (`undeclared`), before any battle."""
    tail_row = mode.get("undeclared")
    if isinstance(tail_row, str):
        tail_row = turn.ruleset.row("modes", tail_row)["undeclared"]
    if not tail_row:
        return
    holder = turn.world.holder_of(target)
    others = [holder] if holder else [o for o in sorted(turn.state.owners_at(target)) if o != nation]
    for other in others:
        if other == nation or turn.world.hostile(nation, other):
            continue
        if mode.get("attacks") or comes_to_fight(turn, nation, other):
            _open_war(turn, mode, tail_row, nation, other)


def begin_war_with(turn: Turn, mode: Row, nation: str, other: str) -> None:
    """An attack upon forces of a nation with which there is no war brings about what the mode says (`undeclared`)."""
    tail_row = mode.get("undeclared")
    if isinstance(tail_row, str):
        tail_row = turn.ruleset.row("modes", tail_row)["undeclared"]
    if tail_row and other != nation and not turn.world.hostile(nation, other):
        _open_war(turn, mode, tail_row, nation, other)


def _open_war(turn: Turn, mode: Row, tail_row: Row, nation: str, other: str) -> None:
    names = {**turn.loops, "self": Entity("nation", nation), "target": Entity("nation", other)}
    if not turn.world.test(tail_row.get("when"), names):
        return
    rule, subject = f"modes/{mode['id']}", f"{nation}:{other}"
    readers = audience_ids(turn.world, tail_row.get("audience", "everyone"), names)
    with turn.journal.entry(rule, subject=subject, audience=readers) as entry:
        tail = Tail(turn, entry, rule, subject)
        if "says" in tail_row:
            entry.text = fill(turn.world, tail_row["says"], names)
        tail.run(tail_row, names)
