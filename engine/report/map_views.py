"""From a reader's view to a map: who holds what, which units stand where as far as they are known, works,
straits, battles.

What a ruleset wants drawn stands beside its shapes in `map/marks.yaml`: which fields of places get which
symbol, how kinds of links and works look, which tags of units share a badge, and how orders are drawn of
which it is told what became. Without it the map shows owners, names and numbers of units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..core.journal import Entry
from ..core.model import Ruleset
from ..core.state import Entity, State
from ..orders.grammar import Grammar
from ..orders.names import Names
from ..orders.parse import read_orders
from ..ruleset.drawing import Drawing
from ..ruleset.order_syntax import slot_of, slots_in
from ..world.known import theaters
from ..world.view import UNKNOWN
from ..world.world import World
from .map import (
    Arrow,
    Badge,
    Highlight,
    Layout,
    LegendEntry,
    Link,
    MapModel,
    Owner,
    PageMap,
    Place,
    Shapes,
    Work,
    colored,
    draw,
    layout_from,
    page_map,
    read_shapes,
)
from .map.model import Kind, Outcome
from .wording import listing

HELP = "support"
ARROWS = ("march", "move", "attack", HELP)
"""How a ruleset may say that an order is drawn as an arrow (`orders` in `map/marks.yaml`); how one that helps
others.
"""
SMALL = 4
"""Fewer places than this are shown with those around them."""


def map_svg(
    ruleset: Ruleset,
    shown: State,
    drawing: Drawing,
    *,
    title: str = "",
    entries: Iterable[Entry] = (),
    width: int | None = None,
) -> str:
    """The map of a state as its reader sees it, as SVG text."""
    return draw(map_model(ruleset, shown, drawing, title=title, entries=list(entries)), width=width)


def report_map(
    ruleset: Ruleset,
    shown: State,
    drawing: Drawing,
    reader: str = "",
    *,
    title: str = "",
    entries: Iterable[Entry] = (),
    numbers: Mapping[str, tuple[int, str]] | None = None,
    link: str = "",
    prefix: str = "map",
) -> PageMap:
    """The map of a page, opened on the theater where most of the reader's units are (for nobody: on
    everything).

    `numbers`: place -> the number and the outcome of what the page tells of it; `link`: where places lead,
    before their ids.
    """
    world = World(ruleset, shown)
    model = map_model(ruleset, shown, drawing, title=title, entries=list(entries))
    return page_map(
        model,
        groups=_regions(world, reader),
        numbers=numbers,
        extra=tuple(_signs(world, model)),
        link=link,
        prefix=prefix,
    )


def _regions(world: World, reader: str) -> list[tuple[str, list[str]]]:
    """Theaters by name, those with most of the reader's units first; without theaters what they hold and have
    units in.
    """
    units: dict[str, int] = {}
    for _, row in world.state.stacks():
        if row["owner"] == reader:
            units[str(row["place"])] = units.get(str(row["place"]), 0) + int(row["n"])
    found = sorted(theaters(world.ruleset), key=lambda t: -sum(units.get(p, 0) for p in t[1]))
    if found:  # the seas of a theater reach far: what lies round its land can be read
        rows = world.ruleset.rows("places")
        land = [(title, [p for p in places if rows[p].get("kind") != "sea"]) for title, places in found]
        return [some if len(some[1]) >= SMALL else all_ for some, all_ in zip(land, found, strict=True)]
    held = [p for p in world.ruleset.rows("places") if world.holder_of(p) == reader] if reader else []
    mine = list(dict.fromkeys([*held, *units]))
    if len(mine) < SMALL:  # of a few places alone one sees nothing
        mine = list(
            dict.fromkeys([*mine, *(near for place in mine for near in world.geography.next_to(place))])
        )
    return [("Yours", mine)] if mine else []


def _signs(world: World, model: MapModel) -> Iterable[LegendEntry]:
    """What the letters of units stand for that are on the map, and a number that is not certain."""
    letters = {badge.icon for place in model.places for badge in place.badges}
    names: dict[str, list[str]] = {}
    for row in world.ruleset.rows("units").values():
        letter = str(row.get("symbol", row["id"][:1].upper()))
        if letter in letters:
            names.setdefault(letter, []).append(str(row.get("plural", row.get("name", row["id"]))))
    if names or "?" in letters:
        yield LegendEntry("heading", "units", "Units")
    for letter, kinds in names.items():
        yield LegendEntry("badge", letter, listing(kinds))
    if "?" in letters:
        yield LegendEntry("badge", "?", "units whose kind is not known; 6-20: how many")


def map_model(
    ruleset: Ruleset, shown: State, drawing: Drawing, *, title: str = "", entries: Sequence[Entry] = ()
) -> MapModel:
    """The drawing's model: every place with coordinates, its holder, what stands in it, and what happened in
    it.
    """
    world = World(ruleset, shown)
    places = [row for row in ruleset.rows("places").values() if "lon" in row and "lat" in row]
    shapes = _shapes(drawing, places)
    owners = _owners(world)
    seats = _seats(world, drawing.marks)
    return MapModel(
        title=title or ruleset.title,
        places=tuple(_place(world, row, drawing.marks, seats) for row in places),
        owners=owners,
        shapes=shapes,
        layout=_layout(drawing, shapes),
        links=tuple(_links(ruleset, drawing.marks)),
        works=tuple(_works(shown, drawing.marks)),
        arrows=tuple(_arrows(world, entries, drawing.marks)),
        highlights=tuple(_highlights(world, entries, drawing.marks)),
        legend=tuple(_legend(world, owners, drawing.marks)),
    )


@lru_cache(maxsize=4)
def _read_shapes(text: str) -> Shapes:
    return read_shapes(text)


def _shapes(drawing: Drawing, places: Sequence[Mapping[str, Any]]) -> Shapes | None:
    """The shapes, if they are of this map: an overlay with a map of its own is drawn by its coordinates."""
    if not drawing.shapes:
        return None
    shapes = _read_shapes(drawing.shapes)
    known = sum(row["id"] in shapes.rings for row in places)
    return shapes if places and known * 2 > len(places) else None


def _layout(drawing: Drawing, shapes: Shapes | None) -> Layout | None:
    """The layout, if it is of this map: that of shapes which are not used is not."""
    return (
        layout_from(drawing.layout) if drawing.layout and (shapes is not None or not drawing.shapes) else None
    )


def _owners(world: World) -> tuple[Owner, ...]:
    """All who hold or have anything, in the order of the ruleset; all nations count for colors, which so
    stay what they are.
    """
    held = {world.holder_of(p) for p in world.ruleset.rows("places")} | {
        r["owner"] for _, r in world.state.stacks()
    }
    rows = world.ruleset.rows("nations")
    made = []
    for nation in dict.fromkeys([*rows, *sorted(n for n in held if n)]):
        row = world.ruleset.row_or_empty("nations", nation)
        name = str(row.get("name", nation))
        tag = str(
            row.get("tag") or "".join(w[0] for w in name.split())[:3].upper() if " " in name else name[:3]
        )
        made.append(
            Owner(nation, name, tag=tag, color=str(row.get("color", "")), group=world.side_of(nation) or "")
        )
    return tuple(owner for owner in colored(made) if owner.id in held)


def _seats(world: World, marks: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The places that nations name in a field which is drawn (`nation.FIELD` in `symbols`): place -> field ->
    symbol.
    """
    out: dict[str, dict[str, str]] = {}
    for name, symbol in marks.get("symbols", {}).items():
        for nation in world.ruleset.rows("nations") if name.startswith("nation.") else ():
            place = world.field(Entity("nation", nation), name.removeprefix("nation."))
            if place is not None:
                out.setdefault(place.id, {})[name] = symbol
    return out


