"""Derives the shapes of a map's places from real coastlines.

In go a TopoJSON file of land, a list of places with longitude and latitude and, if wanted, hints; out comes a
small TopoJSON file in which every place has its polygons and neighbours share their border arcs. Each place
is the part of the land (or the sea) nearest to its points; see README.md beside this file. Needs shapely (the
extra `map`); the engine itself does not.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import shapely
import shapely.affinity
from ruamel.yaml import YAML
from shape_topology import topology
from shapely import LineString, Point, Polygon, STRtree

KM_PER_RADIAN = 6371.0
# degrees; border lines run a little over the coast, so that they surely cross it (loose ends fall away)
OVERSHOOT = 0.01
RING_SIDES = 48  # corners of the polygon that stands for a place's reach


@dataclass
class Hints:
    """What the map's designer adds to the bare points.

    All parts may be empty; distances are in kilometres.
    """

    # region of the land file: the places that share it
    within: dict[str, list[str]] = field(default_factory=dict)
    nobody: list[str] = field(default_factory=list)  # regions that belong to no place
    points: dict[str, list[list[float]]] = field(default_factory=dict)  # place: further points [lon, lat]
    # names for land of nobody, usable in `within`
    blank: dict[str, list[list[float]]] = field(default_factory=dict)
    reach: dict[str, float] = field(default_factory=dict)  # place: nothing farther than this belongs to it
    open_water: list[list[float]] = field(default_factory=list)  # points of sea that belongs to no zone
    land_reach: float = 1200.0
    within_reach: float = 2500.0
    sea_reach: float = 2800.0
    cut: float = -180.0  # the meridian at which the sheet is cut open
    lat_range: tuple[float, float] = (-60.0, 84.0)


@dataclass(frozen=True)
class Site:
    """One point of a place on the unit sphere; `reach` in radians."""

    place: str
    xyz: np.ndarray
    reach: float
    limited: bool


# ---------------------------------------------------------------- reading


def read_rows(reference: str) -> list[dict[str, Any]]:
    """Rows of `FILE#KEY` (a YAML mapping's list) or `FILE` (a list); with `?kind=a,b` at the end those of
    these kinds.

    Rows that are `part_of` another place have no shape of their own.
    """
    reference, _, kinds = reference.partition("?kind=")
    path, _, key = reference.partition("#")
    data = YAML(typ="safe", pure=True).load(Path(path).read_text(encoding="utf-8"))
    rows = [row for row in (data[key] if key else data) if "part_of" not in row]
    return [row for row in rows if row.get("kind") in kinds.split(",")] if kinds else rows


def read_hints(path: str | None) -> Hints:
    if path is None:
        return Hints()
    data = YAML(typ="safe", pure=True).load(Path(path).read_text(encoding="utf-8"))
    if "lat_range" in data:
        data["lat_range"] = tuple(data["lat_range"])
    return Hints(**dict(data))


def read_land(path: str) -> dict[str, list[Polygon]]:
    """Polygons by region name from a TopoJSON file (its `countries` object if it has one, else its first)."""
    topology = json.loads(Path(path).read_text(encoding="utf-8"))
    scale, shift = np.array(topology["transform"]["scale"]), np.array(topology["transform"]["translate"])
    arcs = [np.cumsum(np.array(arc), axis=0) * scale + shift for arc in topology["arcs"]]

    def ring(indices: Iterable[int]) -> list[tuple[float, float]]:
        points: list[tuple[float, float]] = []
        for index in indices:
            arc = arcs[index] if index >= 0 else arcs[~index][::-1]
            points += [(float(x), float(y)) for x, y in arc[1 if points else 0 :]]
        if not points:
            return points
        # A ring across the date line jumps by a turn in the file; here it runs on beyond 180 degrees.
        lon = np.unwrap([x for x, _ in points], period=360.0)
        return [(float(x), y) for x, (_, y) in zip(lon, points, strict=True)]

    objects = topology["objects"]
    found: dict[str, list[Polygon]] = defaultdict(list)
    chosen = objects.get("countries") or next(iter(objects.values()))
    for geometry in chosen.get("geometries", [chosen]):
        parts = geometry.get("arcs", [])
        for rings in [parts] if geometry["type"] == "Polygon" else parts:
            outlines = [outline for outline in map(ring, rings) if len(outline) >= 4]
            if outlines:
                found[geometry.get("properties", {}).get("name", "")].append(
                    shapely.make_valid(Polygon(outlines[0], outlines[1:]))
                )
    return found


def trim_land(
    land: Mapping[str, list[Polygon]], hints: Hints, wanted: Sequence[Point], smallest: float
) -> dict[str, Any]:
    """Moves land behind the cut, drops what lies off the sheet and islets below `smallest` (square degrees at
    the equator).

    An islet stays if it is the largest of a region that the hints give to a place, or lies under one of the
    `wanted` points.
    """
    low, high = hints.lat_range
    tree = STRtree(wanted)
    kept: dict[str, Any] = {}
    for name, polygons in land.items():
        moved = []
        for polygon in polygons:
            for part in shapely.get_parts(polygon):
                if part.geom_type != "Polygon" or part.bounds[3] < low or part.bounds[1] > high:
                    continue
                shift = -360.0 * math.floor((part.centroid.x - hints.cut) / 360.0)
                moved.append(shapely.transform(part, lambda xy, s=shift: xy + np.array([s, 0.0])))
        if not moved:
            continue
        size = [part.area * math.cos(math.radians(part.centroid.y)) for part in moved]
        largest = max(size) if name in hints.within else math.inf
        parts = [
            part
            for part, area in zip(moved, size, strict=True)
            if area >= smallest or area >= largest * 0.3 or len(tree.query(part, predicate="intersects"))
        ]
        if parts:
            kept[name] = shapely.union_all(parts)
    return kept


def with_discs(
    land: Mapping[str, Any],
    isles: Sequence[Sequence[float]],
    lakes: Sequence[Sequence[float]],
    radius: float,
    cut: float,
) -> dict[str, Any]:
    """The land with an islet round some points, and a lake round others, `radius` kilometres each: what
    coastlines leave out.
    """

    def discs(points: Sequence[Sequence[float]]) -> Any:
        size = math.degrees(radius / KM_PER_RADIAN)
        return shapely.union_all(
            [
                shapely.affinity.scale(
                    Point((lon - cut) % 360 + cut, lat).buffer(size, quad_segs=3),
                    1 / math.cos(math.radians(lat)),
                )
                for lon, lat in points
            ]
        )

    water = discs(lakes)
    whole = shapely.union_all(list(land.values()))
    return {
        **{name: region.difference(water) for name, region in land.items()},
        "isles": discs(isles).difference(whole),
    }


# ---------------------------------------------------------------- nearest-point cells on the sphere


def unit(lon: float, lat: float) -> np.ndarray:
    a, b = math.radians(lon), math.radians(lat)
    return np.array([math.cos(b) * math.cos(a), math.cos(b) * math.sin(a), math.sin(b)])


def cell_borders(sites: Sequence[Site]) -> list[np.ndarray]:
    """Border lines, (k, 2) arrays of lon and lat, between sites, and the rings where a reach ends.

    Sites of one place have borders too: they close the faces where rings meet, and vanish when faces are
    joined.

    A cell is clipped in the gnomonic plane round its own site, where great circles are straight lines, so it
    is exact. A site of limited reach takes land from others but, beyond its ring, leaves their border as if
    it were not there.
    """
    rings: list[np.ndarray] = []
    between: dict[tuple[int, int], tuple[float, np.ndarray]] = {}
    for i, site in enumerate(sites):
        corners, labels = _cell(sites, i)
        east, north = _tangents(site.xyz)
        for k, label in enumerate(labels):
            if label == i:
                continue
            a, b = corners[k], corners[(k + 1) % len(corners)]
            length = float(np.hypot(*(b - a)))
            if length < 1e-9:
                continue
            reach_out = (b - a) / length * 3e-4  # a little longer at both ends, so that lines surely meet
            count = max(2, int(length / 0.01) + 1)
            steps = np.linspace(0.0, 1.0, count)[:, None]
            flat = (a - reach_out) * (1 - steps) + (b + reach_out) * steps
            line = _to_lonlat(site.xyz + flat[:, :1] * east + flat[:, 1:] * north)
            if label < 0:
                rings.append(line)
                continue
            # Both cells know their border, but where their reach ends one may know more of it than the other.
            span = float(np.hypot(*np.diff(line, axis=0).T).sum())
            pair = (min(i, label), max(i, label))
            if pair not in between or span > between[pair][0]:
                between[pair] = (span, line)
    return [*rings, *(line for _, line in between.values())]


def _tangents(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    east = np.cross([0.0, 0.0, 1.0], p)
    east /= np.linalg.norm(east)
    return east, np.cross(p, east)


def _cell(sites: Sequence[Site], i: int) -> tuple[list[np.ndarray], list[int]]:
    """Corners in the gnomonic plane and, for each side, the site beyond it (-1: the end of the reach, i: the
    plane's edge).
    """
    site = sites[i]
    radius = math.tan(min(site.reach, 1.2))
    turns = [2 * math.pi * k / RING_SIDES for k in range(RING_SIDES)]
    corners = [np.array([radius * math.cos(t), radius * math.sin(t)]) for t in turns]
    labels = [-1 if site.reach < 1.2 else i] * RING_SIDES
    east, north = _tangents(site.xyz)
    near = np.array([s.xyz for s in sites]) @ site.xyz
    order = [int(k) for k in np.argsort(-near, kind="stable") if k != i]
    for k in order:
        other = sites[k]
        farthest = math.sqrt(max(float(c @ c) for c in corners))
        if math.acos(max(-1.0, min(1.0, float(other.xyz @ site.xyz)))) > 2 * math.atan(farthest):
            break  # this one, and all that are farther, are nearer to no corner
        if other.limited and not site.limited:
            continue
        constant, slope = (
            1 - float(other.xyz @ site.xyz),
            np.array([-(other.xyz @ east), -(other.xyz @ north)]),
        )
        values = [constant + float(corner @ slope) for corner in corners]
        if min(values) >= 0:
            continue
        new_corners, new_labels = [], []
        for n, corner in enumerate(corners):
            following, here, there = (n + 1) % len(corners), values[n], values[(n + 1) % len(corners)]
            cross = (
                corner + (corners[following] - corner) * (here / (here - there)) if here * there < 0 else None
            )
            if here >= 0:
                new_corners.append(corner)
                new_labels.append(labels[n])
                if there < 0:
                    new_corners.append(corner if cross is None else cross)
                    new_labels.append(k)
            elif cross is not None:
                new_corners.append(cross)
                new_labels.append(labels[n])
        corners, labels = new_corners, new_labels
        if len(corners) < 3:
            break
    return corners, labels


def _to_lonlat(xyz: np.ndarray) -> np.ndarray:
    xyz = xyz / np.linalg.norm(xyz, axis=1, keepdims=True)
    lon = np.unwrap(np.arctan2(xyz[:, 1], xyz[:, 0]))
    return np.column_stack([np.degrees(lon), np.degrees(np.arcsin(np.clip(xyz[:, 2], -1, 1)))])


def nearest(sites: Sequence[Site], matrix: np.ndarray, point: Point) -> str | None:
    """The place whose site is nearest to the point and reaches it."""
    angle = np.arccos(np.clip(matrix @ unit(point.x, point.y), -1, 1))
    for k in np.argsort(angle, kind="stable").tolist():
        if angle[k] <= sites[k].reach:
            return str(sites[k].place)
    return None


# ---------------------------------------------------------------- cutting the sheet


def derive(
    land: Mapping[str, Any],
    land_places: Mapping[str, list[list[float]]],
    sea_places: Mapping[str, list[list[float]]],
    hints: Hints,
) -> dict[str, Any]:
    """Place id to (multi)polygon; the key "" holds the land of nobody.

    Polygons share their border points exactly.
    """
    low, high = hints.lat_range
    sheet = shapely.box(hints.cut, low, hints.cut + 360, high)
    all_land = shapely.union_all(list(land.values()))
    lines: list[Any] = [sheet.boundary, *(region.boundary for region in land.values())]
    groups: dict[str, tuple[list[Site], np.ndarray]] = {}
    for name, region in sorted(land.items()):
        if name in hints.nobody:
            continue
        members = hints.within.get(name)
        sites = make_sites(
            {**land_places, **hints.blank},
            members or sorted(land_places),
            hints,
            hints.within_reach if members else hints.land_reach,
        )
        groups[name] = (sites, np.array([site.xyz for site in sites]))
        if len(sites) > 1 or any(site.limited for site in sites):
            lines.append(
                shapely.intersection(_sheet_lines(cell_borders(sites)), region.buffer(OVERSHOOT, quad_segs=1))
            )
    waters = {**sea_places, "": hints.open_water} if sea_places and hints.open_water else sea_places
    sea_sites = make_sites(waters, sorted(waters), hints, hints.sea_reach)
    sea_matrix = np.array([site.xyz for site in sea_sites])
    if sea_sites:
        at_sea = shapely.intersection(_sheet_lines(cell_borders(sea_sites)), sheet.buffer(OVERSHOOT))
        lines.append(shapely.difference(at_sea, all_land.buffer(-OVERSHOOT, quad_segs=1)))
    network = shapely.union_all(lines)
    faces = [
        face
        for face in shapely.get_parts(shapely.polygonize(shapely.get_parts(network)))
        if sheet.contains(face.representative_point())
    ]

    names = sorted(land)
    tree = STRtree([land[name] for name in names])
    owners: list[str | None] = []
    for face in faces:
        inside = face.representative_point()
        regions = sorted(names[k] for k in tree.query(inside, predicate="within"))
        if regions:
            group = groups.get(regions[0])
            owner = nearest(*group, inside) if group else None
            owners.append("" if owner is None or owner in hints.blank else owner)
        else:
            owners.append(nearest(sea_sites, sea_matrix, inside) or None if sea_sites else None)
    mend(
        faces,
        owners,
        set(sea_places),
        [(s.place, s) for s in [*sea_sites, *(s for g in groups.values() for s in g[0])]],
        hints,
    )
    by_place: dict[str, list[Polygon]] = defaultdict(list)
    for face, owner in zip(faces, owners, strict=True):
        if owner is not None:
            by_place[owner].append(face)
    return {place: shapely.union_all(parts) for place, parts in sorted(by_place.items())}


def make_sites(
    points: Mapping[str, list[list[float]]], members: Sequence[str], hints: Hints, reach: float
) -> list[Site]:
    sites = []
    for place in members:
        if place not in points:
            raise SystemExit(f"derive_shapes: the hints name '{place}', which is no place of this kind")
        limited = place in hints.reach
        radians = (hints.reach[place] if limited else reach) / KM_PER_RADIAN
        sites += [Site(place, unit(lon, lat), radians, limited) for lon, lat in points[place]]
    return sites


def mend(
    faces: list[Polygon],
    owners: list[str | None],
    seas: set[str],
    sites: list[tuple[str, Site]],
    hints: Hints,
    rounds: int = 4,
) -> None:
    """Gives a severed piece (one without any of its place's points, yet bordering others of its kind) to its
    longest neighbour.

    Islands border no land and stay; so an island's owner is still the nearest place. Changes `owners` in
    place.
    """
    seeds: dict[str, list[Point]] = defaultdict(list)
    for place, site in sites:
        lon, lat = _to_lonlat(site.xyz[None, :])[0]
        seeds[place].append(Point((lon - hints.cut) % 360 + hints.cut, lat))
    tree = STRtree(faces)
    left, right = tree.query(faces, predicate="touches")
    pairs = [(int(a), int(b)) for a, b in zip(left, right, strict=True) if a < b]
    shared = {
        pair: length
        for pair in pairs
        if (length := shapely.intersection(faces[pair[0]].boundary, faces[pair[1]].boundary).length) > 1e-6
    }
    beside: dict[int, dict[int, float]] = defaultdict(dict)
    for (a, b), length in shared.items():
        beside[a][b] = beside[b][a] = length
    # the face nearest to a place's first point: a place in the surf is not to vanish
    home: dict[str, int] = {}
    for k, owner in enumerate(owners):
        if owner and seeds[owner]:
            away = faces[k].distance(seeds[owner][0])
            if owner not in home or away < faces[home[owner]].distance(seeds[owner][0]):
                home[owner] = k
    for _ in range(rounds):
        changed = False
        for piece in _pieces(owners, beside):
            owner = owners[piece[0]]
            if (
                not owner
                or home.get(owner) in piece
                or any(faces[k].intersects(point) for k in piece for point in seeds[owner])
            ):
                continue
            lengths: dict[str, float] = defaultdict(float)
            for k in piece:
                for other, length in beside[k].items():
                    neighbour = owners[other]
                    if neighbour and neighbour != owner and (neighbour in seas) == (owner in seas):
                        lengths[neighbour] += length
            if lengths:
                best = max(sorted(lengths), key=lambda name: lengths[name])
                for k in piece:
                    owners[k] = best
                changed = True
        if not changed:
            return


def _pieces(owners: Sequence[str | None], beside: Mapping[int, Mapping[int, float]]) -> list[list[int]]:
    """Connected groups of faces with one owner."""
    seen: set[int] = set()
    pieces = []
    for start in range(len(owners)):
        if start in seen:
            continue
        seen.add(start)
        piece, queue = [], [start]
        while queue:
            face = queue.pop()
            piece.append(face)
            for other in beside.get(face, {}):
                if other not in seen and owners[other] == owners[start]:
                    seen.add(other)
                    queue.append(other)
        pieces.append(piece)
    return pieces


def _sheet_lines(lines: Iterable[np.ndarray]) -> Any:
    """The lines as one geometry, repeated a turn to the left and right so that a clip at any cut keeps them
    whole.
    """
    return shapely.MultiLineString(
        [LineString(line + np.array([turn, 0.0])) for line in lines for turn in (-360.0, 0.0, 360.0)]
    )


# ---------------------------------------------------------------- the command


def report_misfits(
    shapes: Mapping[str, Any], borders: Sequence[Mapping[str, Any]], seas: Collection[str]
) -> tuple[list[str], list[str]]:
    """Neighbours whose shapes do not touch; and places of one kind that touch but are no neighbours, longest
    border first.
    """
    wanted = {tuple(sorted(row["between"])) for row in borders}
    apart = [
        f"{a} - {b}"
        for a, b in sorted(wanted)
        if a in shapes and b in shapes and shapes[a].distance(shapes[b]) > OVERSHOOT
    ]
    ids = [key for key in shapes if key]
    left, right = STRtree([shapes[key] for key in ids]).query(
        [shapes[key] for key in ids], predicate="touches"
    )
    close = []
    for a, b in ((ids[i], ids[j]) for i, j in zip(left, right, strict=True) if ids[i] < ids[j]):
        if (a in seas) == (b in seas) and (a, b) not in wanted:
            length = shapely.intersection(shapes[a].boundary, shapes[b].boundary).length
            if length > 0:
                close.append((-length, f"{a} - {b} ({length:.1f} degrees)"))
    return apart, [text for _, text in sorted(close)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Derive the shapes of a map's places from real coastlines.")
    parser.add_argument(
        "--land",
        required=True,
        help="TopoJSON with the land, e.g. countries-50m.json of the npm package world-atlas",
    )
    parser.add_argument(
        "--places",
        action="append",
        required=True,
        help="land places: FILE#KEY of YAML rows with id, lon, lat; several times",
    )
    parser.add_argument("--seas", action="append", default=[], help="sea places, in the same form")
    parser.add_argument(
        "--borders",
        action="append",
        default=[],
        help="FILE#KEY of rows `between: [a, b]`, to check the result",
    )
    parser.add_argument("--hints", help="YAML file of hints")
    parser.add_argument("--out", required=True, help="the TopoJSON file to write")
    parser.add_argument("--tolerance", type=float, default=0.06, help="simplification, degrees")
    parser.add_argument("--step", type=float, default=0.02, help="grid of the output, degrees")
    parser.add_argument(
        "--smallest", type=float, default=0.03, help="islets below this are left out, square degrees"
    )
    parser.add_argument(
        "--islet",
        type=float,
        default=0,
        help="kilometres: a place without coasts gets a disc of this radius; 0: nothing",
    )
    options = parser.parse_args(arguments)

    hints = read_hints(options.hints)

    def gather(references: Sequence[str]) -> dict[str, list[list[float]]]:
        rows = [row for reference in references for row in read_rows(reference)]
        return {row["id"]: [[row["lon"], row["lat"]], *hints.points.get(row["id"], [])] for row in rows}

    land_places, sea_places = gather(options.places), gather(options.seas)
    wanted = []
    for points in land_places.values():
        for lon, lat in points:
            wanted.append(Point((lon - hints.cut) % 360 + hints.cut, lat))
    source = read_land(options.land)
    for name in sorted({*hints.within, *hints.nobody} - set(source)):
        print(
            f"derive_shapes: the hints name the region '{name}', which the land file does not have",
            file=sys.stderr,
        )
    land = trim_land(source, hints, wanted, options.smallest)
    named = {*hints.within, *hints.nobody}  # the borders of all other regions mean nothing
    rest = shapely.union_all([region for name, region in land.items() if name not in named])
    land = {**{name: region for name, region in land.items() if name in named}, "elsewhere": rest}
    shapes = derive(land, land_places, sea_places, hints)
    if options.islet and not shapes.keys() >= {*land_places, *sea_places}:
        isles, lakes = (
            [at[0] for place, at in points.items() if place not in shapes]
            for points in (land_places, sea_places)
        )
        shapes = derive(
            with_discs(land, isles, lakes, options.islet, hints.cut), land_places, sea_places, hints
        )
    for place in sorted({*land_places, *sea_places} - set(shapes)):
        print(f"derive_shapes: '{place}' has no shape (no land near it?)", file=sys.stderr)
    if options.borders:
        rows = [row for reference in options.borders for row in read_rows(reference)]
        apart, close = report_misfits(shapes, rows, sea_places)
        for text in apart:
            print(f"derive_shapes: neighbours that do not touch: {text}", file=sys.stderr)
        for text in close:
            print(f"derive_shapes: touch but are no neighbours: {text}", file=sys.stderr)
    anchors = {
        key: [[(lon - hints.cut) % 360 + hints.cut, lat] for lon, lat in points]
        for key, points in {**land_places, **sea_places}.items()
    }
    text = json.dumps(
        topology(shapes, options.step, options.tolerance, anchors), separators=(",", ":"), ensure_ascii=False
    )
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    Path(options.out).write_text(text + "\n", encoding="utf-8")
    print(f"{options.out}: {len(shapes) - ('' in shapes)} places, {len(text) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
