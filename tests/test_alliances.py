"""The token game: what lies face down stays unknown, whole games come to an end, and a set-up that cannot be is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice
from wteaw.core.journal import Entry
from wteaw.core.package_data import rulesets, scenarios
from wteaw.core.state import State
from wteaw.orders.kinds.answers import parted
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.report.build import nation_report
from wteaw.report.render import as_text
from wteaw.ruleset import Ruleset, load_ruleset
from wteaw.turn.context import Turn
from wteaw.turn.referee import Inputs, Position, resolve, start, waiting_seats
from wteaw.world.geography import Geography
from wteaw.world.view import Viewer, readable, view
from wteaw.world.world import World

FOLDER = rulesets() / "variants" / "alliances"


@cache
def rules() -> tuple[Ruleset, Geography]:
    ruleset, _ = load_ruleset(FOLDER)
    assert ruleset is not None
    return ruleset, Geography(ruleset)


@cache
def opening(players: int, **options: Any) -> State:
    scenario, ruleset, _ = load_scenario(scenarios() / f"alliances-{players}.yaml")
    assert scenario is not None and ruleset is not None
    return initial_state(rules()[0], {**scenario, "options": {**scenario.get("options", {}), **options}})


def tokens(state: State, **laid: tuple[str, str]) -> State:
    """The state with a token of each power named laid in a region: power=(token, region)."""
    out = state.copy()
    for nation, (what, place) in laid.items():
        out.put(
            "under_way",
            f"{nation}#0001",
            "*",
            {"nation": nation, "what": what, "at": place, "n": 1, "since": 1},
        )
    return out


def seen(state: State, reader: str) -> dict[str, Any]:
    return dict(view(rules()[0], state, reader).table("under_way"))


def test_face_down_tokens_are_seen_but_not_known() -> None:
    state = tokens(opening(6), uk=("train-token", "england"))
    assert list(seen(state, "germany").values()) == [{"nation": "uk", "at": "england", "what": "?", "n": 1}]
    assert [row["what"] for row in seen(state, "uk").values()] == ["train-token"]


def test_which_token_lies_there_changes_nothing_for_others() -> None:
    one, other = (tokens(opening(6), uk=(what, "england")) for what in ("train-token", "move-token"))
    for reader in ("germany", "russia"):
        assert view(rules()[0], one, reader).hash() == view(rules()[0], other, reader).hash()
    assert view(rules()[0], one, "uk").hash() != view(rules()[0], other, "uk").hash()


def test_tokens_lie_open_for_the_rest_of_the_turn_once_they_are_shown() -> None:
    ruleset, geography = rules()
    state = tokens(opening(6), uk=("train-token", "england"))
    state.put("game", "game", "turn", 3)
    turn = Turn(ruleset, state, KeyedDice("ab" * 32, 3), geography=geography)
    from wteaw.turn.sequence import run_step

    run_step(turn, {"step": "token-show", "do": "inform", "visibility": ["open-tokens"]})
    assert [row["what"] for row in seen(turn.state, "germany").values()] == ["train-token"]
    (told,) = [e for e in turn.journal.entries if e.rule == "visibility/open-tokens" and e.data]
    assert told.data["shown"] == [
        {"at": "england", "n": 1, "nation": "uk", "since": 1, "what": "train-token"}
    ]
    turn.state.put("game", "game", "turn", 4)
    assert [row["what"] for row in seen(turn.state, "germany").values()] == ["?"]


def test_supplies_are_known_to_the_team_and_cards_to_their_owner() -> None:
    state = opening(6).copy()
    state.put("flags", "nation:uk", "mole-card", {"since": 1, "seen_by": ["uk"]})
    other = opening(6).copy()
    other.put("flags", "nation:uk", "loyal-card", {"since": 1, "seen_by": ["uk"]})
    other.put("treasuries", "uk", "coin", 17)
    for reader in ("germany", "ottoman"):
        assert view(rules()[0], state, reader).hash() == view(rules()[0], other, reader).hash()
    assert view(rules()[0], other, "france").get("treasuries", "uk", "coin") == 17
    assert view(rules()[0], other, "france").row("flags", "nation:uk") == {}
    assert view(rules()[0], state, "uk").row("flags", "nation:uk") != {}
    assert view(rules()[0], other, "germany").get("treasuries", "england", "coin") == 2


Given = dict[str, list[dict[str, Any]]]


@cache
def played(players: int, **options: Any) -> tuple[tuple[Position, Given, tuple[Entry, ...]], ...]:
    """A whole game played by policies: positions, what was ordered there, and what had been written in the journal since the last;
    at the end nothing is ordered."""
    ruleset, geography = rules()
    result = start(ruleset, opening(players, **options), KeyedDice(b"a game", 1), geography=geography)
    out: list[tuple[Position, Given, tuple[Entry, ...]]] = []
    while not (position := result.position).ended:
        dice = KeyedDice(b"a game %d" % (len(out) + 1), position.turn)
        viewer = Viewer(ruleset, position.state, geography=geography)
        orders, answers = {}, {}
        for nation in waiting_seats(ruleset, position):
            stream = dice.stream(step="input", rule="policies/plan", subject=nation, audience=nation)
            lines = plan(World(ruleset, viewer.view(nation), geography=geography), nation, stream)
            orders[nation], answers[nation] = parted(lines)
        out.append((position, orders, tuple(result.entries)))
        result = resolve(ruleset, position, Inputs(orders, answers), dice, geography=geography)
    return (*out, (position, {}, tuple(result.entries)))


def game(players: int, **options: Any) -> tuple[Position, tuple[Entry, ...]]:
    """The end of a game played by policies, and its journal."""
    course = played(players, **options)
    return course[-1][0], tuple(entry for _, _, entries in course for entry in entries)


def test_bots_take_guns_from_the_usa_where_no_infantry_is_left_in_the_pool() -> None:
    """Half of four units come in a game of five; with one infantry left in the pool the other is a gun, on land."""
    ruleset, geography = rules()
    state = opening(5).copy()
    state.put("sides", "allied", "cards_at_discovery", 1)
    world = World(ruleset, state, geography=geography)
    pool = world.number("=left_in_pool(nation('france'), 'infantry')", {})
    for left, guns in ((1, 1), (0, 2), (2, 0)):
        state.put("units", "france.infantry@s-france", "n", 2 + pool - left)
        world = World(ruleset, state, geography=geography)
        assert [
            world.number(f"=guns_to_land(place({p!r}), nation('france'))", {})
            for p in ("s-france", "north-sea")
        ] == [
            guns,
            0,
        ]


def test_nobody_but_a_mole_calls_on_itself_and_nobody_calls_when_the_mole_is_known() -> None:
    for position, given, _ in played(5):
        for nation, lines in given.items():
            for line in lines:
                if line["order"] == "actions/call-out":
                    flags = position.state.row("flags", f"nation:{nation}")
                    assert line["slots"]["target"] != nation or "mole-card" in flags
                    assert not position.state.get(
                        "sides", position.state.get("nations", nation, "side"), "cards_at_discovery", 0
                    )


@pytest.mark.parametrize("players", [4, 5, 6])
def test_a_game_by_policies_comes_to_its_end(players: int) -> None:
    position, entries = game(players)
    points = [position.state.get("sides", side, "points", 0) for side in ("allied", "central")]
    assert position.turn <= 10 and (position.turn == 10 or abs(points[0] - points[1]) >= 10)
    assert any(e.rule == "battles/token-battle" for e in entries)
    pieces: dict[tuple[str, str], int] = {}
    for _, row in position.state.stacks():
        pieces[row["owner"], row["kind"]] = pieces.get((row["owner"], row["kind"]), 0) + row["n"]
    for (owner, kind), n in pieces.items():
        assert owner == "neutral-units" or n <= rules()[0].row("units", kind)["pool"]


@pytest.mark.parametrize("players", [4, 6])
def test_the_last_unit_leaves_a_region_only_for_a_better_one(players: int) -> None:
    """A region without troops is nobody's, and its coins go to whoever comes next."""
    places, left = rules()[0].rows("places"), 0
    for here, orders, _ in played(players):
        worth = {
            p: 3 * here.state.get("treasuries", p, "coin", 0) + (12 if places[p].get("strategic") else 0)
            for p in places
        }
        for nation, given in orders.items():
            for order in (o["slots"] for o in given if o["order"] == "orders/march-order"):
                there = sum(row["n"] for _, row in here.state.stacks(at=order["origin"], owner=nation))
                if there == sum(order["units"].values()) and worth[order["origin"]]:
                    left += 1
                    assert there == 1 and worth[order["target"]] > worth[order["origin"]], (nation, order)
    assert left


