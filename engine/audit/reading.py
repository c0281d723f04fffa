"""Expressions of rows, reckoned by a small reader of its own over a state: fields, terms, tables and plain
sets.

It knows what most rows of figures and tests need, and raises `Beyond` for all else, so that an auditor can
pass over what it cannot reckon by itself. Earlier moments, ways, views and figures with modifiers that depend
on a battle are beyond it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any

import simpleeval

from ..core.model import Row, Ruleset
from ..core.state import State
from .figures import Beyond, number, rounded, within
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
FIGURES = ("base", "add", "times", "at_least", "at_most", "final")
OUTSIDE = frozenset({"battle", "mine", "foe", "link", "path", "target", "item", "tech"})
"""Names that only some askers bind: a modifier that reads one which is not bound does not apply."""
DEEPEST = 12


class Thing:
    """A thing in an expression: its fields are read when it is asked for them.

    It equals another of its id, and the id.
    """

    __slots__ = ("id", "kind", "reader")

    def __init__(self, reader: Reader, kind: str, id_: str) -> None:
        self.reader, self.kind, self.id = reader, kind, id_

    def __getattr__(self, name: str) -> Any:
        return self.reader.field(self, name)

    def __eq__(self, other: object) -> bool:
        return self.id == (other.id if isinstance(other, Thing) else other)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"{self.kind} {self.id}"


class Reader:
    """Reads what rows say of a state."""

    def __init__(self, ruleset: Ruleset, state: State) -> None:
        self.ruleset, self.state = ruleset, state
        self.past: dict[str, Reader] = {}  # earlier moments that `was` reads, as far as they are known
        self.deep = 0
        self.functions: dict[str, Callable[..., Any]] = {
            "nation": lambda id_: self.thing("nation", id_),
            "place": lambda id_: self.thing("place", id_),
            "side": lambda id_: self.thing("side", id_),
            "item": lambda id_: self.thing("item", id_),
            "tech": lambda id_: self.thing("tech", id_),
            "set_of": lambda *those: tuple(those),
            "group": self._group,
            "nations": lambda **f: self._those("nation", f),
            "places": lambda **f: self._those("place", f),
            "units": lambda **f: self._units(f),
            "count": self._count,
            "any": lambda those, name=None, *rest: any(self._apply(t, name, rest) for t in _set(those)),
            "all": lambda those, name, *rest: all(self._apply(t, name, rest) for t in _set(those)),
            "where": lambda those, name, *rest: tuple(t for t in _set(those) if self._apply(t, name, rest)),
            "sum": lambda those, name: sum(self._apply(t, name, ()) * self.weight(t) for t in _set(those)),
            "value": lambda thing, id_: self.quantity(str(_id(id_)), thing),
            "level": self._level,
            "was": self._was,
            "neighbors": self._neighbours,
            "knows": lambda n, tech: self._level(n, tech) > 0,
            "model": lambda n, kind: Thing(self, "unit", f"{_id(n)}.{_id(kind)}@"),
            "track": lambda n, id_: self.state.get("tracks", _id(n), _id(id_), 0),
            "flagged": self._marked,
            "counter": lambda thing, name: self.state.get(
                "counters", f"{thing.kind}:{thing.id}", _id(name), 0
            ),
            "option": self._option,
            "lookup": self._lookup,
            "stance": lambda a, b: self.stance(_id(a), _id(b)),
            "at_war": lambda a, b: self.hostile(_id(a), _id(b)),
            "neutral": self._neutral,
            "allied": lambda a, b: self.friendly(_id(a), _id(b)),
            "min": min,
            "max": max,
            "abs": abs,
            "floor": floor,
            "ceil": ceil,
        }
        self.functions |= {name: self.functions_of_terms(name) for name in ruleset.rows("definitions")}

    # ---- things

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
        form = FORMS.get(thing.kind)
        if form is None:
            raise Beyond(f"fields of a {thing.kind}")
        declared = self.ruleset.rows("fields").get(name)
        state = self.state.row(form, thing.id)
        if name == "first_owner" and thing.kind == "place" and "game" in self.past:
            return self.thing("nation", owned_by(self.ruleset, self.past["game"].state, thing.id))
        if name == "side" and thing.kind in ("nation", "place"):
            who = thing.id if thing.kind == "nation" else self.holder(thing.id)
            return self.thing("side", side_of(self.ruleset, self.state, who)) if who else None
        if name == "holder" and thing.kind == "place":
            return self.thing("nation", self.holder(thing.id))
        if thing.kind == "unit":
            return self._of_unit(thing, state, name, declared)
        row = self.ruleset.row_or_empty(form, thing.id)
        if name == "neutral" and thing.kind == "nation":
            return self._neutral(thing)
        if name == "alive" and thing.kind == "nation":
            return state.get(name, row.get(name)) is not False
        if name in state:
            value = state[name]
        elif name in row:
            value = row[name]
        elif declared is not None:
            value = declared.get("default")
        elif name in self.ruleset.rows("definitions"):
            return self.functions_of_terms(name)(thing)
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
            if isinstance(thing, Thing) and thing.kind == "unit"
            else 1
        )

    def stance(self, a: str, b: str) -> str:
        return stance(self.ruleset, self.state, a, b)

    def hostile(self, a: str, b: str) -> bool:
        return a != b and bool(self.ruleset.row_or_empty("stances", self.stance(a, b)).get("hostile"))

    def friendly(self, a: str, b: str) -> bool:
        return a == b or bool(self.ruleset.row_or_empty("stances", self.stance(a, b)).get("friendly"))

    # ---- expressions

    def value(self, text: Any, names: Mapping[str, Any]) -> Any:
        """What an expression comes to; a text without mark that names a stat of one thing is for
        `quantity`.
        """
        if not isinstance(text, str):
            return text
        if self.deep > DEEPEST:
            raise Beyond("definitions within definitions")
        self.deep += 1
        try:
            return self._run(text.removeprefix("=").strip(), names)
        finally:
            self.deep -= 1

    def figure(self, said: Any, names: Mapping[str, Any], thing: Any = None) -> Fraction:
        """A number as a row writes it: plain, a fraction as text, an expression, or the id of a stat of a
        thing.
        """
        if isinstance(said, str) and not said.startswith("="):
            if said in self.ruleset.rows("stats"):
                about = thing if thing is not None else names.get(str(self.ruleset.row("stats", said)["of"]))
                if about is None:
                    about = names.get("self")
                return number(self.quantity(said, about, names))
            try:
                return Fraction(said)
            except ValueError:
                pass
        return number(self.value(said, names))

    def test(self, text: Any, names: Mapping[str, Any]) -> bool:
        return text is None or bool(self.value(text, names))

    def _run(self, text: str, names: Mapping[str, Any]) -> Any:
        now = self.state.row("game", "game")
        scope = {
            "True": True,
            "False": False,
            "None": None,
            **{k: now.get(k) for k in ("turn", "month", "year", "season")},
            **names,
        }
        evaluator = _Evaluator(names=scope, functions=self.functions)
        try:
            return evaluator.eval(text)
        except Beyond:
            raise
        except Exception as error:  # whatever this reader does not know
            raise Beyond(_why(error)) from error

    def functions_of_terms(self, name: str) -> Callable[..., Any]:
        row = self.ruleset.row("definitions", name)

        def asked(*things: Any) -> Any:
            names = {}
            for said, thing in zip(row.get("of", ()), things, strict=False):
                called, _, kind = said.rpartition(":")
                bound = self.thing(kind, thing) if isinstance(thing, str) and kind in FORMS else thing
                names[called or kind] = bound
            return self.value(row["is"], names)

        return asked

    def quantity(self, id_: str, thing: Any, names: Mapping[str, Any] | None = None) -> Any:
        """A stat of a thing with all modifiers that are made to it (`Beyond` if one of them cannot be judged
        here).
        """
        row = self.ruleset.rows("stats").get(id_)
        if row is None:
            return self.field(thing, id_)
        scope = self._about(thing, {**(names or {}), row["of"]: thing})
        base = row.get("base")
        value: Any = self.value(base, scope) if isinstance(base, str) else base
        if "unless" in row and self.test(row["unless"], scope):
            return value
        rows = [
            a for a in self.adjusts(id_) if self._asked(a, thing, scope) and self.test(a.get("when"), scope)
        ]
        return self._together(row, 0 if value is None else value, rows, scope)

    def adjusts(self, id_: str) -> list[Row]:
        """The rows of `modifiers` of a stat."""
        return [a for a in self.ruleset.rows("modifiers").values() if a["of"] == id_]

    def _about(self, thing: Any, scope: dict[str, Any]) -> dict[str, Any]:
        if isinstance(thing, Thing) and thing.kind == "unit":
            for name in ("self", "nation"):
                scope.setdefault(name, thing.owner)
            scope.setdefault("place", thing.place)
        elif isinstance(thing, Thing) and thing.kind == "nation":
            scope.setdefault("self", thing)
        elif isinstance(thing, Thing) and thing.kind == "place":
            scope.setdefault("self", self.thing("nation", self.holder(thing.id)))
        if "self" in scope:
            scope.setdefault("nation", scope["self"])
        return scope

    def _asked(self, adjust: Row, thing: Any, scope: Mapping[str, Any]) -> bool:
        """Whether a modifier may concern a thing: by its `for`, and by the names that it reads."""
        said = " ".join(
            str(adjust.get(key, "")) for key in ("when", *FIGURES) if isinstance(adjust.get(key), str)
        )
        words = set(re.findall(r"[a-z_]+", re.sub(r"'[^']*'", "", said)))
        if words & OUTSIDE - scope.keys():
            return False
        return self.concerns(adjust, thing, scope)

    def concerns(self, row: Row, thing: Any, scope: Mapping[str, Any]) -> bool:
        """Whether a row is `for` a thing, or for whom its names are about."""
        wanted = row.get("for")
        if wanted is None:
            return True
        labels = {
            _id(scope[name]) for name in ("self", "nation", "item", "tech") if scope.get(name) is not None
        }
        if isinstance(thing, Thing):
            labels.add(thing.id)
            if thing.kind == "unit":
                labels |= {
                    self.unit(thing).get("kind"),
                    *self.ruleset.row_or_empty("units", str(self.unit(thing).get("kind"))).get("tags", ()),
                }
        sides = {
            side_of(self.ruleset, self.state, str(_id(scope[n])))
            for n in ("self", "nation")
            if scope.get(n) is not None
        }
        for word in [wanted] if isinstance(wanted, str) else wanted:
            if word.startswith("="):
                found = self.value(word, scope)
                if found is True or (not isinstance(found, bool) and labels & {_id(f) for f in _set(found)}):
                    return True
            elif (
                word in labels
                or word in sides
                or labels & set(self.ruleset.row_or_empty("groups", word).get("members", ()))
            ):
                return True
        return False

    def _together(self, row: Row, value: Any, rows: list[Row], scope: Mapping[str, Any]) -> Any:
        """The order of figures: base, what is added, factors, rounding, bounds, final, and late rows last."""
        early = [
            ({k: self.figure(a[k], scope) for k in FIGURES if k in a}, a.get("round"))
            for a in rows
            if not a.get("late")
        ]
        for figures, _ in early:
            value = figures.get("base", value)
        value = number(value) + sum((f.get("add", Fraction(0)) for f, _ in early), Fraction(0))
        for figures, _ in early:
            value *= figures.get("times", 1)
        value = rounded(value, next((how for _, how in reversed(early) if how), row.get("round")))
        limits: dict[str, Fraction] = {
            k: self.figure(row[k], scope) for k in ("at_least", "at_most") if k in row
        }
        for key, bound in (("at_least", max), ("at_most", min)):
            bounds: list[dict[str, Fraction]] = [limits, *(f for f, _ in early)]
            for of in bounds:
                value = bound(value, of[key]) if key in of else value
        for figures, _ in early:
            value = figures.get("final", value)
        for a in rows:
            if a.get("late"):
                late = {k: self.figure(a[k], scope) for k in FIGURES if k in a}
                value = rounded(
                    (value + late.get("add", 0)) * late.get("times", 1), a.get("round") or row.get("round")
                )
                value = max(value, late.get("at_least", value))
                value = min(value, late.get("at_most", value))
        return value

    def unit(self, thing: Thing) -> Mapping[str, Any]:
        """The row of a stack, or of a kind of an owner of which there need be none (`model`)."""
        owner, _, kind = thing.id.partition("@")[0].rpartition(".")
        return self.state.row("units", thing.id) or {"owner": owner, "kind": kind}

    # ---- functions

    def _apply(self, thing: Any, name: Any, rest: tuple[Any, ...]) -> Any:
        if name is None:
            return True
        if name in self.ruleset.rows("definitions"):
            return self.functions_of_terms(name)(thing, *rest)
        found = self.field(thing, name)
        return _id(found) in [_id(r) for r in rest] if rest else found

    def _group(self, id_: Any) -> tuple[Thing, ...]:
        row = self.ruleset.rows("groups").get(str(_id(id_)))
        if row is None:
            raise Beyond("a group that there is not")
        return tuple(Thing(self, LISTED[row["of"]], m) for m in row["members"])

    def _those(self, kind: str, filters: Mapping[str, Any]) -> tuple[Thing, ...]:
        ids = {
            **dict.fromkeys(self.ruleset.rows(FORMS[kind])),
            **(dict.fromkeys(self.state.table("nations")) if kind == "nation" else {}),
        }
        return tuple(t for id_ in ids if self._fits(t := Thing(self, kind, id_), filters))

    def _units(self, filters: Mapping[str, Any]) -> tuple[Thing, ...]:
        filters = dict(filters)
        at = filters.pop("at", None)
        tag = filters.pop("tag", None)
        if "side" in filters or "of" in filters:
            raise Beyond("units by side")
        places = {_id(p) for p in _set(at)} if at is not None else None
        tags = {_id(t) for t in _set(tag)} if tag is not None else None
        out = []
        for key, row in sorted(self.state.table("units").items()):
            if places is not None and row["place"] not in places:
                continue
            if tags is not None and not tags & set(
                self.ruleset.row_or_empty("units", row["kind"]).get("tags", ())
            ):
                continue
            thing = Thing(self, "unit", key)
            if self._fits(thing, filters):
                out.append(thing)
        return tuple(out)

    def _fits(self, thing: Thing, filters: Mapping[str, Any]) -> bool:
        for name, wanted in filters.items():
            found = self.field(thing, name)
            among = {_id(w) for w in _set(wanted)}
            if not ({_id(f) for f in found} & among if isinstance(found, tuple) else _id(found) in among):
                return False
        return True

    def _count(self, those: Any, name: Any = None, *rest: Any) -> int:
        return sum(self.weight(t) for t in _set(those) if self._apply(t, name, rest))

    def _marked(self, thing: Any, name: Any) -> bool:
        if not isinstance(thing, Thing):
            kind = next((k for k, form in FORMS.items() if self.ruleset.has(form, thing)), None)
            if kind is None:
                raise Beyond("marks of what is not known")
            thing = Thing(self, kind, thing)
        return self.state.get("flags", f"{thing.kind}:{thing.id}", _id(name)) is not None

    def _neutral(self, who: Any) -> bool:
        if not isinstance(who, Thing) or who.kind != "nation":
            who = (
                self.thing("nation", who)
                if isinstance(who, str) and self.ruleset.has("nations", who)
                else None
            )
        if who is None:
            raise Beyond("whether several are neutral")
        return not side_of(self.ruleset, self.state, who.id)

    def _neighbours(self, places: Any, *kinds: Any) -> tuple[Thing, ...]:
        here, wanted = {_id(p) for p in _set(places)}, {_id(k) for k in kinds}
        out: dict[str, Thing] = {}
        for row in self.ruleset.rows("links").values():
            a, b = row["between"]
            if not wanted or row.get("kind") in wanted:
                out |= {
                    t: Thing(self, "place", t) for s, t in ((a, b), (b, a)) if s in here and t not in here
                }
        return tuple(out[id_] for id_ in sorted(out))

    def _was(self, thing: Any, name: Any, moment: Any, *rest: Any) -> Any:
        if moment not in self.past:
            raise Beyond("an earlier moment")
        then = self.past[moment]
        found = then._apply(Thing(then, thing.kind, thing.id), name, tuple(_moved(then, r) for r in rest))
        return _moved(self, found)

    def _level(self, nation: Any, tech: Any, stage: Any = None) -> Any:
        now = self.state.get("techs", _id(nation), _id(tech), 0)
        return (
            max(now, self.state.get("tech_stages", _id(nation), f"{stage}:{_id(tech)}", 0))
            if stage is not None
            else now
        )

    def _option(self, id_: Any) -> Any:
        chosen = self.state.get("options", "options", id_)
        return self.ruleset.row("options", id_)["default"] if chosen is None else chosen

    def _lookup(self, id_: Any, *keys: Any) -> Any:
        row = self.ruleset.row("tables", id_)
        found: Any = row.get("rows", {})
        for key in (_id(k) for k in keys):
            found = next(
                (v for k, v in found.items() if str(k) == str(key) or within(str(k), key)),
                row.get("default"),
            )
            if found is None:
                raise Beyond("a cell that there is not")
        return Fraction(found) if isinstance(found, str) and "/" in found else found


class _Evaluator(simpleeval.EvalWithCompoundTypes):  # type: ignore[misc]
    """simpleeval with exact division and things that are told apart by their ids."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.operators[ast.Div] = lambda a, b: Fraction(a) / Fraction(b)
        self.operators[ast.Eq] = lambda a, b: _id(a) == _id(b)
        self.operators[ast.NotEq] = lambda a, b: _id(a) != _id(b)
        self.operators[ast.In] = lambda a, b: b is not None and _id(a) in [_id(x) for x in _set(b)]
        self.operators[ast.NotIn] = lambda a, b: b is None or _id(a) not in [_id(x) for x in _set(b)]
        for kind, compare in ((ast.Gt, _gt), (ast.GtE, _ge), (ast.Lt, _lt), (ast.LtE, _le)):
            self.operators[kind] = compare


