"""The small signs of a map as SVG text: symbols, badges, arrows, works along a border, marks of passage.

Every function takes positions on the sheet and gives SVG elements; none knows what the signs stand for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from .model import Badge, Owner
from .palette import darker
from .shapes import Array
from .text import text_width, xml

INK = "#22262b"
SUCCESS, FAILURE, OPEN = "#00614b", "#b3261e", "#22262b"
OUTCOMES = {"success": SUCCESS, "failure": FAILURE, "open": OPEN}


def number(value: float) -> str:
    """A coordinate with one decimal at most; never '-0'."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def pattern_fill(identity: str, colour: str, pattern: str) -> str:
    """A <pattern> whose ground is the colour and whose figure is a darker shade of it; '' for a plain fill."""
    figures = {
        "rising": "M-1,7L7,-1M-1,1L1,-1M5,7L7,5",
        "falling": "M-1,-1L7,7M5,-1L7,1M-1,5L1,7",
        "level": "M0,3H6",
        "upright": "M3,0V6",
        "lattice": "M0,3H6M3,0V6",
    }
    shade = darker(colour, 0.2)
    if pattern in figures:
        figure = f'<path d="{figures[pattern]}" stroke="{shade}" stroke-width="0.9" fill="none"/>'
    elif pattern == "dots":
        figure = f'<circle cx="1.5" cy="1.5" r="0.9" fill="{shade}"/><circle cx="4.5" cy="4.5" r="0.9" fill="{shade}"/>'
    elif pattern == "rings":
        figure = f'<circle cx="3" cy="3" r="1.7" stroke="{shade}" stroke-width="0.7" fill="none"/>'
    else:
        return ""
    return (
        f'<pattern id="{identity}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect width="6" height="6" fill="{colour}"/>{figure}</pattern>'
    )


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
    extra = ' font-weight="bold"' if bold else ""
    if anchor != "start":
        extra += f' text-anchor="{anchor}"'
    if spacing:
        extra += f' letter-spacing="{number(spacing)}"'
    place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"{extra}'
    below = f'<text {place} fill="none" stroke="{halo}" stroke-width="{number(size * 0.28)}" stroke-linejoin="round">{xml(text)}</text>'
    return (below if halo else "") + f'<text {place} fill="{fill}">{xml(text)}</text>'


def symbol(name: str, x: float, y: float, r: float) -> str:
    """A sign about 2r wide with its middle at (x, y)."""
    if name == "star":
        points = [
            (
                x + (r * 1.25 if k % 2 == 0 else r * 0.5) * math.sin(k * math.pi / 5),
                y - (r * 1.25 if k % 2 == 0 else r * 0.5) * math.cos(k * math.pi / 5),
            )
            for k in range(10)
        ]
        return f'<path d="{_path(points)}Z" fill="{INK}" stroke="#fff" stroke-width="0.5"/>'
    if name == "dot":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r * 0.75)}" fill="#fff" stroke="{INK}" stroke-width="1"/>'
    if name == "ring":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r * 0.8)}" fill="none" stroke="{INK}" stroke-width="1.2"/>'
    if name == "square":
        half = r * 0.7
        return f'<rect x="{number(x - half)}" y="{number(y - half)}" width="{number(2 * half)}" height="{number(2 * half)}" fill="{INK}"/>'
    if name == "triangle":
        return f'<path d="{_path([(x, y - r), (x + r, y + r * 0.8), (x - r, y + r * 0.8)])}Z" fill="{INK}"/>'
    if name == "flag":
        return (
            f'<path d="{_path([(x - r * 0.6, y + r), (x - r * 0.6, y - r), (x + r, y - r * 0.4), (x - r * 0.6, y + r * 0.2)])}" '
            f'fill="{INK}" stroke="{INK}" stroke-width="0.8"/>'
        )
    if name == "gear":
        teeth = "".join(
            f"M{number(x + r * 0.6 * math.cos(a))},{number(y + r * 0.6 * math.sin(a))}L{number(x + r * 1.1 * math.cos(a))},{number(y + r * 1.1 * math.sin(a))}"
            for a in (k * math.pi / 4 for k in range(8))
        )
        return (
            f'<path d="{teeth}" stroke="{INK}" stroke-width="1.1"/>'
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r * 0.55)}" fill="#fff" stroke="{INK}" stroke-width="1.1"/>'
        )
    # an anchor: a stem with a ring and a bowl
    return (
        f'<path d="M{number(x)},{number(y - r * 0.5)}V{number(y + r)}M{number(x - r * 0.5)},{number(y - r * 0.1)}H{number(x + r * 0.5)}'
        f"M{number(x - r * 0.9)},{number(y + r * 0.3)}Q{number(x - r * 0.7)},{number(y + r)} {number(x)},{number(y + r)}"
        f'Q{number(x + r * 0.7)},{number(y + r)} {number(x + r * 0.9)},{number(y + r * 0.3)}" fill="none" stroke="{INK}" stroke-width="1"/>'
        f'<circle cx="{number(x)}" cy="{number(y - r * 0.75)}" r="{number(r * 0.28)}" fill="none" stroke="{INK}" stroke-width="0.9"/>'
    )


