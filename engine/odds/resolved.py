"""Odds by the resolution itself: the steps of a turn that carry orders out, resolved again and again with
other dice.

Who meets on the way, who is a rival for a place, who is called home, whose contact is lost, what a decision
has somebody do: all is as the referee has it, since it is the referee. What no die decides is resolved once;
trials begin before the first die.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..battle.groups import SIDES
from ..core.dice import KeyedDice
from ..core.frame import Path, nodes_in
from ..core.journal import Entry
from ..core.model import Row, Ruleset
from ..core.state import State
from ..turn.context import Order, Turn
from ..turn.sequence import Level, Wanted, advance, carried_out
from ..world.world import World
from .result import Ends, Odds, Roster, summarize

TRIALS = 400
"""Resolutions where nobody says how many: some seconds."""

Kinds = dict[tuple[str, str], int]
"""(owner, kind) -> number."""


@dataclass(frozen=True, slots=True)
class Span:
    """The steps from the first that carries out some orders to the last battle after it, and whose turns
    count for them.
    """

    first: Path
    last: Path
    nation: str
    nations: frozenset[str]
    after: Path = ()
    """The step that follows the battles and is told of, too (`followed_by`); (): none."""

    @classmethod
    def of(cls, ruleset: Ruleset, nation: str, orders: Sequence[Order], at: Path = ()) -> Span | None:
        """The span of orders, of which a nation asks at a place of the sequence; None if no battle follows
        their steps.
        """
        keys = {str(order["order"]) for order in orders}
        nodes = list(_steps(ruleset.sequence))
        doing = [path for path, _, node in nodes if keys & set(carried_out(ruleset, node))]
        first = next((path for path in doing if path >= at), doing[0] if doing else ())
        fights = [whole for path, whole, node in nodes if node["do"] == "fight" and path > first]
        nations = frozenset({nation, *(str(o.get("nation", nation)) for o in orders)})
        if not doing or not fights:
            return None
        rows = ruleset.rows("battles")
        fought = set()
        for path, _, node in nodes:
            if node["do"] == "fight" and path > first:
                fought.update(node["battles"])
        told = {rows[id_]["followed_by"] for id_ in fought if "followed_by" in rows[id_]}
        after = max(
            (path for path, _, node in nodes if node.get("step") in told and path > fights[-1]), default=()
        )
        return cls(first, fights[-1], nation, nations, after)

    def wants(self, mover: str | None, levels: Sequence[Level], last: Path | None = None) -> bool | None:
        """Whether the step at a cursor is one of them (None: they are over); `mover` is whose own turn it is,
        if anybody's.

        `last` is the last step where that is not the last battle.
        """
        path, last = tuple(int(level["i"]) for level in levels), last or self.last
        if mover is not None and mover not in self.nations:
            return False
        if mover in (None, self.nation) and path[: len(last)] > last:
            return None
        return path >= self.first


def _steps(frame: Iterable[Row]) -> Iterator[tuple[Path, Path, Row]]:
    """The steps of a sequence with their paths, that of the outermost loop of ticks or passes around them (or
    their own).
    """
    for path, node, above in nodes_in(frame):
        if "do" in node:
            depth = next((n for n, row in enumerate(above, 1) if row.keys() & {"ticks", "passes"}), len(path))
            yield path, path[:depth], node


@dataclass(slots=True)
class TurnSnapshot:
    """A turn before one of its steps: from here it can be resolved as often as one likes."""

    world: World
    span: Span
    before: State
    """The position before anything was carried out."""
    refused: list[str] = field(default_factory=list)
    decided: bool = False
    """No die is thrown at all: every resolution is the same."""
    began: bool = False
    """Where no die is thrown: whether there is a battle all the same."""

    def turn(self, key: bytes) -> Turn:
        """A turn of its own from here on, with dice of this key."""
        state = self.world.state.copy()
        number = int(state.get("game", "game", "turn", 0))
        return Turn(
            self.world.ruleset,
            state,
            KeyedDice(key, number),
            moments=self.world.moments,
            geography=self.world.geography,
        )

    def resolved(self, key: bytes) -> Turn:
        """A turn resolved from here to the end of the span."""
        turn = self.turn(key)
        _go(turn, lambda levels: self.span.wants(turn.mover, levels))
        return turn

    def followed(self, turn: Turn) -> None:
        """Go on with a resolved turn through what follows the battles."""
        _go(turn, lambda levels: self.span.wants(turn.mover, levels, self.span.after))

    @property
    def step(self) -> Row:
        """The step before which the turn stands."""
        node: Any = {"steps": self.world.ruleset.sequence}
        for level in self.world.state.get("game", "game", "cursor"):
            node = node["steps"][level["i"]]
        found: Row = node
        return found


def first_die(turn: Turn, dice: KeyedDice, span: Span) -> TurnSnapshot | None:
    """The moment before the step of the span that throws the first die, all that comes before it carried out;
    `turn` is used up, and throws these dice.

    None if no step of the span is made in this turn.
    """
    found = TurnSnapshot(turn.world, span, turn.state.copy())
    before: list[tuple[State, dict[str, Any], list[Level]]] = []

    def wanted(levels: Sequence[Level]) -> bool | None:
        if dice.marks():
            return None
        want = span.wants(turn.mover, levels)
        if want:
            before[:] = [(turn.state.copy(), dict(turn.world.moments), [dict(level) for level in levels])]
            found.refused = [str(e.data["refused"]) for e in turn.journal.entries if "refused" in e.data]
        return want

    _go(turn, wanted)
    if not before:
        return None
    found.decided = not dice.marks()
    if found.decided:
        found.began = any(e.data.get("event") == "begin" for e in turn.journal.entries)
        found.refused = [str(e.data["refused"]) for e in turn.journal.entries if "refused" in e.data]
    state, moments, levels = before[0]
    state.put("game", "game", "cursor", levels)
    found.world = World(turn.ruleset, state, moments=moments, geography=turn.world.geography)
    return found


def _go(turn: Turn, wanted: Wanted) -> None:
    """Through the sequence of play from the cursor; where it stands at no step, from its beginning."""
    advance(turn, inputs_ready=True, wanted=wanted)


# ---- what resolutions come to


@dataclass(slots=True)
class Trial:
    """One resolution: battles of the nation that asks, and the units of everybody afterwards."""

    began: list[dict[int, Kinds]]
    left: Kinds
    standing: tuple[bool, bool]
    went: tuple[bool, bool]
    rounds: int
    refused: list[str]
    battle: str = ""
    place: str = ""
    after: Kinds = field(default_factory=dict)
    """What the steps that follow the battles have given (or taken from) everybody."""


def sampled(moment: TurnSnapshot, place: str, *, trials: int = 0, seed: int = 1) -> tuple[Odds, list[Trial]]:
    """The odds of what orders lead to in a place ("": anywhere), from so many resolutions; exact if no die is
    thrown.

    The asking nation and its allies are the attacker, whoever fights them is the defender.
    """
    number = 1 if moment.decided else trials or TRIALS
    runs = [_trial(moment, place, f"{seed} {k}".encode()) for k in range(number)]
    roster = _roster(moment, runs)
    before = numbers(moment.before)
    alive = np.array(
        [
            [min(n, n - before.get((o, k), 0) + run.left.get((o, k), 0)) for _, o, k, n in roster]
            for run in runs
        ],
        dtype=np.int64,
    )
    ends = Ends(
        alive.reshape(len(runs), len(roster)),
        np.array([run.standing for run in runs]),
        np.array([run.went for run in runs]),
        np.ones(len(runs)),
    )
    rounds = sum(run.rounds for run in runs) / len(runs)
    odds = summarize(roster, [ends], trials=0 if moment.decided else number, rounds=rounds)
    return (replace(odds, after=_mean_after(runs)) if moment.span.after else odds), runs


def aftermath(moment: TurnSnapshot, *, trials: int = 0, seed: int = 1) -> dict[str, dict[str, float]]:
    """What the steps that follow the battles give and take on average, by owner and kind; nothing if none is
    told of.
    """
    if not moment.span.after:
        return {}
    number = 1 if moment.decided else trials or TRIALS
    return _mean_after([_trial(moment, "", f"{seed} {k}".encode()) for k in range(number)])


def _mean_after(runs: Sequence[Trial]) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for owner, kind in sorted({key for run in runs for key in run.after}):
        out.setdefault(owner, {})[kind] = sum(run.after.get((owner, kind), 0) for run in runs) / len(runs)
    return out


def numbers(state: State) -> Kinds:
    """The units of everybody."""
    out: Kinds = {}
    for _, row in state.stacks():
        key = (str(row["owner"]), str(row["kind"]))
        out[key] = out.get(key, 0) + int(row["n"])
    return out


def _roster(moment: TurnSnapshot, runs: Sequence[Trial]) -> Roster:
    """Who takes part: as many of a kind as ever fought in one battle, or were lost in a turn."""
    most: dict[tuple[int, str, str], int] = {}
    before = numbers(moment.before)
    for run in runs:
        for began in run.began:
            for side, kinds in began.items():
                for (owner, kind), n in kinds.items():
                    key = (side, owner, kind)
                    most[key] = max(
                        most.get(key, 0), n, before.get((owner, kind), 0) - run.left.get((owner, kind), 0)
                    )
    return [(*key, n) for key, n in sorted(most.items())]


def _trial(moment: TurnSnapshot, place: str, key: bytes) -> Trial:
    turn = moment.resolved(key)
    nation = moment.span.nation
    told = [e for e in turn.journal.entries if e.rule.startswith("battles/") and "event" in e.data]
    battles: dict[tuple[str, str], list[Entry]] = {}
    for entry in told:
        battles.setdefault((entry.rule, entry.subject), []).append(entry)
    out = Trial([], numbers(turn.state), (True, True), (False, False), 0, [])
    out.refused = [str(e.data["refused"]) for e in turn.journal.entries if "refused" in e.data]
    last: Entry | None = None
    for entries in battles.values():
        begun = next((e for e in entries if e.data["event"] == "begin"), None)
        side = None if begun is None else _side(turn.world, begun.data["sides"], nation)
        if begun is None or side is None:
            continue
        out.battle, out.place = str(begun.data["battle"]), str(begun.data["place"])
        parties = {0: begun.data["sides"][SIDES[side]], 1: begun.data["sides"][SIDES[1 - side]]}
        out.began.append(
            {s: {(o, k): n for o, kinds in of.items() for k, n in kinds.items()} for s, of in parties.items()}
        )
        for entry in entries:
            if entry.data["event"] == "leave" and any("to" in part for part in entry.data.get("left", ())):
                mine = entry.data["side"] == SIDES[side]
                out.went = (out.went[0] or mine, out.went[1] or not mine)
            if entry.data["event"] == "end":
                out.rounds += int(entry.data["rounds"])
                if last is None or last.data["place"] != place or entry.data["place"] == place:
                    last = entry
                    out.standing = _standing(turn, entry, side, out.began[-1])
    if last is None and place:
        there = turn.state.owners_at(place)
        foes = any(turn.world.hostile(nation, o) for o in there)
        out.standing = (True, foes or not any(nation == o or turn.world.allied(nation, o) for o in there))
    if moment.span.after:
        moment.followed(turn)
        now = numbers(turn.state)
        out.after = {k: n for k in {*now, *out.left} if (n := now.get(k, 0) - out.left.get(k, 0))}
    return out


def _side(world: World, sides: Mapping[str, Mapping[str, Any]], nation: str) -> int | None:
    """The side of a battle on which a nation or one of its allies stands; None if neither does."""
    for those in ({nation}, {o for of in sides.values() for o in of if world.allied(nation, o)}):
        for side, word in enumerate(SIDES):
            if those & set(sides.get(word, {})):
                return side
    return None


def _standing(turn: Turn, entry: Entry, side: int, began: Mapping[int, Kinds]) -> tuple[bool, bool]:
    """Which sides (that of the asking nation first) still stand when a battle is over."""
    winner = entry.data["winner"]
    if winner is not None:
        mine = winner == SIDES[side]
        return mine, not mine
    there = {(str(r["owner"]), str(r["kind"])) for _, r in turn.state.stacks(at=str(entry.data["place"]))}
    return bool(there & set(began[0])), bool(there & set(began[1]))
