"""The referee: from one input point to the next, as a pure function of ruleset, position, inputs and dice.

`start` makes the first position of a game, `resolve` the next one. Nothing here touches disk, clock, network
or terminal; the same arguments give the same position and the same journal on any machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.dice import CountingDice, Marks
from ..core.faults import carrying_out
from ..core.journal import EVERYONE, Entry
from ..core.messages import Message
from ..core.model import Row, Ruleset
from ..core.state import Entity, State
from ..ruleset.expressions.parse import strip_mark
from ..world.geography import Geography
from ..world.messages import say
from . import vacancies
from .calendar import begin_turn, end_turn
from .context import Turn
from .events import first_look, settle
from .sequence import advance, bind_loops, cursor, node_at

Orders = Mapping[str, Sequence[Mapping[str, Any]]]
"""Nation -> its accepted orders at an input point:

`order` ("form/id"), `slots`, `options`, `text`, `line`.
"""


@dataclass(frozen=True)
class Position:
    """Where a game stands: the state, the moments that `was()` reads, the dice already used in this turn, the
    journal's head.

    `waiting` is the input node at which the game waits (`{"pause": phase}` where a resolution was told to
    stop), or None when it has ended. `marks` are the dice used so far under the key of turn `dice_turn`.
    """

    state: State
    game_start: State
    turn_start: State
    phase_start: State
    head: str = ""
    entries: int = 0
    marks: Marks = field(default_factory=tuple)
    dice_turn: int = 0
    waiting: Row | None = None

    @property
    def turn(self) -> int:
        return int(self.state.get("game", "game", "turn", 0))

    @property
    def ended(self) -> bool:
        return bool(self.state.get("game", "game", "ended"))

    @property
    def moments(self) -> dict[str, State]:
        return {"game": self.game_start, "turn": self.turn_start, "phase": self.phase_start}


@dataclass(frozen=True)
class Resolution:
    """What a resolution gives: the next position and the entries written on the way."""

    position: Position
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Inputs:
    """What came in at an input point: orders and answers by nation, whose absence counts as missed, who
    commands from now on.

    `by` says who handed a nation's orders in, where that was a person.
    """

    orders: Orders = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    missing: Sequence[str] = ()
    seats: Mapping[str, str] = field(default_factory=dict)
    by: Mapping[str, str] = field(default_factory=dict)


def start(
    ruleset: Ruleset, state: State, dice: CountingDice, *, geography: Geography | None = None
) -> Resolution:
    """The first position of a game: turn 1 begins and runs to its first input point."""
    position = Position(state.copy(), state.copy(), state.copy(), state.copy())
    return _run(ruleset, position, Inputs(), dice, geography, first=True)


def resolve(
    ruleset: Ruleset,
    position: Position,
    inputs: Inputs,
    dice: CountingDice,
    *,
    geography: Geography | None = None,
    until: str | None = None,
) -> Resolution:
    """Take the inputs at the position's input point and go on to the next one.

    ValueError if the game has ended; RuleError, with the row and its place, if a rule cannot be carried out.

    `until` stops before the phase of that id; a further call goes on from there and takes no inputs.
    """
    if position.ended:
        raise ValueError("the game has ended")
    return _run(ruleset, position, inputs, dice, geography, until=until)


def _run(
    ruleset: Ruleset,
    position: Position,
    inputs: Inputs,
    dice: CountingDice,
    geography: Geography | None,
    *,
    first: bool = False,
    until: str | None = None,
) -> Resolution:
    turn = Turn(
        ruleset,
        position.state.copy(),
        dice,
        moments=position.moments,
        geography=geography,
        head=position.head,
        first=position.entries + 1,
    )
    with carrying_out(ruleset, turn.journal.failed_in):
        waiting = _play(turn, position, inputs, first=first, until=until)
        turn.journal.seal()
    out = replace(
        position,
        state=turn.state,
        turn_start=turn.world.at("turn").state,
        phase_start=turn.world.at("phase").state,
        head=turn.journal.head,
        entries=position.entries + len(turn.journal.entries),
        marks=tuple(tuple(m) for m in dice.marks()),
        dice_turn=position.turn or 1,
        waiting=waiting,
    )
    turn.world.close()
    return Resolution(out, tuple(turn.journal.entries))


def _play(turn: Turn, position: Position, inputs: Inputs, *, first: bool, until: str | None) -> Row | None:
    """From the position to the next input point (returned) or the end of the game (None)."""
    if first:
        first_look(turn)
        begin_turn(turn)
        settle(turn)
        waiting = advance(turn, inputs_ready=False)
    else:
        node = position.waiting or {}
        paused = "pause" in node
        if not paused:
            take_in(turn, inputs, node)
        waiting = advance(turn, inputs_ready=not paused, until=until, paused=paused)
    rounds = 0
    while waiting is None and not turn.state.get("game", "game", "ended"):
        end_turn(turn)
        if turn.state.get("game", "game", "ended"):
            break
        begin_turn(turn)
        settle(turn)
        waiting = advance(turn, inputs_ready=False)
        rounds += 1
        if rounds > 100:
            raise RuntimeError("a hundred turns without an input point: the sequence has none")
    return waiting


def take_in(turn: Turn, inputs: Inputs, node: Row) -> None:
    """Journal what comes in at an input point and lay it in the state, nation by nation.

    A point that may be passed over makes nobody absent; where it takes no orders, only answers, earlier
    orders stand.
    """
    turn.journal.step = "input"
    missing = () if node.get("optional") or node.get("early") else inputs.missing
    answers_only = "takes" in node and not node["takes"]
    for nation, seat in sorted(inputs.seats.items()):
        with turn.journal.entry(
            "sequence/input", subject=nation, audience=(EVERYONE,), data={"seat": seat}, keep=False
        ) as entry:
            turn.journal.set("nations", nation, "seat", seat)
            if entry.changes:
                who, by = Entity("nation", nation), vacancies.PLAYED_BY.get(seat, seat)
                entry.tell(say(turn.world, "{nation} {is|are} played by {by} now.", nation=who, by=by))
    for nation in sorted({*inputs.orders, *inputs.answers, *missing}):
        orders = inputs.orders.get(nation, ())
        data = {"orders": len(orders), **({"by": inputs.by[nation]} if nation in inputs.by else {})}
        with turn.journal.entry("sequence/input", subject=nation, audience=(nation,), data=data) as entry:
            # answers alone take no order's place
            kept = answers_only or (nation not in inputs.orders and nation not in missing)
            earlier = (
                ()
                if kept
                else [k for k, row in turn.state.table("orders").items() if row["nation"] == nation]
            )
            for old in earlier:
                # those of an earlier input point have had their steps
                turn.journal.put_row("orders", old, None)
            if nation in missing:
                entry.tell(Message("Orders came in from an ally." if orders else "No orders came in."))
                turn.journal.fact("missed", by=nation)
            for number, order in enumerate(orders, 1):
                turn.journal.put_row("orders", f"{nation}/{number:04d}", {"nation": nation, **order})
            for decision, answer in inputs.answers.get(nation, {}).items():
                turn.journal.set("answers", nation, decision, answer)


def waiting_seats(ruleset: Ruleset, position: Position) -> list[str]:
    """The nations from whom the present input point wants orders: of `asked_seats` those that are no vacant
    position.
    """
    return [n for n, seat in asked_seats(ruleset, position).items() if seat != "vacant"]


def asked_seats(ruleset: Ruleset, position: Position) -> dict[str, str]:
    """Nation to who commands it, of all that the present input point takes orders from."""
    node = position.waiting
    if node is None:
        return {}
    turn = Turn(ruleset, position.state, _NoDice(), moments=position.moments)
    with closing(turn.world) as world:
        return {n: vacancies.seat(world, n) for n in asked_at(turn, node)}


def asked_at(turn: Turn, node: Row) -> list[str]:
    """The nations from whom an input point takes orders, where the turn waits at it."""
    if "leaves" in node:  # the moderator alone is asked
        return []
    wanted = node.get("from", "everyone")
    if wanted == "everyone":
        return _commanded(turn, turn.world.nations())
    bind_loops(turn, cursor(turn))
    assert node_at(turn, cursor(turn)) is not None
    if wanted in turn.loops and isinstance(turn.loops[wanted], Entity):
        return _commanded(turn, (turn.loops[wanted].id,))
    return _commanded(turn, turn.world.members(turn.world.value(strip_mark(str(wanted)), turn.names())))


def commanded_nations(ruleset: Ruleset, position: Position) -> list[str]:
    """The nations that are in the game and that somebody commands: a player, a policy, or for want of both
    the moderator.
    """
    turn = Turn(ruleset, position.state, _NoDice(), moments=position.moments)
    with closing(turn.world) as world:
        return _commanded(turn, world.nations())


def _commanded(turn: Turn, nations: Iterable[str]) -> list[str]:
    return [n for n in nations if vacancies.seat(turn.world, n) != "none" and turn.world.alive(n)]


class _NoDice(CountingDice):
    def drawer(self, name: Any, use: int) -> Any:
        raise RuntimeError("no dice here")
