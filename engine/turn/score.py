"""`score`: values of nations and sides are computed and put together, all are ranked, and the tests of the
game's end are made: rows of the table `victory`.

A criterion is an expression, or made of others (`parts`, or the `members` of a side) by sum, mean, geometric
mean or the highest. An end says when it is tried, who wins, or by which criterion all are ranked; equal
values share a rank. Values are exact fractions; only a root is rounded, to hundredths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..core.journal import EVERYONE
from ..core.model import Row
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from ..world.messages import message, printed
from ..world.selections import as_set, id_of
from ..world.world import World, exact
from .context import Turn


def run(node: Row, turn: Turn) -> None:
    """Try the ends in their order; the first that comes true ends the game."""
    for row in turn.ruleset.of_kind("victory", "game_end").values():
        if turn.world.test(row.get("when"), turn.names()) and settle(turn, row):
            return


def settle(turn: Turn, row: Row) -> bool:
    """One end whose test holds: winners and ranks are written, unless a lead that it asks for is not
    there.
    """
    scores = Scores(turn.world)
    winners: list[str] = []
    ranks: list[dict[str, Any]] = []
    if "wins" in row:
        found = (
            turn.world.value(row["wins"][1:], turn.names()) if row["wins"].startswith("=") else row["wins"]
        )
        if found is None:
            return False
        winners = [found] if isinstance(found, str) else [str(id_of(t)) for t in as_set(turn.world, found)]
    if "rank" in row:
        ranks = scores.ranking(row["rank"], row.get("first"))
        if not ranks or ("lead" in row and not _leads(turn, row, ranks)):
            return False
        first = [r["who"] for r in ranks if r["rank"] == 1]
        if not winners and not (len(first) > 1 and row.get("tie") == "draw"):
            winners = first
    by_side = scores.ranking(row["side_by"], None) if "side_by" in row else []
    data: dict[str, Any] = {"winners": winners, "ranks": ranks, "values": scores.said()}
    if by_side:
        data["sides"] = by_side
    data["details"] = standings(turn.world, winners, ranks, by_side)
    names = turn.names()
    says = message(turn.world, row.get("says", ""), names)
    with turn.journal.entry(
        f"victory/{row['id']}", subject=",".join(winners), says=says, audience=(EVERYONE,), data=data
    ):
        turn.journal.set("game", "game", "winners", winners)
        turn.journal.set("game", "game", "end", row["id"])
        turn.journal.set("game", "game", "ended", True)
    return True


def standings(
    world: World, winners: list[str], ranks: list[dict[str, Any]], by_side: list[dict[str, Any]]
) -> list[str]:
    """What everybody reads at the end: who has won, every rank with its value, and the sides."""
    lines = [] if ranks else [f"Winner: {_name(world, w)}" for w in winners]
    lines += [f"{r['rank']}. {_name(world, r['who'])}: {r['shown']}" for r in ranks]
    lines += [f"{_name(world, s['who'])}: {s['shown']}" for s in by_side]
    return lines


def kept_from_first(ranks: Sequence[Mapping[str, Any]]) -> set[str]:
    """Those of a ranking who have more than the first, and cannot be it."""
    return {r["who"] for r in ranks if Fraction(r["value"]) > Fraction(ranks[0]["value"])}


def _name(world: World, who: str) -> str:
    return printed(world, Entity("side" if world.ruleset.has("sides", who) else "nation", who))


def _leads(turn: Turn, row: Row, ranks: list[dict[str, Any]]) -> bool:
    if len(ranks) < 2:
        return True
    lead = Fraction(ranks[0]["value"]) - Fraction(ranks[1]["value"])
    return bool(lead >= turn.world.number(row["lead"], turn.names()))


class Scores:
    """Values of criteria in one world, each computed once."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._values: dict[tuple[str, str], Any] = {}

    def value(self, criterion: str, who: str) -> Any:
        """The value of a criterion for a nation or side: a whole number or a fraction."""
        key = (criterion, who)
        if key not in self._values:
            self._values[key] = self._compute(self.world.ruleset.row("victory", criterion), who)
        return self._values[key]

    def subjects(self, criterion: str) -> list[str]:
        """Those who have a value of the criterion."""
        row = self.world.ruleset.row("victory", criterion)
        all_of = list(self.world.ruleset.rows("sides")) if row["of"] == "side" else self.world.nations()
        return [w for w in all_of if self.world.test(row.get("when"), self._names(row, w))]

    def ranking(self, criterion: str, first: str | None) -> list[dict[str, Any]]:
        """Everybody with rank and value, best first; with `first` only those that pass it can be first."""
        row = self.world.ruleset.row("victory", criterion)
        found = [(w, self.value(criterion, w)) for w in self.subjects(criterion)]
        order = sorted(found, key=lambda f: (-f[1], f[0]))
        if first is not None:
            able = [f for f in order if self.world.test(first, self._names(row, f[0]))]
            best = [f for f in able if f[1] == able[0][1]]
            order = [*best, *(f for f in order if f not in best)]
            lead = len(best)
        else:
            lead = 0
        out: list[dict[str, Any]] = []
        for index, (who, value) in enumerate(order):
            tied = bool(out) and str(exact(value)) == out[-1]["value"] and index != lead
            rank = out[-1]["rank"] if tied else index + 1
            out.append({"who": who, "rank": rank, "value": str(exact(value)), "shown": hundredths(value)})
        return out

    def said(self) -> dict[str, dict[str, str]]:
        """Every value computed so far, for the journal."""
        out: dict[str, dict[str, str]] = {}
        for (criterion, who), value in sorted(self._values.items()):
            out.setdefault(criterion, {})[who] = str(exact(value))
        return out

    def _names(self, row: Row, who: str) -> dict[str, Any]:
        if row["of"] == "side":
            return {"side": Entity("side", who)}
        thing = Entity("nation", who)
        return {"nation": thing, "self": thing}

    def _compute(self, row: Row, who: str) -> Any:
        names = self._names(row, who)
        value: Any
        if "is" in row:
            value = Fraction(self.world.value(strip_mark(row["is"]), names) or 0)
        elif "members" in row:
            members = [w for w in self.subjects(row["members"]) if self.world.side_of(w) == who]
            value = combine([self.value(row["members"], m) for m in members], row.get("how", "sum"))
        else:
            value = combine([self.value(p, who) for p in row["parts"]], row.get("how", "sum"))
        return exact(self.world.bounded(value, row, names))


def combine(values: list[Any], how: str) -> Any:
    """Numbers put together: sum, mean, geometric mean (to hundredths) or highest. Nothing gives 0."""
    if not values:
        return 0
    if how == "sum":
        return exact(sum(values, Fraction(0)))
    if how == "mean":
        return exact(sum(values, Fraction(0)) / len(values))
    if how == "highest":
        return max(values)
    product = Fraction(1)
    for value in values:
        product *= max(Fraction(value), Fraction(0))
    return root(product, len(values))


def root(value: Fraction, n: int) -> Any:
    """The n-th root of a number that is not negative, rounded to hundredths, halves up; computed in whole
    numbers alone.
    """
    scaled = value.numerator * 200**n // value.denominator
    low, high = 0, 1
    while high**n <= scaled:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if middle**n <= scaled:
            low = middle
        else:
            high = middle
    return exact(Fraction((low + 1) // 2, 100))


def hundredths(value: Any) -> str:
    """A number as text with at most two decimals, halves up."""
    n = Fraction(value) * 100
    whole = (2 * n.numerator + n.denominator) // (2 * n.denominator)
    text = f"{abs(whole) // 100}.{abs(whole) % 100:02d}".rstrip("0").rstrip(".")
    return f"-{text}" if whole < 0 else text
