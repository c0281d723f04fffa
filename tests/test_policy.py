"""The built-in policies: they give only legal orders, by the weights of their row, and the same ones for the same dice."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from wteaw import bots
from wteaw.bots import plan, policy_of
from wteaw.bots.armies import Armies
from wteaw.bots.front import about
from wteaw.bots.give import Giver
from wteaw.bots.march import _share
from wteaw.core.dice import ScriptedDice, Stream
from wteaw.core.faults import RuleError
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
from wteaw.core.state import State, unit_key
from wteaw.orders.check import check
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.world.world import World

from .small import front_of

Rows = list[dict[str, Any]]
WAR: dict[str, Any] = {
    "attack": "attack",
    "defense": "defense",
    "odds": "3/2",
    "mass": 1,
    "noise": 0,
    "boldness": 100,
}
MOVE: dict[str, Any] = {
    "id": "go",
    "syntax": "move {units} from {origin} to {target}",
    "slots": {"units": "units", "origin": "place", "target": "place"},
    "step": "march",
    "does": "walk",
    "commits": "units",
}
BUILD: dict[str, Any] = {
    "id": "build",
    "syntax": "build {n} {item} in {site}",
    "slots": {"n": "number", "item": "item", "site": "place"},
    "step": "build",
}


def rules(policy: dict[str, Any], **forms: Rows) -> Ruleset:
    """Six places in a row: three of red, three of blue, at war with each other."""
    places = [
        {"id": p, "name": p.title(), "kind": "land", "owner": "red" if p in "abc" else "blue"}
        for p in "abcdef"
    ]
    base: dict[str, Rows] = {
        "nations": [
            {"id": "red", "name": "Red", "side": "east"},
            {"id": "blue", "name": "Blue", "side": "west"},
            {"id": "gray", "name": "Gray"},
        ],
        "sides": [{"id": "east", "opposite": "west"}, {"id": "west", "opposite": "east"}],
        "places": places,
        "links": [{"id": f"{a}--{b}", "between": [a, b]} for a, b in ("ab", "bc", "cd", "de", "ef")],
        "stances": [
            {"id": "peace", "default": True, "enter": "fight", "share": "never"},
            {"id": "friends", "friendly": True, "enter": "free", "share": "always"},
            {"id": "war", "hostile": True, "enter": "fight", "share": "never"},
        ],
        "units": [
            {"id": "foot", "attack": 2, "defense": 3, "price": 3},
            {"id": "gun", "attack": 6, "defense": 1, "price": 6},
        ],
        "fields": [
            {"id": f, "of": ["unit"], "type": "number", "default": 0} for f in ("attack", "defense", "price")
        ],
        "resources": [{"id": "gold", "name": "Gold"}],
        "movement": [
            {"id": "walk", "steps": 1},
            {"id": "rail", "fights": False, "enter": "place.holder == self"},
        ],
        "orders": [MOVE],
        "policies": [{"id": "p", **policy}],
    }
    return Ruleset("t", "t", {form: {r["id"]: r for r in rows} for form, rows in {**base, **forms}.items()})


def position(*units: tuple[str, str, str, int], **tables: Any) -> State:
    base: dict[str, Any] = {
        "game": {"game": {"turn": 1}},
        "relations": {"blue--red": {"stance": "war"}},
        "treasuries": {"red": {"gold": 30}},
        "units": {unit_key(o, k, p): {"owner": o, "kind": k, "place": p, "n": n} for o, k, p, n in units},
    }
    return State({**base, **tables})


def dice(*faces: int) -> Stream:
    return ScriptedDice(faces or [1] * 200).stream(step="input", rule="policies/p", subject="red")


def orders(ruleset: Ruleset, state: State, *faces: int) -> list[tuple[str, Any]]:
    world = World(ruleset, state)
    found = plan(world, "red", dice(*faces))
    assert check(world, "red", found).found == []
    return [(o["order"].partition("/")[2], o["slots"]) for o in found]


def go(units: dict[str, int], origin: str, target: str) -> tuple[str, Any]:
    return "go", {"units": units, "origin": origin, "target": target}


# ---- which row


def test_the_first_row_that_fits_is_the_policy_unless_the_state_names_one() -> None:
    rows = [{"id": "west", "for": "west"}, {"id": "any", "when": "self.id != 'gray'"}]
    ruleset = rules({}, policies=rows)
    assert [(policy_of(World(ruleset, position()), n) or {}).get("id") for n in ("blue", "red", "gray")] == [
        "west",
        "any",
        None,
    ]
    chosen = position(nations={"red": {"policy": "west"}})
    assert (policy_of(World(ruleset, chosen), "red") or {})["id"] == "west"
    assert plan(World(ruleset, position()), "gray", dice()) == []


# ---- attacks


def test_it_attacks_where_the_odds_are_good_enough() -> None:
    # number times worth: 6 * 6 * 2 = 72 against 4 * 4 * 3 = 48 is 3/2
    strong = position(("red", "foot", "c", 6), ("blue", "foot", "d", 4))
    bold = rules({"war": {**WAR, "garrison": {"least": 0, "share": 0}}})
    assert orders(bold, strong) == [go({"foot": 6}, "c", "d")]
    weak = position(("red", "foot", "c", 5), ("blue", "foot", "d", 4))
    assert orders(bold, weak) == []


def test_a_garrison_stays_behind() -> None:
    careful = rules({"war": {**WAR, "garrison": {"least": 2, "share": 0}}})
    state = position(("red", "foot", "c", 9), ("blue", "foot", "d", 1))
    sent = orders(careful, state)[0][1]["units"]["foot"]
    assert 1 <= sent <= 7


def test_a_garrison_matches_its_share_of_the_threat() -> None:
    """Six of blue throw 6 * 12 = 72 at c; k of red are worth k * 3k there."""
    facing = position(("red", "foot", "c", 10), ("blue", "foot", "d", 6))

    def stays(garrison: dict[str, Any], state: State = facing, but: str = "") -> int:
        war = {**WAR, "garrison": garrison}
        return sum(front_of(World(rules({"war": war}), state), "red", war).garrison("c", but).values())

    for share, left in (("1/2", 4), (1, 5), ("1/4", 3), ("1/6", 2), (2, 7), (9, 10), (0, 0)):
        assert stays({"least": 0, "share": f"={share} if place.id == 'c' else 99"}) == left
    assert stays({"least": 0, "share": "1/2"}) == 4 and stays({"least": 7, "share": "1/2"}) == 7
    # of whom it attacks itself it has half as much to fear
    assert [stays({"least": n, "share": 1}, but="d") for n in (0, 5)] == [4, 5] and stays(
        {"least": 0, "share": 1}, but="e"
    ) == 5
    # or what the row says: a part of 72, against which 3k * k stand
    engaged = {
        part: stays({"least": 0, "share": 1, "engaged": part}, but="d") for part in (0, "1/24", "1/6", 1)
    }
    assert engaged == {0: 0, "1/24": 1, "1/6": 2, 1: 5}


@pytest.mark.parametrize(("where", "stay"), [("c", 4), ("d", 5), (None, 5)])
def test_works_that_shelter_a_place_leave_fewer_in_it(where: str | None, stay: int) -> None:
    """Six of blue throw 6 * 12 = 72 at c, and half of it over works of c; works of d are in the way of red alone."""
    works = {} if where is None else {"links": {"c--d": {f"works@{where}": "wall"}}}
    state = position(("red", "foot", "c", 10), ("blue", "foot", "d", 6), **works)
    walled = "=2 if link.works != 'none' else 1"
    war = {**WAR, "garrison": {"least": 0, "share": 1}, "hardness": walled}
    front = front_of(World(rules({"war": war}), state), "red", war)
    assert sum(front.garrison("c").values()) == stay
    assert front.need["c"] == (36 if where == "c" else 72) - 10 * 30


def test_some_places_keep_more_than_the_known_threat_calls_for() -> None:
    """One of blue throws 2 at c: one of red holds it. What is said of c keeps five there, and of any other place nothing."""

    def stays(least: Any) -> int:
        war = {**WAR, "garrison": {"least": least, "share": 1}}
        state = position(("red", "foot", "c", 10), ("blue", "foot", "d", 1))
        return sum(front_of(World(rules({"war": war}), state), "red", war).garrison("c").values())

    assert [stays(n) for n in (0, "=5 if place.id == 'c' else 0", "=5 if place.id == 'b' else 0")] == [
        1,
        5,
        1,
    ]


def test_allies_hold_a_place_together() -> None:
    """With ten of its ally red leaves half of what it takes: 20 * 60 is worth 1200, of which 72 * 2 are as much as 7 of 20."""
    allied = {
        "gray--red": {"stance": "friends"},
        "blue--red": {"stance": "war"},
        "blue--gray": {"stance": "war"},
    }
    state = position(
        ("red", "foot", "c", 10), ("gray", "foot", "c", 10), ("blue", "foot", "d", 6), relations=allied
    )
    war = {**WAR, "garrison": {"least": 0, "share": 2}}
    assert front_of(World(rules({"war": war}), state), "red", war).garrison("c") == {"foot": 4}


def test_allies_on_whom_it_counts_attack_with_it() -> None:
    """Alone 6 * 12 = 72 against 6 * 18 = 108; with half of eight of gray 10 * 20 = 200."""
    allied = {
        "gray--red": {"stance": "friends"},
        "blue--red": {"stance": "war"},
        "blue--gray": {"stance": "war"},
    }
    state = position(
        ("red", "foot", "c", 6), ("gray", "foot", "c", 8), ("blue", "foot", "d", 6), relations=allied
    )
    war = {**WAR, "garrison": {"least": 0, "share": 0}}
    assert orders(rules({"war": war}), state) == []
    assert orders(rules({"war": {**war, "allies": "1/2"}}), state) == [go({"foot": 6}, "c", "d")]
    few = position(
        ("red", "foot", "c", 2), ("gray", "foot", "c", 16), ("blue", "foot", "d", 3), relations=allied
    )
    assert (
        orders(rules({"war": {**war, "allies": 1}}), few) == []
    )  # 4 * 8 with two of them, 18 * 36 with all, against 3 * 9
    apart = position(
        ("red", "foot", "c", 6), ("gray", "foot", "b", 8), ("blue", "foot", "d", 6), relations=allied
    )
    assert orders(rules({"war": {**war, "allies": "1/2"}}), apart) == []


def test_a_band_without_an_end_counts_as_many_as_stand_against_it() -> None:
    state = position(("red", "foot", "c", 60), ("blue", "foot", "d", 21), ("blue", "foot", "e", 3))
    state.tables["units"][unit_key("blue", "foot", "d")]["range"] = "21.."
    front = front_of(World(rules({"war": WAR}), state), "red", WAR)
    assert (
        front.defenders("d") == (60, 180)
        and front.defenders("d", "attack") == (31, 62)
        and front.defenders("e") == (3, 9)
    )
    state.tables["units"][unit_key("red", "foot", "c")]["n"] = 5
    assert front_of(World(rules({"war": WAR}), state), "red", WAR).defenders("d") == (31, 93)


def test_no_more_go_than_a_good_attack_takes() -> None:
    war = {**WAR, "mass": 2, "garrison": {"least": 0, "share": 0}}
    weak = position(("red", "foot", "c", 16), ("blue", "foot", "d", 2))
    assert orders(rules({"war": war}), weak) == [
        go({"foot": 6}, "c", "d")
    ]  # of 16, 12, 9, 6; four would be too few
    strong = position(("red", "foot", "c", 16), ("blue", "foot", "d", 7))
    assert orders(rules({"war": war}), strong) == [go({"foot": 16}, "c", "d")]


def test_an_empty_place_of_the_enemy_is_taken_by_few() -> None:
    easy = rules({"war": {**WAR, "garrison": {"least": 0, "share": 0}}})
    assert orders(easy, position(("red", "foot", "c", 8))) == [go({"foot": 1}, "c", "d")]


def test_only_units_that_can_take_a_place_make_an_attack() -> None:
    war = {**WAR, "takes": "foot", "garrison": {"least": 0, "share": 0}}
    assert orders(rules({"war": war}), position(("red", "gun", "c", 9), ("blue", "foot", "d", 1))) == []


@pytest.mark.parametrize(
    ("foot", "behind", "sent"),
    [
        (4, None, {"foot": 4, "gun": 8}),
        (4, 2, {"foot": 4, "gun": 8}),
        (4, 1, {"foot": 4, "gun": 4}),
        (4, "1/2", {"foot": 4, "gun": 2}),
        (4, 0, {}),  # 4 * 8 are no match for 3 * 9
        (1, 1, {}),
    ],
)
def test_no_more_stay_behind_than_follow_those_who_go_in(
    foot: int, behind: Any, sent: dict[str, int]
) -> None:
    war = {**WAR, "mass": 99, "takes": "foot", "garrison": {"who": "foot", "least": 0, "share": 0}}
    war |= {} if behind is None else {"behind": behind}
    ruleset = rules({"war": war}, movement=[{"id": "walk", "steps": 1, "stays": "gun"}])
    state = position(("red", "foot", "c", foot), ("red", "gun", "c", 8), ("blue", "foot", "d", 3))
    assert orders(ruleset, state) == ([go(sent, "c", "d")] if sent else [])


def test_works_in_the_way_ask_for_more() -> None:
    state = position(("red", "foot", "c", 6), ("blue", "foot", "d", 4), links={"c--d": {"works@d": "wall"}})
    war = {**WAR, "garrison": {"least": 0, "share": 0}, "hardness": "=2 if link.works != 'none' else 1"}
    assert orders(rules({"war": war}), state) == []


def test_boldness_is_a_chance() -> None:
    state = position(("red", "foot", "c", 8), ("blue", "foot", "d", 1))
    war = {**WAR, "boldness": 40, "garrison": {"least": 0, "share": 0}}
    assert orders(rules({"war": war}), state, 40) != [] and orders(rules({"war": war}), state, 41) == []


def test_neutral_land_is_left_alone_until_war_is_declared_on_it() -> None:
    act = {
        "id": "war",
        "syntax": "war on {target}",
        "slots": {"target": "nation"},
        "requires": [{"test": "neutral(target)", "message": "no"}],
    }
    policy = {"war": {**WAR, "garrison": {"least": 0, "share": 0}}}
    state = position(("red", "foot", "c", 8), places={"d": {"holder": "gray"}})
    assert orders(rules(policy, actions=[act]), state) == []
    policy["actions"] = [{"action": "war", "opens": "target"}]  # type: ignore[assignment]
    assert [o for o, _ in orders(rules(policy, actions=[act]), state)] == ["war", "go"]


# ---- marches


def test_reserves_march_to_the_front() -> None:
    state = position(("red", "foot", "a", 3), ("red", "foot", "c", 1), ("blue", "foot", "d", 9))
    assert orders(rules({"war": WAR}), state) == [go({"foot": 3}, "a", "b")]


def test_long_ways_take_them_there_at_once_as_far_as_there_is_room() -> None:
    rail = {**MOVE, "id": "ride", "syntax": "rail {units} from {origin} to {target}", "does": "rail"}
    mode = {
        "id": "rail",
        "fights": False,
        "enter": "place.holder == self",
        "capacity": {"is": "2", "draws": ["start", "pass", "end"]},
    }
    ruleset = rules({"war": WAR}, orders=[MOVE, rail], movement=[{"id": "walk", "steps": 1}, mode])
    places = {p: {"holder": "red"} for p in "de"}
    state = position(("red", "foot", "a", 5), ("blue", "foot", "f", 9), places=places)
    found = orders(ruleset, state, 9)  # of 18 faces, one is for the place behind the front
    assert ("ride", {"units": {"foot": 2}, "origin": "a", "target": "e"}) in found and go(
        {"foot": 3}, "a", "b"
    ) in found


# ---- acts and purchases


def test_acts_are_drawn_by_weight_and_idleness() -> None:
    act = {
        "id": "court",
        "syntax": "court {target}",
        "slots": {"target": "nation"},
        "requires": [{"test": "target != self", "message": "no"}],
    }
    policy = {"actions": [{"action": "court", "weight": "=3 if target.id == 'gray' else 1", "idle": 2}]}
    ruleset = rules(policy, actions=[act])
    # of six faces one is for blue, three for gray, and two for giving none
    found = [orders(ruleset, position(), face) for face in range(1, 7)]
    assert [f[0][1]["target"] if f else None for f in found] == ["blue", "gray", "gray", "gray", None, None]


@pytest.mark.parametrize(("share", "given"), [(None, 3), ("1/3", 2), ("3/10", 1), ("1/6", 1), ("1/7", 0)])
def test_a_rule_spends_no_more_than_its_share(share: str | None, given: int) -> None:
    act = {
        "id": "court",
        "syntax": "court {n}",
        "slots": {"n": {"kind": "choice", "choices": ["x", "y", "z"]}},
        "cost": 5,
    }
    rule = {"action": "court", "most": 3, **({"share": share} if share else {})}
    found = orders(rules({"actions": [rule]}, actions=[act]), position())  # of 30 in the purse
    assert len(found) == given


@pytest.mark.parametrize(("share", "given"), [("1/2", 3), ("=2/5 if self.id == 'red' else 1", 2), (0, 0)])
def test_all_acts_together_spend_no_more_than_their_share(share: str | int, given: int) -> None:
    letters = {"n": {"kind": "choice", "choices": ["x", "y"]}}
    acts = [{"id": id_, "syntax": f"{id_} {{n}}", "slots": letters, "cost": 5} for id_ in ("court", "arm")]
    rules_ = [{"action": "court", "most": 2}, {"action": "arm", "most": 2, "share": "1/4"}]
    found = orders(
        rules({"actions": rules_, "actions_share": share}, actions=acts), position()
    )  # of 30 in the purse
    assert len(found) == given


@pytest.mark.parametrize(
    ("share", "own", "given"),
    [(1, None, 3), ("1/2", None, 3), ("2/5", None, 2), ("1/6", None, 1), (1, "1/3", 2)],
)
def test_what_is_given_for_each_of_several_counts_against_both_shares(
    share: str | int, own: str | None, given: int
) -> None:
    letters = {"n": {"kind": "choice", "choices": ["x", "y", "z"]}}
    act = {"id": "court", "syntax": "court {n}", "slots": letters, "cost": "=5 if self.id == 'red' else 1"}
    rule = {
        "action": "court",
        "each": "n",
        "among": {"n": "set_of('x', 'y', 'z')"},
        **({"share": own} if own else {}),
    }
    found = orders(
        rules({"actions": [rule], "actions_share": share}, actions=[act]), position()
    )  # of 30 in the purse
    assert len(found) == given


def test_money_is_shared_out_over_the_mix_at_the_site_nearest_to_the_front() -> None:
    items: Rows = [
        {"id": "foot", "makes": "foot", "price": 3, "due": "x"},
        {"id": "gun", "makes": "gun", "price": 6, "due": "x"},
    ]
    policy = {"war": {**WAR}, "purchases": [{"sites": 1, "mix": {"foot": 2, "gun": 1}}]}
    ruleset = rules(policy, orders=[MOVE, BUILD], production=items)
    found = orders(ruleset, position(("red", "foot", "a", 1)))
    bought = [slots for key, slots in found if key == "build"]
    assert bought == [{"item": "foot", "n": 6, "site": "c"}, {"item": "gun", "n": 2, "site": "c"}]


@pytest.mark.parametrize(("gold", "bought"), [(30, 0), (31, 5)])
def test_who_saves_buys_nothing_until_there_is_enough(gold: int, bought: int) -> None:
    items: Rows = [{"id": "foot", "makes": "foot", "price": 3, "due": "x"}]
    policy = {
        "purchases": [{"sites": 1, "share": "=1/2 if stock(self, 'gold') > 30 else 0", "mix": {"foot": 1}}]
    }
    found = orders(
        rules(policy, orders=[MOVE, BUILD], production=items), position(treasuries={"red": {"gold": gold}})
    )
    assert sum(slots["n"] for _, slots in found) == bought


def test_nothing_is_bought_that_what_is_learned_in_the_same_turn_makes_too_dear() -> None:
    """Ten for foot at 3 each are 30; at 4 each nobody could pay them."""
    price = "=4 if level(self, 'drill', 'paid') > 0 else 3"
    items: Rows = [{"id": "foot", "makes": "foot", "price": price, "due": "x"}]
    act = {
        "id": "adopt",
        "syntax": "adopt",
        "effects": [{"learn": {"who": "=self", "tech": "drill", "as": "paid"}}],
    }
    more: dict[str, Rows] = {
        "technologies": [{"id": "drill", "name": "Drill", "levels": 1}],
        "production": items,
        "actions": [act],
    }
    frame = [
        {"input": "orders", "step": "orders"},
        {"step": "arm", "do": "act", "actions": ["adopt"]},
        {"step": "build", "do": "buy"},
    ]
    for acts, given in (([], ["build"]), ([{"action": "adopt"}], ["adopt"])):
        ruleset = rules(
            {"actions": acts, "purchases": [{"sites": 1, "mix": {"foot": 1}}]}, orders=[MOVE, BUILD], **more
        )
        world = World(Ruleset("t", "t", ruleset.forms, sequence=tuple(frame)), position())
        found = plan(world, "red", dice())
        assert [o["order"].partition("/")[2] for o in found] == given
        assert check(world, "red", found).found == []


# ---- payments

GIVE: Rows = [
    {"id": "gift", "kind": "gift", "name": "gift", "what": "gold", "when": "self != target"},
]


@pytest.mark.parametrize(
    ("amount", "share", "given"), [(10, "0", 10), (15, "1/2", 15), (16, "1/2", 0), (31, "0", 0)]
)
def test_no_more_is_given_away_than_is_left_when_all_is_bought(amount: int, share: str, given: int) -> None:
    give = {
        "id": "give",
        "syntax": "give {amount} to {target}",
        "slots": {"amount": {"kind": "number", "least": 1}, "target": "nation"},
        "step": "pay",
        "does": "gift",
    }
    items: Rows = [{"id": "foot", "makes": "foot", "price": 3, "due": "x"}]
    rule = {
        "order": "give",
        "each": "target",
        "among": {"target": "set_of(nation('gray'))"},
        "slots": {"amount": amount},
    }
    policy = {"purchases": [{"sites": 1, "share": share, "mix": {"foot": 1}}], "orders": [rule]}
    found = orders(rules(policy, orders=[MOVE, BUILD, give], production=items, transfers=GIVE), position())
    assert [slots["amount"] for key, slots in found if key == "give"] == [given][: bool(given)]


# ---- moves beside the war


def look(**more: Any) -> dict[str, Any]:
    return {
        "order": "go",
        "who": "foot",
        "from": "n >= 3",
        "among": "where(neighbors(origin), 'of_red')",
        "send": 1,
        **more,
    }


OF_RED = [{"id": "of_red", "of": ["place"], "is": "place.holder == 'red'"}]


@pytest.mark.parametrize(
    ("rule", "state", "given"),
    [
        (look(), [("red", "foot", "a", 3)], [go({"foot": 1}, "a", "b")]),
        (look(), [("red", "foot", "a", 2)], []),
        (look(), [("red", "gun", "a", 9), ("red", "foot", "a", 2)], []),
        (look(), [("red", "foot", "c", 5)], [go({"foot": 1}, "c", "b")]),
        (look(**{"if": "self.id == 'blue'"}), [("red", "foot", "a", 3)], []),
        (look(when="target.id != 'b'"), [("red", "foot", "a", 3)], []),
    ],
)
def test_a_rule_for_moves_names_who_goes_from_where_and_where_to(
    rule: dict[str, Any], state: Any, given: Any
) -> None:
    assert orders(rules({"moves": [rule]}, definitions=OF_RED), position(*state)) == given


def test_who_has_an_order_already_does_not_go_to_the_front() -> None:
    state = position(("red", "foot", "a", 3), ("red", "foot", "c", 1), ("blue", "foot", "d", 9))
    found = orders(rules({"moves": [look()], "war": WAR}, definitions=OF_RED), state)
    assert found == [go({"foot": 1}, "a", "b"), go({"foot": 2}, "a", "b")]


# ---- guards


CALLS = "=2 if place.id == 'a' else (3 if faced else 0)"
GUARDED: dict[str, Any] = {**WAR, "orders": ["go"], "garrison": {"least": 1, "share": "1/3", "calls": CALLS}}


def test_an_empty_place_next_to_enemies_gets_as_many_as_hold_it() -> None:
    """Two of blue throw 2 * 4 = 8 at c; one of red is worth 3 there, a third of 8."""
    weak = position(("red", "foot", "b", 5), ("blue", "foot", "d", 2))
    assert go({"foot": 1}, "b", "c") in orders(rules({"war": GUARDED}), weak)
    # five throw 50: three are worth 27, and more than three are not called
    strong = position(("red", "foot", "b", 5), ("blue", "foot", "d", 5))
    assert go({"foot": 3}, "b", "c") in orders(rules({"war": GUARDED}), strong)


def test_guards_come_from_behind_where_the_nearest_are_too_few() -> None:
    """Five of blue throw 50, which three hold: the one next door does not, so two start behind it."""
    state = position(("red", "foot", "b", 1), ("red", "foot", "a", 6), ("blue", "foot", "d", 5))
    given = orders(rules({"war": GUARDED}), state)
    assert given[:2] == [go({"foot": 1}, "b", "c"), go({"foot": 2}, "a", "b")]


def test_where_all_that_can_be_spared_would_not_hold_it_only_the_least_go() -> None:
    state = position(("red", "foot", "b", 2), ("blue", "foot", "d", 20))
    given = [slots["units"]["foot"] for _, slots in orders(rules({"war": {**GUARDED, "long": 0}}), state)]
    assert given[0] == 1


@pytest.mark.parametrize(("least", "sent"), [(1, 1), (2, 2), ("=3 if place.id == 'c' else 1", 3), (9, 3)])
def test_guards_come_up_to_the_least_that_a_place_keeps(least: Any, sent: int) -> None:
    """Against two of blue one is enough; more come where at least so many stay, but never more than are called (3)."""
    war = {**GUARDED, "garrison": {**GUARDED["garrison"], "least": least}}
    state = position(("red", "foot", "b", 5), ("blue", "foot", "d", 2))
    assert orders(rules({"war": war}), state)[0] == go({"foot": sent}, "b", "c")


def test_who_has_enough_guards_calls_for_none() -> None:
    state = position(("red", "foot", "c", 3), ("red", "foot", "b", 5), ("blue", "foot", "d", 2))
    war = {**GUARDED, "odds": 9}
    assert not any(slots["units"]["foot"] == 1 for _, slots in orders(rules({"war": war}), state))


@pytest.mark.parametrize(("kind", "sent"), [("gun", 1), ("foot", 2)])
def test_guns_of_an_ally_are_no_guards(kind: str, sent: int) -> None:
    """Of allies, too, only who holds ground counts as a guard: beside guns one is called, else both march on together."""
    war = {**GUARDED, "odds": 9, "long": 0, "garrison": {**GUARDED["garrison"], "who": "foot"}}
    allied = {
        "blue--red": {"stance": "war"},
        "blue--gray": {"stance": "war"},
        "gray--red": {"stance": "friends"},
    }
    state = position(
        ("gray", kind, "c", 3), ("red", "foot", "b", 2), ("blue", "foot", "d", 2), relations=allied
    )
    guards = [slots["units"]["foot"] for order, slots in orders(rules({"war": war}), state) if order == "go"]
    assert guards[0] == sent


def test_a_nation_at_peace_guards_what_it_is_to_guard_and_leaves_it_there() -> None:
    peace = {"relations": {}}
    empty = position(("red", "foot", "c", 4), **peace)
    assert orders(rules({"war": GUARDED}), empty) == [go({"foot": 2}, "c", "b")]
    there = position(("red", "foot", "a", 2), ("red", "foot", "c", 4), **peace)
    assert orders(rules({"war": GUARDED}), there) == []
    war = rules({"war": GUARDED})
    front = front_of(World(war, position(("red", "foot", "a", 3))), "red", GUARDED)
    assert front.spare("a") == {"foot": 1}


# ---- laws


def test_the_same_dice_give_the_same_orders() -> None:
    state = position(("red", "foot", "c", 7), ("red", "gun", "b", 2), ("blue", "foot", "d", 2))
    ruleset = rules({"war": {**WAR, "noise": 20, "boldness": 50}})
    assert orders(ruleset, state, 11, 22, 33) == orders(ruleset, state, 11, 22, 33)


def test_what_is_known_only_as_a_band_counts_as_the_upper_part_of_it() -> None:
    assert (
        about({"n": 6, "range": "6..20"}) == 17
        and about({"n": 1, "range": "0..5"}) == 4
        and about({"n": 20, "range": "20.."}) == 30
        and about({"n": 4}) == 4
    )
    state = position(("red", "foot", "c", 4))
    state.put("units", "blue.?@d", "*", {"owner": "blue", "kind": "?", "place": "d", "n": 2, "range": "2..4"})
    front = front_of(World(rules({}), state), "red", {**WAR, "unknown": 5})
    assert front.defenders("d") == (4, 20) and front.threat("c") == 80


def test_picks_are_by_weight() -> None:
    giver = Giver(World(rules({}), position()), "red", dice(1, 2, 3, 4))
    assert [giver.pick([("x", 1), ("y", 2)], 1) for _ in range(4)] == ["x", "y", "y", None]
    assert giver.pick([("x", 0)]) is None and Fraction(giver.noise(0)) == 100


# ---- fleets


def waters(sea: dict[str, Any], **more: Any) -> Ruleset:
    """Five zones in a row, p to t, in which ships sail two a turn; a port of blue lies on the last."""
    zones = [{"id": z, "name": z.upper(), "kind": "sea"} for z in "pqrst"]
    lands = [
        {"id": p, "name": p.title(), "kind": "land", "owner": "red" if p in "abc" else "blue"}
        for p in "abcdef"
    ]
    links = [
        {"id": f"{a}--{b}", "between": [a, b], "kind": "land"} for a, b in ("ab", "bc", "cd", "de", "ef")
    ]
    links += [{"id": f"{a}--{b}", "between": [a, b], "kind": "sea"} for a, b in ("pq", "qr", "rs", "st")]
    links += [{"id": "f--t", "between": ["f", "t"], "kind": "coast"}]
    sail = {
        **MOVE,
        "id": "sail",
        "syntax": "sail {units} from {origin} [to {target}] [on {tasks}]",
        "does": "sail",
        "slots": {**MOVE["slots"], "tasks": {"kind": "choice", "many": True, "choices": ["chase", "lie"]}},
    }
    return rules(
        {"war": {**WAR, "sea": {"boldness": 100, **sea}}},
        places=[*lands, *zones],
        links=links,
        units=[
            {"id": "foot", "attack": 2, "defense": 3, "price": 3},
            {"id": "ship", "attack": 4, "defense": 4, "price": 9, "tags": ["ship"]},
        ],
        movement=[
            {"id": "walk", "steps": 1, "who": "foot", "links": ["land"]},
            {"id": "sail", "steps": 2, "who": "ship", "links": ["sea"], "tasks": True},
        ],
        missions=[{"id": m, "stance": "aggressive", "stays": m == "lie"} for m in ("chase", "lie")],
        orders=[MOVE, sail],
        **more,
    )


def sails(origin: str, target: str = "", n: int = 3, **more: Any) -> tuple[str, Any]:
    return "sail", {"units": {"ship": n}, "origin": origin, **({"target": target} if target else {}), **more}


STATIONS = "=9 if any(neighbors(place, 'coast'), 'of_blue') else 0"
OF_BLUE = [{"id": "of_blue", "of": ["place"], "is": "place.holder == 'blue'"}]


def test_a_fleet_goes_for_a_weaker_enemy_that_it_can_reach() -> None:
    ruleset = waters({"seek": ["chase"]})
    near = position(("red", "ship", "p", 3), ("blue", "ship", "r", 2))
    assert orders(ruleset, near) == [sails("p", "r", tasks=["chase"])]
    assert orders(ruleset, position(("red", "ship", "p", 3), ("blue", "ship", "s", 2))) == []
    assert orders(ruleset, position(("red", "ship", "p", 3), ("blue", "ship", "r", 3))) == []


@pytest.mark.parametrize(("prey", "goes"), [("=1 if place.id == 'r' else 0", True), (0, False)])
def test_a_fleet_leaves_alone_what_its_row_calls_no_prey(prey: Any, goes: bool) -> None:
    """From where it lies may be asked, too."""
    state = position(("red", "ship", "p", 3), ("blue", "ship", "r", 2))
    chases = [sails("p", "r", tasks=["chase"])]
    assert orders(waters({"seek": ["chase"], "prey": prey}), state) == (chases if goes else [])
    origin = "=count(units(at=origin)) - 2"
    assert orders(waters({"seek": ["chase"], "prey": origin}), state) == chases


@pytest.mark.parametrize(
    ("conditions", "given"),
    [({"flee": "=n"}, {"flee": 3}), ({"flee": "=0 - n"}, {}), ({"none": 1}, {})],
)
def test_ships_sail_under_conditions_and_without_such_as_cannot_stand(
    conditions: dict[str, Any], given: dict[str, Any]
) -> None:
    flee = {"id": "flee", "syntax": "flee after {n}", "slots": {"n": {"kind": "number", "least": 1}}}
    base = waters({"seek": ["chase"], "conditions": conditions})
    sail = {**base.row("orders", "sail"), "options": ["flee"]}
    forms = {form: dict(base.rows(form)) for form in base.forms}
    forms |= {"orders": {"sail": sail}, "order_options": {"flee": flee}}
    world = World(Ruleset("t", "t", forms), position(("red", "ship", "p", 3), ("blue", "ship", "r", 2)))
    assert [order["options"] for order in plan(world, "red", dice())] == [given]


def test_a_fleet_without_prey_comes_nearer_to_its_station_and_holds_it() -> None:
    ruleset = waters({"stations": STATIONS, "hold": ["lie"], "seek": ["chase"]}, definitions=OF_BLUE)
    assert orders(ruleset, position(("red", "ship", "p", 3))) == [sails("p", "r", tasks=["chase"])]
    assert orders(ruleset, position(("red", "ship", "s", 3))) == [sails("s", "t", tasks=["chase"])]
    assert orders(ruleset, position(("red", "ship", "t", 3))) == [sails("t", tasks=["lie"])]
    assert orders(waters({}), position(("red", "ship", "p", 3))) == []


@pytest.mark.parametrize(
    ("here", "there", "stays"), [(2, 5, True), (2, 6, True), (2, 7, False), (0, 1, False)]
)
def test_a_fleet_leaves_a_station_only_for_one_that_is_clearly_better(
    here: int, there: int, stays: bool
) -> None:
    """The next zone is one step away: half of what it is worth must be more than one and a half times what this one is."""
    ruleset = waters(
        {"stations": f"={here} if place.id == 'r' else ({there} if place.id == 's' else 0)", "hold": ["lie"]}
    )
    found = orders(ruleset, position(("red", "ship", "r", 3)))
    assert found == ([sails("r", tasks=["lie"])] if stays else [sails("r", "s")])


def test_a_fleet_does_not_go_where_a_stronger_one_lies() -> None:
    ruleset = waters({"stations": STATIONS, "hold": ["lie"]}, definitions=OF_BLUE)
    assert orders(ruleset, position(("red", "ship", "r", 3), ("blue", "ship", "t", 4))) == []
    assert orders(ruleset, position(("red", "ship", "r", 3), ("blue", "ship", "t", 3))) == [sails("r", "t")]


def test_a_pack_seeks_no_fight_and_goes_where_it_is_worth_most_whoever_lies_there() -> None:
    ruleset = waters(
        {"who": "carrier", "packs": [{"who": "ship", "stations": STATIONS}]}, definitions=OF_BLUE
    )
    state = position(("red", "ship", "r", 3), ("blue", "ship", "s", 1), ("blue", "ship", "t", 9))
    assert orders(ruleset, state) == [sails("r", "t")]
    assert orders(ruleset, position(("red", "ship", "t", 3), ("blue", "ship", "s", 1))) == []
    waits = waters(
        {"who": "carrier", "packs": [{"who": "ship", "stations": STATIONS, "hold": ["lie"]}]},
        definitions=OF_BLUE,
    )
    assert orders(waits, position(("red", "ship", "t", 3), ("blue", "ship", "s", 1))) == [
        sails("t", tasks=["lie"])
    ]
    both = waters({"packs": [{"who": "ship", "stations": STATIONS}], "seek": ["chase"]}, definitions=OF_BLUE)
    assert orders(both, position(("red", "ship", "r", 3), ("blue", "ship", "q", 1))) == [
        sails("r", "q", tasks=["chase"])
    ]


@pytest.mark.parametrize(
    ("target", "given"), [("r", [sails("r", tasks=["lie"])]), ("s", [sails("r", "s", tasks=["lie"])])]
)
def test_a_rule_for_moves_may_name_the_tasks_of_ships(target: str, given: list[tuple[str, Any]]) -> None:
    rule = {"order": "sail", "who": "ship", "among": f"places(id='{target}')", "slots": {"tasks": ["lie"]}}
    base = waters({})
    ruleset = waters({}, policies=[{**base.rows("policies")["p"], "moves": [rule]}])
    assert orders(ruleset, position(("red", "ship", "r", 3))) == given


# ---- room


ROOM = "=5 - count(units(at=place)) if place.id in set_of('a', 'b') else 99"


def test_no_more_units_go_to_a_place_than_it_has_room_for() -> None:
    state = position(("red", "foot", "a", 9), ("red", "foot", "b", 2), ("blue", "foot", "d", 40))
    sent = [
        slots for key, slots in orders(rules({"war": {**WAR, "room": ROOM}}), state) if slots["origin"] == "a"
    ]
    assert sent == [{"units": {"foot": 3}, "origin": "a", "target": "b"}]
    free = [slots for key, slots in orders(rules({"war": WAR}), state) if slots["origin"] == "a"]
    assert [slots["units"] for slots in free] == [{"foot": 9}]


def test_those_for_whom_there_is_no_room_leave() -> None:
    room = "=2 - count(units(at=place)) if place.id == 'b' else 99"
    far = {**WAR, "garrison": {"least": 0, "share": 0, "home": 0}, "room": room, "orders": ["go"]}
    peace = position(("red", "foot", "b", 6), relations={})
    assert orders(rules({"war": far}), peace) == []  # without a front nobody marches
    at_war = position(("red", "foot", "b", 6), ("blue", "foot", "d", 1))
    assert sum(s["units"]["foot"] for _, s in orders(rules({"war": far}), at_war)) >= 4


@pytest.mark.parametrize(
    ("long", "gone"), [(2, {"c": 1, "e": 3, "d": 2}), (1, {"c": 1, "e": 3}), (0, {"c": 1})]
)
def test_who_finds_no_room_next_door_leaves_by_a_long_way(long: int, gone: dict[str, int]) -> None:
    """Of six in b four are too many: c has room for one, a for none, and the way is long to e at the front.
    Who could stay goes to where more are wanted."""
    room = (
        "=(2 if place.id == 'b' else 1 if place.id == 'c' else 0) - count(units(at=place)) "
        "if place.id in set_of('a', 'b', 'c') else 99"
    )
    rail = {**MOVE, "id": "rail", "does": "rail", "syntax": "rail {units} from {origin} to {target}"}
    war = {**WAR, "garrison": {"least": 0, "share": 0, "home": 0}, "room": room, "long": long}
    red = {place: {"holder": "red"} for place in "de"}
    state = position(("red", "foot", "b", 6), ("blue", "foot", "f", 9), places=red)
    went: Counter[str] = Counter()
    for _, slots in orders(rules({"war": war}, orders=[MOVE, rail]), state):
        went[slots["target"]] += slots["units"]["foot"]
    assert went == gone


def test_no_more_units_are_bought_than_there_is_room_for() -> None:
    shop = {
        "production": [{"id": "foot", "makes": "foot", "price": 3, "site": "place.holder == self and place.id == 'a'"}],
        "orders": [MOVE, {"id": "build", "syntax": "build {n} {item} in {site}", "step": "buy",
                          "slots": {"n": {"kind": "number", "least": 1}, "item": "item", "site": "place"}, "does": "buy"}],
    }  # fmt: skip
    state = position(("red", "foot", "a", 3), ("red", "foot", "c", 2), ("blue", "foot", "d", 9))
    bought = {}
    for name, more in (("room", {"room": ROOM}), ("any", {})):
        policy = {"war": {**WAR, "orders": ["go"], "long": 0, **more}, "purchases": [{"mix": {"foot": 1}}]}
        found = orders(rules(policy, **shop), state)
        bought[name] = sum(slots["n"] for key, slots in found if key == "build")
    assert bought == {"room": 2, "any": 10}


@pytest.mark.parametrize(("men", "bought"), [(4, 4), (9, 9), (10, 10), (11, 10), (0, 0)])
def test_nothing_is_bought_for_which_a_stock_runs_short(men: int, bought: int) -> None:
    shop = {
        "production": [{"id": "foot", "makes": "foot", "price": 3, "site": "place.holder == self and place.id != 'b'",
                       "uses": {"men": {"each": 1, "short": {"times": 2}}}}],
        "resources": [{"id": "gold", "name": "Gold"}, {"id": "men", "name": "Men"}],
        "orders": [MOVE, {"id": "build", "syntax": "build {n} {item} in {site}", "step": "buy",
                          "slots": {"n": {"kind": "number", "least": 1}, "item": "item", "site": "place"}, "does": "buy"}],
    }  # fmt: skip
    policy = {"war": WAR, "purchases": [{"sites": 2, "rest": True, "mix": {"foot": 1}}]}
    found = orders(rules(policy, **shop), position(treasuries={"red": {"gold": 30, "men": men}}))
    assert sum(slots["n"] for _, slots in found) == bought


# ---- what it takes over


def test_a_policy_takes_over_the_acts_of_others() -> None:
    acts = [{"id": a, "syntax": a, "step": "talk", "slots": {}} for a in ("cheer", "wave")]
    rows = [
        {"id": "p", "actions": [{"action": "cheer"}], "also": ["q"]},
        {"id": "q", "when": "False", "actions": [{"action": "wave"}]},
    ]
    assert [key for key, _ in orders(rules({}, actions=acts, policies=rows), position())] == ["cheer", "wave"]


def test_a_policy_that_is_chosen_counts_where_its_test_holds() -> None:
    rows = [{"id": "usual"}, {"id": "late", "when": "turn > 3"}]
    chosen = {"nations": {"red": {"policy": "late"}}}
    early, late = position(**chosen), position(**chosen, game={"game": {"turn": 4}})
    found = [
        (policy_of(World(rules({}, policies=rows), state), "red") or {})["id"] for state in (early, late)
    ]
    assert found == ["usual", "late"]


def test_what_goes_wrong_while_a_policy_thinks_names_its_row() -> None:
    acts = [{"id": "beg", "syntax": "beg", "step": "talk", "slots": {}}]
    rows = [{"id": "p", "actions": [{"action": "beg", "weight": "=1 / (turn - turn)"}]}]
    world = World(rules({}, actions=acts, policies=rows), position())
    with pytest.raises(RuleError) as met:
        plan(world, "red", dice())
    assert met.value.rule == "policies/p"


def test_what_is_required_is_met_by_the_first_rule_that_can(monkeypatch: pytest.MonkeyPatch) -> None:
    acts = [
        {"id": "pay", "syntax": "pay", "step": "talk", "slots": {}, "cost": 40},
        {"id": "beg", "syntax": "beg", "step": "talk", "slots": {}},
    ]
    rows = [{"id": "p", "actions": [{"action": a, "meets": ["due"]} for a in ("pay", "beg")]}]
    monkeypatch.setattr(bots, "gate", lambda world: ["due"])
    asked = iter([{"due": "open"}, {}])
    monkeypatch.setattr(bots, "standing", lambda world, nation, given: (list(given), next(asked)))
    world = World(rules({}, actions=acts, policies=rows), position())
    assert [o["order"] for o in plan(world, "red", dice())] == ["actions/beg"]


def test_where_one_way_to_meet_it_is_refused_another_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    sell = {
        "id": "sell",
        "syntax": "sell {place}",
        "step": "talk",
        "slots": {"place": "place"},
        "limit": {1: ["nation", "place", "turn"]},
        "requires": [{"test": "place.owner == self", "message": "that is not yours"}],
    }
    rows = [{"id": "p", "actions": [{"action": "sell", "meets": ["due"]}]}]
    monkeypatch.setattr(bots, "gate", lambda world: ["due"])
    asked = iter([{"due": "open"}, {"due": "open"}, {"due": "open"}, {}])
    monkeypatch.setattr(bots, "standing", lambda world, nation, given: (list(given), next(asked)))
    world = World(rules({}, actions=[sell], policies=rows), position())
    assert [o["slots"]["place"] for o in plan(world, "red", dice())] == ["a", "b", "c"]


def test_what_did_not_stand_is_not_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    acts = [
        {
            "id": "sell",
            "syntax": "sell {what}",
            "step": "talk",
            "slots": {"what": {"kind": "choice", "choices": ["hat"]}},
        },
        {"id": "beg", "syntax": "beg", "step": "talk", "slots": {}},
    ]
    rows = [{"id": "p", "actions": [{"action": a, "meets": ["due"]} for a in ("sell", "beg")]}]
    monkeypatch.setattr(bots, "gate", lambda world: ["due"])

    def stands(
        _world: World, _nation: str, given: list[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], dict[str, str]]:
        kept = [order for order in given if order["order"] == "actions/beg"]
        return kept, {} if kept else {"due": "open"}

    monkeypatch.setattr(bots, "standing", stands)
    world = World(rules({}, actions=acts, policies=rows), position())
    assert [o["order"] for o in plan(world, "red", dice())] == ["actions/beg"]


def test_who_begins_anew_knows_nothing_of_what_was_given() -> None:
    state = position()
    giver = Giver(
        World(rules({}, actions=[{"id": "beg", "syntax": "beg", "slots": {}}]), state), "red", dice()
    )
    giver.fallen.add("x")
    for _ in range(2):
        assert giver.give("actions/beg", {})
        giver.note_last()
        assert [row["order"] for row in state.table("orders").values()] == ["actions/beg"]
        giver.begin_anew()
        assert not giver.orders and not giver.fallen and not state.table("orders")


# ---- armies across the sea


@pytest.fixture(scope="module")
def britain() -> tuple[Ruleset, State]:
    """1914 with Britain at war, none of its units in place but for those that guard London, and a German host before France."""
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    state = initial_state(ruleset, data)
    state.put("nations", "british-empire", "side", "allied")
    for other in ("french-empire", "german-empire"):
        stance = "war" if other == "german-empire" else "allied"
        state.put("relations", f"british-empire--{other}", "*", {"stance": stance})
    for key, _ in list(state.stacks(owner="british-empire")):
        state.put("units", key, "*", None)
    state.put("units", unit_key("german-empire", "infantry", "cologne"), "n", 200)
    guards = {"owner": "british-empire", "kind": "infantry", "place": "london", "n": 2}
    state.put("units", unit_key("british-empire", "infantry", "london"), "*", guards)
    return ruleset, state


def sent(britain: tuple[Ruleset, State], **units: dict[str, int]) -> list[tuple[str, Any]]:
    """What becomes of British units of `place=...` that move: transports, ships and marches."""
    ruleset, state = britain[0], britain[1].copy()
    for place, kinds in units.items():
        for kind, n in kinds.items():
            at = place.replace("_", "-")
            state.put(
                "units",
                unit_key("british-empire", kind, at),
                "*",
                {"owner": "british-empire", "kind": kind, "place": at, "n": n},
            )
    found = plan(
        World(ruleset, state),
        "british-empire",
        ScriptedDice([1] * 2000).stream(step="input", rule="p", subject="b"),
    )
    moves = ("orders/move", "orders/rail", "orders/transport", "orders/sail")
    return [(o["order"].partition("/")[2], o["slots"]) for o in found if o["order"] in moves]


def test_troops_inland_go_to_a_shore(britain: tuple[Ruleset, State]) -> None:
    (move,) = sent(britain, birmingham={"infantry": 6})
    assert move[0] == "move" and move[1]["origin"] == "birmingham"
    assert World(*britain).geography.next_to(move[1]["target"], ("coast",))


def test_ships_take_aboard_and_land_in_one_turn_what_they_reach(britain: tuple[Ruleset, State]) -> None:
    """Two moves: landing takes one of them."""
    (move,) = sent(britain, cardiff={"infantry": 5}, irish_sea={"transport": 2})
    assert move[0] == "transport" and move[1]["cargo"] == {"infantry": 4} and move[1]["zone"] == "irish-sea"
    assert (
        move[1]["target"] in britain[0].rows("places")
        and britain[0].row("places", move[1]["target"])["kind"] == "land"
    )


def test_ships_that_come_too_far_to_load_sail_there_first(britain: tuple[Ruleset, State]) -> None:
    (move,) = sent(britain, london={"infantry": 5}, caribbean_sea={"transport": 1})
    assert move[0] == "sail" and move[1]["target"] != "caribbean-sea"


def test_troops_that_cannot_stay_aboard_go_from_shore_to_shore(britain: tuple[Ruleset, State]) -> None:
    """From Malta to the south of France it is two zones; one turn takes them over one of them to a friendly shore on the way."""
    (move,) = sent(britain, malta={"infantry": 4}, ionian_sea={"transport": 2})
    links = World(*britain).geography
    assert move[0] == "transport" and move[1]["origin"] == "malta"
    assert "gulf-of-lyon" not in links.next_to("malta", ("coast",))
    landed = links.next_to(move[1]["target"], ("coast",))
    assert any(links.distance(zone, "gulf-of-lyon", ("sea",)) == 1 for zone in landed)
    (further,) = sent(
        britain, **{move[1]["target"]: {"infantry": 4}, "western_mediterranean": {"transport": 2}}
    )
    assert further[0] == "transport" and further[1]["target"] in ("marseille", "toulouse")


def test_of_a_fleet_as_many_go_along_as_there_are_carriers_and_the_plainest(
    britain: tuple[Ruleset, State],
) -> None:
    fleet = {"transport": 2, "destroyer": 5, "battleship": 2}
    moves = sent(britain, cardiff={"infantry": 4}, irish_sea=fleet)
    along = [
        slots["units"]
        for key, slots in moves
        if key == "sail" and slots["origin"] == "irish-sea" and "tasks" not in slots
    ]
    assert moves[0][0] == "transport" and along == [{"destroyer": 2}]


def test_empty_ships_go_only_for_troops_who_have_somewhere_to_go(britain: tuple[Ruleset, State]) -> None:
    waiting = {"jamaica": {"infantry": 4}, "english_channel": {"transport": 2}}
    assert [key for key, _ in sent(britain, **waiting)] == ["sail"]
    ruleset, state = britain[0], britain[1].copy()
    for key, _ in list(state.stacks(owner="german-empire")):
        state.put("units", key, "*", None)
    assert [key for key, _ in sent((ruleset, state), **waiting)] == ["sail"]  # for empty shores of the enemy
    world = World(ruleset, state)
    for place in ruleset.rows("places"):
        if world.holder_of(place) == "german-empire" and world.geography.next_to(place, ("coast",)):
            state.put("places", place, "holder", "british-empire")
    assert sent((ruleset, state), **waiting) == []


@pytest.mark.parametrize(("guards", "troops", "goes"), [(0, 4, True), (3, 4, False), (3, 40, False)])
def test_ships_go_for_no_troops_who_would_not_dare_the_shore_before_them(
    britain: tuple[Ruleset, State], guards: int, troops: int, goes: bool
) -> None:
    """Two transports take four units, however many wait: too few against three at Hamburg, a turn away."""
    ruleset, state = britain[0], britain[1].copy()
    for key, _ in list(state.stacks(at="hamburg")):
        state.put("units", key, "*", None)
    for owner, kind, place, n in (
        ("german-empire", "infantry", "hamburg", guards),
        ("british-empire", "infantry", "newcastle", troops),
        ("british-empire", "transport", "irish-sea", 2),
    ):
        if n:
            row = {"owner": owner, "kind": kind, "place": place, "n": n}
            state.put("units", unit_key(owner, kind, place), "*", row)
    world = World(ruleset, state)
    war = ruleset.row("policies", "island")["war"]
    front = front_of(world, "british-empire", war)
    armies = Armies(front, war["sea"]["armies"])
    armies._kept["_shores"] = {"hamburg": (9, ("north-sea",), True)}
    pool = armies._pool("irish-sea")
    assert pool is not None and armies._leads_on(pool, "north-sea", "newcastle") is goes


def test_no_more_ships_go_for_those_who_wait_than_these_need(britain: tuple[Ruleset, State]) -> None:
    """Two men in Jamaica: of the ships in three zones one goes for them."""
    waiting = {"jamaica": {"infantry": 2}}
    ships = {zone: {"transport": 2} for zone in ("english_channel", "irish_sea", "western_mediterranean")}
    moves = sent(britain, **waiting, **ships)
    assert [slots["units"] for key, slots in moves if key == "sail"] == [{"transport": 1}]


def test_troops_go_from_shore_to_shore_toward_an_enemy_whom_they_would_dare_to_attack(
    britain: tuple[Ruleset, State],
) -> None:
    """Nobody but Japan to fight, which lies more than a turn from Hawaii: the army goes to an island on the way, and there it waits
    until it is strong enough."""
    ruleset, state = britain[0], britain[1].copy()
    for other in ruleset.rows("nations"):
        pair = "--".join(sorted(("british-empire", other)))
        state.put("relations", pair, "*", {"stance": "war" if other == "japan" else "peace"})
    for place in ("hawaii", "caroline-islands"):
        state.put("places", place, "holder", "british-empire")
    army = {"hawaii": {"infantry": 20}, "middle_pacific_ocean": {"transport": 10}}
    (move,) = [m for m in sent((ruleset, state), **army) if m[0] == "transport"]
    assert (move[1]["cargo"], move[1]["target"]) == ({"infantry": 20}, "caroline-islands")
    for place in ruleset.rows("places"):
        if World(ruleset, state).holder_of(place) == "japan":
            host = {"owner": "japan", "kind": "infantry", "place": place, "n": 400}
            state.put("units", unit_key("japan", "infantry", place), "*", host)
    assert [m for m in sent((ruleset, state), **army) if m[0] == "transport"] == []


def test_nobody_is_shipped_to_where_he_stands(britain: tuple[Ruleset, State]) -> None:
    """From Jamaica the first friendly shore on the long way is Jamaica's own; the ships go without the troops, or wait."""
    moves = sent(britain, jamaica={"infantry": 4}, gulf_of_mexico={"transport": 2})
    assert all(slots.get("target") != "jamaica" for _, slots in moves)


