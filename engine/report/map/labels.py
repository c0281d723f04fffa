"""Finds room for names and badges: each block of text goes where it hides least, near the point it belongs
to.

Greedy, in the order given: what matters most is placed first. All lengths are sheet units.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from .marks import BadgeBlock, chip, chip_width, symbol
from .model import Owner, Place
from .svg import INK, circle, path, track, words
from .text import text_width

Box = tuple[float, float, float, float]  # least x, least y, greatest x, greatest y
CELL = 40.0
SEA_INK = "#3c6078"
_NOTHING: dict[str, tuple[Box, float]] = {}

# Where to try, as shares of the block's width and height: on the spot, close by, then farther out.
_TRIES = sorted(
    ((dx / 4, dy / 3) for dx in range(-5, 6) for dy in range(-5, 6)),
    key=lambda at: (math.hypot(at[0], at[1] * 0.6), at[1], at[0]),
)


@dataclass
class LabelBoxes:
    """The boxes already taken in a window, in squares, so that a new box is compared with its neighbors
    only.
    """

    window: Box
    squares: dict[tuple[int, int], dict[str, tuple[Box, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    taken: dict[str, Box] = field(default_factory=dict)

    def take(self, key: str, box: Box, weight: float = 1.0) -> None:
        """Marks a box as taken; hiding a part of it costs `weight` per unit of area.

        A key holds one box, its last.
        """
        self.free(key)
        self.taken[key] = box
        for square in _squares(box):
            self.squares[square][key] = (box, weight)

    def free(self, key: str) -> None:
        """Gives a box back, if there is one of this key."""
        if key in self.taken:
            for square in _squares(self.taken.pop(key)):
                del self.squares[square][key]

    def cost(self, box: Box, most: float = math.inf) -> float:
        """What it costs to put a box here: the weighted area that it hides, and what it loses beyond the
        window.

        Where it comes to `most` or more, only that much is certain: the rest is not counted.
        """
        x0, y0, x1, y1 = box
        squares = self.squares
        seen: set[str] = set()
        total = 0.0
        for i in range(int(x0 // CELL), int(x1 // CELL) + 1):
            for j in range(int(y0 // CELL), int(y1 // CELL) + 1):
                for key, ((a0, b0, a1, b1), weight) in squares.get((i, j), _NOTHING).items():
                    if a0 < x1 and a1 > x0 and b0 < y1 and b1 > y0 and key not in seen:
                        seen.add(key)
                        width = (x1 if x1 < a1 else a1) - (x0 if x0 > a0 else a0)
                        total += width * ((y1 if y1 < b1 else b1) - (y0 if y0 > b0 else b0)) * weight
                if total >= most:
                    return total
        area = (x1 - x0) * (y1 - y0)
        return total + 8 * (area - _overlap(box, self.window))

    def place(self, x: float, y: float, width: float, height: float, room: float) -> tuple[Box, float]:
        """The best box of this size near (x, y), and what it hides.

        `room`: how far it may stray at no great cost.
        """
        best, first, found, least = math.inf, 0, None, 0.0
        for price, number, dx, dy in _tries(width, height, room):
            if price > best:
                break
            left, top = x + dx - width / 2, y + dy - height / 2
            box = (left, top, left + width, top + height)
            # a hair more than what would still be better, so that rounding decides nothing
            hidden = self.cost(box, (best - price) * 1.001 + 1e-6)
            total = price + hidden
            if total < best or (total == best and number < first):
                best, first, found, least = total, number, box, hidden
        assert found is not None  # the cheapest try always counts
        return found, least


@lru_cache(maxsize=4096)
def _tries(width: float, height: float, room: float) -> list[tuple[float, int, float, float]]:
    """Where to try for a box of this size, the cheapest first: price, number (of two as good the first
    counts), shift.
    """
    out = []
    for number, (share_x, share_y) in enumerate(_TRIES):
        dx, dy = share_x * width, share_y * height
        stray = math.hypot(dx, dy)
        out.append((stray * 1.2 + max(0.0, stray - room) * 6, number, dx, dy))
    return sorted(out)


class Block:
    """A place's name with its symbols and, below, its badges."""

    def __init__(
        self,
        place: Place,
        spot: tuple[float, float],
        room: float,
        font: float,
        home: bool,
        owners: Mapping[str, Owner],
        tagged: bool = False,
    ) -> None:
        self.place, self.spot, self.room, self.home = place, spot, room, home
        self._drawn: dict[Box, str] = {}
        self.sea = place.kind == "sea"
        self.size = font * (1.0 if home else 0.85)
        self.spacing = 0.6 if self.sea else 0.0
        self.lines = self._wrapped(max(room * 2.0, 34.0 if home else 0.0))
        self.signs = len(place.symbols) * self.size * 0.95 if home else 0.0
        holder = owners.get(place.owner) if tagged else None
        self.tag, self.tint = (holder.tag, holder.color) if holder and holder.tag else ("", "")
        self.chip = chip_width(self.tag, self.size) + 3 if self.tag else 0.0
        self.badges = BadgeBlock(place.badges if home else (), owners, place.owner, font * 0.92)
        self.name_width = max(self._wide(line) for line in self.lines) + self.signs + self.chip
        self.width = max(self.name_width, self.badges.width) + 2
        self.height = (
            self.size * 1.08 * len(self.lines) + (self.badges.height + 2 if self.badges.height else 0) + 1
        )

    def _wide(self, text: str) -> float:
        return text_width(text, self.size, not self.sea) + self.spacing * len(text)

    def _wrapped(self, wanted: float) -> list[str]:
        """The name in one line, or in two if it is too wide, or its short form."""
        name = self.place.name
        if self._wide(name) <= wanted:
            return [name]
        if not self.home and self.place.short:
            return [self.place.short]
        breaks = [match.end() for match in re.finditer(r"[ -]", name)]
        if breaks:
            at = min(breaks, key=lambda k: abs(2 * k - len(name)))
            halves = [name[:at].rstrip(), name[at:]]
            if all(halves):
                return halves
        return [self.place.short] if self.place.short and self._wide(name) > 2 * wanted else [name]

    def ideal(self) -> Box:
        """Where the block would stand if it had the sheet to itself."""
        x, y = self.spot
        return x - self.width / 2, y - self.height / 2, x + self.width / 2, y + self.height / 2

    def find(self, ground: LabelBoxes) -> tuple[Box, float]:
        """The best box for it as things stand, and what it hides."""
        return ground.place(*self.spot, self.width, self.height, max(self.room, 6.0))

    def draw(self, box: Box) -> str:
        """The block, as SVG, in this box."""
        if box not in self._drawn:
            self._drawn[box] = self._leader(box) + self._draw(box)
        return self._drawn[box]

    def _leader(self, box: Box) -> str:
        """A thin line from a name that had to move away to the place it belongs to."""
        x, y = self.spot
        inside_x, inside_y = min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])
        if self.sea or abs(inside_x - x) + abs(inside_y - y) < max(self.room * 0.9, 7.0):
            return ""
        line = path(track([(inside_x, inside_y), (x, y)]), stroke=INK, stroke_width=0.6)
        return line + circle(x, y, 1.3, fill=INK)

    def _draw(self, box: Box) -> str:
        parts = []
        middle = (box[0] + box[2]) / 2
        base = box[1] + self.size * 0.92
        fill, halo = (SEA_INK, "#eaf2f6") if self.sea else (INK, "#ffffff")
        for n, line in enumerate(self.lines):
            wide = self._wide(line) + (self.signs + self.chip if n == 0 else 0)
            left = middle - wide / 2
            if n == 0 and self.tag:
                parts.append(chip(left, base, self.tag, self.size, self.tint))
                left += self.chip
            if n == 0 and self.signs:
                for k, sign in enumerate(self.place.symbols):
                    parts.append(
                        symbol(
                            sign,
                            left + self.size * (0.95 * k + 0.42),
                            base - self.size * 0.34,
                            self.size * 0.38,
                        )
                    )
                left += self.signs
            parts.append(
                words(
                    left,
                    base,
                    line,
                    self.size,
                    fill=fill,
                    bold=not self.sea,
                    anchor="start",
                    halo=halo,
                    spacing=self.spacing,
                )
            )
            base += self.size * 1.08
        if self.badges.height:
            parts.append(self.badges.draw(middle - self.badges.width / 2, base - self.size * 0.92 + 2))
        return "".join(parts)


