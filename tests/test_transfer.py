"""Money on its way: shortest lanes, cuts, raids, gifts and levies."""

from __future__ import annotations

from typing import Any

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from wteaw.core.dice import ScriptedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.economy import transfer
from wteaw.turn.context import Turn
from wteaw.world.disjoint_paths import shortest_lanes
from wteaw.world.geography import Geography

# home --- 1 or 2 (each: two zones to the colony) or the long way 3, 4, 5: colony
SEA = [
    "home-s1",
    "s1-s2",
    "s2-colony",
    "home-n1",
    "n1-n2",
    "n2-colony",
    "home-l1",
    "l1-l2",
    "l2-l3",
    "l3-colony",
]
OVERSEAS: Row = {
    "id": "overseas", "kind": "route", "what": "money", "links": ["sea"], "quays": ["coast"], "cut": "force.mission == 'close'",
    "maybe_cut": {"by": "force.mission == 'roam'", "contact": "sighting"}, "raid": {"by": "raider", "each": "1..5"},
    "no_way": {"to_cutter": "1/2", "round": "up"},
}  # fmt: skip
GIFTS: list[Row] = [
    {
        "id": "kin",
        "kind": "gift",
        "what": "money",
        "when": "set_of(self.id, target.id) == set_of('red', 'rose')",
    },
    {
        "id": "ally",
        "kind": "gift",
        "what": "money",
        "when": "allied(self, target)",
        "arrives": "1/2",
        "round": "up",
    },
]
TRIBUTE: Row = {
    "id": "tribute", "kind": "levy", "what": "money", "of": "=nation.income", "share": "1/4", "round": "up", "turns": 3, "until": "at_war(self, target)",
}  # fmt: skip


def rules() -> Ruleset:
    ends = [x for pair in SEA for x in pair.split("-")]
    land = {"home", "colony"}
    units: list[Row] = [{"id": "raider", "tags": []}, {"id": "cruiser", "tags": [], "sight": 5}]
    forms: dict[str, list[Row]] = {
        "places": [{"id": p, "kind": "land" if p in land else "sea", **({"owner": "red"} if p in land else {})} for p in dict.fromkeys(ends)],
        "links": [{"id": p, "between": p.split("-"), "kind": "coast" if land & set(p.split("-")) else "sea"} for p in SEA],
        "stances": [{"id": "peace", "default": True}, {"id": "pact", "friendly": True}, {"id": "war", "hostile": True}],
        "nations": [{"id": "green"}, {"id": "red", "capital": "home"}, {"id": "rose"}, {"id": "pink"}, {"id": "blue"}],
        "resources": [{"id": "money", "treasury": {"region": {"seat": "capital", "links": ["land"]}}}],
        "units": units,
        "fields": [
                   {"id": "capital", "of": ["nation"], "type": "id", "table": "places", "default": None},
                   {"id": "sight", "of": ["unit"], "type": "number", "default": 0},
                   {"id": "income", "of": ["nation"], "type": "number", "default": 0}],
        "detection": [{"id": "sighting", "pairs": "same_place", "gives": "battle", "value": "sight", "die": "1d10"}],
        "transfers": [OVERSEAS, *GIFTS, TRIBUTE],
        "orders": [{"id": "send", "syntax": "send", "step": "pay", "does": "overseas"}, {"id": "give", "syntax": "give", "step": "pay", "does": "ally"}],
    }  # fmt: skip
    return Ruleset("t", "T", {f: {r["id"]: r for r in those} for f, those in forms.items()})


