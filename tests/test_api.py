"""The page of functions on which scripts are built: a game from its beginning to a report, and odds."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw import api
from wteaw.core.package_data import rulesets
from wteaw.play.scenario_files import load_scenario


@pytest.fixture
def game(tmp_path: Path) -> api.Game:
    return api.begin_game("diplomacy", tmp_path / "game", players=["austria"], seed=bytes(range(16)))


def test_a_turn_is_played(game: api.Game) -> None:
    lines = api.legal_lines(game, "austria")
    assert lines and any("Vienna" in line or "Vie" in line for line in lines)
    with pytest.raises(api.StoreError, match="no orders yet from Austria"):
        api.resolve_game(game)
    checked = api.check_orders(game, "austria", "A Vie - Gal\nA Bud - Moon")
    assert len(checked.orders) == 1 and [f.line for f in checked.found if f.severity == "error"] == [2]
    assert not game.submissions(), "a check keeps nothing"
    assert api.submit_orders(game, "austria", "A Vie - Gal\nA Bud - Ser").clean
    outcome = api.resolve_game(game)
    assert outcome.result.entries and "austria" not in outcome.missing
    assert "Austria" in api.report_text(game, "austria")
    assert "<html" in api.report_text(game, "austria", html=True)


def test_what_is_played_is_on_disk(game: api.Game, tmp_path: Path) -> None:
    api.submit_orders(game, "austria", "A Vie - Gal")
    assert list(api.open_game(tmp_path / "game").submissions()) == ["austria"]
    with pytest.raises(api.NotThere):
        api.open_game(tmp_path / "nothing")


def test_nothing_valid_is_not_submitted(game: api.Game) -> None:
    with pytest.raises(api.StoreError):
        api.submit_orders(game, "austria", "A Bud - Moon")
    assert not game.submissions()


def test_rules_with_errors_are_told_at_their_line(tmp_path: Path) -> None:
    (tmp_path / "ruleset.yaml").write_text("id: x\ntitle: 3\n", encoding="utf-8")
    with pytest.raises(api.RulesError, match=r"ruleset\.yaml:"):
        api.load_rules(tmp_path)
    assert api.load_rules(rulesets()).rows("nations")


def test_odds_are_exact_or_sampled() -> None:
    path = rulesets().parent / "scenarios" / "1914.yaml"
    scenario, ruleset, _ = load_scenario(path)
    assert scenario is not None and ruleset is not None
    forces = ["german-empire: 5 infantry"], ["french-empire: 3 infantry"]
    exact = api.odds_of_battle((ruleset, scenario), *forces)
    sampled = api.odds_of_battle((ruleset, scenario), *forces, trials=4000)
    assert exact.trials == 0 < sampled.trials
    assert abs(exact.win - sampled.win) < 0.05 and 0 < exact.win < 1
    with pytest.raises(api.Unclear):
        api.odds_of_battle((ruleset, scenario), ["german-empire: 5 unicorns"], ["french-empire: 3 infantry"])
