"""What expressions see: a ruleset and a state as things with fields, sets of things, and the functions of the
vocabulary.

A `World` is a reader. It never changes the state; what it derives is kept only while the tables it came from
stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

from ..core.model import Row, Ruleset
from ..core.rows import StanceRow
from ..core.state import Entity, State, columns, pair_key
from ..ruleset.expressions import Expression, ExpressionError, parse
from ..ruleset.expressions.evaluate import Evaluator
from ..ruleset.expressions.functions import EARLIER, HOLDERS, RELATED, SIDES
from ..ruleset.expressions.reads import MEANING, Tables, reads_of
from .cache import Cache
from .fields import EntitySet as EntitySet
from .fields import Readings, wholes
from .geography import Geography
from .quantities import Quantities
from .quantities import exact as exact
from .quantities import round_as as round_as

T = TypeVar("T")

Names = Mapping[str, Any]

_NATIONS = columns("nations")
MOST_KEPT = 20_000
"""Values of a definition that are kept for all worlds."""


class World(Readings):
    """A ruleset and a state, ready to be asked.

    `moments` holds the states that `was()` reads ('game', 'turn', 'phase'), or functions that make them when
    they are first read; a moment that is absent is the present. With `copied` the state began
    as a copy of that world's, and what that world keeps holds here, too, until a table changes.
    """

    __deletable__ = ("stats",)  # `close` lets go of it, where the module is compiled, too

    functions: ClassVar[Callable[[World], dict[str, Callable[..., Any]]]]
    """The functions of the vocabulary over a world; the package `world` sets it, since their modules import
    this one.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        state: State,
        *,
        moments: Mapping[str, State | Callable[[], State]] | None = None,
        geography: Geography | None = None,
        copied: World | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.state = state
        self._copied = copied
        self._copied_version = copied.state.version if copied is not None else 0
        self.geography = geography or ruleset.derived("geography", lambda: Geography(ruleset))
        self.moments: dict[str, State | Callable[[], State]] = dict(moments or {})
        self._past: dict[str, World] = {}
        self._caches: dict[Any, Cache] = {}
        self._plans, self._of_all = {}, {}
        self.stats = Quantities(self)
        self._depth = 0
        self._figures: dict[str, Cache] = {}  # stats, as they are where no names are given
        self._holders = self._cache("holders", HOLDERS)
        self._stances = self._cache("stances", RELATED)
        self._hostile, self._allied = self._cache("hostile", RELATED), self._cache("allied", RELATED)
        self._always: Names = {}
        self._always_version = -1
        self.stances = ruleset.rows("stances")
        self._default_stance = next((i for i, r in self.stances.items() if r.get("default")), "")
        self._same_side = ruleset.setting("same_side_stance") or next(
            (i for i, r in self.stances.items() if r.get("friendly")), ""
        )
        self._fields = ruleset.rows("fields")
        self._nations = ruleset.rows("nations")
        self._places = ruleset.rows("places")
        self._wholes = wholes(ruleset)
        self.evaluator = Evaluator(World.functions(self), self.field, self._plans)

    def close(self) -> None:
        """Let go of everything, once nobody asks it any more: it is freed at once, not when cycles are looked
        for.

        Its functions hold it as it holds them: whoever makes a world for each nation closes each after use.
        """
        self.evaluator.functions.clear()
        for past in self._past.values():
            past.close()
        for kept in (self._past, self._plans, self._of_all, self._caches, self._figures, self.moments):
            kept.clear()
        self._copied = None
        del self.evaluator, self.stats

    # ---- evaluating

    def value(self, text: str | int | Fraction | Expression, names: Names) -> Any:
        """The value of an expression (text without its mark). Numbers pass through."""
        if type(text) is str:
            expression = parse(text)
        elif isinstance(text, Expression):
            expression = text
        else:
            return text
        if self._depth >= 40:
            raise ExpressionError(f"definitions nested too deep in {expression.text}")
        self._depth += 1
        try:
            return self.evaluator.run(expression, names if expression.timeless else self._scope(names))
        except ExpressionError as error:
            error.ruleset = error.ruleset or self.ruleset
            raise
        finally:
            self._depth -= 1

    def _scope(self, names: Names) -> Names:
        """The names given, on top of those that are always there."""
        if self._always_version != self.state.versions.get("game", 0):
            self._always_version = self.state.versions.get("game", 0)
            self._always = self.always()
        return {**self._always, **names}

    def term_values(self, expression: Expression) -> Cache:
        """Where the values of a definition are kept, by its arguments, until a table that the definition
        reads changes; of one that reads none, for all worlds of the ruleset.
        """
        name, tables = ("term", expression.text), self.decided_by(expression.text)
        if tables is None or tables:
            return self._cache(name, tables)
        shared = self.ruleset.derived(("timeless", expression.text), lambda: Cache(()))
        if len(shared.values) > MOST_KEPT:
            shared.values.clear()
        return Cache((), shared)

    def decided_by(self, *texts: str) -> Tables | None:
        """The tables that decide what expressions, definitions, stats or fields say; None: any table may."""
        read = self.ruleset.derived(("decided by", texts), lambda: reads_of(self.ruleset, *texts), of=MEANING)
        return read

    def test(self, text: str | bool | None, names: Names) -> bool:
        """Whether a test holds; an absent one does."""
        if text is None or text is True:
            return True
        return text is not False and bool(self.value(text, names))

    def first_failing(self, tests: Iterable[str | bool | None], names: Names) -> int | None:
        """The number of the first of several tests that does not hold; None: all do."""
        names = self._scope(names)
        self._depth += 1
        try:
            for number, text in enumerate(tests):
                if text is None or text is True:
                    continue
                if text is False or not self.evaluator.run(parse(text), names):
                    return number
        except ExpressionError as error:
            error.ruleset = error.ruleset or self.ruleset
            raise
        finally:
            self._depth -= 1
        return None

    def marked(self, value: Any, names: Names) -> Any:
        """A value that may be marked as an expression: `=...` is evaluated, all else is itself."""
        if isinstance(value, str) and value.startswith("="):
            text = value[1:].strip()
            return names[text] if text in names else self.value(text, names)
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
        """The world at the start of 'game', 'turn', 'phase' or 'step' (of actions); now, if there is no such
        moment.
        """
        state = self.moments.get(moment)
        if state is None:
            return self
        if not isinstance(state, State):
            state = self.moments[moment] = state()
        past = self._past.get(moment)
        if past is None or past.state is not state:
            if past is not None:
                past.close()
            past = World(self.ruleset, state, geography=self.geography)
            self._past[moment] = past
        return past

    def remember(self, moment: str, state: State | None) -> None:
        """From now on `was` reads this state at a moment; with None, the present."""
        if state is not None:
            self.moments[moment] = state
        elif self.moments.pop(moment, None) is None:
            return
        self.state.touch(EARLIER)

    def _cache(self, name: Any, tables: Iterable[str] | None) -> Cache:
        """The cache of a name, shared with the world of which this one is a copy while that has not
        changed.
        """
        found = self._caches.get(name)
        if found is None:
            shared, copied = None, self._copied
            if copied is not None and tables is not None and copied.state.version == self._copied_version:
                shared = copied._cache(name, tables)
                if shared.version != copied.state.version:
                    shared.renew(copied.state)
            found = self._caches[name] = Cache(tables, shared)
        return found

    def keep(self, key: Any, tables: Iterable[str] | None, make: Callable[[], T]) -> T:
        """What `make` gives, kept until one of the tables or columns changes (None: until anything does).

        `tables` are a tuple or a frozenset; what decides expressions is asked of `decided_by`.
        """
        cache = self._caches.get(tables)
        if cache is None:
            cache = self._cache(tables, tables)
        if cache.version != self.state.version:
            cache.renew(self.state)
        try:
            found: T = cache.values[key]
        except KeyError:
            found = cache.values[key] = make()
        return found

    def memo(self, key: Any, tables: Iterable[str] | None) -> dict[Any, Any]:
        """A place to keep what depends on some tables only (None: on all): emptied when one of them
        changes.
        """
        return self.keep(key, tables, dict)

    # ---- relations

    def stance(self, a: str, b: str) -> str:
        """Stance of two nations: what the state says, else that of one side's members, else the default."""
        kept = self._stances
        if kept.version != self.state.version:
            kept.renew(self.state)
        found: str | None = kept.values.get((a, b))
        if found is None:
            found = kept.values[a, b] = self._stance(a, b)
        return found

    def _stance(self, a: str, b: str) -> str:
        if a == b:
            return self._same_side
        said = self.state.tables.get("relations", {}).get(pair_key(a, b))
        if said is not None and "stance" in said:
            return str(said["stance"])
        side = self.side_of(a)
        return self._same_side if side and side == self.side_of(b) else self._default_stance

    def stance_row(self, a: str, b: str) -> StanceRow:
        """What the stance between two nations means; a row without keys if the ruleset has no stances."""
        return self.ruleset.row_or_empty("stances", self.stance(a, b))

    def hostile(self, a: str, b: str) -> bool:
        """Whether two nations are at war, by the stance between them; no nation is with itself."""
        kept = self._hostile
        if kept.version != self.state.version:
            kept.renew(self.state)
        found: bool | None = kept.values.get((a, b))
        if found is None:
            found = kept.values[a, b] = a != b and bool(self.stance_row(a, b).get("hostile"))
        return found

    def would_fight(self, a: str, b: str) -> bool:
        """Whether units of two nations fight when they meet: they are hostile, or by their stance it is an
        attack when one enters the other's land.
        """
        stance = self.stance_row(a, b)
        return a != b and (bool(stance.get("hostile")) or stance.get("enter") == "fight")

    def allied(self, a: str, b: str) -> bool:
        """Whether two nations are friends, by the stance between them; each is its own friend."""
        kept = self._allied
        if kept.version != self.state.version:
            kept.renew(self.state)
        found: bool | None = kept.values.get((a, b))
        if found is None:
            found = kept.values[a, b] = a == b or bool(self.stance_row(a, b).get("friendly"))
        return found

    def nations(self) -> list[str]:
        """Every nation of the game: those of the ruleset and those founded since."""
        return [n.id for n in self.all_nations()]

    def all_nations(self) -> EntitySet:
        """The same as things."""

        def make() -> EntitySet:
            return tuple(
                Entity("nation", n)
                for n in sorted({*self.ruleset.rows("nations"), *self.state.table("nations")})
            )

        return self.keep("nations", _NATIONS, make)

    def by_side(self) -> dict[str, EntitySet]:
        """The nations of each side, in order."""

        def make() -> dict[str, EntitySet]:
            out: dict[str, EntitySet] = {}
            for nation in self.all_nations():
                side = self.side_of(nation.id)
                if side:
                    out[side] = (*out.get(side, ()), nation)
            return out

        return self.keep("nations by side", SIDES, make)

    def members(self, who: Any) -> list[str]:
        """The nations that a nation, side, group or set stands for."""
        if isinstance(who, Entity):
            if who.kind == "nation":
                return [who.id]
            if who.kind == "side":
                return [n.id for n in self.by_side().get(who.id, ())]
            if who.kind == "group":
                return list(self.ruleset.row_or_empty("groups", who.id).get("members", ()))
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
        """The nations at war with a nation that have units in a place, by id."""
        owners = self.state.owners_at(place)
        return [o for o in sorted(owners) if self.hostile(nation, o)] if owners else []

    def friendly_place(self, nation: str, place: str) -> bool:
        """Held by the nation or an ally, with no enemy in it."""
        holder = self.holder_of(place)
        return holder is not None and self.allied(nation, holder) and not self._foes_in(nation, place)

    def held_by_enemy(self, nation: str, place: str) -> bool:
        """Held by somebody at war with the nation."""
        holder = self.holder_of(place)
        return holder is not None and self.hostile(nation, holder)

    def enemy_place(self, nation: str, place: str) -> bool:
        """Held or occupied by somebody at war with the nation."""
        return self.held_by_enemy(nation, place) or self._foes_in(nation, place)

    def _foes_in(self, nation: str, place: str) -> bool:
        return any(self.hostile(nation, o) for o in self.state.owners_at(place))

    # ---- stats

    def quantity(self, id_: str, subject: Entity, names: Names | None = None) -> Any:
        """A stat of a thing, with all its modifiers; where no names are given, kept until a table that it
        reads changes.
        """
        if names:
            return self.stats.value(id_, subject, names)[0]
        kept = self._figures.get(id_)
        if kept is None:
            kept = self._figures[id_] = self._cache(("stat", id_), self.decided_by(id_))
        if kept.version != self.state.version:
            kept.renew(self.state)
        try:
            return kept.values[subject]
        except KeyError:
            found = kept.values[subject] = self.stats.value(id_, subject)[0]
            return found

    def quantity_with_rows(
        self, id_: str, subject: Entity, names: Names | None = None, skip: Iterable[str] = ()
    ) -> tuple[Any, list[Row]]:
        """A stat of a thing and the modifiers that applied; `skip` leaves out rows by id."""
        return self.stats.value(id_, subject, names, skip)

    def combine(self, row: Row, base: Any, applied: list[Row], scope: Names) -> Any:
        """A base and the modifiers that apply, put together in the one order."""
        return self.stats.combine(row, base, applied, scope)

    def number(self, value: Any, names: Names) -> Any:
        """A number written as one, as a fraction, or as `=` an expression.

        ExpressionError where that gives no number.
        """
        if isinstance(value, str):
            if value.startswith("="):
                text = value[1:].strip()
                found = self.value(text, names)
                if not isinstance(found, int | Fraction):
                    raise self._no_number(text, found)
                return found
            return exact(Fraction(value))
        return value

    def bounded(self, value: Any, row: Row, names: Names) -> Any:
        """A number within the bounds of a row (`at_least`, `at_most`), if it has any."""
        if "at_least" in row:
            value = max(value, self.number(row["at_least"], names))
        if "at_most" in row:
            value = min(value, self.number(row["at_most"], names))
        return value

    def _no_number(self, text: str, found: Any) -> ExpressionError:
        said = found.id if isinstance(found, Entity) else str(found)
        if found is None:
            said = "nothing"
        error = ExpressionError(f"a number is needed, and this gives {said[:60]}")
        error.expression, error.ruleset = text, self.ruleset
        return error

    def figure(self, value: Any, names: Names, thing: Entity | None = None) -> Any:
        """A number as a row gives it: plainly, `=` an expression, a stat (of `thing`, or of what the names
        call so), or one of the thing's fields; a field that has no value is 0."""
        if not isinstance(value, str) or value.startswith("="):
            return self.number(value, names)
        row = self.ruleset.rows("stats").get(value)
        if row is not None and (thing is None or row["of"] == thing.kind):
            return self.quantity(value, thing or names.get(row["of"]) or names["self"], names)
        if thing is None or value[:1] in "-0123456789":
            return self.number(value, names)
        return self.field(thing, value) or 0

    def subject_names(self, subject: Entity, names: Names) -> dict[str, Any]:
        """The names in scope for a subject: itself by its kind, and for units their owner, place and kind of
        link.
        """
        return self.stats.names(subject, names)
