"""Stances, sides and wars: the only place that changes who is what to whom, and what brings a war to its end.

Which stances are hostile or friendly is the ruleset's; a hostile stance between two parties begins a war, and
ending it gives them the ruleset's default stance again, or the one that the kind of war leaves behind. A
war's row holds its kind, its parties, who began it (`by`), since when, and what either has taken of the other
(`taken`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.journal import Fact
from ..core.messages import Message
from ..core.model import Row
from ..core.state import Entity, pair_key
from ..world.messages import say
from .context import Turn


def relate(
    turn: Turn,
    a: str,
    b: str,
    stance: str,
    *,
    war: str | None = None,
    declared_by: str | None = None,
    won_by: str | None = None,
) -> bool:
    """Set the stance of two nations. Returns whether anything changed; journals `war_began` or `war_ended`.

    A war that goes on as one of another kind changes too: `war` is then the kind it has become.
    """
    journal, world = turn.journal, turn.world
    key = pair_key(a, b)
    if a == b:
        return False
    if world.stance(a, b) == stance:
        grown = war is not None and world.hostile(a, b) and turn.state.get("wars", key, "kind") != war
        if grown:
            _open_war(turn, a, b, war, declared_by or a)
        return grown
    was_war, is_war = world.hostile(a, b), bool(world.stances[stance].get("hostile"))
    journal.set("relations", key, "stance", stance)
    journal.set("relations", key, "since", turn.number)
    if is_war and not was_war:
        _open_war(turn, a, b, war, declared_by or a)
    elif was_war and not is_war:
        _close_war(turn, a, b, won_by)
    return True


def join(turn: Turn, nation: str, side: str, stance_of_war: str, stance_of_side: str) -> list[str]:
    """A nation joins a side: friendly with its members, at war with those its members are at war with.

    Wars of a kind that is not shared (`shared: false` in its row) stay with those who wage them; its own war
    with somebody the side fights becomes a war of the side's kind. Returns the new enemies. Journals `joined`
    once.
    """
    journal, world = turn.journal, turn.world
    members = [n for n in world.nations() if n != nation and world.side_of(n) == side and world.alive(n)]
    enemies: dict[str, str | None] = {}
    for member in members:
        for other in world.nations():
            if other != nation and world.hostile(member, other):
                kind = turn.state.get("wars", pair_key(member, other), "kind")
                if turn.ruleset.row_or_empty("war_kinds", kind or "").get("shared", True):
                    enemies.setdefault(other, kind)
    journal.set("nations", nation, "side", side)
    for member in members:
        relate(turn, nation, member, stance_of_side)
    new = [
        e
        for e, kind in sorted(enemies.items())
        if relate(turn, nation, e, stance_of_war, war=kind, declared_by=nation)
    ]
    journal.fact("joined", by=nation, side=side)
    return new


def leave(turn: Turn, nation: str) -> None:
    """A nation leaves its side and is to the members what the ruleset's default stance says, unless they
    fight.
    """
    side = turn.world.side_of(nation)
    if side is None:
        return
    for member in [n for n in turn.world.nations() if n != nation and turn.world.side_of(n) == side]:
        if not turn.world.hostile(nation, member):
            relate(turn, nation, member, default_stance(turn))
    turn.journal.set("nations", nation, "side", "")


def be_nothing_to_others(turn: Turn, nation: str) -> None:
    """End every war and every alliance of a nation that is no more, as the ruleset's default stance has
    it.
    """
    for other in turn.world.nations():
        stance = turn.world.stance_row(nation, other)
        if other != nation and (stance.get("hostile") or stance.get("friendly")):
            relate(turn, nation, other, default_stance(turn))


def hostile_stance(turn: Turn) -> str:
    """The ruleset's ordinary stance of war: its first hostile one."""
    return next(i for i, r in turn.world.stances.items() if r.get("hostile"))


def friendly_stance(turn: Turn) -> str:
    return next(i for i, r in turn.world.stances.items() if r.get("friendly"))


def default_stance(turn: Turn) -> str:
    return next((i for i, r in turn.world.stances.items() if r.get("default")), "")


