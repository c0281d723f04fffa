"""The odds of orders as written are those of the battle that the referee fights: the same moves, parties and conditions.

Law: over random positions and orders of the 1914 game, turns resolved with many different dice agree with the odds within four
standard errors: orders for land and sea, with conditions of their own, with what enemies and allies are expected to order.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from math import sqrt
from typing import Any

import pytest

from wteaw.core.dice import KeyedDice
from wteaw.core.package_data import scenarios
from wteaw.core.state import pair_key, unit_key
from wteaw.odds.as_written import NoBattle, Written, as_written
from wteaw.odds.resolved import numbers
from wteaw.orders.check import check
from wteaw.orders.legal import legal_orders
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.turn.referee import Inputs, Position, resolve, start
from wteaw.world import routes
from wteaw.world.geography import Geography
from wteaw.world.world import World

from .long_ones import LONG
from .world1914 import loaded, played

pytestmark = LONG

PLAYS = 60
TRIALS = 150
AFTER_THE_BATTLES = "plunder"
NONE: dict[str, Any] = {}
CONDITIONS: list[dict[str, Any]] = [
    NONE, {"withdraw-after": 1}, {"withdraw-after": 2}, {"withdraw-above": 0}, {"withdraw-above": 1},
    {"withdraw-unless": {"kills": 1, "left": 1}}, {"loss-order": ["artillery", "infantry"]},
]  # fmt: skip
Orders = list[dict[str, Any]]
Drawn = tuple[str, str, Orders]
"""Who asks, the place ("": anywhere), the orders of everybody."""


def here() -> Position:
    return played(1)[-1].position


@pytest.fixture(scope="module")
def world() -> World:
    _, rules, geography = loaded()
    return World(rules, here().state, moments=here().moments, geography=geography)


def order(
    nation: str, units: dict[str, int], origin: str, target: str, options: dict[str, Any], row: str = "move"
) -> dict[str, Any]:
    slots = {"units": units, "origin": origin, "target": target}
    return {
        "nation": nation,
        "order": f"orders/{row}",
        "slots": slots,
        "options": options,
        "text": "",
        "line": 1,
    }


def resolved(world: World, orders: Orders, seed: int) -> dict[tuple[str, str], int]:
    """The units of everybody once the whole turn has been resolved up to the end of its battles."""
    _, rules, geography = loaded()
    given: dict[str, Orders] = {}
    for each in orders:
        given.setdefault(each["nation"], []).append(each)
    dice = KeyedDice((seed + 1000).to_bytes(32, "big"), here().turn)
    done = resolve(
        rules,
        replace(here(), state=world.state),
        Inputs(given),
        dice,
        geography=geography,
        until=AFTER_THE_BATTLES,
    )
    return numbers(done.position.state)


def agrees(
    world: World,
    drawn: Drawn,
    written: Written,
    by: Callable[[World, Orders, int], dict[tuple[str, str], int]] = resolved,
) -> None:
    """Mean losses of every kind on either side, as resolved and as said, within four standard errors of both."""
    nation, place, orders = drawn
    said, _ = written.odds(trials=TRIALS if written.question is None else 0, most=None)
    before = numbers(world.state)
    lost = [by(world, orders, seed) for seed in range(PLAYS)]
    for side in said.each.values():
        for owner, kinds in side.items():
            for kind, chances in kinds.items():
                mean = sum(n * p for n, p in enumerate(chances))
                spread = sqrt(max(0.0, sum((n - mean) ** 2 * p for n, p in enumerate(chances))))
                error = spread * sqrt(1 / PLAYS + (1 / said.trials if said.trials else 0))
                got = sum(before.get((owner, kind), 0) - end.get((owner, kind), 0) for end in lost) / PLAYS
                about = f"{nation} at {place}: {owner} {kind}: said {mean:.3f} +- {error:.3f}, resolved {got:.3f}; {orders}"
                assert abs(got - mean) <= 4 * error + 1e-9, about


def free(world: World, nation: str, place: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for _, row in routes.free_stacks(world, nation, place):
        if row["kind"] in ("infantry", "artillery"):
            found[row["kind"]] = min(4, found.get(row["kind"], 0) + int(row["n"]))
    return found if "infantry" in found else {}


def attacks(world: World, chance: random.Random) -> Drawn:
    """A nation, a place that it may attack over one or two borders, and its orders, each with conditions of its own."""
    while True:
        nation = chance.choice([n for n in world.nations() if world.state.stacks(owner=n)])
        target = chance.choice(sorted(world.ruleset.rows("places")))
        if routes.place_kind(world, target) != "land" or not world.enemies_at(nation, target):
            continue
        starts = [o for o in world.geography.next_to(target, ("land",)) if free(world, nation, o)][:2]
        orders = [order(nation, free(world, nation, o), o, target, chance.choice(CONDITIONS)) for o in starts]
        if orders and sum(r["n"] for _, r in world.state.stacks(at=target)) <= 12:
            return nation, target, orders


def against(world: World, chance: random.Random) -> Drawn:
    """The same, and an enemy in the place attacks over the same border."""
    while True:
        nation, target, orders = attacks(world, chance)
        for enemy in sorted(world.enemies_at(nation, target)):
            units = free(world, enemy, target)
            if units:
                back = order(enemy, units, target, orders[0]["slots"]["origin"], chance.choice(CONDITIONS))
                return nation, target, [*orders[:1], back]


def guns_called_home(world: World, chance: random.Random) -> Drawn:
    """Artillery fires over a border from a place that an enemy attacks over another one, too."""
    while True:
        nation, target, orders = attacks(world, chance)
        origin = orders[0]["slots"]["origin"]
        if "artillery" not in orders[0]["slots"]["units"]:
            continue
        for near in world.geography.next_to(origin, ("land",)):
            for enemy in sorted(world.enemies_at(nation, near)) if near != target else ():
                if units := free(world, enemy, near):
                    return nation, target, [orders[0], order(enemy, units, near, origin, NONE)]


def at_sea(world: World, chance: random.Random) -> Drawn:
    """A fleet sails to where enemies may be found, with a task."""
    while True:
        nation = chance.choice([n for n in world.nations() if world.state.stacks(owner=n)])
        starts = sorted({row["place"] for _, row in world.state.stacks(owner=nation)})
        origin = chance.choice([p for p in starts if routes.place_kind(world, p) == "sea"] or [""])
        ships: dict[str, int] = {}
        for _, row in routes.free_stacks(world, nation, origin) if origin else ():
            ships[row["kind"]] = min(3, ships.get(row["kind"], 0) + int(row["n"]))
        ships = (
            dict([chance.choice(sorted(ships.items()))]) if ships else {}
        )  # of one kind: not every kind may do every task
        near = (
            [p for p in world.geography.next_to(origin, ("sea",)) if world.enemies_at(nation, p)]
            if ships
            else []
        )
        for target in near:
            sail = order(nation, ships, origin, target, {}, "sail")
            sail["slots"]["tasks"] = [chance.choice(["move", "patrol"])]
            if orders := check(world, nation, [sail]).orders:
                return nation, target, [{**orders[0], "nation": nation}]


def first_of(
    world: World, draw: Callable[[World, random.Random], Drawn], chance: random.Random
) -> tuple[Drawn, Written]:
    """The first orders drawn that lead to a battle."""
    for _ in range(500):
        nation, place, orders = drawn = draw(world, chance)
        with suppress(NoBattle):
            written = as_written(world, nation, orders, place)
            if written.question is None:
                written.odds(trials=3)
            return drawn, written
    raise AssertionError("nobody's orders lead to a battle in this position")


@pytest.mark.parametrize("seed", range(2))
def test_over_random_positions_and_orders(world: World, seed: int) -> None:
    drawn, written = first_of(world, attacks, random.Random(seed))
    assert written.question is not None, "one battle, of which the plan says all"
    agrees(world, drawn, written)


@pytest.mark.parametrize("draw", [against, guns_called_home, at_sea])
def test_with_what_others_do_and_what_must_be_found(world: World, draw: Callable[..., Drawn]) -> None:
    """Meetings on the way, units that are called home, contacts at sea: the resolution itself is asked."""
    drawn, written = first_of(world, draw, random.Random(7))
    assert written.question is None
    agrees(world, drawn, written)


def test_rivals_for_one_place_fight_first(world: World) -> None:
    """Two who are no allies any more attack a third: whoever asks has to beat both."""
    apart = World(world.ruleset, world.state.copy(), moments=world.moments, geography=world.geography)
    one, other, place, orders = _together(world)
    apart.state.put("relations", pair_key(one, other), "stance", "war")
    written = as_written(apart, one, orders, place)
    assert written.question is None
    agrees(apart, (one, place, orders), written)


def _together(world: World) -> tuple[str, str, str, Orders]:
    """Two allies, a place that both may attack, and their orders."""
    for target in sorted(world.ruleset.rows("places")):
        coming: dict[str, dict[str, Any]] = {}
        for origin in (
            world.geography.next_to(target, ("land",)) if routes.place_kind(world, target) == "land" else ()
        ):
            for nation in sorted(world.state.owners_at(origin)):
                if world.enemies_at(nation, target) and (units := free(world, nation, origin)):
                    coming.setdefault(nation, order(nation, units, origin, target, NONE))
        for one, other in combinations(coming, 2):
            if world.allied(one, other):
                return one, other, target, [coming[one], coming[other]]
    raise AssertionError("nobody has an ally beside whom they may attack")


def test_two_forces_that_attack_together_leave_apart(world: World) -> None:
    """One goes after the first loss, the other fights to the end."""

    def two(world: World, chance: random.Random) -> Drawn:
        while True:
            nation, target, orders = attacks(world, chance)
            if len(orders) == 2:
                orders[0]["options"], orders[1]["options"] = {"withdraw-above": 0}, {}
                return nation, target, orders

    chance = random.Random(3)
    while True:
        drawn, written = first_of(world, two, chance)
        if written.question is not None and written.question.limits.get(0):
            break
    (by,) = [limits["by"] for limits in written.question.limits.values()]
    assert list(by.values()) == [{"losses": 0}]
    agrees(world, drawn, written)


def tokens(chance: random.Random) -> tuple[World, Drawn, Position]:
    """A march into an enemy's region where both have troops at random, and their answer after how many rounds they give it up."""
    scenario, rules, _ = load_scenario(scenarios() / "alliances-6.yaml")
    assert scenario is not None and rules is not None
    state = initial_state(rules, scenario)
    mine, theirs = chance.choice([("w-germany", "n-france"), ("n-france", "w-germany")])
    (one,), (other,) = state.owners_at(mine), state.owners_at(theirs)
    for nation, place in ((one, mine), (other, theirs)):
        for kind in ("infantry", "artillery"):
            if n := chance.randint(kind == "infantry", 4):
                state.put(
                    "units",
                    unit_key(nation, kind, place),
                    "*",
                    {"owner": nation, "kind": kind, "place": place, "n": n},
                )
    state.put(
        "under_way", f"{one}#0001", "*", {"nation": one, "what": "move-token", "at": mine, "n": 1, "since": 1}
    )
    if rounds := chance.randint(0, 3):
        state.put("answers", other, f"hold-out/{theirs}", rounds)
    geography = Geography(rules)
    first = start(rules, state, KeyedDice(bytes(32), 1), geography=geography).position
    there = resolve(rules, first, Inputs(), KeyedDice(bytes(32), 1), geography=geography).position
    world = World(rules, there.state, moments=there.moments, geography=geography)
    goes = max(
        (e for e in legal_orders(world, one) if theirs in e.targets),
        key=lambda e: sum(e.slots["units"].values()),
    )
    key = goes.order.removeprefix("orders/")
    return (
        world,
        (one, theirs, [order(one, goes.slots["units"], mine, theirs, chance.choice(CONDITIONS[:3]), key)]),
        there,
    )


