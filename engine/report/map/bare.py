"""The bare map under every reader's: shapes, frames, outlines and spots, which places and panels alone
decide.

The reports of a turn draw one map once for each reader; what does not depend on the reader is worked out for
the first of them and kept here for the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from ...core.compiled import kept_by_arguments
from .labels import Block
from .model import Layout, MapModel, Place, Work
from .outline import Outlines, RingTable
from .projection import Frame, frame
from .shapes import Array, Shapes, nearest_point_shapes

# What a panel that shows a corner of a place is worth beside one that shows its best spot.
CORNER = 0.5
KEPT = 2  # maps that are kept; a game has one
NAMES_KEPT = 300  # arrangements of names that are kept for a map: those of a turn's readers


def shapes_of(model: MapModel) -> Shapes:
    """The model's shapes, or cells round the places that are no mere points in others."""
    if model.shapes is not None:
        return model.shapes
    return nearest_point_shapes(
        {place.id: (place.lon, place.lat) for place in model.places if place.kind != "point"}
    )


class Spots:
    """Where each place's text may stand, on the sheet: found for all places and panels in one sweep per
    panel.

    homes: by place, the panel where it is named: the one that shows it largest there, unless another panel
    lies on top. A panel that shows the place's best spot is preferred to one that shows only a corner of it.
    Places that no panel shows are missing.
    """

    def __init__(self, places: Sequence[Place], shapes: Shapes, frames: Sequence[Frame]) -> None:
        room = shapes.room
        anchors = {place.id: (*shapes.anchors.get(place.id, ()), (place.lon, place.lat)) for place in places}
        flat = np.array([spot for spots in anchors.values() for spot in spots], dtype=np.float64).reshape(
            -1, 2
        )
        # by panel: number of the first spot seen, and where
        self.spots: list[dict[str, tuple[int, tuple[float, float]]]] = []
        self.room: list[dict[str, float]] = []  # by panel: the room round the best spot, where known
        self.homes: dict[str, tuple[int, tuple[float, float]]] = {}
        best: dict[str, float] = {}
        for k, window in enumerate(frames):
            sheet, inside = window.spots(flat)
            scale = window.units_per_degree(flat[:, 1]).tolist()
            rows, seen = sheet.tolist(), inside.tolist()
            found: dict[str, tuple[int, tuple[float, float]]] = {}
            spacious: dict[str, float] = {}
            start = 0
            for place, spots in anchors.items():
                if place in room:
                    spacious[place] = room[place] * scale[start]
                for n in range(len(spots)):
                    if not seen[start + n]:
                        continue
                    spot = (rows[start + n][0], rows[start + n][1])
                    found.setdefault(place, (n, spot))
                    if not any(within(spot, other.panel.at) for other in frames[k + 1 :]):
                        worth = scale[start + n] * (1.0 if n == 0 else CORNER)
                        if worth > best.get(place, 0.0):
                            best[place], self.homes[place] = worth, (k, spot)
                        break
                start += len(spots)
            self.spots.append(found)
            self.room.append(spacious)


def within(spot: tuple[float, float], at: tuple[float, float, float, float]) -> bool:
    return at[0] <= spot[0] <= at[0] + at[2] and at[1] <= spot[1] <= at[1] + at[3]


