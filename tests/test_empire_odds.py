"""The odds of the written-orders empire's combats are those of the referee: the same row, the same modifiers, the same throws again.

Law: over positions of every tech level, with guns, generals, ships, support and trenches, the mean losses as fought with many
different dice agree with the odds within four standard errors; sampled odds agree with exact ones.
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import pytest

from wteaw.cli.game import read_scenario
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
from wteaw.core.state import State, unit_key
from wteaw.odds import odds
from wteaw.odds.as_written import as_written
from wteaw.odds.ask import Question
from wteaw.odds.resolved import TurnSnapshot, numbers
from wteaw.orders.intake import take_in
from wteaw.orders.odds_question import Composer
from wteaw.play.scenario import initial_state
from wteaw.world.world import World

PLAYS = 120
Stack = tuple[str, str, str, int, dict[str, object]]
HELD: dict[str, object] = {"halted": True}

CASES: dict[str, tuple[int, int, list[Stack], list[str]]] = {
    "plain": (3, 2, [("aster", "infantry", "a4", 4, {}), ("borea", "infantry", "b3", 4, {})], ["invade b3 with 4 infantry from a4"]),
    "general of level 1": (
        1, 3, [("aster", "infantry", "a4", 5, {}), ("aster", "general", "a4", 1, {}), ("borea", "infantry", "b3", 2, {})],
        ["invade b3 with 5 infantry, 1 general from a4"],
    ),
    "generals on both sides": (
        3, 2, [("aster", "infantry", "a4", 3, {}), ("aster", "general", "a4", 1, {}), ("borea", "infantry", "b3", 6, HELD),
               ("borea", "general", "b3", 1, HELD)],
        ["invade b3 with 3 infantry, 1 general from a4"],
    ),
    "a general of level 5 throws a die for all": (
        5, 4, [("aster", "infantry", "a4", 2, {}), ("aster", "general", "a4", 1, {}), ("borea", "infantry", "b3", 4, {})],
        ["invade b3 with 2 infantry, 1 general from a4"],
    ),
    "guns, a ship and hunger": (
        3, 3, [("aster", "infantry", "a4", 3, {"penalty": 2}), ("aster", "artillery", "a4", 3, {}),
               ("aster", "warship", "cold-sea", 1, {"hull": 1, "level": 2}), ("borea", "infantry", "b3", 4, {}),
               ("borea", "conscript", "b3", 2, {}), ("borea", "artillery", "b3", 1, {})],
        ["invade b3 with 3 infantry, 3 artillery from a4", "support-coast b3 with ship 1"],
    ),
}  # fmt: skip


@cache
def loaded() -> tuple[Ruleset, State]:
    data, rules, _ = read_scenario(str(scenarios() / "empire-orders.yaml"))
    return rules, initial_state(rules, data)


def position(levels: tuple[int, int], stacks: list[Stack]) -> World:
    rules, start = loaded()
    state = start.copy()
    for key in list(state.table("units")):
        state.put("units", key, "*", None)
    for nation, level in zip(("aster", "borea"), levels, strict=True):
        state.put("nations", nation, "tech_level", level)
    state.put("relations", "aster--borea", "stance", "war")
    world = World(rules, state)
    for owner, kind, place, n, extra in stacks:
        row = {"owner": owner, "kind": kind, "place": place, "n": n, **extra}
        state.put("units", unit_key(owner, kind, place, extra), "*", row)
    return world


@pytest.mark.parametrize("name", CASES)
def test_mean_losses_are_as_said(name: str) -> None:
    mine, theirs, stacks, lines = CASES[name]
    world = position((mine, theirs), stacks)
    taken = take_in(world.ruleset, "\n".join(lines), lambda _: world, nation="aster")
    assert taken.clean, taken.found
    orders = [dict(o) for o in taken.orders]
    written = as_written(world, "aster", orders, "b3")
    assert written.question is not None, "one battle, whose plan says the whole of it"
    said = odds(written.world, written.question, most=None)
    tried = odds(written.world, written.question, trials=40_000, seed=3)
    assert sum(said.losses["defender"]) == pytest.approx(1)
    for side in ("attacker", "defender"):
        for n, chance in enumerate(tried.losses[side]):
            assert chance == pytest.approx(
                said.losses[side][n] if n < len(said.losses[side]) else 0, abs=0.015
            )
    fought = [_fought(written.moment, seed) for seed in range(PLAYS)]
    for side, whose in (("attacker", "aster"), ("defender", "borea")):
        lost = [plays[whose] for plays in fought]
        mean = sum(n * p for n, p in enumerate(said.losses[side]))
        spread = sqrt(sum((n - mean) ** 2 * p for n, p in enumerate(said.losses[side])))
        assert abs(sum(lost) / PLAYS - mean) <= 4 * spread / sqrt(PLAYS) + 1e-9, (
            name,
            side,
            mean,
            sum(lost) / PLAYS,
        )


def _fought(moment: TurnSnapshot, seed: int) -> dict[str, int]:
    """How many units of each nation a resolution with these dice costs."""
    before, after = numbers(moment.before), numbers(moment.resolved(seed.to_bytes(32, "big")).state)
    out: dict[str, int] = {"aster": 0, "borea": 0}
    for key, n in before.items():
        out[key[0]] += n - after.get(key, 0)
    return out


def test_a_question_in_words_is_the_battle_of_the_orders() -> None:
    """Units named from a border fight with the same modifiers as if they had been ordered to."""
    world = position((3, 2), CASES["plain"][2])
    composer = Composer(world)
    taken = take_in(world.ruleset, "invade b3 with 4 infantry from a4", lambda _: world, nation="aster")
    written = as_written(world, "aster", [dict(o) for o in taken.orders], "b3")
    assert written.question is not None
    asked = composer.force(["Aster from a4: 4 infantry"], 0, "b3")
    question = composer.settled(
        Question("", asked, composer.force(["Borea: 4 infantry [does entrench]"], 1), "b3")
    )
    assert question.battle == written.question.battle
    one, other = odds(composer.world, question), odds(written.world, written.question)
    for side in ("attacker", "defender"):
        assert one.losses[side] == pytest.approx(other.losses[side])
