"""What a game waits for, and what was known of a turn that is over: the commands that tell it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wteaw.cli import main
from wteaw.play.dice_statistics import luck
from wteaw.play.pending import standing_of
from wteaw.play.resolve import resolve_turn
from wteaw.report.render import as_text
from wteaw.report.turn_reports import last_turn, report, reported_turns
from wteaw.store import Game, StoreError


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    said = capsys.readouterr()
    assert left.value.code in (0, None), said.err
    return said.out


def test_who_has_sent_who_is_late_and_what_awaits_whom(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, orders = str(tmp_path / "game"), tmp_path / "orders.txt"
    run(capsys, "new", "diplomacy", "--game", folder, "--player", "france", "--player", "germany")
    told = json.loads(run(capsys, "status", "--game", folder, "--format", "json"))
    assert [(s["nation"], s["sent"]) for s in told["seats"]] == [("france", False), ("germany", False)]
    assert told["late"] == ["france", "germany"] and len(told["policies"]) == 5 and not told["closed"]
    assert (
        told["moderator"][0].startswith("Publish the commitment to the dice of turn 1") and told["turn"] == 1
    )

    orders.write_text("nation france\nA Par - Bur\nA Mar H\n", encoding="utf-8")
    run(capsys, "orders", "submit", "--game", folder, "--nation", "france", str(orders))
    said = run(capsys, "status", "--game", folder)
    assert (
        "  France: 2 orders, sent by the moderator\n" in said and "  Germany: nothing has come in\n" in said
    )
    assert "5 more nations are played by bots." in said and "1 missing: remind them" in said

    run(capsys, "close", "--game", folder)
    told = standing_of(Game.open(Path(folder)))
    assert told["closed"] and told["late"] == ["germany"]
    assert told["moderator"] == ["Orders are closed: `wteaw resolve --force`."]
    run(capsys, "resolve", "--game", folder, "--force")
    told = standing_of(Game.open(Path(folder)))
    assert told["turn"] == 2 and not told["closed"] and told["late"] == ["france", "germany"]


def test_a_report_of_an_earlier_turn_tells_what_was_known_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "game"
    run(capsys, "new", "diplomacy", "--game", str(folder), "--player", "france")
    game = Game.open(folder)
    resolve_turn(game, force=True)
    then = as_text(report(Game.open(folder), "france", turn=1, template=False)).partition("\nPROOF")[0]
    for _ in range(2):
        resolve_turn(Game.open(folder), force=True)
    later = as_text(report(Game.open(folder), "france", turn=1, template=False)).partition("\nPROOF")[0]
    assert [line for line in later.splitlines() if not line.startswith("Orders for")] == [
        line for line in then.splitlines() if not line.startswith("Orders for")
    ]
    now = as_text(report(Game.open(folder), "france", template=False)).partition("\nPROOF")[0]
    assert now != later and "Report on turn 3" in now
    for turn in (9, -1):
        with pytest.raises(StoreError, match=f"there has been no turn {turn}"):
            report(Game.open(folder), "france", turn=turn)
    with pytest.raises(SystemExit) as left:
        main(["report", "--game", str(folder), "--turn", "99"])
    assert (
        left.value.code == 2
        and "there has been no turn 99; the game stands in turn" in capsys.readouterr().err
    )


def test_a_game_that_sets_in_with_a_later_turn_has_its_first_report_before_it_and_an_audit_after_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "scenarios" / "late.yaml"
    scenario.parent.mkdir()
    scenario.write_text("id: late\ntitle: Late\nextends: diplomacy\nstart: {turn: 6}\n", encoding="utf-8")
    folder = tmp_path / "game"
    run(capsys, "new", str(scenario), "--game", str(folder))
    game = Game.open(folder)
    assert list(reported_turns(game)) == [] and last_turn(game) == 0
    assert "The game begins" in run(capsys, "report", "--game", str(folder), "--nation", "france")
    resolve_turn(game, force=True)
    game = Game.open(folder)
    assert list(reported_turns(game)) == [6]
    assert "Report on turn 6" in run(capsys, "report", "--game", str(folder), "--nation", "france")
    assert "reports: Is what" in run(capsys, "audit", str(folder))
    while Game.open(folder).stage().position.turn == 6:
        resolve_turn(Game.open(folder), force=True)
    assert luck(Game.open(folder)).turns == 1