def _gt(a: Any, b: Any) -> bool:
    return bool((a or 0) > (b or 0))


def _ge(a: Any, b: Any) -> bool:
    return bool((a or 0) >= (b or 0))


def _lt(a: Any, b: Any) -> bool:
    return bool((a or 0) < (b or 0))


def _le(a: Any, b: Any) -> bool:
    return bool((a or 0) <= (b or 0))


def _moved(reader: Reader, value: Any) -> Any:
    """A thing as it is read at another moment."""
    if isinstance(value, tuple):
        return tuple(_moved(reader, v) for v in value)
    return Thing(reader, value.kind, value.id) if isinstance(value, Thing) else value


def _why(error: Exception) -> str:
    """Why an expression is beyond this reader, in a few words."""
    if isinstance(error, simpleeval.FunctionNotDefined):
        return f"the function {error.func_name}"
    if isinstance(error, simpleeval.NameNotDefined):
        return f"the name {error.name}"
    if isinstance(error, simpleeval.AttributeDoesNotExist):
        return f"the field {error.attr} of something else"
    return f"{type(error).__name__} in an expression"


def _set(those: Any) -> Iterable[Any]:
    if those is None:
        return ()
    return those if isinstance(those, tuple | list) else (those,)


def _id(value: Any) -> Any:
    return value.id if isinstance(value, Thing) else value
