"""Stats: figures of things with their modifiers, put together in the one order that the rules promise.

A base, then what replaces it, is added, multiplied, rounded, held within bounds, final, and late. `combine`
is that order, and the only place where it stands: over single numbers here, over the numbers of many battles
at once in `battle/values`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, Protocol

from ..core.compiled import ordinary
from ..core.model import Row, Ruleset, derived_of
from ..core.state import Entity
from ..ruleset.expressions.parse import parse, strip_mark
from .applies_to import Whom, whom
from .fields import Readings

Names = Mapping[str, Any]

FIGURES = ("base", "add", "times", "at_least", "at_most", "final")
"""The keys of a modifier that hold numbers."""
LIMITS = ("at_least", "at_most")
_PLAIN_KEYS = frozenset({"round", *LIMITS})
_OUTSIDE = frozenset({"battle", "mine", "foe", "link", "path", "target", "item", "tech"})
"""Names that only some askers bind: a row that reads one which is not bound does not apply."""


# ---- the one order


@ordinary
class Many(ABC):
    """Exact numbers of many cases at once, each an int or a fraction: what `combine` needs to be able to do
    with them.
    """

    __slots__ = ()

    @abstractmethod
    def __add__(self, other: Any) -> Any: ...

    @abstractmethod
    def __radd__(self, other: Any) -> Any: ...

    @abstractmethod
    def __mul__(self, other: Any) -> Any: ...

    @abstractmethod
    def __rmul__(self, other: Any) -> Any: ...

    @abstractmethod
    def larger(self, other: Any) -> Any:
        """Case by case the larger of two numbers."""

    @abstractmethod
    def smaller(self, other: Any) -> Any:
        """Case by case the smaller of two numbers."""

    @abstractmethod
    def rounded(self, how: str) -> Any:
        """Every number as `round_as` rounds one."""


class Cases(Protocol):
    """The cases in which a modifier applies, where it does not in all."""

    def choose(self, one: Any, other: Any) -> Any:
        """The first number in these cases, the second in the others."""
        ...


class AppliedModifier(NamedTuple):
    """A modifier that applies: its numbers by key, how it rounds, whether it comes late, and in which cases
    it applies.
    """

    figures: Mapping[str, Any]
    round: str | None = None
    late: bool = False
    cases: Cases | Literal[True] = True


def combine(
    base: Any, parts: Sequence[AppliedModifier], limits: Mapping[str, Any] = {}, rounding: str | None = None
) -> Any:
    """A base and the modifiers that apply, in their order: the exact value.

    The last base counts, then all that is added, then all factors; the last row that says how rounds (else
    the stat, by `rounding`); the stat's `limits` and those of the rows hold it, `at_least` first; the last
    `final` is the value whatever it was; late rows come after all that, each by itself and held by its own
    bounds only. A row that says how to round may round what others make of it.
    """
    early = [p for p in parts if not p.late]
    for figures, _, _, cases in early:
        if "base" in figures:
            base = _in(cases, figures["base"], base)
    value = 0 if base is None else base
    for figures, _, _, cases in early:
        if "add" in figures:
            value = value + _in(cases, figures["add"], 0)
    for figures, _, _, cases in early:
        if "times" in figures:
            value = value * _in(cases, figures["times"], 1)
    whole = round_as(value, rounding)
    for _, how, _, cases in early:
        if how is not None:
            whole = _in(cases, round_as(value, how), whole)
    value = whole
    for key, bound in BOUNDS:
        if key in limits:
            value = bound(value, limits[key])
        for figures, _, _, cases in early:
            if key in figures:
                value = _in(cases, bound(value, figures[key]), value)
    for figures, _, _, cases in early:
        if "final" in figures:
            value = _in(cases, figures["final"], value)
    for figures, how, late, cases in parts:
        if late:
            after = round_as((value + figures.get("add", 0)) * figures.get("times", 1), how or rounding)
            for key, bound in BOUNDS:
                after = bound(after, figures[key]) if key in figures else after
            value = _in(cases, after, value)
    return exact(value)


def _in(cases: Cases | Literal[True], one: Any, other: Any) -> Any:
    return one if cases is True else cases.choose(one, other)


def _larger(a: Any, b: Any) -> Any:
    if isinstance(a, Many):
        return a.larger(b)
    return b.larger(a) if isinstance(b, Many) else max(a, b)


def _smaller(a: Any, b: Any) -> Any:
    if isinstance(a, Many):
        return a.smaller(b)
    return b.smaller(a) if isinstance(b, Many) else min(a, b)


BOUNDS: Final = (("at_least", _larger), ("at_most", _smaller))
"""The keys that hold a value, in their order, and what they do to it."""


def exact(value: Any) -> Any:
    """Whole fractions become integers."""
    if type(value) is Fraction and value.denominator == 1:
        return int(value)
    return value


def round_as(value: Any, how: str | None) -> Any:
    """Round a fraction up, down or to the nearest whole number (halves up); None leaves it."""
    if how is None or isinstance(value, int):
        return value
    if isinstance(value, Many):
        return value.rounded(how)
    value = Fraction(value)
    if how == "up":
        return -((-value.numerator) // value.denominator)
    if how == "down":
        return value.numerator // value.denominator
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


# ---- the rows of a ruleset


class Adjust(NamedTuple):
    """A modifier with what decides whether it is asked: whom it is for (None: everybody), the names that it
    must find.
    """

    row: Row
    whom: Whom | None
    outside: frozenset[str]


class Quantities:
    """The stats of one world."""

    def __init__(self, world: Readings) -> None:
        self.world = world
        self._adjusts = _adjusts(world.ruleset)

    def asked(self, id_: str, subject: Entity, scope: Names) -> list[Row]:
        """The modifiers that may concern a subject, where the names that they read are bound."""
        adjusts = self._adjusts.get(id_)
        if adjusts is None:
            return []
        labels: AbstractSet[str] | None = None
        out = []
        for row, whom_, outside in adjusts:
            if outside and not outside <= scope.keys():
                continue
            if whom_ is not None:
                if labels is None:
                    labels = self.labels(subject, scope)
                if not whom_.takes_in(self.world, labels, scope, self._nations(subject, scope)):
                    continue
            out.append(row)
        return out

    def value(
        self, id_: str, subject: Entity, names: Names | None = None, skip: Iterable[str] = ()
    ) -> tuple[Any, list[Row]]:
        """A stat of a thing and the modifiers that applied. `skip` leaves out rows by id."""
        world = self.world
        row = world.ruleset.row("stats", id_)
        scope = self.names(subject, names or {})
        base = row["base"]
        base = world.value(strip_mark(base) if isinstance(base, str) else base, scope)
        if "unless" in row and world.test(row["unless"], scope):
            return exact(base) or 0, []
        if id_ not in self._adjusts:
            return self.combine(row, base, [], scope), []
        left_out = set(skip)
        asked = self.asked(id_, subject, scope)
        applied = [a for a in asked if a["id"] not in left_out and world.test(a.get("when"), scope)]
        return self.combine(row, base, applied, scope), applied

    def combine(self, row: Row, base: Any, applied: Sequence[Row], scope: Names) -> Any:
        """A base and modifiers that apply to it as a stat's row says, their numbers read in a scope."""
        if not applied and _PLAIN_KEYS.isdisjoint(row):
            return exact(base) if base is not None else 0
        number = self.world.number
        parts = [
            AppliedModifier(
                {k: number(a[k], scope) for k in FIGURES if k in a}, a.get("round"), bool(a.get("late"))
            )
            for a in applied
        ]
        return combine(base, parts, {k: number(row[k], scope) for k in LIMITS if k in row}, row.get("round"))

    def names(self, subject: Entity, names: Names) -> dict[str, Any]:
        """The names in scope for a subject: itself by its kind, and for units their owner, place and kind of
        link.
        """
        scope = dict(names)
        scope[subject.kind] = subject  # in any scope: `nation` in a figure of a nation is that nation
        if subject.kind == "unit":
            scope.setdefault("self", self.world._unit_owner(subject))
            scope.setdefault("nation", scope["self"])
            scope.setdefault("place", self.world._unit_place(subject))
        elif subject.kind == "nation":
            scope.setdefault("self", subject)
        elif subject.kind == "place":
            scope.setdefault("self", self.world._place_holder(subject))
            scope.setdefault("nation", scope["self"])
        elif "self" in scope:
            scope.setdefault("nation", scope["self"])
        return scope

    def labels(self, subject: Entity, scope: Names) -> set[str]:
        """The ids that a modifier's `for` can name for this subject."""
        out = {subject.id}
        if subject.kind == "unit":
            stack = self.world.stack(subject.id)
            kind = stack.get("kind", scope.get("unit_kind", ""))
            out.update(
                (
                    kind,
                    stack.get("owner", ""),
                    *self.world.ruleset.row_or_empty("units", kind).get("tags", ()),
                )
            )
        for name in ("self", "nation", "item", "tech"):
            thing = scope.get(name)
            if isinstance(thing, Entity):
                out.add(thing.id)
        act = scope.get("action")
        if act:
            out.add(str(act))
        return out

    def _nations(self, subject: Entity, scope: Names) -> list[str]:
        """The nations that a subject has to do with, whose sides a `for` can name."""
        out = [
            t.id
            for name in ("self", "nation")
            if isinstance(t := scope.get(name), Entity) and t.kind == "nation"
        ]
        return [*out, self.world.stack(subject.id).get("owner", "")] if subject.kind == "unit" else out


@derived_of("modifiers", "groups", "sides")
def _adjusts(ruleset: Ruleset) -> dict[str, list[Adjust]]:
    out: dict[str, list[Adjust]] = {}
    for row in ruleset.rows("modifiers").values():
        wanted = row.get("for")
        out.setdefault(row["of"], []).append(
            Adjust(row, None if wanted is None else whom(ruleset, wanted), _names_read(row) & _OUTSIDE)
        )
    return out


def _names_read(row: Row) -> frozenset[str]:
    """The names that a modifier reads, in its test and in its numbers."""
    texts = [row["when"]] if isinstance(row.get("when"), str) else []
    texts += [v for k in FIGURES if isinstance(v := row.get(k), str) and v.startswith("=")]
    return frozenset().union(*(parse(strip_mark(t)).names for t in texts))