def test_what_goes_up_all_round_is_bought_by_number_and_faces_nobody() -> None:
    """Of two orders for it the first is given, as it would be written."""
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    row = {
        **ruleset.rows("policies")["camp"],
        "actions": (),
        "also": (),
        "purchases": [{"share": 1, "mix": {"trench-ring": 1}}],
    }
    forms = {form: dict(ruleset.rows(form)) for form in ruleset.forms} | {"policies": {"camp": row}}
    state = initial_state(ruleset, data)
    state.put("treasuries", "german-empire", "money", 200)
    state.put("relations", "french-empire--german-empire", "*", {"stance": "war"})
    world = World(Ruleset("t", "t", forms, ruleset.sequence), state)
    bought = [
        o
        for o in plan(
            world, "german-empire", ScriptedDice([1] * 2000).stream(step="input", rule="p", subject="g")
        )
        if "item" in o["slots"]
    ]
    assert bought and {o["slots"]["item"] for o in bought} == {"trench-ring"}
    assert all(o["slots"]["n"] == 1 and not {"target", "facing"} & o["slots"].keys() for o in bought)


@pytest.mark.parametrize(("capacity", "turn"), [(1, 1), (5, 1), (6, 2), (9, 3), (14, 4)])
def test_guests_share_out_half_of_a_way_and_its_holder_has_the_rest(capacity: int, turn: int) -> None:
    """Whatever a way takes: if everybody moves the part that they have, nobody is refused."""
    everybody = ("red", "gray", "green", "white")
    friends = {
        "--".join(sorted((a, b))): {"stance": "friends"} for a in everybody for b in everybody if a < b
    }
    nations = [{"id": n, "name": n.title()} for n in (*everybody, "blue")]
    ruleset = rules({"war": WAR}, nations=nations)
    units = [(n, "foot", "b", 3) for n in everybody]
    mode = {"id": "rail", "capacity": {"is": str(capacity), "draws": ["start", "pass", "end"]}}
    parts, told = {}, set()
    for now in (turn, turn + 1, turn + 2):
        state = position(*units, relations=friends, game={"game": {"turn": now}})
        parts = {n: _share(front_of(World(ruleset, state), n, WAR), mode, "b") for n in everybody}
        assert sum(parts.values()) <= capacity and parts["red"] == capacity - capacity // 2
        assert sum(n for who, n in parts.items() if who != "red") == capacity // 2
        told |= {who for who, n in parts.items() if n}
    assert told == set(everybody) or capacity < 2


