"""Treasuries: where a nation's resources lie, which treasury a place draws on, and paying.

A resource has one treasury per nation, under its id. With `treasury: region` every connected part of a
nation's land has its own, under `nation/seat`, the seat being the place that keeps it; parts that meet become
one (`unite`). With `treasury: place` every place has one, under its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..core.choices import block_of, word_of
from ..core.faults import MOST_AMOUNT, few
from ..core.journal import Journal
from ..core.model import Row, Ruleset, derived_of
from ..core.state import Entity, columns
from ..ruleset.expressions.functions import HOLDERS
from ..ruleset.expressions.reads import MEANING, Tables, purses_read
from .name_wording import inside_sentence
from .passages import links_of
from .world import World

_TREASURIES = frozenset(("treasuries", *HOLDERS))


def in_words(ruleset: Ruleset, what: str) -> str:
    """A resource as it stands inside a sentence: its name, not its id."""
    return inside_sentence(ruleset, str(ruleset.row_or_empty("resources", what).get("name", what)))


def so_much(ruleset: Ruleset, n: Any, what: str) -> str:
    """So much of a resource: "1 point", "2 points"."""
    name = in_words(ruleset, what)
    return f"{n} {name[:-1] if n == 1 and name.endswith('s') and not name.endswith('ss') else name}"


def money(ruleset: Ruleset) -> str:
    """The resource in which prices are, where nothing else is said: the setting `money`, else the first
    resource.
    """
    return str(ruleset.setting("money") or next(iter(ruleset.rows("resources")), ""))


@derived_of()
def division(ruleset: Ruleset, resource: str) -> Row:
    """How a resource's treasuries are divided: `per` nation, region or place, and what its row says besides
    of regions.
    """
    row = ruleset.row_or_empty("resources", resource)
    return {"per": word_of(row, "treasury"), **block_of(row, "treasury")}


def region_of(world: World, nation: str, place: str, row: Row) -> tuple[str, ...]:
    """The places joined to a place through the nation's own links, the place itself included."""
    return _region_index(world, nation, row).get(place, (place,))


def _region_index(world: World, nation: str, row: Row) -> dict[str, tuple[str, ...]]:
    def make() -> dict[str, tuple[str, ...]]:
        return {p: part for part in regions(world, nation, row) for p in part}

    return world.keep(("region-index", nation, _shape(row)), purses_read(world.ruleset), make)


def _shape(row: Row) -> tuple[Any, ...]:
    """What divides the treasuries; resources divided alike share what is derived."""
    return tuple(row.get("links", ())), row.get("through")


def regions(world: World, nation: str, row: Row) -> list[tuple[str, ...]]:
    """Connected parts of what a nation holds, over the links and through the places that the row allows.

    Land of allies that passes the row's test joins parts, but belongs to none.
    """
    test = row.get("through")
    links = links_of(row)
    geography = world.geography

    def make() -> list[tuple[str, ...]]:
        who = Entity("nation", nation)

        def open_to(places: list[str]) -> list[str]:
            if test is None:
                return places
            return [
                p
                for p in places
                if world.test(test, {"self": who, "nation": who, "place": Entity("place", p)})
            ]

        held = held_by(world)
        own = open_to(held.get(nation, []))
        parts = geography.regions(own, links)
        if len(parts) > 1 and test is not None:
            others = [p for n in sorted(held) if n != nation and world.allied(nation, n) for p in held[n]]
            mine = set(own)
            wider = geography.regions([*own, *open_to(others)], links) if others else parts
            parts = [found for part in wider if (found := [p for p in part if p in mine])]
        return [tuple(part) for part in parts]

    return world.keep(("regions", nation, _shape(row)), purses_read(world.ruleset), make)


def _held(world: World) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    now = world.state.table("places")
    for place, row in world.ruleset.rows("places").items():
        holder = world.holder_of(place) if place in now else row.get("owner")
        if holder:
            out.setdefault(holder, []).append(place)
    return out


def held_places(world: World, nation: str) -> list[str]:
    """The places a nation holds, in the order of the ruleset."""
    return held_by(world).get(nation, [])


def held_by(world: World) -> Mapping[str, list[str]]:
    """Nation -> the places that it holds, in the order of the ruleset."""
    return world.keep("held-places", HOLDERS, lambda: _held(world))


def purses(world: World, nation: str, resource: str) -> Mapping[str, Any]:
    """Treasury id -> amount of a nation. A treasury whose seat another holds is out of reach and left out."""

    def make() -> dict[str, list[tuple[str, str]]]:
        out: dict[str, list[tuple[str, str]]] = {}
        for key in world.state.table("treasuries"):
            owner, _, seat = key.partition("/")
            out.setdefault(owner, []).append((key, seat))
        return out

    def held() -> dict[str, Any]:
        rows = world.state.table("treasuries")
        keys: list[tuple[str, str]] = world.keep("purses", columns("treasuries"), make).get(nation, [])
        return {
            key: rows[key][resource]
            for key, seat in keys
            if resource in rows[key] and (not seat or world.holder_of(seat) == nation)
        }

    return world.keep(("held purses", nation, resource), _TREASURIES, held)


