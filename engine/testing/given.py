"""`given`: the position of a case, as a ruleset and a state.

A case starts from a scenario or from the bare ruleset, where nothing stands anywhere and nobody is at war.
Rows laid over the ruleset (`rules`, `figures`, `made_up`) are the case's own; compiled once, such rulesets
are shared by cases that say the same. Whatever names something that is not there is an error of the case,
with the nearest known name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..core.canonical import digest
from ..core.diagnostics import did_you_mean, has_errors
from ..core.dice import KeyedDice
from ..core.model import Row, Ruleset
from ..core.package_data import scenarios
from ..core.state import State, pair_key, unit_key, works_on
from ..orders.grammar import Grammar
from ..play.scenario import initial_state
from ..play.scenario_files import is_one_of, option_values, read_scenario
from ..ruleset.expressions import ExpressionError
from ..ruleset.expressions.functions import EARLIER
from ..ruleset.expressions.vocabulary import BUILT_IN
from ..ruleset.forms import forms as known_forms
from ..ruleset.nodes import plain_value
from ..turn.calendar import date
from ..turn.context import Turn
from ..turn.events import first_look
from ..world.geography import Geography
from ..world.piles import is_own, row_of
from ..world.treasury import division, purse_at
from ..world.world import World

MAP = ("places", "links", "passages")
OF_NATIONS = frozenset({"alive", "income", "grade", "policy", "seat", "side", "order", "fixed_income"})


class CaseError(ValueError):
    """A case that cannot be played as it is written; `path` leads to the value at fault."""

    def __init__(self, message: str, path: Iterable[str | int] = ()) -> None:
        super().__init__(message)
        self.path = tuple(path)


@dataclass(frozen=True, slots=True, eq=False)
class CaseSetup:
    """What a case stands on: its ruleset with the map, the position, and the states that `was()` reads.

    `names` are those that the expressions of the case's `then` may use, as they are written. `changed` are
    the tables that have changed since what `becomes` tests say of the position was noted in it
    (`events.first_look`); None: it is not yet.
    """

    ruleset: Ruleset
    geography: Geography
    state: State
    moments: Mapping[str, State]
    names: Mapping[str, Any]
    changed: AbstractSet[str] | None = None


class Shelf:
    """Makes the grounds of the cases of one ruleset, keeping what many of them share."""

    def __init__(self, ruleset: Ruleset, geography: Geography | None = None) -> None:
        self.ruleset = ruleset
        self._rulesets: dict[str, tuple[Ruleset, Geography]] = {}
        self._scenarios: dict[tuple[str, str], State] = {}
        self._starts: dict[tuple[str | None, int], tuple[State, bool]] = {}
        self._plain = (ruleset, geography or Geography(ruleset))

    def ground(self, given: Mapping[str, Any], file: Path) -> CaseSetup:
        """The ground of one case. CaseError if it names what is not there."""
        ruleset, geography = self._laid_over(given)
        start, looked_at = self._start(ruleset, geography, given, file)
        state = start.copy()
        PositionWriter(ruleset, state, geography).all(given, ("given",))
        changed = {EARLIER, *state.versions} if looked_at and "becomes" not in state.versions else None
        moments = dict.fromkeys(("game", "turn", "phase"), state.copy())
        for moment, said in given.get("was", {}).items():
            past = moments[moment] = state.copy()
            PositionWriter(ruleset, past, geography).all(said, ("given", "was", moment))
        return CaseSetup(ruleset, geography, state, moments, given.get("names", {}), changed)

    def _start(
        self, ruleset: Ruleset, geography: Geography, given: Mapping[str, Any], file: Path
    ) -> tuple[State, bool]:
        """The position that a case changes, at its date; and whether what `becomes` tests say of it is noted
        in it.

        It is for the rules that many cases share: most of such tests read nothing that a case changes.
        """
        name, turn = given.get("scenario"), int(given.get("turn", 1))
        key = (name if name is None else f"{file.parent}/{name}", turn)
        if ruleset is self.ruleset and key in self._starts:
            return self._starts[key]
        state = State() if name is None else self._scenario(ruleset, str(name), file).copy()
        calendar = ruleset.calendar
        year, month = date(calendar, turn)
        seasons = calendar.get("seasons")
        season = {"season": seasons[(turn - 1) % len(seasons)]} if seasons else {}
        PositionWriter(ruleset, state, geography).fields(
            "game", "game", {"turn": turn, "year": year, "month": month, **season}
        )
        if ruleset is not self.ruleset:
            return state, False
        looked = state.copy()
        moments = dict.fromkeys(("game", "turn", "phase"), state)
        try:
            first_look(
                Turn(ruleset, looked, KeyedDice(b"a first look", 1), moments=moments, geography=geography)
            )
            self._starts[key] = (looked, True)
        except ExpressionError:  # a test that has no answer before the case has said more
            self._starts[key] = (state, False)
        return self._starts[key]

    # ---- the ruleset of a case

    def _laid_over(self, given: Mapping[str, Any]) -> tuple[Ruleset, Geography]:
        own = {k: given[k] for k in ("rules", "figures", "made_up") if k in given}
        if not own:
            return self._plain
        key = digest(own)
        kept = self._rulesets.get(key)
        if kept is None:
            ruleset = self._changed(own)
            same_map = all(ruleset.rows(f) is self.ruleset.rows(f) for f in MAP)
            kept = (ruleset, self._plain[1] if same_map else Geography(ruleset))
            self._rulesets[key] = kept
        return kept

    def _changed(self, own: Mapping[str, Any]) -> Ruleset:
        forms: dict[str, Mapping[str, Row]] = dict(self.ruleset.forms)
        settings = own.get("rules", {}).get("settings", {})
        for form, rows in own.get("rules", {}).items():
            if form == "settings":
                continue
            path = ("given", "rules", form)
            below = forms.get(form, {})
            forms[form] = lay_rows(below, rows, path)
            _complete(form, forms[form], below, rows, path)
        made = own.get("made_up", {})
        if made.get("alone"):
            for form in MAP:
                forms[form] = {}
        _make_up(forms, made)
        if "figures" in own:
            units = dict(forms.get("units", {}))
            for kind, figures in own["figures"].items():
                known(units, kind, "unit", ("given", "figures", kind))
                row = units[kind]
                grades = {
                    g: {k: v for k, v in r.items() if k not in figures}
                    for g, r in row.get("grades", {}).items()
                }
                units[kind] = {**row, **figures, **({"grades": grades} if grades else {})}
            forms["units"] = units
        changed = replace(self.ruleset, forms=forms)
        if settings:
            laid = _laid(self.ruleset.manifest.get("settings", {}), settings)
            changed = replace(changed, manifest={**self.ruleset.manifest, "settings": laid})
        Grammar.of(self.ruleset)
        changed.take_over(self.ruleset)
        return changed

    def _scenario(self, ruleset: Ruleset, name: str, file: Path) -> State:
        key = (name, str(id(ruleset)))
        if key not in self._scenarios:
            places = [file.parent / name, file.parent / f"{name}.yaml", scenarios() / f"{name}.yaml"]
            path = next((p for p in places if p.is_file()), None)
            if path is None:
                raise CaseError(f"no scenario {name!r}", ("given", "scenario"))
            tree, found, _ = read_scenario(path)
            if tree is None or has_errors(found):
                raise CaseError(f"the scenario cannot be read: {found[0].message}", ("given", "scenario"))
            self._scenarios[key] = initial_state(ruleset, plain_value(tree))
        return self._scenarios[key]


def _laid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Settings over settings, as in an overlay: of those that have keys of their own key by key."""
    out = dict(below)
    for key, value in above.items():
        old = out.get(key)
        out[key] = _laid(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return out


def lay_rows(below: Mapping[str, Row], rows: Iterable[Row], path: tuple[str | int, ...]) -> dict[str, Row]:
    """Rows of a case over those of the ruleset: key by key, `remove` and `append` as in an overlay."""
    out = dict(below)
    for number, row in enumerate(rows):
        id_ = row.get("id") or (pair_key(*row["between"]) if "between" in row else None)
        if id_ is None:
            raise CaseError("a row needs an id", (*path, number))
        if row.get("remove"):
            known(out, id_, "row", (*path, number))
            del out[id_]
            continue
        said = {k: v for k, v in row.items() if k not in ("append", "before", "after")}
        new = {**out.get(id_, {}), **said, "id": id_}
        for key, more in row.get("append", {}).items():
            new[key] = [*new[key], *more] if isinstance(more, list) else {**new[key], **more}
        out[id_] = new
        for key in ("before", "after"):
            if key in row:
                known(out, row[key], "row", (*path, number, key))
                order = [name for name in out if name != id_]
                order.insert(order.index(row[key]) + (key == "after"), id_)
                out = {name: out[name] for name in order}
    return out


def _complete(
    form: str,
    laid: Mapping[str, Row],
    below: Mapping[str, Row],
    rows: Iterable[Row],
    path: tuple[str | int, ...],
) -> None:
    """CaseError where a row that is not in the ruleset lacks what every row of its form must say."""
    must = known_forms().schema(form).get("required", ())
    for number, row in enumerate(rows):
        id_ = str(row.get("id") or "")
        lacking = (
            [key for key in must if key not in laid.get(id_, {})] if id_ in laid and id_ not in below else []
        )
        if lacking:
            why = (
                f"no row {id_!r} of {form} to lay this over{_hint(id_, below)}; a new one needs "
                f"{lacking[0]!r}"
            )
            raise CaseError(why, (*path, number))


def _make_up(forms: dict[str, Mapping[str, Row]], made: Mapping[str, Any]) -> None:
    """Nations, places, links and units that are in no ruleset; a list of ids is enough where nothing need be
    said.
    """
    for form in ("nations", "places", "units"):
        given = made.get(form)
        if not given:
            continue
        entries = given if isinstance(given, Mapping) else dict.fromkeys(given)
        rows = dict(forms.get(form, {}))
        for id_, fields in entries.items():
            if id_ in rows:
                raise CaseError(f"{id_!r} is in the ruleset already", ("given", "made_up", form, id_))
            base = {"id": id_, "name": id_}
            if form == "places":
                base["kind"] = "land"
            rows[id_] = {**base, **(fields or {})}
        forms[form] = rows
    links = dict(forms.get("links", {}))
    for number, row in enumerate(made.get("links", ())):
        a, b, *kind = row
        for end in (a, b):
            known(forms.get("places", {}), end, "place", ("given", "made_up", "links", number))
        key = pair_key(a, b)
        links[key] = {**links.get(key, {}), "id": key, "between": [a, b], "kind": kind[0] if kind else "land"}
    if made.get("links"):
        forms["links"] = links


class PositionWriter:
    """Writes a readable position into a bare state. The keys are those of `given` in a rule test."""

    def __init__(self, ruleset: Ruleset, state: State, geography: Geography) -> None:
        self.ruleset = ruleset
        self.state = state
        self.geography = geography

    @cached_property
    def world(self) -> World:
        """Made only where something must be worked out, for it costs more than all the rest."""
        return World(self.ruleset, self.state, geography=self.geography)

    def fields(self, table: str, id_: str, fields: Mapping[str, Any]) -> None:
        for field, value in fields.items():
            self.state.put(table, id_, field, value)

    def all(self, given: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        self.fields("game", "game", given.get("game", {}))
        for option, value in given.get("options", {}).items():
            known(self.ruleset.rows("options"), option, "option", (*path, "options", option))
            values = option_values(self.ruleset.rows("options")[option])
            if values and not is_one_of(value, values):
                words = ", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in values)
                raise CaseError(
                    f"the option {option!r} cannot be {value!r}; it is one of {words}",
                    (*path, "options", option),
                )
            self.state.put("options", "options", option, value)
        for nation, row in given.get("nations", {}).items():
            if "side" in row:  # before anything asks whose members a side has
                self.state.put("nations", nation, "side", row["side"] or "")
            if "units" in row:
                self.disarm(nation)
        for place, row in given.get("places", {}).items():
            self.place(place, row, (*path, "places", place))
        for place, stacks in given.get("units", {}).items():
            self.stacks(place, stacks, (*path, "units", place))
        for stance, pairs in given.get("relations", {}).items():
            known(self.ruleset.rows("stances"), stance, "stance", (*path, "relations", stance))
            for number, pair in enumerate(pairs):
                self.relate(stance, pair, (*path, "relations", stance, number))
        for nation, row in given.get("nations", {}).items():
            self.nation(nation, row, (*path, "nations", nation))
        for place, around in given.get("works", {}).items():
            for other, works in around.items():
                if self.geography.link(other, place) is None:
                    raise CaseError(
                        f"no link between {place!r} and {other!r}", (*path, "works", place, other)
                    )
                self.state.put("links", pair_key(place, other), works_on(place), works)
        for pile, cards in given.get("piles", {}).items():
            for row, counts in rows_of_pile(self.ruleset, pile, cards, (*path, "piles", pile)):
                self.state.put("piles", row, pile, counts or None)
        for table, rows in given.get("state", {}).items():
            for id_, fields in rows.items():
                self.fields(table, id_, fields)

    # ---- nations

    def disarm(self, nation: str) -> None:
        """A nation has no units but those that the case gives it."""
        for table in ("units", "chosen"):
            for key, row in list(self.state.table(table).items()):
                if row.get("owner") == nation:
                    self.state.put(table, key, "*", None)

    def nation(self, nation: str, row: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        known({**self.ruleset.rows("nations"), **self.state.table("nations")}, nation, "nation", path)
        for key, value in row.items():
            here = (*path, key)
            match key:
                case "treasury":
                    self.purses(nation, value, here)
                case "techs":
                    self._numbers("techs", nation, value, "technologies", here)
                case "tracks":
                    self._numbers("tracks", nation, value, "tracks", here)
                case "flags":
                    self.marks(f"nation:{nation}", value)
                case "units":
                    pass  # gone before those of the case came
                case "counters":
                    self._numbers(key, f"nation:{nation}", value, key, here)
                case _:
                    if key not in OF_NATIONS:
                        self._declared("nation", key, here)
                    self.state.put("nations", nation, key, "" if value is None else value)

    def purses(self, nation: str, stores: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        for key, value in stores.items():
            if isinstance(value, Mapping):
                known(self.ruleset.rows("places"), key, "place", (*path, key))
                for what, amount in value.items():
                    known(self.ruleset.rows("resources"), what, "resource", (*path, key, what))
                    self.state.put("treasuries", f"{nation}/{key}", what, amount)
            else:
                known(self.ruleset.rows("resources"), key, "resource", (*path, key))
                self.state.put("treasuries", self._own_purse(nation, key), key, value)

    def _own_purse(self, nation: str, resource: str) -> str:
        """The treasury that draws on the nation's seat where it holds that; finding regions is for the other
        cases.
        """
        how = division(self.ruleset, resource)
        per, field = how["per"], how.get("seat", "")
        if per == "nation":
            return nation
        seat: Any = self.ruleset.row_or_empty("nations", nation).get(field)
        if per == "region" and seat and field not in self.state.row("nations", nation):
            row = {**self.ruleset.row_or_empty("places", seat), **self.state.row("places", seat)}
            if (row.get("holder") or row.get("owner")) == nation:
                return f"{nation}/{seat}"
        return purse_at(self.world, nation, None, resource)

    def _numbers(
        self, table: str, id_: str, values: Mapping[str, int], form: str, path: tuple[str | int, ...]
    ) -> None:
        for name, value in values.items():
            known(self.ruleset.rows(form), name, form.rstrip("s"), (*path, name))
            self.state.put(table, id_, name, value)

    def marks(self, thing: str, marks: Any) -> None:
        entries = marks if isinstance(marks, Mapping) else dict.fromkeys(marks, True)
        for mark, value in entries.items():
            if value:
                self.state.put(
                    "flags", thing, mark, {"since": 0, **(value if isinstance(value, Mapping) else {})}
                )

    # ---- places

    def place(self, place: str, row: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        known(self.ruleset.rows("places"), place, "place", path)
        for key, value in row.items():
            here = (*path, key)
            match key:
                case "units":
                    self.stacks(place, value, here)
                case "flags":
                    self.marks(f"place:{place}", value)
                case "treasury":
                    self.fields("treasuries", place, value)
                case "counters":
                    self._numbers(key, f"place:{place}", value, key, here)
                case "owner" | "holder":
                    if value is not None:
                        known(
                            {**self.ruleset.rows("nations"), **self.state.table("nations")},
                            value,
                            "nation",
                            here,
                        )
                    self.state.put("places", place, key, value or "")
                case _:
                    self._declared("place", key, here)
                    self.state.put("places", place, key, value)

    def stacks(self, place: str, owners: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        """Units at a place: owner to kind to number, or to {n, conditions}, or to a list of such."""
        known(self.ruleset.rows("places"), place, "place", path)
        for owner, kinds in owners.items():
            known(
                {**self.ruleset.rows("nations"), **self.state.table("nations")},
                owner,
                "nation",
                (*path, owner),
            )
            for kind, said in kinds.items():
                known(self.ruleset.rows("units"), kind, "unit", (*path, owner, kind))
                for one in said if isinstance(said, list) else [said]:
                    extra = dict(one) if isinstance(one, Mapping) else {"n": one}
                    n = extra.pop("n", 1)
                    key = unit_key(owner, kind, place, extra)
                    n += self.state.get("units", key, "n", 0)
                    if n:
                        row = {"owner": owner, "kind": kind, "place": place, "n": n, **extra}
                        self.state.put("units", key, "*", row)

    # ---- relations

    def relate(self, stance: str, pair: Any, path: tuple[str | int, ...]) -> None:
        """Every one of the first party with every one of the second; a side or a group stands for its
        members.
        """
        more: Mapping[str, Any] = {}
        if isinstance(pair, Mapping):
            more, pair = pair, pair["between"]
        a, b = pair
        hostile = self.ruleset.row("stances", stance).get("hostile")
        for one in self._party(a, path):
            for other in self._party(b, path):
                if one == other:
                    continue
                key = pair_key(one, other)
                since = more.get("since", 0)
                self.fields("relations", key, {"stance": stance, "since": since})
                if hostile:
                    war = {"kind": more.get("war", ""), "parties": sorted((one, other)), "since": since}
                    self.fields("wars", key, {**war, "by": more.get("by", one)})

    def _party(self, who: str, path: tuple[str | int, ...]) -> list[str]:
        everybody = {
            **self.ruleset.rows("sides"),
            **self.ruleset.rows("groups"),
            **self.ruleset.rows("nations"),
        }
        known({**everybody, **self.state.table("nations")}, who, "nation, side or group", path)
        if self.ruleset.has("groups", who):
            return list(self.ruleset.row("groups", who)["members"])
        if not self.ruleset.has("sides", who):
            return [who]
        named = sorted({*self.ruleset.rows("nations"), *self.state.table("nations")})

        def side(nation: str) -> str | None:
            begins_on = self.ruleset.row_or_empty("nations", nation).get("side")
            now = self.state.get("nations", nation, "side", begins_on)
            return None if now is None else str(now)

        return [nation for nation in named if side(nation) == who]

    def _declared(self, kind: str, field: str, path: tuple[str | int, ...]) -> None:
        fields = self.ruleset.rows("fields")
        if field in BUILT_IN[kind] or kind in self.ruleset.row_or_empty("fields", field).get("of", ()):
            return
        names = [*BUILT_IN[kind], *(i for i, r in fields.items() if kind in r.get("of", ()))]
        raise CaseError(f"a {kind} has no field {field!r}{_hint(field, names)}", path)


def rows_of_pile(
    ruleset: Ruleset, pile: str, cards: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[tuple[str, dict[str, int]]]:
    """Where the state keeps a pile that a case tells of, and the cards there; of a pile of each nation, one
    for each that is named. CaseError for a pile, a nation or a card that is not there.
    """
    known(ruleset.rows("piles"), pile, "pile", path)
    owned = cards if is_own(ruleset, pile) else {"": cards}
    for nation, counts in owned.items():
        here = (*path, nation) if nation else path
        if nation:
            known(ruleset.rows("nations"), nation, "nation", here)
        for card, n in (counts if isinstance(counts, Mapping) else {"": counts}).items():
            known(ruleset.rows("cards"), card, "card", (*here, card))
            if not isinstance(n, int) or isinstance(n, bool) or n < 1:
                raise CaseError(f"how many of it: a whole number from 1, not {n!r}", (*here, card))
        yield row_of(ruleset, pile, nation), dict(counts)


def known(rows: Mapping[str, Any], id_: Any, what: str, path: tuple[str | int, ...]) -> None:
    """CaseError, with the nearest known name, unless the id is there."""
    if id_ not in rows:
        raise CaseError(f"no {what} {id_!r}{_hint(str(id_), rows)}", path)


def _hint(word: str, names: Iterable[str]) -> str:
    near = did_you_mean(word, names)
    return f" ({near})" if near else ""
