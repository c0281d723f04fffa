"""`then`, of the state: nations, places, units, relations, wars and single fields, compared with what a case
expects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..core.state import Entity, pair_key, works_on
from ..world.piles import held
from ..world.treasury import stock
from ..world.world import World
from .given import known, rows_of_pile
from .mismatch import Mismatch, Path, unless
from .values import NONE
from .when import Play


class StateReader:
    """The comparisons with the state, by the key of `then` that asks for them."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.world: World = play.turn.world
        self.state = play.turn.state
        self.checks: dict[str, Callable[[Any, Path], Iterator[Mismatch]]] = {
            "nations": self.nations,
            "places": self.places,
            "units": self.units,
            "relations": self.relations,
            "wars": self.wars,
            "works": self.works,
            "piles": self.piles,
            "game": self.game,
            "state": self.tables,
        }

    # ---- nations

    def nations(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        rules = self.world.ruleset
        for nation, row in said.items():
            here = (*path, nation)
            known({**rules.rows("nations"), **self.state.table("nations")}, nation, "nation", here)
            for key, wanted in row.items():
                at = (*here, key)
                match key:
                    case "treasury":
                        yield from self._stores(nation, wanted, at)
                    case "techs":
                        yield from self._numbers("techs", nation, wanted, "technologies", at)
                    case "tracks":
                        yield from self._numbers("tracks", nation, wanted, "tracks", at)
                    case "counters":
                        yield from self._numbers(key, f"nation:{nation}", wanted, key, at)
                    case "flags":
                        yield from self._marks(f"nation:{nation}", wanted, at)
                    case "units":
                        yield from self._count(nation, wanted, at)
                    case "seat":  # as it is written: the field follows a seat that names another nation
                        yield from unless(wanted, self.world.seat_said(nation), at, ("nations", nation, key))
                    case _:
                        yield from self._field(Entity("nation", nation), "nations", key, wanted, at)

    def _stores(self, nation: str, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for key, wanted in said.items():
            if isinstance(wanted, Mapping):
                for what, amount in wanted.items():
                    purse = f"{nation}/{key}"
                    got = self.state.get("treasuries", purse, what, 0)
                    yield from unless(amount, got, (*path, key, what), ("treasuries", purse, what))
            else:
                known(self.world.ruleset.rows("resources"), key, "resource", (*path, key))
                got = stock(self.world, Entity("nation", nation), key)
                purses = [p for p in self.state.table("treasuries") if p.partition("/")[0] == nation]
                yield from unless(wanted, got, (*path, key), *(("treasuries", p, key) for p in purses))

    def _numbers(
        self, table: str, id_: str, said: Mapping[str, Any], form: str, path: Path
    ) -> Iterator[Mismatch]:
        for name, wanted in said.items():
            known(self.world.ruleset.rows(form), name, form, (*path, name))
            yield from unless(wanted, self.state.get(table, id_, name, 0), (*path, name), (table, id_, name))

    def _marks(self, thing: str, said: Any, path: Path) -> Iterator[Mismatch]:
        for mark, wanted in (said if isinstance(said, Mapping) else dict.fromkeys(said, True)).items():
            found = self.state.get("flags", thing, mark)
            if isinstance(wanted, Mapping):
                got = {k: (found or {}).get(k) for k in wanted}
                yield from unless(wanted, got, (*path, mark), ("flags", thing, mark))
            else:
                yield from unless(bool(wanted), found is not None, (*path, mark), ("flags", thing, mark))

    def _count(self, nation: str, said: Any, path: Path) -> Iterator[Mismatch]:
        if not isinstance(said, Mapping):  # none: nothing at all
            stacks = self.state.stacks(owner=nation)
            yield from unless(0, sum(r["n"] for _, r in stacks), path, *(("units", k, "") for k, _ in stacks))
            return
        for kind, wanted in said.items():
            known(self.world.ruleset.rows("units"), kind, "unit", (*path, kind))
            stacks = [(k, r) for k, r in self.state.stacks(owner=nation) if r["kind"] == kind]
            touches = [("units", k, "") for k, _ in stacks]
            yield from unless(wanted, sum(r["n"] for _, r in stacks), (*path, kind), *touches)

    def _field(self, thing: Entity, table: str, name: str, wanted: Any, path: Path) -> Iterator[Mismatch]:
        got = self.world.field(thing, name)
        yield from unless(wanted, got, path, (table, thing.id, name))

    # ---- places and units

    def places(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for place, row in said.items():
            here = (*path, place)
            known(self.world.ruleset.rows("places"), place, "place", here)
            for key, wanted in row.items():
                at = (*here, key)
                match key:
                    case "units":
                        yield from self.units({place: wanted}, here)
                    case "works":
                        yield from self.works({place: wanted}, here)
                    case "flags":
                        yield from self._marks(f"place:{place}", wanted, at)
                    case "treasury":
                        for what, amount in wanted.items():
                            got = stock(self.world, Entity("place", place), what)
                            yield from unless(amount, got, (*at, what), ("treasuries", place, what))
                    case "counters":
                        yield from self._numbers(key, f"place:{place}", wanted, key, at)
                    case _:
                        yield from self._field(Entity("place", place), "places", key, wanted, at)

    def units(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """All that stands at a place. With a mapping or a list for a kind, its conditions count as well."""
        for place, wanted in said.items():
            known(self.world.ruleset.rows("places"), place, "place", (*path, place))
            wanted = {} if wanted in (None, NONE) else wanted
            exact = set()
            for owner, kinds in wanted.items():
                exact |= {(owner, kind) for kind, n in kinds.items() if not isinstance(n, int)}
            got: dict[str, dict[str, Any]] = {}
            touches = []
            for key, row in self.state.stacks(at=place):
                owner, kind = row["owner"], row["kind"]
                touches.append(("units", key, ""))
                if (owner, kind) in exact:
                    one = {f: v for f, v in row.items() if f not in ("owner", "kind", "place")}
                    got.setdefault(owner, {}).setdefault(kind, []).append(one)
                else:
                    here = got.setdefault(owner, {})
                    here[kind] = here.get(kind, 0) + row["n"]
            expected: dict[str, dict[str, Any]] = {}
            for owner, kinds in wanted.items():
                for kind, n in kinds.items():
                    known(self.world.ruleset.rows("units"), kind, "unit", (*path, place, owner, kind))
                    if n:
                        n = (
                            n
                            if isinstance(n, int)
                            else [_stack(x) for x in (n if isinstance(n, list) else [n])]
                        )
                        expected.setdefault(owner, {})[kind] = n
            gone = [("units", f"{o}.{k}@{place}", "") for o, kinds in expected.items() for k in kinds]
            if _sorted(expected) != _sorted(got):
                yield Mismatch((*path, place), expected or NONE, got or NONE, (*touches, *gone))

    def works(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for place, around in said.items():
            for other, wanted in around.items():
                key = pair_key(place, other)
                got = self.state.get("links", key, works_on(place), NONE)
                yield from unless(wanted, got, (*path, place, other), ("links", key, works_on(place)))

    def piles(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """All the cards of a pile."""
        for pile, cards in said.items():
            for row, wanted in rows_of_pile(self.world.ruleset, pile, cards, (*path, pile)):
                got = dict(held(self.state, row, pile))
                yield from unless(wanted, got, (*path, pile), ("piles", row, pile))

    # ---- relations

    def relations(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for stance, pairs in said.items():
            known(self.world.stances, stance, "stance", (*path, stance))
            for number, (a, b) in enumerate(pairs):
                for one in self.world.members(a):
                    for other in self.world.members(b):
                        if one != other:
                            got = self.world.stance(one, other)
                            touch = ("relations", pair_key(one, other), "stance")
                            if got != stance:
                                yield Mismatch(
                                    (*path, stance, number), stance, f"{got} ({one}, {other})", (touch,)
                                )

    def wars(self, said: Any, path: Path) -> Iterator[Mismatch]:
        """All wars that are on, each as a pair of parties, or as a map with `between` and fields of the
        war.
        """
        listed = [] if said == NONE else said
        got = {k: r for k, r in self.state.table("wars").items() if not r.get("ended")}
        wanted = {pair_key(*(w["between"] if isinstance(w, Mapping) else w)): w for w in listed}
        if set(wanted) != set(got):
            touches = tuple(("wars", k, "") for k in sorted({*wanted} ^ {*got}))
            yield Mismatch(path, sorted(wanted) or NONE, sorted(got) or NONE, touches)
            return
        for key, war in wanted.items():
            if isinstance(war, Mapping):
                for field, value in war.items():
                    if field != "between":
                        yield from unless(
                            value, got[key].get(field), (*path, key, field), ("wars", key, field)
                        )

    # ---- the rest of the state

    def game(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for field, wanted in said.items():
            got = self.state.get("game", "game", field)
            yield from unless(wanted, got, (*path, field), ("game", "game", field))

    def tables(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for table, rows in said.items():
            for id_, fields in rows.items():
                if fields in (None, NONE):
                    got = self.state.table(table).get(id_)
                    if got is not None:
                        yield Mismatch((*path, table, id_), NONE, got, ((table, id_, ""),))
                    continue
                for field, wanted in fields.items():
                    got = self.state.get(table, id_, field)
                    yield from unless(wanted, got, (*path, table, id_, field), (table, id_, field))


def _sorted(units: Mapping[str, Mapping[str, Any]]) -> Any:
    def key(n: Any) -> Any:
        return n if isinstance(n, int) else sorted(sorted((k, str(v)) for k, v in one.items()) for one in n)

    return {o: {k: key(n) for k, n in kinds.items()} for o, kinds in units.items()}


def _stack(said: Any) -> dict[str, Any]:
    return {"n": 1, **said} if isinstance(said, Mapping) else {"n": said}
