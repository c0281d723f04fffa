"""The hand-written pages as their readers follow them: code blocks, the files that they write, the commands that they run.

What a page says of itself is visible to its reader, too:

- A block of `console` is run at its lines `$ ...`, one of `sh` at every line. What a `console` block shows below a command has
  to come of it (`...` stands for anything). `# ends with 1` after a command is the exit code it must have, else 0.
- A caption, or a line before the block that ends with a name such as `mine.txt`:, is the file that the block is written to.
- *Not run by the tests: REASON.* before a block excuses it; in the README as a comment, since its readers want to begin.
- *Goes on where [PAGE](page.md) ended.* has a page begin in the folder that another one leaves; else it begins in an empty one.
- Pages that stand outside of `docs/` are read in the repository: its folders are there.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUN = ("console", "sh")
"""Languages of blocks whose lines are commands."""
MADE = {"_build", "_ext", "made"}
PAGES = sorted(
    [
        *(p for p in (ROOT / "docs").rglob("*.md") if not MADE & set(p.relative_to(ROOT).parts)),
        *(
            ROOT / name
            for name in ("README.md", "CONTRIBUTING.md", "engine/README.md", "ruleset/tests/README.md")
        ),
    ]
)
_FENCE = re.compile(r"^( *)(```+)([^\n`]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
_CAPTION = re.compile(r":caption: (\S+)\n\n?")
_NAMED = re.compile(r"`([\w./-]+\.\w+)`:\s*$")
_EXCUSED = re.compile(r"(?:\*|<!-- )Not run by the tests: (.+)\.(?:\*| -->)\s*$", re.DOTALL)
_GOES_ON = re.compile(r"^\*Goes on where \[[^\]]+\]\(([\w./-]+\.md)\) ended\.\*$", re.MULTILINE)
COMMAND = re.compile(r"^\s*(\$ )?(wteaw|make|pip|python3?|sudo|dask|sqlite3|git)\b", re.MULTILINE)
ENDS_WITH = re.compile(r"\s+# ends with (\d+)$")


@dataclass(frozen=True)
class Step:
    """One command of a page, with the exit code it has to end with and the lines that it has to say."""

    line: str
    code: int
    says: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """A code block: its language, the file it is written to (or nothing), why it is not run (or nothing), its text."""

    language: str
    file: str
    excuse: str
    text: str

    def steps(self) -> Iterator[Step]:
        """The commands of a `console` or `sh` block; none of others."""
        if self.language not in RUN:
            return
        lines = iter(self.text.replace("\\\n", " ").splitlines())
        command, says = "", []
        for line in lines:
            if self.language == "console" and not line.startswith("$ "):
                says.append(line.strip())
                continue
            if command:
                yield _step(command, says)
            command, says = line.removeprefix("$ ").strip(), []
        if command:
            yield _step(command, says)


def _step(command: str, says: list[str]) -> Step:
    code = ENDS_WITH.search(command)
    return Step(
        ENDS_WITH.sub("", command),
        int(code[1]) if code else 0,
        tuple(s for s in says if s not in ("", "...")),
    )


def blocks(page: Path) -> Iterator[Block]:
    """The code blocks of a page in its order; directives of the site that are no code are left out."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        indent, _, language, body = found.groups()
        language = language.strip().removeprefix("{code-block}").strip()
        if language.startswith("{"):
            continue
        body = (
            "".join(line.removeprefix(indent) for line in body.splitlines(keepends=True))
            if indent
            else textwrap.dedent(body)
        )
        caption = _CAPTION.match(body)
        before = text[: found.start()].rstrip().rsplit("\n\n", 1)[-1]
        named, excuse = caption or _NAMED.search(before), _EXCUSED.search(before)
        yield Block(
            language,
            named[1] if named else "",
            " ".join(excuse[1].split()) if excuse else "",
            body[caption.end() :] if caption else body,
        )


def begins_with(page: Path) -> Path | None:
    """The page whose folder this one goes on in; none for a page that begins with nothing."""
    found = _GOES_ON.findall(page.read_text(encoding="utf-8"))
    assert len(found) < 2, f"{page}: goes on from two places"
    return (page.parent / found[0]).resolve() if found else None


def prose(page: Path) -> str:
    """What a page says outside of its code blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def name(page: Path) -> str:
    """How a test calls a page."""
    return page.relative_to(ROOT).with_suffix("").as_posix()
