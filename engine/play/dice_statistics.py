"""Luck in a game: what battles and other rolls came to, against what was to be expected before each throw.

An onlooker (`odds/dice_statistics.py`) sees each throw: while the game is played, if whoever plays it has
said so (`watch`); otherwise its turns are resolved again, from what the game took in and the dice of then.
What was seen of a turn is kept in the cache, for as long as its journal and the program stay the same. A hit
counts when somebody takes it. The variance of a total is the sum of the variances of its throws, each as
the odds before it had it; so by pure chance 95 of 100 totals lie within 1.96 of its roots.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain, pairwise
from typing import Any

from ..battle.groups import SIDES
from ..core.die import distribution, parse_die
from ..core.faults import BrokenGame
from ..core.journal import Entry
from ..core.parallel import shared_out
from ..core.state import Entity
from ..odds.dice_statistics import TRIALS, Onlooker, RecordedThrow
from ..ruleset import cache as shelf
from ..store import Game, StoredPosition, StoreError
from ..store.per_process import GamePerProcess
from ..world.amounts import face_fits
from ..world.messages import printed
from ..world.world import World
from .verify import resolved_again

BAND = 1.96
"""Standard errors on either side within which 95 of 100 totals lie."""
SWINGS = 12


@dataclass(frozen=True)
class Rolls:
    """Rolls of one row with a limit: of whom ("" for nobody's), how many, how often they came up, and what
    was to be expected.
    """

    rule: str
    nation: str
    n: int
    came_up: int
    expected: float
    variance: float


@dataclass(frozen=True, eq=False)
class Luck:
    """All throws of battles of a game as far as it has been resolved, and its other rolls."""

    game: str
    title: str
    turns: int
    ended: bool
    world: World
    throws: tuple[RecordedThrow, ...]
    rolls: tuple[Rolls, ...]

    # ---- totals

    def nations(self) -> list[dict[str, Any]]:
        """Everybody with a throw, the luckiest first."""
        those = sorted({n for t in self.throws for n in t.shares if n})
        found = [{"nation": n, "name": self.name(n), **self._total({n: 1.0})} for n in those]
        return sorted(found, key=lambda f: -f["luck"])

    def sides(self) -> list[dict[str, Any]]:
        """The sides of the ruleset, each with all nations that are on it now."""
        of: dict[str, dict[str, float]] = {}
        for nation in sorted({n for t in self.throws for n in t.shares if n}):
            if side := self.world.side_of(nation):
                of.setdefault(side, {})[nation] = 1.0
        ruleset = self.world.ruleset
        found = [
            {"side": s, "name": str(ruleset.row_or_empty("sides", s).get("name", s)), **self._total(those)}
            for s, those in of.items()
        ]
        return sorted(found, key=lambda f: -f["luck"])

    def battles(self) -> list[dict[str, Any]]:
        """Every battle with dice, those that luck swung most first; `luck` is the attackers', the other
        side's its opposite.
        """
        of: dict[tuple[int, str, str], list[RecordedThrow]] = {}
        for thrown in self.throws:
            of.setdefault((thrown.turn, thrown.mover, thrown.subject), []).append(thrown)
        out = []
        for (turn, _, _), throws in of.items():
            first = throws[0]
            parties: dict[str, dict[str, Any]] = {side: {} for side in SIDES}
            for nation in dict.fromkeys(n for t in throws for n in t.shares):
                side = next(t.shares[nation].side for t in throws if nation in t.shares)
                parties[SIDES[side]][nation] = self._total({nation: 1.0}, throws)
            mine = dict.fromkeys(parties[SIDES[0]], 1.0)
            about = {
                "turn": turn,
                "place": first.place,
                "name": self.place(first.place),
                "battle": first.battle,
            }
            out.append(
                about | {"sides": parties, **_kept(self._total(mine, throws), "throws", "luck", "error")}
            )
        return sorted(out, key=lambda b: -abs(float(b["luck"])))

    def swings(self) -> list[dict[str, Any]]:
        """The throws with the most luck in them, each as its luckier side sees it."""
        out: list[dict[str, Any]] = []
        for t in self.throws:
            mine = {n: 1.0 for n, s in t.shares.items() if s.side == 0}
            luck, variance = t.luck(mine)
            side = 0 if luck > 0 else 1
            those = [(n, s) for n, s in t.shares.items() if s.side == side]
            out.append(
                {
                    "turn": t.turn,
                    "place": t.place,
                    "name": self.place(t.place),
                    "battle": t.battle,
                    "round": t.round,
                    "what": t.what,
                    "side": SIDES[side],
                    "nations": sorted(n for n, _ in those),
                    "dealt": sum(s.dealt for _, s in those),
                    "dealt_expected": sum(s.dealt_mean for _, s in those),
                    "taken": sum(s.taken for _, s in those),
                    "taken_expected": sum(s.taken_mean for _, s in those),
                    "luck": abs(luck),
                    "error": math.sqrt(max(0.0, variance)),
                }
            )
        return sorted(out, key=lambda s: -s["luck"])[:SWINGS]

    def _total(
        self, nations: Mapping[str, float], throws: Iterable[RecordedThrow] | None = None
    ) -> dict[str, Any]:
        throws = [t for t in (self.throws if throws is None else throws) if t.shares.keys() & nations.keys()]
        shares = [t.shares[n] for t in throws for n in nations if n in t.shares]
        found = [t.luck(nations) for t in throws]
        luck, error = sum(v for v, _ in found), math.sqrt(max(0.0, sum(v for _, v in found)))
        return {
            "throws": len(throws),
            "dealt": sum(s.dealt for s in shares), "dealt_expected": sum(s.dealt_mean for s in shares),
            "taken": sum(s.taken for s in shares), "taken_expected": sum(s.taken_mean for s in shares),
            "luck": luck, "error": error, "low": -BAND * error, "high": BAND * error,
            "luckier_than": 0.5 * (1 + math.erf(luck / error / math.sqrt(2))) if error else None,
        }  # fmt: skip

    # ---- names

    def name(self, nation: str) -> str:
        return str(self.world.ruleset.row_or_empty("nations", nation).get("name", nation or "nobody"))

    def place(self, place: str) -> str:
        return printed(self.world, Entity("place", place))

    def to_json(self) -> dict[str, Any]:
        """Everything as plain data.

        Hits throughout; `error` is the standard error of pure chance, `low` and `high` its band.
        """
        rolls = [
            {
                "rule": r.rule,
                "nation": r.nation,
                "rolls": r.n,
                "came_up": r.came_up,
                "expected": r.expected,
                "error": math.sqrt(r.variance),
            }
            for r in self.rolls
        ]
        return {
            "game": self.game,
            "title": self.title,
            "turns": self.turns,
            "ended": self.ended,
            "throws": len(self.throws),
            "sampled": sum(not t.exact for t in self.throws),
            "trials": TRIALS,
            "nations": self.nations(),
            "sides": self.sides(),
            "swings": self.swings(),
            "battles": self.battles(),
            "rolls": rolls,
        }


def watch(game: Game) -> None:
    """Look on at the dice of all that is resolved with this object from now on, so that `luck` need not
    resolve it again.
    """
    game.onlooker = Onlooker


def luck(game: Game, reader: str | None = None, *, workers: int = 1) -> Luck:
    """The luck of a game so far, for the moderator (None); for a nation or everybody ("") once the game has
    ended.

    It is found once for a game as it stands. So many `workers` resolve again those of its turns that nobody
    watched, processes that are forked: only a program of one thread may have several
    (`per_process.processes_for`).

    StoreError while it runs, except for the moderator; BrokenGame where a turn does not come out as it did
    (`wteaw verify`).
    """
    stage = game.stage()
    if reader is not None and not stage.position.ended:
        raise StoreError(
            "luck is told when the game has ended: what the dice of others were to bring is nobody's "
            "business before"
        )
    return _luck(_Kept(game, workers, (game.where, game.id, stage.number, stage.position.head)))


class _Kept:
    """A game by what its luck depends on."""

    def __init__(self, game: Game, workers: int, key: tuple[Any, ...]) -> None:
        self.game, self.workers, self.key = game, workers, key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=4)
def _luck(kept: _Kept) -> Luck:
    game = kept.game
    numbers = [number for number, _, _ in game.stages()]
    shared = GamePerProcess(game)
    # the later one of a pair begins the next
    stage = lru_cache(maxsize=2)(lambda number: shared.here().stage(number))
    pairs = list(pairwise(numbers))
    unseen = [pair for pair in pairs if pair[0] not in game.onlookers]
    heads = game.heads()
    names = {n: _kept_as(game, heads[n], heads[following]) for n, following in pairs}
    again = shared_out(
        lambda pair: _throws(shared.here(), names[pair[0]], partial(stage, pair[0]), partial(stage, pair[1])),
        unseen,
        kept.workers,
    )
    resolved = {number: found for (number, _), found in zip(unseen, again, strict=True)}
    throws = []
    for number, _ in pairs:
        if number in resolved:
            throws.append(resolved[number])
        else:
            throws.append(game.onlookers[number].throws)
            _keep(names[number], throws[-1])
    position = game.stage().position
    world = World(game.ruleset, position.state, moments=position.moments, geography=game.geography)
    turns = position.turn - game.first_turn() + bool(position.ended)
    rolls = tuple(rolls_of(game.journal(), game.ruleset.rows("nations")))
    return Luck(
        game.id,
        str(game.head["title"]),
        turns,
        bool(position.ended),
        world,
        tuple(chain.from_iterable(throws)),
        rolls,
    )


SHELF = "throws"
StageLoader = Callable[[], StoredPosition]
"""Loads a stage, which a turn that is kept does not need."""


def _kept_as(game: Game, before: str, after: str) -> str:
    """The name under which the throws between two stages are kept: the heads of the journal tell all that
    came of them.
    """
    return shelf.key_of([shelf.player_digest(), game.id, before, after])


def _keep(key: str, throws: Iterable[RecordedThrow]) -> None:
    if shelf.read(SHELF, key) is None:
        shelf.write(SHELF, key, [throw.to_json() for throw in throws])


def _throws(game: Game, key: str, before: StageLoader, after: StageLoader) -> list[RecordedThrow]:
    """The throws of battles between a stage and the one after it: as they are kept, else it is resolved again
    for them."""
    kept = shelf.read(SHELF, key)
    with suppress(KeyError, TypeError, ValueError):  # what is kept there is none of ours
        if isinstance(kept, list):
            return [RecordedThrow.from_json(said) for said in kept]
    throws = _resolved_again(game, before(), after())
    _keep(key, throws)
    return throws


def _resolved_again(game: Game, before: StoredPosition, after: StoredPosition) -> list[RecordedThrow]:
    """The throws of a stage that is resolved again for them."""
    rules = game.ruleset_at(before.number)
    onlooker = Onlooker()
    same = rules.hash == game.ruleset.hash
    again = resolved_again(
        game, before, after, rules, geography=game.geography if same else None, onlooker=onlooker
    )
    if again.position.state.hash() != after.position.state.hash():
        raise BrokenGame(
            f"turn {before.position.turn} does not come out again as it did; `wteaw verify` says more"
        )
    return onlooker.throws


# ---- other rolls


def rolls_of(entries: Iterable[Entry], nations: Mapping[str, Any]) -> Iterator[Rolls]:
    """Rolls with a limit, as the journal has them: by row and nation, how often they came up and how often
    that was likely.
    """
    found: dict[tuple[str, str], list[float]] = {}
    for entry in entries:
        for record in entry.dice:
            if "need" not in record or not isinstance(record.get("hit"), bool):
                continue
            chance = 1 - math.prod(_missed(record))
            subject = re.split(r"[:#>]", entry.subject)[0]
            about = found.setdefault((entry.rule, subject if subject in nations else ""), [0, 0, 0.0, 0.0])
            about[0] += 1
            about[1] += record["hit"]
            about[2] += chance
            about[3] += chance * (1 - chance)
    for (rule, nation), (n, came_up, expected, variance) in sorted(found.items()):
        yield Rolls(rule, nation, int(n), int(came_up), expected, variance)


def _missed(record: Mapping[str, Any]) -> Iterator[float]:
    """For each roll of a record the chance that it does not come up."""
    need = str(record["need"])
    looks = [look for look in re.findall(r"([0-9]+) at (-?[0-9]+)", need) if int(look[0])]
    for place, drawn in enumerate(record["drawn"]):
        if looks:  # so many dice at a value each, one draw for each value
            dice, value = int(looks[place][0]), int(looks[place][1])
            faces = parse_die(str(drawn["die"])).faces
            yield (1 - min(max(value, 0), faces) / faces) ** dice
        else:
            yield 1 - chance_of(str(drawn["die"]), need)


_LIMIT = re.compile(r"(-?[0-9/.]+) or (less|more)")


@lru_cache(maxsize=4096)
def chance_of(die: str, need: str) -> float:
    """The chance that a die shows what is needed: "3 or less", "9 or more", or faces such as "7..10"."""
    limit = _LIMIT.fullmatch(need)
    if limit is None:
        return float(sum(p for total, p in distribution(die).items() if face_fits(need, total)))
    bound, less = Fraction(limit[1]), limit[2] == "less"
    return float(
        sum(p for total, p in distribution(die).items() if (total <= bound if less else total >= bound))
    )


def _kept(total: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {k: total[k] for k in keys}