def arrange(blocks: Sequence[Block], ground: LabelBoxes, rounds: int = 2) -> list[str]:
    """Finds room for all blocks and draws them, the most important first. Blocks at home here are always
    drawn.

    Each keeps the others off its ideal spot until it is placed itself; then those in one another's way try
    again.
    """
    homes = [block for block in blocks if block.home]
    for block in homes:
        ground.take(block.place.id, block.ideal(), 0.3)
    for block in homes:
        ground.free(block.place.id)
        ground.take(block.place.id, block.find(ground)[0])
    for _ in range(rounds):
        for block in homes:
            box = ground.taken[block.place.id]
            ground.free(block.place.id)
            crowded = ground.cost(box) > 0 or _overlap(box, block.ideal()) < 0.3 * (box[2] - box[0]) * (
                box[3] - box[1]
            )
            ground.take(block.place.id, block.find(ground)[0] if crowded else box)
    drawn = [block.draw(ground.taken[block.place.id]) for block in homes]
    for block in blocks:
        if block.home or block.width > block.room * 2.6:
            continue
        box, hidden = block.find(ground)
        if hidden == 0:
            ground.take(block.place.id, box)
            drawn.append(block.draw(box))
    return drawn


@lru_cache(maxsize=1 << 14)
def _squares(box: Box) -> tuple[tuple[int, int], ...]:
    columns = range(int(box[0] // CELL), int(box[2] // CELL) + 1)
    rows = range(int(box[1] // CELL), int(box[3] // CELL) + 1)
    return tuple(product(columns, rows))


def _overlap(a: Box, b: Box) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0.0
