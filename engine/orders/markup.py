"""An HTML text as a person reads it: the one reader of markup, of mails and of what is pasted into a box.

Its time and what comes out of it grow with the text alone, whatever the text says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from lxml import etree

MAX_QUOTED = 8
"""Marks of quotation before a line: more say nothing that these do not."""


BREAKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "fieldset",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "option", "p",
    "pre", "section", "table", "textarea", "tr", "ul",
})  # fmt: skip
"""Where a page begins a new line."""
CELLS = frozenset({"td", "th"})
UNREAD = frozenset({"del", "head", "s", "script", "strike", "style", "title"})
"""What a person does not read, or has struck out."""
KEPT = frozenset({"pre", "textarea"})
"""Where lines end as they are written."""
OLDER = re.compile(r"\b(?:gmail_quote|yahoo_quoted|protonmail_quote|zmail_extra)\b")
"""Classes by which mail programs mark an older mail that they hold."""
REST = re.compile(r"^(?:divRplyFwdMsg|appendonsend|OLK_SRC_BODY_SECTION)$")
"""Ids of the heads of an older mail: all that follows is of it."""
_KEPT_LINES = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)")
_STRUCK = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through")


class _Open(NamedTuple):
    """An element that has begun, and what it says of the words in it."""

    tag: str
    unread: bool
    quoted: bool
    kept: bool


class _Words:
    """What a person reads, as lxml's parser comes upon it; a new line where the page has one."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.open: list[_Open] = []
        self.unread = self.quoted = self.kept = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        style = attributes.get("style", "")
        if REST.match(attributes.get("id", "")):
            self.quoted += 1
        here = _Open(
            tag,
            unread=tag in UNREAD or _STRUCK.search(style) is not None,
            quoted=tag == "blockquote" or OLDER.search(attributes.get("class", "")) is not None,
            kept=tag in KEPT or _KEPT_LINES.search(style) is not None,
        )
        self.open.append(here)
        self._count(here, 1)
        if tag in BREAKS:
            self._line()
        elif tag in CELLS:
            self.out.append(" ")

    def end(self, tag: str) -> None:
        if any(one.tag == tag for one in reversed(self.open)):
            while (here := self.open.pop()).tag != tag:
                self._count(here, -1)
            self._count(here, -1)
        if tag in BREAKS and tag != "br":
            self._line()

    def data(self, text: str) -> None:
        if self.unread:
            return
        for n, line in enumerate(text.split("\n") if self.kept else [text]):
            if n:
                self._line()
            self.out.append(re.sub(r"\s+", " ", line))

    def close(self) -> str:
        lines = [re.sub(" {2,}", " ", line.strip()) for line in "".join(self.out).split("\n")]
        return "\n".join(line for line in lines if line.strip("> "))

    def _count(self, here: _Open, more: int) -> None:
        self.unread += more * here.unread
        self.quoted += more * here.quoted
        self.kept += more * here.kept

    def _line(self) -> None:
        self.out.append("\n" + "> " * min(self.quoted, MAX_QUOTED))


def without_markup(text: str) -> str:
    """The words of an HTML text, line by line, without empty ones; quotations are marked as in plain mail."""
    words = _Words()
    parser = etree.HTMLParser(target=words, encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        parser.feed(text.encode("utf-8", "replace"))
        return str(parser.close())
    except (etree.LxmlError, AssertionError):  # what was read until then is what there is
        return words.close()