def arrow(
    start: tuple[float, float], end: tuple[float, float], outcome: str, colour: str = ""
) -> tuple[str, tuple[float, float]]:
    """A bent arrow, and the point at its bend where a label may stand."""
    stroke = colour or OUTCOMES[outcome]
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, y1 - y0
    length = math.hypot(dx, dy) or 1.0
    bend = (x0 + dx / 2 - dy * 0.14, y0 + dy / 2 + dx * 0.14)
    ax, ay = x1 - bend[0], y1 - bend[1]
    along = math.hypot(ax, ay) or 1.0
    ux, uy = ax / along, ay / along
    head = min(9.0, length * 0.35)
    stop = (x1 - ux * head * 0.8, y1 - uy * head * 0.8)
    curve = f"M{number(x0)},{number(y0)}Q{number(bend[0])},{number(bend[1])} {number(stop[0])},{number(stop[1])}"
    broken = ' stroke-dasharray="5 3"' if outcome == "failure" else ""
    parts = [
        f'<path d="{curve}" fill="none" stroke="#fff" stroke-width="5" stroke-opacity="0.85"/>',
        f'<path d="{curve}" fill="none" stroke="{stroke}" stroke-width="2.4"{broken}/>',
    ]
    if outcome == "failure":
        s = head * 0.55
        cross = f"M{number(x1 - s)},{number(y1 - s)}L{number(x1 + s)},{number(y1 + s)}M{number(x1 - s)},{number(y1 + s)}L{number(x1 + s)},{number(y1 - s)}"
        parts.append(
            f'<path d="{cross}" stroke="#fff" stroke-width="5.5"/><path d="{cross}" stroke="{stroke}" stroke-width="2.8"/>'
        )
    else:
        tip = [
            (x1, y1),
            (x1 - ux * head - uy * head * 0.5, y1 - uy * head + ux * head * 0.5),
            (x1 - ux * head + uy * head * 0.5, y1 - uy * head - ux * head * 0.5),
        ]
        hollow = stroke if outcome == "success" else "#fff"
        parts.append(f'<path d="{_path(tip)}Z" fill="{hollow}" stroke="{stroke}" stroke-width="1.4"/>')
    return "".join(parts), ((x0 + 2 * bend[0] + x1) / 4, (y0 + 2 * bend[1] + y1) / 4)


def burst(x: float, y: float, r: float, outcome: str) -> str:
    """A jagged star: filled for success, hollow and crossed for failure, hollow when all is open."""
    colour = OUTCOMES[outcome]
    points = [
        (
            x + (r if k % 2 == 0 else r * 0.5) * math.sin(k * math.pi / 8),
            y - (r if k % 2 == 0 else r * 0.5) * math.cos(k * math.pi / 8),
        )
        for k in range(16)
    ]
    fill = colour if outcome == "success" else "#fff"
    shape = f'<path d="{_path(points)}Z" fill="{fill}" stroke="{colour}" stroke-width="1.3"/>'
    if outcome == "failure":
        s = r * 0.45
        shape += f'<path d="M{number(x - s)},{number(y - s)}L{number(x + s)},{number(y + s)}M{number(x - s)},{number(y + s)}L{number(x + s)},{number(y - s)}" stroke="{colour}" stroke-width="1.6"/>'
    return shape


