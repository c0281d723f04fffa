"""What a person at a terminal is shown: colors, progress, completion. Each on a terminal of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from wteaw.cli import COMMANDS
from wteaw.cli.terminal import say, spelled_out, warn

pty = pytest.importorskip("pty", reason="terminals of this kind are not had on this system")
ESCAPE = "\x1b["
CALL = [sys.executable, "-m", "wteaw"]
PLAIN = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "TERM")}


def on_terminal(
    *arguments: str, env: Mapping[str, str] | None = None, err: bool = False, call: Sequence[str] = CALL
) -> tuple[int, str, str]:
    """Run with a terminal for standard output (or for standard error): the code, what it shows, and what went elsewhere."""
    ours, theirs = pty.openpty()
    other = subprocess.PIPE
    process = subprocess.Popen(
        [*call, *arguments], stdin=theirs, stdout=other if err else theirs, stderr=theirs if err else other,
        env={**PLAIN, "TERM": "xterm-256color", **(env or {})},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    rest = process.communicate()[0 if err else 1]
    return process.returncode, shown.decode(), rest.decode()


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    (tmp_path / "tables").mkdir()
    (tmp_path / "ruleset.yaml").write_text("id: wrong\ntitle: Wrong\n", encoding="utf-8")
    (tmp_path / "tables/units.yaml").write_text("units:\n  - {id: a, nmae: A}\n", encoding="utf-8")
    return tmp_path


def test_findings_are_colored_on_a_terminal_alone(wrong: Path) -> None:
    code, shown, _ = on_terminal("validate", str(wrong))
    assert code == 1 and ESCAPE in shown
    piped = subprocess.run([*CALL, "validate", str(wrong)], env=PLAIN, capture_output=True, text=True)
    assert piped.returncode == 1 and ESCAPE not in piped.stdout + piped.stderr
    stripped = shown.replace("\r\n", "\n")
    for code_ in ("1;31", "1;33", "1", "0", "36", "32", "31"):
        stripped = stripped.replace(f"{ESCAPE}{code_}m", "")
    assert stripped == piped.stdout, "colors change no word and break no line"


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_no_color_gets_none(wrong: Path, env: dict[str, str]) -> None:
    assert ESCAPE not in on_terminal("validate", str(wrong), env=env)[1]


def test_color_can_be_forced_into_a_pipe(wrong: Path) -> None:
    piped = subprocess.run(
        [*CALL, "validate", str(wrong)], env={**PLAIN, "FORCE_COLOR": "1"}, capture_output=True, text=True
    )
    assert ESCAPE in piped.stdout


def test_json_is_never_colored(wrong: Path) -> None:
    assert ESCAPE not in on_terminal("validate", str(wrong), "--format", "json")[1]


SLOW = """
import time
from wteaw.cli.terminal import Working
with Working("playing", 3) as working:
    while working._shown is None:  # it is drawn when a while has passed, however fast the machine is
        time.sleep(0.01)
    working.at(1, what="playing turn 2")