def gunners(**more: Any) -> Ruleset:
    """Guns can fire from where they stand at whoever attacks a neighbor."""
    cover = {**MOVE, "id": "cover", "syntax": "cover {target} with {units} from {origin}", "does": "fire"}
    fire = {
        "id": "fire",
        "who": "gun",
        "steps": 1,
        "stays": "gun",
        "stays_alone": True,
        "attacks": True,
        "threatens": False,
    }
    return rules({"war": WAR, **more}, orders=[cover, MOVE], movement=[fire, {"id": "walk", "steps": 1}])


def covers(n: int, origin: str, target: str) -> tuple[str, Any]:
    return "cover", {"units": {"gun": n}, "origin": origin, "target": target}


def test_guns_behind_the_front_march_there_instead_of_covering_each_other() -> None:
    state = position(("red", "gun", "a", 3), ("red", "foot", "c", 1), ("blue", "foot", "d", 9))
    assert orders(gunners(), state) == [go({"gun": 3}, "a", "b")]


@pytest.mark.parametrize(("stronger", "given"), [("e", [covers(3, "c", "d")]), ("b", [])])
def test_guns_at_the_front_cover_a_neighbor_that_is_in_greater_danger(
    stronger: str, given: list[tuple[str, Any]]
) -> None:
    units = [("red", "foot", "c", 4), ("red", "gun", "c", 3), ("red", "foot", "d", 4)]
    foes = [("blue", "foot", p, 30 if p == stronger else 20) for p in "be"]
    places = {"b": {"holder": "blue"}, "d": {"holder": "red"}}
    assert orders(gunners(), position(*units, *foes, places=places)) == given


