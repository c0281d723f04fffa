"""YAML text as it is written: entries with the source of each value, and the comments, each at the entry that
it is about.

Where `tree.py` reads what a file says, this reads how it says it, for those who write it again (`layout.py`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from .tree import events

INDENT: Final = 2


class CannotBeLaidOut(Exception):
    """What no table needs, and what is therefore not written anew: tags, maps as keys, more than one
    document.
    """


@dataclass(slots=True)
class WrittenComment:
    """A comment (or, without text, a blank line) outside all values: the offset and column it begins at."""

    at: int
    column: int
    text: str
    alone: bool


@dataclass(slots=True)
class WrittenValue:
    """A value as it is written:

    `text` is the source of a scalar or the name of an alias, `value` what a scalar says.
    """

    kind: str
    flow: bool = False
    style: str = ""
    anchor: str = ""
    text: str = ""
    value: str = ""
    entries: list[WrittenEntry] = field(default_factory=list)

    @property
    def expanded(self) -> bool:
        """Whether it stands in lines of its own: it is a block already, or holds comments."""
        if self.kind == "scalar":
            return self.style in ("|", ">")
        return any(not self.flow or e.remarked or e.value.expanded for e in self.entries)

    def names(self) -> list[str]:
        """The anchors and aliases in it, in order."""
        own = [f"&{self.anchor}"] if self.anchor else []
        if self.kind == "alias":
            own.append(f"*{self.text}")
        return [*own, *(name for e in self.entries for name in e.names())]


@dataclass(slots=True)
class WrittenEntry:
    """A key with its value, or a member of a list, with the comments above, beside and after it."""

    column: int
    key: WrittenValue | None = None
    value: WrittenValue = field(default_factory=lambda: WrittenValue("scalar"))
    above: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    @property
    def remarked(self) -> bool:
        return any(self.above) or bool(self.beside) or any(self.after)

    def names(self) -> list[str]:
        return [*(self.key.names() if self.key else ()), *self.value.names()]


_COMMENT = re.compile(r"(?:^|(?<=[\s,\[\]{}]))#", re.MULTILINE)
_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)*")


class WrittenReader:
    """A file's text as entries, with each comment at the entry that it is about."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.starts = [0]
        for found in re.finditer("\n", self.text):
            self.starts.append(found.end())
        self.events: list[Any] = list(events(self.text))
        self.position = 0
        self.remarks = list(self._find_remarks())
        self.taken = 0
        self.begun: list[WrittenEntry] = []
        """Entries of blocks in the order in which they begin."""
        self.latest: WrittenEntry | None = None
        self.leader: WrittenEntry | None = None
        """The first entry that begins in the line `leader_line`, the last line in which one does."""
        self.leader_line = -1
        self.brackets = 0
        """How many brackets are open."""

    # ---- comments

    def offset(self, mark: Any) -> int:
        return self.starts[mark.line] + int(mark.column) if mark.line < len(self.starts) else len(self.text)

    def span(self, event: Any) -> tuple[int, int]:
        """Where the source of a scalar begins, its anchor included, and ends, blank lines after it
        excluded.
        """
        start, end = self.offset(event.start_mark), self.offset(event.end_mark)
        if event.style in ("|", ">") and not self._keeps(start):
            end = start + len(self.text[start:end].rstrip())
        return start, end

    def _keeps(self, start: int) -> bool:
        """Whether the block text that begins there keeps the blank lines at its end."""
        return "+" in self.text[start : self.text.find("\n", start)].partition("#")[0]

    def _find_remarks(self) -> Iterator[WrittenComment]:
        at = 0
        for event in self.events:
            if _name(event) != "ScalarEvent":
                continue
            start, end = self.span(event)
            yield from self._between(at, start)
            if event.style in ("|", ">"):
                head = self.text[start : self.text.find("\n", start)]
                if (found := head.find(" #")) >= 0:
                    yield WrittenComment(end, 0, head[found + 1 :].rstrip(), False)
            at = max(at, end)
        yield from self._between(at, len(self.text))

    def _between(self, at: int, end: int) -> Iterator[WrittenComment]:
        """Comments and blank lines between two offsets, where no scalar stands."""
        if "\n" not in (between := self.text[at:end]) and "#" not in between:
            return
        while at < end:
            line_start = self.text.rfind("\n", 0, at) + 1
            line_end = self.text.find("\n", at)
            line_end = len(self.text) if line_end < 0 else line_end
            stop = min(line_end, end)
            if at == line_start and line_end < end and not self.text[at:line_end].strip():
                yield WrittenComment(at, 0, "", True)
            elif found := _COMMENT.search(self.text, at, stop):
                hash_at = found.start()
                alone = _DASHES.fullmatch(self.text, line_start, hash_at) is not None
                yield WrittenComment(
                    hash_at, hash_at - line_start, self.text[hash_at:line_end].rstrip(), alone
                )
            at = line_end + 1

    def settle(self, before: int, column: int, *, block: bool) -> list[str]:
        """Give the comments before an offset to the entries that they are beside or after; the others are
        what follows.

        `column` is where that begins, `block` whether it is part of a block, so that indentation tells what a
        comment is about.
        """
        waiting: list[str] = []
        while self.taken < len(self.remarks) and self.remarks[self.taken].at < before:
            remark = self.remarks[self.taken]
            self.taken += 1
            if not remark.alone:
                self._beside(remark, waiting)
                continue
            owner = self._owner(remark, column) if block and remark.text and not any(waiting) else None
            if owner is None:
                waiting.append(remark.text)
            else:
                owner.after += [*waiting, remark.text]
                waiting = []
        return waiting

    def _beside(self, remark: WrittenComment, waiting: list[str]) -> None:
        """Give a comment at the end of a line to what stands before it; inside brackets to the first that
        begins in the line.
        """
        line = bisect_right(self.starts, remark.at) - 1
        if self.latest is None:
            waiting.append(remark.text)
        elif (
            self.brackets
            and self.leader is not self.latest
            and self.leader is not None
            and self.leader_line == line
        ):
            self.leader.above.append(remark.text)
        else:
            self.latest.beside.append(remark.text)

    def _owner(self, remark: WrittenComment, column: int) -> WrittenEntry | None:
        """The entry after which a comment stands that is indented further than what follows."""
        if remark.column <= column:
            return None
        for entry in reversed(self.begun):
            if entry.column <= remark.column:
                return entry if entry.column > column else None
        return None

    # ---- values

    def next(self) -> Any:
        event = self.events[self.position]
        self.position += 1
        return event

    def peek(self) -> Any:
        return self.events[self.position]

    def document(self) -> WrittenEntry:
        """The whole file as an entry without a key."""
        root: WrittenEntry | None = None
        while self.position < len(self.events):
            kind = _name(self.peek())
            if kind in ("StreamStartEvent", "StreamEndEvent", "DocumentEndEvent", "DocumentStartEvent"):
                self.next()
                continue
            if root is not None:
                raise CannotBeLaidOut("it holds more than one document")
            root = WrittenEntry(-1)
            root.value = self.value(root)
        if root is None:
            raise CannotBeLaidOut("it is empty")
        waiting = self.settle(len(self.text) + 1, -1, block=True)
        root.after += [*root.beside, *waiting]
        return root

    def value(self, holder: WrittenEntry) -> WrittenValue:
        event = self.next()
        kind = _name(event)
        if kind == "AliasEvent":
            return WrittenValue("alias", text=event.anchor)
        tag = getattr(event, "ctag", None) or getattr(event, "tag", None)
        if tag:
            raise CannotBeLaidOut(f"the tag {str(tag)!r} on line {event.start_mark.line + 1}")
        anchor = event.anchor or ""
        if kind == "ScalarEvent":
            start, end = self.span(event)
            text = self.text[start:end]
            if anchor:
                text = text.removeprefix(f"&{anchor}").lstrip()
            return WrittenValue(
                "scalar", style=event.style or "", anchor=anchor, text=text, value=event.value
            )
        value = WrittenValue(
            "map" if kind == "MappingStartEvent" else "list", flow=bool(event.flow_style), anchor=anchor
        )
        self.brackets += value.flow
        if value.kind == "list":
            self.list(value)
        else:
            self.map(value)
        close = self.next()
        if value.flow:
            end = self.offset(close.start_mark)
            last = value.entries[-1] if value.entries else holder
            last.after += [text for text in self.settle(end, 0, block=False) if text]
            self.latest = holder
            self.brackets -= 1
        return value

    def begin(self, entry: WrittenEntry, mark: Any, *, block: bool) -> None:
        start = self.offset(mark)
        above = self.settle(start, entry.column, block=block)
        entry.above = above if block else [text for text in above if text]
        if block:
            self.begun.append(entry)
        self.latest = entry
        if mark.line != self.leader_line:
            self.leader, self.leader_line = entry, mark.line

    def list(self, value: WrittenValue) -> None:
        while _name(self.peek()) != "SequenceEndEvent":
            mark = self.peek().start_mark
            entry = WrittenEntry(max(mark.column - INDENT, 0) if not value.flow else mark.column)
            self.begin(entry, mark, block=not value.flow)
            entry.value = self.value(entry)
            value.entries.append(entry)

    def map(self, value: WrittenValue) -> None:
        while _name(self.peek()) != "MappingEndEvent":
            event = self.peek()
            if _name(event) != "ScalarEvent":
                raise CannotBeLaidOut(f"a key that is no single value, on line {event.start_mark.line + 1}")
            entry = WrittenEntry(event.start_mark.column)
            self.begin(entry, event.start_mark, block=not value.flow)
            entry.key = self.value(entry)
            entry.value = self.value(entry)
            value.entries.append(entry)


def _name(event: Any) -> str:
    return type(event).__name__