def begin(
    orders: list[tuple[str, str, Row]], stores: dict[str, int], *, at: dict[str, tuple[str, str, int]] | None = None, dice: list[int] | None = None,
    agreements: dict[str, Row] | None = None, income: dict[str, int] | None = None,
) -> Turn:  # fmt: skip
    """`at`: place -> (nation, what it does or the kind "raider", number)."""
    state = State({"game": {"game": {"turn": 1}}})
    for pair, stance in {
        "blue--red": "war",
        "green--red": "war",
        "pink--red": "pact",
        "red--rose": "pact",
    }.items():
        state.put("relations", pair, "*", {"stance": stance})
    for purse, n in stores.items():
        state.put("treasuries", purse, "money", n)
    for place, (nation, what, n) in (at or {}).items():
        kind = "raider" if what == "raider" else "cruiser"
        force = f"{nation}#{place}"
        state.put("forces", force, "*", {"owner": nation, "at": place, "mission": what})
        state.put(
            "units",
            f"{nation}.{kind}@{place}[force={force}]",
            "*",
            {"owner": nation, "kind": kind, "place": place, "n": n, "force": force},
        )
    for number, (nation, form, slots) in enumerate(orders, 1):
        state.put(
            "orders",
            f"{nation}/{number:04d}",
            "*",
            {"nation": nation, "order": f"orders/{form}", "slots": slots, "text": form},
        )
    for key, agreement in (agreements or {}).items():
        state.put("agreements", key, "*", agreement)
    for nation, n in (income or {}).items():
        state.put("nations", nation, "income", n)
    return Turn(rules(), state, ScriptedDice(dice or []), moments={"game": state.copy()})


def purses(turn: Turn) -> dict[str, int]:
    return {k: r["money"] for k, r in sorted(turn.state.table("treasuries").items()) if r.get("money")}


def send(amount: int, **more: Any) -> tuple[str, str, Row]:
    return ("red", "send", {"amount": amount, "origin": "colony", "target": "home", **more})


PURSES = {"red/home": 10, "red/colony": 30}


def run(turn: Turn) -> Turn:
    transfer.run({"do": "transfer"}, turn)
    return turn


def refused(turn: Turn) -> list[str]:
    return [e.data["refused"] for e in turn.journal.entries if "refused" in e.data]


def test_a_sum_goes_from_one_purse_to_the_other() -> None:
    assert purses(run(begin([send(20)], PURSES))) == {"red/colony": 10, "red/home": 30}


def test_more_than_there_is_nothing_and_what_needs_no_way_are_refused() -> None:
    turn = run(begin([send(31), send(0), send(5, target="colony")], PURSES))
    assert refused(turn) == ["30 are there", "it names no amount", "both places draw on one treasury"]
    assert purses(turn) == {"red/colony": 30, "red/home": 10}


def test_what_has_just_arrived_cannot_be_sent_on_in_the_same_step() -> None:
    back = ("red", "send", {"amount": 25, "origin": "home", "target": "colony"})
    assert refused(run(begin([send(20), back], PURSES))) == ["10 are there"]


def test_equal_lanes_share_the_sum_and_raiders_on_one_reach_its_share_alone() -> None:
    turn = run(begin([send(9)], PURSES, at={"n1": ("blue", "raider", 2)}, dice=[4, 5]))
    (entry,) = [e for e in turn.journal.entries if "shares" in e.data]
    assert entry.data["lanes"] == [["n2", "n1"], ["s2", "s1"]]
    assert (entry.data["shares"], entry.data["lost"]) == ([5, 4], [5, 0])
    assert purses(turn) == {"red/colony": 21, "red/home": 14}


def test_a_lane_that_is_named_comes_first_and_takes_the_odd_one() -> None:
    turn = run(begin([send(9, via=["s1"])], PURSES, at={"n1": ("blue", "raider", 1)}, dice=[5]))
    (entry,) = [e for e in turn.journal.entries if "shares" in e.data]
    assert (entry.data["lanes"][0], entry.data["shares"], entry.data["lost"]) == (
        ["s2", "s1"],
        [5, 4],
        [0, 4],
    )


def test_a_lane_that_is_cut_is_left_out_and_the_long_way_is_never_taken() -> None:
    turn = run(begin([send(9)], PURSES, at={"n1": ("blue", "close", 1)}))
    assert purses(turn) == {"red/colony": 21, "red/home": 19}
    turn = run(begin([send(9)], PURSES, at={"n1": ("blue", "close", 1), "s2": ("green", "close", 1)}))
    assert purses(turn) == {
        "blue": 2,
        "green": 3,
        "red/colony": 21,
        "red/home": 10,
    }  # half of 9 rounded up, the first nation more


