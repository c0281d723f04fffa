"""The small signs of a map as SVG text: symbols, badges, arrows, works along a border, marks of passage.

Every function takes positions on the sheet and gives SVG elements; none knows what the signs stand for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from .model import Badge, Owner
from .palette import darker, lettering_on
from .shapes import Array
from .small import on_grid
from .svg import INK, circle, number, path, rect, track, words
from .text import text_width, xml

SUCCESS, FAILURE, OPEN = "#00614b", "#b3261e", "#22262b"
OUTCOMES = {"success": SUCCESS, "failure": FAILURE, "open": OPEN}
BRIDGE, EARTH, PAPER, LETTER = "#1d4f86", "#4a2c12", "#fffdf6", "#5b2b0a"


def pattern_fill(identity: str, color: str, pattern: str) -> str:
    """A <pattern> whose ground is the color and whose figure is a darker shade of it; '' for a plain
    fill.
    """
    figures = {
        "rising": "M-1,7L7,-1M-1,1L1,-1M5,7L7,5",
        "falling": "M-1,-1L7,7M5,-1L7,1M-1,5L1,7",
        "level": "M0,3H6",
        "upright": "M3,0V6",
        "lattice": "M0,3H6M3,0V6",
        "net": "M-1,7L7,-1M-1,-1L7,7",
        "waves": "M0,2L3,5L6,2M0,-4L3,-1L6,-4",
    }
    shade = darker(color, 0.2)
    if pattern in figures:
        figure = path(figures[pattern], stroke=shade, stroke_width=0.9)
    elif pattern == "dots":
        figure = circle(1.5, 1.5, 0.9, fill=shade) + circle(4.5, 4.5, 0.9, fill=shade)
    elif pattern == "rings":
        figure = circle(3, 3, 1.7, fill="none", stroke=shade, stroke_width=0.7)
    else:
        return ""
    ground = f'<rect width="6" height="6" fill="{color}"/>'
    return (
        f'<pattern id="{identity}" width="6" height="6" '
        f'patternUnits="userSpaceOnUse">{ground}{figure}</pattern>'
    )


def symbol(name: str, x: float, y: float, r: float) -> str:
    """A sign about 2r wide with its middle at (x, y); what it looks like is said once for the drawing
    (`signs_used`).
    """
    return f'<use href="#sign-{name}-{round(r * 10)}" x="{number(x)}" y="{number(y)}"/>'


_USED = re.compile(r'href="#sign-([a-z]+)-(\d+)"')


def signs_used(svg: str) -> str:
    """The definitions of all signs that a drawing uses."""
    return "".join(
        f'<g id="sign-{name}-{tenths}">{_sign(name, 0.0, 0.0, int(tenths) / 10)}</g>'
        for name, tenths in sorted(set(_USED.findall(svg)))
    )


def _sign(name: str, x: float, y: float, r: float) -> str:
    """A sign about 2r wide with its middle at (x, y)."""
    if name == "star":
        return path(track(_star(x, y, r * 1.25, r * 0.5, 5)) + "Z", fill=INK, stroke="#fff", stroke_width=0.5)
    if name == "dot":
        return circle(x, y, r * 0.75, fill="#fff", stroke=INK, stroke_width=1)
    if name == "ring":
        return circle(x, y, r * 0.8, fill="none", stroke=INK, stroke_width=1.2)
    if name == "square":
        return rect(x - r * 0.7, y - r * 0.7, r * 1.4, r * 1.4, fill=INK)
    if name == "triangle":
        return path(track([(x, y - r), (x + r, y + r * 0.8), (x - r, y + r * 0.8)]) + "Z", fill=INK)
    if name == "flag":
        cloth = [(x - r * 0.6, y + r), (x - r * 0.6, y - r), (x + r, y - r * 0.4), (x - r * 0.6, y + r * 0.2)]
        return path(track(cloth), fill=INK, stroke=INK, stroke_width=0.8)
    if name == "gear":
        spokes = [(math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)) for k in range(8)]
        teeth = "".join(
            track([(x + r * 0.6 * c, y + r * 0.6 * s), (x + r * 1.1 * c, y + r * 1.1 * s)]) for c, s in spokes
        )
        return path(teeth, stroke=INK, stroke_width=1.1) + circle(
            x, y, r * 0.55, fill="#fff", stroke=INK, stroke_width=1.1
        )
    # an anchor: a stem with a ring, a stock and a bowl
    stem = track([(x, y - r * 0.5), (x, y + r)]) + track(
        [(x - r * 0.5, y - r * 0.1), (x + r * 0.5, y - r * 0.1)]
    )
    low, bottom = number(y + r * 0.3), number(y + r)
    bowl = f"M{number(x - r * 0.9)},{low}Q{number(x - r * 0.7)},{bottom} {number(x)},{bottom}"
    bowl += f"Q{number(x + r * 0.7)},{bottom} {number(x + r * 0.9)},{low}"
    eye = circle(x, y - r * 0.75, r * 0.28, fill="none", stroke=INK, stroke_width=0.9)
    return path(stem + bowl, stroke=INK, stroke_width=1) + eye


def reach(
    start: tuple[float, float], end: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where an arrow between two places' names begins and ends: short of both names, yet never shorter than
    half the way.
    """
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    off, short = min(8.0, length * 0.2) / length, min(16.0, length * 0.3) / length
    return (start[0] + dx * off, start[1] + dy * off), (end[0] - dx * short, end[1] - dy * short)


