"""The functions of the vocabulary, bound to a world.

Each is a function of the world and of what the expression gives it; `functions` binds them. The checker knows
their signatures (`ruleset/expressions/functions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from itertools import chain, islice
from typing import Any

from ..core.rows import DefinitionRow
from ..core.state import THE_GAME, Entity, Fields, State, unit_key
from ..ruleset.action_changes import limits_on
from ..ruleset.expressions import ExpressionError, parse
from ..ruleset.expressions.bounds import is_verdict
from ..ruleset.expressions.functions import RELATED
from ..ruleset.expressions.parse import strip_mark
from .objectives import points_of
from .selections import apply, as_set, asker, fits, id_of
from .sets import links_meant, sets
from .tables import band, box_of, cell
from .tracks import tilt_to
from .treasury import held_places, seat_of, stock
from .verdicts import TABLE, kind_of
from .world import EntitySet, World


def functions(world: World) -> dict[str, Callable[..., Any]]:
    """Every function and every definition of the ruleset, as callables over plain data and entities."""
    bound = {name: partial(function, world) for name, function in _FUNCTIONS.items()}
    return Functions(world, {**sets(world), **bound, **_WITHOUT_WORLD, **_past(world)})


class Functions(dict[str, Callable[..., Any]]):
    """The functions, and the ruleset's definitions, which are made when they are first called."""

    def __init__(self, world: World, table: dict[str, Callable[..., Any]]) -> None:
        super().__init__(table)
        self.world = world

    def __missing__(self, name: str) -> Callable[..., Any]:
        row = self.world.ruleset.rows("definitions").get(name)
        if row is None:
            raise KeyError(name)
        made = self[name] = (_verdict if is_verdict(row) else _term)(self.world, name, row)
        return made


def _verdict(world: World, id_: str, row: DefinitionRow) -> Callable[..., Any]:
    """A verdict as it was last settled; of what was not asked, no."""
    kind = kind_of(row)[1]

    def run(thing: Any) -> bool:
        found = world.thing(thing, kind) if thing is not None else None
        return found is not None and bool(world.state.get(TABLE, f"{found.kind}:{found.id}", id_, False))

    return run


def _term(world: World, id_: str, row: DefinitionRow) -> Callable[..., Any]:
    parameters = []
    for argument in row.get("of", ()):
        name, _, kind = argument.rpartition(":")
        parameters.append((name or kind, kind))
    text = row["is"]

    if isinstance(text, str):
        text = strip_mark(text)
    expression = parse(text) if isinstance(text, str) else None

    names = [name for name, _ in parameters]
    most = len(names)
    state, kept = world.state, world.term_values(expression) if expression is not None else None

    def things(given: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            world.thing(value, kind) if isinstance(value, str) and kind in _THING_KINDS else value
            for value, (_, kind) in zip(given, parameters, strict=False)
        )

    def run(*given: Any) -> Any:
        if len(given) > most:
            raise ExpressionError(f"{id_} takes {most} arguments, not {len(given)}")
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


_THING_KINDS = {"nation", "place", "side", "tech", "passage", "unit", "link", "force", "item", "card"}


# ---- nations, and what they are to each other


def _nations_that(world: World, a: Any, b: Any, test: Callable[[str, str], bool]) -> bool:
    """Whether a test of two nations holds for any that one stands for and any that the other does."""
    if type(a) is Entity and type(b) is Entity and a.kind == b.kind == "nation":
        return test(a.id, b.id)
    return any(test(x, y) for x in world.members(a) for y in world.members(b))


def _allied(world: World, a: Any, b: Any) -> bool:
    if type(a) is Entity and type(b) is Entity and a.kind == b.kind == "nation":
        return world.allied(a.id, b.id)
    for one, other in ((a, b), (b, a)):
        side = id_of(one)
        if world.ruleset.has("sides", side) and isinstance(id_of(other), str):
            return all(world.side_of(n) == side for n in world.members(other))
    return _nations_that(world, a, b, world.allied)


def _related(world: World, who: Any, word: str, test: Callable[[str, str], bool]) -> EntitySet:
    """The nations that a test of two nations holds for with any that `who` stands for; kept under `word`."""
    own = tuple(world.members(who))

    def make() -> EntitySet:
        return tuple([n for n in world.all_nations() if any(test(o, n.id) for o in own)])

    return world.keep((word, own), RELATED, make)


def _neutral(world: World, who: Any) -> bool:
    if type(who) is Entity and who.kind == "nation":
        return world.side_of(who.id) is None
    return all(world.side_of(n) is None for n in world.members(who))


def _opposite(world: World, who: Any) -> Entity | None:
    id_ = id_of(who)
    side: str | None = id_ or None
    if side and not world.ruleset.has("sides", side):
        side = world.side_of(side)
    other = world.ruleset.row_or_empty("sides", side or "").get("opposite")
    return Entity("side", other) if other else None


# ---- places


