"""The functions of the vocabulary, bound to a world.

One table, `functions(world)`; the checker knows their signatures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
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
    return Functions(world, {**sets(world), **_things(world), **_values(world), **_past(world)})


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

    def related(who: Any, word: str, test: Callable[[str, str], bool]) -> EntitySet:
        own = tuple(world.members(who))

        def make() -> EntitySet:
            return tuple([n for n in world.all_nations() if any(test(o, n.id) for o in own)])

        return world.keep((word, own), RELATED, make)

    def at_place(who: Any, place: Any, test: Callable[[str, str], bool]) -> bool:
        where = id_of(place)
        if where is None:  # the capital of a nation that has none
            return False
        if type(who) is Entity and who.kind == "nation":
            return test(who.id, where)
        return any(test(m, where) for m in world.members(who))

    def distance(a: Any, b: Any, kind: Any = None) -> int:
        start, goal = id_of(a), id_of(b)
        if start is None or goal is None:
            return 0 if start is goal else -1
        return world.geography.distance(start, goal, links_meant(world, kind))

    def opposite(who: Any) -> Entity | None:
        id_ = id_of(who)
        side: str | None = id_ or None
        if side and not world.ruleset.has("sides", side):
            side = world.side_of(side)
        other = world.ruleset.row_or_empty("sides", side or "").get("opposite")
        return Entity("side", other) if other else None

    def neutral(who: Any) -> bool:
        if type(who) is Entity and who.kind == "nation":
            return world.side_of(who.id) is None
        return all(world.side_of(n) is None for n in world.members(who))

    def reaches(place: Any, goal: Any, term: str, *rest: Any) -> bool:
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

    def on_way(place: Any, start: Any, goal: Any, term: str, *rest: Any) -> bool:
        ends = id_of(place), id_of(start), id_of(goal)
        if None in ends:
            return False
        ask = asker(world, term, rest)
        passes = {p for p in world.ruleset.rows("places") if ask(Entity("place", p))}
        return world.geography.serves(*ends, passes)

    return {
        "nation": lambda id_: Entity("nation", id_of(id_)),
        "place": lambda id_: Entity("place", id_of(id_)),
        "passage": lambda id_: Entity("passage", id_of(id_)),
        "item": lambda id_: Entity("item", id_of(id_)),
        "border": lambda a, b: Entity("link", f"{id_of(a)}>{id_of(b)}"),
        "at_war": lambda a, b: pairs(a, b, world.hostile),
        "allied": allied,
        "allies": lambda who: related(who, "allies", world.allied),
        "enemies": lambda who: related(who, "enemies", world.hostile),
        "stance": lambda a, b: world.stance(id_of(a), id_of(b)),
        "friendly": lambda n, p: at_place(n, p, world.friendly_place),
        "enemy": lambda n, p: at_place(n, p, world.enemy_place),
        "neutral": neutral,
        "opposite": opposite,
        "distance": distance,
        "on_way": on_way,
        "reaches": reaches,
    }


def _values(world: World) -> dict[str, Callable[..., Any]]:
    state, ruleset = world.state, world.ruleset

    def key(x: Any) -> str:
        if x == "game":
            return THE_GAME
        thing = world.thing(x)
        return f"{thing.kind}:{thing.id}"

    def track(nation: Any, id_: Any) -> int:
        return int(state.get("tracks", id_of(nation), id_of(id_), 0))

    def toward(nation: Any, side: Any, id_: str | None = None) -> int:
        if id_ is None:
            id_ = next(i for i, r in ruleset.rows("tracks").items() if r.get("signed"))
        return tilt_to(ruleset, state, id_of(nation), id_, id_of(side))

    def age(x: Any, mark: Any) -> int:
        found = state.get("flags", key(x), id_of(mark))
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
        names = {
            "self": (who := world.thing(nation, "nation")),
            "nation": who,
            "target": world.thing(target, "nation"),
        }
        return all(world.test(need["test"], names) for need in limits_on(ruleset, act))

    def coming(nation: Any, what: Any, at: Any = None) -> int:
        wanted, owner, place = id_of(what), id_of(nation), id_of(at)
        rows = (
            r
            for r in state.table("under_way").values()
            if r.get("nation") == owner and place in (None, r.get("at"), r.get("into"))
        )
        return sum(int(r.get("n", 1)) for r in rows if wanted in (r.get("what"), r.get("item")))

    def en_route(nation: Any, what: Any = None) -> int:
        rows = [
            r for r in state.table("under_way").values() if r.get("nation") == id_of(nation) and "mode" in r
        ]
        if what is not None:
            kinds, wanted = ruleset.rows("units"), id_of(what)
            rows = [r for r in rows if wanted == r["what"] or wanted in kinds[r["what"]].get("tags", ())]
        return sum(int(r["n"]) for r in rows)

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
        "treasury": lambda x, r: seat_of(world, id_of(x), id_of(r)),
        "income": lambda n: state.get("nations", id_of(n), "income", 0),
        "value": value,
        "flagged": lambda x, m: state.get("flags", key(x), id_of(m)) is not None,
        "age": age,
        "counter": lambda x, id_: state.get("counters", key(x), id_of(id_), 0),
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


def stands_above(order: str, other: str) -> bool:
    """Whether one of two orders ("nation/number") stands above the other in the file of their nation."""
    nation, _, number = order.rpartition("/")
    whose, _, here = other.rpartition("/")
    return nation == whose and int(number) < int(here)


def _past(world: World) -> dict[str, Callable[..., Any]]:
    facts = FactsByWord(world.state)

    def count(word: str, filters: dict[str, Any], turn: int | None = None) -> int:
        rows = facts.of(word, turn)
        return sum(all(fits(world, row.get(name), value) for name, value in filters.items()) for row in rows)

    def was(x: Any, name: str, moment: str, *rest: Any) -> Any:
        past = world.at(moment)
        return apply(past, past.thing(x), name, rest)

    def ordered(word: str, *, before: str | None = None, **filters: Any) -> int:
        found = 0
        for key, row in world.state.table("orders").items():
            if row.get("order") == word and (before is None or stands_above(key, before)):
                found += all(
                    fits(world, row.get("slots", {}).get(n, row.get(n)), v) for n, v in filters.items()
                )
        return found

    return {
        "happened": lambda word, **filters: count(word, filters),
        "this_turn": lambda word, **filters: count(
            word, filters, int(world.state.get("game", "game", "turn", 0))
        ),
        "was": was,
        "ordered": ordered,
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
