"""Many games: each from its own seed, the same whatever the workers, gone on with where they were stopped, compared in pairs."""

from __future__ import annotations

import gc
import json
import math
import multiprocessing
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from wteaw.cli import _run
from wteaw.play.scenario_files import load_scenario
from wteaw_lab import sweep as many
from wteaw_lab import workers
from wteaw_lab.summary import mean, share

from ..long_ones import LONG

pytestmark = LONG

SEED = "5a" * 16


def simulate(out: Path, *more: str, games: int = 2, scenario: str = "diplomacy", turns: int = 1) -> int:
    return _run(
        ["simulate", scenario, "--games", str(games), "--turns", str(turns), "--out", str(out), *more]
    )


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "games.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four games by one worker."""
    out = tmp_path_factory.mktemp("whole")
    assert simulate(out, "--seed", SEED, "--workers", "1", games=4) == 0
    return out


def test_a_game_of_a_sweep_is_that_of_play(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = lines(whole)[1]
    assert second["seed"] == many.seed_of(SEED, 2) != lines(whole)[0]["seed"]
    code = _run(
        [
            "play",
            "diplomacy",
            "--turns",
            "1",
            "--seed",
            second["seed"],
            "--out",
            str(tmp_path / "p"),
            "--format",
            "json",
        ]
    )
    played = json.loads(capsys.readouterr().out)
    assert (code, played["journal"], played["state"]) == (0, second["journal"], second["state"])
    assert second["turns"] == played["turns"] == 1
    assert sum(second["orders"].values()) > 15


def test_a_game_leaves_no_rings_in_a_worker(tmp_path: Path) -> None:
    """A worker looks for rings seldom; what each game left there would pile up over a sweep."""
    scenario, ruleset, _ = load_scenario(Path("scenarios/diplomacy.yaml"))
    rules = workers.Rules.of(scenario, ruleset)
    task = workers.Task(key=(1, "as given"), of="", seed=SEED, turns=1, options={}, policies={})
    left = []
    gc.disable()
    try:
        for _ in range(3):
            assert "error" not in workers.play(task, rules, tmp_path)
            left.append(len(gc.get_objects()))
    finally:
        gc.enable()
        gc.unfreeze()
    assert left[2] - left[1] < 1000


def test_two_workers_give_what_one_gives(whole: Path, tmp_path: Path) -> None:
    assert simulate(tmp_path, "--seed", SEED, "--workers", "2", games=4) == 0
    for name in ("games.jsonl", "summary.json"):
        assert (tmp_path / name).read_bytes() == (whole / name).read_bytes()
    assert not (tmp_path / "playing").exists()


def test_a_sweep_that_was_stopped_goes_on(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("games.jsonl", "settings.json"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    raw = (whole / "games.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "games.jsonl").write_bytes(raw[2] + raw[0][:40])
    played = []
    real = many.seed_of
    monkeypatch.setattr(many, "seed_of", lambda seed, n: played.append(n) or real(seed, n))
    assert simulate(tmp_path, "--workers", "1", games=4) == 0  # the seed is that of the folder
    assert played == [1, 2, 4]
    assert (tmp_path / "games.jsonl").read_bytes() == (whole / "games.jsonl").read_bytes()
    assert (tmp_path / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()


@pytest.mark.parametrize("bad", [
    b'{"game":1,"candidate":"as given"}', b"[]", b"\xff\xfe", b'{"game":1,"candidate":"as given","sum":"0123456789abcdef"}', None,
])  # fmt: skip
def test_a_line_that_was_damaged_is_told_and_played_again(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: bytes | None
) -> None:
    shutil.copytree(whole, tmp_path / "s")
    first, *rest = (whole / "games.jsonl").read_bytes().splitlines(keepends=True)
    damaged = first.replace(b'"turns":1', b'"turns":7') if bad is None else bad + b"\n"
    assert damaged != first
    (tmp_path / "s" / "games.jsonl").write_bytes(b"".join([damaged, *rest]))
    assert _run(["balance", str(tmp_path / "s")]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("3 games:") and "games.jsonl: 1 line cannot be read any more" in said.err
    assert simulate(tmp_path / "s", "--workers", "1", games=4) == 0
    assert "games.jsonl: 1 line cannot be read any more" in capsys.readouterr().err
    assert (tmp_path / "s" / "games.jsonl").read_bytes() == (whole / "games.jsonl").read_bytes()


@pytest.mark.parametrize(
    "bad", ["[]", "{}", "7", "{", '{"format": 4}', '{"as given": {"title": "x"}}', "\xff"]
)
@pytest.mark.parametrize("name", ["settings.json", "about.json", "rules"])
def test_what_is_said_of_a_sweep_may_be_damaged(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, bad: str
) -> None:
    shutil.copytree(whole, tmp_path / "s")
    at = tmp_path / "s" / name
    (next(at.iterdir()) if at.is_dir() else at).write_text(bad, encoding="latin-1")
    assert _run(["balance", str(tmp_path / "s")]) == 1
    said = capsys.readouterr().err
    if name == "settings.json":
        assert (
            "`wteaw simulate --force` plays its games again" in said
            and simulate(tmp_path / "s", "--force", games=1) == 0
        )
    else:
        assert "the line that began the sweep, given again, writes it again" in said
        assert simulate(tmp_path / "s", games=4) == 0 and _run(["balance", str(tmp_path / "s")]) == 0


def test_a_folder_is_for_one_sweep_at_a_time(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(whole, tmp_path / "s")
    with many.alone(tmp_path / "s"):
        assert simulate(tmp_path / "s", games=5) == 3
        assert "another `wteaw simulate` or `wteaw tournament` is at" in capsys.readouterr().err
        assert _run(["balance", str(tmp_path / "s")]) == 0
    assert lines(tmp_path / "s") == lines(whole)
    assert simulate(tmp_path / "s", games=4) == 0


def test_a_game_is_no_folder_for_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["new", "diplomacy", "--game", str(tmp_path / "g")]) == 0
    there = _files(tmp_path / "g")
    assert simulate(tmp_path / "g") == 3 and "holds a game" in capsys.readouterr().err
    assert _files(tmp_path / "g") == there


def _files(folder: Path) -> list[str]:
    """The files of a folder, without those that SQLite keeps beside a database while it is open."""
    return sorted(p.name for p in folder.iterdir() if not p.name.endswith(("-wal", "-shm")))


def test_who_stops_a_sweep_hears_what_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = many._line

    def line(figures: dict[str, Any]) -> str:
        if figures["game"] == 2:
            raise KeyboardInterrupt
        return real(figures)

    monkeypatch.setattr(many, "_line", line)
    assert simulate(tmp_path, "--workers", "1", games=3) == 130
    monkeypatch.undo()
    assert (
        f"stopped; {len(lines(tmp_path))} game kept in {tmp_path}: the same line goes on with"
        in capsys.readouterr().err
    )


def test_a_killed_worker_loses_only_its_game(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = many._line
    killed = []

    def line(figures: dict[str, Any]) -> str:
        if not killed:
            killed.append(multiprocessing.active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)
        return real(figures)

    monkeypatch.setattr(many, "_line", line)
    assert simulate(tmp_path, "--seed", SEED, "--workers", "2", games=4) == 0
    assert killed
    assert (tmp_path / "games.jsonl").read_bytes() == (whole / "games.jsonl").read_bytes()


def test_against_itself_nothing_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        simulate(tmp_path, "--seed", SEED, "--with", "diplomacy", "--workers", "2", "--format", "json") == 0
    )
    compared = json.loads(capsys.readouterr().out)["compared"]["diplomacy"]
    assert compared["games"] == 2 and len(compared["figures"]) > 10
    assert {(m["mean"], m["error"]) for m in compared["figures"].values()} == {(0.0, 0.0)}
    assert (
        json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["compared"]["diplomacy"]
        == compared
    )


def test_another_rule_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("id: diplomacy\ntitle: Slower\nextends: diplomacy\nstart: {turn: 3}\n", encoding="utf-8")
    code = simulate(
        tmp_path / "out", "--seed", SEED, "--with", str(other), "--workers", "1", "--format", "json"
    )
    captured = capsys.readouterr()
    assert code == 0, captured.err
    figures = json.loads(captured.out)["compared"][str(other)]["figures"]
    assert any(m["mean"] for m in figures.values())


def test_the_table_says_who_wins_and_what_never_happened(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(whole, games=4) == 0
    said = capsys.readouterr().out
    assert "not ended" in said and "100%" in said
    assert "events that never happened: " in said and "orders that never happened: " in said
    found = json.loads((whole / "summary.json").read_text(encoding="utf-8"))["candidates"]["as given"]
    assert found["games"] == 4 and found["wins"]["not ended"]["games"] == 4
    assert "actions/move" not in found["never"]["orders"] and found["never"]["orders"]
    turns = found["figures"]["turns"]
    assert turns == {"mean": 1.0, "error": 0.0}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--option", "nothing=1"], "no option 'nothing'"),
        (["--option", "nothing"], "an option is NAME=VALUE"),
        (["--with", "nowhere"], "no scenario, no ruleset and no options"),
        (["--with", "nothing=1"], "no option 'nothing'"),
        (["--with", "diplomacy", "--with", "diplomacy"], "the same thing twice"),
        (["--format", "xml"], "no format 'xml'"),
    ],
)
def test_wrong_input_is_told_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert simulate(tmp_path / "out", *arguments) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_policy_is_chosen_as_play_chooses_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "alone"
    assert simulate(out, "--seed", SEED, "--workers", "1", "--bot", "everyone=alone", games=1) == 0
    (game,) = lines(out)
    assert game["orders"]["actions/move"] > 5 and not game["orders"].keys() & {
        "actions/support-move",
        "actions/support-hold",
    }
    assert json.loads((out / "about.json").read_text())["as given"]["again"].endswith(
        "--bot everyone=alone --turns 1"
    )
    capsys.readouterr()
    for wrong, says in (
        ("everyone=nobody", "no bot 'nobody'; there are alone"),
        ("atlantis=alone", "no side 'atlantis'"),
    ):
        assert simulate(tmp_path / "wrong", "--bot", wrong) == 2
        assert says in capsys.readouterr().err
        assert not (tmp_path / "wrong").exists()


def test_results_of_other_settings_are_kept(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("games.jsonl", "settings.json"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    assert simulate(tmp_path, "--seed", "00" * 16, games=1) == 3
    assert "other settings (seed)" in capsys.readouterr().err
    assert lines(tmp_path) == lines(whole)
    settings = json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))
    for other, said in (
        ({"engine": "another"}, "another version of wteaw played them"),
        ({"format": 1}, "another version of wteaw counted"),
    ):
        (tmp_path / "settings.json").write_text(json.dumps({**settings, **other}), encoding="utf-8")
        assert simulate(tmp_path, games=5) == 3
        assert said in capsys.readouterr().err and lines(tmp_path) == lines(whole)
    for broken in ("[]", "7", "{", ""):
        (tmp_path / "settings.json").write_text(broken, encoding="utf-8")
        assert simulate(tmp_path, games=5) == 3
        assert "other settings" in capsys.readouterr().err and lines(tmp_path) == lines(whole)
    assert simulate(tmp_path, "--seed", "00" * 16, "--force", games=1) == 0
    assert [g["seed"] for g in lines(tmp_path)] == [many.seed_of("00" * 16, 1)]


def test_means_and_bands() -> None:
    assert mean([1, 2, 3, 4]) == {"mean": 2.5, "error": pytest.approx(math.sqrt(5 / 3 / 4))}
    assert mean([7]) == {"mean": 7.0, "error": None}
    half = share(5, 10)
    assert (half["low"], half["high"]) == (pytest.approx(0.2366, abs=1e-4), pytest.approx(0.7634, abs=1e-4))
    assert share(0, 10)["low"] == 0 and share(10, 10)["high"] == 1
