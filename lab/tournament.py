"""Which policy beats which: every pair plays the same seeds twice, with seats exchanged.

Parties are the sides that nations are on when the game begins, if there are two or more; else each nation by
itself. Of a pair the first policy plays every other party, the second the rest, and then the other way round;
nations of no party are played as the ruleset says. A game is won by the policy whose parties win it; of one
without a winner, or that has not ended, by the policy that comes out better by a criterion, or in places held
where there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from wteaw.core.model import Ruleset
from wteaw.world.world import World

from .single_game import Figures
from .summary import mean, share

GIVEN = "given"
"""The policy that the ruleset itself would choose."""
PLACES = "places held"


def parties_of(world: World, nations: Sequence[str]) -> dict[str, list[str]]:
    """The parties of a game that begins: side or nation -> its nations, of those that somebody commands."""
    sides: dict[str, list[str]] = {}
    for nation in nations:
        if side := world.side_of(nation):
            sides.setdefault(side, []).append(nation)
    return dict(sorted(sides.items())) if len(sides) > 1 else {nation: [nation] for nation in sorted(nations)}


def seatings(policies: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every pair of policies both ways round: the first of the two plays the first party."""
    for pair in combinations(policies, 2):
        yield pair
        yield pair[1], pair[0]


def name_of(seating: tuple[str, str]) -> str:
    return f"{seating[0]} / {seating[1]}"


def seats(parties: Mapping[str, Sequence[str]], seating: tuple[str, str]) -> dict[str, str]:
    """The policy of each nation of a party, but for those that are played as given."""
    chosen = {}
    for i, nations in enumerate(parties.values()):
        for n in nations:
            chosen[n] = seating[i % 2]
    return {nation: policy for nation, policy in chosen.items() if policy != GIVEN}


def criterion_of(ruleset: Ruleset, parties: Mapping[str, Sequence[str]]) -> str:
    """The criterion by which games without a winner are judged: the first for such parties, else the first;
    "" for places.
    """
    rows = ruleset.of_kind("victory", "criterion")
    kind = "side" if any(p in ruleset.rows("sides") for p in parties) else "nation"
    return next((c for c, row in rows.items() if row.get("of") == kind), next(iter(rows), ""))


def values_of(game: Figures, parties: Mapping[str, Sequence[str]], criterion: str) -> dict[str, float]:
    """What each party has come to at the end."""
    last = game["course"][-1] if game["course"] else {"places": {}}
    of = game["criteria"].get(criterion, {}) if criterion else last["places"]
    return {
        party: of[party] if party in of else sum(of.get(n, 0.0) for n in nations)
        for party, nations in parties.items()
    }


def result(game: Figures, parties: Mapping[str, Sequence[str]], criterion: str) -> tuple[float, float]:
    """Of a game: the score of who plays the first party (1 won, 0.5 drawn, 0 lost), and by how much a party
    of theirs is better.
    """
    order = list(parties)
    values = values_of(game, parties, criterion)
    mine, theirs = (
        [values[p] for i, p in enumerate(order) if i % 2 == which] or [0.0] for which in (0, 1)
    )  # fmt: skip
    lead = sum(mine) / len(mine) - sum(theirs) / len(theirs)
    won = [
        i % 2 for i, p in enumerate(order) if p in game["winners"] or set(parties[p]) & set(game["winners"])
    ]
    if won:
        return won.count(0) / len(won), lead
    if not lead:
        return 0.5, lead
    return (1.0 if lead > 0 else 0.0), lead


def standings(
    policies: Sequence[str],
    parties: Mapping[str, Sequence[str]],
    criterion: str,
    games: Mapping[tuple[int, str], Figures],
) -> list[dict[str, Any]]:
    """Each pair: games, won by the first, by the second and drawn, the share of the points with its band, and
    the first's lead.

    The lead is the mean over both seatings of a seed, so what the seats are worth falls out of it.
    """
    out = []
    for first, second in combinations(policies, 2):
        scores: list[float] = []
        by_seed: dict[int, list[float]] = {}
        numbers: dict[str, list[int]] = {"first": [], "second": [], "drawn": []}
        for number in sorted({n for n, _ in games}):
            for seating in ((first, second), (second, first)):
                game = games.get((number, name_of(seating)))
                if game is None or "error" in game:
                    continue
                score, lead = result(game, parties, criterion)
                score, lead = (score, lead) if seating[0] == first else (1 - score, -lead)
                scores.append(score)
                by_seed.setdefault(number, []).append(lead)
                if score == 0.5:
                    numbers["drawn"].append(number)
                else:
                    numbers["first" if score > 0.5 else "second"].append(number)
        whole = [sum(leads) / 2 for leads in by_seed.values() if len(leads) == 2]
        points = sum(scores)
        found = share(points, len(scores)) if scores else None
        out.append(
            {
                "first": first,
                "second": second,
                "games": len(scores),
                "won": len(numbers["first"]),
                "lost": len(numbers["second"]),
                "drawn": len(numbers["drawn"]),
                "points": points,
                "band": [found["low"], found["high"]] if found else None,
                "lead": mean(whole),
                "by": criterion or PLACES,
                "from": numbers,
            }
        )
    return out