def arrow(
    start: tuple[float, float], end: tuple[float, float], outcome: str, faint: bool = False
) -> tuple[str, tuple[float, float]]:
    """A bent arrow, and the point at its bend where a label may stand; a `faint` one is a thin dotted
    line.
    """
    stroke = OUTCOMES[outcome]
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, y1 - y0
    length = math.hypot(dx, dy) or 1.0
    bend = (x0 + dx / 2 - dy * 0.14, y0 + dy / 2 + dx * 0.14)
    ax, ay = x1 - bend[0], y1 - bend[1]
    along = math.hypot(ax, ay) or 1.0
    ux, uy = ax / along, ay / along
    head = min(9.0, length * 0.35)
    stop = f"{number(x1 - ux * head * 0.8)},{number(y1 - uy * head * 0.8)}"
    curve = f"M{number(x0)},{number(y0)}Q{number(bend[0])},{number(bend[1])} {stop}"
    broken = {"stroke_dasharray": "2 2.5" if faint else "5 3"} if faint or outcome == "failure" else {}
    wide = 1.6 if faint else 2.4
    drawn = path(curve, stroke="#fff", stroke_width=wide + 2.6, stroke_opacity=0.85)
    drawn += path(curve, stroke=stroke, stroke_width=wide, **broken)
    if outcome == "failure":
        cross = _cross(x1, y1, head * 0.55)
        drawn += path(cross, stroke="#fff", stroke_width=5.5) + path(cross, stroke=stroke, stroke_width=2.8)
    else:
        back, side = (x1 - ux * head, y1 - uy * head), (-uy * head * 0.5, ux * head * 0.5)
        tip = [(x1, y1), (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])]
        inside = stroke if outcome == "success" else "#fff"
        drawn += path(track(tip) + "Z", fill=inside, stroke=stroke, stroke_width=1.4)
    return drawn, ((x0 + 2 * bend[0] + x1) / 4, (y0 + 2 * bend[1] + y1) / 4)


def burst(x: float, y: float, r: float, outcome: str) -> str:
    """A jagged star: filled for success, hollow and crossed for failure, hollow when all is open."""
    color = OUTCOMES[outcome]
    fill = color if outcome == "success" else "#fff"
    drawn = path(track(_star(x, y, r, r * 0.5, 8)) + "Z", fill=fill, stroke=color, stroke_width=1.3)
    return drawn + (
        path(_cross(x, y, r * 0.45), stroke=color, stroke_width=1.6) if outcome == "failure" else ""
    )


def works(line: Array, style: str, inward: float = 2.6, spacing: float = 5.0) -> str:
    """A line beside a border with teeth pointing across it; '' for a border too short to be seen.

    `line` is (k, 2) on the sheet. The works lie on its left as one walks along it with y pointing down the
    page; turn the line round for the other side.
    """
    steps = np.hypot(*np.diff(line, axis=0).T)
    distance = np.concatenate([[0.0], np.cumsum(steps)])
    total = float(distance[-1])
    if total < 2.0:
        return ""
    at = np.linspace(0.0, total, max(2, round(total / spacing) + 1))
    vertices = np.column_stack([np.interp(at, distance, line[:, 0]), np.interp(at, distance, line[:, 1])])
    along = np.gradient(vertices, axis=0)
    along /= np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    left = np.column_stack([along[:, 1], -along[:, 0]])
    ground = vertices + left * inward
    data = _eased(ground)
    drawn = path(data, stroke="#fff", stroke_width=3, stroke_opacity=0.8)
    if style == "double":
        data += _eased(vertices + left * inward * 2)
    if style == "teeth":  # the dashes of a line as wide as the teeth are long
        length = inward + 1.6
        teeth = _eased(ground - left * length / 2)
        drawn += path(teeth, stroke=EARTH, stroke_width=length, stroke_dasharray=f"1.3 {spacing - 1.3:g}")
    return drawn + path(data, stroke=EARTH, stroke_width=1.3)


