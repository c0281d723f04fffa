"""No Man's Land: powers in turn, of which a person plays one; resolving goes on to his turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.core.package_data import rulesets, scenarios
from wteaw.game.moderation import new_game, resolve_turn, wanted_now
from wteaw.game.report.mapview import Drawing, drawing_from, read_drawing
from wteaw.game.scenario_files import load_scenario
from wteaw.game.store import Game
from wteaw.ruleset import Ruleset, load_ruleset

VARIANT = rulesets() / "variants" / "no-mans-land"


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    found, problems = load_ruleset(VARIANT)
    assert found is not None, [p.message for p in problems]
    return found


def begun(folder: Path, rules: Ruleset, seats: dict[str, str]) -> Game:
    scenario, _, problems = load_scenario(scenarios() / "no-mans-land.yaml")
    assert scenario is not None, problems
    everybody = {n: seats.get(n, "policy") for n, row in rules.rows("nations").items() if row.get("seat") != "none"}
    return new_game(folder, scenario, rules, id_="nml", seats=everybody, seed=bytes(32))


def test_resolving_goes_on_to_the_next_player_and_says_who_he_is(tmp_path: Path, rules: Ruleset) -> None:
    game = begun(tmp_path / "game", rules, {"austria": "player"})
    assert game.awaited() != ["austria"]
    outcome = resolve_turn(game)
    assert game.awaited() == ["austria"] and outcome.missing == ()
    assert len(outcome.played) >= 1 and wanted_now(game).endswith("of turn 1 from Austria")


def test_without_players_it_stops_at_every_power(tmp_path: Path, rules: Ruleset) -> None:
    game = begun(tmp_path / "game", rules, {})
    first = game.awaited()
    assert resolve_turn(game).played == tuple(first) and game.stage().position.turn == 1


def test_the_letters_of_a_map_keep_their_order_in_a_stored_game() -> None:
    """The first tag that fits counts, and what is stored as a mapping is sorted."""
    marks = read_drawing(VARIANT).marks
    kept = drawing_from(dict(Drawing(marks=marks).to_json())).marks
    assert list(kept["badges"]) == list(marks["badges"]) != sorted(marks["badges"])
