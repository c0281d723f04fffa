"""Piles of cards as a report tells of them: what lies in those that the reader may look into, and how many in
the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..core.messages import capital
from ..core.state import Entity
from ..world.messages import printed
from ..world.piles import OF_ALL, held, is_own
from ..world.view import UNKNOWN
from ..world.world import World
from .wording import Wording, counted, listing


def piles(words: Wording) -> list[str]:
    """A line for each pile of the reader and of the game, and one for all the piles of each other nation."""
    world = words.world
    out = list(_of(world, words.reader, "Your ", own=True))
    out += [capital(line) for line in _of(world, OF_ALL, "", own=False)]
    for nation in world.nations():
        if nation != words.reader and (told := list(_of(world, nation, "", own=True))):
            out.append(f"{words.name(nation)}, {'; '.join(told)}")
    return out


def _of(world: World, row: str, whose: str, *, own: bool) -> Iterator[str]:
    for id_, pile in world.ruleset.rows("piles").items():
        cards = held(world.state, row, id_)
        if cards and is_own(world.ruleset, id_) == own:
            yield f"{whose}{pile.get('name', id_)}: {in_words(world, cards)}"


def in_words(world: World, cards: Mapping[str, int]) -> str:
    """Cards by their names, those of which there are several with their number; "5 cards" of unknown ones."""
    known = {printed(world, Entity("card", card)): n for card, n in cards.items() if card != UNKNOWN}
    said = [f"{name} ({n})" if n > 1 else name for name, n in sorted(known.items())]
    if hidden := cards.get(UNKNOWN, 0):
        said.append(counted(hidden, "more card" if said else "card"))
    return listing(said)
