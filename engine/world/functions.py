"""The functions of the vocabulary, bound to a world. One table, `functions(world)`; the checker knows their signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from ..core.state import Entity, columns, unit_key
from ..ruleset.expressions import ExpressionError, parse
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.expressions.reads import EARLIER, HOLDERS
from ..ruleset.limits import limits_on
from .objectives import points_of
from .selections import apply, as_set, fits, group, id_of, nations_only, select, weight
from .tables import band, box_of, cell
from .tracks import tilt_to
from .treasury import held_places, seat_of, stock
from .verdicts import TABLE, kind_of
from .world import EntitySet, World


def functions(world: World) -> dict[str, Callable[..., Any]]:
    """Every function and every term of the ruleset, as callables over plain data and entities."""
    return Functions(world, {**_selections(world), **_counting(world), **_things(world), **_values(world), **_past(world)})


class Functions(dict[str, Callable[..., Any]]):
    """The functions, and the ruleset's terms, which are made when they are first called."""

    def __init__(self, world: World, table: dict[str, Callable[..., Any]]) -> None:
        super().__init__(table)
        self.world = world

    def __missing__(self, name: str) -> Callable[..., Any]:
        if self.world.ruleset.has("verdicts", name):
            verdict = self[name] = _verdict(self.world, name)
            return verdict
        row = self.world.ruleset.rows("terms").get(name)
        if row is None:
            raise KeyError(name)
        made = self[name] = _term(self.world, name, row)
        return made


def _verdict(world: World, id_: str) -> Callable[..., Any]:
    """A verdict as it was last settled; of what was not asked, no."""
    kind = kind_of(world.ruleset.row("verdicts", id_))[1]

    def run(thing: Any) -> bool:
        found = world.thing(thing, kind) if thing is not None else None
        return found is not None and bool(world.state.get(TABLE, f"{found.kind}:{found.id}", id_, False))

    return run


def _term(world: World, id_: str, row: dict[str, Any]) -> Callable[..., Any]:
    parameters = []
    for argument in row.get("of", ()):
        name, _, kind = argument.rpartition(":")
        parameters.append((name or kind, kind))
    text = row["is"]

    if isinstance(text, str):
        text = strip_mark(text)
    expression = parse(text) if isinstance(text, str) else None

    names = [name for name, _ in parameters]
    state, kept = world.state, world.term_values(expression) if expression is not None else None

    def things(given: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            world.thing(value, kind) if isinstance(value, str) and kind in _THING_KINDS else value
            for value, (_, kind) in zip(given, parameters, strict=False)
        )

    def run(*given: Any) -> Any:
        if len(given) > len(names):
            raise ExpressionError(f"{id_} takes {len(names)} arguments, not {len(given)}")
        if expression is None or kept is None:
            return text
        for value in given:
            if type(value) is str:
                given = things(given)
                break
        if kept.version != state.version:
            kept.renew(state)
        try:
            return kept.values[given]
        except KeyError:
            found = kept.values[given] = world.value(expression, dict(zip(names, given, strict=False)))
            return found
        except TypeError:  # an argument that cannot be a key: a battle's arrays, an event
            return world.value(expression, dict(zip(names, given, strict=False)))

    return run


_THING_KINDS = {"nation", "place", "side", "tech", "gate", "unit", "link", "force", "item"}


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

    return world.keep("first-owned", _FIRST_OWNED, make)  # type: ignore[no-any-return]


