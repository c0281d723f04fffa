"""Charts by Matplotlib as SVG for pages: lines with bands over turns, and bars with bands.

Colors are the page's own (`--s0` and so on, `currentColor`), so that a chart is read on light and on dark
paper; text stays text, in the page's font. Lines differ by their dashes, too.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wteaw.core.faults import MachineError

COLORS = 8
WIDTH, HEIGHT = 5.8, 3.4
ACROSS, SIGN = 66, 7
"""Letters that fit beside each other, and how many of them the sign before a name of a legend takes."""
INK = "#010203"
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))


@dataclass(frozen=True)
class PlotLine:
    """One line of a chart: values from a turn on, and the band around each of them, if any.

    None: nothing is known there.
    """

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()


def _color(number: int) -> str:
    return f"#0102{16 + number % COLORS:02x}"


def _styles(names: Sequence[str], known: dict[str, int]) -> list[int]:
    """The number of each line's color and dashes, no two alike: that of other charts (`known`), where it is
    not taken here.
    """
    out: list[int] = []
    for name in names:
        free = [n for n in range(max(COLORS, len(names))) if n not in out]
        new = next((n for n in free if n not in known.values()), free[0])
        out.append(known[name] if known.get(name) in free else new)
        known.setdefault(name, out[-1])
    return out


def lines(
    title: str,
    series: Sequence[PlotLine],
    *,
    first: int = 1,
    unit: str = "",
    known: dict[str, int] | None = None,
) -> str:
    """A chart over turns, the first of which has the number `first`.

    Charts of one page share `known`, by which a line has the same color and dashes in all of them.
    """
    figure, axes = _figure()
    numbers = _styles([line.name for line in series], {} if known is None else known)
    for number, line in zip(numbers, series, strict=True):
        turns = [first + i for i, v in enumerate(line.values) if v is not None]
        values = [v for v in line.values if v is not None]
        color, dash = _color(number), _DASHES[number // 2 % len(_DASHES)]
        dot = "o" if len(turns) == 1 else None
        axes.plot(turns, values, color=color, linestyle=dash, linewidth=1.7, label=line.name, marker=dot)
        band = [
            (first + i, low, high)
            for i, (low, high) in enumerate(zip(line.low, line.high, strict=True))
            if low is not None
        ]
        if band:
            axes.fill_between(
                [b[0] for b in band],
                [b[1] for b in band],
                [b[2] for b in band],
                color=color,
                alpha=0.16,
                linewidth=0,
            )
    axes.set_xlabel("turn")
    axes.set_ylabel(unit)
    axes.locator_params(axis="x", integer=True)
    if all(v is None or v == int(v) for line in series for v in (*line.values, *line.low, *line.high)):
        axes.locator_params(axis="y", integer=True)  # there is no half of a battle
    if max(len(line.values) for line in series) == 1:
        axes.set_xticks([first])  # Matplotlib would divide the one turn
    if len(series) > 1:
        axes.legend(
            loc=9,
            bbox_to_anchor=(0.5, -0.18),
            ncol=_columns([line.name for line in series]),
            frameon=False,
            labelcolor=INK,
        )
    return _svg(figure, title)


def _columns(names: Sequence[str]) -> int:
    """Into how many columns a legend goes, so that it is no wider than the picture."""
    for columns in (3, 2):
        down = math.ceil(len(names) / columns)
        widest = [max(map(len, names[i : i + down])) for i in range(0, len(names), down)]
        if sum(widest) + SIGN * len(widest) <= ACROSS:
            return columns
    return 1


def bars(
    title: str, shares: Mapping[str, tuple[float, float, float]], *, unit: str = "", percent: bool = False
) -> str:
    """Bars with the value and its band (value, low, high), the first at the top."""
    names = list(shares)
    figure, axes = _figure(max(1.3, 0.36 * len(names) + 0.8))
    for place, name in enumerate(names):
        value, low, high = shares[name]
        axes.barh(place, value, color=_color(0), alpha=0.75, height=0.6)
        axes.plot([low, high], [place, place], color=INK, linewidth=1.4, solid_capstyle="butt")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    if percent:
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    return _svg(figure, title)


def _figure(height: float = HEIGHT) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure  # heavy, and for these pages alone
    except ModuleNotFoundError as missing:
        raise MachineError(f"charts need {missing.name}: pip install 'wteaw[simulate]'") from None
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots()
    for spine in ("top", "right"):
        axes.spines[spine].set_visible(False)
    for spine in ("left", "bottom"):
        axes.spines[spine].set_color(INK)
    axes.tick_params(colors=INK)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    axes.grid(color=INK, alpha=0.12, linewidth=0.6)
    return figure, axes


def _svg(figure: Any, title: str) -> str:
    import matplotlib  # heavy, and for these pages alone

    out = io.StringIO()
    ids = re.sub(r"\W+", "-", title)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": ids, "font.size": 10.0}):
        figure.savefig(
            out,
            format="svg",
            transparent=True,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    return _for_pages(out.getvalue(), title, ids)


def _for_pages(svg: str, title: str, ids: str) -> str:
    """A picture without its prolog, as wide as its place, its ids its own, in the page's colors and font."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    head = re.search(r'viewBox="[^"]*"', svg)
    size = head[0] if head else ""
    said = title.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    svg = re.sub(r"^<svg[^>]*>", lambda _: f'<svg {spaces} {size} role="img" aria-label="{said}">', svg)
    svg = re.sub(r'( id="|xlink:href="#|url\(#)', lambda found: f"{found[0]}{ids}-", svg)
    svg = svg.replace(INK, "currentColor")
    for number in range(COLORS):
        svg = svg.replace(_color(number), f"var(--s{number})")
    svg = re.sub(r"font-family: [^;\"]*", "font-family: system-ui, sans-serif", svg)
    # it would hold for all of the page
    return re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
