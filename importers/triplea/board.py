"""Territories, connections, canals, terrain: places, links, gates and groups; and how the map is drawn."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np

from .draft import Row, RulesetDraft

__all__ = ["TerritoryLayout", "board", "drawing"]

Point = tuple[float, float]
WIDE = 100.0  # degrees that the longer side of the sheet spans
SHEET = 2400  # its sheet units
MOST_LAID_OUT = 1200
NEXT_CORNER = 3.0  # pixels: outlines drop corners that are closer together
MOST_BYTES = 64_000_000

_CENTRE = re.compile(r"^\s*(.+?)\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")
_CORNER = re.compile(r"\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")


# ---- rows


def board(draft: RulesetDraft, points: Mapping[str, Point]) -> None:
    """Places with what is attached to them, links, gates, and the groups of places that have a terrain."""
    game = draft.game
    rows = {name: _place(draft, name, points) for name in game.territories}
    _attached(draft, rows)
    for name, (water, _) in game.territories.items():
        draft.row("places-sea" if water else "places-land", "places", rows[name])
    kinds: set[str] = set()
    seen: set[tuple[str, str]] = set()
    for a, b, line in game.connections:
        ends = (min(draft.place(a), draft.place(b)), max(draft.place(a), draft.place(b)))
        if a == b:
            draft.leave(line, f"a connection of {a} with itself")
        elif ends not in seen:
            seen.add(ends)
            wet = int(game.territories[a][0]) + int(game.territories[b][0])
            kind = ("land", "coast", "sea")[wet]
            kinds.add(kind)
            draft.row(f"links-{kind}", "links", {"between": list(ends), "kind": kind})
    _gates(draft, seen)
    waters = {water for water, _ in game.territories.values()}
    draft.features.update(
        land=False in waters,
        sea=True in waters and bool(kinds - {"land"}),
        coast="coast" in kinds,
        links=sorted(kinds),
    )


def _place(draft: RulesetDraft, name: str, points: Mapping[str, Point]) -> Row:
    water = draft.game.territories[name][0]
    owner = draft.game.owners.get(name, ("" if water else draft.game.nobody, 0))[0]
    row: Row = {"id": draft.place(name), "name": name[:120], "kind": "sea" if water else "land"}
    if owner and not (water and owner == draft.game.nobody):
        row["owner"] = draft.nation(owner)
    if name in points:
        row["lon"], row["lat"] = points[name]
    return row


def _attached(draft: RulesetDraft, rows: Mapping[str, Row]) -> None:
    game = draft.game
    grounds: dict[str, list[str]] = {}
    for attachment in draft.of("TerritoryAttachment"):
        row = rows.get(attachment.to)
        for option in attachment.options if row is not None else ():
            assert row is not None
            entry = draft.meaning("territories", attachment, option)
            if entry is None:
                continue
            if "field" in entry:
                if option.value.lower() in ("true", "false"):
                    if option.value.lower() == "true":
                        row[entry["field"]] = entry.get("stands_for", True)
                elif (number := draft.number(attachment, option)) is not None:
                    _figure(row, entry, number)
            elif "capital" in entry:
                for player in draft.names(attachment, option, game.players, "player"):
                    draft.features.setdefault("capitals", {}).setdefault(player, attachment.to)
            elif "owner" in entry and option.value in {**game.players, game.nobody: 0}:
                holder, row["owner"] = row.get("owner"), draft.nation(option.value)
                if holder != row["owner"]:
                    draft.scenario.setdefault("holders", {})[row["id"]] = holder
            elif "effect" in entry:
                for effect in draft.names(attachment, option, game.effects, "effect"):
                    grounds.setdefault(effect, []).append(row["id"])
            elif "gives" in entry:
                _gives(draft, attachment.to, option.parts, row, option.line)
            elif "route" in entry:
                zones = draft.names(attachment, option, game.territories, "territory")
                row[entry["route"]] = [*row.get(entry["route"], ()), *map(draft.place, zones)]
    draft.features["grounds"] = grounds
    draft.features.update(
        impassable=any(row.get("impassable") for row in rows.values()),
        convoy_zones=any(row.get("convoy_zone") for row in rows.values()),
        convoy_routes=any(row.get("convoy_route") and row.get("convoys") for row in rows.values()),
        owned_waters=any(row["kind"] == "sea" and "owner" in row for row in rows.values()),
    )


def _figure(row: Row, entry: Row, number: int) -> None:
    """A figure of a territory; `drops` and `fixes` name another that goes with it from now on, or stays what
    it was.
    """
    if "fixes" in entry:
        row.setdefault(entry["fixes"], row.get(entry["field"], 0))
    row.pop(entry.get("drops", ""), None)
    if number or "zero" in entry:
        row[entry["field"]] = number
    else:
        row.pop(entry["field"], None)


def _gives(draft: RulesetDraft, place: str, parts: list[str], row: Row, line: int) -> None:
    """Resources of a territory besides its production: `2:NAME`."""
    if len(parts) == 2 and parts[0].lstrip("-").isdigit() and parts[1] in draft.game.resources:
        field = "gives_" + draft.id("resources", parts[1]).replace("-", "_")
        row[field] = row.get(field, 0) + int(parts[0])
        draft.features.setdefault("gives", {})[parts[1]] = field
    else:
        draft.leave(line, f"TerritoryAttachment of {place}: resources = {':'.join(parts)[:60]}")


def _gates(draft: RulesetDraft, linked: set[tuple[str, str]]) -> None:
    """A canal lies between the sea zones that its name is attached to, and follows its shores."""
    canals: dict[str, tuple[list[str], list[str], int]] = {}
    for attachment in draft.of("CanalAttachment"):
        name = attachment.get("canalName") or attachment.name
        zones, shores, _ = canals.setdefault(name, ([], [], attachment.line))
        zones.append(draft.place(attachment.to))
        for option in attachment.options:
            entry = draft.meaning("canals", attachment, option)
            if entry is not None and "shores" in entry:
                shores += [
                    draft.place(n)
                    for n in draft.names(attachment, option, draft.game.territories, "territory")
                ]
            elif entry is not None and "lists" in entry and option.value not in ("NONE", ""):
                draft.leave_option(attachment, option, "all ships are stopped alike")
    ships = draft.tags.get("ship")
    wet = {draft.place(name) for name, (water, _) in draft.game.territories.items() if water}
    gates: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for name, (zones, shores, line) in canals.items():
        pairs = [(min(a, b), max(a, b)) for a, b in combinations(dict.fromkeys(zones), 2)]
        pairs = [pair for pair in pairs if pair in linked and all(pair_end in wet for pair_end in pair)]
        shores = list(dict.fromkeys(shores))
        if not pairs or not shores or not ships:
            draft.leave(line, f"the canal {name}: no two connected sea zones and a shore belong to it")
            continue
        test = "not (" + " and ".join(f"shore_open(place('{shore}'), self)" for shore in shores) + ")"
        for k, pair in enumerate(pairs):
            gates.setdefault(pair, []).append((f"{name} {k + 1}" if k else name, name, test))
    # of several between two zones one is enough, or all must be open
    word = " or " if "all_canals" in draft.asked else " and "
    for (a, b), found in gates.items():
        id_ = draft.fresh("passages", found[0][0])
        tests = list(dict.fromkeys(test for _, _, test in found))
        row: Row = {
            "id": id_,
            "name": found[0][1][:120],
            "between": [a, b],
            "stops": ["ship"],
            "judged": "turn",
            "default": "open",
        }
        draft.row("canals", "passages", {**row, "shut_when": word.join(tests)})


# ---- the drawing


class TerritoryLayout:
    """Where territories lie, in degrees of a sheet of its own, and the files of the map folder."""

    def __init__(
        self, points: dict[str, Point], layout: Row, shapes: str, colors: dict[str, str], how: str
    ) -> None:
        self.points, self.layout, self.shapes, self.colors, self.how = points, layout, shapes, colors, how


def drawing(draft: RulesetDraft, file: Path) -> TerritoryLayout:
    """From `centers.txt`, `polygons.txt`, `map.properties` beside the game file or one folder up; else from
    the connections.
    """
    centres = {n: p for n, p in _centres(_beside(file, "centers.txt")).items() if n in draft.game.territories}
    outlines = {
        n: p for n, p in _outlines(_beside(file, "polygons.txt")).items() if n in draft.game.territories
    }
    for name, rings in outlines.items():
        if name not in centres:
            largest = max(rings, key=len)
            centres[name] = (
                sum(x for x, _ in largest) / len(largest),
                sum(y for _, y in largest) / len(largest),
            )
    how = "centers.txt" + (" and polygons.txt" if outlines else "")
    if len(centres) < len(draft.game.territories):
        laid = _laid_out(draft, centres)
        how = how if centres else "the connections"
        centres = {**laid, **centres}
    corners = chain.from_iterable(chain.from_iterable(outlines.values()))
    everything = [*centres.values(), *corners]
    low = (min(x for x, _ in everything), min(y for _, y in everything))
    high = (max(x for x, _ in everything), max(y for _, y in everything))
    span = max(high[0] - low[0], high[1] - low[1], 1.0)

    def degrees(point: Point) -> Point:
        x = (point[0] - (low[0] + high[0]) / 2) / span * WIDE
        y = ((low[1] + high[1]) / 2 - point[1]) / span * WIDE
        return round(x, 3), round(math.degrees(2 * math.atan(math.exp(math.radians(y))) - math.pi / 2), 3)

    rim = 0.02 * span
    least_lon, least_lat = degrees((low[0] - rim, high[1] + rim))
    most_lon, most_lat = degrees((high[0] + rim, low[1] - rim))
    wide, high_ = (high[0] - low[0] + 2 * rim) / span, (high[1] - low[1] + 2 * rim) / span
    width, height = max(600, round(SHEET * wide)), max(400, round(SHEET * high_))
    layout = {
        "size": [width + 440, height + 100],
        "title": [20, 12, width, 60],
        "legend": [width + 40, 80, 380, min(height, 700)],
        "panels": [
            {
                "id": "board",
                "title": draft.game.name[:80],
                "bounds": [least_lon, least_lat, most_lon, most_lat],
                "at": [20, 80, width, height],
                "projection": "mercator",
                "font": 10,
            },
        ],
    }
    points = {name: degrees(point) for name, point in centres.items()}
    shapes = _topology(draft, outlines, degrees) if len(outlines) >= len(centres) / 2 else ""
    return TerritoryLayout(points, layout, shapes, _colors(_beside(file, "map.properties")), how)


def _beside(file: Path, name: str) -> str:
    """The text of a file beside the game file, or in the folder above it; empty if there is none that can be
    read.
    """
    for folder in (file.parent, file.parent.parent, file.parent / "map"):
        path = folder / name
        try:
            if path.is_file() and path.stat().st_size <= MOST_BYTES:
                return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return ""


def _centres(text: str) -> dict[str, Point]:
    found = (_CENTRE.match(line) for line in text.splitlines())
    return {m.group(1): (float(m.group(2)), float(m.group(3))) for m in found if m}


def _outlines(text: str) -> dict[str, list[list[Point]]]:
    """Rings by territory; lines read `NAME < (x,y) (x,y) ... > < ... >`."""
    found: dict[str, list[list[Point]]] = {}
    for line in text.splitlines():
        name, _, rest = line.partition("<")
        for part in rest.split("<"):
            ring = _thinned([(float(x), float(y)) for x, y in _CORNER.findall(part)])
            if len(ring) >= 3:
                found.setdefault(name.strip(), []).append(ring)
    return found


def _thinned(ring: list[Point]) -> list[Point]:
    kept: list[Point] = []
    for point in ring:
        if not kept or abs(point[0] - kept[-1][0]) + abs(point[1] - kept[-1][1]) >= NEXT_CORNER:
            kept.append(point)
    return kept if len(kept) >= 3 else list(dict.fromkeys(ring))


def _laid_out(draft: RulesetDraft, known: Mapping[str, Point]) -> dict[str, Point]:
    """Positions from the connections alone, by springs; territories that have a place already keep it."""
    names = list(draft.game.territories)
    side = math.ceil(math.sqrt(len(names)))
    if len(names) > MOST_LAID_OUT or 0 < len(known) < 3:
        return {name: (100.0 * (k % side), 100.0 * (k // side)) for k, name in enumerate(names)}
    number = {name: k for k, name in enumerate(names)}
    at = np.random.default_rng(1914).uniform(0.0, 2000.0, (len(names), 2))
    fixed = np.array([name in known for name in names])
    if known:
        spots = np.array(list(known.values()))
        at = spots.mean(axis=0) + (at - 1000.0) * (np.ptp(spots, axis=0).max() / 2000.0)
        at[fixed] = [known[name] for name in names if name in known]
    ends = np.array(
        [(number[a], number[b]) for a, b, _ in draft.game.connections if a != b], dtype=np.int64
    ).reshape(-1, 2)
    return dict(zip(names, map(tuple, _sprung(at, ends, fixed).tolist()), strict=True))


def _sprung(at: Any, ends: Any, fixed: Any, rounds: int = 80) -> Any:
    """Points, (n, 2), after the springs between `ends`, (m, 2), and their own repulsion have moved all that
    are not fixed.
    """
    size = float(np.ptp(at, axis=0).max()) or 1.0
    usual = size / math.sqrt(len(at))
    for k in range(rounds):
        # the push of all others on each, without an array of (n, n, 2)
        dots = at @ at.T
        norms = np.diagonal(dots)
        square = np.maximum(norms[:, None] + norms[None, :] - 2 * dots, (usual / 100) ** 2)
        push = usual**2 / square
        force = at * push.sum(axis=1)[:, None] - push @ at
        pull = at[ends[:, 0]] - at[ends[:, 1]]
        pull = pull * (np.hypot(pull[:, 0], pull[:, 1]) / usual)[:, None]
        np.add.at(force, ends[:, 0], -pull)
        np.add.at(force, ends[:, 1], pull)
        length = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-9)
        step = np.minimum(length, size / 10 * (1 - k / rounds))
        at = at + np.where(fixed[:, None], 0.0, force / length[:, None] * step[:, None])
    return at


def _topology(draft: RulesetDraft, outlines: Mapping[str, list[list[Point]]], degrees: Any) -> str:
    """A TopoJSON text: each ring is an arc of its own, since outlines of neighbors do not share their
    corners.
    """
    scale = 0.005
    arcs: list[list[list[int]]] = []
    geometries = []
    for name, rings in outlines.items():
        numbers = []
        for ring in rings:
            grid = [(round(x / scale), round(y / scale)) for x, y in map(degrees, [*ring, ring[0]])]
            arcs.append([[x - px, y - py] for (x, y), (px, py) in zip(grid, [(0, 0), *grid], strict=False)])
            numbers.append([[len(arcs) - 1]])
        geometries.append({"type": "MultiPolygon", "id": draft.place(name), "arcs": numbers})
    data = {
        "type": "Topology",
        "transform": {"scale": [scale, scale], "translate": [0, 0]},
        "objects": {"places": {"type": "GeometryCollection", "geometries": geometries}},
        "arcs": arcs,
    }
    return json.dumps(data, separators=(",", ":"))


def _colors(text: str) -> dict[str, str]:
    found = re.findall(r"^\s*color\.([^=\s]+)\s*=\s*#?([0-9a-fA-F]{6})\s*$", text, re.M)
    return {name: f"#{color.lower()}" for name, color in found}