def _selections(world: World) -> dict[str, Callable[..., Any]]:
    state = world.state

    def nations(**filters: Any) -> EntitySet:
        side = filters.get("side")
        if type(side) is Entity and side.kind == "side":
            del filters["side"]
            return select(world, world.by_side().get(side.id, ()), filters)
        return select(world, world.all_nations(), filters)

    things: dict[str, Entity] = world.ruleset.derived(
        "places", lambda: {p: Entity("place", p) for p in world.ruleset.rows("places")}
    )
    order: dict[str, int] = world.ruleset.derived("order of places", lambda: {p: n for n, p in enumerate(things)})

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
            return select(world, in_their_order({p for n in holder for p in held_places(world, n.id)}), filters)
        occupants = filters.get("occupants")
        if nations_only(occupants) or (isinstance(occupants, Entity) and occupants.kind == "nation"):
            del filters["occupants"]
            owners = [occupants] if isinstance(occupants, Entity) else occupants
            return select(world, in_their_order({row["place"] for n in owners for _, row in state.stacks(owner=n.id)}), filters)
        by_field = [name for name, value in filters.items() if name in declared and isinstance(value, str | int | Entity)]
        if by_field and not any(isinstance(v, Entity) and v.kind == "group" for v in filters.values()):
            found = {name: _places_by(world, name, things.values()).get(id_of(filters[name]), ()) for name in by_field}
            name = min(found, key=lambda n: len(found[n]))  # the rest is tested for the fewest
            del filters[name]
            return select(world, found[name], filters)
        return select(world, things.values(), filters)

    declared = {
        name for name, row in world.ruleset.rows("fields").items() if "place" in row.get("of", ()) and row["type"] != "list"
    }

    def units(**filters: Any) -> EntitySet:
        at = filters.pop("at", None)
        filters.pop("on_map", None)
        owner = filters.get("owner")
        one_owner = id_of(owner) if isinstance(owner, str | Entity) else None
        if one_owner is not None and world.ruleset.has("groups", one_owner):
            one_owner = None
        force = filters.get("force")
        if at is None and one_owner is None and type(force) is Entity and force.kind == "force":
            del filters["force"]
            keys = state.in_force(force.id)
        elif at is None:
            keys = [k for k, _ in state.stacks(owner=one_owner)]
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

    def neighbours(x: Any, kind: str | None = None) -> EntitySet:
        kinds = (kind,) if kind else None
        start = as_set(world, x)
        if len(start) == 1:
            return tuple([things[q] for q in world.geography.next_to(start[0].id, kinds)])
        found = set().union(*[world.geography.next_to(p.id, kinds) for p in start]).difference([p.id for p in start])
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
        "sides": lambda: tuple(Entity("side", s) for s in world.ruleset.rows("sides")),
        "group": lambda id_: group(world, id_),
        "these": lambda *items: tuple(items),
        "both": both,
        "either": either,
        "without": without,
        "neighbours": neighbours,
    }


def _places_by(world: World, field: str, things: Iterable[Entity]) -> dict[Any, list[Entity]]:
    """The places by the value of a declared field."""

    def make() -> dict[Any, list[Entity]]:
        out: dict[Any, list[Entity]] = {}
        for thing in things:
            out.setdefault(id_of(world.field(thing, field)), []).append(thing)
        return out

    return world.keep(("places by", field), columns("places", field), make)  # type: ignore[no-any-return]


def _counting(world: World) -> dict[str, Callable[..., Any]]:
    def each(things: Any) -> EntitySet:
        return as_set(world, things)

    def count(things: Any, term: str | None = None, *rest: Any) -> int:
        found = each(things)
        return sum(weight(world, t) for t in found if term is None or apply(world, t, term, rest))

    def some(things: Any, term: str | None = None, *rest: Any) -> bool:
        return any(term is None or apply(world, t, term, rest) for t in each(things))

    def every(things: Any, term: str, *rest: Any) -> bool:
        return all(apply(world, t, term, rest) for t in each(things))

    def those(things: Any, term: str, *rest: Any) -> EntitySet:
        return tuple(t for t in each(things) if apply(world, t, term, rest))

    def total(things: Any, name: str, *rest: Any) -> Any:
        return sum(weight(world, t) * (apply(world, t, name, rest) or 0) for t in each(things))

    def highest(things: Any, name: str, *rest: Any) -> Any:
        return max((apply(world, t, name, rest) or 0 for t in each(things)), default=0)

    def kinds(things: Any, name: str) -> int:
        return len({id_of(apply(world, t, name, ())) for t in each(things)})

    def capped(things: Any, term: str, by: str, most: Any) -> int:
        found: dict[Any, int] = {}
        for t in each(things):
            if apply(world, t, term, ()):
                value = id_of(apply(world, t, by, ()))
                found[value] = found.get(value, 0) + weight(world, t)
        return sum(min(n, int(most)) for n in found.values())

    def listed(units: Any, kind: Any = None) -> int:
        if not isinstance(units, Mapping):
            return 0
        return sum(int(n) for k, n in units.items() if kind is None or id_of(kind) in (k, *_tags(world, k)))

    def holds(things: Any, units: Any) -> bool:
        there = each(things)
        rows = [world.state.row("units", t.id) for t in there]
        wanted = units if isinstance(units, Mapping) else {}
        return all(sum(int(r.get("n", 0)) for r in rows if r.get("kind") == k) >= int(n) for k, n in wanted.items())

    def in_order(things: Any, name: str, *rest: Any) -> EntitySet:
        return tuple(sorted(each(things), key=lambda t: (apply(world, t, name, rest) or 0, t.id)))

    def first(things: Any, n: int = 1) -> EntitySet:
        return each(things)[: max(0, int(n))]

    def only(things: Any) -> Any:
        found = each(things)
        return found[0] if len(found) == 1 else None

    def rank(x: Any, name: str, things: Any) -> int:
        own = apply(world, world.thing(x), name, ())
        return 1 + sum(1 for t in each(things) if apply(world, t, name, ()) > own)

    return {
        "count": count,
        "some": some,
        "every": every,
        "those": those,
        "total": total,
        "highest": highest,
        "capped": capped,
        "kinds": kinds,
        "rank": rank,
        "holds": holds,
        "listed": listed,
        "in_order": in_order,
        "first": first,
        "only": only,
    }


