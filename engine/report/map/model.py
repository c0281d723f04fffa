"""What a map shows, as plain data: places, their owners, units, links, works, arrows, panels and legend.

A caller that knows a game fills these in from what its reader may see; the drawing knows nothing else.
Colors are '#rrggbb'; longitudes and latitudes are degrees; positions and sizes on the sheet are in sheet
units (one unit is one CSS pixel at full width).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from .shapes import Shapes

Kind = Literal["land", "sea", "other", "point"]
Outcome = Literal["open", "success", "failure"]

PATTERNS = ("plain", "rising", "falling", "dots", "level", "upright", "lattice", "rings", "net", "waves")
SYMBOLS = ("star", "dot", "square", "anchor", "gear", "ring", "triangle", "flag")
LINK_STYLES = ("arrow", "double", "dashed")
WORK_STYLES = ("teeth", "line", "double")
PROJECTIONS = ("auto", "conic", "mercator", "miller")
SWATCHES = ("heading", "owner", "symbol", "work", "link", "arrow", "highlight", "badge", "text")

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Owner:
    """Someone who holds places. Owners are told apart by color, by pattern and by a short `tag`, for readers
    who see no colors.

    Leave `color` empty and let `palette.colored` choose; `group` (a side, an alliance, or '') then gives
    the family of colors.

    Raises ValueError for a color that is not '#rrggbb' and for an unknown pattern.
    """

    id: str
    name: str
    tag: str = ""
    color: str = ""
    pattern: str = "plain"
    group: str = ""

    def __post_init__(self) -> None:
        if self.color and not _COLOR.fullmatch(self.color):
            raise ValueError(f"owner '{self.id}': color '{self.color}' is not of the form #rrggbb")
        _among(f"owner '{self.id}': pattern", self.pattern, PATTERNS)


@dataclass(frozen=True, slots=True)
class Badge:
    """Units of one owner and kind at a place. `count` is text, since a reader may know only '?' or '6-20'."""

    owner: str
    icon: str
    count: str
    note: str = ""  # for the tooltip


@dataclass(frozen=True, slots=True)
class Place:
    """A place: its fill is its owner's, its outline comes from the shapes; without an outline it is a disc at
    (lon, lat).

    `short` stands in for a name that does not fit; `note` is added to the tooltip; a higher `weight` is
    labeled first.
    """

    id: str
    name: str
    kind: Kind
    lon: float
    lat: float
    owner: str = ""
    short: str = ""
    symbols: tuple[str, ...] = ()
    badges: tuple[Badge, ...] = ()
    note: str = ""
    weight: float = 0.0

    def __post_init__(self) -> None:
        if not (-360 <= self.lon <= 360 and -90 <= self.lat <= 90):
            raise ValueError(f"place '{self.id}': ({self.lon}, {self.lat}) is no longitude and latitude")
        for symbol in self.symbols:
            _among(f"place '{self.id}': symbol", symbol, SYMBOLS)


@dataclass(frozen=True, slots=True)
class Link:
    """A passage to mark between two places: drawn where they come nearest, or across `via` where that is
    narrowest.
    """

    a: str
    b: str
    style: str = "arrow"
    via: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        _among("link: style", self.style, LINK_STYLES)


@dataclass(frozen=True, slots=True)
class Work:
    """Works of `place` along its border with `facing`."""

    place: str
    facing: str
    style: str = "teeth"
    note: str = ""

    def __post_init__(self) -> None:
        _among("work: style", self.style, WORK_STYLES)


@dataclass(frozen=True, slots=True)
class Arrow:
    """A movement from a to b. Success is a full line with a full head, failure a broken line that ends in a
    cross.

    `help`: help from a for who stands in b, or for their way from b to `toward`: a thin dotted line to its
    middle.
    """

    a: str
    b: str
    outcome: Outcome = "open"
    owner: str = ""
    label: str = ""
    note: str = ""
    help: bool = False
    toward: str = ""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A place to draw attention to; success and failure differ by mark as well as by color."""

    place: str
    outcome: Outcome = "open"
    note: str = ""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A line of the legend.

    `key`: the owner id, symbol, style or outcome that `swatch` shows; a badge's letter.
    """

    swatch: str
    key: str
    text: str

    def __post_init__(self) -> None:
        _among("legend: swatch", self.swatch, SWATCHES)


@dataclass(frozen=True, slots=True)
class Panel:
    """A window of the sheet: what lies in `bounds` is fitted into `at` (x, y, width, height).

    Bounds are least longitude, least latitude, greatest longitude (it may exceed 180), greatest latitude. The
    scale follows from the two; whatever else then falls into the window is drawn too.
    """

    id: str
    title: str
    bounds: tuple[float, float, float, float]
    at: tuple[float, float, float, float]
    projection: str = "auto"
    font: float = 9.0

    def __post_init__(self) -> None:
        low_lon, low_lat, high_lon, high_lat = self.bounds
        if not (low_lon < high_lon <= low_lon + 360 and -85 <= low_lat < high_lat <= 85):
            raise ValueError(
                f"panel '{self.id}': bounds {list(self.bounds)} are not [lon, lat, greater lon, greater lat]"
            )
        if min(self.at[2:]) <= 0:
            raise ValueError(f"panel '{self.id}': at needs [x, y, width, height] with positive sizes")
        _among(f"panel '{self.id}': projection", self.projection, PROJECTIONS)


@dataclass(frozen=True, slots=True)
class Layout:
    """The sheet: its size, its panels (later ones lie on top), and where title and legend go (x, y, w, h;
    None: nowhere).
    """

    width: float
    height: float
    panels: tuple[Panel, ...]
    title: tuple[float, float, float, float] | None = None
    legend: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class MapModel:
    """All that `draw` needs. Ids that an item refers to and `places` or `owners` do not hold are passed over
    in silence:

    a reader's view may hold an arrow to a place that the reader does not know.
    """

    title: str
    places: tuple[Place, ...]
    owners: tuple[Owner, ...] = ()
    subtitle: str = ""
    shapes: Shapes | None = None
    layout: Layout | None = None
    links: tuple[Link, ...] = ()
    works: tuple[Work, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    legend: tuple[LegendEntry, ...] = ()


def layout_from(data: Mapping[str, Any]) -> Layout:
    """The layout in a mapping with `size`, `panels` and optionally `title` and `legend`, as a layout file
    states it.

    Numbers may be of any real kind, fractions too. Raises ValueError, naming the key, for anything missing,
    unknown or malformed.
    """
    _known("layout", data, {"size", "panels", "title", "legend"})
    width, height = _numbers("size", data.get("size"), 2)
    panels = []
    for row in data.get("panels") or ():
        _known("panel", row, {"id", "title", "bounds", "at", "projection", "font"})
        name = f"panel '{row.get('id', '')}'"
        panels.append(
            Panel(
                id=str(row.get("id", "")),
                title=str(row.get("title", "")),
                bounds=_four(f"{name}: bounds", row.get("bounds")),
                at=_four(f"{name}: at", row.get("at")),
                projection=str(row.get("projection", "auto")),
                font=float(row.get("font", 9.0)),
            )
        )
    if not panels:
        raise ValueError("layout: 'panels' needs at least one panel")
    boxes = {key: _four(key, data[key]) if data.get(key) is not None else None for key in ("title", "legend")}
    return Layout(width, height, tuple(panels), **boxes)


def _numbers(name: str, value: Any, count: int) -> tuple[float, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != count:
        raise ValueError(f"{name} needs {count} numbers, not {value!r}")
    if any(isinstance(item, bool) or not isinstance(item, Real) for item in value):
        raise ValueError(f"{name} needs {count} numbers, not {value!r}")
    return tuple(float(item) for item in value)


def _four(name: str, value: Any) -> tuple[float, float, float, float]:
    a, b, c, d = _numbers(name, value, 4)
    return a, b, c, d


def _known(what: str, row: Any, keys: set[str]) -> None:
    if not isinstance(row, Mapping):
        raise ValueError(f"{what} needs keys and values, not {row!r}")
    unknown = sorted(set(row) - keys)
    if unknown:
        raise ValueError(f"{what}: unknown key '{unknown[0]}'; known are {', '.join(sorted(keys))}")


def _among(what: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{what} '{value}' is none of {', '.join(allowed)}")