def test_a_mole_takes_no_city_for_its_team_and_fights_nobody_before_it_betrays_it() -> None:
    places, hidden = rules()[0].rows("places"), 0
    for here, orders, _ in played(6, mole=True):
        for nation, given in orders.items():
            if {"mole-card"} == {"mole-card", "card-shown"} & set(
                here.state.row("flags", f"nation:{nation}")
            ):
                for target in (o["slots"]["target"] for o in given if o["order"] == "orders/march-order"):
                    hidden += 1
                    assert not places[target].get("strategic") and not list(here.state.stacks(at=target)), (
                        nation,
                        target,
                    )
    assert hidden


@pytest.mark.parametrize("players", [4, 6])
def test_nobody_invests_nothing(players: int) -> None:
    given = [
        o
        for _, orders, _ in played(players)
        for of in orders.values()
        for o in of
        if o["order"] == "actions/invest-coins"
    ]
    assert given and all(o["slots"]["n"] > 0 for o in given)


def test_land_is_owned_by_whoever_stands_there_all_through_a_game() -> None:
    position, _ = game(6)
    world = World(rules()[0], position.state)
    for place, row in rules()[0].rows("places").items():
        owners = position.state.owners_at(place)
        expected = next(iter(owners), None) if row["kind"] == "land" else None
        assert len(owners) <= 1 or row["kind"] == "sea"
        assert world.holder_of(place) == expected


