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
    r"\s*(?:[-*]?\s*\[[ xX]\]\s+|"
    r"[-*\u2022\u2013\u2014\u00b7\u25aa\u25cf]\s+|\(?\d{1,3}[.)](?=\s+\S|[^\s\d])\s*|\(?[a-z]\)\s+)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\w*\s*")
_BETWEEN = re.compile(r"\s*-{4,}\s*[^\W\d_][^-]*-{4,}\s*")
"""`-----Original Message-----`, in whatever language."""
_WROTE = re.compile(
    r"\s*(?:on|am|le|el|il|op|den|em)\b.{4,160}\b(?:wrote|schrieb|a \u00e9crit|escribi\u00f3|ha scritto|"
    r"schreef|skrev|escreveu)\b.{0,120}:\s*",
    re.IGNORECASE,
)
_OF_BORDERS = re.compile(r":|^\s*-", re.MULTILINE)
"""What no border is without."""
_BEGUN = re.compile(r"\s*begin forwarded message:\s*", re.IGNORECASE)
_HEAD = re.compile(
    r"\s*\**(?:(?P<sender>from|von|de|da|van|fr[a\u00e5]n?)|"
    r"(?P<other>sent|date|to|cc|subject|gesendet|datum|an|betreff|envoy\u00e9|\u00e0|objet|inviato|oggetto|enviado|para|"
    r"asunto|assunto|verzonden|aan|onderwerp|skickat|till|\u00e4mne|sendt|til|emne))\s*:",
    re.IGNORECASE,
)
"""Heads that stand above an older mail."""
HEADS = 3
"""Heads one after another, of which the first tells the sender, are those of a mail."""
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
        "\u2028": "\n",
        "\u2029": "\n",
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
    """The lines of a text, up to one that holds nothing but `--` or `end`.

    What an older mail below says counts as quoted, as lines after `>` do.
    """
    text = text[:MOST]
    markup = _MARKUP.search(text) is not None
    if markup:
        from .markup import without_markup  # most texts are plain: only the others need a parser

        text = without_markup(text)
    rows = text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNSEEN).split("\n")
    lines: list[TextLine] = []
    passed: list[int] = []
    over: str | None = None  # nothing more is read: of quoted lines, or at all
    older = _older_mail(rows)
    for number, row in enumerate(rows, 1):
        bare, quoted = _unquoted(row)
        quoted = quoted or number > older
        word = bare.strip()
        if _FENCE.fullmatch(bare):
            passed.append(number)
            continue
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


def _older_mail(rows: list[str]) -> int:
    """How many lines stand above an older mail that is not marked line by line; all, if there is none."""
    if _OF_BORDERS.search("\n".join(rows)) is None:
        return len(rows)
    written = [(n, row) for n, row in enumerate(rows) if row.strip()]
    may = [index for index, (_, row) in enumerate(written) if ":" in row or row.lstrip()[0] == "-"]
    for index in sorted(
        {*may, *(index - 1 for index in may if index)}
    ):  # a border may be broken after its first line
        n, row = written[index]
        following = [text for _, text in written[index + 1 : index + HEADS]]
        if _begins_older_mail(row, following):
            return n
    return len(rows)


def _begins_older_mail(row: str, following: list[str]) -> bool:
    """Whether a line is the border above an older mail, by the lines that follow it."""
    if _BETWEEN.fullmatch(row) or _BEGUN.fullmatch(row):
        return True
    joined = f"{row.rstrip()} {following[0].lstrip()}" if following else row  # long ones are broken
    for wrote, after in ((row, following[:1]), (joined, following[1:])):
        if _WROTE.fullmatch(wrote) and after and not after[0].lstrip().startswith(">"):
            return True
    first = _HEAD.match(row)
    others = [head for text in following if (head := _HEAD.match(text)) and head["other"]]
    return bool(first and first["sender"]) and len(others) == HEADS - 1


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