@pytest.mark.parametrize("seed", range(2))
def test_with_a_decision_to_give_a_place_up(seed: int) -> None:
    """What the defender has answered (`wants` of their rule of leaving) is followed, round by round."""
    world, drawn, there = tokens(random.Random(seed))
    nation, place, orders = drawn

    def fought(world: World, orders: Orders, seed: int) -> dict[tuple[str, str], int]:
        dice = KeyedDice((seed + 1000).to_bytes(32, "big"), there.turn, marks=there.marks)
        inputs = Inputs({nation: orders})
        done = resolve(world.ruleset, there, inputs, dice, geography=world.geography, until="token-spent")
        return numbers(done.position.state)

    written = as_written(world, nation, orders, place)
    (other,) = world.state.owners_at(place)
    rounds = world.state.get("answers", other, f"hold-out/{place}")
    assert rounds is None or written.odds(trials=TRIALS)[0].rounds <= rounds
    agrees(world, drawn, written, fought)


def test_the_world_that_is_asked_stays_as_it_is(world: World) -> None:
    before = world.state.hash()
    nation, target, orders = attacks(world, random.Random(1))
    with suppress(NoBattle):
        as_written(world, nation, orders, target, {("france", "infantry"): 2})
    assert world.state.hash() == before


def test_orders_that_lead_nowhere_say_why(world: World) -> None:
    with pytest.raises(NoBattle, match=r"not carried out|nobody"):
        as_written(
            world, "german-empire", [order("german-empire", {"tank": 900}, "berlin", "paris", {})], "paris"
        )