def _tags(world: World, kind: str) -> tuple[str, ...]:
    return tuple(world.ruleset.rows("units").get(kind, {}).get("tags", ()))


def _links(world: World, kind: str | None) -> tuple[str, ...] | None:
    """The kinds of links that are meant by a kind or by the id of a mode; all where nothing is said."""
    mode = world.ruleset.rows("modes").get(kind or "")
    return tuple(mode["links"]) if mode and "links" in mode else (kind,) if kind else None


def _things(world: World) -> dict[str, Callable[..., Any]]:
    def pairs(a: Any, b: Any, test: Callable[[str, str], bool]) -> bool:
        if type(a) is Entity and type(b) is Entity and a.kind == b.kind == "nation":
            return test(a.id, b.id)
        return any(test(x, y) for x in world.members(a) for y in world.members(b))

    def allied(a: Any, b: Any) -> bool:
        if type(a) is Entity and type(b) is Entity and a.kind == b.kind == "nation":
            return world.allied(a.id, b.id)
        for one, other in ((a, b), (b, a)):
            side = id_of(one)
            if world.ruleset.has("sides", side) and isinstance(id_of(other), str):
                return all(world.side_of(n) == side for n in world.members(other))
        return pairs(a, b, world.allied)

    def related(who: Any, test: Callable[[str, str], bool]) -> EntitySet:
        own = world.members(who)
        if len(own) == 1:
            (one,) = own
            return tuple([n for n in world.all_nations() if test(one, n.id)])
        return tuple([n for n in world.all_nations() if any(test(o, n.id) for o in own)])

    def at_place(who: Any, place: Any, test: Callable[[str, str], bool]) -> bool:
        if type(who) is Entity and who.kind == "nation":
            return test(who.id, id_of(place))
        return any(test(m, id_of(place)) for m in world.members(who))

    def opposite(who: Any) -> Entity | None:
        id_ = id_of(who)
        side = id_ if world.ruleset.has("sides", id_) else world.side_of(id_) if id_ else None
        other = world.ruleset.rows("sides").get(side or "", {}).get("opposite")
        return Entity("side", other) if other else None

    def neutral(who: Any) -> bool:
        return all(world.side_of(n) is None for n in world.members(who))

    def reaches(place: Any, goal: Any, term: str, *rest: Any) -> bool:
        goals: set[str] = set()
        for thing in as_set(world, goal):
            goals.update((thing.id,) if thing.kind != "nation" else held_places(world, thing.id))
        known: dict[str, bool] = world.memo(("passes", term, tuple(map(id_of, rest))), world.decided_by(term))

        def passes(p: str) -> bool:
            if p not in known:
                known[p] = bool(apply(world, Entity("place", p), term, rest))
            return known[p]

        return any(p in goals for p in world.geography.reachable(id_of(place), passes))

    def on_way(place: Any, start: Any, goal: Any, term: str, *rest: Any) -> bool:
        passes = {p for p in world.ruleset.rows("places") if apply(world, Entity("place", p), term, rest)}
        return world.geography.serves(id_of(place), id_of(start), id_of(goal), passes)

    return {
        "nation": lambda id_: Entity("nation", id_of(id_)),
        "place": lambda id_: Entity("place", id_of(id_)),
        "gate": lambda id_: Entity("gate", id_of(id_)),
        "border": lambda a, b: Entity("link", f"{id_of(a)}>{id_of(b)}"),
        "at_war": lambda a, b: pairs(a, b, world.hostile),
        "allied": allied,
        "allies": lambda who: related(who, world.allied),
        "enemies": lambda who: related(who, world.hostile),
        "stance": lambda a, b: world.stance(id_of(a), id_of(b)),
        "friendly": lambda n, p: at_place(n, p, world.friendly_place),
        "enemy": lambda n, p: at_place(n, p, world.enemy_place),
        "neutral": neutral,
        "opposite": opposite,
        "distance": lambda a, b, kind=None: world.geography.distance(id_of(a), id_of(b), _links(world, kind)),
        "on_way": on_way,
        "reaches": reaches,
    }


