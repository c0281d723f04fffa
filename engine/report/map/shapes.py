"""The outlines of places: stretches of border ('arcs') that neighbors share, and the rings that each place
makes of them.

They are read from a TopoJSON file, or, when there is none, made on the spot: each place gets what is nearest
to its point.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ring = tuple[int, ...]  # arc numbers in order; ~n means arc n backwards


@dataclass(frozen=True)
class Shapes:
    """Arcs and the rings that places make of them.

    vertices: (n, 2) longitudes and latitudes of all arcs, one after the other; starts: (arcs + 1,) where each
    begins.
    rings: by place id, outer rings and holes alike (fill them by the even-odd rule). background: rings of
    land that is nobody's.
    anchors: by place id, where its name may stand, (k, 2) lon and lat, best first. room: by place id, the
    radius of the largest circle inside it round the first of them, degrees of latitude.
    """

    vertices: Array
    starts: npt.NDArray[np.int64]
    rings: Mapping[str, tuple[Ring, ...]]
    background: tuple[Ring, ...] = ()
    anchors: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    room: Mapping[str, float] = field(default_factory=dict)

    def arc(self, index: int) -> Array:
        """The (k, 2) vertices of an arc; ~n gives arc n backwards."""
        number = index if index >= 0 else ~index
        part = self.vertices[self.starts[number] : self.starts[number + 1]]
        return part if index >= 0 else part[::-1]

    def sides(self) -> dict[int, tuple[str, ...]]:
        """The places on either side of each arc ('' for background); one that lies on both sides stands
        twice.
        """
        found: dict[int, list[str]] = {}
        for place, rings in [*sorted(self.rings.items()), ("", self.background)]:
            for ring in rings:
                for index in ring:
                    found.setdefault(index if index >= 0 else ~index, []).append(place)
        return {number: tuple(places) for number, places in found.items()}


def read_shapes(text: str) -> Shapes:
    """Shapes from TopoJSON text with the objects `places` (geometries with ids) and, optionally,
    `background`.

    Raises ValueError if the text is not such a file.
    """
    try:
        data = json.loads(text)
        scale, shift = np.array(data["transform"]["scale"]), np.array(data["transform"]["translate"])
        arcs = [np.cumsum(np.array(arc, dtype=np.float64), axis=0) * scale + shift for arc in data["arcs"]]
        rings, anchors, room = {}, {}, {}
        for geometry in data["objects"]["places"]["geometries"]:
            key = str(geometry["id"])
            rings[key] = _rings(geometry, len(arcs))
            extra = geometry.get("properties", {})
            if "at" in extra:
                anchors[key] = tuple((float(lon), float(lat)) for lon, lat in extra["at"])
                room[key] = float(extra.get("room", 0.0))
        behind = data["objects"].get("background", {"geometries": []})["geometries"]
        background = tuple(ring for geometry in behind for ring in _rings(geometry, len(arcs)))
    except (KeyError, TypeError, IndexError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"no shapes file: {type(error).__name__}: {error}") from error
    return _assemble(arcs, rings, background, anchors, room)


def _rings(geometry: Mapping[str, object], arcs: int) -> tuple[Ring, ...]:
    parts = geometry["arcs"]
    if geometry["type"] not in ("Polygon", "MultiPolygon") or not isinstance(parts, list):
        raise ValueError(f"no shapes file: geometry of type {geometry['type']!r}")
    polygons = [parts] if geometry["type"] == "Polygon" else parts
    rings = tuple(tuple(int(index) for index in ring) for polygon in polygons for ring in polygon)
    for ring in rings:
        if any(not -arcs <= index < arcs for index in ring):
            raise ValueError("no shapes file: a ring names an arc that does not exist")
    return rings


def _assemble(
    arcs: Sequence[Array],
    rings: Mapping[str, tuple[Ring, ...]],
    background: tuple[Ring, ...] = (),
    anchors: Mapping[str, tuple[tuple[float, float], ...]] | None = None,
    room: Mapping[str, float] | None = None,
) -> Shapes:
    vertices = np.concatenate(arcs) if arcs else np.zeros((0, 2))
    starts = np.concatenate([[0], np.cumsum([len(arc) for arc in arcs])]).astype(np.int64)
    return Shapes(vertices, starts, rings, background, anchors or {}, room or {})


def nearest_point_shapes(
    places: Mapping[str, tuple[float, float]], margin: float = 6.0, reach: float | None = None
) -> Shapes:
    """Shapes for a map without a shapes file: each place owns what is nearest to its (lon, lat), in a box
    round all of them.

    margin: the box's rim in degrees. reach: how far a cell goes from its point, degrees of latitude; by
    default a few times the usual distance between neighbors, so that places at the rim do not sprawl. Of
    places at one spot, the first by id gets the cell. Distances are measured in a plane whose longitudes are
    squeezed by the cosine of the middle latitude, which serves for looks.
    """
    ids: list[str] = []
    spots: dict[tuple[float, float], str] = {}
    for key in sorted(places):
        if places[key] not in spots:
            spots[places[key]] = key
            ids.append(key)
    if not ids:
        return _assemble([], {})
    squeeze = max(0.2, math.cos(math.radians(sum(places[key][1] for key in ids) / len(ids))))
    sites = np.array([[places[key][0] * squeeze, places[key][1]] for key in ids])
    low, high = (
        sites.min(axis=0) - margin * np.array([squeeze, 1.0]),
        sites.max(axis=0) + margin * np.array([squeeze, 1.0]),
    )
    arcs: list[Array] = []
    numbers: dict[tuple[int, int], int] = {}
    rings: dict[str, tuple[Ring, ...]] = {}
    gaps = np.minimum(gaps_between(sites), margin * 10)
    room = {key: float(gap) / 2 for key, gap in zip(ids, gaps, strict=True)}
    radius = (
        reach
        if reach is not None
        else max(3.0 * float(np.median(gaps)), 1.5 * float(np.percentile(gaps, 95)))
    )
    for i, key in enumerate(ids):
        corners, beyond = _cell(sites, i, low, high, radius)
        ring = []
        for k, other in enumerate(beyond):
            start, end = corners[k], corners[(k + 1) % len(corners)]
            pair = (i, other) if other < 0 else (min(i, other), max(i, other))
            if pair in numbers and other >= 0:
                # the neighbor, walked the same way round, saw this side from its other end
                ring.append(~numbers[pair])
                continue
            if other >= 0:
                numbers[pair] = len(arcs)
            ring.append(len(arcs))
            count = max(2, int(np.hypot(*(end - start)) / 3.0) + 2)
            steps = np.linspace(0.0, 1.0, count)[:, None]
            arcs.append(((1 - steps) * start + steps * end) / np.array([squeeze, 1.0]))
        rings[key] = (tuple(ring),)
    return _assemble(arcs, rings, room=room)


def gaps_between(sites: Array) -> Array:
    """Distance of each site, (n, 2), to its nearest neighbor, (n,); infinite for a lone one."""
    apart = np.hypot(sites[:, None, 0] - sites[None, :, 0], sites[:, None, 1] - sites[None, :, 1])
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1), dtype=np.float64)


def _cell(sites: Array, i: int, low: Array, high: Array, radius: float) -> tuple[list[Array], list[int]]:
    """Corners of site i's cell, anticlockwise, and for each side the site beyond it (-1: none, the box or the
    radius ends it).
    """
    turns = [2 * math.pi * k / 32 for k in range(32)]
    corners = [np.array([math.cos(turn), math.sin(turn)]) * radius + sites[i] for turn in turns]
    corners = [np.clip(corner, low, high) for corner in corners] if radius < 1e6 else []
    if not corners:
        corners = [
            np.array(c) for c in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))
        ]
    beyond = [-1] * len(corners)
    offsets = sites - sites[i]
    distance = np.hypot(offsets[:, 0], offsets[:, 1])
    for j in np.argsort(distance, kind="stable"):
        if j == i:
            continue
        if distance[j] > 2 * max(float(np.hypot(*(corner - sites[i]))) for corner in corners):
            break  # nothing farther away can cut this cell
        middle = (sites[i] + sites[j]) / 2
        inside = [float((middle - corner) @ offsets[j]) for corner in corners]
        if min(inside) >= 0:
            continue
        kept: list[Array] = []
        labels: list[int] = []
        for k, corner in enumerate(corners):
            following = (k + 1) % len(corners)
            here, there = inside[k], inside[following]
            if here >= 0:
                kept.append(corner)
                labels.append(beyond[k])
            if (here >= 0) != (there >= 0):
                kept.append(corner + (corners[following] - corner) * (here / (here - there)))
                labels.append(int(j) if here >= 0 else beyond[k])
        corners, beyond = kept, labels
    return corners, beyond
