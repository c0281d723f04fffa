"""The functions of the vocabulary that give sets of things, and those that look among them: filters, counts,
orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..core.state import Entity, columns
from ..ruleset.expressions.functions import EARLIER, HOLDERS
from .piles import cards_in
from .selections import as_set, asker, group, id_of, nations_only, select, weight
from .treasury import held_places
from .world import EntitySet, World


def sets(world: World) -> dict[str, Callable[..., Any]]:
    """These functions, bound to a world."""
    return {**_selections(world), **_counting(world)}


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


def _selections(world: World) -> dict[str, Callable[..., Any]]:
    state = world.state

    def nations(**filters: Any) -> EntitySet:
        side = filters.get("side")
        if type(side) is Entity and side.kind == "side":
            del filters["side"]
            return select(world, world.by_side().get(side.id, ()), filters)
        return select(world, world.all_nations(), filters)

    things: dict[str, Entity] = world.ruleset.derived(
        "places", lambda: {p: Entity("place", p) for p in world.ruleset.rows("places")}, of=("places",)
    )
    order: dict[str, int] = world.ruleset.derived(
        "order of places", lambda: {p: n for n, p in enumerate(things)}, of=("places",)
    )

    every = tuple(things.values())

    def in_their_order(ids: set[str]) -> list[Entity]:
        return [things[p] for p in sorted(ids & things.keys(), key=order.__getitem__)]

    def places(**filters: Any) -> EntitySet:
        holder = filters.get("holder")
        if isinstance(holder, Entity) and holder.kind == "nation":
            del filters["holder"]
            return select(world, [things[p] for p in held_places(world, holder.id)], filters)
        first = filters.get("first_owner")
        if isinstance(first, Entity) and first.kind == "nation":
            del filters["first_owner"]
            return select(world, _first_owned(world).get(first.id, ()), filters)
        if nations_only(holder):
            del filters["holder"]
            return select(
                world, in_their_order({p for n in holder for p in held_places(world, n.id)}), filters
            )
        occupants = filters.get("occupants")
        if nations_only(occupants) or (isinstance(occupants, Entity) and occupants.kind == "nation"):
            del filters["occupants"]
            owners = [occupants] if isinstance(occupants, Entity) else occupants
            return select(
                world,
                in_their_order({row["place"] for n in owners for _, row in state.stacks(owner=n.id)}),
                filters,
            )
        fewest: tuple[str, Sequence[Entity]] | None = None  # the rest is tested for these
        for name, value in filters.items():
            if isinstance(value, Entity) and value.kind == "group":
                return select(world, every, filters)
            if name in declared and isinstance(value, str | int | Entity):
                found = _places_by(world, name, every).get(id_of(value), ())
                if fewest is None or len(found) < len(fewest[1]):
                    fewest = name, found
        if fewest is None:
            return select(world, every, filters)
        del filters[fewest[0]]
        return select(world, fewest[1], filters)

    declared: set[str] = world.ruleset.derived(
        "single fields of places",
        lambda: {
            name
            for name, row in world.ruleset.rows("fields").items()
            if "place" in row.get("of", ()) and row["type"] != "list"
        },
        of=("fields",),
    )

    def units(**filters: Any) -> EntitySet:
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
            keys = state.in_force(force.id)
        elif at is None:
            keys = sorted(state.table("units")) if one_owner is None else state.stacks_of(one_owner)
        else:
            here = {p for x in as_set(world, at) for p in (x.id, *world.geography.parts.get(x.id, ()))}
            keys = [k for p in sorted(here) for k, _ in state.stacks(at=p, owner=one_owner)]
        if one_owner is not None:
            filters.pop("owner")
        things: Iterable[Entity] = (Entity("unit", k) for k in keys)
        return select(world, things, filters) if filters else tuple(things)

    def forces(**filters: Any) -> EntitySet:
        return select(world, (Entity("force", f) for f in sorted(state.table("forces"))), filters)

    def wars(**filters: Any) -> EntitySet:
        party = filters.pop("party", None)
        found = (Entity("war", w) for w, row in sorted(state.table("wars").items()) if not row.get("ended"))
        if party is not None:
            ids = set(world.members(party))
            found = (w for w in found if ids & set(state.get("wars", w.id, "parties", ())))
        return select(world, found, filters)

    def records(**filters: Any) -> EntitySet:
        return select(world, (Entity("record", r) for r in sorted(state.table("records"))), filters)

    def techs(**filters: Any) -> EntitySet:
        known, of = filters.pop("known", None), filters.pop("of", None)
        found = select(world, (Entity("tech", t) for t in world.ruleset.rows("technologies")), filters)
        if known is None:
            return found
        owner = id_of(of)
        return tuple(t for t in found if bool(state.get("techs", owner, t.id, 0)) == bool(known))

    def cards(**filters: Any) -> EntitySet:
        pile, of = filters.pop("pile", None), filters.pop("of", None)
        if pile is None:
            return select(world, (Entity("card", c) for c in world.ruleset.rows("cards")), filters)
        whose = id_of(of) if of is not None else None
        return select(world, cards_in(world.ruleset, state, id_of(pile), whose), filters)

    def neighbours(x: Any, kind: str | None = None) -> EntitySet:
        kinds = (kind,) if kind else None
        start = as_set(world, x)
        if len(start) == 1:
            return tuple([things[q] for q in world.geography.next_to(start[0].id, kinds)])
        found = (
            set()
            .union(*[world.geography.next_to(p.id, kinds) for p in start])
            .difference([p.id for p in start])
        )
        return tuple([things[q] for q in sorted(found)])

    def members(x: Any) -> EntitySet:
        return as_set(world, x)

    def without(a: Any, b: Any) -> EntitySet:
        drop = set(members(b))
        return tuple(t for t in members(a) if t not in drop)

    def both(a: Any, b: Any) -> EntitySet:
        stay = set(members(b))
        return tuple(t for t in members(a) if t in stay)

    def either(a: Any, b: Any) -> EntitySet:
        return tuple(dict.fromkeys((*members(a), *members(b))))

    return {
        "nations": nations,
        "places": places,
        "units": units,
        "forces": forces,
        "wars": wars,
        "records": records,
        "techs": techs,
        "cards": cards,
        "sides": lambda: tuple(Entity("side", s) for s in world.ruleset.rows("sides")),
        "group": lambda id_: group(world, id_),
        "set_of": lambda *items: tuple(items),
        "intersection": both,
        "union": either,
        "difference": without,
        "neighbors": neighbours,
    }


def _places_by(world: World, field: str, things: Sequence[Entity]) -> dict[Any, list[Entity]]:
    """The places by the value of a declared field."""

    def make() -> dict[Any, list[Entity]]:
        out: dict[Any, list[Entity]] = {}
        for thing, value in zip(things, world.values_of("place", field, things), strict=True):
            out.setdefault(id_of(value), []).append(thing)
        return out

    return world.keep(("places by", field), columns("places", field), make)


def _counting(world: World) -> dict[str, Callable[..., Any]]:
    def each(things: Any) -> EntitySet:
        return as_set(world, things)

    def count(things: Any, term: str | None = None, *rest: Any) -> int:
        found = each(things)
        return sum(
            weight(world, t) for t in (found if term is None else filter(asker(world, term, rest), found))
        )

    def some(things: Any, term: str | None = None, *rest: Any) -> bool:
        found = each(things)
        return bool(found) if term is None else any(map(asker(world, term, rest), found))

    def every(things: Any, term: str, *rest: Any) -> bool:
        return all(map(asker(world, term, rest), each(things)))

    def those(things: Any, term: str, *rest: Any) -> EntitySet:
        return tuple(filter(asker(world, term, rest), each(things)))

    def total(things: Any, name: str, *rest: Any) -> Any:
        ask = asker(world, name, rest)
        return sum(weight(world, t) * (ask(t) or 0) for t in each(things))

    def highest(things: Any, name: str, *rest: Any) -> Any:
        ask = asker(world, name, rest)
        return max((ask(t) or 0 for t in each(things)), default=0)

    def kinds(things: Any, name: str) -> int:
        return len(set(map(id_of, map(asker(world, name), each(things)))))

    def capped(things: Any, term: str, by: str, most: Any) -> int:
        found: dict[Any, int] = {}
        group_of = asker(world, by)
        for t in filter(asker(world, term), each(things)):
            value = id_of(group_of(t))
            found[value] = found.get(value, 0) + weight(world, t)
        return sum(min(n, int(most)) for n in found.values())

    def listed(units: Any, kind: Any = None) -> int:
        if not isinstance(units, Mapping):
            return 0
        if kind is None:
            return sum(int(n) for n in units.values())
        wanted = id_of(kind)
        return sum(int(n) for k, n in units.items() if wanted == k or wanted in _tags(world, k))

    def holds(things: Any, units: Any) -> bool:
        there = each(things)
        rows = [world.state.row("units", t.id) for t in there]
        wanted = units if isinstance(units, Mapping) else {}
        return all(
            sum(int(r.get("n", 0)) for r in rows if r.get("kind") == k) >= int(n) for k, n in wanted.items()
        )

    def in_order(things: Any, name: str, *rest: Any) -> EntitySet:
        ask = asker(world, name, rest)
        return tuple(sorted(each(things), key=lambda t: (ask(t) or 0, t.id)))

    def first(things: Any, n: Any = 1) -> EntitySet:
        return each(things)[: max(0, int(n))]

    def only(things: Any) -> Any:
        found = each(things)
        return found[0] if len(found) == 1 else None

    def rank(x: Any, name: str, things: Any) -> int:
        ask = asker(world, name)
        own = ask(world.thing(x))
        return 1 + sum(1 for t in each(things) if ask(t) > own)

    return {
        "count": count,
        "any": some,
        "all": every,
        "where": those,
        "sum": total,
        "maximum": highest,
        "capped": capped,
        "count_distinct": kinds,
        "rank": rank,
        "holds": holds,
        "listed": listed,
        "in_order": in_order,
        "first": first,
        "single": only,
    }


def _tags(world: World, kind: str) -> tuple[str, ...]:
    return tuple(world.ruleset.row_or_empty("units", kind).get("tags", ()))


def links_meant(world: World, kind: str | None) -> tuple[str, ...] | None:
    """The kinds of links that are meant by a kind or by the id of a row of `movement`; all where nothing is
    said.
    """
    mode = world.ruleset.rows("movement").get(kind or "")
    if mode and "links" in mode:
        return tuple(mode["links"])
    return (kind,) if kind else None
