"""Finds room for names and badges: each block of text goes where it hides least, near the point it belongs to.

Greedy, in the order given: what matters most is placed first. All lengths are sheet units.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

Box = tuple[float, float, float, float]  # least x, least y, greatest x, greatest y
CELL = 40.0

# Where to try, as shares of the block's width and height: on the spot, close by, then farther out.
_TRIES = sorted(
    ((dx / 4, dy / 3) for dx in range(-5, 6) for dy in range(-5, 6)),
    key=lambda at: (math.hypot(at[0], at[1] * 0.6), at[1], at[0]),
)


@dataclass
class Ground:
    """The boxes already taken in a window, in squares, so that a new box is compared with its neighbours only."""

    window: Box
    squares: dict[tuple[int, int], list[tuple[Box, float]]] = field(default_factory=lambda: defaultdict(list))

    def take(self, box: Box, weight: float = 1.0) -> None:
        """Marks a box as taken; hiding a part of it costs `weight` per unit of area."""
        for square in _squares(box):
            self.squares[square].append((box, weight))

    def cost(self, box: Box) -> float:
        """What it costs to put a box here: the weighted area that it hides, and what it loses beyond the window."""
        seen = set()
        total = 0.0
        for square in _squares(box):
            for other, weight in self.squares.get(square, ()):
                if other not in seen:
                    seen.add(other)
                    total += _overlap(box, other) * weight
        area = (box[2] - box[0]) * (box[3] - box[1])
        return total + 8 * (area - _overlap(box, self.window))

    def place(self, x: float, y: float, width: float, height: float, room: float) -> tuple[Box, float]:
        """The best box of this size near (x, y), and what it hides. `room`: how far it may stray at no great cost."""
        best: tuple[float, Box, float] | None = None
        for share_x, share_y in _TRIES:
            dx, dy = share_x * width, share_y * height
            stray = math.hypot(dx, dy)
            price = stray * 1.2 + max(0.0, stray - room) * 6
            if best is not None and price >= best[0]:
                continue
            left, top = x + dx - width / 2, y + dy - height / 2
            box = (left, top, left + width, top + height)
            hidden = self.cost(box)
            if best is None or price + hidden < best[0]:
                best = (price + hidden, box, hidden)
        assert best is not None  # the first try always counts
        return best[1], best[2]


def _squares(box: Box) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i in range(int(box[0] // CELL), int(box[2] // CELL) + 1)
        for j in range(int(box[1] // CELL), int(box[3] // CELL) + 1)
    ]


def _overlap(a: Box, b: Box) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0.0
