"""Who is asked for the orders of which nation: seats that name another nation, positions that nobody has, parties that rise."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw.core.package_data import scenarios
from wteaw.play import player_keys
from wteaw.play.begin import new_game
from wteaw.play.pending import seats, standing_of
from wteaw.play.resolve import absent, has_players, policy_submissions, resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.play.submit import hand_in
from wteaw.store import MODERATOR, POLICY, Game, StoreError
from wteaw.turn.vacancies import vacancies

REBELS = {"alive": True, "side": "central", "seat": "german-empire"}


def begun(folder: Path, seated: dict[str, str] | None = None) -> Game:
    """A game of 1914 in which the Irish have risen, and the Bolsheviks too."""
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    risen = {"irish-rebels": REBELS, "bolsheviks": {"alive": True}}
    risen["british-empire"] = {**data["nations"]["british-empire"], "side": "allied"}
    units = [
        {"owner": "irish-rebels", "at": "dublin", "units": {"infantry": 3}},
        {"owner": "bolsheviks", "at": "tula", "units": {"infantry": 3}},
    ]
    data = {**data, "nations": {**data["nations"], **risen}, "units": [*data["units"], *units]}
    game = new_game(folder / "game", data, ruleset, id_="seats", seats=seated, seed=b"\x05" * 32)
    if "player" in (seated or {}).values():
        resolve_turn(game, force=True)  # nobody deploys
    return game


def test_policies_play_those_who_rose_and_a_game_without_players_never_waits(tmp_path: Path) -> None:
    game = begun(tmp_path)
    assert (
        seats(game)["irish-rebels"] == POLICY
        and seats(game)["bolsheviks"] == POLICY
        and not has_players(game)
    )
    given = {s.nation: s for s in policy_submissions(game)}
    assert given["irish-rebels"].by == POLICY and "bolsheviks" in given
    outcome = resolve_turn(game)
    assert outcome.missing == () and {"irish-rebels", "bolsheviks"} <= set(outcome.played)
    assert not [e for e in outcome.result.entries if e.text == "No orders came in."]


def test_who_plays_a_nation_plays_those_that_it_commands(tmp_path: Path) -> None:
    game = begun(tmp_path, {"german-empire": "player", "french-empire": "player"})
    assert (
        seats(game)["irish-rebels"] == "player" and seats(game)["bolsheviks"] == POLICY and has_players(game)
    )
    assert standing_of(game)["late"] == ["french-empire", "german-empire", "irish-rebels"]
    with pytest.raises(StoreError, match="no orders yet from French Empire, German Empire, Irish"):
        resolve_turn(game)
    germany, france = (player_keys.give(game, n) for n in ("german-empire", "french-empire"))
    orders = tmp_path / "orders.txt"
    orders.write_text("move 3 infantry from dublin to northern-ireland\n")
    submit = [
        "orders",
        "submit",
        str(orders),
        "--game",
        str(tmp_path / "game"),
        "--nation",
        "irish-rebels",
        "--key",
    ]
    assert _run([*submit, france]) == 3 and "irish-rebels" not in game.submissions()
    assert _run([*submit, germany]) == 0 and game.submissions()["irish-rebels"].by == "player"
    assert standing_of(game)["late"] == ["french-empire", "german-empire"]


def test_only_who_plays_is_absent_and_not_each_nation_of_his(tmp_path: Path) -> None:
    game = begun(tmp_path, {"german-empire": "player"})
    assert absent(game, ["irish-rebels"]) == [], "Germany has sent, so its player is there"
    assert absent(game, ["irish-rebels", "german-empire"]) == ["german-empire", "irish-rebels"]
    hand_in(game, "german-empire", "", MODERATOR)
    entries = resolve_turn(game, force=True).result.entries
    assert not [e for e in entries if e.text == "No orders came in."]


def test_a_vacant_position_is_played_and_never_waited_for(tmp_path: Path) -> None:
    game = begun(tmp_path, {"german-empire": "vacant"})
    assert seats(game)["irish-rebels"] == "vacant" and not has_players(game)
    assert not {"german-empire", "irish-rebels"} & set(game.awaited())
    assert standing_of(game)["late"] == [] and {"german-empire", "irish-rebels"} <= set(
        standing_of(game)["policies"]
    )
    assert {"german-empire", "irish-rebels"} <= {s.nation for s in policy_submissions(game)}
    hand_in(game, "german-empire", "", MODERATOR)
    assert "german-empire" not in {s.nation for s in policy_submissions(game)}, "the moderator's orders stand"
    resolve_turn(game)


def test_the_moderator_orders_for_a_nation_that_nobody_plays_and_chooses_its_player(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = begun(tmp_path, {"french-empire": "player"})
    folder = ["--game", str(tmp_path / "game")]
    hand_in(game, "bolsheviks", "", MODERATOR)
    assert game.submissions()["bolsheviks"].by == MODERATOR
    assert [
        (v.nation, v.by)
        for v in vacancies(game.seated_world())
        if v.nation in ("bolsheviks", "irish-rebels", "mutineers")
    ] == [("bolsheviks", "moderator")]
    assert _run(["players", "add", "Ann", "--email", "ann@example.org", "--side", "central", *folder]) == 0
    assert _run(["players", "propose", "irish-rebels", "Ann", "--by", "moderator", *folder]) == 3
    assert _run(["players", "propose", "bolsheviks", "Ann", "--by", "moderator", *folder]) == 0
    assert (
        _run(["players", "agree", "Ann", *folder]) == 0
        and _run(["players", "seat", "bolsheviks", *folder]) == 0
    )
    capsys.readouterr()
    assert seats(game)["bolsheviks"] == "player"
