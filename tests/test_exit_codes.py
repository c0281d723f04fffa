"""One meaning for each exit code, over all commands: every command is given wrong input of each kind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_cli_json import SERVERS, commands
from wteaw.cli import ExitCode, main
from wteaw.cli.exits import MEANINGS
from wteaw.core.package_data import rulesets, scenarios

DOCS = Path(__file__).resolve().parent.parent / "docs"
GAME = "--game {game}"
NOWHERE = "{tmp}/nowhere"

WRONG: dict[str, dict[ExitCode, tuple[str, ...]]] = {
    "init": {ExitCode.CALL: ("123", "mine --extends third-editon", "--from exel x"), ExitCode.REFUSED: ("{full}",)},
    "validate": {ExitCode.CALL: (NOWHERE, "{empty}"), ExitCode.FOUND: ("{broken}", "{bad_scenario}")},
    "format": {ExitCode.CALL: (NOWHERE,), ExitCode.FOUND: ("{unreadable}",)},
    "test": {ExitCode.CALL: (NOWHERE, "{empty}", "{rules}/tests/datc-6a.yaml -k nonsense"), ExitCode.FOUND: ("{failing}",)},
    "coverage": {ExitCode.CALL: (NOWHERE, f"{{rules}} --clauses {NOWHERE}", f"{{rules}} --no-run --mutated {NOWHERE}"),
                 ExitCode.FOUND: ("{rules} --no-run --mutated {text}",)},
    "mutate": {ExitCode.CALL: (NOWHERE, "{rules} --clause nonsense --sample 1"), ExitCode.FOUND: ("{broken}",)},
    "systems": {ExitCode.CALL: (NOWHERE, f"{{rules}} --write {NOWHERE}"), ExitCode.FOUND: ("{rules} --write {text}",)},
    "show": {ExitCode.CALL: ("nonsense --ruleset {rules}", f"army --ruleset {NOWHERE}")},
    "diff": {ExitCode.CALL: (f"{{rules}} {NOWHERE}",), ExitCode.FOUND: ("{rules} {unreadable}",)},
    "rulebook": {ExitCode.CALL: (NOWHERE,), ExitCode.FOUND: ("{broken}",), ExitCode.MACHINE: ("{rules} --out {locked}/book.md",)},
    "new": {ExitCode.CALL: ("nonsense --game {tmp}/g", "diplomacy --game {tmp}/server.db#g", "diplomacy --game {tmp}/g --player narnia",
                        "diplomacy --game {tmp}/g --option nonsense=1"),
            ExitCode.FOUND: ("{bad_scenario} --game {tmp}/g",), ExitCode.REFUSED: (f"diplomacy {GAME}",),
            ExitCode.MACHINE: ("diplomacy --game {locked}/g",)},
    "orders template": {ExitCode.CALL: (f"{GAME} --nation narnia", f"--game {NOWHERE} --nation france")},
    "orders reference": {ExitCode.CALL: (NOWHERE, "--nation france"), ExitCode.FOUND: ("{broken}",)},
    "orders check": {ExitCode.CALL: (f"{NOWHERE} {GAME}",), ExitCode.FOUND: (f"{{bad_orders}} {GAME}",)},
    "orders submit": {ExitCode.CALL: (f"{{orders}} {GAME}",), ExitCode.FOUND: (f"{{bad_orders}} {GAME} --nation france",),
                      ExitCode.REFUSED: (f"{{orders}} {GAME} --key nonsense",)},
    "orders show": {ExitCode.CALL: (GAME, f"{GAME} --nation narnia"), ExitCode.REFUSED: (f"{GAME} --key nonsense",)},
    "orders back": {ExitCode.CALL: (f"{GAME} --nation france --to 99",), ExitCode.REFUSED: (f"{GAME} --key nonsense --to 1",)},
    "resolve": {ExitCode.CALL: (f"--game {NOWHERE}", f"{GAME} --until-phase nonsense"), ExitCode.REFUSED: (GAME,)},
    "close": {ExitCode.CALL: (f"--game {NOWHERE}",)},
    "backup": {ExitCode.CALL: (f"{NOWHERE} --out {{tmp}}/b",), ExitCode.FOUND: ("{damaged} --out {tmp}/b",), ExitCode.REFUSED: ("{game} --out {game}",),
               ExitCode.MACHINE: ("{game} --out {locked}/g",)},
    "verify": {ExitCode.CALL: (f"--game {NOWHERE}",), ExitCode.FOUND: ("--game {damaged}",)},
    "report": {ExitCode.CALL: (f"--game {NOWHERE}", f"{GAME} --nation narnia", f"{GAME} --turn 99", f"{GAME} --update May")},
    "map": {ExitCode.CALL: ("", "nonsense", "diplomacy --out {tmp}/m.gif"), ExitCode.MACHINE: ("diplomacy --out {locked}/m.svg",)},
    "status": {ExitCode.CALL: (f"--game {NOWHERE}",), ExitCode.FOUND: ("--game {damaged}",)},
    "explain": {ExitCode.CALL: (f"nonsense {GAME}", f"france {GAME} --nation narnia")},
    "rollback": {ExitCode.CALL: (f"{GAME} --turn 99", f"{GAME} --to 1", f"{GAME} --to 99 --reason x")},
    "decide": {ExitCode.CALL: (f"narnia x y {GAME}", f"france nonsense y {GAME}")},
    "players list": {ExitCode.CALL: (f"--game {NOWHERE}",)},
    "players add": {ExitCode.CALL: (f"Ann {GAME}",)},
    "players propose": {ExitCode.CALL: (f"narnia Ann --by moderator {GAME}", f"france Ann --by moderator {GAME}")},
    "players agree": {ExitCode.CALL: (f"Ann {GAME}",)},
    "players seat": {ExitCode.CALL: (f"narnia {GAME}",), ExitCode.REFUSED: (f"france {GAME}",)},
    "players leave": {ExitCode.CALL: (f"narnia {GAME}",), ExitCode.REFUSED: (f"england {GAME}",)},
    "players remove": {ExitCode.CALL: (f"Ann {GAME}",)},
    "players key": {ExitCode.CALL: (f"narnia {GAME}",)},
    "schedule": {ExitCode.CALL: ("--start May", f"--start 2004-05-01 --game {NOWHERE}"), ExitCode.FOUND: ("--start 2004-05-01 --ruleset {broken}",),
                 ExitCode.REFUSED: ("--start 2004-05-01 --ruleset {rules}",)},
    "upgrade": {ExitCode.CALL: (GAME, f"{GAME} --ruleset {NOWHERE}"), ExitCode.FOUND: (f"{GAME} --ruleset {{broken}}",)},
    "dice commit": {ExitCode.CALL: (f"--game {NOWHERE}",)},
    "dice reveal": {ExitCode.CALL: (f"{GAME} --turn 99",)},
    "dice verify": {ExitCode.CALL: (f"{{json}} --published {NOWHERE}",), ExitCode.FOUND: ("{text} --published {text}", "{json} --published {json}")},
    "odds": {ExitCode.CALL: ("--exact --trials 5", f"--ruleset {NOWHERE} --attacker x", "--scenario nonsense", "--scenario diplomacy --nation narnia"),
             ExitCode.FOUND: ("--ruleset {broken} --attacker x",)},
    "import dpjson": {ExitCode.CALL: (NOWHERE,), ExitCode.FOUND: ("{text}",)},
    "import triplea": {ExitCode.CALL: (f"{NOWHERE} --out {{tmp}}/o",), ExitCode.FOUND: ("{text} --out {tmp}/o",), ExitCode.REFUSED: ("{text} --out {full}",)},
    "export": {ExitCode.CALL: (NOWHERE, "{game} --out {locked}/g/x")},
    "luck": {ExitCode.CALL: (NOWHERE,)},
    "audit": {ExitCode.CALL: (NOWHERE, "", "{game} --only nonsense")},
    "statistics": {ExitCode.CALL: (NOWHERE,)},
    "tournament": {ExitCode.CALL: ("nonsense --out {tmp}/o",)},
    "balance": {ExitCode.CALL: (NOWHERE, "{empty}")},
    "simulate": {ExitCode.CALL: ("nonsense --games 1 --out {tmp}/o", "diplomacy --games 1 --out {tmp}/o --with nonsense"),
                 ExitCode.FOUND: ("{bad_scenario} --games 1 --out {tmp}/o",)},
    "play": {ExitCode.CALL: ("nonsense",), ExitCode.FOUND: ("{bad_scenario} --out {tmp}/o",),
             ExitCode.REFUSED: ("diplomacy --out {played}",)},
    "doctor": {ExitCode.CALL: ("nonsense",), ExitCode.MACHINE: ("",)},
    "scenarios": {ExitCode.CALL: ("nonsense",)},
    "games": {ExitCode.CALL: (NOWHERE,), ExitCode.FOUND: ("{bad_scenario}",)},
    "tick": {ExitCode.CALL: (f"--folder {NOWHERE}",)},
}  # fmt: skip
"""Each command with wrong calls, by the code that they must end with."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files and folders that are wrong in one way each, and a game that waits for orders of one player."""
    tmp = tmp_path_factory.mktemp("wrong")

    def write(name: str, text: str) -> Path:
        (tmp / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp / name).write_text(text, encoding="utf-8")
        return tmp / name

    for name in ("empty", "locked"):
        (tmp / name).mkdir()
    write("locked/g", "a file where a folder is wanted")
    out = {
        "game": tmp / "game",
        "played": tmp / "played",
        "full": write("full/note.txt", "mine").parent,
        "broken": write("broken/ruleset.yaml", "id: broken\ntitle: Broken\n").parent,
        "unreadable": write("unreadable/ruleset.yaml", "id: [\n").parent,
        "bad_scenario": write(
            "bad.yaml", "id: bad\ntitle: Bad\nruleset: diplomacy\nunits: [{narnia: {army: 1}, at: paris}]\n"
        ),
        "failing": write(
            "failing.yaml",
            "ruleset: data:ruleset/variants/diplomacy\ncases:\n  - {id: a, then: {values: {'1 + 1': 3}}}\n",
        ),
        "orders": write("orders.txt", "nation france\nA Par H\n"),
        "bad_orders": write("bad_orders.txt", "nation france\nsing a song\n"),
        "text": write("text.txt", "plain words"),
        "json": write("some.json", "{}"),
        "damaged": write("damaged/game.db", "no database").parent,
        "rules": rulesets() / "variants/diplomacy",
        "empty": tmp / "empty",
        "locked": tmp / "locked",
        "tmp": tmp,
    }
    write("broken/tables/units.yaml", "units:\n  - {id: a}\n  - {id: a}\n")
    for line in (
        f"new diplomacy --game {out['game']} --player france",
        f"new diplomacy --game {out['played']}/game",
    ):
        with pytest.raises(SystemExit) as left:
            main(line.split())
        assert left.value.code == ExitCode.DONE
    return out