def paying(world: World, nation: str, resource: str, at: Iterable[str] = ()) -> dict[str, Any]:
    """Treasury id -> amount of those out of which a nation pays what it owes as a whole, in the order in
    which it draws on them: its main one, then the others, the richest first. Of these only those on which the
    places `at` draw, if the row keeps to the main one (`payments: main`).
    """
    held = purses(world, nation, resource)
    main = main_purse(world, nation, resource)
    others = sorted((k for k in held if k != main), key=lambda k: (-held[k], k))
    if division(world.ruleset, resource).get("payments") == "main":
        near = {purse_at(world, nation, p, resource) for p in at if world.holder_of(p) == nation}
        others = [key for key in others if key in near]
    return {key: held.get(key, 0) for key in (main, *others)}


def payable(world: World, x: Any, resource: str) -> Any:
    """What a nation can pay as a whole, or what the treasury of a place holds."""
    thing = world.thing(x)
    if thing.kind == "nation":
        return sum(paying(world, thing.id, resource).values())
    return stock(world, x, resource)


def drawing_on(world: World, nation: str, place: str, resource: str) -> tuple[str, ...]:
    """The places of a nation that share a treasury with a place, itself included (one treasury per nation:
    the place alone).
    """
    row = division(world.ruleset, resource)
    return region_of(world, nation, place, row) if row["per"] == "region" else (place,)


def main_purse(world: World, nation: str, resource: str) -> str:
    """The treasury at a nation's seat; without one in its hands, its richest."""
    return purse_at(world, nation, None, resource)


def purse_at(world: World, nation: str, place: str | None, resource: str) -> str:
    """The id of the treasury that a nation's place draws on; without a place, of its main treasury.

    The main treasury is that at the nation's seat (a field that `seat` names); without one in its hands
    it is the richest, or that of its largest part.

    A region's treasury is the one whose seat lies in it (the richest if several do). A region without one
    draws on the main treasury if the row is `shared` and the nation holds its seat; else it gets a treasury
    seated at the nation's seat if that is there, else at its first place.
    """
    row = division(world.ruleset, resource)
    if row["per"] == "place":
        return place or nation
    if row["per"] == "nation":
        return nation
    return world.keep(
        ("purse", nation, place, resource),
        _decided_by(world.ruleset),
        lambda: _purse_of_region(world, nation, place, resource, row),
    )


@derived_of(*MEANING)
def _decided_by(ruleset: Ruleset) -> Tables | None:
    """The tables that decide which treasury a place draws on."""
    regions_by = purses_read(ruleset)
    return None if regions_by is None else regions_by.union(_TREASURIES)


def _purse_of_region(world: World, nation: str, place: str | None, resource: str, row: Row) -> str:
    """The same where connected parts have treasuries of their own."""
    seat = _seat(world, nation, row)
    if place is None:
        if seat is not None and world.holder_of(seat) == nation:
            place = seat
        else:
            held = purses(world, nation, resource)
            if held:
                return max(held, key=lambda k: (held[k], k))
            if seat is not None:
                return f"{nation}/{seat}"
            parts = regions(world, nation, row)
            if not parts:
                return nation
            place = max(parts, key=len)[0]
    part = region_of(world, nation, place, row)
    found = purses(world, nation, resource)
    kept_there = any(k.partition("/")[2] in part for k in found)
    if (
        not kept_there
        and row.get("shared")
        and seat not in part
        and (world.holder_of(seat) == nation if seat else found)
    ):
        return purse_at(world, nation, None, resource)
    return _purse_in(nation, part, seat, found)


def _purse_in(nation: str, part: tuple[str, ...], seat: str | None, found: Mapping[str, Any]) -> str:
    """Of the treasuries in `found` the richest in a region; without any, one at the nation's seat or the
    first place.
    """
    inside = {k: v for k, v in found.items() if k.partition("/")[2] in part}
    if inside:
        return str(max(inside, key=lambda k: (inside[k], k)))
    return f"{nation}/{seat if seat in part else part[0]}"


def _seat(world: World, nation: str, row: Row) -> str | None:
    """The place that a nation's field names as the seat of its main treasury, or None."""
    found = world.field(Entity("nation", nation), row["seat"]) if "seat" in row else None
    return found.id if isinstance(found, Entity) else None


def divided(world: World, nation: str, resource: str) -> bool:
    """Whether a nation has several treasuries of a resource, one without a seat, or one with a lost seat."""
    found = purses(world, nation, resource)
    return len(found) > 1 or nation in found or bool(_left_behind(world, nation, resource))