def end_war(turn: Turn, a: str, b: str, stance: str | None = None, *, won_by: str | None = None) -> bool:
    """Peace between two nations; allies of one side become allies again."""
    if not turn.world.hostile(a, b):
        return False
    side = turn.world.side_of(a)
    again = friendly_stance(turn) if side and side == turn.world.side_of(b) else default_stance(turn)
    return relate(turn, a, b, stance or again, won_by=won_by)


def _open_war(turn: Turn, a: str, b: str, kind: str | None, by: str) -> None:
    of = b if by == a else a
    row = {"kind": kind or "", "parties": sorted((a, b)), "since": turn.number, "by": by}
    turn.journal.put_row("wars", pair_key(a, b), row)
    turn.journal.fact("war_began", by=by, of=of, war=pair_key(a, b), kind=kind)


def _close_war(turn: Turn, a: str, b: str, won_by: str | None) -> None:
    key = pair_key(a, b)
    kind = turn.state.get("wars", key, "kind")
    if turn.state.row("wars", key):
        turn.journal.put_row("wars", key, None)
    by, of = (won_by, b if won_by == a else a) if won_by else (a, b)
    turn.journal.fact("war_ended", by=by, of=of, war=key, kind=kind or None, won=won_by)


# ---- what ends a war


def note_capture(turn: Turn, fact: Fact) -> None:
    """Write a place that changed hands into the war between taker and loser, if there is one."""
    loser, place = fact.roles.get("of"), fact.roles.get("place")
    taker = fact.roles.get("taken_by") or fact.roles.get("by")
    if fact.word != "captured" or not loser or not taker or not place:
        return
    key = pair_key(taker, loser)
    war = turn.state.row("wars", key)
    if not war:
        return
    taken = {n: list(p) for n, p in war.get("taken", {}).items()}
    if place not in taken.setdefault(taker, []):
        taken[taker].append(place)
        with turn.journal.entry(f"war_kinds/{war['kind']}", subject=key, keep=False):
            turn.journal.set("wars", key, "taken", taken)


def end_due_wars(turn: Turn, step: str) -> None:
    """End the wars whose kind ends in this step (`at`) and of which one ending has come; all are judged
    together.
    """
    kinds = {id_: kind for id_, kind in turn.ruleset.rows("war_kinds").items() if kind.get("at") == step}
    if not kinds:
        return
    due = []
    for key, war in sorted(turn.state.table("wars").items()):
        kind = kinds.get(war.get("kind") or "")
        winners = None if kind is None else _decided(kind, war)
        if kind is not None and winners is not None:
            due.append((key, kind, winners))
    for key, kind, winners in due:
        a, b = turn.state.get("wars", key, "parties")
        won = winners[0] if len(winners) == 1 else None
        with turn.journal.entry(
            f"war_kinds/{kind['id']}", subject=key, says=_over(turn, kind, a, b), audience=("everyone",)
        ):
            end_war(turn, a, b, kind.get("leaves"), won_by=won)


def _decided(kind: Row, war: Mapping[str, Any]) -> list[str] | None:
    """Who has won, by the endings of the kind of war; None while none has come.

    `{captured: 2}`: either has taken so many places; `of: target` counts only those the beginner took;
    `{captured: place}`: that place was taken.
    """
    taken: Mapping[str, list[str]] = war.get("taken", {})
    winners: set[str] = set()
    for ending in kind.get("ends", ()):
        if not isinstance(ending, Mapping):
            continue
        wanted = ending["captured"]
        for who, places in taken.items():
            if isinstance(wanted, str):
                if wanted in places:
                    winners.add(who)
            elif len(places) >= int(wanted) and (ending.get("of") != "target" or who == war.get("by")):
                winners.add(who)
    return sorted(winners) or None


def _over(turn: Turn, kind: Row, a: str, b: str) -> Message:
    war = str(kind.get("name", "war"))
    told = "The {war} between {one} and {other} is over."
    return say(turn.world, told, war=war, one=Entity("nation", a), other=Entity("nation", b))