print("6 turns")
"""


def test_progress_stands_on_the_error_terminal_alone() -> None:
    code, shown, results = on_terminal(err=True, call=[sys.executable, "-c", SLOW])
    assert code == 0 and "playing turn 2" in shown and f"{ESCAPE}2K" in shown, "drawn, and gone at the end"
    assert results == "6 turns\n"


def test_no_progress_goes_into_a_pipe(tmp_path: Path) -> None:
    play = ("play", "diplomacy", "--turns", "2", "--seed", "00" * 16, "--out")
    code, shown, results = on_terminal(*play, str(tmp_path / "a"), err=True)
    assert code == 0 and "turn 2" in shown and ESCAPE not in results and "2 turns" in results
    piped = subprocess.run([*CALL, *play, str(tmp_path / "b")], env=PLAIN, capture_output=True, text=True)
    assert ESCAPE not in piped.stdout + piped.stderr and "playing" not in piped.stderr


# ---- completion


def asked(line: str, shell: str = "bash") -> list[str]:
    """What is offered for the last word of a line, as a shell asks."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_TYPER_COMPLETE_ARGS": line}
    env = {
        **PLAIN,
        **words,
        "_WTEAW_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    said = subprocess.run(CALL, env=env, capture_output=True, text=True, check=True).stdout
    return [line for line in said.splitlines() if line]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("game") / "g"
    subprocess.run([*CALL, "new", "diplomacy", "--game", str(folder)], check=True, capture_output=True)
    return folder


def test_commands_options_and_ids_are_offered(game: Path) -> None:
    assert asked("wteaw ") == [c.name for c in COMMANDS if c.exists]
    assert asked("wteaw val") == ["validate"]
    assert asked("wteaw orders s") == ["submit", "show"]
    assert "--watch" in asked("wteaw validate --")
    assert asked("wteaw play alliances-") == ["alliances-4", "alliances-5", "alliances-6"]
    assert asked("wteaw init --extends emp") == ["empire-orders"]
    assert asked(f"wteaw report --game {game} --nation fr") == ["france"]
    assert asked("wteaw map diplomacy --nation fr") == ["france"]
    assert asked("wteaw validate --format s") == ["sarif"]
    assert asked("wteaw show matri") == [], "where nothing fits, the shell goes on with files"
    assert asked("wteaw report --game /nowhere --nation fr") == []


def test_other_shells_get_explanations() -> None:
    assert any(line.startswith("diplomacy\t") for line in asked("wteaw play d", "fish"))
    assert '"alliances-4":"Alliances' in "".join(asked("wteaw play alliances", "zsh"))


def test_a_shell_reads_what_it_is_given(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "wteaw").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wteaw "$@"\n')
    (folder / "wteaw").chmod(0o755)
    env = {**PLAIN, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}

    def through(shell: str, text: str) -> str:
        if shutil.which(shell) is None:
            pytest.skip(f"no {shell} here")
        done = subprocess.run([shell, "-c", text], env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    asks = 'eval "$(wteaw --show-completion bash)"; COMP_WORDS=(wteaw roll); COMP_CWORD=1; _wteaw_completion wteaw; echo "${COMPREPLY[@]}"'
    assert through("bash", asks) == "rollback\n"
    assert "wteaw" in through("bash", "wteaw --install-completion bash && cat ~/.bash_completions/wteaw.sh")


@pytest.mark.parametrize(("shell", "text"), [
    ("zsh", "autoload -U compinit; compinit -u; eval \"$(wteaw --show-completion zsh)\"; echo ${_comps[wteaw]}"),
    ("fish", "wteaw --show-completion fish | source; complete -C 'wteaw roll'"),
])  # fmt: skip
def test_zsh_and_fish_where_they_are(shell: str, text: str, tmp_path: Path) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} here")
    (tmp_path / "wteaw").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wteaw "$@"\n')
    (tmp_path / "wteaw").chmod(0o755)
    env = {**PLAIN, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    done = subprocess.run([found, "-c", text], env=env, capture_output=True, text=True, timeout=60)
    assert "wteaw_completion" in done.stdout or "rollback" in done.stdout, done.stdout + done.stderr


def test_a_shell_that_is_not_known_is_told() -> None:
    done = subprocess.run([*CALL, "--show-completion", "tcsh"], capture_output=True, text=True)
    assert done.returncode == 2 and "fish" in done.stderr


NASTY = "".join(map(chr, [*range(9), *range(11, 32), *range(0x7F, 0xA0), 0x202E, 0x2066]))


def test_what_is_printed_is_spelled_out_and_stays_json(capsys: pytest.CaptureFixture[str]) -> None:
    with spelled_out():
        print(json.dumps(f"a{NASTY}b\tc", ensure_ascii=False))
        say(f"a{NASTY}b\tc\nd")
        warn(f"a{NASTY}b")
    out, err = capsys.readouterr()
    assert not set(out + err) & set(NASTY) and "\\u001b" in err and "\tc\nd" in out
    assert json.loads(out.splitlines()[0]) == f"a{NASTY}b\tc"


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_control_character_of_others_reaches_a_terminal(tmp_path: Path, form: str) -> None:
    """Whatever a player writes is shown to the moderator with its control characters spelled out; JSON stays JSON."""
    game, file = tmp_path / "g", tmp_path / "orders.txt"
    done = subprocess.run(
        [*CALL, "new", "alliances-4", "--game", str(game), "--player", "germany"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    file.write_text(
        f"let \x1b[2J\x9bcommand the minor\nlet {NASTY}command the minor\nmove x{NASTY} to {NASTY}\n# {NASTY}\n",
        encoding="utf-8",
        newline="",
    )
    for words in (("orders", "check"), ("orders", "submit")):
        done = subprocess.run(
            [*CALL, *words, str(file), "--game", str(game), "--nation", "germany", "--format", form], capture_output=True, text=True,
            encoding="utf-8", check=False,
        )  # fmt: skip
        shown = done.stdout + done.stderr
        assert not set(shown) & set(NASTY), shown[:500]
        if form == "json":
            json.loads(done.stdout)
    code, shown, _ = on_terminal("orders", "check", str(file), "--game", str(game), "--nation", "germany")
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown).replace(
        "\r\n", "\n"
    )  # colors, and how a terminal ends its lines
    assert code and not set(plain) & set(NASTY), shown[:500]
