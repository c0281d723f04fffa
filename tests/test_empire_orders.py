"""A game of written orders: all requirements before the turn, the moderator's hand, twenty turns by policies."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw.core.package_data import scenarios

SCENARIO = str(scenarios() / "empire-orders.yaml")


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    code = _run([str(w) for w in words])
    out = capsys.readouterr()
    return code, out.out + out.err


@pytest.fixture
def game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    code, said = run(capsys, "new", SCENARIO, "--game", tmp_path / "g", "--player", "borea")
    assert code == 0, said
    return tmp_path / "g"


def test_a_set_of_orders_that_leaves_a_requirement_open_is_not_accepted(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "orders.txt").write_text("nation borea   turn 1\ndeploy infantry b1\n", encoding="utf-8")
    code, said = run(capsys, "orders", "check", "--game", game, tmp_path / "orders.txt")
    assert code != 0 and "undeployed" in said and "none of the orders" in said


def test_the_turn_waits_until_all_orders_are_there(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(capsys, "resolve", "--game", game)
    assert code != 0 and "borea" in said.lower()


def test_the_moderator_answers_what_the_rules_leave_to_him(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(capsys, "decide", "moderator", "who-retreats-at-sea", "borea", "--game", game)
    assert code == 0 and "moderator answers" in said
    code, said = run(capsys, "decide", "borea", "who-retreats-at-sea", "borea", "--game", game)
    assert code != 0 and "asks the moderator" in said
    code, said = run(capsys, "decide", "moderator", "who-retreats-at-sea", "nowhere", "--game", game)
    assert code != 0 and "it is one of" in said


def test_twenty_turns_by_policies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(capsys, "play", SCENARIO, "--turns", "20", "--out", tmp_path / "out", "--seed", "07" * 16, "--no-png")
    assert code == 0, said
    assert "Diplomatic report." in (tmp_path / "out" / "reports" / "moderator.txt").read_text(encoding="utf-8")
