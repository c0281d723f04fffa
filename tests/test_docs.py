"""Every command and every file of the hand-written pages, in the order of the page, as a reader would do them (`tests/pages`)."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from wteaw.cli import COMMANDS

from .long_ones import but_long
from .pages import COMMAND, PAGES, ROOT, RUN, begins_with, blocks, name, prose
from .warm import Shell

FEW = 8
"""So many blocks of all pages may be excused from being run."""


class Reader:
    """Follows pages, each once, in a folder that it keeps for the pages that go on from there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shell = Shell(folder / "bin")
        self.done: dict[Path, Path] = {}

    def follow(self, page: Path) -> Path:
        """The folder as a page leaves it."""
        if page not in self.done:
            here = self.folder / name(page).replace("/", "-")
            before = begins_with(page)
            if before:
                shutil.copytree(self.follow(before), here)
            else:
                here.mkdir()
            if not page.is_relative_to(ROOT / "docs"):
                for shipped in ("ruleset", "scenarios", "tools"):
                    (here / shipped).symlink_to(ROOT / shipped)
            self._do(page, here)
            self.done[page] = here
        return self.done[page]

    def _do(self, page: Path, here: Path) -> None:
        for block in blocks(page):
            if block.excuse:
                continue
            if block.file and not Path(block.file).is_absolute():
                (here / block.file).parent.mkdir(parents=True, exist_ok=True)
                (here / block.file).write_text(block.text, encoding="utf-8")
            for step in block.steps():
                result = self.shell.run(step.line, here)
                told = f"{name(page)}: {step.line}\n{result.stdout}"
                assert result.returncode == step.code, told
                said = {" ".join(line.split()) for line in result.stdout.splitlines()}
                assert not [line for line in step.says if " ".join(line.split()) not in said], told


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    reader = Reader(tmp_path_factory.mktemp("pages"))
    yield reader
    reader.shell.close()


RUN_PAGES = [page for page in PAGES if any(b.language in RUN or b.file for b in blocks(page))]
LONG_NAMES = (
    "docs/audit",
    "docs/luck",
    "docs/sweeps",
    "docs/tournaments",
    "docs/tutorials/first-layer",
    "ruleset/tests/README",
)
LONG_PAGES = [page for page in RUN_PAGES if name(page) in LONG_NAMES]


@pytest.mark.parametrize("page", but_long(RUN_PAGES, *LONG_PAGES), ids=name)
def test_a_page_can_be_followed_word_by_word(page: Path, reader: Reader) -> None:
    reader.follow(page)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nothing_of_a_page_is_passed_over(page: Path) -> None:
    """YAML is written to a file that a later command reads; commands stand in blocks that are run."""
    found = list(blocks(page))
    for n, block in enumerate(found):
        if block.excuse:
            continue
        if block.language in ("yaml", "yml"):
            assert block.file, f"YAML without a file:\n{block.text}"
            folder = block.file.split("/")[0]
            later = [shlex.split(step.line, comments=True) for b in found[n + 1 :] for step in b.steps()]
            assert any(w.split("/")[0] == folder for words in later for w in words), (
                f"nothing reads {block.file}"
            )
        elif block.language not in RUN:
            assert not COMMAND.search(block.text), f"commands that are not run:\n{block.text}"
    assert not re.search(r"^ {4,}wteaw .*", prose(page), re.MULTILINE), "commands that stand in no block"


def test_few_blocks_are_excused() -> None:
    excused = [(name(page), block.excuse) for page in PAGES for block in blocks(page) if block.excuse]
    assert len(excused) <= FEW, excused


# ---- commands in the text


def _commands() -> dict[str, Any]:
    return {c.name: typer.main.get_command(c.app()) for c in COMMANDS if c.exists}


def _unknown(words: list[str], known: dict[str, Any]) -> str:
    """What a command's words name that there is not; placeholders and values are not looked at."""
    if not words or words[0].startswith("--"):
        return (
            ""
            if not words or words[0] in ("--version", "--install-completion", "--show-completion")
            else words[0]
        )
    found = known.get(words[0])
    if found is None:
        return words[0]
    rest = words[1:]
    if hasattr(found, "commands") and rest and re.fullmatch("[a-z]+", rest[0]):
        if rest[0] not in found.commands:
            return rest[0]
        found, rest = found.commands[rest[0]], rest[1:]
    return _misused(found, [w.strip('"') for w in rest])


def _misused(command: Any, words: list[str]) -> str:
    """What is wrong with the options and arguments after a command, as it would say itself; what is left out is left out."""
    context = typer.Context(command)
    try:
        _, left, _ = command.make_parser(context).parse_args([w for w in words if w != "..."])
    except Exception as error:
        said = str(getattr(error, "message", error))
        return "" if "requires an argument" in said else said
    most = sum(p.nargs if p.nargs > 0 else 99 for p in command.params if p.param_type_name == "argument")
    return f"too much: {' '.join(left)}" if len(left) > most else ""


def test_a_wrong_command_in_a_text_is_noticed() -> None:
    known = _commands()
    for right in (
        "verify --game GAME",
        "report --dice",
        "orders back",
        "rollback --to 1",
        "odds ...",
        "--version",
    ):
        assert not _unknown(right.split(), known), right
    for wrong in ("verfy", "orders bak", "report --dise", "verify a b c d", "report germany"):
        assert _unknown(wrong.split(), known), wrong


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "templates").rglob("*.md"))], ids=name)
def test_every_command_in_a_text_is_one(page: Path) -> None:
    """`wteaw NAME --option` names a command and options that there are."""
    known = _commands()
    for text in re.findall(r"`wteaw ([^`]+)`", " ".join(prose(page).split())):
        if re.match(r"[a-z]+(\W|$)", text) and text not in TAGS:
            words = re.findall(r'"[^"]*"|\S+', text)
            assert not _unknown(words, known), f"wteaw {text}"


TAGS = {"block", "turn"}
"""What begins like a command, and is a word in a hash (`docs/fairness.md`)."""


def test_the_examples_of_the_help_can_be_called() -> None:
    """Options and arguments of the examples that `--help` and the page of commands show."""
    from click import ClickException

    def walk(command: Any, called: str) -> Iterator[tuple[str, Any, list[str]]]:
        for part in (command.help or "").split("\n\n"):
            line = " ".join(part.split())
            if line.startswith("Example: "):
                words = shlex.split(line.removeprefix("Example: ").split(" > ")[0])
                assert " ".join(words).startswith(called), line
                yield line, command, words[len(called.split()) :]
        for inner, below in getattr(command, "commands", {}).items():
            yield from walk(below, f"{called} {inner}")

    seen = 0
    for command_name, command in _commands().items():
        for line, called, words in walk(command, f"wteaw {command_name}"):
            try:
                called.make_context("wteaw", list(words))
            except ClickException as error:
                pytest.fail(f"{line}: {error.format_message()}")
            seen += 1
    assert seen >= len(COMMANDS) - 2
