"""Moving by land: who may go where, attacks, pinned guns, and that everything is tested on the state before the step."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from wteaw.core.dice import KeyedDice
from wteaw.core.journal import replay
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.turn.context import Turn
from wteaw.units import control, forces, move
from wteaw.world import routes

# A line of five places, and one across a strait from the third:  a - b - c - d - e,  c ~ f
LINKS = [("a", "b", "land"), ("b", "c", "land"), ("c", "d", "land"), ("d", "e", "land"), ("c", "f", "strait")]
STANCES = [
    {"id": "peace", "default": True, "enter": "fight", "share": "sea"},
    {"id": "pact", "enter": "free", "share": "always", "friendly": True},
    {"id": "war", "enter": "fight", "share": "sea", "hostile": True},
]
UNITS = [
    {"id": "foot", "tags": ["land", "takes"], "move": 1, "attack": 2},
    {"id": "gun", "tags": ["land", "pinned", "back"], "move": 1, "attack": 5},
    {"id": "flak", "tags": ["land", "pinned"], "move": 1, "attack": 0},
    {"id": "horse", "tags": ["land", "takes"], "move": 2, "attack": 3},
]
MARCH: Row = {
    "id": "march",
    "who": "land",
    "links": ["land", "strait"],
    "steps": "move",
    "pass": "friendly(self, place)",
    "pinned": "'pinned' in unit.tags and place.attacked",
    "attack": "unit.attack > 0 and not (link.kind == 'strait' and unit.kind == 'horse')",
    "stays": "back",
}
CAPTURE: Row = {
    "id": "capture",
    "how": "capture",
    "by": "takes",
    "to": ["first_owner_if_ally", "largest"],
    "value": "attack",
    "clears": True,
}


def by_id(rows: list[Row]) -> dict[str, Row]:
    return {r["id"]: r for r in rows}


def ruleset(march: Row = MARCH, **forms: list[Row]) -> Ruleset:
    places = [
        {"id": p, "kind": "land", "owner": o}
        for p, o in {"a": "red", "b": "red", "c": "red", "d": "blue", "e": "blue", "f": "gray"}.items()
    ]
    fields = [{"id": f, "of": ["unit"], "type": "number", "default": 0} for f in ("move", "attack")]
    table: dict[str, list[Row]] = {
        "places": places,
        "links": [{"id": f"{a}--{b}", "between": [a, b], "kind": k} for a, b, k in LINKS],
        "stances": STANCES,
        "units": UNITS,
        "nations": [{"id": n} for n in ("red", "rose", "blue", "gray")],
        "fields": fields,
        "stats": [{"id": "move", "of": "unit", "base": "unit.move"}],
        "movement": [march],
        "capture": [CAPTURE],
        "orders": [{"id": "go", "syntax": "go {units} from {origin} to {target}", "step": "attacks", "does": march["id"],
                    "options": ["withdraw", "then", "if-seen"]}],
        **forms,
    }  # fmt: skip
    return Ruleset("test", "Test", {form: by_id(rows) for form, rows in table.items()})


def position(units: dict[str, dict[str, int]], relations: dict[str, str] | None = None) -> State:
    """`units`: "nation place" -> kind -> number. Red is at war with blue and in a pact with rose unless said otherwise."""
    state = State({"game": {"game": {"turn": 1}}})
    for where, kinds in units.items():
        owner, place = where.split()
        for kind, n in kinds.items():
            state.put(
                "units",
                f"{owner}.{kind}@{place}",
                "*",
                {"owner": owner, "kind": kind, "place": place, "n": n},
            )
    for pair, stance in {
        "blue--red": "war",
        "blue--rose": "war",
        "red--rose": "pact",
        **(relations or {}),
    }.items():
        state.put("relations", pair, "*", {"stance": stance})
    return state


def begin(
    state: State,
    orders: list[tuple[str, dict[str, int], str, str]],
    rules: Ruleset | None = None,
    **options: Any,
) -> Turn:
    """A turn with orders (nation, units, origin, target) in their sequence."""
    for number, (nation, units, origin, target) in enumerate(orders, 1):
        slots = {"units": units, "origin": origin, "target": target}
        row = {
            "nation": nation,
            "order": "orders/go",
            "slots": slots,
            "options": options,
            "text": f"{nation} {number}",
        }
        state.put("orders", f"{nation}/{number:04d}", "*", row)
    return Turn(rules or ruleset(), state, KeyedDice("11", 1), moments={"game": state.copy()})


def play(turn: Turn, *which: str) -> Turn:
    for step in which or ("friendly", "hostile"):
        turn.journal.step = step
        move.run({"do": "move", "movement": list(turn.ruleset.rows("movement")), "which": step}, turn)
    return turn


def standing(turn: Turn) -> dict[str, int]:
    """Units by "owner kind place", whatever their other fields."""
    out: dict[str, int] = {}
    for _, row in turn.state.stacks():
        key = f"{row['owner']} {row['kind']} {row['place']}"
        out[key] = out.get(key, 0) + row["n"]
    return out


def refused(turn: Turn) -> list[str]:
    return [e.data["refused"] for e in turn.journal.entries if "refused" in e.data]


def test_units_move_into_friendly_land_and_are_marked_as_moved() -> None:
    turn = play(begin(position({"red a": {"foot": 3}}), [("red", {"foot": 2}, "a", "b")]), "friendly")
    assert standing(turn) == {"red foot a": 1, "red foot b": 2}
    assert [r["n"] for _, r in turn.state.stacks(at="b") if r.get("moved")] == [2]
    assert not turn.state.table("forces")


def test_a_unit_that_has_moved_cannot_attack_from_its_new_place() -> None:
    turn = play(
        begin(
            position({"red b": {"foot": 1}}), [("red", {"foot": 1}, "b", "c"), ("red", {"foot": 1}, "c", "d")]
        )
    )
    assert standing(turn) == {"red foot c": 1}
    assert refused(turn) == ["not that many units free to go in c: 1 foot ordered, 0 there"]


def test_an_attacking_force_stands_in_the_place_attacked_and_its_guns_stay_behind() -> None:
    start = position({"red c": {"foot": 4, "gun": 2}, "blue d": {"foot": 1}})
    turn = play(begin(start, [("red", {"foot": 3, "gun": 1}, "c", "d")], withdraw=2))
    assert standing(turn) == {"blue foot d": 1, "red foot c": 1, "red foot d": 3, "red gun c": 2}
    first, second = (dict(r) for _, r in sorted(turn.state.table("forces").items()))
    assert (first["from"], first["at"], first["to"], first["options"]) == ("c", "d", "d", {"withdraw": 2})
    assert (second["at"], second["stays"], second["targets"]) == ("c", True, ["d"])
    assert forces.strength(turn.state, "red#0001") == {"foot": 3}
    assert forces.strength(turn.state, "red#0002") == {"gun": 1}
    assert {r["via"] for _, r in turn.state.stacks() if "via" in r} == {"c>d"}


def test_guns_alone_do_not_attack_but_do_beside_others_of_another_order() -> None:
    alone = play(
        begin(position({"red c": {"gun": 1}, "blue d": {"foot": 1}}), [("red", {"gun": 1}, "c", "d")])
    )
    assert refused(alone) == ["nobody goes in beside them"]
    start = position({"red c": {"gun": 1, "foot": 1}, "blue d": {"foot": 1}})
    beside = play(begin(start, [("red", {"gun": 1}, "c", "d"), ("red", {"foot": 1}, "c", "d")]))
    assert refused(beside) == [] and len(beside.state.table("forces")) == 2


def test_guns_in_a_place_under_attack_stay_where_infantry_may_leave() -> None:
    start = position({"red c": {"gun": 1, "foot": 1}, "blue d": {"foot": 2}})
    orders = [("red", {"gun": 1}, "c", "b"), ("red", {"foot": 1}, "c", "b"), ("blue", {"foot": 1}, "d", "c")]
    turn = play(begin(start, orders))
    assert standing(turn) == {"blue foot c": 1, "blue foot d": 1, "red foot b": 1, "red gun c": 1}
    assert refused(turn) == ["they cannot leave c while it is attacked"]


def test_an_attack_that_is_not_valid_pins_nobody() -> None:
    start = position({"red c": {"gun": 1}, "blue d": {"foot": 2}})
    turn = play(begin(start, [("red", {"gun": 1}, "c", "b"), ("blue", {"foot": 3}, "d", "c")]))
    assert standing(turn) == {"blue foot d": 2, "red gun b": 1}


def test_units_that_cannot_attack_there_are_refused_and_nothing_is_half_applied() -> None:
    start = position({"red c": {"foot": 2, "horse": 1}}, {"gray--red": "war"})
    turn = play(begin(start, [("red", {"foot": 1, "horse": 1}, "c", "f"), ("red", {"foot": 1}, "c", "f")]))
    assert refused(turn) == ["horse cannot attack f from there"]
    assert standing(turn) == {"red foot c": 1, "red foot f": 1, "red horse c": 1}


def test_more_units_than_there_are_is_refused_whole() -> None:
    turn = play(
        begin(
            position({"red a": {"foot": 2}}), [("red", {"foot": 2}, "a", "b"), ("red", {"foot": 1}, "a", "b")]
        )
    )
    assert standing(turn) == {"red foot b": 2}
    assert refused(turn) == [
        "not that many units free to go in a: others are under other orders, or cannot leave"
    ]


def test_a_group_is_as_slow_as_its_slowest_and_passes_friendly_land_only() -> None:
    world = begin(position({"red a": {"foot": 1, "horse": 1}, "red c": {"horse": 1}}), []).world
    assert set(routes.reach(world, "red", "march", "a", ["horse"])) == {"b", "c"}
    assert set(routes.reach(world, "red", "march", "a", ["horse", "foot"])) == {"b"}
    assert routes.reach(world, "red", "march", "c", ["horse"])["d"] == (1, ("c", "d"))
    assert "e" not in routes.reach(world, "red", "march", "c", ["horse"])  # not through the enemy
    assert routes.reach(world, "red", "march", "a", ["gun"]) == {}  # none there


def test_both_sides_may_attack_across_one_border_and_change_places() -> None:
    start = position({"red c": {"foot": 2}, "blue d": {"foot": 3}})
    turn = play(begin(start, [("red", {"foot": 2}, "c", "d"), ("blue", {"foot": 3}, "d", "c")]))
    assert standing(turn) == {"blue foot c": 3, "red foot d": 2}


def test_an_attack_without_war_brings_about_what_the_mode_says() -> None:
    war = {
        "says": "{self} attacks {target}.",
        "effects": [{"relate": {"a": "=self", "b": "=target", "stance": "war", "declared": True}}],
    }
    turn = play(
        begin(
            position({"red c": {"foot": 1}}),
            [("red", {"foot": 1}, "c", "f")],
            ruleset({**MARCH, "undeclared": war}),
        )
    )
    assert turn.world.hostile("red", "gray")
    facts = [(f.word, f.roles["by"], f.roles["of"]) for f in turn.journal.pending if f.word == "declared"]
    assert facts == [("declared", "red", "gray")]


def test_the_order_of_the_orders_of_different_nations_changes_nothing() -> None:
    orders = [
        ("red", {"foot": 2}, "c", "d"),
        ("blue", {"foot": 1}, "d", "c"),
        ("rose", {"foot": 1}, "b", "c"),
    ]
    start = {"red c": {"foot": 2}, "blue d": {"foot": 1}, "rose b": {"foot": 1}}
    first = play(begin(position(start), orders))
    second = play(begin(position(start), orders[::-1]))
    assert standing(first) == standing(second)


def test_closing_makes_plain_units_of_forces_again() -> None:
    turn = play(begin(position({"red c": {"foot": 2, "gun": 1}}), [("red", {"foot": 2, "gun": 1}, "c", "d")]))
    control.run({"do": "capture", "close": True}, turn)
    assert sorted(turn.state.table("units")) == ["red.foot@d", "red.gun@c"]
    assert not turn.state.table("forces") and "attacked" not in turn.state.row("places", "d")
    assert turn.world.holder_of("d") == "red"


# ---- strategic moves, shared capacity, arrivals

RAIL: Row = {
    "id": "rail",
    "links": ["land", "strait"],
    "start": "friendly(self, place)",
    "enter": "friendly(self, place)",
    "fights": False,
    "arrives": "arrivals",
    "holds": "friendly(self, place)",
    "if_none": ["nearest", "lost"],
    "capacity": {"is": "3 if place.id == 'b' else 9", "draws": ["start", "pass", "end"]},
}


def arrive(turn: Turn) -> Turn:
    move.run({"do": "move", "movement": ["rail"], "which": "arrive"}, turn)
    return turn


def test_units_on_a_strategic_move_are_nowhere_until_they_arrive() -> None:
    turn = play(
        begin(position({"red a": {"foot": 2, "gun": 1}}), [("red", {"foot": 2}, "a", "c")], ruleset(RAIL)),
        "friendly",
    )
    assert standing(turn) == {"red gun a": 1}
    assert standing(arrive(turn)) == {"red foot c": 2, "red gun a": 1}
    assert not turn.state.table("under_way")


def test_capacity_counts_start_end_and_passage_of_all_nations_and_the_host_goes_first() -> None:
    start = position({"red a": {"foot": 4}, "rose a": {"foot": 4}, "red b": {"foot": 1}})
    orders = [("rose", {"foot": 2}, "a", "c"), ("red", {"foot": 1}, "b", "c"), ("red", {"foot": 1}, "a", "c")]
    turn = play(begin(start, orders, ruleset(RAIL)), "friendly")
    assert refused(turn) == ["no room left in b"]
    assert standing(arrive(turn)) == {"red foot a": 3, "red foot c": 2, "rose foot a": 4}


def test_room_that_two_guests_want_is_given_by_lot() -> None:
    start = position({"rose a": {"foot": 4}, "green a": {"foot": 4}}, {"green--red": "pact"})
    orders = [("rose", {"foot": 2}, "a", "c"), ("green", {"foot": 2}, "a", "c")]
    rules = ruleset(RAIL, nations=[{"id": n} for n in ("red", "rose", "green", "blue", "gray")])
    turn = play(begin(start, orders, rules), "friendly")
    dice = {e.subject: e.dice for e in turn.journal.entries if e.dice}
    assert set(dice) == {"rose/0001", "green/0002"}
    assert len(turn.state.table("under_way")) == 1


def test_a_way_cut_short_ends_before_the_cut_and_a_way_all_lost_beside_it() -> None:
    for lost, end in {"c": "b", "b": "a"}.items():
        turn = play(
            begin(position({"red a": {"foot": 1}}), [("red", {"foot": 1}, "a", "c")], ruleset(RAIL)),
            "friendly",
        )
        turn.state.put("places", lost, "holder", "blue")
        assert standing(arrive(turn)) == {f"red foot {end}": 1}
    turn = play(
        begin(position({"red b": {"foot": 1}}), [("red", {"foot": 1}, "b", "c")], ruleset(RAIL)), "friendly"
    )
    for lost in "bc":
        turn.state.put("places", lost, "holder", "blue")
    assert standing(arrive(turn)) == {"red foot a": 1}
    turn = play(
        begin(position({"red b": {"foot": 1}}), [("red", {"foot": 1}, "b", "c")], ruleset(RAIL)), "friendly"
    )
    for lost in "abc":
        turn.state.put("places", lost, "holder", "blue")
    assert standing(arrive(turn)) == {}
    assert [f.word for e in turn.journal.entries for f in e.facts][-1] == "destroyed"


# ---- aircraft: allowance that is kept, and the way home

FLIGHT: Row = {
    "id": "flight", "links": ["land", "strait"], "steps": "fuel", "keeps": "left", "passes_over": True, "threatens": False,
    "home": "friendly(self, place)", "reserve": 1,
}  # fmt: skip


def air(fuel: int) -> Ruleset:
    return ruleset(
        FLIGHT,
        units=[*UNITS, {"id": "plane", "tags": ["air"], "fuel": fuel, "attack": 2}],
        fields=[
            {"id": f, "of": ["unit"], "type": "number", "default": 0} for f in ("move", "attack", "fuel")
        ],
        stats=[{"id": "fuel", "of": "unit", "base": "unit.fuel"}],
    )


def test_aircraft_attack_only_where_they_could_fight_a_round_and_come_back() -> None:
    start = position({"red c": {"plane": 2}, "blue e": {"foot": 1}})
    assert refused(play(begin(start, [("red", {"plane": 1}, "c", "e")], air(4)))) == [
        "they would not get back from e"
    ]
    turn = play(begin(start, [("red", {"plane": 1}, "c", "e")], air(5)))
    assert refused(turn) == []
    assert [r["left"] for _, r in turn.state.stacks(at="e", owner="red")] == [3]


def test_aircraft_go_home_when_the_forces_end_or_are_lost() -> None:
    start = position({"red c": {"plane": 1}, "blue d": {"foot": 1}})
    turn = play(begin(start, [("red", {"plane": 1}, "c", "d")], air(3)))
    control.run({"do": "capture", "close": True}, turn)
    assert sorted(turn.state.table("units")) == ["blue.foot@d", "red.plane@c"]
    turn = play(
        begin(
            position({"red c": {"plane": 1}, "blue d": {"foot": 1}}),
            [("red", {"plane": 1}, "c", "d")],
            air(3),
        )
    )
    turn.state.put(
        "places", "c", "holder", "blue"
    )  # the base is lost, the next one is two away, and two points are left
    control.run({"do": "capture", "close": True}, turn)
    assert sorted(turn.state.table("units")) == ["blue.foot@d", "red.plane@b"]


def test_neutral_land_is_not_flown_over_unless_the_stance_lets_aircraft_pass() -> None:
    stances = [{**s, "over": "never" if s["id"] == "peace" else "always"} for s in STANCES]
    rules = Ruleset("t", "T", {**air(9).forms, "stances": by_id(stances)})
    world = begin(position({"red c": {"plane": 1}}, {"blue--red": "peace"}), [], rules).world
    found = routes.reach(world, "red", "flight", "c", ["plane"])
    assert "d" in found and "e" not in found  # d could be attacked, but not flown over


# ---- going on from a place just taken


def onward(options: dict[str, Any], *, taken: bool = True) -> Turn:
    rules = ruleset(
        {**MARCH, "onward": "unit.kind == 'horse'"},
        order_options=[
            {"id": "then", "syntax": "then {place}", "slots": {"place": "place"}, "gives": "onward"}
        ],
    )
    start = position({"red c": {"foot": 1, "horse": 2}, "blue e": {"foot": 1}})
    turn = play(begin(start, [("red", {"foot": 1, "horse": 2}, "c", "d")], rules, **options))
    if taken:
        control.run({"do": "capture"}, turn)
    move.run({"do": "move", "movement": ["march"], "which": "onward"}, turn)
    return turn


def test_those_who_may_go_on_into_the_next_place_and_only_once() -> None:
    turn = onward({"then": "e"})
    assert standing(turn) == {"blue foot e": 1, "red foot d": 1, "red horse e": 2}
    second = turn.state.row("forces", "red#0002")
    assert (second["from"], second["at"], second["path"]) == ("d", "e", ["d", "e"])
    turn.state.put("places", "e", "holder", "red")
    turn.state.put("units", "blue.foot@e", "*", None)
    move.run({"do": "move", "movement": ["march"], "which": "onward"}, turn)
    assert standing(turn) == {"red foot d": 1, "red horse e": 2}


def test_they_go_on_into_friendly_land_without_a_fight() -> None:
    turn = onward({"then": "c"})
    assert standing(turn) == {"blue foot e": 1, "red foot d": 1, "red horse c": 2}
    assert list(turn.state.table("forces")) == ["red#0001"]


def test_nobody_goes_on_from_a_place_that_was_not_taken_or_unasked() -> None:
    turn = onward({"then": "e"}, taken=False)
    assert standing(turn) == {"blue foot e": 1, "red foot d": 1, "red horse d": 2}
    assert turn.journal.entries[-1].text == "Nobody goes on to e: d was not taken."
    assert standing(onward({})) == standing(turn)


def test_an_attack_is_called_off_if_more_was_seen_than_it_allows_or_nothing() -> None:
    options = [
        {"id": "if-seen", "syntax": "if at most {n} are seen", "slots": {"n": "number"}, "gives": "limit"}
    ]
    for known, why in [
        ({"as": "exact", "n": 2, "since": 1}, []),
        ({"as": "exact", "n": 3, "since": 1}, ["called off: 3 units were seen"]),
        ({"as": "exact", "n": 2, "since": 0}, ["called off: nothing certain is known of the place"]),
        ({"as": "number", "n": 1, "since": 1}, ["called off: nothing certain is known of the place"]),
    ]:
        start = position({"red c": {"foot": 1}, "blue d": {"foot": 9}})
        start.put("knowledge", "red", "units:d", known)
        turn = play(
            begin(start, [("red", {"foot": 1}, "c", "d")], ruleset(order_options=options), **{"if-seen": 2})
        )
        assert refused(turn) == why


# ---- laws

PLACES = list("abcdef")
KINDS = ["foot", "gun", "horse"]
UNIT_SETS = st.dictionaries(
    st.tuples(st.sampled_from(["red", "rose", "blue"]), st.sampled_from(PLACES)),
    st.dictionaries(st.sampled_from(KINDS), st.integers(1, 4), min_size=1),
    min_size=1, max_size=8,
)  # fmt: skip
ORDERS = st.lists(
    st.tuples(
        st.sampled_from(["red", "rose", "blue"]), st.dictionaries(st.sampled_from(KINDS), st.integers(1, 3), min_size=1, max_size=2),
        st.sampled_from(PLACES), st.sampled_from(PLACES),
    ),
    max_size=8,
)  # fmt: skip
Units = dict[tuple[str, str], dict[str, int]]
Orders = list[tuple[str, dict[str, int], str, str]]


def total(turn: Turn) -> dict[str, int]:
    out: dict[str, int] = {}
    for key, n in standing(turn).items():
        kind = " ".join(key.split()[:2])
        out[kind] = out.get(kind, 0) + n
    return out


@settings(max_examples=60, deadline=None)
@given(UNIT_SETS, ORDERS)
def test_moving_neither_makes_nor_loses_units_and_every_order_is_done_or_refused(
    units: Units, orders: Orders
) -> None:
    given_ = {f"{n} {p}": kinds for (n, p), kinds in units.items()}
    before = total(begin(position(given_), []))
    turn = play(begin(position(given_), orders))
    assert total(turn) == before
    assert all(row.get("status") in ("done", "refused") for row in turn.state.table("orders").values())
    state = begin(position(given_), orders).state
    assert replay(state, turn.journal.entries) == turn.state


@settings(max_examples=60, deadline=None)
@given(UNIT_SETS, ORDERS, st.permutations(["red", "rose", "blue"]))
def test_no_nation_is_first(units: Units, orders: Orders, sequence: list[str]) -> None:
    given_ = {f"{n} {p}": kinds for (n, p), kinds in units.items()}
    mixed = sorted(orders, key=lambda o: sequence.index(o[0]))  # each nation's own orders keep their sequence
    assert standing(play(begin(position(given_), orders))) == standing(play(begin(position(given_), mixed)))


@settings(max_examples=60, deadline=None)
@given(UNIT_SETS)
def test_every_way_that_reach_gives_passes_the_check_and_costs_what_it_says(units: Units) -> None:
    world = begin(position({f"{n} {p}": kinds for (n, p), kinds in units.items()}), []).world
    for (nation, place), kinds in units.items():
        going = routes.begin(world, nation, "march", place, kinds)
        assert going is not None
        for target, (cost, path) in routes.reach(world, nation, "march", place, kinds).items():
            assert (path[0], path[-1]) == (place, target)
            assert routes.check_path(going, path) is None
            assert routes.spent_on(going, path) == cost


@settings(max_examples=40, deadline=None)
@given(UNIT_SETS, ORDERS)
def test_after_closing_there_is_nothing_left_of_forces(units: Units, orders: Orders) -> None:
    turn = play(begin(position({f"{n} {p}": kinds for (n, p), kinds in units.items()}), orders))
    control.run({"do": "capture", "close": True}, turn)
    assert not turn.state.table("forces")
    assert all(set(row) == {"owner", "kind", "place", "n"} for _, row in turn.state.stacks())
