"""The odds of attacks beside the orders that bring them about: worked out apart, and kept as long as the
nation knows the same.

Reading back waits for none of them: it says those that are kept, and a request of its own has the others
worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wteaw.odds.attack_odds import odds_of_attacks
from wteaw.play.submit import read
from wteaw.store import Game

from .games import Games
from .presenters import place_of

MOST = 300
"""Attacks whose odds are kept for one nation."""
EFFORT = 3_000_000
"""Outcomes that are followed for one attack where nobody waits for the read-back: half a second at most."""


def kept(hall: Games, game: Game, nation: str) -> dict[str, str]:
    """Attack -> its odds in words, or nothing where they cannot be had at once."""
    return hall.of_stage(game, ("odds", nation), dict)


@dataclass
class KnownOdds:
    """Says the odds that are kept, and works nothing out; `wanting`: whether it was asked for others."""

    kept: Mapping[str, str]
    wanting: bool = False

    def __call__(self, key: str, _: Callable[[], str]) -> str:
        self.wanting = self.wanting or key not in self.kept
        return self.kept.get(key, "")


def work_out(hall: Games, game: Game, nation: str, text: str) -> None:
    """Have the odds of all attacks of a text worked out, and keep them."""
    said = kept(hall, game, nation)
    found = hall.work(chances_of, *place_of(game), nation, text, sorted(said))
    if len(said) > MOST:
        said.clear()
    said.update(found)


def chances_of(
    hall: Games, id_: str, stage: int, head: str, nation: str, text: str, there: list[str]
) -> dict[str, str]:
    """The odds of the attacks of a text but those that are there, at a game as it stood at a stage."""
    found: dict[str, str] = {}

    def make(key: str, words: Callable[[], str]) -> str:
        if key not in there:
            found[key] = words()
        return ""

    with hall.at(id_, stage, head) as game, hall.world(game, nation) as world:
        odds_of_attacks(world, nation, read(game, nation, text, world)[0].intents, make, most=EFFORT)
    return found
