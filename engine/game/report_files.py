"""The reports of a turn as files: of every nation and the moderator, as text and as a page with its map."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from .report.drawing import Drawing
from .report.render import as_html, as_text
from .store import MODERATOR, Game
from .turn_reports import map_of_report, report
from .views import views_after


def write_reports(
    game: Game, out: Path, nations: Iterable[str], drawing: Drawing, *, turn: int | None = None, update: date | None = None,
    counted: Callable[[Sequence[str | None]], Iterable[str | None]] = iter,
) -> list[Path]:  # fmt: skip
    """Text and HTML reports of nations, each with its map, into a folder; the moderator's as well.

    Many of a game in a file of its own are made by several processes; what is written is the same. `counted` goes through the
    readers of this process, and may show how far it is.
    """
    out.mkdir(parents=True, exist_ok=True)
    readers: list[str | None] = [None, *nations]
    hands = _hands(game, len(readers))
    shares = [readers[n::hands] for n in range(hands)]
    helpers: list[Any] = []
    if hands > 1:
        import multiprocessing  # only many reports need it

        for share in shares[1:]:
            args = (game, out, share, drawing, turn, update)
            helpers.append(multiprocessing.get_context("fork").Process(target=_write_share, args=args))
            helpers[-1].start()
    _write_some(game, out, counted(shares[0]), drawing, turn, update)
    for share, helper in zip(shares[1:], helpers, strict=True):
        helper.join()
        if helper.exitcode:  # it could not: whatever it met is met here, and told
            _write_some(game, out, share, drawing, turn, update)
    return [out / f"{reader or MODERATOR}.{suffix}" for reader in readers for suffix in ("txt", "html")]


FEW_REPORTS = 12
"""Reports for which one process is enough."""


def _hands(game: Game, reports: int) -> int:
    """How many processes write so many reports: one where a process cannot be parted safely, or where it would not pay."""
    parted = game.engine.dialect.name == "sqlite" and hasattr(os, "fork") and threading.active_count() == 1
    return min(len(os.sched_getaffinity(0)), reports // 4) if parted and reports >= FEW_REPORTS else 1


def _write_share(
    game: Game, out: Path, readers: Sequence[str | None], drawing: Drawing, turn: int | None, update: date | None
) -> None:
    """Some of the reports, in a process of its own with a connection of its own."""
    with Path(os.devnull).open("w") as sys.stderr:  # what it meets is met again, and told, by the process that waits for it
        _write_some(game.in_another_process(), out, readers, drawing, turn, update)


def _write_some(
    game: Game, out: Path, readers: Iterable[str | None], drawing: Drawing, turn: int | None, update: date | None
) -> None:
    views = views_after(game, turn)
    for reader in readers:
        data = report(game, reader, turn=turn, views=views, update=update)
        drawn = map_of_report(game, data, views, drawing)
        for suffix, text in (("txt", as_text(data)), ("html", as_html(data, drawn))):
            (out / f"{reader or MODERATOR}.{suffix}").write_text(text, encoding="utf-8")