def _left_behind(world: World, nation: str, resource: str) -> list[str]:
    """The treasuries of a nation whose seats others hold."""

    def make() -> dict[str, list[str]]:
        out: dict[str, list[str]] = {}
        for key, row in sorted(world.state.table("treasuries").items()):
            owner, parted, seat = key.partition("/")
            if parted and row.get(resource) and world.holder_of(seat) != owner:
                out.setdefault(owner, []).append(key)
        return out

    found: dict[str, list[str]] = world.keep(("left behind", resource), _TREASURIES, make)
    return found.get(nation, [])


def _bring_away(world: World, journal: Journal, nation: str, resource: str, row: Row) -> None:
    """What lies in a seat that is lost goes to the land beside it that the nation still has: the part with
    its seat, else the largest, whether or not an ally's land joins that part. Where nothing is left beside
    it, it stays there, out of reach.
    """
    links = links_of(row)
    for key in _left_behind(world, nation, resource):
        lost = key.partition("/")[2]
        parts = regions(world, nation, row)
        near = set(world.geography.next_to(lost, links))
        beside = [part for part in parts if not near.isdisjoint(part)]
        if not beside:
            continue
        seat = _seat(world, nation, row)
        part = next((part for part in beside if seat in part), max(beside, key=len))
        keeper = _purse_in(nation, part, seat, purses(world, nation, resource))
        journal.add("treasuries", keeper, resource, world.state.get("treasuries", key, resource, 0))
        journal.set("treasuries", key, resource, None)


def _may_have_met(world: World, nation: str, row: Row, found: Mapping[str, Any]) -> bool:
    """Whether two of these treasuries of a nation can lie in one region: land that it and its allies hold
    joins their seats. What the row asks of each place, which is dear, is not asked yet.
    """
    if len(found) < 2:
        return False
    links = links_of(row)
    held = held_by(world)
    holders = tuple(n for n in sorted(held) if n == nation or world.allied(nation, n))

    def make() -> list[frozenset[str]]:
        land = [place for holder in holders for place in held[holder]]
        return [frozenset(part) for part in world.geography.regions(land, links)]

    joined: list[frozenset[str]] = world.keep(("joined land", holders, links), HOLDERS, make)
    seats = {key.partition("/")[2] for key in found}
    return any(len(seats & part) > 1 for part in joined)


def unite(world: World, journal: Journal, nation: str, resource: str) -> None:
    """Treasuries whose regions have met become one: that of the seat, else the richest. One whose seat is
    lost stays with the land round it.

    Writes into the open journal entry.
    """
    row = division(world.ruleset, resource)
    if row["per"] != "region":
        return
    _bring_away(world, journal, nation, resource, row)
    found = purses(world, nation, resource)
    if nation not in found and not _may_have_met(world, nation, row, found):
        return
    parts = regions(world, nation, row)
    seat = _seat(world, nation, row)
    # kept while the nation held nothing: it goes to its seat, else to its largest part
    if nation in found and parts:
        largest = next((part for part in parts if seat in part), max(parts, key=len))
        journal.add("treasuries", _purse_in(nation, largest, seat, found), resource, found[nation])
        journal.set("treasuries", nation, resource, None)
        found = purses(world, nation, resource)
    for part in parts:
        inside = [k for k in sorted(found) if k.partition("/")[2] in part]
        if len(inside) < 2:
            continue
        home = f"{nation}/{seat}"
        keeper = home if home in inside else max(inside, key=lambda k: (found[k], k))
        for key in inside:
            if key != keeper:
                journal.add("treasuries", keeper, resource, found[key])
                journal.set("treasuries", key, resource, None)


def stock(world: World, x: Any, resource: str) -> Any:
    """What a nation has in all its treasuries, or what the treasury of a place holds."""
    thing = world.thing(x)
    if thing.kind == "nation":
        return sum(purses(world, thing.id, resource).values())
    if thing.kind == "place" and division(world.ruleset, resource)["per"] != "place":
        holder = world.holder_of(thing.id)
        if holder is None:
            return 0
        return world.state.get("treasuries", purse_at(world, holder, thing.id, resource), resource, 0)
    return world.state.get("treasuries", thing.id, resource, 0)


def seat_of(world: World, place: str, resource: str) -> Entity | None:
    """The place that keeps the treasury on which a place draws; None if nobody holds it or the treasury has
    no seat.
    """
    holder = world.holder_of(place)
    seat = purse_at(world, holder, place, resource).partition("/")[2] if holder is not None else ""
    return Entity("place", seat) if seat else None


def pay(journal: Journal, purse: str, resource: str, amount: Any) -> None:
    """Take an amount out of a treasury. Raises ValueError if it is not there."""
    now = journal.state.get("treasuries", purse, resource, 0)
    if amount > now:
        raise ValueError(f"{purse} has {now} {resource}, {amount} is needed")
    journal.set("treasuries", purse, resource, now - amount)


def gain(journal: Journal, purse: str, resource: str, amount: Any) -> None:
    """Put an amount into a treasury."""
    journal.add("treasuries", purse, resource, few(amount, f"{resource} in one treasury", MOST_AMOUNT))
