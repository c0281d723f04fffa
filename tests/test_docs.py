"""Every command and every file of the hand-written pages, in the order of the page, as a reader would do them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "docs/index.md", *(ROOT / "docs/tutorials").glob("*.md")])
_BLOCK = re.compile(r"^( *)```\{code-block\} (\w+)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> Iterator[tuple[str, str, str]]:
    """The code blocks of a page that are meant to be done: language, caption (the file's name), text."""
    for indent, language, body in _BLOCK.findall(page.read_text(encoding="utf-8")):
        body = textwrap.dedent(body) if not indent else "\n".join(line.removeprefix(indent) for line in body.splitlines()) + "\n"
        caption = re.match(r":caption: (\S+)\n\n?", body)
        yield language, caption[1] if caption else "", body[caption.end() :] if caption else body


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `wteaw` and `python` are those that run the tests."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, call in {"wteaw": "-m wteaw", "python": ""}.items():
        (folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_can_be_followed_word_by_word(page: Path, tmp_path: Path, shell: dict[str, str]) -> None:
    here = tmp_path / "here"
    here.mkdir()
    done = 0
    for language, name, text in blocks(page):
        if name:
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(text, encoding="utf-8")
        for line in text.splitlines() if language == "console" else ():
            if line.startswith("$ "):
                result = subprocess.run(line[2:], shell=True, cwd=here, env=shell, capture_output=True, text=True, timeout=300)
                assert result.returncode == 0, f"{page.name}: {line}\n{result.stdout}{result.stderr}"
                done += 1
    assert done


def test_every_word_of_a_command_in_the_pages_is_one() -> None:
    """`wteaw NAME` in any page, README and CONTRIBUTING names a command that there is."""
    from wteaw.cli import COMMANDS

    known = {c.name for c in COMMANDS if c.exists}
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        if not {"_build", "made"} & set(page.parts) and page.name != "fairness.md":  # tags of hashes begin so, too
            for word in re.findall(r"`wteaw ([a-z]+)[` ]", page.read_text(encoding="utf-8")):
                assert word in known, f"{page.name}: wteaw {word}"
