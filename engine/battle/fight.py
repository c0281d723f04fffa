"""`fight`: battles are found, fought in rounds, and their losses and withdrawals carried out.

A step names battles (rows of the form `battles`). Where a row's `where` is `contested`, a battle is in every
place in which forces stand that somebody there would fight; where it is `contacts`, among the forces that
have found each other. What must be settled before (`before`: forces that meet on their way, rivals for one
place) is fought first, then preludes, then all battles of a row in common rounds (`tempo: together`), so that
units that leave one battle can join another, or one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ..core.choices import block_of
from ..core.journal import Entry
from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Turn
from ..turn.effects import EffectRunner
from ..units.carriers import settle
from ..units.control import takers_of
from ..units.forces import stacks_of
from ..world.selections import as_set
from . import apply_losses, simultaneous
from .battles import (
    Battle,
    Party,
    abandon,
    at_home,
    compile_contest,
    compile_fire_on_retreat,
    leave_rule,
    order_options,
    outline_contest,
    put_away_plan,
    streams,
    supporters,
    troops,
)
from .encounters import contested, in_touch, is_for, meetings, rivals
from .groups import ATTACKER, DEFENDER, SIDES, Troops, last_standing
from .record import (
    absent_entries,
    begin_entry,
    describe,
    end_entry,
    stuck_entry,
    write_fire_on_retreat,
    write_leave,
    write_round,
)
from .retreat import Departure, forced, go_back, leaving, slipping
from .rounds import Rounds, start
from .samplers import RealDice

MAX_ROUNDS = 10_000


def run(node: Row, turn: Turn) -> None:
    """Fight the battles of a step: `battles` names rows of the form, in their order."""
    rows = [turn.ruleset.row("battles", id_) for id_ in node["battles"]]
    for row in rows:
        if "before" in block_of(row, "where"):
            _preludes(turn, contested(turn, row))
    for row in rows:
        before = block_of(row, "where").get("before", {})
        if "meeting" in before:
            fight_all(turn, meetings(turn, row, turn.ruleset.row("battles", before["meeting"])))
        while "rivals" in before:
            rivalries = rivals(turn, row, turn.ruleset.row("battles", before["rivals"]))
            if not fight_all(turn, rivalries):
                break
        battles = contested(turn, row)
        for battle in battles:
            battle.cleared = "before" in block_of(row, "where")
        fight_all(turn, battles)


def _preludes(turn: Turn, battles: Sequence[Battle]) -> None:
    """The preludes of some battles, each kind of prelude for all of them before the next."""
    for battle in battles:
        for id_ in battle.row.get("preludes", ()):
            row, subject = turn.ruleset.row("battles", id_), f"{battle.subject}:{id_}"
            prelude = Battle(turn, row, battle.place, subject, battle.parties, battle.attacks)
            prelude.penalties = battle.penalties
            fight_all(turn, [prelude])
            # each is attacked by the other
            if battle.attacks[DEFENDER] and battle.row.get("attacks") != "both":
                back = Battle(turn, row, battle.place, f"{subject}:back", battle.parties[::-1])
                back.penalties = battle.penalties
                fight_all(turn, [back])


def battle_now(
    turn: Turn,
    battle_id: str,
    place: str,
    attacker: str,
    defender: str | None,
    *,
    ignore: Iterable[str] = (),
    kinds: frozenset[str] | None = None,
    foes: frozenset[str] | None = None,
) -> None:
    """One battle between all units of two nations in a place, fought to its end at once; of no defender: all
    whom it would fight.

    `ignore`: modifiers that do not count; `kinds`: of the attacker, only these take part; `foes`: of the
    defender, these.
    """
    row = turn.ruleset.row("battles", battle_id)
    both = row.get("attacks") == "both"
    theirs = (
        Party(nations=(defender,), place=place, kinds=foes)
        if defender
        else Party(place=place, against=(attacker,))
    )
    parties = (Party(nations=(attacker,), place=place, kinds=kinds), theirs)
    subject = f"{place}:{attacker}:{defender or 'all'}"
    battle = Battle(turn, row, place, subject, parties, (True, both), ignore=tuple(ignore))
    fight_all(turn, [battle])


def fight_here(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """A battle now, at places or wherever both parties stand, if the battle's row is for such a place."""
    attacker = runner.id_of(p["attacker"], names)
    defender = runner.id_of(p["defender"], names) if "defender" in p else None
    if p.get("where") == "mixed":
        places = sorted(
            q
            for q in runner.world.state.occupied_places()
            if {attacker, defender} <= runner.world.state.owners_at(q)
        )
    else:
        places = [t.id for t in as_set(runner.world, runner.set(p["at"], names))]
    row = runner.turn.ruleset.row("battles", p["battle"])
    for place in places:
        if is_for(runner.turn, row, place):
            battle_now(runner.turn, p["battle"], place, attacker, defender, ignore=p.get("ignore", ()))


