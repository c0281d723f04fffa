"""A game of written orders: all requirements before the turn, the moderator's hand, twenty turns by policies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw.core.package_data import scenarios
from wteaw.store import Game

from .long_ones import LONG

SCENARIO = str(scenarios() / "empire-orders.yaml")


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    code = _run([str(w) for w in words])
    out = capsys.readouterr()
    return code, out.out + out.err


@pytest.fixture
def game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    code, said = run(
        capsys, "new", SCENARIO, "--game", tmp_path / "g", "--player", "borea", "--seed", "07" * 16
    )
    assert code == 0, said
    return tmp_path / "g"


def test_a_set_of_orders_that_leaves_a_requirement_open_is_not_accepted(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "orders.txt").write_text("nation borea   turn 1\ndeploy infantry b1\n", encoding="utf-8")
    code, said = run(capsys, "orders", "check", "--game", game, tmp_path / "orders.txt")
    assert code != 0 and "still to be deployed" in said and "no order counts before that" in said


def test_a_line_goes_on_as_it_began_and_units_that_are_deployed_have_their_order(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "deploy 1 artillery, 1 general to b1\ndeploy 2 infantry to b1 and 2 infantry to b1\n"
    (tmp_path / "orders.txt").write_text(text, encoding="utf-8")
    _, said = run(capsys, "orders", "check", "--nation", "borea", "--game", game, tmp_path / "orders.txt")
    assert "1 general is deployed in" in said and "NOT TAKEN" not in said, said
    idle = said[said.index("UNITS WITHOUT AN ORDER") :]
    assert "1 infantry" in idle and "general" not in idle and "artillery" not in idle, said


def test_the_turn_waits_until_all_orders_are_there(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The case orders.case.resolve-waits-for-all, by the command: a rule test always has all orders."""
    code, said = run(capsys, "resolve", "--game", game)
    assert code != 0 and "borea" in said.lower()


