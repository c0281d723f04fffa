"""The law of the list of legal orders: whatever it gives stands by itself, and what stands without a condition is in it.

Both sides are asked of `understand`, and where the means change by the step of an order of the door itself: entries of the list
filled at random, and orders made of anything that their slots can hold. Places on the way of a move and other lists are no part of it, nor that ships stay where they are.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wteaw.orders import movement
from wteaw.orders.check import check
from wteaw.orders.input_points import orders_now
from wteaw.orders.kinds import OrderBook, understand
from wteaw.orders.legal import legal_orders
from wteaw.orders.legal_entry import Legal
from wteaw.orders.lookahead import at_its_step
from wteaw.ruleset.order_syntax import slot_of
from wteaw.turn.context import Order
from wteaw.turn.referee import waiting_seats
from wteaw.turn.validated_orders import Refusal
from wteaw.world.world import World

from .long_ones import but_long
from .random_games import SEEDS
from .test_law_orders import SCENARIOS, begun, guess

LISTED, GUESSED = 40, 200


def order_of(nation: str, key: str, slots: dict[str, Any]) -> Order:
    return {"nation": nation, "order": key, "slots": slots, "options": {}, "line": 1, "text": "1"}


def filled(world: World, legal: Legal, rng: random.Random) -> dict[str, Any]:
    """The slots of an entry of the list, with any of its numbers, units and targets."""
    declared = world.ruleset.row(*legal.order.split("/", 1)).get("slots", {})
    slots = dict(legal.slots)
    if "target" in declared and "target" not in slots and legal.targets:
        target = rng.choice(legal.targets)
        slots["target"] = [target] if slot_of("target", declared["target"]).many else target
    for name, shape in ((n, slot_of(n, d)) for n, d in declared.items()):
        if name in legal.bounds:
            low, high = legal.bounds[name]
            slots[name] = rng.choice([low, high, rng.randint(low, high)])
        elif shape.kind == "units" and name in slots:
            each = [kind for kind, n in slots[name].items() for _ in range(n)]
            some = rng.sample(
                each, rng.randint(1, min(legal.room.get(str(slots.get("target")), legal.most), len(each)))
            )
            slots[name] = {kind: some.count(kind) for kind in sorted(set(some))}
        elif shape.kind == "number" and name in slots:
            slots[name] = rng.randint(1, legal.most)
        elif name == "facing" and legal.targets:
            slots[name] = [rng.choice(legal.targets)] if shape.many else rng.choice(legal.targets)
    return slots


def anything(world: World, nation: str, key: str, rng: random.Random) -> dict[str, Any] | None:
    """Any filling of the slots that an order needs; units are such as stand there, targets more often than not near."""
    declared = world.ruleset.row(*key.split("/", 1)).get("slots", {})
    shapes = {n: slot_of(n, d) for n, d in declared.items()}
    needed = {
        n: s for n, s in shapes.items() if not s.optional and not (s.many and key.startswith("orders/"))
    }
    slots = {n: guess(world, nation, s, rng) for n, s in needed.items()}
    if movement.UNITS in slots and (
        here := movement.free_units(world, nation, str(slots.get(movement.ORIGIN)))
    ):
        kind = rng.choice(sorted(here))
        slots[movement.UNITS] = {kind: rng.randint(1, here[kind])}
        if movement.TARGET in slots and rng.random() < 0.8:
            slots[movement.TARGET] = rng.choice(
                sorted(world.geography.next_to(str(slots[movement.ORIGIN]))) or [slots[movement.TARGET]]
            )
    return None if any(value is None for value in slots.values()) else slots


def lists(legal: Legal, slots: dict[str, Any]) -> bool:
    """Whether an entry of the list stands for an order with these slots, among others."""

    def within(name: str, value: Any) -> bool:
        listed = legal.slots.get(name)
        if name in legal.open:
            return True
        if name in legal.bounds:
            return bool(legal.bounds[name][0] <= value <= legal.bounds[name][1])
        if isinstance(listed, dict):
            most = legal.room.get(str(slots.get("target")))
            return (most is None or sum(value.values()) <= most) and all(
                n <= listed.get(kind, 0) for kind, n in value.items()
            )
        if isinstance(listed, int):
            return bool(value <= listed)
        return value == listed if name in legal.slots else {value} <= set(legal.targets)

    return all(within(name, value[0] if isinstance(value, list) else value) for name, value in slots.items())


def broken(name: str, turn: int, later: int, seed: int) -> Iterator[str]:
    """Where the list and the understanding of orders differ, for one nation."""
    ruleset, geography, here = begun(name, turn, later)
    rng = random.Random(seed)
    seats = waiting_seats(ruleset, here)
    nation = rng.choice([n for n in seats if here.state.stacks(owner=n)] or seats)
    world = World(ruleset, here.state.copy(), moments=here.moments, geography=geography)
    now = orders_now(world)
    of: dict[str, list[Legal]] = defaultdict(list)
    for legal in legal_orders(world, nation):
        of[legal.order].append(legal)
    closed = [legal for those in of.values() for legal in those if not legal.open]
    for legal in rng.sample(closed, min(LISTED, len(closed))):
        slots = filled(world, legal, rng)
        found = understand(OrderBook(world, nation), order_of(nation, legal.order, slots), now)
        if isinstance(found, Refusal):
            yield f"{nation}: {legal.order} {slots} is listed, and refused: {found.text}"
    taken = [
        f"{f}/{i}" for f in ("actions", "orders") for i in ruleset.rows(f) if now is None or f"{f}/{i}" in now
    ]
    for _ in range(GUESSED if taken else 0):
        key = rng.choice(taken)
        guessed = anything(world, nation, key, rng)
        if guessed is None:
            continue
        if movement.ORIGIN in guessed and guessed[movement.ORIGIN] == guessed.get(movement.TARGET):
            continue
        found = understand(OrderBook(world, nation), order_of(nation, key, guessed), now)
        if isinstance(found, Refusal) or found.intent.conditions:
            continue
        if not any(lists(legal, guessed) for legal in of[key]):
            yield f"{nation}: {key} {guessed} stands, and is not listed"


def broken_at_the_door(name: str, turn: int, seed: int) -> Iterator[str]:
    """Where the lists at the steps to which a nation comes with other means differ from what the door takes, for one nation."""
    ruleset, geography, here = begun(name, turn)
    rng = random.Random(seed)
    nation = rng.choice(waiting_seats(ruleset, here))
    state = here.state.copy()
    for purse, row in list(state.table("treasuries").items()):
        for what in row if purse.partition("/")[0] == nation else ():
            state.put("treasuries", purse, what, rng.choice([0, 1, 2, 5, 20]))
    world = World(ruleset, state, moments=here.moments, geography=geography)
    now = orders_now(world)
    every = [
        f"{f}/{i}" for f in ("actions", "orders") for i in ruleset.rows(f) if now is None or f"{f}/{i}" in now
    ]
    taken = [key for key in every if at_its_step(world, nation, key) is not world]
    of = {key: list(legal_orders(at_its_step(world, nation, key), nation, [key])) for key in taken}
    closed = [legal for those in of.values() for legal in those if not legal.open]
    for legal in rng.sample(closed, min(LISTED, len(closed))):
        slots = filled(world, legal, rng)
        if found := [
            d.message for d in check(world, nation, [order_of(nation, legal.order, slots)]).found if d.line
        ]:
            yield f"{nation}: {legal.order} {slots} is listed, and the door says: {found}"
    for _ in range(GUESSED if taken else 0):
        key = rng.choice(taken)
        guessed = anything(world, nation, key, rng)
        if guessed is None or guessed.get(movement.ORIGIN, "") == guessed.get(movement.TARGET):
            continue
        found = check(world, nation, [order_of(nation, key, guessed)]).intents
        if found and not found[0].conditions and not any(lists(legal, guessed) for legal in of[key]):
            yield f"{nation}: {key} {guessed} stands, and is not listed"


@pytest.mark.parametrize(
    "name",
    but_long(("third-edition-1914", "alliances-6", "no-mans-land", "empire-orders"), "third-edition-1914"),
)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=SEEDS, turn=st.integers(1, 2))
def test_what_comes_in_or_is_paid_before_an_order_is_reckoned_with(name: str, seed: int, turn: int) -> None:
    assert list(broken_at_the_door(name, turn, seed)) == []


@pytest.mark.parametrize("name", SCENARIOS)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=SEEDS, turn=st.integers(1, 2), later=st.integers(0, 2))
def test_what_is_listed_stands_and_what_stands_is_listed(name: str, seed: int, turn: int, later: int) -> None:
    """At the first input point of a turn, or at one that comes later."""
    assert list(broken(name, turn, later, seed)) == []
