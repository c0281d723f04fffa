"""The reports of a turn as files: of every nation and the moderator, as text and as a page with its map."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path

from ..core.parallel import shared_out
from ..play.views import views_after
from ..ruleset.drawing import Drawing
from ..store import MODERATOR, Game
from ..store.per_process import GamePerProcess, processes_for
from .render import as_html, as_text
from .turn_reports import map_of_report, part_on_luck, report


def write_reports(
    game: Game, out: Path, readers: Sequence[str | None], drawing: Drawing, *, turn: int | None = None,
    update: date | None = None, counted: Callable[[Sequence[str | None]], Iterable[str | None]] = iter,
) -> list[Path]:  # fmt: skip
    """Text and HTML reports of some readers, each with its map, into a folder: nations, and None for the
    moderator.

    Many of a game in a file of its own are made by several processes; what is written is the same. `counted`
    goes through the readers of this process, and may show how far it is.
    """
    out.mkdir(parents=True, exist_ok=True)
    workers = _processes(game, len(readers))
    views = views_after(game, turn)
    shared, asking = GamePerProcess(game), os.getpid()

    def write(some: Iterable[str | None]) -> None:
        here = views.for_process(shared.here())
        for reader in some:
            data = report(here.game, reader, turn=turn, views=here, update=update)
            drawn = map_of_report(here.game, data, here, drawing)
            for suffix, text in (("txt", as_text(data)), ("html", as_html(data, drawn))):
                (out / f"{reader or MODERATOR}.{suffix}").write_text(text, encoding="utf-8")

    if workers > 1:
        views.prepare()  # what all readers share, once for all processes
        part_on_luck(game, turn, workers=workers)
        write(readers[:FIRST])
        shares = [readers[FIRST + n :: workers] for n in range(workers)]
        shared_out(lambda share: write(counted(share) if os.getpid() == asking else share), shares, workers)
    else:
        write(counted(readers))
    return [out / f"{reader or MODERATOR}.{suffix}" for reader in readers for suffix in ("txt", "html")]


FIRST = 2
"""Reports that are made before the processes part: what is worked out once for all of them, the others have
then.
"""
FEW_REPORTS = 12
"""Reports for which one process is enough."""


def _processes(game: Game, reports: int) -> int:
    """How many processes write so many reports: one where it would not pay."""
    return processes_for(game, reports // 4) if reports >= FEW_REPORTS else 1
