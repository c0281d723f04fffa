"""The legend: what the fills, signs and lines of a map stand for, in columns inside a box."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .marks import LETTER, OUTCOMES, PAPER, arrow, burst, passage, symbol, works
from .model import LINK_STYLES, SYMBOLS, WORK_STYLES, LegendEntry, Owner
from .svg import INK, rect, words
from .text import text_width

SWATCH = 24.0  # width of a sample


def draw_legend(
    entries: Sequence[LegendEntry],
    box: tuple[float, float, float, float],
    owners: Mapping[str, Owner],
    fill: Callable[[str], str],
) -> str:
    """The entries in as many columns as they need, in type as large as the box allows (7 to 11 units)."""
    x, y, width, high = box
    for size in (11.0, 10.0, 9.0, 8.0, 7.0):
        row = size * 1.5
        per_column = max(1, int((high - 12) // row))
        columns = [entries[k : k + per_column] for k in range(0, len(entries), per_column)]
        wide = [max(_entry_width(entry, size) for entry in column) + 12 for column in columns]
        if sum(wide) <= width - 12 or size == 7.0:
            break
    parts = [rect(x, y, width, high, fill=PAPER, stroke=INK, stroke_width=1)]
    left = x + 8
    for column, step in zip(columns, wide, strict=True):
        for k, entry in enumerate(column):
            parts.append(_entry(entry, left, y + 6 + k * row, size, row, owners, fill))
        left += step
    return "".join(parts)


def _entry_width(entry: LegendEntry, size: float) -> float:
    return text_width(entry.text, size, entry.swatch == "heading") + (
        0 if entry.swatch in ("heading", "text") else SWATCH + 6
    )


def _entry(
    entry: LegendEntry,
    x: float,
    y: float,
    size: float,
    row: float,
    owners: Mapping[str, Owner],
    fill: Callable[[str], str],
) -> str:
    base, middle = y + row * 0.72, y + row * 0.5
    if entry.swatch in ("heading", "text"):
        return words(x, base, entry.text, size, bold=entry.swatch == "heading", anchor="start")
    return sample(entry, x, middle, row, owners, fill) + words(
        x + SWATCH + 6, base, entry.text, size, anchor="start"
    )


def sample(
    entry: LegendEntry,
    x: float,
    y: float,
    row: float,
    owners: Mapping[str, Owner],
    fill: Callable[[str], str],
) -> str:
    """What the entry explains, as it looks on the map; empty for a key that is not known."""
    cx = x + SWATCH / 2
    if entry.swatch == "owner":
        high = row * 0.8
        shape = rect(x, y - high / 2, SWATCH, high, fill=fill(entry.key), stroke=INK, stroke_width=0.7)
        owner = owners.get(entry.key)
        return shape + (
            words(cx, y + high * 0.28, owner.tag, high * 0.72, bold=True, halo="#ffffff")
            if owner and owner.tag
            else ""
        )
    if entry.swatch == "symbol" and entry.key in SYMBOLS:
        return symbol(entry.key, cx, y, row * 0.3)
    if entry.swatch == "badge":
        return words(cx, y + row * 0.25, entry.key, row * 0.68, bold=True, fill=LETTER)
    if entry.swatch == "work" and entry.key in WORK_STYLES:
        return works(np.array([[x + SWATCH, y], [x, y]]), entry.key)
    if entry.swatch == "link" and entry.key in LINK_STYLES:
        return passage((x + 3, y), (x + SWATCH - 3, y), entry.key)
    if entry.swatch == "arrow" and entry.key in OUTCOMES:
        return arrow((x, y + 1), (x + SWATCH - 2, y + 1), entry.key)[0]
    if entry.swatch == "highlight" and entry.key in OUTCOMES:
        return burst(cx, y, row * 0.45, entry.key)
    return ""