def fight_all(turn: Turn, battles: Sequence[Battle]) -> int:
    """Fight battles to their end: together, round by round, or one after another as their row says.

    Gives how many began.
    """
    of_tempo: dict[str, list[Battle]] = {"together": [], "one_by_one": [], "at_once": []}
    for battle in battles:
        of_tempo[battle.row.get("tempo", "together")].append(battle)
    began = 0
    for battle in of_tempo["one_by_one"]:
        if _begin(battle):  # on what the battles before it have left
            began += 1
            _to_the_end(turn, [battle])
    together = [c for c in of_tempo["together"] if _begin(c)]
    _to_the_end(turn, together)
    abreast = [c for c in of_tempo["at_once"] if _begin(c)]
    simultaneous.fight(turn, abreast)
    return began + len(together) + len(abreast)


def _begin(battle: Battle) -> bool:
    """The preludes are fought, then the battle begins if both sides have somebody to fight
    with.
    """
    if not battle.cleared:
        _preludes(battle.turn, [battle])
    if not _stands(battle):
        return False
    begin_entry(battle)
    absent_entries(battle)
    _interrupt(battle)
    _mark(battle)
    _committed(battle)
    return True


def _interrupt(battle: Battle) -> None:
    """Who has to fight is not busy any more with what was to be done to it."""
    at_work = [(m.key, int(m.row["n"])) for m in troops(battle, {}) if m.row.get("busy")]
    if at_work:
        with battle.turn.journal.entry(
            f"battles/{battle.row['id']}", subject=battle.subject, audience=("nobody",), keep=False
        ):
            for key, n in at_work:
                battle.turn.journal.alter_units(key, n, busy=None)


def _mark(battle: Battle) -> None:
    """Attackers of a battle wear what its row says (`marks`), such as that they have no movement left."""
    turn = battle.turn
    rule = battle.row.get("sets")
    if rule is None:
        return
    with turn.journal.entry(
        f"battles/{battle.row['id']}", subject=battle.subject, audience=("nobody",), keep=False
    ):
        for member in troops(battle, {}):
            names = {"unit": Entity("unit", member.key), "self": Entity("nation", str(member.row["owner"]))}
            if member.side == ATTACKER and turn.world.test(rule.get("who"), names):
                turn.journal.alter_units(member.key, int(member.row["n"]), **rule["set"])


def _committed(battle: Battle) -> None:
    """Forces that join one battle only, from another place, have joined this one."""
    lent = [force for _, force, join in supporters(battle) if join.get("once")]
    if lent:
        with battle.turn.journal.entry(
            f"battles/{battle.row['id']}", subject=battle.subject, audience=("nobody",), keep=False
        ):
            for force in lent:
                battle.turn.journal.set("forces", force, "lent", battle.place)


def _stands(battle: Battle) -> bool:
    """Whether both sides have somebody who can fight this battle."""
    members = troops(battle, {})
    if not any(m.side == ATTACKER for m in members):
        return False
    groups, standing = outline_contest(battle, members)
    if not battle.began:
        battle.began = describe(groups)
    return standing[ATTACKER] and (standing[DEFENDER] or bool(at_home(battle)))


def _to_the_end(turn: Turn, battles: Sequence[Battle]) -> None:
    running = [c for c in battles if not c.over]
    fallen = dict.fromkeys(fallen_places(turn, running), "fallen")
    number = 0
    while running:
        number += 1
        turn.dice.checkpoint(partial(_position, turn, running, number))
        busy = _busy(turn, running, number)
        for battle in running:
            _slip_away(battle)
        for battle in [c for c in running if not c.over]:
            if number > 1 and not in_touch(battle):
                battle.over, battle.touch_lost = True, True
                go_back(battle)
            else:
                _round(battle, busy)
        for battle in running:
            if battle.over and battle.winner == ATTACKER:
                if forced(battle, ATTACKER):
                    _leaving(turn, [battle], fallen)
                    battle.winner = None
                elif _falls(battle):
                    fallen[battle.place] = "fallen"
        _leaving(turn, [c for c in running if not c.over], fallen)
        for battle in running:
            if not battle.over:
                _check(battle)
            if battle.over:
                end_entry(battle)
                _land_bereft(battle)
                put_away_plan(battle)
        running = [c for c in running if not c.over]
        if number > MAX_ROUNDS:
            raise RuntimeError(f"a battle without end: {running[0].subject}")


