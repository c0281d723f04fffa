"""Tournaments: policies chosen by name for each seat, seats exchanged, points and leads as computed by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wteaw.bots import policies_of, policy_of
from wteaw.cli import _run
from wteaw.world.world import World
from wteaw_lab import tournament as cup

from .. import small

RULES = small.ruleset(
    policies=[{"id": "bold"}, {"id": "sly", "set": "clever"}, {"id": "slyer", "set": "clever", "for": "blue"}]
)


def chosen(policy: str | None, nation: str = "red") -> str | None:
    state = small.state(nations={nation: {"policy": policy}} if policy else {})
    row = policy_of(World(RULES, state), nation)
    return None if row is None else str(row["id"])


def test_a_nation_is_played_by_what_is_chosen_for_it() -> None:
    assert policies_of(RULES) == ["clever", "bold", "sly", "slyer", "idle"]
    assert chosen(None) == "bold" and chosen("idle") is None and chosen("bold") == "bold"
    assert (
        chosen("clever") == "sly" and chosen("clever", "blue") == "slyer" and chosen("sly", "blue") == "sly"
    )


def test_parties_and_seats() -> None:
    world = World(RULES, small.state())
    parties = cup.parties_of(world, ["red", "blue", "gray"])
    assert parties == {"east": ["red"], "west": ["blue"]}
    assert cup.parties_of(world, ["red", "gray"]) == {"gray": ["gray"], "red": ["red"]}
    assert list(cup.seatings(["a", "b", "c"])) == [
        ("a", "b"),
        ("b", "a"),
        ("a", "c"),
        ("c", "a"),
        ("b", "c"),
        ("c", "b"),
    ]
    assert cup.seats(parties, ("bold", "given")) == {"red": "bold"} and cup.seats(
        parties, ("given", "idle")
    ) == {"blue": "idle"}


def played(red: float, blue: float, winners: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"winners": list(winners), "course": [], "criteria": {"points": {"red": red, "blue": blue}}}


def test_points_and_leads_by_hand() -> None:
    parties = {"east": ["red"], "west": ["blue"]}
    games = {
        (1, "a / b"): played(5, 3), (1, "b / a"): played(4, 1),  # who plays east is ahead in both
        (2, "a / b"): played(1, 2, ("red",)), (2, "b / a"): played(2, 2),  # won by a; drawn
        (3, "a / b"): {"error": "no"},
    }  # fmt: skip
    (pair,) = cup.standings(["a", "b"], parties, "points", games)
    assert (pair["games"], pair["won"], pair["lost"], pair["drawn"], pair["points"]) == (4, 2, 1, 1, 2.5)
    assert pair["from"] == {"first": [1, 2], "second": [1], "drawn": [2]}
    assert pair["lead"]["mean"] == pytest.approx(((2 - 3) / 2 + (-1 - 0) / 2) / 2)


def test_a_policy_beats_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = [
        "tournament",
        "diplomacy",
        "--bot",
        "given",
        "--bot",
        "idle",
        "--turns",
        "4",
        "--seed",
        "5a" * 16,
        "--workers",
        "1",
    ]
    assert _run([*call, "--games", "2", "--out", str(tmp_path / "cup"), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (pair,) = found["pairs"]
    assert (pair["games"], pair["won"], pair["by"]) == (4, 4, "places held") and pair["lead"]["mean"] > 0
    assert json.loads((tmp_path / "cup" / "tournament.json").read_text(encoding="utf-8")) == found
    games = (tmp_path / "cup" / "games.jsonl").read_bytes()
    assert _run([*call, "--games", "2", "--out", str(tmp_path / "cup")]) == 0  # nothing is played again
    assert (tmp_path / "cup" / "games.jsonl").read_bytes() == games
    assert "given against idle: 4 won, 0 drawn, 0 lost; 100% of the points" in capsys.readouterr().out


def test_a_set_of_a_shipped_ruleset_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = [
        "tournament",
        "diplomacy",
        "--bot",
        "alone",
        "--bot",
        "idle",
        "--turns",
        "3",
        "--seed",
        "5a" * 16,
        "--workers",
        "1",
    ]
    assert _run([*call, "--games", "1", "--out", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"][0]["won"] == 2
    given = [
        json.loads(line)["orders"]
        for line in (tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert all(
        "actions/move" in orders and not any("support" in order for order in orders) for orders in given
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--bot", "given"], "twice or more"), (["--bot", "given", "--bot", "given"], "twice or more"),
     (["--bot", "given", "--bot", "wise"], "no bot 'wise'"),
     (["--bot", "given", "--bot", "idle", "--criterion", "x"], "no criterion 'x'")],
)  # fmt: skip
def test_wrong_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert _run(["tournament", "diplomacy", *arguments, "--out", str(tmp_path / "cup")]) == 2
    assert says in capsys.readouterr().err and not (tmp_path / "cup").exists()
