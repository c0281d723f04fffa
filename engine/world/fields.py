"""How a field of a thing is read: computed, from the state, from the ruleset's row, or its declared default.

`World` builds on it; what a field means is here, what functions and definitions make of it is not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..core.model import Row, Ruleset, derived_of
from ..core.state import Entity, State, columns, pair_key, works_on
from ..ruleset.expressions import ExpressionError
from ..ruleset.expressions.evaluate import Evaluator
from ..ruleset.expressions.vocabulary import KINDS
from .cache import Cache
from .geography import Geography

T = TypeVar("T")

EntitySet = tuple[Entity, ...]

_FORM_KIND = {form: kind for kind, form in KINDS.items() if form}
_TABLE = {
    "nation": "nations",
    "place": "places",
    "side": "sides",
    "link": "links",
    "passage": "passages",
    "unit": "units",
    "force": "forces",
    "war": "wars",
    "item": "items",
    "tech": "tech_rows",
    "agreement": "agreements",
    "record": "records",
}


# a field that lists rows of these kinds gives things; kinds of units and the like stay words
_LISTED = ("nation", "place")


_BUILT_IN_THINGS: Mapping[str, str] = {
    "owner": "nation", "holder": "nation", "opposite": "side", "charge": "force", "part_of": "place",
    "war.by": "nation",
}  # fmt: skip
"""Built-in fields (of a kind, or of any) that name a thing, and the kind of it."""


_EMPTY: Mapping[str, Any] = {}


_GRADES = columns("nations", "grade")


@derived_of("places")
def wholes(ruleset: Ruleset) -> Mapping[str, Entity]:
    """The whole of each place of the ruleset: that of which it is a part, or itself."""
    return {id_: Entity("place", str(row.get("part_of", id_))) for id_, row in ruleset.rows("places").items()}


class Readings(ABC):
    """The fields of the things of a ruleset and a state, each read by a plan that is made once."""

    __deletable__ = ("evaluator",)  # `World.close` lets go of it, where the module is compiled, too
    ruleset: Ruleset
    state: State
    geography: Geography
    evaluator: Evaluator
    _fields: Mapping[str, Row]
    _nations: Mapping[str, Row]
    _places: Mapping[str, Row]
    _wholes: Mapping[str, Entity]
    _plans: dict[tuple[str, str], Callable[[Entity], Any]]
    _of_all: dict[tuple[str, str], Callable[[Iterable[Entity]], list[Any]]]
    _holders: Cache

    @abstractmethod
    def at(self, moment: str) -> Readings: ...

    @abstractmethod
    def value(self, text: Any, names: Mapping[str, Any]) -> Any: ...

    @abstractmethod
    def test(self, text: Any, names: Mapping[str, Any]) -> bool: ...

    @abstractmethod
    def number(self, value: Any, names: Mapping[str, Any]) -> Any: ...

    @abstractmethod
    def keep(self, key: Any, tables: Iterable[str] | None, make: Callable[[], T]) -> T: ...

    @abstractmethod
    def quantity(self, id_: str, subject: Entity, names: Mapping[str, Any] | None = None) -> Any: ...

    def thing(self, x: Any, kind: str | None = None) -> Entity:
        """An entity from an entity or an id; of the given kind, or of the first kind that has the id."""
        if isinstance(x, Entity):
            return x
        if kind is not None:
            return Entity(kind, str(x))
        for candidate in ("nation", "place", "side", "tech", "passage", "item", "card"):
            if self.ruleset.has(KINDS[candidate], x):
                return Entity(candidate, str(x))
        for table, candidate in (("units", "unit"), ("forces", "force"), ("nations", "nation")):
            if x in self.state.table(table):
                return Entity(candidate, str(x))
        return Entity("group", str(x))

    def field(self, thing: Any, name: str) -> Any:
        """The value of a field: computed, from the state, from the ruleset's row, or its declared default."""
        if not isinstance(thing, Entity):
            if thing is None:
                return None
            if isinstance(thing, Mapping) and name in thing:
                return thing[name]
            reader = getattr(thing, "expression_field", None)
            if reader is not None:
                return reader(name)
            raise ExpressionError(f"{thing!r} has no field {name}")
        plan = self._plans.get((thing.kind, name))
        if plan is None:
            plan = self._plan(thing.kind, name)
            self._plans[(thing.kind, name)] = plan
        return plan(thing)

    def _plan(self, kind: str, name: str) -> Callable[[Entity], Any]:
        computed = getattr(self, f"_{kind}_{name}", None)
        if computed is not None:
            return computed  # type: ignore[no-any-return]
        if name == "id":
            return lambda e: e.id
        term = self.ruleset.rows("definitions").get(name)
        if term is not None and len(term.get("of", ())) == 1 and term["of"][0].rpartition(":")[2] == kind:
            return lambda e: self.evaluator.functions[name](e)
        declared = self._fields.get(name)
        quantity = self.ruleset.rows("stats").get(name)
        if quantity is not None and declared is None and quantity["of"] == kind:
            return lambda e: self.quantity(name, e)
        default = declared.get("default") if declared else None
        wrap = _FORM_KIND.get(declared.get("table", ""), "") if declared else ""
        if not wrap and not declared:
            wrap = _BUILT_IN_THINGS.get(f"{kind}.{name}") or _BUILT_IN_THINGS.get(name, "")
        table, form = _TABLE.get(kind, kind), KINDS.get(kind, "")
        state, written = self.state, self.ruleset.rows(form) if form else {}
        # what rows of the ruleset say, as expressions see it
        given: dict[str, Any] = (
            self.ruleset.derived(("as written", kind, name), dict, of=(form, "fields")) if form else {}
        )

        def shown(value: Any) -> Any:
            if wrap and isinstance(value, str):
                return Entity(wrap, value) if value else None
            if isinstance(value, list):
                if wrap in _LISTED:
                    return tuple(Entity(wrap, v) if isinstance(v, str) else v for v in value)
                return tuple(value)
            return value

        def by_row(id_: str) -> Any:
            value = written.get(id_, _EMPTY).get(name, default)
            return shown(default if value is None else value)

        def read(thing: Entity) -> Any:
            rows = state.tables.get(table)
            if rows is not None:
                value = rows.get(thing.id, _EMPTY).get(name)
                if value is not None:
                    return shown(value)
            try:
                return given[thing.id]
            except KeyError:
                found = given[thing.id] = by_row(thing.id)
                return found

        def read_changing(thing: Entity) -> Any:
            """Of a kind whose rows depend on the state."""
            value = state.tables.get(table, _EMPTY).get(thing.id, _EMPTY).get(name)
            if value is None and kind == "unit":
                value = self.stack(thing.id).get(name)
            if value is None:
                value = self._row(kind, form, thing.id).get(name, default)
            return shown(default if value is None else value)

        if kind in ("unit", "link"):
            return read_changing

        def read_all(things: Iterable[Entity]) -> list[Any]:
            rows = state.tables.get(table, _EMPTY)
            out = []
            for e in things:
                value = rows.get(e.id, _EMPTY).get(name)
                if value is not None:
                    out.append(shown(value))
                elif e.id in given:
                    out.append(given[e.id])
                else:
                    out.append(read(e))
            return out

        self._of_all[kind, name] = read_all
        return read

    def values_of(self, kind: str, name: str, things: Sequence[Entity]) -> list[Any]:
        """A field of each of some things of a kind."""
        if (kind, name) not in self._plans:
            self._plans[kind, name] = self._plan(kind, name)
        together = self._of_all.get((kind, name))
        return [self._plans[kind, name](e) for e in things] if together is None else together(things)

    def _row(self, kind: str, form: str, id_: str) -> Mapping[str, Any]:
        if kind == "unit":
            stack = self.stack(id_)
            return self.unit_row(stack["kind"], stack["owner"]) if stack else {}
        if kind == "link":
            a, _, b = id_.partition(">")
            return self.geography.links.get(pair_key(a, b), {})
        return self.ruleset.row_or_empty(form, id_) if form else {}

    def stack(self, id_: str) -> Mapping[str, Any]:
        """The row of a stack; of one that does not exist, what its id says, so that a unit not yet built has
        figures too.
        """
        row = self.state.tables.get("units", _EMPTY).get(id_)
        if row:
            return row
        owner, _, rest = id_.partition(".")
        kind, at, place = rest.partition("@")
        return {"owner": owner, "kind": kind, "place": place.partition("[")[0], "n": 0} if at else {}

    def unit_row(self, kind: str, owner: str) -> Mapping[str, Any]:
        """A unit kind's row as this owner's grade changes it."""

        def make() -> Mapping[str, Any]:
            row = self.ruleset.row_or_empty("units", kind)
            grade = self.grade(owner, kind)
            return {**row, **row.get("grades", {}).get(grade, {})} if grade else row

        return self.keep(("unit_row", kind, owner), _GRADES, make)

    def grade(self, owner: str, kind: str) -> str:
        """The grade of a nation's units of a kind: by the state, else by its row; empty if neither says."""
        grades = self.state.get("nations", owner, "grade") or self.ruleset.row_or_empty("nations", owner).get(
            "grade", {}
        )
        return str(grades.get(kind, ""))

    # computed fields: _KIND_FIELD

    def _nation_side(self, thing: Entity) -> Entity | None:
        side = self.side_of(thing.id)
        return Entity("side", side) if side else None

    def side_of(self, nation: str) -> str | None:
        """The side that a nation is on now; None if it is on none."""
        row = self.state.tables.get("nations", _EMPTY).get(nation, _EMPTY)
        if "side" in row:
            return row["side"] or None
        return self._nations.get(nation, _EMPTY).get("side")

    def _nation_alive(self, thing: Entity) -> bool:
        return self.alive(thing.id)

    def alive(self, nation: str) -> bool:
        """Whether a nation is in the game: what the state says, else its row (`alive: false`: it may yet
        appear), else yes.
        """
        said = self.state.get("nations", nation, "alive")
        return (self._nations.get(nation, _EMPTY).get("alive") if said is None else said) is not False

    def _nation_commander(self, thing: Entity) -> Entity:
        return Entity("nation", self.commander_of(thing.id))

    def commander_of(self, nation: str) -> str:
        """The nation whose player commands a nation: the one that its seat names, and so on; itself where it
        names none.
        """
        passed = [nation]
        while (
            (said := self.seat_said(passed[-1])) and said not in passed and self.ruleset.has("nations", said)
        ):
            passed.append(said)
        return passed[-1]

    def seat_said(self, nation: str) -> str | None:
        """What is said of who commands a nation: by the state, else by its row."""
        said = self.state.get("nations", nation, "seat") or self._nations.get(nation, _EMPTY).get("seat")
        return str(said) if said else None

    def _nation_seat(self, thing: Entity) -> str | None:
        """Who commands a nation; of one that another commands, whoever commands that, or its id if nothing is
        said of it.
        """
        commander = self.commander_of(thing.id)
        return self.seat_said(commander) or (commander if commander != thing.id else None)

    def _nation_neutral(self, thing: Entity) -> bool:
        return self.side_of(thing.id) is None

    def _nation_deploys(self, thing: Entity) -> bool:
        """Whether it has units that it may still place before play begins."""
        return any(row["owner"] == thing.id for row in self.state.table("chosen").values())

    def _place_owner(self, thing: Entity) -> Entity | None:
        owner = self.owner_of(thing.id)
        return Entity("nation", owner) if owner else None

    def owner_of(self, place: str) -> str | None:
        """The nation whose land a place is, whoever holds it now; None if it is nobody's."""
        row = self.state.row("places", place)
        if "owner" in row:
            return row["owner"] or None
        return self._places.get(place, _EMPTY).get("owner")

    def holder_of(self, place: str) -> str | None:
        """The nation that controls a place now: its owner, unless another has taken it; None: nobody."""
        kept = self._holders
        if kept.version != self.state.version:
            kept.renew(self.state)
        try:
            return kept.values[place]  # type: ignore[no-any-return]
        except KeyError:
            row = self.state.row("places", place)
            holder = row["holder"] or None if "holder" in row else self.owner_of(place)
            kept.values[place] = holder
            return holder

    def _place_holder(self, thing: Entity) -> Entity | None:
        holder = self.holder_of(thing.id)
        return Entity("nation", holder) if holder else None

    def _place_first_owner(self, thing: Entity) -> Entity | None:
        return self.at("game")._place_owner(thing)

    def _place_side(self, thing: Entity) -> Entity | None:
        holder = self.holder_of(thing.id)
        side = self.side_of(holder) if holder else None
        return Entity("side", side) if side else None

    def _place_occupied(self, thing: Entity) -> bool:
        return bool(self.state.owners_at(thing.id))

    def _place_occupants(self, thing: Entity) -> EntitySet:
        return tuple(Entity("nation", o) for o in sorted(self.state.owners_at(thing.id)))

    def whole_of(self, place: str) -> str:
        """The place of which a place is a part, or itself. Only a whole has an owner and a holder."""
        found = self._wholes.get(place)
        return place if found is None else found.id

    def _place_whole(self, thing: Entity) -> Entity:
        return self._wholes.get(thing.id, thing)

    def _place_parts(self, thing: Entity) -> EntitySet:
        return tuple(Entity("place", p) for p in self.geography.parts.get(thing.id, ()))

    def _place_stack(self, thing: Entity) -> Entity | None:
        """The first stack that stands there or in one of its parts."""
        found = self.state.stacks_at(thing.id)
        if found:
            return Entity("unit", found[0])
        for place in self.geography.parts.get(thing.id, ()):
            found = self.state.stacks_at(place)
            if found:
                return Entity("unit", found[0])
        return None

    def _unit_owner(self, thing: Entity) -> Entity:
        return Entity("nation", self.stack(thing.id).get("owner", ""))

    def _unit_place(self, thing: Entity) -> Entity:
        return Entity("place", self.stack(thing.id).get("place", ""))

    def _unit_side(self, thing: Entity) -> Entity | None:
        side = self.side_of(self.stack(thing.id).get("owner", ""))
        return Entity("side", side) if side else None

    def _unit_tag(self, thing: Entity) -> tuple[str, ...]:
        return tuple(self.ruleset.row_or_empty("units", self.stack(thing.id).get("kind", "")).get("tags", ()))

    def _unit_tags(self, thing: Entity) -> tuple[str, ...]:
        return self._unit_tag(thing)

    def _unit_link(self, thing: Entity) -> Entity:
        """The border that a unit on its way came over, seen from where it came; one without works if it did
        not move.
        """
        return Entity("link", str(self.state.get("units", thing.id, "via") or ">"))

    def _force_at(self, thing: Entity) -> Entity | None:
        at = self.state.get("forces", thing.id, "at")
        return Entity("place", str(at)) if at else None

    def _force_to(self, thing: Entity) -> Entity | None:
        to = self.state.get("forces", thing.id, "to")
        return Entity("place", str(to)) if to else None

    def _force_path(self, thing: Entity) -> EntitySet:
        """The places of its way, the first and where it is included."""
        return tuple(Entity("place", str(p)) for p in self.state.get("forces", thing.id, "path") or ())

    def _force_charges(self, thing: Entity) -> EntitySet:
        """The forces that it protects: of its own nation by number, of others as `nation/number`."""
        row = self.state.row("forces", thing.id)
        named = row.get("charges") or ()
        those = sorted(self.state.table("forces").items()) if named else ()
        return tuple(
            Entity("force", f)
            for f, r in those
            if (r.get("number") if r["owner"] == row["owner"] else f"{r['owner']}/{r.get('number')}") in named
        )

    def _force_charge(self, thing: Entity) -> Entity | None:
        one = self.state.get("forces", thing.id, "charge")
        return Entity("force", str(one)) if one else next(iter(self._force_charges(thing)), None)

    def _force_met(self, thing: Entity) -> tuple[str, ...]:
        return tuple(self.state.get("forces", thing.id, "met") or ())

    def _force_targets(self, thing: Entity) -> tuple[str, ...]:
        return tuple(self.state.get("forces", thing.id, "targets") or ())

    def _force_prefers(self, thing: Entity) -> tuple[str, ...]:
        return tuple(self.state.get("forces", thing.id, "prefers") or ())

    def _unit_force(self, thing: Entity) -> Entity | None:
        force = self.state.get("units", thing.id, "force")
        return Entity("force", str(force)) if force else None

    def _link_from(self, thing: Entity) -> Entity:
        return Entity("place", thing.id.partition(">")[0])

    def _link_to(self, thing: Entity) -> Entity:
        return Entity("place", thing.id.partition(">")[2])

    def _link_works(self, thing: Entity) -> str:
        """What stands at the far end against somebody who comes from the near end."""
        a, _, b = thing.id.partition(">")
        return str(self.state.get("links", pair_key(a, b), works_on(b)) or "none")

    def _link_own_works(self, thing: Entity) -> str:
        a, _, b = thing.id.partition(">")
        return str(self.state.get("links", pair_key(a, b), works_on(a)) or "none")

    def _link_kind(self, thing: Entity) -> str:
        a, _, b = thing.id.partition(">")
        return str(self.geography.links.get(pair_key(a, b), {}).get("kind", "land"))
