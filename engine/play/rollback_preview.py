"""What going back in a game, or other rules for it, would change, found out before it is done: nothing here
changes the game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..core.faults import BrokenGame, NotThere
from ..core.journal import Entry
from ..core.model import Ruleset
from ..core.state import State
from ..orders.intake import take_in
from ..store import MODERATOR, POLICY, Game, Submission
from ..turn.referee import asked_seats
from ..world.geography import Geography
from .verify import resolved_again
from .views import Views


@dataclass(frozen=True)
class RollbackPreview:
    """What going back to a stage would do.

    `dropped` entries of the journal go, and `files`: what people had sent for later points, as turn, nation
    and number of orders. `kept`: who has orders in at the point itself, which stay. `fresh` says whether the
    turn gets other dice, since keys of it are known. Where orders are put right at the same time, `same`
    sentences of the turn's journal would stay as they were, and `before` and `after` are those that would
    not; they are empty where nothing is put right, and where the dice are others.
    """

    stage: int
    turn: int
    dropped: int
    fresh: bool
    files: tuple[tuple[int, str, int], ...] = ()
    kept: tuple[str, ...] = ()
    same: int = 0
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


MOST = 200
"""Changed entries that are told."""


def what_if(game: Game, number: int, nation: str = "", text: str | None = None) -> RollbackPreview:
    """What going back to a stage would do, with other orders of one nation where they are given.

    StoreError if it cannot be.
    """
    last = game.stage().number
    if not 1 <= number < last:
        raise NotThere("choose an earlier point of the game")
    stage = game.stage(number)
    turn = stage.position.turn
    fresh = game.turn_record(turn).opened
    dropped = game.stage().position.entries - stage.position.entries
    if not nation or text is None or fresh:
        return RollbackPreview(number, turn, dropped, fresh, _files(game, number), _people(game, number))
    asked = asked_seats(game.ruleset, stage.position)
    if nation not in asked:
        name, others = (", ".join(game.name_of(n) for n in some) for some in ([nation], asked))
        raise NotThere(
            f"at that point orders of {others or 'nobody'} are wanted; "
            f"those of {name} are put right by going back to a point where they are"
        )
    world = Views(game, stage.position).world(nation)
    taken = take_in(game.ruleset, text, lambda _: world, nation=nation, game=game.id, turn=turn)
    if not taken.clean:
        first = next(d for d in taken.found if d.severity == "error")
        raise BrokenGame(f"line {first.line} is not valid: {first.message}")
    given = Submission(nation, text, list(taken.orders), dict(taken.answers), MODERATOR)
    following = game.stage(number + 1)
    result = resolved_again(
        game, stage, following, game.ruleset_at(number), geography=game.geography, instead=given
    )
    was = game.journal(position=number + 1)
    old, new = _counted(was), _counted(result.entries)
    gone, come = (list(told.elements()) for told in (old - new, new - old))
    same = (old & new).total()
    return RollbackPreview(
        number,
        turn,
        dropped,
        fresh,
        _files(game, number),
        _people(game, number),
        same,
        tuple(gone[:MOST]),
        tuple(come[:MOST]),
    )


def stage_of_turn(game: Game, turn: int) -> int | None:
    """The point at which a turn waits for its orders: the first that is not optional, such as a deployment
    before the orders.
    """
    here = [number for number, t, waits in game.stages() if t == turn and waits != "ended"]
    wanted = (n for n in here if not (game.stage(n).position.waiting or {}).get("optional"))
    return next(wanted, here[0] if here else None)


def _people(game: Game, number: int) -> tuple[str, ...]:
    """The nations for which a person has sent orders at a stage."""
    return tuple(sorted(n for n, s in game.submissions(number).items() if s.by != POLICY))


def _files(game: Game, number: int) -> tuple[tuple[int, str, int], ...]:
    """What people have sent after a stage: turn, nation, number of orders."""
    out = []
    for later, turn, _ in game.stages():
        if later > number:
            sent = game.submissions(later)
            out += [(turn, nation, len(sent[nation].orders)) for nation in _people(game, later)]
    return tuple(out)


def _counted(entries: Iterable[Entry]) -> Counter[str]:
    """What entries tell, and how often; those without words are the bookkeeping of others."""
    return Counter(entry.text for entry in entries if entry.text)


# ---- other rules


def first_difference(game: Game, ruleset: Ruleset) -> str | None:
    """Replay a game's inputs under another ruleset, with the same dice; the first turn and table that differ,
    or None.
    """
    geography = Geography(ruleset)
    for number, _, _ in game.stages()[:-1]:
        stage, following = game.stage(number), game.stage(number + 1)
        try:
            position = resolved_again(game, stage, following, ruleset, geography=geography).position
        except (KeyError, ValueError) as error:
            return f"Turn {stage.position.turn} cannot be replayed under the new rules: {error}"
        difference = compare(following.position.state, position.state)
        if difference:
            return f"Turn {stage.position.turn}: {difference}"
    return None


def compare(old: State, new: State) -> str | None:
    """The first field in which two states differ, in words."""
    for table in sorted({*old.tables, *new.tables}):
        for id_ in sorted({*old.table(table), *new.table(table)}):
            a, b = old.row(table, id_), new.row(table, id_)
            for field in sorted({*a, *b}):
                if a.get(field) != b.get(field):
                    return f"{table}/{id_}.{field} was {a.get(field)!r} and would be {b.get(field)!r}"
    return None