def test_the_moderator_answers_what_the_rules_leave_to_him(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(capsys, "decide", "moderator", "who-retreats-at-sea", "borea", "--game", game)
    assert code == 0 and "moderator answers" in said
    code, said = run(capsys, "decide", "borea", "who-retreats-at-sea", "borea", "--game", game)
    assert code != 0 and "asks the moderator" in said
    code, said = run(capsys, "decide", "moderator", "who-retreats-at-sea", "nowhere", "--game", game)
    assert code != 0 and "it is one of" in said


DEPLOYED = "deploy 5 infantry b1\ndeploy artillery b1\ndeploy general b1"


def hand_in(
    game: Path, capsys: pytest.CaptureFixture[str], turn: int, lines: str, nation: str = "borea"
) -> None:
    file = game.parent / "orders.txt"
    file.write_text(f"nation {nation}   turn {turn}\n{lines}\n", encoding="utf-8")
    code, said = run(capsys, "orders", "submit", "--game", game, "--nation", nation, file)
    assert code == 0, said


def test_combat_at_sea_waits_for_the_moderator(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rules give no procedure: the game stops with what is to be decided, and goes on with their answers or the defaults."""
    turn, said = 1, ""
    for lines, theirs in (
        (DEPLOYED, DEPLOYED.replace("b1", "a1")),
        (
            "posture ship 1 attack aster\nmove ship 1 to cold-sea\nmove ship 1 to mid-sea\nmove ship 1 to west-sea",
            "move ship 1 to west-sea",
        ),
    ):
        hand_in(game, capsys, turn, lines)
        hand_in(game, capsys, turn, theirs, "aster")
        code, said = run(capsys, "resolve", "--game", game)
        assert code == 0, said
        turn += 1
    found = Game.open(game)
    assert found.stage().position.turn == 2 and "results at sea" in said
    before = found.stage().position.state.hash()
    code, said = run(capsys, "resolve", "--game", game)
    assert (
        code != 0
        and "`wteaw decide moderator b ANSWER`" in said
        and "West Sea, ships that Aster loses against Borea: 0 to 1" in said
    )
    assert Game.open(game).stage().position.state.hash() == before
    code, said = run(
        capsys, "decide", "moderator", "ships-lost-of-first/engagement#0009", "1", "--game", game
    )
    assert code != 0 and "not in the books" in said
    code, said = run(
        capsys, "decide", "moderator", "ships-lost-of-first/engagement#0001", "1", "--game", game
    )
    assert code == 0, said
    code, said = run(capsys, "resolve", "--game", game)
    assert code != 0 and "ships that Aster loses" not in said and "who retreats of Aster and Borea" in said
    while Game.open(game).stage().position.turn == 2:  # it waits once more where a tech level has risen
        code, said = run(capsys, "resolve", "--game", game, "--force")
        assert code == 0, said
    after = Game.open(game).stage().position
    assert [
        r["owner"] for _, r in after.state.stacks() if r["kind"] == "warship" and r["place"] == "west-sea"
    ] == ["borea"]


def test_a_nation_that_sends_nothing_is_held_to_the_requirements(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(capsys, "resolve", "--game", game, "--force")
    assert code != 0 and "Borea: still to be deployed" in said and "submit orders that meet this" in said
    hand_in(game, capsys, 1, DEPLOYED)
    code, said = run(capsys, "resolve", "--game", game)
    assert code == 0, said


@pytest.mark.parametrize("seed", ["07", "a3"])
def test_policies_meet_every_requirement_and_order_what_can_be_carried_out(
    seed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(capsys, "play", SCENARIO, "--turns", "9", "--out", tmp_path / "out", "--seed", seed * 16)
    assert code == 0, said
    told = [
        e
        for e in Game.open(tmp_path / "out" / "game").journal()
        if "refused" in e.data and e.rule == "actions/deploy"
    ]
    assert not told
    assert not list(Game.open(tmp_path / "out" / "game").stage(2).position.state.stacks(at="reserve"))
    at_war = {
        e.turn
        for e in Game.open(tmp_path / "out" / "game").journal()
        if e.rule == "actions/declare-war" and e.text
    }
    sailed = {
        e.turn
        for e in Game.open(tmp_path / "out" / "game").journal()
        if "goes to" in e.text and ": ship" in e.text
    }
    assert at_war and all(turn > min(at_war) for turn in sailed)  # at peace ships stay in port


@LONG
def test_twenty_turns_by_policies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(
        capsys, "play", SCENARIO, "--turns", "20", "--out", tmp_path / "out", "--seed", "07" * 16
    )
    assert code == 0, said
    assert "Diplomatic report." in (tmp_path / "out" / "reports" / "moderator.txt").read_text(
        encoding="utf-8"
    )
    game = Game.open(tmp_path / "out" / "game")
    done = {(e.turn, e.rule) for e in game.journal() if e.text}
    assert {"actions/declare-war", "events/treaty-in-force", "events/payment-made", "events/occupation"} <= {
        rule for _, rule in done
    }
    moves = ("actions/", "events/occupation", "events/column", "events/work-completed", "battles/")
    for turn in range(
        1, 17
    ):  # a peace of a season; no year and more without a move, a battle, a work or an order that counts
        assert any(rule.startswith(moves) for at, rule in done if turn <= at < turn + 5), turn


WAR = """id: war
title: War
ruleset: empire-orders
start: {turn: 2}
nations: {aster: {tech_level: 3}, cressia: {tech_level: 1}}
relations: [{a: aster, b: cressia, stance: war}]
units:
  - {owner: aster, at: a3, units: {infantry: 6}}
  - {owner: cressia, at: c2, units: {infantry: 1, artillery: 2}}
"""


def test_odds_of_orders_tell_what_becomes_of_equipment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each gun is captured or destroyed by an even chance, once its infantry has fallen; the combat itself is exact."""
    file = tmp_path / "war.yaml"
    file.write_text(WAR, encoding="utf-8")
    words = ("odds", "--scenario", file, "--nation", "aster", "--order", "invade c2 with 6 infantry from a3")
    code, said = run(capsys, *words, "--format", "json")
    assert code == 0, said
    found = json.loads(said)
    assert found["exact"] and found["win"] == 1
    assert found["after"]["cressia"] == {"artillery": -2}
    assert 0.8 < found["after"]["aster"]["artillery"] < 1.2
