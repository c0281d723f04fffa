"""The outlines of a panel: arcs projected once, thinned to what can be seen, and strung together to paths.

A panel needs only what its window shows; a map that goes round the world may show a place a full turn away
from its longitudes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from .projection import Frame
from .shapes import Array, Ring, Shapes

FINEST = 0.4  # sheet units: corners that move a line by less are left out
RIM = 6.0  # sheet units round the window within which lines are still drawn, so that no stroke is cut short


class RingTable:
    """All rings of the shapes one after the other, so that a panel can find in one sweep which of them it
    shows.
    """

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.ranges: dict[str, tuple[int, tuple[Ring, ...]]] = {}
        arcs: list[int] = []
        starts: list[int] = []
        for place, rings in [*shapes.rings.items(), ("", shapes.background)]:
            self.ranges[place] = (len(starts), rings)
            for ring in rings:
                starts.append(len(arcs))
                arcs += [arc if arc >= 0 else ~arc for arc in ring]
        self._arcs, self._starts = np.array(arcs, dtype=np.int64), np.array(starts, dtype=np.int64)

    def meet(self, sheet: Array, window: tuple[float, float, float, float]) -> list[bool]:
        """For each ring, whether its box meets the window: a ring with no point in sight may still lie all
        round it.
        """
        if not len(self._starts):
            return []
        low = np.minimum.reduceat(sheet, self.shapes.starts[:-1])[self._arcs]
        high = np.maximum.reduceat(sheet, self.shapes.starts[:-1])[self._arcs]
        low, high = np.minimum.reduceat(low, self._starts), np.maximum.reduceat(high, self._starts)
        found = (
            (low[:, 0] <= window[2])
            & (high[:, 0] >= window[0])
            & (low[:, 1] <= window[3])
            & (high[:, 1] >= window[1])
        )
        return list(found.tolist())


class Outlines:
    """Paths of one panel. `turns` are the full turns of longitude at which anything can be seen."""

    def __init__(self, table: RingTable, window: Frame) -> None:
        self.table = table
        self.shapes = shapes = table.shapes
        self.window = window
        self.count = len(shapes.starts) - 1
        self.turns: list[float] = []
        self._sheet: dict[float, Array] = {}
        self._kept: dict[float, npt.NDArray[np.bool_]] = {}
        self._meets: dict[float, list[bool]] = {}
        self._tokens: dict[tuple[float, int], list[str]] = {}
        self._paths: dict[str, str] = {}
        self._arcs: dict[tuple[float, int], str] = {}
        if not len(shapes.vertices):
            return
        low = np.minimum.reduceat(shapes.vertices, shapes.starts[:-1])
        high = np.maximum.reduceat(shapes.vertices, shapes.starts[:-1])
        self._near: dict[float, list[bool]] = {}
        x, y, width, height = window.panel.at
        for turn in (-360.0, 0.0, 360.0):
            seen = window.seen
            near = (
                (low[:, 0] + turn <= seen[2])
                & (high[:, 0] + turn >= seen[0])
                & (low[:, 1] <= seen[3])
                & (high[:, 1] >= seen[1])
            )
            if not low[:, 0].min() + turn <= seen[2] or not high[:, 0].max() + turn >= seen[0]:
                continue
            sheet = window.project(shapes.vertices + np.array([turn, 0.0]))
            beyond = [
                sheet[:, 0] < x - RIM,
                sheet[:, 0] > x + width + RIM,
                sheet[:, 1] < y - RIM,
                sheet[:, 1] > y + height + RIM,
            ]
            for side in beyond:
                near &= ~np.logical_and.reduceat(side, shapes.starts[:-1])
            self.turns.append(turn)
            self._near[turn] = near.tolist()
            self._sheet[turn] = sheet
            self._kept[turn] = self._thin(sheet, beyond)
            self._meets[turn] = table.meet(sheet, (x, y, x + width, y + height))

    def _thin(self, sheet: Array, beyond: Sequence[npt.NDArray[np.bool_]]) -> npt.NDArray[np.bool_]:
        """Which vertices to keep: ends of arcs, and vertices that differ from the last on a coarse grid.

        Of a run of vertices beyond one side of the window the inner ones go: no line between its ends can
        come into sight.
        """
        grid = np.round(sheet / FINEST)
        keep = np.ones(len(sheet), dtype=bool)
        keep[1:] = (grid[1:] != grid[:-1]).any(axis=1)
        for side in beyond:
            keep[1:-1] &= ~(side[:-2] & side[1:-1] & side[2:])
        keep[self.shapes.starts[:-1]] = True
        keep[self.shapes.starts[1:] - 1] = True
        return keep

    def line(self, arc: int, turn: float) -> Array:
        """The (k, 2) vertices of an arc on the sheet, unthinned; ~n runs backwards."""
        number = arc if arc >= 0 else ~arc
        part = self._sheet[turn][self.shapes.starts[number] : self.shapes.starts[number + 1]]
        return part if arc >= 0 else part[::-1]

    def near(self, arc: int, turn: float) -> bool:
        """Whether any of the arc may be in the window."""
        return self._near[turn][arc if arc >= 0 else ~arc]

    def _words(self, number: int, turn: float) -> list[str]:
        key = (turn, number)
        words = self._tokens.get(key)
        if words is None:
            a, b = self.shapes.starts[number], self.shapes.starts[number + 1]
            rows = self._sheet[turn][a:b][self._kept[turn][a:b]]
            words = [f"{x:.1f},{y:.1f}" for x, y in rows.tolist()]
            self._tokens[key] = words
        return words

    def place(self, place: str) -> str:
        """A closed path of a place's rings ('': the background) at every turn at which they can be seen; ''
        if they cannot.
        """
        if place not in self._paths:
            self._paths[place] = self._path(place)
        return self._paths[place]

    def _path(self, place: str) -> str:
        parts = []
        first, rings = self.table.ranges.get(place, (0, ()))
        for turn in self.turns:
            meets = self._meets[turn]
            for k, ring in enumerate(rings):
                if not meets[first + k]:
                    continue
                words: list[str] = []
                for arc in ring:
                    part = self._words(arc if arc >= 0 else ~arc, turn)
                    words += (part if arc >= 0 else part[::-1])[1 if words else 0 :]
                if len(words) > 3:
                    parts.append("M" + " ".join(words[:-1]) + "Z")
        return "".join(parts)

    def rings(self, place: str) -> list[tuple[float, Ring]]:
        """The rings of a place ('': the background) that the window shows, each with its turn of
        longitude.
        """
        first, rings = self.table.ranges.get(place, (0, ()))
        found = []
        for turn in self.turns:
            for k, ring in enumerate(rings):
                if self._meets[turn][first + k]:
                    found.append((turn, ring))
        return found

    def thinned(self, arc: int, turn: float) -> Array:
        """The vertices of an arc on the sheet without those too near to be seen; ~n runs backwards."""
        number = arc if arc >= 0 else ~arc
        a, b = self.shapes.starts[number], self.shapes.starts[number + 1]
        part = self._sheet[turn][a:b][self._kept[turn][a:b]]
        return part if arc >= 0 else part[::-1]

    def lines(self, arcs: Iterable[int]) -> str:
        """An open path of these arcs at every turn at which they can be seen."""
        parts = []
        for turn in self.turns:
            for arc in arcs:
                if self.near(arc, turn):
                    drawn = self._arcs.get((turn, arc))
                    if drawn is None:
                        words = self._words(arc, turn)
                        drawn = self._arcs[turn, arc] = "M" + " ".join(words) if len(words) > 1 else ""
                    parts.append(drawn)
        return "".join(parts)

    def corners(self, arcs: Iterable[int]) -> Array:
        """All vertices of these arcs on the sheet that may be in the window, (k, 2)."""
        found = [self.line(arc, turn) for turn in self.turns for arc in arcs if self.near(arc, turn)]
        return np.concatenate(found) if found else np.zeros((0, 2))
