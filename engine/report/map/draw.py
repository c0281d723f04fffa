"""Draws a map model as one self-contained SVG text, the same bytes for the same model on any machine.

The sheet is a set of panels. Each is drawn from the ground up: water, land, borders, passages and works, then
names with badges where there is room, then arrows. A place is named and carries its badges in the panel that
shows it largest, and only if there is room to spare in the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .bare import Spots, bare_map, shapes_of
from .labels import Block, Box, LabelBoxes, arrange
from .legend import draw_legend
from .marks import OUTCOMES, arrow, burst, passage, pattern_fill, reach, signs_used, works
from .model import Highlight, Layout, MapModel, Owner, Panel, Place
from .outline import Outlines
from .palette import UNOWNED, colored
from .projection import Frame, frame
from .shapes import Array, gaps_between
from .svg import INK, circle, number, path, rect, tip, words
from .text import FAMILY, text_width, xml

SHEET = "#f7f4ec"
WATER, DEEP, NOBODY = "#dbe8ee", "#e4eef2", "#dcdad3"
COAST, SEA_INK, SEA_LINE = "#5d7484", "#3c6078", "#9db7c5"


def draw(model: MapModel, *, width: int | None = None, labels: bool = True, prefix: str = "map") -> str:
    """The map as SVG text.

    width: pixels that the picture asks for; by default the sheet's own width. labels: whether to write names,
    badges and legend.
    prefix: starts every id in the file, so that several maps can stand in one page.

    Raises ValueError for a prefix that is no XML name and a width that is not positive.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", prefix):
        raise ValueError(f"'{prefix}' cannot start an id")
    if width is not None and width <= 0:
        raise ValueError(f"a map cannot be {width} pixels wide")
    layout = model.layout or plain_layout(model)
    sheet = Sheet(model, layout, labels, prefix)
    body = "".join(sheet.panel(k) for k in range(len(layout.panels)))
    shown = width or round(layout.width)
    high = round(shown * layout.height / layout.width)
    size = f'width="{shown}" height="{high}" viewBox="0 0 {number(layout.width)} {number(layout.height)}"'
    type_ = f'font-family="{FAMILY}" font-stretch="condensed"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {type_} role="img"><title>{xml(model.title)}</title>'
    )
    ground = rect(0, 0, layout.width, layout.height, fill=SHEET)
    body += sheet.title_and_legend()
    return head + "<defs>" + sheet.definitions() + signs_used(body) + "</defs>" + ground + body + "</svg>\n"


def unseen(model: MapModel) -> tuple[str, ...]:
    """Ids of places that no panel shows: what a check of a layout asks."""
    layout = model.layout or plain_layout(model)
    homes = Spots(model.places, shapes_of(model), [frame(panel) for panel in layout.panels]).homes
    return tuple(sorted(place.id for place in model.places if place.id not in homes))


def plain_layout(model: MapModel, width: float = 1600.0) -> Layout:
    """One panel round all places, for a map that brings no layout.

    The height follows from the places, within reason.
    """
    if model.places:
        lons, lats = [place.lon for place in model.places], [place.lat for place in model.places]
    else:
        lons, lats = [0.0], [0.0]
    rim = max(1.0, 0.04 * max(max(lons) - min(lons), max(lats) - min(lats)))
    bounds = (
        min(lons) - rim,
        max(min(lats) - rim, -84.0),
        min(max(lons) + rim, min(lons) - rim + 360),
        min(max(lats) + rim, 84.0),
    )
    middle = np.cos(np.radians((bounds[1] + bounds[3]) / 2))
    ratio = (bounds[3] - bounds[1]) / max((bounds[2] - bounds[0]) * float(middle), 1e-6)
    margin, top, bottom = 20.0, 60.0, 120.0 if model.legend else 20.0
    high = round((width - 2 * margin) * min(max(ratio, 0.4), 1.4), 1)
    # Type as large as the narrower gaps between places allow; a crowded map is read enlarged.
    spots = np.array([[lon * float(middle), lat] for lon, lat in zip(lons, lats, strict=True)])
    gap = float(np.percentile(np.minimum(gaps_between(spots), 90.0), 25)) * high / (bounds[3] - bounds[1])
    font = round(min(max(gap / 4.5, 3.0), 12.0), 1)
    return Layout(
        width,
        high + top + bottom,
        (Panel("all", "", bounds, (margin, top, width - 2 * margin, high), font=font),),
        title=(margin, 10.0, width - 2 * margin, 40.0),
        legend=(margin, high + top + 5, width - 2 * margin, bottom - 10) if model.legend else None,
    )


