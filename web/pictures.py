"""Maps for pages: the report's map, one region at a time, with the battles numbered as the page numbers them.

A map is a picture of its own, loaded by the page that shows it; which region is shown is in its address, so
that it can be chosen without a script.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wteaw.core.journal import Entry
from wteaw.core.model import Ruleset
from wteaw.core.state import State
from wteaw.report.map.page import FRAME, PageMap, Region
from wteaw.report.map_views import report_map
from wteaw.ruleset.drawing import Drawing

_DRAWING = threading.Lock()  # drawings share what they have in common
_GROUND = (
    ":root{--water:#dbe8ee;--shore:#9db7c5;background:#dbe8ee}"
    "@media(prefers-color-scheme:dark){:root{--water:#16222b;--shore:#40505c;background:#16222b}.sheet{filter:brightness(.82)}}"
)


@dataclass(frozen=True)
class MapPicture:
    """A map and the titles of its regions; the first one is to be shown where nobody has chosen."""

    page: PageMap
    title: str

    @property
    def regions(self) -> tuple[str, ...]:
        return tuple(r.title for r in self.page.regions)

    def seen(self, region: int) -> str:
        """The picture of one region."""
        shown = self.page.regions[region if 0 <= region < len(self.page.regions) else 0]
        size = f'xmlns="http://www.w3.org/2000/svg" width="{2 * FRAME[0]}" height="{2 * FRAME[1]}" '
        moved = f'<g class="sheet" transform="translate({shown.x} {shown.y}) scale({shown.scale})">'
        svg = self.page.svg.replace("<svg ", f"<svg {size}", 1).replace('<g class="sheet">', moved, 1)
        return svg.replace("<defs>", f"<style>{_GROUND}{self.page.style}</style><defs>", 1)

    def ground(self, shown: Region, over: str) -> str:
        """The picture of a region as a part of a page, whose looks are a file of their own (`looks`), with
        something drawn over it in the units of the sheet."""
        moved = f'<g class="sheet" transform="translate({shown.x} {shown.y}) scale({shown.scale})">'
        svg = self.page.svg.replace('<g class="sheet">', moved, 1).replace(
            ' role="img"', ' id="ground" role="group"', 1
        )
        return f'{svg.removesuffix("</g></svg>")}<g id="over">{over}</g></g></svg>'

    @property
    def looks(self) -> str:
        """The looks of what `ground` gives."""
        return _GROUND.replace("background:", "--ground:") + self.page.style


def picture(
    ruleset: Ruleset,
    shown: State,
    drawing: Drawing,
    *,
    title: str,
    entries: Sequence[Entry] = (),
    reader: str = "",
    numbers: Mapping[str, tuple[int, str]] | None = None,
    link: str = "",
    prefix: str = "map",
) -> MapPicture:
    """The map of what a reader is shown. `numbers`: place -> the number of its battle on the page, and its
    outcome; `link`: the address to which places lead, before their ids."""
    with _DRAWING:
        page = report_map(
            ruleset,
            shown,
            drawing,
            reader,
            title=title,
            entries=entries,
            numbers=numbers,
            link=link,
            prefix=prefix,
        )
        return MapPicture(page, title)
