"""Task forces: plans of tasks, ticks, gates, cargo and landings."""

from __future__ import annotations

from typing import Any

from wteaw.core.dice import KeyedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import Entity, State
from wteaw.turn.context import Turn
from wteaw.units import control, forces, move
from wteaw.world import routes

# Sea in a line x - y - z - w with a gate between y and z; land a on x, b on z, c on w. The key of the gate is a.
SAIL: Row = {
    "id": "sail", "who": "ship", "links": ["sea"], "steps": "move", "tasks": True, "ashore": "landing",
    "carries": {"who": "land", "carriers": "barge", "room": "room", "size": "size", "link": ["coast"], "from": "friendly(self, place)"},
}  # fmt: skip
LANDING: Row = {
    "id": "landing",
    "pinned": "place.attacked",
    "links": ["coast"],
    "attack": "unit.kind != 'cart'",
    "home": "friendly(self, place)",
}
MISSIONS: list[Row] = [
    {"id": "carry", "stance": "defensive", "members": "barge", "loaded": True, "does": "land"},
    {"id": "seek", "stance": "aggressive", "members": "cruiser"},
    {"id": "moment", "stance": "aggressive", "stays": True, "cuts": True},
    {
        "id": "rest",
        "stance": "defensive",
        "stance_when": "any(forces(at=place, unloading=True))",
        "default": "True",
    },
]


def rules(**gate: Any) -> Ruleset:
    land = {"a": "red", "b": "blue", "c": "red"}
    places: list[Row] = [{"id": p, "kind": "land", "owner": o} for p, o in land.items()]
    places += [{"id": p, "kind": "sea"} for p in "xyzw"]
    links: list[Row] = [{"between": list(pair), "kind": "sea"} for pair in ("xy", "yz", "zw")]
    links += [{"between": list(pair), "kind": "coast"} for pair in ("ax", "bz", "cw")]
    units: list[Row] = [
        {"id": "cruiser", "tags": ["ship"], "move": 3},
        {"id": "barge", "tags": ["ship"], "move": 3, "room": 2},
        {"id": "monitor", "tags": ["ship"], "move": 1},
        {"id": "foot", "tags": ["land"], "size": 1},
        {"id": "cart", "tags": ["land"], "size": 2},
    ]
    table: dict[str, list[Row]] = {
        "places": places,
        "links": [{**r, "id": "--".join(r["between"])} for r in links],
        "passages": [{"id": "narrows", "between": ["y", "z"], "keys": ["a"], "stops": ["ship"], **gate}],
        "stances": [
            {"id": "peace", "default": True, "enter": "fight", "share": "sea"},
            {"id": "pact", "enter": "free", "friendly": True},
            {"id": "war", "enter": "fight", "share": "sea", "hostile": True},
        ],
        "nations": [{"id": "red"}, {"id": "rose"}, {"id": "blue"}],
        "units": units,
        "fields": [{"id": f, "of": ["unit"], "type": "number", "default": 0} for f in ("move", "size", "room")],
        "stats": [{"id": "move", "of": "unit", "base": "unit.move"}],
        "movement": [SAIL, LANDING],
        "missions": MISSIONS,
        "capture": [{"id": "take", "how": "capture"}],
        "order_options": [
            {"id": "guard", "syntax": "guarding {n}", "gives": "charge"},
            {"id": "meet", "syntax": "meeting {n}", "gives": "joins"},
        ],
        "orders": [
            {"id": "sail", "syntax": "sail", "step": "sea", "does": "sail", "mission": "rest", "options": ["guard", "meet"]},
            {"id": "ferry", "syntax": "ferry", "slots": {"cargo": "units", "units": {"kind": "units", "at": "zone"}, "zone": "place"},
             "step": "sea", "does": "sail", "mission": "carry"},
        ],
    }  # fmt: skip
    return Ruleset("t", "T", {form: {r["id"]: r for r in rows} for form, rows in table.items()})


