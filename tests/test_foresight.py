"""A planner of 1914 asks for odds and looks a turn ahead; who plays by it is chosen when a game begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.bots.foresight import promise
from wteaw.core.state import unit_key
from wteaw.play.begin import new_game
from wteaw.play.scenario import initial_state
from wteaw.store import StoreError
from wteaw.world.view import UNKNOWN
from wteaw.world.world import World

from .small import front_of
from .world1914 import loaded

RULE = {"battle": "land", "unknown": "infantry", "win": 60, "hold": "1/2"}


def seen(defenders: dict[str, int], beside: int = 0, n: int = 10) -> float:
    """What the attack of so many German infantry from Cologne on Belgium promises; `beside`: enemies in the place behind."""
    scenario, ruleset, geography = loaded()
    state = initial_state(ruleset, scenario)
    for key, _ in list(state.stacks()):
        state.put("units", key, "*", None)
    for kind, number in defenders.items():
        row = {"owner": "french-empire", "kind": kind, "place": "belgium-territory", "n": number}
        state.put("units", unit_key("french-empire", kind, "belgium-territory"), "*", row)
    if beside:
        row = {"owner": "french-empire", "kind": "infantry", "place": "reims", "n": beside}
        state.put("units", "french-empire.infantry@reims", "*", row)
    own = {"owner": "german-empire", "kind": "infantry", "place": "cologne", "n": n}
    state.put("units", "german-empire.infantry@cologne", "*", own)
    state.put("places", "belgium-territory", "holder", "french-empire")
    world = World(ruleset, state, geography=geography)
    front = front_of(world, "german-empire", ruleset.row("policies", "camp")["war"])
    return promise(front, RULE, "belgium-territory", [("cologne", {"infantry": n})])


def test_an_attack_that_would_be_lost_promises_nothing() -> None:
    assert seen({"infantry": 12}) == 0
    assert seen({"infantry": 2}) > 0


def test_enemies_of_unknown_kind_count_as_the_row_says() -> None:
    assert seen({UNKNOWN: 12}) == 0
    assert seen({UNKNOWN: 2}) == seen({"infantry": 2})


def test_a_place_that_could_not_be_held_is_worth_less() -> None:
    assert seen({"infantry": 2}, beside=60) < seen({"infantry": 2}, beside=0)


def test_an_empty_place_is_worth_what_it_is() -> None:
    assert seen({}) > 0


@pytest.mark.parametrize(
    ("who", "some", "other"),
    [
        ("german-empire", "german-empire", "serbia"),
        ("central", "austria-hungary", "serbia"),
        ("everyone", "serbia", ""),
    ],
)
def test_who_plays_by_a_policy_is_chosen_at_the_start(
    tmp_path: Path, who: str, some: str, other: str
) -> None:
    scenario, ruleset, _ = loaded()
    game = new_game(tmp_path / "game", scenario, ruleset, id_="x", policies={who: "planner"})
    state = game.stage().position.state
    assert state.get("nations", some, "policy") == "planner" and state.get("nations", other, "policy") is None


@pytest.mark.parametrize(("who", "policy"), [("german-empire", "nope"), ("nobody", "planner")])
def test_a_policy_or_a_nation_that_is_none_is_refused(tmp_path: Path, who: str, policy: str) -> None:
    scenario, ruleset, _ = loaded()
    with pytest.raises(StoreError, match=who if policy == "planner" else policy):
        new_game(tmp_path / "game", scenario, ruleset, id_="x", policies={who: policy})
    assert not (tmp_path / "game").exists()
