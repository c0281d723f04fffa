"""How a battle ended, and what became of its place by it.

A capture belongs to the battles before it at its place: where powers play one after another, to the last one
of the same turn of a power; a battle that was fought there earlier, or by somebody else, ended as it did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..battle.groups import SIDES
from ..core.journal import Entry
from ..core.model import Ruleset
from ..turn.sequence import own_turns
from .fought import Fight
from .wording import Wording, counted


class Capture(NamedTuple):
    """Who has a place now, and whether somebody else took it for them."""

    to: str | None
    freed: bool


def captures(entries: Iterable[Entry]) -> dict[str, Capture]:
    """Places that entries hand over, as they are in the end."""
    return {str(e.data["place"]): _capture(e.data) for e in entries if _hands_over(e)}


def captured_in(entries: Iterable[Entry], ruleset: Ruleset) -> dict[int, Capture]:
    """The captures by their battles: the number of a battle's first entry -> what became of the place."""
    begins = own_turns(ruleset)
    out: dict[int, Capture] = {}
    last: dict[str, dict[tuple[str, str], int]] = {}
    for entry in entries:
        if entry.rule in begins:
            last.clear()
        elif "battle" in entry.data and "event" in entry.data:
            heads = last.setdefault(str(entry.data.get("place", "")), {})
            battle = (entry.rule, entry.subject)
            if entry.data["event"] == "begin" or battle not in heads:
                heads[battle] = entry.n
        elif _hands_over(entry):
            capture = _capture(entry.data)
            out.update((n, capture) for n in last.get(str(entry.data["place"]), {}).values())
    return out


def _hands_over(entry: Entry) -> bool:
    return entry.rule.startswith("capture/") and "place" in entry.data and "to" in entry.data


def _capture(data: Mapping[str, Any]) -> Capture:
    to = data["to"]
    return Capture(to, to is not None and "by" in data and to not in data["by"])


def verdict(fight: Fight, taken: Mapping[int, Capture], words: Wording) -> str:
    """How a battle ended, for the reader or for those who fought it without them."""
    n = len(fight.rounds)
    rounds = f"in {counted(n, 'round')}" if n else "without a round"
    nobody = f"undecided after {counted(n, 'round')}" if n else "undecided"
    if all_lost(fight):
        nobody = f"both sides destroyed {rounds}"
    if words.reader not in fight.parties():
        after = f"after {counted(n, 'round')}" if fight.lost_touch else rounds
        told = outcome(fight, taken, words)
        return told if told == fire_alone(fight, words) else f"{told} {after}"
    mine = "attacker" if words.reader in fight.owners("attacker") else "defender"
    if fight.lost_touch:
        return f"contact lost after {counted(n, 'round')}"
    capture = taken.get(fight.log[0])
    if capture is not None and capture.to == words.reader:
        what = "taken"
    elif capture is not None and mine == "defender":
        what = "lost"
    elif capture is not None and capture.to and (capture.freed or fight.winner == mine):
        what = fate(capture, words.reader, words)
    elif fight.better is not None and fight.winner is None:
        what = "the better of it" if fight.better == mine else "the worse of it"
    elif fight.winner is None:
        evaded = fight.evaded()
        if evaded:
            return _who_evaded(evaded, mine)
        return fire_alone(fight, words) or nobody
    elif mine == "attacker":
        what = "won" if fight.winner == mine else "attack beaten off"
    else:
        what = "held" if fight.winner == mine else "lost"
    return f"{what} {rounds}"


def fate(capture: Capture, taker: str | None, words: Wording) -> str:
    """What became of a place by a battle, told of a nation in whose words it is said, or of nobody."""
    if capture.to == taker:
        return "taken"
    return f"{'freed for' if capture.freed else 'taken by'} {words.nation(str(capture.to))}"


def fire_alone(fight: Fight, words: Wording) -> str:
    """What a battle is called in which one side only ever fires, so that nobody fights for the field."""
    row = words.world.ruleset.row_or_empty("battles", fight.row)
    sides = {stage.get("side") for stage in row.get("stages", ())}
    return str(row.get("name", "")) if len(sides) == 1 and None not in sides else ""


def _who_evaded(sides: Sequence[str], mine: str | None = None) -> str:
    """Who has evaded a battle, for a reader of the side `mine`, or for those who fought it without them."""
    if len(sides) == len(SIDES):
        return "both sides evaded"
    if mine is None:
        return f"the {sides[0]}s evaded"
    return "you evaded" if mine in sides else "the enemy evaded"


def all_lost(fight: Fight) -> bool:
    """Whether of both sides nobody is left."""
    return all(fight.losses(side) and fight.losses(side) == fight.started(side) for side in SIDES)


def outcome(fight: Fight, taken: Mapping[int, Capture], words: Wording) -> str:
    """How a battle ended, for those who did not fight in it."""
    if fight.lost_touch:
        return "contact lost"
    capture = taken.get(fight.log[0])
    if capture is not None and capture.to:
        return fate(capture, None, words)
    if fight.better is not None and fight.winner is None:
        return f"the {fight.better}s had the better of it"
    nobody = "both sides destroyed" if all_lost(fight) else fire_alone(fight, words) or "undecided"
    if fight.winner is None and (evaded := fight.evaded()):
        return _who_evaded(evaded)
    return {"attacker": "won by the attackers", "defender": "held", None: nobody}[fight.winner]