def begin(
    units: dict[str, dict[str, int]], orders: list[tuple[str, str, Row]], ruleset: Ruleset | None = None
) -> Turn:
    state = State({"game": {"game": {"turn": 1}}})
    for pair, stance in {"blue--red": "war", "red--rose": "pact", "blue--rose": "war"}.items():
        state.put("relations", pair, "*", {"stance": stance})
    for where, kinds in units.items():
        owner, place = where.split()
        for kind, n in kinds.items():
            state.put(
                "units",
                f"{owner}.{kind}@{place}",
                "*",
                {"owner": owner, "kind": kind, "place": place, "n": n},
            )
    for number, (nation, form, slots) in enumerate(orders, 1):
        options = slots.pop("options", {})
        row = {"nation": nation, "order": f"orders/{form}", "slots": slots, "options": options, "text": form}
        state.put("orders", f"{nation}/{number:04d}", "*", row)
    return Turn(
        ruleset or rules(), state, KeyedDice("11", 1), moments={"game": state.copy(), "turn": state.copy()}
    )


def tick(turn: Turn, *ticks: int) -> Turn:
    for number in ticks:
        turn.loops = {"tick": number}
        move.run({"do": "move", "movement": ["sail"]}, turn)
        move.run({"do": "move", "movement": ["sail"], "which": "ashore"}, turn)
    return turn


def lost_on_the_way(turn: Turn) -> Turn:
    """The place where cargo is to go ashore is a friend's when the ships set out, and an enemy's when they come."""
    turn.state.put("places", "b", "holder", "red")
    tick(turn, 1)
    turn.state.put("places", "b", "holder", "blue")
    return tick(turn, 2, 3)


def refused(turn: Turn) -> list[str]:
    return [e.data["refused"] for e in turn.journal.entries if "refused" in e.data]


def force(turn: Turn, id_: str = "red#0001") -> Row:
    return dict(turn.state.row("forces", id_))


def sail(units: dict[str, int], origin: str, target: str | None = None, **more: Any) -> Row:
    slots: Row = {"units": units, "origin": origin, **more}
    return {**slots, "target": target} if target else slots


def ferry(cargo: dict[str, int], origin: str, target: str, zone: str, n: int = 1, **more: Any) -> Row:
    return {"cargo": cargo, "origin": origin, "target": target, "units": {"barge": n}, "zone": zone, **more}


def test_one_place_a_point_and_a_task_that_stays_spends_one() -> None:
    turn = begin(
        {"red x": {"cruiser": 2}}, [("red", "sail", sail({"cruiser": 2}, "x", "y", tasks=["seek", "moment"]))]
    )
    tick(turn, 1)
    assert (force(turn)["at"], force(turn)["mission"], force(turn)["moving"]) == ("y", "seek", True)
    tick(turn, 2, 3)
    assert (force(turn)["at"], force(turn)["mission"], force(turn)["stance"]) == ("y", "moment", "aggressive")
    assert "moving" not in force(turn)


def test_a_force_is_as_slow_as_its_slowest_ship() -> None:
    turn = tick(
        begin(
            {"red x": {"cruiser": 1, "monitor": 1}},
            [("red", "sail", sail({"cruiser": 1, "monitor": 1}, "x", "z"))],
        ),
        1,
    )
    assert refused(turn) == ["the way and the tasks on it take 2 moves, they have 1 and come as far as y"]


def test_tasks_say_who_may_take_part() -> None:
    turn = tick(
        begin({"red x": {"barge": 1}}, [("red", "sail", sail({"barge": 1}, "x", "y", tasks=["seek"]))]), 1
    )
    assert refused(turn) == ["barge cannot take part in seek; they can: moment, rest"]


def test_a_closed_gate_stops_a_force_in_the_place_before_it() -> None:
    turn = begin(
        {"rose x": {"cruiser": 1}},
        [("rose", "sail", sail({"cruiser": 1}, "x", "z"))],
        rules(default="closed"),
    )
    tick(turn, 1, 2, 3)
    assert force(turn, "rose#0001")["at"] == "y" and force(turn, "rose#0001")["stopped"]


def test_gates_admit_friends_bar_whom_they_name_and_read_the_moment_they_are_judged_by() -> None:
    turn = begin(
        {"rose y": {"cruiser": 1}, "blue y": {"cruiser": 1}}, [], rules(default="friends", judged="turn")
    )
    ship = Entity("unit", "rose.cruiser@y")
    assert routes.passes(turn.world, "rose", ["narrows"], ship)
    assert not routes.passes(turn.world, "blue", ["narrows"], ship)
    turn.state.put("places", "a", "holder", "blue")  # taken this turn: the keys change hands with the next
    assert routes.passes(turn.world, "rose", ["narrows"], ship)
    turn.state.put("passages", "narrows", "barred", ["red>rose"])
    assert not routes.passes(turn.world, "rose", ["narrows"], ship)
    turn.state.put("passages", "narrows", "barred", ["blue>rose"])  # who does not hold the keys bars nobody
    assert routes.passes(turn.world, "rose", ["narrows"], ship)