@pytest.mark.parametrize(
    ("men", "without", "pushing"),
    [(3, Fraction(5, 3), Fraction(5, 3)), (4, 0, Fraction(2, 3)), (5, 0, Fraction(2, 3)), (6, 0, 0)],
)
def test_a_front_that_could_be_held_draws_troops_until_it_could_go_on(
    men: int, without: Any, pushing: Any
) -> None:
    """Four of blue in d threaten c, which three cannot hold; six could take d at odds of 3:2."""
    state = position(("red", "foot", "c", men), ("blue", "foot", "d", 4))
    for war, pull in ((WAR, without), ({**WAR, "push": "3/2"}, pushing)):
        assert front_of(World(rules({"war": war}), state), "red", war).pull("b") == pull


def facing_two(place: str, n: int, other: int, **war: Any) -> list[tuple[str, Any]]:
    """What red orders who stands in c and d, with enemies of `n` beside `place` and of `other` beside the other one."""
    ruleset = rules(
        {"war": {**WAR, "odds": 99, "garrison": {"who": "foot", "share": 9}, **war}},
        orders=[MOVE],
        movement=[{"id": "walk", "steps": 1}],
    )
    foes = [("blue", "foot", p, n if p == place else other) for p in "be"]
    state = position(
        ("red", "foot", "c", 6),
        ("red", "foot", "d", 6),
        ("red", "gun", "d", 2),
        *foes,
        places={"b": {"holder": "blue"}, "d": {"holder": "red"}},
    )
    return orders(ruleset, state)


