"""Who holds and owns what, and how nations stand to one another, as a state and the rows say."""

from __future__ import annotations

from ..core.model import Row, Ruleset
from ..core.state import State, pair_key


def held_by(ruleset: Ruleset, state: State, place: str) -> str | None:
    """Who holds a place: as the state says, else who owns it; the whole's holder for a part of a place."""
    now: Row = state.row("places", place)
    row: Row = ruleset.row_or_empty("places", place)
    whole = row.get("part_of")
    if whole is not None:
        return held_by(ruleset, state, str(whole))
    for of in (now, row):
        for name in ("holder", "owner"):
            if name in of:
                return str(of[name]) or None
    return None


def owned_by(ruleset: Ruleset, state: State, place: str) -> str | None:
    """Who owns a place, whoever holds it."""
    now, row = state.row("places", place), ruleset.row_or_empty("places", place)
    return str(now["owner"] if "owner" in now else row.get("owner", "")) or None


def stance(ruleset: Ruleset, state: State, a: str, b: str) -> str:
    """The stance of two nations: as the state says, else that of one side's members, else the default."""
    same = str(ruleset.setting("same_side_stance", ""))
    if a == b:
        return same
    said = state.row("relations", pair_key(a, b)).get("stance")
    if said is not None:
        return str(said)
    one, other = (side_of(ruleset, state, n) for n in (a, b))
    if one and one == other and same:
        return same
    return next((id_ for id_, row in ruleset.rows("stances").items() if row.get("default")), "")


def side_of(ruleset: Ruleset, state: State, nation: str) -> str:
    """The side of a nation, or an empty text."""
    now = state.row("nations", nation)
    return str(
        now["side"] if "side" in now else ruleset.row_or_empty("nations", nation).get("side", "") or ""
    )