def test_cargo_comes_aboard_goes_along_and_goes_ashore_among_friends() -> None:
    turn = begin(
        {"red a": {"foot": 3}, "red x": {"barge": 1}}, [("red", "ferry", ferry({"foot": 2}, "a", "c", "x"))]
    )
    assert refused(tick(turn, 1)) == [
        "the way and the tasks on it take 4 moves, they have 3 and come as far as w"
    ]
    quick = rules()
    quick.forms["units"]["barge"]["move"] = 4  # type: ignore[index]
    turn = begin(
        {"red a": {"foot": 3}, "red x": {"barge": 1}},
        [("red", "ferry", ferry({"foot": 2}, "a", "c", "x"))],
        quick,
    )
    tick(turn, 1)
    assert [(r["n"], r["place"]) for _, r in forces.cargo_of(turn.state, "red#0001")] == [(2, "y")]
    tick(turn, 2, 3)
    assert force(turn)["at"] == "w" and forces.cargo_of(turn.state, "red#0001")
    tick(turn, 4)
    assert [(r["n"], r.get("moved")) for _, r in turn.state.stacks(at="c")] == [(2, True)]


def test_a_landing_on_enemy_land_is_a_force_of_its_own_that_came_over_the_coast() -> None:
    turn = begin(
        {"red a": {"foot": 1}, "red x": {"barge": 1}, "blue b": {"foot": 1}},
        [("red", "ferry", ferry({"foot": 1}, "a", "b", "x"))],
    )
    move.run({"do": "move", "movement": [], "which": "friendly", "threats": ["sail"]}, turn)
    assert turn.state.get("places", "b", "attacked") == ["z"]
    tick(turn, 1, 2, 3)
    landed = force(turn, "red#0002")
    assert (landed["from"], landed["at"], landed["brought_by"]) == ("z", "b", "red#0001")
    assert [(r["via"], r["landed"]) for _, r in turn.state.stacks(at="b", owner="red")] == [("z>b", True)]


def test_cargo_needs_room_and_kinds_that_cannot_land_stay_aboard() -> None:
    start = {"red a": {"foot": 3, "cart": 1}, "red x": {"barge": 2}}
    turn = tick(begin(start, [("red", "ferry", ferry({"foot": 3}, "a", "b", "x"))]), 1)
    assert refused(turn) == ["the cargo takes 3 of 2 places aboard"]
    turn = tick(begin(start, [("red", "ferry", ferry({"cart": 1}, "a", "b", "x", n=2))]), 1)
    assert refused(turn) == ["cart cannot attack b from there"]
    turn = lost_on_the_way(
        begin(start, [("red", "ferry", ferry({"foot": 1, "cart": 1}, "a", "b", "x", n=2))])
    )
    assert not turn.state.stacks(at="b", owner="red")
    assert sum(r["n"] for _, r in forces.cargo_of(turn.state, "red#0001")) == 2


def test_forces_that_pass_each_other_do_not_meet() -> None:
    orders = [
        ("red", "sail", sail({"cruiser": 1}, "x", "y")),
        ("blue", "sail", sail({"cruiser": 1}, "y", "x")),
    ]
    turn = tick(begin({"red x": {"cruiser": 1}, "blue y": {"cruiser": 1}}, orders), 1)
    assert (force(turn)["at"], force(turn, "blue#0001")["at"]) == ("y", "x")


def test_units_without_orders_become_a_force_when_enemies_come_and_take_the_mission_that_is_theirs() -> None:
    turn = tick(
        begin(
            {"red x": {"cruiser": 1}, "blue y": {"cruiser": 2}},
            [("red", "sail", sail({"cruiser": 1}, "x", "y"))],
        ),
        1,
    )
    assert (force(turn, "blue#0001")["mission"], force(turn, "blue#0001")["stance"]) == ("rest", "defensive")