def _in_place(world: World, who: Any, place: Any, test: Callable[[str, str], bool]) -> bool:
    """Whether a test of a nation and a place holds for any nation that `who` stands for."""
    where = id_of(place)
    if where is None:  # the capital of a nation that has none
        return False
    if type(who) is Entity and who.kind == "nation":
        return test(who.id, where)
    return any(test(m, where) for m in world.members(who))


def _distance(world: World, a: Any, b: Any, kind: Any = None) -> int:
    start, goal = id_of(a), id_of(b)
    if start is None or goal is None:
        return 0 if start is goal else -1
    return world.geography.distance(start, goal, links_meant(world, kind))


def _reaches(world: World, place: Any, goal: Any, term: str, *rest: Any) -> bool:
    start = id_of(place)
    if start is None:
        return False
    goals: set[str] = set()
    for thing in as_set(world, goal):
        goals.update((thing.id,) if thing.kind != "nation" else held_places(world, thing.id))
    ask = asker(world, term, rest)
    known: dict[str, bool] = world.memo(("passes", term, tuple(map(id_of, rest))), world.decided_by(term))

    def passes(p: str) -> bool:
        if p not in known:
            known[p] = bool(ask(Entity("place", p)))
        return known[p]

    return any(p in goals for p in world.geography.reachable(start, passes))


def _on_way(world: World, place: Any, start: Any, goal: Any, term: str, *rest: Any) -> bool:
    ends = id_of(place), id_of(start), id_of(goal)
    if None in ends:
        return False
    ask = asker(world, term, rest)
    passes = {p for p in world.ruleset.rows("places") if ask(Entity("place", p))}
    return world.geography.serves(*ends, passes)


# ---- levels and amounts of a thing


def _key(world: World, x: Any) -> str:
    """Under what flags and counters of a thing are kept."""
    if x == "game":
        return THE_GAME
    thing = world.thing(x)
    return f"{thing.kind}:{thing.id}"


def _track(world: World, nation: Any, id_: Any) -> int:
    return int(world.state.get("tracks", id_of(nation), id_of(id_), 0))


def _toward(world: World, nation: Any, side: Any, id_: str | None = None) -> int:
    if id_ is None:
        id_ = next(i for i, r in world.ruleset.rows("tracks").items() if r.get("signed"))
    return tilt_to(world.ruleset, world.state, id_of(nation), id_, id_of(side))


def _level(world: World, nation: Any, tech: Any, stage: str | None = None) -> int:
    learned = int(world.state.get("techs", id_of(nation), id_of(tech), 0))
    if stage is None:
        return learned
    return max(int(world.state.get("tech_stages", id_of(nation), f"{stage}:{id_of(tech)}", 0)), learned)


def _value(world: World, x: Any, quantity: str, who: Any = None) -> Any:
    names = {"self": world.thing(who, "nation")} if who is not None else {}
    return world.quantity(quantity, world.thing(x), names)


def _age(world: World, x: Any, flag: Any) -> int:
    found = world.state.get("flags", _key(world, x), id_of(flag))
    return int(world.state.get("game", "game", "turn", 0)) - int(found["since"]) if found else -1


def _coming(world: World, nation: Any, what: Any, at: Any = None) -> int:
    wanted, owner, place = id_of(what), id_of(nation), id_of(at)
    rows = (
        r
        for r in world.state.table("under_way").values()
        if r.get("nation") == owner and place in (None, r.get("at"), r.get("into"))
    )
    return sum(int(r.get("n", 1)) for r in rows if wanted in (r.get("what"), r.get("item")))


def _en_route(world: World, nation: Any, what: Any = None) -> int:
    owner = id_of(nation)
    rows = [r for r in world.state.table("under_way").values() if r.get("nation") == owner and "mode" in r]
    if what is not None:
        kinds, wanted = world.ruleset.rows("units"), id_of(what)
        rows = [r for r in rows if wanted == r["what"] or wanted in kinds[r["what"]].get("tags", ())]
    return sum(int(r["n"]) for r in rows)


# ---- what the rules say


def _within_limits(world: World, act: str, nation: Any, target: Any) -> bool:
    who = world.thing(nation, "nation")
    names = {"self": who, "nation": who, "target": world.thing(target, "nation")}
    return all(world.test(need["test"], names) for need in limits_on(world.ruleset, act))


def _option(world: World, id_: str) -> Any:
    chosen = world.state.get("options", "options", id_)
    return world.ruleset.row("options", id_)["default"] if chosen is None else chosen


# ---- the journal, earlier positions and this turn's orders


def _was(world: World, x: Any, name: str, moment: str, *rest: Any) -> Any:
    past = world.at(moment)
    return apply(past, past.thing(x), name, rest)


def _ordered(world: World, word: str, /, *, before: str | None = None, **filters: Any) -> int:
    found = 0
    for key, row in world.state.table("orders").items():
        if row.get("order") == word and (before is None or stands_above(key, before)):
            slots = row.get("slots", {})
            found += all(fits(world, slots.get(n, row.get(n)), wanted) for n, wanted in filters.items())
    return found


