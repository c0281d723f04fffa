"""What a terminal is shown beside plain text: colors, and how far a long command is.

Colors stand on standard output only where that is a terminal, and not where NO_COLOR is set; progress stands
on standard error only where that is a terminal, after most of a second, and is gone when the command is done.
Anything else gets plain lines. What others wrote (orders, names, files) is shown with its control characters
spelled out: none of them reaches a terminal.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO, TypeVar, cast

if TYPE_CHECKING:
    from rich.progress import Progress


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal would act upon, but for new lines and tabs: control characters, and marks that turn the
writing round.
"""


class _Spelled:
    """A stream of text whose control characters are spelled out, in a form that JSON reads as well."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.unread = False
        """Whether whoever read it has gone."""

    def write(self, text: str) -> int:
        try:
            self.stream.write(_spelled(text))
        except BrokenPipeError:
            self.unread = True
            raise
        return len(text)

    def finish(self) -> None:
        """Hand over what is not written yet, if anybody still reads."""
        try:
            self.stream.flush()
        except BrokenPipeError:
            self.unread = True

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _spelled(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@contextmanager
def spelled_out() -> Iterator[_Spelled]:
    """Within, whatever is printed is printed so; gives what stands for standard output."""
    before = sys.stdout, sys.stderr
    out = _Spelled(before[0])
    sys.stdout, sys.stderr = cast(TextIO, out), cast(TextIO, _Spelled(before[1]))
    try:
        yield out
    finally:
        sys.stdout, sys.stderr = before


def raw(stream: TextIO) -> TextIO:
    """A stream for what this program itself tells the terminal to do."""
    return stream.stream if isinstance(stream, _Spelled) else stream


SOON = 0.7
"""Seconds before anybody wants to know how far a command is."""

_STYLES = {
    "bold": re.compile(r"^\S+:\d+(?::\d+)?(?=: )|^wteaw [a-z]+:", re.MULTILINE),
    "bold red": re.compile(
        r"(?<=: )(?:error|failed)(?=: )|^error(?=: )|\b[1-9][\d,]* (?:errors?|failed|in error)\b|^WRONG\b",
        re.MULTILINE,
    ),
    "bold yellow": re.compile(r"(?<=: )warning(?=: )|^warning(?=: )|\b[1-9][\d,]* warnings?\b", re.MULTILINE),
    "green": re.compile(r"\bno errors\b|\b[1-9][\d,]* passed\b|^right\b|^      expected .*", re.MULTILINE),
    "red": re.compile(r"^      got .*", re.MULTILINE),
    "cyan": re.compile(r"^    (?:hint|instead): ", re.MULTILINE),
}
"""What is colored in the texts of findings, results and answers."""


def say(text: str, *, nl: bool = True) -> None:
    """Print a text of findings or results; on a terminal what matters is colored."""
    _print(text, nl, err=False)


def warn(text: str) -> None:
    """Print a message on standard error."""
    _print(text, True, err=True)


def _print(text: str, nl: bool, *, err: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    if not _wants_color(stream.isatty()):
        print(text, end="\n" if nl else "", file=stream)
        return
    from rich.console import Console  # start-up time: a pipe never needs it
    from rich.text import Text

    shown = Text(_spelled(text))
    for style, pattern in _STYLES.items():
        shown.highlight_regex(pattern, style)
    console = Console(file=raw(stream), highlight=False, soft_wrap=True, force_terminal=True)
    console.print(shown, end="\n" if nl else "")


def _wants_color(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (terminal and os.environ.get("TERM") != "dumb")


class Working:
    """How far a command is, while the block lasts. Without a total it only shows that something is done."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._shown: Progress | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self._timer = threading.Timer(SOON, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._timer = None
            if self._shown is not None:
                self._shown.stop()

    def at(self, done: int, total: int | None = None, what: str = "") -> None:
        """So much is done; the total and the words may change on the way."""
        with self._lock:
            self._done, self._total, self._what = done, total or self._total, what or self._what
            if self._shown is not None:
                self._shown.update(
                    self._shown.task_ids[0], completed=done, total=self._total, description=self._what
                )

    def hide(self) -> None:
        """Leave the terminal to somebody who is asked."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._shown is not None:
                self._shown.stop()
                self._shown = None

    def _show(self) -> None:
        from rich.console import Console  # start-up time: a short command never needs it
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        with self._lock:
            if self._timer is None:
                return
            counted = (
                [BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()] if self._total is not None else []
            )
            words = TextColumn("{task.description}", markup=False)
            self._shown = Progress(
                SpinnerColumn(), words, *counted, console=Console(file=raw(sys.stderr)), transient=True
            )
            self._shown.add_task(self._what, total=self._total, completed=self._done)
            self._shown.start()


Item = TypeVar("Item")


def each(items: Iterable[Item], what: str) -> Iterator[Item]:
    """The items one after another, with how far their taker is."""
    listed = list(items)
    with Working(what, len(listed)) as working:
        for number, item in enumerate(listed):
            working.at(number)
            yield item