def test_a_force_that_only_roams_cuts_if_it_finds_what_passes() -> None:
    roaming = {"n1": ("blue", "roam", 2), "s1": ("blue", "close", 1)}
    assert purses(run(begin([send(8)], PURSES, at=roaming, dice=[6, 5])))["red/home"] == 10
    assert purses(run(begin([send(8)], PURSES, at=roaming, dice=[6, 6])))["red/home"] == 18


def test_friends_on_the_way_cut_nothing() -> None:
    assert (
        purses(run(begin([send(8)], PURSES, at={"n1": ("rose", "close", 1), "s1": ("rose", "raider", 1)})))[
            "red/home"
        ]
        == 18
    )


def test_gifts_arrive_at_the_rate_of_the_first_row_that_fits() -> None:
    orders = [("red", "give", {"amount": 5, "target": n}) for n in ("rose", "pink", "blue")]
    turn = run(begin(orders, {"red/home": 20}))
    assert purses(turn) == {"pink": 3, "red/home": 10, "rose": 5}
    assert refused(turn) == ["no gift can be made to them"]


def test_a_levy_takes_its_share_and_splits_it_by_weight_until_its_turns_are_over() -> None:
    deal = {"peace": {"levy": "tribute", "from": "pink", "to": {"rose": 1, "green": 3}, "left": 2}}
    turn = run(begin([], {"pink": 20}, agreements=deal, income={"pink": 21}))
    assert purses(turn) == {"green": 5, "pink": 14, "rose": 1}  # 6 of 21
    assert turn.state.get("agreements", "peace", "left") == 1
    assert purses(run(turn)) == {"green": 10, "pink": 8, "rose": 2}
    assert not turn.state.table("agreements")


def test_a_levy_ends_with_war_and_takes_no_more_than_there_is() -> None:
    deal = {"peace": {"levy": "tribute", "from": "red", "to": ["blue"]}}
    turn = run(begin([], {"red/home": 20}, agreements=deal, income={"red": 21}))
    assert purses(turn) == {"red/home": 20} and not turn.state.table("agreements")
    deal = {"peace": {"levy": "tribute", "from": "pink", "to": ["rose"]}}
    assert purses(run(begin([], {"pink": 2}, agreements=deal, income={"pink": 21}))) == {"rose": 2}


def most_apart(ways: list[list[str]]) -> int:
    """How many of these ways share no place but their ends, by trying."""
    if not ways:
        return 0
    first, rest = ways[0], ways[1:]
    taken = 1 + most_apart([w for w in rest if not set(w[1:-1]) & set(first[1:-1])])
    return max(taken, most_apart(rest))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=3, max_size=14))
def test_lanes_are_shortest_share_no_place_and_are_as_many_as_can_be(pairs: list[tuple[int, int]]) -> None:
    quays = {"in-p0", "in-p1", "in-p2", "p5-out", "p6-out", "p7-out"}
    ends = {f"p{a}-p{b}" for a, b in pairs if a < b} | quays
    places = {x for e in ends for x in e.split("-")}
    links = {
        e: {"id": e, "between": e.split("-"), "kind": "coast" if e in quays else "sea"} for e in sorted(ends)
    }
    geography = Geography(
        Ruleset("t", "T", {"places": {p: {"id": p} for p in sorted(places)}, "links": links})
    )
    lanes = shortest_lanes(geography, ["in"], ["out"], ["sea"], ["coast"])
    graph = nx.Graph([e.split("-") for e in ends])
    ways = list(nx.all_shortest_paths(graph, "in", "out")) if nx.has_path(graph, "in", "out") else []
    whole = [["in", *lane, "out"] for lane in lanes]
    assert all(w in ways for w in whole)
    inner = [p for lane in lanes for p in lane]
    assert len(inner) == len(set(inner)) and len(lanes) == most_apart(ways)
