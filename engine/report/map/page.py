"""The map of a page: small in bytes, with regions to choose from without a script, and a legend in words
beside it.

The same sheet is drawn as for a picture, but outlines lie on a coarser grid and are drawn once each, places
carry a note where they are named only, and the looks are said once. A region is a part of the sheet that
fills the frame when it is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from .draw import Sheet, panel_title, plain_layout
from .legend import sample
from .marks import signs_used
from .model import Highlight, Layout, LegendEntry, MapModel, Owner, Place
from .outline import Outlines
from .small import Point, lines_data, merged_halos, on_grid, rings_data, stepped, styled
from .svg import INK, circle, rect, words
from .text import FAMILY, xml

GRID, SLACK, COARSE, MANY = 2.0, 1.6, 3.2, 450
"""Sheet units between the lines on which outlines lie, and how far (in these) an outline may pass beside its
vertices: of maps with more than so many places, which would else be too large for a mail, farther."""
FRAME = (800, 600)
WIDE = 400.0
"""Sheet units within which places are shown together."""
LEAST, RIM = (320.0, 240.0), 30.0
"""A region's least width and height, and how far it goes beyond the outermost of its places, in sheet
units.
"""


@dataclass(frozen=True)
class Region:
    """A part of the map by its name, and how the sheet is moved and enlarged to show it: x, y, scale."""

    title: str
    x: float
    y: float
    scale: float


@dataclass(frozen=True)
class PageMap:
    """What a page needs of a map: the drawing, the rules of its looks, its regions (the first is shown), and
    its legend.

    The legend is made of pairs of a sample (SVG; "" for a heading) and words. `spots`: place -> where it is
    named, in sheet units; `told`: place -> what the drawing says of it, in words; `outlines`: place -> its
    outline on the grid, where places lead somewhere.
    """

    svg: str
    style: str
    regions: tuple[Region, ...]
    legend: tuple[tuple[str, str], ...]
    spots: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    outlines: Mapping[str, str] = field(default_factory=dict)

    def around(self, title: str, places: Sequence[str]) -> Region | None:
        """The part of the map that holds some places; None if none of them is on it."""
        spots = [self.spots[place] for place in places if place in self.spots]
        x, y = (sum(s[k] for s in spots) / max(len(spots), 1) for k in (0, 1))
        # a window of its own lies elsewhere
        near = [s for s in spots if math.hypot(s[0] - x, s[1] - y) < WIDE] or spots[:1]
        reach = (
            (min(s[0] for s in near) - WIDE, min(s[1] for s in near) - WIDE, 4 * WIDE, 4 * WIDE)
            if near
            else None
        )
        return _fitted(title, _round(near, reach)) if reach else None


def page_map(
    model: MapModel,
    *,
    groups: Sequence[tuple[str, Sequence[str]]] = (),
    numbers: Mapping[str, tuple[int, str]] | None = None,
    extra: Sequence[LegendEntry] = (),
    prefix: str = "map",
    link: str = "",
) -> PageMap:
    """The map for a page. `groups`: regions by title and places, in their order; `numbers`: place -> what is
    told of it.

    That is the number of a part of the page (`#b1`) and its outcome. `extra`: further lines of the legend.
    `link`: each place leads to this address followed by its id, and its outline has the id `PREFIX-PLACE`.
    """
    layout = model.layout or plain_layout(model)
    sheet = _PageSheet(model, layout, numbers or {}, prefix, link)
    body = stepped(merged_halos("".join(sheet.panel(k) for k in range(len(layout.panels)))))
    body, rules = styled(body, "q")
    fills = "".join(
        f".{prefix}-o{k}{{fill:{owner.color if owner.pattern == 'plain' else f'url(#{prefix}-o{k})'}}}"
        for k, owner in enumerate(sheet.owners.values())
    )
    legend = tuple((_sample(sheet, e), e.text) for e in (*model.legend, *extra))
    signs = signs_used(body + "".join(drawn for drawn, _ in legend))
    type_ = f'font-family="{FAMILY}" font-stretch="condensed"'
    svg = (
        f'<svg viewBox="0 0 {FRAME[0]} {FRAME[1]}" {type_} role="img" aria-label="{xml(model.title)}">'
        f'<defs>{sheet.definitions()}{signs}</defs><g class="sheet">{body}</g></svg>'
    )
    spots = {place: spot for place, (_, spot) in sheet.spots.homes.items()}
    told = {place.id: sheet.told(place) for place in model.places}
    homes = sheet.spots.homes.items() if link else ()
    outlines = {place: sheet._small(k, place, sheet.bare.outlines(k)) for place, (k, _) in homes}
    return PageMap(
        svg,
        _LOOKS.replace("MAP", prefix) + fills + rules,
        _regions(sheet, groups),
        legend,
        spots,
        told,
        outlines,
    )


_LOOKS = (
    f".MAP-s{{fill:var(--water);stroke:var(--shore);stroke-width:{0.8 / GRID:g};"
    f"stroke-dasharray:{4 / GRID:g} {3 / GRID:g}}}"
    f".MAP-l{{stroke:#4d4a44;stroke-width:{0.6 / GRID:g};stroke-opacity:.7;"
    "fill-rule:evenodd;stroke-linejoin:round}"
    f".MAP-x{{fill:none;stroke:#3a2f2a;stroke-width:{1.5 / GRID:g};stroke-linejoin:round}}"
    f".MAP-h{{fill:none;stroke-width:{2.6 / GRID:g}}}"
    ".MAP-n{fill:#fff;stroke-width:1.6}.MAP-u{fill:#efece4}.MAP-v{fill:#dcdad3}.MAP-d{fill:var(--water)}"
    ".MAP-t{fill-opacity:.55}.MAP-good{stroke:#00614b}.MAP-bad{stroke:#b3261e;stroke-dasharray:3 1.5}"
)


class _PageSheet(Sheet):
    """A sheet whose outlines are drawn once each, on a grid."""

    def __init__(
        self,
        model: MapModel,
        layout: Layout,
        numbers: Mapping[str, tuple[int, str]],
        prefix: str,
        link: str = "",
    ) -> None:
        super().__init__(model, layout, True, prefix)
        self.numbers = numbers
        self.link = link

    def needs_pattern(self, owner: Owner) -> bool:
        return owner.id in self._owning

    @cached_property
    def _owning(self) -> set[str]:
        return {place.owner for place in self.model.places}

    def panel(self, k: int) -> str:
        window, outlines = self.frames[k], self.bare.outlines(k)
        panel = window.panel
        parts = [
            f'<g clip-path="url(#{self.prefix}-c{k})">',
            rect(*panel.at, fill="DEEP").replace('fill="DEEP"', f'class="{self.prefix}-d"'),
        ]
        parts += [f'<g transform="scale({GRID:g})">', *self._fills(outlines, k), self._fronts(outlines, k)]
        parts += [*self._outlined(outlines, k), "</g>"]
        parts += [*self._discs(k), *self._links(k), *self._works(outlines, k), *self._arrows(window, k)]
        parts += [*self._names(window, k), *self._numbered(k)]
        parts.append("</g>" + rect(*panel.at, fill="none", stroke=INK, stroke_width=1.2))
        return "".join([*parts, panel_title(panel, "#f7f4ec")])

    def _arc(self, k: int, arc: int, turn: float, outlines: Outlines) -> list[Point]:
        """The vertices of an arc on the grid; the same for every reader and for both places that share it."""
        number = arc if arc >= 0 else ~arc
        kept = self.bare.small_arcs
        if (k, number, turn) not in kept:
            slack = COARSE if len(self.model.places) > MANY else SLACK
            kept[k, number, turn] = on_grid(outlines.thinned(number, turn).tolist(), GRID, slack)
        found = kept[k, number, turn]
        return found if arc >= 0 else found[::-1]

    def _small(self, k: int, place: str, outlines: Outlines) -> str:
        """The outline of a place on the grid."""
        kept = self.bare.small
        if (k, place) not in kept:
            rings = []
            for turn, ring in outlines.rings(place):
                points: list[Point] = []
                for arc in ring:
                    points += self._arc(k, arc, turn, outlines)[1 if points else 0 :]
                rings.append(points)
            kept[k, place] = rings_data(rings)
        return kept[k, place]

    def _class(self, owner: str) -> str:
        return f"{self.prefix}-o{self.rank[owner]}" if owner in self.rank else f"{self.prefix}-u"

    def _fills(self, outlines: Outlines, k: int) -> list[str]:
        parts = []
        if behind := self._small(k, "", outlines):
            parts.append(f'<path class="{self.prefix}-v" fill-rule="evenodd" d="{behind}"/>')
        kept, owners = self.bare.fills, self.looks[""]
        for place in self._seas_first:
            key = (k, owners, self.looks[place.id], self.prefix, self.link)
            drawn = kept.get(key)
            if drawn is None:
                drawn = kept[key] = self._fill_of(place, k, outlines)
            parts.append(drawn)
        return parts

    def _fill_of(self, place: Place, k: int, outlines: Outlines) -> str:
        """A place's land or water in its owner's color, with what is to be read of it."""
        data = self._small(k, place.id, outlines)
        if not data:
            return ""
        sea = place.kind == "sea"
        looks = [f"{self.prefix}-{'s' if sea else 'l'}"]
        if not sea or place.owner:
            looks.append(self._class(place.owner))
        if sea and place.owner:
            looks.append(f"{self.prefix}-t")
        shape = f'<path class="{" ".join(looks)}" d="{data}"'
        if self.spots.homes.get(place.id, (-1,))[0] != k:
            return f"{shape}/>"
        if not self.link:
            return f"{shape}>{self._tooltip(place)}</path>"
        return self._linked(place, f'<path id="{self.prefix}-{xml(place.id)}"{shape.removeprefix("<path")}/>')

    def _linked(self, place: Place, drawn: str) -> str:
        """What is drawn of a place, leading to where more is told of it."""
        return (
            f'<a href="{xml(self.link + place.id)}" '
            f'aria-label="{xml(self.told(place))}">{self._tooltip(place)}{drawn}</a>'
        )

    @cached_property
    def _seas_first(self) -> list[Place]:
        return sorted(self.model.places, key=lambda place: (place.kind != "sea", place.id))

    def _discs(self, k: int) -> list[str]:
        parts = []
        for id_, spot in self.bare.discs(k).items():
            drawn = self._disc(spot, "MARK").replace(
                'fill="MARK"', f'class="{self._class(self.places[id_].owner)}"'
            )
            home = self.spots.homes.get(id_, (-1,))[0] == k
            parts.append(self._linked(self.places[id_], drawn) if self.link and home else drawn)
        return parts

    def _fronts(self, outlines: Outlines, k: int) -> str:
        """The borders between owners, which depend on who holds what."""
        data = lines_data(
            self._arc(k, arc, turn, outlines)
            for turn, arc in product(outlines.turns, self._between)
            if outlines.near(arc, turn)
        )
        return f'<path class="{self.prefix}-x" d="{data}"/>' if data else ""

    @cached_property
    def _between(self) -> list[int]:
        """The arcs on land between owners."""
        owner = {key: place.owner for key, place in self.places.items()}
        return [
            arc
            for arc in self.bare.arcs["land"]
            if len({owner.get(key, "") for key in self.bare.sides[arc]}) > 1
        ]

    def _outlined(self, outlines: Outlines, k: int) -> list[str]:
        return [
            f'<path class="{self.prefix}-h {self.prefix}-{"good" if mark.outcome == "success" else "bad"}" '
            f'd="{data}"/>'
            for mark in self.model.highlights
            if (data := self._small(k, mark.place, outlines))
        ]

    def _numbered(self, k: int) -> list[str]:
        """The numbers of the news of places, each leading there."""
        parts = []
        for place, (n, outcome) in self.numbers.items():
            home, spot = self.spots.homes.get(place, (-1, (0.0, 0.0)))
            if home == k:
                x, y = spot[0], spot[1] - self.layout.panels[k].font * 1.6
                look = f"{self.prefix}-n {self.prefix}-{'good' if outcome == 'success' else 'bad'}"
                mark = circle(x, y, 8, fill="LOOK").replace('fill="LOOK"', f'class="{look}"') + words(
                    x, y + 3.8, str(n), 10.5, bold=True
                )
                parts.append(f'<a href="#b{n}">{mark}</a>')
        return parts

    def bursts(self) -> tuple[Highlight, ...]:
        return tuple(m for m in self.model.highlights if m.place not in self.numbers)


def _sample(sheet: _PageSheet, entry: LegendEntry) -> str:
    """A line's sample as an SVG of its own; "" for a heading."""
    if entry.swatch in ("heading", "text"):
        return ""
    if entry.swatch == "owner":
        owner = sheet.owners.get(entry.key)
        tag = f'<text x="12" y="12">{xml(owner.tag)}</text>' if owner and owner.tag else ""
        drawn = f'<rect class="{sheet._class(entry.key)}" width="24" height="16"/>{tag}'
    else:
        drawn = sample(entry, 0.0, 8.0, 16.0, sheet.owners, sheet.fill)
    return f'<svg width="24" height="16" aria-hidden="true">{drawn}</svg>'