UNCOUNTED = "?"
"""The letter of units whose kind is not known."""


class Sheet:
    """What the panels share: fills by owner, places by id, the shapes and who lies on which side of every
    border.
    """

    def __init__(self, model: MapModel, layout: Layout, labels: bool, prefix: str) -> None:
        self.model, self.layout, self.labels, self.prefix = model, layout, labels, prefix
        self.owners = {owner.id: owner for owner in colored(model.owners)}
        self.rank = {key: k for k, key in enumerate(self.owners)}
        self.places = {place.id: place for place in model.places}
        self.bare = bare = bare_map(model, layout)
        self.shapes, self.frames, self.spots = bare.shapes, bare.frames, bare.spots
        self.looks = {
            "": bare.number(tuple(self.owners.values())),
            **{key: bare.number(p) for key, p in self.places.items()},
        }
        """Numbers that say whether a place (of `""`: all owners) looks as it did on another sheet."""

    # ---- the sheet

    def definitions(self) -> str:
        patterns = "".join(
            pattern_fill(f"{self.prefix}-o{k}", owner.color, owner.pattern)
            for k, owner in enumerate(self.owners.values())
            if self.needs_pattern(owner)
        )
        clips = "".join(
            f'<clipPath id="{self.prefix}-c{k}">{rect(*panel.at)}</clipPath>'
            for k, panel in enumerate(self.layout.panels)
        )
        return patterns + clips

    def needs_pattern(self, owner: Owner) -> bool:
        """Whether the sheet says what an owner's land looks like."""
        return True

    def title_and_legend(self) -> str:
        parts = []
        if self.layout.title:
            x, y, _, high = self.layout.title
            size = high * (0.5 if self.model.subtitle else 0.7)
            parts.append(words(x, y + size, self.model.title, size, bold=True, anchor="start"))
            if self.model.subtitle:
                parts.append(
                    words(x, y + size + high * 0.38, self.model.subtitle, high * 0.28, anchor="start")
                )
        if self.labels and self.layout.legend and self.model.legend:
            parts.append(draw_legend(self.model.legend, self.layout.legend, self.owners, self.fill))
        return "".join(parts)

    def fill(self, owner: str) -> str:
        """What an owner's land is filled with: a color or a reference to a pattern."""
        found = self.owners.get(owner)
        if found is None:
            return UNOWNED
        return found.color if found.pattern == "plain" else f"url(#{self.prefix}-o{self.rank[owner]})"

    # ---- a panel

    def panel(self, k: int) -> str:
        window = self.frames[k]
        panel = window.panel
        outlines = self.bare.outlines(k)
        parts = [f'<g clip-path="url(#{self.prefix}-c{k})">', rect(*panel.at, fill=DEEP)]
        parts += self._ground(outlines, k)
        parts += self._borders(outlines, k)
        parts += self._links(k)
        parts += self._works(outlines, k)
        parts += self._highlights(outlines)
        parts += self._arrows(window, k)
        if self.labels:
            parts += self._names(window, k)
        parts.append("</g>" + rect(*panel.at, fill="none", stroke=INK, stroke_width=1.2))
        if self.labels:
            parts.append(panel_title(panel, SHEET))
        return "".join(parts)

    def told(self, place: Place) -> str:
        """What is to be read of a place: its name and owner, and who stands there, those of the owner
        first.
        """
        owner = self.owners.get(place.owner)
        by_owner: dict[str, list[str]] = {}
        for badge in place.badges:
            unknown = f"{badge.count} units" + (f" ({badge.note})" if badge.note else "")
            by_owner.setdefault(badge.owner, []).append(
                unknown if badge.icon == UNCOUNTED else badge.note or badge.count
            )
        parts = [place.name + (f" ({owner.name})" if owner else "")]
        for key, units in sorted(by_owner.items(), key=lambda item: item[0] != place.owner):
            holder = self.owners.get(key)
            parts.append(
                f"{holder.name}: {', '.join(units)}" if holder and key != place.owner else ", ".join(units)
            )
        return "; ".join([*parts, *filter(None, [place.note])])

    def _tooltip(self, place: Place) -> str:
        return tip("\n".join(self._lines(place)))

    def _lines(self, place: Place) -> list[str]:
        owner = self.owners.get(place.owner)
        lines = [place.name + (f" ({owner.name})" if owner else "")]
        for badge in place.badges:
            holder = self.owners.get(badge.owner)
            lines.append(f"{holder.name + ': ' if holder else ''}{badge.note or badge.icon} {badge.count}")
        return [*lines, place.note] if place.note else lines

    def _ground(self, outlines: Outlines, k: int) -> list[str]:
        parts = []
        if behind := outlines.place(""):
            parts.append(path(behind, fill=NOBODY, fill_rule="evenodd"))
        discs = self.bare.discs(k)
        for place in sorted(self.model.places, key=lambda place: (place.kind != "sea", place.id)):
            outline = outlines.place(place.id)
            fill = WATER if place.kind == "sea" and not place.owner else self.fill(place.owner)
            faint: dict[str, str | float] = (
                {"fill_opacity": 0.55} if place.kind == "sea" and place.owner else {}
            )
            inner = path(outline, fill=fill, fill_rule="evenodd", **faint) if outline else ""
            inner += self._disc(discs[place.id], fill) if place.id in discs else ""
            if inner:
                here = ' class="home"' if self.spots.homes.get(place.id, (-1,))[0] == k else ""
                parts.append(f'<g data-id="{xml(place.id)}"{here}>{self._tooltip(place)}{inner}</g>')
        return parts

    def _disc(self, spot: tuple[float, float], fill: str) -> str:
        """A disc for a place whose land is too small to be seen, or that has none in the shapes."""
        return circle(*spot, 4, fill=fill, stroke=INK, stroke_width=0.9)

    def _borders(self, outlines: Outlines, k: int) -> list[str]:
        land: dict[str, list[int]] = {"inner": [], "outer": []}
        for arc in self.bare.arcs["land"]:
            held = {self.places[key].owner if key in self.places else "" for key in self.bare.sides[arc]}
            land["inner" if len(held) == 1 and held != {""} else "outer"].append(arc)
        looks: dict[str, dict[str, str | float]] = {
            "sea": {"stroke": SEA_LINE, "stroke_width": 0.8, "stroke_dasharray": "4 3"},
            "inner": {"stroke": "#4d4a44", "stroke_opacity": 0.6, "stroke_width": 0.6},
            "coast": {"stroke": COAST, "stroke_width": 0.7},
            "outer": {"stroke": "#3a2f2a", "stroke_width": 1.5},
        }
        drawn = {
            kind: outlines.lines(land[kind]) if kind in land else self.bare.lines(k, kind) for kind in looks
        }
        return [path(data, stroke_linejoin="round", **looks[kind]) for kind, data in drawn.items() if data]

    def _links(self, k: int) -> list[str]:
        parts = []
        for link in self.model.links:
            ends = self.bare.passage(k, link.a, link.b, link.via)
            if ends is not None:  # else the two meet outside this window
                parts.append(f"<g>{tip(link.label)}{passage(*ends, link.style)}</g>")
        return parts

    def _works(self, outlines: Outlines, k: int) -> list[str]:
        parts = []
        for work in self.model.works:
            key = (k, work)
            if key not in self.bare.works:
                lines = self.bare.shared(k, work.place, work.facing)
                drawn = [self._work(outlines, work.place, line, work.style, work.note) for line in lines]
                self.bare.works[key] = "".join(drawn)
            parts.append(self.bare.works[key])
        return parts

    def _work(self, outlines: Outlines, place: str, line: Array, style: str, note: str) -> str:
        """One stretch of works, on the side of the border on which the place lies."""
        middle = len(line) // 2
        a, b = line[max(middle - 1, 0)], line[min(middle, len(line) - 1)]
        along = b - a
        length = float(np.hypot(*along)) or 1.0
        probe = (a + b) / 2 + np.array([along[1], -along[0]]) / length * 0.8
        if not _contains([self._ring(outlines, ring) for ring in self.shapes.rings.get(place, ())], probe):
            line = line[::-1]
        return f"<g>{tip(note)}{works(line, style)}</g>"

    def _ring(self, outlines: Outlines, ring: Sequence[int]) -> Array:
        turn = 0.0 if 0.0 in outlines.turns else outlines.turns[0]
        return np.concatenate([outlines.line(arc, turn) for arc in ring])

    def _highlights(self, outlines: Outlines) -> list[str]:
        parts = []
        for mark in self.model.highlights:
            outline = outlines.place(mark.place)
            broken = {"stroke_dasharray": "6 3"} if mark.outcome == "failure" else {}
            if outline:
                parts.append(path(outline, stroke=OUTCOMES[mark.outcome], stroke_width=2.6, **broken))
        return parts

    def _arrows(self, window: Frame, k: int) -> list[str]:
        parts = []
        for move in self.model.arrows:
            start, end = self.spots.spots[k].get(move.a), self.spots.spots[k].get(move.b)
            if start is None or end is None:
                continue
            middle = self.spots.spots[k].get(move.toward)
            if move.help and middle is not None:
                drawn, bend = arrow(
                    start[1],
                    ((end[1][0] + middle[1][0]) / 2, (end[1][1] + middle[1][1]) / 2),
                    move.outcome,
                    True,
                )
            else:
                drawn, bend = arrow(*reach(start[1], end[1]), move.outcome, move.help)
            label = (
                words(bend[0], bend[1] - 3, move.label, window.panel.font, bold=True, halo="#fff")
                if move.label and self.labels
                else ""
            )
            parts.append(f"<g>{tip(move.note or move.label)}{drawn}{label}</g>")
        for mark in self.bursts():
            found = self.spots.spots[k].get(mark.place)
            if found:
                x, y = found[1]
                parts.append(
                    f"<g>{tip(mark.note)}{burst(x, y - window.panel.font * 1.6, 8, mark.outcome)}</g>"
                )
        return parts

    def bursts(self) -> tuple[Highlight, ...]:
        """The highlights that have a burst beside their outline."""
        return self.model.highlights

    # ---- names and badges

    def _keep_clear(self, k: int) -> list[Box]:
        """Boxes round the signs that names had better not hide: ends of arrows, and bursts."""
        spots, rise = self.spots.spots[k], self.layout.panels[k].font * 1.6
        boxes = []
        for move in self.model.arrows:
            if move.a in spots and move.b in spots:
                (x0, y0), (x1, y1) = reach(spots[move.a][1], spots[move.b][1])
                boxes += [
                    (x - 5, y - 5, x + 5, y + 5)
                    for x, y in ((x1, y1), ((x0 + 2 * x1) / 3, (y0 + 2 * y1) / 3))
                ]
        for mark in self.model.highlights:
            if mark.place in spots:
                x, y = spots[mark.place][1]
                boxes.append((x - 7, y - rise - 7, x + 7, y - rise + 7))
        return boxes

    def _tagged(self, k: int) -> set[str]:
        """One place of each owner in the panel, the roomiest: it carries the owner's tag, for readers who see
        no colors.
        """
        best: dict[str, tuple[float, str]] = {}
        for place in self.model.places:
            if place.owner and place.kind != "sea" and self.spots.homes.get(place.id, (-1,))[0] == k:
                worth = (self.spots.room[k].get(place.id, 0.0), place.id)
                best[place.owner] = max(best.get(place.owner, worth), worth)
        return {place for _, place in best.values()}

    def _names(self, window: Frame, k: int) -> list[str]:
        panel = window.panel
        x, y, width, high = panel.at
        taken: list[tuple[str, Box, float]] = []
        for other in self.layout.panels[k + 1 :]:
            box = (other.at[0], other.at[1], other.at[0] + other.at[2], other.at[1] + other.at[3])
            taken.append((f"panel {other.id}", box, 20.0))
        for name, at in (("legend", self.layout.legend), ("title", self.layout.title)):
            if at:
                taken.append((name, (at[0], at[1], at[0] + at[2], at[1] + at[3]), 20.0))
        if panel.title:
            box = (x, y, x + text_width(panel.title, panel.font * 1.5, True) + 14, y + panel.font * 2.4)
            taken.append(("heading", box, 20.0))
        taken += [(f"sign {n}", box, 2.0) for n, box in enumerate(self._keep_clear(k))]
        wanted: list[tuple[Place, tuple[float, float], float, bool, bool]] = []
        seen: list[tuple[int, bool]] = []
        tagged = self._tagged(k)
        for place in self.model.places:
            home, spot = self.spots.homes.get(place.id, (-1, (0.0, 0.0)))
            found = (0, spot) if home == k else self.spots.spots[k].get(place.id)
            if found is not None and found[0] == 0:
                wanted.append(
                    (place, found[1], self.spots.room[k].get(place.id, 0.0), home == k, place.id in tagged)
                )
                seen.append((self.looks[place.id], place.id in tagged))
        # far from any reader's own units most readers see the same
        key = (k, self.looks[""], *seen, *taken)
        drawn = self.bare.names.get(key)
        if drawn is None:
            ground = LabelBoxes((x + 2, y + 2, x + width - 2, y + high - 2))
            for name, box, weight in taken:
                ground.take(name, box, weight)
            wanted.sort(key=lambda w: (not w[3], w[0].kind == "sea", -w[0].weight, w[2], w[0].id))
            drawn = arrange([self._block(k, *each) for each in wanted], ground)
            self.bare.keep_names(key, drawn)
        return drawn

    def _block(
        self, k: int, place: Place, spot: tuple[float, float], room: float, home: bool, tagged: bool
    ) -> Block:
        """A place's name and badges in a panel, made once for all readers to whom it looks the same."""
        key = (k, self.looks[""], self.looks[place.id], tagged)
        found = self.bare.blocks.get(key)
        if found is None:
            font = self.layout.panels[k].font
            found = self.bare.blocks[key] = Block(place, spot, room, font, home, self.owners, tagged)
        return found


def _contains(rings: Sequence[Array], point: Array) -> bool:
    """Whether the even-odd area of the rings holds the point."""
    inside = False
    for ring in rings:
        a, b = ring, np.roll(ring, -1, axis=0)
        crosses = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = a[:, 0] + (point[1] - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
        inside ^= bool(np.count_nonzero(crosses & (at > point[0])) % 2)
    return inside


def panel_title(panel: Panel, fill: str) -> str:
    """The title of a part of the map in its corner, if it has one."""
    if not panel.title:
        return ""
    x, y, _, _ = panel.at
    size = panel.font * 1.5
    wide = text_width(panel.title, size, True) + 12
    return rect(x, y, wide, size * 1.5, fill=fill, stroke=INK, stroke_width=0.8) + words(
        x + 6, y + size * 1.12, panel.title, size, bold=True, anchor="start"
    )
