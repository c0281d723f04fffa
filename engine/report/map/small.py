"""SVG made small: outlines on a grid with steps from vertex to vertex, looks said once for all elements that
share them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

Point = tuple[int, int]


def on_grid(line: Sequence[Sequence[float]], grid: float, slack: float) -> list[Point]:
    """An arc's vertices on a grid, without those that lie within `slack` of the way between others; its ends
    stay.

    All that share the arc get the same vertices, so that outlines that meet still meet.
    """
    seen = [(round(float(x) / grid), round(float(y) / grid)) for x, y in line]
    points = [p for n, p in enumerate(seen) if n == 0 or p != seen[n - 1]]
    if len(points) < 3:
        return points
    keep = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        (ax, ay), (bx, by) = points[first], points[last]
        dx, dy = bx - ax, by - ay
        length = math.hypot(dx, dy)
        far, at = 0.0, 0
        for n in range(first + 1, last):
            x, y = points[n]
            off = abs(dx * (y - ay) - dy * (x - ax)) / length if length else math.hypot(x - ax, y - ay)
            if off > far:
                far, at = off, n
        if far > slack:
            keep.add(at)
            parts += [(first, at), (at, last)]
    return [points[n] for n in sorted(keep)]


def rings_data(rings: Iterable[Sequence[Point]]) -> str:
    """The path of closed rings in steps of the grid; rings too small to be seen beside the others are left
    out.
    """
    kept = [ring[:-1] if len(ring) > 1 and ring[0] == ring[-1] else ring for ring in rings]
    most = max((len(ring) for ring in kept), default=0)
    return _strung([ring for ring in kept if len(set(ring)) >= 3 and len(ring) >= min(4, most)], "z")


def lines_data(lines: Iterable[Sequence[Point]]) -> str:
    """The path of open lines in steps of the grid."""
    return _strung([line for line in lines if len(line) > 1], "")


def _strung(lines: Sequence[Sequence[Point]], end: str) -> str:
    out = []
    x = y = 0
    for line in lines:
        steps = []
        for a, b in line:
            steps.append(f"{a - x}{b - y}" if b < y else f"{a - x} {b - y}")
            x, y = a, b
        out.append("m" + _close(steps) + end)
        if end:
            x, y = line[0]
    return "".join(out)


def _close(steps: list[str]) -> str:
    """Pairs of numbers one after the other: a minus sign parts them as well as a space."""
    return steps[0] + "".join(step if step.startswith("-") else " " + step for step in steps[1:])


_HALO = re.compile(
    r'<text ([^>]*) fill="none" (stroke="[^>]*)>([^<]*)</text><text \1 fill="([^"]*)">\3</text>'
)
_TAG = re.compile(r"<(path|text|tspan|rect|circle|g)((?: [a-z-]+=\"[^\"]*\")*)(/?)>")
_PART = re.compile(r' ([a-z-]+)="([^"]*)"')
_LOOKS = frozenset(
    {
        "fill",
        "stroke",
        "stroke-width",
        "fill-opacity",
        "stroke-opacity",
        "stroke-dasharray",
        "stroke-linejoin",
        "fill-rule",
    }
    | {"font-size", "font-weight", "text-anchor", "letter-spacing", "paint-order"}
)
_UNITS = frozenset({"font-size", "letter-spacing"})
_LONG = re.compile(r' d="(M[-0-9., MZ]{200,})"')
_DRAWN = re.compile(r' d="((?:M[-0-9.]+,[-0-9.]+(?:L[-0-9.]+,[-0-9.]+)+Z?)+)"')


def merged_halos(svg: str) -> str:
    """Words and the rim that keeps them legible in one element."""
    return _HALO.sub(lambda m: f'<text {m[1]} fill="{m[4]}" paint-order="stroke" {m[2]}>{m[3]}</text>', svg)


def styled(svg: str, prefix: str) -> tuple[str, str]:
    """The elements with classes for what they look like, and the rules of these classes; looks that occur
    once stay.
    """
    parts = _TAG.split(svg)  # a text, then of each tag its kind, attributes and end, and a text
    texts, *tags = (parts[n::4] for n in range(4))
    read = [_attributes(attributes) for attributes in tags[1]]
    found = Counter(look for look, _, _ in read)
    names = {look: f"{prefix}{n}" for n, (look, many) in enumerate(found.most_common()) if look and many > 1}
    out = [texts[0]]
    for kind, attributes, end, (look, classes, kept), text in zip(*tags, read, texts[1:], strict=True):
        if look in names:
            attributes = f' class="{" ".join((names[look], *classes))}"{kept}'
        out.append(f"<{kind}{attributes}{end}>{text}")
    rules = "".join(f".{name}{{{look}}}" for look, name in names.items())
    return "".join(out), rules


@lru_cache(maxsize=1 << 14)
def _attributes(text: str) -> tuple[str, tuple[str, ...], str]:
    """What an element looks like, as the body of a rule; its classes; and its other attributes as they
    stand.
    """
    parts = _PART.findall(text)
    looks = sorted((k, v) for k, v in parts if k in _LOOKS)
    rest = [(k, v) for k, v in parts if k not in _LOOKS]
    look = ";".join(f"{k}:{v}{'px' if k in _UNITS else ''}" for k, v in looks)
    return (
        look,
        tuple(v for k, v in rest if k == "class"),
        "".join(f' {k}="{v}"' for k, v in rest if k != "class"),
    )


def stepped(svg: str) -> str:
    """Lines of straight stretches (`M` and `L`) in steps from the vertex before, to a tenth of a unit."""
    return _DRAWN.sub(lambda found: f' d="{_steps(found[1])}"', svg)


@lru_cache(maxsize=1 << 14)
def _steps(data: str) -> str:
    out = []
    x = y = 0
    for line in data.split("M")[1:]:
        closed = line.endswith("Z")
        vertices = [
            tuple(round(float(v) * 10) for v in pair.split(",")) for pair in line.removesuffix("Z").split("L")
        ]
        steps = []
        start = vertices[0]
        for a, b in vertices:
            steps.append(_tenths(a - x) + ("" if b < y else " ") + _tenths(b - y))
            x, y = a, b
        out.append("m" + _close(steps) + ("z" if closed else ""))
        if closed:
            x, y = start
    return "".join(out)


def _tenths(n: int) -> str:
    """A tenth of a whole number, as short as it can be written."""
    whole, rest = divmod(abs(n), 10)
    sign = "-" if n < 0 else ""
    return f"{sign}{whole or ''}.{rest}" if rest else f"{sign}{whole}"
