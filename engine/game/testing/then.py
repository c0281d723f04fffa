"""`then`: what a case expects, compared with what came of it.

Each expectation that does not hold is a `Mismatch`: where it stands in the case, what was expected, what was got, and which
fields of the state are meant, so that a report can show the journal lines that wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from ...core.state import Entity, pair_key, unit_key, works_on
from ...ruleset.checks.expressions import Words
from ...ruleset.expressions import ExpressionError, check_expression
from ...ruleset.expressions.vocabulary import KINDS
from ...turn.vacancies import vacancies
from ...world.selections import as_set
from ...world.treasury import stock
from ...world.view import UNKNOWN, view
from ...world.world import World
from ..scenario_files import option_values
from ..schedule import days_of
from .entries import brief, entry_fits, refusal_fits
from .given import CaseError, known
from .unchanged import Touch, unmentioned
from .values import NONE, same
from .when import Play, Refusal

__all__ = ["CHANCES", "Mismatch", "compare", "evaluate"]

CHANCES = ("chances", "means", "ranges")
"""Expectations about every way the dice can fall."""

Path = tuple[str | int, ...]
MOST_CHANGES = 8
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One expectation that does not hold. `path` leads to it in the case; `touches` are the fields it is about."""

    path: Path
    expected: Any
    got: Any
    touches: tuple[Touch, ...] = ()

    @property
    def what(self) -> str:
        return ".".join(str(p) for p in self.path if p != "then")


def compare(play: Play, then: Mapping[str, Any], path: Path, refusals: Sequence[Refusal]) -> Iterator[Mismatch]:
    """Everything in `then` that does not hold; and orders refused that were not expected to be."""
    reader = _Reader(play)
    for key, said in then.items():
        check = reader.checks.get(key)
        if check is not None:
            yield from check(said, (*path, key))
    if then.get("refused") != "any":
        yield from _refusals(then.get("refused", []), refusals, (*path, "refused"))
    if then.get("nothing_else"):
        changed = unmentioned(play.before, play.turn.state, then)
        if changed:
            got = [was for _, was in changed[:MOST_CHANGES]] + (["..."] if len(changed) > MOST_CHANGES else [])
            yield Mismatch((*path, "nothing_else"), "no other change", got, tuple(touch for touch, _ in changed))


