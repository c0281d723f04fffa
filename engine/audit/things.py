"""Things of a state with their fields, as an auditor reads them: of the state, else of their rows, else as
declared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from ..core.model import Row, Ruleset
from ..core.state import State
from .figures import Beyond
from .relations import held_by, owned_by, side_of, stance

FORMS = {
    "nation": "nations",
    "place": "places",
    "side": "sides",
    "tech": "technologies",
    "item": "production",
    "passage": "passages",
    "unit": "units",
    "link": "links",
    "force": "forces",
    "track": "tracks",
    "record": "records",
    "war": "wars",
    "resource": "resources",
}
"""Kind of thing -> the form of its rows, which is also its table in the state."""
LISTED = {
    "places": "place",
    "nations": "nation",
    "units": "unit",
    "technologies": "tech",
    "sides": "side",
    "items": "item",
}
THINGS = {"owner": "nation", "holder": "nation", "opposite": "side", "part_of": "place", "side": "side"}
"""Fields that name a thing without being declared."""


class Thing:
    """A thing in an expression: its fields are read when it is asked for them.

    It equals another of its id, and the id. What is no field of rows has a name that expressions cannot ask
    for: `unit.kind` is the kind of a stack, and not that it is a unit.
    """

    __slots__ = ("_kind", "_things", "id")

    def __init__(self, things: Things, kind: str, id_: str) -> None:
        self._things, self._kind, self.id = things, kind, id_

    def __getattr__(self, name: str) -> Any:
        return self._things.field(self, name)

    def __eq__(self, other: object) -> bool:
        return self.id == (other.id if isinstance(other, Thing) else other)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"{self._kind} {self.id}"


class Things(ABC):
    """The things of a state. What a definition or a stat comes to is said by whoever reads expressions."""

    def __init__(self, ruleset: Ruleset, state: State) -> None:
        self.ruleset, self.state = ruleset, state
        self.past: dict[str, Self] = {}  # earlier moments that `was` reads, as far as they are known

    @abstractmethod
    def term(self, name: str) -> Callable[..., Any]:
        """A definition, to be asked of things."""

    @abstractmethod
    def quantity(self, id_: str, thing: Any, names: Mapping[str, Any] | None = None) -> Any:
        """A stat of a thing with all its modifiers."""

    def thing(self, kind: str, id_: Any) -> Any:
        if isinstance(id_, Thing):
            return id_
        if id_ in (None, ""):
            return None
        return Thing(self, kind, str(id_))

    def field(self, thing: Thing, name: str) -> Any:
        """A field of a thing: of the state, else of its row, else as declared; a term or a stat of one thing
        as well.
        """
        if name == "id":
            return thing.id
        form = FORMS.get(thing._kind)
        if form is None:
            raise Beyond(f"fields of a {thing._kind}")
        declared = self.ruleset.rows("fields").get(name)
        state = self.state.row(form, thing.id)
        if name == "first_owner" and thing._kind == "place" and "game" in self.past:
            return self.thing("nation", owned_by(self.ruleset, self.past["game"].state, thing.id))
        if name == "side" and thing._kind in ("nation", "place"):
            who = thing.id if thing._kind == "nation" else self.holder(thing.id)
            return self.thing("side", side_of(self.ruleset, self.state, who)) if who else None
        if name == "holder" and thing._kind == "place":
            return self.thing("nation", self.holder(thing.id))
        if thing._kind == "unit":
            return self._of_unit(thing, state, name, declared)
        row = self.ruleset.row_or_empty(form, thing.id)
        if name == "neutral" and thing._kind == "nation":
            return self.neutral(thing)
        if name == "alive" and thing._kind == "nation":
            return state.get(name, row.get(name)) is not False
        if name in state:
            value = state[name]
        elif name in row:
            value = row[name]
        elif declared is not None:
            value = declared.get("default")
        elif name in self.ruleset.rows("definitions"):
            return self.term(name)(thing)
        elif name in self.ruleset.rows("stats"):
            return self.quantity(name, thing)
        elif name in THINGS or name in ("capital", "tags", "kind", "name", "n", "aboard", "force"):
            value = None
        else:
            raise Beyond(f"field {name}")
        return self._wrapped(name, value, declared)

    def _of_unit(self, thing: Thing, state: Mapping[str, Any], name: str, declared: Row | None) -> Any:
        if name == "place":
            return self.thing("place", state.get("place"))
        if name in state:
            return self._wrapped(name, state[name], declared)
        if name == "force":
            return self.thing("force", state.get("force"))
        if name in ("kind", "owner"):
            return self._wrapped(name, self.unit(thing).get(name), declared)
        owner, id_ = str(self.unit(thing).get("owner")), str(self.unit(thing).get("kind"))
        kind: Row = self.ruleset.row_or_empty("units", id_)
        grades = self.state.get("nations", owner, "grade") or self.ruleset.row_or_empty("nations", owner).get(
            "grade", {}
        )
        kind = {**kind, **kind.get("grades", {}).get(grades.get(id_, ""), {})}
        if name in kind:
            return self._wrapped(name, kind[name], declared)
        if declared is not None:
            return self._wrapped(name, declared.get("default"), declared)
        if name in self.ruleset.rows("stats"):
            return self.quantity(name, thing)
        if name in ("damage", "aboard", "tags"):
            return () if name == "tags" else None
        raise Beyond(f"field {name} of units")

    def _wrapped(self, name: str, value: Any, declared: Row | None) -> Any:
        kind = LISTED.get(str(declared.get("table", ""))) if declared else THINGS.get(name)
        if kind is None and name == "capital":
            kind = "place"
        if isinstance(value, str) and kind:
            return self.thing(kind, value)
        if isinstance(value, list):
            return tuple(self.thing(kind, v) if kind and isinstance(v, str) else v for v in value)
        return value

    def holder(self, place: str) -> str | None:
        """Who holds a place: as the state says, else who owns it."""
        return held_by(self.ruleset, self.state, place)

    def weight(self, thing: Any) -> int:
        return (
            int(self.state.get("units", thing.id, "n", 0))
            if isinstance(thing, Thing) and thing._kind == "unit"
            else 1
        )

    def stance(self, a: str, b: str) -> str:
        return stance(self.ruleset, self.state, a, b)

    def hostile(self, a: str, b: str) -> bool:
        return a != b and bool(self.ruleset.row_or_empty("stances", self.stance(a, b)).get("hostile"))

    def friendly(self, a: str, b: str) -> bool:
        return a == b or bool(self.ruleset.row_or_empty("stances", self.stance(a, b)).get("friendly"))

    def unit(self, thing: Thing) -> Mapping[str, Any]:
        """The row of a stack, or of a kind of an owner of which there need be none (`model`)."""
        owner, _, kind = thing.id.partition("@")[0].rpartition(".")
        return self.state.row("units", thing.id) or {"owner": owner, "kind": kind}

    def neutral(self, who: Any) -> bool:
        if not isinstance(who, Thing) or who._kind != "nation":
            who = (
                self.thing("nation", who)
                if isinstance(who, str) and self.ruleset.has("nations", who)
                else None
            )
        if who is None:
            raise Beyond("whether several are neutral")
        return not side_of(self.ruleset, self.state, who.id)

    def asked(self, thing: Any, name: Any, rest: tuple[Any, ...]) -> Any:
        if name is None:
            return True
        if name in self.ruleset.rows("definitions"):
            return self.term(name)(thing, *rest)
        found = self.field(thing, name)
        return id_of(found) in [id_of(r) for r in rest] if rest else found


def set_of(those: Any) -> Iterable[Any]:
    if those is None:
        return ()
    return those if isinstance(those, tuple | list) else (those,)


def id_of(value: Any) -> Any:
    return value.id if isinstance(value, Thing) else value
