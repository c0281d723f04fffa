"""Deployment before the first turn: who is asked, that nothing begins before all have sent, and that nothing leaks before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.core.package_data import scenarios
from wteaw.core.state import Entity
from wteaw.orders.intake import take_in
from wteaw.orders.readback import read_back
from wteaw.orders.sheet_layout import order_template
from wteaw.play.begin import new_game
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.play.views import view_world
from wteaw.report.render import as_text
from wteaw.report.turn_reports import report
from wteaw.store import PLAYER, Game, StoreError, Submission
from wteaw.turn.context import Turn
from wteaw.units import deploy
from wteaw.world.world import World

from . import small

NODE = {
    "step": "opening",
    "do": "deploy",
    "free": "floor(n / 2)",
    "apart": {"where": "place.worth == 1", "decision": "elsewhere"},
}
ORDERS = [
    {
        "id": "put",
        "syntax": "put {units} in {target}",
        "slots": {"units": "units", "target": "place"},
        "step": "opening",
        "requires": [{"test": "target.owner == self", "message": "{target} is not yours"}],
    }
]
ELSEWHERE = [
    {"id": "elsewhere", "asks": "=self", "about": "place", "from": "places(owner=self)", "default": "nearest"}
]


def opening(**tables: Any) -> Turn:
    rules = small.ruleset([NODE], orders=ORDERS, decisions=ELSEWHERE)
    return small.turn(rules, small.state(**tables))


def put(n: int, place: str, nation: str = "red", line: int = 1, kind: str = "foot") -> dict[str, Any]:
    slots = {"units": {kind: n}, "target": place}
    return {
        "nation": nation,
        "order": "orders/put",
        "slots": slots,
        "options": {},
        "text": f"put {n} in {place}",
        "line": line,
    }


def standing(turn: Turn) -> dict[tuple[str, str], int]:
    out: dict[tuple[str, str], int] = {}
    for _, row in turn.state.stacks():
        out[row["owner"], row["place"]] = out.get((row["owner"], row["place"]), 0) + row["n"]
    return out


# ---- the mechanic, on a ruleset of its own


def test_only_the_free_part_is_placed_and_the_rest_stands() -> None:
    turn = opening(orders={"red/0001": put(2, "ash"), "red/0002": put(1, "ash", line=2)})
    deploy.run(NODE, turn)
    assert standing(turn) == {("red", "birch"): 2, ("red", "ash"): 2, ("blue", "cedar"): 2}
    refused = [e.data["refused"] for e in turn.journal.entries if "refused" in e.data]
    assert refused == ["2 Foot may be placed freely, 0 after the orders before, 1 ordered"]


def test_what_the_table_names_is_free_and_nothing_else() -> None:
    chosen = {"red#0001": {"owner": "red", "kind": "foot", "place": "birch", "n": 1}}
    turn = opening(
        orders={"red/0001": put(2, "ash"), "red/0002": put(1, "cedar"), "red/0003": put(1, "ash")},
        chosen=chosen,
    )
    assert turn.world.field(Entity("nation", "red"), "deploys") is True
    assert turn.world.field(Entity("nation", "blue"), "deploys") is False
    deploy.run(NODE, turn)
    assert standing(turn)["red", "ash"] == 1
    refused = [e.data["refused"] for e in turn.journal.entries if "refused" in e.data]
    assert refused == ["1 Foot may be placed freely, 2 ordered", "cedar is not yours"]
    assert not turn.state.table("chosen") and turn.world.field(Entity("nation", "red"), "deploys") is False


def test_the_turn_begins_with_what_was_deployed() -> None:
    turn = opening(orders={"red/0001": put(2, "ash")})
    deploy.run(NODE, turn)
    assert turn.world.value("was('ash', 'occupied', 'turn')", {}) is True


def test_conditions_of_units_go_with_them() -> None:
    units = {"red.foot@birch[worn=1]": {"owner": "red", "kind": "foot", "place": "birch", "n": 2, "worn": 1}}
    turn = opening(orders={"red/0001": put(1, "ash")}, units=units)
    deploy.run(NODE, turn)
    assert [(r["place"], r["n"], r["worn"]) for _, r in turn.state.stacks()] == [
        ("ash", 1, 1),
        ("birch", 1, 1),
    ]


@given(
    st.dictionaries(st.sampled_from(["ash", "birch"]), st.integers(1, 3), max_size=2),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_units_are_neither_made_nor_lost(wanted: dict[str, int], one: int, two: int) -> None:
    units = {
        f"red.foot@{p}": {"owner": "red", "kind": "foot", "place": p, "n": n}
        for p, n in (("ash", one), ("birch", two))
        if n
    }
    orders = {f"red/{i:04d}": put(n, p, line=i) for i, (p, n) in enumerate(wanted.items(), 1)}
    turn = opening(orders=orders, units=units)
    deploy.run(NODE, turn)
    after = standing(turn)
    assert sum(after.values()) == one + two
    moved = {p: after.get(("red", p), 0) - n for p, n in (("ash", one), ("birch", two))}
    assert sum(abs(m) for m in moved.values()) <= 2 * ((one + two) // 2), "no more than the free part moves"


def meeting(*owners: str) -> dict[str, Any]:
    return {f"{o}.foot@dale": {"owner": o, "kind": "foot", "place": "dale", "n": 1} for o in owners}


def test_enemies_who_meet_are_parted_all_of_them() -> None:
    turn = opening(units=meeting("red", "blue", "gray"))
    deploy.run(NODE, turn)
    assert standing(turn) == {("blue", "cedar"): 1, ("gray", "dale"): 1, ("red", "birch"): 1}


def test_the_place_may_be_chosen_for_them() -> None:
    turn = opening(units=meeting("red", "blue"), answers={"red": {"elsewhere/dale": "ash"}})
    deploy.run(NODE, turn)
    assert standing(turn) == {("blue", "cedar"): 1, ("red", "ash"): 1}


def test_nobody_is_sent_to_an_enemy() -> None:
    units = {
        **meeting("red", "blue"),
        "blue.foot@birch": {"owner": "blue", "kind": "foot", "place": "birch", "n": 1},
    }
    turn = opening(units=units, answers={"red": {"elsewhere/dale": "birch"}})
    deploy.run(NODE, turn)
    assert standing(turn)["red", "ash"] == 1


def test_of_enemies_who_would_meet_again_one_is_drawn() -> None:
    both = [{**ELSEWHERE[0], "from": "places()"}]
    rules = small.ruleset([NODE], orders=ORDERS, decisions=both)
    for face, expected in ((1, {"blue": "cedar", "red": "birch"}), (2, {"red": "cedar", "blue": "birch"})):
        turn = small.turn(rules, small.state(units=meeting("red", "blue")), dice=[face])
        deploy.run(NODE, turn)
        assert dict(standing(turn).keys()) == expected, "both would go to the nearest place: a draw decides"


def test_a_scenario_may_not_let_a_nation_choose_more_than_its_part(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    head = "id: s\ntitle: S\nruleset: wteaw\nunits:\n- {owner: spain, at: madrid, deploy: fixed, units: {infantry: 3}}\n"
    for n, expected in ((2, []), (3, []), (4, [("E412", 6, 54)])):
        file.write_text(head + f"- {{owner: spain, at: madrid, deploy: chosen, units: {{infantry: {n}}}}}\n")
        _, _, found = load_scenario(file)
        assert [(d.code, d.line, d.column) for d in found if d.severity == "error"] == expected


# ---- a game of 1914


@pytest.fixture
def game(tmp_path: Path) -> Game:
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    seats = dict.fromkeys(("serbia", "german-empire", "russian-empire"), PLAYER)
    return new_game(tmp_path / "game", data, ruleset, id_="opening", seats=seats, seed=b"\x05" * 32)


def send(game: Game, nation: str, text: str) -> list[str]:
    turn = game.stage().position.turn
    taken = take_in(game.ruleset, text, lambda n: view_world(game, n), nation=nation, game=game.id, turn=turn)
    game.submit(Submission(nation, text, list(taken.orders), dict(taken.answers)))
    return [f"{d.line}: {d.message}" for d in taken.found]


def units_at(world: World, place: str) -> dict[tuple[str, str], int]:
    return {(r["owner"], r["kind"]): r["n"] for _, r in world.state.stacks(at=place)}


def test_turn_1_begins_when_the_last_player_has_deployed(game: Game) -> None:
    assert game.stage().position.waiting["input"] == "deployments"  # type: ignore[index]
    assert game.awaited() == ["german-empire", "russian-empire", "serbia"]
    assert send(game, "serbia", "deploy 3 infantry to macedonia\n") == []
    assert send(game, "german-empire", "# as it stands\n") == []
    with pytest.raises(StoreError, match="Russian Empire"):
        resolve_turn(game)
    assert send(game, "russian-empire", "deploy 2 infantry to moscow\ndeploy 1 infantry to berlin\n") != []
    resolve_turn(game)
    position = game.stage().position
    assert position.turn == 1 and position.waiting["input"] == "orders"  # type: ignore[index]
    assert "Deployed: 3 infantry in Macedonia." in as_text(report(game, "serbia")), (
        "the report is of the turn in progress"
    )
    other = as_text(report(game, "german-empire"))
    assert "Deployed:" not in other and "All have deployed their units." in other
    world = view_world(game, "serbia")
    assert units_at(world, "macedonia")["serbia", "infantry"] == 4
    assert position.turn_start.get("units", "serbia.infantry@macedonia", "n") == 4, "turn 1 begins after it"


def test_nobody_learns_what_others_deploy_before_all_have(game: Game) -> None:
    before = {n: (view_world(game, n).state.hash(), report(game, n)) for n in game.awaited()}
    send(game, "serbia", "deploy 3 infantry to macedonia\n")
    for nation in ("german-empire", "russian-empire"):
        assert (view_world(game, nation).state.hash(), report(game, nation)) == before[nation]
    chosen = view_world(game, "german-empire").state.table("chosen").values()
    assert {row["owner"] for row in chosen} == {"german-empire"}


def test_the_template_is_the_default_and_stands(game: Game) -> None:
    text = order_template(view_world(game, "serbia"), "serbia")
    lines = [line[2:].partition("   ")[0] for line in text.splitlines() if line.startswith("# deploy ")]
    assert lines == ["deploy 1 infantry, 1 artillery to Macedonia", "deploy 5 infantry to Serbia"]
    assert "offer surrender" not in text and "build" not in text, "orders of the turn come later"
    assert send(game, "serbia", "offer surrender") == ["1: this order is not taken now"]
    before = {p: units_at(view_world(game, "serbia"), p) for p in ("macedonia", "serbia-territory")}
    assert send(game, "serbia", "\n".join(lines)) == []
    resolve_turn(game, force=True)
    assert {p: units_at(view_world(game, "serbia"), p) for p in before} == before


def test_with_policies_alone_or_by_agreement_turn_1_begins_at_once(tmp_path: Path) -> None:
    for number, (seats, options) in enumerate((({}, {}), ({"serbia": PLAYER}, {"free-deployment": "false"}))):
        data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
        assert data is not None and ruleset is not None
        begun = new_game(
            tmp_path / str(number), data, ruleset, id_="g", seats=seats, options=options, seed=b"\x05" * 32
        )
        position = begun.stage().position
        assert position.waiting["input"] == "orders" and not position.state.table("chosen")  # type: ignore[index]


def test_players_of_the_3rd_edition_deploy_together_before_the_first_has_his_turn(tmp_path: Path) -> None:
    data, ruleset, _ = load_scenario(scenarios() / "third-edition-1914.yaml")
    assert data is not None and ruleset is not None
    seats = {"serbia": PLAYER, "german-empire": PLAYER}
    begun = new_game(tmp_path / "third", data, ruleset, id_="g", seats=seats, seed=b"\x05" * 32)
    assert begun.awaited() == ["german-empire", "serbia"]
    resolve_turn(begun, force=True)
    assert begun.awaited() == ["german-empire"], "the first of the order of play"


def test_a_read_back_of_deployments_says_what_is_left_and_where_it_came_from(game: Game) -> None:
    world = view_world(game, "german-empire")
    text = "deploy 14 infantry to Cologne\ndeploy 20 infantry to Ruhr"
    back = read_back(world, take_in(game.ruleset, text, lambda _: world, nation="german-empire"))
    assert "Still yours to place: " in back.again[0] and "14 infantry" in back.again[0]
    assert back.again[1].startswith("20 infantry for the Ruhr: ") and "10 from Frankfurt" in back.again[1]
    there = dict(back.idle)
    assert "infantry" not in there["Cologne"] and "14 infantry" not in there.values()
    unnamed = read_back(
        world, take_in(game.ruleset, "deploy all to Cologne", lambda _: world, nation="serbia")
    )
    assert unnamed.again == ()
