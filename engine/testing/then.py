"""`then`: what a case expects, compared with what came of it.

Each expectation that does not hold is a `Mismatch`: where it stands in the case, what was expected, what was
got, and which fields of the state are meant, so that a report can show the journal lines that wrote them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import zip_longest
from typing import Any

from ..core.state import Entity, unit_key
from ..orders.grammar import ORDER_FORMS
from ..play.scenario_files import option_values
from ..play.schedule import days_of
from ..ruleset.checks.expressions import RulesetVocabulary
from ..ruleset.expressions import ExpressionError
from ..ruleset.expressions.check import check_expression
from ..ruleset.expressions.vocabulary import KINDS
from ..turn.vacancies import vacancies
from ..world.selections import as_set
from ..world.view import UNKNOWN, view
from ..world.world import World
from .entries import brief, entry_fits, refusal_fits
from .given import CaseError, known
from .mismatch import Mismatch, Path, unless
from .orders import Door
from .then_state import StateReader
from .unchanged import unmentioned
from .values import NONE, same
from .when import Play, RefusedOrder

CHANCES = ("chances", "means", "ranges")
"""Expectations about every way the dice can fall."""

MOST_CHANGES = 8
REFUSED = "refused"


def compare(
    play: Play, then: Mapping[str, Any], path: Path, refusals: Sequence[RefusedOrder]
) -> Iterator[Mismatch]:
    """Everything in `then` that does not hold; and orders refused that were not expected to be."""
    reader = _Comparisons(play)
    for key, said in then.items():
        check = reader.checks.get(key)
        if check is not None:
            yield from check(said, (*path, key))
    if then.get("refused") != "any":
        yield from _refusals(then.get("refused", []), refusals, (*path, "refused"))
    if then.get("nothing_else"):
        changed = unmentioned(play.before, play.turn.state, then)
        if changed:
            got = [was for _, was in changed[:MOST_CHANGES]] + (
                ["..."] if len(changed) > MOST_CHANGES else []
            )
            yield Mismatch(
                (*path, "nothing_else"), "no other change", got, tuple(touch for touch, _ in changed)
            )


class _Comparisons(StateReader):
    """All comparisons, by the key of `then` that asks for them."""

    def __init__(self, play: Play) -> None:
        super().__init__(play)
        self.checks |= {
            "values": self.values,
            "asks": self.asks,
            "figures": self.figures,
            "odds": self.odds,
            "journal": self.journal,
            "sequence": self.sequence,
            "draws": self.draws,
            "triggers": self.facts,
            "warned": self.warned,
            "vacancies": self.vacancies,
            "views": self.views,
            "days": self.days,
            "outcomes": self.outcomes,
            "asked": self.asked,
            "left_open": self.left_open,
            "offered": self.offered,
            "options": self.options,
        }

    # ---- orders

    def outcomes(self, said: Mapping[str, Sequence[str]], path: Path) -> Iterator[Mismatch]:
        """What became of each nation's orders, in their order."""
        for nation, wanted in said.items():
            got: list[str] = [REFUSED] * self.play.lines.get(nation, len(wanted))
            for row in self.state.table("orders").values():
                if (
                    row["nation"] == nation
                    and row.get("status") != REFUSED
                    and int(row.get("line") or 0) <= len(got)
                ):
                    got[int(row["line"]) - 1] = ", ".join(row.get("outcome", ())) or NONE
            if got != list(wanted):
                yield Mismatch((*path, nation), list(wanted), got)

    def options(self, said: Mapping[str, Sequence[Any]], path: Path) -> Iterator[Mismatch]:
        """What each option may be set to."""
        rows = self.world.ruleset.rows("options")
        for option, wanted in said.items():
            known(rows, option, "option", (*path, option))
            yield from unless(list(wanted), option_values(rows[option]), (*path, option))

    def asked(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        """The input points that whole turns came to, in their order, each with the nations that were asked
        there.
        """
        wanted = []
        for point in said:
            for name, who in point.items():
                wanted.append((name, sorted([who] if isinstance(who, str) else who)))
        got = [(name, sorted(who)) for name, who in self.play.asked]
        for number, (one, other) in enumerate(zip_longest(wanted, got)):
            if one != other:
                yield Mismatch(
                    (*path, number), dict([one]) if one else NONE, dict([other]) if other else NONE
                )
                return

    def left_open(self, said: Sequence[str], path: Path) -> Iterator[Mismatch]:
        """What the input points of whole turns left to the moderator, each decision as they are told of
        it.
        """
        yield from unless(list(said), [f"{o.key}: {o.said}" for o in self.play.left_open], path)

    def offered(self, said: Mapping[str, Mapping[str, bool]], path: Path) -> Iterator[Mismatch]:
        """Whether a nation's order sheet has a line of an order."""
        forms = {}
        for form in ORDER_FORMS:
            for id_, row in self.world.ruleset.rows(form).items():
                forms[f"{form}/{id_}"] = row
        door = Door(self.play.turn)
        for nation, wanted in said.items():
            known(
                {**self.world.ruleset.rows("nations"), **self.state.table("nations")},
                nation,
                "nation",
                (*path, nation),
            )
            there = door.offered(nation)
            for order, is_there in wanted.items():
                known(forms, order, "order", (*path, nation, order))
                yield from unless(is_there, order in there, (*path, nation, order))

    # ---- questions

    def values(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        for text, wanted in said.items():
            names = self._names(self.play.names, path)
            yield from unless(wanted, evaluate(self.world, text, names, (*path, text)), (*path, text))

    def asks(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        """A stat of a thing, or an expression, with names of its own (what a battle or a path would give)."""
        for number, ask in enumerate(said):
            here = (*path, number)
            names = self._names({**self.play.names, **ask.get("with", {})}, (*here, "with"))
            if "stat" in ask:
                known(self.world.ruleset.rows("stats"), ask["stat"], "stat", here)
                things = as_set(self.world, self._bound(ask["of"], names, (*here, "of")))
                if not things:
                    raise CaseError(f"nothing is {ask['of']!r}", (*here, "of"))
                got = self._quantity(ask["stat"], things[0], names, here)
            else:
                got = evaluate(self.world, ask["value"], names, (*here, "value"))
            yield from unless(ask["is"], got, (*here, "is"))

    def figures(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """Owner to thing to stat: what a unit of a kind, an item or a technology has or costs for that
        nation.

        Of which kind the thing is, the stat says. The names of the case are in scope.
        """
        names = self._names(self.play.names, path)
        rules = self.world.ruleset
        for owner, things in said.items():
            known(dict.fromkeys(self.world.nations()), owner, "nation", (*path, owner))
            for id_, wanted in things.items():
                for quantity, value in wanted.items():
                    here = (*path, owner, id_, quantity)
                    known(rules.rows("stats"), quantity, "stat", here)
                    kind = rules.row("stats", quantity)["of"]
                    known(rules.rows(KINDS[kind]), id_, kind, here)
                    thing = Entity(kind, unit_key(owner, id_, "") if kind == "unit" else id_)
                    scope = names if kind == "unit" else {**names, "self": Entity("nation", owner)}
                    yield from unless(value, self._quantity(quantity, thing, scope, here), here)

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
            found = next(
                (i for i in range(at, len(entries)) if entry_fits(self.world, entries[i], wanted)), None
            )
            if found is None:
                earlier = [brief(e) for e in entries[:at] if entry_fits(self.world, e, wanted)]
                yield Mismatch(
                    (*path, number), dict(wanted), f"only earlier: {earlier}" if earlier else "no such entry"
                )
                return
            at = found + 1

    def draws(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """Rule to the dice that it rolled: one for all its rolls, or all its subjects with the dice of each.

        Dice are written as the rules write them (`0..5`, `1d10`), several as a list. So a range that is too
        wide is noticed as one that is too narrow is, wherever the dice may fall.
        """
        for rule, wanted in said.items():
            got: dict[str, list[str]] = {}
            for entry in self.play.turn.journal.entries:
                for record in entry.dice:
                    if record["rule"] == rule:
                        got.setdefault(record["subject"], []).extend(
                            str(drawn["die"]) for drawn in record["drawn"]
                        )
            if isinstance(wanted, Mapping):
                for subject in sorted({*wanted, *got}):
                    dice = wanted.get(subject, NONE)
                    if isinstance(dice, str):
                        dice = [] if dice == NONE else [dice]
                    expected = list(dice)
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
            fits = [
                r for w, r in stated if w == word and all(same(v, r.get(k)) for k, v in (roles or {}).items())
            ]
            if bool(fits) == absent:
                got = [{w: r} for w, r in stated if w == word] or "not stated"
                yield Mismatch((*path, number), wanted, got)

    def views(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """What a nation is shown: whose units exactly, whose only as bands, whose treasuries, and single
        fields of its view.
        """
        for nation, wanted in said.items():
            here = (*path, nation)
            known(
                {**self.world.ruleset.rows("nations"), **self.state.table("nations")}, nation, "nation", here
            )
            seen = view(self.world.ruleset, self.state, nation, geography=self.world.geography)
            stacks = seen.table("units").values()
            got = {
                "units_of": sorted({r["owner"] for r in stacks if r["kind"] != UNKNOWN}),
                "bands_of": sorted({r["owner"] for r in stacks if r["kind"] == UNKNOWN}),
                "treasuries_of": sorted({key.partition("/")[0] for key in seen.table("treasuries")}),
            }
            for key in set(wanted) & set(got):
                yield from unless(sorted(wanted[key]), got[key], (*here, key))
            for table, rows in wanted.get("state", {}).items():
                for id_, fields in rows.items():
                    for field, value in fields.items():
                        found = seen.get(table, id_, field)
                        yield from unless(
                            value, NONE if found is None else found, (*here, "state", table, id_, field)
                        )

    def days(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """The days of the turn that an update (`update`) begins, by the ruleset's schedule."""
        row = self.world.ruleset.players.get("turn_days")
        if row is None:
            raise CaseError("the ruleset's settings have no `turn_days` of the players", path)
        found = days_of(row, date.fromisoformat(said["update"]))
        for key, wanted in said.items():
            got: Any = getattr(found, key)
            shown = [d.isoformat() for d in got] if isinstance(got, tuple) else got.isoformat()
            yield from unless(wanted, shown, (*path, key))

    def vacancies(self, said: Mapping[str, Any], path: Path) -> Iterator[Mismatch]:
        """Who chooses a player for a nation that nobody commands; `none` where there is nobody to choose."""
        found = {v.nation: v.by for v in vacancies(self.world)}
        for nation, wanted in said.items():
            known(
                {**self.world.ruleset.rows("nations"), **self.state.table("nations")},
                nation,
                "nation",
                (*path, nation),
            )
            yield from unless(wanted, found.get(nation, NONE), (*path, nation), ("nations", nation, "seat"))

    def warned(self, said: Sequence[Mapping[str, Any]], path: Path) -> Iterator[Mismatch]:
        yield from _refusals(said, self.play.notes, path, strict=not said)


def evaluate(world: World, text: str, names: Mapping[str, Any], path: Path = ()) -> Any:
    """The value of an expression of a case; CaseError where it has none, or names what the ruleset does not
    have.
    """
    ruleset = world.ruleset
    words = ruleset.derived("words of rule tests", lambda: RulesetVocabulary(ruleset.rows, ruleset.forms))
    for problem in check_expression(text, dict.fromkeys(names, "any"), words):
        raise CaseError(f"{text}: {problem.message}{f'; {problem.hint}' if problem.hint else ''}", path)
    try:
        return world.value(text, names)
    except ExpressionError as error:
        raise CaseError(f"{text}: {error}", path) from None


def _depends(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("=")


def _refusals(
    said: Any, refusals: Sequence[RefusedOrder], path: Path, *, strict: bool = True
) -> Iterator[Mismatch]:
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
