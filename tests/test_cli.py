"""The commands as a user types them, on the 1914 game: what they print, what they leave, and how they take a wrong input."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wteaw.cli import COMMANDS, _run

BROKEN = """\
# ten ways to get an order wrong, and one right line
move 2 infantry from berlin to leipzig
attak belgium
declare war on blgm
declare war on austria-hungary
influence germany
build 2 infantry in paris
build 99 artillery in berlin
move 3 infantry from cologne to moscow
move 90 infantry from cologne to belgium
research teleportation
build 1 airships in hamburg
"""


AT_ONCE = ["--option", "free-deployment=false"]
"""Turn 1 begins at once, with all units where the scenario puts them."""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = _run(list(arguments))
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games") / "flanders"
    code = _run(
        [
            "new",
            "1914",
            "--game",
            str(folder),
            "--player",
            "german-empire",
            "--player",
            "french-empire",
            "--seed",
            "5a" * 32,
            *AT_ONCE,
        ]
    )
    assert code == 0
    return folder


def test_help_names_every_command_and_each_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for command in COMMANDS:
        if command.exists:
            assert f"  {command.name} " in out
            code, text, _ = run(capsys, command.name, "--help")
            assert code == 0 and ("Example:" in text or "Commands" in text), command.name


@pytest.mark.parametrize("group", ["orders", "players", "dice", "import"])
def test_help_of_a_group_cuts_no_line_off(capsys: pytest.CaptureFixture[str], group: str) -> None:
    lines = run(capsys, group, "--help")[1].partition("Commands:")[2].splitlines()
    assert len(lines) > 1 and not [line for line in lines if line.endswith("...")]


def test_help_groups_commands_by_who_uses_them(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "--help")[1]
    groups = dict(re.findall(r"^(To [a-z ]+):\n((?:  .+\n)+)", out, re.MULTILINE))
    assert list(groups) == ["To play", "To moderate", "To design rules", "To analyze games"]
    for title, name in zip(groups, ("orders", "resolve", "validate", "simulate"), strict=True):
        assert [t for t, lines in groups.items() if f"  {name} " in lines] == [title]
    assert sum(lines.count("\n") for lines in groups.values()) == sum(c.exists for c in COMMANDS), (
        "each in one group"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["reslove"], "did you mean"),
        (["new", "1915", "--game", "x"], "no scenario 1915"),
        (["resolve", "--game", "/nowhere"], "holds no game"),
        (["report", "--game", "/nowhere"], "holds no game"),
        (["map"], "name a scenario"),
        (["validate", "/nowhere"], "does not exist"),
        (["show", "infantrie"], "infantry"),
        (["new", "1914", "--game", "x", "--option", "free-deploiment=false"], "there are"),
        (["new", "1914", "--game", "x", "--option", "free-deployment=maybe"], "one of true, false"),
        (["new", "1914", "--game", "x", "--option", "free-deployment"], "NAME=VALUE"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2 and says in out + err and "Traceback" not in err


def test_a_broken_order_file_is_refused_line_by_line(
    capsys: pytest.CaptureFixture[str], game: Path, tmp_path: Path
) -> None:
    file = tmp_path / "orders.txt"
    file.write_text(BROKEN)
    code, out, _ = run(capsys, "orders", "check", str(file), "--game", str(game), "--nation", "german-empire")
    assert code == 1
    told = " ".join(out.split())
    assert "1 ORDER IS VALID" in out and "NOT TAKEN" in out, out
    for number, line in enumerate(BROKEN.splitlines()[2:], 3):
        assert f"line {number} {line}" in told, f"line {number} is told"
    assert "2 infantry go from Berlin to Leipzig" in told and "line 2 " not in told
    assert "at most 28" in told and "they can go to" in told
    code, out, _ = run(
        capsys,
        "orders",
        "check",
        str(file),
        "--game",
        str(game),
        "--nation",
        "german-empire",
        "--format",
        "json",
    )
    said = json.loads(out)
    assert code == 1 and {d["line"] for d in said["diagnostics"]} == set(range(3, 13))
    assert said["read_back"]["standing"] == 1 and len(said["read_back"]["not_taken"]) == 10


def test_the_template_is_an_order_file_that_stands(
    capsys: pytest.CaptureFixture[str], game: Path, tmp_path: Path
) -> None:
    code, out, _ = run(capsys, "orders", "template", "--game", str(game), "--nation", "Germany")
    assert code == 0 and "declare war on" in out
    file = tmp_path / "template.txt"
    file.write_text(out)
    assert run(capsys, "orders", "check", str(file), "--game", str(game))[0] == 0


def test_a_turn_from_orders_to_reports(
    capsys: pytest.CaptureFixture[str], game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(capsys, "resolve", "--game", str(game))
    assert code == 3 and "no orders yet from" in err and "French Empire" in err
    for nation, text in (
        ("german-empire", "declare war on belgium\nmove 10 infantry from cologne to belgium\n"),
        ("french-empire", "# nothing\n"),
    ):
        file = tmp_path / f"{nation}.txt"
        file.write_text(f"game flanders nation {nation} turn 1\n{text}")
        assert run(capsys, "orders", "submit", str(file), "--game", str(game), "--nation", nation)[0] == 0
    code, out, err = run(capsys, "resolve", "--game", str(game), "--dry-run")
    assert code == 3 and "wteaw close" in err
    code, out, _ = run(capsys, "resolve", "--game", str(game), "--practice")
    assert code == 0 and "nothing was kept" in out
    code, out, _ = run(capsys, "close", "--game", str(game), "--format", "json")
    assert code == 0 and set(json.loads(out)["salts"]) == {"german-empire", "french-empire"}
    with monkeypatch.context() as brief:
        brief.setattr("wteaw.cli.game.MOST_AT_A_GLANCE", 2)
        code, out, _ = run(capsys, "resolve", "--game", str(game), "--dry-run")
    assert code == 0 and "nothing was kept" in out
    assert len(out.splitlines()) == 6 and "lines more: `wteaw report` has all of it" in out
    code, out, _ = run(capsys, "resolve", "--game", str(game))
    assert code == 0 and "declares war on Belgium" in out and "turn 2 waits" in out
    assert out.startswith("NEWS\n") and "\nBATTLES\n" in out and "infantry go" not in out
    code, out, _ = run(capsys, "report", "--game", str(game), "--nation", "german-empire")
    assert code == 0 and "German Empire" in out and "ORDER FORM" in out and "Belgium" in out
    code, out, _ = run(capsys, "report", "--game", str(game), "--nation", "german-empire", "--format", "html")
    assert code == 0 and "<svg" in out and "http://" not in out.replace("http://www.w3.org", "")
    code, out, _ = run(capsys, "report", "--game", str(game), "--nation", "spain", "--format", "json")
    assert code == 0 and json.loads(out)["reader"] == "spain"
    code, out, _ = run(capsys, "explain", "german-empire belgium", "--game", str(game))
    assert code == 0 and "diplomacy.yaml:" in out
    code, _, err = run(capsys, "explain", "nonsense", "--game", str(game))
    assert code == 2 and "nothing in this game is called 'nonsense'" in err
    code, out, _ = run(capsys, "explain", "berlin holder", "--game", str(game))
    assert code == 0 and "Nothing has changed 'berlin holder' so far" in out


def resolved(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    """Turn 1 is over, by the test above or by one that runs without it."""
    code, _, err = run(capsys, "dice", "reveal", "--game", str(game), "--turn", "1")
    if code:
        assert "has not been resolved" in err
        assert run(capsys, "resolve", "--game", str(game), "--force")[0] == 0


def test_rollback_goes_back(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    resolved(capsys, game)
    code, out, _ = run(capsys, "rollback", "--game", str(game))
    assert code == 0 and out.count("waits for orders") == 2
    code, _, err = run(capsys, "rollback", "--game", str(game), "--turn", "1")
    assert code == 2 and "--reason" in err
    code, out, _ = run(capsys, "rollback", "--game", str(game), "--turn", "1", "--reason", "test", "--yes")
    assert code == 0 and "turn 1" in out


def test_the_map_is_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "map.svg"
    assert run(capsys, "map", "1914", "--out", str(file))[0] == 0
    assert file.read_text().startswith("<svg") and "Berlin" in file.read_text()
    code, _, err = run(capsys, "map", "1914", "--out", str(tmp_path / "map.gif"))
    assert code == 2 and ".svg or .png" in err


def test_help_starts_without_the_heavy_libraries() -> None:
    code = "import sys; from wteaw.cli import _run; _run(['--help']); print([m for m in ('numpy','networkx','ruamel','sqlalchemy','jinja2') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.rstrip().endswith("[]")


@pytest.mark.parametrize(
    "command",
    [
        ["help"],
        ["--version"],
        ["scenarios"],
        ["new", "--help"],
        ["orders", "reference", "ruleset/variants/diplomacy"],
        ["scenarios", "--json"],
        ["nothing"],
    ],
    ids=" ".join,
)
def test_a_command_whose_reader_has_gone_ends_without_a_word(command: list[str]) -> None:
    """As with `| head`, which may close the pipe before the first line is written."""
    started = subprocess.Popen(
        [sys.executable, "-c", f"from wteaw.cli import main; main({command!r})"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert started.stdout is not None and started.stderr is not None
    started.stdout.close()
    said = started.stderr.read()
    started.stderr.close()
    wrong = command == ["nothing"]  # its words go to standard error
    assert (started.wait(), bool(said)) == ((2, True) if wrong else (0, False)), said
    assert "Traceback" not in said and "BrokenPipe" not in said


def test_help_of_a_command_and_its_options_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "help", "new")
    assert code == 0 and out == run(capsys, "new", "--help")[1] and "Start a game from a scenario." in out
    assert "list[" not in out and "May be given again." in out and "--format text|json " in out
    assert "--format text|html|json" not in run(capsys, "luck", "--help")[1]  # in one order everywhere
    assert "--format text|json|html " in run(capsys, "luck", "--help")[1]


def test_a_game_is_named_with_and_without_its_option(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("status", "luck", "statistics"):
        said = run(capsys, command, "--game", str(game))
        assert said[0] == 0 and run(capsys, command, str(game)) == said, command


def test_every_nation_that_there_is_not_is_told_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = ["--player", "fra", "--player", "zzz", "--player", "germny"]
    code, _, err = run(capsys, "new", "1914", "--game", str(tmp_path / "g"), *wrong)
    assert code == 2 and "fra; did you mean French Empire?" in err and "zzz" in err
    assert "germny; did you mean German Empire?" in err
    code, _, err = run(capsys, "new", "diplomacy", "--game", str(tmp_path / "g"), "--player", "zzz")
    assert code == 2 and "there are Austria, England, France" in err


def test_explain_knows_words_of_the_rules_that_are_no_values(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for word in ("influence", "withdraw", "supply"):
        code, out, err = run(capsys, "explain", word, "--game", str(game), "--nation", "german-empire")
        assert code == 0 and err == "" and "You do not know" not in out and word in out.lower(), out
    assert run(capsys, "explain", "xyzzy", "--game", str(game), "--nation", "german-empire")[0] == 2


def test_newer_rules_of_a_scenario_with_rules_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder alone knows nothing of them: without the scenario they would be lost."""
    where = ["--game", str(tmp_path / "empires")]
    assert run(capsys, "new", "empire-orders", *where, "--seed", "5a" * 32)[0] == 0
    code, out, _ = run(capsys, "upgrade", *where, "--scenario", "empire-orders")
    assert (code, out.strip()) == (0, "The game runs on these rules already.")
    code, out, _ = run(capsys, "upgrade", *where, "--ruleset", "ruleset/variants/empire-orders")
    assert code == 0 and "runs on these rules" not in out
