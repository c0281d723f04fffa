"""What expressions see: a ruleset and a state as things with fields, sets of things, and the functions of the vocabulary.

A `World` is a reader. It never changes the state; what it derives is kept only while the tables it came from stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from .expressions import Expression, ExpressionError, parse
from .expressions.evaluate import Evaluator
from .expressions.reads import EARLIER, Tables, reads
from .expressions.vocabulary import KINDS
from .geography import Geography
from .quantities import Quantities
from .quantities import exact as exact
from .quantities import round_as as round_as
from .ruleset.model import Row, Ruleset
from .state import Entity, State, pair_key

Names = Mapping[str, Any]
EntitySet = tuple[Entity, ...]

_FORM_KIND = {form: kind for kind, form in KINDS.items() if form}
_TABLE = {
    "nation": "nations",
    "place": "places",
    "side": "sides",
    "link": "links",
    "gate": "gates",
    "unit": "units",
    "force": "forces",
    "war": "wars",
    "item": "items",
    "tech": "tech_rows",
    "agreement": "agreements",
}


_LISTED = ("nation", "place")  # a field that lists rows of these kinds gives things; kinds of units and the like stay words


_EMPTY: Mapping[str, Any] = {}


class Kept:
    """Values by arguments, good for as long as some tables stay as they are (None: as nothing at all changes)."""

    __slots__ = ("stamp", "tables", "values", "version")

    def __init__(self, tables: Iterable[str] | None) -> None:
        self.tables = None if tables is None else tuple(sorted(tables))
        self.version = -1
        self.stamp: Any = None
        self.values: dict[Any, Any] = {}

    def renew(self, state: State) -> None:
        """Forget the values if a table has changed since the last time."""
        self.version = state.version
        stamp = state.version if self.tables is None else tuple([state.versions.get(t, 0) for t in self.tables])
        if stamp != self.stamp:
            self.stamp = stamp
            self.values.clear()


def _kept_by(ruleset: Ruleset, expression: Expression) -> Tables | None:
    """The tables that decide a term. What reads an earlier moment is asked anew: moments change apart from the tables."""
    found = reads(ruleset, expression.text)
    return None if found is None or EARLIER in found else found


class World:
    """A ruleset and a state, ready to be asked.

    `moments` holds the states that `was()` reads ('game', 'turn', 'phase'), or functions that make them when they are first
    read; a moment that is absent is the present.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        state: State,
        *,
        moments: Mapping[str, State | Callable[[], State]] | None = None,
        geography: Geography | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.state = state
        self.geography: Geography = geography or ruleset.derived("geography", lambda: Geography(ruleset))
        self.moments: dict[str, State | Callable[[], State]] = dict(moments or {})
        self._past: dict[str, World] = {}
        self._kept: dict[Any, tuple[int, Any, Any]] = {}
        self._plans: dict[tuple[str, str], Callable[[Entity], Any]] = {}
        self.quantities = Quantities(self)
        self._depth = 0
        self._memos: dict[Any, Kept] = {}
        self._holders: dict[str, str | None] = {}
        self._holders_version = -1
        self._stances: dict[tuple[str, str], str] = {}
        self._hostile: dict[tuple[str, str], bool] = {}
        self._allied: dict[tuple[str, str], bool] = {}
        self._stance_versions = (-1, -1)
        self._stances_at = -1
        self._always: Names = {}
        self._always_version = -1
        self.stances = ruleset.rows("stances")
        self._default_stance = next((i for i, r in self.stances.items() if r.get("default")), "")
        self._same_side = ruleset.setting("same_side_stance") or next(
            (i for i, r in self.stances.items() if r.get("friendly")), ""
        )
        self._fields = ruleset.rows("fields")
        from .functions import functions  # the functions need World's class; World needs their table

        self._evaluator = Evaluator(functions(self), self.field, self._plans)

    # ---- evaluating

    def value(self, text: str | int | Fraction | Expression, names: Names) -> Any:
        """The value of an expression (text without its mark). Numbers pass through."""
        if isinstance(text, str):
            expression = parse(text)
        elif isinstance(text, int | Fraction):
            return text
        else:
            expression = text
        self._depth += 1
        if self._depth > 40:
            self._depth = 0
            raise ExpressionError(f"terms nested too deep in {expression.text}")
        try:
            return self._evaluator.run(expression, names if expression.timeless else self._scope(names))
        finally:
            self._depth -= 1

    def _scope(self, names: Names) -> Names:
        """The names given, on top of those that are always there."""
        if self._always_version != self.state.versions.get("game", 0):
            self._always_version = self.state.versions.get("game", 0)
            self._always = self.always()
        return {**self._always, **names}

    def term_values(self, id_: str, expression: Expression) -> Kept:
        """Where the values of a term are kept, by its arguments, until a table that the term reads changes."""
        return Kept(self.ruleset.derived(f"reads of {id_}", lambda: _kept_by(self.ruleset, expression)))

    def test(self, text: str | bool | None, names: Names) -> bool:
        """Whether a test holds; an absent one does."""
        if text is None or isinstance(text, bool):
            return text is not False
        return bool(self.value(text, names))

    def marked(self, value: Any, names: Names) -> Any:
        """A value that may be marked as an expression: `=...` is evaluated, all else is itself."""
        if isinstance(value, str) and value.startswith("="):
            return self.value(value[1:].strip(), names)
        return value

    def always(self) -> Names:
        """The names that are always there: turn, year, season, step."""
        game = self.state.row("game", "game")
        return {
            "turn": game.get("turn", 0),
            "year": game.get("year", 0),
            "season": game.get("season", ""),
            "step": game.get("step", ""),
        }

    def at(self, moment: str) -> World:
        """The world as it was at the start of 'game', 'turn' or 'phase'."""
        state = self.moments.get(moment)
        if state is None:
            return self
        if not isinstance(state, State):
            state = self.moments[moment] = state()
        past = self._past.get(moment)
        if past is None or past.state is not state:
            past = World(self.ruleset, state, geography=self.geography)
            self._past[moment] = past
        return past

    def keep(self, key: Any, tables: tuple[str, ...], make: Callable[[], Any]) -> Any:
        """What `make` gives, kept until one of the tables changes."""
        kept = self._kept.get(key)
        version = self.state.version
        if kept is not None and kept[0] == version:  # nothing at all has changed since it was last asked for
            return kept[2]
        versions = tuple(self.state.versions.get(t, 0) for t in tables)
        made = kept[2] if kept is not None and kept[1] == versions else make()
        self._kept[key] = (version, versions, made)
        return made

    def memo(self, key: Any, tables: Iterable[str] | None) -> dict[Any, Any]:
        """A place to keep what depends on some tables only (None: on all): emptied when one of them changes."""
        kept = self._memos.get(key)
        if kept is None:
            kept = self._memos[key] = Kept(tables)
        if kept.version != self.state.version:
            kept.renew(self.state)
        return kept.values

    # ---- things and their fields

    def thing(self, x: Any, kind: str | None = None) -> Entity:
        """An entity from an entity or an id; of the given kind, or of the first kind that has the id."""
        if isinstance(x, Entity):
            return x
        if kind is not None:
            return Entity(kind, str(x))
        for candidate in ("nation", "place", "side", "tech", "gate", "item"):
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
        term = self.ruleset.rows("terms").get(name)
        if term is not None and len(term.get("of", ())) == 1 and term["of"][0].rpartition(":")[2] == kind:
            return lambda e: self._evaluator.functions[name](e)
        declared = self._fields.get(name)
        quantity = self.ruleset.rows("quantities").get(name)
        if quantity is not None and declared is None and quantity["of"] == kind:
            return lambda e: self.quantity(name, e)
        default = declared.get("default") if declared else None
        wrap = _FORM_KIND.get(declared.get("form", ""), "") if declared else ""
        if not wrap and not declared:
            wrap = {"capital": "place", "owner": "nation", "holder": "nation", "opposite": "side", "charge": "force"}.get(
                name, ""
            )
        table, form = _TABLE.get(kind, kind), KINDS.get(kind, "")
        state, written = self.state, self.ruleset.rows(form) if form else {}
        given: dict[str, Any] = {}  # what rows of the ruleset say, as expressions see it

        def shown(value: Any) -> Any:
            if wrap and isinstance(value, str):
                return Entity(wrap, value)
            if isinstance(value, list):
                if wrap in _LISTED:
                    return tuple(Entity(wrap, v) if isinstance(v, str) else v for v in value)
                return tuple(value)
            return value

        def by_row(id_: str) -> Any:
            value = written.get(id_, _EMPTY).get(name, default)
            return shown(default if value is None else value)

        def read(e: Entity) -> Any:
            rows = state.tables.get(table)
            if rows is not None:
                value = rows.get(e.id, _EMPTY).get(name)
                if value is not None:
                    return shown(value)
            try:
                return given[e.id]
            except KeyError:
                found = given[e.id] = by_row(e.id)
                return found

        def read_changing(e: Entity) -> Any:
            """Of a kind whose rows depend on the state."""
            value = state.tables.get(table, _EMPTY).get(e.id, _EMPTY).get(name)
            if value is None and kind == "unit":
                value = self.stack(e.id).get(name)
            if value is None:
                value = self._row(kind, form, e.id).get(name, default)
            return shown(default if value is None else value)

        return read_changing if kind in ("unit", "link") else read

    def _row(self, kind: str, form: str, id_: str) -> Mapping[str, Any]:
        if kind == "unit":
            stack = self.stack(id_)
            return self.unit_row(stack["kind"], stack["owner"]) if stack else {}
        if kind == "link":
            a, _, b = id_.partition(">")
            return self.geography.links.get(pair_key(a, b), {})
        return self.ruleset.rows(form).get(id_, {}) if form else {}

    def stack(self, id_: str) -> Mapping[str, Any]:
        """The row of a stack; of one that does not exist, what its id says, so that a unit not yet built has figures too."""
        row = self.state.row("units", id_)
        if row:
            return row
        owner, _, rest = id_.partition(".")
        kind, at, place = rest.partition("@")
        return {"owner": owner, "kind": kind, "place": place.partition("[")[0], "n": 0} if at else {}

    def unit_row(self, kind: str, owner: str) -> Mapping[str, Any]:
        """A unit kind's row as this owner's grade changes it."""

        def make() -> Mapping[str, Any]:
            row = self.ruleset.rows("units").get(kind, {})
            grade = self.grade(owner, kind)
            return {**row, **row.get("grades", {}).get(grade, {})} if grade else row

        return self.keep(("unit_row", kind, owner), ("nations",), make)  # type: ignore[no-any-return]

    def grade(self, owner: str, kind: str) -> str:
        grades = self.state.get("nations", owner, "grade") or self.ruleset.rows("nations").get(owner, {}).get("grade", {})
        return str(grades.get(kind, ""))

    # computed fields: _KIND_FIELD

    def _nation_side(self, e: Entity) -> Entity | None:
        side = self.side_of(e.id)
        return Entity("side", side) if side else None

    def side_of(self, nation: str) -> str | None:
        row = self.state.row("nations", nation)
        if "side" in row:
            return row["side"] or None
        return self.ruleset.rows("nations").get(nation, {}).get("side")

    def _nation_alive(self, e: Entity) -> bool:
        return self.state.get("nations", e.id, "alive") is not False

    def _nation_neutral(self, e: Entity) -> bool:
        return self.side_of(e.id) is None

    def _place_owner(self, e: Entity) -> Entity | None:
        owner = self.owner_of(e.id)
        return Entity("nation", owner) if owner else None

    def owner_of(self, place: str) -> str | None:
        row = self.state.row("places", place)
        if "owner" in row:
            return row["owner"] or None
        return self.ruleset.rows("places").get(place, {}).get("owner")

    def holder_of(self, place: str) -> str | None:
        version = self.state.versions.get("places", 0)
        if version != self._holders_version:
            self._holders_version = version
            self._holders.clear()
        try:
            return self._holders[place]
        except KeyError:
            row = self.state.row("places", place)
            holder = row["holder"] or None if "holder" in row else self.owner_of(place)
            self._holders[place] = holder
            return holder

    def _place_holder(self, e: Entity) -> Entity | None:
        holder = self.holder_of(e.id)
        return Entity("nation", holder) if holder else None

    def _place_first_owner(self, e: Entity) -> Entity | None:
        return self.at("game")._place_owner(e)

    def _place_side(self, e: Entity) -> Entity | None:
        holder = self.holder_of(e.id)
        side = self.side_of(holder) if holder else None
        return Entity("side", side) if side else None

    def _place_occupied(self, e: Entity) -> bool:
        return bool(self.state.owners_at(e.id))

    def _place_occupants(self, e: Entity) -> EntitySet:
        return tuple(Entity("nation", o) for o in sorted(self.state.owners_at(e.id)))

    def _unit_owner(self, e: Entity) -> Entity:
        return Entity("nation", self.stack(e.id).get("owner", ""))

    def _unit_place(self, e: Entity) -> Entity:
        return Entity("place", self.stack(e.id).get("place", ""))

    def _unit_side(self, e: Entity) -> Entity | None:
        side = self.side_of(self.stack(e.id).get("owner", ""))
        return Entity("side", side) if side else None

    def _unit_tag(self, e: Entity) -> tuple[str, ...]:
        return tuple(self.ruleset.rows("units").get(self.stack(e.id).get("kind", ""), {}).get("tags", ()))

    _unit_tags = _unit_tag

    def _unit_link(self, e: Entity) -> Entity:
        """The border that a unit on its way came over, seen from where it came; one without works if it did not move."""
        return Entity("link", str(self.state.get("units", e.id, "via") or ">"))

    def _unit_force(self, e: Entity) -> Entity | None:
        force = self.state.get("units", e.id, "force")
        return Entity("force", str(force)) if force else None

    def _link_from(self, e: Entity) -> Entity:
        return Entity("place", e.id.partition(">")[0])

    def _link_to(self, e: Entity) -> Entity:
        return Entity("place", e.id.partition(">")[2])

    def _link_works(self, e: Entity) -> str:
        """What stands at the far end against somebody who comes from the near end."""
        a, _, b = e.id.partition(">")
        return str(self.state.get("links", pair_key(a, b), f"works@{b}") or "none")

    def _link_own_works(self, e: Entity) -> str:
        a, _, b = e.id.partition(">")
        return str(self.state.get("links", pair_key(a, b), f"works@{a}") or "none")

    def _link_kind(self, e: Entity) -> str:
        a, _, b = e.id.partition(">")
        return str(self.geography.links.get(pair_key(a, b), {}).get("kind", "land"))

    # ---- relations

    def stance(self, a: str, b: str) -> str:
        """Stance of two nations: what the state says, else that of one side's members, else the default."""
        if self._stances_at != self.state.version:
            self._look_at_relations()
        found = self._stances.get((a, b))
        if found is None:
            found = self._stances[(a, b)] = self._stance(a, b)
        return found

    def _look_at_relations(self) -> None:
        """Forget stances and sides if what they come from has changed."""
        self._stances_at = self.state.version
        versions = (self.state.versions.get("relations", 0), self.state.versions.get("nations", 0))
        if versions != self._stance_versions:
            self._stance_versions = versions
            self._stances.clear()
            self._hostile.clear()
            self._allied.clear()

    def _stance(self, a: str, b: str) -> str:
        if a == b:
            return self._same_side
        said = self.state.tables.get("relations", {}).get(pair_key(a, b))
        if said is not None:
            return str(said["stance"])
        side = self.side_of(a)
        return self._same_side if side and side == self.side_of(b) else self._default_stance

    def hostile(self, a: str, b: str) -> bool:
        if self._stances_at != self.state.version:
            self._look_at_relations()
        found = self._hostile.get((a, b))
        if found is None:
            found = self._hostile[a, b] = a != b and bool(self.stances.get(self.stance(a, b), _EMPTY).get("hostile"))
        return found

    def allied(self, a: str, b: str) -> bool:
        if self._stances_at != self.state.version:
            self._look_at_relations()
        found = self._allied.get((a, b))
        if found is None:
            found = self._allied[a, b] = a == b or bool(self.stances.get(self.stance(a, b), _EMPTY).get("friendly"))
        return found

    def nations(self) -> list[str]:
        """Every nation of the game: those of the ruleset and those founded since."""
        return sorted({*self.ruleset.rows("nations"), *self.state.table("nations")})

    def members(self, who: Any) -> list[str]:
        """The nations that a nation, side, group or set stands for."""
        if isinstance(who, Entity):
            if who.kind == "nation":
                return [who.id]
            if who.kind == "side":
                return [n for n in self.nations() if self.side_of(n) == who.id]
            if who.kind == "group":
                return list(self.ruleset.rows("groups").get(who.id, {}).get("members", ()))
            if who.kind == "place":
                holder = self.holder_of(who.id)
                return [holder] if holder else []
            return []
        if who is None:
            return []
        if isinstance(who, str):
            if self.ruleset.has("sides", who):
                return self.members(Entity("side", who))
            if self.ruleset.has("groups", who):
                return self.members(Entity("group", who))
            return [who]
        return [n for w in who for n in self.members(w)]

    def enemies_at(self, nation: str, place: str) -> list[str]:
        return [o for o in sorted(self.state.owners_at(place)) if self.hostile(nation, o)]

    def friendly_place(self, nation: str, place: str) -> bool:
        """Held by the nation or an ally, with no enemy in it."""
        holder = self.holder_of(place)
        return holder is not None and self.allied(nation, holder) and not self.enemies_at(nation, place)

    def enemy_place(self, nation: str, place: str) -> bool:
        """Held or occupied by somebody at war with the nation."""
        holder = self.holder_of(place)
        return (holder is not None and self.hostile(nation, holder)) or bool(self.enemies_at(nation, place))

    # ---- quantities

    def quantity(self, id_: str, subject: Entity, names: Names | None = None) -> Any:
        """A quantity of a thing, with all its adjust rows."""
        return self.quantities.value(id_, subject, names)[0]

    def quantity_with_rows(
        self, id_: str, subject: Entity, names: Names | None = None, skip: Iterable[str] = ()
    ) -> tuple[Any, list[Row]]:
        """A quantity of a thing and the adjust rows that applied; `skip` leaves out rows by id."""
        return self.quantities.value(id_, subject, names, skip)

    def adjusts_of(self, id_: str) -> list[Row]:
        return self.quantities.adjusts_of(id_)

    def combine(self, row: Row, base: Any, applied: list[Row], scope: Names) -> Any:
        """A base and the adjust rows that apply, put together in the one order."""
        return self.quantities.combine(row, base, applied, scope)

    def number(self, value: Any, names: Names) -> Any:
        """A number written as one, as a fraction, or as `=` an expression."""
        if isinstance(value, str):
            if value.startswith("="):
                return self.value(value[1:].strip(), names)
            return exact(Fraction(value))
        return value

    def subject_names(self, subject: Entity, names: Names) -> dict[str, Any]:
        """The names in scope for a subject: itself by its kind, and for units their owner, place and kind of link."""
        return self.quantities.names(subject, names)

    def labels(self, subject: Entity, scope: Names) -> set[str]:
        """The ids that an adjust row's `for` can name for this subject."""
        return self.quantities.labels(subject, scope)
