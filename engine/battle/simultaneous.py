"""Battles of a step fought at once (`tempo: at_once`): each at the strength with which the step begins,
losses fall at the end.

One round each. When the dice of all are known, nations that have lost may have some thrown again (`reroll`):
the worst lost first, so often in all of the step. Then the hits are taken, battle by battle, by those who are
still there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..turn.context import Turn
from ..turn.effects import EffectRunner
from . import apply_losses
from .battles import Battle, compile_contest, outline_contest, streams, troops
from .groups import last_standing
from .plan import Plan, Reroll
from .record import end_entry, write_round
from .rounds import Held, Rounds, start
from .samplers import RealDice, Throw


@dataclass(slots=True)
class ThrownBattle:
    """A battle whose dice have been thrown: the hits that wait, and for whom how often it was thrown
    again.
    """

    battle: Battle
    plan: Plan
    dice: RealDice
    rounds: Rounds
    held: list[Held]
    again: dict[str, int] = field(default_factory=dict)

    def throw(self, turn: Turn) -> None:
        """The dice of its round, in place of those that were thrown before."""
        self.held.clear()
        self.dice.rolled.clear()
        self.rounds.fight(start(self.plan), self.battle.number)
        if turn.dice.onlooker is not None:
            turn.dice.onlooker.held(self.battle, self.plan, self.held)

    @property
    def size(self) -> int:
        """By how much the comparison was lost."""
        return abs(self.rounds.compared.difference) if self.rounds.compared is not None else 0

    def loser(self) -> tuple[str, Reroll] | None:
        """The nation that has lost and may have it thrown again by the row, however often it has; with the
        rule.
        """
        compared = self.rounds.compared
        volley = (
            compared.volleys.get(compared.loser)
            if compared is not None and compared.loser is not None
            else None
        )
        if volley is None or volley.reroll is None:
            return None
        may = np.all(volley.reroll.who.truth(self.plan.start, self.battle.number))
        return (volley.leader, volley.reroll) if may else None


def fight(turn: Turn, battles: Sequence[Battle]) -> None:
    """Fight battles that have begun."""
    everything = []
    for battle in battles:
        plan = compile_contest(battle, troops(battle, {}))
        battle.number += 1
        battle.note_who_fights(plan)
        dice, held = RealDice(streams(battle)), list[Held]()
        everything.append(ThrownBattle(battle, plan, dice, Rounds(plan, dice, held=held), held))
    for thrown in everything:
        thrown.throw(turn)
    _throw_again(turn, everything)
    for thrown in everything:
        _fall(turn, thrown)
    for thrown in everything:
        _end(turn, thrown)


def _throw_again(turn: Turn, everything: Sequence[ThrownBattle]) -> None:
    """As long as nations may: each has the worst that it has lost thrown again, then they look again."""
    used: dict[str, int] = {}
    lucky: dict[str, bool] = {}
    while True:
        chosen: dict[str, ThrownBattle] = {}
        for thrown in everything:
            lost = thrown.loser()
            if lost is None:
                continue
            nation, rule = lost
            spent = rule.in_all is not None and used.get(nation, 0) >= rule.in_all
            if spent or thrown.again.get(nation, 0) >= rule.most:
                continue
            if nation not in lucky:
                lucky[nation] = _is_lucky(thrown, rule)
            if lucky[nation] and (nation not in chosen or thrown.size > chosen[nation].size):
                chosen[nation] = thrown
        for nation, thrown in sorted(chosen.items()):
            used[nation] = used.get(nation, 0) + 1
            thrown.again[nation] = thrown.again.get(nation, 0) + 1
            thrown.throw(turn)
        if not chosen:
            return


def _is_lucky(thrown: ThrownBattle, rule: Reroll) -> bool:
    """The die that a nation throws before it may have anything thrown again."""
    if rule.luck is None:
        return True
    faces, fine = rule.luck
    compared = thrown.rounds.compared
    assert compared is not None and compared.loser is not None
    throw = Throw(f"{compared.stage.id}-luck", compared.loser, thrown.battle.number, faces)
    _, face = thrown.dice.one(start(thrown.plan), np.ones(1, dtype=bool), throw)
    return int(face[0]) in fine


def _fall(turn: Turn, thrown: ThrownBattle) -> None:
    """The hits of a battle are taken by those who are still there."""
    battle = thrown.battle
    battle.plan = None
    plan = compile_contest(battle, troops(battle, {}))
    rounds = Rounds(plan, thrown.dice, recorded=True)
    with turn.journal.entry(battle.rule, subject=battle.subject, audience=battle.audience) as entry:
        rounds.fall(thrown.held, battle.number)
        runner = EffectRunner(turn, entry, battle.rule, battle.subject)
        lost = apply_losses.apply_losses(battle, plan, rounds.taken, runner)
        write_round(battle, entry, thrown.plan, thrown.rounds, thrown.dice, lost, ())
        if thrown.again:
            entry.data["again"] = dict(sorted(thrown.again.items()))


def _end(turn: Turn, thrown: ThrownBattle) -> None:
    battle, compared = thrown.battle, thrown.rounds.compared
    _, standing = outline_contest(battle, troops(battle, {}))
    battle.over = True
    battle.winner = last_standing(standing)
    battle.better = 1 - compared.loser if compared is not None and compared.loser is not None else None
    end_entry(battle)