CALLS = [
    (name, code, arguments)
    for name, kinds in WRONG.items()
    for code, calls in kinds.items()
    for arguments in calls
]


@pytest.mark.parametrize(("name", "code", "arguments"), CALLS)
def test_wrong_input(
    name: str,
    code: ExitCode,
    arguments: str,
    given: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if code is ExitCode.MACHINE:  # root may write anywhere, so the system's answer is given here
        monkeypatch.setattr(Path, "write_text", _refuse)
        monkeypatch.setattr(Path, "write_bytes", _refuse)
        monkeypatch.setattr(Path, "mkdir", _refuse)
    with pytest.raises(SystemExit) as left:
        main([*name.split(), *arguments.format(**given).split()])
    said = capsys.readouterr()
    assert left.value.code == code, f"{said.out}{said.err}"
    assert said.out + said.err and "Traceback" not in said.err


def _refuse(path: Path, *arguments: object, **named: object) -> None:
    raise PermissionError(13, "Permission denied", str(path))


def test_every_command_is_walked() -> None:
    assert {name for name, _ in commands()} - SERVERS <= WRONG.keys()


@pytest.mark.parametrize("name", sorted(name for name, _ in commands()))
def test_an_option_that_there_is_not(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([*name.split(), "--no-such-option"])
    assert left.value.code == ExitCode.CALL and "--no-such-option" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["orders", "nonsense"]])
def test_a_command_that_there_is_not(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == ExitCode.CALL


def test_an_error_of_the_program_itself_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("an error of ours")

    monkeypatch.setattr("wteaw.cli.game.open_game", broken)
    with pytest.raises(SystemExit) as left:
        main(["verify", "--game", "x"])
    assert left.value.code == ExitCode.BUG and "please report" in capsys.readouterr().err


def test_the_page_shows_the_table() -> None:
    page = (DOCS / "exit-codes.md").read_text(encoding="utf-8")
    for code, meaning in MEANINGS.items():
        assert f"| {int(code)} | {meaning} |" in page
    assert len(set(ExitCode)) == len(MEANINGS)


def test_a_process_ends_with_them(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wteaw", "validate", str(tmp_path / "nowhere")], capture_output=True, text=True
    )
    assert done.returncode == ExitCode.CALL
    done = subprocess.run(
        [sys.executable, "-m", "wteaw", "validate", str(scenarios() / "diplomacy.yaml")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == ExitCode.DONE