def _land_bereft(battle: Battle) -> None:
    """Those who have fought on without the units that bore them go where they can end, now that the battle is
    over.
    """
    attacked = {o for o in battle.fought[DEFENDER] if o not in battle.fought[ATTACKER]}
    settle(battle.turn, battle.place, battle.fallen, None, attacked=attacked)


def fallen_places(turn: Turn, running: Sequence[Battle]) -> list[str]:
    """Places that have gone over before the first round, because nobody was there to fight for them."""
    rows = {c.row["falls"] for c in running if "falls" in c.row}
    if not rows:
        return []
    fought = {c.place for c in running}
    control = [turn.ruleset.row("capture", r) for r in sorted(rows)]
    return [
        p
        for p in sorted(turn.state.occupied_places())
        if p not in fought and any(takers_of(turn, r, p) for r in control)
    ]


def _falls(battle: Battle) -> bool:
    """Whether a place that the attackers have won goes over to them."""
    row = battle.row.get("falls")
    return row is None or bool(takers_of(battle.turn, battle.turn.ruleset.row("capture", row), battle.place))


def _position(turn: Turn, running: Sequence[Battle], number: int) -> str:
    """All that the rounds to come depend on, in one text: two moments with the same text have the same
    future.
    """
    parts = [turn.journal.step, turn.position()]
    for battle in running:
        words, row = battle.row.get("options", {}), battle.row
        counted = "most_rounds" in row
        for side in (ATTACKER, DEFENDER):
            ordered = order_options(battle, side).values()
            wants = "wants" in (leave_rule(battle, side) or {})
            counted = counted or any(wants or words.get("rounds") in options for options in ordered)
        recalled = [int(join["recall"].get("after", 1)) for join in row.get("joins", ()) if "recall" in join]
        late = 1 + max([battle.plan.last_special_round, *recalled]) if battle.plan is not None else number
        round_ = number if counted else min(number, late)
        parts += [
            battle.subject,
            str(round_),
            str(sorted(battle.virtual_left.items())),
            str(battle.lost),
            str(battle.calls_home),
            str(sorted(battle.lost_by_force.items())),
            str(sorted(set(battle.meets))),
            str(sorted(battle.gone)),
            str(sorted(battle.apart.items())),
            str(sorted(battle.fallen)),
        ]
    return "|".join(parts)


def _busy(turn: Turn, running: Sequence[Battle], number: int) -> dict[str, str]:
    """Where forces that act from their own place act in this round: upon their target, or, when they are
    recalled, at home.
    """
    attacked: dict[str, list[str]] = {}
    for battle in running:
        attacked.setdefault(battle.place, []).extend(sorted(battle.parties[ATTACKER].forces))
    out = {}
    for force, row in sorted(turn.state.table("forces").items()):
        if not row.get("stays") or not row.get("targets"):
            continue
        target = row["targets"][0]
        rule = _recall(running)
        elsewhere = [
            f
            for f in attacked.get(row["at"], ())
            if _recalls(turn, rule, f) and _came_from(turn, f) != target
        ]
        called = any(c.calls_home and c.place == row["at"] for c in running)
        recalled = called or (rule is not None and number > int(rule.get("after", 1)) and elsewhere)
        out[force] = row["at"] if recalled else target
    return out


def _came_from(turn: Turn, force: str) -> str:
    return str(next(iter((turn.state.get("forces", force, "path") or ())[-2:-1]), ""))


def _recalls(turn: Turn, rule: Row | None, force: str) -> bool:
    """Whether an attack by a force calls home those who act elsewhere: by any of its units that pass the
    rule's `by`.
    """
    return any(
        turn.world.test((rule or {}).get("by"), {"unit": Entity("unit", key)})
        for key, _ in stacks_of(turn.state, force)
    )


def _recall(running: Sequence[Battle]) -> Row | None:
    for battle in running:
        for join in battle.row.get("joins", ()):
            if "recall" in join:
                return dict(join["recall"])
    return None