def _place(
    world: World, row: Mapping[str, Any], marks: Mapping[str, Any], seats: Mapping[str, Mapping[str, str]]
) -> Place:
    thing = Entity("place", row["id"])
    seat = seats.get(row["id"], {})
    symbols = list(seat.values())
    for name, s in marks.get("symbols", {}).items():
        if not name.startswith("nation.") and world.field(thing, name) and not (seat and s == "dot"):
            symbols.append(s)
    kind: Kind = "other"
    if row["kind"] in marks.get("points", ()) or "part_of" in row:
        kind = "point"
    elif row["kind"] in ("land", "sea"):
        kind = row["kind"]
    values = {k: world.field(thing, k) for k in marks.get("notes", ())}
    notes = [f"{k.replace('_', ' ')}: {value}" for k, value in values.items() if value]
    return Place(
        id=row["id"],
        name=str(row.get("name", row["id"])),
        kind=kind,
        lon=_decimal(str(row["lon"])),
        lat=_decimal(str(row["lat"])),
        owner=(world.holder_of(world.whole_of(row["id"])) or "") if kind != "sea" else "",
        symbols=tuple(symbols[:3]),
        badges=tuple(_badges(world, row["id"], marks)),
        note=", ".join(notes),
        weight=_decimal(str(row.get("value", 0) or 0)) + (10 if seat else 0),
    )


