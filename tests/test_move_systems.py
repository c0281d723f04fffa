"""Movement as published systems need it: coins on the way, crossings, passing attacks, takings without a fight."""

from __future__ import annotations

from typing import Any

from wteaw.core.dice import KeyedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import Entity, State
from wteaw.turn.context import Turn
from wteaw.units import control, move
from wteaw.world import routes

STANCES: list[Row] = [
    {"id": "peace", "default": True, "enter": "fight", "share": "never"},
    {"id": "pact", "enter": "free", "share": "always", "friendly": True},
    {"id": "war", "enter": "fight", "share": "sea", "hostile": True},
    {"id": "kind", "enter": {"step": "later", "takes": ["place", "units"]}, "share": "always"},
]


def begin(
    links: list[str], owners: dict[str, str | None], units: dict[str, dict[str, int]], orders: list[tuple[str, dict[str, int], str, str]],
    mode: Row, *, relations: dict[str, str] | None = None, kinds: list[Row] | None = None, stores: dict[str, int] | None = None, **forms: list[Row],
) -> Turn:  # fmt: skip
    ends = dict.fromkeys(x for link in links for x in link.replace("~", "-").split("-"))
    table: dict[str, list[Row]] = {
        "places": [{"id": p, "kind": "sea" if p.startswith("sea") else "land", **({"owner": owners[p]} if owners.get(p) else {})} for p in ends],
        "links": [{"id": x, "between": x.replace("~", "-").split("-"), "kind": "crossing" if "~" in x else "land"} for x in links],
        "stances": STANCES,
        "nations": [{"id": n} for n in ("red", "rose", "blue", "green")],
        "units": kinds or [{"id": "foot", "tags": ["takes"], "move": 1}],
        "fields": [{"id": "move", "of": ["unit"], "type": "number", "default": 0}],
        "stats": [{"id": "move", "of": "unit", "base": "unit.move"}],
        "resources": [{"id": "coin", "treasury": "place"}],
        "movement": [{"links": ["land", "crossing"], "steps": "move", **mode}],
        "capture": [{"id": "take", "how": "capture", "by": "takes", "passed": True}],
        "orders": [{"id": "go", "syntax": "go", "step": "go", "does": mode["id"]}],
        **forms,
    }  # fmt: skip
    state = State({"game": {"game": {"turn": 1}}})
    for pair, stance in {"blue--red": "war", "red--rose": "pact", **(relations or {})}.items():
        state.put("relations", pair, "*", {"stance": stance})
    for where, those in units.items():
        owner, place = where.split()
        for kind, n in those.items():
            state.put(
                "units",
                f"{owner}.{kind}@{place}",
                "*",
                {"owner": owner, "kind": kind, "place": place, "n": n},
            )
    for place, n in (stores or {}).items():
        state.put("treasuries", place, "coin", n)
    for number, (nation, those, origin, target) in enumerate(orders, 1):
        slots = {"units": those, "origin": origin, "target": target}
        state.put(
            "orders",
            f"{nation}/{number:04d}",
            "*",
            {"nation": nation, "order": "orders/go", "slots": slots, "text": "go"},
        )
    ruleset = Ruleset("t", "T", {f: {r["id"]: r for r in rows} for f, rows in table.items()})
    return Turn(ruleset, state, KeyedDice("11", 1), moments={"game": state.copy(), "turn": state.copy()})


def go(turn: Turn, step: str = "go") -> Turn:
    turn.journal.step = step
    with turn.journal.entry("sequence/step"):
        turn.journal.set("game", "game", "step", step)
    move.run({"do": "move"}, turn)
    return turn


def at(turn: Turn, place: str) -> dict[str, int]:
    out: dict[str, int] = {}
    for _, row in turn.state.stacks(at=place):
        out[row["owner"]] = out.get(row["owner"], 0) + row["n"]
    return out


# ---- regions with coins, and crossings

STEP: Row = {
    "id": "step", "steps": 2, "cost": "=1 if stock(path.last, 'coin') > 0 and any(units(at=path.last, owner=self)) else 2",
    "pass": "place.kind == 'sea' or not place.occupied or friendly(self, place)", "stop": "enemy(self, place)",
    "end": "not (place.holder and place.holder != self and allied(self, place.holder))",
    "enter": "link.kind != 'crossing' or not (enemy(self, place('n')) and enemy(self, place('s')))",
}  # fmt: skip