def test_stances_are_judged_when_all_have_moved_and_begun_to_unload() -> None:
    given = {"red a": {"foot": 1}, "red z": {"barge": 1}, "red x": {"barge": 1}, "blue z": {"cruiser": 1}}
    turn = tick(begin(given, [("red", "ferry", ferry({"foot": 1}, "a", "b", "x"))]), 1, 2)
    assert force(turn, "blue#0001")["stance"] == "defensive"
    turn.loops = {"tick": 3}
    move.run({"do": "move", "movement": ["sail"]}, turn)
    assert force(turn, "blue#0001")["stance"] == "aggressive"


def test_an_escort_names_the_force_it_protects_by_its_number() -> None:
    guard = {**sail({"cruiser": 1}, "x", "y"), "options": {"guard": 1}}
    given = {"red a": {"foot": 1}, "red x": {"barge": 1, "cruiser": 1}}
    turn = tick(
        begin(given, [("red", "ferry", ferry({"foot": 1}, "a", "b", "x")), ("red", "sail", guard)]), 1
    )
    assert turn.world.field(Entity("force", "red#0002"), "charge") == Entity("force", "red#0001")


def test_only_the_forces_of_the_modes_named_end_and_their_units_are_plain_again() -> None:
    turn = begin({"red a": {"foot": 1}, "red x": {"barge": 1, "cruiser": 1}}, [
        ("red", "ferry", ferry({"foot": 1}, "a", "b", "x")), ("red", "sail", sail({"cruiser": 1}, "x", tasks=["moment"]))])  # fmt: skip
    tick(turn, 1, 2, 3)
    control.run({"do": "capture", "close": True, "movement": ["landing"]}, turn)
    assert turn.world.holder_of("b") == "red" and "red.foot@b" in turn.state.table("units")
    assert {r["mode"] for r in turn.state.table("forces").values()} == {"sail"}
    control.run({"do": "capture", "rows": [], "close": True}, turn)
    assert sorted(turn.state.table("units")) == ["red.barge@z", "red.cruiser@x", "red.foot@b"]


def test_cargo_that_was_not_put_ashore_stays_aboard_and_goes_on_next_turn() -> None:
    start = {"red a": {"cart": 1}, "red x": {"barge": 1}}
    turn = lost_on_the_way(begin(start, [("red", "ferry", ferry({"cart": 1}, "a", "b", "x"))]))
    control.run({"do": "capture", "rows": [], "close": True}, turn)
    assert sorted(turn.state.table("units")) == ["red.barge@z", "red.cart@z[aboard=afloat]"]
    turn.state.put(
        "orders",
        "red/0001",
        "*",
        {
            "nation": "red",
            "order": "orders/ferry",
            "slots": ferry({"cart": 1}, "z", "c", "z"),
            "text": "ferry",
        },
    )
    tick(turn, 1, 2)
    assert refused(turn) == []
    assert [(r["kind"], r["n"]) for _, r in turn.state.stacks(at="c")] == [("cart", 1)]


def test_ships_without_room_take_no_cargo_under_them() -> None:
    turn = begin({"red x": {"cruiser": 1, "barge": 1}}, [("red", "sail", sail({"cruiser": 1}, "x", "y"))])
    turn.state.put(
        "units",
        "red.foot@x[aboard=afloat]",
        "*",
        {"owner": "red", "kind": "foot", "place": "x", "n": 1, "aboard": "afloat"},
    )
    tick(turn, 1)
    assert [r["aboard"] for _, r in turn.state.stacks(at="x") if r["kind"] == "foot"] == ["afloat"]


def test_forces_about_to_leave_are_known_before_they_move() -> None:
    orders = [
        ("red", "sail", sail({"cruiser": 1}, "x", "y")),
        ("red", "sail", sail({"cruiser": 1}, "x", tasks=["moment"])),
    ]
    turn = begin({"red x": {"cruiser": 2}, "blue x": {"cruiser": 1}}, orders)
    turn.loops = {"tick": 1}
    move.run({"do": "move", "movement": ["sail"], "which": "announce"}, turn)
    assert [force(turn, f"red#000{n}").get("leaving") for n in (1, 2)] == [True, None]
    assert force(turn, "blue#0001")["mission"] == "rest"  # those without orders are there, too
    tick(turn, 1)
    assert force(turn)["at"] == "y" and "leaving" not in force(turn)


