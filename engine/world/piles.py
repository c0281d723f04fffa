"""Piles of cards: the state's table `piles` holds, for the game and for each nation, pile -> card -> number.

Copies of a card are alike, so equal piles are equal states. A view in which only the size of a pile is known
holds so many cards of an unknown kind (`view.UNKNOWN`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.model import Ruleset
from ..core.state import Entity, State

OF_ALL = "game"
"""The row of the state for piles of which there is one for all."""


def is_own(ruleset: Ruleset, pile: str) -> bool:
    """Whether each nation has a pile of its own."""
    return bool(ruleset.row_or_empty("piles", pile).get("per") == "nation")


def row_of(ruleset: Ruleset, pile: str, nation: str | None) -> str:
    """The row of the state in which a pile is kept; of a pile of each nation, the one of this nation."""
    return str(nation or "") if is_own(ruleset, pile) else OF_ALL


def held(state: State, row: str, pile: str) -> Mapping[str, int]:
    """The cards of a pile, each with its number."""
    found: Mapping[str, int] = state.get("piles", row, pile) or {}
    return found


def spread(counts: Mapping[str, int]) -> Iterator[str]:
    """Each card as often as it is there, in order of the ids."""
    for card in sorted(counts):
        yield from [card] * counts[card]


def cards_in(ruleset: Ruleset, state: State, pile: str, nation: str | None) -> tuple[Entity, ...]:
    """The cards of a pile, each as often as it is there; without a nation, those of all nations' piles."""
    rows = [row_of(ruleset, pile, nation)]
    if nation is None and is_own(ruleset, pile):
        rows = sorted(row for row in state.table("piles") if row != OF_ALL)
    return tuple(Entity("card", card) for row in rows for card in spread(held(state, row, pile)))


def at_the_start(ruleset: Ruleset) -> dict[str, dict[str, Any]]:
    """The table `piles` before the first turn, as the rows of cards say."""
    out: dict[str, dict[str, Any]] = {}
    for id_, card in ruleset.rows("cards").items():
        pile = card.get("in")
        if pile is None:
            continue
        rows = list(ruleset.rows("nations")) if is_own(ruleset, pile) else [OF_ALL]
        for row in rows:
            out.setdefault(row, {}).setdefault(pile, {})[id_] = int(card.get("copies", 1))
    return out
