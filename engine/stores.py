"""Purses: where a nation's resources lie, which purse a place draws on, and paying.

A resource whose `stores` row says `per: nation` has one purse per nation, under the nation's id. With `per: region` every
connected part of a nation's land has its own, under `nation/seat`, the seat being the place that keeps it. With `per: place`
every place has one, under its id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .state import Entity

if TYPE_CHECKING:
    from .journal import Journal
    from .world import World


def store_row(world: World, resource: str) -> dict[str, Any]:
    """The row that says how a resource's purses are divided (default: one per nation)."""
    return world.ruleset.rows("stores").get(resource) or {"id": resource, "per": "nation"}


def region_of(world: World, nation: str, place: str, row: dict[str, Any]) -> tuple[str, ...]:
    """The places joined to a place through the nation's own links, the place itself included."""
    for part in regions(world, nation, row):
        if place in part:
            return part
    return (place,)


def regions(world: World, nation: str, row: dict[str, Any]) -> list[tuple[str, ...]]:
    """Connected parts of what a nation holds, over the links and through the places that the row allows."""
    test = row.get("through")

    def make() -> list[tuple[str, ...]]:
        who = Entity("nation", nation)
        places = world.keep("held-places", ("places",), lambda: _held(world)).get(nation, ())
        if test is not None:
            places = [p for p in places if world.test(test, {"self": who, "nation": who, "place": Entity("place", p)})]
        links = row.get("links")
        return [tuple(part) for part in world.geography.regions(places, tuple(links) if links else None)]

    return world.keep(("regions", nation, row["id"]), ("places", "units", "relations"), make)  # type: ignore[no-any-return]


def _held(world: World) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for place in world.ruleset.rows("places"):
        holder = world.holder_of(place)
        if holder:
            out.setdefault(holder, []).append(place)
    return out


def purses(world: World, nation: str, resource: str) -> dict[str, Any]:
    """Purse id -> amount of a nation."""
    out = {}
    for key, row in world.state.table("stores").items():
        if resource in row and (key == nation or key.startswith(nation + "/")):
            out[key] = row[resource]
    return out


def purse_at(world: World, nation: str, place: str | None, resource: str) -> str:
    """The id of the purse that a nation's place draws on; without a place, of its main purse.

    A region's purse is the one whose seat lies in it (the richest if several do); a region without one gets a purse seated
    at the nation's capital if it is there, else at its first place.
    """
    row = store_row(world, resource)
    if row["per"] == "place":
        return place or nation
    if row["per"] == "nation":
        return nation
    seat = world.field(Entity("nation", nation), "capital")
    capital = seat.id if isinstance(seat, Entity) else None
    if place is None:
        if capital is not None and world.holder_of(capital) == nation:
            place = capital
        else:
            held = purses(world, nation, resource)
            if held:
                return max(held, key=lambda k: (held[k], k))
            return nation if capital is None else f"{nation}/{capital}"
    part = region_of(world, nation, place, row)
    found = {k: v for k, v in purses(world, nation, resource).items() if k.partition("/")[2] in part}
    if found:
        return max(found, key=lambda k: (found[k], k))
    return f"{nation}/{capital if capital in part else part[0]}"


def stock(world: World, x: Any, resource: str) -> Any:
    """What a nation has in all its purses, or what the purse of a place holds."""
    thing = world.thing(x)
    if thing.kind == "nation":
        return sum(purses(world, thing.id, resource).values())
    if thing.kind == "place" and store_row(world, resource)["per"] != "place":
        holder = world.holder_of(thing.id)
        if holder is None:
            return 0
        return world.state.get("stores", purse_at(world, holder, thing.id, resource), resource, 0)
    return world.state.get("stores", thing.id, resource, 0)


def pay(journal: Journal, purse: str, resource: str, amount: Any) -> None:
    """Take an amount out of a purse. Raises ValueError if it is not there."""
    now = journal.state.get("stores", purse, resource, 0)
    if amount > now:
        raise ValueError(f"{purse} has {now} {resource}, {amount} is needed")
    journal.set("stores", purse, resource, now - amount)


def gain(journal: Journal, purse: str, resource: str, amount: Any) -> None:
    """Put an amount into a purse."""
    journal.add("stores", purse, resource, amount)