def test_contacts_are_over_when_forces_move() -> None:
    turn = begin(
        {"red x": {"cruiser": 1}, "blue x": {"cruiser": 1}}, [("red", "sail", sail({"cruiser": 1}, "x", "y"))]
    )
    tick(turn, 1)
    turn.state.put(
        "contacts", "seen:a|b", "*", {"pair": ["red#0001", "blue#0001"], "by": ["red#0001"], "row": "seen"}
    )
    turn.state.put("forces", "red#0001", "contacted", True)
    tick(turn, 2)
    assert not turn.state.table("contacts") and "contacted" not in force(turn)


def part(units: dict[str, int], of: int, after: int, target: str | None = None, **more: Any) -> Row:
    slots: Row = {"units": units, "part_of": of, "after": after, **more}
    return {**slots, "target": target} if target else slots


def test_units_part_from_a_force_and_go_on_with_the_points_that_they_have_left() -> None:
    given = {"red x": {"cruiser": 3}}
    orders = [
        ("red", "sail", sail({"cruiser": 3}, "x", "y")),
        ("red", "sail", part({"cruiser": 1}, 1, 1, "z")),
    ]
    turn = tick(begin(given, orders), 1, 2)
    assert [(force(turn, f)["at"], force(turn, f)["number"]) for f in ("red#0001", "red#0002")] == [
        ("y", 1),
        ("z", 2),
    ]
    assert forces.strength(turn.state, "red#0001") == {"cruiser": 2} and forces.strength(
        turn.state, "red#0002"
    ) == {"cruiser": 1}


def test_a_force_that_was_stopped_stays_together() -> None:
    given = {"rose x": {"cruiser": 2}}
    orders = [
        ("rose", "sail", sail({"cruiser": 2}, "x", "z")),
        ("rose", "sail", part({"cruiser": 1}, 1, 2, "w")),
    ]
    turn = tick(begin(given, orders, rules(default="closed")), 1, 2, 3)
    assert list(turn.state.table("forces")) == ["rose#0001"] and forces.strength(turn.state, "rose#0001") == {
        "cruiser": 2
    }
    assert any("Nobody parts" in e.text for e in turn.journal.entries)


def test_who_parts_is_counted_and_somebody_stays() -> None:
    given = {"red x": {"cruiser": 2, "barge": 1}}
    main = ("red", "sail", sail({"cruiser": 2, "barge": 1}, "x", "y"))
    for wanted, after, why in (
        ({"cruiser": 3}, 1, "3 of cruiser are to leave force 1, which has 2 left"),
        ({"cruiser": 2, "barge": 1}, 1, "somebody must stay with force 1"),
        ({"cruiser": 1}, 2, "they cannot leave force 1 then: after at most 1 points"),
    ):
        turn = tick(
            begin(given, [(main[0], main[1], dict(main[2])), ("red", "sail", part(wanted, 1, after))]), 1
        )
        assert refused(turn) == [why]
    assert refused(tick(begin(given, [("red", "sail", part({"cruiser": 1}, 1, 1))]), 1)) == [
        "there is no force 1 to leave; no force is listed above"
    ]


def test_a_force_joins_another_one_when_its_way_is_over_and_both_are_there() -> None:
    for goal, left in (("y", ["red#0002"]), ("z", ["red#0001", "red#0002"])):
        given = {"red x": {"cruiser": 1}, "red y": {"monitor": 1}, "red z": {"cruiser": 1}}
        joins = {**sail({"cruiser": 1}, "z", goal), "options": {"meet": 2}}
        turn = tick(begin(given, [("red", "sail", joins), ("red", "sail", sail({"monitor": 1}, "y"))]), 1, 2)
        assert sorted(f for f in turn.state.table("forces")) == left


def test_who_goes_along_with_a_force_is_of_its_company_while_both_are_in_one_place() -> None:
    turn = tick(
        begin({"red x": {"cruiser": 1, "monitor": 1}}, [("red", "sail", sail({"cruiser": 1}, "x", "y"))]), 1
    )
    turn.state.put("forces", "red#0009", "*", {"owner": "red", "at": "x", "covers": ["red", 1]})
    assert forces.attached(turn.state, "red#0001") == []
    turn.state.put("forces", "red#0009", "at", "y")
    assert forces.attached(turn.state, "red#0001") == ["red#0009"]
