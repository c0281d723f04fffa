"""Sets of things: what a value, an id or a row's words stand for, and which things fit a filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeGuard

from ..core.state import Entity
from ..ruleset.expressions import ExpressionError
from ..ruleset.expressions.parse import strip_mark
from .world import EntitySet, World

_KIND_OF_GROUP = {
    "places": "place",
    "nations": "nation",
    "units": "unit",
    "technologies": "tech",
    "sides": "side",
    "items": "item",
}


def id_of(value: Any) -> Any:
    """The id of an entity, else the value."""
    return value.id if isinstance(value, Entity) else value


def as_set(world: World, value: Any) -> EntitySet:
    """A set from a set, one thing, a group's id or an id."""
    if value is None:
        return ()
    if isinstance(value, Entity):
        if value.kind == "group":
            return group(world, value.id)
        return (value,)
    if isinstance(value, str):
        return group(world, value) if world.ruleset.has("groups", value) else (world.thing(value),)
    return tuple([v if type(v) is Entity else world.thing(v) for v in value])


def is_named(world: World, text: str) -> bool:
    """Whether a text is the id of a nation, group, place or side, and so no expression, where a row selects
    things.
    """
    return any(world.ruleset.has(form, text) for form in ("nations", "groups", "places", "sides"))


def selection(world: World, wanted: str | list[str], names: Mapping[str, Any]) -> EntitySet:
    """The things that a row selects: a list of ids, one id, or an expression that gives a set."""
    if isinstance(wanted, list):
        return tuple(world.thing(w) for w in wanted)
    text = strip_mark(wanted)
    return as_set(world, text if is_named(world, text) else world.value(text, names))


def group(world: World, id_: str | Entity) -> EntitySet:
    """The members of a group, in its order. ExpressionError if there is no such group."""
    row = world.ruleset.rows("groups").get(id_of(id_))
    if row is None:
        raise ExpressionError(f"no group {id_}")
    kind = _KIND_OF_GROUP[row["of"]]
    return tuple(Entity(kind, m) for m in row["members"])


def apply(world: World, thing: Entity, name: str, rest: tuple[Any, ...]) -> Any:
    """A definition, stat or field of a thing, by name."""
    return asker(world, name, rest)(thing)


def asker(world: World, name: str, rest: tuple[Any, ...] = ()) -> Callable[[Entity], Any]:
    """How things are asked for a definition, a stat or a field, by name: a function of the thing."""
    ruleset = world.ruleset
    if name in ruleset.rows("definitions"):
        term: Callable[..., Any] = world.evaluator.functions[name]
        return (lambda thing: term(thing, *rest)) if rest else term
    if name in ruleset.rows("stats") and not rest:
        return lambda thing: world.quantity(name, thing)
    if rest:
        wanted = [id_of(r) for r in rest]
        return lambda thing: id_of(world.field(thing, name)) in wanted
    return lambda thing: world.field(thing, name)


def weight(world: World, thing: Entity) -> int:
    """How many a thing counts for: the units of a stack, else one."""
    return int(world.state.get("units", thing.id, "n", 0)) if thing.kind == "unit" else 1


def select(world: World, things: Iterable[Entity], filters: dict[str, Any]) -> EntitySet:
    """Those whose fields fit: a set as value means any of, a set-valued field fits if it holds the value."""
    if not filters:
        return tuple(things)
    out = []
    field, plans = world.field, world._plans
    wanted = [(name, _wanted(world, value)) for name, value in filters.items()]
    for thing in things:
        for name, values in wanted:
            plan = plans.get((thing.kind, name))
            found = field(thing, name) if plan is None else plan(thing)
            kind = type(found)
            if kind is Entity:
                if found.id not in values:
                    break
            elif kind is tuple or kind is list:
                if not any(id_of(f) in values for f in found):
                    break
            elif found not in values:
                break
        else:
            out.append(thing)
    return tuple(out)


def nations_only(value: Any) -> TypeGuard[tuple[Entity, ...]]:
    """Whether a filter's value is a set of nations and of nothing else."""
    return (
        type(value) is tuple and bool(value) and all(type(v) is Entity and v.kind == "nation" for v in value)
    )


def _wanted(world: World, value: Any) -> set[Any]:
    if isinstance(value, Entity):
        return {m.id for m in group(world, value.id)} if value.kind == "group" else {value.id}
    if isinstance(value, tuple | list):
        return {id_of(v) for v in value}
    return {value}


def fits(world: World, found: Any, wanted: Any) -> bool:
    """Whether a recorded role (or one of a list) fits a filter: an id, a side standing for its members, a
    group, or a set.
    """
    if isinstance(wanted, tuple | list) and not isinstance(wanted, Entity):
        return any(fits(world, found, w) for w in wanted)
    if isinstance(found, tuple | list) and not isinstance(found, Entity):
        return any(fits(world, f, wanted) for f in found)
    wanted = id_of(wanted)
    found = id_of(found)
    if found == wanted:
        return True
    if isinstance(wanted, str) and (
        world.ruleset.has("sides", wanted) or world.ruleset.has("groups", wanted)
    ):
        return found in world.members(wanted) or found in {t.id for t in as_set(world, wanted)}
    return False