def works(line: Array, style: str, inward: float = 2.6, spacing: float = 5.0) -> str:
    """A line beside a border, on its left hand as it runs on the sheet (y down: turn `line` round for the other), teeth pointing across it."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    distance = np.concatenate([[0.0], np.cumsum(steps)])
    total = float(distance[-1])
    if total < 2.0:
        return ""
    count = max(2, round(total / spacing) + 1)
    at = np.linspace(0.0, total, count)
    points = np.column_stack([np.interp(at, distance, line[:, 0]), np.interp(at, distance, line[:, 1])])
    along = np.gradient(points, axis=0)
    along /= np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    left = np.column_stack([along[:, 1], -along[:, 0]])
    ground = points + left * inward
    path = _path(ground.tolist())
    if style == "double":
        path += _path((points + left * inward * 2).tolist())
    if style == "teeth":
        tips = ground - left * (inward + 1.6)
        path += "".join(_path([a, b]) for a, b in zip(ground.tolist(), tips.tolist(), strict=True))
    return (
        f'<path d="{path}" fill="none" stroke="#fff" stroke-width="3" stroke-opacity="0.8"/>'
        f'<path d="{path}" fill="none" stroke="#4a2c12" stroke-width="1.3"/>'
    )


def passage(a: tuple[float, float], b: tuple[float, float], style: str, least: float = 9.0) -> str:
    """A mark of passage from a to b, made at least `least` long so that it can be seen."""
    (x0, y0), (x1, y1) = a, b
    dx, dy = x1 - x0, y1 - y0
    length = math.hypot(dx, dy)
    ux, uy = (dx / length, dy / length) if length > 0.5 else (0.0, 1.0)
    half, cx, cy = max(length + 4, least) / 2, (x0 + x1) / 2, (y0 + y1) / 2
    x0, y0, x1, y1 = cx - ux * half, cy - uy * half, cx + ux * half, cy + uy * half
    if style == "double":
        rails = "".join(_path([(x0 - uy * k, y0 + ux * k), (x1 - uy * k, y1 + ux * k)]) for k in (-1.5, 1.5))
        return (
            f'<path d="{_path([(x0, y0), (x1, y1)])}" stroke="#fff" stroke-width="3" fill="none"/>'
            f'<path d="{rails}" stroke="#1d4f86" stroke-width="1.2" fill="none"/>'
        )
    if style == "dashed":
        return f'<path d="{_path([(x0, y0), (x1, y1)])}" stroke="#1d4f86" stroke-width="1.6" stroke-dasharray="3 2" fill="none"/>'
    heads = ""
    for x, y, turn in ((x0, y0, 1.0), (x1, y1, -1.0)):
        hx, hy = x + ux * 3.2 * turn, y + uy * 3.2 * turn
        heads += _path([(hx - uy * 2.4, hy + ux * 2.4), (x, y), (hx + uy * 2.4, hy - ux * 2.4)])
    path = _path([(x0, y0), (x1, y1)]) + heads
    return f'<path d="{path}" stroke="#fff" stroke-width="3.2" fill="none"/><path d="{path}" stroke="#1d4f86" stroke-width="1.3" fill="none"/>'


class BadgeBlock:
    """The badges of a place laid out in rows, one owner below the other; made first for its size, then drawn where there is room."""

    def __init__(self, badges: Sequence[Badge], owners: Mapping[str, Owner], holder: str, size: float) -> None:
        self.size = size
        self.row = size * 1.22
        self.lines: list[tuple[Owner | None, str, list[tuple[Badge, float]], float]] = []
        for key in dict.fromkeys(badge.owner for badge in badges):
            owner = owners.get(key)
            tag = "" if key == holder or owner is None else owner.tag
            lead = 3.5 + (text_width(tag, size * 0.85, True) + 3 if tag else 0)
            group: list[tuple[Badge, float]] = []
            wide = lead
            mine = [badge for badge in badges if badge.owner == key]
            per_row = 4 if len(mine) <= 4 and all(len(badge.count) <= 1 for badge in mine) else 2 if len(mine) <= 4 else 3
            for badge in mine:
                step = text_width(badge.icon, size, True) + text_width(badge.count, size) + size * 0.45
                if len(group) >= per_row:
                    self.lines.append((owner, tag, group, wide))
                    group, wide = [], lead
                group.append((badge, wide))
                wide += step
            self.lines.append((owner, tag, group, wide))
        self.width = max((line[3] for line in self.lines), default=0.0)
        self.height = len(self.lines) * self.row

    def draw(self, x: float, y: float) -> str:
        """The block with its upper left corner at (x, y)."""
        parts = []
        previous: Owner | None = None
        for k, (owner, tag, group, wide) in enumerate(self.lines):
            top = y + k * self.row
            base = top + self.row * 0.8
            colour = owner.colour if owner and owner.colour else "#888888"
            parts.append(
                f'<rect x="{number(x)}" y="{number(top)}" width="{number(wide)}" height="{number(self.row)}" fill="#fffdf6" fill-opacity="0.92" '
                f'stroke="{darker(colour, 0.45)}" stroke-width="0.5"/>'
                f'<rect x="{number(x)}" y="{number(top)}" width="2.4" height="{number(self.row)}" fill="{darker(colour, 0.3)}"/>'
            )
            if tag and owner is not previous:
                parts.append(words(x + 3.6, base, tag, self.size * 0.85, bold=True, anchor="start", fill=darker(colour, 0.62)))
            previous = owner
            for badge, at in group:
                mark = text_width(badge.icon, self.size, True)
                parts.append(
                    f'<text x="{number(x + at)}" y="{number(base)}" font-size="{number(self.size)}" fill="{INK}">'
                    f'<tspan font-weight="bold" fill="#5b2b0a">{xml(badge.icon)}</tspan><tspan x="{number(x + at + mark + 0.5)}">{xml(badge.count)}</tspan></text>'
                )
        return "".join(parts)


def _path(points: Sequence[Sequence[float]]) -> str:
    return "M" + "L".join(f"{number(p[0])},{number(p[1])}" for p in points)
