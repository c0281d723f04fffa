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
from ..report.drawing import Drawing
from ..report.map import draw
from ..report.map.bare import bare_map
from ..report.map.draw import plain_layout
from ..report.map.small import smaller
from ..report.map.svg import circle, number, words
from ..report.mapview import map_model

_HEAD = re.compile(r'width="[\d.]+" height="[\d.]+" viewBox="[^"]*"')
_DRAWING = threading.Lock()  # drawings share what they have in common
MARK, MARK_WON, MARK_GROUND = "#9c2327", "#1f6a44", "#ffffff"


@dataclass(frozen=True)
class Window:
    """A part of the sheet: its title, its corner and its size in sheet units."""

    title: str
    at: tuple[float, float, float, float]


@dataclass(frozen=True)
class Picture:
    """A map and its windows; the first one is the whole sheet, `home` the number of the one to begin with."""

    svg: str
    windows: tuple[Window, ...]
    home: int

    def seen(self, window: int) -> str:
        """The picture of one window."""
        x, y, width, height = self.windows[window if 0 <= window < len(self.windows) else 0].at
        box = " ".join(map(number, (x, y, width, height)))
        size = f'width="{number(width)}" height="{number(height)}" viewBox="{box}"'
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
        svg = smaller(draw(model))
        homes = bare_map(model, layout).spots.homes
    signs = "".join(
        _sign(mark, homes[mark.place][1], layout.panels[homes[mark.place][0]].font) for mark in marks if mark.place in homes
    )
    own: list[list[tuple[float, float]]] = [[] for _ in layout.panels]
    for place in model.places:
        if reader and place.owner == reader and place.id in homes:
            own[homes[place.id][0]].append(homes[place.id][1])
    windows = [Window("Everything", (0, 0, layout.width, layout.height))]
    most = max(range(len(own)), key=lambda k: len(own[k]), default=0)
    if own and own[most]:
        windows.append(Window("Your land", _round(own[most], layout.panels[most].at)))
    home = len(windows) - 1
    if len(layout.panels) > 1:
        windows += [Window(panel.title or f"Part {n}", panel.at) for n, panel in enumerate(layout.panels, 1)]
    return Picture(svg.replace("</svg>", signs + "</svg>"), tuple(windows), home)


def _round(spots: list[tuple[float, float]], at: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """A window round most of some spots of a panel, with what borders on them, not wider nor higher than the panel."""
    x0, y0, width, height = at
    sides = []
    for axis, low, size in ((0, x0, width), (1, y0, height)):
        values = sorted(spot[axis] for spot in spots)
        tenth = len(values) // 10
        first, last = values[tenth], values[-1 - tenth]
        span = min(size, max((last - first) * 1.5, size * 0.42))
        start = min(max((first + last - span) / 2, low), low + size - span)
        sides.append((round(start), round(span)))
    return sides[0][0], sides[1][0], sides[0][1], sides[1][1]


def _sign(mark: Mark, spot: tuple[float, float], font: float) -> str:
    colour = MARK_WON if mark.won else MARK
    x, y, size = spot[0] - font * 2.2, spot[1] - font * 1.6, font * 1.5
    ring = circle(x, y, size, fill=MARK_GROUND, stroke=colour, stroke_width=size * 0.2)
    return ring + words(x, y + size * 0.4, str(mark.number), size * 1.15, fill=colour, bold=True)
