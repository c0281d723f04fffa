"""Messages of the journal made of a world: templates filled with what their names and expressions stand for.

A slot of the journal holds a nation, side, place, technology, item or passage by its id and its name, units
by their kinds, numbers and texts as they are. Of everything else it holds what is printed: an id may say more
than its reader is to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.messages import Message, NamedThing, said, slots_in, thing, value_in_words
from ..core.state import Entity
from .routes import list_units
from .treasury import so_much

NAMED = ("nation", "place", "side", "tech", "item", "unit", "passage", "card")
"""Kinds of things that have names to be told by."""
HEADLINE, HEADLINE_OF = "{title}.", "{title} ({thing})."
"""What is told of an event that says nothing itself: its title, and of whom or what it is."""


def message(world: Any, template: str, names: Mapping[str, Any]) -> Message:
    """A template with what fills its slots: names in scope, ids of nations and sides, and expressions."""
    return Message(template, {word: slot(world, value_of(world, word, names)) for word in slots_in(template)})


def say(world: Any, template: str, **names: Any) -> Message:
    """A template of the engine with what fills its slots, one name each."""
    return Message(template, {name: slot(world, value) for name, value in names.items()})


def fill(world: Any, template: str, names: Mapping[str, Any]) -> str:
    """A template with its slots filled, in words for anybody."""
    return said([message(world, template, names)])


def value_of(world: Any, word: str, names: Mapping[str, Any]) -> Any:
    """What a slot of a rule's template stands for: a name in scope, the id of a nation or side, or an
    expression.
    """
    if word in names:
        return names[word]
    for kind, form in (("nation", "nations"), ("side", "sides")):
        if world.ruleset.has(form, word):
            return Entity(kind, word)
    return world.value(word, names)


def slot(world: Any, value: Any) -> Any:
    """A value as a slot of the journal holds it."""
    if isinstance(value, Message):
        return value.to_json()
    if isinstance(value, Entity):
        return _entity(world, value)
    if isinstance(value, tuple | list):
        return [slot(world, one) for one in value]
    if isinstance(value, NamedThing):
        return dict(value)
    if isinstance(value, Mapping):
        return thing("units", dict(value), ", ".join(f"{n} {k}" for k, n in value.items()))
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _entity(world: Any, it: Entity) -> Any:
    if it.kind == "record":
        kind = world.ruleset.row_or_empty("records", world.field(it, "kind"))
        return slot(world, world.field(it, kind["shown_by"])) if "shown_by" in kind else it.id
    name = str((world.field(it, "name") if it.kind in NAMED else None) or it.id)
    if it.kind == "unit":
        return thing("unit", str(world.field(it, "kind")), name)
    if it.kind not in NAMED:
        return name
    row = world.ruleset.row_or_empty("nations", it.id) if it.kind == "nation" else {}
    return thing(it.kind, it.id, name, several=bool(row.get("plural_name")))


def units(world: Any, kinds: Mapping[str, int]) -> NamedThing:
    """Units of several kinds, in numbers: "2 foot, 1 horse"."""
    return thing("units", dict(kinds), list_units(world, kinds))


def units_in(world: Any, kinds: Mapping[str, int], place: Entity) -> Message:
    """Units of several kinds that stand in a place: "2 foot, 1 horse in Hill"."""
    return say(world, "{units} in {place}", units=units(world, kinds), place=place)


def much(world: Any, n: Any, resource: str) -> NamedThing:
    """So much of a resource: "2 points"."""
    return thing(
        "amount", {resource: n if isinstance(n, int) else str(n)}, so_much(world.ruleset, n, resource)
    )


def printed(world: Any, value: Any) -> str:
    """How a value reads: a thing by its name, a list by its members."""
    return value_in_words(slot(world, value))