def _round(battle: Battle, busy: dict[str, str]) -> None:
    """One round: dice, losses, what it uses up, all in one entry."""
    turn = battle.turn
    members = troops(battle, busy)
    battle.number += 1
    plan = compile_contest(battle, members)
    battle.note_who_fights(plan)
    dice = RealDice(streams(battle))
    rounds = Rounds(plan, dice, recorded=True)
    batch = start(plan)
    with turn.journal.entry(battle.rule, subject=battle.subject, audience=battle.audience) as entry:
        runner = EffectRunner(turn, entry, battle.rule, battle.subject)
        batch = rounds.fight(batch, battle.number)
        if turn.dice.onlooker is not None:
            turn.dice.onlooker.round(battle, plan, batch)
        over = bool(rounds.over(batch, battle.number)[0])
        lost = apply_losses.apply_losses(battle, plan, rounds.taken, runner)
        cargo = apply_losses.sink_cargo(battle, plan)
        apply_losses.spend(battle, plan, rounds.taken)
        if "cargo" in battle.row:
            notes = chain.from_iterable(lost.values())
            fallen_now = {(str(note["owner"]), str(note["kind"])) for note in notes if note["lost"]}
            battle.fallen |= fallen_now
            cargo += settle(turn, battle.place, fallen_now, entry, fighting={m.key for m in members})
        write_round(battle, entry, plan, rounds, dice, lost, cargo)
    standing = [bool(rounds.holding(batch, side)[0]) for side in (ATTACKER, DEFENDER)]
    if over and standing[0] and not standing[1] and not battle.calls_home and at_home(battle):
        battle.calls_home, over = True, False
    battle.over = over
    if over:
        battle.winner = last_standing(standing)


def _check(battle: Battle) -> None:
    """After withdrawals: is anybody left to fight?"""
    _, standing = outline_contest(battle, troops(battle, {}))
    if standing[0] and not standing[1] and at_home(battle):
        battle.calls_home = True
    elif not all(standing):
        battle.over = True
        battle.winner = last_standing(standing)


def _leaving(turn: Turn, battles: Sequence[Battle], fallen: dict[str, str]) -> None:
    """Those who leave after a round: in every battle first the one side, then the other if the first has not
    gone.
    """
    going: dict[int, list[Departure]] = {ATTACKER: [], DEFENDER: []}
    for battle in battles:
        both = battle.row.get("leave", {}).get("both")
        first = DEFENDER if both == "defender" else ATTACKER
        departures = leaving(battle, first)
        going[first] += departures
        if not departures or both == "both":
            going[1 - first] += leaving(battle, 1 - first)
    for side in (ATTACKER, DEFENDER):
        shut = dict(fallen)
        if side == DEFENDER:
            shut.update({departure.battle.place: "given up" for departure in going[side]})
        for departure in going[side]:
            battle, who = departure.battle, departure.who
            elsewhere = {place: why for place, why in shut.items() if place != battle.place}
            with turn.journal.entry(
                battle.rule, subject=battle.subject, audience=battle.audience, keep=False
            ) as entry:
                left = departure.leave(elsewhere, _fire_on_retreat(departure, entry))
                if left:
                    write_leave(battle, entry, side, left)
                    abandon(battle, side)
            held = [row for _, row in departure.movable()] if not left and who not in battle.stuck else []
            if held:
                stuck_entry(battle, side, who, elsewhere, held)


def _slip_away(battle: Battle) -> None:
    """Before a round those leave who may get out of the battle without a shot: the attackers decide first."""
    if "evade" not in battle.row:
        return
    for side in (ATTACKER, DEFENDER):
        for departure in list(slipping(battle, side)):
            with battle.turn.journal.entry(
                battle.rule, subject=battle.subject, audience=battle.audience, keep=False
            ) as entry:
                left = departure.leave({})
                if left:
                    write_leave(battle, entry, side, left)
    _check(battle)
    if battle.over:
        battle.winner = None


def _fire_on_retreat(departure: Departure, entry: Entry) -> Callable[[Sequence[str]], None] | None:
    """What shoots at those who leave, as the battle's row says (stages with `fire_on_retreat`); None if
    nothing does.
    """
    stages = departure.battle.row.get("stages", ())
    if any(stage.get("fire_on_retreat") == SIDES[departure.side] for stage in stages):
        return partial(_fire_on, departure, entry)
    return None


def _fire_on(departure: Departure, entry: Entry, going: Sequence[str]) -> None:
    """Those who stay shoot at stacks that leave."""
    turn, battle, side, who = departure.turn, departure.battle, departure.side, departure.who
    members = [m for m in troops(battle, {}) if m.side != side]
    force = who if "#" in who else ""
    members += [Troops(key, dict(turn.state.row("units", key)), side, "", force) for key in going]
    plan = compile_fire_on_retreat(battle, members)
    dice = RealDice(streams(battle, f"{who}:"))
    rounds = Rounds(plan, dice, recorded=True)
    after, _ = rounds.part(start(plan), side, np.ones(1, dtype=bool))
    if turn.dice.onlooker is not None:
        turn.dice.onlooker.leaving(battle, plan, after, side)
    runner = EffectRunner(turn, entry, battle.rule, battle.subject)
    lost = apply_losses.apply_losses(battle, plan, rounds.taken, runner)
    write_fire_on_retreat(battle, entry, plan, dice, lost)


__all__ = ["battle_now", "fallen_places", "fight_all", "fight_here", "run"]
