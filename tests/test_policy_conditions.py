"""The conditions under which a policy attacks: what its row says of the units that go in, where the order takes them."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.faults import RuleError
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


# ---- what is written at slots and as conditions, of whatever kind

STAY: dict[str, Any] = {
    "id": "stay",
    "syntax": "stay in {place} [on {task}]",
    "slots": {"place": "place", "task": {"kind": "choice", "choices": ["guard", "rest"], "optional": True}},
    "step": "march",
    "options": ["lose", "for", "leave", "back"],
}
OPTIONS = [
    {
        "id": "lose",
        "syntax": "lose {kinds} first",
        "slots": {"kinds": {"kind": "unit-kind", "many": True}},
    },
    {"id": "for", "syntax": "for {nation}"},
    {
        "id": "leave",
        "syntax": "leave after {kills} kills, {left} left",
        "slots": {"kills": "number", "left": "number"},
    },
    {"id": "back", "syntax": "go back"},
    {"id": "fly", "syntax": "fly"},
]
HELD: dict[str, Any] = {"order": "stay", "each": "place", "among": {"place": "places(id='c')"}}


def held(**more: Any) -> list[tuple[Any, Any]]:
    """The slots and conditions with which red stays in c, where two foot and a gun are; a foot costs 2, a gun 3."""
    policy = {"orders": [{**HELD, **more}]}
    ruleset = rules(policy, orders=[MOVE, STAY], order_options=OPTIONS)
    state = position(("red", "gun", "c", 1), ("red", "foot", "c", 2), ("blue", "foot", "d", 1))
    found = plan(World(ruleset, state), "red", dice())
    return [(o["slots"], o["options"]) for o in found if o["order"] == "orders/stay"]


@pytest.mark.parametrize(
    ("task", "written"),
    [
        ("guard", {"task": "guard"}),
        ("='rest' if count(units(at=place)) == 3 else 'guard'", {"task": "rest"}),
        ("=set_of('rest', 'guard')", {"task": "rest"}),
        ("=first(nations(id='nobody'))", {}),
    ],
)
def test_a_word_of_a_choice_is_one_that_the_row_or_its_expression_says(task: str, written: Any) -> None:
    assert held(slots={"task": task}) == [({"place": "c", **written}, {})]


def test_a_word_that_is_none_of_the_choices_is_told() -> None:
    with pytest.raises(RuleError, match="'task' is guard or rest, and this gives Red"):
        held(slots={"task": "=self.name"})


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (["gun", "foot", "gun"], ["gun", "foot", "gun"]),  # as it stands, a kind twice, too
        ("=in_order(units(at=place, owner=self), 'attack')", ["foot", "gun"]),
        (["=in_order(units(at=place, owner=self), 'defense')", "foot"], ["gun", "foot", "foot"]),
        ("=where(units(at=place, owner=self), 'kind', 'gun')", ["gun"]),
    ],
)
def test_a_list_is_in_the_order_of_preference(said: Any, written: Any) -> None:
    """A foot attacks with 2 and defends with 3, a gun with 3 and 1. Of units each kind stands there once."""
    assert held(conditions={"lose": said}) == [({"place": "c"}, {"lose": written})]


def test_without_anything_to_write_there_is_no_such_condition() -> None:
    assert held(
        conditions={"lose": "=units(at=place, owner='blue')", "for": "=first(nations(id='nobody'))"}
    ) == [({"place": "c"}, {})]


def test_conditions_of_several_slots_of_none_and_such_as_the_order_does_not_take() -> None:
    wanted = {
        "leave": {"kills": "=count(units(at=place))", "left": 1},
        "back": True,
        "for": "=self",
        "fly": True,
    }
    assert held(conditions=wanted) == [
        ({"place": "c"}, {"leave": {"kills": 3, "left": 1}, "back": True, "for": "red"})
    ]


def test_attacks_carry_lists_and_names_too() -> None:
    """What stands where the attack begins may be asked."""
    policy = {
        "war": {
            **WAR,
            "mass": 99,
            "takes": "foot",
            "conditions": {"lose": "=in_order(units(at=origin, owner=self), 'defense')", "for": "=self"},
        }
    }
    order = {**MOVE, "options": ["lose", "for"]}
    ruleset = rules(policy, orders=[order], order_options=OPTIONS, movement=[{"id": "walk", "steps": 1}])
    assert attacks(ruleset, 6, 3)[0][1] == {"lose": ["gun", "foot"], "for": "red"}


def test_who_is_lost_first_is_said_of_those_who_go_and_not_of_one_kind_alone() -> None:
    policy = {
        "war": {**WAR, "mass": 99, "takes": "foot", "conditions": {"lose": "=in_order(going, 'defense')"}}
    }
    ruleset = rules(
        policy,
        orders=[{**MOVE, "options": ["lose"]}],
        order_options=OPTIONS,
        movement=[{"id": "walk", "steps": 1}],
        battles=[{"id": "land", "options": {"order": "lose"}}],
    )
    assert attacks(ruleset, 6, 3) == [({"foot": 6, "gun": 3}, {"lose": ["gun", "foot"]})]
    alone = position(("red", "foot", "c", 7), ("blue", "foot", "d", 1))
    (order,) = (o for o in plan(World(ruleset, alone), "red", dice()) if o["slots"]["target"] == "d")
    assert order["slots"]["units"] == {"foot": 6} and order["options"] == {}