def test_troops_of_the_front_go_to_a_neighbor_in_greater_danger_until_that_is_even() -> None:
    assert facing_two("e", 12, 4) == []  # not without the key
    assert facing_two("e", 12, 4, shift=1) == [go({"foot": 2}, "c", "d")]
    assert facing_two("e", 12, 4, shift=3) == [
        go({"foot": 1}, "c", "d")
    ]  # only from where it is three times as safe
    assert facing_two("e", 9, 8, shift=1) == []


def test_a_place_that_is_worth_more_is_held_by_more() -> None:
    worth = "=3 if place.id == 'c' else 1"
    assert facing_two("b", 8, 8, shift=1, worth=worth) == [go({"foot": 2}, "d", "c")]


def test_nothing_is_ordered_for_which_the_money_would_have_to_come_in_first() -> None:
    acts = [{"id": id_, "syntax": id_, "cost": 20} for id_ in ("feast", "parade")]
    frame = [
        {"input": "orders", "step": "orders"},
        {"step": "income", "do": "collect"},
        {"step": "spend", "do": "act", "actions": ["feast", "parade"]},
    ]
    ruleset = rules({"actions": [{"action": "feast"}, {"action": "parade"}]}, actions=acts)
    ruleset = Ruleset("t", "t", ruleset.forms, sequence=tuple(frame))
    world = World(ruleset, position())
    both = [
        {"nation": "red", "order": f"actions/{act['id']}", "slots": {}, "options": {}, "line": 1}
        for act in acts
    ]
    assert [d.code for d in check(world, "red", both).found] == [
        "O301"
    ]  # a player may count on what comes in
    assert [o["order"] for o in plan(world, "red", dice())] == ["actions/feast"]  # of 30 in the purse