def reach(
    units: dict[str, dict[str, int]], coins: dict[str, int], owners: dict[str, str | None]
) -> dict[str, Any]:
    turn = begin(
        ["a-b", "b-c", "a-n", "n-sea1", "s-sea1", "sea1~sea2", "a-sea1"],
        owners,
        units,
        [],
        STEP,
        stores=coins,
    )
    return {
        place: cost for place, (cost, _) in routes.reach(turn.world, "red", "step", "a", ["foot"]).items()
    }


def test_a_coin_at_home_makes_the_first_step_cheaper() -> None:
    assert reach({"red a": {"foot": 1}}, {}, {}) == {"b": 2, "n": 2, "sea1": 2}
    assert reach({"red a": {"foot": 1}}, {"a": 1}, {}) == {"b": 1, "n": 1, "sea1": 1}
    assert reach({"red a": {"foot": 1}, "red b": {"foot": 1}}, {"a": 1, "b": 1}, {"b": "red"})["c"] == 2


def test_a_move_passes_but_does_not_end_with_an_ally_and_ends_at_an_enemy() -> None:
    start = {"red a": {"foot": 1}, "rose b": {"foot": 1}}
    assert "b" not in reach(start, {"a": 1}, {"b": "rose"})
    found = reach(
        {"red a": {"foot": 1}, "red b": {"foot": 1}, "blue b": {"foot": 1}}, {"a": 1, "b": 1}, {"b": "blue"}
    )
    assert "b" in found and "c" not in found


def test_a_crossing_is_shut_by_enemies_on_both_shores_and_by_no_one_alone() -> None:
    wide = {**STEP, "steps": 4}
    links = ["a-sea1", "n-sea1", "s-sea1", "sea1~sea2"]
    for shores, open_ in ({"n": "blue"}, True), ({"n": "blue", "s": "blue"}, False):
        turn = begin(links, dict(shores), {"red a": {"foot": 1}}, [], wide)
        assert ("sea2" in routes.reach(turn.world, "red", "step", "a", ["foot"])) is open_


# ---- attacks in passing, places that go over by themselves, gates that need both shores

FAST: list[Row] = [{"id": "tank", "tags": ["takes"], "move": 2}]
BLITZ: Row = {"id": "blitz", "pass": "friendly(self, place) or not place.occupied"}


def test_a_place_without_defenders_is_taken_in_passing() -> None:
    owners: dict[str, str | None] = {"a": "red", "b": "blue", "c": "blue"}
    turn = go(
        begin(
            ["a-b", "b-c"],
            owners,
            {"red a": {"tank": 1}, "blue c": {"tank": 1}},
            [("red", {"tank": 1}, "a", "c")],
            BLITZ,
            kinds=FAST,
        )
    )
    assert at(turn, "c") == {"blue": 1, "red": 1}
    control.run({"do": "capture"}, turn)
    assert (turn.world.holder_of("b"), turn.world.holder_of("c")) == ("red", "blue")


def test_a_defended_place_is_not_passed() -> None:
    units = {"red a": {"tank": 1}, "blue b": {"tank": 1}}
    turn = go(
        begin(
            ["a-b", "b-c"],
            {"b": "blue", "c": "blue"},
            units,
            [("red", {"tank": 1}, "a", "c")],
            BLITZ,
            kinds=FAST,
        )
    )
    assert at(turn, "a") == {"red": 1}


def test_a_place_of_a_kind_neutral_goes_over_with_its_units_but_only_in_its_step() -> None:
    def turn() -> Turn:
        units = {"red a": {"foot": 1}, "green b": {"foot": 2}}
        return begin(
            ["a-b"],
            {"a": "red", "b": "green"},
            units,
            [("red", {"foot": 1}, "a", "b")],
            {"id": "walk"},
            relations={"green--red": "kind"},
        )

    early = go(turn())
    assert (at(early, "b"), early.world.holder_of("b")) == ({"green": 2}, "green")
    late = go(turn(), "later")
    assert (at(late, "b"), late.world.holder_of("b")) == ({"red": 3}, "red")


def test_a_gate_that_needs_all_keys_opens_to_whoever_has_friends_on_both_shores() -> None:
    gate: Row = {
        "id": "strait",
        "between": ["sea1", "sea2"],
        "keys": ["n", "s"],
        "need": "all",
        "default": "friends",
    }
    for owners, passes in (
        ({"n": "red", "s": "rose"}, True),
        ({"n": "red", "s": "blue"}, False),
        ({"n": "blue", "s": "blue"}, False),
    ):
        turn = begin(
            ["sea1-sea2", "n-sea1", "s-sea2"],
            dict(owners),
            {"red sea1": {"foot": 1}},
            [],
            {"id": "walk"},
            passages=[gate],
        )
        assert routes.passes(turn.world, "red", ["strait"], Entity("unit", "red.foot@sea1")) is passes
