"""Expressions of rows, computed by a small reader of its own over a state: fields, terms, tables and plain
sets.

It knows what most rows of figures and tests need, and raises `Beyond` for all else, so that an auditor can
pass over what it cannot compute by itself. Earlier moments, ways, views and figures with modifiers that
depend on a battle are beyond it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import simpleeval

from ..core.model import Row, Ruleset
from ..core.state import State
from .figures import Beyond, number, rounded
from .reading_functions import functions_of
from .relations import side_of
from .things import FORMS, Thing, Things, id_of, set_of

FIGURES = ("base", "add", "times", "at_least", "at_most", "final")
OUTSIDE = frozenset({"battle", "mine", "foe", "link", "path", "target", "item", "tech"})
"""Names that only some askers bind: a modifier that reads one which is not bound does not apply."""
DEEPEST = 12


class Reader(Things):
    """Reads what rows say of a state."""

    def __init__(self, ruleset: Ruleset, state: State) -> None:
        super().__init__(ruleset, state)
        self.deep = 0
        self.functions = functions_of(self)

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

    def term(self, name: str) -> Callable[..., Any]:
        row = self.ruleset.row("definitions", name)
        if "fixpoint" in row:  # its value is what was settled
            return lambda thing: bool(self.state.row("verdicts", f"{thing.kind}:{thing.id}").get(name))

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
        if isinstance(thing, Thing) and thing._kind == "unit":
            for name in ("self", "nation"):
                scope.setdefault(name, thing.owner)
            scope.setdefault("place", thing.place)
        elif isinstance(thing, Thing) and thing._kind == "nation":
            scope.setdefault("self", thing)
        elif isinstance(thing, Thing) and thing._kind == "place":
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
            id_of(scope[name]) for name in ("self", "nation", "item", "tech") if scope.get(name) is not None
        }
        if isinstance(thing, Thing):
            labels.add(thing.id)
            if thing._kind == "unit":
                labels |= {
                    self.unit(thing).get("kind"),
                    *self.ruleset.row_or_empty("units", str(self.unit(thing).get("kind"))).get("tags", ()),
                }
        sides = {
            side_of(self.ruleset, self.state, str(id_of(scope[n])))
            for n in ("self", "nation")
            if scope.get(n) is not None
        }
        for word in [wanted] if isinstance(wanted, str) else wanted:
            if word.startswith("="):
                found = self.value(word, scope)
                if found is True or (
                    not isinstance(found, bool) and labels & {id_of(f) for f in set_of(found)}
                ):
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


class _Evaluator(simpleeval.EvalWithCompoundTypes):  # type: ignore[misc]
    """simpleeval with exact division and things that are told apart by their ids."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.operators[ast.Div] = lambda a, b: Fraction(a) / Fraction(b)
        self.operators[ast.Eq] = lambda a, b: id_of(a) == id_of(b)
        self.operators[ast.NotEq] = lambda a, b: id_of(a) != id_of(b)
        self.operators[ast.In] = lambda a, b: b is not None and id_of(a) in [id_of(x) for x in set_of(b)]
        self.operators[ast.NotIn] = lambda a, b: b is None or id_of(a) not in [id_of(x) for x in set_of(b)]
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


def _why(error: Exception) -> str:
    """Why an expression is beyond this reader, in a few words."""
    if isinstance(error, simpleeval.FunctionNotDefined):
        return f"the function {error.func_name}"
    if isinstance(error, simpleeval.NameNotDefined):
        return f"the name {error.name}"
    if isinstance(error, simpleeval.AttributeDoesNotExist):
        return f"the field {error.attr} of something else"
    return f"{type(error).__name__} in an expression"
