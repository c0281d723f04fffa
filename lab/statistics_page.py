"""The figures of a game by turn as charts and tables of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wteaw.core.messages import capital
from wteaw.report.document import Block, Para, Picture, ReportPart, table
from wteaw.report.wording import Wording
from wteaw.world.world import World

from . import plots

LINES = 8


def statistics_parts(world: World, found: Mapping[str, Any]) -> list[ReportPart]:
    """A part for each series: a chart of those that have most, and a table of everybody after the last
    turn.
    """
    words = Wording(world)

    def name(who: str) -> str:
        return words.side(who) if who in world.ruleset.rows("sides") else words.name(who)

    parts = []
    known: dict[str, int] = {}
    for series in found["series"].values():
        of = series["of"]
        shown = sorted((w for w in of if any(of[w])), key=lambda w: (-sum(map(abs, of[w])), w))
        lines = [plots.PlotLine(capital(name(w)) if w else series["title"], of[w]) for w in shown[:LINES]]
        more = f", {LINES} of {len(shown)}" if len(shown) > LINES else ""
        chart = plots.lines(series["title"], lines, first=found["turns"][0], known=known)
        out: list[Block] = [Picture(chart, f"{series['title']}{more}")]
        if len(shown) > 1:
            shown.sort(key=lambda w: (-of[w][-1], w))
            head = (
                f"After turn {found['turns'][-1]}",
                "Now",
                "Most",
                *(["All turns"] if series["adds"] else ()),
            )
            cells = {w: (of[w][-1], max(of[w]), *([sum(of[w])] if series["adds"] else ())) for w in shown}
            out.append(table(head, [(capital(name(w)), *map(_said, cells[w])) for w in shown]))
        parts.append(ReportPart(series["title"], tuple(out)))
    if found["joined"]:
        told = [f"turn {j['turn']}: {name(j['nation'])} joins {name(j['side'])}" for j in found["joined"]]
        parts.append(ReportPart("Who joined", (Para("; ".join(told) + "."),)))
    return parts


def _said(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"
