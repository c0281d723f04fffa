"""SVG elements as text: few kinds, numbers with one decimal, so that the same picture is always the same
bytes.
"""

from __future__ import annotations

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


def rect(x: float, y: float, width: float, height: float, **look: str | float) -> str:
    """A rectangle with its upper left corner at (x, y)."""
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}"{_look(look)}/>'
    )


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
    """A line of text with its baseline at y; `halo` is the color of a rim that keeps it legible on any
    ground.
    """
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
        f' {name.replace("_", "-")}="{value if isinstance(value, str) else f"{value:g}"}"'
        for name, value in look.items()
    )
