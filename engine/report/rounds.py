"""A turn in which powers play one after another: whose turn each entry is of, and what each power did in its
own.

A step of the sequence of play with `own_turn` begins the turn of a nation with an entry of its own; what
follows is of that turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.frame import nodes_in
from ..core.journal import Entry
from ..core.messages import capital
from ..core.model import Ruleset
from ..turn.sequence import own_turns
from . import fights, news
from .document import Block, Para
from .fought import SIDES, Fight, fights_in
from .verdicts import Capture, all_lost, captured_in, captures, fate, fire_alone
from .wording import Wording, counted, listing, sentence

MOST_QUIET = 8
"""Powers of which nothing was seen that are named; of more it goes without saying."""


def by_power(ruleset: Ruleset, entries: Iterable[Entry]) -> list[tuple[str, list[Entry]]]:
    """The entries by whose turn they are of, in their order; "" for what is before the first turn and after
    the last.
    """
    begins = own_turns(ruleset)
    out: list[tuple[str, list[Entry]]] = []
    inside = steps_inside(ruleset)
    for entry in entries:
        if entry.rule in begins:
            out.append((entry.subject, []))
        elif not out or (
            out[-1][0]
            and entry.step not in inside
            and entry.step != "input"
            and not entry.rule.startswith("sequence/")
        ):
            out.append(("", []))
        out[-1][1].append(entry)
    return out


def steps_inside(ruleset: Ruleset) -> frozenset[str]:
    """The steps and phases that belong to the turns of single nations."""
    found: set[str] = set()
    for _, node, above in nodes_in(ruleset.sequence):
        if any(row.get("own_turn") for row in above):
            found.update(str(node[key]) for key in ("step", "phase", "do") if key in node)
    return frozenset(found)


def blocks(entries: Sequence[Entry], words: Wording) -> list[Block]:
    """What each power did in its turn, one paragraph each, in the order of play; nothing where all play
    together.
    """
    if not own_turns(words.world.ruleset):
        return []
    out: list[Block] = []
    quiet: list[str] = []
    for nation, those in by_power(words.world.ruleset, entries):
        if nation:
            said = [
                *_told_to_all(those, nation, words),
                *_battles(those, nation, words),
                *_walked_in(those, words),
            ]
            if said:
                who = "You" if nation == words.reader else capital(words.name(nation))
                out.append(Para(" ".join(said), who, tuple(e.n for e in those)))
            elif nation != words.reader:  # readers know themselves what they did
                quiet.append(words.nation(nation))
    if quiet and out and len(quiet) <= MOST_QUIET:
        out.append(Para(f"{listing(quiet)}.", "Nothing was seen of"))
    return out


def _told_to_all(entries: Sequence[Entry], nation: str, words: Wording) -> list[str]:
    """What everybody is told of a power's turn, without its name at the beginning of each sentence."""
    public, _ = news.other_news(
        [e for e in entries if e.rule not in own_turns(words.world.ruleset)], words, ()
    )
    named = [capital(f"{name} ") for name in (words.nation(nation), words.name(nation))]
    return [
        capital(next((text.removeprefix(n) for n in named if text.startswith(n)), text)) for text, _ in public
    ]


def _battles(entries: Sequence[Entry], nation: str, words: Wording) -> list[str]:
    """Its battles, those that it won first, each with what both lost of what they had; those of the reader
    are told apart.
    """
    taken = captured_in(entries, words.world.ruleset)
    won: list[str] = []
    lost: list[str] = []
    mine: list[str] = []
    apart: list[Fight] = []
    found = fights_in(entries)
    heads = {id(fight) for fight in fights.gravest(found, words)}
    for fight in found:
        if (
            id(fight) not in heads
            or not fight.ended
            or not (fight.started("attacker") and fight.started("defender"))
        ):
            continue
        told_below = bool(words.reader) and words.reader in fight.parties()
        if fight.came_to_nothing:
            apart += [] if told_below else [fight]
            continue
        if told_below:
            mine.append(words.place(fight.place))
            continue
        defends = nation in fight.owners("defender") and nation not in fight.owners("attacker")
        own, other = SIDES[::-1] if defends else SIDES
        cost = f"lost {_of(fight.losses(own), fight.started(own))}, {words.nations(fight.owners(other))} "
        cost += _of(fight.losses(other), fight.started(other))
        capture = None if defends else taken.get(fight.log[0])
        how = _outcome(fight, own, capture, nation, words)
        good = fight.winner == own or (capture is not None and capture.to is not None)
        (won if good else lost).append(f"{words.place(fight.place)} {how} ({cost})")
    with_you = [f"battles with you: {listing(dict.fromkeys(mine))}"] if mine else []
    if mine and nation == words.reader:
        with_you = [f"{counted(len(mine), 'battle')}, told below"]
    said = [sentence(", ".join(part)) for part in (won, lost, with_you) if part]
    return [*said, fights.met_only(apart, words)] if apart else said


def _outcome(fight: Fight, own: str, capture: Capture | None, nation: str, words: Wording) -> str:
    """How a battle ended for the side that is told of (`own`), and what became of the place by it."""
    if capture is not None and capture.to is not None:
        return fate(capture, nation, words)
    if fight.winner == own:
        return "won"
    if fight.winner is not None:
        return "lost" if own == "defender" else "held against it"
    if fire := fire_alone(fight, words):
        return f"saw {fire}"
    if all_lost(fight):
        return "left nobody standing"
    return "evaded" if fight.evaded() else "undecided"


def _walked_in(entries: Sequence[Entry], words: Wording) -> list[str]:
    """Places that changed hands without a battle."""
    fought = {f.place for f in fights_in(entries)}
    free = [words.spot(p) for p, c in sorted(captures(entries).items()) if p not in fought and c.to]
    return [sentence(f"without a fight: {listing(free)}")] if free else []


def _of(lost: dict[str, int], had: dict[str, int]) -> str:
    """How many of how many: "none of 3", "all 7", "2 of 5"."""
    n, most = sum(lost.values()), sum(had.values())
    return f"all {most}" if n >= most > 1 else f"{n or 'none'} of {most}"
