"""A mail, or a file, as lines that may hold orders: without markup, quotation marks, bullets, signature and
returned report.

Lines keep their numbers, and what is taken off the front of one leaves blanks, so that a mistake is pointed
at where it was written. What is left out here is told by number; whether a line that stays is an order is
asked of the grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

MOST = 400_000
"""Characters of a text that are looked at."""
_MARKUP = re.compile(
    r"<(?:!doctype|html|head|body|div|p|br|table|blockquote|ul|ol|li|span|font|meta|pre)\b[^<>]*>",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_BULLET = re.compile(
    r"\s*(?:[-*\u2022\u2013\u2014\u00b7\u25aa\u25cf]\s+|\(?\d{1,3}[.)](?=\s+\S|[^\s\d])\s*|\(?[a-z]\)\s+)",
    re.IGNORECASE,
)
_RULER = re.compile(r"\s*[=_]{8,}\s*")
_UNSEEN = str.maketrans(
    {
        "\u00a0": " ",
        "\u2007": " ",
        "\u202f": " ",
        "\t": " ",
        "\u200b": None,
        "\ufeff": None,
        "\u200e": None,
        "\u00ad": None,
    }
)
END = "end"
_HELP = re.compile(
    r"\W*(?:help(?: me)?|what (?:can|may) i (?:do|order))(?: now)?(?: please)?\W*", re.IGNORECASE
)
"""A line that asks for help."""


class TextLine(NamedTuple):
    """A line that may hold an order: its number, its text with blanks in place of what was taken off, whether
    it was quoted."""

    number: int
    text: str
    quoted: bool = False


@dataclass(frozen=True)
class MailText:
    """A text as lines; `passed` are the numbers of those that were left out, `markup` whether it was HTML."""

    lines: tuple[TextLine, ...]
    passed: tuple[int, ...] = ()
    markup: bool = False


def read_letter(text: str) -> MailText:
    """The lines of a text, up to one that holds nothing but `--` or `end`."""
    text = text[:MOST]
    markup = _MARKUP.search(text) is not None
    if markup:
        from .markup import without_markup  # most texts are plain: only the others need a parser

        text = without_markup(text)
    rows = text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNSEEN).split("\n")
    lines: list[TextLine] = []
    passed: list[int] = []
    over: str | None = None  # nothing more is read: of quoted lines, or at all
    for number, row in enumerate(rows, 1):
        bare, quoted = _unquoted(row)
        word = bare.strip()
        if over == "all" or (over == "quoted" and quoted):
            passed.extend([number] if word else [])
            continue
        if word == "--" or word.lower().rstrip(".") == END:
            over = "quoted" if quoted else "all"
            continue
        lines.append(TextLine(number, _without_bullet(bare), quoted))
    lines, report = _without_report(lines)
    return MailText(tuple(lines), tuple(sorted([*passed, *report])), markup)


def is_cry_for_help(line: str) -> bool:
    """Whether a line asks for help, and says nothing else."""
    return _HELP.fullmatch(line) is not None


def asks_for_help(text: str) -> bool:
    """Whether a text asks for help: one of its first lines that are no quotation says nothing else."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(">")]
    return any(map(is_cry_for_help, lines[:3]))


def _unquoted(row: str) -> tuple[str, bool]:
    quote = _QUOTE.match(row)
    if quote is None:
        return row, False
    return " " * quote.end() + row[quote.end() :], True


def _without_bullet(row: str) -> str:
    if row.lstrip().startswith("#"):
        return row
    bullet = _BULLET.match(row)
    return row if bullet is None else " " * bullet.end() + row[bullet.end() :]


def _without_report(lines: list[TextLine]) -> tuple[list[TextLine], list[int]]:
    """Leave out what a returned report says above its order sheet: from its title, underlined, to the
    form's head."""
    ruler = next((i for i, line in enumerate(lines) if _RULER.fullmatch(line.text)), None)
    if ruler is None:
        return lines, []
    head = next(
        (
            i
            for i, line in enumerate(lines[ruler:], ruler)
            if re.match(r"\s*(?:game|nation)\b.*\bturn\s+\d+\s*$", line.text)
        ),
        None,
    )
    if head is None:
        return lines, []
    start = ruler
    while start > 0 and ruler - start < 3 and lines[start - 1].text.strip():
        start -= 1
    return [*lines[:start], *lines[head:]], [line.number for line in lines[start:head] if line.text.strip()]
