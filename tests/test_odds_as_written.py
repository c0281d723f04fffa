"""The odds of orders as written are those of the battle that the referee fights: the same moves, parties and conditions.

Law: over random positions and orders of the 1914 game, resolutions with many different dice agree with the odds within four
standard errors.
"""

from __future__ import annotations

import random
from contextlib import suppress
from math import sqrt
from typing import Any

import pytest

from wteaw.battle import fight
from wteaw.battle.odds import odds
from wteaw.battle.odds.as_written import NoBattle, as_written, carried_out
from wteaw.core.dice import KeyedDice
from wteaw.core.state import State
from wteaw.turn.frame import steps
from wteaw.world import routes
from wteaw.world.world import World

from .world1914 import loaded, played

PLAYS = 60
Counts = dict[tuple[str, str], int]
NONE: dict[str, Any] = {}
CONDITIONS: list[dict[str, Any]] = [
    NONE, {"withdraw-after": 1}, {"withdraw-after": 2}, {"withdraw-above": 0}, {"withdraw-above": 1},
    {"withdraw-unless": {"kills": 1, "left": 1}}, {"loss-order": ["artillery", "infantry"]},
]  # fmt: skip


def counts(state: State) -> Counts:
    out: Counts = {}
    for _, row in state.stacks():
        key = (row["owner"], row["kind"])
        out[key] = out.get(key, 0) + row["n"]
    return out


def order(nation: str, units: dict[str, int], origin: str, target: str, options: dict[str, Any]) -> dict[str, Any]:
    slots = {"units": units, "origin": origin, "target": target}
    return {"nation": nation, "order": "orders/move", "slots": slots, "options": options, "text": "", "line": 1}


def fought(world: World, nation: str, orders: list[dict[str, Any]], seed: int) -> Counts:
    """The units of everybody after the moves and the battles that the frame fights then."""
    turn = carried_out(world, nation, orders, seed=seed)
    turn.dice = KeyedDice((seed + 1000).to_bytes(32, "big"), 1)
    for node in steps(turn.ruleset.frame):
        if node["do"] == "fight" and "land" in node["battles"]:
            turn.journal.step = str(node["step"])
            fight.run(node, turn)
    return counts(turn.state)


def agrees(world: World, nation: str, orders: list[dict[str, Any]], place: str) -> None:
    """Mean losses of every kind on either side, as fought and as said, within four standard errors."""
    after, question = as_written(world, nation, orders, place)
    said = odds(after, question, most=None)
    before = counts(world.state)
    lost = [fought(world, nation, orders, seed) for seed in range(PLAYS)]
    for side in said.each.values():
        for owner, kinds in side.items():
            for kind, chances in kinds.items():
                mean = sum(n * p for n, p in enumerate(chances))
                spread = sqrt(max(0.0, sum((n - mean) ** 2 * p for n, p in enumerate(chances))))
                seen = [before[owner, kind] - end.get((owner, kind), 0) for end in lost]
                got = sum(seen) / PLAYS
                about = f"{place}: {owner} {kind}: said {mean:.3f} +- {spread:.3f}, fought {got:.3f}; {question.limits}"
                assert abs(got - mean) <= 4 * spread / sqrt(PLAYS) + 1e-9, about


@pytest.fixture(scope="module")
def world() -> World:
    here = played(2)[-1].position
    _, rules, geography = loaded()
    return World(rules, here.state, moments=here.moments, geography=geography)


def attacks(world: World, chance: random.Random) -> tuple[str, str, list[dict[str, Any]]]:
    """A nation, a place that it may attack over one or two borders, and its orders, each with conditions of its own."""
    while True:
        nation = chance.choice([n for n in world.nations() if world.state.stacks(owner=n)])
        target = chance.choice(sorted(world.ruleset.rows("places")))
        if routes.place_kind(world, target) != "land" or not world.enemies_at(nation, target):
            continue
        orders = []
        for origin in world.geography.next_to(target, ("land",)):
            free = [r for _, r in routes.free_stacks(world, nation, origin) if r["kind"] in ("infantry", "artillery")]
            units = {r["kind"]: min(4, int(r["n"])) for r in free}
            if "infantry" in units and len(orders) < 2:
                orders.append(order(nation, units, origin, target, chance.choice(CONDITIONS)))
        if orders and sum(r["n"] for _, r in world.state.stacks(at=target)) <= 12:
            return nation, target, orders


@pytest.mark.parametrize("seed", range(5))
def test_over_random_positions_and_orders(world: World, seed: int) -> None:
    chance = random.Random(seed)
    while True:
        nation, target, orders = attacks(world, chance)
        try:
            as_written(world, nation, orders, target)
        except NoBattle:
            continue
        return agrees(world, nation, orders, target)


def test_two_forces_that_attack_together_leave_apart(world: World) -> None:
    """One goes after the first loss, the other fights to the end."""
    chance = random.Random(3)
    while True:
        nation, target, orders = attacks(world, chance)
        if len(orders) == 2 and len({o["slots"]["origin"] for o in orders}) == 2:
            orders[0]["options"], orders[1]["options"] = {"withdraw-above": 0}, {}
            try:
                _, question = as_written(world, nation, orders, target)
            except NoBattle:
                continue
            if question.limits.get(0):
                break
    (by,) = [limits["by"] for limits in question.limits.values()]
    assert list(by.values()) == [{"losses": 0}]
    agrees(world, nation, orders, target)


def test_the_world_that_is_asked_stays_as_it_is(world: World) -> None:
    before = world.state.hash()
    nation, target, orders = attacks(world, random.Random(1))
    with suppress(NoBattle):
        as_written(world, nation, orders, target, {("france", "infantry"): 2})
    assert world.state.hash() == before


def test_orders_that_lead_nowhere_say_why(world: World) -> None:
    with pytest.raises(NoBattle, match=r"not carried out|nobody"):
        as_written(world, "german-empire", [order("german-empire", {"tank": 900}, "berlin", "paris", {})], "paris")
