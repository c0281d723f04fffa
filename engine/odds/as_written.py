"""The battle that orders bring about, as the referee sets it up: the same moves, the same parties, the same
conditions.

Orders are carried out on a copy of the position, everybody else being silent. Where all that is left to
chance is one battle whose plan says the whole of it, that is the question, with every force that may leave by
conditions of its own; its odds are exact. In any other case (meetings on the way, rivals, those who may be
called home, decisions to leave, contacts to be made, shots on the way, a second battle) the turn is resolved
again and again (`resolved`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..battle import listed
from ..battle.battles import (
    Battle,
    at_home,
    leave_rule,
    loss_orders,
    outline_contest,
    party_stacks,
    supporters,
    takes_part,
    troops,
)
from ..battle.encounters import contested, meetings, rivals
from ..battle.fight import fallen_places
from ..battle.groups import ATTACKER, DEFENDER, SIDES
from ..battle.retreat import Refuge, parts_of
from ..core.choices import block_of, word_of
from ..core.dice import KeyedDice
from ..core.model import Row
from ..core.state import WHOLE_ROW, extra_fields, unit_key
from ..turn.context import Order, Turn
from ..turn.sequence import cursor
from ..units import forces
from ..world.world import World
from .ask import WORD, Force, Question, Tables
from .chain import EFFORT
from .chain import odds as odds_of
from .resolved import Span, TurnSnapshot, aftermath, first_die, sampled
from .result import Odds

LIMITS = ("rounds", "losses", "kills")
ELSEWHERE = ("wants", "together")
"""Keys of a rule of leaving that a plan does not know."""


class NoBattle(ValueError):
    """The orders do not lead to a battle; the message says why."""


@dataclass(frozen=True, slots=True)
class Written:
    """What orders lead to. `question` is the battle where one plan says it all; `world` is the position
    before the first die.

    `refused` says why orders are not carried out (those that are may still lead to a battle).
    """

    world: World
    question: Question | None
    moment: TurnSnapshot
    place: str
    refused: tuple[str, ...] = ()

    def odds(self, *, trials: int = 0, seed: int = 1, most: int | None = EFFORT) -> tuple[Odds, Question]:
        """The odds, with what comes before and after the battle in the same turn; and of which.

        NoBattle if nobody fights.
        """
        if self.question is not None:
            found = odds_of(self.world, self.question, trials=trials, seed=seed, most=most)
            return self.with_aftermath(found, seed=seed), self.question
        found, runs = sampled(self.moment, self.place, trials=trials, seed=seed)
        fought = next((run for run in runs if run.began), None)
        if fought is None:
            raise NoBattle(_why([*self.refused, *runs[0].refused]))
        return found, Question(
            fought.battle, fought.began[-1][ATTACKER], fought.began[-1][DEFENDER], fought.place
        )

    def with_aftermath(self, found: Odds, *, seed: int = 1) -> Odds:
        """Odds of the battle with what the steps that follow it bring (`followed_by` of its row), from
        samples of the turn.
        """
        after = aftermath(self.moment, seed=seed)
        return replace(found, after=after) if after else found


def as_written(
    world: World, nation: str, orders: Sequence[Order], place: str = "", defenders: Force | None = None
) -> Written:
    """The battle to which the orders of a nation lead, in a place or ("") anywhere. The world given stays as
    it is.

    Orders whose `nation` is another are that nation's; all others are silent. `defenders` stand in the place
    instead of whoever is known to. NoBattle if no battle can follow, or nothing is carried out.
    """
    state = world.state.copy()
    dice = KeyedDice(b"as written", 1)
    turn = Turn(world.ruleset, state, dice, moments=world.moments, geography=world.geography)
    turn.journal.step = "orders"
    with turn.journal.entry("sequence/orders"):
        for key in sorted(turn.state.table("orders")):
            turn.journal.put_row("orders", key, None)
        if defenders is not None:
            _stand(turn, place, nation, defenders)
        for number, order in enumerate(orders, 1):
            whose = str(order.get("nation", nation))
            turn.journal.put_row("orders", f"{whose}/{number:04d}", {**order, "nation": whose})
    at = tuple(int(level["i"]) for level in cursor(turn))
    span = Span.of(world.ruleset, nation, orders, at)
    moment = first_die(turn, dice, span) if span is not None else None
    if moment is None:
        raise NoBattle("no battle follows the step that carries these orders out")
    refused = tuple(moment.refused)
    if moment.decided and not moment.began:
        raise NoBattle(_why(refused))
    there = moment.turn(b"as written")
    battle = None if moment.decided else _only_battle(there, moment.step, nation, orders)
    if battle is not None and place in ("", battle.place):
        return Written(*_asked(battle), moment, battle.place, refused)
    return Written(moment.world, None, moment, place, refused)


def _why(refused: Sequence[str]) -> str:
    return (
        f"the order is not carried out: {refused[0]}" if refused else "there is nobody there whom they fight"
    )


def _only_battle(turn: Turn, node: Row, nation: str, orders: Sequence[Order]) -> Battle | None:
    """The battle in which a nation attacks and which is all that a step decides by dice, if its plan says the
    whole of it.
    """
    if node["do"] != "fight" or any(turn.options_giving(order.get("options"), "onward") for order in orders):
        return None
    found: list[Battle] = []
    for row in (turn.ruleset.row("battles", id_) for id_ in node["battles"]):
        where, said = word_of(row, "where"), block_of(row, "where")
        first: Mapping[str, Any] = said.get("before", {})
        before = {word: turn.ruleset.row("battles", id_) for word, id_ in first.items()}
        if where == "contacts" or "cargo" in row or "evade" in row:
            return None
        if "meeting" in before and meetings(turn, row, before["meeting"]):
            return None
        if "rivals" in before and rivals(turn, row, before["rivals"]):
            return None
        found += contested(turn, row)
    if len(found) != 1 or not _is_fought(found[0], nation) or at_home(found[0]) or fallen_places(turn, found):
        return None
    rules = [leave_rule(found[0], side) or {} for side in (ATTACKER, DEFENDER)]
    return None if any(key in rule for rule in rules for key in ELSEWHERE) else found[0]


def _stand(turn: Turn, place: str, nation: str, units: Force) -> None:
    """Others than the nation's own and its allies' leave a place, and these units stand there."""
    for key, row in turn.state.stacks(at=place):
        if not turn.world.allied(nation, row["owner"]):
            turn.journal.put_row("units", key, None)
    for (owner, kind, *more), n in units.items():
        turn.journal.units(owner, kind, place, n, **dict(*more))


def _is_fought(battle: Battle, nation: str) -> bool:
    """Whether a nation attacks in a battle in which both sides have somebody to fight with."""
    members = troops(battle, {})
    _, standing = outline_contest(battle, members)
    return all(standing) and any(m.side == ATTACKER and m.row["owner"] == nation for m in members)


def _asked(battle: Battle) -> tuple[World, Question]:
    """A battle that is about to begin as a question: who stands there on which side, and when which part
    would leave.
    """
    turn = battle.turn
    units: dict[str, Any] = {}
    there: list[dict[Any, int]] = [{}, {}]
    gone: list[str] = []
    for key, row, side in _everybody(battle):
        extra = {**extra_fields(row), WORD: SIDES[side]}
        units[unit_key(row["owner"], row["kind"], row["place"], extra)] = {**row, WORD: SIDES[side]}
        there[side][row["owner"], row["kind"]] = there[side].get((row["owner"], row["kind"]), 0) + int(
            row["n"]
        )
        gone.append(key)
    limits = {side: {"by": by} for side in (ATTACKER, DEFENDER) if (by := _limits(battle, side))}
    orders = {owner: order for owner, order in loss_orders(battle).items() if order}
    for key in gone:  # they stand in the question from now on
        turn.state.put("units", key, WHOLE_ROW, None)
    tables: Tables = {"units": units, "forces": dict(turn.state.table("forces"))}
    question = Question(
        battle.row["id"], there[ATTACKER], there[DEFENDER], battle.place, orders=orders, limits=limits,
        record=battle.record, tables=tables,
    )  # fmt: skip
    return turn.world, question


def _everybody(battle: Battle) -> list[tuple[str, Row, int]]:
    """The stacks on either side, those that act from elsewhere included; of preludes, too."""
    found = []
    for side in (ATTACKER, DEFENDER):
        found += [(key, dict(row), side) for key, row in party_stacks(battle, side)]
    if battle.record:
        helpers = listed.helpers(battle.turn.world, battle.row, battle.record, battle.place)
        found += [(key, row, side) for side, key, row, _ in helpers]
    for side, force, _ in supporters(battle):
        found += [(key, dict(row), side) for key, row in forces.stacks_of(battle.turn.state, force)]
    return list({key: (key, row, side) for key, row, side in found}.values())


def _limits(battle: Battle, side: int) -> dict[str, Mapping[str, Any]]:
    """When each part of a side leaves by its orders (force, or nation of units in none), if there is
    somewhere to go.
    """
    rule, words = leave_rule(battle, side), battle.row.get("options", {})
    out: dict[str, Mapping[str, Any]] = {}
    for part in parts_of(battle, side, rule) if rule is not None else ():
        limits = {limit: part.options[words[limit]] for limit in LIMITS if words.get(limit) in part.options}
        movable = part.movable() if limits else []
        fights = any(takes_part(battle, side, key) for key, _ in movable)
        if fights and Refuge(part, dict(movable), {}).find() is not None:
            out[part.who] = limits
    return out