def _regions(sheet: _PageSheet, groups: Sequence[tuple[str, Sequence[str]]]) -> tuple[Region, ...]:
    """The groups that stand in a window, each where most of its places do; then every window with a name,
    then the sheet.
    """
    homes = sheet.spots.homes
    out: list[Region] = []
    for title, places in groups:
        by_panel: dict[int, list[tuple[float, float]]] = {}
        for place in places:
            if place in homes:
                k, spot = homes[place]
                by_panel.setdefault(k, []).append(spot)
        if by_panel:
            k, spots = max(by_panel.items(), key=lambda item: (len(item[1]), -item[0]))
            out.append(_fitted(title, _round(spots, sheet.layout.panels[k].at)))
    titles = {r.title for r in out}
    if len(sheet.layout.panels) > 1:
        out += [_fitted(p.title, p.at) for p in sheet.layout.panels if p.title and p.title not in titles]
    out.append(_fitted("Everything", (0.0, 0.0, sheet.layout.width, sheet.layout.height)))
    return tuple(out)


def _round(
    spots: Sequence[tuple[float, float]], at: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """A box round spots, of a least size, inside its window."""
    xs, ys = [s[0] for s in spots], [s[1] for s in spots]
    width, high = max(max(xs) - min(xs) + 2 * RIM, LEAST[0]), max(max(ys) - min(ys) + 2 * RIM, LEAST[1])
    # it fills the frame
    width, high = max(width, high * FRAME[0] / FRAME[1]), max(high, width * FRAME[1] / FRAME[0])
    width, high = min(width, at[2]), min(high, at[3])
    left = min(max((max(xs) + min(xs) - width) / 2, at[0]), at[0] + at[2] - width)
    top = min(max((max(ys) + min(ys) - high) / 2, at[1]), at[1] + at[3] - high)
    return left, top, width, high


def _fitted(title: str, box: tuple[float, float, float, float]) -> Region:
    x, y, width, high = box
    scale = min(FRAME[0] / width, FRAME[1] / high)
    return Region(
        title,
        round((FRAME[0] - width * scale) / 2 - x * scale, 1),
        round((FRAME[1] - high * scale) / 2 - y * scale, 1),
        round(scale, 3),
    )