def _eased(line: Array) -> str:
    """A line without the vertices that nobody would miss."""
    return track([(x / 10, y / 10) for x, y in on_grid(line.tolist(), 0.1, 2.5)])


def passage(a: tuple[float, float], b: tuple[float, float], style: str, least: float = 9.0) -> str:
    """A mark of passage from a to b, made at least `least` long so that it can be seen."""
    (x0, y0), (x1, y1) = a, b
    dx, dy = x1 - x0, y1 - y0
    length = math.hypot(dx, dy)
    ux, uy = (dx / length, dy / length) if length > 0.5 else (0.0, 1.0)
    half, cx, cy = max(length + 4, least) / 2, (x0 + x1) / 2, (y0 + y1) / 2
    x0, y0, x1, y1 = cx - ux * half, cy - uy * half, cx + ux * half, cy + uy * half
    middle = track([(x0, y0), (x1, y1)])
    if style == "double":
        rails = "".join(track([(x0 - uy * k, y0 + ux * k), (x1 - uy * k, y1 + ux * k)]) for k in (-1.5, 1.5))
        return path(middle, stroke="#fff", stroke_width=3) + path(rails, stroke=BRIDGE, stroke_width=1.2)
    if style == "dashed":
        return path(middle, stroke=BRIDGE, stroke_width=1.6, stroke_dasharray="3 2")
    for x, y, turn in ((x0, y0, 1.0), (x1, y1, -1.0)):
        hx, hy = x + ux * 3.2 * turn, y + uy * 3.2 * turn
        middle += track([(hx - uy * 2.4, hy + ux * 2.4), (x, y), (hx + uy * 2.4, hy - ux * 2.4)])
    return path(middle, stroke="#fff", stroke_width=3.2) + path(middle, stroke=BRIDGE, stroke_width=1.3)


def chip(x: float, y: float, tag: str, size: float, color: str) -> str:
    """An owner's tag in a box of the owner's color; (x, y) is the left end of the text's baseline."""
    wide = chip_width(tag, size)
    box = rect(x, y - size * 0.82, wide, size * 1.04, fill=color, stroke=darker(color, 0.5), stroke_width=0.6)
    return box + words(x + wide / 2, y - size * 0.04, tag, size * 0.8, bold=True, fill=lettering_on(color))


def chip_width(tag: str, size: float) -> float:
    """How wide `chip` draws a tag."""
    return text_width(tag, size * 0.8, True) + size * 0.4


class BadgeBlock:
    """The badges of a place in rows, one owner below the other: made first, for its size, then drawn where
    there is room.
    """

    def __init__(
        self, badges: Sequence[Badge], owners: Mapping[str, Owner], holder: str, size: float
    ) -> None:
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
            per_row = 3
            if len(mine) <= 4:
                per_row = 4 if all(len(badge.count) <= 1 for badge in mine) else 2
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
            color = owner.color if owner and owner.color else "#888888"
            edge = darker(color, 0.45)
            parts.append(
                rect(x, top, wide, self.row, fill=PAPER, fill_opacity=0.92, stroke=edge, stroke_width=0.5)
            )
            parts.append(rect(x, top, 2.4, self.row, fill=darker(color, 0.3)))
            if tag and owner is not previous:
                ink = darker(color, 0.62)
                parts.append(words(x + 3.6, base, tag, self.size * 0.85, bold=True, anchor="start", fill=ink))
            previous = owner
            for badge, at in group:
                beside = number(x + at + text_width(badge.icon, self.size, True) + 0.5)
                letter = f'<tspan font-weight="bold" fill="{LETTER}">{xml(badge.icon)}</tspan>'
                place = (
                    f'x="{number(x + at)}" y="{number(base)}" font-size="{number(self.size)}" fill="{INK}"'
                )
                parts.append(f'<text {place}>{letter}<tspan x="{beside}">{xml(badge.count)}</tspan></text>')
        return "".join(parts)


def _star(x: float, y: float, outer: float, inner: float, rays: int) -> list[tuple[float, float]]:
    """The corners of a star with its first point upwards."""
    radii = [outer if k % 2 == 0 else inner for k in range(2 * rays)]
    turns = [k * math.pi / rays for k in range(2 * rays)]
    return [(x + r * math.sin(t), y - r * math.cos(t)) for r, t in zip(radii, turns, strict=True)]


def _cross(x: float, y: float, r: float) -> str:
    return track([(x - r, y - r), (x + r, y + r)]) + track([(x - r, y + r), (x + r, y - r)])