def stands_above(order: str, other: str) -> bool:
    """Whether one of two orders ("nation/number") stands above the other in the file of their nation."""
    nation, _, number = order.rpartition("/")
    whose, _, here = other.rpartition("/")
    return nation == whose and int(number) < int(here)


def _past(world: World) -> dict[str, Callable[..., Any]]:
    """The functions that count facts: they share one index of them."""
    facts = FactsByWord(world.state)

    def count(word: str, filters: dict[str, Any], turn: int | None = None) -> int:
        rows = facts.of(word, turn)
        return sum(all(fits(world, row.get(name), value) for name, value in filters.items()) for row in rows)

    def happened(word: str, /, **filters: Any) -> int:
        return count(word, filters)

    def this_turn(word: str, /, **filters: Any) -> int:
        return count(word, filters, int(world.state.get("game", "game", "turn", 0)))

    return {"happened": happened, "this_turn": this_turn}


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "border": lambda _, a, b: Entity("link", f"{id_of(a)}>{id_of(b)}"),
    "at_war": lambda world, a, b: _nations_that(world, a, b, world.hostile),
    "allied": _allied,
    "allies": lambda world, who: _related(world, who, "allies", world.allied),
    "enemies": lambda world, who: _related(world, who, "enemies", world.hostile),
    "stance": lambda world, a, b: world.stance(id_of(a), id_of(b)),
    "neutral": _neutral,
    "opposite": _opposite,
    "friendly": lambda world, who, place: _in_place(world, who, place, world.friendly_place),
    "enemy": lambda world, who, place: _in_place(world, who, place, world.enemy_place),
    "distance": _distance,
    "on_way": _on_way,
    "reaches": _reaches,
    "track": _track,
    "toward": _toward,
    "box": lambda world, nation, id_: box_of(world.ruleset.row("tracks", id_), _track(world, nation, id_)),
    "level": _level,
    "knows": lambda world, nation, tech: _level(world, nation, tech) > 0,
    "stock": lambda world, x, resource: stock(world, x, id_of(resource)),
    "treasury": lambda world, x, resource: seat_of(world, id_of(x), id_of(resource)),
    "income": lambda world, nation: world.state.get("nations", id_of(nation), "income", 0),
    "value": _value,
    "flagged": lambda world, x, flag: world.state.get("flags", _key(world, x), id_of(flag)) is not None,
    "age": _age,
    "counter": lambda world, x, id_: world.state.get("counters", _key(world, x), id_of(id_), 0),
    "coming": _coming,
    "en_route": _en_route,
    "objectives": lambda world, nation: points_of(world, id_of(nation)),
    "model": lambda _, nation, kind: Entity("unit", unit_key(id_of(nation), id_of(kind), "")),
    "within_limits": _within_limits,
    "option": _option,
    "lookup": lambda world, id_, *keys: cell(world.ruleset, id_, [id_of(k) for k in keys]),
    "band": lambda world, id_, number: band(world.ruleset, id_, number),
    "was": _was,
    "ordered": _ordered,
}

_WITHOUT_WORLD: dict[str, Callable[..., Any]] = {
    "nation": lambda id_: Entity("nation", id_of(id_)),
    "place": lambda id_: Entity("place", id_of(id_)),
    "passage": lambda id_: Entity("passage", id_of(id_)),
    "item": lambda id_: Entity("item", id_of(id_)),
    "min": min,
    "max": max,
    "floor": lambda n: Fraction(n).__floor__(),
    "ceil": lambda n: Fraction(n).__ceil__(),
}


# ---- facts

FACTS_TABLE = "facts"


class FactsByWord:
    """The facts of a state as they are whenever it is asked; new ones are sorted in, and nothing else is
    looked at again.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._rows: dict[str, dict[int, list[Fields]]] = {}  # word -> turn -> facts, as they came
        self._seen = 0
        self._version = 0

    def of(self, word: str, turn: int | None = None) -> Iterable[Fields]:
        """The facts of a word, in this turn or (None) in all."""
        version = self._state.versions.get(FACTS_TABLE, 0)
        if version != self._version or not self._seen:
            self._catch_up(version)
        found = self._rows.get(word, {})
        return chain.from_iterable(found.values()) if turn is None else found.get(turn, ())

    def _catch_up(self, version: int) -> None:
        facts = self._state.tables.get(FACTS_TABLE, {})
        # a change that added none: one went, or is another
        if len(facts) - self._seen != version - self._version:
            self._rows.clear()
            self._seen = 0
        latest = list(islice(reversed(facts.values()), len(facts) - self._seen))
        for row in reversed(latest):
            self._rows.setdefault(row["word"], {}).setdefault(int(row["turn"]), []).append(row)
        self._seen, self._version = len(facts), version
