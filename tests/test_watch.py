"""`--watch`: a real process, files that change under it, and Ctrl-C."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wteaw.cli import ExitCode, main
from wteaw.play.starter import begin

PATIENCE = 60.0
Next = Callable[[], list[str]]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A small ruleset of one's own."""
    return begin(tmp_path / "mine").folder


@contextmanager
def watching(folder: Path, *arguments: str) -> Iterator[tuple[Next, subprocess.Popen[str]]]:
    """A process that watches, and a function that waits for its next screen."""
    process = subprocess.Popen(
        [sys.executable, "-m", "wteaw", *arguments, "--watch"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a shell's background ignores Ctrl-C
    )
    lines: queue.Queue[str] = queue.Queue()
    assert process.stdout is not None
    threading.Thread(
        target=lambda: [lines.put(line.rstrip("\n")) for line in process.stdout or ()], daemon=True
    ).start()

    def screen() -> list[str]:
        out: list[str] = []
        while not out or not out[-1].endswith("Ctrl-C ends"):
            out.append(lines.get(timeout=PATIENCE))
        return out

    try:
        yield screen, process
    finally:
        process.kill()
        process.wait()


def edit(path: Path, old: str, new: str) -> None:
    """Save a file as editors do: the new one is renamed over the old."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    beside = path.with_name(".saving.tmp")
    beside.write_text(text.replace(old, new, 1), encoding="utf-8")
    beside.replace(path)


def left(process: subprocess.Popen[str]) -> int:
    process.send_signal(signal.SIGINT)
    return process.wait(timeout=PATIENCE)


def test_validate_tells_a_mistake_when_it_is_made_and_its_end_when_it_is_mended(mine: Path) -> None:
    units = mine / "tables/units.yaml"
    before = units.read_text(encoding="utf-8")
    with watching(mine, "validate", ".") as (screen, process):
        first = screen()
        assert first[0] == "no errors, no warnings" and "2 of 2 looked at" in first[-1]
        edit(units, "name:", "nmae:")
        wrong = screen()
        assert any("tables/units.yaml" in line and "nmae" in line for line in wrong), wrong
        assert "units.yaml changed; 2 of 2" in wrong[-1]
        units.write_text(before, encoding="utf-8")
        assert screen()[0] == "no errors, no warnings"
        assert left(process) == ExitCode.DONE
    assert "Traceback" not in (process.stderr.read() if process.stderr else "")


def test_what_a_change_does_not_touch_is_not_looked_at_again(mine: Path) -> None:
    with watching(mine, "validate", ".") as (screen, process):
        screen()
        edit(mine / "scenarios/start.yaml", "title:", "title:  ")
        assert "start.yaml changed; 1 of 2" in screen()[-1], "the ruleset does not depend on its scenario"
        edit(mine / "scenarios/start.yaml", "title:", "titel:")
        assert any("titel" in line for line in screen())
        assert left(process) == ExitCode.FOUND, "what was found last decides the code"


def test_rule_tests_run_again_file_by_file(mine: Path) -> None:
    more = mine / "tests/more.yaml"
    more.write_text("cases:\n  - {id: sum, then: {values: {'1 + 1': 2}}}\n", encoding="utf-8")
    with watching(mine, "test", ".") as (screen, process):
        first = screen()
        assert "2 of 2 looked at" in first[-1] and "failed" not in first[-2]
        edit(more, "2}}", "3}}")
        wrong = screen()
        assert "more.yaml changed; 1 of 2" in wrong[-1] and "1 failed" in wrong[-2]
        assert any(line.strip() == "got       2" for line in wrong)
        edit(mine / "tables/units.yaml", "\n", "\n# a note\n")
        assert "2 of 2" in screen()[-1], (
            "a table touches the tests of its ruleset, and what still fails is still told"
        )
        (mine / "tests/third.yaml").write_text(
            "cases:\n  - {id: third, then: {values: {'1': 1}}}\n", encoding="utf-8"
        )
        assert "1 of 3" in screen()[-1]
        assert left(process) == ExitCode.FOUND


def test_a_screen_is_cleared_only_on_a_terminal(mine: Path) -> None:
    with watching(mine, "validate", ".") as (screen, process):
        assert not any("\x1b" in line for line in screen())
        left(process)


def test_other_formats_are_for_one_look(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("validate", "test"):
        with pytest.raises(SystemExit) as stopped:
            main([command, "x", "--watch", "--format", "json"])
        assert stopped.value.code == ExitCode.CALL and "--format" in capsys.readouterr().err
