"""The functions of the vocabulary that give sets of things, and those that look among them: filters, counts,
orders.

Each is a function of the world and of what the expression gives it; `sets` binds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeGuard

from ..core.model import Ruleset, derived_of
from ..core.state import Entity, columns
from ..ruleset.expressions.functions import EARLIER, HOLDERS
from .piles import cards_in
from .selections import as_set, asker, group, id_of, nations_only, select, weight
from .treasury import held_places
from .world import EntitySet, World


def sets(world: World) -> dict[str, Callable[..., Any]]:
    """These functions by their name in expressions, bound to a world."""
    return {name: partial(function, world) for name, function in _FUNCTIONS.items()}


# ---- things of a kind, by filters


def _nations(world: World, /, **filters: Any) -> EntitySet:
    side = filters.get("side")
    if type(side) is Entity and side.kind == "side":
        del filters["side"]
        return select(world, world.by_side().get(side.id, ()), filters)
    return select(world, world.all_nations(), filters)


def _places(world: World, /, **filters: Any) -> EntitySet:
    candidates = _places_to_look_among(world, filters)
    return select(world, candidates, filters)


def _units(world: World, /, **filters: Any) -> EntitySet:
    at = filters.pop("at", None)
    filters.pop("on_map", None)
    owner = filters.get("owner")
    one_owner = id_of(owner) if isinstance(owner, str | Entity) else None
    if one_owner is not None and world.ruleset.has("groups", one_owner):
        one_owner = None
    force = filters.get("force")
    keys: Iterable[str]
    if at is None and one_owner is None and type(force) is Entity and force.kind == "force":
        del filters["force"]
        keys = world.state.in_force(force.id)
    elif at is None:
        keys = sorted(world.state.table("units")) if one_owner is None else world.state.stacks_of(one_owner)
    else:
        here = {p for x in as_set(world, at) for p in (x.id, *world.geography.parts.get(x.id, ()))}
        keys = [key for p in sorted(here) for key, _ in world.state.stacks(at=p, owner=one_owner)]
    if one_owner is not None:
        filters.pop("owner")
    stacks: Iterable[Entity] = (Entity("unit", key) for key in keys)
    return select(world, stacks, filters) if filters else tuple(stacks)


def _forces(world: World, /, **filters: Any) -> EntitySet:
    return select(world, (Entity("force", f) for f in sorted(world.state.table("forces"))), filters)


def _wars(world: World, /, **filters: Any) -> EntitySet:
    party = filters.pop("party", None)
    wars = [Entity("war", w) for w, row in sorted(world.state.table("wars").items()) if not row.get("ended")]
    if party is not None:
        members = set(world.members(party))
        wars = [w for w in wars if members & set(world.state.get("wars", w.id, "parties", ()))]
    return select(world, wars, filters)


def _records(world: World, /, **filters: Any) -> EntitySet:
    return select(world, (Entity("record", r) for r in sorted(world.state.table("records"))), filters)


def _technologies(world: World, /, **filters: Any) -> EntitySet:
    known, owner = filters.pop("known", None), id_of(filters.pop("of", None))
    techs = select(world, (Entity("tech", t) for t in world.ruleset.rows("technologies")), filters)
    if known is None:
        return techs
    return tuple(t for t in techs if bool(world.state.get("techs", owner, t.id, 0)) == bool(known))


def _cards(world: World, /, **filters: Any) -> EntitySet:
    pile, owner = filters.pop("pile", None), filters.pop("of", None)
    if pile is None:
        return select(world, (Entity("card", c) for c in world.ruleset.rows("cards")), filters)
    whose = id_of(owner) if owner is not None else None
    return select(world, cards_in(world.ruleset, world.state, id_of(pile), whose), filters)


# ---- which places a filter leaves


def _places_to_look_among(world: World, filters: dict[str, Any]) -> Iterable[Entity]:
    """The places that one of the filters leaves, by an index of places, or all; that filter is taken out of
    `filters`.
    """
    everywhere = _all_places(world.ruleset)
    holder = filters.get("holder")
    if _is_nation(holder):
        del filters["holder"]
        return [everywhere[p] for p in held_places(world, holder.id)]
    first_owner = filters.get("first_owner")
    if _is_nation(first_owner):
        del filters["first_owner"]
        return _first_owned(world).get(first_owner.id, ())
    if nations_only(holder):
        del filters["holder"]
        return _in_table_order(world, {p for nation in holder for p in held_places(world, nation.id)})
    occupants = filters.get("occupants")
    if _is_nation(occupants):
        occupants = (occupants,)
    if nations_only(occupants):
        del filters["occupants"]
        stacks = (row for nation in occupants for _, row in world.state.stacks(owner=nation.id))
        return _in_table_order(world, {row["place"] for row in stacks})
    return _with_rarest_value(world, filters)


def _with_rarest_value(world: World, filters: dict[str, Any]) -> Iterable[Entity]:
    """The places with a field's value that a filter wants: of several such filters, the one that leaves the
    fewest places is taken out. All places, if no filter wants one value of a declared field.
    """
    everywhere = _all_places(world.ruleset).values()
    single = _single_fields_of_places(world.ruleset)
    rarest: tuple[str, Sequence[Entity]] | None = None
    for name, value in filters.items():
        if isinstance(value, Entity) and value.kind == "group":
            return everywhere
        if name in single and isinstance(value, str | int | Entity):
            found = _places_by(world, name).get(id_of(value), ())
            if rarest is None or len(found) < len(rarest[1]):
                rarest = name, found
    if rarest is None:
        return everywhere
    del filters[rarest[0]]
    return rarest[1]


def _is_nation(value: Any) -> TypeGuard[Entity]:
    return isinstance(value, Entity) and value.kind == "nation"


@derived_of("places")
def _all_places(ruleset: Ruleset) -> dict[str, Entity]:
    return {p: Entity("place", p) for p in ruleset.rows("places")}


@derived_of("places")
def _place_numbers(ruleset: Ruleset) -> dict[str, int]:
    """Where each place stands in the table."""
    return {p: number for number, p in enumerate(ruleset.rows("places"))}


def _in_table_order(world: World, ids: set[str]) -> list[Entity]:
    everywhere, numbers = _all_places(world.ruleset), _place_numbers(world.ruleset)
    return [everywhere[p] for p in sorted(ids & everywhere.keys(), key=numbers.__getitem__)]


@derived_of("fields")
def _single_fields_of_places(ruleset: Ruleset) -> set[str]:
    """The declared fields of places that hold one value."""
    return {
        name
        for name, row in ruleset.rows("fields").items()
        if "place" in row.get("of", ()) and row["type"] != "list"
    }


_FIRST_OWNED = (EARLIER, *HOLDERS)


def _first_owned(world: World) -> dict[str, list[Entity]]:
    """The places that each nation owned when the game began."""

    def make() -> dict[str, list[Entity]]:
        began = world.at("game")
        out: dict[str, list[Entity]] = {}
        for place in world.ruleset.rows("places"):
            owner = began.owner_of(place)
            if owner:
                out.setdefault(owner, []).append(Entity("place", place))
        return out

    return world.keep("first-owned", _FIRST_OWNED, make)


def _places_by(world: World, field: str) -> dict[Any, list[Entity]]:
    """The places by the value of a declared field."""

    def make() -> dict[Any, list[Entity]]:
        out: dict[Any, list[Entity]] = {}
        places = tuple(_all_places(world.ruleset).values())
        for place, value in zip(places, world.values_of("place", field, places), strict=True):
            out.setdefault(id_of(value), []).append(place)
        return out

    return world.keep(("places by", field), columns("places", field), make)


# ---- sets made of sets


def _neighbors(world: World, x: Any, kind: str | None = None) -> EntitySet:
    everywhere, kinds = _all_places(world.ruleset), (kind,) if kind else None
    start = as_set(world, x)
    if len(start) == 1:
        return tuple([everywhere[p] for p in world.geography.next_to(start[0].id, kinds)])
    beside: set[str] = set().union(*[world.geography.next_to(p.id, kinds) for p in start])
    return tuple([everywhere[p] for p in sorted(beside.difference([p.id for p in start]))])


def _intersection(world: World, a: Any, b: Any) -> EntitySet:
    stay = set(as_set(world, b))
    return tuple(t for t in as_set(world, a) if t in stay)


def _union(world: World, a: Any, b: Any) -> EntitySet:
    return tuple(dict.fromkeys((*as_set(world, a), *as_set(world, b))))


def _difference(world: World, a: Any, b: Any) -> EntitySet:
    drop = set(as_set(world, b))
    return tuple(t for t in as_set(world, a) if t not in drop)


def _where(world: World, things: Any, term: str, *rest: Any) -> EntitySet:
    return tuple(filter(asker(world, term, rest), as_set(world, things)))


def _in_order(world: World, things: Any, name: str, *rest: Any) -> EntitySet:
    ask = asker(world, name, rest)
    return tuple(sorted(as_set(world, things), key=lambda t: (ask(t) or 0, t.id)))


def _first(world: World, things: Any, n: Any = 1) -> EntitySet:
    return as_set(world, things)[: max(0, int(n))]


# ---- what is so of a set


def _count(world: World, things: Any, term: str | None = None, *rest: Any) -> int:
    found: Iterable[Entity] = as_set(world, things)
    if term is not None:
        found = filter(asker(world, term, rest), found)
    return sum(weight(world, t) for t in found)


def _any(world: World, things: Any, term: str | None = None, *rest: Any) -> bool:
    found = as_set(world, things)
    return bool(found) if term is None else any(map(asker(world, term, rest), found))


def _all(world: World, things: Any, term: str, *rest: Any) -> bool:
    return all(map(asker(world, term, rest), as_set(world, things)))


def _sum(world: World, things: Any, name: str, *rest: Any) -> Any:
    ask = asker(world, name, rest)
    return sum(weight(world, t) * (ask(t) or 0) for t in as_set(world, things))


def _maximum(world: World, things: Any, name: str, *rest: Any) -> Any:
    ask = asker(world, name, rest)
    return max((ask(t) or 0 for t in as_set(world, things)), default=0)


def _count_distinct(world: World, things: Any, name: str) -> int:
    return len(set(map(id_of, map(asker(world, name), as_set(world, things)))))


def _capped(world: World, things: Any, term: str, by: str, most: Any) -> int:
    counts: dict[Any, int] = {}
    group_of = asker(world, by)
    for thing in filter(asker(world, term), as_set(world, things)):
        value = id_of(group_of(thing))
        counts[value] = counts.get(value, 0) + weight(world, thing)
    return sum(min(n, int(most)) for n in counts.values())


def _listed(world: World, units: Any, kind: Any = None) -> int:
    if not isinstance(units, Mapping):
        return 0
    if kind is None:
        return sum(int(n) for n in units.values())
    wanted = id_of(kind)
    return sum(int(n) for k, n in units.items() if wanted == k or wanted in _tags(world, k))


def _tags(world: World, kind: str) -> tuple[str, ...]:
    return tuple(world.ruleset.row_or_empty("units", kind).get("tags", ()))


def _holds(world: World, things: Any, units: Any) -> bool:
    rows = [world.state.row("units", t.id) for t in as_set(world, things)]
    wanted = units if isinstance(units, Mapping) else {}
    return all(
        sum(int(r.get("n", 0)) for r in rows if r.get("kind") == k) >= int(n) for k, n in wanted.items()
    )


def _single(world: World, things: Any) -> Any:
    found = as_set(world, things)
    return found[0] if len(found) == 1 else None


def _rank(world: World, x: Any, name: str, things: Any) -> int:
    ask = asker(world, name)
    own = ask(world.thing(x))
    return 1 + sum(1 for t in as_set(world, things) if ask(t) > own)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "nations": _nations,
    "places": _places,
    "units": _units,
    "forces": _forces,
    "wars": _wars,
    "records": _records,
    "techs": _technologies,
    "cards": _cards,
    "sides": lambda world: tuple(Entity("side", s) for s in world.ruleset.rows("sides")),
    "group": group,
    "set_of": lambda _, *items: items,
    "intersection": _intersection,
    "union": _union,
    "difference": _difference,
    "neighbors": _neighbors,
    "where": _where,
    "in_order": _in_order,
    "first": _first,
    "count": _count,
    "any": _any,
    "all": _all,
    "sum": _sum,
    "maximum": _maximum,
    "capped": _capped,
    "count_distinct": _count_distinct,
    "listed": _listed,
    "holds": _holds,
    "single": _single,
    "rank": _rank,
}


def links_meant(world: World, kind: str | None) -> tuple[str, ...] | None:
    """The kinds of links that are meant by a kind or by the id of a row of `movement`; all where nothing is
    said.
    """
    mode = world.ruleset.rows("movement").get(kind or "")
    if mode and "links" in mode:
        return tuple(mode["links"])
    return (kind,) if kind else None
