"""SVG elements as text: few kinds, numbers with one decimal, so that the same picture is always the same bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .text import xml

INK = "#22262b"


def number(value: float) -> str:
    """A coordinate with one decimal at most; never '-0'."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def track(vertices: Sequence[Sequence[float]]) -> str:
    """The path data of a line through the vertices."""
    return "M" + "L".join(f"{number(p[0])},{number(p[1])}" for p in vertices)


def path(data: str, **look: str | float) -> str:
    """A path, unfilled unless `look` says so. In names of attributes '_' stands for '-'."""
    return f'<path d="{data}"{_look({"fill": "none", **look})}/>'


_LONG = re.compile(r' d="(M[-0-9., MZ]{200,})"')


_HALO = re.compile(r'<text ([^>]*) fill="none" (stroke="[^>]*)>([^<]*)</text><text \1 fill="([^"]*)">\3</text>')


def coarse(svg: str, grid: int = 4) -> str:
    """The same picture made small for a page: long outlines snapped to a grid, words and the rim around them in one element.

    Vertices that fall together become one, and steps are written from the vertex before; outlines that were shared still are.
    """
    svg = _HALO.sub(r'<text \1 fill="\4" paint-order="stroke" \2>\3</text>', svg)
    return _LONG.sub(lambda found: f' d="{_snapped(found[1], grid)}"', svg)


def _snapped(data: str, grid: int) -> str:
    rings = [(_thinned(ring, grid), ring.endswith("Z")) for ring in data.split("M")[1:]]
    most = max((len(kept) for kept, _ in rings), default=0)
    out = []
    x = y = 0
    for kept, closed in rings:
        if closed and (len(set(kept)) < 3 or len(kept) < min(6, most)):  # too small to be seen beside the others
            continue
        steps = []
        for a, b in kept:
            steps.append(_pair((a - x) * grid, (b - y) * grid))
            x, y = a, b
        out.append("m" + " ".join(steps) + ("z" if closed else ""))
        if closed:
            x, y = kept[0]
    return "".join(out) or "M0 0"


def _thinned(ring: str, grid: int) -> list[tuple[int, ...]]:
    """The vertices of a ring on the grid, each once, without those that lie on a straight way."""
    seen = [tuple(round(float(v) / grid) for v in pair.split(",")) for pair in ring.removesuffix("Z").split()]
    kept = [p for n, p in enumerate(seen) if n == 0 or p != seen[n - 1]]
    return [p for n, p in enumerate(kept) if n in (0, len(kept) - 1) or not _straight(kept[n - 1], p, kept[n + 1])]


def _straight(a: tuple[int, ...], b: tuple[int, ...], c: tuple[int, ...]) -> bool:
    """Whether a vertex lies on the way from the one before to the one after."""
    return (b[0] - a[0]) * (c[1] - b[1]) == (b[1] - a[1]) * (c[0] - b[0]) and (b[0] - a[0]) * (c[0] - b[0]) >= 0 <= (
        b[1] - a[1]
    ) * (c[1] - b[1])


def _pair(a: float, b: float) -> str:
    return f"{a:g}{b:g}" if b < 0 else f"{a:g} {b:g}"


def rect(x: float, y: float, width: float, height: float, **look: str | float) -> str:
    """A rectangle with its upper left corner at (x, y)."""
    return f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"{_look(look)}/>'


def circle(x: float, y: float, r: float, **look: str | float) -> str:
    """A circle round (x, y)."""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r)}"{_look(look)}/>'


def words(
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    fill: str = INK,
    bold: bool = False,
    anchor: str = "middle",
    halo: str = "",
    spacing: float = 0,
) -> str:
    """A line of text with its baseline at y; `halo` is the colour of a rim that keeps it legible on any ground."""
    place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
    place += ' font-weight="bold"' if bold else ""
    place += f' text-anchor="{anchor}"' if anchor != "start" else ""
    place += f' letter-spacing="{number(spacing)}"' if spacing else ""
    inner = xml(text)
    below = ""
    if halo:
        rim = f'fill="none" stroke="{halo}" stroke-width="{number(size * 0.28)}" stroke-linejoin="round"'
        below = f"<text {place} {rim}>{inner}</text>"
    return f'{below}<text {place} fill="{fill}">{inner}</text>'


def tip(text: str) -> str:
    """A tooltip for the group that it opens; '' for no text."""
    return f"<title>{xml(text)}</title>" if text else ""


def _look(look: dict[str, str | float]) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{value if isinstance(value, str) else f"{value:g}"}"' for name, value in look.items()
    )
