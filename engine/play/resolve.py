"""Resolving a turn: orders of the seats that policies play, what must be there before, and on to the next
input of a player.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from ..core.faults import BrokenGame
from ..core.parallel import shared_out
from ..orders.check import standing
from ..orders.kinds.answers import parted
from ..store import POLICY, PROXY, Game, Scribe, StoreError, Submission
from ..turn import vacancies
from ..turn.context import Order
from ..turn.referee import Resolution
from .pending import commanded, seats, to_decide
from .questions import offers_in
from .verify import broken_chain
from .views import Views


def policy_submissions(game: Game, *, workers: int = 1) -> list[Submission]:
    """Orders that the built-in policies give for the nations that nobody plays and for which none have come
    in.
    """
    here = game.submissions()
    wanted = [n for n, seat in seats(game).items() if seat in vacancies.UNFILLED and n not in here]
    return planned(game, wanted, workers=workers)


def planned(game: Game, nations: Iterable[str], *, workers: int = 1) -> list[Submission]:
    """Orders that the built-in policies give for some nations, each by what it may know.

    They are the same whatever the `workers`, processes that are forked: only a program of one thread may have
    several.
    """
    from ..bots import plan  # brings NumPy: only where a policy plays

    dice = game.dice()
    views = Views(game)

    def given(nation: str) -> list[Order]:
        stream = dice.stream(step="input", rule="policies/plan", subject=nation, audience=nation)
        whose = next(
            (n for n in (nation, world.commander_of(nation)) if state.get("nations", n, "policy")), nation
        )
        return plan(views.world(nation), nation, stream, state.get("nations", whose, "policy"))

    state = views.position.state
    world = game.seated_world()
    asked = list(nations)
    dear = sorted(asked, key=lambda n: -len(state.stacks(owner=n)))  # those with most to think of come first
    orders = dict(zip(dear, shared_out(given, dear, workers), strict=True))
    views.close()
    world.close()
    return [
        Submission(n, "\n".join(str(o.get("text", "")) for o in orders[n]), *parted(orders[n]), POLICY)
        for n in asked
    ]


@dataclass(frozen=True)
class TurnOutcome:
    """What resolving did: the resolution, who had sent nothing, and who was played by a policy."""

    result: Resolution
    missing: tuple[str, ...]
    played: tuple[str, ...]


def resolve_turn(
    game: Game,
    *,
    force: bool = False,
    until: str | None = None,
    dry: bool = False,
    practice: bool = False,
    workers: int = 1,
    scribe: Scribe | None = None,
) -> TurnOutcome:
    """Resolve to the next input point at which a player is asked, after a look at the chain of the journal.

    Where nations are asked one after another, those that a policy plays do not stop it. A game without
    players is resolved to the next input point of all. StoreError names the players whose orders are missing,
    unless `force`. `workers`: see `planned`.
    `scribe` writes it down, in the transactions that do it.
    """
    outcome = _resolve_once(
        game, force=force, until=until, dry=dry, practice=practice, workers=workers, scribe=scribe
    )
    if until is not None or dry or practice or not has_players(game):
        return outcome
    first = outcome.result.position.turn
    while not outcome.result.position.ended and outcome.result.position.turn <= first + 1:
        asked = set(seats(game).values())
        if not asked or not asked <= set(vacancies.UNFILLED):
            break
        further = _resolve_once(game, workers=workers, scribe=scribe)
        result = replace(further.result, entries=(*outcome.result.entries, *further.result.entries))
        outcome = TurnOutcome(
            result, outcome.missing, tuple(dict.fromkeys((*outcome.played, *further.played)))
        )
    return outcome


def resolutions(
    game: Game, turns: int = 0, *, workers: int = 1
) -> Iterator[tuple[int, list[str], TurnOutcome]]:
    """Resolve a game by policies to its end, or for so many turns: the turn, whom it asked, and what came of
    it.

    So many `workers` plan at once.
    """
    first = game.stage().position.turn
    while not (position := game.stage().position).ended and not (turns and position.turn >= first + turns):
        asked = list(game.asked())
        yield position.turn, asked, resolve_turn(game, force=True, workers=workers)


def has_players(game: Game) -> bool:
    """Whether anybody plays a nation that is still in the game."""
    with closing(game.seated_world()) as world:
        return any(vacancies.seat(world, n) not in vacancies.EMPTY for n in commanded(game))


def _resolve_once(
    game: Game,
    *,
    force: bool = False,
    until: str | None = None,
    dry: bool = False,
    practice: bool = False,
    workers: int = 1,
    scribe: Scribe | None = None,
) -> TurnOutcome:
    if (broken := broken_chain(game, anew=False)) is not None:
        raise BrokenGame(f"{broken}; `wteaw verify` looks at everything")
    waiting = game.stage().position.waiting or {}
    given = [] if "pause" in waiting else policy_submissions(game, workers=workers)
    if undecided := to_decide(game) if not force and has_players(game) else []:
        raise StoreError(
            f"the rules leave this to the moderator: {' '.join(undecided)} `--force` resolves with the "
            "defaults"
        )
    here = set(game.submissions()) | {s.nation for s in given}
    missing = tuple(n for n in game.awaited() if n not in here) if "pause" not in waiting else ()
    if missing and not force:
        raise StoreError(
            f"no orders yet from {', '.join(map(game.name_of, missing))}; `--force` resolves without them"
        )
    if not force and not (dry or practice) and (offers := offers_in(game)):
        first = offers[0]
        raise StoreError(
            f"{game.name_of(first.to)} has not answered what {game.name_of(first.by)} offers: {first.said} "
            "`--force` resolves without "
            "an answer"
        )
    lacking = _lacking(game, given, missing)
    if lacking:
        raise StoreError(
            f"{lacking}; submit orders that meet this (the moderator may, with `wteaw orders "
            "submit --nation`; a bot does so where `meets` stands among the `actions` of its policy)"
        )
    # they have missed the turn all the same
    stood_in = tuple(n for n, s in game.submissions().items() if s.by == PROXY)
    lacked = absent(game, {*missing, *stood_in})
    result = game.resolve(given, missing=lacked, until=until, dry=dry, practice=practice, scribe=scribe)
    return TurnOutcome(result, missing, tuple(s.nation for s in given))


def absent(game: Game, missing: Iterable[str]) -> list[str]:
    """Of the nations that sent nothing those whose player is absent: who has sent orders for the nation that
    commands is not.
    """
    gone = set(missing)
    with closing(game.seated_world()) as world:
        return sorted(n for n in gone if world.commander_of(n) in gone)


def _lacking(game: Game, given: Iterable[Submission], missing: Iterable[str]) -> str:
    """Which requirement of this input point the orders of a policy, or having sent none, leave unmet; empty
    if none.
    """
    if not (game.stage().position.waiting or {}).get("requires"):
        return ""
    views = Views(game)
    orders: dict[str, list[Any]] = {**{n: [] for n in missing}, **{s.nation: list(s.orders) for s in given}}
    for nation, listed in sorted(orders.items()):
        for why in standing(views.world(nation), nation, listed)[1].values():
            return f"{game.name_of(nation)}: {why}"
    return ""
