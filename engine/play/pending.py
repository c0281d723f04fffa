"""What a game waits for: whose orders, which decisions of the moderator, and who may stand in for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..core.state import Entity
from ..store import MODERATOR, PLAYER, POLICY, PROXY, Game, StoreError, Submission
from ..turn import vacancies
from ..turn.left_open import OpenDecision, left_open
from ..turn.referee import asked_seats, commanded_nations
from .answers import answer_in_words, in_words, listed
from .questions import offers_in
from .views import whole_world

MOST_NAMED = 40
"""Points of one turn of which it is looked up whose orders each waited for, the last first."""


def points(game: Game) -> list[tuple[int, int, str]]:
    """Every point of a game as (number, turn, what it waits for in words), from the first.

    Where a turn waits several times for the same, as for the orders of one power after another, it is said
    whose.
    """
    stages = game.stages()
    times = Counter((turn, waits) for _, turn, waits in stages)
    several = [number for number, turn, waits in stages if times[turn, waits] > 1][-MOST_NAMED:]
    whose = {
        number: _whose(game, asked_seats(game.ruleset, game.stage(number).position)) for number in several
    }
    return [(number, turn, f"{waits}{whose.get(number, '')}") for number, turn, waits in stages]


def _whose(game: Game, asked: Collection[str]) -> str:
    """Of whom something is wanted, in words after it; empty if many are asked, or nobody."""
    few = bool(asked) and len(asked) <= 3 and len(asked) < len(commanded(game))
    return f" from {', '.join(map(game.name_of, asked))}" if few else ""


def wanted_now(game: Game) -> str:
    """What the game waits for, in words: the name of its input point, the turn, and whose answer it is if few
    are asked.
    """
    position = game.stage().position
    wanted = (position.waiting or {}).get("input", "orders")
    return f"the {wanted} of turn {position.turn}{_whose(game, game.awaited())}"


def seats(game: Game) -> dict[str, str]:
    """Nation to who commands it, for every nation that the present input point asks."""
    return game.asked()


def standing_of(game: Game) -> dict[str, Any]:
    """What a game waits for, as plain data: who has sent how many orders by whom, who has not, and what is to
    be done next.

    `seats`: those asked now that a person commands or that have sent something; `late`: of them those that
    have not;
    `offers`: what is offered to whom and not answered; `vacant`: nations that no player has any more, or yet,
    and no bot was meant for; `moderator`: what awaits them, in sentences.
    """
    stage = game.stage()
    position = stage.position
    out: dict[str, Any] = {
        "game": game.id,
        "title": str(game.head["title"]),
        "turn": position.turn,
        "ended": position.ended,
        "closed": False,
        "seats": [],
        "late": [],
        "policies": [],
        "offers": [],
        "vacant": [],
    }
    if position.ended:
        return out | {"waits": "it has ended", "moderator": [], "next": "Nothing awaits anybody."}
    if "pause" in (position.waiting or {}):
        going = "`wteaw resolve` goes on."
        return out | {"waits": f"turn {position.turn} is paused", "moderator": [going], "next": going}
    here = game.submissions()
    asked = seats(game)
    for nation, seat in sorted(asked.items()):
        sent = here.get(nation)
        if sent is not None and not (sent.by == POLICY and seat in vacancies.UNFILLED):
            n = len(sent.orders)
            by = (
                ""
                if sent.by == PLAYER
                else f", sent by {'an ally' if sent.by == PROXY else f'the {sent.by}'}"
            )
            said = f"{n} order{'s' if n != 1 else ''}{by}"
            out["seats"].append({"nation": nation, "sent": True, "orders": n, "by": sent.by, "says": said})
        elif seat not in vacancies.UNFILLED:
            out["seats"].append(
                {"nation": nation, "sent": False, "orders": 0, "by": "", "says": "nothing has come in"}
            )
    decided = game.decided()
    for one in out["seats"]:
        if answers := decided.get(one["nation"]):
            one["says"] += "; the moderator answers " + ", ".join(
                f"{in_words(game, key)}: {answer_in_words(game, said)}" for key, said in answers.items()
            )
    out["late"] = [s["nation"] for s in out["seats"] if not s["sent"]]
    offers = offers_in(game)
    out["offers"] = [{"by": o.by, "to": o.to, "decision": o.key} for o in offers]
    out["closed"] = game.turn_record(position.turn).closed == stage.number
    out["policies"] = sorted(
        n
        for n, seat in asked.items()
        if seat in vacancies.UNFILLED and (n not in here or here[n].by == POLICY)
    )
    if out["late"] and not out["closed"]:
        following = f"{len(out['late'])} missing: remind them, or `wteaw resolve --force`."
    elif out["closed"]:
        following = f"Orders are closed: `wteaw resolve{' --force' if out['late'] else ''}`."
    elif offers:
        following = "An offer waits for its answer: `wteaw resolve --force` takes what holds without one."
    else:
        following = "Nobody is missing: `wteaw resolve`."
    publish = (
        f"Publish the commitment to the dice of turn {position.turn} before orders are due: "
        f"{stage.commitment.root}"
    )
    told = []
    for offer in offers:
        told.append(f"Tell {game.name_of(offer.to)}, who has not answered: {offer.said}")
    out["vacant"] = vacant(game)
    for nation in out["vacant"]:
        told.append(f"{game.name_of(nation)} has no player: `wteaw players list` says who chooses one.")
    todo = [*told, *to_decide(game), *([] if out["closed"] else [publish]), following]
    return out | {"waits": f"waiting for {wanted_now(game)}", "moderator": todo, "next": following}


def vacant(game: Game) -> list[str]:
    """The nations in play whose seat waits for a player: theirs has gone, or they have come into the game."""
    world = game.seated_world()
    return [
        v.nation for v in vacancies.vacancies(world) if vacancies.seat(world, v.nation) == vacancies.VACANT
    ]


def commanded(game: Game) -> list[str]:
    """Every nation that somebody commands, whether or not it is asked now."""
    return commanded_nations(game.ruleset, game.stage().position)


def may_stand_in(game: Game, ally: str, nation: str) -> bool:
    """Whether a nation may give orders for another that has sent none, by the setting `without_orders`."""
    world = game.seated_world()
    whose = Entity("nation", nation)
    names = {"nation": whose, "self": whose, "ally": Entity("nation", ally)}
    return any(
        "proxy" in rule and world.test(rule["proxy"], names)
        for rule in game.ruleset.players.get("without_orders", ())
    )


def stand_in(game: Game, ally: str, given: Submission) -> str:
    """Keep orders that an ally gives for a nation that has sent none; gives the nation's salt.

    StoreError if it may not, or orders are there.
    """
    here = game.submissions().get(given.nation)
    if here is not None and here.by in (PLAYER, MODERATOR):
        raise StoreError(f"{game.name_of(given.nation)} has sent its own orders")
    if not may_stand_in(game, ally, given.nation):
        raise StoreError(f"{game.name_of(ally)} may not give orders for {game.name_of(given.nation)}")
    return game.submit(replace(given, by=PROXY))


def open_decisions(game: Game) -> list[OpenDecision]:
    """What the present input point leaves to the moderator and they have not answered."""
    known = game.decided().get(MODERATOR, {})
    found = left_open(whole_world(game), game.stage().position.waiting or {})
    return [o for o in found if o.key not in known and o.key.partition("/")[0] not in known]


def to_decide(game: Game) -> list[str]:
    """What is left to the moderator, in sentences."""
    waiting = {o.key for o in open_decisions(game)}
    return [
        f"Decide (`wteaw decide moderator {one.letter} ANSWER`): {one.says}."
        for one in (listed(game) if waiting else ())
        if one.key in waiting
    ]