def test_a_report_never_tells_the_card_of_another() -> None:
    position, entries = game(6, mole=True)
    dealt = [e for e in entries if e.rule == "events/cards-dealt"]
    assert dealt and not any(
        readable(dealt, World(rules()[0], position.state), n) for n in ("uk", "germany", "france")
    )
    hidden = [
        n for n in ("uk", "germany", "russia", "ottoman", "france", "austria-hungary")
        if "card-shown" not in position.state.row("flags", f"nation:{n}")
    ]  # fmt: skip
    for reader in ("uk", "germany"):
        shown = view(rules()[0], position.state, reader)
        report = nation_report(
            World(rules()[0], shown, geography=rules()[1]), entries, reader, game="g", turn=position.turn
        )
        for other in hidden:
            if other != reader:
                assert not {"mole-card", "loyal-card"} & set(shown.row("flags", f"nation:{other}"))
        assert "mole-card" not in as_text(report)


def test_a_trench_between_regions_that_do_not_touch_is_an_error(tmp_path: Path) -> None:
    scenario = YAML(typ="safe").load(scenarios() / "alliances-4.yaml")
    scenario["works"].append({"place": "spain", "facing": "ukraine", "works": "trench"})
    YAML().dump(scenario, tmp_path / "four.yaml")
    _, _, found = load_scenario(tmp_path / "four.yaml", cache=False)
    assert [d.severity for d in found if "spain" in d.message and "ukraine" in d.message] == ["error"]