def seen_in_d(told: dict[str, Any] | None) -> tuple[int, Any]:
    """Number and worth of blue and gray in d, of each of whom a map shows more than twenty, by what a look has told of d."""
    shows = [
        {
            "id": "hosts",
            "what": "units",
            "to": "everyone",
            "as": "band",
            "bands": {"21..": "red"},
            "follows": "units",
        }
    ]
    known = {"red": {"units:d": {"since": 1, **told}}} if told else {}
    bands = {
        f"{o}.?@d": {"owner": o, "kind": "?", "place": "d", "n": 21, "range": "21.."}
        for o in ("blue", "gray")
    }
    wars = {"blue--red": {"stance": "war"}, "gray--red": {"stance": "war"}}
    state = position(("red", "foot", "c", 50), units=bands, knowledge=known, relations=wars)
    state.put(
        "units", unit_key("red", "foot", "c"), "*", {"owner": "red", "kind": "foot", "place": "c", "n": 50}
    )
    return front_of(World(rules({"war": WAR}, visibility=shows), state), "red", WAR).defenders("d")


def test_what_a_look_has_told_of_a_place_counts_for_all_who_stand_there_together() -> None:
    """Each of two owners had counted as no fewer than stand against them."""
    assert seen_in_d(None)[0] >= 50
    assert seen_in_d({"as": "exact", "n": 7, "units": {"foot": 5, "gun": 2}}) == (7, 5 * 3 + 2 * 1)
    assert seen_in_d({"as": "number", "n": 9}) == (
        18,
        18 * 4,
    )  # it has seen some only, and none of their kinds
    assert seen_in_d({"as": "number", "n": 0}) == (1, 4)
    assert seen_in_d({"as": "exact", "n": 7, "units": {"foot": 7}, "since": -1})[0] >= 50  # too long ago


def test_guns_alone_hold_no_place() -> None:
    """Eight guns in d are worth 8 * 8, as much as four men; with nobody before them they are in the greater danger."""

    def given(men: int) -> list[tuple[str, Any]]:
        war = {**WAR, "odds": 99, "garrison": {"who": "foot", "share": 9}, "shift": 3}
        ruleset = rules({"war": war}, orders=[MOVE], movement=[{"id": "walk", "steps": 1}])
        units = [
            ("red", "foot", "c", 6),
            ("red", "gun", "d", 8),
            ("blue", "foot", "b", 6),
            ("blue", "foot", "e", 6),
        ]
        here = [("red", "foot", "d", men)] if men else []
        return orders(
            ruleset, position(*units, *here, places={"b": {"holder": "blue"}, "d": {"holder": "red"}})
        )

    assert given(0) == [go({"foot": 2}, "c", "d")]
    assert given(4) == []