@lru_cache(maxsize=1 << 12)
def _decimal(text: str) -> float:
    return float(Fraction(text))


def _badges(world: World, place: str, marks: Mapping[str, Any]) -> Iterable[Badge]:
    """Units of an owner in a place as one badge per group of tags: the group's letter and its number."""
    groups: Mapping[str, Any] = marks.get("badges", {})
    counts: dict[tuple[str, str], int] = {}
    kinds: dict[tuple[str, str], dict[str, int]] = {}
    bands: list[Badge] = []
    for _, row in world.state.stacks(at=place):
        if row["kind"] == UNKNOWN:
            low, dots, high = str(row.get("range", "?")).partition("..")
            said = f"{low}-{high}" if high else f"{low}+"
            bands.append(Badge(row["owner"], "?", said if dots else low, str(row.get("band", ""))))
            continue
        kind = world.ruleset.row_or_empty("units", row["kind"])
        letter = next((letter for tag, letter in groups.items() if tag in kind.get("tags", ())), None)
        key = (row["owner"], letter or str(kind.get("symbol", row["kind"][:1].upper())))
        counts[key] = counts.get(key, 0) + row["n"]
        here = kinds.setdefault(key, {})
        here[row["kind"]] = here.get(row["kind"], 0) + row["n"]
    names = Names(world.ruleset)
    yield from (
        Badge(owner, icon, str(n), names.units(kinds[owner, icon]))
        for (owner, icon), n in sorted(counts.items())
    )
    yield from bands


def _links(ruleset: Ruleset, marks: Mapping[str, Any]) -> Iterable[Link]:
    styles = marks.get("links", {})
    for row in ruleset.rows("links").values():
        style = styles.get(row.get("kind", "land"))
        if style:
            yield Link(row["between"][0], row["between"][1], style=style)
    for a, b in marks.get("passages", ()):
        yield Link(a, b)


def _works(state: State, marks: Mapping[str, Any]) -> Iterable[Work]:
    styles = marks.get("works", {})
    for key, row in sorted(state.table("links").items()):
        a, _, b = key.partition("--")
        for name, works in sorted(row.items()):
            head, _, place = name.partition("@")
            if head == "works" and place:
                yield Work(place, b if place == a else a, style=styles.get(works, "teeth"), note=str(works))


