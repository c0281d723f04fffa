"""A look at the odds and one turn ahead: how an attack would end, and whether what is left could hold the
place then.

The row's key `war.foresight` names the battle whose odds are asked and what it dares. Where only a number of
enemies is known, they count as the kind that the row names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..core.model import Row
from ..odds import estimate
from ..world.view import UNKNOWN
from .front import Front

Groups = Sequence[tuple[str, Mapping[str, int]]]
"""Units that go together: from where, how many of each kind."""


def promise(front: Front, rule: Row, place: str, groups: Groups) -> float:
    """What an attack on a place promises, above 0 if it should be made: the chance to win the place and hold
    it, by what it is worth, less what would be lost beyond what the enemy loses."""
    attackers: Counter[tuple[str, str]] = Counter()
    for _, kinds in groups:
        attackers.update({(front.nation, kind): n for kind, n in kinds.items()})
    defenders: Counter[tuple[str, str]] = Counter()
    for owner, kind, n in front.foes(place):
        defenders[owner, str(rule["unknown"]) if kind == UNKNOWN else kind] += n
    worth = float(front.value("worth", place, 1))
    if not defenders:
        return worth
    origin, _ = max(groups, key=lambda group: sum(group[1].values()))
    odds = estimate(front.world, str(rule["battle"]), attackers, defenders, place, f"{origin}>{place}")
    if 100 * odds.win < int(rule.get("win", 60)):
        return 0.0
    lost = {
        side: sum(_worth(front, owner, kinds) for owner, kinds in by.items())
        for side, by in odds.lost.items()
    }
    left = odds.left.get("attacker", {}).get(front.nation, {})
    holds = _holds(front, place, left, Fraction(str(rule.get("hold", "1/2"))))
    return odds.win * worth * (1.0 if holds else 0.5) - lost.get("attacker", 0.0) + lost.get("defender", 0.0)


def _worth(front: Front, owner: str, kinds: dict[str, float]) -> float:
    """What units are worth, counted against places: a tenth of what they hit and stand."""
    attack, defense = str(front.war["attack"]), str(front.war["defense"])
    each = {
        kind: front.worth_of(kind, owner, attack) + front.worth_of(kind, owner, defense) for kind in kinds
    }
    return sum(n * float(each[kind]) for kind, n in kinds.items()) / 10


def _holds(front: Front, place: str, left: dict[str, float], part: Fraction) -> bool:
    """Whether those who are left match the part of what other enemies could throw at the place in the next
    turn."""
    field = str(front.war["defense"])
    number = sum(left.values())
    mine = number * sum(n * float(front.worth_of(kind, front.nation, field)) for kind, n in left.items())
    return mine >= float(part) * float(front.threat(place))
