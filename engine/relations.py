"""Stances, sides and wars: the only place that changes who is what to whom.

Which stances are hostile or friendly is the ruleset's; a hostile stance between two parties begins a war, and ending it
gives them the ruleset's default stance again.
"""

from __future__ import annotations

from .state import pair_key
from .turn import Turn


def relate(turn: Turn, a: str, b: str, stance: str, *, war: str | None = None, declared_by: str | None = None) -> bool:
    """Set the stance of two nations. Returns whether anything changed; journals `war_began` or `war_ended`."""
    journal, world = turn.journal, turn.world
    if a == b or world.stance(a, b) == stance:
        return False
    was_war, is_war = world.hostile(a, b), bool(world.stances[stance].get("hostile"))
    key = pair_key(a, b)
    journal.set("relations", key, "stance", stance)
    journal.set("relations", key, "since", turn.number)
    if is_war and not was_war:
        _open_war(turn, a, b, war, declared_by or a)
    elif was_war and not is_war:
        _close_war(turn, a, b)
    return True


def join(turn: Turn, nation: str, side: str, stance_of_war: str, stance_of_side: str) -> list[str]:
    """A nation joins a side: friendly with its members, at war with those its members are at war with.

    Returns the new enemies. Journals `joined` once.
    """
    journal, world = turn.journal, turn.world
    members = [n for n in world.nations() if n != nation and world.side_of(n) == side]
    enemies = sorted({e for m in members for e in world.nations() if e != nation and world.hostile(m, e)})
    journal.set("nations", nation, "side", side)
    for member in members:
        relate(turn, nation, member, stance_of_side)
    new = [e for e in enemies if relate(turn, nation, e, stance_of_war, declared_by=nation)]
    journal.fact("joined", by=nation, side=side)
    return new


def hostile_stance(turn: Turn) -> str:
    """The ruleset's ordinary stance of war: its first hostile one."""
    return next(i for i, r in turn.world.stances.items() if r.get("hostile"))


def friendly_stance(turn: Turn) -> str:
    return next(i for i, r in turn.world.stances.items() if r.get("friendly"))


def default_stance(turn: Turn) -> str:
    return next((i for i, r in turn.world.stances.items() if r.get("default")), "")


def end_war(turn: Turn, a: str, b: str, stance: str | None = None) -> bool:
    return relate(turn, a, b, stance or default_stance(turn))


def _open_war(turn: Turn, a: str, b: str, kind: str | None, by: str) -> None:
    of = b if by == a else a
    row = {"kind": kind or "", "parties": sorted((a, b)), "since": turn.number, "by": by}
    turn.journal.put_row("wars", pair_key(a, b), row)
    turn.journal.fact("war_began", by=by, of=of, war=pair_key(a, b))


def _close_war(turn: Turn, a: str, b: str) -> None:
    if turn.state.row("wars", pair_key(a, b)):
        turn.journal.put_row("wars", pair_key(a, b), None)
    turn.journal.fact("war_ended", by=a, of=b)
