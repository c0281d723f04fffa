"""The verbs for cards: they go from pile to pile (`deal`), and do what they say (`play`).

What is drawn is drawn from the cards that are there, each copy as likely. The dice of it say which cards the
pile has: they are for those who may look into it, and for nobody else.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

from ..core.faults import few
from ..core.journal import EVERYONE, NOBODY, Audience
from ..core.messages import Message
from ..core.model import Row
from ..core.state import Entity
from ..world import piles
from ..world.messages import printed, say
from ..world.selections import as_set
from ..world.view import UNKNOWN, Viewer
from .effects import EffectError, EffectRunner

MOST_DRAWN = 1000
"""Cards drawn by one effect."""


def deal(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Moves cards from pile to pile: those named, `n` at random, or all.

    Where more are to be drawn than there are, the pile is filled up first; then as many as there are.
    EffectError if a named card is not in the pile.
    """
    for giver, taker in _between(runner, p, names):
        here, there = _Pile(runner, p["from"], giver), _Pile(runner, p["to"], taker)
        if "cards" in p:
            wanted = Counter(t.id for t in as_set(runner.world, runner.set(p["cards"], names)))
            here.give(there, here.known(wanted))
        elif "n" in p:
            n = int(runner.world.number(p["n"], names))
            _draw(runner, here, there, few(n, "cards drawn", MOST_DRAWN))
        else:
            here.give(there, Counter(here.cards))


def _between(runner: EffectRunner, p: Row, names: dict[str, Any]) -> list[tuple[str, str]]:
    """From whom to whom: nations, or nothing for a pile of the game. Who is said of one end alone is at both;
    where nobody is said, it is self.
    """
    own_from, own_to = (piles.is_own(runner.world.ruleset, p[end]) for end in ("from", "to"))
    said = [runner.nations(p[key], names) for key in ("whose", "who") if key in p]
    if not said and (own_from or own_to):
        said = [runner.nations("=self", names)]
    if own_from and own_to and len(said) == 1:
        return [(nation, nation) for nation in said[0]]
    return list(product(said[0] if own_from else [""], said[-1] if own_to else [""]))


def play(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Does what a card says; the names in scope are those of the effect, with the card."""
    card = runner.id_of(p["card"], names)
    row = runner.world.ruleset.row_or_empty("cards", card)
    runner.turn.carried.add(f"cards/{card}")
    runner.effects(row.get("effects", ()), {**names, "card": Entity("card", card)})


class _Pile:
    """One pile of the game or of a nation."""

    def __init__(self, runner: EffectRunner, id_: str, nation: str) -> None:
        self.runner = runner
        self.id = id_
        self.nation = nation
        self.row = piles.row_of(runner.world.ruleset, id_, nation)

    @property
    def cards(self) -> dict[str, int]:
        return dict(piles.held(self.runner.world.state, self.row, self.id))

    @property
    def name(self) -> str:
        return str(self.runner.world.ruleset.row_or_empty("piles", self.id).get("name", self.id))

    def give(self, other: _Pile, which: Counter[str]) -> None:
        """Some cards, which are in this pile, go to another."""
        if (self.row, self.id) == (other.row, other.id):
            return
        left = Counter(self.cards)
        left.subtract(which)
        self._keep(left)
        other._keep(Counter(other.cards) + which)

    def _keep(self, cards: Counter[str]) -> None:
        kept = {card: n for card, n in sorted(cards.items()) if n > 0}
        self.runner.journal.set("piles", self.row, self.id, kept or None)

    def known(self, wanted: Counter[str]) -> Counter[str]:
        """The cards that are named, as they lie here: an unknown one may be any. EffectError if one is not
        here.
        """
        here, out = Counter(self.cards), Counter[str]()
        for card in piles.spread(wanted):
            lies = card if here[card] else UNKNOWN
            if not here[lies]:
                world = self.runner.world
                raise EffectError(f"{printed(world, Entity('card', card))} is not in {self.name}")
            here[lies] -= 1
            out[lies] += 1
        return out

    def readers(self) -> Audience:
        """The nations that may look into the pile; everyone, if all that are in the game may."""
        world = self.runner.world
        viewer = Viewer(world.ruleset, world.state, geography=world.geography)
        there = [n for n in world.nations() if world.alive(n)]
        seeing = tuple(n for n in there if viewer.sees(n, "piles", self.row, self.id))
        return (EVERYONE,) if there and len(seeing) == len(there) else seeing


def _draw(runner: EffectRunner, here: _Pile, there: _Pile, n: int) -> None:
    """Draw at random; those who may look into one of the two piles are told what."""
    if runner.turn.fortune is not None:
        _foresee(here, there, n)
        return
    if sum(here.cards.values()) < n and (
        refill := runner.world.ruleset.row_or_empty("piles", here.id).get("refill")
    ):
        more = _Pile(runner, refill, here.nation or there.nation)
        more.give(here, Counter(more.cards))
    lying = list(piles.spread(here.cards))
    n = min(n, len(lying))
    if not n:
        return
    seers = here.readers()
    stream = runner.turn.stream(runner.rule, runner.subject, seers or (NOBODY,))
    with runner.journal.entry(runner.rule, subject=runner.subject, audience=seers or (NOBODY,)) as entry:
        drawn = Counter(stream.draw(lying, n))
        record = stream.take()
        if record is not None:
            entry.dice.append(dict(record))
        here.give(there, drawn)
    told = there.readers()
    everyone = EVERYONE in seers or EVERYONE in told
    readers = (EVERYONE,) if everyone else tuple(dict.fromkeys((*told, *seers)))
    if readers:
        says = _told(here, there, drawn)
        with runner.journal.entry(runner.rule, subject=runner.subject, audience=readers, says=says):
            pass


def _told(here: _Pile, there: _Pile, drawn: Counter[str]) -> Message:
    """Who has drawn what, from whose pile."""
    who = "{nation} draws" if there.nation else "Drawn"
    of = " of {other}" if here.nation not in ("", there.nation) else ""
    return say(
        here.runner.world,
        f"{who} from {{pile}}{of}: {{cards}}.",
        nation=Entity("nation", there.nation),
        other=Entity("nation", here.nation),
        pile=here.name,
        cards=[Entity("card", card) for card in piles.spread(drawn)],
    )


def _foresee(here: _Pile, there: _Pile, n: int) -> None:
    """What a nation expects of a draw before it is made: so many cards, and nobody knows which."""
    have = here.cards.get(UNKNOWN, 0)
    here._keep(Counter({**here.cards, UNKNOWN: max(0, have - n)}))
    there._keep(Counter(there.cards) + Counter({UNKNOWN: n}))