def _arrows(world: World, entries: Sequence[Entry], marks: Mapping[str, Any]) -> Iterator[Arrow]:
    """Moves that were told, and orders of which it was told what became of them; of several that look alike
    the first.
    """
    held = set()
    for e in entries:
        for f in e.facts:
            if f.word == "battle_ended" and f.roles.get("winner") == "defender":
                held.add(str(f.roles.get("place")))
    seen: set[tuple[str, str, bool, str]] = set()
    for entry in entries:
        path = [str(place) for place in entry.data.get("path", ()) if isinstance(place, str)]
        if len(path) > 1:
            failed = bool(entry.data.get("hostile")) and path[-1] in held
            found: Arrow | None = Arrow(
                path[0], path[-1], outcome="failure" if failed else "success", note=entry.text
            )
        elif "asked" in entry.data and "outcome" in entry.data:
            found = _ordered(world, entry, marks)
        else:
            continue
        if found is not None and (key := (found.a, found.b, found.help, found.toward)) not in seen:
            seen.add(key)
            yield found


def _ordered(world: World, entry: Entry, marks: Mapping[str, Any]) -> Arrow | None:
    """An order as an arrow, as `orders` says how such orders are drawn and `successes` which outcomes are
    good ones.
    """
    read = read_orders(world.ruleset, str(entry.data["asked"]), state=world.state).orders
    look = marks.get("orders", {}).get(read[0]["order"]) if len(read) == 1 else None
    form = Grammar.of(world.ruleset).form(read[0]["order"]) if look else None
    if form is None:
        return None
    declared, slots = form.row.get("slots", {}), read[0].get("slots", {})
    names = dict.fromkeys(
        s.name for s in slots_in(form.pattern) if slot_of(s.name, declared.get(s.name)).kind == "place"
    )
    places = [str(slots[name]) for name in names if name in slots]
    if look not in ARROWS or len(places) < 2:
        return None
    good = set(entry.data["outcome"]) <= set(marks.get("successes", ()))
    toward = places[2] if len(places) > 2 else ""
    return Arrow(
        places[0],
        places[1],
        outcome="success" if good else "failure",
        note=entry.text,
        help=look == HELP,
        toward=toward,
    )


def _highlights(world: World, entries: Sequence[Entry], marks: Mapping[str, Any]) -> Iterator[Highlight]:
    """Places where a battle ended: taken (success) or held (failure), from the facts of readable entries;
    those that changed hands otherwise, as their holder is known; and places of orders that came to one of the
    outcomes in `blows`."""
    found: dict[str, tuple[Outcome, str]] = {}
    for entry in entries:
        for fact in entry.facts:
            if fact.word == "battle_ended" and isinstance(fact.roles.get("place"), str):
                found.setdefault(fact.roles["place"], ("failure", ""))
            if fact.word == "captured" and isinstance(fact.roles.get("place"), str):
                found[fact.roles["place"]] = ("success", "")
        for change in entry.changes:
            if (
                change[0] == "places"
                and change[2] == "holder"
                and change[3] != change[4] == world.holder_of(change[1])
            ):
                found[change[1]] = ("success", entry.text)
        if set(entry.data.get("outcome", ())) & set(marks.get("blows", ())) and "asked" in entry.data:
            read = read_orders(world.ruleset, str(entry.data["asked"]), state=world.state).orders
            place = read[0].get("slots", {}).get("place") if len(read) == 1 else None
            if isinstance(place, str):
                found[place] = ("failure", entry.text)
    for place, (outcome, note) in sorted(found.items()):
        yield Highlight(place, outcome=outcome, note=note)


def _legend(world: World, owners: Sequence[Owner], marks: Mapping[str, Any]) -> Iterable[LegendEntry]:
    by_side: dict[str, list[Owner]] = {}
    for owner in owners:
        by_side.setdefault(owner.group, []).append(owner)
    for side, members in sorted(by_side.items(), key=lambda item: (item[0] == "", item[0])):
        row = world.ruleset.row_or_empty("sides", side)
        yield LegendEntry("heading", side or "none", str(row.get("name", side)) if side else "Of no side")
        for owner in members:
            yield LegendEntry("owner", owner.id, owner.name)
    for group, words in marks.get("legend", {}).items():
        for key, text in words.items():
            yield LegendEntry(group, key, text)
