"""The map as a picture: fill in a `MapModel` with what a reader may see, `draw` it as SVG, turn that into PNG
with `to_png`.
"""

from .draw import draw, plain_layout, unseen
from .model import (
    Arrow,
    Badge,
    Highlight,
    Layout,
    LegendEntry,
    Link,
    MapModel,
    Owner,
    Panel,
    Place,
    Work,
    layout_from,
)
from .page import PageMap, page_map
from .palette import colored
from .png import to_png
from .shapes import Shapes, nearest_point_shapes, read_shapes

__all__ = [
    "Arrow",
    "Badge",
    "Highlight",
    "Layout",
    "LegendEntry",
    "Link",
    "MapModel",
    "Owner",
    "PageMap",
    "Panel",
    "Place",
    "Shapes",
    "Work",
    "colored",
    "draw",
    "layout_from",
    "nearest_point_shapes",
    "page_map",
    "plain_layout",
    "read_shapes",
    "to_png",
    "unseen",
]
