"""An HTML text as a person reads it: the one reader of markup, of mails and of what is pasted into a box.

Its time and what comes out of it grow with the text alone, whatever the text says.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

MAX_QUOTED = 8
"""Marks of quotation before a line: more say nothing that these do not."""


class _Words:
    """What a person reads, as lxml's parser comes upon it; a new line where the page has one."""

    BREAKS = frozenset({
        "blockquote", "body", "br", "div", "h1", "h2", "h3", "h4",
        "hr", "li", "ol", "p", "pre", "table", "tr", "ul",
    })  # fmt: skip
    UNREAD = frozenset({"head", "script", "style", "title"})

    def __init__(self) -> None:
        self.out: list[str] = []
        self.unread = self.quoted = self.kept = 0

    def start(self, tag: str, _attributes: Any) -> None:
        self._count(tag, 1)
        if tag in self.BREAKS:
            self._line()

    def end(self, tag: str) -> None:
        self._count(tag, -1)
        if tag in self.BREAKS and tag != "br":
            self._line()

    def data(self, text: str) -> None:
        if self.unread:
            return
        for n, line in enumerate(text.split("\n") if self.kept else [text]):
            if n:
                self._line()
            self.out.append(re.sub(r"\s+", " ", line))

    def close(self) -> str:
        lines = [line.strip() for line in "".join(self.out).split("\n")]
        return "\n".join(line for line in lines if line.strip("> "))

    def _count(self, tag: str, more: int) -> None:
        self.unread += more * (tag in self.UNREAD)
        self.quoted += more * (tag == "blockquote")
        self.kept += more * (tag == "pre")

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