class BareMap:
    """What all drawings of the same places on the same layout share.

    Kinds of places count; owners and units do not.
    """

    def __init__(self, model: MapModel, layout: Layout) -> None:
        self.shapes = shapes_of(model)
        self.sides = dict(sorted(self.shapes.sides().items()))
        self.borders: dict[tuple[str, str], list[int]] = {}
        for arc, pair in self.sides.items():
            if len(pair) == 2:
                self.borders.setdefault((min(pair), max(pair)), []).append(arc)
        self.table = RingTable(self.shapes)
        self.frames = [frame(panel) for panel in layout.panels]
        self.spots = Spots(model.places, self.shapes, self.frames)
        self.names: dict[Any, list[str]] = {}  # arrangements of names and badges, by all that decides them
        self.blocks: dict[tuple[int, int, int, bool], Block] = {}  # names with badges, by panel and looks
        self.fills: dict[
            tuple[int, int, int, str, str], str
        ] = {}  # places of a page in their colors, by panel, looks, prefix, link
        self.works: dict[tuple[int, Work], str] = {}  # works as they are drawn, by panel
        # arcs for a page, by panel, number and turn
        self.small_arcs: dict[tuple[int, int, float], list[tuple[int, int]]] = {}
        self.small: dict[tuple[int, str], str] = {}  # outlines of places for a page, by panel and place
        self._numbers: dict[Any, int] = {}
        self._unused = count()
        self._sea = {place.id: place.kind == "sea" for place in model.places}
        self._kept: dict[str, Any] = {}

    def number(self, thing: Hashable) -> int:
        """A number that nothing has but what is equal to a thing: quicker to compare."""
        return self._numbers.setdefault(thing, next(self._unused))

    def keep_names(self, key: Hashable, drawn: list[str]) -> None:
        """Keep an arrangement of names by all that decides it, in numbers of this map; of too many those so
        far go.
        """
        if len(self.names) >= NAMES_KEPT:
            self.names.clear()
            self.blocks.clear()
            self.fills.clear()
            self._numbers.clear()  # no number is given twice
        self.names[key] = drawn

    @kept_by_arguments
    def discs(self, k: int) -> dict[str, tuple[float, float]]:
        """Where in a panel places stand whose land is too small to be seen, or that have none in the
        shapes.
        """
        room = self.spots.room[k]
        return {
            place: spot
            for place, (n, spot) in self.spots.spots[k].items()
            if n == 0
            and not self._sea[place]
            and room.get(place, 99.0 if place in self.shapes.rings else 0.0) < 2.5
        }

    @kept_by_arguments
    def outlines(self, k: int) -> Outlines:
        """The outlines of a panel."""
        return Outlines(self.table, self.frames[k])

    @cached_property
    def arcs(self) -> dict[str, list[int]]:
        """Arcs by what they are:

        `sea` between seas, `coast`, and `land` between lands. Ends of the shapes are left out.
        """
        out: dict[str, list[int]] = {"sea": [], "coast": [], "land": []}
        for arc, pair in self.sides.items():
            if len(pair) == 1 and self._is_sheet_edge(arc):
                continue
            sea = [self._sea.get(key, False) for key in pair]
            if all(sea):
                out["sea"].append(arc)
            else:
                out["coast" if any(sea) or len(pair) == 1 else "land"].append(arc)
        return out

    def _is_sheet_edge(self, arc: int) -> bool:
        """Whether an arc with one side is no coast but the end of the shapes: a straight line along a
        meridian or parallel.
        """
        spread = np.ptp(self.shapes.arc(arc), axis=0)
        return bool(spread.min() < 1e-9)

    @kept_by_arguments
    def lines(self, k: int, what: str) -> str:
        """The path of all arcs of a kind in a panel."""
        return self.outlines(k).lines(self.arcs[what])

    def shared(self, k: int, a: str, b: str) -> list[Array]:
        """The stretches that two places share, as far as the panel shows them."""
        outlines = self.outlines(k)
        arcs = self.borders.get((min(a, b), max(a, b)), [])
        found = []
        for turn in outlines.turns:
            for arc in arcs:
                if outlines.near(arc, turn):
                    found.append(outlines.line(arc, turn))
        return found

    @kept_by_arguments
    def passage(
        self, k: int, a: str, b: str, via: str
    ) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Where two places come nearest in a panel (across `via`, if given); None if that is not in its
        window.
        """
        if via:
            one, two = self.shared(k, a, via), self.shared(k, b, via)
            ends = (np.concatenate(one), np.concatenate(two)) if one and two else None
        else:
            ends = (self._corners(k, a), self._corners(k, b))
        if ends is None or not len(ends[0]) or not len(ends[1]):
            return None
        gap = np.hypot(ends[0][:, None, 0] - ends[1][None, :, 0], ends[0][:, None, 1] - ends[1][None, :, 1])
        i, j = np.unravel_index(int(np.argmin(gap)), gap.shape)
        start, end = (
            (float(ends[0][i][0]), float(ends[0][i][1])),
            (float(ends[1][j][0]), float(ends[1][j][1])),
        )
        return None if gap[i, j] > 60 or not within(start, self.frames[k].panel.at) else (start, end)

    def _corners(self, k: int, place: str) -> Array:
        arcs = sorted(
            {arc if arc >= 0 else ~arc for ring in self.shapes.rings.get(place, ()) for arc in ring}
        )
        return self.outlines(k).corners(arcs)


_bare: list[tuple[Any, Shapes | None, BareMap]] = []


def bare_map(model: MapModel, layout: Layout) -> BareMap:
    """The bare map of a model, made again only if its places, shapes or layout are others than before."""
    key = (layout, tuple((place.id, place.kind, place.lon, place.lat) for place in model.places))
    for n, (known, shapes, made) in enumerate(_bare):
        # the same object: the reader of shapes keeps what it has read
        if known == key and shapes is model.shapes:
            _bare.insert(0, _bare.pop(n))
            return made
    made = BareMap(model, layout)
    _bare.insert(0, (key, model.shapes, made))
    del _bare[KEPT:]
    return made