class _Reader:
    """The comparisons, by the key of `then` that asks for them."""

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
            "game": self.game,
            "values": self.values,
            "asks": self.asks,
            "figures": self.figures,
            "odds": self.odds,
            "journal": self.journal,
            "sequence": self.sequence,
            "draws": self.draws,
            "facts": self.facts,
            "state": self.tables,
            "warned": self.warned,
            "vacancies": self.vacancies,
            "views": self.views,
            "days": self.days,
            "outcomes": self.outcomes,
            "asked": self.asked,
            "options": self.options,
        }

    # ---- orders

    def outcomes(self, said: Mapping[str, Sequence[str]], path: Path) -> Iterator[Mismatch]:
        """What became of each nation's orders, in their order."""
        for nation, wanted in said.items():
            got: list[str] = [REFUSED] * self.play.lines.get(nation, len(wanted))
            for row in self.state.table("orders").values():
                if row["nation"] == nation and row.get("status") != REFUSED and int(row.get("line") or 0) <= len(got):
                    got[int(row["line"]) - 1] = ", ".join(row.get("outcome", ())) or NONE
            if got != list(wanted):
                yield Mismatch((*path, nation), list(wanted), got)

    def options(self, said: Mapping[str, Sequence[Any]], path: Path) -> Iterator[Mismatch]:
        """What each option may be set to."""
        rows = self.world.ruleset.rows("options")
        for option, wanted in said.items():
            known(rows, option, "option", (*path, option))
            yield from _unless(list(wanted), option_values(rows[option]), (*path, option))

    def asked(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        """The input points that whole turns came to, in their order, each with the nations that were asked there."""
        wanted = [(name, sorted([who] if isinstance(who, str) else who)) for point in said for name, who in point.items()]
        got = [(name, sorted(who)) for name, who in self.play.asked]
        for number, (one, other) in enumerate(zip_longest(wanted, got)):
            if one != other:
                yield Mismatch((*path, number), dict([one]) if one else NONE, dict([other]) if other else NONE)
                return

    # ---- nations

    def nations(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        rules = self.world.ruleset
        for nation, row in said.items():
            here = (*path, nation)
            known({**rules.rows("nations"), **self.state.table("nations")}, nation, "nation", here)
            for key, wanted in row.items():
                at = (*here, key)
                match key:
                    case "stores":
                        yield from self._stores(nation, wanted, at)
                    case "techs":
                        yield from self._numbers("techs", nation, wanted, "technologies", at)
                    case "tracks":
                        yield from self._numbers("tracks", nation, wanted, "tracks", at)
                    case "tallies" | "streaks":
                        yield from self._numbers(key, f"nation:{nation}", wanted, key, at)
                    case "marks":
                        yield from self._marks(f"nation:{nation}", wanted, at)
                    case "units":
                        yield from self._count(nation, wanted, at)
                    case _:
                        yield from self._field(Entity("nation", nation), "nations", key, wanted, at)

    def _stores(self, nation: str, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for key, wanted in said.items():
            if isinstance(wanted, Mapping):
                for what, amount in wanted.items():
                    purse = f"{nation}/{key}"
                    got = self.state.get("stores", purse, what, 0)
                    yield from _unless(amount, got, (*path, key, what), ("stores", purse, what))
            else:
                known(self.world.ruleset.rows("resources"), key, "resource", (*path, key))
                got = stock(self.world, Entity("nation", nation), key)
                purses = [p for p in self.state.table("stores") if p.partition("/")[0] == nation]
                yield from _unless(wanted, got, (*path, key), *(("stores", p, key) for p in purses))

    def _numbers(self, table: str, id_: str, said: Mapping[str, Any], form: str, path: Path) -> Iterator[Mismatch]:
        for name, wanted in said.items():
            known(self.world.ruleset.rows(form), name, form, (*path, name))
            yield from _unless(wanted, self.state.get(table, id_, name, 0), (*path, name), (table, id_, name))

    def _marks(self, thing: str, said: Any, path: Path) -> Iterator[Mismatch]:
        for mark, wanted in (said if isinstance(said, Mapping) else dict.fromkeys(said, True)).items():
            found = self.state.get("marks", thing, mark)
            if isinstance(wanted, Mapping):
                got = {k: (found or {}).get(k) for k in wanted}
                yield from _unless(wanted, got, (*path, mark), ("marks", thing, mark))
            else:
                yield from _unless(bool(wanted), found is not None, (*path, mark), ("marks", thing, mark))

    def _count(self, nation: str, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for kind, wanted in said.items():
            known(self.world.ruleset.rows("units"), kind, "unit", (*path, kind))
            stacks = [(k, r) for k, r in self.state.stacks(owner=nation) if r["kind"] == kind]
            touches = [("units", k, "") for k, _ in stacks]
            yield from _unless(wanted, sum(r["n"] for _, r in stacks), (*path, kind), *touches)

    def _field(self, thing: Entity, table: str, name: str, wanted: Any, path: Path) -> Iterator[Mismatch]:
        got = self.world.field(thing, name)
        yield from _unless(wanted, got, path, (table, thing.id, name))

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
                    case "marks":
                        yield from self._marks(f"place:{place}", wanted, at)
                    case "stores":
                        for what, amount in wanted.items():
                            got = stock(self.world, Entity("place", place), what)
                            yield from _unless(amount, got, (*at, what), ("stores", place, what))
                    case "tallies" | "streaks":
                        yield from self._numbers(key, f"place:{place}", wanted, key, at)
                    case _:
                        yield from self._field(Entity("place", place), "places", key, wanted, at)

    def units(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """All that stands at a place. With a mapping or a list for a kind, its conditions count as well."""
        for place, wanted in said.items():
            known(self.world.ruleset.rows("places"), place, "place", (*path, place))
            wanted = {} if wanted in (None, NONE) else wanted
            exact = {(o, k) for o, kinds in wanted.items() for k, n in kinds.items() if not isinstance(n, int)}
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
                        n = n if isinstance(n, int) else [_stack(x) for x in (n if isinstance(n, list) else [n])]
                        expected.setdefault(owner, {})[kind] = n
            gone = [("units", f"{o}.{k}@{place}", "") for o, kinds in expected.items() for k in kinds]
            if _sorted(expected) != _sorted(got):
                yield Mismatch((*path, place), expected or NONE, got or NONE, (*touches, *gone))

    def works(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for place, around in said.items():
            for other, wanted in around.items():
                key = pair_key(place, other)
                got = self.state.get("links", key, works_on(place), NONE)
                yield from _unless(wanted, got, (*path, place, other), ("links", key, works_on(place)))

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
                                yield Mismatch((*path, stance, number), stance, f"{got} ({one}, {other})", (touch,))

    def wars(self, said: Any, path: Path) -> Iterator[Mismatch]:
        """All wars that are on, each as a pair of parties, or as a map with `between` and fields of the war."""
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
                        yield from _unless(value, got[key].get(field), (*path, key, field), ("wars", key, field))

    # ---- the rest of the state

    def game(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for field, wanted in said.items():
            got = self.state.get("game", "game", field)
            yield from _unless(wanted, got, (*path, field), ("game", "game", field))

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
                    yield from _unless(wanted, got, (*path, table, id_, field), (table, id_, field))

    # ---- questions

    def values(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for text, wanted in said.items():
            names = self._names(self.play.names, path)
            yield from _unless(wanted, evaluate(self.world, text, names, (*path, text)), (*path, text))

    def asks(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        """A quantity of a thing, or an expression, with names of its own (what a battle or a path would give)."""
        for number, ask in enumerate(said):
            here = (*path, number)
            names = self._names({**self.play.names, **ask.get("with", {})}, (*here, "with"))
            if "quantity" in ask:
                known(self.world.ruleset.rows("quantities"), ask["quantity"], "quantity", here)
                things = as_set(self.world, self._bound(ask["of"], names, (*here, "of")))
                if not things:
                    raise CaseError(f"nothing is {ask['of']!r}", (*here, "of"))
                got = self._quantity(ask["quantity"], things[0], names, here)
            else:
                got = evaluate(self.world, ask["value"], names, (*here, "value"))
            yield from _unless(ask["is"], got, (*here, "is"))

    def figures(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """Owner to thing to quantity: what a unit of a kind, an item or a technology has or costs for that nation.

        Of which kind the thing is, the quantity says. The names of the case are in scope.
        """
        names = self._names(self.play.names, path)
        rules = self.world.ruleset
        for owner, things in said.items():
            known(dict.fromkeys(self.world.nations()), owner, "nation", (*path, owner))
            for id_, wanted in things.items():
                for quantity, value in wanted.items():
                    here = (*path, owner, id_, quantity)
                    known(rules.rows("quantities"), quantity, "quantity", here)
                    kind = rules.row("quantities", quantity)["of"]
                    known(rules.rows(KINDS[kind]), id_, kind, here)
                    thing = Entity(kind, unit_key(owner, id_, "") if kind == "unit" else id_)
                    scope = names if kind == "unit" else {**names, "self": Entity("nation", owner)}
                    yield from _unless(value, self._quantity(quantity, thing, scope, here), here)

    def odds(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        from .odds import wrong_odds  # needs NumPy: only where odds are asked

        for number, battle in enumerate(said):
            for where, wanted, got in wrong_odds(self.world, battle, (*path, number)):
                yield Mismatch(where, wanted, got)

    def _quantity(self, id_: str, thing: Entity, names: Mapping[str, Any], path: Path) -> Any:
        try:
            return self.world.quantity(id_, thing, names)
        except ExpressionError as error:
            raise CaseError(f"{id_} of {thing.id}: {error}", path) from None

    def _names(self, said: Mapping[str, Any], path: Path) -> dict[str, Any]:
        """Names for expressions: plain values first, then those that are expressions, by name."""
        names: dict[str, Any] = {}
        for name, value in sorted(said.items(), key=lambda item: (_depends(item[1]), item[0])):
            names[name] = self._bound(value, names, (*path, name))
        return names

    def _bound(self, value: Any, names: Mapping[str, Any], path: Path) -> Any:
        if isinstance(value, str) and value.startswith("="):
            return evaluate(self.world, value[1:].strip(), names, path)
        if isinstance(value, Mapping):
            kind, id_ = next(iter(value.items()), ("", None))
            if len(value) == 1 and KINDS.get(kind) and isinstance(id_, str):
                known(self.world.ruleset.rows(KINDS[kind]), id_, kind, path)
                return Entity(kind, id_)
            return {k: self._bound(v, names, path) for k, v in value.items()}
        return value

    # ---- the journal

    def journal(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        entries = self.play.turn.journal.entries
        for number, wanted in enumerate(said):
            found = [e for e in entries if entry_fits(self.world, e, wanted)]
            most = wanted.get("times", 0 if wanted.get("absent") else None)
            if most is not None and len(found) != most:
                yield Mismatch((*path, number), f"{most} entries", f"{len(found)} entries")
            elif most is None and not found:
                near = [e for e in entries if e.rule == wanted.get("rule", e.rule)]
                got = [brief(e) for e in near[:5]] or "no such entry"
                yield Mismatch((*path, number), dict(wanted), got)

    def sequence(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        """Entries in the order in which they must stand, each the first that fits after the one before."""
        entries, at = self.play.turn.journal.entries, 0
        for number, wanted in enumerate(said):
            found = next((i for i in range(at, len(entries)) if entry_fits(self.world, entries[i], wanted)), None)
            if found is None:
                earlier = [brief(e) for e in entries[:at] if entry_fits(self.world, e, wanted)]
                yield Mismatch((*path, number), dict(wanted), f"only earlier: {earlier}" if earlier else "no such entry")
                return
            at = found + 1

    def draws(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """Rule to the dice that it rolled: one for all its rolls, or all its subjects with the dice of each.

        Dice are written as the rules write them (`0..5`, `1d10`), several as a list. So a range that is too wide is noticed as
        one that is too narrow is, wherever the dice may fall.
        """
        for rule, wanted in said.items():
            got: dict[str, list[str]] = {}
            for entry in self.play.turn.journal.entries:
                for record in entry.dice:
                    if record["rule"] == rule:
                        got.setdefault(record["subject"], []).extend(str(drawn["die"]) for drawn in record["drawn"])
            if isinstance(wanted, Mapping):
                for subject in sorted({*wanted, *got}):
                    dice = wanted.get(subject, NONE)
                    expected = [] if dice == NONE else [dice] if isinstance(dice, str) else list(dice)
                    if expected != got.get(subject, []):
                        yield Mismatch((*path, rule, subject), expected or NONE, got.get(subject, []) or NONE)
            elif wanted == NONE:
                if got:
                    yield Mismatch((*path, rule), NONE, got)
            else:
                other = {subject: dice for subject, dice in got.items() if set(dice) != {wanted}}
                if other or not got:
                    yield Mismatch((*path, rule), wanted, other or NONE)

    def facts(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        stated = [(f.word, f.roles) for e in self.play.turn.journal.entries for f in e.facts]
        for number, wanted in enumerate(said):
            absent = "absent" in wanted
            word, roles = next(iter((wanted["absent"] if absent else wanted).items()))
            fits = [r for w, r in stated if w == word and all(same(v, r.get(k)) for k, v in (roles or {}).items())]
            if bool(fits) == absent:
                got = [{w: r} for w, r in stated if w == word] or "not stated"
                yield Mismatch((*path, number), wanted, got)

    def views(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """What a nation is shown: whose units exactly, whose only as bands, whose purses, and single fields of its view."""
        for nation, wanted in said.items():
            here = (*path, nation)
            known({**self.world.ruleset.rows("nations"), **self.state.table("nations")}, nation, "nation", here)
            seen = view(self.world.ruleset, self.state, nation, geography=self.world.geography)
            stacks = seen.table("units").values()
            got = {
                "units_of": sorted({r["owner"] for r in stacks if r["kind"] != UNKNOWN}),
                "bands_of": sorted({r["owner"] for r in stacks if r["kind"] == UNKNOWN}),
                "purses_of": sorted({key.partition("/")[0] for key in seen.table("stores")}),
            }
            for key in set(wanted) & set(got):
                yield from _unless(sorted(wanted[key]), got[key], (*here, key))
            for table, rows in wanted.get("state", {}).items():
                for id_, fields in rows.items():
                    for field, value in fields.items():
                        found = seen.get(table, id_, field)
                        yield from _unless(value, NONE if found is None else found, (*here, "state", table, id_, field))

    def days(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """The days of the turn that an update (`update`) begins, by the ruleset's schedule."""
        row = next(iter(self.world.ruleset.rows("schedule").values()), None)
        if row is None:
            raise CaseError("the ruleset has no schedule", path)
        found = days_of(row, date.fromisoformat(said["update"]))
        for key, wanted in said.items():
            got: Any = getattr(found, key)
            shown = [d.isoformat() for d in got] if isinstance(got, tuple) else got.isoformat()
            yield from _unless(wanted, shown, (*path, key))

    def vacancies(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """Who chooses a player for a nation that nobody commands; `none` where there is nobody to choose."""
        found = {v.nation: v.by for v in vacancies(self.world)}
        for nation, wanted in said.items():
            known({**self.world.ruleset.rows("nations"), **self.state.table("nations")}, nation, "nation", (*path, nation))
            yield from _unless(wanted, found.get(nation, NONE), (*path, nation), ("nations", nation, "seat"))

    def warned(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        yield from _refusals(said, self.play.notes, path, strict=False)


def evaluate(world: World, text: str, names: Mapping[str, Any], path: Path = ()) -> Any:
    """The value of an expression of a case; CaseError where it has none, or names what the ruleset does not have."""
    ruleset = world.ruleset
    words = ruleset.derived("words of rule tests", lambda: Words(ruleset.rows, ruleset.forms))
    for problem in check_expression(text, dict.fromkeys(names, "any"), words):
        raise CaseError(f"{text}: {problem.message}{f'; {problem.hint}' if problem.hint else ''}", path)
    try:
        return world.value(text, names)
    except ExpressionError as error:
        raise CaseError(f"{text}: {error}", path) from None


def _unless(wanted: Any, got: Any, path: Path, *touches: Touch) -> Iterator[Mismatch]:
    if isinstance(wanted, Mapping) and set(wanted) == {"range"}:
        low, high = wanted["range"]
        if not (isinstance(got, int | Fraction) and low <= got <= high):
            yield Mismatch(path, f"from {low} to {high}", got, touches)
    elif not same(wanted, got):
        yield Mismatch(path, wanted, got, touches)


def _sorted(units: Mapping[str, Mapping[str, Any]]) -> Any:
    def key(n: Any) -> Any:
        return n if isinstance(n, int) else sorted(sorted((k, str(v)) for k, v in one.items()) for one in n)

    return {o: {k: key(n) for k, n in kinds.items()} for o, kinds in units.items()}


def _stack(said: Any) -> dict[str, Any]:
    return {"n": 1, **said} if isinstance(said, Mapping) else {"n": said}


def _depends(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("=")


def _refusals(said: Any, refusals: Sequence[Refusal], path: Path, *, strict: bool = True) -> Iterator[Mismatch]:
    """Each expected refusal takes one that fits it; what is left over on either side is a mismatch."""
    left = list(refusals)
    for number, wanted in enumerate(said):
        fits = next((r for r in left if refusal_fits(r, wanted)), None)
        if fits is None:
            yield Mismatch((*path, number), wanted, [str(r) for r in refusals] or "nothing was refused")
        else:
            left.remove(fits)
    if strict and left:
        yield Mismatch(path, "no other refusal" if said else "no refusal", [str(r) for r in left])
