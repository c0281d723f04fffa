"""Writes polygons that fit together as TopoJSON: simplified and put on a grid alike on both sides of every
border.

Shared borders are stored once, as arcs, so that a drawing knows who lies on either side of a line. Used by
derive_shapes.py.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from shapely import Point, Polygon


def topology(
    shapes: Mapping[str, Any], step: float, tolerance: float, points: Mapping[str, list[list[float]]]
) -> dict[str, Any]:
    """TopoJSON with shared arcs, quantised to `step` degrees; each place carries the points `at` which its
    name may stand, best first, and the `room` round the first of them."""
    ids = list(shapes)
    coverage = np.array([shapely.MultiPolygon(_polygons(shapes[key])) for key in ids], dtype=object)
    simple = shapely.coverage_simplify(coverage, tolerance)
    rings: dict[str, list[list[list[tuple[int, int]]]]] = {}
    for key, shape in zip(ids, simple, strict=True):
        rings[key] = []
        for polygon in _polygons(shape):
            quantised = [_quantise(line, step) for line in [polygon.exterior, *polygon.interiors]]
            if quantised[0]:
                rings[key].append([line for line in quantised if line])
    arcs, indexed = _share(rings)
    geometries = []
    for key, shape in zip(ids, simple, strict=True):
        if not indexed[key]:
            continue
        geometry: dict[str, Any] = {"type": "MultiPolygon", "id": key, "arcs": indexed[key]}
        if key:
            at, room = _label_point(shape, [Point(p) for p in points.get(key, [])])
            spots = [[round(x, 2), round(y, 2)] for x, y in [(at.x, at.y), *points.get(key, [])]]
            geometry["properties"] = {"at": spots, "room": round(room, 2)}
        geometries.append(geometry)
    named = [g for g in geometries if g["id"]]
    return {
        "type": "Topology",
        "transform": {"scale": [step, step], "translate": [0, 0]},
        "objects": {
            "places": {"type": "GeometryCollection", "geometries": named},
            "background": {
                "type": "GeometryCollection",
                "geometries": [g for g in geometries if not g["id"]],
            },
        },
        "arcs": [_delta(arc) for arc in arcs],
    }


def _polygons(shape: Any) -> list[Polygon]:
    return [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon" and not part.is_empty]


def _quantise(line: Any, step: float) -> list[tuple[int, int]]:
    """The ring on the output grid, without its closing point; empty if nothing of it is left."""
    points: list[tuple[int, int]] = []
    for x, y in line.coords:
        point = (round(x / step), round(y / step))
        if not points or point != points[-1]:
            points.append(point)
    points = points[:-1] if points and points[0] == points[-1] else points
    return points if len(set(points)) >= 3 else []


def _share(
    rings: Mapping[str, list[list[list[tuple[int, int]]]]],
) -> tuple[list[list[tuple[int, int]]], dict[str, list[list[list[int]]]]]:
    """Cuts the rings where their neighbours change and numbers each stretch once; ~n means stretch n
    backwards.
    """
    neighbours: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    users: dict[frozenset[tuple[int, int]], set[str]] = defaultdict(set)
    for key, polygons in rings.items():
        for line in (line for polygon in polygons for line in polygon):
            for a, b in zip(line, line[1:] + line[:1], strict=True):
                neighbours[a].add(b)
                neighbours[b].add(a)
                users[frozenset((a, b))].add(key)

    def is_joint(point: tuple[int, int]) -> bool:
        if len(neighbours[point]) != 2:
            return True
        first, second = (users[frozenset((point, other))] for other in neighbours[point])
        return first != second

    arcs: list[list[tuple[int, int]]] = []
    known: dict[tuple[tuple[int, int], ...], int] = {}

    def number(stretch: list[tuple[int, int]]) -> int:
        forward, backward = tuple(stretch), tuple(reversed(stretch))
        if backward in known and forward not in known:
            return ~known[backward]
        if forward not in known:
            known[forward] = len(arcs)
            arcs.append(stretch)
        return known[forward]

    def cut(line: list[tuple[int, int]]) -> list[int]:
        joints = [k for k, point in enumerate(line) if is_joint(point)]
        # a lone ring starts at one fixed corner for all its users
        start = joints[0] if joints else line.index(min(line))
        turned = line[start:] + line[: start + 1]
        stops = [k for k, point in enumerate(turned) if k in (0, len(turned) - 1) or is_joint(point)]
        return [number(turned[a : b + 1]) for a, b in pairwise(stops)]

    return arcs, {
        key: [[cut(line) for line in polygon] for polygon in polygons] for key, polygons in rings.items()
    }


def _delta(arc: Sequence[tuple[int, int]]) -> list[list[int]]:
    steps = [list(arc[0])]
    steps += [[b[0] - a[0], b[1] - a[1]] for a, b in pairwise(arc)]
    return steps


def _label_point(shape: Any, points: Sequence[Point]) -> tuple[Point, float]:
    """The middle of the largest circle inside the place's home part, and its radius in degrees: there its
    name has most room.
    """
    parts = _polygons(shape)
    home = next(
        (part for part in parts if points and part.distance(points[0]) < 0.05),
        max(parts, key=lambda part: part.area),
    )
    squeeze = math.cos(math.radians(home.centroid.y))
    flat = shapely.transform(home, lambda xy: xy * np.array([squeeze, 1.0]))
    line = shapely.maximum_inscribed_circle(flat, tolerance=0.02)
    return Point(line.coords[0][0] / squeeze, line.coords[0][1]), line.length
