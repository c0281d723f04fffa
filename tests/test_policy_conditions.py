"""The conditions under which a policy attacks: what its row says of the units that go in, where the order takes them."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.model import Ruleset
from wteaw.world.world import World

from .test_policy import MOVE, WAR, dice, position, rules

WITHDRAW = {
    "id": "withdraw",
    "syntax": "withdraw above {n} losses",
    "slots": {"n": {"kind": "number", "least": 0}},
}
LAND = {"id": "walk", "steps": 1, "stays": "gun"}


def war(*options: str) -> Ruleset:
    """Red attacks from c what blue holds in d; guns fire from behind, and one stays. The order takes these options."""
    policy = {
        "war": {**WAR, "mass": 99, "takes": "foot", "behind": 1, "conditions": {"withdraw": "=2 * n // 3"}}
    }
    order = {**MOVE, "options": list(options)}
    return rules(policy, orders=[order], order_options=[WITHDRAW], movement=[LAND])


def attacks(ruleset: Ruleset, foot: int, guns: int) -> list[tuple[Any, Any]]:
    state = position(("red", "foot", "c", foot + 1), ("red", "gun", "c", guns), ("blue", "foot", "d", 1))
    found = plan(World(ruleset, state), "red", dice())
    return [(o["slots"]["units"], o["options"]) for o in found if o["slots"]["target"] == "d"]


@pytest.mark.parametrize(("foot", "most"), [(3, 2), (4, 2), (6, 4)])
def test_an_attack_is_broken_off_when_too_many_of_those_who_go_in_are_lost(foot: int, most: int) -> None:
    ((units, options),) = attacks(war("withdraw"), foot, 3)
    assert units == {"foot": foot, "gun": 3} and options == {"withdraw": most}


def test_an_order_that_takes_no_such_condition_has_none() -> None:
    assert [options for _, options in attacks(war(), 6, 3)] == [{}]
