"""From longitude and latitude to a panel of the sheet, and back.

A frame fits a panel's bounds into its window without distorting the projection and knows which box of
longitudes and latitudes can be seen in it, so that far-off land can be left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .model import Panel
from .shapes import Array


@dataclass(frozen=True)
class _Conic:
    """Conformal conic on a sphere with two true parallels, all in radians."""

    center: float
    power: float
    factor: float

    @classmethod
    def between(cls, center: float, low: float, high: float) -> _Conic:
        a, b = low + (high - low) / 6, high - (high - low) / 6
        ta, tb = math.tan(math.pi / 4 + a / 2), math.tan(math.pi / 4 + b / 2)
        power = math.log(math.cos(a) / math.cos(b)) / math.log(tb / ta)
        return cls(center, power, math.cos(a) * ta**power / power)

    def forward(self, lon: Array, lat: Array) -> tuple[Array, Array]:
        radius = self.factor / np.tan(math.pi / 4 + lat / 2) ** self.power
        angle = self.power * (lon - self.center)
        return radius * np.sin(angle), -radius * np.cos(angle)

    def inverse(self, x: Array, y: Array) -> tuple[Array, Array]:
        radius = np.copysign(np.hypot(x, y), self.power)
        angle = np.arctan2(x, -y) if self.power > 0 else np.arctan2(-x, y)
        return angle / self.power + self.center, 2 * np.arctan(
            (self.factor / radius) ** (1 / self.power)
        ) - math.pi / 2


@dataclass(frozen=True)
class _Cylinder:
    """Mercator for stretch 1; Miller, which swells less towards the poles, for stretch 0.8."""

    center: float
    stretch: float

    def forward(self, lon: Array, lat: Array) -> tuple[Array, Array]:
        return lon - self.center, np.log(np.tan(math.pi / 4 + self.stretch * lat / 2)) / self.stretch

    def inverse(self, x: Array, y: Array) -> tuple[Array, Array]:
        return x + self.center, (2 * np.arctan(np.exp(self.stretch * y)) - math.pi / 2) / self.stretch


@dataclass(frozen=True)
class Frame:
    """A panel with its projection.

    `seen`: the least lon and lat, then the greatest, that the window can show.
    """

    panel: Panel
    projection: _Conic | _Cylinder
    scale: float  # sheet units per unit of the projection
    origin: tuple[float, float]
    seen: tuple[float, float, float, float]

    def project(self, lonlat: Array) -> Array:
        """(n, 2) degrees to (n, 2) sheet units.

        What lies beyond `seen` is moved to its edge, which no window shows.
        """
        low_lon, low_lat, high_lon, high_lat = self.seen
        lon = np.radians(np.clip(lonlat[:, 0], low_lon, high_lon))
        lat = np.radians(np.clip(lonlat[:, 1], low_lat, high_lat))
        x, y = self.projection.forward(lon, lat)
        return np.column_stack([self.origin[0] + x * self.scale, self.origin[1] - y * self.scale])

    def spots(self, lonlat: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
        """Where points, (n, 2) degrees, lie on the sheet, and which of them are in the window."""
        low_lon, low_lat, high_lon, high_lat = self.seen
        # the turn that a window of at most a full turn can show
        lon = low_lon + (lonlat[:, 0] - low_lon) % 360.0
        sheet = self.project(np.column_stack([lon, lonlat[:, 1]]))
        x0, y0, width, height = self.panel.at
        x, y = sheet[:, 0], sheet[:, 1]
        inside = (lon <= high_lon) & (lonlat[:, 1] >= low_lat) & (lonlat[:, 1] <= high_lat)
        return sheet, inside & (x >= x0) & (x <= x0 + width) & (y >= y0) & (y <= y0 + height)

    def units_per_degree(self, lat: Array) -> Array:
        """Sheet units per degree of latitude near these latitudes, (n,)."""
        lon = np.full(len(lat), (self.seen[0] + self.seen[2]) / 2)
        middle = np.clip(lat, self.seen[1] + 0.5, self.seen[3] - 0.5)
        ends = (self.project(np.column_stack([lon, middle + step])) for step in (-0.5, 0.5))
        below, above = ends
        return np.asarray(np.hypot(above[:, 0] - below[:, 0], above[:, 1] - below[:, 1]), dtype=np.float64)


def frame(panel: Panel) -> Frame:
    """The frame of a panel: its bounds as large as its window allows, in the middle of it."""
    low_lon, low_lat, high_lon, high_lat = panel.bounds
    middle = (low_lat + high_lat) / 2
    choice = panel.projection
    if choice == "auto":
        choice = "conic" if abs(middle) >= 25 and high_lon - low_lon <= 150 else "miller"
    if choice == "conic" and abs(middle) < 5:
        choice = "mercator"  # a cone whose parallels lie alike on both sides of the equator is a cylinder
    center = math.radians((low_lon + high_lon) / 2)
    projection: _Conic | _Cylinder
    if choice == "conic":
        projection = _Conic.between(center, math.radians(low_lat), math.radians(high_lat))
    else:
        projection = _Cylinder(center, 1.0 if choice == "mercator" else 0.8)
    steps = np.linspace(0.0, 1.0, 33)
    lon, lat = low_lon + (high_lon - low_lon) * steps, low_lat + (high_lat - low_lat) * steps
    rim = np.radians(
        np.concatenate(
            [
                np.column_stack([lon, np.full(33, low_lat)]),
                np.column_stack([lon, np.full(33, high_lat)]),
                np.column_stack([np.full(33, low_lon), lat]),
                np.column_stack([np.full(33, high_lon), lat]),
            ]
        )
    )
    x, y = projection.forward(rim[:, 0], rim[:, 1])
    x0, y0, width, height = panel.at
    scale = min(width / float(np.ptp(x)), height / float(np.ptp(y)))
    origin = (
        x0 + width / 2 - (x.min() + x.max()) / 2 * scale,
        y0 + height / 2 + (y.min() + y.max()) / 2 * scale,
    )
    return Frame(
        panel,
        projection,
        scale,
        (float(origin[0]), float(origin[1])),
        _seen(projection, panel, scale, origin),
    )


def _seen(
    projection: _Conic | _Cylinder, panel: Panel, scale: float, origin: tuple[float, float], rim: float = 4.0
) -> tuple[float, float, float, float]:
    """The box of degrees that covers the window and `rim` degrees round it, at most a full turn, and 85
    degrees up or down.
    """
    x0, y0, width, height = panel.at
    steps = np.linspace(0.0, 1.0, 33)
    xs, ys = np.meshgrid(x0 + width * steps, y0 + height * steps)
    lon, lat = projection.inverse((xs.ravel() - origin[0]) / scale, (origin[1] - ys.ravel()) / scale)
    lon, lat = np.degrees(lon), np.degrees(lat)
    center = math.degrees(projection.center)
    return (
        max(float(lon.min()) - rim, center - 180),
        max(float(lat.min()) - rim, -85.0),
        min(float(lon.max()) + rim, center + 180),
        min(float(lat.max()) + rim, 85.0),
    )
