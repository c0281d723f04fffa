"""Maps for pages: a window of the map at a time, with the battles numbered as the page numbers them.

A map is a picture of its own, loaded by the page that shows it; which window is shown is in its address, so that it can be chosen
without a script.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...core.journal import Entry
from ...core.model import Ruleset
from ...core.state import State
from ..report.map import draw
from ..report.map.bare import bare_map
from ..report.map.draw import plain_layout
from ..report.map.svg import circle, coarse, number, words
from ..report.mapview import Drawing, map_model

_HEAD = re.compile(r'width="[\d.]+" height="[\d.]+" viewBox="[^"]*"')
_DRAWING = threading.Lock()  # drawings share what they have in common
MARK, MARK_WON, MARK_GROUND = "#9c2327", "#1f6a44", "#ffffff"


@dataclass(frozen=True)
class Window:
    """A part of the sheet: its title, its corner and size in sheet units, and how many of the reader's places lie in it."""

    title: str
    at: tuple[float, float, float, float]
    own: int


@dataclass(frozen=True)
class Picture:
    """A map and its windows; the first one is the whole sheet, `home` the number of the one with most of the reader's places."""

    svg: str
    windows: tuple[Window, ...]
    home: int

    def seen(self, window: int) -> str:
        """The picture of one window."""
        x, y, width, height = self.windows[window if 0 <= window < len(self.windows) else 0].at
        size = f'width="{number(width)}" height="{number(height)}" viewBox="{number(x)} {number(y)} {number(width)} {number(height)}"'
        return _HEAD.sub(size, self.svg, count=1)


@dataclass(frozen=True)
class Mark:
    """A number at a place; `won` tells two colours apart, the number tells all."""

    place: str
    number: int
    won: bool


def picture(
    ruleset: Ruleset, shown: State, drawing: Drawing, *, title: str, entries: Sequence[Entry] = (), reader: str = "",
    marks: Iterable[Mark] = (),
) -> Picture:  # fmt: skip
    """The map of what a reader is shown."""
    with _DRAWING:
        model = map_model(ruleset, shown, drawing, title=title, entries=entries)
        layout = model.layout or plain_layout(model)
        svg = coarse(draw(model))
        homes = bare_map(model, layout).spots.homes
    signs = "".join(_sign(mark, homes[mark.place][1], layout.panels[homes[mark.place][0]].font) for mark in marks if mark.place in homes)
    own = [0] * len(layout.panels)
    for place in model.places:
        if reader and place.owner == reader and place.id in homes:
            own[homes[place.id][0]] += 1
    whole = Window("Everything", (0, 0, layout.width, layout.height), 0)
    windows = [Window(panel.title or f"Part {n}", panel.at, own[n - 1]) for n, panel in enumerate(layout.panels, 1)]
    home = 1 + own.index(max(own)) if any(own) and len(windows) > 1 else 0
    return Picture(svg.replace("</svg>", signs + "</svg>"), (whole, *windows), home)


def _sign(mark: Mark, spot: tuple[float, float], font: float) -> str:
    colour = MARK_WON if mark.won else MARK
    x, y = spot[0], spot[1] - font * 2.2
    ring = circle(x, y, font * 1.15, fill=MARK_GROUND, stroke=colour, stroke_width=font * 0.22)
    return ring + words(x, y + font * 0.42, str(mark.number), font * 1.2, fill=colour, bold=True)