def _values(world: World) -> dict[str, Callable[..., Any]]:
    state, ruleset = world.state, world.ruleset

    def key(x: Any) -> str:
        thing = world.thing(x)
        return f"{thing.kind}:{thing.id}"

    def track(nation: Any, id_: str) -> int:
        return int(state.get("tracks", id_of(nation), id_, 0))

    def toward(nation: Any, side: Any, id_: str | None = None) -> int:
        if id_ is None:
            id_ = next(i for i, r in ruleset.rows("tracks").items() if r.get("signed"))
        return tilt_to(ruleset, state, id_of(nation), id_, id_of(side))

    def age(x: Any, mark: str) -> int:
        found = state.get("marks", key(x), id_of(mark))
        return int(state.get("game", "game", "turn", 0)) - int(found["since"]) if found else -1

    def level(nation: Any, tech: Any, stage: str | None = None) -> int:
        if stage is None:
            return int(state.get("techs", id_of(nation), id_of(tech), 0))
        found = state.get("tech_stages", id_of(nation), f"{stage}:{id_of(tech)}", 0)
        return max(int(found), int(state.get("techs", id_of(nation), id_of(tech), 0)))

    def value(x: Any, quantity: str, who: Any = None) -> Any:
        names = {"self": world.thing(who, "nation")} if who is not None else {}
        return world.quantity(quantity, world.thing(x), names)

    def within_limits(act: str, nation: Any, target: Any) -> bool:
        names = {"self": (who := world.thing(nation, "nation")), "nation": who, "target": world.thing(target, "nation")}
        return all(world.test(need["test"], names) for need in limits_on(ruleset, act))

    def coming(nation: Any, what: Any, at: Any = None) -> int:
        wanted, owner, place = id_of(what), id_of(nation), id_of(at)
        rows = (r for r in state.table("under_way").values() if r.get("nation") == owner and place in (None, r.get("at")))
        return sum(int(r.get("n", 1)) for r in rows if wanted in (r.get("what"), r.get("item")))

    def en_route(nation: Any, what: Any = None) -> int:
        rows = [r for r in state.table("under_way").values() if r.get("nation") == id_of(nation) and "mode" in r]
        kinds = ruleset.rows("units")
        return sum(int(r["n"]) for r in rows if what is None or id_of(what) in (r["what"], *kinds[r["what"]].get("tags", ())))

    def option(id_: str) -> Any:
        chosen = state.get("options", "options", id_)
        return ruleset.row("options", id_)["default"] if chosen is None else chosen

    return {
        "track": track,
        "toward": toward,
        "box": lambda nation, id_: box_of(ruleset.row("tracks", id_), track(nation, id_)),
        "level": level,
        "knows": lambda n, t: int(state.get("techs", id_of(n), id_of(t), 0)) > 0,
        "stock": lambda x, r: stock(world, x, id_of(r)),
        "purse": lambda x, r: seat_of(world, id_of(x), id_of(r)),
        "income": lambda n: state.get("nations", id_of(n), "income", 0),
        "value": value,
        "marked": lambda x, m: state.get("marks", key(x), id_of(m)) is not None,
        "age": age,
        "tally": lambda x, id_: state.get("tallies", key(x), id_of(id_), 0),
        "streak": lambda x, id_: state.get("streaks", key(x), id_of(id_), 0),
        "coming": coming,
        "en_route": en_route,
        "within_limits": within_limits,
        "objectives": lambda n: points_of(world, id_of(n)),
        "model": lambda n, kind: Entity("unit", unit_key(id_of(n), id_of(kind), "")),
        "lookup": lambda id_, *keys: cell(ruleset, id_, [id_of(k) for k in keys]),
        "band": lambda id_, number: band(ruleset, id_, number),
        "option": option,
        "min": min,
        "max": max,
        "floor": lambda n: Fraction(n).__floor__(),
        "ceil": lambda n: Fraction(n).__ceil__(),
    }


def _past(world: World) -> dict[str, Callable[..., Any]]:
    def facts(word: str, filters: dict[str, Any], turn: int | None) -> int:
        found = 0
        for row in world.state.table("facts").values():
            if row["word"] != word or (turn is not None and row["turn"] != turn):
                continue
            if all(fits(world, row.get(name), value) for name, value in filters.items()):
                found += 1
        return found

    def was(x: Any, name: str, moment: str, *rest: Any) -> Any:
        past = world.at(moment)
        return apply(past, past.thing(x), name, rest)

    def ordered(word: str, **filters: Any) -> int:
        return sum(
            row.get("order") == word and all(fits(world, row.get("slots", {}).get(n, row.get(n)), v) for n, v in filters.items())
            for row in world.state.table("orders").values()
        )

    return {
        "happened": lambda word, **filters: facts(word, filters, None),
        "this_turn": lambda word, **filters: facts(word, filters, int(world.state.get("game", "game", "turn", 0))),
        "was": was,
        "ordered": ordered,
    }
